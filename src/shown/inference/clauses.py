"""The clause search: proposes formulas made of exact clauses.

A clause starts at a demonstrated action that no clause allows yet. It takes in literals that hold there, each time the
one that rules out most for its price while keeping other demonstrated actions, until no ruled-out action is left. That
is repeated from other starts with perturbed prices. Each clause found, and each of the trees', is exact by itself; the
cheapest of them that together allow all demonstrated actions make the proposed formulas.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from shown.columns.distinct import CONSTANT
from shown.columns.rows import Labels, row_bits
from shown.inference.covers import CoverTable, cheapest_cover, cover
from shown.inference.features import Features
from shown.inference.pinning import Struck
from shown.inference.trees import TreeSearch
from shown.language.shapes import Shape
from shown.rules.bitwise import Clause, Clauses, clause_bits, shorten

MAX_POOL = 5000  # clauses kept to choose from; the most expensive are dropped
POOL_BYTES = 2**28  # size of the table of the kept clauses and the demonstrated rows that each allows
SHORTENED = 1000  # clauses shortened at a time, because there are several copies meanwhile
BLOCK_BYTES = 2**22  # size of the arrays in which clauses are evaluated
UNPACKED_BYTES = 24  # bytes per clause and demonstrated row while their bits are read
DEARER = 100.0  # factor on the cost of a literal that was part of a struck clause
SPREAD = 0.1  # standard deviation of the random changes of log prices between tries
FEW_SHOWN = 32  # up to this many shown actions, mirror images included, every search is thorough


@dataclass(frozen=True, slots=True)
class Effort:
    """How thoroughly to search for rules.

    Attributes:
        trees: trees grown from each set of features.
        tries: covers searched for clauses.
        covers: formulas made of the clauses found.
        until: time by the monotonic clock after which the search makes do with what it has found.
    """

    trees: int
    tries: int
    covers: int
    until: float = math.inf

    @property
    def over(self) -> bool:
        """Whether the time is up."""
        return time.monotonic() > self.until

    def on(self, shown: int) -> Effort:
        """Return the effort for a number of shown actions: with few of them, a thorough search is quick, too."""
        if shown > FEW_SHOWN:
            return self
        return replace(THOROUGH, trees=min(self.trees * THOROUGH.trees, THOROUGH.trees), until=self.until)


THOROUGH = Effort(trees=5, tries=40, covers=40)  # where one fit decides


@dataclass(frozen=True)
class Narrow:
    """Demonstrated actions that only some programs may explain.

    Attributes:
        rows: 1 in their rows. [R] uint64
        may: whether a clause that allows one of them may use the programs of a shape.
    """

    rows: np.ndarray
    may: Callable[[Shape], bool]

    def usable(self, features: Features) -> np.ndarray:
        """Return the features that such clauses may use. [F] bool"""
        return np.array([self.may(block.shape) for block in features.blocks])[features.block_of]


@dataclass(frozen=True)
class Pool:
    """Exact clauses: each holds on no ruled-out row.

    Attributes:
        clauses: the clauses. [n]
        covered: demonstrated rows that each allows. [n, shown] bool
        costs: cost of each. [n] float64
    """

    clauses: tuple[Clause, ...]
    covered: np.ndarray
    costs: np.ndarray

    def formula(self, changes: np.ndarray) -> Clauses | None:
        """Return cheap clauses that allow all demonstrated rows, chosen with changed log costs ([n]).

        None if all clauses together do not allow them.
        """
        chosen = cheapest_cover(self.covered, self.costs, self.costs * np.exp(changes)) if self.clauses else None
        return None if chosen is None else tuple(sorted(self.clauses[k] for k in chosen))


class ClauseSearch:
    """Proposes the trees' formulas, and cheap formulas made of all exact clauses found.

    Attributes:
        pool: the exact clauses; none before the end.

    Args:
        labels: the demonstrations as bits.
        trees: the tree search whose formulas and clauses are included.
        seed: seed of the starts and the changes of prices.
        effort: numbers of tries.
        struck: test for clauses that amount to a struck program; they are not used.
        narrow: demonstrated actions that only some programs may explain.
        earlier: clauses of an earlier search, over its features. Those that are still exact are used again.
    """

    def __init__(
        self,
        labels: Labels,
        trees: TreeSearch,
        seed: int,
        effort: Effort = THOROUGH,
        struck: Struck | None = None,
        narrow: Narrow | None = None,
        earlier: tuple[Features, Sequence[Clause]] | None = None,
    ) -> None:
        self._struck, self._narrow, self._earlier = struck, narrow, earlier
        self._labels, self._trees, self._effort = labels, trees, effort
        self._rng = np.random.default_rng([seed, 0xC1A])
        # In the order of the demonstrations.
        places = np.array(labels.shown_rows, dtype=np.int64).reshape(-1, 2)
        self._words, self._bits = places[:, 0], places[:, 1].astype(np.uint64)
        narrowed = np.zeros_like(labels.mask) if narrow is None else narrow.rows
        self._is_narrow = row_bits(narrowed, self._words, self._bits)
        self._grown: dict[Clause, Clause] = {}
        self.pool = Pool((), np.zeros((0, len(self._words)), dtype=bool), np.zeros(0))

    def propose(self, features: Features, prices: np.ndarray) -> Iterator[Clauses]:
        """Propose the trees' formulas; with narrow actions, only their clauses are usable, so propose one cover."""
        for formula in self._trees.propose(features, prices):
            self._grown.update((clause, clause) for clause in formula if clause not in self._grown)
            if not self._is_narrow.any():
                yield tuple(self._grown[clause] for clause in formula)  # trees share most of their clauses
        if self._is_narrow.any():
            self._table = self._cover_table(features)
            plainly = np.arange(len(self._words))
            usable = np.flatnonzero(self._usable(features))
            told = self._covered(plainly, np.maximum(-prices, 1e-3), usable)
            if told is not None:
                yield told

    def finish(self, features: Features, prices: np.ndarray) -> Iterator[Clauses]:
        """Propose formulas made of clauses; none if a demonstrated action looks like a ruled-out one."""
        self._trees.forest.clear()
        found: list[Clause] = []
        for tried in self._tried(features, prices) if len(self._words) else ():
            if tried is None:
                return
            found += tried
        known = [] if self._earlier is None else renumbered(self._earlier[1], self._earlier[0], features)
        self._take_in([*self._grown, *known, *found], features, prices)
        for attempt in range(self._effort.covers):
            if attempt and self._effort.over:
                return
            formula = self.pool.formula(self._rng.standard_normal(len(self.pool.costs)) * (0.2 if attempt else 0.0))
            if formula is None:
                return
            yield formula

    def _tried(self, features: Features, prices: np.ndarray) -> Iterator[Clauses | None]:
        """Yield formulas found clause by clause, from different starts."""
        costs = np.maximum(-prices, 1e-3)
        usable = np.flatnonzero(self._usable(features))
        self._table, threads = self._cover_table(features), self._trees.threads
        at_once = threads.count if self._struck is None else 1  # a struck clause changes the costs of the next try
        for first in range(0, self._effort.tries, at_once):
            if first and self._effort.over:
                return
            attempts = range(first, min(first + at_once, self._effort.tries))
            draws = [self._draw(costs, attempt) for attempt in attempts]
            for found in threads.map(lambda draw: self._covered(*draw, usable), draws):
                self._avoid_struck(found or (), features, costs)
                yield found

    def _cover_table(self, features: Features) -> CoverTable:
        by_row = self._trees.forest.features
        by_row.replace(features.columns)
        return CoverTable.of(by_row, self._labels, self._trees.threads)

    def _avoid_struck(self, clauses: Clauses, features: Features, costs: np.ndarray) -> None:
        """Make a random literal of each clause that amounts to a struck program dearer: without it, it would not."""
        for clause in clauses:
            if self._struck is not None and self._struck(clause, features):
                costs[clause[self._rng.integers(len(clause))][0]] *= DEARER

    def _draw(self, costs: np.ndarray, attempt: int) -> tuple[np.ndarray, np.ndarray]:
        """Draw the order of the starts and slightly changed costs; the costs of the first attempt are unchanged."""
        order = self._rng.permutation(len(self._words))
        changes = self._rng.standard_normal(len(costs)) * (SPREAD if attempt else 0.0)
        return order, costs * np.exp(changes)

    def _covered(self, order: np.ndarray, costs: np.ndarray, usable: np.ndarray) -> Clauses | None:
        """Return a formula whose clauses start at the demonstrated actions in this order."""
        found: Clauses = ()
        for starts, among in (
            (order[~self._is_narrow[order]], None),
            (order[self._is_narrow[order]], usable),
        ):
            if len(starts):
                part = cover(self._table, self._words[starts], self._bits[starts], costs, among)
                if part is None:
                    return None
                found += part
        return found

    def _usable(self, features: Features) -> np.ndarray:
        """Return the features that clauses for narrow actions may use. [F] bool"""
        if self._narrow is None or not self._is_narrow.any():
            return np.ones(len(features), dtype=bool)
        return self._narrow.usable(features)

    def _take_in(self, clauses: Sequence[Clause], features: Features, prices: np.ndarray) -> None:
        """Keep the exact ones among these clauses, without redundant literals."""
        against = self._labels.mask & ~self._labels.positive
        new = [clause for clause in dict.fromkeys(clauses) if clause]
        wrong = [bits.any(axis=1) for bits in _blocks_of_bits(new, features, against)]
        exact = [new[k] for k in np.flatnonzero(~np.concatenate([*wrong, np.zeros(0, bool)])).tolist()]
        parts = (exact[i : i + SHORTENED] for i in range(0, len(exact), SHORTENED))
        distinct = {clause for part in parts for clause in shorten(part, features.columns, against, prices)}
        if self._struck is not None:
            distinct = {clause for clause in distinct if not self._struck(clause, features)}
        if self._is_narrow.any():
            distinct = self._within(list(distinct), features)
        most = min(MAX_POOL, POOL_BYTES // max(1, len(self._words)))
        # Sorted by cost, so that neither the order nor the number of checkpoints matters.
        paid = {column: float(prices[column]) for column in {column for clause in distinct for column, _ in clause}}
        ranked = sorted((-_price(clause, paid), clause) for clause in distinct)[:most]
        kept = tuple(clause for _, clause in ranked)
        self.pool = Pool(kept, self._allowed(kept, features), np.array([cost for cost, _ in ranked]) + 1e-3)

    def _within(self, clauses: Sequence[Clause], features: Features) -> set[Clause]:
        """Return the clauses that allow no narrow action, or use only features that may explain it."""
        usable = self._usable(features)
        narrow = np.any(self._allowed(clauses, features)[:, self._is_narrow], axis=1)
        return {
            clause
            for clause, narrows in zip(clauses, narrow.tolist(), strict=True)
            if not narrows or all(usable[column] for column, _ in clause)
        }

    def _allowed(self, clauses: Sequence[Clause], features: Features) -> np.ndarray:
        """Return the demonstrated rows that each clause allows. [n, shown] bool"""
        blocks = _blocks_of_bits(clauses, features, self._labels.positive, UNPACKED_BYTES * len(self._words))
        allowed = [row_bits(bits, self._words, self._bits) for bits in blocks]
        return np.concatenate([np.zeros((0, len(self._words)), dtype=bool), *allowed])


def renumbered(clauses: Sequence[Clause], before: Features, now: Features) -> list[Clause]:
    """Return clauses over other features of the same programs; those with a program that is constant now are left out.

    Args:
        clauses: clauses over the features `before`.
        before: the earlier features.
        now: the features of the same programs on other rows.
    """
    columns, negates = now.of_program[before.first].tolist(), now.negates[before.first].tolist()
    moved = [tuple((columns[f], sign ^ negates[f]) for f, sign in clause) for clause in clauses]
    return [clause for clause in moved if all(f != CONSTANT for f, _ in clause)]


def _blocks_of_bits(
    clauses: Sequence[Clause], features: Features, mask: np.ndarray, more: int = 0
) -> Iterator[np.ndarray]:
    """Yield the rows on which clauses hold, some clauses at a time, so that thousands of them need little memory.

    Whoever reads them needs `more` bytes per clause.
    """
    step = max(1, BLOCK_BYTES // max(1, mask.nbytes + more))
    for start in range(0, len(clauses), step):
        yield clause_bits(clauses[start : start + step], features.columns, mask)


def _price(clause: Clause, prices: Mapping[int, float]) -> float:
    total = 0.0
    for column, _ in clause:  # not `sum`, which rounds differently from one version of Python to another
        total += prices[column]
    return total
