"""Features by row: the obvious version, tiles, and the order of the rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shown.engine.threads import Threads
from shown.inference import by_row as module
from shown.inference.by_row import FeaturesByRow, sorted_rows
from strategies import examples


def unpacked(bits):
    return np.unpackbits(np.ascontiguousarray(bits).view(np.uint8), axis=-1, bitorder="little")


def values(tile, rows):
    """The values of features on rows. [n, F]"""
    return unpacked(tile.T)[:, :rows].T


def problem(seed, features, words):
    rng = np.random.default_rng(seed)
    columns = rng.integers(0, 2**64, size=(features, words), dtype=np.uint64)
    return columns, rng.integers(0, 2**64, size=words, dtype=np.uint64)


def turned(columns, mask):
    features = FeaturesByRow(mask)
    features.replace(columns)
    return features


problems = st.builds(problem, st.integers(0, 10**6), st.sampled_from([1, 2, 63, 64, 70, 600]), st.integers(1, 4))


@given(problems, st.sampled_from([1, 3]))
@settings(max_examples=examples(40))
def test_each_row_has_its_values_in_all_features(case, threads):
    columns, mask = case
    features = turned(columns, mask)
    assert sorted(features.rows.tolist()) == np.flatnonzero(unpacked(mask)).tolist()
    assert np.array_equal(
        values(features.whole(Threads(threads)), len(features.rows)), unpacked(columns)[:, features.rows].T
    )


@given(problems)
@settings(max_examples=examples(40))
def test_packed_bits_are_those_of_the_rows(case):
    columns, mask = case
    features = turned(columns, mask)
    packed = unpacked(features.packed(columns[0]))
    assert np.array_equal(packed[: len(features.rows)], unpacked(columns[0])[features.rows])
    assert not packed[len(features.rows) :].any()


@given(problems)
@settings(max_examples=examples(40))
def test_rows_are_sorted_by_the_first_features(case):
    columns, mask = case
    seen = unpacked(columns)[:, sorted_rows(mask, columns)].T.tolist()
    assert seen == sorted(seen)


@pytest.fixture(params=[(2**30, 2**23), (2**30, 1), (1, 1)], ids=["one tile", "several tiles", "too many for memory"])
def room(request, monkeypatch):
    for name, size in zip(("ROW_BY_ROW", "SMALL_TILE"), request.param, strict=True):
        monkeypatch.setattr(module, name, size)


@pytest.mark.usefixtures("room")
def test_tiles_have_all_features_also_where_more_come():
    columns, mask = problem(0, 200, 3)
    features, threads = turned(columns[:70], mask), Threads()
    assert sum(tile.shape[1] for _, tile in features.tiles(0, threads)) == 70
    features.replace(columns)
    expected = unpacked(columns)[:, features.rows].T
    for seen in (0, 70, 199):
        covered = set()
        for first, tile in features.tiles(seen, threads):
            covered |= set(range(first, first + tile.shape[1]))
            assert np.array_equal(values(tile, len(features.rows)), expected[:, first : first + tile.shape[1]])
        assert covered >= set(range(seen, 200))
    numbers = np.array([0, 5, 69, 70, 150, 199])
    tile, places = features.some(numbers, threads)
    assert np.array_equal(values(tile[:, places], len(features.rows)), expected[:, numbers])
    assert np.array_equal(values(features.whole(threads), len(features.rows)), expected)


def test_there_may_be_no_rows_and_no_features():
    columns, mask = problem(0, 10, 2)
    assert turned(columns, np.zeros_like(mask)).whole(Threads()).shape == (0, 10)
    empty = turned(columns[:0], mask)
    assert empty.whole(Threads()).shape == (len(empty.packed(mask)), 0)
    assert list(empty.tiles(0, Threads())) == []


def test_machine_code_does_what_its_python_says(monkeypatch):
    columns, mask = problem(3, 70, 2)
    expected = turned(columns, mask).whole(Threads())
    monkeypatch.setattr(module, "_turn_loop", module._turn_loop.plain)
    assert np.array_equal(turned(columns, mask).whole(Threads()), expected)
