"""LPP with details of the published code: one policy per prefix and seed, as often as it is found.

`Learner` keeps every formula once. Here duplicates may fill the mixture, and the rule for ties can be chosen. This
explains two results of the paper: why a high ε ruins policies, and why no prior does not. Four more details can be as
in the published code, to measure what they matter.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from shown.columns.distinct import CONSTANT
from shown.columns.rows import Labels
from shown.demonstrations import Demonstrations
from shown.errors import BadInput
from shown.grid import Action, Grid
from shown.inference.features import Features, LazyTerms
from shown.inference.posterior import ScoredFormula, literal_prices, log_likelihood, log_prior
from shown.inference.trees import Forest, Tree, clauses_of, impurity
from shown.rules.bitwise import formula_bits
from shown_evidence.baselines import from_options
from shown_evidence.baselines.lpp import MixturePolicy, mixed
from shown_evidence.baselines.program_values import ProgramValues, of_programs

TIES = ("first", "any")
MAX_KEPT = 4000  # nodes whose scores are kept for other prefixes and seeds


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
        ties: which of equally good candidates are kept: those found "first", or "any".
        merged: whether equal columns are one feature, that of the most probable program.
        one_order: whether one order of the features breaks all ties of a tree; otherwise chance breaks each.
        every: number of programs from one prefix to the next.
        divided: whether the vote of a formula is divided by the number of actions it allows.
    """

    programs: int = 10_000
    ensemble: int = 25
    trees: int = 5
    noise: float = 0.0
    prior: str = "grammar"
    seed: int = 0
    duplicates: bool = True
    ties: str = "first"
    merged: bool = True
    one_order: bool = True
    every: int = 1
    divided: bool = True

    def fit(self, demos: Demonstrations) -> EveryPrefix:
        if self.ties not in TIES:
            raise BadInput(f"ties must be one of {', '.join(TIES)}, not {self.ties!r}.")
        values = ProgramValues.of_demonstrated(demos, self.programs)
        features = values.features if self.merged else unmerged(values.features)
        found = list(self._candidates(features, values.evidence(demos)))
        best = self._best(found)
        highest = max((candidate.score for candidate in best), default=0.0)
        weights = {candidate: times * float(np.exp(candidate.score - highest)) for candidate, times in best.items()}
        total, order = sum(weights.values()), sorted(weights, key=lambda candidate: -weights[candidate])
        self.policy_ = mixed([(each, weights[each] / total) for each in order], features.terms, demos, features)
        return self

    def act_many(self, grids: Sequence[Grid]) -> Sequence[Action]:
        return super().act_many(grids) if self.divided else [self._elected(grid) for grid in grids]

    def _elected(self, grid: Grid) -> Action:
        """Return the cell with the most weight of formulas that allow it, the first in reading order among equals."""
        weights = [component.weight for component in self.policy_.components]
        votes = np.tensordot(weights, self.policy_.component_probabilities(grid) > 0, axes=1)
        row, column = np.unravel_index(np.argmax(votes), votes.shape)
        return int(row), int(column)

    def _candidates(self, features: Features, evidence: Labels) -> Iterator[ScoredFormula]:
        """Yield the candidates of each prefix and seed, in this order, that explain the demonstrations."""
        prices = literal_prices(features.log_prior, self.prior)
        known: dict[Tree, ScoredFormula] = {}
        for tree in self._trees(features, evidence):
            if tree not in known:
                clauses = clauses_of(tree)
                # The empty formula pays for no literal, so it is the published code's most probable policy.
                prior = 0.0 if self.duplicates and not clauses else log_prior(clauses, prices)
                allowed = formula_bits(clauses, features.columns, evidence.mask)
                known[tree] = ScoredFormula(clauses, prior, log_likelihood(allowed, evidence, self.noise))
            if np.isfinite(known[tree].score):
                yield known[tree]

    def _trees(self, features: Features, evidence: Labels) -> Iterator[Tree]:
        """Yield the trees of each prefix and seed, in this order."""
        seeds = [self.seed * self.trees + s for s in range(self.trees)]
        counts = np.searchsorted(features.first, np.arange(self.every, self.programs + 1, self.every)).tolist()
        if self.one_order:
            forest = Forest(evidence.mask, evidence.positive, seeds)
            grown = [([start for start, _ in found], found) for found in forest.extend(features.columns)]
            for count in counts:
                yield from (found[bisect_right(starts, count) - 1][1] for starts, found in grown)
        else:
            chance = _TreesByChance(features.columns, evidence)
            for count in counts:
                yield from (chance.tree(count, evidence.mask, np.random.default_rng(seed)) for seed in seeds)

    def _best(self, found: list[ScoredFormula]) -> Counter[ScoredFormula]:
        """Return the candidates of the mixture with their multiplicities."""
        offered = found if self.duplicates else list(dict.fromkeys(found))
        rank = np.zeros(len(offered))
        if self.ties == "any":
            rank = np.random.default_rng([self.seed, 0x71E5]).random(len(offered))
        order = np.lexsort([rank, np.array([-candidate.score for candidate in offered])])
        return Counter(offered[i] for i in order[: self.ensemble].tolist())


class _TreesByChance:
    """Greedy trees whose ties are broken at every node by chance, as scikit-learn does."""

    def __init__(self, columns: np.ndarray, evidence: Labels) -> None:
        self._columns, self._positive = columns, evidence.positive
        self._kept: dict[bytes, np.ndarray] = {}

    def tree(self, count: int, mask: np.ndarray, rng: np.random.Generator) -> Tree:
        """Return a tree over the first `count` features for the rows in `mask`."""
        rows, positives = (int(np.bitwise_count(bits).sum()) for bits in (mask, mask & self._positive))
        score = np.empty(0) if positives in (0, rows) else self._scores(mask, rows, positives)[:count]
        if not np.isfinite(score).any():
            return Tree(-1, answer=2 * positives > rows)
        best = int(rng.choice(np.flatnonzero(score == score.min())))
        column = self._columns[best]
        return Tree(best, self.tree(count, mask & ~column, rng), self.tree(count, mask & column, rng))

    def _scores(self, mask: np.ndarray, rows: int, positives: int) -> np.ndarray:
        """Return the impurity after a split by each feature. [F] float64"""
        key = mask.tobytes()
        if key in self._kept:
            return self._kept[key]
        where = np.flatnonzero(mask)
        inside = self._columns[:, where] & mask[where]
        ones = np.bitwise_count(inside).sum(axis=1, dtype=np.int64)
        positive_ones = np.bitwise_count(inside & self._positive[where]).sum(axis=1, dtype=np.int64)
        score = impurity(ones, positive_ones, rows, positives)
        if len(self._kept) < MAX_KEPT:
            self._kept[key] = score
        return score


def unmerged(features: Features) -> Features:
    """Return a feature for each program that is not constant."""
    places = np.flatnonzero(features.of_program != CONSTANT)
    of_program = np.full(len(features.of_program), CONSTANT)
    of_program[places] = np.arange(len(places))
    priors = np.concatenate([np.full(block.count, block.log_prior) for block in features.blocks])
    return replace(
        features,
        terms=LazyTerms(features.blocks, places),
        log_prior=priors[places],
        first=places,
        columns=of_programs(places, features, features.columns, features.mask),
        of_program=of_program,
        negates=features.negates & (features.of_program == CONSTANT),
    )


learner = from_options(EveryPrefix)
"""Build LPP with the mixture of the published code."""
