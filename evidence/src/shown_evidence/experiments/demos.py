"""Success on unseen levels against the number of demonstrations: LPP and its baselines (the paper's Figure 4).

LPP is the paper's method as published, up to ties, duplicates and equal columns. `shown` interprets the same
demonstrations in several ways, mirrors them, searches clauses and drops idle literals; here it does not practice, so
that all methods learn from the same data. Trees are an alternative that an engineer might try; CNN and
FCN are plain behavior cloning, and tuned ones have the settings that `network-settings` chose on other levels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from shown.worlds import GAMES
from shown_evidence.analysis import statistics as stats
from shown_evidence.analysis.exhibits import Axis, Exhibit, LevelView, demonstrated, differences, methods, success_table
from shown_evidence.analysis.statements import NO, PERFECT_FROM, YES, Finding, graded, holding
from shown_evidence.analysis.statistics import GENERATED, TEST, TRAIN, first_perfect, mean_success, select, size
from shown_evidence.experiments.experiment import Design, Experiment
from shown_evidence.trials.demonstrators import TRAINING_LEVELS, training_sets
from shown_evidence.trials.learners import METHODS, MIRRORED, NETWORKS
from shown_evidence.trials.row import Row
from shown_evidence.wording import by_game, listed, percent, title

SIZES, SETS, FEW_SETS = range(1, 11), 10, 3
MOST_SETS = 462  # sets of 5 of the 11 training levels
IN_TABLES = (1, 2, 3, 5, 10)  # numbers of demonstrations in the tables

BASELINES = ("vpi", "lln", "fcn", "cnn")
"""The paper's baselines, drawn beside LPP."""

VARIANTS = ("vpi-best", "lln-highest")
"""Variants of two of them."""

TREES = ("tree", "boosted", "tree-programs")
SLOW_TREES = "boosted-programs"
TABLED = methods(("lpp", "shown", "vpi", "vpi-best", *NETWORKS, *TREES, SLOW_TREES))


class Demos(Experiment):
    """Success of LPP and its baselines by number of demonstrations."""

    designs = (
        Design(("lpp", "shown", "vpi", "vpi-best", *TREES), SIZES, SETS),
        Design((SLOW_TREES,), SIZES, FEW_SETS),
        Design([name for name in NETWORKS if name not in MIRRORED], SIZES, SETS, seeded=True),
        Design(MIRRORED, SIZES, FEW_SETS, seeded=True),
    )
    series = tuple(methods(("lpp", "shown", *BASELINES)))
    views = (
        LevelView("best", "9 test levels, best set", TEST, max),
        LevelView("mean", "9 test levels, mean", TEST),
        LevelView("generated", "100 generated levels, mean", GENERATED),
    )
    across = Axis("demonstrations", range(1, 11, 3))

    def includes(self, settings: Mapping[str, Any]) -> bool:
        """Return whether a trial has the settings of the experiment; any other set of training levels counts, too."""
        method, levels = settings["method"], settings["levels"]
        count = levels.count(",") + 1
        return (
            settings["demonstrations"] == "perfect"
            and (settings["seed"] == 0 or method in NETWORKS)
            and settings["options"].items() >= METHODS[method].options.items()
            and count in SIZES
            and levels in training_sets(count, MOST_SETS)
        )

    def exhibits(self, rows: Sequence[Row]) -> list[Exhibit]:
        ten = of_the_ten_sets(rows)
        nine = [demonstrated(count, TEST, pool) for count in IN_TABLES for pool in (max, fmean)]
        pairs = [("lpp", each.where["method"]) for each in TABLED[1:] if select(ten, **each.where)]
        columns = {f"{count} shown": (count,) for count in IN_TABLES}
        hundred = [demonstrated(count, GENERATED) for count in IN_TABLES]
        return [
            *self.plots(ten),
            success_table(ten, self.games, TABLED, nine, self.captions[0]),
            success_table(ten, self.games, TABLED, hundred, self.captions[1]),
            differences(ten, pairs, columns, self.captions[2], of=TRAINING_LEVELS),
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


# --- demonstrations that LPP needs --------------------------------------------------------------------------------


def _needed(game: str, ten: Sequence[Row], every: Sequence[Row]) -> Finding | None:
    """Judge how many demonstrations of a game LPP needs, with ten sets of each size and with all that were tried."""
    found, tried = (select(rows, game=game, method="lpp") for rows in (ten, every))
    if not found:
        return None
    first, chosen = first_perfect(found, size), first_perfect(tried, size)
    if first is None:
        return Finding(f"Never: the best policy wins {percent(max(map(stats.success, found)))}.", NO)
    words = f"From {first}, with the best of {SETS} sets"
    if stats.successes(found, GENERATED):
        generated = first_perfect(found, size, GENERATED)
        words += f"; {f'from {generated}' if generated else 'never'} on all 100 generated levels"
    words += "."
    if chosen is not None and chosen < first:
        sets = stats.of_size(tried, chosen)
        perfect = sum(stats.success(row) >= 1 for row in sets)
        words += f" Of {len(sets)} sets of {chosen} tried, {perfect} give{'s' * (perfect == 1)} such a policy."
    paper = PERFECT_FROM[game]
    return Finding(words, graded(first <= paper, chosen is not None and chosen <= paper))


def _at_most_five(ten: Sequence[Row], every: Sequence[Row]) -> Finding | None:
    first, chosen = (
        {game: first_perfect(part, size) for game in PERFECT_FROM if (part := select(rows, game=game, method="lpp"))}
        for rows in (ten, every)
    )
    if len(first) < stats.LEAST_GAMES:
        return None
    late = [game for game, count in first.items() if count is None or count > 5]
    if not late:
        return Finding(f"At most {max(count or 0 for count in first.values())}, in each of {len(first)} games.", YES)
    words = f"With the best of {SETS} sets more than 5, or never, in {listed([title(game) for game in late])}."
    with_more_sets = all((chosen[game] or 99) <= 5 for game in late)
    if with_more_sets:
        words += " With sets chosen among all that were tried, at most 5 there too."
    return Finding(words, graded(False, with_more_sets))


# --- the baselines ------------------------------------------------------------------------------------------------


def _ahead(rows: Sequence[Row]) -> Finding | None:
    """Compare LPP's mean success in each game with the best baseline's, and with that of variants."""
    parts, behind, also = {}, [], {}
    for game in stats.games_among(rows, tuple(GAMES)):
        means = _means(select(rows, game=game), ("lpp", *BASELINES))
        own = means.pop("lpp", None)
        if own is None or not means:
            return None
        best = max(means, key=lambda method: means[method])
        parts[game] = f"{percent(own)} / {percent(means[best])} ({METHODS[best].label})"
        behind += [title(game)] * (own < means[best])
        ahead = {name: mean for name, mean in _means(select(rows, game=game), VARIANTS).items() if mean > own}
        if ahead:
            also[game] = ", ".join(f"{percent(mean)} ({METHODS[name].label})" for name, mean in ahead.items())
    if not parts:
        return None
    return Finding(
        f"Mean over all sizes and sets, LPP against the best baseline: {by_game(parts)}."
        + (f" A variant of a baseline is ahead in: {by_game(also)}." if also else ""),
        graded(not behind, len(behind) < len(parts)),
        f"Not ahead in {listed(behind)}." if behind else "",
    )


def _means(rows: Sequence[Row], methods: Sequence[str]) -> dict[str, float]:
    """Return the mean success of each method that has results."""
    return {method: mean_success(found) for method in methods if (found := select(rows, method=method))}


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
    words = f"It repeats {percent(repeats)} of the demonstrated actions and wins {wins} of the demonstrated levels."
    if 0 < len(learned) < len(found):
        words += (
            f" {len(found) - len(learned)} of {len(found)} starts never learn: they repeat less than half. The others "
            f"repeat {percent(repeat_then)} and win {win_then}."
        )
    return Finding(words, graded(repeats > 0.95, repeats > 0.8))


def _fcn_generalizes(rows: Sequence[Row]) -> Finding | None:
    parts, better = {}, []
    for game in ("nim", "checkmate", "reach-for-the-star", "fence-in"):
        means = _means(select(rows, game=game), ("fcn", "cnn"))
        if len(means) < 2:
            return None
        parts[game] = f"{percent(means['fcn'])} / {percent(means['cnn'])}"
        better.append(means["fcn"] > means["cnn"])
    return Finding(f"FCN / CNN on the test levels: {by_game(parts)}.", holding(better))


def _cannot_fit(methods: Sequence[str], rows: Sequence[Row]) -> Finding | None:
    """Judge how many demonstrated levels a weak method and its variant win."""
    words: list[str] = []
    means: list[float] = []
    for method in methods:
        found = select(rows, method=method)
        others = [game for game in stats.games_among(found, tuple(GAMES)) if game != "nim"]
        if len(others) < 5:
            return None
        mine = {game: mean_success(select(found, game=game), TRAIN) for game in others}
        words.append(f"{METHODS[method].label}: {by_game({game: percent(mean) for game, mean in mine.items()})}")
        means += mine.values()
    return Finding(f"Of the demonstrated levels. {'; '.join(words)}.", holding(mean <= 0.1 for mean in means))
