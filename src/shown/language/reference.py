"""The interpreter that defines what a program means: slow, obvious, one state and one action at a time.

Every fast path of the package is tested against this one. It has one refinement: within a run, what a condition over
conditions says at a cell is kept. A scan inside a scan inside a scan asks the same again and again, at a cost that is
multiplied with each level.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from shown.errors import BadInput
from shown.grid import OFF, Action, Cell, Grid, Tokens
from shown.language.terms import Kind, Term

if TYPE_CHECKING:
    from shown.language.primitives import Primitive

NOWHERE = None
"""Where attention is when it was sent to a cell with a value that no cell has."""


class View:
    """A state as programs see it. Subclasses may watch what is looked at (`explain.py` does)."""

    def __init__(self, grid: Grid, tokens: Tokens, action: Action | None = None) -> None:
        self.grid, self.tokens, self.action = grid, tokens, action

    def value(self, cell: Cell | None) -> str:
        """The name of the value at `cell`; OFF outside the grid and nowhere."""
        character = None if cell is NOWHERE else self.grid.get(cell)
        return OFF if character is None else self.tokens.name(character)

    def inside(self, cell: Cell | None) -> bool:
        return cell is not NOWHERE and self.grid.inside(cell)

    def first(self, value: str) -> Cell | None:
        """The first cell in reading order with `value`, or NOWHERE."""
        return NOWHERE if value == OFF else self.grid.find(self.tokens[value])

    def where(self, value: str) -> tuple[Cell, ...]:
        """All cells in reading order with `value`; none for OFF. Those that matter are then looked at with `value`."""
        return () if value == OFF else self.grid.where(self.tokens[value])

    def walked(self, path: list[Cell]) -> None:
        """Called by primitives that walk over the grid, with the cells they visited."""

    def counted(self, cells: list[Cell]) -> None:
        """Called by primitives that look at many cells, with those that made the difference."""


def run(term: Term, view: View, language: Mapping[str, Primitive]) -> bool:
    """What a program says about a state and an action.

    >>> from shown.grid import grid
    >>> from shown.language.primitives import LANGUAGE
    >>> from shown.language.terms import parse
    >>> tokens = Tokens(empty=".", stick="|")
    >>> program = parse("at_action_cell(shifted((0, 1), cell_is_value(empty)))", LANGUAGE, tokens.values)
    >>> [run(program, View(grid("|."), tokens, click), LANGUAGE) for click in ((0, 0), (0, 1))]
    [True, False]
    """
    return bool(_bind(term, language)(view))


def check(term: Term, view: View, cell: Cell | None, language: Mapping[str, Primitive]) -> bool:
    """What a condition says about a state from a cell."""
    return bool(_bind(term, language)(view, cell))


def _bind(term: Term, language: Mapping[str, Primitive]) -> Any:
    """A term as a function: of a view, and, if it is a condition, of a cell."""
    primitive = language[term.primitive]
    meaning = primitive.meaning
    arguments = [_bind(a, language) if isinstance(a, Term) else a for a in term.arguments]
    if primitive.gives is Kind.CONDITION and Kind.CONDITION in primitive.takes:
        return _asked_once(meaning, arguments)
    return lambda view, *cell: meaning(view, *cell, *arguments)


def _asked_once(meaning: Callable[..., bool], arguments: list[Any]) -> Callable[[View, Cell | None], bool]:
    """A condition over conditions that keeps its answers."""
    answers: dict[tuple[View, Cell | None], bool] = {}

    def holds(view: View, cell: Cell | None) -> bool:
        try:
            answer = answers.get((view, cell))
        except TypeError:
            raise BadInput(f"a condition is asked at {cell!r}; a cell is a tuple (row, column), or NOWHERE.") from None
        if answer is None:
            answer = answers[view, cell] = bool(meaning(view, cell, *arguments))
        return answer

    return holds
