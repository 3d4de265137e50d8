"""Worlds of Minigrid: success on new seeds after a few demonstrations by an expert that searches."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from shown_evidence.analysis.exhibits import Series, Table, methods
from shown_evidence.analysis.statistics import games_among, mean_with_interval, of_size, select, successes
from shown_evidence.experiments.experiment import Design, Experiment
from shown_evidence.trials.level_sets import LevelSets
from shown_evidence.trials.row import Row

PLAIN = tuple(
    f"gym:MiniGrid-{world}-v0"
    for world in ("Empty-Random-6x6", "LavaGapS7", "DoorKey-5x5", "DoorKey-8x8", "Unlock", "FourRooms")
)
"""Worlds without missions."""

WORLDS = (
    *PLAIN,
    *(f"gym:BabyAI-{world}-v0" for world in ("GoToObj", "GoToLocal", "PickupLoc", "GoToRedBall")),
    *(f"gym:MiniGrid-{world}-v0" for world in ("RedBlueDoors-6x6", "Fetch-8x8-N3", "KeyCorridorS3R1")),
    *(f"gym:MiniGrid-{world}-v0" for world in ("Dynamic-Obstacles-6x6", "MultiRoom-N4-S5", "LavaCrossingS9N2")),
)
"""The others have missions, or more to do."""

SIZES = (1, 3, 5)
SEEDS = "seeds"
RESERVED = LevelSets(shown=60_000, played=70_000, apart=100, prefix=SEEDS)
"""Views, languages and practice were chosen on other seeds: below 10,000, and from 900,000 on."""

PLAYED = RESERVED.played_levels(60)

METHOD = "shown-world"
CLONED = ("cnn", "cnn-mirrored", "boosted-buttons", "tree-buttons")
"""Behavior cloning."""

_design = partial(Design, sizes=SIZES, sets=3, shown=RESERVED.shown_levels, played=(PLAYED,))


VOCABULARIES = {
    f"{language} vocabulary": {"language": language.removesuffix("'s"), "rounds": 0}
    for language in ("paper's", "standard", "walking")
}
"""Without practice, in plain worlds only."""

PRACTICED = {"standard vocabulary, practiced": {"language": "standard", "rounds": 30}}


class MinigridWorlds(Experiment):
    """Success in worlds of Minigrid."""

    designs = (
        _design((METHOD,), games=PLAIN, options=tuple(VOCABULARIES.values())),
        _design((METHOD,), games=WORLDS, options=tuple(PRACTICED.values())),
        _design(("lpp", *CLONED), games=WORLDS),
        _design(("random",), games=WORLDS, seeded=True),
    )
    series = (
        *(Series(label, {"method": METHOD, **own}) for label, own in {**VOCABULARIES, **PRACTICED}.items()),
        Series("LPP, as published", {"method": "lpp"}),
        *methods(CLONED),
        Series("random actions", {"method": "random"}),
    )

    def exhibits(self, rows: Sequence[Row]) -> list[Table]:
        lines = [
            [
                _title(world),
                each.label,
                *(mean_with_interval(successes(of_size(mine, count), SEEDS)) for count in SIZES),
            ]
            for world in games_among(rows, self.games)
            for each in self.series
            if (mine := select(rows, game=world, **each.where))
        ]
        return [Table(("World", "Method", *(f"{count} shown" for count in SIZES)), lines, self.given_caption)]


def _title(world: str) -> str:
    return world.removeprefix("gym:").removeprefix("MiniGrid-").removesuffix("-v0")
