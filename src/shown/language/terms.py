"""Terms: a program is a primitive applied to arguments, some of which are terms again.

Here a term is only its structure: it can be built, printed, parsed and measured. What a primitive means, how it is
computed and how it is said stands in `primitives/`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from shown.errors import BadProgram, did_you_mean
from shown.grid import AREAS

Offset = tuple[int, int]
"""A displacement: (rows down, columns right)."""


class Kind(StrEnum):
    """What an argument can be."""

    PROGRAM = "program"
    """Looks at a state and an action; the paper's P."""
    CONDITION = "condition"
    """Looks at a state from a cell; the paper's C and B."""
    VALUE = "value"
    """The name of a token, or OFF; the paper's V."""
    OFFSET = "offset"
    """The paper's O."""
    NUMBER = "number"
    """A whole number, for primitives that count."""
    BUTTON = "button"
    """The name of an action, in worlds with buttons."""
    AREA = "area"
    """Some cells of the grid as seen from a cell, one of `AREAS`."""


def names_by_kind(values: Sequence[str], buttons: Sequence[str] = ()) -> dict[Kind, Sequence[str]]:
    """What can stand where a name of some kind is needed."""
    return {Kind.VALUE: values, Kind.BUTTON: buttons, Kind.AREA: AREAS}


@dataclass(frozen=True, slots=True)
class Term:
    """A primitive's name and its arguments.

    >>> term = Term("at_action_cell", (Term("cell_is_value", ("empty",)),))
    >>> str(term), term.size, term.depth
    ('at_action_cell(cell_is_value(empty))', 2, 2)
    """

    primitive: str
    arguments: tuple[Argument, ...]

    def __str__(self) -> str:
        return f"{self.primitive}({', '.join(_print(argument) for argument in self.arguments)})"

    @property
    def parts(self) -> tuple[Term, ...]:
        """The arguments that are terms themselves."""
        return tuple(argument for argument in self.arguments if isinstance(argument, Term))

    @property
    def size(self) -> int:
        """The number of method calls."""
        return 1 + sum(part.size for part in self.parts)

    @property
    def depth(self) -> int:
        """The height of the parse tree, counted in method calls."""
        return 1 + max((part.depth for part in self.parts), default=0)

    def walk(self) -> Iterator[Term]:
        """This term and all terms inside it."""
        yield self
        for part in self.parts:
            yield from part.walk()


Argument = Term | str | int | Offset


class Signature(Protocol):
    """What the parser must know of a primitive."""

    @property
    def takes(self) -> tuple[Kind, ...]: ...

    @property
    def gives(self) -> Kind: ...


MAX_TEXT = 4000
MAX_DEPTH = 40
MAX_NUMBER = 10**6
MAX_OFFSET = 999
_PIECE = re.compile(r"\s*(?:(?P<name>[A-Za-z_]\w*)|(?P<number>[+-]?\d{1,7})|(?P<mark>[(),]))")


def parse(
    text: str,
    signatures: Mapping[str, Signature],
    values: Sequence[str],
    buttons: Sequence[str] = (),
    kind: Kind = Kind.PROGRAM,
) -> Term:
    """Reads a term back from its text and checks that it makes sense.

    >>> from shown.language.primitives import LANGUAGE
    >>> text = "at_action_cell(shifted((0, 1), cell_is_value(empty)))"
    >>> str(parse(text, LANGUAGE, ["empty", "OFF"])) == text
    True
    """
    if len(text) > MAX_TEXT:
        raise BadProgram(f"program {text[:40]!r}… is longer than {MAX_TEXT} characters.")
    pieces, end = [], 0
    for match in _PIECE.finditer(text):
        if match.start() != end:
            break
        end = match.end()
        pieces.append(match.group().strip())
    if text[end:].strip():
        raise BadProgram(f"program {text!r}: cannot read from {text[end : end + 20]!r} on.")
    reader = _Reader(text, pieces, signatures, values, buttons)
    term = reader.read(kind, 0)
    if reader.at < len(pieces):
        raise BadProgram(f"program {text!r}: something follows its end.")
    assert isinstance(term, Term)
    return term


class _Reader:
    def __init__(
        self,
        text: str,
        pieces: list[str],
        signatures: Mapping[str, Signature],
        values: Sequence[str],
        buttons: Sequence[str],
    ) -> None:
        self.text, self.pieces, self.signatures = text, pieces, signatures
        self.names = names_by_kind(values, buttons)
        self.at = 0

    def fail(self, reason: str) -> BadProgram:
        return BadProgram(f"program {self.text!r}: {reason}")

    def next(self, expected: str | None = None) -> str:
        if self.at >= len(self.pieces):
            raise self.fail("it ends too early.")
        piece = self.pieces[self.at]
        if expected is not None and piece != expected:
            raise self.fail(f"{expected!r} expected, {piece!r} found.")
        self.at += 1
        return piece

    def read(self, kind: Kind, depth: int) -> Argument:
        if depth > MAX_DEPTH:
            raise self.fail(f"nested deeper than {MAX_DEPTH}.")
        if kind is Kind.OFFSET:
            self.next("(")
            down = self.number()
            self.next(",")
            right = self.number()
            self.next(")")
            if down == right == 0:
                raise self.fail("the offset (0, 0) leads nowhere: a scan along it would not end.")
            if max(abs(down), abs(right)) > MAX_OFFSET:
                raise self.fail(f"the offset ({down}, {right}) leads too far; at most {MAX_OFFSET} either way.")
            return down, right
        if kind is Kind.NUMBER:
            return self.number()
        name = self.next()
        if kind in self.names:
            if name not in self.names[kind]:
                a_kind = f"an {kind}" if kind is Kind.AREA else f"a {kind}"
                raise self.fail(f"{name!r} is not {a_kind} here. {did_you_mean(name, self.names[kind])}")
            return name
        signature = self.signatures.get(name)
        if signature is None:
            raise self.fail(f"there is no primitive {name!r}. {did_you_mean(name, self.signatures)}")
        if signature.gives is not kind:
            raise self.fail(f"{name} gives a {signature.gives}, but a {kind} is needed.")
        arguments = []
        self.next("(")
        for i, wanted in enumerate(signature.takes):
            if i:
                self.next(",")
            arguments.append(self.read(wanted, depth + 1))
        self.next(")")
        return Term(name, tuple(arguments))

    def number(self) -> int:
        piece = self.next()
        try:
            number = int(piece)
        except ValueError:
            raise self.fail(f"a whole number expected, {piece!r} found.") from None
        if abs(number) > MAX_NUMBER:
            raise self.fail(f"{piece} is too large a number.")
        return number


def _print(argument: Argument) -> str:
    return f"({argument[0]}, {argument[1]})" if isinstance(argument, tuple) else str(argument)
