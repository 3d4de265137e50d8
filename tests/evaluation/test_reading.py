"""Programs read from planes a shift away."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from shown.engine.memory import Account
from shown.engine.planes import Planes, at_first_many, shift_many
from shown.evaluation import reading
from shown.evaluation.distinct import Distinct
from strategies import TOKENS, examples, random_grids

OFFSETS = np.array([[0, 0], [0, 1], [-2, 1], [2, -2]])


@given(st.integers(0, 10**6), st.sampled_from([3, 70]))
@settings(max_examples=examples(20))
def test_a_shifted_condition_is_read_from_the_plane_of_the_condition(seed, count):
    world = Planes(random_grids(seed, count, most=4), TOKENS, margin=2)
    rng = np.random.default_rng(seed)
    store, flat = world.of_values, world.of_values.reshape(len(world.values), -1)
    offsets, conditions = OFFSETS[rng.integers(len(OFFSETS), size=9)], rng.integers(len(store), size=9)
    shifts, values = reading.shifts_of(world, offsets), np.arange(len(store))
    planes = shift_many(world, store, offsets, conditions)
    expected = at_first_many(world, planes, np.repeat(values, 9), np.tile(np.arange(9), len(values)))
    assert np.array_equal(reading.at_first_shifted(world, flat, values, conditions, shifts), expected)
    written, read = (Distinct(world.row_mask, Account(2**30), "rows", up_to_negation=True) for _ in range(2))
    ids, flips = written.add(*world.words_of_rows(planes), "")
    again = read.add(flat, world.row_words, "", conditions, shifts)
    assert (ids.tolist(), flips.tolist()) == (again[0].tolist(), again[1].tolist())
    assert np.array_equal(read.array, written.array)


def test_the_compiled_loop_is_the_plain_one():
    world = Planes(random_grids(1, 3, most=3), TOKENS, margin=2)
    flat, conditions = world.of_values.reshape(len(world.values), -1), np.array([0, 1])
    shifts, values = reading.shifts_of(world, OFFSETS[1:3]), np.array([1, 0])
    results = [np.empty((2, 2, world.shape[2]), np.uint64) for _ in range(2)]
    for loop, out in zip((reading._at_first_loop, reading._at_first_loop.plain), results, strict=True):
        with np.errstate(over="ignore"):
            loop(flat, values, conditions, shifts, *world.first_reads, out)
    assert np.array_equal(*results)


def test_shifts_beyond_the_frame_are_none():
    world = Planes(random_grids(1, 3, most=3), TOKENS, margin=1)
    assert reading.shifts_of(world, OFFSETS[:2]).tolist() == [0, 1]
    assert reading.shifts_of(world, OFFSETS) is None
