"""Beyond the paper: success in scripted styles of play, the printed rule there, and the expected success."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from statistics import fmean, median

import numpy as np

from shown.worlds import GAMES
from shown_evidence.analysis import statistics as stats
from shown_evidence.analysis.exhibits import HUNDRED, Axis, Exhibit, Table, by_size, methods
from shown_evidence.analysis.statistics import FLOORS, GENERATED, grouped, mean_success, of_size, select
from shown_evidence.experiments.beyond import BY_EXPERT, LEARNERS, OURS, SIZES, judged_design
from shown_evidence.experiments.experiment import Design, Experiment
from shown_evidence.styles import Style, non_expert_styles, styles_of
from shown_evidence.trials.demonstrators import STYLE
from shown_evidence.trials.learners import METHODS
from shown_evidence.trials.row import Row
from shown_evidence.wording import MISSING_CELL, many, percent, title

SETS = 3
USUAL = 3  # demonstrations in the tables

LEARNED = 0.9
"""Mean success on new levels from which on a style counts as learned."""


def style_designs(methods: Sequence[str], others: Sequence[int] = SIZES) -> tuple[Design, ...]:
    """Return the trials of some methods in every style of every game: 1, 2, 3 and 5 demonstrations by the expert, and
    `others` in other styles. Several experiments ask different questions of the same trials."""
    design = partial(judged_design, methods, sets=SETS)
    return (
        design(sizes=SIZES, kinds=(BY_EXPERT,)),
        *(design(sizes=others, games=(game,), kinds=list(map(_kind, non_expert_styles(game)))) for game in GAMES),
    )


def _kind(style: Style) -> str:
    return f"{STYLE}{style.name}"


def _by_style(rows: Sequence[Row]) -> list[tuple[Style, list[Row]]]:
    """Return the results of each style, in the order of their definition."""
    parts = grouped(rows, lambda row: (row.settings["game"], row.settings["demonstrations"]))
    every = [style for game in GAMES for style in styles_of(game)]
    return [(style, parts[style.game, _kind(style)]) for style in every if (style.game, _kind(style)) in parts]


def _but_the_expert(rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row.settings["demonstrations"] != BY_EXPERT]


class ScriptedStyles(Experiment):
    """Success by scripted style of play."""

    designs = style_designs(LEARNERS)
    series = tuple(methods(LEARNERS))
    views = (HUNDRED,)
    across = Axis("demonstrations", SIZES)

    def exhibits(self, rows: Sequence[Row]) -> list[Exhibit]:
        labels = [METHODS[method].label for method in self.methods]
        others = _but_the_expert(rows)
        games = dict.fromkeys(style.game for style, _ in _by_style(others))
        return [
            *self.plots(others),
            Table(
                (
                    *("Game", "Styles"),
                    *(f"{label}: {what}" for label in labels for what in ("learned", "won", "nothing fits")),
                    *(METHODS[method].label for method in FLOORS),
                ),
                [_summary(game, select(others, game=game)) for game in games],
                self.given_caption,
            ),
            Table(
                ("Game", "Style", "How it plays", *labels),
                [
                    [title(style.game), style.name, style.plays, *(by_size(mine, method, SIZES) for method in LEARNERS)]
                    for style, mine in _by_style(rows)
                ],
                self.captions[1],
            ),
        ]

    def text(self, rows: Sequence[Row]) -> list[str]:
        usual = of_size(_but_the_expert(rows), USUAL)
        parts = {METHODS[method].label: _counts(select(usual, method=method)) for method in self.methods}
        return [
            f"{label}, {USUAL} demonstrations: {learned} styles are learned, {won} of new levels won, nothing fits in "
            f"{nothing} trials."
            for label, (learned, won, nothing) in parts.items()
            if won != MISSING_CELL
        ]


def _summary(game: str, rows: Sequence[Row]) -> list[str]:
    usual = [_counts(of_size(select(rows, method=method), USUAL)) for method in LEARNERS]
    floors = [percent(mean_success(select(rows, method=method), GENERATED)) for method in FLOORS]
    return [title(game), str(len(_by_style(rows))), *(cell for counts in usual for cell in counts), *floors]


def _counts(rows: Sequence[Row]) -> tuple[str, str, str]:
    """Return styles learned, mean success, and trials in which nothing fits."""
    means = [mean_success(part, GENERATED) for _, part in _by_style(rows)]
    if not means:
        return MISSING_CELL, MISSING_CELL, MISSING_CELL
    learned = f"{sum(mean >= LEARNED for mean in means)} of {len(means)}"
    return learned, percent(fmean(means)), f"{sum(not stats.found(row) for row in rows)} of {len(rows)}"


# --- the printed rule ---------------------------------------------------------------------------------------------

PARTS = ("rule", "vote")
FAR = 0.05  # how far below the vote is far below
MOST_CONDITIONS = 25


class RuleBesideVote(Experiment):
    """Success of the printed rule beside that of all rules."""

    designs = style_designs(("shown-practice",), others=(USUAL,))

    def exhibits(self, rows: Sequence[Row]) -> list[Table]:
        head = ("Game", "Style", "Shown", "Sets", "Rule", "Vote", "Acting", "Rule acts", "Conditions", "Front")
        lines = [
            [title(style.game), style.name, str(count), *_cells(part)]
            for style, mine in _by_style(rows)
            for count, part in sorted(grouped(mine, stats.size).items())
        ]
        return [Table(head, lines, self.captions[0])]

    def text(self, rows: Sequence[Row]) -> list[str]:
        parts = {"Expert": select(rows, demonstrations=BY_EXPERT), "Other styles": _but_the_expert(rows)}
        return [f"{name}: {_in_all(part)}" for name, part in parts.items() if part]


def _won(row: Row, part: str) -> float:
    return stats.success(row, f"{part} {GENERATED}")


def _conditions(rows: Sequence[Row]) -> list[int]:
    return sorted(int(stats.learned(row).get("conditions", 0)) for row in rows)


def _rule_acts(rows: Sequence[Row]) -> int:
    return sum(stats.learned(row).get("acts", "") == "rule" for row in rows)


def _cells(rows: Sequence[Row]) -> list[str]:
    sizes, front = _conditions(rows), stats.learned(rows[0]).get("front", [])
    return [
        str(len(rows)),
        *(percent(fmean(_won(row, part) for row in rows)) for part in PARTS),
        percent(mean_success(rows, GENERATED)),
        f"{_rule_acts(rows)} of {len(rows)}",
        f"{sizes[0]}" if sizes[0] == sizes[-1] else f"{sizes[0]} to {sizes[-1]}",
        ", ".join(f"{of}: {won} of {played}" for of, won, played in front) or MISSING_CELL,
    ]


def _in_all(rows: Sequence[Row]) -> str:
    rule, vote = ([_won(row, part) for row in rows] for part in PARTS)
    behind = [together - alone for alone, together in zip(rule, vote, strict=True)]
    sizes = _conditions(rows)
    return (
        f"{many(len(rows), 'case')}; the rule wins {percent(fmean(rule))}, all rules {percent(fmean(vote))}, what acts "
        f"{percent(mean_success(rows, GENERATED))}. The rule wins {percent(LEARNED)} or more in "
        f"{sum(won >= LEARNED for won in rule)}, is at most 2 points below the vote in "
        f"{sum(loss <= 0.02 + 1e-9 for loss in behind)} and more than {100 * FAR:.0f} below in "
        f"{sum(loss > FAR + 1e-9 for loss in behind)}; it acts in {_rule_acts(rows)}. Conditions: median "
        f"{median(sizes):g}, at most {sizes[-1]}; more than {MOST_CONDITIONS} in "
        f"{sum(number > MOST_CONDITIONS for number in sizes)}."
    )


# --- confidence: "about 7 of 12 new levels" should mean 7 of 12 over many cases -----------------------------------

BINS = 10
LEVELS = 100  # played by each policy
DRAWS = 1000


class Confidence(Experiment):
    """Expected beside measured success."""

    designs = style_designs(OURS)

    def exhibits(self, rows: Sequence[Row]) -> list[Table]:
        parts = {METHODS[method].label: binned(cases(mine)) for method, mine in _expecting(rows).items()}
        head = ("Expected", *(f"{label}: {what}" for label in parts for what in ("cases", "expected", "won")))
        lines = [
            [f"{place / BINS:.1f} to {(place + 1) / BINS:.1f}", *(cell for part in tenth for cell in _bin_cells(part))]
            for place, tenth in enumerate(zip(*parts.values(), strict=True))
        ]
        return [Table(head, lines, self.captions[0])]

    def text(self, rows: Sequence[Row]) -> list[str]:
        lines = []
        for method, mine in _expecting(rows).items():
            mean, most = chance_error(mine)
            lines.append(
                f"{METHODS[method].label}: {many(len(mine), 'case')}, calibration error "
                f"{calibration_error(cases(mine)):.3f}. Two binomial samples of the same probabilities would have "
                f"{mean:.3f} in the mean, and at most {most:.3f} in 95 % of draws."
            )
        return lines or ["None of these results has an expected success rate."]


def _expecting(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Return the results of each method that have an expectation."""
    mine = [row for row in rows if stats.found(row) and stats.learned(row).get("expected") is not None]
    return {method: part for method in OURS if (part := select(mine, method=method))}


def _bin_cells(part: np.ndarray) -> list[str]:
    return [str(len(part)), *(f"{mean:.2f}" for mean in part.mean(axis=0))] if len(part) else ["0", *[MISSING_CELL] * 2]


def cases(rows: Sequence[Row]) -> np.ndarray:
    """Return expected and measured success of results with an expectation. [N, 2]"""
    return np.array(
        [(stats.learned(row).get("expected", math.nan), stats.success(row, GENERATED)) for row in rows], dtype=float
    )


def binned(part: np.ndarray) -> list[np.ndarray]:
    """Group cases by tenths of the expectation."""
    place = np.minimum((part[:, 0] * BINS).astype(int), BINS - 1)
    return [part[place == number] for number in range(BINS)]


def calibration_error(part: np.ndarray) -> float:
    """Return the expected calibration error: mean |expected − won| over bins, weighted by their cases.

    >>> round(calibration_error(np.array([(0.9, 1.0), (0.91, 0.8), (0.2, 0.4)])), 3)
    0.07
    """
    return float(sum(abs(np.subtract(*each.sum(axis=0))) for each in binned(part) if len(each)) / len(part))


def chance_error(rows: Sequence[Row], draws: int = DRAWS) -> tuple[float, float]:
    """Return the calibration error if expected and measured success were samples of the same probability.

    Returns its mean and 95th percentile over draws. Each case has the probability that both of its samples together
    suggest, and as many levels as they had.
    """
    rng = np.random.default_rng(0)
    of = np.array([stats.learned(row).get("expected_of", LEVELS) for row in rows])
    expected, won = cases(rows).T
    likely = (expected * of + won * LEVELS) / (of + LEVELS)
    errors = []
    for _ in range(draws):
        again = (rng.binomial(of, likely) + 1) / (of + 2)  # the posterior mean under a flat prior
        errors.append(calibration_error(np.column_stack([again, rng.binomial(LEVELS, likely) / LEVELS])))
    return float(np.mean(errors)), float(np.quantile(errors, 0.95))
