"""Success on unseen levels against the number of demonstrations: LPP and its baselines (the paper's Figure 4).

LPP is the paper's method as published, up to ties, duplicates and equal columns. `shown` interprets the same
demonstrations in several ways, mirrors them, searches clauses and drops idle literals; here it does not practice, so
that all methods learn from the same data. DAgger and trees are alternatives that an engineer might try; CNN and
FCN are plain behavior cloning, and tuned ones have the settings that `network-settings` chose on other levels.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from shown_evidence.analysis import figures
from shown_evidence.analysis import statistics as stats
from shown_evidence.analysis.claims import NO, YES, Finding, graded, holding
from shown_evidence.analysis.figures import Axis, LevelView
from shown_evidence.analysis.statements import PERFECT_FROM
from shown_evidence.analysis.statistics import GENERATED, TEST, TRAIN, first_perfect, mean_success, select, size
from shown_evidence.analysis.success_tables import MEANS, Table, demonstrated, success_table
from shown_evidence.experiments.experiment import Experiment, Plot, Scale
from shown_evidence.results.row import Row
from shown_evidence.trials.demonstrators import TRAINING_LEVELS, training_sets
from shown_evidence.trials.methods import DAGGERS, METHODS, MIRRORED, NETWORKS
from shown_evidence.trials.trial import Trial
from shown_evidence.wording import by_game, listed, percent, title

SETS = 10
SIZES = range(1, 11)
IN_TABLES = (1, 2, 3, 5, 10)  # numbers of demonstrations in the tables

BASELINES = ("vpi", "lln", "fcn", "cnn")
"""The paper's baselines."""

VARIANTS = ("vpi-best", "lln-highest")
"""Variants of two of them."""

TREES = ("tree", "boosted", "tree-programs", "boosted-programs")
SLOW = (*NETWORKS, *DAGGERS, *TREES, "shown")
SEEDED = (*NETWORKS, *DAGGERS)
FEW_SETS = dict.fromkeys((*MIRRORED, *DAGGERS, "boosted-programs"), 3)

FIGURES = (
    (("lpp", "shown", *BASELINES), "", ""),
    (("lpp", "shown", *MIRRORED, *DAGGERS), "-networks", "Networks with mirrored data, tuned, or in DAgger. "),
    (("lpp", "shown", *VARIANTS, *TREES), "-others", "Variants of baselines, and trees. "),
)
"""Methods of each group of figures, the end of their names, and the beginning of their captions."""

VIEWS = (
    (
        LevelView("9 test levels, best set", TEST, max),
        "Success on the 9 test levels with the best of ten training sets per size (or of the number in the legend), "
        "as in the paper: as if the teacher had chosen well.",
        "best",
    ),
    (
        LevelView("9 test levels, mean", TEST, spread=True),
        "The same, mean over the sets: as if the demonstrations had been drawn at random. " + figures.SHADED,
        "mean",
    ),
    (
        LevelView("generated levels, mean", GENERATED, spread=True),
        "The same policies on 100 generated levels of each game, mean over the sets. " + figures.SHADED,
        "generated",
    ),
)
_SINGLE_LEVELS = re.compile(r"train:\d+(,train:\d+){0,9}")


class Demos(Experiment):
    """1 to 10 of the 11 training demonstrations, 10 different sets of each number."""

    name = "demos"
    title = "Success against demonstrations"
    question = "How many demonstrations does each method need before it wins unseen levels?"
    methods = ("lpp", "shown", "vpi", "vpi-best", *NETWORKS, *DAGGERS, *TREES)

    def trials(self, scale: Scale) -> list[Trial]:
        """Return 10 sizes with 10 sets each, or a quick selection; a network has another start with every set."""
        wanted = []
        for method in scale.methods_of(self.methods):
            slow = method in SLOW
            sizes = scale.sizes(SIZES, (1, 5) if slow else (1, 2, 3, 5, 8))
            sets = scale.sets or (FEW_SETS.get(method, SETS) if scale.full else 1 if slow else 3)
            options = scale.options(method)
            for game in scale.games_of(self.games):
                for count in sizes:
                    for number, levels in enumerate(training_sets(count, sets)):
                        seed = number if method in SEEDED else 0
                        wanted.append(Trial(method, game, levels, "perfect", seed, options, scale.test))
        return wanted

    def includes(self, settings: Mapping[str, Any]) -> bool:
        return (
            settings["demonstrations"] == "perfect"
            and (settings["seed"] == 0 or settings["method"] in SEEDED)
            and _SINGLE_LEVELS.fullmatch(settings["levels"]) is not None
            and stats.has_default_options(settings)
        )

    def plots(self, rows: Sequence[Row]) -> list[Plot | Table]:
        rows = of_the_ten_sets(rows)
        columns = figures.games(stats.games_among(rows, self.games))
        across = Axis("demonstrations", range(1, 11, 3), limits=(0.6, 10.4))
        plots: list[Plot | Table] = [
            Plot(
                figures.success_panels(rows, size, columns, series, (view,), across),
                f"{about}{caption}",
                f"{name}{suffix}",
            )
            for names, suffix, about in FIGURES
            for series in (figures.with_sets(figures.methods(names), rows),)
            for view, caption, name in VIEWS
        ]
        series = figures.methods(self.methods)
        nine = [demonstrated(count, TEST, pool) for count in IN_TABLES for pool in (max, fmean)]
        hundred = [demonstrated(count, GENERATED) for count in IN_TABLES]
        return [
            *plots,
            success_table(rows, self.games, series, nine, f"Success on the 9 test levels. {MEANS}"),
            success_table(rows, self.games, series, hundred, f"Success on 100 generated levels. {MEANS}"),
            Table(
                ("Difference", *(f"{count} shown" for count in IN_TABLES)),
                [
                    [f"LPP − {each.label}", *(_difference(rows, each.where["method"], count) for count in IN_TABLES)]
                    for each in series
                    if each.where["method"] != "lpp" and select(rows, **each.where)
                ],
                "Difference of success on the generated levels in percentage points, paired by demonstrations, mean "
                "over games; in brackets Student's 95 % interval over sets, corrected for the levels they share.",
            ),
        ]

    def findings(self, rows: Sequence[Row]) -> dict[str, Finding | None]:
        """Judge LPP's need for demonstrations on all sets, and comparisons on the common ten sets."""
        ten = of_the_ten_sets(rows)
        return {
            "at most 5": _at_most_five(ten, rows),
            **{game: _needed(game, ten, rows) for game in PERFECT_FROM},
            "ahead": _ahead(ten),
            "cnn": _cnn(ten),
            "fcn fits": _fcn_fits(ten),
            "fcn generalises": _fcn_generalizes(ten),
            "lln": _cannot_fit(("lln", "lln-highest"), ten),
            "vpi": _cannot_fit(("vpi", "vpi-best"), ten),
        }


def of_the_ten_sets(rows: Sequence[Row]) -> list[Row]:
    """Return the results from the ten sets of each size that every method learns from, and random play."""
    return [
        row
        for row in rows
        if row.settings["method"] in stats.FLOORS or row.settings["levels"] in training_sets(size(row), SETS)
    ]


def _difference(rows: Sequence[Row], method: str, count: int) -> str:
    own, other = (stats.of_size(select(rows, method=name), count) for name in ("lpp", method))
    return stats.difference_text(stats.paired_difference(own, other, GENERATED, overlap=count / TRAINING_LEVELS))


# --- demonstrations that LPP needs --------------------------------------------------------------------------------


def _needed(game: str, ten: Sequence[Row], every: Sequence[Row]) -> Finding | None:
    """Judge how many demonstrations of a game LPP needs, with ten sets of each size and with all that were tried."""
    found, tried = (select(rows, game=game, method="lpp") for rows in (ten, every))
    if not found:
        return None
    first, chosen = first_perfect(found, size), first_perfect(tried, size)
    if first is None:
        best = max(stats.success(row) for row in found)
        return Finding(f"Never: the best policy wins {percent(best)}.", NO)
    measured = f"From {first}, with the best of {SETS} sets"
    if stats.successes(found, GENERATED):
        generated = first_perfect(found, size, GENERATED)
        since = f"from {generated}" if generated else "never"
        measured += f"; {since} on all 100 generated levels"
    measured += "."
    if chosen is not None and chosen < first:
        sets = stats.of_size(tried, chosen)
        perfect = sum(stats.success(row) >= 1 for row in sets)
        measured += f" Of {len(sets)} sets of {chosen} tried, {perfect} give{'s' * (perfect == 1)} such a policy."
    paper = PERFECT_FROM[game]
    return Finding(measured, graded(first <= paper, chosen is not None and chosen <= paper))


def _at_most_five(ten: Sequence[Row], every: Sequence[Row]) -> Finding | None:
    first, chosen = (_first_by_game(rows) for rows in (ten, every))
    if len(first) < stats.LEAST_GAMES:
        return None
    late = [game for game, count in first.items() if count is None or count > 5]
    if not late:
        return Finding(f"At most {max(count or 0 for count in first.values())}, in each of {len(first)} games.", YES)
    measured = f"With the best of {SETS} sets more than 5, or never, in {listed([title(game) for game in late])}."
    with_more_sets = all((chosen[game] or 99) <= 5 for game in late)
    if with_more_sets:
        measured += " With sets chosen among all that were tried, at most 5 there too."
    return Finding(measured, graded(False, with_more_sets))


def _first_by_game(rows: Sequence[Row]) -> dict[str, int | None]:
    found = {game: select(rows, game=game, method="lpp") for game in PERFECT_FROM}
    return {game: first_perfect(part, size) for game, part in found.items() if part}


# --- the baselines ------------------------------------------------------------------------------------------------


def _ahead(rows: Sequence[Row]) -> Finding | None:
    games = stats.games_among(rows, Demos.games)
    compared = {game: pair for game in games if (pair := _against_the_best(select(rows, game=game))) is not None}
    if not compared or len(compared) < len(games):
        return None
    parts = {game: f"{percent(own)} / {percent(best)} ({label})" for game, (own, label, best) in compared.items()}
    behind = [title(game) for game, (own, _, best) in compared.items() if own < best]
    variants = {game: _variants_ahead(select(rows, game=game), own) for game, (own, _, _) in compared.items()}
    also = by_game({game: words for game, words in variants.items() if words})
    return Finding(
        f"Mean over all sizes and sets, LPP against the best baseline: {by_game(parts)}."
        + (f" A variant of a baseline is ahead in: {also}." if also else ""),
        holding(own >= best for own, _, best in compared.values()),
        f"Not ahead in {listed(behind)}." if behind else "",
    )


def _against_the_best(rows: Sequence[Row]) -> tuple[float, str, float] | None:
    """Return LPP's mean success in a game, the best baseline's label, and its mean."""
    means = {method: mean_success(found) for method in ("lpp", *BASELINES) if (found := select(rows, method=method))}
    own = means.pop("lpp", None)
    if own is None or not means:
        return None
    best = max(means, key=lambda method: means[method])
    return own, METHODS[best].label, means[best]


def _variants_ahead(rows: Sequence[Row], own: float) -> str:
    means = {method: mean_success(select(rows, method=method)) for method in VARIANTS}
    return ", ".join(f"{percent(mean)} ({METHODS[method].label})" for method, mean in means.items() if mean > own)


def _cnn(rows: Sequence[Row]) -> Finding | None:
    found = select(rows, method="cnn")
    if not found:
        return None
    train, test = mean_success(found, TRAIN), mean_success(found)
    return Finding(
        f"It wins {percent(train)} of the demonstrated levels and {percent(test)} of the test levels.",
        graded(train > 0.95 and test < 0.2, train > 0.8 and test < 0.5),
    )


def _fcn_fits(rows: Sequence[Row]) -> Finding | None:
    found = select(rows, method="fcn")
    if not found:
        return None
    learned = [row for row in found if not stats.never_learned(row)]
    repeats, repeat_then = (fmean(map(stats.fit, part)) if part else 0.0 for part in (found, learned))
    wins, win_then = (percent(mean_success(part, TRAIN)) for part in (found, learned))
    measured = f"It repeats {percent(repeats)} of the demonstrated actions and wins {wins} of the demonstrated levels."
    if 0 < len(learned) < len(found):
        measured += (
            f" {len(found) - len(learned)} of {len(found)} starts never learn: they repeat less than half. The others "
            f"repeat {percent(repeat_then)} and win {win_then}."
        )
    return Finding(measured, graded(repeats > 0.95, repeats > 0.8))


def _fcn_generalizes(rows: Sequence[Row]) -> Finding | None:
    means = {}
    for game in ("nim", "checkmate", "reach-for-the-star", "fence-in"):
        fcn, cnn = (select(rows, game=game, method=method) for method in ("fcn", "cnn"))
        if not fcn or not cnn:
            return None
        means[game] = (mean_success(fcn), mean_success(cnn))
    parts = {game: f"{percent(fcn)} / {percent(cnn)}" for game, (fcn, cnn) in means.items()}
    return Finding(f"FCN / CNN on the test levels: {by_game(parts)}.", holding(f > c for f, c in means.values()))


def _cannot_fit(methods: Sequence[str], rows: Sequence[Row]) -> Finding | None:
    """Judge how many demonstrated levels a weak method and its variant win."""
    words: list[str] = []
    means: list[float] = []
    for method in methods:
        found = select(rows, method=method)
        others = [game for game in stats.games_among(found, Demos.games) if game != "nim"]
        if len(others) < 5:
            return None
        mine = {game: mean_success(select(found, game=game), TRAIN) for game in others}
        words.append(f"{METHODS[method].label}: {by_game({game: percent(mean) for game, mean in mine.items()})}")
        means += mine.values()
    return Finding(f"Of the demonstrated levels. {'; '.join(words)}.", holding(mean <= 0.1 for mean in means))
