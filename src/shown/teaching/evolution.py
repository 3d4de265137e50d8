"""Variation of single rules by practice: literals are added, dropped and exchanged, and what wins more levels stays.

From one or two demonstrations the cheapest clauses are often too general: nothing shown so far needed another literal,
and most programs look alike, or constant, on the few positions shown. Here rules get such literals by trial. Under a
hypothesis with symmetries a rule is kept as the clauses from which all others come as images, so that what is learned
of one side is learned of the other. A rule that does not allow everything that was shown is never played.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from shown.inference.features import LazyTerms
from shown.inference.formulas import Clauses
from shown.inference.learner import to_formula
from shown.policy import Component, Formula, Literal, Policy
from shown.symmetry import closure, of_clause
from shown.teaching.hypotheses import Fitted
from shown.teaching.practice import Ground

Rule = frozenset[frozenset[Literal]]
"""The clauses from which, with their images, the formula is made."""

FIRST_PROGRAMS = 400
"""Literals are drawn from the enumeration with about this mean: cheap programs mostly, dear ones now and then."""


@dataclass
class Evolution:
    """A few rules, each better than those it came from.

    Attributes:
        fitted: the hypothesis whose programs are used.
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
        self._group = closure(self.fitted.hypothesis.symmetries)
        self._seen: set[Rule] = set()
        self._unfolded: dict[frozenset[Literal], tuple[tuple[Literal, ...], ...]] = {}
        shown = [step for step in self.fitted.shown.steps if not step.refused]
        self._grids = [step.grid for step in shown]
        self._actions = [step.action for step in shown]

    def begin(self, formulas: Sequence[Clauses]) -> None:
        """Takes in the rules to start from; of clauses that are images of each other only one is kept."""
        for clauses in formulas:
            self._try(self._generators(to_formula(clauses, self.fitted.features)))

    def step(self, attempts: int = 16) -> float:
        """Tries some variations; the share of levels that the best rule so far wins."""
        rules = list(self.scored)
        for _ in range(attempts):
            one, other = self.rng.integers(len(rules), size=2).tolist()
            child = self._varied(max(rules[one], rules[other], key=self._rank))
            if child is not None and child not in self._seen:
                self._try(child)
                rules = list(self.scored)
        return max(self.scored.values(), default=0.0)

    def policies(self) -> Iterator[Policy]:
        """The best rule alone, and the best few together."""
        ranked = sorted(self.scored, key=self._rank, reverse=True)
        best = [rule for rule in ranked if self.scored[rule] == self.scored[ranked[0]]]
        for rules in (ranked[:1], best, ranked[:5]):
            yield self.policy(rules)

    def policy(self, rules: Sequence[Rule]) -> Policy:
        """Rules as a policy that gives each the same weight."""
        base = self.fitted.policy
        assert base is not None
        components = tuple(Component(1.0 / len(rules), 0.0, 0.0, self._formula(rule)) for rule in rules)
        return replace(base, components=components)

    def _rank(self, rule: Rule) -> tuple[float, int]:
        """What it wins; of equals, the shorter one comes first."""
        return self.scored[rule], -sum(map(len, rule))

    def _try(self, rule: Rule) -> None:
        """Plays a rule, and keeps it if it is among the best."""
        self._seen.add(rule)
        policy = self.policy([rule])
        if not self._explains(policy):
            return
        worst = min(self.scored.values()) if len(self.scored) >= self.most else -1.0
        few = self.ground.score(policy, 12)
        if few <= worst - 0.25:
            return  # clearly worse: not worth more levels
        self.scored[rule] = self.ground.score(policy, self.levels)
        if len(self.scored) > self.most:
            del self.scored[min(self.scored, key=self._rank)]

    def _explains(self, policy: Policy) -> bool:
        """Whether the policy allows everything that was shown."""
        return all(policy.allows_many(self._grids, self._actions))

    # --- formulas and the clauses they come from ----------------------------------------------------------------------

    def _formula(self, rule: Rule) -> Formula:
        clauses = {image: None for clause in rule for image in self._images(clause)}
        return Formula(tuple(sorted(clauses, key=str)))

    def _images(self, clause: frozenset[Literal]) -> tuple[tuple[Literal, ...], ...]:
        """The clause and its images, their literals in a fixed order."""
        if clause not in self._unfolded:
            language = self.fitted.policy.language if self.fitted.policy else {}
            found = (of_clause(tuple(clause), transformation, language) for transformation in self._group)
            self._unfolded[clause] = tuple(
                dict.fromkeys(tuple(sorted(image, key=str)) for image in found if image is not None)
            )
        return self._unfolded[clause]

    def _generators(self, formula: Formula) -> Rule:
        kept: dict[frozenset[Literal], None] = {}
        implied: set[frozenset[Literal]] = set()
        for clause in map(frozenset, formula.clauses):
            if clause not in implied:
                kept[clause] = None
                implied.update(frozenset(image) for image in self._images(clause))
        return frozenset(kept)

    # --- varying ------------------------------------------------------------------------------------------------------

    def _varied(self, rule: Rule) -> Rule | None:
        """The rule with one or two changes, or None where a change cannot be made."""
        changes: list[Callable[[Rule], Rule | None]] = [self._added, self._added, self._dropped, self._exchanged]
        for _ in range(int(self.rng.integers(1, 3))):
            changed = changes[int(self.rng.integers(len(changes)))](rule)
            if changed is None:
                return None
            rule = changed
        return rule

    def _added(self, rule: Rule) -> Rule:
        clause = self._clause(rule)
        place = min(int(self.rng.exponential(FIRST_PROGRAMS)), len(self._programs) - 1)
        literal = Literal(self._programs[place], bool(self.rng.integers(2)))
        return (rule - {clause}) | {clause | {literal}}

    def _dropped(self, rule: Rule) -> Rule | None:
        clause = self._clause(rule)
        if len(clause) < 2:
            return None
        gone = sorted(clause, key=str)[int(self.rng.integers(len(clause)))]
        return (rule - {clause}) | {clause - {gone}}

    def _exchanged(self, rule: Rule) -> Rule | None:
        dropped = self._dropped(rule)
        return None if dropped is None else self._added(dropped)

    def _clause(self, rule: Rule) -> frozenset[Literal]:
        return sorted(rule, key=lambda clause: sorted(map(str, clause)))[int(self.rng.integers(len(rule)))]
