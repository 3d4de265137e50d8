"""Variation of single rules by practice: literals are added, dropped and exchanged, and what wins more levels stays.

From one or two demonstrations the cheapest clauses are often too general: nothing shown so far needed another literal.
Here rules get such literals by trial. A rule that would no longer allow everything that was shown is not even tried.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from shown.inference.features import LazyTerms
from shown.inference.formulas import Clauses, formula_bits
from shown.inference.posterior import log_likelihood, log_prior
from shown.language.terms import Term
from shown.policy import Component, Formula, Literal, Policy
from shown.teaching.hypotheses import Fitted
from shown.teaching.practice import Ground

CHEAP = 400
"""Literals are taken from so many of the cheapest features."""


@dataclass(frozen=True)
class Rule:
    """A formula over features, with the programs that stand for some of them.

    Attributes:
        clauses: the formula.
        stand_ins: for some features another program with the same column (they differ elsewhere): its place.
    """

    clauses: Clauses
    stand_ins: tuple[tuple[int, int], ...] = ()


@dataclass
class Evolution:
    """A few rules, each better than those it came from.

    Attributes:
        fitted: the hypothesis whose features are used.
        ground: where rules play.
        rng: of all random choices.
        levels: on how many levels rules are compared.
        most: how many rules are kept.
        scored: the share of levels won by each rule kept.
    """

    fitted: Fitted
    ground: Ground
    rng: np.random.Generator
    levels: int = 40
    most: int = 12
    scored: dict[Rule, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        features = self.fitted.features
        self._programs = LazyTerms(features.blocks, np.arange(len(features.of_program)))
        self._by_feature = np.argsort(features.of_program, kind="stable")
        self._sorted = features.of_program[self._by_feature]
        self._seen: set[Rule] = set()

    def begin(self, formulas: Sequence[Clauses]) -> None:
        """Takes in the rules to start from."""
        for clauses in formulas:
            self._try(Rule(clauses))

    def step(self, attempts: int = 12) -> float:
        """Tries some variations; the share of levels that the best rule so far wins."""
        for _ in range(attempts):
            parents = list(self.scored)
            parent = max(self.rng.choice(len(parents), size=2).tolist(), key=lambda i: self.scored[parents[i]])
            child = self._varied(parents[parent])
            if child is not None and child not in self._seen:
                self._try(child)
        return max(self.scored.values())

    def policies(self) -> Iterator[Policy]:
        """The best rule alone, and the best few together."""
        ranked = sorted(self.scored, key=lambda rule: -self.scored[rule])
        top = [rule for rule in ranked if self.scored[rule] >= self.scored[ranked[0]] - 1e-9]
        for rules in (ranked[:1], top, ranked[:5]):
            yield self.policy(rules)

    def policy(self, rules: Sequence[Rule]) -> Policy:
        """Rules as a policy that gives each the same weight."""
        base = self.fitted.policy
        assert base is not None
        components = sorted((self._component(rule) for rule in rules), key=lambda c: len(c.formula.literals))
        return replace(base, components=tuple(replace(c, weight=1.0 / len(rules)) for c in components))

    def _try(self, rule: Rule) -> None:
        self._seen.add(rule)
        worst = min(self.scored.values()) if len(self.scored) >= self.most else -1.0
        score = self._score(rule, worst)
        if score > worst or len(self.scored) < self.most:
            self.scored[rule] = score
            if len(self.scored) > self.most:
                # Of the worst, the one with most literals goes.
                del self.scored[min(self.scored, key=lambda r: (self.scored[r], -sum(map(len, r.clauses))))]

    def _score(self, rule: Rule, worst: float) -> float:
        """The share of levels won; a rule that is clearly worse on the first few is not played further."""
        policy = self.policy([rule])
        few = self.ground.score(policy, 12)
        return self.ground.score(policy, self.levels) if few > worst - 0.25 else min(few, worst)

    # --- varying ------------------------------------------------------------------------------------------------------

    def _varied(self, rule: Rule) -> Rule | None:
        """The rule with one or two changes, or None if they would leave something shown unexplained."""
        for _ in range(int(self.rng.integers(1, 3))):
            change = self.rng.choice([self._added, self._added, self._dropped, self._exchanged, self._stood_in])
            changed = change(rule)
            if changed is None:
                return None
            rule = changed
        return rule if self.fitted.explains(rule.clauses) else None

    def _added(self, rule: Rule) -> Rule | None:
        clause = int(self.rng.integers(len(rule.clauses)))
        feature = self._feature()
        if any(feature == used for used, _ in rule.clauses[clause]):
            return None
        return self._with(rule, clause, (*rule.clauses[clause], (feature, bool(self.rng.integers(2)))))

    def _dropped(self, rule: Rule) -> Rule | None:
        clause = int(self.rng.integers(len(rule.clauses)))
        literals = rule.clauses[clause]
        if len(literals) < 2:
            return None
        gone = int(self.rng.integers(len(literals)))
        return self._with(rule, clause, literals[:gone] + literals[gone + 1 :])

    def _exchanged(self, rule: Rule) -> Rule | None:
        dropped = self._dropped(rule)
        return None if dropped is None else self._added(dropped)

    def _stood_in(self, rule: Rule) -> Rule | None:
        """Another program with the same column, for one of the features."""
        used = sorted({feature for clause in rule.clauses for feature, _ in clause})
        feature = used[int(self.rng.integers(len(used)))]
        first, last = np.searchsorted(self._sorted, [feature, feature + 1])
        if last - first < 2:
            return None
        place = int(self._by_feature[first + min(int(self.rng.exponential(3.0)), int(last - first) - 1)])
        others = tuple(pair for pair in rule.stand_ins if pair[0] != feature)
        return Rule(rule.clauses, tuple(sorted((*others, (feature, place)))))

    def _feature(self) -> int:
        """One of the cheapest features, the first ones most often."""
        count = min(CHEAP, len(self.fitted.features))
        return min(int(self.rng.exponential(count / 4)), count - 1)

    def _with(self, rule: Rule, clause: int, literals: tuple[tuple[int, bool], ...]) -> Rule:
        clauses = (*rule.clauses[:clause], tuple(sorted(literals)), *rule.clauses[clause + 1 :])
        return Rule(tuple(sorted(set(clauses))), rule.stand_ins)

    # --- as policies --------------------------------------------------------------------------------------------------

    def _component(self, rule: Rule) -> Component:
        features, evidence = self.fitted.features, self.fitted.evidence
        likelihood = log_likelihood(formula_bits(rule.clauses, features.columns, evidence.mask), evidence)
        instead = dict(rule.stand_ins)

        def literal(feature: int, positive: bool) -> Literal:
            place = instead.get(feature)
            if place is None:
                return Literal(features.terms[feature], positive)
            term: Term = self._programs[place]
            return Literal(term, positive != bool(features.negates[place]))

        clauses = tuple(tuple(literal(*signed) for signed in clause) for clause in rule.clauses)
        return Component(1.0, log_prior(rule.clauses, features.log_prior), likelihood, Formula(clauses))
