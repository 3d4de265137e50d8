"""The Boolean learner: stochastic greedy decision trees (Gini) over every prefix of the features, at once.

Within one node the best split among the first i features is a running minimum over i, which changes at a few places
only. So the trees of all prefixes share almost all their nodes: recurse over (rows of the node, interval of prefixes).
Ties between features are broken by a seeded random order of the features, so that the tree of a prefix does not depend
on what comes after it. `plain_tree` is the obvious version; tests hold `Forest` equal to it, prefix by prefix.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np

from shown.compiled import compiled
from shown.inference.distinct import ROW_BY_ROW
from shown.inference.features import Features
from shown.inference.formulas import Clause, Clauses
from shown.inference.rows import Evidence


@dataclass(frozen=True, slots=True)
class Tree:
    """A decision tree over features: an inner node asks one, a leaf answers.

    Attributes:
        feature: what is asked, or -1 in a leaf.
        no, yes: where to go on (inner nodes).
        answer: what a leaf says.
    """

    feature: int
    no: Tree | None = None
    yes: Tree | None = None
    answer: bool = False


def clauses_of(tree: Tree) -> Clauses:
    """The formula of a tree: one clause for each path to a leaf that says yes.

    >>> clauses_of(Tree(0, Tree(-1), Tree(1, Tree(-1, answer=True), Tree(-1))))
    (((0, True), (1, False)),)
    """
    clauses: list[Clause] = []
    open_paths: list[tuple[Tree, Clause]] = [(tree, ())]
    while open_paths:
        node, path = open_paths.pop()
        if node.no is None or node.yes is None:
            if node.answer:
                clauses.append(path)
        else:
            open_paths.append((node.yes, (*path, (node.feature, True))))
            open_paths.append((node.no, (*path, (node.feature, False))))
    return tuple(clauses)


def impurity(ones: np.ndarray, positive_ones: np.ndarray, rows: int, positives: int) -> np.ndarray:
    """Half the Gini impurity, weighted by rows, after a split; infinite where the split does not divide the rows.

    Args:
        ones: rows of the node on which the feature holds. [F]
        positive_ones: positive rows among those. [F]
        rows, positives: of the node.
    """
    zeros = rows - ones
    positive_zeros = positives - positive_ones
    with np.errstate(divide="ignore", invalid="ignore"):
        score = positive_ones * (ones - positive_ones) / ones + positive_zeros * (zeros - positive_zeros) / zeros
    return np.where((ones == 0) | (zeros == 0), np.inf, score)


def tie_order(features: int, seed: int) -> np.ndarray:
    """A random rank for each feature; the ranks of the first n do not depend on how many there are. [F] float64"""
    return np.random.default_rng([seed, 0x7EE]).random(features)


def plain_tree(columns: np.ndarray, mask: np.ndarray, positive: np.ndarray, order: np.ndarray) -> Tree:
    """The greedy tree over all the features given, by the book.

    Args:
        columns: the features' bits. [F, R] uint64
        mask: 1 where a bit is a row of this node. [R] uint64
        positive: 1 where a row is demonstrated. [R] uint64
        order: the rank that decides between equally good features; lower is taken. [F]
    """
    rows = _count(mask)
    positives = _count(mask & positive)
    leaf = Tree(-1, answer=2 * positives > rows)
    if positives in (0, rows):
        return leaf
    ones = np.bitwise_count(columns & mask).sum(axis=1, dtype=np.int64)
    positive_ones = np.bitwise_count(columns & (mask & positive)).sum(axis=1, dtype=np.int64)
    score = impurity(ones, positive_ones, rows, positives)
    if not len(score) or np.isinf(score.min()):
        return leaf
    best = min(range(len(score)), key=lambda f: (score[f], order[f]))
    yes = plain_tree(columns, mask & columns[best], positive, order)
    no = plain_tree(columns, mask & ~columns[best], positive, order)
    return Tree(best, no, yes)


class Forest:
    """Greedy trees for every prefix of a growing list of features. They do not depend on the number of threads.

    >>> columns = np.array([[0b0011], [0b0101]], dtype=np.uint64)
    >>> forest = Forest(np.array([0b1111], dtype=np.uint64), np.array([0b0001], dtype=np.uint64), seeds=[0])
    >>> [(start, clauses_of(tree)) for start, tree in forest.extend(columns)[0]]
    [(0, ()), (1, ()), (2, (((0, True), (1, True)),))]
    """

    def __init__(self, mask: np.ndarray, positive: np.ndarray, seeds: list[int], threads: int = 1) -> None:
        self._seeds, self._threads = seeds, threads
        self._columns = np.empty((0, len(mask)), dtype=np.uint64)
        self._by_row: np.ndarray | None = None
        self._unseen: dict[int, _Node] = {}
        self._orders = np.empty((len(seeds), 0))
        self._nodes: dict[tuple[bytes, bytes], _Node] = {}
        self._trees: dict[tuple[int, int, int], Tree] = {}
        self._leaves = {answer: Tree(-1, answer=answer) for answer in (False, True)}
        self._root = self._node(np.arange(len(mask)), mask, positive)

    @property
    def nodes(self) -> int:
        """The number of distinct nodes met so far."""
        return len(self._nodes)

    def extend(self, columns: np.ndarray) -> list[list[tuple[int, Tree]]]:
        """Takes the features so far with some new ones at the end, and grows the trees of the new prefixes.

        Args:
            columns: all features, the old ones first. [F, R] uint64

        Returns:
            For each seed, pairs (number of features from which on, tree), for prefixes longer than before. Trees that
            are equal are the same object.
        """
        before = len(self._columns)
        self._columns = columns
        self._by_row = np.ascontiguousarray(columns.T) if columns.nbytes <= ROW_BY_ROW else None
        self._orders = np.array([tie_order(len(columns), seed) for seed in self._seeds])
        first = before + 1 if before else 0
        while True:
            grown = [self._grow(self._root, first, len(columns) + 1, s) for s in range(len(self._seeds))]
            if not self._unseen:
                self._by_row = None  # while more features come, it would only be in the way
                return grown
            # There are too many features to have them all row by row. So the nodes of one depth look at them together,
            # some features at a time; then the trees can be grown as far as to the next depth.
            self._look(list(self._unseen.values()))
            self._unseen.clear()

    def _grow(self, node: _Node, low: int, high: int, seed: int) -> list[tuple[int, Tree]]:
        """The trees on a node's rows for prefixes of low … high-1 features: (from which length on, tree)."""
        if node.positives in (0, node.rows):
            return [(low, self._leaves[node.positives > 0])]
        if node.seen < len(self._columns) and not self._sees(node):
            return []
        result: list[tuple[int, Tree]] = []
        features = node.best[seed]
        # The segment in which no feature divides the rows comes first, then one segment a running minimum.
        first = bisect_right(features, low - 1)
        if first == 0:
            stop = min(high, features[0] + 1) if features else high
            if low < stop:
                result.append((low, self._leaves[2 * node.positives > node.rows]))
        for place in range(max(0, first - 1), len(features)):
            feature = features[place]
            following = features[place + 1] + 1 if place + 1 < len(features) else high
            a, b = max(low, feature + 1), min(high, following)
            if a >= high:
                break
            if a < b:
                no, yes = self._children(node, feature)
                result += self._join(feature, self._grow(no, a, b, seed), self._grow(yes, a, b, seed))
        return result

    def _join(self, feature: int, no: list[tuple[int, Tree]], yes: list[tuple[int, Tree]]) -> list[tuple[int, Tree]]:
        """All pairs of subtrees that some prefix has."""
        result: list[tuple[int, Tree]] = []
        n = y = 0
        if not (no and yes):
            return []  # they have not been looked at yet
        for start in sorted({start for start, _ in no} | {start for start, _ in yes}):
            while n + 1 < len(no) and no[n + 1][0] <= start:
                n += 1
            while y + 1 < len(yes) and yes[y + 1][0] <= start:
                y += 1
            key = (feature, id(no[n][1]), id(yes[y][1]))
            if key not in self._trees:
                self._trees[key] = Tree(feature, no[n][1], yes[y][1])
            tree = self._trees[key]
            if not result or result[-1][1] is not tree:
                result.append((start, tree))
        return result

    def _node(self, words: np.ndarray, here: np.ndarray, positive: np.ndarray) -> _Node:
        """The node with these rows, in these words; rows that were met before are the same node."""
        some = here != 0
        words, here, positive = words[some], here[some], positive[some]
        key = (words.tobytes(), here.tobytes())
        if key not in self._nodes:
            self._nodes[key] = _Node(words, here, positive & here, len(self._seeds))
        return self._nodes[key]

    def _children(self, node: _Node, feature: int) -> tuple[_Node, _Node]:
        """The nodes of the rows on which a feature fails, and holds."""
        if feature not in node.children:
            column = self._columns[feature, node.words]
            node.children[feature] = (
                self._node(node.words, node.here & ~column, node.positive),
                self._node(node.words, node.here & column, node.positive),
            )
        return node.children[feature]

    def _sees(self, node: _Node) -> bool:
        """Has a node look at all features, or notes that it has to."""
        if self._by_row is None:
            self._unseen[id(node)] = node
        else:
            self._better(node, self._by_row, 0)
        return self._by_row is not None

    def _look(self, nodes: list[_Node]) -> None:
        """Has nodes look at all features they have not seen, some at a time."""
        step = max(1, ROW_BY_ROW // (4 * 8 * self._columns.shape[1]))
        room = np.empty(min(step, len(self._columns)) * self._columns.shape[1], dtype=np.uint64)
        with ThreadPoolExecutor(self._threads) as pool:
            for start in range(0, len(self._columns), step):
                behind = [node for node in nodes if node.seen < start + step]
                if behind:
                    by_row = self._turned(self._columns[start : start + step], room, pool)
                    list(pool.map(partial(self._better, by_row=by_row, first=start), behind))

    def _turned(self, columns: np.ndarray, room: np.ndarray, pool: ThreadPoolExecutor) -> np.ndarray:
        """Columns row by row, in memory that is there already. [F, R] → [R, F]"""
        by_row = room[: columns.size].reshape(columns.shape[::-1])
        cuts = np.linspace(0, len(columns), self._threads + 1).astype(int).tolist()
        # Loops that Numba has compiled let other threads run.
        list(pool.map(lambda start, stop: _turn_loop(columns, start, stop, by_row), cuts[:-1], cuts[1:]))
        return by_row

    def _better(self, node: _Node, by_row: np.ndarray, first: int) -> None:
        """Notes, for each seed, the features that beat (or tie with, and precede) all before them: where the best split
        of a node changes. Those of `by_row`, of which the first has the number `first`, follow those it has seen."""
        end = first + by_row.shape[1]
        out = np.empty((len(self._seeds), end - node.seen), dtype=np.int64)
        counts = np.zeros(len(self._seeds), dtype=np.int64)
        last = np.array([best[-1] if best else -1 for best in node.best], dtype=np.int64)
        node.score = _best_loop(
            by_row, first, node.seen, node.words, node.here, node.positive, node.rows, node.positives, self._orders,
            node.score, last, out, counts,
        )  # fmt: skip
        for best, found, count in zip(node.best, out, counts, strict=True):
            best += found[:count].tolist()
        node.seen = end


class TreeSearch:
    """Proposes the formulas of the greedy trees for every prefix of the features, each once.

    Attributes:
        forest: the trees grown so far.
    """

    def __init__(self, evidence: Evidence, trees: int, seed: int, threads: int = 1) -> None:
        self.forest = Forest(evidence.mask, evidence.positive, [seed * trees + s for s in range(trees)], threads)
        self._seen: set[int] = set()

    def propose(self, features: Features, prices: np.ndarray) -> Iterator[Clauses]:
        """The formulas of the new prefixes; `features` are all so far, the old ones first."""
        for found in self.forest.extend(features.columns):
            for _, tree in found:
                if id(tree) not in self._seen:
                    self._seen.add(id(tree))
                    yield clauses_of(tree)

    def finish(self, features: Features, prices: np.ndarray) -> Iterator[Clauses]:
        """Nothing more: every prefix has its trees."""
        return iter(())


class _Node:
    """The rows of a node, and the best splits of them among the features seen, one list a seed."""

    def __init__(self, words: np.ndarray, here: np.ndarray, positive: np.ndarray, seeds: int) -> None:
        self.words, self.here, self.positive = words, here, positive
        self.rows, self.positives = _count(here), _count(positive)
        self.seen, self.score = 0, np.inf
        self.best: list[list[int]] = [[] for _ in range(seeds)]
        self.children: dict[int, tuple[_Node, _Node]] = {}


def best_splits_plain(columns: np.ndarray, mask: np.ndarray, positive: np.ndarray, order: np.ndarray) -> list[int]:
    """The features at which a node's best split changes, when features are taken in one after another.

    What the compiled `_best_loop` gives for one seed. Shapes as in `plain_tree`.
    """
    ones = np.bitwise_count(columns & mask).sum(axis=1, dtype=np.int64)
    positive_ones = np.bitwise_count(columns & (mask & positive)).sum(axis=1, dtype=np.int64)
    score = impurity(ones, positive_ones, _count(mask), _count(mask & positive))
    best: list[int] = []
    for f in np.flatnonzero(np.isfinite(score)).tolist():
        if not best or (score[f], order[f]) < (score[best[-1]], order[best[-1]]):
            best.append(f)
    return best


def _count(bits: np.ndarray) -> int:
    return int(np.bitwise_count(bits).sum(dtype=np.int64))


@compiled
def _turn_loop(columns, start, stop, by_row):  # type: ignore[no-untyped-def]
    """by_row[r, f] = columns[f, r], a tile at a time, so that what is read and what is written both stay near."""
    tile = 32
    for first in range(start, stop, tile):
        for row in range(0, columns.shape[1], tile):
            for r in range(row, min(row + tile, columns.shape[1])):
                for f in range(first, min(first + tile, stop)):
                    by_row[r, f] = columns[f, r]


@compiled
def _best_loop(by_row, base, start, words, here, positive, rows, positives, orders, score, last, out, counts):  # type: ignore[no-untyped-def]
    """Counts each feature on a node's rows, and keeps those better than all before them, for every seed.

    Features lie side by side (`by_row` is [R, F], of the features from `base` on), so that many are counted at once; a
    block of them at a time, so that the counts stay near. Those before `start` have been seen.
    """
    m1, m2, m4 = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333), np.uint64(0x0F0F0F0F0F0F0F0F)
    h01, s1, s2, s4, s56 = np.uint64(0x0101010101010101), np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)
    features, block = by_row.shape[1], 2048
    ones = np.empty(block, dtype=np.int64)
    positive_ones = np.empty(block, dtype=np.int64)
    for first in range(start - base, features, block):
        size = min(block, features - first)
        ones[:size] = 0
        positive_ones[:size] = 0
        for i in range(len(words)):
            column, mask = by_row[words[i], first : first + size], here[i]
            for f in range(size):
                x = column[f] & mask
                x = x - ((x >> s1) & m1)
                x = (x & m2) + ((x >> s2) & m2)
                x = (x + (x >> s4)) & m4
                ones[f] += np.int64((x * h01) >> s56)
            mask = positive[i]
            if mask:
                for f in range(size):
                    x = column[f] & mask
                    x = x - ((x >> s1) & m1)
                    x = (x & m2) + ((x >> s2) & m2)
                    x = (x + (x >> s4)) & m4
                    positive_ones[f] += np.int64((x * h01) >> s56)
        for f in range(size):
            n, p = ones[f], positive_ones[f]
            zeros, positive_zeros = rows - n, positives - p
            if n == 0 or zeros == 0:
                continue
            impure = p * (n - p) / n + positive_zeros * (zeros - positive_zeros) / zeros
            if impure > score:
                continue
            for s in range(len(orders)):
                if impure < score or last[s] < 0 or orders[s, base + first + f] < orders[s, last[s]]:
                    out[s, counts[s]] = base + first + f
                    counts[s] += 1
                    last[s] = base + first + f
            score = impure
    return score
