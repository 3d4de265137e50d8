"""Shapes: terms with holes, and blocks of programs with one shape.

All programs of a shape are equally probable; they differ only in the atoms in the holes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from shown.language.terms import Argument, Kind, Term


@dataclass(frozen=True)
class Hole:
    """A place in a shape that any of some equally probable atoms can fill."""

    kind: Kind
    atoms: tuple[Argument, ...]


@dataclass(frozen=True)
class Shape:
    """A term with holes."""

    primitive: str
    arguments: tuple[Shape | Hole, ...]

    @cached_property
    def _hash(self) -> int:
        return hash((self.primitive, self.arguments))

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        # Hashes of strings differ between processes, so the cached one must not be pickled.
        return Shape, (self.primitive, self.arguments)

    @cached_property
    def count(self) -> int:
        """Number of terms of this shape."""
        return math.prod(size(argument) for argument in self.arguments)

    def term(self, index: int) -> Term:
        """Return the term at `index`, in the order in which the last hole varies fastest."""
        arguments: list[Argument] = []
        for argument in reversed(self.arguments):
            index, i = divmod(index, size(argument))
            arguments.append(argument.term(i) if isinstance(argument, Shape) else argument.atoms[i])
        return Term(self.primitive, tuple(reversed(arguments)))

    def has(self, term: Term) -> bool:
        """Return whether `term` has this shape."""
        return self.primitive == term.primitive and all(
            isinstance(inner, Term) and argument.has(inner) if isinstance(argument, Shape) else inner in argument.atoms
            for argument, inner in zip(self.arguments, term.arguments, strict=True)
        )

    @property
    def parts(self) -> tuple[Shape, ...]:
        return tuple(argument for argument in self.arguments if isinstance(argument, Shape))


def size(argument: Shape | Hole) -> int:
    """Return the number of ways to fill an argument."""
    return argument.count if isinstance(argument, Shape) else len(argument.atoms)


@dataclass(frozen=True)
class Block:
    """Consecutive programs of one shape.

    Attributes:
        shape: the shape.
        probability: probability of each program.
        start: number of programs before this block.
        count: number of programs; less than all of the shape only where a budget ends.
    """

    shape: Shape
    probability: Fraction
    start: int
    count: int

    @cached_property
    def log_prior(self) -> float:
        return log(self.probability)


def log(probability: Fraction) -> float:
    """Return the natural logarithm of a fraction that may be far below the smallest float."""
    return math.log(probability.numerator) - math.log(probability.denominator)
