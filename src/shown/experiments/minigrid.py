"""Minigrid: how many new seeds are won after a few demonstrations by an expert that searches."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from shown.experiments import figures
from shown.experiments.claims import Finding
from shown.experiments.experiment import Experiment, Plot, Scale, Table
from shown.experiments.figures import Axis, Column, Series, View
from shown.experiments.rows import Row
from shown.experiments.statistics import (
    games_among,
    grouped,
    has_standard_options,
    mean_success,
    measured,
    of_size,
    select,
    size,
    success,
)
from shown.experiments.trials import Trial
from shown.experiments.words import many, mean_between, percent

WORLDS = ("Empty-Random-6x6", "LavaGapS7", "DoorKey-5x5", "DoorKey-8x8", "Unlock", "FourRooms")
SIZES = (1, 3, 5, 10)
SETS = 5

SHOWN, APART = 20_000, 100
"""The expert shows seeds from here on; each set of demonstrations begins so many seeds after the one before."""

SEEDS, PLAYED = "seeds", "seeds:30000-30059"
"""The seeds that are played. Views, languages and practice were chosen on seeds below 10,000, and never on these."""

ROUNDS = 30
ENOUGH, FROM = 0.95, 5
"""What is hoped for: to win so many of the new seeds, from so many demonstrations on."""

VARIANTS = (
    Series("paper's words", {"language": "paper", "rounds": 0}, figures.STYLES["lpp"]),
    Series(
        "standard words",
        {"language": "standard", "rounds": 0},
        {**figures.STYLES["shown"], "linestyle": (0, (4, 1.5)), "marker": "X"},
    ),
    Series("walking words", {"language": "walking", "rounds": 0}, figures.STYLES["vpi"]),
    Series("standard words, practised", {"language": "standard", "rounds": ROUNDS}, figures.STYLES["shown"]),
)
"""What is compared: the language, and how many rounds of practice follow."""


class Minigrid(Experiment):
    """1, 3, 5 and 10 demonstrations of six worlds, five sets of each number, played on 60 new seeds."""

    name = "minigrid"
    title = "Minigrid"
    question = "How many of 60 new seeds are won after so few demonstrations?"
    games = tuple(f"gym:MiniGrid-{name}-v0" for name in WORLDS)
    methods = ("shown-world",)
    scored_on = ()

    def trials(self, scale: Scale) -> list[Trial]:
        return [
            Trial(method, world, shown_seeds(number, count), "perfect", 0, scale.options(method, **variant.where), test)
            for method in scale.methods_of(self.methods)
            for variant in VARIANTS
            for world in scale.worlds_of(self.games)
            for count in scale.sizes(SIZES, (1, FROM))
            for number in range(scale.repeats(SETS, 1))
            for test in (scale.levels(PLAYED),)
        ]

    def includes(self, settings: Mapping[str, Any]) -> bool:
        return (
            settings["demonstrations"] == "perfect"
            and settings["seed"] == 0
            and settings["levels"] in _sets()
            and has_standard_options(settings, "language", "rounds")
        )

    def plots(self, rows: Sequence[Row]) -> list[Plot | Table]:
        worlds = games_among(rows, self.games)
        columns = [Column(_title(world), {"game": world}) for world in worlds]
        view = View("60 new seeds, mean", SEEDS, spread=True)
        across = Axis("demonstrations", SIZES, limits=(0.5, 10.5))
        parts = [(world, each, select(rows, game=world, **each.where)) for world in worlds for each in VARIANTS]
        return [
            Plot(
                figures.success_panels(rows, size, columns, VARIANTS, (view,), across),
                "Seeds won of 60 that played no part in choosing anything; mean over sets of demonstrations. "
                + figures.SHADED,
            ),
            Table(
                ("World", "Learned in", *(f"{count} shown" for count in SIZES)),
                [
                    [_title(world), variant.label, *(_mean(of_size(mine, count)) for count in SIZES)]
                    for world, variant, mine in parts
                    if mine
                ],
                "The same as numbers, with the 95 % interval of each mean.",
            ),
            Table(
                ("World", "Learned in", "Shown", "Sets", "By how many sets each of the 60 seeds is won"),
                [
                    [_title(world), variant.label, str(count), *_seed_by_seed(of_size(mine, count))]
                    for world, variant, mine in parts
                    for count in SIZES
                    if of_size(mine, count)
                ],
                "Seed by seed, in order: 0 is a seed that is lost by all sets.",
            ),
        ]

    def text(self, rows: Sequence[Row]) -> list[str]:
        return [
            line
            for variant in VARIANTS
            for count in SIZES
            if count >= FROM
            for line in _reached(variant.label, count, of_size(select(rows, **variant.where), count))
        ]

    def findings(self, rows: Sequence[Row]) -> dict[str, Finding]:
        """The paper says nothing of this."""
        return {}


EXPERIMENT = Minigrid()


def shown_seeds(number: int, count: int) -> str:
    """The seeds of a set of demonstrations; a smaller set is the beginning of the larger one.

    >>> shown_seeds(2, 3), shown_seeds(0, 1)
    ('seeds:20200-20202', 'seeds:20000')
    """
    first = SHOWN + APART * number
    return f"seeds:{first}" if count == 1 else f"seeds:{first}-{first + count - 1}"


@cache
def _sets() -> frozenset[str]:
    """All sets of demonstrations, by name."""
    return frozenset(shown_seeds(number, count) for number in range(SETS) for count in SIZES)


def _reached(label: str, count: int, rows: Sequence[Row]) -> Iterator[str]:
    """In how many worlds what was hoped for is reached."""
    means = [mean_success(part, SEEDS) for part in grouped(rows, lambda row: row.settings["game"]).values()]
    won = [mean for mean in means if not math.isnan(mean)]
    if won:
        yield (
            f"{label.capitalize()}, from {count}: {percent(ENOUGH)} of the seeds or more in "
            f"{sum(mean >= ENOUGH for mean in won)} of {many(len(won), 'world')}, {percent(min(won))} in the worst."
        )


def _title(world: str) -> str:
    return world.removeprefix("gym:MiniGrid-").removesuffix("-v0")


def _mean(rows: Sequence[Row]) -> str:
    return mean_between(success(row, SEEDS) for row in rows)


def _seed_by_seed(rows: Sequence[Row]) -> tuple[str, str]:
    """How many sets were played, and by how many of them each seed is won, in tens."""
    wins = [text for row in rows if (text := measured(row)["won"].get(PLAYED))]
    counts = [seed.count("1") for seed in zip(*wins, strict=False)]
    if counts and min(counts) == len(wins):
        return str(len(wins)), "all by all"
    tens = ["".join(map(str, counts[at : at + 10])) for at in range(0, len(counts), 10)]
    return str(len(wins)), " ".join(tens) or "–"
