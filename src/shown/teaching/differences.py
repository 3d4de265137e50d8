"""Where the candidate rules of a policy differ from the best one: the posterior, looked at rule by rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shown.games.episodes import LevelWorld
from shown.games.game import Game
from shown.games.levels import Level
from shown.grid import Action, Grid
from shown.world import World, play

if TYPE_CHECKING:
    from shown.policy import Policy


@dataclass(frozen=True, slots=True)
class Difference:
    """Where on a level a candidate is farthest from the best one.

    Attributes:
        component: the candidate's number, from 1 on.
        distance: of what the two do there (total variation): 0 if they do the same, 1 if they have nothing in common.
        level: the level.
        step: how many steps into the game the position is.
        grid: the position.
        best: the actions that the best candidate allows there; all if it allows none, since then it guesses.
        other: those that this one allows.
    """

    component: int
    distance: float
    level: Level
    step: int
    grid: Grid
    best: tuple[Action, ...]
    other: tuple[Action, ...]


def differences(
    policy: Policy, level: Level, game: Game | World | None = None, seed: int = 0
) -> tuple[Difference, ...]:
    """For each candidate but the best, where on `level` (in a world: from `seed`) it is farthest from the best: on the
    way of the policy's own game, or, with no rules to play by, on the first position.

    >>> from shown.grid import Tokens, grid
    >>> from shown.language.primitives import LANGUAGE
    >>> from shown.language.terms import parse
    >>> from shown.policy import Component, Formula, Literal, Policy
    >>> tokens = Tokens(empty=".", star="*", wall="#")
    >>> terms = [parse(f"at_action_cell(cell_is_value({x}))", LANGUAGE, tokens.values) for x in ("star", "wall")]
    >>> policy = Policy(tokens, tuple(Component(0.5, 0.0, 0.0, Formula(((Literal(term),),))) for term in terms))
    >>> (found,) = differences(policy, Level("both", grid("*#.")))
    >>> found.component, found.distance, found.best, found.other
    (1, 1.0, ((0, 0),), ((0, 1),))
    """
    grids = [level.grid]
    if game is not None:
        world = game if isinstance(game, World) else LevelWorld(game, level)
        grids = [step.grid for step in play(world, policy.act, seed).steps]
    # Of equal positions, and of positions equally far apart, the first counts; the last digits are chance.
    first = {grid: step for step, grid in reversed(list(enumerate(grids)))}
    positions = sorted(first, key=lambda grid: first[grid])
    shares = [policy.component_probabilities(grid).reshape(len(policy.components), -1) for grid in positions]
    apart = np.array([np.round(np.abs(share - share[0]).sum(axis=1) / 2, 9) for share in shares])
    farthest = apart.argmax(axis=0)
    found = []
    for k in range(1, len(policy.components)):
        place = int(farthest[k])
        grid, share = positions[place], shares[place]
        actions: list[Action] = list(policy.buttons or grid.cells())
        best, other = (tuple(a for a, p in zip(actions, share[i], strict=True) if p > 0) for i in (0, k))
        found.append(Difference(k, float(apart[place, k]), level, first[grid], grid, best, other))
    return tuple(found)
