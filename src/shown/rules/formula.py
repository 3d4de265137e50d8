"""Formulas over programs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from shown.language.terms import Term


@dataclass(frozen=True, slots=True)
class Literal:
    """A program, or its negation."""

    term: Term
    positive: bool = True

    def __str__(self) -> str:
        return str(self.term) if self.positive else f"not {self.term}"

    @property
    def opposite(self) -> Literal:
        """The negation of this literal."""
        return Literal(self.term, not self.positive)


Clause = tuple[Literal, ...]
"""Literals that must all hold."""


@dataclass(frozen=True, slots=True)
class Formula:
    """A disjunction of clauses; an action is allowed if all literals of one clause hold.

    No clause: never. An empty clause: always.
    """

    clauses: tuple[Clause, ...]
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash(self.clauses))

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        # Hashes differ between processes.
        return Formula, (self.clauses,)

    @property
    def literals(self) -> tuple[Literal, ...]:
        return tuple(literal for clause in self.clauses for literal in clause)

    @property
    def method_calls(self) -> int:
        """Number of method calls in all programs."""
        return sum(literal.term.size for literal in self.literals)

    @property
    def depth(self) -> int:
        """Largest depth of a program."""
        return max((literal.term.depth for literal in self.literals), default=0)

    def __str__(self) -> str:
        if not self.clauses:
            return "never"
        return "\nor ".join(" and ".join(map(str, clause)) or "always" for clause in self.clauses)
