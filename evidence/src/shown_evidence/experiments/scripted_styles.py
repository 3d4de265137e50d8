"""Beyond the paper: success after a few demonstrations in a scripted style of play, and the printed rule there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from statistics import fmean, median
from typing import Any

from shown.worlds import GAMES
from shown_evidence.analysis import figures
from shown_evidence.analysis import statistics as stats
from shown_evidence.analysis.figures import HUNDRED, Axis
from shown_evidence.analysis.statistics import FLOORS, GENERATED, games_among, grouped, mean_success, of_size, select
from shown_evidence.analysis.success_tables import Table, what_each_is_given
from shown_evidence.experiments.beyond import BY_EXPERT, LEARNERS, SIZES, judged_design
from shown_evidence.experiments.experiment import Design, Exhibit, Experiment
from shown_evidence.results.row import Row
from shown_evidence.styles import non_expert_styles, styles_of
from shown_evidence.trials.demonstrators import STYLE
from shown_evidence.trials.methods import METHODS
from shown_evidence.wording import MISSING_CELL, many, percent, title

SETS = 3
USUAL = 3  # demonstrations in the tables

LEARNED = 0.9
"""Mean success on new levels from which on a style counts as learned."""

COUNTED = ("learned", "won", "nothing fits")


def style_designs(methods: Sequence[str], others: Sequence[int] = SIZES) -> tuple[Design, ...]:
    """Return the trials of some methods in every style of every game: 1, 2, 3 and 5 demonstrations by the expert, and
    `others` in other styles. Several experiments ask different questions of the same trials."""
    design = partial(judged_design, methods, sets=SETS)
    return (
        design(sizes=SIZES, kinds=(BY_EXPERT,)),
        *(design(sizes=others, games=(game,), kinds=_kinds(game)) for game in GAMES),
    )


def _kinds(game: str) -> list[str]:
    return [f"{STYLE}{style.name}" for style in non_expert_styles(game)]


def _style(row: Row) -> tuple[str, str]:
    return row.settings["game"], row.settings["demonstrations"]


class ScriptedStyles(Experiment):
    """Success by scripted style of play."""

    designs = style_designs(LEARNERS)
    series = tuple(figures.methods(LEARNERS))
    views = (replace(HUNDRED, name="", spread=False),)
    across = Axis("demonstrations", SIZES)

    def exhibits(self, rows: Sequence[Row]) -> list[Exhibit]:
        games = games_among(rows, self.games)
        labels = [METHODS[method].label for method in self.methods]
        drawn = [row for row in rows if row.settings["demonstrations"] != BY_EXPERT]
        styled = [row for row in drawn if row.settings["method"] not in FLOORS]
        return [
            *self.plots(drawn),
            Table(
                (
                    *("Game", "Styles"),
                    *(f"{label}: {what}" for label in labels for what in COUNTED),
                    *(METHODS[method].label for method in FLOORS),
                ),
                [_summary(game, select(drawn, game=game)) for game in games_among(styled, self.games)],
                f"{self.captions[0]} {what_each_is_given(self.methods)}",
            ),
            Table(
                ("Game", "Style", "How it plays", *labels),
                [line for game in games for line in _lines(game, grouped(select(rows, game=game), _style))],
                self.captions[1],
            ),
        ]

    def text(self, rows: Sequence[Row]) -> list[str]:
        others = [row for row in rows if row.settings["demonstrations"] != BY_EXPERT]
        parts = [(METHODS[method].label, select(others, method=method)) for method in self.methods]
        return [line for label, mine in parts for line in _in_all(label, mine)]


def _means(rows: Sequence[Row]) -> list[float]:
    """Return the mean success of each style."""
    return [mean_success(part, GENERATED) for part in grouped(rows, _style).values()]


def _summary(game: str, rows: Sequence[Row]) -> list[str]:
    cells = [title(game), str(len({_style(row) for row in rows if row.settings["method"] not in FLOORS}))]
    for method in LEARNERS:
        usual = of_size(select(rows, method=method), USUAL)
        cells += _counts(usual) if usual else [MISSING_CELL] * len(COUNTED)
    return [*cells, *(percent(mean_success(select(rows, method=method), GENERATED)) for method in FLOORS)]


def _counts(rows: Sequence[Row]) -> tuple[str, str, str]:
    """Return styles learned, mean success, and trials in which nothing fits."""
    means = _means(rows)
    learned = f"{sum(mean >= LEARNED for mean in means)} of {len(means)}"
    return learned, percent(fmean(means)), f"{sum(not stats.found(row) for row in rows)} of {len(rows)}"


def _lines(game: str, parts: Mapping[tuple[str, str], Sequence[Row]]) -> Iterator[list[str]]:
    """Yield a line per style, in the order of their definition."""
    for style in styles_of(game):
        mine = parts.get((game, f"{STYLE}{style.name}"), [])
        if mine:
            cells = []
            for method in LEARNERS:
                found = select(mine, method=method)
                means = [percent(mean_success(of_size(found, count), GENERATED)) for count in SIZES]
                cells.append(" / ".join(means) if found else MISSING_CELL)
            yield [title(game), style.name, style.plays, *cells]


def _in_all(label: str, rows: Sequence[Row]) -> Iterator[str]:
    usual = of_size(rows, USUAL)
    if usual:
        learned, won, nothing = _counts(usual)
        yield (
            f"{label}, {USUAL} demonstrations: {learned} styles are learned, {won} of new levels won, nothing fits in "
            f"{nothing} trials."
        )


# --- the printed rule ---------------------------------------------------------------------------------------------

PARTS = ("rule", "vote")
FAR = 0.05  # how far below the vote is far below
MOST_CONDITIONS = 25


class RuleBesideVote(Experiment):
    """Success of the printed rule beside that of all rules."""

    designs = style_designs(("shown-practice",), others=(USUAL,))

    def exhibits(self, rows: Sequence[Row]) -> list[Exhibit]:
        games = games_among(rows, self.games)
        return [
            Table(
                ("Game", "Style", "Shown", "Sets", "Rule", "Vote", "Acting", "Rule acts", "Conditions", "Front"),
                [line for game in games for line in _rule_lines(game, select(rows, game=game))],
                self.captions[0],
            ),
        ]

    def text(self, rows: Sequence[Row]) -> list[str]:
        experts = select(rows, demonstrations=BY_EXPERT)
        others = [row for row in rows if row.settings["demonstrations"] != BY_EXPERT]
        return [
            f"{name}: {_won_by_rules(part)}" for name, part in (("Expert", experts), ("Other styles", others)) if part
        ]


def _won(row: Row, part: str) -> float:
    return stats.success(row, f"{part} {GENERATED}")


def _learned(row: Row, name: str, default: Any) -> Any:
    return stats.measured(row)["learned"].get(name, default)


def _conditions(rows: Sequence[Row]) -> list[int]:
    return sorted(int(_learned(row, "conditions", 0)) for row in rows)


def _rule_acts(rows: Sequence[Row]) -> int:
    return sum(_learned(row, "acts", "") == "rule" for row in rows)


def _rule_lines(game: str, rows: Sequence[Row]) -> list[list[str]]:
    """Return a line per style and number of demonstrations, in the order of their definition."""
    parts = grouped(rows, lambda row: (row.settings["demonstrations"], stats.size(row)))
    return [
        [title(game), style.name, str(count), *_cells(parts[kind, count])]
        for style in styles_of(game)
        for kind in (f"{STYLE}{style.name}",)
        for count in SIZES
        if (kind, count) in parts
    ]


def _cells(rows: Sequence[Row]) -> list[str]:
    sizes = _conditions(rows)
    return [
        str(len(rows)),
        *(percent(fmean(_won(row, part) for row in rows)) for part in PARTS),
        percent(mean_success(rows, GENERATED)),
        f"{_rule_acts(rows)} of {len(rows)}",
        f"{sizes[0]}" if sizes[0] == sizes[-1] else f"{sizes[0]} to {sizes[-1]}",
        ", ".join(f"{of}: {won} of {played}" for of, won, played in _learned(rows[0], "front", [])) or MISSING_CELL,
    ]


def _won_by_rules(rows: Sequence[Row]) -> str:
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
