"""The Boolean learner: stochastic greedy decision trees (Gini) over every prefix of the features, at once.

Within one node the best split among the first i features is a running minimum over i, which changes at a few places
only. So the trees of all prefixes share almost all their nodes: recurse over (rows of the node, interval of prefixes).
Ties between features are broken by a seeded random order of the features, so that the tree of a prefix does not depend
on what comes after it. `plain_tree` is the obvious version; tests hold `Forest` equal to it, prefix by prefix.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from shown.compiled import compiled
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
    """Greedy trees for every prefix of a growing list of features.

    >>> columns = np.array([[0b0011], [0b0101]], dtype=np.uint64)
    >>> forest = Forest(np.array([0b1111], dtype=np.uint64), np.array([0b0001], dtype=np.uint64), seeds=[0])
    >>> [(start, clauses_of(tree)) for start, tree in forest.extend(columns)[0]]
    [(0, ()), (1, ()), (2, (((0, True), (1, True)),))]
    """

    def __init__(self, mask: np.ndarray, positive: np.ndarray, seeds: list[int]) -> None:
        self._mask, self._positive, self._seeds = mask, positive, seeds
        self._columns = np.empty((0, len(mask)), dtype=np.uint64)
        self._orders = [np.empty(0) for _ in seeds]
        self._nodes: dict[bytes, _Node] = {}
        self._trees: dict[tuple[int, int, int], Tree] = {}
        self._leaves = {answer: Tree(-1, answer=answer) for answer in (False, True)}

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
        self._orders = [tie_order(len(columns), seed) for seed in self._seeds]
        first = before + 1 if before else 0
        return [self._grow(self._mask, first, len(columns) + 1, s) for s in range(len(self._seeds))]

    def _grow(self, mask: np.ndarray, low: int, high: int, seed: int) -> list[tuple[int, Tree]]:
        """The trees on the rows in `mask` for prefixes of low … high-1 features: (from which length on, tree)."""
        node = self._node(mask)
        if node.positives in (0, node.rows):
            return [(low, self._leaves[node.positives > 0])]
        result: list[tuple[int, Tree]] = []
        starts, features = self._splits(node, seed)
        # The segment in which no feature divides the rows comes first, then one segment a running minimum.
        bounds = [0, *starts, high]
        for segment, feature in enumerate([-1, *features]):
            a, b = max(low, bounds[segment]), min(high, bounds[segment + 1])
            if a >= b:
                continue
            if feature < 0:
                result.append((a, self._leaves[2 * node.positives > node.rows]))
                continue
            column = self._columns[feature]
            no = self._grow(mask & ~column, a, b, seed)
            yes = self._grow(mask & column, a, b, seed)
            result += self._join(feature, no, yes)
        return result

    def _join(self, feature: int, no: list[tuple[int, Tree]], yes: list[tuple[int, Tree]]) -> list[tuple[int, Tree]]:
        """All pairs of subtrees that some prefix has."""
        result: list[tuple[int, Tree]] = []
        n = y = 0
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

    def _node(self, mask: np.ndarray) -> _Node:
        key = mask.tobytes()
        node = self._nodes.get(key)
        if node is None:
            words = np.flatnonzero(mask)
            here = mask[words]
            positive = here & self._positive[words]
            node = self._nodes[key] = _Node(words, here, positive, len(self._seeds))
        return node

    def _splits(self, node: _Node, seed: int) -> tuple[list[int], list[int]]:
        """Where the best feature of a node changes: the prefix lengths, and the features."""
        if node.seen < len(self._columns):
            new = self._columns[node.seen :]
            ones, positive_ones = split_counts(new, node.words, node.here, node.positive)
            score = impurity(ones, positive_ones, node.rows, node.positives)
            for best, order in zip(node.best, self._orders, strict=True):
                best.extend(score, order, node.seen)
            node.seen = len(self._columns)
        features = node.best[seed].features
        return [f + 1 for f in features], features


class TreeSearch:
    """Proposes the formulas of the greedy trees for every prefix of the features, each once.

    Attributes:
        forest: the trees grown so far.
    """

    def __init__(self, evidence: Evidence, trees: int, seed: int) -> None:
        self.forest = Forest(evidence.mask, evidence.positive, [seed * trees + s for s in range(trees)])
        self._seen: set[int] = set()

    def propose(self, features: Features, prices: np.ndarray) -> Iterator[Clauses]:
        """The formulas of the new prefixes; `features` are all so far, the old ones first."""
        for found in self.forest.extend(features.columns):
            for _, tree in found:
                if id(tree) not in self._seen:
                    self._seen.add(id(tree))
                    yield clauses_of(tree)


class _Best:
    """A running minimum: the features better than all before them (or as good and earlier in the order)."""

    def __init__(self) -> None:
        self.features: list[int] = []
        self._score = np.inf

    def extend(self, score: np.ndarray, order: np.ndarray, start: int) -> None:
        """Takes the scores of the features from `start` on."""
        lowest = np.minimum.accumulate(np.minimum(score, self._score))
        for f in np.flatnonzero((score == lowest) & np.isfinite(score)).tolist():
            feature = start + f
            if not self.features or score[f] < self._score or order[feature] < order[self.features[-1]]:
                self.features.append(feature)
                self._score = float(score[f])


class _Node:
    """The rows of a node, and the best splits of them among the features seen, one list a seed."""

    def __init__(self, words: np.ndarray, here: np.ndarray, positive: np.ndarray, seeds: int) -> None:
        self.words, self.here, self.positive = words, here, positive
        self.rows, self.positives = _count(here), _count(positive)
        self.seen = 0
        self.best = [_Best() for _ in range(seeds)]


def split_counts(
    columns: np.ndarray, words: np.ndarray, here: np.ndarray, positive: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Of a node's rows, how many each feature holds on, and how many of those are positive. ([F], [F])

    Args:
        columns: the features. [F, R]
        words: the words in which the node has rows. [n]
        here, positive: the node's rows and its positive rows in those words. [n]
    """
    ones = np.empty(len(columns), dtype=np.int64)
    positive_ones = np.empty(len(columns), dtype=np.int64)
    _count_loop(columns, words, here, positive, ones, positive_ones)
    return ones, positive_ones


def split_counts_plain(
    columns: np.ndarray, words: np.ndarray, here: np.ndarray, positive: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """`split_counts` in NumPy."""
    ones = np.bitwise_count(columns[:, words] & here).sum(axis=1, dtype=np.int64)
    return ones, np.bitwise_count(columns[:, words] & positive).sum(axis=1, dtype=np.int64)


def _count(bits: np.ndarray) -> int:
    return int(np.bitwise_count(bits).sum(dtype=np.int64))


@compiled
def _count_loop(columns, words, here, positive, ones, positive_ones):  # type: ignore[no-untyped-def]
    m1, m2, m4 = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333), np.uint64(0x0F0F0F0F0F0F0F0F)
    h01, s1, s2, s4, s56 = np.uint64(0x0101010101010101), np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)
    for f in range(len(columns)):
        total, total_positive = np.int64(0), np.int64(0)
        for i in range(len(words)):
            bits = columns[f, words[i]]
            x = bits & here[i]
            x = x - ((x >> s1) & m1)
            x = (x & m2) + ((x >> s2) & m2)
            x = (x + (x >> s4)) & m4
            total += np.int64((x * h01) >> s56)
            x = bits & positive[i]
            if x:
                x = x - ((x >> s1) & m1)
                x = (x & m2) + ((x >> s2) & m2)
                x = (x + (x >> s4)) & m4
                total_positive += np.int64((x * h01) >> s56)
        ones[f] = total
        positive_ones[f] = total_positive
