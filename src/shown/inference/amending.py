"""Amend formulas to further demonstrations, changing as little as possible.

After a correction the rule should stay nearly the same. A clause that now allows a ruled-out action is narrowed by
further literals; a demonstrated action that no clause allows gets a new clause; everything else stays. That takes a few
hundredths of a second, where a new search takes seconds, and keeps what practice has found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from shown.columns.rows import Labels
from shown.engine.threads import ONE_THREAD
from shown.inference.by_row import FeaturesByRow
from shown.inference.covers import CoverTable, cover
from shown.inference.features import Features
from shown.inference.fitting import Fitting
from shown.inference.posterior import log_likelihood, log_prior
from shown.language.plan import Plan
from shown.language.terms import Term
from shown.policy import Policy
from shown.rules import Formula
from shown.rules.bitwise import Clause, Clauses, clause_bits, formula_bits, over_columns, over_programs


def amended(policy: Policy, fitting: Fitting, labels: Labels, programs: int | None = None) -> Policy | None:
    """Return the policy with each formula amended to fit the labels; None if that is impossible.

    Args:
        policy: the policy learned before.
        fitting: the states, with the programs to amend by.
        labels: the demonstrations in them.
        programs: number of programs to use; all if None.
    """
    features = fitting.features(labels, programs)
    own = list(dict.fromkeys(literal.term for part in policy.components for literal in part.formula.literals))
    plan = Plan(own, policy.tokens, policy.buttons, policy.language)
    worlds = [evaluator.world for evaluator in fitting.evaluators]
    if any(plan.reach.margin(world.grids) > world.margin for world in worlds):
        return None  # it was learned from more programs, which look further
    amend = Amender(features, np.concatenate([plan.columns(world) for world in worlds], axis=1), labels)
    place = {term: len(features) + i for i, term in enumerate(own)}
    prices = np.append(features.log_prior, [fitting.log_prior(term) for term in own])

    def term(column: int) -> Term:
        return features.terms[column] if column < len(features) else own[column - len(features)]

    components = []
    for part in policy.components:
        found = amend(over_columns(part.formula.clauses, place))
        if found is None:
            return None
        likelihood = log_likelihood(formula_bits(found, amend.columns, labels.mask), labels)
        formula = Formula(over_programs(found, term))
        components.append(replace(part, log_prior=log_prior(found, prices), log_likelihood=likelihood, formula=formula))
    return replace(policy, components=tuple(components))


class Amender:
    """Amends formulas until they fit some labels exactly.

    Attributes:
        columns: the features, then the formulas' own columns. [F + n, R] uint64

    Args:
        features: features for narrowing clauses and for new ones.
        own: columns of the programs that the formulas use. [n, R] uint64
        labels: the demonstrations to fit.
    """

    def __init__(self, features: Features, own: np.ndarray, labels: Labels) -> None:
        self._labels = labels
        self.columns = np.concatenate([features.columns, own])
        self._by_row = FeaturesByRow(labels.mask)
        self._by_row.replace(features.columns)
        self._costs = np.maximum(-features.log_prior, 1e-3)
        self._rows = labels.shown_rows
        self._narrow: dict[Clause, Clauses] = {}
        self._found: dict[tuple[tuple[int, int], ...], Clauses | None] = {}

    def __call__(self, clauses: Clauses) -> Clauses | None:
        """Return the amended formula; None if the features cannot distinguish the demonstrated actions."""
        kept = tuple(dict.fromkeys(narrow for clause in clauses for narrow in self._narrowed(clause)))
        allowed = formula_bits(kept, self.columns, self._labels.mask)
        missing = self._shown(~allowed)
        if not missing:
            return kept
        if missing not in self._found:  # formulas of one mixture mostly lack the same rows
            self._found[missing] = self._covered(self._labels, missing)
        more = self._found[missing]
        return None if more is None else kept + more

    def _narrowed(self, clause: Clause) -> Clauses:
        """Return narrower clauses that allow no ruled-out row; none if the clause allows no demonstrated one."""
        if clause not in self._narrow:
            here = clause_bits([clause], self.columns, self._labels.mask)[0]
            wrong = (here & ~self._labels.positive).any()
            self._narrow[clause] = self._cut(clause, here) if wrong else (clause,)
        return self._narrow[clause]

    def _cut(self, clause: Clause, here: np.ndarray) -> Clauses:
        part = replace(self._labels, mask=here, positive=self._labels.positive & here)
        shown = self._shown(here)
        cuts = self._covered(part, shown) if shown else None
        return tuple((*clause, *cut) for cut in cuts or ())

    def _covered(self, labels: Labels, starts: Sequence[tuple[int, int]]) -> Clauses | None:
        words, bits = (np.array(part, dtype=np.int64) for part in zip(*starts, strict=True))
        table = CoverTable.of(self._by_row, labels, ONE_THREAD)
        return cover(table, words, bits.astype(np.uint64), self._costs)

    def _shown(self, among: np.ndarray) -> tuple[tuple[int, int], ...]:
        """Return the demonstrated rows among some rows."""
        return tuple((word, bit) for word, bit in self._rows if int(among[word]) >> bit & 1)
