"""A second way to propose formulas: clause by clause, each begun at a shown action that none allows yet.

A clause starts at such an action and takes in literals that hold there, each time the one that rules out most of what
was not shown for its price, while keeping other shown actions; when nothing ruled out is left, the clause is done, and
the next begins at an action not yet allowed. That is repeated from other starts with prices a little changed. What
counts in the end are not these formulas but their clauses, and those of the trees: each of them is right by itself, so
the cheapest of them that together allow all that was shown make the formulas that are proposed.

`cover_plain` is the obvious version of the compiled `_cover_loop`; tests hold them equal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from shown.compiled import compiled
from shown.inference.conditioned import Struck
from shown.inference.features import Features
from shown.inference.formulas import Clause, Clauses, clause_bits, shorten
from shown.inference.rows import Evidence
from shown.inference.trees import TreeSearch
from shown.language.shapes import Shape

MAX_LITERALS = 4000
"""A formula with more literals is no rule; the search for it is given up."""

MAX_POOL = 5000
"""So many clauses are kept to choose from; beyond that, the dearest go."""

DEARER = 100.0
"""So much dearer a literal becomes once it was part of something struck."""


@dataclass(frozen=True)
class Taste:
    """What makes one literal better than another, found on generated levels.

    Attributes:
        keep: how much it counts to keep other shown actions: the power of the share that is kept.
        again: what a column that the formula uses already costs, as a fraction of its price.
        spread: how much prices are changed at random from one try to the next (of their logarithm).
    """

    keep: float = 1.0
    again: float = 0.5
    spread: float = 0.1


TASTE = Taste()


@dataclass(frozen=True)
class Narrow:
    """Shown actions that clauses may tell by some programs only.

    Attributes:
        rows: 1 in their rows. [R] uint64
        may: whether a clause that allows one of them may use the programs of a shape.
    """

    rows: np.ndarray
    may: Callable[[Shape], bool]

    def usable(self, features: Features) -> np.ndarray:
        """The features that such clauses may use. [F] bool"""
        return np.array([self.may(block.shape) for block in features.blocks])[features.block_of]


@dataclass(frozen=True)
class Pool:
    """Clauses each of which holds on no row that is ruled out.

    Attributes:
        clauses: the clauses. [n]
        covered: which shown rows each allows. [n, shown] bool
        costs: what each costs. [n] float64
    """

    clauses: tuple[Clause, ...]
    covered: np.ndarray
    costs: np.ndarray

    def formula(self, changes: np.ndarray) -> Clauses | None:
        """Cheap clauses that allow all that was shown, chosen as if the logarithms of costs were changed so. [n]

        None if all of them together do not allow it.
        """
        chosen = cheapest_cover(self.covered, self.costs, self.costs * np.exp(changes)) if self.clauses else None
        return None if chosen is None else tuple(sorted(self.clauses[k] for k in chosen))


class ClauseSearch:
    """Proposes the trees' formulas, and cheap ones made of all exact clauses that are found.

    Args:
        evidence: the rows.
        trees: the trees whose formulas and clauses are taken in.
        seed: of the starts and the changes of prices.
        tries: how often to cover what was shown.
        covers: how many formulas to make of the clauses found.
        taste: what makes a literal good.
        struck: says which clauses come to something that was struck; they are not used.
        narrow: of which shown actions only some programs can tell.
    """

    def __init__(
        self,
        evidence: Evidence,
        trees: TreeSearch,
        seed: int,
        tries: int = 40,
        covers: int = 40,
        taste: Taste = TASTE,
        struck: Struck | None = None,
        narrow: Narrow | None = None,
    ) -> None:
        self._struck, self._narrow = struck, narrow
        self._evidence, self._trees, self._tries, self._covers, self._taste = evidence, trees, tries, covers, taste
        self._rng = np.random.default_rng([seed, 0xC1A])
        # In the order in which they were shown, wherever their rows are kept.
        rows = dict.fromkeys(zip(evidence.word.tolist(), evidence.bit.tolist(), strict=True))
        places = np.array(list(rows), dtype=np.int64).reshape(-1, 2)
        self._words, self._bits = places[:, 0], places[:, 1].astype(np.uint64)
        narrowed = np.zeros_like(evidence.mask) if narrow is None else narrow.rows
        self._is_narrow = ((narrowed[self._words] >> self._bits) & np.uint64(1)).astype(bool)
        self._grown: list[Clause] = []
        self._pool: tuple[Clause, ...] = ()

    def propose(self, features: Features, prices: np.ndarray) -> Iterator[Clauses]:
        """The trees' formulas; where there are narrow actions, only their clauses are of use, and one cover is told."""
        for formula in self._trees.propose(features, prices):
            self._grown += formula
            if not self._is_narrow.any():
                yield formula
        if self._is_narrow.any():
            plainly = np.arange(len(self._words))
            usable = np.flatnonzero(self._usable(features))
            told = self._covered(plainly, features, np.maximum(-prices, 1e-3), usable)
            if told is not None:
                yield told

    def finish(self, features: Features, prices: np.ndarray) -> Iterator[Clauses]:
        """Formulas made of clauses; none while some shown action cannot be told apart from one that is ruled out."""
        found: list[Clause] = []
        for tried in self._tried(features, prices) if len(self._words) else ():
            if tried is None:
                return
            found += tried
        self._take_in([*self._grown, *found], features, prices)
        pool = self.pool(features, prices)
        for attempt in range(self._covers):
            formula = pool.formula(self._rng.standard_normal(len(pool.clauses)) * (0.2 if attempt else 0.0))
            if formula is None:
                return
            yield formula

    def _tried(self, features: Features, prices: np.ndarray) -> Iterator[Clauses | None]:
        """Formulas found clause by clause, from different starts."""
        costs = np.maximum(-prices, 1e-3)
        usable = np.flatnonzero(self._usable(features))
        for attempt in range(self._tries):
            order = self._rng.permutation(len(self._words))
            changes = self._rng.standard_normal(len(costs)) * (self._taste.spread if attempt else 0.0)
            found = self._covered(order, features, costs * np.exp(changes), usable)
            for clause in found or ():
                if self._struck is not None and self._struck(clause, features):
                    # Without one of its literals it would not come to what is struck; which one, is tried.
                    costs[clause[self._rng.integers(len(clause))][0]] *= DEARER
            yield found

    def _covered(self, order: np.ndarray, features: Features, costs: np.ndarray, usable: np.ndarray) -> Clauses | None:
        """A formula whose clauses begin at the shown actions in this order; those of narrow ones use some features."""
        found: Clauses = ()
        for starts, numbers in (
            (order[~self._is_narrow[order]], None),
            (order[self._is_narrow[order]], usable),
        ):
            if not len(starts):
                continue
            columns = features.columns if numbers is None else features.columns[numbers]
            own = costs if numbers is None else costs[numbers]
            part = cover(columns, self._evidence, self._words[starts], self._bits[starts], own, self._taste)
            if part is None:
                return None
            if numbers is not None:
                part = tuple(tuple((int(numbers[column]), sign) for column, sign in clause) for clause in part)
            found += part
        return found

    def _usable(self, features: Features) -> np.ndarray:
        """The features that clauses for narrow actions may use. [F] bool"""
        if self._narrow is None or not self._is_narrow.any():
            return np.ones(len(features), dtype=bool)
        return self._narrow.usable(features)

    def _take_in(self, clauses: Sequence[Clause], features: Features, prices: np.ndarray) -> None:
        """Keeps the exact ones among these clauses, each without the literals it does not need."""
        against = self._evidence.mask & ~self._evidence.positive
        new = [clause for clause in dict.fromkeys(clauses) if clause]
        wrong = np.any(clause_bits(new, features.columns, against), axis=1)
        exact = [new[k] for k in np.flatnonzero(~wrong).tolist()]
        distinct = set(shorten(exact, features.columns, against, prices))
        if self._struck is not None:
            distinct = {clause for clause in distinct if not self._struck(clause, features)}
        if self._is_narrow.any():
            distinct = self._within(list(distinct), features)
        # By cost, so that neither the order nor the number of checkpoints changes what is made of them.
        self._pool = tuple(sorted(distinct, key=lambda clause: (-_price(clause, prices), clause))[:MAX_POOL])

    def _within(self, clauses: Sequence[Clause], features: Features) -> set[Clause]:
        """Those of some clauses that allow no narrow action, or use only what may tell of it."""
        usable = self._usable(features)
        narrow = np.any(self._allowed(clauses, features)[:, self._is_narrow], axis=1)
        return {
            clause
            for clause, narrows in zip(clauses, narrow.tolist(), strict=True)
            if not narrows or all(usable[column] for column, _ in clause)
        }

    def _allowed(self, clauses: Sequence[Clause], features: Features) -> np.ndarray:
        """Which shown rows each clause allows. [n, shown] bool"""
        holds = clause_bits(clauses, features.columns, self._evidence.positive)
        return ((holds[:, self._words] >> self._bits) & np.uint64(1)).astype(bool)

    def pool(self, features: Features, prices: np.ndarray) -> Pool:
        """The exact clauses found so far."""
        clauses = self._pool
        covered = self._allowed(clauses, features)
        costs = np.array([-_price(clause, prices) for clause in clauses]) + 1e-3
        return Pool(clauses, covered, costs)


def cheapest_cover(covered: np.ndarray, costs: np.ndarray, asked: np.ndarray) -> list[int] | None:
    """Some cheap sets that together cover everything, found greedily; None if all of them do not.

    >>> covered = np.array([[True, True, False], [False, True, True], [True, True, True]])
    >>> cheapest_cover(covered, np.array([1.0, 1.0, 3.0]), np.array([1.0, 1.0, 3.0]))
    [0, 1]

    Args:
        covered: what each set covers. [n, items] bool
        costs: what each set costs. [n] float64
        asked: the costs by which to choose; those that are not needed in the end are dropped by the true ones. [n]
    """
    left = np.ones(covered.shape[1], dtype=bool)
    chosen: list[int] = []
    while left.any():
        new = covered[:, left].sum(axis=1)
        best = int(np.argmax(new / asked))
        if not new[best]:
            return None
        chosen.append(best)
        left &= ~covered[best]
    times = covered[chosen].sum(axis=0)
    for k in sorted(chosen, key=lambda k: -costs[k]):
        if (times[covered[k]] > 1).all():
            chosen.remove(k)
            times -= covered[k]
    return chosen


def cover(
    columns: np.ndarray, evidence: Evidence, words: np.ndarray, bits: np.ndarray, costs: np.ndarray, taste: Taste
) -> Clauses | None:
    """A formula that allows every shown row and no row that is ruled out, or None if columns cannot tell them apart.

    Args:
        columns: the features. [F, R] uint64
        evidence: the rows.
        words, bits: the shown rows, in the order in which clauses may begin at them. [n] each
        costs: what a literal over each feature costs, above 0. [F] float64
        taste: what makes a literal good.
    """
    literals = np.empty(MAX_LITERALS, dtype=np.int64)
    signs = np.empty(MAX_LITERALS, dtype=np.bool_)
    ends = np.empty(len(words) + 1, dtype=np.int64)
    count = _cover_loop(
        columns, evidence.mask, evidence.positive, words, bits, costs, np.argsort(costs),
        taste.keep, taste.again, literals, signs, ends,
    )  # fmt: skip
    if count < 0:
        return None
    clauses, first = [], 0
    for end in ends[:count].tolist():
        clauses.append(tuple(zip(literals[first:end].tolist(), signs[first:end].tolist(), strict=True)))
        first = end
    return tuple(clauses)


def cover_plain(
    columns: np.ndarray, evidence: Evidence, words: np.ndarray, bits: np.ndarray, costs: np.ndarray, taste: Taste
) -> Clauses | None:
    """`cover`, by the book."""
    uncovered, used, clauses = evidence.positive.copy(), set[int](), []
    order = np.argsort(costs).tolist()
    for word, bit in zip(words.tolist(), bits.tolist(), strict=True):
        if not int(uncovered[word]) >> bit & 1:
            continue
        here, clause = evidence.mask.copy(), []
        while (here & ~evidence.positive).any():
            against, others = here & ~evidence.positive, here & uncovered
            best, best_score = None, 0.0
            for f in [*(f for f in order if f in used), *(f for f in order if f not in used)]:
                sign = bool(int(columns[f, word]) >> bit & 1)
                holds = columns[f] if sign else ~columns[f]
                removed = int(np.bitwise_count(against & ~holds).sum())
                kept = int(np.bitwise_count(others & holds).sum()) / int(np.bitwise_count(others).sum())
                score = removed * kept**taste.keep / (costs[f] * (taste.again if f in used else 1.0))
                if score > best_score:
                    best, best_score = (f, sign), score
            if best is None:
                return None
            clause.append(best)
            here &= columns[best[0]] if best[1] else ~columns[best[0]]
        clauses.append(tuple(clause))
        used |= {f for f, _ in clause}
        uncovered &= ~here
    return tuple(clauses)


def _price(clause: Clause, prices: np.ndarray) -> float:
    return float(sum(prices[column] for column, _ in clause))


@compiled
def _cover_loop(columns, mask, positive, words, bits, costs, order, keep, again, literals, signs, ends):  # type: ignore[no-untyped-def]
    m1, m2, m4 = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333), np.uint64(0x0F0F0F0F0F0F0F0F)
    h01, s1, s2, s4, s56 = np.uint64(0x0101010101010101), np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)
    one, full = np.uint64(1), np.uint64(0xFFFFFFFFFFFFFFFF)
    rows, features = len(mask), len(costs)
    uncovered = positive.copy()
    used = np.zeros(features, dtype=np.bool_)
    here = np.empty(rows, dtype=np.uint64)
    where = np.empty(rows, dtype=np.int64)
    count, total = 0, 0
    for start in range(len(words)):
        word, bit = words[start], bits[start]
        if not (uncovered[word] >> bit) & one:
            continue
        begun = total
        size, against, others = 0, np.int64(0), np.int64(0)
        for w in range(rows):
            here[w] = mask[w]
            if mask[w]:
                where[size] = w
                size += 1
                x = mask[w] & ~positive[w]
                x = x - ((x >> s1) & m1)
                x = (x & m2) + ((x >> s2) & m2)
                x = (x + (x >> s4)) & m4
                against += np.int64((x * h01) >> s56)
                x = uncovered[w]
                x = x - ((x >> s1) & m1)
                x = (x & m2) + ((x >> s2) & m2)
                x = (x + (x >> s4)) & m4
                others += np.int64((x * h01) >> s56)
        while against:
            best, best_score, best_removed, best_kept = -1, 0.0, np.int64(0), np.int64(0)
            # Columns in use first, since they are cheaper than their place in the order says; then by price, until
            # not even a literal that rules out everything and keeps everything could be better.
            for phase in range(2):
                for place in range(features):
                    f = order[place]
                    if used[f] != (phase == 0):
                        continue
                    cost = costs[f] * again if phase == 0 else costs[f]
                    if against / cost <= best_score:
                        break
                    sign = full if not (columns[f, word] >> bit) & one else np.uint64(0)
                    removed, kept = np.int64(0), np.int64(0)
                    for i in range(size):
                        w = where[i]
                        holds = (columns[f, w] ^ sign) & here[w]
                        x = here[w] & ~positive[w] & ~holds
                        if x:
                            x = x - ((x >> s1) & m1)
                            x = (x & m2) + ((x >> s2) & m2)
                            x = (x + (x >> s4)) & m4
                            removed += np.int64((x * h01) >> s56)
                        x = holds & uncovered[w]
                        if x:
                            x = x - ((x >> s1) & m1)
                            x = (x & m2) + ((x >> s2) & m2)
                            x = (x + (x >> s4)) & m4
                            kept += np.int64((x * h01) >> s56)
                    score = removed * (kept / others) ** keep / cost
                    if score > best_score:
                        best, best_score, best_removed, best_kept = f, score, removed, kept
            if best < 0 or total == len(literals):
                return -1
            sign = full if not (columns[best, word] >> bit) & one else np.uint64(0)
            literals[total], signs[total] = best, sign == 0
            total += 1
            against -= best_removed
            others = best_kept
            left = 0
            for i in range(size):
                w = where[i]
                here[w] &= columns[best, w] ^ sign
                if here[w]:
                    where[left] = w
                    left += 1
            size = left
        for j in range(begun, total):
            used[literals[j]] = True
        for i in range(size):
            uncovered[where[i]] &= ~here[where[i]]
        ends[count] = total
        count += 1
    return count
