"""Every way to evaluate fixed programs agrees with the reference."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shown.engine.planes import Planes
from shown.grid import grid
from shown.language.kernels import run_many
from shown.language.plan import Plan, reference_columns
from shown.language.primitives import LANGUAGE, Language
from shown.language.reach import margin_for
from shown.language.reference import View
from shown.language.terms import Term, parse
from strategies import BUTTONS, TOKENS, agree, examples, grids, programs, random_grids

ROADS = {
    "compiled": LANGUAGE,
    "cell by cell": Language([replace(primitive, many=None, kernel=None) for primitive in LANGUAGE.values()]),
}

boards = st.lists(grids(), min_size=1, max_size=3)


@pytest.mark.parametrize("road", ROADS)
@given(terms=st.lists(programs(most=8), min_size=1, max_size=4), states=boards)
@settings(max_examples=examples(200))
def test_planes_agree_with_the_reference(road, terms, states):
    if road == "cell by cell":
        terms, states = terms[:2], states[:1]
    agree(terms, states, ROADS[road])


@given(st.lists(programs(most=8), min_size=1, max_size=3), st.integers(0, 10**6), st.sampled_from([63, 65, 130]))
@settings(max_examples=examples(40))
def test_batches_of_several_words_agree_with_the_reference(terms, seed, count):
    agree(terms, random_grids(seed, count, most=4), LANGUAGE)


@pytest.mark.parametrize("road", ROADS)
@given(terms=st.lists(programs(buttons=BUTTONS), min_size=1, max_size=4), states=boards)
@settings(max_examples=examples(60))
def test_worlds_with_buttons_agree_with_the_reference(road, terms, states):
    if road == "cell by cell":
        terms, states = terms[:2], states[:1]
    agree(terms, states, ROADS[road], buttons=BUTTONS)


@given(st.lists(programs(buttons=BUTTONS), min_size=1, max_size=3), st.integers(0, 10**6))
@settings(max_examples=examples(20))
def test_batches_with_buttons_agree_with_the_reference(terms, seed):
    agree(terms, random_grids(seed, 70), LANGUAGE, buttons=BUTTONS)


@pytest.mark.parametrize(
    "text",
    [
        "at_action_cell(shifted((0, 3), scanning((0, -1), cell_is_value(star), cell_is_value(wall))))",
        "at_action_cell(scanning((2, 2), shifted((-3, 0), cell_is_value(wall)), cell_is_value(OFF)))",
        "at_action_cell(scanning((-1, 1), scanning((1, 0), cell_is_value(star), cell_is_value(wall)), "
        "shifted((0, 1), scanning((0, -3), cell_is_value(agent), cell_is_value(OFF)))))",
        "at_action_cell(shifted((3, 3), shifted((-3, -2), shifted((0, -1), cell_is_value(wall)))))",
        "at_cell_with_value(star, shifted((1, 1), scanning((-1, -1), cell_is_value(OFF), cell_is_value(wall))))",
        "at_cell_with_value(OFF, scanning((0, 1), cell_is_value(OFF), cell_is_value(OFF)))",
        "at_cell_with_value(OFF, shifted((0, 2), cell_is_value(OFF)))",
        "at_action_cell(scanning((1, 0), scanning((0, 1), scanning((1, 1), cell_is_value(OFF), cell_is_value(wall)), "
        "cell_is_value(star)), shifted((2, -1), cell_is_value(agent))))",
    ],
)
def test_deep_programs_on_many_shapes(text):
    agree([parse(text, LANGUAGE, TOKENS.values)], random_grids(5, 150, most=6), LANGUAGE)


def test_states_of_very_different_shapes_share_one_frame():
    scan = "at_action_cell(scanning((0, 1), cell_is_value(OFF), cell_is_value(wall)))"
    boards = [grid("." * 12), grid(*"." * 9), grid("#"), grid("..#", "#..")]
    agree([parse(scan, LANGUAGE, TOKENS.values)], boards, LANGUAGE)


@given(st.lists(programs(), min_size=1, max_size=4), grids())
def test_one_state_by_the_reference(terms, board):
    plan = Plan(terms, TOKENS, (), LANGUAGE)
    expected = reference_columns(terms, View(board, TOKENS), (), LANGUAGE)
    assert np.array_equal(plan.columns(plan.world([board])) & np.uint64(1) == 1, expected)


def test_no_programs_give_no_columns():
    plan = Plan([], TOKENS, (), LANGUAGE)
    assert plan.columns(plan.world([grid("..")])).shape == (0, 2)


def test_a_program_may_be_asked_for_twice():
    term = parse("at_action_cell(cell_is_value(wall))", LANGUAGE, TOKENS.values)
    agree([term, term], [grid(".#")], LANGUAGE)


@given(programs(), grids())
def test_a_wider_margin_changes_nothing(term, board):
    plan = Plan([term], TOKENS, (), LANGUAGE)
    narrow = plan.world([board])
    wide = Planes([board], TOKENS, (), narrow.margin + 2)
    assert np.array_equal(plan.columns(wide), plan.columns(narrow))


def test_reach_adds_up_along_the_longest_way():
    inner = Term("shifted", ((0, -2), Term("cell_is_value", ("wall",))))
    assert margin_for([inner], LANGUAGE, []) == 2
    scan = Term("scanning", ((1, 0), inner, Term("cell_is_value", ("wall",))))
    assert margin_for([inner, scan], LANGUAGE, []) == 3


def test_many_argument_tuples_cell_by_cell():
    world = Planes(random_grids(1, 70), TOKENS, (), 2)
    store = world.of_values
    arguments = [np.array([(0, 1), (2, -1)]), np.array([0, 1]), np.array([1, 4])]
    expected = run_many(world, LANGUAGE["scanning"], arguments, store)
    found = run_many(world, ROADS["cell by cell"]["scanning"], arguments, store)
    inside = np.broadcast_to(world.inside & world.real, found.shape)
    assert np.array_equal(found & inside, expected & inside)
