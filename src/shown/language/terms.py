"""Terms: primitives applied to arguments, some of which are terms again.

This module covers their structure only: building, printing, parsing and measuring. `primitives/` defines meaning,
computation and English.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from shown.errors import BadProgram, did_you_mean
from shown.grid import AREAS

Offset = tuple[int, int]
"""A displacement: (rows down, columns right)."""


class Kind(StrEnum):
    """Kind of an argument or a term."""

    PROGRAM = "program"
    """Function of a state and an action; the paper's P."""
    CONDITION = "condition"
    """Function of a state and a cell; the paper's C and B."""
    VALUE = "value"
    """Name of a token, or OFF; the paper's V."""
    OFFSET = "offset"
    """The paper's O."""
    NUMBER = "number"
    """Integer, for primitives that count."""
    BUTTON = "button"
    """Name of an action, in worlds with buttons."""
    AREA = "area"
    """Set of cells around a cell, one of `AREAS`."""


def names_by_kind(values: Sequence[str], buttons: Sequence[str] = ()) -> dict[Kind, Sequence[str]]:
    """Return the valid names of each kind."""
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
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash((self.primitive, self.arguments)))

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        # Hashes differ between processes.
        return Term, (self.primitive, self.arguments)

    def __str__(self) -> str:
        return f"{self.primitive}({', '.join(_print(argument) for argument in self.arguments)})"

    @property
    def parts(self) -> tuple[Term, ...]:
        """Arguments that are terms themselves."""
        return tuple(argument for argument in self.arguments if isinstance(argument, Term))

    @property
    def size(self) -> int:
        """Number of method calls."""
        return 1 + sum(part.size for part in self.parts)

    @property
    def depth(self) -> int:
        """Height of the parse tree, in method calls."""
        return 1 + max((part.depth for part in self.parts), default=0)

    def walk(self) -> Iterator[Term]:
        """Yield this term and all terms inside it."""
        yield self
        for part in self.parts:
            yield from part.walk()


Argument = Term | str | int | Offset


class Signature(Protocol):
    """The part of a primitive that the parser uses."""

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
    """Return the term that a text stands for; raise BadProgram if it is malformed.

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
        raise BadProgram(f"program {text!r}: unexpected text from {text[end : end + 20]!r} on.")
    reader = _Reader(text, pieces, signatures, values, buttons)
    term = reader.read(kind, 0)
    if reader.at < len(pieces):
        raise BadProgram(f"program {text!r}: unexpected text after its end.")
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
            raise self.fail("unexpected end.")
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
                raise self.fail("the offset (0, 0) is not allowed: a scan along it would not end.")
            if max(abs(down), abs(right)) > MAX_OFFSET:
                raise self.fail(f"the offset ({down}, {right}) is too large; at most {MAX_OFFSET} either way.")
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
            raise self.fail(f"{name} is a {signature.gives}, but a {kind} is needed.")
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
            raise self.fail(f"an integer expected, {piece!r} found.") from None
        if abs(number) > MAX_NUMBER:
            raise self.fail(f"the number {piece} is too large.")
        return number


def _print(argument: Argument) -> str:
    return f"({argument[0]}, {argument[1]})" if isinstance(argument, tuple) else str(argument)
