"""Worlds of Minigrid: success on new seeds after a few demonstrations by an expert that searches."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from shown_evidence.analysis import figures
from shown_evidence.analysis import statistics as stats
from shown_evidence.analysis.figures import STYLES, Axis, LevelView, Series
from shown_evidence.analysis.statistics import games_among, grouped, of_size, select, success
from shown_evidence.analysis.success_tables import Table, what_each_is_given
from shown_evidence.experiments.beyond import method_and_options
from shown_evidence.experiments.experiment import Experiment, Plot, Scale
from shown_evidence.results.row import Row
from shown_evidence.trials.level_sets import LevelSets
from shown_evidence.trials.trial import Trial
from shown_evidence.wording import many, percent

PLAIN = tuple(
    f"gym:MiniGrid-{world}-v0"
    for world in ("Empty-Random-6x6", "LavaGapS7", "DoorKey-5x5", "DoorKey-8x8", "Unlock", "FourRooms")
)
"""Worlds without missions, and drawn in the figure."""

OTHERS = (
    *(f"gym:BabyAI-{world}-v0" for world in ("GoToObj", "GoToLocal", "PickupLoc", "GoToRedBall")),
    *(f"gym:MiniGrid-{world}-v0" for world in ("RedBlueDoors-6x6", "Fetch-8x8-N3", "KeyCorridorS3R1")),
    *(f"gym:MiniGrid-{world}-v0" for world in ("Dynamic-Obstacles-6x6", "MultiRoom-N4-S5", "LavaCrossingS9N2")),
)
"""Worlds with missions, or with more to do."""

SIZES = (1, 3, 5)
SETS = 3

SEEDS = "seeds"
RESERVED = LevelSets(shown=60_000, played=70_000, apart=100, prefix=SEEDS)
"""Views, languages and practice were chosen on other seeds: below 10,000, and from 900,000 on."""

PLAYED = RESERVED.played_levels(60)

ROUNDS = 30
ENOUGH, FROM = 0.95, 5
"""The goal: success on new seeds, and from how many demonstrations."""

METHOD = "shown-world"
CLONED = ("cnn", "cnn-mirrored", "boosted-buttons", "tree-buttons")
"""Behavior cloning."""


def _ours(language: str, rounds: int) -> dict[str, Any]:
    return {"method": METHOD, "language": language, "rounds": rounds}


VARIANTS = (
    Series("paper's vocabulary", _ours("paper", 0), STYLES["fcn"]),
    Series("standard vocabulary", _ours("standard", 0), {**STYLES["shown"], "linestyle": (0, (4, 1.5)), "marker": "X"}),
    Series("walking vocabulary", _ours("walking", 0), STYLES["vpi"]),
    Series("standard vocabulary, practiced", _ours("standard", ROUNDS), STYLES["shown"]),
    Series("LPP, as published", {"method": "lpp"}, STYLES["lpp"]),
    *figures.methods(CLONED),
    Series("random actions", {"method": "random"}, {**STYLES["random"], "marker": "."}),
)
VOCABULARIES = 3
"""The first variants, in plain worlds only."""


class MinigridWorlds(Experiment):
    """1, 3 and 5 demonstrations of 16 worlds, three sets of each number, played on 60 new seeds."""

    name = "minigrid"
    title = "Minigrid"
    question = "How many new seeds are won after a few demonstrations?"
    games = (*PLAIN, *OTHERS)
    methods = (METHOD, "lpp", *CLONED, "random")
    scored_on = (PLAYED,)

    def trials(self, scale: Scale) -> list[Trial]:
        return [
            Trial(method, world, shown, "perfect", seed, scale.options(method, **own), scale.levels(PLAYED))
            for world in scale.worlds_of(self.games)
            for variant in (VARIANTS if world in PLAIN else VARIANTS[VOCABULARIES:])
            for method, own in (method_and_options(variant),)
            if method in scale.methods_of(self.methods)
            for count in scale.sizes(SIZES, (1, FROM))
            for number in range(scale.repeats(SETS, 1))
            for shown in (scale.shown_levels(RESERVED, number, count),)
            for seed in (number if method == "random" else 0,)
        ]

    def plots(self, rows: Sequence[Row]) -> list[Plot | Table]:
        worlds = games_among(rows, self.games)
        columns = [Series(_title(world), {"game": world}) for world in worlds if world in PLAIN]
        view = LevelView("60 new seeds, mean", SEEDS)
        across = Axis("demonstrations", SIZES, limits=(0.5, 5.5))
        parts = [
            (_title(world), variant.label, mine)
            for world in worlds
            for variant in VARIANTS
            if (mine := select(rows, game=world, **variant.where))
        ]
        return [
            Plot(
                figures.success_panels(rows, stats.size, columns, VARIANTS, (view,), across),
                "Success on 60 seeds on which nothing was chosen; mean over sets of demonstrations.",
            ),
            Table(
                ("World", "Method", *(f"{count} shown" for count in SIZES)),
                [[world, label, *(_mean(of_size(mine, count)) for count in SIZES)] for world, label, mine in parts],
                f"The same as numbers, with the 95 % interval of each mean. {what_each_is_given(self.methods)}",
            ),
        ]

    def text(self, rows: Sequence[Row]) -> list[str]:
        return [
            line
            for variant in VARIANTS
            for line in _reached(variant.label, of_size(select(rows, **variant.where), FROM))
        ]


def _reached(label: str, rows: Sequence[Row]) -> Iterator[str]:
    """Yield the number of worlds in which the goal is reached."""
    means = [stats.mean_success(part, SEEDS) for part in grouped(rows, lambda row: row.settings["game"]).values()]
    won = [mean for mean in means if not math.isnan(mean)]
    if won:
        yield (
            f"{label[0].upper()}{label[1:]}, from {FROM}: {percent(ENOUGH)} of the seeds or more in "
            f"{sum(mean >= ENOUGH for mean in won)} of {many(len(won), 'world')}, {percent(min(won))} in the worst."
        )


def _title(world: str) -> str:
    return world.removeprefix("gym:").removeprefix("MiniGrid-").removesuffix("-v0")


def _mean(rows: Sequence[Row]) -> str:
    return stats.mean_with_interval(success(row, SEEDS) for row in rows)
