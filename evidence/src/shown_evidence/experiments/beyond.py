"""Success after one to five demonstrations by the expert, with LPP and with shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from shown_evidence.analysis import figures
from shown_evidence.analysis import statistics as stats
from shown_evidence.analysis.figures import Axis, LevelView, Series
from shown_evidence.analysis.statistics import (
    FLOORS,
    GENERATED,
    difference_text,
    games_among,
    grouped,
    paired_difference,
    select,
    size,
)
from shown_evidence.analysis.success_tables import MEANS, Table, demonstrated, success_table
from shown_evidence.experiments.experiment import Experiment, Plot, Scale
from shown_evidence.results.row import Row
from shown_evidence.styles import EXPERT
from shown_evidence.trials.demonstrators import STYLE
from shown_evidence.trials.level_sets import JUDGE, SETS
from shown_evidence.trials.methods import METHODS
from shown_evidence.trials.trial import Trial
from shown_evidence.wording import percent

SIZES = (1, 2, 3, 5)
PLAYED = JUDGE.played_levels(100)

OURS = ("shown", "shown-practice")
VARIANTS = tuple(figures.methods(("lpp", *OURS)))
"""The compared methods."""


class FewDemonstrations(Experiment):
    """Several ways to learn from 1, 2, 3 and 5 demonstrations by the expert on generated levels. All learn from the
    same sets and play the same new levels."""

    variants: ClassVar[tuple[Series, ...]]
    caption: ClassVar[str] = ""
    spread: ClassVar[bool] = True
    scored_on = (PLAYED,)

    def trials(self, scale: Scale) -> list[Trial]:
        return [
            Trial(method, game, shown, f"{STYLE}{EXPERT}", 0, scale.options(method, **own), scale.levels(PLAYED))
            for method, own in map(method_and_options, self.variants)
            if method in scale.methods_of(self.methods)
            for game in scale.games_of(self.games)
            for count in scale.sizes(SIZES, (1, 3))
            for number in range(scale.repeats(SETS, 2))
            for shown in (scale.shown_levels(JUDGE, number, count),)
        ]

    def plots(self, rows: Sequence[Row]) -> list[Plot | Table]:
        columns = figures.games(games_among(rows, self.games))
        view = LevelView("100 generated levels", GENERATED, spread=self.spread)
        across = Axis("demonstrations", SIZES, limits=(0.7, 5.3))
        shaded = f" {figures.SHADED}" if self.spread else ""
        parts = [demonstrated(count, GENERATED) for count in SIZES]
        return [
            Plot(
                figures.success_panels(rows, size, columns, figures.with_sets(self.variants, rows), (view,), across),
                "Success on 100 generated levels on which nothing was chosen; mean over sets of demonstrations."
                f"{shaded}{self.caption}",
            ),
            success_table(rows, self.games, self.variants, parts, f"The same as numbers. {MEANS}"),
        ]

    def text(self, rows: Sequence[Row]) -> list[str]:
        lines = []
        for variant in self.variants:
            mine = grouped(select(rows, **variant.where), size)
            parts = [f"{count}: {percent(stats.mean_over_games(mine[count], GENERATED))}" for count in sorted(mine)]
            if parts:
                lines.append(f"{variant.label}, mean over games by number of demonstrations: {', '.join(parts)}.")
        return lines


COMPARED = (("shown", "lpp"), ("shown-practice", "lpp"), ("shown-practice", "shown"))
"""Pairs of methods whose difference is reported."""


class Beyond(FewDemonstrations):
    """1, 2, 3 and 5 demonstrations by the expert on generated levels, 10 sets of each number."""

    name = "beyond"
    title = "Beyond the paper: few demonstrations"
    question = "How many new levels are won, on average, after so few demonstrations?"
    methods = ("lpp", *OURS)
    variants = VARIANTS

    def plots(self, rows: Sequence[Row]) -> list[Plot | Table]:
        learned = [row for row in rows if row.settings["method"] not in FLOORS]
        return [
            *super().plots(rows),
            Table(
                ("Difference", *(f"{count} shown" for count in SIZES), "All sizes"),
                [[_named(pair), *_differences(learned, pair)] for pair in COMPARED],
                "Difference of success in percentage points, paired by demonstrations, mean over games; in brackets "
                "Student's 95 % interval over sets, which are disjoint.",
            ),
        ]


def _named(pair: tuple[str, str]) -> str:
    return " − ".join(METHODS[method].label for method in pair)


def _differences(rows: Sequence[Row], pair: tuple[str, str]) -> list[str]:
    """Return the differences from each number of demonstrations, and from all."""
    cells = []
    for part in (*((count,) for count in SIZES), SIZES):
        own, other = ([row for row in select(rows, method=method) if size(row) in part] for method in pair)
        cells.append(difference_text(paired_difference(own, other, GENERATED)))
    return cells


def method_and_options(variant: Series) -> tuple[str, dict[str, Any]]:
    """Return the method of a series, and its options."""
    options = dict(variant.where)
    return options.pop("method"), options
