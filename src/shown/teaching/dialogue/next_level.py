"""The most useful level to show next: the one on which the candidate rules disagree most.

Where all candidates agree, a demonstration teaches nothing new.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shown.grid import Grid
from shown.worlds import Level, Playable, Start, play, play_starts

if TYPE_CHECKING:
    from shown.demonstrations import Demonstrations
    from shown.policy import Policy

AGREED = 0.02  # a disagreement below this counts as none: it comes from rules of negligible weight


@dataclass(frozen=True, slots=True)
class Doubt:
    """The largest disagreement of the candidates on a level, from 0 to 1, and the step and position where it is."""

    level: Level
    disagreement: float
    step: int
    grid: Grid


def doubt(policy: Policy, level: Level, game: Playable, seed: int = 0) -> Doubt:
    """Find where the candidates disagree most in the policy's own episode on `level` (in a world: from `seed`)."""
    run = play(game.world_at(level), policy.act, seed=seed)
    return _worst(policy, level, [step.grid for step in run.steps])


def _worst(policy: Policy, level: Level, grids: Sequence[Grid]) -> Doubt:
    # Of equal positions and equal disagreements, the first counts; rounding removes noise in the last digits.
    first = {grid: step for step, grid in reversed(list(enumerate(grids)))}
    disagreement = {grid: round(policy.disagreement(grid), 9) for grid in first}
    worst = max(first, key=lambda grid: (disagreement[grid], -first[grid]))
    return Doubt(level, disagreement[worst], first[worst], worst)


def by_use(policy: Policy, starts: Iterable[Start], shown: Demonstrations | None = None) -> tuple[Doubt, ...]:
    """Return the starts worth showing, the most useful first, without levels shown before or agreed on.

    Two candidates, "click a matchstick" and "click an empty cell", disagree most at once:

    >>> from shown import LANGUAGE, parse
    >>> from shown.policy import Component, Formula, Literal, Policy
    >>> from shown.worlds import find, load_levels
    >>> nim = find("nim")
    >>> names = ("matchstick", "empty")
    >>> terms = [parse(f"at_action_cell(cell_is_value({x}))", LANGUAGE, nim.tokens.values) for x in names]
    >>> policy = Policy(nim.tokens, tuple(Component(0.5, 0.0, 0.0, Formula(((Literal(term),),))) for term in terms))
    >>> found = by_use(policy, nim.starts(load_levels(nim, "train:0-1")))[0]
    >>> found.level.name, found.disagreement, found.step
    ('train:0', 0.5, 0)

    `shown` are the demonstrations so far.
    """
    before = {item.steps[0].grid for item in shown} if shown is not None else set()
    new = [(world, seed) for world, seed in starts if world.level(seed).grid not in before]
    doubts = [_worst(policy, one.level, [step.grid for step in one.steps]) for one in play_starts(new, policy)]
    return tuple(sorted((x for x in doubts if x.disagreement >= AGREED), key=lambda x: -x.disagreement))
