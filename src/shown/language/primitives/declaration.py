"""The declaration of a primitive: meaning, bit kernel and English in one place.

Printing, parsing, enumeration, evaluation, export, symmetry and explanation all read this declaration.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from shown.errors import BadInput, ShownError
from shown.grid import Cell, Tokens
from shown.language.reference import View
from shown.language.terms import Kind, Term
from shown.registry import is_name, is_place, reason

if TYPE_CHECKING:
    from shown.language.grammar import Grammar

    GrammarMaker = Callable[[Tokens, tuple[str, ...]], Grammar]

Condition = Callable[[View, Cell | None], bool]
EVERYWHERE: Final = math.inf
"""Reach of a primitive that may evaluate its conditions as far off the grid as the grid's larger side."""
FARTHEST = 10**6
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True)
class Primitive:
    """One method of the language.

    Attributes:
        name: name in program text.
        takes: kinds of the arguments.
        gives: CONDITION or PROGRAM.
        meaning: definition, `(view, cell, *arguments) -> bool` for a condition, `(view, *arguments) -> bool` for a
            program; condition arguments are functions `(view, cell) -> bool`. The cell may be off the grid, or NOWHERE,
            where the value must not depend on the grid. A condition must not depend on the action.
        kernel: the same for all states at once, `(planes, *arguments) -> array`. Condition arguments and the result of
            a condition are arrays `[rows, columns, words]`. A program returns such an array if it depends on the
            clicked cell, `[words]` if it does not depend on the action, `[buttons, words]` if it depends on the button.
            Without a kernel, `meaning` is evaluated cell by cell, which is slow.
        many: a compiled kernel for many argument tuples, `(planes, store, *arguments)`, or None; it is used instead of
            `kernel`. Conditions are plane indices in `store`; values, buttons and areas are numbers; offsets are pairs.
        at_places: evaluation at places (`places.py`), for primitives that read few cells, or None. For a condition,
            `(places, *choices) -> bits`: a choice of conditions is a function from places to bits `[n, S, words]`, any
            other choice an array as in `many`, `[n]` or `[n, 2]`; the result has all combinations, the last choice
            varying fastest. For a program that does not depend on the action, `(planes, *choices) -> [n, words]`.
        walks: whether it evaluates its conditions along a line rather than at one place.
        phrase: English; `{cell}` is the attended cell, `{0}` … the arguments.
        negation: English for the opposite.
        at: name of the cell at which the condition arguments are evaluated, if it differs.
        wording: function that returns another phrase and negation for some arguments, or None.
        reach: how many cells further off the grid its conditions are evaluated, not counting its offsets: 0 for the
            same
            cell or cells of the grid, 1 for neighbors, and so on; `EVERYWHERE` for up to a whole grid; or a function of
            the other arguments. Reading through `view` does not count. Too small a reach gives wrong results.
        needs: "click" if it only makes sense where cells are clicked, "button" where actions are buttons (the default
            for primitives that take one), None for all worlds.
        image: behavior under a `Transformation`. True: transforming its arguments gives its image. A function
            `(arguments, transformation)` of the transformed arguments returns the image, or None if there is none.
            False: unknown.
    """

    name: str
    takes: tuple[Kind, ...]
    gives: Kind
    meaning: Callable[..., bool]
    phrase: str
    negation: str
    kernel: Callable[..., np.ndarray] | None = None
    many: Callable[..., np.ndarray] | None = None
    at_places: Callable[..., np.ndarray] | None = None
    walks: bool = False
    at: str | None = None
    wording: Callable[..., tuple[str, str] | None] | None = None
    reach: float | Callable[..., float] = 0
    needs: Literal["click", "button"] | None = None
    image: bool | Callable[..., Term | None] = False

    def __post_init__(self) -> None:
        if not _WORD.fullmatch(self.name):
            raise BadInput(f"primitive {self.name!r} needs a name of letters, digits and underscores.")
        if self.gives not in (Kind.PROGRAM, Kind.CONDITION):
            raise BadInput(f"primitive {self.name} gives a {self.gives}; it must give a program or a condition.")
        if Kind.PROGRAM in self.takes:
            raise BadInput(f"primitive {self.name} takes a program; programs are combined by formulas, not primitives.")
        if not callable(self.reach):
            check_reach(self.reach, self.name)
        if self.needs is None and Kind.BUTTON in self.takes:
            object.__setattr__(self, "needs", "button")
        if self.needs not in (None, "click", "button"):
            raise BadInput(f"primitive {self.name} needs {self.needs!r}; it can need a 'click' or a 'button'.")

    def check_actions(self, buttons: tuple[str, ...], where: str = "") -> None:
        """Raise BadInput if this primitive makes no sense in a world with (or without) buttons."""
        if self.needs == "click" and buttons:
            raise BadInput(
                f"{where}{self.name} needs a clicked cell, but here actions are buttons: {', '.join(buttons)}. "
                "Use action_is and at_cell_with_value, as paper_grammar(tokens, buttons) does."
            )
        if self.needs == "button" and not buttons:
            raise BadInput(
                f"{where}{self.name} needs buttons, but here cells are clicked. "
                "Use at_action_cell, or give the buttons of the demonstrations."
            )


def check_reach(reach: float, name: str) -> None:
    """Raise BadInput unless this is a valid reach."""
    if reach != EVERYWHERE and reach not in range(FARTHEST + 1):
        raise BadInput(
            f"primitive {name}: reach {reach!r} must be a whole number from 0 to {FARTHEST:,}, or EVERYWHERE."
        )


class Language(Mapping[str, Primitive]):
    """A set of primitives by name. `LANGUAGE.extended(MINE)` adds to it.

    Languages are equal if their primitives and their grammars are, whatever their names.

    Args:
        primitives: the primitives.
        name: name in commands and files; None for an unnamed language.
        grammar: function `(tokens, buttons) -> Grammar`; None if a grammar is always given.
    """

    def __init__(
        self, primitives: Iterable[Primitive], name: str | None = None, grammar: GrammarMaker | None = None
    ) -> None:
        if name is not None and not is_name(name) and not is_place(name):
            raise BadInput(
                f"language {name!r} needs a name of lower-case letters, digits and hyphens, such as 'with-counting'."
            )
        self._table: dict[str, Primitive] = {}
        for primitive in primitives:
            if primitive.name in self._table:
                raise BadInput(f"a language has two primitives called {primitive.name}. Give one another name.")
            self._table[primitive.name] = primitive
        self.name, self._grammar = name, grammar

    def __getitem__(self, name: str) -> Primitive:
        return self._table[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._table)

    def __len__(self) -> int:
        return len(self._table)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Language):
            return NotImplemented
        return self._table == other._table and self._grammar == other._grammar

    def __hash__(self) -> int:
        return hash((frozenset(self._table), self._grammar))

    def __repr__(self) -> str:
        return f"Language({', '.join(self._table)})"

    def grammar(self, tokens: Tokens, buttons: tuple[str, ...] = ()) -> Grammar:
        """Return the grammar for a world with these tokens and buttons; raise BadInput if there is none."""
        called = f"language {self.name!r}" if self.name else "this unnamed language"
        if self._grammar is None:
            raise BadInput(f"{called} has no grammar to learn with. Create it with Language(…, grammar=…).")
        try:
            # Policies learned with this grammar belong to this language, whatever the function returns.
            return replace(self._grammar(tokens, buttons), language=self)
        except ShownError as error:
            raise BadInput(f"{called}: {error}") from None
        except Exception as error:
            raise BadInput(f"{called}: its grammar cannot be created ({reason(error)}).") from error

    def extended(
        self,
        *primitives: Primitive,
        name: str | None = None,
        grammar: GrammarMaker | None = None,
        replacing: bool = False,
    ) -> Language:
        """Return a new language with further primitives, and a name and a grammar of its own.

        With `replacing`, primitives may replace existing ones.

        >>> from shown.language.primitives import LANGUAGE
        >>> LANGUAGE.extended(LANGUAGE["shifted"])  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        shown.errors.BadInput: the language already has a primitive shifted. Give yours another name, or pass ...
        """
        for primitive in primitives:
            if primitive.name in self and not replacing:
                raise BadInput(
                    f"the language already has a primitive {primitive.name}. Give yours another name, "
                    "or pass replacing=True."
                )
        return Language({**self, **Language(primitives)}.values(), name, grammar)

    def called(self, name: str) -> Language:
        """Return the same language under another name."""
        return Language(self.values(), name, self._grammar)
