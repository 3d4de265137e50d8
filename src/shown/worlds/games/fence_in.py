"""Fence In: close the sheep's pen."""

from __future__ import annotations

import numpy as np

from shown.grid import Action, Cell, Grid, Tokens
from shown.worlds.games.game import EMPTY, Game, clicked, require, require_one, the
from shown.worlds.world import Outcome

SHEEP, FENCE = "S", "#"
OPEN = str.maketrans({EMPTY: "1", SHEEP: "1", FENCE: "0"})


class FenceIn(Game):
    """Build fences until the sheep cannot get away.

    Description: a sheep in a pen that is not closed. Clicking open ground builds a fence there.
    Observation: a grid; `S` sheep, `#` fence, `.` open ground.
    Actions: a click on a cell. Clicks on the sheep or a fence change nothing.
    Rewards: 1 for enclosing the sheep, otherwise 0.
    End of episode: the sheep, walking up, down, left and right over open ground, cannot reach the border of the grid.
    Levels: made by hand; pens of many shapes in wide fields, closed above the sheep and open somewhere below it, among
        other fences. Fields have 20 to 24 rows and columns and openings are wide, so that random clicks close fewer
        than 5 % of them in 60 steps.
    """

    name = "fence-in"
    title = "Fence In"
    goal = "Enclose the sheep. Click open ground to build a fence. The sheep cannot slip through diagonal gaps."
    tokens = Tokens(empty=EMPTY, sheep=SHEEP, fence=FENCE)
    pieces = (("sheep",),)
    max_shape = (24, 24)

    def step(self, grid: Grid, action: Action, rng: np.random.Generator) -> Outcome:
        cell = clicked(action)
        if grid[cell] == EMPTY:
            grid = grid.with_cells({cell: FENCE})
        won = enclosed(grid)
        return Outcome(grid, won=won, over=won)

    def expert(self, grid: Grid) -> Cell:
        """Build in the row below the sheep, from the nearest fence on the left to the nearest on the right."""
        r, c = the(grid, SHEEP)
        row = grid.rows[r + 1]
        if row[c] == EMPTY:
            return r + 1, row.rfind(FENCE, 0, c) + 1
        gap = row.find(EMPTY, c)
        if gap < 0:  # this tactic does not fit the pen
            return grid.find(EMPTY) or (r, c)
        return r + 1, gap

    def generate(self, rng: np.random.Generator) -> Grid:
        while True:
            grid = _sketch(rng)
            if self.is_fair(grid):
                return grid

    def is_fair(self, grid: Grid) -> bool:
        """Return whether the sheep can get away, and the expert's fence stops it."""
        r, c = the(grid, SHEEP)
        row = grid.rows[r + 1]
        left, right = row.rfind(FENCE, 0, c), row.find(FENCE, c)
        if enclosed(grid) or row[c] != EMPTY or min(left, right) < 0:
            return False
        return enclosed(grid.with_cells({(r + 1, x): FENCE for x in range(left, right)}))

    def check(self, grid: Grid) -> None:
        r, c = require_one(grid, self.tokens, "sheep")
        require(
            0 < r < grid.height - 1 and 0 < c < grid.width - 1,
            f"row {r}, column {c}: the sheep stands on the border, where it cannot be enclosed.",
        )
        require(not enclosed(grid), "the sheep is enclosed already.")


def enclosed(grid: Grid) -> bool:
    """Return whether the sheep's 4-connected region stays away from the border of the grid.

    The grid is one integer with a bit per cell, so that the region grows by all its neighbors at once. A closed cell
    ends each row, so that a step to the right does not lead into the next one.
    """
    r, c = the(grid, SHEEP)
    height, width = grid.shape
    inner = "1" + "0" * (width - 2) + "1" if width > 1 else "1"
    open_ground = _bits([row.translate(OPEN) for row in grid.rows])
    border = _bits(["1" * width if i in (0, height - 1) else inner for i in range(height)])
    row = width + 1
    region = 1 << (height * row - 1 - r * row - c)
    while not region & border:
        wider = (region | region << 1 | region >> 1 | region << row | region >> row) & open_ground
        if wider == region:
            return True
        region = wider
    return False


def _bits(rows: list[str]) -> int:
    return int("0".join(rows) + "0", 2)


def _sketch(rng: np.random.Generator) -> Grid:
    """Return a pen that is closed above the sheep and open below it, among other fences; not always fair."""
    height, width = (int(n) for n in rng.integers(20, 25, size=2))
    cells = np.full((height, width), EMPTY)
    cells[rng.random((height, width)) < rng.choice((0.0, 0.05, 0.1))] = FENCE
    tall, wide = (int(n) for n in rng.integers((4, 5), 13))
    top, left = (int(n) for n in rng.integers(2, (height - tall - 1, width - wide - 1)))
    bottom, right = top + tall - 1, left + wide - 1
    sheep = int(rng.integers(top + 1, bottom - 1)), int(rng.integers(left + 1, right))
    inside = cells[top + 1 : bottom, left + 1 : right]
    inside[rng.random(inside.shape) < 0.9] = EMPTY
    cells[top, left : right + 1] = FENCE
    for side in (left, right):
        if rng.random() < 0.3:
            cells[top, side] = EMPTY  # fences that touch only diagonally
        end = rng.integers(sheep[0] + 1, bottom + 1)
        cells[top + 1 : end + 1, side] = FENCE
    if rng.random() < 0.5:
        cells[bottom, left : right + 1] = FENCE
        opening = int(rng.integers(3, right - left))
        start = int(rng.integers(left + 1, right - opening + 1))
        cells[bottom, start : start + opening] = EMPTY
    cells[sheep] = SHEEP
    return Grid(tuple("".join(row) for row in cells))
