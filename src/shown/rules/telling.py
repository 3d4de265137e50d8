"""Formulas in English: each clause once for all its images, what clauses share said once, on one screen if possible."""

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
"""Characters in a line; a table has 12 more before it."""
SCREEN = 22
"""Lines, beside the first and the last. A rule that needs more of them is set more tightly, until it fits."""
ALWAYS = "always so in what was shown"
_TIE = "\u00a0"
"""A space at which no line ends."""


@dataclass(frozen=True)
class Saying:
    """A clause as it is said.

    Attributes:
        clause: its literals.
        phrases: what they say, in English; the last adds "(and mirrored)" if the clause stands for its images too.
        formula: all that it stands for.
        told: the literals that each phrase says; mostly one.
    """

    clause: Clause
    phrases: tuple[str, ...]
    formula: Formula
    told: tuple[Clause, ...]


@dataclass(frozen=True)
class Speaker:
    """Says formulas.

    Attributes:
        language: whose words are used.
        values: of the cells, OFF among them; none if not known.
        buttons: in worlds with buttons.
        facts: what was so in everything that was shown.
    """

    language: Language = LANGUAGE
    values: tuple[str, ...] = ()
    buttons: tuple[str, ...] = ()
    facts: Facts = NO_FACTS

    def english(self, formula: Formula) -> str:
        """A formula as a sentence of several lines.

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
        """The clauses of a formula as they are said; together they are all of it."""
        return tuple(_Teller(self.canonical(formula), self).sayings())

    def canonical(self, formula: Formula) -> Formula:
        """The formula as it is said: equal to it on every grid."""
        return canonical(formula, self.values, self.buttons)

    def phrase(
        self,
        literal: Literal,
        always: Collection[Literal] = (),
        mark: str = f"({ALWAYS})",
        brief: bool = False,
    ) -> str:
        """What a literal says, perhaps in few words; if it is one of `always`, with a mark behind it."""
        said = self._briefly(literal) if brief else None
        said = said or say(literal.term, self.language, literal.positive, single=self.facts.single)
        return f"{said} {mark}" if literal in always else said

    def _briefly(self, literal: Literal) -> str | None:
        """What a literal says, if it is about one cell beside another: "above the rabbit is a wall"."""
        match atom_of(literal.term):
            case Is(Place(start, by), value) if by != (0, 0) and start != BUTTON:
                place = "the clicked cell" if start == CLICKED else the_first(start, self.facts.single)
                return say_briefly(by, place, value, literal.positive)
        return None

    def always(self, formula: Formula) -> frozenset[Literal]:
        """The literals that held of every action that was shown, though only some of the clauses ask for them.

        A reader would take such a literal for what sets its clause apart; nothing that was shown says so. Where all
        clauses ask for a literal it always holds, and saying so would say nothing.
        """
        literals, always = frozenset(formula.literals), self.facts.always
        if not formula.clauses or len(literals) + len(always) > LARGE:
            return frozenset()
        demanded = frozenset.intersection(*map(frozenset, formula.clauses))
        known = Theory((*always, *literals), self.values, self.buttons).known(always)
        return frozenset(x for x in literals - demanded if known is not None and known.says(x))

    @property
    def subject(self) -> str:
        """What the rules tell one to do."""
        return "take the action" if self.buttons else "click a cell"


@dataclass(frozen=True)
class _Group:
    """Clauses with something in common: (a, b and (c or d)) is said once, with two cases."""

    common: tuple[str, ...]
    cases: tuple[tuple[tuple[str, ...], str], ...]


class _Teller:
    """Says the clauses of one formula, which is canonical."""

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
        """Again and again, what most of the clauses that are left have in common."""
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
        """The literals of a clause, those first that most others have too."""
        if self.is_large:
            return []
        count = {x: sum(x in self._sharable(one) for one in among) for x in self._sharable(first)}
        return sorted(count, key=lambda x: -count[x])

    def _sharable(self, one: Folded[Literal]) -> Clause:
        """What can be said outside "… and mirrored": what is the same in all the images."""
        return tuple(x for x in one.clause if all(of_clause((x,), t, self.language) == (x,) for t in one.under))

    def _phrases(self, literals: Sequence[Literal]) -> list[str]:
        return [phrase for phrase, _ in self._told(literals)]

    def _told(self, literals: Sequence[Literal]) -> list[tuple[str, Clause]]:
        """What the literals say, two that deny something of one cell in one breath; and which each phrase says."""
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
    """Each group as running text; so long a rule speaks of "this cell", where others say "the clicked cell"."""
    lines: list[str] = []
    for number, group in enumerate(groups, 1):
        common = f"{' and '.join(group.common)}, and either " if group.common else ""
        cases = ", or ".join(" and ".join(_with_images(said, also)) for said, also in group.cases)
        end = ", or if" if number < len(groups) else ""
        lines += _wrapped(f"  {common}{cases}{end}".replace("the clicked cell", "this cell"), 4)
    return lines


def _laid_out(groups: Sequence[_Group], fill: bool) -> list[str]:
    """Each case by itself, with one condition in a line, or as many as there is room for."""
    lines: list[str] = []
    for number, group in enumerate(groups, 1):
        end = ", or if" if number < len(groups) else ""
        indent = 2
        if group.common:
            common = _lines(group.common, ", and either", 2, fill)
            indent = 6 if len(common) > 1 < len(group.common) else 4  # cases do not stand where an "and" could stand
            lines += common
        for case, (said, also) in enumerate(group.cases, 1):
            last = end if case == len(group.cases) else ", or"
            lines += _lines(_with_images(said, also), last, indent, fill)
    return lines


def _lines(phrases: Sequence[str], end: str, indent: int, fill: bool) -> list[str]:
    """Conditions joined by "and", further lines a little to the right of the first."""
    first, *others = [*phrases[:-1], phrases[-1] + end]
    lines = [" " * indent + first]
    for piece in (f"and {said}" for said in others):
        if fill and len(lines[-1]) + 1 + len(piece) <= WIDTH:
            lines[-1] += f" {piece}"
        else:
            lines.append(" " * (indent + 2) + piece)
    return [part for line in lines for part in _wrapped(line, indent + 6)]


def _wrapped(line: str, indent: int) -> list[str]:
    """The line in several if it is too long; what joins it to the next stays with the word before."""
    start = " " * (len(line) - len(line.lstrip()))
    tied = re.sub(r", (or|or if|and either)$", lambda end: end[0].replace(" ", _TIE), line.strip())
    lines = textwrap.wrap(tied, WIDTH, initial_indent=start, subsequent_indent=" " * indent, break_on_hyphens=False)
    return [line.replace(_TIE, " ") for line in lines]


def _with_images(phrases: Sequence[str], also: str) -> list[str]:
    return [*phrases[:-1], f"{phrases[-1]} (and {also})"] if phrases and also else list(phrases)
