"""The tree search: stochastic greedy decision trees (Gini) over every prefix of the features at once.

Within a node the best split among the first i features is a running minimum over i, which changes at a few places only.
So the trees of all prefixes share almost all nodes: recurse over (rows of the node, interval of prefixes). A seeded
random order of the features breaks ties, so that the tree of a prefix does not depend on later features. `plain_tree`
is the obvious version; a property test compares `Forest` with it, prefix by prefix. Its parts are in `growth.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from shown.columns.rows import Labels
from shown.engine.memory import refuse_if_full
from shown.engine.threads import ONE_THREAD, Threads
from shown.inference.by_row import FeaturesByRow
from shown.inference.features import Features
from shown.inference.growth import NO, YES, Depth, Items, Nodes, Segments, TreeTable, opened
from shown.rules.bitwise import Clause, Clauses


@dataclass(frozen=True, slots=True)
class Tree:
    """A decision tree over features.

    Attributes:
        feature: feature tested by an inner node; -1 in a leaf.
        no, yes: subtrees of an inner node.
        answer: answer of a leaf.
    """

    feature: int
    no: Tree | None = None
    yes: Tree | None = None
    answer: bool = False


def clauses_of(tree: Tree) -> Clauses:
    """Return the formula of a tree: one clause for each path to a positive leaf.

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
    """Return half the Gini impurity after a split, weighted by rows; infinite if it does not divide the rows.

    Args:
        ones: rows of the node on which the feature holds. [F]
        positive_ones: positive rows among those. [F]
        rows, positives: number of rows of the node, and of positive ones.
    """
    zeros = rows - ones
    positive_zeros = positives - positive_ones
    with np.errstate(divide="ignore", invalid="ignore"):
        score = positive_ones * (ones - positive_ones) / ones + positive_zeros * (zeros - positive_zeros) / zeros
    return np.where((ones == 0) | (zeros == 0), np.inf, score)


def tie_order(features: int, seed: int) -> np.ndarray:
    """Return a random rank for each feature; the first n ranks do not depend on the number of features. [F] float64"""
    return np.random.default_rng([seed, 0x7EE]).random(features)


def plain_tree(columns: np.ndarray, mask: np.ndarray, positive: np.ndarray, order: np.ndarray) -> Tree:
    """Return the greedy tree over all the given features.

    Args:
        columns: the features' bits. [F, R] uint64
        mask: 1 where a bit is a row of this node. [R] uint64
        positive: 1 where a row is demonstrated. [R] uint64
        order: rank that breaks ties between features; the lower wins. [F]
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
    """Greedy trees for every prefix of a growing list of features, whatever the number of threads.

    All trees are grown together, one depth after another, so that threads share the scoring of the splits.

    Attributes:
        features: the features, which stay when the forest is cleared.

    >>> columns = np.array([[0b0011], [0b0101]], dtype=np.uint64)
    >>> forest = Forest(np.array([0b1111], dtype=np.uint64), np.array([0b0001], dtype=np.uint64), seeds=[0])
    >>> [(start, clauses_of(tree)) for start, tree in forest.extend(columns)[0]]
    [(0, ()), (1, ()), (2, (((0, True), (1, True)),))]
    """

    def __init__(self, mask: np.ndarray, positive: np.ndarray, seeds: list[int], threads: Threads = ONE_THREAD) -> None:
        self._seeds, self._threads = seeds, threads
        self._labels = mask, positive
        self.features = FeaturesByRow(mask)
        self._begin()

    def _begin(self) -> None:
        self._nodes: Nodes | None = None
        self._known = 0  # features whose prefixes have trees
        self._table = TreeTable()
        self._built = [Tree(-1, answer=answer) for answer in (False, True)]

    def clear(self) -> None:
        """Forget all nodes and trees."""
        self._begin()

    def extend(self, columns: np.ndarray) -> list[list[tuple[int, Tree]]]:
        """Grow the trees of the new prefixes.

        Args:
            columns: all features, the old ones first. [F, R] uint64

        Returns:
            For each seed, pairs (least number of features, tree) for the new prefixes. Equal trees are one object.
        """
        grown = self.grow(columns)
        trees = list(zip(grown.starts.tolist(), map(self._tree, grown.trees.tolist()), strict=True))
        return [trees[start:end] for start, end in pairwise([0, *grown.ends.tolist()])]

    def grow(self, columns: np.ndarray) -> Segments:
        """Grow the trees of the new prefixes; return their numbers, for each seed."""
        if not self._seeds:
            return Segments(*np.empty((3, 0), dtype=np.int64))
        before, self._known, seeds = self._known, len(columns), len(self._seeds)
        self.features.replace(columns)
        if self._nodes is None:
            mask, positive = (self.features.packed(bits) for bits in self._labels)
            self._nodes = Nodes(mask, positive, seeds)
        nodes = self._nodes
        orders = np.array([tie_order(len(columns), seed) for seed in self._seeds]).reshape(seeds, -1)
        lows, highs = np.full(seeds, before + 1 if before else 0), np.full(seeds, len(columns) + 1)
        items = Items(np.zeros(seeds, dtype=np.int64), lows, highs, np.arange(seeds))
        if 0 < nodes.positives[0] < nodes.rows[0]:
            grown = self._grown(items, nodes, orders)
        else:
            grown = Segments(np.arange(1, seeds + 1), lows, np.full(seeds, int(nodes.positives[0] > 0)))
        return grown

    def formulas(self, trees: Iterable[int]) -> Iterator[Clauses]:
        """Yield the formula of each tree, as `clauses_of` does.

        Neighbors differ in few paths, so the clauses of a subtree that has not changed are taken from the formula
        before.
        """
        table, before, clauses = self._table, NO, list[Clause]()
        for number in trees:
            known, clauses = clauses, []
            # A subtree, the one that was there before, the first of its clauses, and the path to both.
            left: list[tuple[int, int, int, Clause]] = [(number, before, 0, ())]
            while left:
                tree, old, first, path = left.pop()
                if tree == old:
                    clauses += known[first : first + table.paths.item(tree)]
                elif tree in (NO, YES):
                    clauses += [path] * tree
                else:
                    feature, no, yes, paths = table.feature.item(tree), NO, NO, 0
                    if table.feature.item(old) == feature:
                        no, yes, paths = table.no.item(old), table.yes.item(old), table.paths.item(table.no.item(old))
                    left.append((table.yes.item(tree), yes, first + paths, (*path, (feature, True))))
                    left.append((table.no.item(tree), no, first, (*path, (feature, False))))
            yield tuple(clauses)
            before = number

    def _grown(self, items: Items, nodes: Nodes, orders: np.ndarray) -> Segments:
        """Return the trees of the items: open one depth after another, then join the subtrees from the last one on."""
        levels: list[Depth] = []
        while len(items.nodes):
            refuse_if_full("growing trees")
            nodes.score(np.unique(items.nodes), self.features, orders, self._threads)
            level, items = opened(items, nodes, self.features, self._threads)
            levels.append(level)
        grown = Segments(*np.empty((3, 0), dtype=np.int64))
        while levels:
            grown = self._table.join(levels.pop(), grown)
        return grown

    def _tree(self, number: int) -> Tree:
        for i in range(len(self._built), number + 1):
            no, yes = self._built[self._table.no[i]], self._built[self._table.yes[i]]
            self._built.append(Tree(int(self._table.feature[i]), no, yes))
        return self._built[number]


class TreeSearch:
    """Proposes the formulas of the greedy trees for every prefix of the features, each once.

    Attributes:
        forest: the trees grown so far.
    """

    def __init__(self, labels: Labels, trees: int, seed: int, threads: Threads = ONE_THREAD) -> None:
        self.threads = threads
        seeds = [seed * trees + s for s in range(trees)]
        self.forest = Forest(labels.mask, labels.positive, seeds, threads)
        self._seen: set[int] = set()

    def propose(self, features: Features, prices: np.ndarray) -> Iterator[Clauses]:
        """Propose the formulas of the new prefixes; `features` are all so far, the old ones first."""
        grown = dict.fromkeys(self.forest.grow(features.columns).trees.tolist())
        new = [tree for tree in grown if tree not in self._seen]
        self._seen.update(new)
        yield from self.forest.formulas(new)

    def finish(self, features: Features, prices: np.ndarray) -> Iterator[Clauses]:
        """Propose nothing: every prefix has its trees."""
        return iter(())


def _count(bits: np.ndarray) -> int:
    return int(np.bitwise_count(bits).sum(dtype=np.int64))
