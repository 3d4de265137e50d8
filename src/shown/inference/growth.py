"""Growing trees on arrays: sets of rows and their best splits, and the table of trees.

`trees.py` grows all trees together, one depth after another; here are the parts. A *node* is a set of rows, kept once,
whatever the splits that lead to it. A *tree* is a number in a table: 0 and 1 are the leaves that answer no and yes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shown.columns.distinct import roomy, spacious, sparse_table
from shown.engine import atomics
from shown.engine.compilation import compiled, popcount
from shown.engine.threads import Threads
from shown.inference.by_row import FeaturesByRow

DIVIDED_WORDS = 2**16  # words of rows up to which nodes are divided together, each with room for all its words twice
BLOCK = 512  # features counted together, so that the counts stay in the cache
STEP = 4 * BLOCK  # features of a node that a thread takes at a time
SHARE = 2**19  # words counted for which another thread is woken: fewer take less time than that


class Nodes:
    """Sets of rows, each with its best splits among the features scored so far.

    Attributes:
        rows, positives: number of rows of each node, and of positive ones. [N or more] int64
        splits: features at which the best split changes, of all nodes and seeds, and spare room. int64
        at, count: where those of a node and seed start, and their number. [N or more, S] int64
    """

    def __init__(self, mask: np.ndarray, positive: np.ndarray, seeds: int) -> None:
        self._positive = positive
        words = np.flatnonzero(mask).astype(np.int32)
        self._used = np.array([1, len(words), 0])  # nodes, words of their rows, and splits
        self._starts, self._words, self._here = np.array([0, len(words)]), words, mask[words]
        self.rows, self.positives = (np.array([int(np.bitwise_count(bits).sum())]) for bits in (mask, mask & positive))
        self._mixes, self._table = np.zeros(1, dtype=np.uint64), np.empty(0, dtype=np.int32)
        self._seen, self._score = np.zeros(1, dtype=np.int64), np.full(1, np.inf)
        self.splits = np.empty(0, dtype=np.int64)
        self.at, self.count = np.zeros((2, 1, seeds), dtype=np.int64)

    def divide(self, nodes: np.ndarray, features: np.ndarray, by_row: np.ndarray) -> np.ndarray:
        """Return the nodes of the rows on which features, numbers in `by_row`, are 0, and 1. [n], [n] → [2, n]"""
        words = int((self._starts[nodes + 1] - self._starts[nodes]).sum())
        half = len(nodes) // 2
        if not half or words <= DIVIDED_WORDS:
            return self._divide(nodes, features, by_row, 2 * words)
        halves = slice(half), slice(half, None)
        return np.concatenate([self.divide(nodes[part], features[part], by_row) for part in halves], axis=1)

    def _divide(self, nodes: np.ndarray, features: np.ndarray, by_row: np.ndarray, most: int) -> np.ndarray:
        self._make_room(2 * len(nodes), most)
        found = np.empty((2, len(nodes)), dtype=np.int64)
        _divide_loop(
            nodes, features, by_row, self._positive, self._starts, self._words, self._here, self.rows,
            self.positives, self._mixes, self._table, self._used, found,
        )  # fmt: skip
        return found

    def _make_room(self, more_nodes: int, more_words: int) -> None:
        nodes, words, _ = self._used.tolist()
        self._words, self._here = (spacious(array, words, more_words) for array in (self._words, self._here))
        if nodes + more_nodes > len(self.rows):
            of_nodes = (self.rows, self.positives, self._mixes, self._seen, self._score, self.at, self.count)
            self.rows, self.positives, self._mixes, self._seen, self._score, self.at, self.count = (
                roomy(array, nodes, more_nodes) for array in of_nodes
            )
            self._starts = roomy(self._starts, nodes + 1, len(self.rows) - nodes)
            self._seen[nodes:], self._score[nodes:], self.count[nodes:] = 0, np.inf, 0
        self._table = sparse_table(self._table, self._mixes, nodes, more_nodes)

    def score(self, nodes: np.ndarray, features: FeaturesByRow, orders: np.ndarray, threads: Threads) -> None:
        """Find the best splits of nodes among the features that they have not seen.

        Args:
            nodes: the nodes, each once. [n]
            features: all features.
            orders: rank of each feature that breaks ties, for each seed. [S, F]
            threads: share the work.
        """
        for first, by_row in features.tiles(int(self._seen[nodes].min(initial=len(features))), threads):
            end = first + by_row.shape[1]
            seen = self._seen[nodes]
            for start in sorted(set(seen[seen < end].tolist())):
                group = nodes[seen == start]
                self._choose(group, by_row, (first, start), orders, threads)
                self._seen[group] = end

    def _choose(
        self, nodes: np.ndarray, by_row: np.ndarray, numbers: tuple[int, int], orders: np.ndarray, threads: Threads
    ) -> None:
        """Record the features at which the best split of each node changes.

        Args:
            nodes: the nodes. [n]
            by_row: features, row by row. [R, F]
            numbers: number of the first of these features, and of the first that the nodes have not seen.
            orders: as in `score`.
            threads: share the work.
        """

        offset, start = numbers
        words = int((self._starts[nodes + 1] - self._starts[nodes]).sum())
        helpers = min(threads.count, max(1, words * (by_row.shape[1] + offset - start) // SHARE))
        # A thread alone takes the features of a node together.
        step, cursor = by_row.shape[1] if helpers == 1 else STEP, np.zeros(1, dtype=np.int64)

        def work(_: int) -> tuple[np.ndarray, np.ndarray]:
            return _candidates_loop(  # type: ignore[no-any-return]
                by_row, *numbers, step, cursor, orders, nodes, self._starts, self._words, self._here, self._positive,
                self.rows, self.positives, self._score,
            )  # fmt: skip

        found = threads.map(work, range(helpers))
        (which, tested), impure = (np.concatenate(parts, axis=-1) for parts in zip(*found, strict=True))
        order = np.lexsort((tested, which))
        splits = _best_loop(
            which[order], tested[order], impure[order], orders, nodes, self._score, self.splits, self.at,
            self.count,
        )  # fmt: skip
        lengths, used = self.count[nodes].reshape(-1), int(self._used[2])
        ends = used + np.cumsum(lengths)
        self.at[nodes] = (ends - lengths).reshape(-1, len(orders))
        self._used[2] = ends[-1]
        self.splits = spacious(self.splits, used, int(ends[-1] - used))
        self.splits[used : ends[-1]] = splits


NO, YES = 0, 1
"""Numbers of the trees that are leaves."""


class TreeTable:
    """Trees by number, each once; subtrees come before the trees that have them.

    Attributes:
        feature: feature that each tree tests; -1 for the two leaves. [T or more] int64
        no, yes: its subtrees. [T or more] int64
        paths: number of paths to leaves that answer yes. [T or more] int64
    """

    def __init__(self) -> None:
        self._used = np.array([2])
        self.feature, self.no, self.yes = np.full((3, 2), -1, dtype=np.int64)
        self.paths = np.array([0, 1])
        self._mixes, self._table = np.zeros(2, dtype=np.uint64), np.empty(0, dtype=np.int32)

    def join(self, level: Depth, below: Segments) -> Segments:
        """Return the trees of each item of a level, given those of the items one level below."""
        lengths = np.append(np.diff(below.ends, prepend=0), 1)
        room = int(lengths[np.maximum(level.children, -1)].sum())  # each pair of subtrees that some prefix has
        self._make_room(room)
        ends, starts, trees = np.empty_like(level.ends), *np.empty((2, room), dtype=np.int64)
        _join_loop(
            level.ends, level.starts, level.features, level.children, below.ends, below.starts, below.trees,
            self.feature, self.no, self.yes, self.paths, self._mixes, self._table, self._used, ends, starts, trees,
        )  # fmt: skip
        return Segments(ends, starts[: ends[-1]], trees[: ends[-1]])

    def _make_room(self, more: int) -> None:
        used = int(self._used[0])
        self.feature, self.no, self.yes, self.paths, self._mixes = (
            roomy(array, used, more) for array in (self.feature, self.no, self.yes, self.paths, self._mixes)
        )
        self._table = sparse_table(self._table, self._mixes, used, more)


class Segments(NamedTuple):
    """Trees of items: from which number of features on each is grown.

    Attributes:
        ends: number of segments up to the end of each item. [items] int64
        starts: least number of features. int64
        trees: the tree. int64
    """

    ends: np.ndarray
    starts: np.ndarray
    trees: np.ndarray


class Depth(NamedTuple):
    """What the items of one depth test: item i for its prefixes low … high - 1, in segments.

    Attributes:
        ends: number of segments up to the end of each item. [items] int64
        starts, stops: prefixes of each segment. [n] int64 each
        features: feature that it tests; -1 for a leaf. [n] int64
        children: items one level below, for 0 and 1; -1 - answer for a leaf. [2, n] int64
    """

    ends: np.ndarray
    starts: np.ndarray
    stops: np.ndarray
    features: np.ndarray
    children: np.ndarray


class Items(NamedTuple):
    """Trees to grow: on the rows of a node, for prefixes of low … high - 1 features, with one seed. [n] each"""

    nodes: np.ndarray
    lows: np.ndarray
    highs: np.ndarray
    seeds: np.ndarray


def opened(items: Items, nodes: Nodes, features: FeaturesByRow, threads: Threads) -> tuple[Depth, Items]:
    """Return the segments of items, whose nodes are scored, and the items one level below."""
    ends, segments = _open_loop(*items, nodes.splits, nodes.at, nodes.count)
    of_item, (starts, stops, tested) = segments[0], segments[1:].copy()  # a level keeps only what it needs
    children = np.empty((2, len(tested)), dtype=np.int64)
    node = items.nodes[of_item]
    children[:] = -1 - (2 * nodes.positives[node] > nodes.rows[node])
    splits = np.flatnonzero(tested >= 0)
    below = _divided(node[splits], tested[splits], nodes, features, threads) if len(splits) else children[:, :0]
    positives = nodes.positives[below]
    mixed = (positives > 0) & (positives < nodes.rows[below])
    numbers = np.cumsum(mixed).reshape(mixed.shape) - 1
    children[:, splits] = np.where(mixed, numbers, -1 - (positives > 0))
    whole = [np.broadcast_to(of[splits], mixed.shape)[mixed] for of in (starts, stops, items.seeds[of_item])]
    return Depth(ends, starts, stops, tested, children), Items(below[mixed], *whole)


def _divided(of: np.ndarray, tested: np.ndarray, nodes: Nodes, features: FeaturesByRow, threads: Threads) -> np.ndarray:
    """Return the nodes of the rows on which the tested features are 0, and 1; equal pairs are divided once. [2, n]"""
    pairs, which = np.unique(of * len(features) + tested, return_inverse=True)
    divided, numbers = np.divmod(pairs, len(features))
    few, which_one = np.unique(numbers, return_inverse=True)
    by_row, places = features.some(few, threads)
    return nodes.divide(divided, places[which_one], by_row)[:, which]


# --- compiled loops ---------------------------------------------------------------------------------------------------


@compiled
def _candidates_loop(  # type: ignore[no-untyped-def]  # noqa: C901, PLR0913
    by_row, offset, start, step, cursor, orders, nodes, starts, words, here, positive, rows, positives, scores
):
    """Return the features that may be better than all before them, for some seed: index of the node, feature; impurity.

    All threads call this loop, and each takes the next node and `step` features until none is left; `cursor` counts
    those taken. What is better only than the features before it in the same step is returned as well. Features are
    counted a block at a time, so that their counts stay in the cache.
    """
    ranks, first_new = np.empty(len(orders), dtype=np.float64), start - offset  # ranks of the best, for each seed
    ones, positive_ones = np.empty(BLOCK, dtype=np.int64), np.empty(BLOCK, dtype=np.int64)
    impure = np.empty(BLOCK, dtype=np.float64)
    used, found, impurities = 0, np.empty((2, 64), dtype=np.int64), np.empty(64, dtype=np.float64)
    steps = max(1, -(-(by_row.shape[1] - first_new) // step))
    while True:
        taken = atomics.add(cursor, 0, 1)
        i = taken // steps
        if i >= len(nodes):
            break
        node, begin = nodes[i], first_new + (taken % steps) * step
        end = min(begin + step, by_row.shape[1])
        score, n, p = scores[node], np.float64(rows[node]), np.float64(positives[node])
        for s in range(len(ranks)):
            ranks[s] = np.inf
        for first in range(begin, end, BLOCK):
            size = min(BLOCK, end - first)
            for f in range(size):
                ones[f] = positive_ones[f] = 0
            for k in range(starts[node], starts[node + 1]):
                column, mask = by_row[words[k], first : first + size], here[k]
                for f in range(size):
                    ones[f] += popcount(column[f] & mask)
                mask &= positive[words[k]]
                if mask:
                    for f in range(size):
                        positive_ones[f] += popcount(column[f] & mask)
            promising = np.int64(0)
            for f in range(size):
                # Products of counts are exact as floating-point numbers, and far faster.
                one, positive_one = np.float64(ones[f]), np.float64(positive_ones[f])
                zero, positive_zero = n - one, p - positive_one
                impure[f] = (
                    positive_one * (one - positive_one) / one + positive_zero * (zero - positive_zero) / zero
                )  # not a number if all rows are on one side
                promising += np.int64(impure[f] <= score)
            for f in range(size if promising else 0):
                if not impure[f] <= score:
                    continue
                feature, better = offset + first + f, impure[f] < score
                for s in range(len(orders)):
                    if impure[f] < score or orders[s, feature] < ranks[s]:
                        ranks[s], better = orders[s, feature], True
                score = impure[f]
                if not better:
                    continue
                if used == len(impurities):
                    more, longer = np.empty((2, 2 * used), dtype=np.int64), np.empty(2 * used, dtype=np.float64)
                    for k in range(used):
                        more[0, k], more[1, k], longer[k] = found[0, k], found[1, k], impurities[k]
                    found, impurities = more, longer
                found[0, used], found[1, used], impurities[used] = i, feature, score
                used += 1
    return found[:, :used], impurities[:used]


@compiled
def _best_loop(which, features, impure, orders, nodes, scores, splits, at, count):  # type: ignore[no-untyped-def]  # noqa: PLR0913
    """Keep the candidates that are better than all before them, for every seed; return the splits of all nodes.

    Sets the number of splits of each node and seed, and the score of the node. Known splits come first.
    """
    seeds, first, used, room = len(orders), 0, 0, len(orders) * len(which)
    for node in nodes:
        for s in range(seeds):
            room += count[node, s]
    out = np.empty(room, dtype=np.int64)
    for i in range(len(nodes)):
        node, end = nodes[i], first
        while end < len(which) and which[end] == i:
            end += 1
        best = scores[node]
        for s in range(seeds):
            start, score = used, scores[node]
            for k in range(count[node, s]):
                out[used] = splits[at[node, s] + k]
                used += 1
            for c in range(first, end):
                if not impure[c] <= score:
                    continue
                if impure[c] < score or used == start or orders[s, features[c]] < orders[s, out[used - 1]]:
                    out[used] = features[c]
                    used += 1
                score = impure[c]
            count[node, s], best = used - start, score
        scores[node], first = best, end
    return out[:used]


@compiled
def _open_loop(nodes, lows, highs, seeds, splits, at, count):  # type: ignore[no-untyped-def]
    """Cut the prefixes of each item where its node's best split changes."""
    room = len(nodes)
    for i in range(len(nodes)):
        room += count[nodes[i], seeds[i]]
    ends = np.empty(len(nodes), dtype=np.int64)
    out = np.empty((4, room), dtype=np.int64)
    used = 0
    for i in range(len(nodes)):
        first, number = at[nodes[i], seeds[i]], count[nodes[i], seeds[i]]
        # The segment in which no feature divides the rows comes first, then one segment a split.
        for k in range(-1, number):
            start = lows[i] if k < 0 else max(lows[i], splits[first + k] + 1)
            stop = highs[i] if k + 1 == number else min(highs[i], splits[first + k + 1] + 1)
            if start < stop:
                out[0, used], out[1, used], out[2, used] = i, start, stop
                out[3, used] = -1 if k < 0 else splits[first + k]
                used += 1
        ends[i] = used
    return ends, out[:, :used]


@compiled
def _divide_loop(  # type: ignore[no-untyped-def]  # noqa: PLR0913
    nodes, features, by_row, positive, starts, words, here, rows, positives, mixes, table, used, found
):
    """Find or make the nodes of the rows on which features are 0, and 1."""
    size = np.uint64(len(table) - 1)
    for i in range(len(nodes)):
        for side in range(2):
            flip = np.uint64(0) - np.uint64(side == 0)
            first = end = used[1]
            n, p, mix = 0, 0, np.uint64(0)
            for j in range(starts[nodes[i]], starts[nodes[i] + 1]):
                bits = here[j] & (by_row[words[j], features[i]] ^ flip)
                if bits:
                    words[end], here[end] = words[j], bits
                    end += 1
                    n += popcount(bits)
                    p += popcount(bits & positive[words[j]])
                    mix = (mix ^ bits ^ (np.uint64(words[j]) << np.uint64(40))) * np.uint64(0xFF51AFD7ED558CCD)
                    mix ^= mix >> np.uint64(32)
            slot = mix & size
            while True:
                k = table[slot]
                if k < 0:
                    k = used[0]
                    table[slot], mixes[k], rows[k], positives[k] = k, mix, n, p
                    starts[k + 1] = end
                    used[0], used[1] = k + 1, end
                    break
                differ = mixes[k] != mix or starts[k + 1] - starts[k] != end - first
                for j in range(0 if differ else end - first):
                    differ |= words[starts[k] + j] != words[first + j] or here[starts[k] + j] != here[first + j]
                if not differ:
                    break
                slot = (slot + np.uint64(1)) & size
            found[side, i] = k


@compiled
def _join_loop(  # type: ignore[no-untyped-def]  # noqa: C901, PLR0913
    ends, starts, features, children, below_ends, below_starts, below_trees, feature, no, yes, paths, mixes, table,
    used, out_ends, out_starts, out_trees,
):  # fmt: skip
    """Join the subtrees of each item, for every pair of them that some prefix has."""
    size = np.uint64(len(table) - 1)
    here, stop = np.empty(2, dtype=np.int64), np.empty(2, dtype=np.int64)
    trees = np.empty(2, dtype=np.int64)
    n = segment = 0
    for i in range(len(ends)):
        while segment < ends[i]:
            start, last = starts[segment], -1
            for side in range(2):
                child = children[side, segment]
                here[side] = stop[side] = 0
                trees[side] = -1 - child
                if child >= 0:
                    here[side] = below_ends[child - 1] if child else 0
                    stop[side] = below_ends[child]
                    trees[side] = below_trees[here[side]]
                    here[side] += 1
            while True:
                tree = trees[0]
                if features[segment] >= 0:
                    mix = np.uint64(features[segment]) * np.uint64(0x9E3779B97F4A7C15)
                    mix = (mix ^ np.uint64(trees[0])) * np.uint64(0xFF51AFD7ED558CCD)
                    mix = ((mix ^ (mix >> np.uint64(32))) + np.uint64(trees[1])) * np.uint64(0xC4CEB9FE1A85EC53)
                    mix ^= mix >> np.uint64(32)
                    slot = mix & size
                    while True:
                        tree = table[slot]
                        if tree < 0:
                            tree = used[0]
                            table[slot], mixes[tree] = tree, mix
                            feature[tree], no[tree], yes[tree] = features[segment], trees[0], trees[1]
                            paths[tree] = paths[trees[0]] + paths[trees[1]]
                            used[0] += 1
                            break
                        if feature[tree] == features[segment] and no[tree] == trees[0] and yes[tree] == trees[1]:
                            break
                        slot = (slot + np.uint64(1)) & size
                if tree != last:
                    out_starts[n], out_trees[n] = start, tree
                    n += 1
                    last = tree
                # Go on to the next prefix at which one of the subtrees changes.
                start = -1
                for side in range(2):
                    if here[side] < stop[side] and (start < 0 or below_starts[here[side]] < start):
                        start = below_starts[here[side]]
                if start < 0:
                    break
                for side in range(2):
                    if here[side] < stop[side] and below_starts[here[side]] == start:
                        trees[side] = below_trees[here[side]]
                        here[side] += 1
            segment += 1
        out_ends[i] = n
