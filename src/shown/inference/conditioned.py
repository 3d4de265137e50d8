"""Conditions that a teacher has set, on the rows of some evidence: what is pinned, what contradicts, what is struck.

A pinned clause is part of every formula. What it allows of what was shown needs no other explanation: the searches are
given the rest, and what they propose is weighed together with the pinned clauses. So every hypothesis has them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from shown.demonstrations import Demonstrations
from shown.grid import Action, Grid, action_to_json
from shown.inference.features import Features
from shown.inference.formulas import Clause as ColumnClause
from shown.inference.formulas import Clauses, clause_bits
from shown.inference.rows import Evidence, Rows
from shown.language.evaluate import Plan
from shown.language.primitives import Language
from shown.planes import Planes
from shown.rules import Conditions, Literal
from shown.rules.formula import Clause


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A pinned sentence that allows what was ruled out.

    Attributes:
        clause: the sentence.
        sentence: the same in English.
        demonstration, step: where it does; those from `own` on are mirror images.
        grid: the position.
        action: what was shown there, or refused.
        other: what the sentence allows there.
        own: how many demonstrations the teacher has shown.
    """

    clause: Clause
    sentence: str
    demonstration: int
    step: int
    grid: Grid
    action: Action
    other: Action
    own: int

    @property
    def text(self) -> str:
        """What is wrong, where, and what to do, in one line."""
        image = self.demonstration >= self.own
        where = "in a mirrored demonstration" if image else f"in demonstration {self.demonstration}"
        where += f", step {self.step}"
        what = f"where {self.action} was shown" if self.other != self.action else "which was refused there"
        return (
            f'the rule "{self.sentence}" allows {self.other} {where}, {what}. It is left out; take back the rule, '
            "or the step."
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "rule": " and ".join(map(str, self.clause)),
            "sentence": self.sentence,
            "demonstration": self.demonstration,
            "step": self.step,
            "action": action_to_json(self.action),
            "other": action_to_json(self.other),
            "text": self.text,
        }


@dataclass(frozen=True)
class Pinned:
    """Clauses that every formula has, on the rows of some evidence.

    Attributes:
        clauses: the clauses.
        log_prior: what their literals add to the log prior.
        bits: the rows that they allow. [R] uint64
        whole: all that was shown. What the clauses allow and was not shown is open in it.
    """

    clauses: tuple[Clause, ...]
    log_prior: float
    bits: np.ndarray
    whole: Evidence

    @property
    def rest(self) -> Evidence:
        """What is left to be explained by others: the rows they allow are open."""
        left = ~self.whole.shows(self.bits)
        return replace(
            self.whole,
            mask=self.whole.mask & ~self.bits,
            positive=self.whole.positive & ~self.bits,
            word=self.whole.word[left],
            bit=self.whole.bit[left],
            state=self.whole.state[left],
            weight=self.whole.weight[left],
        )

    def allowed(self, others: np.ndarray) -> np.ndarray:
        """The rows that they allow together with clauses that allow these. [R] uint64"""
        return others | (self.bits & self.whole.mask)


def pin(clauses: Sequence[Clause], bits: np.ndarray, log_prior: float, evidence: Evidence) -> Pinned:
    """Clauses, each with the rows it allows ([n, R] uint64), as part of every formula for some evidence."""
    together = np.bitwise_or.reduce(bits, axis=0)
    opened = together & ~evidence.positive
    whole = replace(evidence, mask=evidence.mask & ~opened, refused=evidence.refused & ~opened)
    return Pinned(tuple(clauses), log_prior, together, whole)


def pinned_bits(
    clauses: Sequence[Clause], worlds: Sequence[Planes], language: Language, mask: np.ndarray
) -> np.ndarray:
    """The rows that each clause allows, of those in `mask`. [n, R] uint64"""
    own = list(dict.fromkeys(literal.term for clause in clauses for literal in clause))
    place = {term: i for i, term in enumerate(own)}
    plan = Plan(own, worlds[0].tokens, worlds[0].buttons, language)
    columns = np.concatenate([plan.columns(world) for world in worlds], axis=1)
    numbered = [tuple((place[x.term], x.positive) for x in clause) for clause in clauses]
    return clause_bits(numbered, columns, mask)


def contradictions(
    conditions: Conditions, bits: np.ndarray, rows: Rows, evidence: Evidence, shown: Demonstrations, own: int
) -> tuple[Contradiction, ...]:
    """For each pinned clause that allows what is ruled out, the first place where it does.

    Args:
        conditions: whose pinned clauses are asked.
        bits: the rows that each allows. [n, R] uint64
        rows: where the rows are.
        evidence: what was shown, as bits.
        shown: the same, as it was shown, with the images behind all that they are images of.
        own: how many of them are no images.
    """
    found = []
    for clause, allowed in zip(conditions.pinned, bits, strict=True):
        wrong = allowed & evidence.mask & ~evidence.positive
        if wrong.any():
            found.append(_first(clause, conditions.sentence(clause), wrong, rows, shown, own))
    return tuple(found)


def _first(
    clause: Clause, sentence: str, wrong: np.ndarray, rows: Rows, shown: Demonstrations, own: int
) -> Contradiction:
    words, places = np.nonzero((wrong[:, None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1))
    others: dict[int, list[Action]] = {}
    for word, bit in zip(words.tolist(), places.tolist(), strict=True):
        state, action = rows.row(word, bit)
        others.setdefault(state, []).append(action)
    for d, item in enumerate(shown):
        for s, step in enumerate(item.steps):
            among = others.get(rows.number(step.grid), ())
            # A step that refuses what the clause allows says so itself; any other is at odds with whatever it allows.
            if among and (not step.refused or step.action in among):
                other = step.action if step.refused else among[0]
                return Contradiction(clause, sentence, d, s, step.grid, step.action, other, own)
    raise AssertionError("what is ruled out is so by some step")


class Struck:
    """Says of clauses over features whether they come, together, to something struck; remembers what it said.

    Features are without struck programs already, so that is left to conditions that come to one.
    """

    def __init__(self, conditions: Conditions, world: Planes) -> None:
        self._conditions, self._world = conditions, world
        self._known: dict[ColumnClause, bool] = {}

    def __call__(self, clause: ColumnClause, features: Features) -> bool:
        if clause not in self._known:
            literals = tuple(Literal(features.terms[f], positive) for f, positive in clause)
            world = self._world
            self._known[clause] = self._conditions.comes_to_struck(literals, world.values, world.buttons)
        return self._known[clause]

    def any_of(self, clauses: Clauses, features: Features) -> bool:
        """Whether one of some clauses does."""
        return any(self(clause, features) for clause in clauses)
