"""Bit planes agree with evaluation cell by cell."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shown.engine import planes
from shown.engine.planes import Planes, pack, scan_many, shift, shift_many
from shown.grid import OFF, Tokens, grid
from shown.language.kernels import run_many
from shown.language.primitives import LANGUAGE
from shown.language.reach import margin_for
from shown.language.reference import NOWHERE, View, check
from shown.language.terms import Term
from strategies import BUTTONS, TOKENS, conditions, examples, grids, offsets, random_grids

batches = st.one_of(
    st.lists(grids(), min_size=1, max_size=4),
    st.builds(random_grids, st.integers(0, 10**6), st.sampled_from([61, 62, 63, 64, 65, 127, 140])),
)
"""A few states, exactly one full word, or two or three words."""


def bit(array, slot):
    """The bit of one state. [..., words] → [...] bool"""
    return (array[..., slot // 64] >> np.uint64(slot % 64)) & np.uint64(1) == 1


def plane_of(condition, world):
    """The plane of a condition by the kernels, part by part."""
    store = np.stack([plane_of(part, world) for part in condition.parts] or [world.inside])
    places = iter(range(len(store)))

    def code(argument):
        if isinstance(argument, Term):
            return next(places)
        return world.values.index(argument) if isinstance(argument, str) else argument

    codes = [np.array([code(argument)]) for argument in condition.arguments]
    return run_many(world, LANGUAGE[condition.primitive], codes, store)[0]


@given(batches, st.integers(0, 2))
def test_values_are_where_they_are(states, margin):
    world = Planes(states, TOKENS, margin=margin)
    for state, board in enumerate(states):
        seen = {value: bit(world.of_value(value), int(world.slot[state])) for value in world.values}
        view = View(board, TOKENS)
        for r in range(-margin, world.shape[0] - margin):
            for c in range(-margin, world.shape[1] - margin):
                here = [value for value in world.values if seen[value][r + margin, c + margin]]
                assert here == [view.value((r, c))]


@given(batches)
def test_no_two_states_share_a_bit(states):
    world = Planes(states, TOKENS)
    assert len(set(world.slot.tolist())) == len(states)
    assert int(np.bitwise_count(world.real).sum()) == len(states)
    assert all(bit(world.real, slot) for slot in world.slot.tolist())


@given(batches)
def test_every_click_has_a_row_of_its_own(states):
    world = Planes(states, TOKENS, margin=1)
    rows = {world.row(s, cell) for s, board in enumerate(states) for cell in board.cells()}
    assert len(rows) == sum(board.height * board.width for board in states)
    assert len(rows) == int(np.bitwise_count(world.row_mask).sum())
    assert all(int(world.row_mask[word]) >> place & 1 for word, place in rows)


@given(batches)
def test_every_button_has_a_row_of_its_own_in_every_state(states):
    world = Planes(states, TOKENS, BUTTONS)
    rows = {world.row(s, name) for s in range(len(states)) for name in BUTTONS}
    assert len(rows) == len(states) * len(BUTTONS) == int(np.bitwise_count(world.row_mask).sum())
    for name in BUTTONS:
        column = world.columns(world.of_button(name)[None])[0]
        assert {
            (s, other)
            for s in range(len(states))
            for other in BUTTONS
            for word, place in [world.row(s, other)]
            if int(column[word]) >> place & 1
        } == {(s, name) for s in range(len(states))}


@given(batches, conditions())
@settings(max_examples=examples(60))
def test_kernels_mean_what_the_reference_means(states, condition):
    world = Planes(states, TOKENS, margin=margin_for([condition], LANGUAGE, []))
    plane = plane_of(condition, world)
    margin = world.margin
    for state in np.linspace(0, len(states) - 1, num=min(len(states), 12)).astype(int).tolist():
        board = states[state]
        here = bit(plane, int(world.slot[state]))
        expected = [check(condition, View(board, TOKENS), cell, LANGUAGE) for cell in board.cells()]
        found = [bool(here[r + margin, c + margin]) for r, c in board.cells()]
        assert found == expected


@given(grids(), conditions())
def test_the_last_bit_is_what_a_condition_says_nowhere(board, condition):
    plane = plane_of(condition, Planes([board], TOKENS, margin=margin_for([condition], LANGUAGE, [])))
    expected = check(condition, View(board, TOKENS), NOWHERE, LANGUAGE)
    assert np.all(bit(plane, plane.shape[2] * 64 - 1) == expected)


@given(grids(), conditions())
def test_the_last_bit_but_one_is_what_it_says_far_out(board, condition):
    plane = plane_of(condition, Planes([board], TOKENS, margin=margin_for([condition], LANGUAGE, [])))
    expected = check(condition, View(board, TOKENS), (-1000, 1000), LANGUAGE)
    assert np.all(bit(plane, plane.shape[2] * 64 - 2) == expected)


# --- the compiled loops against NumPy ---------------------------------------------------------------------------------


@st.composite
def stores(draw):
    """A world, some planes in it, and several tuples of arguments."""
    states = draw(batches)
    world = Planes(states, TOKENS, margin=draw(st.integers(0, 3)))
    chosen = draw(st.lists(conditions(most=4), min_size=1, max_size=4))
    store = np.stack([plane_of(condition, world) for condition in chosen])
    some = st.lists(
        st.tuples(offsets(4), st.integers(0, len(chosen) - 1), st.integers(0, len(chosen) - 1)), min_size=1, max_size=4
    )
    return world, store, draw(some)


@given(stores())
def test_compiled_shifts_are_shifts(case):
    world, store, tuples = case
    ways, whats, _ = zip(*tuples, strict=True)
    found = shift_many(world, store, np.array(ways), np.array(whats))
    assert np.array_equal(found, [shift(world, way, store[what]) for way, what in zip(ways, whats, strict=True)])


@given(stores())
@settings(max_examples=examples(15))
def test_machine_code_does_what_its_python_says(case):
    world, store, tuples = case
    ways, untils, unlesses = (np.array(x) for x in zip(*tuples, strict=True))
    with np.errstate(over="ignore"):
        out = np.empty((len(tuples), *world.shape), dtype=np.uint64)
        planes._shift_loop.plain(store, ways, untils, out)
        assert np.array_equal(out, shift_many(world, store, ways, untils))
        lines = (planes.in_lines(each) for each in (store, world.inside, out))
        planes._scan_loop.plain(*lines, world.somewhere, ways, untils, unlesses)
        assert np.array_equal(out, scan_many(world, store, ways, untils, unlesses))


@given(stores(), st.data())
@settings(max_examples=examples(30))
def test_columns_are_the_results_on_the_rows(case, data):
    world, store, _ = case
    chosen = np.array(data.draw(st.lists(st.integers(0, len(store) - 1), min_size=1, max_size=4)))
    columns, order = np.zeros((len(chosen), len(world.row_words)), np.uint64), np.arange(len(chosen))[::-1].copy()
    world.fill_columns(columns, order, store, chosen)
    expected = store.reshape(len(store), -1)[:, world.row_words] & world.row_mask
    assert np.array_equal(columns, expected[chosen[::-1]])
    assert np.array_equal(world.columns(store), expected)


# --- by hand ----------------------------------------------------------------------------------------------------------


def test_a_plane_by_hand():
    world = Planes([grid(".#"), grid("#")], TOKENS)
    assert world.shape == (1, 2, 1)
    wall = world.of_value("wall")
    assert [bit(wall, int(world.slot[0])).tolist(), bit(wall, int(world.slot[1])).tolist()] == [
        [[False, True]],
        [[True, False]],
    ]
    assert bit(world.of_value(OFF), int(world.slot[1])).tolist() == [[False, True]]


def test_the_first_cell_with_each_value():
    world = Planes([grid("..", "A#"), grid("*")], TOKENS)
    assert world.first.tolist() == [[0, -1], [3, -1], [2, -1], [-1, 0], [-1, -1]]


@pytest.mark.parametrize("states", [1, 62, 63, 126, 127])
def test_two_bits_are_kept_for_states_that_are_not_real(states):
    world = Planes([grid(".")] * states, TOKENS)
    assert world.shape[2] == (states + 2 + 63) // 64
    assert int(world.slot.max()) < world.shape[2] * 64 - 2


def test_bits_are_packed_from_the_lowest():
    bits = np.zeros((128, 2), dtype=bool)
    bits[[0, 3, 64], 0] = True
    bits[127, 1] = True
    assert pack(bits).tolist() == [[0b1001, 1], [0, 2**63]]


def test_more_values_than_a_byte_can_count():
    many = Tokens(**{f"t{i}": chr(0x4E00 + i) for i in range(300)})
    board = grid("".join(many))
    world = Planes([board], many)
    assert all(
        bit(world.of_value(name), 0).tolist() == [[i == k for k in range(300)]] for i, name in enumerate(many.names)
    )
    assert world.first[:300, 0].tolist() == list(range(300))


def test_bytes_of_a_plane():
    world = Planes([grid("...")] * 70, Tokens(empty="."), margin=2)
    assert world.bytes_per_plane == 5 * 7 * 2 * 8 == world.of_value("empty").nbytes
