"""Results of a primitive on many argument tuples at once, by its compiled twin, its kernel or its meaning."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from shown.engine.planes import Planes, pack
from shown.errors import BadInput
from shown.grid import Cell, Grid, Tokens
from shown.language.primitives import Primitive
from shown.language.reference import NOWHERE, View
from shown.language.terms import Argument, Kind, Term, names_by_kind


def argument_codes(
    primitive: Primitive, terms: Sequence[Term], names: Mapping[Kind, Sequence[str]], place: Callable[[Term], int]
) -> list[np.ndarray]:
    """Return the arguments of many terms as `run_many` takes them; `place` gives the plane index of a condition."""

    def code(kind: Kind, argument: Argument) -> object:
        if isinstance(argument, Term):
            return place(argument)
        return names[kind].index(str(argument)) if kind in names else argument

    return [
        np.array([code(kind, term.arguments[i]) for term in terms], dtype=np.int64)
        for i, kind in enumerate(primitive.takes)
    ]


def run_many(world: Planes, primitive: Primitive, arguments: Sequence[np.ndarray], store: np.ndarray) -> np.ndarray:
    """Apply a primitive to many argument tuples: conditions as plane indices in `store`, names as numbers. [n, ...]

    Uses the compiled twin of the primitive if it has one, else its kernel, else its meaning cell by cell.
    """
    if primitive.many is not None:
        return primitive.many(world, store, *arguments)

    names = names_by_kind(world.values, world.buttons)

    def argument(kind: Kind, code: np.ndarray) -> Argument | np.ndarray:
        if kind is Kind.CONDITION:
            return store[code]
        if kind is Kind.OFFSET:
            return int(code[0]), int(code[1])
        return names[kind][int(code)] if kind in names else int(code)

    results = []
    for i in range(how_many(arguments)):
        chosen = [argument(kind, codes[i]) for kind, codes in zip(primitive.takes, arguments, strict=True)]
        if primitive.kernel is not None:
            results.append(primitive.kernel(world, *chosen))
        else:
            results.append(run_cell_by_cell(world, primitive, chosen))
    return np.stack(results)


def how_many(arguments: Sequence[np.ndarray]) -> int:
    """Return the number of argument tuples: one, the empty tuple, for a primitive without arguments."""
    return len(arguments[0]) if arguments else 1


def run_cell_by_cell(world: Planes, primitive: Primitive, arguments: Sequence[Argument | np.ndarray]) -> np.ndarray:
    """Return the result of a kernel by evaluating the meaning of the primitive at every cell of every state. Slow.

    A program has a value for every action: a plane, or `[buttons, words]` in worlds with buttons.
    """
    rows, columns, words = world.shape
    state_at = {int(slot): state for state, slot in enumerate(world.slot)}
    program = primitive.gives is Kind.PROGRAM
    width = (len(world.buttons),) if program and world.buttons else (rows, columns)
    bits = np.zeros((words * 64, *width), dtype=bool)
    for bit in range(words * 64):
        grid = world.grids[state_at[bit]] if bit in state_at else None
        bound = [_bit_at(world, primitive, a, bit) if isinstance(a, np.ndarray) else a for a in arguments]
        if not program:
            _fill_condition(world, primitive, grid, bit, bound, bits[bit])
        elif grid is not None:
            _fill_program(world, primitive, grid, bound, bits[bit])
    return pack(bits)


def _bit_at(world: Planes, primitive: Primitive, plane: np.ndarray, bit: int) -> Callable[[View, Cell | None], bool]:
    """Return the condition with this plane, for the state at a bit."""
    rows, columns, words = world.shape
    void, nowhere = words * 64 - 2, words * 64 - 1

    def holds(view: View, cell: Cell | None) -> bool:
        if bit == nowhere and cell is not NOWHERE:
            raise _looks_from_nowhere(primitive)
        r, c, at = (0, 0, nowhere) if cell is NOWHERE else (cell[0] + world.margin, cell[1] + world.margin, bit)
        if not (0 <= r < rows and 0 <= c < columns):
            r, c, at = 0, 0, void
        return bool(int(plane[r, c, at // 64]) >> (at % 64) & 1)

    return holds


def _fill_program(world: Planes, primitive: Primitive, grid: Grid, bound: Sequence[object], out: np.ndarray) -> None:
    """Set the values of a program for all actions of a state. [buttons] or [rows, columns]"""
    for place, button in enumerate(world.buttons):
        out[place] = primitive.meaning(View(grid, world.tokens, button), *bound)
    # Only cells of the grid are clicked: a meaning may fail elsewhere.
    for r, c in () if world.buttons else grid.cells():
        out[r + world.margin, c + world.margin] = primitive.meaning(View(grid, world.tokens, (r, c)), *bound)


def _fill_condition(
    world: Planes, primitive: Primitive, grid: Grid | None, bit: int, bound: Sequence[object], out: np.ndarray
) -> None:
    """Set the values of a condition at all cells of the state at a bit; without a grid, it is not real."""
    margin = world.margin
    if grid is not None:
        view = View(grid, world.tokens)
        for r, c in np.ndindex(out.shape):
            out[r, c] = primitive.meaning(view, (r - margin, c - margin), *bound)
    elif bit == world.shape[2] * 64 - 1:
        out[:] = primitive.meaning(_NoView(primitive, world.tokens), NOWHERE, *bound)
    else:
        # The void has no cell on its grid; a cell far from a small grid sees the same.
        one_cell = Grid((next(iter(world.tokens)),))
        far = (-2 * margin - 2, -2 * margin - 2)
        out[:] = primitive.meaning(View(one_cell, world.tokens), far, *bound)


class _NoView(View):
    """View from nowhere. All states share it, so a meaning must not look at the grid from there."""

    def __init__(self, primitive: Primitive, tokens: Tokens) -> None:
        self._primitive, self.tokens, self.action = primitive, tokens, None

    @property
    def grid(self) -> Grid:  # type: ignore[override]
        raise _looks_from_nowhere(self._primitive)


def _looks_from_nowhere(primitive: Primitive) -> BadInput:
    return BadInput(
        f"primitive {primitive.name} looks at the grid although attention is nowhere. Start its meaning with "
        "`if cell is NOWHERE: return False`, or return another value there that is the same for all states."
    )
