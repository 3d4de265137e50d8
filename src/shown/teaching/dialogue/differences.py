"""Where the candidate rules of a policy differ from the best one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shown.grid import Action, Grid
from shown.worlds import Level, Playable, play

if TYPE_CHECKING:
    from shown.policy import Policy


@dataclass(frozen=True, slots=True)
class Difference:
    """The position of a level where a candidate is farthest from the best one.

    Attributes:
        component: index of the candidate, from 1 on.
        distance: total variation distance of the two action distributions, from 0 to 1.
        step: number of steps before the position.
        best: actions that the best candidate allows; all if it allows none, because it is uniform then.
        other: actions that this candidate allows.
    """

    component: int
    distance: float
    level: Level
    step: int
    grid: Grid
    best: tuple[Action, ...]
    other: tuple[Action, ...]


def differences(policy: Policy, level: Level, game: Playable, seed: int = 0) -> tuple[Difference, ...]:
    """Find, for each candidate but the best, where it is farthest from the best in the policy's own episode on `level`.

    In a world the episode starts from `seed`.

    >>> from shown import LANGUAGE, parse
    >>> from shown.grid import grid
    >>> from shown.policy import Component, Formula, Literal, Policy
    >>> from shown.worlds import find
    >>> nim, names = find("nim"), ("matchstick", "empty")
    >>> terms = [parse(f"at_action_cell(cell_is_value({x}))", LANGUAGE, nim.tokens.values) for x in names]
    >>> policy = Policy(nim.tokens, tuple(Component(0.5, 0.0, 0.0, Formula(((Literal(term),),))) for term in terms))
    >>> (found,) = differences(policy, Level("mine", grid("|.", "||")), nim)
    >>> found.component, found.distance, found.step, found.best, found.other
    (1, 1.0, 0, ((0, 0), (1, 0), (1, 1)), ((0, 1),))
    """
    grids = [step.grid for step in play(game.world_at(level), policy.act, seed=seed).steps]
    # Of equal positions and equal distances, the first counts; rounding removes noise in the last digits.
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
