"""The Boolean learner: the trees of all prefixes at once are the trees of each, and those of the textbook."""

import inspect
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

from shown.columns import distinct
from shown.engine import memory
from shown.engine.planes import pack
from shown.engine.threads import Threads
from shown.errors import OutOfMemory
from shown.inference import by_row
from shown.inference import growth as module
from shown.inference.by_row import FeaturesByRow
from shown.inference.growth import Nodes
from shown.inference.trees import (
    Forest,
    Tree,
    clauses_of,
    impurity,
    plain_tree,
    tie_order,
)
from shown.rules.bitwise import formula_bits
from strategies import examples

FULL = np.uint64(2**64 - 1)


def problem(seed, rows, features, doubles=0, noise=0.0, holes=False):
    """Random features, some of them twice, and labels that depend on some, with mistakes.

    Returns the features as bits and as a table, which bits are rows, and the labels as bits and as a list.
    """
    rng = np.random.default_rng(seed)
    table = rng.random((features, rows)) < rng.uniform(0.1, 0.9, size=(features, 1))
    if doubles and features:
        table = np.concatenate([table, table[rng.integers(0, features, size=doubles)]])
        rng.shuffle(table)
    labels = table[0] & (table[-1] | ~table[len(table) // 2]) if features else rng.random(rows) < 0.5
    labels = labels ^ (rng.random(rows) < noise)
    words = (rows + 63) // 64 + (1 if holes else 0)
    place = np.sort(rng.permutation(words * 64)[:rows]) if holes else np.arange(rows)

    def bits(values):
        spread = np.zeros(words * 64, dtype=bool)
        spread[place] = values
        return pack(spread)

    columns = np.stack([bits(row) for row in table]) if len(table) else np.empty((0, words), dtype=np.uint64)
    return columns, table, bits(np.ones(rows, dtype=bool)), bits(labels), labels


def at(segments, length):
    """Return the tree for a prefix of this length."""
    return [tree for start, tree in segments if start <= length][-1]


problems = st.builds(
    problem,
    st.integers(0, 10**6),
    st.sampled_from([1, 2, 5, 20, 64, 70, 150]),
    st.integers(0, 12),
    st.integers(0, 6),
    st.sampled_from([0.0, 0.1, 0.5]),
    st.booleans(),
)


@pytest.fixture(params=[2**30, 1, 100], ids=["all features at once", "one at a time", "a few at a time"])
def room(request, monkeypatch):
    """Bytes that features row by row may take, and from which on arrays are reserved."""
    monkeypatch.setattr(by_row, "ROW_BY_ROW", request.param)
    monkeypatch.setattr(module, "DIVIDED_WORDS", request.param)
    for part in (distinct, memory):
        monkeypatch.setattr(part, "COPIED", request.param)


@given(problems, st.lists(st.integers(0, 100), min_size=1, max_size=3, unique=True), st.sampled_from([1, 3]))
@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_shared_trees_are_the_plain_trees_for_every_prefix_and_seed(room, case, seeds, threads):
    columns, _, mask, positive, _ = case
    forest = Forest(mask, positive, seeds, Threads(threads))
    for seed, segments in zip(seeds, forest.extend(columns), strict=True):
        order = tie_order(len(columns), seed)
        for length in range(len(columns) + 1):
            assert at(segments, length) == plain_tree(columns[:length], mask, positive, order[:length])


@given(problems, st.lists(st.integers(0, 18), max_size=4))
@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_growing_in_several_steps_changes_nothing(room, case, cuts):
    columns, _, mask, positive, _ = case
    forest = Forest(mask, positive, [3])
    order = tie_order(len(columns), 3)
    done = 0
    for cut in [*sorted(c for c in cuts if 0 < c < len(columns)), len(columns)]:
        segments = forest.extend(columns[:cut])[0]
        for length in range(done + 1 if done else 0, cut + 1):
            assert at(segments, length) == plain_tree(columns[:length], mask, positive, order[:length])
        done = cut


@given(problems)
def test_equal_trees_are_one_object(case):
    columns, _, mask, positive, _ = case
    forest = Forest(mask, positive, [0, 1, 2])
    found = [tree for segments in forest.extend(columns) for _, tree in segments]
    for a in found:
        assert all(a is b for b in found if a == b)


@given(problems)
def test_segments_cover_every_prefix_in_order(case):
    columns, _, mask, positive, _ = case
    segments = Forest(mask, positive, [0]).extend(columns)[0]
    starts = [start for start, _ in segments]
    assert starts[0] == 0
    assert starts == sorted(set(starts))
    assert starts[-1] <= len(columns)


def test_the_order_of_ties_does_not_depend_on_what_comes_after():
    assert np.array_equal(tie_order(100, 5)[:40], tie_order(40, 5))
    assert not np.array_equal(tie_order(40, 5), tie_order(40, 6))


def test_ties_are_broken_differently_by_different_seeds():
    columns, _, mask, positive, _ = problem(1, 30, 1, doubles=20)
    roots = {plain_tree(columns, mask, positive, tie_order(len(columns), seed)).feature for seed in range(30)}
    assert len(roots) > 5


# --- against the textbook ---------------------------------------------------------------------------------------------


@given(problems.filter(lambda case: len(case[0]) > 0))
@settings(max_examples=examples(60))
def test_fits_what_scikit_learn_fits(case):
    columns, table, mask, positive, labels = case
    textbook = DecisionTreeClassifier(random_state=0).fit(table.T, labels)
    tree = plain_tree(columns, mask, positive, tie_order(len(columns), 0))
    assert [predict(tree, row) for row in table.T] == textbook.predict(table.T).tolist()


def predict(tree, row):
    while tree.feature >= 0:
        tree = tree.yes if row[tree.feature] else tree.no
    return tree.answer


def scores_of(table, labels, here):
    ones = (table[:, here]).sum(axis=1)
    return impurity(ones, (table[:, here] & labels[here]).sum(axis=1), int(here.sum()), int(labels[here].sum()))


def test_grows_the_tree_of_scikit_learn_wherever_no_two_splits_are_equally_good():
    compared = 0
    for seed in range(40):
        columns, table, mask, positive, labels = problem(seed, 400, 8, noise=0.2)
        textbook = DecisionTreeClassifier(random_state=seed).fit(table.T, labels)
        ours = plain_tree(columns, mask, positive, tie_order(len(columns), seed))
        todo = [(ours, 0, np.ones(400, dtype=bool))]
        while todo:
            tree, node, here = todo.pop()
            theirs = textbook.tree_
            leaf = theirs.children_left[node] < 0
            assert (tree.feature < 0) == leaf
            if leaf:
                continue
            scores = scores_of(table, labels, here)
            best = np.flatnonzero(scores <= scores.min() + 1e-9)
            assert tree.feature in best
            assert theirs.feature[node] in best
            if len(best) > 1:
                continue
            compared += 1
            there = here & table[tree.feature]
            todo.append((tree.yes, theirs.children_right[node], there))
            todo.append((tree.no, theirs.children_left[node], here & ~table[tree.feature]))
    assert compared > 500


def test_impurity_is_half_of_gini_times_rows():
    _, table, _, _, labels = problem(3, 200, 5, noise=0.3)
    scores = scores_of(table, labels, np.ones(200, dtype=bool))
    for feature in range(5):
        stump = DecisionTreeClassifier(max_depth=1).fit(table[feature][:, None], labels).tree_
        gini = sum(stump.impurity[child] * stump.n_node_samples[child] for child in (1, 2))
        assert scores[feature] * 2 == pytest.approx(gini)


def test_a_split_that_divides_nothing_is_no_split():
    scores = impurity(np.array([0, 4, 2]), np.array([0, 2, 1]), 4, 2)
    assert scores.tolist() == [np.inf, np.inf, 1.0]


# --- by hand ----------------------------------------------------------------------------------------------------------


def bits(text):
    """Rows from left to right; the leftmost is the lowest bit."""
    return np.array([int(text[::-1], 2)], dtype=np.uint64)


def grow(positive, *columns, order=None):
    rows = bits("1" * len(positive))
    table = np.stack([bits(column) for column in columns])
    return plain_tree(table, rows, bits(positive), np.arange(len(columns)) if order is None else np.array(order))


def test_the_purest_split_is_taken():
    assert grow("1100", "1010", "1100").feature == 1


def test_among_equals_the_lower_rank_is_taken():
    assert grow("1100", "1100", "0011", order=[1, 0]).feature == 1
    assert grow("1100", "1100", "0011", order=[0, 1]).feature == 0


def test_without_a_feature_the_majority_decides_and_a_tie_says_no():
    assert grow("110", "000") == Tree(-1, answer=True)
    assert grow("100", "111") == Tree(-1, answer=False)
    assert grow("10", "00") == Tree(-1, answer=False)


def test_a_split_without_gain_is_still_made():
    """Only so can exclusive-or be learned."""
    tree = grow("0110", "0101", "0011")
    assert clauses_of(tree) == (((0, False), (1, True)), ((0, True), (1, False)))


def test_nothing_to_tell_apart_is_a_leaf():
    assert grow("1111", "0101") == Tree(-1, answer=True)
    assert grow("0000", "0101") == Tree(-1, answer=False)


def test_never_and_always_as_formulas():
    assert clauses_of(Tree(-1, answer=False)) == ()
    assert clauses_of(Tree(-1, answer=True)) == ((),)


@given(problems)
def test_a_tree_and_its_formula_say_the_same(case):
    columns, table, mask, positive, labels = case
    tree = plain_tree(columns, mask, positive, tie_order(len(columns), 0))
    said = formula_bits(clauses_of(tree), columns, mask)
    answers = [predict(tree, row) for row in table.T] if len(table) else [tree.answer] * len(labels)
    rows = [divmod(i, 64) for i in range(len(mask) * 64) if int(mask[i // 64]) >> (i % 64) & 1]
    assert [bool(int(said[word]) >> bit & 1) for word, bit in rows] == answers


@given(problems)
def test_clauses_of_a_tree_never_overlap(case):
    columns, _, mask, positive, _ = case
    clauses = clauses_of(plain_tree(columns, mask, positive, tie_order(len(columns), 0)))
    total = sum(int(np.bitwise_count(formula_bits((clause,), columns, mask)).sum()) for clause in clauses)
    assert total == int(np.bitwise_count(formula_bits(clauses, columns, mask)).sum())


@given(problems, st.integers(0, 30))
@settings(max_examples=examples(60))
def test_formulas_that_share_clauses_are_those_of_the_trees(case, cut):
    columns, _, mask, positive, _ = case
    forest, other = Forest(mask, positive, [0, 1]), Forest(mask, positive, [0, 1])
    for stop in (min(cut, len(columns)), len(columns)):
        trees = [tree for segments in other.extend(columns[:stop]) for _, tree in segments]
        numbers = forest.grow(columns[:stop]).trees.tolist()
        assert list(forest.formulas(numbers)) == [clauses_of(tree) for tree in trees]


# --- compiled ---------------------------------------------------------------------------------------------------------


def best_splits(columns, mask, positive, orders, cuts=(), threads=1):
    """The running best of the root for each seed, found in one go or several."""
    team = Threads(threads)
    features = FeaturesByRow(mask)
    features.replace(columns[: [*cuts, len(columns)][0]])
    nodes = Nodes(features.packed(mask), features.packed(positive), len(orders))
    for stop in [*cuts, len(columns)]:
        features.replace(columns[:stop])
        nodes.score(np.arange(1), features, orders, team)
    team.close()
    return [nodes.splits[at : at + n].tolist() for at, n in zip(nodes.at[0], nodes.count[0], strict=True)]


def best_splits_plain(columns, mask, positive, order):
    """Return the features at which a node's best split changes, as features are added one by one.

    Equals the compiled `_candidates_loop` and `_best_loop` for one seed. Shapes as in `plain_tree`.
    """
    ones = np.bitwise_count(columns & mask).sum(axis=1, dtype=np.int64)
    positive_ones = np.bitwise_count(columns & (mask & positive)).sum(axis=1, dtype=np.int64)
    score = impurity(
        ones, positive_ones, int(np.bitwise_count(mask).sum()), int(np.bitwise_count(mask & positive).sum())
    )
    best = []
    for f in np.flatnonzero(np.isfinite(score)).tolist():
        if not best or (score[f], order[f]) < (score[best[-1]], order[best[-1]]):
            best.append(f)
    return best


@given(problems, st.integers(0, 40), st.sampled_from([1, 3]))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_running_best_is_the_best_of_every_prefix(room, case, cut, threads):
    columns, _, mask, positive, _ = case
    orders = np.array([tie_order(len(columns), seed) for seed in range(3)])
    expected = [best_splits_plain(columns, mask, positive, order) for order in orders]
    assert best_splits(columns, mask, positive, orders, (), threads) == expected
    cuts = [cut] if 0 < cut < len(columns) else []
    assert best_splits(columns, mask, positive, orders, cuts, threads) == expected


def test_blocks_of_features_are_counted_one_after_another():
    columns, mask, positive = (np.random.default_rng(0).integers(0, 2**63, n) for n in ((1500, 2), 2, 2))
    columns, mask, positive = (bits.astype(np.uint64) for bits in (columns, mask, positive & mask))
    order = tie_order(len(columns), 0)
    expected = [best_splits_plain(columns, mask, positive, order)]
    assert expected[0][-1] > module.BLOCK
    for cuts in ((), (100,), (module.BLOCK,), (1400,)):
        assert best_splits(columns, mask, positive, np.array([order]), cuts) == expected


@pytest.mark.parametrize("name", ["_candidates_loop", "_best_loop", "_open_loop", "_divide_loop", "_join_loop"])
def test_machine_code_does_what_its_python_says(name, monkeypatch):
    columns, _, mask, positive, _ = problem(9, 150, 4, noise=0.1)
    expected = Forest(mask, positive, [0, 1]).extend(columns)
    monkeypatch.setattr(module, name, getattr(module, name).plain)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        assert Forest(mask, positive, [0, 1]).extend(columns) == expected
    assert len(expected[0]) > 2


def test_full_words_are_counted():
    columns = np.array([[FULL, FULL, 0], [FULL, 0, 0]], dtype=np.uint64)
    positive = np.array([FULL, 0, 0], dtype=np.uint64)
    assert best_splits(columns, np.full(3, FULL), positive, np.array([tie_order(2, 0)])) == [[0, 1]]


@given(problems, st.lists(st.integers(0, 18), max_size=2))
@settings(max_examples=examples(15), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_threads_change_nothing(room, case, cuts):
    columns, _, mask, positive, _ = case
    cuts = [*sorted(c for c in cuts if 0 < c < len(columns)), len(columns)]
    forests = [Forest(mask, positive, [0, 1, 2], Threads(threads)) for threads in (1, 2, 5)]
    grown = [[forest.extend(columns[:cut]) for cut in cuts] for forest in forests]
    assert grown[0] == grown[1] == grown[2]


def test_a_tree_as_deep_as_there_are_rows_needs_no_deep_stack():
    """One feature per row: each split takes one row away."""
    rows = 300
    bits = np.arange(rows)
    columns = np.zeros((rows, rows // 64 + 1), dtype=np.uint64)
    columns[bits, bits // 64] = np.uint64(1) << (bits % 64).astype(np.uint64)
    mask = np.bitwise_or.reduce(columns, axis=0)
    positive = np.bitwise_or.reduce(columns[::2], axis=0)
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + 100)
    try:
        last = Forest(mask, positive, [0]).extend(columns)[0][-1][1]
    finally:
        sys.setrecursionlimit(limit)
    assert formula_bits(clauses_of(last), columns, mask).tolist() == positive.tolist()


def test_trees_are_not_grown_where_memory_is_full(monkeypatch):
    columns = np.random.default_rng(0).integers(0, 2**63, (40, 64), dtype=np.uint64)
    monkeypatch.setattr(memory, "resident_memory", memory.machine_memory)
    with pytest.raises(OutOfMemory, match="growing trees would need"):
        Forest(np.full(64, FULL), columns[0] ^ columns[1], [0]).extend(columns[2:])


def test_no_trees_are_grown_without_seeds():
    """A quick fit goes without trees."""
    words = np.array([0b1111], dtype=np.uint64)
    assert Forest(words, words & np.uint64(1), seeds=[]).extend(np.array([[0b0011], [0b0101]], dtype=np.uint64)) == []
