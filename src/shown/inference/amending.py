"""Formulas amended to what else was shown, as little as possible.

After a correction the demonstrations are nearly the same, and so should the rule be. A clause that now allows something
ruled out is narrowed by further literals; what is shown and no clause allows gets clauses of its own; everything else
stays. That takes a few hundredths of a second, where a search from the start takes seconds, and keeps whatever practice
has made of the rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from shown.inference.clauses import TASTE, cover
from shown.inference.features import Features
from shown.inference.fitting import Fitting
from shown.inference.formulas import Clause, Clauses, clause_bits, formula_bits
from shown.inference.posterior import log_likelihood, log_prior
from shown.inference.rows import Evidence
from shown.language.evaluate import Plan
from shown.policy import Policy
from shown.rules import Formula, Literal


def amended(policy: Policy, fitting: Fitting, evidence: Evidence, programs: int | None = None) -> Policy | None:
    """The policy with each of its formulas amended to fit the evidence; None if that cannot be done.

    Args:
        policy: what was learned before.
        fitting: the states, with the programs that changes are made of.
        evidence: what was shown in them.
        programs: so many of the programs are looked at; by default all.
    """
    features = fitting.features(evidence, programs)
    own = list(dict.fromkeys(literal.term for part in policy.components for literal in part.formula.literals))
    plan = Plan(own, policy.tokens, policy.buttons, policy.language)
    worlds = [evaluator.world for evaluator in fitting.evaluators]
    if any(plan.reach.margin(world.grids) > world.margin for world in worlds):
        return None  # it was learned from more programs than are looked at now
    amend = Amender(features, np.concatenate([plan.columns(world) for world in worlds], axis=1), evidence)
    place = {term: len(features) + i for i, term in enumerate(own)}
    prices = np.append(features.log_prior, [fitting.log_prior(term) for term in own])
    components = []
    for part in policy.components:
        found = amend(tuple(tuple((place[x.term], x.positive) for x in clause) for clause in part.formula.clauses))
        if found is None:
            return None
        likelihood = log_likelihood(formula_bits(found, amend.columns, evidence.mask), evidence)
        formula = Formula(
            tuple(
                tuple(Literal(features.terms[f] if f < len(features) else own[f - len(features)], x) for f, x in clause)
                for clause in found
            )
        )
        components.append(replace(part, log_prior=log_prior(found, prices), log_likelihood=likelihood, formula=formula))
    return replace(policy, components=tuple(components))


class Amender:
    """Amends formulas, over columns of their own and over features, until they fit some evidence exactly.

    Columns are counted through: the features first, then the formulas' own.

    Attributes:
        columns: all of them. [F + n, R] uint64

    Args:
        features: what clauses are narrowed by, and new ones are made of.
        own: the columns of the programs that the formulas use. [n, R] uint64
        evidence: what they are to fit.
    """

    def __init__(self, features: Features, own: np.ndarray, evidence: Evidence) -> None:
        self._features, self._evidence = features, evidence
        self.columns = np.concatenate([features.columns, own])
        self._costs = np.maximum(-features.log_prior, 1e-3)
        self._rows = list(dict.fromkeys(zip(evidence.word.tolist(), evidence.bit.tolist(), strict=True)))
        self._narrow: dict[Clause, Clauses] = {}
        self._found: dict[tuple[tuple[int, int], ...], Clauses | None] = {}

    def __call__(self, clauses: Clauses) -> Clauses | None:
        """The formula with as few changes as it needs; None if the features cannot tell apart what was shown."""
        kept = tuple(dict.fromkeys(narrow for clause in clauses for narrow in self._narrowed(clause)))
        allowed = formula_bits(kept, self.columns, self._evidence.mask)
        missing = self._shown(~allowed)
        if not missing:
            return kept
        if missing not in self._found:  # formulas of one mixture mostly lack the same
            self._found[missing] = self._covered(self._evidence, missing)
        more = self._found[missing]
        return None if more is None else kept + more

    def _narrowed(self, clause: Clause) -> Clauses:
        """A clause with what it takes to rule out all that is ruled out; several, if that takes several ways; none if
        it allows nothing that was shown."""
        if clause not in self._narrow:
            here = clause_bits([clause], self.columns, self._evidence.mask)[0]
            wrong = (here & ~self._evidence.positive).any()
            self._narrow[clause] = self._cut(clause, here) if wrong else (clause,)
        return self._narrow[clause]

    def _cut(self, clause: Clause, here: np.ndarray) -> Clauses:
        part = replace(self._evidence, mask=here, positive=self._evidence.positive & here)
        shown = self._shown(here)
        cuts = self._covered(part, shown) if shown else None
        return tuple((*clause, *cut) for cut in cuts or ())

    def _covered(self, evidence: Evidence, starts: Sequence[tuple[int, int]]) -> Clauses | None:
        words, bits = (np.array(part, dtype=np.int64) for part in zip(*starts, strict=True))
        return cover(self._features.columns, evidence, words, bits.astype(np.uint64), self._costs, TASTE)

    def _shown(self, among: np.ndarray) -> tuple[tuple[int, int], ...]:
        """The shown rows that are among some rows."""
        return tuple((word, bit) for word, bit in self._rows if int(among[word]) >> bit & 1)
