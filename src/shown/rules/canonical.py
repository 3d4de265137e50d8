"""Canonical form: equivalent formulas without redundancy, in a readable order.

Every step preserves the allowed actions on every grid (see `logic.py`). Conditions that merely happen to hold in the
demonstrations stay: without them it would be another rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from shown.language.terms import Argument, Term
from shown.rules.formula import Clause, Formula, Literal
from shown.rules.logic import BUTTON, CLICKED, SOMETHING_ELSE, Finds, Is, Known, Place, Theory, atom_of

LARGE = 300
"""Formulas with more literals are not simplified: nobody reads them, and a file may contain any."""


@lru_cache(maxsize=256)
def canonical(
    formula: Formula,
    values: tuple[str, ...] = (),
    buttons: tuple[str, ...] = (),
    pieces: tuple[tuple[str, ...], ...] = (),
) -> Formula:
    """Return the formula without literals and clauses that follow from the others, stated positively where possible.

    >>> from shown.language.primitives import LANGUAGE
    >>> from shown.language.terms import parse
    >>> neither = [Literal(parse(f"action_is({b})", LANGUAGE, [], [b]), False) for b in ("left", "right")]
    >>> print(canonical(Formula((tuple(neither),)), buttons=("left", "right", "pick")))
    action_is(pick)

    Args:
        formula: the formula.
        values: values of the cells, OFF included; empty if unknown.
        buttons: buttons of the world; empty if unknown.
        pieces: things of which every grid has exactly one cell, each as the values that it may have. The result allows
            the same actions on such grids.
    """
    clauses = list(dict.fromkeys(tuple(dict.fromkeys(clause)) for clause in formula.clauses))
    if len(formula.literals) > LARGE:
        return Formula(tuple(clauses))
    restated = [x for clause in clauses for literal in clause for x in _simpler(literal, clause)]
    simplifier = _Simplifier(Theory((*formula.literals, *restated), values, buttons, pieces))
    order = _Order(values, buttons)
    shorter = simplifier.simplify(sorted(clauses, key=order.of_clause))
    return Formula(tuple(sorted((tuple(sorted(c, key=order)) for c in shorter), key=order.of_clause)))


@dataclass(frozen=True)
class _Simplifier:
    theory: Theory

    def simplify(self, clauses: list[Clause]) -> list[Clause]:
        before: list[Clause] = []
        while clauses != before:
            before = clauses
            shorter = [self._restated(self._positive(c)) for c in self._without_literals(clauses)]
            clauses = self._without_clauses(shorter)
        return clauses

    def _without_literals(self, clauses: list[Clause]) -> list[Clause]:
        """Drop each literal whose failure, with the rest of its clause, is impossible or covered by another clause."""
        clauses = list(clauses)
        for i, clause in enumerate(clauses):
            # Negations are dropped first, then long literals.
            for literal in sorted(clause, key=lambda x: (x.positive, -x.term.size, str(x.term))):
                rest = tuple(other for other in clauses[i] if other != literal)
                without = (*rest, literal.opposite)
                known = self.theory.known(without)
                if known is None or self._covered(without, known, clauses[:i] + clauses[i + 1 :]):
                    clauses[i] = rest
        return clauses

    def _positive(self, clause: Clause) -> Clause:
        """Replace negations by the only value that they leave."""
        known = self.theory.known(clause)
        if known is None:
            return clause
        said: dict[Literal, None] = {}
        for literal in clause:
            atom = atom_of(literal.term)
            if isinstance(atom, Is) and not literal.positive and literal.term.primitive != "grid_has":
                (value, *others) = known.values[atom.place]
                if not others and value != SOMETHING_ELSE:
                    literal = Literal(_with_value(literal.term, value))
            said[literal] = None
        return tuple(said)

    def _restated(self, clause: Clause) -> Clause:
        """Replace literals by simpler ones that are equivalent to them where the rest of the clause holds."""
        known = self.theory.known(clause)
        for literal in clause:
            rest = tuple(other for other in clause if other != literal)
            for simpler in _simpler(literal, clause) if known is not None and known.decides(literal) else ():
                differ = ((literal, simpler.opposite), (literal.opposite, simpler))
                if all(self.theory.known((*rest, *both)) is None for both in differ):
                    return self._restated(tuple(dict.fromkeys((*rest, simpler))))
        return clause

    def _without_clauses(self, clauses: list[Clause]) -> list[Clause]:
        """Drop each clause that never holds, or only where another does."""
        left = list(clauses)
        for clause in sorted(clauses, key=len, reverse=True):
            others = list(left)
            others.remove(clause)
            known = self.theory.known(clause)
            if known is None or self._covered(clause, known, others):
                left = others
        return left

    def _covered(self, literals: Clause, known: Known, clauses: list[Clause]) -> bool:
        """Return whether the literals imply one of the clauses, or one for each possible clicked value or button."""
        if _says_one(known, clauses):
            return True
        head = next((place for place in (Place(CLICKED), Place(BUTTON)) if place in known.values), None)
        if head is None or len(known.values[head]) == 1 or SOMETHING_ELSE in known.values[head]:
            return False
        cases = (self.theory.known((*literals, _at(head, value))) for value in sorted(known.values[head]))
        return all(case is None or _says_one(case, clauses) for case in cases)


def _simpler(literal: Literal, clause: Clause) -> list[Literal]:
    """Return statements about one cell that may be equivalent to a literal of a clause."""
    atom = atom_of(literal.term)
    seen = [(other.place, other.value) for x in clause if x.positive and isinstance(other := atom_of(x.term), Is)]
    match atom:
        case Finds():
            return [Literal(_asking(atom.first_asked, atom.value), literal.positive)]
        case Is(place, value) if place.by != (0, 0):
            there = [start.moved(place.by) for start, token in seen if token == place.start != start.start]
            return [
                Literal(_asking(Place(CLICKED), value), literal.positive)
                for start in there
                if start == (CLICKED, (0, 0))
            ]
    return []


def _asking(place: Place, value: str) -> Term:
    """Return the program that asks a place for a value."""
    condition = Term("cell_is_value", (value,))
    if place.by != (0, 0):
        condition = Term("shifted", (place.by, condition))
    return (
        Term(CLICKED, (condition,)) if place.start == CLICKED else Term("at_cell_with_value", (place.start, condition))
    )


def _says_one(known: Known, clauses: list[Clause]) -> bool:
    return any(all(known.says(literal) for literal in clause) for clause in clauses)


def _at(head: Place, value: str) -> Literal:
    return Literal(Term(BUTTON, (value,)) if head.start == BUTTON else _asking(head, value))


def _with_value(term: Term, value: str) -> Term:
    """Return the program that tests the same place for another value."""
    if term.primitive in ("cell_is_value", BUTTON):
        return Term(term.primitive, (value,))
    arguments: tuple[Argument, ...] = tuple(_with_value(a, value) if isinstance(a, Term) else a for a in term.arguments)
    return Term(term.primitive, arguments)


@dataclass(frozen=True)
class _Order:
    """Sort key of literals: the action first, then positive and negative conditions, short before long."""

    values: tuple[str, ...]
    buttons: tuple[str, ...]

    def __call__(self, literal: Literal) -> tuple[Any, ...]:
        size, text = literal.term.size, str(literal.term)
        match atom_of(literal.term):
            case Is(Place("at_action_cell" | "action_is", (0, 0)), value):
                return 0, not literal.positive, self._number(value)
            case Is(place=place, value=value) | Finds(place=place, value=value):
                far = abs(place.by[0]) + abs(place.by[1])
                return 1, not literal.positive, place.start not in (CLICKED, BUTTON), size, far, place, value, text
        return 2, not literal.positive, size, text

    def of_clause(self, clause: Clause) -> list[tuple[Any, ...]]:
        return [self(literal) for literal in sorted(clause, key=self)]

    def _number(self, value: str) -> tuple[int, str]:
        names = (*self.values, *self.buttons)
        return (names.index(value) if value in names else len(names)), value
