"""Reach: the margin that planes need around the grids.

Conditions are computed on a frame slightly larger than the grids (`planes.py`). A program starts at a cell of the grid,
or nowhere; its attention moves by offsets, by scans, which stop at the first cell off the grid, and by the rules of its
primitives. Each primitive declares how much further off the grid it evaluates its conditions (`Primitive.reach`). The
sum of these along any path through the program bounds all cells that are read.

Reading through `view` does not use the frame and needs no margin.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from shown.grid import Grid
from shown.language.primitives import EVERYWHERE, Primitive, check_reach
from shown.language.shapes import Hole, Shape
from shown.language.terms import Argument, Term


@dataclass(frozen=True, slots=True)
class Reach:
    """Reach off the grid: a number of cells, plus a multiple of the larger side of the largest grid."""

    cells: int = 0
    sides: int = 0

    def margin(self, grids: Iterable[Grid]) -> int:
        """Return the margin around these grids, in cells."""
        return self.cells + (self.sides * max((max(grid.shape) for grid in grids), default=0) if self.sides else 0)


def margin_for(parts: Iterable[Term | Shape], language: Mapping[str, Primitive], grids: Iterable[Grid]) -> int:
    """Return the margin that the planes of these grids need for these terms or shapes.

    >>> from shown.grid import grid
    >>> from shown.language.primitives import LANGUAGE
    >>> from shown.language.terms import parse
    >>> scan = "at_action_cell(shifted((0, 2), scanning((1, 0), cell_is_value(a), cell_is_value(b))))"
    >>> margin_for([parse(scan, LANGUAGE, ["a", "b"])], LANGUAGE, [grid("ab")])
    3
    """
    return reach_of(parts, language).margin(grids)


def reach_of(parts: Iterable[Term | Shape], language: Mapping[str, Primitive]) -> Reach:
    """Return the largest reach of these terms or shapes."""
    known: dict[Term | Shape, Reach] = {}
    return _farthest(_reach(part, language, known) for part in parts)


def _reach(part: Term | Shape, language: Mapping[str, Primitive], known: dict[Term | Shape, Reach]) -> Reach:
    if part not in known:
        own = _own(part, language[part.primitive])
        inner = _farthest(_reach(argument, language, known) for argument in part.parts)
        known[part] = Reach(own.cells + inner.cells, own.sides + inner.sides)
    return known[part]


def _own(part: Term | Shape, primitive: Primitive) -> Reach:
    """Return the reach of the outermost primitive: its offsets and its declared reach."""
    atoms = [_atoms(argument) for argument in part.arguments if not isinstance(argument, Term | Shape)]
    offsets = max((abs(x) for choices in atoms for atom in choices if isinstance(atom, tuple) for x in atom), default=0)
    said = primitive.reach
    looks = [said(*chosen) for chosen in product(*atoms)] if callable(said) else [said]
    for reach in looks:
        check_reach(reach, primitive.name)
    near = max((int(reach) for reach in looks if reach != EVERYWHERE), default=0)
    return Reach(offsets + near, int(EVERYWHERE in looks))


def _atoms(argument: Argument | Hole) -> Sequence[Argument]:
    return argument.atoms if isinstance(argument, Hole) else (argument,)


def _farthest(reaches: Iterable[Reach]) -> Reach:
    """Return a reach that covers all of these, whatever the size of the grids."""
    cells, sides = 0, 0
    for reach in reaches:
        cells, sides = max(cells, reach.cells), max(sides, reach.sides)
    return Reach(cells, sides)
