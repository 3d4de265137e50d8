"""Loops that compute rows and add them to a table."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from shown.engine.memory import Account
from shown.engine.planes import Planes, scan_many
from shown.evaluation import loops
from shown.evaluation.distinct import Distinct
from strategies import TOKENS, examples, random_grids

OFFSETS = np.array([(r, c) for r in range(-2, 3) for c in range(-2, 3) if (r, c) != (0, 0)] + [(0, 30), (-30, 1)])


def table(mask, lowest, room):
    return (
        mask, lowest, np.zeros((64, len(mask)), np.uint64), np.zeros(64, np.uint64), np.zeros(64, bool),
        np.full(128, -1, np.int32), np.zeros(2, np.int64), room,
    )  # fmt: skip


def twice(loop, read, count, mask, lowest):
    """Return what a loop adds to a table that is full at first, and has room then."""
    found, ids, flips = table(mask, lowest, 2), np.full(count, 99, np.int32), np.zeros(count, bool)
    with np.errstate(over="ignore"):
        full = loop(*read, found, 0, ids, flips)
        assert loop(*read, (*found[:-1], 64), full, ids, flips) == full  # threads pause until there is room
        found[6][1] = 0
        end = loop(*read, (*found[:-1], 64), full, ids, flips)
    assert 0 < full < end == count
    return full, int(found[6][0]), ids.tolist(), flips.tolist(), found[2].tolist()


def test_reading_compiled_is_reading_plainly():
    rows = np.random.default_rng(0).integers(0, 4, size=(20, 3), dtype=np.uint64)
    mask = np.array([3, 3], dtype=np.uint64)
    read = rows, np.arange(20), np.arange(20) % 2, np.arange(2)
    found = [twice(loop, read, 20, mask, np.uint64(1)) for loop in (loops.add_read, loops.add_read.plain)]
    assert found[0] == found[1]


def test_a_row_looked_up_by_compiled_code_is_looked_up_plainly():
    rows = np.random.default_rng(0).integers(0, 3, size=(30, 2), dtype=np.uint64)
    mask = np.array([3, 3], dtype=np.uint64)
    numbers = []
    for look_up in (loops.look_up, loops.look_up.plain):
        found = table(mask, np.uint64(1), 5)
        with np.errstate(over="ignore"):
            numbers.append([look_up(row, found) for row in rows])
    assert numbers[0] == numbers[1]
    assert set(numbers[0]) == {loops.CONSTANT, loops.FULL, 0, 1, 2, 3, 4}


def test_scanning_compiled_is_scanning_plainly():
    world = Planes(random_grids(3, 9, most=4), TOKENS, margin=1)
    line = np.tile(world.somewhere, world.shape[1])
    arguments = OFFSETS, *np.random.default_rng(0).integers(len(world.values), size=(2, len(OFFSETS)))
    read = world.of_values, *arguments, world.inside, line, world.row_words
    count = len(OFFSETS)
    found = [
        twice(loop, read, count, world.row_mask, np.uint64(1)) for loop in (loops.add_scans, loops.add_scans.plain)
    ]
    assert found[0] == found[1]


@given(st.integers(0, 10**6), st.sampled_from([3, 70, 130]), st.integers(0, 2))
@settings(max_examples=examples(30))
def test_scans_are_those_of_the_engine(seed, count, margin):
    world = Planes(random_grids(seed, count, most=4), TOKENS, margin=margin)
    rng = np.random.default_rng(seed)
    store = world.of_values.copy()
    store[:2] = rng.integers(0, 2**64, size=store[:2].shape, dtype=np.uint64)  # nowhere and the void included
    arguments = OFFSETS[rng.integers(len(OFFSETS), size=40)], *rng.integers(len(store), size=(2, 40))
    planes = scan_many(world, store, *arguments)
    flat = planes.reshape(len(planes), -1)
    for mask, places in (
        (np.full(flat.shape[1], 2**64 - 1, np.uint64), np.arange(flat.shape[1])),
        (world.row_mask, world.row_words),
    ):
        written, fused = (Distinct(mask, Account(2**30), "rows", len(mask) < flat.shape[1]) for _ in range(2))
        ids, flips = written.add(flat, places, "")
        found = fused.add_scans(world, store, arguments, places, "")
        assert (ids.tolist(), flips.tolist()) == (found[0].tolist(), found[1].tolist())
        assert np.array_equal(fused.array, written.array)
