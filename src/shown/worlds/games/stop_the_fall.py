"""Stop the Fall: let the parachuter land away from the fire."""

from __future__ import annotations

import numpy as np

from shown.grid import Action, Cell, Grid, Tokens
from shown.symmetry import Transformation
from shown.worlds.games.game import EMPTY, SIDES, Game, clicked, moved, settle, the
from shown.worlds.world import Outcome

PARACHUTER, STATIC, NEW, FIRE, BUTTON = "P", "#", "%", "F", "G"


class StopTheFall(Game):
    """Build a stack under the parachuter, so that the fall ends above the fire; then click the green button.

    Description: a parachuter hangs in the air above static blocks and fire. Clicking an empty cell makes a new block
        there, which hangs in the air, too. Clicking the green button turns it into a static block and switches gravity
        on: parachuter and new blocks fall until they rest on something, or on the bottom of the grid.
    Observation: a grid; `P` parachuter, `#` static block, `%` new block, `F` fire, `G` green button, `.` empty.
    Actions: a click on a cell. Clicks on anything but an empty cell or the button change nothing.
    Rewards: 1 if the parachuter lands with no fire above, below, left or right of it, otherwise 0.
    End of episode: the button was clicked.
    Levels: made by hand; stacks of 1 to 6 blocks, fire on one side or both, ledges and other fires to lead astray.
    """

    name = "stop-the-fall"
    title = "Stop the Fall"
    goal = "Land the parachuter away from fire. Click empty cells to build, then the green button to let all fall."
    tokens = Tokens(
        empty=EMPTY, parachuter=PARACHUTER, static_block=STATIC, new_block=NEW, fire=FIRE, green_button=BUTTON
    )
    pieces = (("parachuter",), ("green_button",))
    max_shape = (14, 14)
    symmetries = (Transformation("left-right"),)

    def step(self, grid: Grid, action: Action, rng: np.random.Generator) -> Outcome:
        cell = clicked(action)
        if grid[cell] == EMPTY:
            return Outcome(grid.with_cells({cell: NEW}))
        if grid[cell] != BUTTON:
            return Outcome(grid)
        grid = settle(grid.with_cells({cell: STATIC}), loose=PARACHUTER + NEW)
        return Outcome(grid, won=not burns(grid, the(grid, PARACHUTER)), over=True)

    def expert(self, grid: Grid) -> Cell:
        """Stack blocks under the parachuter, from the ground up, until it lands away from fire; then the button."""
        landing = landing_cell(grid)
        if burns(grid, landing) and landing != the(grid, PARACHUTER):
            return landing
        return the(grid, BUTTON)  # the game is over once it is gone

    def generate(self, rng: np.random.Generator) -> Grid:
        while True:
            grid = _sketch(rng)
            if self.is_fair(grid):
                return grid

    def is_fair(self, grid: Grid) -> bool:
        """Return whether the expert needs some blocks, and wins."""
        if not burns(grid, landing_cell(grid)):
            return False
        while grid[click := self.expert(grid)] == EMPTY:
            grid = grid.with_cells({click: NEW})
        grid = settle(grid, loose=PARACHUTER + NEW)
        return not burns(grid, the(grid, PARACHUTER))

    def why_lost(self, grid: Grid) -> str:
        return "The parachuter landed next to fire."


def burns(grid: Grid, cell: Cell) -> bool:
    """Return whether there is fire above, below, left or right of `cell`."""
    return any(grid.get(moved(cell, way)) == FIRE for way in SIDES)


def landing_cell(grid: Grid) -> Cell:
    """Return the cell where the parachuter would land, or its own if it rests already."""
    r, c = the(grid, PARACHUTER)
    while grid.get((r + 1, c)) == EMPTY:
        r += 1
    return r, c


def _sketch(rng: np.random.Generator) -> Grid:
    """Return ground with steps or ledges, and fire beside the landing place and elsewhere; not always fair."""
    height, width = (int(n) for n in rng.integers((7, 5), (15, 15)))
    cells = np.full((height, width), EMPTY)
    ground = np.clip(rng.integers(0, 4) + np.cumsum(rng.integers(-1, 2, size=width)), 0, height // 4)
    column = int(rng.integers(0, width))
    ground[max(0, column - 1) : column + 2] = ground[column]
    cells[np.arange(height)[:, None] >= height - ground] = STATIC
    floor = height - int(ground[column])  # the first row below the fall
    if floor > 8 and rng.random() < 0.3:  # a ledge in the air
        floor -= int(rng.integers(2, floor - 5))
        cells[floor, max(0, column - rng.integers(1, 4)) : column + rng.integers(2, 5)] = STATIC
    free = cells == EMPTY
    free[:, column] = False
    for _ in range(rng.integers(0, 7)):
        place = tuple(rng.integers((height, width)))
        if free[place] and abs(place[1] - column) > 1:
            cells[place] = rng.choice((STATIC, FIRE))
    stack = int(rng.integers(1, min(7, floor - 1)))
    sides = [stack, int(rng.integers(0, stack + 1))]
    rng.shuffle(sides)
    for side, fires in zip((column - 1, column + 1), sides, strict=True):
        cells[floor - fires : floor, side : side + 1] = FIRE  # nothing if that is off the grid
    if rng.random() < 0.15 and floor < height:  # fire in the ground itself
        cells[floor, column] = FIRE
    cells[rng.integers(0, floor - stack), column] = PARACHUTER
    free &= cells == EMPTY
    button = np.argwhere(free)
    cells[tuple(button[rng.integers(len(button))])] = BUTTON
    return Grid(tuple("".join(row) for row in cells))
