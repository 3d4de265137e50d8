"""How people play Reach for the Star: the stairs are the same, but in which order, and from where the blocks drop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from shown.experiments.styles.style import Begin, Style, always, any_of, as_the_expert, shuffled
from shown.games import find
from shown.games.episodes import Player
from shown.games.game import EMPTY
from shown.games.reach_for_the_star import LEFT, RIGHT, ROBOT, STAR
from shown.grid import Cell, Grid

REACH = "reach-for-the-star"
RULES = find(REACH)


@dataclass(frozen=True)
class Stairs:
    """The stairs that end beside the star, and what is missing of them.

    Attributes:
        side: on which side of the star they are: -1 left, 1 right.
        steps: the highest cell of each column that still lacks a block, the column next to the star first.
        foot: the column of the lowest step.
    """

    side: int
    steps: tuple[Cell, ...]
    foot: int


def stairs(grid: Grid) -> Stairs:
    """The stairs from the robot's side to the star.

    >>> from shown.grid import grid
    >>> stairs(grid("...*", "....", "A...", "##<>"))
    Stairs(side=-1, steps=((1, 2), (2, 1)), foot=1)
    """
    (r, c), (_, robot) = _find(grid, STAR), _find(grid, ROBOT)
    side = -1 if robot < c else 1
    step, missing, foot = (r + 1, c + side), [], c + side
    while grid.inside(step) and grid[step] not in "<>" and not _is_ground(grid, step):
        foot = step[1]
        if grid[step] == EMPTY:
            missing.append(step)
        step = step[0] + 1, step[1] + side
    return Stairs(side, tuple(missing), foot)


def lands(grid: Grid, cell: Cell) -> Cell:
    """Where a block that is dropped at `cell` comes to rest."""
    r, c = cell
    while grid.get((r + 1, c)) == EMPTY:
        r += 1
    return r, c


def _is_ground(grid: Grid, cell: Cell) -> bool:
    return cell[0] == grid.height - 1


def _find(grid: Grid, token: str) -> Cell:
    cell = grid.find(token)
    assert cell is not None, f"a legal position has {token!r}"
    return cell


def _walk(grid: Grid, side: int) -> Cell:
    """The key that takes the robot towards the star, when the stairs are on `side` of it."""
    return _find(grid, RIGHT if side < 0 else LEFT)


Choice = Callable[[Grid, tuple[Cell, ...]], Cell]
"""Where to click, given the highest cells of the columns that lack a block, the column next to the star first."""


def _building(choice: Choice) -> Player:
    """Builds all of the stairs, then walks up."""

    def act(grid: Grid) -> Cell:
        plan = stairs(grid)
        return choice(grid, plan.steps) if plan.steps else _walk(grid, plan.side)

    return act


def _chancy(choice: Callable[[np.random.Generator], Choice]) -> Begin:
    return lambda level, rng: _building(choice(rng))


def _row_by_row(grid: Grid, steps: tuple[Cell, ...]) -> Cell:
    """The lowest place that lacks a block; of a row, the one nearest to the star."""
    return max((lands(grid, step) for step in steps), key=lambda cell: cell[0])


def _any_place(rng: np.random.Generator) -> Choice:
    return lambda grid, steps: lands(grid, any_of(steps, rng))


def _any_above(rng: np.random.Generator) -> Choice:
    def choose(grid: Grid, steps: tuple[Cell, ...]) -> Cell:
        column = steps[0][1]
        return any_of([(r, column) for r in range(lands(grid, steps[0])[0] + 1)], rng)

    return choose


def _any_column(level: Grid, rng: np.random.Generator) -> Player:
    order = [column for _, column in shuffled(stairs(level).steps, rng)]
    return _building(lambda grid, steps: lands(grid, min(steps, key=lambda step: order.index(step[1]))))


def _to_the_foot_first(grid: Grid) -> Cell:
    plan, (_, robot) = stairs(grid), _find(grid, ROBOT)
    if abs(robot - plan.foot) > 1 and plan.steps:
        return _walk(grid, plan.side)
    return plan.steps[0] if plan.steps else _walk(grid, plan.side)


def _as_it_climbs(grid: Grid) -> Cell:
    """Builds the next column only, and steps on it as soon as it is done."""
    plan, (_, robot) = stairs(grid), _find(grid, ROBOT)
    following = [step for step in plan.steps if step[1] == robot - plan.side]
    return lands(grid, following[0]) if following else _walk(grid, plan.side)


STYLES = (
    as_the_expert(REACH),
    Style(
        "tall-column-first",
        REACH,
        "Builds the tallest column first, each block where it comes to rest.",
        always(_building(lambda grid, steps: lands(grid, steps[0]))),
    ),
    Style(
        "low-step-first",
        REACH,
        "Builds the lowest step first, each block where it comes to rest.",
        always(_building(lambda grid, steps: lands(grid, steps[-1]))),
    ),
    Style(
        "low-step-dropped",
        REACH,
        "Builds the lowest step first, dropping blocks from the height of the step.",
        always(_building(lambda grid, steps: steps[-1])),
    ),
    Style("row-by-row", REACH, "Builds the lowest layer first, then the next.", always(_building(_row_by_row))),
    Style("any-column", REACH, "Builds one column after the other, in an order of its own each level.", _any_column),
    Style("any-block", REACH, "Builds the missing blocks in any order.", _chancy(_any_place)),
    Style(
        "walks-first", REACH, "Walks to the foot of the stairs first; then as the expert.", always(_to_the_foot_first)
    ),
    Style("drops-from-anywhere", REACH, "Drops blocks from any cell above, tallest column first.", _chancy(_any_above)),
    Style(
        "drops-from-the-top",
        REACH,
        "Drops all blocks from the top of the picture, tallest column first.",
        always(_building(lambda grid, steps: (0, steps[0][1]))),
    ),
    Style("builds-as-it-climbs", REACH, "Builds a step, climbs it, builds the next.", always(_as_it_climbs)),
)
