"""LPP with the mixture of the published code: one policy per prefix and seed, as often as it is found.

`Learner` keeps every formula once. Here duplicates may fill the mixture, and the rule for ties can be chosen. This
explains two results of the paper: why a high ε ruins policies, and why no prior does not.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from shown.demonstrations import Demonstrations
from shown.errors import BadInput
from shown.evaluation.rows import Evidence
from shown.inference.features import Features
from shown.inference.learner import to_formula
from shown.inference.posterior import Candidate, literal_prices, log_likelihood, log_prior
from shown.inference.trees import Forest, Tree, clauses_of
from shown.rules.bitwise import formula_bits
from shown.worlds import Game
from shown_evidence.baselines.lpp import MixturePolicy, mixed
from shown_evidence.baselines.program_values import ProgramValues

TIES = ("first", "last", "any")


@dataclass
class EveryPrefix(MixturePolicy):
    """Grows trees for every prefix and mixes the best of them.

    >>> from shown.worlds import find
    >>> from shown_evidence.trials.demonstrators import demonstrations
    >>> demos = demonstrations(find("nim"), "train:0-3")
    >>> once, often = (EveryPrefix(programs=500, duplicates=each).fit(demos) for each in (False, True))
    >>> len(once.policy_.components) > len(often.policy_.components)
    True

    Attributes:
        programs, ensemble, trees, noise, prior, seed: as in `Learner`.
        duplicates: whether formulas count as often as they are found and may be empty, as in the published code.
        ties: which of equally good candidates are kept: "first" found, "last" found, or "any".
    """

    programs: int = 10_000
    ensemble: int = 25
    trees: int = 5
    noise: float = 0.0
    prior: str = "grammar"
    seed: int = 0
    duplicates: bool = True
    ties: str = "first"

    def fit(self, demos: Demonstrations) -> EveryPrefix:
        if self.ties not in TIES:
            raise BadInput(f"ties must be one of {', '.join(TIES)}, not {self.ties!r}.")
        values = ProgramValues.of_demonstrated(demos, self.programs)
        found = list(self._candidates(values.features, values.evidence(demos)))
        best = self._best(found)
        highest = max((candidate.score for candidate in best), default=0.0)
        weights = {candidate: times * float(np.exp(candidate.score - highest)) for candidate, times in best.items()}
        total, order = sum(weights.values()), sorted(weights, key=lambda candidate: -weights[candidate])
        parts = ((each, weights[each] / total, to_formula(each.clauses, values.features)) for each in order)
        self.policy_ = mixed(parts, demos, self.programs, len(values.features))
        return self

    def _candidates(self, features: Features, evidence: Evidence) -> Iterator[Candidate]:
        """Yield the candidates of each prefix and seed, in this order, that explain the demonstrations."""
        forest = Forest(evidence.mask, evidence.positive, [self.seed * self.trees + s for s in range(self.trees)])
        prices = literal_prices(features.log_prior, self.prior)
        grown = [([start for start, _ in found], found) for found in forest.extend(features.columns)]
        known: dict[int, Candidate] = {}
        for last in range(1, self.programs + 1):
            count = int(np.searchsorted(features.first, last))
            for starts, found in grown:
                tree = found[bisect_right(starts, count) - 1][1]
                if id(tree) not in known:
                    known[id(tree)] = self._candidate(tree, features, prices, evidence)
                if np.isfinite(known[id(tree)].score):
                    yield known[id(tree)]

    def _candidate(self, tree: Tree, features: Features, prices: np.ndarray, evidence: Evidence) -> Candidate:
        clauses = clauses_of(tree)
        allowed = formula_bits(clauses, features.columns, evidence.mask)
        # The empty formula pays for no literal, so it is the published code's most probable policy.
        prior = 0.0 if self.duplicates and not clauses else log_prior(clauses, prices)
        return Candidate(clauses, prior, log_likelihood(allowed, evidence, self.noise))

    def _best(self, found: list[Candidate]) -> Counter[Candidate]:
        """Return the candidates of the mixture with their multiplicities."""
        offered = found if self.duplicates else list(dict.fromkeys(found))
        rank = np.arange(len(offered), dtype=float) * (-1 if self.ties == "last" else 1)
        if self.ties == "any":
            rank = np.random.default_rng([self.seed, 0x71E5]).random(len(offered))
        order = sorted(range(len(offered)), key=lambda i: (-offered[i].score, rank[i]))
        return Counter(offered[i] for i in order[: self.ensemble])


def learner(game: Game, seed: int, options: Mapping[str, Any]) -> EveryPrefix:
    """Build LPP with the mixture of the published code."""
    return EveryPrefix(seed=seed, **options)
