"""What a teacher says of the rule itself: this sentence stays, that one was an accident.

A **pinned** sentence is a clause, one way to allow an action. Every rule that is learned has it as one of its clauses,
as long as it does not contradict what was shown: it must not allow, in a position that was shown, what was ruled out.

A **struck** program is one condition, such as "the cell above the clicked cell is empty", whether it was said to hold
or denied: it played no part. In no clause of any rule that is learned does it occur, nor any program that reads the
same or says the same of the same place, nor several conditions that together come to it ("neither a wall nor off the
grid" where there is nothing else but empty cells). Programs that only happened to agree with it in what was shown may
take its place: that is what striking is for.
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
from shown.rules.reading import read_clause, read_program

MAX_CONDITIONS = 200


@dataclass(frozen=True)
class Conditions:
    """What every rule that is learned must keep to.

    >>> said = Conditions.parse(["at_action_cell(cell_is_value(stick))"], [], Tokens(empty=".", stick="|"))
    >>> print(*said.sentences())
    the clicked cell is a stick

    Attributes:
        pinned: clauses that every rule has.
        struck: programs that no rule has, neither as they are nor denied.
        language: the words of both.
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
                        "struck. Take one of the two back."
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
        where: str = "conditions",
    ) -> Conditions:
        """Conditions from text: clauses as formulas print them ("A and not B"), and programs."""
        return cls(
            tuple(read_clause(text, language, tokens, buttons, where) for text in pinned),
            tuple(read_program(text.removeprefix("not "), language, tokens, buttons, where) for text in struck),
            language,
        )

    # --- what they ask for --------------------------------------------------------------------------------------------

    def strikes(self, term: Term, language: Mapping[str, Primitive] | None = None) -> bool:
        """Whether a program, which may be one of another language, reads like a struck one, or says the same.

        >>> tokens = Tokens(empty=".", wall="#")
        >>> said = Conditions.parse([], ["at_cell_with_value(wall, cell_is_value(wall))"], tokens)
        >>> said.strikes(read_program("at_cell_with_value(wall, cell_is_value(OFF))", LANGUAGE, tokens, (), ""))
        True
        """
        if not self.struck:
            return False
        words = language or self.language
        return atom_of(term) in self._atoms or not self._phrases.isdisjoint(_said(term, words))

    def strikes_clause(
        self,
        clause: Clause,
        values: tuple[str, ...] = (),
        buttons: tuple[str, ...] = (),
        language: Mapping[str, Primitive] | None = None,
    ) -> bool:
        """Whether a clause has a struck program, or comes to one when it is said."""
        if any(self.strikes(literal.term, language) for literal in clause):
            return True
        return self.comes_to_struck(clause, values, buttons)

    def comes_to_struck(self, clause: Clause, values: tuple[str, ...] = (), buttons: tuple[str, ...] = ()) -> bool:
        """Whether conditions none of which is struck come, together, to one that is."""
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
        """Whether a rule keeps to these conditions; slow and obvious. `Policy.keeps_to` asks it of all its rules.

        >>> said = Conditions.parse(["at_action_cell(cell_is_value(stick))"], [], Tokens(empty=".", stick="|"))
        >>> said.hold_of(Formula(((),))), said.hold_of(Formula(said.pinned))
        (False, True)
        """
        there = set(map(frozenset, formula.clauses))
        if any(frozenset(clause) not in there for clause in self.pinned):
            return False
        clauses = (*formula.clauses, *canonical(formula, values, buttons).clauses)
        return not any(self.strikes_clause(clause, values, buttons, language) for clause in clauses)

    def without(self, pinned: Sequence[Clause]) -> Conditions:
        """The same without some of the pinned clauses."""
        return replace(self, pinned=tuple(clause for clause in self.pinned if clause not in pinned))

    def spoken_with(self, language: Language) -> Language:
        """The language of rules that are learned in `language` under these conditions: it has the words of both."""
        used = {part.primitive for clause in self.pinned for literal in clause for part in literal.term.walk()}
        if used <= set(language):
            return language
        if set(language) <= set(self.language):
            return self.language
        raise BadInput(
            f"a pinned rule uses {', '.join(sorted(used - set(language)))}, which the language "
            f"{language.name or 'of the programs'} does not have. Learn in a language that has all the words."
        )

    # --- to read, and on disk -----------------------------------------------------------------------------------------

    def sentences(self) -> list[str]:
        """All of them in English: pinned clauses, then struck programs."""
        return [self.sentence(clause) for clause in self.pinned] + [say(term, self.language) for term in self.struck]

    def sentence(self, clause: Clause) -> str:
        """A clause in English."""
        return " and ".join(say(x.term, self.language, x.positive) for x in clause) or "always"

    def to_json(self) -> dict[str, Any]:
        """
        >>> Conditions().to_json()
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
    ) -> Conditions:
        """Checks everything, executes nothing."""
        if not isinstance(value, dict):
            raise BadInput(f"{where}: must be an object.")
        pinned, struck = value.get("pinned", []), value.get("struck", [])
        for key, texts in (("pinned", pinned), ("struck", struck)):
            if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
                raise BadInput(f'{where}: "{key}" must be a list of texts.')
        if len(pinned) + len(struck) > MAX_CONDITIONS:
            raise BadInput(f"{where}: more than {MAX_CONDITIONS} conditions.")
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
    """What a program and its opposite say."""
    return say(term, language), say(term, language, positive=False)


NO_CONDITIONS = Conditions()
"""Nothing is pinned and nothing struck."""
