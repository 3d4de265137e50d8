"""Covers: formulas found clause by clause, and the cheapest of many sets that cover everything.

`cover_plain` is the obvious version of the compiled `_cover_loop`, and `cheapest_cover_plain` that of `cheapest_cover`;
property tests compare them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shown.columns.distinct import ROW_BY_ROW
from shown.columns.rows import Labels
from shown.engine.compilation import compiled, popcount
from shown.engine.threads import Threads
from shown.inference.by_row import FeaturesByRow
from shown.rules.bitwise import Clauses

MAX_LITERALS = 4000  # a cover with more literals is given up
BLOCK = 128  # features counted together
USED_AGAIN = 0.5  # cost of a column that the formula already uses, as a fraction of its price


def cheapest_cover(covered: np.ndarray, costs: np.ndarray, asked: np.ndarray) -> list[int] | None:
    """Return cheap sets that together cover everything, chosen greedily; None if all sets do not.

    >>> covered = np.array([[True, True, False], [False, True, True], [True, True, True]])
    >>> cheapest_cover(covered, np.array([1.0, 1.0, 3.0]), np.array([1.0, 1.0, 3.0]))
    [0, 1]

    Args:
        covered: items that each set covers. [n, items] bool
        costs: cost of each set, by which redundant sets are dropped. [n] float64
        asked: costs by which sets are chosen. [n] float64
    """
    chosen = np.empty(covered.shape[1], dtype=np.int64)
    times = np.zeros(covered.shape[1], dtype=np.int64)
    covered = np.ascontiguousarray(covered)  # other layouts would be compiled again
    count = _choose_loop(covered, asked, chosen, times)
    if count < 0:
        return None
    chosen = chosen[:count]
    order = np.argsort(-costs[chosen], kind="stable")
    stays = np.ones(count, dtype=np.bool_)
    _drop_loop(covered, chosen, order, times, stays)
    return [int(k) for k in chosen[stays]]


def cheapest_cover_plain(covered: np.ndarray, costs: np.ndarray, asked: np.ndarray) -> list[int] | None:
    """Return what `cheapest_cover` does, without compiled code."""
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


class CoverTable(NamedTuple):
    """What all covers of some labels look up.

    Attributes:
        by_row: the features by row; where there are too many for memory, the first of them, in the order of `columns`.
            [W, n] uint64
        columns: the features. [F, R] uint64
        against: 1 in the ruled-out rows. [W] uint64
        rows: the demonstrated rows, 64 a word of a column, in ascending order. [T] int64
        shown: the features on the demonstrated rows alone, bit t for row t. [ceil(T / 64), F] uint64
        holds: number of ruled-out rows on which each feature holds. [F] int64
    """

    by_row: np.ndarray
    columns: np.ndarray
    against: np.ndarray
    rows: np.ndarray
    shown: np.ndarray
    holds: np.ndarray

    @classmethod
    def of(cls, features: FeaturesByRow, labels: Labels, threads: Threads) -> CoverTable:
        """Return the table of some features."""
        columns, against = features.columns, labels.mask & ~labels.positive
        rows = np.flatnonzero(np.unpackbits(labels.positive.view(np.uint8), bitorder="little"))
        shown = np.zeros((-(-len(rows) // 64), len(columns)), dtype=np.uint64)
        holds = np.zeros(len(columns), dtype=np.int64)
        _table_loop(columns, against, rows, shown, holds)
        if columns.nbytes > ROW_BY_ROW:
            by_row = columns[: ROW_BY_ROW // (8 * len(against))].T.copy()
            return cls(by_row, columns, against, rows, shown, holds)
        return cls(features.whole(threads), columns, features.packed(against), rows, shown, holds)


def cover(
    table: CoverTable, words: np.ndarray, bits: np.ndarray, costs: np.ndarray, among: np.ndarray | None = None
) -> Clauses | None:
    """Return a formula that allows every demonstrated row and no ruled-out one; None if columns cannot separate them.

    Args:
        table: the features and the labels.
        words, bits: demonstrated rows, in the order in which clauses may start at them. [n] each
        costs: cost of a literal over each feature, above 0. [F] float64
        among: the features that may be used, if not all. [n] int64
    """
    literals = np.empty(MAX_LITERALS, dtype=np.int64)
    signs = np.empty(MAX_LITERALS, dtype=np.bool_)
    ends = np.empty(len(words) + 1, dtype=np.int64)
    wanted = 64 * words + bits.astype(np.int64)
    starts = np.searchsorted(table.rows, wanted[np.isin(wanted, table.rows)])
    order = np.argsort(costs) if among is None else among[np.argsort(costs[among])]
    ranks, paid = np.zeros(len(costs), dtype=np.int64), np.full(len(costs), np.inf)
    ranks[order], paid[order] = np.arange(len(order)), costs[order]
    count = _cover_loop(*table[:3], len(table.rows), *table[4:], starts, paid, ranks, literals, signs, ends)
    if count < 0:
        return None
    clauses, first = [], 0
    for end in ends[:count].tolist():
        clauses.append(tuple(zip(literals[first:end].tolist(), signs[first:end].tolist(), strict=True)))
        first = end
    return tuple(clauses)


def cover_plain(
    columns: np.ndarray, labels: Labels, words: np.ndarray, bits: np.ndarray, costs: np.ndarray
) -> Clauses | None:
    """Return what `cover` does, without compiled code."""
    uncovered, used, clauses = labels.positive.copy(), set[int](), []
    order = np.argsort(costs).tolist()
    for word, bit in zip(words.tolist(), bits.tolist(), strict=True):
        if not int(uncovered[word]) >> bit & 1:
            continue
        here, clause = labels.mask.copy(), []
        while (here & ~labels.positive).any():
            against, others = here & ~labels.positive, here & uncovered
            best, best_score = None, 0.0
            for f in [*(f for f in order if f in used), *(f for f in order if f not in used)]:
                sign = bool(int(columns[f, word]) >> bit & 1)
                holds = columns[f] if sign else ~columns[f]
                removed = int(np.bitwise_count(against & ~holds).sum())
                kept = int(np.bitwise_count(others & holds).sum()) / int(np.bitwise_count(others).sum())
                score = removed * kept / (costs[f] * (USED_AGAIN if f in used else 1.0))
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


@compiled
def _choose_loop(covered, asked, chosen, times):  # type: ignore[no-untyped-def]
    """Choose sets until everything is covered, and count how often each item is; return their number, or -1."""
    sets, items = covered.shape
    new = np.zeros(sets, dtype=np.int64)
    for k in range(sets):
        for i in range(items):
            new[k] += covered[k, i]
    left, count = items, 0
    while left:
        best, best_worth = -1, 0.0
        for k in range(sets):
            worth = new[k] / asked[k]
            if worth > best_worth:
                best, best_worth = k, worth
        if best < 0:
            return -1
        chosen[count] = best
        count += 1
        for i in range(items):
            if covered[best, i]:
                times[i] += 1
                if times[i] == 1:
                    left -= 1
                    for k in range(sets):
                        new[k] -= covered[k, i]
    return count


@compiled
def _drop_loop(covered, chosen, order, times, stays):  # type: ignore[no-untyped-def]
    """Drop, in this order, each chosen set whose items others cover as well."""
    for j in order:
        needed = False
        for i in range(covered.shape[1]):
            needed |= covered[chosen[j], i] and times[i] == 1
        if not needed:
            stays[j] = False
            for i in range(covered.shape[1]):
                times[i] -= covered[chosen[j], i]


@compiled
def _table_loop(columns, against, rows, shown, holds):  # type: ignore[no-untyped-def]
    """Gather the demonstrated rows of each feature, and count the ruled-out ones on which it holds."""
    for f in range(len(columns)):
        column = columns[f]
        for w in range(len(against)):
            holds[f] += popcount(column[w] & against[w])
        for t in range(len(rows)):
            bit = (column[rows[t] >> 6] >> np.uint64(rows[t] & 63)) & np.uint64(1)
            shown[t >> 6, f] |= bit << np.uint64(t & 63)


@compiled
def _cover_loop(by_row, columns, ruled_out, rows, shown, holds, starts, costs, ranks, literals, signs, ends):  # type: ignore[no-untyped-def]  # noqa: C901, PLR0913
    """`cover_plain`, a block of features at a time, which the processor counts together.

    A block is left out if not even a literal at its lowest cost that rules out everything and keeps everything could be
    the best. What first literals rule out is counted once for all, and demonstrated rows, which are few, are packed.
    Changes costs and ranks: a column in use is cheaper, and comes before all others.
    """
    one, features, size_shown = np.uint64(1), shown.shape[1], len(shown)
    uncovered, shown_rows = np.zeros(size_shown, dtype=np.uint64), np.empty(size_shown, dtype=np.uint64)
    for t in range(rows):
        uncovered[t >> 6] |= one << np.uint64(t & 63)
    against_rows, where = np.empty(len(ruled_out), dtype=np.uint64), np.empty(len(ruled_out), dtype=np.int64)
    sign, lowest = np.empty(features, dtype=np.uint64), np.full(features // BLOCK + 1, np.inf)
    removed, kept = np.empty(BLOCK, dtype=np.int64), np.empty(BLOCK, dtype=np.int64)
    scores = np.empty(BLOCK, dtype=np.float64)
    everything, count, total = np.int64(0), 0, 0
    for w in range(len(ruled_out)):
        everything += popcount(ruled_out[w])
    for f in range(features):
        lowest[f // BLOCK] = min(lowest[f // BLOCK], costs[f])
    for start in starts:
        word, bit = start >> 6, np.uint64(start & 63)
        if not (uncovered[word] >> bit) & one:
            continue
        begun, size, against, others = total, 0, everything, np.int64(0)
        for w in range(len(ruled_out)):
            against_rows[w] = ruled_out[w]
            if ruled_out[w]:
                where[size] = w
                size += 1
        for w in range(size_shown):
            shown_rows[w] = uncovered[w]
            others += popcount(uncovered[w])
        for f in range(features):
            sign[f] = ((shown[word, f] >> bit) & one) - one
        while against:
            best, best_score, best_removed, best_kept = -1, 0.0, np.int64(0), np.int64(0)
            for first in range(0, features, BLOCK):
                if against / lowest[first // BLOCK] < best_score:
                    continue
                n = min(BLOCK, features - first)
                flip = sign[first : first + n]
                for f in range(n):
                    removed[f] = kept[f] = 0
                for w in range(size_shown):
                    column, here = shown[w, first : first + n], shown_rows[w]
                    for f in range(n):
                        kept[f] += popcount((column[f] ^ flip[f]) & here)
                if total == begun:
                    for f in range(n):
                        removed[f] = holds[first + f] if flip[f] else everything - holds[first + f]
                else:
                    turned = max(0, min(n, by_row.shape[1] - first))
                    for i in range(size):
                        column, here = by_row[where[i], first : first + turned], against_rows[where[i]]
                        for f in range(turned):
                            removed[f] += popcount(~(column[f] ^ flip[f]) & here)
                    for f in range(turned, n):
                        for i in range(size):
                            removed[f] += popcount(~(columns[first + f, where[i]] ^ flip[f]) & against_rows[where[i]])
                for f in range(n):
                    scores[f] = removed[f] * (kept[f] / others) / costs[first + f]
                for f in range(n):
                    tie = scores[f] == best_score and best >= 0
                    if scores[f] > best_score or (tie and ranks[first + f] < ranks[best]):
                        best, best_score, best_removed, best_kept = first + f, scores[f], removed[f], kept[f]
            if best < 0 or total == len(literals):
                return -1
            literals[total], signs[total] = best, sign[best] == 0
            total += 1
            against -= best_removed
            others, left = best_kept, 0
            for i in range(size):
                w = where[i]
                value = by_row[w, best] if best < by_row.shape[1] else columns[best, w]
                against_rows[w] &= value ^ sign[best]
                if against_rows[w]:
                    where[left] = w
                    left += 1
            size = left
            for w in range(size_shown):
                shown_rows[w] &= shown[w, best] ^ sign[best]
        for f in literals[begun:total]:
            if ranks[f] >= 0:
                ranks[f] -= features
                costs[f] *= USED_AGAIN
                lowest[f // BLOCK] = min(lowest[f // BLOCK], costs[f])
        for w in range(size_shown):
            uncovered[w] &= ~shown_rows[w]
        ends[count] = total
        count += 1
    return count
