"""Prior, likelihood, and the best-K mixture that stands for the posterior.

Formulas here are over features by number, and rows are bits; see `features.py` for what they mean.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shown.compiled import compiled
from shown.inference.trees import Clauses, Literal

PRIORS = ("grammar", "sparsity", "uniform")


@dataclass(frozen=True)
class Evidence:
    """What was demonstrated, as bits over rows.

    Attributes:
        mask: 1 where a bit is a row (state, action). [R] uint64
        positive: 1 where a row was demonstrated; all other rows are anti-demonstrations. [R] uint64
        word, bit: where the row of each demonstrated step is. [T] int64 each
        state: the number of each step's state. [T] int64
        state_of_row: the number of the state of each bit, -1 for none. [R, 64] int32
        actions: the number of actions of each state. [S] int64
    """

    mask: np.ndarray
    positive: np.ndarray
    word: np.ndarray
    bit: np.ndarray
    state: np.ndarray
    state_of_row: np.ndarray
    actions: np.ndarray


@dataclass(frozen=True)
class Candidate:
    """A formula with its score.

    Attributes:
        clauses: the formula over features.
        log_prior: log p(π), up to a constant.
        log_likelihood: log p(D | π).
    """

    clauses: Clauses
    log_prior: float
    log_likelihood: float

    @property
    def score(self) -> float:
        """The unnormalised log posterior."""
        return self.log_prior + self.log_likelihood


def log_prior(clauses: Clauses, literal_log_prior: np.ndarray) -> float:
    """Every literal of every clause pays for its program, negated or not, as often as it occurs."""
    return math.fsum(float(literal_log_prior[feature]) for clause in clauses for feature, _ in clause)


def literal_prices(log_priors: np.ndarray, prior: str) -> np.ndarray:
    """What a literal over each feature adds to the log prior: by the grammar, by number only, or nothing. [F]"""
    if prior == "sparsity":
        return np.full(len(log_priors), -math.log(2.0))
    return np.zeros(len(log_priors)) if prior == "uniform" else log_priors


def formula_bits(clauses: Clauses, columns: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """The rows that a formula allows. [R] uint64"""
    allowed = np.zeros_like(mask)
    for clause in clauses:
        allowed |= clause_bits(clause, columns, mask)
    return allowed


def clause_bits(clause: Sequence[Literal], columns: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """The rows on which all literals hold. [R] uint64"""
    bits = mask.copy()
    for feature, positive in clause:
        bits &= columns[feature] if positive else ~columns[feature]
    return bits


def log_likelihood(
    allowed: np.ndarray, evidence: Evidence, noise: float = 0.0, uniform_if_empty: bool = False
) -> float:
    """log p(D | π) for a policy that chooses evenly among the rows `allowed`.

    A demonstrated action that the formula rules out has probability 0 (but for the noise), even where the formula
    allows nothing; with `uniform_if_empty`, there the policy guesses, as the acting one does.
    """
    counts = np.zeros(len(evidence.actions), dtype=np.int64)
    _count_allowed(allowed, evidence.state_of_row, counts)
    chosen = (allowed[evidence.word] >> evidence.bit.astype(np.uint64)) & np.uint64(1)
    of_step = counts[evidence.state]
    actions = evidence.actions[evidence.state]
    probability = np.where(chosen == 1, 1.0 / np.maximum(of_step, 1), 0.0)
    if uniform_if_empty:
        probability = np.where(of_step == 0, 1.0 / actions, probability)
    probability = (1.0 - noise) * probability + noise / actions
    if np.any(probability == 0.0):
        return -math.inf
    return math.fsum(np.log(probability).tolist())


Shortened = dict[tuple[bytes, tuple[Literal, ...]], tuple[Literal, ...]]
"""What a clause was shortened to, given the rows that its formula allows. Trees share most of their clauses."""


def drop_literals(
    clauses: Clauses, columns: np.ndarray, mask: np.ndarray, prices: np.ndarray, known: Shortened | None = None
) -> Clauses:
    """The formula without the literals, and then the clauses, whose absence changes no bit of its fit.

    The dearest literals are tried first. The rows that the formula allows stay exactly the same. What is found out
    about clauses is looked up in `known` and entered there.
    """
    known = {} if known is None else known
    allowed = formula_bits(clauses, columns, mask)
    forbidden = mask & ~allowed
    where = np.flatnonzero(forbidden)
    fit = allowed.tobytes()
    for clause in clauses:
        if (fit, clause) not in known:
            known[fit, clause] = tuple(sorted(_shorten(clause, columns, where, forbidden[where], prices)))
    shorter = {known[fit, clause] for clause in clauses}
    kept = sorted(shorter, key=lambda clause: (sum(float(prices[f]) for f, _ in clause), clause))
    bits = {clause: clause_bits(clause, columns, mask) for clause in kept}
    for clause in list(kept):
        others = [bits[other] for other in kept if other != clause]
        if others and np.array_equal(np.bitwise_or.reduce(others), allowed):
            kept.remove(clause)
    return tuple(sorted(kept))


def _shorten(
    clause: tuple[Literal, ...], columns: np.ndarray, where: np.ndarray, forbidden: np.ndarray, prices: np.ndarray
) -> list[Literal]:
    """Drops literals as long as the clause still holds on none of the forbidden rows."""
    kept = sorted(clause, key=lambda literal: (float(prices[literal[0]]), literal))
    features = np.array([feature for feature, _ in kept], dtype=np.int64)
    signs = np.array([np.uint64(0) if positive else ~np.uint64(0) for _, positive in kept], dtype=np.uint64)
    keep = np.ones(len(kept), dtype=np.bool_)
    _shorten_loop(columns, features, signs, where, forbidden, keep)
    return [literal for literal, stays in zip(kept, keep.tolist(), strict=True) if stays]


class Mixture:
    """The K best candidates met so far, no two of them the same formula.

    >>> mixture = Mixture(2)
    >>> for score in (-3.0, -1.0, -2.0):
    ...     mixture.offer(Candidate((((0, True), (int(-score), True)),), score, 0.0))
    >>> [candidate.score for candidate in mixture.best], mixture.weights.round(2).tolist()
    ([-1.0, -2.0], [0.73, 0.27])
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._heap: list[tuple[float, int, Candidate]] = []
        self._seen: set[frozenset[frozenset[Literal]]] = set()
        self._offers = 0

    def offer(self, candidate: Candidate) -> None:
        """Takes the candidate in if it is better than the worst one held."""
        key = frozenset(frozenset(clause) for clause in candidate.clauses)
        if key in self._seen or candidate.score == -math.inf:
            return
        self._seen.add(key)
        # Among equal scores the one found first (with the simpler features) stays.
        self._offers += 1
        heapq.heappush(self._heap, (candidate.score, -self._offers, candidate))
        if len(self._heap) > self._size:
            heapq.heappop(self._heap)

    @property
    def best(self) -> list[Candidate]:
        """The candidates, best first."""
        return [item[2] for item in sorted(self._heap, key=lambda item: (-item[0], -item[1]))]

    @property
    def weights(self) -> np.ndarray:
        """p(μ | D) of each of `best`, normalised over them."""
        scores = np.array([candidate.score for candidate in self.best])
        weights = np.exp(scores - scores.max())
        return weights / weights.sum()

    @property
    def bound(self) -> float:
        """No policy that uses a program less probable than this can enter any more (the paper's stopping bound)."""
        return self._heap[0][0] if len(self._heap) == self._size else -math.inf


@compiled
def _count_allowed(allowed, state_of_row, counts):  # type: ignore[no-untyped-def]
    one = np.uint64(1)
    for w in range(len(allowed)):
        bits = allowed[w]
        b = 0
        while bits:
            if bits & one:
                counts[state_of_row[w, b]] += 1
            bits >>= one
            b += 1


@compiled
def _shorten_loop(columns, features, signs, where, forbidden, keep):  # type: ignore[no-untyped-def]
    for i in range(len(features)):
        needed = False
        for w in range(len(where)):
            bits = forbidden[w]
            for j in range(len(features)):
                if j != i and keep[j]:
                    bits &= columns[features[j], where[w]] ^ signs[j]
                    if bits == 0:
                        break
            if bits != 0:
                needed = True
                break
        keep[i] = needed
