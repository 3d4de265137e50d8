"""What a primitive is: one declaration with its meaning, bit kernel and English.

A primitive is declared once; printing, parsing, enumeration, evaluation and explanation read the declaration.
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
"""The reach of a primitive that may ask its conditions as far off the grid as the grid's larger side."""
FARTHEST = 10**6
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True)
class Primitive:
    """All there is to know about one method of the language.

    Attributes:
        name: how it is written.
        takes: the kinds of its arguments.
        gives: CONDITION or PROGRAM.
        meaning: for a condition `(view, cell, *arguments) -> bool`, for a program `(view, *arguments) -> bool`;
            condition arguments are functions `(view, cell) -> bool`. The cell may be off the grid, or NOWHERE, where
            the answer must not depend on the grid. A condition's answer must not depend on the action.
        kernel: the same for all states at once: `(planes, *arguments) -> array`, where condition arguments are arrays
            `[rows, columns, words]` and so is a condition's result. A program gives such an array too if it depends on
            the clicked cell, `[words]` if it does not depend on the action, `[buttons, words]` if it depends on the
            button. None: `meaning` is asked cell by cell, which is slow.
        many: a compiled twin of `kernel` for many argument tuples at once, or None: `(planes, store, *arguments)`,
            where conditions are numbers of planes in `store`, values, buttons and areas are their numbers, and
            offsets pairs.
        at_places: the same at some places of all states (`places.py`), for primitives that ask few cells, or None. A
            condition's is `(places, *choices) -> bits`, where a choice of conditions is a function from places to bits
            `[n, S, words]`, and any other choice an array of numbers as `many` takes them, `[n]` or `[n, 2]`; the
            result is such bits, for all combinations, the last choice changing fastest. A program's is
            `(planes, *choices) -> [n, words]`, if it does not depend on the action.
        walks: whether it asks its conditions all along a line rather than at one place.
        phrase: how it is said. `{cell}` is the cell it is asked at, `{0}` … its arguments.
        negation: how its opposite is said.
        at: if given, how the cell is called at which the condition arguments are asked.
        wording: if given, another phrase and negation for some arguments, or None for the usual ones.
        reach: how many cells further off the grid it may ask its conditions than it is asked itself, not counting its
            offsets: 0 if at the same cell or on the grid only, 1 if at the neighbours, and so on; `EVERYWHERE` if up to
            a whole grid further; or a function of its other arguments that says so. What it reads through `view` does
            not count. A primitive that asks further than it says is computed wrongly.
        needs: "click" if it makes sense only where cells are clicked, "button" if only where actions are buttons (as it
            is for all that take one), None if in all worlds.
        image: what becomes of it where a grid is mirrored or turned, or tokens are exchanged. True: with its arguments
            transformed, it says of the image what it said of the original. A function `(arguments, transformation)` of
            the transformed arguments gives the term that does, or None if there is none. False: nobody knows.
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
        """Raises BadInput if this primitive makes no sense in a world with (or, if there are none, without) buttons."""
        if self.needs == "click" and buttons:
            raise BadInput(
                f"{where}{self.name} is about the clicked cell, but here actions are buttons: {', '.join(buttons)}. "
                "Use action_is and at_cell_with_value, as paper_grammar(tokens, buttons) does."
            )
        if self.needs == "button" and not buttons:
            raise BadInput(
                f"{where}{self.name} is about buttons, but here cells are clicked. "
                "Use at_action_cell, or say what the buttons are where the demonstrations are made."
            )


def check_reach(reach: float, name: str) -> None:
    """Raises BadInput unless this can be a primitive's reach."""
    if reach != EVERYWHERE and reach not in range(FARTHEST + 1):
        raise BadInput(
            f"primitive {name}: reach {reach!r} must be a whole number from 0 to {FARTHEST:,}, or EVERYWHERE."
        )


class Language(Mapping[str, Primitive]):
    """A set of primitives by name. `LANGUAGE.extended(MINE)` adds to it.

    Two languages with the same words are equal, whatever they are called.

    Args:
        primitives: its words.
        name: what it is called in commands and files; None if nobody has named it.
        grammar: the grammar over its words for a world, `(tokens, buttons) -> Grammar`; None if one is always given.
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

    def __hash__(self) -> int:
        return hash(frozenset(self._table))

    def __repr__(self) -> str:
        return f"Language({', '.join(self._table)})"

    def grammar(self, tokens: Tokens, buttons: tuple[str, ...] = ()) -> Grammar:
        """The grammar over these words for a world with these tokens and buttons; BadInput if it gives none."""
        called = f"language {self.name!r}" if self.name else "this language, which has no name,"
        if self._grammar is None:
            raise BadInput(f"{called} gives no grammar to learn with. Make it with Language(…, grammar=…).")
        try:
            # The policies learned with it are in this language, whatever the function calls it.
            return replace(self._grammar(tokens, buttons), language=self)
        except ShownError as error:
            raise BadInput(f"{called}: {error}") from None
        except Exception as error:
            raise BadInput(f"{called}: its grammar cannot be made ({reason(error)}).") from error

    def extended(
        self,
        *primitives: Primitive,
        name: str | None = None,
        grammar: GrammarMaker | None = None,
        replacing: bool = False,
    ) -> Language:
        """This language with further primitives; with `replacing`, they may stand for some that it has already.

        It is another language, so its name and its grammar are its own.

        >>> from shown.language.primitives import LANGUAGE
        >>> LANGUAGE.extended(LANGUAGE["shifted"])  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        shown.errors.BadInput: the language has a primitive shifted already. Give yours another name, or say ...
        """
        for primitive in primitives:
            if primitive.name in self and not replacing:
                raise BadInput(
                    f"the language has a primitive {primitive.name} already. Give yours another name, "
                    "or say replacing=True."
                )
        return Language({**self, **Language(primitives)}.values(), name, grammar)

    def called(self, name: str) -> Language:
        """The same language under another name."""
        return Language(self.values(), name, self._grammar)
