"""Primitives that count: kernels, English and images agree with the meaning."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shown.engine import counts
from shown.engine.planes import Planes
from shown.errors import BadProgram
from shown.grid import AREAS, Tokens, grid
from shown.language.kernels import run_cell_by_cell, run_many
from shown.language.phrases import say
from shown.language.primitives import Language
from shown.language.primitives.counting import cells_in
from shown.language.reach import Reach, reach_of
from shown.language.reference import View, check, run
from shown.language.standard import STANDARD
from shown.language.terms import Kind, Term, parse
from shown.symmetry import MOTIONS, Transformation, of_action, of_grid, of_term
from strategies import BUTTONS, agree, both_ways, examples, grids, is_exact, offsets, random_grids

DIGITS = Tokens(empty=".", wall="#", one="1", two="2")
ROADS = {
    "compiled": STANDARD,
    "cell by cell": Language([replace(primitive, many=None, kernel=None) for primitive in STANDARD.values()]),
}

numbers, areas = st.integers(-1, 6), st.sampled_from(AREAS)


def made(name, *arguments):
    return st.tuples(*arguments).map(lambda chosen: Term(name, chosen))


conditions = st.recursive(
    st.sampled_from(DIGITS.values).map(lambda value: Term("cell_is_value", (value,))),
    lambda inner: st.one_of(
        made("at_least", numbers, areas, inner),
        made("as_many", areas, inner),
        made("in_a_line", numbers, areas, inner),
        made("both", inner, inner),
        made("but_not", inner, inner),
        made("shifted", offsets(2), inner),
        made("scanning", offsets(2), inner, inner),
    ),
    max_leaves=3,
)
without_the_action = st.one_of(
    made("grid_has", numbers, conditions),
    made("at_cell_with_value", st.sampled_from(DIGITS.values), conditions),
)
programs = st.one_of(made("at_action_cell", conditions), without_the_action)


@pytest.mark.parametrize("road", ROADS)
@given(terms=st.lists(programs, min_size=1, max_size=3), states=st.lists(grids(DIGITS, 4), min_size=1, max_size=2))
@settings(max_examples=examples(120), deadline=None)
def test_every_road_agrees_with_the_meaning(road, terms, states):
    if road == "cell by cell":
        terms, states = terms[:1], states[:1]
    agree(terms, states, ROADS[road], DIGITS)


@given(st.lists(programs, min_size=1, max_size=3), st.integers(0, 10**6), st.sampled_from([63, 65, 130]))
@settings(max_examples=examples(25), deadline=None)
def test_batches_of_several_words_agree(terms, seed, count):
    agree(terms, random_grids(seed, count, DIGITS, 4), STANDARD, DIGITS)


@given(terms=st.lists(without_the_action, min_size=1, max_size=3), states=st.lists(grids(DIGITS), max_size=2))
@settings(max_examples=examples(60), deadline=None)
def test_worlds_with_buttons_agree(terms, states):
    agree(terms, states, STANDARD, DIGITS, BUTTONS)


@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (9, 1), (7, 3)])
@pytest.mark.parametrize("margin", [0, 2])
def test_the_compiled_loops_equal_the_meanings_in_every_state(shape, margin):
    rng = np.random.default_rng(7)
    world = Planes([*random_grids(3, 5, DIGITS, 3), grid(*["." * shape[1]] * shape[0])], DIGITS, (), margin)
    store = rng.integers(0, 2**64 - 1, (2, *world.shape), dtype=np.uint64, endpoint=True)
    chosen = [(n, a, p) for n in (-1, 0, 1, 2, 3, 5, 7, 99) for a in range(len(AREAS)) for p in range(2)]
    for name in ("at_least", "in_a_line", "as_many"):
        start = 1 if name == "as_many" else 0
        found = run_many(
            world, STANDARD[name], [np.array(codes) for codes in list(zip(*chosen, strict=True))[start:]], store
        )
        for i, (n, a, p) in enumerate(chosen):
            expected = run_cell_by_cell(world, STANDARD[name], [n, AREAS[a], store[p]][start:])
            assert np.array_equal(found[i] & world.real, expected & world.real), (name, n, AREAS[a])


@given(st.integers(0, 70), st.lists(st.integers(-2, 300), min_size=1))
def test_a_count_is_compared_as_a_number_is(number, others):
    count = np.array([0 if not number >> k & 1 else 2**64 - 1 for k in range(7)], dtype=np.uint64)
    found = counts.reaches(np.tile(count[:, None, None], (1, len(others), 1)), np.array(others))
    assert found[:, 0].tolist() == [2**64 - 1 if number >= other else 0 for other in others]


# --- meaning ---------------------------------------------------------------------------------------------------------

BOARD = grid("#.#.", ".1.#", "..2.")
VIEW = View(BOARD, DIGITS)


def says(text, cell, board=BOARD):
    return check(parse(text, STANDARD, DIGITS.values, kind=Kind.CONDITION), View(board, DIGITS), cell, STANDARD)


def test_areas():
    assert cells_in(VIEW, (1, 1), "row") == [(1, 0), (1, 1), (1, 2), (1, 3)]
    assert cells_in(VIEW, (1, 1), "column") == [(0, 1), (1, 1), (2, 1)]
    assert cells_in(VIEW, (1, 1), "diagonals") == [(0, 0), (0, 2), (1, 1), (2, 0), (2, 2)]
    assert len(cells_in(VIEW, (1, 1), "lines")) == 4 + 3 + 5 - 2
    assert cells_in(VIEW, (2, 3), "sides") == [(1, 3), (2, 2)]
    assert len(cells_in(VIEW, (1, 1), "neighbors")) == 8
    assert cells_in(VIEW, (-1, 0), "sides") == [(0, 0)]
    assert cells_in(VIEW, (1, -5), "row") == cells_in(VIEW, (1, 1), "row")
    assert all(cells_in(VIEW, None, area) == [] for area in AREAS)


def test_the_edge_of_the_grid_is_not_counted():
    assert not says("at_least(1, neighbors, cell_is_value(OFF))", (0, 0))


def test_without_digits_no_number_says_how_many():
    world = Planes([grid("#.", ".#")], Tokens(empty=".", wall="#"), (), 2)
    found = run_many(world, STANDARD["as_many"], [np.array([0]), np.array([0])], world.of_values)
    assert not found.any()


def test_a_number_says_how_many():
    assert not says("as_many(neighbors, cell_is_value(wall))", (1, 1))
    assert says("as_many(sides, cell_is_value(one))", (1, 1)) is False
    assert says("as_many(neighbors, cell_is_value(wall))", (1, 0), grid("#.", "1.", ".."))
    assert not says("as_many(neighbors, cell_is_value(wall))", (1, 0), grid("##", "1.", ".."))
    assert says("as_many(neighbors, cell_is_value(wall))", (1, 0), grid("##", "2.", ".."))
    assert not says("as_many(neighbors, cell_is_value(wall))", (1, 1), grid("##", "1.", ".."))


@pytest.mark.parametrize(
    ("board", "cell", "makes"),
    [
        (grid("###."), (0, 3), True),
        (grid("##.#"), (0, 2), True),
        (grid("##.."), (0, 2), False),
        (grid("##..#"), (0, 2), False),
        (grid("#...", ".#..", "....", "...#"), (2, 2), True),
        (grid("...#", "..#.", ".#..", "...."), (3, 0), True),
        (grid("#", "#", "#", "."), (3, 0), True),
        (grid("###"), (0, 3), False),  # no piece can be off the grid
    ],
)
def test_a_piece_played_here_makes_four(board, cell, makes):
    assert says("in_a_line(4, lines, cell_is_value(wall))", cell, board) == makes


def test_a_line_is_along_its_area():
    assert says("in_a_line(3, row, cell_is_value(wall))", (0, 1), grid("#.#"))
    assert not says("in_a_line(3, column, cell_is_value(wall))", (0, 1), grid("#.#"))
    assert not says("in_a_line(4, neighbors, cell_is_value(wall))", (0, 1), grid("#.##"))
    assert says("in_a_line(3, neighbors, cell_is_value(wall))", (0, 1), grid("#.##"))


def test_none_of_them_looks_off_the_grid():
    term = parse("at_action_cell(at_least(2, lines, in_a_line(9, row, cell_is_value(wall))))", STANDARD, DIGITS.values)
    assert reach_of([term], STANDARD) == Reach()


# --- words -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("program", "said"),
    [
        (
            "at_action_cell(at_least(1, neighbors, cell_is_value(wall)))",
            "there is [a|no] wall around the clicked cell",
        ),
        (
            "at_action_cell(at_least(3, row, cell_is_value(wall)))",
            "there are [at least|fewer than] 3 walls in the row of the clicked cell",
        ),
        (
            "at_cell_with_value(wall, at_least(1, lines, cell_is_value(empty)))",
            "there is [an|no] empty cell in line with the first wall",
        ),
        (
            "at_action_cell(as_many(neighbors, cell_is_value(wall)))",
            "the clicked cell [says|does not say] how many walls there are around it",
        ),
        (
            "at_action_cell(in_a_line(4, lines, cell_is_value(wall)))",
            "the clicked cell [makes|does not make] 4 walls in a line straight or diagonally",
        ),
        (
            "grid_has(1, but_not(cell_is_value(wall), shifted((-1, 0), cell_is_value(one))))",
            "there is [a|no] cell where it is a wall but the cell above it is not a one",
        ),
        ("grid_has(2, cell_is_value(wall))", "there are [at least|fewer than] 2 walls"),
        (
            "at_action_cell(both(cell_is_value(wall), at_least(1, sides, cell_is_value(one))))",
            "[either ]the clicked cell is [not ]a wall [and|or] there is [a|no] one beside the clicked cell",
        ),
    ],
)
def test_they_are_said(program, said):
    term = parse(program, STANDARD, DIGITS.values)
    assert str(term) == program
    assert (say(term, STANDARD), say(term, STANDARD, positive=False)) == both_ways(said)


def test_an_area_that_is_none_is_refused():
    with pytest.raises(BadProgram, match=r"'rows' is not an area here\. Did you mean 'row'"):
        parse("at_action_cell(at_least(1, rows, cell_is_value(wall)))", STANDARD, DIGITS.values)


# --- mirrors ---------------------------------------------------------------------------------------------------------

exchanges = st.permutations(DIGITS.names).map(lambda order: tuple(zip(DIGITS.names, order, strict=True)))
moving = st.builds(Transformation, st.sampled_from(MOTIONS), st.one_of(st.just(()), exchanges))


@given(grids(DIGITS), programs, moving, st.data())
@settings(max_examples=examples(200), deadline=None)
def test_the_image_of_a_program_says_of_images_what_it_said(board, term, transformation, data):
    image = of_term(term, transformation, STANDARD)
    if image is None:
        assert transformation.tokens
        assert "as_many" in str(term)
    elif is_exact(term, board, DIGITS, transformation):
        click = data.draw(st.sampled_from(list(board.cells())))
        after = View(of_grid(board, transformation, DIGITS), DIGITS, of_action(click, transformation, board, DIGITS))
        assert run(image, after, STANDARD) == run(term, View(board, DIGITS, click), STANDARD)
    else:
        assert term.primitive == "at_cell_with_value"


def test_a_row_that_is_turned_is_a_column():
    term = parse("at_action_cell(at_least(2, row, cell_is_value(wall)))", STANDARD, DIGITS.values)
    turned = of_term(term, Transformation("clockwise"), STANDARD)
    assert str(turned) == "at_action_cell(at_least(2, column, cell_is_value(wall)))"
