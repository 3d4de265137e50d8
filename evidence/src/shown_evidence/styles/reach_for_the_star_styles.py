"""Styles of Reach for the Star: equal stairs, built in different orders and from different heights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from shown.grid import Cell, Grid
from shown.worlds.episodes import Player
from shown.worlds.games.game import EMPTY, the
from shown.worlds.games.reach_for_the_star import LEFT, RIGHT, ROBOT, STAR
from shown_evidence.styles.style import Begin, always, any_of, shuffled, styles

Choice = Callable[[Grid, tuple[Cell, ...]], Cell]
"""Chooses a click, given the `Stairs.steps` that are missing."""


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


def _walk(grid: Grid, side: int) -> Cell:
    """Return the key that moves the robot towards the star, with the stairs on `side` of it."""
    return the(grid, RIGHT if side < 0 else LEFT)


def _building(choice: Choice) -> Player:
    """Return a player that builds the stairs and then walks up."""

    def act(grid: Grid) -> Cell:
        plan = stairs(grid)
        return choice(grid, plan.steps) if plan.steps else _walk(grid, plan.side)

    return act


def _built_by(choice: Choice) -> Begin:
    return always(_building(choice))


def _row_by_row(grid: Grid, steps: tuple[Cell, ...]) -> Cell:
    """Choose the lowest place that lacks a block; in a row, the one nearest the star."""
    return max((lands(grid, step) for step in steps), key=lambda cell: cell[0])


def _any_block(level: Grid, rng: np.random.Generator) -> Player:
    return _building(lambda grid, steps: lands(grid, any_of(steps, rng)))


def _any_above(level: Grid, rng: np.random.Generator) -> Player:
    def choose(grid: Grid, steps: tuple[Cell, ...]) -> Cell:
        column = steps[0][1]
        return any_of([(r, column) for r in range(lands(grid, steps[0])[0] + 1)], rng)

    return _building(choose)


def _any_column(level: Grid, rng: np.random.Generator) -> Player:
    order = [column for _, column in shuffled(stairs(level).steps, rng)]
    return _building(lambda grid, steps: lands(grid, min(steps, key=lambda step: order.index(step[1]))))


def _to_the_foot_first(grid: Grid) -> Cell:
    plan, (_, robot) = stairs(grid), the(grid, ROBOT)
    far = abs(robot - plan.foot) > 1
    return plan.steps[0] if plan.steps and not far else _walk(grid, plan.side)


def _as_it_climbs(grid: Grid) -> Cell:
    """Build the next column only, and step on it as soon as it is complete."""
    plan, (_, robot) = stairs(grid), the(grid, ROBOT)
    following = [step for step in plan.steps if step[1] == robot - plan.side]
    return lands(grid, following[0]) if following else _walk(grid, plan.side)


STYLES = styles(
    "reach-for-the-star",
    ("tall-column-first", "Builds the tallest column first, each block where it lands.",
     _built_by(lambda grid, steps: lands(grid, steps[0]))),
    ("low-step-first", "Builds the lowest step first, each block where it lands.",
     _built_by(lambda grid, steps: lands(grid, steps[-1]))),
    ("low-step-dropped", "Builds the lowest step first, dropping blocks from the height of the step.",
     _built_by(lambda grid, steps: steps[-1])),
    ("row-by-row", "Builds the lowest layer first, then the next.", _built_by(_row_by_row)),
    ("any-column", "Builds column by column, in a random order for each level.", _any_column),
    ("any-block", "Builds the missing blocks in random order.", _any_block),
    ("walks-first", "Walks to the foot of the stairs first, then plays as the expert.", always(_to_the_foot_first)),
    ("drops-from-anywhere", "Drops blocks from a random cell above, tallest column first.", _any_above),
    ("drops-from-the-top", "Drops all blocks from the top of the grid, tallest column first.",
     _built_by(lambda grid, steps: (0, steps[0][1]))),
    ("builds-as-it-climbs", "Builds a step, climbs it, builds the next.", always(_as_it_climbs)),
)  # fmt: skip
