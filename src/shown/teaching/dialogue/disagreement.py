"""Where the candidate rules of a policy disagree in its own episode on a level."""

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
    """The position where a candidate is farthest from the best one.

    Attributes:
        component: index of the candidate, from 1 on.
        distance: total variation distance of the two action distributions, from 0 to 1.
        step: number of steps before the position.
        best: actions that the best candidate allows; all if it allows none, because it is uniform then.
        other: actions that this candidate allows.
    """

    component: int
    distance: float
    step: int
    grid: Grid
    best: tuple[Action, ...]
    other: tuple[Action, ...]


def doubt(policy: Policy, level: Level, game: Playable) -> float:
    """Return the largest disagreement of the candidates on a level, from 0 to 1; see `Policy.disagreement`.

    A demonstration of a level on which all candidates agree teaches nothing new.

    >>> from shown.policy import uniform_policy
    >>> from shown.worlds import find
    >>> nim = find("nim")
    >>> doubt(uniform_policy(nim.tokens), nim.level(0), nim)
    0.0
    """
    return max(round(policy.disagreement(grid), 9) for grid in _positions(policy, level, game))


def differences(policy: Policy, level: Level, game: Playable) -> tuple[Difference, ...]:
    """Find, for each candidate but the best, where it is farthest from the best.

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
    grids = _positions(policy, level, game)
    shares = [policy.component_probabilities(grid).reshape(len(policy.components), -1) for grid in grids]
    # Of equal distances, the first counts; rounding removes noise in the last digits.
    apart = np.array([np.round(np.abs(share - share[0]).sum(axis=1) / 2, 9) for share in shares])
    found = []
    for k, step in enumerate(apart.argmax(axis=0).tolist()):
        actions: list[Action] = list(policy.buttons or grids[step].cells())
        best, other = (tuple(a for a, p in zip(actions, shares[step][i], strict=True) if p > 0) for i in (0, k))
        found.append(Difference(k, float(apart[step, k]), step, grids[step], best, other))
    return tuple(found[1:])


def _positions(policy: Policy, level: Level, game: Playable) -> list[Grid]:
    """Return the positions of the policy's episode on a level; in a world, with the level's seed."""
    return [step.grid for step in play(game.world_at(level), policy.act, seed=level.seed or 0).steps]
