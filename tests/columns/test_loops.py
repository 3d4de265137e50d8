"""Loops that compute rows and add them to a table."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from shown.columns import loops
from shown.columns.distinct import Distinct
from shown.columns.evaluator import Evaluator
from shown.engine.memory import Memory
from shown.engine.planes import Planes, at_first_many, scan_many, shift_many
from shown.engine.threads import Threads
from shown.language.primitives import LANGUAGE
from strategies import TOKENS, examples, random_grids

OFFSETS = np.array([(r, c) for r in range(-2, 3) for c in range(-2, 3) if (r, c) != (0, 0)] + [(0, 30), (-30, 1)])


SHIFTS = np.array([[0, 0], [0, 1], [-2, 1], [2, -2]])


def table(mask, lowest, room):
    return (
        mask, lowest, np.zeros((64, len(mask)), np.uint64), np.zeros(64, np.uint64), np.zeros(64, bool),
        np.full(128, -1, np.int32), np.zeros(loops.LACKS_ROOM + 1, np.int64), room,
    )  # fmt: skip


def twice(loop, read, count, mask, lowest):
    """Return what a loop adds to a table that is full at first, and has room then."""
    found, ids, flips = table(mask, lowest, 2), np.full(count, loops.FULL, np.int32), np.zeros(count, bool)
    counter = found[6]

    def run(room):
        loop((*found[:-1], room), *read, np.zeros(1, np.int64), 7, ids, flips)
        return (ids != loops.FULL).sum()

    with np.errstate(over="ignore"):
        full = run(2)
        assert counter[loops.LACKS_ROOM]
        assert run(64) == full  # threads pause until there is room
        counter[loops.LACKS_ROOM] = 0
        assert 0 < full < run(64) == count
    return int(full), int(counter[0]), ids.tolist(), flips.tolist(), found[2].tolist()


def compiled_and_plain(loop, read, count, mask, lowest=1):
    return [twice(each, read, count, mask, np.uint64(lowest)) for each in (loop, loop.plain)]


def test_reading_compiled_is_reading_plainly():
    rows = np.random.default_rng(0).integers(0, 4, size=(20, 3), dtype=np.uint64)
    mask = np.array([3, 3], dtype=np.uint64)
    read = rows, np.arange(20), np.arange(20) % 2, np.arange(2)
    found = compiled_and_plain(loops.add_read, read, 20, mask)
    assert found[0] == found[1]


def test_first_cells_compiled_are_first_cells_plainly():
    world = Planes(random_grids(1, 9, most=4), TOKENS, margin=2)
    flat, rng = world.of_values.reshape(len(world.values), -1), np.random.default_rng(0)
    values, conditions = rng.integers(len(flat), size=(2, 30))
    shifts = evaluator(world)._shifts(SHIFTS[rng.integers(len(SHIFTS), size=30)])
    found = compiled_and_plain(
        loops.add_firsts, (flat, values, conditions, shifts, *world.first_reads), 30, world.real, 0
    )
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
    flat = world.of_values.reshape(len(world.values), -1)
    read = flat, *arguments, world.shape, world.inside.reshape(-1), line, world.row_words
    found = compiled_and_plain(loops.add_scans, read, len(OFFSETS), world.row_mask)
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
        written, fused = (Distinct(mask, Memory(2**30), "rows", len(mask) < flat.shape[1]) for _ in range(2))
        ids, flips = written.add(flat, places)
        found = fused.add_scans(world, store, arguments, places)
        assert (ids.tolist(), flips.tolist()) == (found[0].tolist(), found[1].tolist())
        assert np.array_equal(fused.array, written.array)


@given(st.integers(0, 10**6), st.sampled_from([3, 70]))
@settings(max_examples=examples(20))
def test_a_shifted_condition_is_read_from_the_plane_of_the_condition(seed, count):
    world = Planes(random_grids(seed, count, most=4), TOKENS, margin=2)
    rng = np.random.default_rng(seed)
    store, flat = world.of_values, world.of_values.reshape(len(world.values), -1)
    offsets, conditions = SHIFTS[rng.integers(len(SHIFTS), size=9)], rng.integers(len(store), size=9)
    shifts, values = evaluator(world)._shifts(offsets), np.arange(len(store))
    planes = shift_many(world, store, offsets, conditions)
    written, read = (Distinct(world.row_mask, Memory(2**30), "rows", up_to_negation=True) for _ in range(2))
    ids, flips = written.add(*world.words_of_rows(planes))
    again = read.add(flat, world.row_words, conditions, shifts)
    assert (ids.tolist(), flips.tolist()) == (again[0].tolist(), again[1].tolist())
    assert np.array_equal(read.array, written.array)

    values, chosen = np.repeat(values, 9), np.tile(np.arange(9), len(values))
    written, read = (Distinct(world.real, Memory(2**30), "rows") for _ in range(2))
    ids, _ = written.add(at_first_many(world, planes, values, chosen), np.arange(world.shape[2]))
    again, _ = read.add_firsts(world, store, values, conditions[chosen], shifts[chosen])
    assert ids.tolist() == again.tolist()
    assert np.array_equal(read.array, written.array)


@given(st.integers(0, 10**6), st.integers(2, 5))
@settings(max_examples=examples(10))
def test_threads_that_share_rows_find_the_rows_of_one_thread(seed, count):
    rng = np.random.default_rng(seed)
    kinds = rng.integers(0, 2**64, size=(900, 40), dtype=np.uint64)
    rows = kinds[rng.integers(900, size=5000)]
    mask, threads = np.full(40, 2**64 - 1, dtype=np.uint64), Threads(count)
    alone, shared = (Distinct(mask, Memory(2**30), "rows", up_to_negation=True) for _ in range(2))
    expected = alone.add(rows, np.arange(40))
    ids, flips = shared.add(rows, np.arange(40), threads=threads)
    threads.close()
    assert np.array_equal(alone.array[expected[0]], shared.array[ids])
    assert np.array_equal(expected[1], flips)
    assert len(alone) == len(shared)


def test_shifts_beyond_the_frame_are_none():
    world = Planes(random_grids(1, 3, most=3), TOKENS, margin=1)
    assert evaluator(world)._shifts(SHIFTS[:2]).tolist() == [0, 1]
    assert evaluator(world)._shifts(SHIFTS) is None


def evaluator(world):
    return Evaluator(world, LANGUAGE, Memory(2**30))
