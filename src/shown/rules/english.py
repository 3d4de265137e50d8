"""Formulas in English: images folded, shared conditions factored out, on one screen if possible."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from shown.grid import OFF
from shown.language.phrases import say, say_briefly, the_first
from shown.language.primitives import LANGUAGE, Language
from shown.rules.canonical import LARGE, canonical
from shown.rules.facts import NO_FACTS, Facts
from shown.rules.formula import Clause, Formula, Literal
from shown.rules.logic import BUTTON, CLICKED, Is, Place, Theory, atom_of
from shown.symmetry import Folded, Transformation, of_clause, unfold

WIDTH = 88
"""Characters per line; a table adds 12 before it."""
SCREEN = 22
"""Maximum lines besides the first and the last; longer rules use a tighter layout."""
ALWAYS = "always so in what was shown"
_TIE = "\u00a0"
"""A non-breaking space."""
_MIRRORS = (Transformation("left-right"), Transformation("up-down"))
"""Symmetries by which the clauses of a rule are folded if the demonstrations were extended under none."""


@dataclass(frozen=True)
class Saying:
    """A clause in English.

    Attributes:
        clause: its literals.
        phrases: English phrases.
        formula: the clause and all its images.
        told: literals of each phrase, mostly one.
        images: the images that it stands for, as in "or mirrored left to right"; empty if none.
    """

    clause: Clause
    phrases: tuple[str, ...]
    formula: Formula
    told: tuple[Clause, ...]
    images: str = ""

    @property
    def whole(self) -> tuple[str, ...]:
        """The phrases, the last one followed by the images."""
        if not self.images or not self.phrases:
            return self.phrases
        return *self.phrases[:-1], f"{self.phrases[-1]} ({self.images})"


@dataclass(frozen=True)
class Speaker:
    """Translates formulas into English.

    Attributes:
        language: the primitives.
        values: values of the cells, OFF included; empty if unknown.
        buttons: buttons of the world.
        facts: facts about the demonstrations.
    """

    language: Language = LANGUAGE
    values: tuple[str, ...] = ()
    buttons: tuple[str, ...] = ()
    facts: Facts = NO_FACTS

    def english(self, formula: Formula, notes: Sequence[str] = ()) -> str:
        """Return a formula as a sentence of several lines, with a note about each of its `sayings`, if given.

        In a long rule, notes end at their first semicolon.

        >>> from shown.language.terms import parse
        >>> wall = Literal(parse("at_action_cell(cell_is_value(wall))", LANGUAGE, ["wall"]))
        >>> Speaker().english(Formula(((wall,), (wall, wall))))
        'click a cell if\\n  the clicked cell is a wall'
        """
        formula = self.canonical(formula)
        if not formula.clauses:
            return f"never {self.subject}"
        if any(not clause for clause in formula.clauses):
            return f"{self.subject}, whichever"
        teller, brief = _Teller(formula, self, mark="*"), _Teller(formula, self, mark="*", brief=True)
        fits = [fill for fill in (False, True) if len(_laid_out(teller.groups(), fill)) <= SCREEN]
        short = [note.partition(";")[0] for note in notes]
        lines = _laid_out(teller.groups(notes), fits[0]) if fits else _in_paragraphs(brief.groups(short))
        return "\n".join([f"{self.subject} if", *lines, *([f"  * {ALWAYS}"] if teller.always else [])])

    def sayings(self, formula: Formula) -> tuple[Saying, ...]:
        """Return the clauses of a formula in English; together they are equivalent to it."""
        return tuple(_Teller(self.canonical(formula), self).sayings())

    def canonical(self, formula: Formula) -> Formula:
        """Return the equivalent formula that is put into words."""
        return canonical(formula, self.values, self.buttons, self.facts.pieces)

    def phrase(
        self, literal: Literal, always: Collection[Literal] = (), mark: str = f"({ALWAYS})", brief: bool = False
    ) -> str:
        """Return a literal in English, optionally brief; with a mark if it is one of `always`."""
        said = self._state(literal) or (self._briefly(literal) if brief else None)
        said = said or say(literal.term, self.language, literal.positive, single=self.facts.single)
        return f"{said} {mark}" if literal in always else said

    def _state(self, literal: Literal) -> str | None:
        """Return the state of a piece that a literal is about: "the white queen is selected"."""
        match atom_of(literal.term):
            case Is(Place(token, (0, 0)), value) if value in (token, OFF):
                piece = next((piece for piece in self.facts.pieces if token in piece and len(piece) == 2), None)
                if piece is not None and piece[1].endswith(f"_{piece[0]}"):
                    state = piece[1].removesuffix(f"_{piece[0]}").replace("_", " ")
                    holds = ((value == token) == literal.positive) == (token == piece[1])
                    return f"{the_first(piece[0], piece)} is {state if holds else f'not {state}'}"
        return None

    def _briefly(self, literal: Literal) -> str | None:
        """Return a short phrase for a literal about one cell relative to another: "above the rabbit is a wall"."""
        match atom_of(literal.term):
            case Is(Place(start, by), value) if by != (0, 0) and start != BUTTON:
                place = "the clicked cell" if start == CLICKED else the_first(start, self.facts.single)
                return say_briefly(by, place, value, literal.positive, self.facts.single)
        return None

    def always(self, formula: Formula) -> frozenset[Literal]:
        """Return the literals that held for every demonstrated action although only some clauses require them.

        A reader would take such a literal for the distinction of its clause, without any evidence. Literals that all
        clauses require are not included.
        """
        literals, always = frozenset(formula.literals), self.facts.always
        if not formula.clauses or len(literals) + len(always) > LARGE:
            return frozenset()
        demanded = frozenset.intersection(*map(frozenset, formula.clauses))
        known = Theory((*always, *literals), self.values, self.buttons, self.facts.pieces).known(always)
        return frozenset(x for x in literals - demanded if known is not None and known.says(x))

    @property
    def subject(self) -> str:
        """The instruction that rules begin with."""
        return "take the action" if self.buttons else "click a cell"


@dataclass(frozen=True)
class _Group:
    """Clauses with common conditions: (a, b and (c or d)) is stated once, with two cases.

    Attributes:
        common: the phrases that all cases share.
        cases: for each case its phrases and remarks.
    """

    common: tuple[str, ...]
    cases: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]


class _Teller:
    """Translates the clauses of one canonical formula."""

    def __init__(self, formula: Formula, speaker: Speaker, mark: str = f"({ALWAYS})", brief: bool = False) -> None:
        self.speaker, self.language, self.mark, self.brief = speaker, speaker.language, mark, brief
        self.always = speaker.always(formula)
        self.is_large = len(formula.literals) > LARGE
        facts = speaker.facts if speaker.facts.symmetries else replace(speaker.facts, symmetries=_MIRRORS)
        self.folded = facts.folded(formula.clauses, self.language)

    def sayings(self) -> Iterator[Saying]:
        for one in self.folded:
            said = self._told(one.clause)
            formula = Formula(unfold([one], self.language))
            phrases, told = tuple(phrase for phrase, _ in said), tuple(literals for _, literals in said)
            yield Saying(one.clause, phrases, formula, told, _images(one))

    def groups(self, notes: Sequence[str] = ()) -> list[_Group]:
        """Return groups of clauses, each by the conditions that most of the remaining clauses share."""
        notes = notes or [""] * len(self.folded)
        remarks = {one: (_images(one), note) for one, note in zip(self.folded, notes, strict=True)}
        left, groups = list(self.folded), []
        while left:
            shared = self._shared(left[0], left)
            members = [one for one in left if shared and shared[0] in self._sharable(one)]
            if len(members) < 2:
                first = left.pop(0)
                groups.append(_Group((), ((tuple(self._phrases(first.clause)), remarks[first]),)))
                continue
            common = [x for x in members[0].clause if all(x in self._sharable(one) for one in members)]
            own = [[x for x in one.clause if x not in common] for one in members]
            cases = [(tuple(self._phrases(x)), remarks[one]) for x, one in zip(own, members, strict=True)]
            groups.append(_Group(tuple(self._phrases(common)), tuple(cases)))
            left = [one for one in left if one not in members]
        return groups

    def _shared(self, first: Folded[Literal], among: Sequence[Folded[Literal]]) -> list[Literal]:
        """Return the literals of a clause, the most frequent among the others first."""
        if self.is_large:
            return []
        count = {x: sum(x in self._sharable(one) for one in among) for x in self._sharable(first)}
        return sorted(count, key=lambda x: -count[x])

    def _sharable(self, one: Folded[Literal]) -> Clause:
        """Return the literals that are their own images, and can be stated outside "or mirrored"."""
        moved = [t for t in one.under if not t.is_identity]
        return tuple(x for x in one.clause if all(of_clause((x,), t, self.language) == (x,) for t in moved))

    def _phrases(self, literals: Sequence[Literal]) -> list[str]:
        return [phrase for phrase, _ in self._told(literals)]

    def _told(self, literals: Sequence[Literal]) -> list[tuple[str, Clause]]:
        """Return phrases with their literals; two negations about one cell are merged ("neither … nor")."""
        said: list[tuple[str, Clause]] = []
        for literal in literals:
            now = self.speaker.phrase(literal, self.always, self.mark, self.brief)
            what, not_, value = now.rpartition(" is not ")
            if said and not literal.positive and not_:
                before, same, other = said[-1][0].rpartition(" is not ")
                last, about = said[-1][1][-1], atom_of(literal.term)
                if not last.positive and isinstance(about, Is) and atom_of(last.term) == Is(about.place, OFF):
                    mark = f" {self.mark}" if last in self.always else ""
                    before, other = what, f"off the grid{mark}"
                marked = [x for x in (*said[-1][1], literal) if x in self.always]
                if same and before == what and (self.mark == "*" or not marked):
                    said[-1] = f"{what} is neither {other} nor {value}", (*said[-1][1], literal)
                    continue
            said.append((now, (literal,)))
        return said


def _in_paragraphs(groups: Sequence[_Group]) -> list[str]:
    """Return each group as running text, with "this cell" for "the clicked cell"."""
    lines: list[str] = []
    for number, group in enumerate(groups, 1):
        common = f"{' and '.join(group.common)}, and either " if group.common else ""
        cases = ", or ".join(" ".join([" and ".join(said), *_in_brackets(also)]) for said, also in group.cases)
        end = ", or if" if number < len(groups) else ""
        lines += _wrapped(f"  {common}{cases}{end}".replace("the clicked cell", "this cell"), 4)
    return lines


def _laid_out(groups: Sequence[_Group], fill: bool) -> list[str]:
    """Return each case by itself, with one condition per line or, with `fill`, as many as fit."""
    lines: list[str] = []
    for number, group in enumerate(groups, 1):
        end = ", or if" if number < len(groups) else ""
        indent = 2
        if group.common:
            common = _lines(group.common, ", and either", 2, fill)
            indent = 6 if len(common) > 1 < len(group.common) else 4  # distinguishes cases from lines with "and"
            lines += common
        for case, (said, also) in enumerate(group.cases, 1):
            last = end if case == len(group.cases) else ", or"
            lines += _lines(said, last, indent, fill, _in_brackets(also))
    return lines


def _lines(phrases: Sequence[str], end: str, indent: int, fill: bool, remarks: Sequence[str] = ()) -> list[str]:
    """Return conditions joined by "and", and remarks about them, with further lines indented."""
    pieces = [phrases[0], *(f"and {said}" for said in phrases[1:]), *remarks]
    pieces[-1] += end
    lines = _wrapped(" " * indent + pieces[0], indent + 6)
    for piece in pieces[1:]:
        if fill and len(lines[-1]) + 1 + len(piece) <= WIDTH:
            lines[-1] += f" {piece}"
        else:
            lines += _wrapped(" " * (indent + 2) + piece, indent + 6)
    return lines


def _wrapped(line: str, indent: int) -> list[str]:
    """Return a long line as several; the connective at its end stays with the word before."""
    start = " " * (len(line) - len(line.lstrip()))
    tied = re.sub(r", (or|or if|and either)$", lambda end: end[0].replace(" ", _TIE), line.strip())
    lines = textwrap.wrap(tied, WIDTH, initial_indent=start, subsequent_indent=" " * indent, break_on_hyphens=False)
    return [line.replace(_TIE, " ") for line in lines]


def _images(one: Folded[Literal]) -> str:
    return f"or {one.words}" if one.words else ""


def _in_brackets(remarks: Sequence[str]) -> list[str]:
    return [f"({remark})" for remark in remarks if remark]
