"""How people play Fence In: below the sheep, around it, or where the pen is open; in an order of their own or none."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise

import numpy as np

from shown.experiments.styles.style import Begin, Style, as_the_expert, shuffled
from shown.games.episodes import Player
from shown.games.fence_in import FENCE, SHEEP
from shown.games.game import EMPTY, SIDES, moved
from shown.grid import Cell, Grid

FENCE_IN = "fence-in"
CLOCKWISE = ((-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1))

Plan = Callable[[Grid, np.random.Generator], list[Cell]]
"""Which cells to fence, in order."""


def sheep_at(grid: Grid) -> Cell:
    cell = grid.find(SHEEP)
    assert cell is not None, "a legal position has a sheep"
    return cell


def on_border(grid: Grid, cell: Cell) -> bool:
    return cell[0] in (0, grid.height - 1) or cell[1] in (0, grid.width - 1)


def row_below(grid: Grid) -> list[Cell]:
    """The cells of the row below the sheep, from the nearest fence on the left to the nearest on the right."""
    r, c = sheep_at(grid)
    row = grid.rows[r + 1]
    right = row.find(FENCE, c)
    return [(r + 1, x) for x in range(row.rfind(FENCE, 0, c) + 1, grid.width if right < 0 else right)]


def closing_rows(grid: Grid) -> list[list[Cell]]:
    """Every way to shut the pen with fences in one row below the sheep, the highest row first.

    >>> from shown.grid import grid
    >>> closing_rows(grid(".....", ".###.", ".#S#.", ".#.#.", "....."))
    [[(3, 2)], [(4, 2)]]
    """
    found = []
    for row in range(sheep_at(grid)[0] + 1, grid.height):
        above = _region(grid, lambda cell, last=row: cell[0] < last)  # type: ignore[misc]
        if any(on_border(grid, cell) for cell in above):
            break
        found.append(sorted(cell for r, c in above if r == row - 1 and grid[cell := (row, c)] == EMPTY))
    return found


def _ways_to_shut(grid: Grid) -> list[list[Cell]]:
    """The rows that shut the pen; where none does, as in a field of one's own, the row below the sheep."""
    return closing_rows(grid) or [row_below(grid)]


def _region(grid: Grid, allowed: Callable[[Cell], bool]) -> set[Cell]:
    """Where the sheep can walk to over allowed cells."""
    region = {sheep_at(grid)}
    edge = list(region)
    while edge:
        near = {moved(cell, way) for cell in edge for way in SIDES}
        edge = [cell for cell in near - region if grid.get(cell) == EMPTY and allowed(cell)]
        region.update(edge)
    return region


def fewest_fences(grid: Grid) -> list[Cell]:
    """The fewest cells that enclose the sheep; of several such sets, the one farthest out.

    By Menger's theorem they are as many as the ways out that share no cell. Each cell has a way in and a way out; ways
    are found one after the other, each of which may push aside parts of those before it.

    >>> from shown.grid import grid
    >>> fewest_fences(grid(".....", ".###.", ".#S#.", ".#.#.", "....."))
    [(4, 2)]
    """
    nodes = [cell for cell in grid.cells() if grid[cell] != FENCE]
    arcs: dict[Node, set[Node]] = {(cell, out): set() for cell in nodes for out in (False, True)}
    for cell in nodes:
        arcs[cell, False].add((cell, True))
        if on_border(grid, cell):
            arcs[cell, True].add(OUTSIDE)
        arcs[cell, True].update((near, False) for way in SIDES if (near := moved(cell, way), False) in arcs)
    arcs[OUTSIDE] = set()
    while way_out := _way(arcs, (sheep_at(grid), True)):
        for here, there in pairwise(way_out):
            arcs[there].add(here)
            if not (here[1] and here[0] != there[0]):  # from cell to cell there is room for any number of ways
                arcs[here].remove(there)
    # What still leads outside lies beyond the fences; a cell that can be left for there but not entered is one of them.
    beyond = _leading_to(arcs, OUTSIDE)
    return [cell for cell in nodes if grid[cell] == EMPTY and (cell, True) in beyond and (cell, False) not in beyond]


Node = tuple[Cell, bool]
OUTSIDE: Node = ((-1, -1), False)


def _way(arcs: dict[Node, set[Node]], start: Node) -> list[Node]:
    """A shortest way outside; none if there is none."""
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
    """All from which `goal` can be reached."""
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
    return [moved(sheep_at(grid), way) for way in ways]


def _building(plan: Plan) -> Begin:
    """Decides at the start what to build, and builds it."""

    def begin(level: Grid, rng: np.random.Generator) -> Player:
        cells = plan(level, rng)
        return lambda grid: next((cell for cell in cells if grid[cell] == EMPTY), None) or sheep_at(grid)

    return begin


def _from_below(grid: Grid, rng: np.random.Generator) -> list[Cell]:
    """Right below the sheep, then to the left as far as it goes, then to the right."""
    row, (_, c) = row_below(grid), sheep_at(grid)
    return [*reversed([cell for cell in row if cell[1] <= c]), *(cell for cell in row if cell[1] > c)]


def _from_both_ends(grid: Grid, rng: np.random.Generator) -> list[Cell]:
    row, (_, c) = row_below(grid), sheep_at(grid)
    return sorted(row, key=lambda cell: (-abs(cell[1] - c), cell[1]))


STYLES = (
    as_the_expert(FENCE_IN),
    Style(
        "row-in-any-order",
        FENCE_IN,
        "Builds the row below the sheep, its cells in any order.",
        _building(lambda grid, rng: shuffled(row_below(grid), rng)),
    ),
    Style(
        "right-to-left",
        FENCE_IN,
        "Builds the row below the sheep from right to left.",
        _building(lambda grid, rng: row_below(grid)[::-1]),
    ),
    Style(
        "from-below-the-sheep",
        FENCE_IN,
        "Builds the row below the sheep, starting right below it: first all to the left, then all to the right.",
        _building(_from_below),
    ),
    Style("from-both-ends", FENCE_IN, "Builds the row below the sheep, far cells first.", _building(_from_both_ends)),
    Style(
        "fill-the-holes",
        FENCE_IN,
        "Shuts the pen as far down as its sides reach, from left to right.",
        _building(lambda grid, rng: _ways_to_shut(grid)[-1]),
    ),
    Style(
        "narrowest-row",
        FENCE_IN,
        "Shuts the pen with the row below the sheep that takes the fewest fences, in any order.",
        _building(lambda grid, rng: shuffled(min(_ways_to_shut(grid), key=len), rng)),
    ),
    Style(
        "fewest-fences",
        FENCE_IN,
        "Builds the fewest fences that enclose the sheep, as far out as possible, in reading order.",
        _building(lambda grid, rng: fewest_fences(grid)),
    ),
    Style(
        "clockwise-ring",
        FENCE_IN,
        "Fences the four cells around the sheep, clockwise from above.",
        _building(lambda grid, rng: _around(grid, CLOCKWISE[::2])),
    ),
    Style(
        "ring-in-any-order",
        FENCE_IN,
        "Fences the four cells around the sheep, in any order.",
        _building(lambda grid, rng: shuffled(_around(grid, SIDES), rng)),
    ),
    Style(
        "ring-with-corners",
        FENCE_IN,
        "Fences all eight cells around the sheep, clockwise from above, though corners need none.",
        _building(lambda grid, rng: _around(grid, CLOCKWISE)),
    ),
)
