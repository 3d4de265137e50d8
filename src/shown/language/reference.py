"""The reference interpreter, which defines the meaning of programs: slow, simple, one state and action at a time.

Every fast path of the package is tested against it. Within a run it caches the values of conditions over conditions,
since nested scans evaluate the same ones repeatedly.
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
"""Attention sent to a value that no cell has."""


class View:
    """A state as programs see it. Subclasses may record the cells that are read, as `explain.py` does."""

    def __init__(self, grid: Grid, tokens: Tokens, action: Action | None = None) -> None:
        self.grid, self.tokens, self.action = grid, tokens, action

    def value(self, cell: Cell | None) -> str:
        """Return the value at `cell`; OFF outside the grid and nowhere."""
        character = None if cell is NOWHERE else self.grid.get(cell)
        return OFF if character is None else self.tokens.name(character)

    def inside(self, cell: Cell | None) -> bool:
        return cell is not NOWHERE and self.grid.inside(cell)

    def first(self, value: str) -> Cell | None:
        """Return the first cell in reading order with `value`, or NOWHERE."""
        return NOWHERE if value == OFF else self.grid.find(self.tokens[value])

    def where(self, value: str) -> tuple[Cell, ...]:
        """Return all cells in reading order with `value`, none for OFF. Read those that matter with `value`."""
        return () if value == OFF else self.grid.where(self.tokens[value])

    def walked(self, path: list[Cell]) -> None:
        """Record the path of a primitive that walks over the grid."""

    def counted(self, cells: list[Cell]) -> None:
        """Record the decisive cells of a primitive that reads many."""


class TooManyLooksError(Exception):
    """Programs have read as many cells of a `LimitedView` as they may."""


class LimitedView(View):
    """A view that raises `TooManyLooksError` after a number of looks at cells.

    Attributes:
        looks: number of looks left.
    """

    def __init__(self, grid: Grid, tokens: Tokens, action: Action | None, looks: int) -> None:
        super().__init__(grid, tokens, action)
        self.looks = looks

    def value(self, cell: Cell | None) -> str:
        self._look()
        return super().value(cell)

    def inside(self, cell: Cell | None) -> bool:
        self._look()
        return super().inside(cell)

    def _look(self) -> None:
        self.looks -= 1
        if self.looks < 0:
            raise TooManyLooksError


def run(term: Term, view: View, language: Mapping[str, Primitive]) -> bool:
    """Return the value of a program for a state and an action.

    >>> from shown.grid import grid
    >>> from shown.language.primitives import LANGUAGE
    >>> from shown.language.terms import parse
    >>> tokens = Tokens(empty=".", stick="|")
    >>> program = parse("at_action_cell(shifted((0, 1), cell_is_value(empty)))", LANGUAGE, tokens.values)
    >>> [run(program, View(grid("|."), tokens, click), LANGUAGE) for click in ((0, 0), (0, 1))]
    [True, False]
    """
    return bool(bind(term, language)(view))


def check(term: Term, view: View, cell: Cell | None, language: Mapping[str, Primitive]) -> bool:
    """Return the value of a condition for a state and a cell."""
    return bool(bind(term, language)(view, cell))


def bind(term: Term, language: Mapping[str, Primitive]) -> Any:
    """Return a term as a function of a view, and of a cell if it is a condition.

    It keeps the answers of conditions for each view; they do not depend on the view's action.
    """
    primitive = language[term.primitive]
    meaning = primitive.meaning
    arguments = [bind(a, language) if isinstance(a, Term) else a for a in term.arguments]
    if primitive.gives is Kind.CONDITION and Kind.CONDITION in primitive.takes:
        return _asked_once(meaning, arguments)
    return lambda view, *cell: meaning(view, *cell, *arguments)


def _asked_once(meaning: Callable[..., bool], arguments: list[Any]) -> Callable[[View, Cell | None], bool]:
    """Return a condition over conditions that caches its values."""
    answers: dict[tuple[View, Cell | None], bool] = {}

    def holds(view: View, cell: Cell | None) -> bool:
        try:
            answer = answers.get((view, cell))
        except TypeError:
            raise BadInput(f"a condition is evaluated at {cell!r}; a cell is (row, column) or NOWHERE.") from None
        if answer is None:
            answer = answers[view, cell] = bool(meaning(view, cell, *arguments))
        return answer

    return holds
