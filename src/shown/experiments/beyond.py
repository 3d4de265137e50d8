"""How far one to five demonstrations by the expert go, with the paper's method and with ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from statistics import fmean
from typing import Any, ClassVar

from shown.experiments import figures
from shown.experiments.claims import Finding
from shown.experiments.experiment import Experiment, Plot, Scale, Table
from shown.experiments.figures import Axis, Series, View
from shown.experiments.paper import POLICY_SIZES
from shown.experiments.reserved import JUDGE
from shown.experiments.rows import Row
from shown.experiments.statistics import (
    FLOORS,
    GENERATED,
    found,
    games_among,
    grouped,
    has_standard_options,
    literals,
    mean_over_games,
    of_size,
    select,
    size,
)
from shown.experiments.tables import MEANS, demonstrated, success_table
from shown.experiments.trials import Trial
from shown.experiments.words import percent, title

SETS = 10
SIZES = (1, 2, 3, 5)
PLAYED = JUDGE.played_levels(100)

VARIANTS = (
    Series("LPP", {"method": "lpp"}, figures.STYLES["lpp"]),
    Series(
        "shown",
        {"method": "shown", "practise": False},
        {**figures.STYLES["shown"], "linestyle": (0, (4, 1.3)), "marker": "X"},
    ),
    Series("shown, practised", {"method": "shown", "practise": True}, figures.STYLES["shown"]),
)
"""What is compared: the method, and whether it practises where that can be chosen."""


class Few(Experiment):
    """Several ways to learn from 1, 2, 3 and 5 demonstrations by the expert on generated levels; all learn from the
    same sets, and play the same new levels."""

    variants: ClassVar[tuple[Series, ...]]
    """What is compared: the method, and the options in which they differ."""

    caption: ClassVar[str] = ""
    spread: ClassVar[bool] = True
    scored_on = (PLAYED,)

    def trials(self, scale: Scale) -> list[Trial]:
        return [
            Trial(method, game, JUDGE.shown_levels(number, count), "perfect", 0, scale.options(method, **own), levels)
            for method, own in map(_asked, self.variants)
            if method in scale.methods_of(self.methods)
            for game in scale.games_of(self.games)
            for count in scale.sizes(SIZES, (1, 3))
            for number in range(scale.repeats(SETS, 2))
            for levels in (scale.levels(PLAYED),)
        ]

    def includes(self, settings: Mapping[str, Any]) -> bool:
        varied = {name for variant in self.variants for name in _asked(variant)[1]}
        return (
            settings["demonstrations"] == "perfect"
            and settings["seed"] == 0
            and settings["levels"] in shown_sets(SETS)
            and has_standard_options(settings, *varied)
        )

    def plots(self, rows: Sequence[Row]) -> list[Plot | Table]:
        columns = figures.games(games_among(rows, self.games))
        view = View("100 generated levels", GENERATED, spread=self.spread)
        across = Axis("demonstrations", SIZES, limits=(0.7, 5.3))
        shaded = f" {figures.SHADED}" if self.spread else ""
        return [
            Plot(
                figures.success_panels(rows, size, columns, figures.with_sets(self.variants, rows), (view,), across),
                "Success on 100 generated levels that played no part in choosing anything but how many rounds there "
                f"are of practice; mean over sets of demonstrations.{shaded}{self.caption}",
            ),
            success_table(
                rows,
                self.games,
                self.variants,
                [demonstrated(count, GENERATED) for count in SIZES],
                f"The same as numbers. {MEANS}",
            ),
        ]

    def text(self, rows: Sequence[Row]) -> list[str]:
        lines = []
        for variant in self.variants:
            mine = grouped(select(rows, **variant.where), size)
            parts = [f"{count}: {percent(mean_over_games(mine[count], GENERATED))}" for count in sorted(mine)]
            if parts:
                lines.append(f"{variant.label}, mean over games by number of demonstrations: {', '.join(parts)}.")
        return lines

    def findings(self, rows: Sequence[Row]) -> dict[str, Finding]:
        """The paper says nothing of this."""
        return {}


class Beyond(Few):
    """1, 2, 3 and 5 demonstrations by the expert on generated levels, 10 sets of each number."""

    name = "beyond"
    title = "Beyond the paper: few demonstrations"
    question = "How many new levels are won, on average, after so few demonstrations?"
    methods = ("lpp", "shown")
    variants = VARIANTS

    def plots(self, rows: Sequence[Row]) -> list[Plot | Table]:
        learned = [row for row in rows if row.settings["method"] not in FLOORS]
        return [
            *super().plots(rows),
            Table(
                ("Game", "Paper", *(variant.label for variant in VARIANTS)),
                [_literals(game, select(learned, game=game)) for game in games_among(learned, self.games)],
                "Literals of the best rule from the most demonstrations that were given, mean over sets, beside those "
                "of the paper's policies from 11; in brackets, in how many trials nothing fitted.",
            ),
        ]


EXPERIMENT = Beyond()


@cache
def shown_sets(sets: int) -> frozenset[str]:
    """The names of the levels of all sets of demonstrations."""
    return frozenset(JUDGE.shown_levels(number, count) for number in range(sets) for count in SIZES)


def _asked(variant: Series) -> tuple[str, dict[str, Any]]:
    """The method and the options of what a line shows."""
    options = dict(variant.where)
    return options.pop("method"), options


def _literals(game: str, rows: Sequence[Row]) -> list[str]:
    most = max(map(size, rows))
    parts = [of_size(select(rows, **variant.where), most) for variant in VARIANTS]
    return [f"{title(game)}, from {most}", str(POLICY_SIZES[game][0]), *map(_size, parts)]


def _size(rows: Sequence[Row]) -> str:
    sizes = [number for row in rows if (number := literals(row)) is not None]
    failed = sum(not found(row) for row in rows)
    return (f"{fmean(sizes):.0f}" if sizes else "–") + (f" ({failed})" if failed else "")
