"""Styles of Reach for the Star: equal stairs, built in different orders and from different heights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from shown.grid import Cell, Grid
from shown.worlds.episodes import Player
from shown.worlds.games.game import EMPTY, the
from shown.worlds.games.reach_for_the_star import LEFT, RIGHT, ROBOT, STAR
from shown_evidence.styles import Begin, any_of, shuffled, styles


@dataclass(frozen=True)
class Stairs:
    """The stairs that end beside the star.

    Attributes:
        side: side of the star: -1 left, 1 right.
        steps: highest cell of each column that lacks a block, the column next to the star first.
        foot: column of the lowest step.
    """

    side: int
    steps: tuple[Cell, ...]
    foot: int


Choice = Callable[[Grid, Stairs, np.random.Generator], Cell | None]
"""Chooses a click to build stairs that lack blocks, or None to walk."""


def stairs(grid: Grid) -> Stairs:
    """Return the stairs from the robot's side to the star.

    >>> from shown.grid import grid
    >>> stairs(grid("...*", "....", "A...", "##<>"))
    Stairs(side=-1, steps=((1, 2), (2, 1)), foot=1)
    """
    (r, c), (_, robot) = the(grid, STAR), the(grid, ROBOT)
    side = -1 if robot < c else 1
    step, missing, foot = (r + 1, c + side), [], c + side
    while grid.inside(step) and grid[step] not in "<>" and step[0] < grid.height - 1:
        foot = step[1]
        if grid[step] == EMPTY:
            missing.append(step)
        step = step[0] + 1, step[1] + side
    return Stairs(side, tuple(missing), foot)


def lands(grid: Grid, cell: Cell) -> Cell:
    """Return where a block dropped at `cell` lands."""
    r, c = cell
    while grid.get((r + 1, c)) == EMPTY:
        r += 1
    return r, c


def _building(choice: Choice) -> Begin:
    """Return a style that builds the stairs and then walks up."""

    def act(grid: Grid, rng: np.random.Generator) -> Cell:
        plan = stairs(grid)
        cell = choice(grid, plan, rng) if plan.steps else None
        return cell or the(grid, RIGHT if plan.side < 0 else LEFT)

    return lambda level, rng: lambda grid: act(grid, rng)


def _from_any_height(grid: Grid, plan: Stairs, rng: np.random.Generator) -> Cell:
    bottom, column = lands(grid, plan.steps[0])
    return any_of([(r, column) for r in range(bottom + 1)], rng)


def _any_column(level: Grid, rng: np.random.Generator) -> Player:
    order = [column for _, column in shuffled(stairs(level).steps, rng)]

    def choose(grid: Grid, plan: Stairs, rng: np.random.Generator) -> Cell:
        return lands(grid, min(plan.steps, key=lambda step: order.index(step[1])))

    return _building(choose)(level, rng)


def _next_column(grid: Grid, plan: Stairs, rng: np.random.Generator) -> Cell | None:
    """Build the next column only, and step on it as soon as it is complete."""
    column = the(grid, ROBOT)[1] - plan.side
    return next((lands(grid, step) for step in plan.steps if step[1] == column), None)


STYLES = styles(
    "reach-for-the-star",
    ("tall-column-first", "Builds the tallest column first, each block where it lands.",
     _building(lambda grid, plan, rng: lands(grid, plan.steps[0]))),
    ("low-step-first", "Builds the lowest step first, each block where it lands.",
     _building(lambda grid, plan, rng: lands(grid, plan.steps[-1]))),
    ("low-step-dropped", "Builds the lowest step first, dropping blocks from the height of the step.",
     _building(lambda grid, plan, rng: plan.steps[-1])),
    ("row-by-row", "Builds the lowest layer first, then the next.",
     _building(lambda grid, plan, rng: max((lands(grid, step) for step in plan.steps), key=lambda cell: cell[0]))),
    ("any-column", "Builds column by column, in a random order for each level.", _any_column),
    ("any-block", "Builds the missing blocks in random order.",
     _building(lambda grid, plan, rng: lands(grid, any_of(plan.steps, rng)))),
    ("walks-first", "Walks to the foot of the stairs first, then plays as the expert.",
     _building(lambda grid, plan, rng: plan.steps[0] if abs(the(grid, ROBOT)[1] - plan.foot) <= 1 else None)),
    ("drops-from-anywhere", "Drops blocks from a random cell above, tallest column first.",
     _building(_from_any_height)),
    ("drops-from-the-top", "Drops all blocks from the top of the grid, tallest column first.",
     _building(lambda grid, plan, rng: (0, plan.steps[0][1]))),
    ("builds-as-it-climbs", "Builds a step, climbs it, builds the next.", _building(_next_column)),
)  # fmt: skip
