"""A teacher's constraints on the rows of some labels.

Every formula has the pinned clauses. Demonstrated actions that they allow need no other explanation: searches get the
rest, and their proposals are scored together with the pinned clauses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from shown.columns.rows import Labels, Rows
from shown.demonstrations import Demonstrations
from shown.engine.planes import Planes
from shown.grid import Action, Grid, action_to_json
from shown.inference.failure import numbered
from shown.inference.features import Features
from shown.language.plan import Plan
from shown.language.primitives import Language
from shown.rules import Constraints
from shown.rules.bitwise import Clause as ColumnClause
from shown.rules.bitwise import clause_bits, over_columns, over_programs
from shown.rules.formula import Clause


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A pinned clause that allows a ruled-out action.

    Attributes:
        clause: the clause.
        sentence: the clause in English.
        demonstration, step: place of the contradiction; demonstrations from `own` on are mirror images.
        grid: the position.
        action: the action demonstrated or refused there.
        other: the action that the clause allows there.
        own: number of the teacher's own demonstrations.
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
        """What is wrong, where, and what to do."""
        image = self.demonstration >= self.own
        where = "in a mirrored demonstration" if image else f"in demonstration {self.demonstration}"
        where += f", step {self.step}"
        what = f"where {self.action} was shown" if self.other != self.action else "which was refused there"
        return (
            f'the rule "{self.sentence}" allows {self.other} {where}, {what}. It is left out. Remove the rule, '
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
    """Clauses that every formula has, on the rows of some labels; there may be none.

    Attributes:
        clauses: the clauses.
        log_prior: log prior of their literals; None without any.
        bits: rows that they allow. [R] uint64
        whole: all labels. Rows that the clauses allow and that were not demonstrated are open in it.
    """

    clauses: tuple[Clause, ...]
    log_prior: float | None
    bits: np.ndarray
    whole: Labels

    @cached_property
    def rest(self) -> Labels:
        """The labels that other clauses must explain: the rows that the pinned clauses allow are open."""
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
        """Return the rows allowed together with clauses that allow `others`. [R] uint64"""
        return others | (self.bits & self.whole.mask)


def pin(clauses: Sequence[Clause], bits: np.ndarray, log_prior: float | None, labels: Labels) -> Pinned:
    """Return clauses, each with the rows it allows ([n, R] uint64), as part of every formula for some labels."""
    together = np.bitwise_or.reduce(bits, axis=0)
    opened = together & ~labels.positive
    whole = replace(labels, mask=labels.mask & ~opened, refused=labels.refused & ~opened)
    return Pinned(tuple(clauses), log_prior, together, whole)


def pinned_bits(clauses: Sequence[Clause], worlds: Sequence[Planes], language: Language) -> np.ndarray:
    """Return the rows that each clause allows. [n, R] uint64"""
    own = list(dict.fromkeys(literal.term for clause in clauses for literal in clause))
    place = {term: i for i, term in enumerate(own)}
    plan = Plan(own, worlds[0].tokens, worlds[0].buttons, language)
    columns = np.concatenate([plan.columns(world) for world in worlds], axis=1)
    return clause_bits(over_columns(clauses, place), columns, np.concatenate([world.row_mask for world in worlds]))


def contradictions(
    constraints: Constraints, bits: np.ndarray, rows: Rows, labels: Labels, shown: Demonstrations, own: int
) -> tuple[Contradiction, ...]:
    """Return, for each pinned clause that allows a ruled-out action, the first place where it does.

    Args:
        constraints: the constraints with the pinned clauses.
        bits: rows that each of them allows. [n, R] uint64
        rows: the rows.
        labels: the demonstrations as bits.
        shown: the demonstrations, mirror images last.
        own: number of demonstrations that are no images.
    """
    found = []
    for clause, allowed in zip(constraints.pinned, bits, strict=True):
        wrong = allowed & labels.mask & ~labels.positive
        if wrong.any():
            found.append(_first(clause, constraints.sentence(clause), wrong, rows, shown, own))
    return tuple(found)


def _first(
    clause: Clause, sentence: str, wrong: np.ndarray, rows: Rows, shown: Demonstrations, own: int
) -> Contradiction:
    words, places = np.nonzero((wrong[:, None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1))
    others: dict[int, list[Action]] = {}
    for word, bit in zip(words.tolist(), places.tolist(), strict=True):
        state, action = rows.row(word, bit)
        others.setdefault(state, []).append(action)
    for (d, s), step in numbered(shown):
        among = others.get(rows.number(step.grid), ())
        # A refusal contradicts only the refused action; any other step contradicts whatever the clause allows.
        if among and (not step.refused or step.action in among):
            other = step.action if step.refused else among[0]
            return Contradiction(clause, sentence, d, s, step.grid, step.action, other, own)
    raise AssertionError("every ruled-out row is ruled out by some step")


class Struck:
    """Tests whether the literals of a clause over features together amount to a struck program; keeps its answers.

    Struck programs themselves are no features.
    """

    def __init__(self, constraints: Constraints, world: Planes) -> None:
        self._constraints, self._world = constraints, world
        self._known: dict[ColumnClause, bool] = {}

    def __call__(self, clause: ColumnClause, features: Features) -> bool:
        if clause not in self._known:
            (literals,) = over_programs((clause,), features.terms.__getitem__)
            world = self._world
            self._known[clause] = self._constraints.amounts_to_struck(literals, world.values, world.buttons)
        return self._known[clause]
