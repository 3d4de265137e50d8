"""Constraints that a teacher puts on the rule itself: pinned clauses and struck programs.

A **pinned** clause is part of every learned rule, unless it contradicts the demonstrations by allowing an action that
they rule out.

A **struck** program is a condition, such as "the cell above the clicked cell is empty", that played no part, whether
stated or negated. No learned rule contains it, nor a program with the same wording or meaning, nor several conditions
that together are equivalent to it ("neither a wall nor off the grid" where only empty cells remain). Programs that
merely agree with it on the demonstrations may replace it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from shown.errors import BadInput
from shown.grid import Tokens
from shown.language.phrases import say
from shown.language.primitives import LANGUAGE, Language, Primitive
from shown.language.terms import Term
from shown.rules.canonical import canonical
from shown.rules.formula import Clause, Formula
from shown.rules.logic import Is, Place, atom_of
from shown.rules.parsing import read_clause, read_program, split_literal

MAX_CONSTRAINTS = 200


@dataclass(frozen=True)
class Constraints:
    """Constraints on every learned rule.

    >>> said = Constraints.parse(["at_action_cell(cell_is_value(stick))"], [], Tokens(empty=".", stick="|"))
    >>> print(*said.sentences())
    the clicked cell is a stick

    Attributes:
        pinned: clauses that every rule contains.
        struck: programs that no rule contains, neither as they are nor negated.
        language: language of both.
    """

    pinned: tuple[Clause, ...] = ()
    struck: tuple[Term, ...] = ()
    language: Language = LANGUAGE

    def __post_init__(self) -> None:
        for clause in self.pinned:
            for literal in clause:
                if self.strikes(literal.term):
                    raise BadInput(
                        f'the rule "{self.sentence(clause)}" is pinned, but "{say(literal.term, self.language)}" is '
                        "struck. Remove one of the two."
                    )

    def __bool__(self) -> bool:
        return bool(self.pinned or self.struck)

    @classmethod
    def parse(
        cls,
        pinned: Iterable[str],
        struck: Iterable[str],
        tokens: Tokens,
        buttons: tuple[str, ...] = (),
        language: Language = LANGUAGE,
        where: str = "constraints",
    ) -> Constraints:
        """Return constraints from text: clauses as formulas print them ("A and not B"), and programs."""
        return cls(
            tuple(read_clause(text, language, tokens, buttons, where) for text in pinned),
            tuple(read_program(split_literal(text)[0], language, tokens, buttons, where) for text in struck),
            language,
        )

    # --- checking ----------------------------------------------------------------------------------------------------

    def strikes(self, term: Term, language: Mapping[str, Primitive] | None = None) -> bool:
        """Return whether a program, possibly of another language, has the wording or meaning of a struck one.

        >>> tokens = Tokens(empty=".", wall="#")
        >>> said = Constraints.parse([], ["at_cell_with_value(wall, cell_is_value(wall))"], tokens)
        >>> said.strikes(read_program("at_cell_with_value(wall, cell_is_value(OFF))", LANGUAGE, tokens, (), ""))
        True
        """
        if not self.struck:
            return False
        words = language or self.language
        return atom_of(term) in self._atoms or not self._phrases.isdisjoint(_said(term, words))

    def amounts_to_struck(self, clause: Clause, values: tuple[str, ...] = (), buttons: tuple[str, ...] = ()) -> bool:
        """Return whether conditions that are not struck are together equivalent to a struck one."""
        denied = (atom_of(literal.term) for literal in clause if not literal.positive)
        if not any(isinstance(atom, Is) and atom.place in self._places for atom in denied):
            return False
        said = canonical(Formula((clause,)), values, buttons)
        return any(atom_of(literal.term) in self._atoms for literal in said.literals)

    def hold_of(
        self,
        formula: Formula,
        values: tuple[str, ...] = (),
        buttons: tuple[str, ...] = (),
        language: Mapping[str, Primitive] | None = None,
    ) -> bool:
        """Return whether a rule satisfies these constraints; slow and simple. `Policy.keeps_to` checks all its rules.

        >>> said = Constraints.parse(["at_action_cell(cell_is_value(stick))"], [], Tokens(empty=".", stick="|"))
        >>> said.hold_of(Formula(((),))), said.hold_of(Formula(said.pinned))
        (False, True)
        """
        there = set(map(frozenset, formula.clauses))
        if any(frozenset(clause) not in there for clause in self.pinned):
            return False
        if not self.struck:
            return True
        clauses = (*formula.clauses, *canonical(formula, values, buttons).clauses)
        return not any(
            any(self.strikes(literal.term, language) for literal in clause)
            or self.amounts_to_struck(clause, values, buttons)
            for clause in clauses
        )

    def without(self, pinned: Sequence[Clause]) -> Constraints:
        """Return the constraints without some of the pinned clauses."""
        return replace(self, pinned=tuple(clause for clause in self.pinned if clause not in pinned))

    def spoken_with(self, language: Language) -> Language:
        """Return the language of rules learned in `language` under these constraints."""
        used = {part.primitive for clause in self.pinned for literal in clause for part in literal.term.walk()}
        if used <= set(language):
            return language
        if set(language) <= set(self.language):
            return self.language
        raise BadInput(
            f"a pinned rule uses {', '.join(sorted(used - set(language)))}, which the language "
            f"{language.name or 'of the programs'} does not have. Learn in a language that has all the words."
        )

    # --- text and JSON -----------------------------------------------------------------------------------------------

    def sentences(self) -> list[str]:
        """Return all constraints in English: pinned clauses, then struck programs."""
        return [self.sentence(clause) for clause in self.pinned] + [say(term, self.language) for term in self.struck]

    def sentence(self, clause: Clause) -> str:
        """Return a clause in English."""
        return " and ".join(say(x.term, self.language, x.positive) for x in clause) or "always"

    def to_json(self) -> dict[str, Any]:
        """Return the JSON value stored in files.

        >>> Constraints().to_json()
        {'language': 'paper', 'pinned': [], 'struck': []}
        """
        return {
            "language": self.language.name,
            "pinned": [" and ".join(map(str, clause)) for clause in self.pinned],
            "struck": [str(term) for term in self.struck],
        }

    @classmethod
    def from_json(
        cls, value: Any, tokens: Tokens, buttons: tuple[str, ...], language: Language, where: str
    ) -> Constraints:
        """Return the constraints in a JSON value; executes nothing."""
        if not isinstance(value, dict):
            raise BadInput(f"{where}: must be an object.")
        pinned, struck = value.get("pinned", []), value.get("struck", [])
        for key, texts in (("pinned", pinned), ("struck", struck)):
            if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
                raise BadInput(f'{where}: "{key}" must be a list of texts.')
        if len(pinned) + len(struck) > MAX_CONSTRAINTS:
            raise BadInput(f"{where}: more than {MAX_CONSTRAINTS} constraints.")
        return cls.parse(pinned, struck, tokens, buttons, language, where)

    @cached_property
    def _phrases(self) -> frozenset[str]:
        return frozenset(phrase for term in self.struck for phrase in _said(term, self.language))

    @cached_property
    def _atoms(self) -> frozenset[Any]:
        return frozenset(map(atom_of, self.struck))

    @cached_property
    def _places(self) -> frozenset[Place]:
        return frozenset(atom.place for atom in self._atoms if isinstance(atom, Is))


def _said(term: Term, language: Mapping[str, Primitive]) -> tuple[str, str]:
    """Return a program and its negation in English."""
    return say(term, language), say(term, language, positive=False)


NO_CONSTRAINTS = Constraints()
"""No constraints."""
