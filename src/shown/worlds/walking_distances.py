"""Walking distances on grids."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from shown.grid import Cell


def distances(targets: Iterable[Cell], is_free: Callable[[Cell], bool]) -> dict[Cell, int]:
    """Return the distance to the nearest target, over free cells, of every cell from which one can be reached.

    >>> distances([(0, 0)], lambda cell: cell in ((0, 1), (0, 2), (5, 5)))
    {(0, 0): 0, (0, 1): 1, (0, 2): 2}
    """
    found = dict.fromkeys(targets, 0)
    edge = list(found)
    for row, column in edge:
        for cell in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
            if cell not in found and is_free(cell):
                found[cell] = found[row, column] + 1
                edge.append(cell)
    return found
