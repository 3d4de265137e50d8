"""The clause search: proposes formulas made of exact clauses.

A clause starts at a demonstrated action that no clause allows yet. It takes in literals that hold there, each time the
one that rules out most for its price while keeping other demonstrated actions, until no ruled-out action is left. That
is repeated from other starts with perturbed prices. Each clause found, and each of the trees', is exact by itself; the
cheapest of them that together allow all demonstrated actions make the proposed formulas.

`cover_plain` is the obvious version of the compiled `_cover_loop`; a property test compares them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from shown.engine.compilation import compiled, popcount
from shown.evaluation.distinct import CONSTANT
from shown.evaluation.rows import Evidence, row_bits
from shown.inference.features import Features
from shown.inference.pinning import Struck
from shown.inference.trees import TreeSearch
from shown.language.shapes import Shape
from shown.rules.bitwise import CLAUSE_BYTES, LITERAL_BYTES, Clause, Clauses, clause_bits, shorten

MAX_LITERALS = 4000  # a cover with more literals is given up
MAX_POOL = 5000  # clauses kept to choose from; the most expensive are dropped
POOL_COPIES = 4  # bytes per clause and demonstrated row that choosing among clauses takes, copies included
SHORTENED = 1000  # clauses shortened at a time, because there are several copies meanwhile
BLOCK_BYTES = 2**22  # size of the arrays in which clauses are evaluated
DEARER = 100.0  # factor on the cost of a literal that was part of a struck clause


@dataclass(frozen=True)
class Taste:
    """Weights and numbers of tries of the search, tuned on generated levels.

    Attributes:
        keep: exponent of the fraction of demonstrated actions that a literal keeps.
        again: cost of a column that the formula already uses, as a fraction of its price.
        tries: number of covers to search for clauses.
        covers: number of formulas to make of the clauses found.
        spread: standard deviation of the random changes of log prices between tries.
    """

    keep: float = 1.0
    again: float = 0.5
    spread: float = 0.1
    tries: int = 40
    covers: int = 40


TASTE = Taste()


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

    Args:
        evidence: the demonstrations as bits.
        trees: the tree search whose formulas and clauses are included.
        seed: seed of the starts and the changes of prices.
        taste: weights and numbers of tries.
        struck: test for clauses that amount to a struck program; they are not used.
        narrow: demonstrated actions that only some programs may explain.
        earlier: clauses of an earlier search, over its features. Those that are still exact are used again.
    """

    def __init__(
        self,
        evidence: Evidence,
        trees: TreeSearch,
        seed: int,
        taste: Taste = TASTE,
        struck: Struck | None = None,
        narrow: Narrow | None = None,
        earlier: tuple[Features, Sequence[Clause]] | None = None,
    ) -> None:
        self._struck, self._narrow, self._earlier = struck, narrow, earlier
        self._evidence, self._trees, self._taste = evidence, trees, taste
        self._rng = np.random.default_rng([seed, 0xC1A])
        # In the order of the demonstrations.
        places = np.array(evidence.shown_rows, dtype=np.int64).reshape(-1, 2)
        self._words, self._bits = places[:, 0], places[:, 1].astype(np.uint64)
        narrowed = np.zeros_like(evidence.mask) if narrow is None else narrow.rows
        self._is_narrow = row_bits(narrowed, self._words, self._bits)
        self._grown: dict[Clause, None] = {}
        self._pool: tuple[Clause, ...] = ()

    def propose(self, features: Features, prices: np.ndarray) -> Iterator[Clauses]:
        """Propose the trees' formulas; with narrow actions, only their clauses are usable, so propose one cover."""
        for formula in self._trees.propose(features, prices):
            new = [clause for clause in formula if clause not in self._grown]
            needed = sum(CLAUSE_BYTES + LITERAL_BYTES * len(clause) for clause in new)
            self._trees.account.take(needed, "the clauses", "Use fewer demonstrations")
            self._grown.update(dict.fromkeys(new))
            if not self._is_narrow.any():
                yield formula
        if self._is_narrow.any():
            plainly = np.arange(len(self._words))
            usable = np.flatnonzero(self._usable(features))
            told = self._covered(plainly, np.maximum(-prices, 1e-3), features, usable)
            if told is not None:
                yield told

    def finish(self, features: Features, prices: np.ndarray) -> Iterator[Clauses]:
        """Propose formulas made of clauses; none if a demonstrated action looks like a ruled-out one."""
        found: list[Clause] = []
        for tried in self._tried(features, prices) if len(self._words) else ():
            if tried is None:
                return
            found += tried
        known = [] if self._earlier is None else renumbered(self._earlier[1], self._earlier[0], features)
        self._take_in([*self._grown, *known, *found], features, prices)
        pool = self.pool(features, prices)
        for attempt in range(self._taste.covers):
            formula = pool.formula(self._rng.standard_normal(len(pool.clauses)) * (0.2 if attempt else 0.0))
            if formula is None:
                return
            yield formula

    def _tried(self, features: Features, prices: np.ndarray) -> Iterator[Clauses | None]:
        """Yield formulas found clause by clause, from different starts."""
        costs = np.maximum(-prices, 1e-3)
        usable = np.flatnonzero(self._usable(features))
        if self._struck is None:
            threads = self._trees.threads
            with ThreadPoolExecutor(threads) as pool:  # the compiled loop lets other threads run
                for first in range(0, self._taste.tries, threads):
                    attempts = range(first, min(first + threads, self._taste.tries))
                    draws = [self._draw(costs, attempt) for attempt in attempts]
                    yield from pool.map(lambda draw: self._covered(draw[0], draw[1], features, usable), draws)
            return
        for attempt in range(self._taste.tries):
            found = self._covered(*self._draw(costs, attempt), features, usable)
            for clause in found or ():
                if self._struck(clause, features):
                    # Without one of its literals it would not amount to a struck program; a random one is tried.
                    costs[clause[self._rng.integers(len(clause))][0]] *= DEARER
            yield found

    def _draw(self, costs: np.ndarray, attempt: int) -> tuple[np.ndarray, np.ndarray]:
        """Draw the order of the starts and slightly changed costs; the costs of the first attempt are unchanged."""
        order = self._rng.permutation(len(self._words))
        changes = self._rng.standard_normal(len(costs)) * (self._taste.spread if attempt else 0.0)
        return order, costs * np.exp(changes)

    def _covered(self, order: np.ndarray, costs: np.ndarray, features: Features, usable: np.ndarray) -> Clauses | None:
        """Return a formula whose clauses start at the demonstrated actions in this order."""
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
        """Return the features that clauses for narrow actions may use. [F] bool"""
        if self._narrow is None or not self._is_narrow.any():
            return np.ones(len(features), dtype=bool)
        return self._narrow.usable(features)

    def _take_in(self, clauses: Sequence[Clause], features: Features, prices: np.ndarray) -> None:
        """Keep the exact ones among these clauses, without redundant literals."""
        against = self._evidence.mask & ~self._evidence.positive
        new = [clause for clause in dict.fromkeys(clauses) if clause]
        wrong = [bits.any(axis=1) for bits in _blocks_of_bits(new, features, against)]
        exact = [new[k] for k in np.flatnonzero(~np.concatenate([*wrong, np.zeros(0, bool)])).tolist()]
        parts = (exact[i : i + SHORTENED] for i in range(0, len(exact), SHORTENED))
        distinct = {clause for part in parts for clause in shorten(part, features.columns, against, prices)}
        if self._struck is not None:
            distinct = {clause for clause in distinct if not self._struck(clause, features)}
        if self._is_narrow.any():
            distinct = self._within(list(distinct), features)
        most = min(MAX_POOL, self._trees.account.room // (POOL_COPIES * max(1, len(self._words))))
        if not most:
            self._trees.account.take(POOL_COPIES * len(self._words), "the clauses", "Use fewer demonstrations")
        # Sorted by cost, so that neither the order nor the number of checkpoints matters.
        self._pool = tuple(sorted(distinct, key=lambda clause: (-_price(clause, prices), clause))[:most])

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
        blocks = _blocks_of_bits(clauses, features, self._evidence.positive)
        allowed = [((bits[:, self._words] >> self._bits) & np.uint64(1)).astype(bool) for bits in blocks]
        return np.concatenate([np.zeros((0, len(self._words)), dtype=bool), *allowed])

    def pool(self, features: Features, prices: np.ndarray) -> Pool:
        """Return the exact clauses found so far."""
        clauses = self._pool
        covered = self._allowed(clauses, features)
        costs = np.array([-_price(clause, prices) for clause in clauses]) + 1e-3
        return Pool(clauses, covered, costs)


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


def cover(
    columns: np.ndarray, evidence: Evidence, words: np.ndarray, bits: np.ndarray, costs: np.ndarray, taste: Taste
) -> Clauses | None:
    """Return a formula that allows every demonstrated row and no ruled-out one; None if columns cannot separate them.

    Args:
        columns: the features. [F, R] uint64
        evidence: the demonstrations as bits.
        words, bits: demonstrated rows, in the order in which clauses may start at them. [n] each
        costs: cost of a literal over each feature, above 0. [F] float64
        taste: weights for choosing a literal.
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
    """Return what `cover` does, without compiled code."""
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


def _blocks_of_bits(clauses: Sequence[Clause], features: Features, mask: np.ndarray) -> Iterator[np.ndarray]:
    """Yield the rows on which clauses hold, some clauses at a time, so that thousands of them need little memory."""
    step = max(1, BLOCK_BYTES // max(1, mask.nbytes))
    for start in range(0, len(clauses), step):
        yield clause_bits(clauses[start : start + step], features.columns, mask)


def _price(clause: Clause, prices: np.ndarray) -> float:
    return float(sum(prices[column] for column, _ in clause))


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
def _cover_loop(columns, mask, positive, words, bits, costs, order, keep, again, literals, signs, ends):  # type: ignore[no-untyped-def]  # noqa: C901, PLR0913
    """`cover_plain`, with few literals counted.

    While a clause grows, a literal rules out fewer and fewer rows. An earlier count bounds a later one, so a literal
    whose bound cannot beat the best so far is not counted again. What first literals rule out is counted once for all.
    """
    one, full = np.uint64(1), np.uint64(0xFFFFFFFFFFFFFFFF)
    rows, features = len(mask), len(costs)
    uncovered = positive.copy()
    used = np.zeros(features, dtype=np.bool_)
    against_rows = np.empty(rows, dtype=np.uint64)
    shown_rows = np.empty(rows, dtype=np.uint64)
    where = np.empty(rows, dtype=np.int64)
    shown_where = np.empty(rows, dtype=np.int64)
    sign = np.empty(features, dtype=np.uint64)
    bound = np.empty(features, dtype=np.int64)
    first = np.zeros(features, dtype=np.int64)
    everything = np.int64(0)
    for w in range(rows):
        everything += popcount(mask[w] & ~positive[w])
    for f in range(features):
        for w in range(rows):
            first[f] += popcount(columns[f, w] & mask[w] & ~positive[w])
    count, total = 0, 0
    for start in range(len(words)):
        word, bit = words[start], bits[start]
        if not (uncovered[word] >> bit) & one:
            continue
        begun, fresh = total, True
        size, shown_size, against, others = 0, 0, everything, np.int64(0)
        for w in range(rows):
            against_rows[w] = mask[w] & ~positive[w]
            shown_rows[w] = uncovered[w]
            if against_rows[w]:
                where[size] = w
                size += 1
            if uncovered[w]:
                shown_where[shown_size] = w
                shown_size += 1
                others += popcount(uncovered[w])
        for f in range(features):
            holds = (columns[f, word] >> bit) & one
            sign[f] = np.uint64(0) if holds else full
            bound[f] = everything - first[f] if holds else first[f]
        while against:
            best, best_score, best_kept = -1, 0.0, np.int64(0)
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
                    if bound[f] / cost <= best_score:
                        continue
                    kept = np.int64(0)
                    for i in range(shown_size):
                        w = shown_where[i]
                        kept += popcount((columns[f, w] ^ sign[f]) & shown_rows[w])
                    share = kept / others if keep == 1.0 else (kept / others) ** keep
                    if bound[f] * share / cost <= best_score:
                        continue
                    if not fresh:
                        removed = np.int64(0)
                        for i in range(size):
                            w = where[i]
                            removed += popcount(against_rows[w] & ~(columns[f, w] ^ sign[f]))
                        bound[f] = removed
                    score = bound[f] * share / cost
                    if score > best_score:
                        best, best_score, best_kept = f, score, kept
            if best < 0 or total == len(literals):
                return -1
            literals[total], signs[total] = best, sign[best] == 0
            total += 1
            against -= bound[best]
            others = best_kept
            fresh = False
            left = 0
            for i in range(size):
                w = where[i]
                against_rows[w] &= columns[best, w] ^ sign[best]
                if against_rows[w]:
                    where[left] = w
                    left += 1
            size = left
            left = 0
            for i in range(shown_size):
                w = shown_where[i]
                shown_rows[w] &= columns[best, w] ^ sign[best]
                if shown_rows[w]:
                    shown_where[left] = w
                    left += 1
            shown_size = left
        for j in range(begun, total):
            used[literals[j]] = True
        for i in range(shown_size):
            uncovered[shown_where[i]] &= ~shown_rows[shown_where[i]]
        ends[count] = total
        count += 1
    return count
