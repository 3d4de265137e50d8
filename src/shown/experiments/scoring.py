"""How a learned policy is scored: it plays many levels side by side.

A method that can look at many grids together is asked once a turn, not once a grid.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from shown.demonstrations import Demonstrations
from shown.experiments.teaching import seeds_named
from shown.games.episodes import play_many
from shown.games.game import Game
from shown.games.levels import Level, load_levels
from shown.grid import Action, Grid
from shown.world import ManyPlayer, World, starts_of, tallies
from shown.worlds import find as find_world

TRAINING_LEVELS_SCORED = 20
"""At most so many of the demonstrated levels are played to see whether the demonstrations were learned."""

STEPS_REPEATED = 2000
"""At most so many of the demonstrated steps are looked at to see whether the policy repeats them."""


class Imitator(Protocol):
    """All that an experiment asks of a method: learn from demonstrations, then act.

    A method may also offer `act_many(grids)`, which is used where it exists, and `describe()`, a JSON-able account of
    what was learned. One that draws lots says so (`draws_lots = True`): it is asked anew at every turn.
    """

    def fit(self, demos: Demonstrations) -> Any: ...

    def act(self, grid: Grid) -> Action: ...


class Remembering:
    """A policy with a memory: a grid seen before is not looked at again, where the policy is a function of the grid."""

    def __init__(self, imitator: Any) -> None:
        self._imitator = imitator
        self._known: dict[Grid, Action] = {}

    def act_many(self, grids: Sequence[Grid]) -> list[Action]:
        if getattr(self._imitator, "draws_lots", False):
            return self._asked(grids)
        new = list(dict.fromkeys(grid for grid in grids if grid not in self._known))
        if new:
            self._known.update(zip(new, self._asked(new), strict=True))
        return [self._known[grid] for grid in grids]

    def _asked(self, grids: Sequence[Grid]) -> list[Action]:
        many = getattr(self._imitator, "act_many", None)
        return many(grids) if many is not None else [self._imitator.act(grid) for grid in grids]


def won(game: Game, table: Remembering, levels: Sequence[Level], seed: int = 0) -> list[bool]:
    """Whether each level is won.

    >>> from shown.games import find
    >>> class Expert:
    ...     act = find("nim").expert
    >>> won(find("nim"), Remembering(Expert()), load_levels(find("nim"), "train:0-3"))
    [True, True, True, True]
    """
    return [episode.won for episode in play_many(game, table, levels, seed)]


def scores(
    game: Game, imitator: Imitator, demos: Demonstrations, shown_on: str, scored_on: Sequence[str]
) -> dict[str, Any]:
    """How a fitted imitator does on levels it has not seen and on what it was shown.

    Returns "success" and "won" for each set of levels in `scored_on` and for those it was shown ("train"), and "fit",
    the fraction of demonstrated actions that it repeats.
    """
    table = Remembering(imitator)
    sets = {spec: load_levels(game, spec) for spec in scored_on}
    sets["train"] = load_levels(game, shown_on)[:TRAINING_LEVELS_SCORED]
    wins = won(game, table, [level for levels in sets.values() for level in levels])
    result: dict[str, Any] = {"success": {}, "won": {}}
    for spec, levels in sets.items():
        part, wins = wins[: len(levels)], wins[len(levels) :]
        result["success"][spec] = round(sum(part) / len(part), 6)
        result["won"][spec] = "".join("1" if each else "0" for each in part)
    steps = demos.steps[:STEPS_REPEATED]
    acts = table.act_many([step.grid for step in steps])
    result["fit"] = round(sum(act == step.action for act, step in zip(acts, steps, strict=True)) / len(steps), 6)
    return result


class _Expert:
    """The expert of one world, as a player of it."""

    def __init__(self, world: World) -> None:
        self._world = world

    def act_many(self, grids: Sequence[Grid]) -> list[Action]:
        return [self._world.expert()]


def world_scores(
    world: World, imitator: ManyPlayer, demos: Demonstrations, shown_on: str, scored_on: Sequence[str]
) -> dict[str, Any]:
    """Like `scores`, from the seeds of a world, with the "reward" from each and what the "expert" gets there.

    A set in `scored_on` is seeds ("seeds:1-9"), or the name of a world that looks the same, a space, and seeds.
    """
    result: dict[str, Any] = {"success": {}, "won": {}, "reward": {}, "expert": {}}
    for spec in (*scored_on, "train"):
        name, _, seeds = (shown_on if spec == "train" else spec).rpartition(" ")
        place = find_world(name) if name else world
        starts = starts_of(place, seeds_named(seeds))
        ends = tallies(starts, imitator)
        result["success"][spec] = round(sum(each.won for each in ends) / len(ends), 6)
        result["won"][spec] = "".join("1" if each.won else "0" for each in ends)
        result["reward"][spec] = [each.reward for each in ends]
        result["expert"][spec] = [tallies([start], _Expert(start[0]))[0].reward for start in starts]
    steps = demos.steps[:STEPS_REPEATED]
    acts = Remembering(imitator).act_many([step.grid for step in steps])
    result["fit"] = round(sum(act == step.action for act, step in zip(acts, steps, strict=True)) / len(steps), 6)
    return result
