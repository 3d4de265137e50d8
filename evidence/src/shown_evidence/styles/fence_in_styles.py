"""Styles of Fence In: below the sheep, around it, or where the pen is open; in some order or none."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from shown.grid import Cell, Grid
from shown.worlds import distances
from shown.worlds.games.fence_in import FENCE, SHEEP
from shown.worlds.games.game import EMPTY, SIDES, moved, the
from shown_evidence.styles import Begin, building, shuffled, styles

FREE = (EMPTY, SHEEP)
CLOCKWISE = ((-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1))

Node = tuple[Cell, bool]
"""A cell, entered (False) or left (True)."""

OUTSIDE: Node = ((-1, -1), True)


def on_border(grid: Grid, cell: Cell) -> bool:
    return cell[0] in (0, grid.height - 1) or cell[1] in (0, grid.width - 1)


def row_below(grid: Grid) -> list[Cell]:
    """Return the cells of the row below the sheep between the nearest fences to the left and right."""
    r, c = the(grid, SHEEP)
    row = grid.rows[r + 1]
    right = row.find(FENCE, c)
    return [(r + 1, x) for x in range(row.rfind(FENCE, 0, c) + 1, grid.width if right < 0 else right)]


def closing_rows(grid: Grid) -> list[list[Cell]]:
    """Return every way to close the pen with fences in one row below the sheep, the highest row first.

    >>> from shown.grid import grid
    >>> closing_rows(grid(".....", ".###.", ".#S#.", ".#.#.", "....."))
    [[(3, 2)], [(4, 2)]]
    """
    found: list[list[Cell]] = []
    for row in range(the(grid, SHEEP)[0] + 1, grid.height):
        above = _region_above(grid, row)
        if any(on_border(grid, cell) for cell in above):
            break
        found.append(sorted(cell for r, c in above if r == row - 1 and grid[cell := (row, c)] == EMPTY))
    return found


def _region_above(grid: Grid, row: int) -> Iterable[Cell]:
    """Return the cells above a row that the sheep can reach."""
    return distances([the(grid, SHEEP)], lambda cell: cell[0] < row and grid.get(cell) == EMPTY)


def _ways_to_close(grid: Grid) -> list[list[Cell]]:
    """Return the rows that close the pen; if there are none, the row below the sheep."""
    return closing_rows(grid) or [row_below(grid)]


def fewest_fences(grid: Grid) -> list[Cell]:
    """Return the smallest set of cells that encloses the sheep; of several, the outermost.

    By Menger's theorem its size is the number of disjoint ways in from outside. Each further way may reroute parts of
    the earlier ones: it may go back where they came. The set is where the outside still enters a cell but cannot leave.

    >>> from shown.grid import grid
    >>> fewest_fences(grid(".....", ".###.", ".#S#.", ".#.#.", "....."))
    [(4, 2)]
    """
    cells = [cell for cell in grid.cells() if grid[cell] in FREE]
    arcs = {OUTSIDE: {(cell, False) for cell in cells if on_border(grid, cell)}}
    for cell in cells:
        arcs[cell, False] = {(cell, True)}
        arcs[cell, True] = {(near, False) for way in SIDES if grid.get(near := moved(cell, way)) in FREE}
    goal = the(grid, SHEEP), False
    while goal in (came := _reached(arcs)):
        there = goal
        while there != OUTSIDE:
            here = came[there]
            arcs[there].add(here)
            if not here[1] or here[0] == there[0]:  # arcs from a cell to the next have unlimited capacity
                arcs[here].remove(there)
            there = here
    return [cell for cell in cells if (cell, False) in came and (cell, True) not in came]


def _reached(arcs: dict[Node, set[Node]]) -> dict[Node, Node]:
    """Return all nodes that can be reached from outside, each with the one before it on a shortest way."""
    came, reached = {OUTSIDE: OUTSIDE}, [OUTSIDE]
    for node in reached:
        for near in arcs[node] - came.keys():
            came[near] = node
            reached.append(near)
    return came


def _around(grid: Grid, ways: Iterable[Cell]) -> list[Cell]:
    return [moved(the(grid, SHEEP), way) for way in ways]


def _building(plan: Callable[[Grid, np.random.Generator], list[Cell]]) -> Begin:
    """Return a style that plans its fences at the start and builds them in order."""
    return lambda level, rng: building(plan(level, rng), lambda grid: the(grid, SHEEP))


def _row_below_by(key: Callable[[int], Any]) -> Begin:
    """Return a style that builds the row below the sheep in the order of a key of columns, counted from the sheep's."""
    return _building(lambda grid, rng: sorted(row_below(grid), key=lambda cell: key(cell[1] - the(grid, SHEEP)[1])))


STYLES = styles(
    "fence-in",
    ("row-in-any-order", "Builds the row below the sheep in random order.",
     _building(lambda grid, rng: shuffled(row_below(grid), rng))),
    ("right-to-left", "Builds the row below the sheep from right to left.", _row_below_by(lambda column: -column)),
    ("from-below-the-sheep", "Builds the row below the sheep from the middle: first to the left, then to the right.",
     _row_below_by(lambda column: (column > 0, abs(column)))),
    ("from-both-ends", "Builds the row below the sheep, far cells first.",
     _row_below_by(lambda column: (-abs(column), column))),
    ("fill-the-holes", "Closes the pen as far down as its sides reach, from left to right.",
     _building(lambda grid, rng: _ways_to_close(grid)[-1])),
    ("narrowest-row", "Closes the pen with the row that needs the fewest fences, in random order.",
     _building(lambda grid, rng: shuffled(min(_ways_to_close(grid), key=len), rng))),
    ("fewest-fences",
     "Builds the smallest set of fences that encloses the sheep, as far out as possible, in reading order.",
     _building(lambda grid, rng: fewest_fences(grid))),
    ("clockwise-ring", "Fences the four cells around the sheep, clockwise from above.",
     _building(lambda grid, rng: _around(grid, CLOCKWISE[::2]))),
    ("ring-in-any-order", "Fences the four cells around the sheep in random order.",
     _building(lambda grid, rng: shuffled(_around(grid, SIDES), rng))),
    ("ring-with-corners", "Fences all eight cells around the sheep, clockwise from above, although corners need none.",
     _building(lambda grid, rng: _around(grid, CLOCKWISE))),
)  # fmt: skip
