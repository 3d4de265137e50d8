"""Styles of Fence In: below the sheep, around it, or where the pen is open; in some order or none."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise

import numpy as np

from shown.grid import Cell, Grid
from shown.worlds.episodes import Player
from shown.worlds.games.fence_in import FENCE, SHEEP
from shown.worlds.games.game import EMPTY, SIDES, moved, the
from shown_evidence.styles.style import Begin, shuffled, styles

CLOCKWISE = ((-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1))

Plan = Callable[[Grid, np.random.Generator], list[Cell]]
"""Chooses the cells to fence, in order."""


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
    found = []
    for row in range(the(grid, SHEEP)[0] + 1, grid.height):
        above = _region_above(grid, row)
        if any(on_border(grid, cell) for cell in above):
            break
        found.append(sorted(cell for r, c in above if r == row - 1 and grid[cell := (row, c)] == EMPTY))
    return found


def _ways_to_close(grid: Grid) -> list[list[Cell]]:
    """Return the rows that close the pen; if there are none, the row below the sheep."""
    return closing_rows(grid) or [row_below(grid)]


def _region_above(grid: Grid, row: int) -> set[Cell]:
    """Return the cells above a row that the sheep can reach."""
    region = {the(grid, SHEEP)}
    edge = list(region)
    while edge:
        near = {moved(cell, way) for cell in edge for way in SIDES}
        edge = [cell for cell in near - region if grid.get(cell) == EMPTY and cell[0] < row]
        region.update(edge)
    return region


Node = tuple[Cell, bool]
OUTSIDE: Node = ((-1, -1), False)


def fewest_fences(grid: Grid) -> list[Cell]:
    """Return the smallest set of cells that encloses the sheep; of several, the outermost.

    By Menger's theorem its size is the number of disjoint ways out. Every cell is two nodes, entered and left; each
    augmenting path may reroute parts of earlier ones.

    >>> from shown.grid import grid
    >>> fewest_fences(grid(".....", ".###.", ".#S#.", ".#.#.", "....."))
    [(4, 2)]
    """
    cells = [cell for cell in grid.cells() if grid[cell] != FENCE]
    arcs: dict[Node, set[Node]] = {(cell, out): set() for cell in cells for out in (False, True)}
    for cell in cells:
        arcs[cell, False].add((cell, True))
        if on_border(grid, cell):
            arcs[cell, True].add(OUTSIDE)
        arcs[cell, True].update((near, False) for way in SIDES if (near := moved(cell, way), False) in arcs)
    arcs[OUTSIDE] = set()
    while way_out := _way(arcs, (the(grid, SHEEP), True)):
        for here, there in pairwise(way_out):
            arcs[there].add(here)
            if not (here[1] and here[0] != there[0]):  # arcs between cells have unlimited capacity
                arcs[here].remove(there)
    # The minimum cut nearest the outside: cells that can be left towards it but no longer entered from inside.
    beyond = _leading_to(arcs, OUTSIDE)
    return [cell for cell in cells if grid[cell] == EMPTY and (cell, True) in beyond and (cell, False) not in beyond]


def _way(arcs: dict[Node, set[Node]], start: Node) -> list[Node]:
    """Return a shortest path to the outside, or nothing."""
    came: dict[Node, Node] = {start: start}
    edge = [start]
    while edge and OUTSIDE not in came:
        following = []
        for node in edge:
            for near in sorted(arcs[node] - came.keys()):
                came[near] = node
                following.append(near)
        edge = following
    if OUTSIDE not in came:
        return []
    way = [OUTSIDE]
    while way[-1] != start:
        way.append(came[way[-1]])
    return way[::-1]


def _leading_to(arcs: dict[Node, set[Node]], goal: Node) -> set[Node]:
    """Return all nodes from which `goal` can be reached."""
    into: dict[Node, list[Node]] = {}
    for node, targets in arcs.items():
        for target in targets:
            into.setdefault(target, []).append(node)
    found, edge = {goal}, [goal]
    while edge:
        edge = [node for target in edge for node in into.get(target, ()) if node not in found]
        found.update(edge)
    return found


def _around(grid: Grid, ways: Iterable[Cell]) -> list[Cell]:
    return [moved(the(grid, SHEEP), way) for way in ways]


def _building(plan: Plan) -> Begin:
    """Return a style that plans its fences at the start and builds them in order."""

    def begin(level: Grid, rng: np.random.Generator) -> Player:
        cells = plan(level, rng)
        return lambda grid: next((cell for cell in cells if grid[cell] == EMPTY), None) or the(grid, SHEEP)

    return begin


def _from_below(grid: Grid, rng: np.random.Generator) -> list[Cell]:
    row, (_, c) = row_below(grid), the(grid, SHEEP)
    return [*reversed([cell for cell in row if cell[1] <= c]), *(cell for cell in row if cell[1] > c)]


def _from_both_ends(grid: Grid, rng: np.random.Generator) -> list[Cell]:
    row, (_, c) = row_below(grid), the(grid, SHEEP)
    return sorted(row, key=lambda cell: (-abs(cell[1] - c), cell[1]))


STYLES = styles(
    "fence-in",
    ("row-in-any-order", "Builds the row below the sheep in random order.",
     _building(lambda grid, rng: shuffled(row_below(grid), rng))),
    ("right-to-left", "Builds the row below the sheep from right to left.",
     _building(lambda grid, rng: row_below(grid)[::-1])),
    ("from-below-the-sheep", "Builds the row below the sheep from the middle: first to the left, then to the right.",
     _building(_from_below)),
    ("from-both-ends", "Builds the row below the sheep, far cells first.", _building(_from_both_ends)),
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
