"""How many demonstrations the networks need, up to 5,000 (the paper's appendix)."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from shown.experiments import figures
from shown.experiments.claims import NO, Finding, graded, too_few, within
from shown.experiments.experiment import Experiment, Plot, Scale, Table
from shown.experiments.figures import ON_BOTH, Axis
from shown.experiments.paper import NETWORKS_NEED
from shown.experiments.rows import Row
from shown.experiments.statistics import (
    GENERATED,
    TEST,
    curve,
    first_perfect,
    games_among,
    has_standard_options,
    mean_success,
    never_learned,
    of_size,
    select,
    size,
)
from shown.experiments.tables import MEANS, demonstrated, success_table
from shown.experiments.trials import METHODS, Trial
from shown.experiments.words import count, percent, title

SIZES = (10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000)
LPP_SIZES = (1, 2, 3, 4, 5, 10)
TOLD = (5, 10, 100, 1_000, 5_000)
"""How many demonstrations the table is about."""

FEW = 5
"""So many are what the paper's LPP needs at most."""

SETS = 5
FIRST, APART = 1_000_000, 10_000
"""Demonstrations are given on generated levels from here on, each set's apart from the others' and from all scored."""

_GENERATED_LEVELS = re.compile(r"random:(?P<first>\d{1,12})(-\d{1,12})?")


class DataEfficiency(Experiment):
    """Generated levels, 10 to 5,000 of them; a larger set holds the smaller ones. LPP learns from the first 1 to 5 and
    10 of each set."""

    name = "data-efficiency"
    title = "How many demonstrations the networks need"
    question = "With how many demonstrations do the networks do as well as LPP with five?"
    games = ("nim", "checkmate")
    methods = ("lpp", "fcn", "cnn")

    def trials(self, scale: Scale) -> list[Trial]:
        return [
            Trial(method, game, training_levels(number, size), "perfect", seed, scale.options(method), scale.test)
            for method in scale.methods_of(self.methods)
            for game in scale.games_of(self.games)
            for size in (scale.sizes(LPP_SIZES, LPP_SIZES) if method == "lpp" else scale.sizes(SIZES, (10, 100)))
            for number in range(scale.repeats(SETS, 1))
            for seed in (0 if method == "lpp" else number,)
        ]

    def includes(self, settings: Mapping[str, Any]) -> bool:
        levels = _GENERATED_LEVELS.fullmatch(settings["levels"])
        return (
            levels is not None
            and int(levels["first"]) >= FIRST
            and settings["demonstrations"] == "perfect"
            and has_standard_options(settings)
        )

    def plots(self, rows: Sequence[Row]) -> list[Plot | Table]:
        columns = figures.games(games_among(rows, self.games))
        across = Axis("demonstrations", [1, 10, 100, 1000], ["1", "10", "100", "1,000"], logarithmic=True)
        series = figures.methods(self.methods)
        return [
            Plot(
                figures.success_panels(rows, size, columns, series, ON_BOTH, across),
                "Success on the 9 test levels (above) and 100 generated ones (below) against the number of "
                f"demonstrations, on a logarithmic scale; mean over training sets. {figures.SHADED}",
            ),
            success_table(
                rows,
                self.games,
                series,
                [demonstrated(count, kind) for count in TOLD for kind in (TEST, GENERATED)],
                f"The same as numbers. {MEANS}",
            ),
        ]

    def text(self, rows: Sequence[Row]) -> list[str]:
        told = [
            line
            for game in games_among(rows, self.games)
            for line in (_until_perfect(game, select(rows, game=game)), _as_good(game, select(rows, game=game)))
        ]
        return [
            *filter(None, told),
            "There are only 2,660 different levels of Nim. With 1,000 demonstrations and more, much of what the "
            "networks are tested on was shown to them; this is remembering as much as generalising.",
        ]

    def findings(self, rows: Sequence[Row]) -> dict[str, Finding]:
        found = {f"{method} {game}": _need(method, game, rows) for method, game in NETWORKS_NEED}
        found["ratio"] = _ratio(rows)
        return {name: finding for name, finding in found.items() if finding is not None}


EXPERIMENT = DataEfficiency()


def training_levels(number: int, size: int) -> str:
    """The levels of a training set.

    >>> training_levels(1, 50)
    'random:1010000-1010049'
    """
    first = FIRST + APART * number
    return f"random:{first}-{first + size - 1}" if size > 1 else f"random:{first}"


def _until_perfect(game: str, rows: Sequence[Row]) -> str:
    parts = []
    for method in DataEfficiency.methods:
        found = select(rows, method=method)
        if found:
            best, every = first_perfect(found, size), first_perfect(found, size, pool=fmean)
            parts.append(f"{METHODS[method].label} {count(best)} with the best set, {count(every)} with every set")
    return f"{title(game)}, demonstrations until every test level is won: {'; '.join(parts)}."


def _as_good(game: str, rows: Sequence[Row]) -> str:
    """From how many demonstrations each network wins as many generated levels as LPP from five, in the mean."""
    own = mean_success(of_size(select(rows, method="lpp"), FEW), GENERATED)
    parts = []
    for method in DataEfficiency.methods[1:]:
        means = curve(select(rows, method=method), size, GENERATED)
        if means[0]:
            first = next((int(at) for at, mean in zip(*means, strict=True) if mean >= own), None)
            parts.append(f"{METHODS[method].label} {'never' if first is None else f'from {first:,}'}")
    if not parts or math.isnan(own):
        return ""
    return f"{title(game)}, {percent(own)} of the generated levels, as LPP from {FEW} in the mean: {', '.join(parts)}."


def _need(method: str, game: str, rows: Sequence[Row]) -> Finding | None:
    """How many demonstrations of a game a network needs to win every test level. That the best set needs as many as the
    paper says is less than that every set does."""
    found, paper = select(rows, game=game, method=method), NETWORKS_NEED[method, game]
    if not found:
        return None
    best, every = first_perfect(found, size), first_perfect(found, size, pool=fmean)
    most = max(map(size, found))
    if best is None and most < paper:
        return too_few(f"Measured up to {most:,} demonstrations only.")
    if best is None:
        return Finding(f"Not with {most:,}: mean {percent(mean_success(of_size(found, most)))}.", NO)
    measured = f"{best:,} with the best of {len(of_size(found, best))} sets, {count(every)} with every set"
    if every is None:
        measured += f" (with {most:,} a mean of {percent(mean_success(of_size(found, most)))})"
    dead = sum(map(never_learned, found))
    return Finding(
        f"{measured}. (Within a factor of 5 counts as agreeing.)",
        graded(every is not None and within(every, paper, 5), within(best, paper, 5)),
        f"{dead} of {len(found)} starts never learn, and all count." if dead else "",
    )


def _ratio(rows: Sequence[Row]) -> Finding:
    ratios = {pair: ratio for pair in NETWORKS_NEED if (ratio := _times_as_many(*pair, rows)) is not None}
    if len(ratios) < len(NETWORKS_NEED):
        return too_few(f"{len(ratios)} of 4 ratios can be computed.")
    words = ", ".join(
        f"{METHODS[method].label} in {title(game)} {each.words}" for (method, game), each in ratios.items()
    )
    values = [each.least for each in ratios.values()]
    return Finding(
        f"Demonstrations for every test level with the best set, network / LPP: {words}.",
        graded(min(values) >= 15 and max(values) >= 300, min(values) > 1),
    )


@dataclass(frozen=True)
class Ratio:
    """How many times LPP's demonstrations a network needs: `need`, or, where it never wins all, more than `most`."""

    own: int
    need: int | None
    most: int

    @property
    def least(self) -> float:
        return (self.need or self.most) / self.own

    @property
    def words(self) -> str:
        """
        >>> Ratio(10, 50, 5000).words, Ratio(1, None, 5000).words
        ('5 (50 / 10)', 'more than 5,000 (more than 5,000 / 1)')
        """
        more = "" if self.need else "more than "
        return f"{more}{self.least:,.0f} ({more}{self.need or self.most:,} / {self.own:,})"


def _times_as_many(method: str, game: str, rows: Sequence[Row]) -> Ratio | None:
    ours, theirs = (select(rows, game=game, method=name) for name in ("lpp", method))
    own, need = first_perfect(ours, size), first_perfect(theirs, size)
    most = max(map(size, theirs), default=0)
    return Ratio(own, need, most) if own and (need or most >= 1_000) else None
