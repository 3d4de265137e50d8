"""Rows of words, each kept once."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from shown.columns import distinct as module
from shown.columns.distinct import CONSTANT, Distinct
from shown.engine.memory import Memory
from shown.engine.threads import Threads
from strategies import examples


def store(mask, up_to_negation=True):
    return Distinct(mask, Memory(2**30), "rows", up_to_negation)


@given(st.integers(0, 10**6), st.integers(1, 3), st.lists(st.integers(1, 30), min_size=1, max_size=4), st.booleans())
def test_equal_rows_get_one_number(seed, words, sizes, up_to_negation):
    rng = np.random.default_rng(seed)
    mask = rng.integers(1, 2**64, size=words, dtype=np.uint64)
    kinds = rng.integers(0, 2**64, size=(6, words), dtype=np.uint64) & mask
    kinds[0] = 0
    found = store(mask, up_to_negation)
    number = {}
    for size in sizes:
        rows = kinds[rng.integers(6, size=size)] ^ (mask * rng.integers(0, 2, size=(size, 1), dtype=np.uint64))
        ids, flips = found.add(rows, np.arange(words))
        for row, k, flip in zip(rows, ids.tolist(), flips.tolist(), strict=True):
            kept = row ^ mask if flip else row
            key = kept.tobytes()
            if up_to_negation and not kept.any():
                assert k == CONSTANT
            else:
                assert number.setdefault(key, k) == k
                assert np.array_equal(found.array[k], kept)
    assert sorted(number.values()) == list(range(len(found)))


def test_rows_are_read_at_their_places_and_only_where_the_mask_is():
    mask = np.array([0b011, 0b110], dtype=np.uint64)
    found = store(mask)
    ids, flips = found.add(np.array([[7, 0b100, 0b010], [9, 0b011, 0b101]], dtype=np.uint64), np.array([2, 1]))
    assert found.array.tolist() == [[0b010, 0b100], [0b010, 0b100]][: len(found)]
    assert ids.tolist() == [0, 0]
    assert flips.tolist() == [False, True]


def test_settling_numbers_rows_as_they_are_named_with_the_sign_met_first():
    mask = np.array([0b1111], dtype=np.uint64)
    found = store(mask)
    ids, flips = found.add(np.array([[0b0010], [0b0100], [0b0111]], dtype=np.uint64), np.arange(1))
    assert (ids.tolist(), flips.tolist()) == ([0, 1, 2], [False, False, True])
    numbers = found.settle(0, np.array([2, 0, 2], dtype=np.int32), np.array([True, False, False]))
    assert numbers.tolist() == [1, 2, 0]
    assert found.array.tolist() == [[0b0111], [0b0010], [0b0100]]
    assert found.turned.tolist() == [True, False, False]
    again, _ = found.add(np.array([[0b1000], [0b0111], [0b0010], [0b0100]], dtype=np.uint64), np.arange(1))
    assert again.tolist() == [0, 0, 1, 2]


@given(st.integers(0, 10**6), st.integers(1, 40), st.integers(1, 3), st.integers(1, 4))
def test_rows_are_reordered_in_place(seed, count, words, parts):
    rng = np.random.default_rng(seed)
    mask = rng.integers(0, 2**64, size=words, dtype=np.uint64)
    rows = rng.integers(0, 2**64, size=(count, words), dtype=np.uint64) & mask
    order, negated = rng.permutation(count), rng.random(count) < 0.5
    if seed % 2:  # few rows move
        order = np.arange(count)
        order[: count // 3] = rng.permutation(count // 3)
    expected = rows[order]
    expected[negated] ^= mask
    threads = Threads(parts)
    module.reorder(rows, order, negated, mask, threads)
    threads.close()
    assert np.array_equal(rows, expected)


def test_what_is_forgotten_takes_no_memory():
    memory = Memory(2**30)
    found = Distinct(np.array([2**64 - 1], dtype=np.uint64), memory, "rows")
    found.add(np.array([[5], [6], [5]], dtype=np.uint64), np.arange(1))
    assert memory.held > 0
    found.forget()
    assert (memory.held, len(found)) == (0, 0)
    assert found.add(np.array([[6], [5]], dtype=np.uint64), np.arange(1))[0].tolist() == [0, 1]


def test_rows_with_the_same_mix_are_still_told_apart():
    mask = np.array([2**64 - 1], dtype=np.uint64)
    found = store(mask, up_to_negation=False)
    found.add(np.array([[5]], dtype=np.uint64), np.arange(1))
    found._mixes[0] = 12345  # as if it were another row's
    found._table[:] = 0
    found._table[1:] = -1
    rows = np.array([[77], [78]], dtype=np.uint64)
    ids, _ = found.add(rows, np.arange(1))
    assert ids.tolist() == [1, 2]


@given(st.integers(0, 10**6), st.integers(1, 40))
@settings(max_examples=examples(10))
def test_threads_may_add_at_once(seed, words):
    rng = np.random.default_rng(seed)
    mask = np.full(words, 2**64 - 1, dtype=np.uint64)
    kinds = rng.integers(0, 2**64, size=(400, words), dtype=np.uint64)
    pieces = [kinds[rng.integers(400, size=200)] for _ in range(16)]
    found, threads = store(mask), Threads(4)
    added = threads.map(lambda piece: found.add(piece, np.arange(words)), pieces)
    threads.close()
    kept = {(row ^ mask if row[0] & np.uint64(1) else row).tobytes() for piece in pieces for row in piece}
    assert {row.tobytes() for row in found.array} == kept
    assert len(found) == len(kept)
    for piece, (ids, flips) in zip(pieces, added, strict=True):
        assert np.array_equal(found.array[ids] ^ (mask * flips[:, None].astype(np.uint64)), piece)
