"""Primitives about the arrangement of the whole grid: mirror images, and the first row or column of a kind.

Both take a direction, so that the image of a rule under a symmetry is exactly the rule for the image of the world. Each
is listed with a task that cannot be learned without it:

* `mirrored(direction, C)`: C holds at the mirror image of the cell, across the middle line at right angles to the
  direction. (0, 1) exchanges left and right, (1, 0) top and bottom; (1, 1) and (1, -1) are the diagonals of a square
  grid. A mosaic with one missing stone is completed.
* `in_first(direction, C)`: in this direction, the cell is in the first line of the grid in which C holds somewhere: the
  first row for (1, 0), the last row for (-1, 0), the first column for (0, 1). The first order with an item is stamped.

"In the same row as" needs no primitive: `at_least(1, row, C)` of `counting.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from shown.engine.planes import Planes, beyond, pack
from shown.grid import Cell
from shown.language.primitives.declaration import Condition, Primitive
from shown.language.reference import NOWHERE, View
from shown.language.terms import Kind, Offset, Term


def _mirror_image(cell: Cell, direction: Offset, height: int, width: int) -> Cell | None:
    """Return the mirror image of a cell in a grid of that size, or None if the grid has no such middle line."""
    (r, c), (down, right) = cell, direction
    if down == 0 or right == 0:
        return (height - 1 - r if down else r, width - 1 - c if right else c)
    if height != width or abs(down) != abs(right):
        return None
    return (height - 1 - c, width - 1 - r) if down == right else (c, r)


def _mirrored(view: View, cell: Cell | None, direction: Offset, condition: Condition) -> bool:
    """Whether the condition holds at the mirror image of the cell; nowhere if there is none."""
    if cell is not NOWHERE:
        cell = _mirror_image(cell, direction, view.grid.height, view.grid.width)
    return condition(view, cell)


def _mirrored_many(world: Planes, store: np.ndarray, directions: np.ndarray, conditions: np.ndarray) -> np.ndarray:
    rows, columns, words = world.shape
    out = store[conditions] & ~world.real
    sizes, which = np.unique(world.sizes, axis=0, return_inverse=True)
    cells: Any = np.indices((rows, columns)) - world.margin
    for number, (height, width) in enumerate(sizes.tolist()):
        states = np.zeros(words * 64, dtype=bool)
        states[world.slot[which.reshape(-1) == number]] = True
        of_size = pack(states)
        for i, (direction, plane) in enumerate(zip(directions.tolist(), store[conditions], strict=True)):
            image = _mirror_image(cells, direction, height, width)
            if image is None:
                there = (plane[0, 0, -1:].view(np.int64) >> 63).view(np.uint64)  # the value nowhere, in all bits
            else:
                r, c = image[0] + world.margin, image[1] + world.margin
                met: Any = (r >= 0) & (r < rows) & (c >= 0) & (c < columns)
                there = np.where(met[..., None], plane[r * met, c * met], beyond(world, plane))
            out[i] |= of_size & there
    return out


def _in_first(view: View, cell: Cell | None, direction: Offset, condition: Condition) -> bool:
    """Whether the cell is in the first line, in the direction, in which the condition holds at a cell of the grid."""
    found = [] if cell is NOWHERE else [other for other in view.grid.cells() if condition(view, other)]
    if cell is NOWHERE or not found:
        return False
    far, *others = [direction[0] * r + direction[1] * c for r, c in [cell, *found]]
    view.counted([other for other, at in zip(found, others, strict=True) if at == min(others)])
    return far == min(others)


def _in_first_many(world: Planes, store: np.ndarray, directions: np.ndarray, conditions: np.ndarray) -> np.ndarray:
    out = np.zeros((len(conditions), *world.shape), dtype=np.uint64)
    rows, columns = np.indices(world.shape[:2])
    for direction in np.unique(directions, axis=0):
        these = np.flatnonzero((directions == direction).all(axis=1))
        held, found = store[conditions[these]] & world.inside, np.zeros((len(these), world.shape[2]), dtype=np.uint64)
        far = direction[0] * rows + direction[1] * columns
        for line in np.unique(far):
            r, c = np.nonzero(far == line)
            somewhere = np.bitwise_or.reduce(held[:, r, c], axis=1)
            out[these[:, None], r, c] = (somewhere & ~found)[:, None]
            found |= somewhere
    return out


def _in_first_wording(direction: Offset, condition: Term) -> tuple[str, str] | None:
    """Name rows and columns; say "level with" for other lines."""
    lines = {(1, 0): "first row", (-1, 0): "last row", (0, 1): "first column", (0, -1): "last column"}
    if direction not in lines:
        return None
    line = f"in the {lines[direction]} with {{1:noun}}"
    return f"{{cell}} is {line}", f"{{cell}} is not {line}"


MIRRORED = Primitive(
    name="mirrored", takes=(Kind.OFFSET, Kind.CONDITION), gives=Kind.CONDITION,
    meaning=_mirrored, many=_mirrored_many,
    phrase="{1}", negation="{1:not}", at="the cell opposite {cell} {0:across}", image=True,
)  # fmt: skip

IN_FIRST = Primitive(
    name="in_first", takes=(Kind.OFFSET, Kind.CONDITION), gives=Kind.CONDITION,
    meaning=_in_first, many=_in_first_many,
    phrase="going {0}, {cell} is level with the first {1:bare}",
    negation="going {0}, {cell} is not level with the first {1:bare}", wording=_in_first_wording, image=True,
)  # fmt: skip

ARRANGEMENT = (MIRRORED, IN_FIRST)
"""The primitives of this family."""
