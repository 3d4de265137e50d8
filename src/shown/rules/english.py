"""Formulas in English: images folded, shared conditions factored out, on one screen if possible."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from shown.language.phrases import say, say_briefly, the_first
from shown.language.primitives import LANGUAGE, Language
from shown.rules.canonical import LARGE, canonical
from shown.rules.facts import NO_FACTS, Facts
from shown.rules.formula import Clause, Formula, Literal
from shown.rules.logic import BUTTON, CLICKED, Is, Place, Theory, atom_of
from shown.symmetry import Folded, of_clause, unfold

WIDTH = 88
"""Characters per line; a table adds 12 before it."""
SCREEN = 22
"""Maximum lines besides the first and the last; longer rules use a tighter layout."""
ALWAYS = "always so in what was shown"
_TIE = "\u00a0"
"""A non-breaking space."""


@dataclass(frozen=True)
class Saying:
    """A clause in English.

    Attributes:
        clause: its literals.
        phrases: English phrases; the last ends with "(and mirrored)" if the clause stands for its images.
        formula: the clause and all its images.
        told: literals of each phrase, mostly one.
    """

    clause: Clause
    phrases: tuple[str, ...]
    formula: Formula
    told: tuple[Clause, ...]


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

    def english(self, formula: Formula) -> str:
        """Return a formula as a sentence of several lines.

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
        teller = _Teller(formula, self, mark="*")
        groups = teller.groups()
        lines = _laid_out(groups, fill=False)
        if len(lines) > SCREEN:
            lines = _laid_out(groups, fill=True)
        if len(lines) > SCREEN:
            lines = _in_paragraphs(_Teller(formula, self, mark="*", brief=True).groups())
        return "\n".join([f"{self.subject} if", *lines, *([f"  * {ALWAYS}"] if teller.always else [])])

    def sayings(self, formula: Formula) -> tuple[Saying, ...]:
        """Return the clauses of a formula in English; together they are equivalent to it."""
        return tuple(_Teller(self.canonical(formula), self).sayings())

    def canonical(self, formula: Formula) -> Formula:
        """Return the equivalent formula that is put into words."""
        return canonical(formula, self.values, self.buttons)

    def phrase(
        self,
        literal: Literal,
        always: Collection[Literal] = (),
        mark: str = f"({ALWAYS})",
        brief: bool = False,
    ) -> str:
        """Return a literal in English, optionally brief; with a mark if it is one of `always`."""
        said = self._briefly(literal) if brief else None
        said = said or say(literal.term, self.language, literal.positive, single=self.facts.single)
        return f"{said} {mark}" if literal in always else said

    def _briefly(self, literal: Literal) -> str | None:
        """Return a short phrase for a literal about one cell relative to another: "above the rabbit is a wall"."""
        match atom_of(literal.term):
            case Is(Place(start, by), value) if by != (0, 0) and start != BUTTON:
                place = "the clicked cell" if start == CLICKED else the_first(start, self.facts.single)
                return say_briefly(by, place, value, literal.positive)
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
        known = Theory((*always, *literals), self.values, self.buttons).known(always)
        return frozenset(x for x in literals - demanded if known is not None and known.says(x))

    @property
    def subject(self) -> str:
        """The instruction that rules begin with."""
        return "take the action" if self.buttons else "click a cell"


@dataclass(frozen=True)
class _Group:
    """Clauses with common conditions: (a, b and (c or d)) is stated once, with two cases."""

    common: tuple[str, ...]
    cases: tuple[tuple[tuple[str, ...], str], ...]


class _Teller:
    """Translates the clauses of one canonical formula."""

    def __init__(self, formula: Formula, speaker: Speaker, mark: str = f"({ALWAYS})", brief: bool = False) -> None:
        self.speaker, self.language, self.mark, self.brief = speaker, speaker.language, mark, brief
        self.always = speaker.always(formula)
        self.is_large = len(formula.literals) > LARGE
        self.folded = speaker.facts.folded(formula.clauses, self.language)

    def sayings(self) -> Iterator[Saying]:
        for one in self.folded:
            said = self._told(one.clause)
            phrases = tuple(_with_images([phrase for phrase, _ in said], one.words))
            formula = Formula(unfold([one], self.language))
            yield Saying(one.clause, phrases, formula, tuple(literals for _, literals in said))

    def groups(self) -> list[_Group]:
        """Return groups of clauses, each by the conditions that most of the remaining clauses share."""
        left, groups = list(self.folded), []
        while left:
            shared = self._shared(left[0], left)
            members = [one for one in left if shared and shared[0] in self._sharable(one)]
            if len(members) < 2:
                groups.append(self._alone(left.pop(0)))
                continue
            common = [x for x in members[0].clause if all(x in self._sharable(one) for one in members)]
            cases = [(tuple(self._phrases([x for x in one.clause if x not in common])), one.words) for one in members]
            groups.append(_Group(tuple(self._phrases(common)), tuple(cases)))
            left = [one for one in left if one not in members]
        return groups

    def _alone(self, one: Folded[Literal]) -> _Group:
        return _Group((), ((tuple(self._phrases(one.clause)), one.words),))

    def _shared(self, first: Folded[Literal], among: Sequence[Folded[Literal]]) -> list[Literal]:
        """Return the literals of a clause, the most frequent among the others first."""
        if self.is_large:
            return []
        count = {x: sum(x in self._sharable(one) for one in among) for x in self._sharable(first)}
        return sorted(count, key=lambda x: -count[x])

    def _sharable(self, one: Folded[Literal]) -> Clause:
        """Return the literals that are their own images, and can be stated outside "… and mirrored"."""
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
            if said and not literal.positive and literal not in self.always and not_:
                before, same, other = said[-1][0].rpartition(" is not ")
                if same and before == what and not other.endswith(self.mark):
                    said[-1] = f"{what} is neither {other} nor {value}", (*said[-1][1], literal)
                    continue
            said.append((now, (literal,)))
        return said


def _in_paragraphs(groups: Sequence[_Group]) -> list[str]:
    """Return each group as running text, with "this cell" for "the clicked cell"."""
    lines: list[str] = []
    for number, group in enumerate(groups, 1):
        common = f"{' and '.join(group.common)}, and either " if group.common else ""
        cases = ", or ".join(" and ".join(_with_images(said, also)) for said, also in group.cases)
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
            lines += _lines(_with_images(said, also), last, indent, fill)
    return lines


def _lines(phrases: Sequence[str], end: str, indent: int, fill: bool) -> list[str]:
    """Return conditions joined by "and", with further lines indented."""
    first, *others = [*phrases[:-1], phrases[-1] + end]
    lines = [" " * indent + first]
    for piece in (f"and {said}" for said in others):
        if fill and len(lines[-1]) + 1 + len(piece) <= WIDTH:
            lines[-1] += f" {piece}"
        else:
            lines.append(" " * (indent + 2) + piece)
    return [part for line in lines for part in _wrapped(line, indent + 6)]


def _wrapped(line: str, indent: int) -> list[str]:
    """Return a long line as several; the connective at its end stays with the word before."""
    start = " " * (len(line) - len(line.lstrip()))
    tied = re.sub(r", (or|or if|and either)$", lambda end: end[0].replace(" ", _TIE), line.strip())
    lines = textwrap.wrap(tied, WIDTH, initial_indent=start, subsequent_indent=" " * indent, break_on_hyphens=False)
    return [line.replace(_TIE, " ") for line in lines]


def _with_images(phrases: Sequence[str], also: str) -> list[str]:
    return [*phrases[:-1], f"{phrases[-1]} (and {also})"] if phrases and also else list(phrases)
