"""Prior, likelihood, and the best-K mixture that approximates the posterior.

Formulas are over columns by number, and rows are bits: see `rules/bitwise.py` and `columns/rows.py`.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass

import numpy as np

from shown.columns.rows import Labels
from shown.rules.bitwise import Clauses, SignedColumn, count_by_state

PRIORS = ("grammar", "sparsity", "uniform")


@dataclass(frozen=True)
class ScoredFormula:
    """A formula with its score.

    Attributes:
        clauses: the formula over columns.
        log_prior: log p(π), up to a constant.
        log_likelihood: log p(D | π).
    """

    clauses: Clauses
    log_prior: float
    log_likelihood: float

    @property
    def score(self) -> float:
        """The unnormalized log posterior."""
        return self.log_prior + self.log_likelihood


def log_prior(clauses: Clauses, prices: np.ndarray, pinned: float | None = None) -> float:
    """Return log p of a formula: every literal of every clause pays for its program, as often as it occurs.

    The paper counts literals from 1: a formula without any ("never", "always") is no policy and has log prior −∞,
    unless there are further clauses with log prior `pinned`.
    """
    paid = [float(prices[column]) for clause in clauses for column, _ in clause]
    if pinned is None or (clauses and not paid):
        return math.fsum(paid) if paid else -math.inf
    return math.fsum([pinned, *paid])


def literal_prices(log_priors: np.ndarray, prior: str) -> np.ndarray:
    """Return the log prior of a literal over each column, by the grammar, a constant, or 0. [F]"""
    if prior == "sparsity":
        return np.full(len(log_priors), -math.log(2.0))
    return np.zeros(len(log_priors)) if prior == "uniform" else log_priors


def log_likelihood(allowed: np.ndarray, labels: Labels, noise: float = 0.0, uniform_if_empty: bool = False) -> float:
    """Return log p(D | π) for a policy that chooses evenly among the rows `allowed`, none of which is open.

    A demonstrated action that the formula rules out has probability 0 (without noise), even where the formula allows
    nothing; with `uniform_if_empty` the policy guesses there, as the acting one does. Each step counts by its weight.
    An action that the teacher refused may be allowed only if the refusal was noise.
    """
    counts = count_by_state(allowed[None], labels.state_of_row, len(labels.actions))[0]
    of_step = counts[labels.state]
    actions = labels.actions[labels.state]
    probability = np.where(labels.shows(allowed), 1.0 / np.maximum(of_step, 1), 0.0)
    if uniform_if_empty:
        probability = np.where(of_step == 0, 1.0 / actions, probability)
    probability = (1.0 - noise) * probability + noise / actions
    against = _slips(allowed & labels.refused, labels, noise)
    if np.any(probability == 0.0) or against == -math.inf:
        return -math.inf
    return math.fsum((labels.weight * np.log(probability)).tolist()) + against


def _slips(refused: np.ndarray, labels: Labels, noise: float) -> float:
    """Return the log probability that the teacher refused by mistake the rows that a policy allows."""
    if not refused.any():
        return 0.0
    if noise == 0.0:
        return -math.inf
    per_state = count_by_state(refused[None], labels.state_of_row, len(labels.actions))[0]
    return float((per_state * np.log(noise / labels.actions)).sum())


class Posterior:
    """The K best formulas so far, no two of them the same: a mixture that approximates the posterior.

    >>> posterior = Posterior(2)
    >>> for score in (-3.0, -1.0, -2.0):
    ...     posterior.offer(ScoredFormula((((0, True), (int(-score), True)),), score, 0.0))
    >>> [formula.score for formula in posterior.best], posterior.weights.round(2).tolist()
    ([-1.0, -2.0], [0.73, 0.27])
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._heap: list[tuple[float, int, ScoredFormula]] = []
        self._offers = 0

    def offer(self, formula: ScoredFormula) -> None:
        """Keep the formula if it is better than the worst one held."""
        # So one that has left never comes back, and formulas need to be compared with those held only.
        if formula.score == -math.inf or (len(self._heap) == self._size and formula.score <= self._heap[0][0]):
            return
        # The same formula has the same score. Sets of its literals are not kept: they take far more than the formula.
        alike = [held.clauses for score, _, held in self._heap if score == formula.score]
        if alike and _as_sets(formula.clauses) in map(_as_sets, alike):
            return
        # Among equal scores the first one, with the simpler features, stays.
        self._offers += 1
        heapq.heappush(self._heap, (formula.score, -self._offers, formula))
        if len(self._heap) > self._size:
            heapq.heappop(self._heap)

    @property
    def best(self) -> list[ScoredFormula]:
        """The formulas, best first."""
        return [item[2] for item in sorted(self._heap, key=lambda item: (-item[0], -item[1]))]

    @property
    def weights(self) -> np.ndarray:
        """p(π | D) of each of `best`, normalized over them; empty if there are none."""
        scores = np.array([formula.score for formula in self.best])
        weights = np.exp(scores - scores.max(initial=-math.inf))
        return weights / weights.sum()

    @property
    def bound(self) -> float:
        """The score below which no policy can enter (the paper's stopping bound)."""
        return self._heap[0][0] if len(self._heap) == self._size else -math.inf


def _as_sets(clauses: Clauses) -> frozenset[frozenset[SignedColumn]]:
    return frozenset(map(frozenset, clauses))
