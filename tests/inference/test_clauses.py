"""The clause search: the obvious version, exact clauses, cheap covers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shown.columns.resources import Resources
from shown.columns.rows import Labels, labels_of
from shown.engine.threads import Threads
from shown.inference import covers as module
from shown.inference.by_row import FeaturesByRow
from shown.inference.clauses import ClauseSearch
from shown.inference.covers import CoverTable, cheapest_cover, cheapest_cover_plain, cover_plain
from shown.inference.learner import Learner
from shown.inference.trees import TreeSearch
from shown.rules.bitwise import formula_bits
from shown.worlds import demonstrate, find, load_levels
from strategies import examples


def problem(seed, features=12, words=2, open_rows=False):
    """Random columns, some rows shown, the rest ruled out or open."""
    rng = np.random.default_rng(seed)
    mask = rng.integers(1, 2**64, size=words, dtype=np.uint64)
    if open_rows:
        mask &= rng.integers(1, 2**64, size=words, dtype=np.uint64)
    columns = rng.integers(0, 2**64, size=(features, words), dtype=np.uint64) & mask
    shown = columns[0] & columns[1] & rng.integers(0, 2**64, size=words, dtype=np.uint64)
    steps = np.nonzero((shown[:, None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1))
    labels = Labels(
        mask=mask,
        positive=shown,
        word=steps[0],
        bit=steps[1],
        state=np.zeros(len(steps[0]), dtype=np.int64),
        state_of_row=np.zeros((words, 64), dtype=np.int32),
        actions=np.array([64 * words]),
        weight=np.ones(len(steps[0])),
        refused=np.zeros(words, dtype=np.uint64),
    )
    costs = rng.random(features) * 5 + 1
    order = rng.permutation(len(steps[0]))
    return columns, labels, steps[0][order], steps[1][order].astype(np.uint64), costs


def cover(columns, labels, *rest):
    features = FeaturesByRow(labels.mask)
    features.replace(columns)
    return module.cover(CoverTable.of(features, labels, Threads()), *rest)


@given(st.integers(0, 10**6), st.sampled_from([2, 5, 10, 25, 200]), st.integers(1, 3), st.booleans(), st.booleans())
@settings(max_examples=examples(60))
def test_the_compiled_search_is_the_plain_one(seed, features, words, open_rows, same_costs):
    case = problem(seed, features, words, open_rows)
    if same_costs:  # then many literals are equally good
        case = *case[:-1], np.ceil(case[-1])
    assert cover(*case) == cover_plain(*case)


@pytest.mark.parametrize("columns_by_row", [0, 1, 7, 300])
def test_features_that_are_not_by_row_are_found_in_their_columns(columns_by_row, monkeypatch):
    case = problem(5, 300)
    expected = cover(*case)
    monkeypatch.setattr(module, "ROW_BY_ROW", columns_by_row * case[0][0].nbytes)
    assert cover(*case) == expected == cover_plain(*case)
    assert expected is not None


@given(st.integers(0, 10**6), st.lists(st.integers(0, 39), min_size=1, unique=True))
@settings(max_examples=examples(60))
def test_a_cover_among_some_features_is_that_of_these_alone(seed, some):
    columns, labels, words, bits, costs = problem(seed, 40)
    among = np.array(some)
    alone = cover_plain(columns[among], labels, words, bits, costs[among])
    expected = alone and tuple(tuple((some[f], sign) for f, sign in clause) for clause in alone)
    assert cover(columns, labels, words, bits, costs, among) == expected


def test_machine_code_does_what_its_python_says(monkeypatch):
    case = problem(3, 20)
    expected = cover(*case)
    with np.errstate(over="ignore"):
        for name in ("_cover_loop", "_table_loop"):
            monkeypatch.setattr(module, name, getattr(module, name).plain)
        assert cover(*case) == expected


@given(st.integers(0, 10**6))
@settings(max_examples=examples(60))
def test_what_is_found_allows_all_that_was_shown_and_nothing_ruled_out(seed):
    columns, labels, *rest = problem(seed, 40)
    found = cover(columns, labels, *rest)
    if found is not None:
        assert np.array_equal(formula_bits(found, columns, labels.mask), labels.positive)


def test_nothing_is_found_where_columns_tell_nothing_apart():
    columns, labels, *rest = problem(1, 2)
    alike = np.broadcast_to(labels.mask, columns.shape).copy()
    assert cover(alike, labels, *rest) is None


@given(st.integers(0, 10**6), st.integers(1, 8), st.integers(1, 8))
def test_a_cover_covers_and_needs_each_of_its_parts(seed, sets, items):
    rng = np.random.default_rng(seed)
    covered = rng.random((sets, items)) < 0.4
    costs = rng.random(sets) + 0.1
    chosen, asked = cheapest_cover(covered, costs, costs), costs * np.exp(rng.standard_normal(sets))
    assert chosen == cheapest_cover_plain(covered, costs, costs)
    assert cheapest_cover(covered, costs, asked) == cheapest_cover_plain(covered, costs, asked)
    if chosen is None:
        assert not covered.any(axis=0).all()
        return
    assert covered[chosen].any(axis=0).all()
    for k in chosen:
        others = [j for j in chosen if j != k]
        assert not covered[others].any(axis=0).all()


@pytest.mark.parametrize("name", ["nim", "fence-in", "checkmate"])
def test_its_formulas_are_exact_and_no_dearer_than_the_trees(name):
    game = find(name)
    demos = demonstrate(game, load_levels(game, "train:0-3"))
    trees = Learner(programs=3000).fit(demos)
    learner = Learner(programs=3000, search="clauses").fit(demos)
    assert learner.formulas_[0].score >= trees.formulas_[0].score
    labels = labels_of(learner._fitting.rows, demos.steps)
    for candidate in learner.formulas_:
        allowed = formula_bits(candidate.clauses, learner.features_.columns, labels.mask)
        assert labels.shows(allowed).all()


def test_the_same_seed_proposes_the_same():
    game = find("nim")
    demos = demonstrate(game, load_levels(game, "train:0-3"))
    learner = Learner(programs=1000).fit(demos)
    labels = labels_of(learner._fitting.rows, demos.steps)
    found = [
        list(
            ClauseSearch(labels, TreeSearch(labels, 2, 0), seed).propose(learner.features_, learner.features_.log_prior)
        )
        for seed in (1, 1, 2)
    ]
    assert found[0] == found[1]


def test_formulas_share_their_clauses():
    """Each formula waiting for its score had clauses of its own."""
    demos = demonstrate(find("fence-in"), "train:0-1")
    learner = Learner(programs=1000).fit(demos)
    labels, features = labels_of(learner._fitting.rows, demos.steps), learner.features_
    search = ClauseSearch(labels, TreeSearch(labels, 3, 0), 0)
    clauses = [clause for formula in search.propose(features, features.log_prior) for clause in formula]
    assert len(clauses) > len({id(clause) for clause in clauses}) == len(set(clauses))


@pytest.mark.parametrize("threads", [2, 3, 7])
def test_clauses_do_not_depend_on_the_number_of_threads(threads):
    shown = demonstrate(find("fence-in"), "train:0-1")
    one, several = (
        Learner(programs=1000, search="clauses", resources=Resources(threads=count)).fit(shown).policy_
        for count in (1, threads)
    )
    assert several.components == one.components
