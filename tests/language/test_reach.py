"""Primitives with a reach: the engine agrees with the reference."""

import math
from dataclasses import replace
from fractions import Fraction
from functools import reduce

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shown.demonstrations import Demonstrations
from shown.engine.planes import shift
from shown.errors import BadInput
from shown.grid import grid
from shown.inference.learner import Learner
from shown.language.grammar import Grammar, Rule, paper_grammar, uniform
from shown.language.plan import Plan, reference_columns
from shown.language.primitives import EVERYWHERE, LANGUAGE, Primitive
from shown.language.reach import Reach, margin_for, reach_of
from shown.language.reference import NOWHERE, View
from shown.language.shapes import Hole, Shape
from shown.language.terms import Kind, Term, parse
from strategies import BUTTONS, TOKENS, agree, examples, features_agree, grids, offsets, random_grids

SIDES = ((-1, 0), (1, 0), (0, -1), (0, 1))


def beside(view, cell, condition):
    """Whether the condition holds at a neighbor."""
    return cell is not NOWHERE and any(condition(view, (cell[0] + a, cell[1] + b)) for a, b in SIDES)


def beside_planes(world, plane):
    return reduce(np.bitwise_or, [shift(world, side, plane) for side in SIDES]) & world.somewhere


def around(view, cell, distance, condition):
    """Whether the condition holds within a distance."""
    if cell is NOWHERE:
        return False
    ways = range(-distance, distance + 1)
    return any(condition(view, (cell[0] + a, cell[1] + b)) for a in ways for b in ways)


def below_the_grid(view, cell, condition):
    """Asks as far below as the grid is high: a cell of the grid is sent off it."""
    return condition(view, NOWHERE if cell is NOWHERE else (cell[0] + view.grid.height, cell[1]))


def anywhere(view, cell, condition):
    """Whether the condition holds at some cell of the grid."""
    return cell is not NOWHERE and any(condition(view, other) for other in view.grid.cells())


def near_the_action(view, condition):
    """A program: whether the condition holds beside the clicked cell."""
    return beside(view, view.action, condition)


def declared(name, takes, meaning, gives=Kind.CONDITION, **more):
    return Primitive(name, takes, gives, meaning, f"{name} holds", f"{name} does not hold", **more)


C = Kind.CONDITION
BESIDE = declared("beside", (C,), beside, reach=1, kernel=beside_planes)
LOOKING = LANGUAGE.extended(
    BESIDE,
    declared("around", (Kind.NUMBER, C), around, reach=lambda distance: distance),
    declared("below_the_grid", (C,), below_the_grid, reach=EVERYWHERE),
    declared("anywhere", (C,), anywhere),
    declared("near_the_action", (C,), near_the_action, Kind.PROGRAM, reach=1, needs="click"),
)
SLOWLY = LOOKING.extended(replace(BESIDE, kernel=None), replacing=True)

looking = st.recursive(
    st.sampled_from(TOKENS.values).map(lambda value: Term("cell_is_value", (value,))),
    lambda inner: st.one_of(
        inner.map(lambda c: Term("beside", (c,))),
        st.tuples(st.integers(0, 2), inner).map(lambda a: Term("around", a)),
        inner.map(lambda c: Term("below_the_grid", (c,))),
        inner.map(lambda c: Term("anywhere", (c,))),
        st.tuples(offsets(2), inner).map(lambda a: Term("shifted", a)),
        st.tuples(offsets(2), inner, inner).map(lambda a: Term("scanning", a)),
    ),
    max_leaves=4,
)
programs = st.one_of(
    st.tuples(looking).map(lambda a: Term("at_action_cell", a)),
    st.tuples(looking).map(lambda a: Term("near_the_action", a)),
    st.tuples(st.sampled_from(TOKENS.values), looking).map(lambda a: Term("at_cell_with_value", a)),
)


@pytest.mark.parametrize("language", [LOOKING, SLOWLY], ids=["kernel", "cell by cell"])
def test_a_wall_is_beside_what_is_beside_a_wall(language):
    wall = parse("at_action_cell(beside(beside(cell_is_value(wall))))", language, TOKENS.values)
    assert reference_columns([wall], View(grid("#"), TOKENS), (), language).all()
    agree([wall], [grid("#")], language)


@pytest.mark.parametrize("language", [LOOKING, SLOWLY], ids=["kernel", "cell by cell"])
@given(terms=st.lists(programs, min_size=1, max_size=2), states=st.lists(grids(most=3), min_size=1, max_size=2))
@settings(max_examples=examples(150), deadline=None)
def test_programs_that_look_around_agree_with_the_reference(language, terms, states):
    agree(terms, states, language)


@given(st.lists(programs, min_size=1, max_size=2), st.integers(0, 10**6))
@settings(max_examples=examples(10), deadline=None)
def test_batches_agree_with_the_reference(terms, seed):
    agree(terms, random_grids(seed, 70, most=2), LOOKING)


at_values = st.tuples(st.sampled_from(TOKENS.values), looking).map(lambda a: Term("at_cell_with_value", a))


@given(st.lists(at_values, min_size=1, max_size=2), grids(most=3))
@settings(max_examples=examples(40), deadline=None)
def test_worlds_with_buttons_agree_with_the_reference(terms, board):
    agree(terms, [board], LOOKING, buttons=BUTTONS)


def looking_grammar(language):
    third = Fraction(1, 3)
    return Grammar(
        "P",
        (
            Rule("P", "at_action_cell", ("C",), 1),
            Rule("C", "beside", ("C",), third),
            Rule("C", "below_the_grid", ("C",), third),
            Rule("C", "cell_is_value", ("V",), third),
        ),
        {"V": uniform(Kind.VALUE, TOKENS.values)},
        language,
    )


@pytest.mark.parametrize("language", [LOOKING, SLOWLY], ids=["kernel", "cell by cell"])
def test_they_make_features(language):
    features_agree([grid("#"), grid(".#", "*A")], looking_grammar(language), 100)


def test_they_are_learned_and_act():
    """Click the star beside a wall that is beside a wall."""
    boards = [grid("*#.#*##", "......."), grid("##*.#*", "......"), grid(".*#", "...", "#*.", "#..")]
    demos = Demonstrations.from_runs(TOKENS, [[(b, c)] for b, c in zip(boards, [(0, 4), (0, 2), (2, 1)], strict=True)])
    grammar = paper_grammar(TOKENS).extended(Rule("B", "beside", ("C",), 0.3), language=LOOKING)
    policy = Learner(programs=1000, grammar=grammar).fit(demos).policy_
    for board in boards:
        expected = reference_columns(
            [x.term for x in policy.components[0].formula.literals], View(board, TOKENS), (), LOOKING
        )
        plan = Plan([x.term for x in policy.components[0].formula.literals], TOKENS, (), LOOKING)
        assert np.array_equal(plan.columns(plan.world([board])) & np.uint64(1) == 1, expected)


@pytest.mark.parametrize(
    "meaning",
    [
        lambda view, cell, condition: any(condition(view, other) for other in view.grid.cells()),
        lambda view, cell, condition: condition(view, (0, 0)),
        lambda view, cell, condition: condition(view, view.first("wall")),
    ],
    ids=["the grid", "a cell", "the first wall"],
)
def test_from_nowhere_nothing_is_seen(meaning):
    """All states have one nowhere, so an answer that depends on the state cannot be kept."""
    language = LANGUAGE.extended(declared("sees", (C,), meaning))
    plan = Plan(
        [parse("at_cell_with_value(star, sees(cell_is_value(wall)))", language, TOKENS.values)], TOKENS, (), language
    )
    with pytest.raises(BadInput, match="primitive sees looks at the grid although attention is nowhere"):
        plan.columns(plan.world([grid(".#")]))


# --- the sums ---------------------------------------------------------------------------------------------------------

WALL = Term("cell_is_value", ("wall",))


@pytest.mark.parametrize(
    ("term", "reach"),
    [
        (WALL, Reach()),
        (Term("beside", (WALL,)), Reach(1)),
        (Term("beside", (Term("beside", (WALL,)),)), Reach(2)),
        (Term("around", (3, Term("shifted", ((0, -2), WALL)))), Reach(5)),
        (Term("scanning", ((1, 0), Term("beside", (WALL,)), Term("shifted", ((0, 4), WALL)))), Reach(5)),
        (Term("below_the_grid", (Term("beside", (Term("below_the_grid", (WALL,)),)),)), Reach(1, 2)),
        (Term("anywhere", (WALL,)), Reach()),
    ],
    ids=str,
)
def test_reach_adds_up(term, reach):
    assert reach_of([term], LOOKING) == reach
    assert reach_of([Term("at_action_cell", (term,)), WALL], LOOKING) == reach


def test_a_whole_grid_is_its_larger_side():
    term = Term("shifted", ((0, 1), Term("below_the_grid", (WALL,))))
    assert margin_for([term], LOOKING, [grid("..."), grid(*"....")]) == 1 + 4
    assert margin_for([], LOOKING, [grid("...")]) == 0


def test_the_reach_of_a_shape_is_that_of_its_farthest_term():
    inner = Shape("cell_is_value", (Hole(Kind.VALUE, TOKENS.values),))
    shape = Shape(
        "around", (Hole(Kind.NUMBER, (1, 4, 2)), Shape("shifted", (Hole(Kind.OFFSET, ((0, 1), (-3, 1))), inner)))
    )
    assert reach_of([shape], LOOKING) == Reach(7)
    assert reach_of([shape], LOOKING) == reach_of([shape.term(i) for i in range(shape.count)], LOOKING)


@pytest.mark.parametrize("reach", [-1, 0.5, math.nan, -math.inf, 10**9, "1", None])
def test_what_is_no_reach_is_refused(reach):
    with pytest.raises(BadInput, match=r"primitive beside: reach .* must be a whole number from 0 to"):
        replace(BESIDE, reach=reach)


def test_a_function_that_gives_no_reach_is_named():
    wrong = LANGUAGE.extended(declared("around", (Kind.NUMBER, C), around, reach=lambda distance: -distance))
    with pytest.raises(BadInput, match="primitive around: reach -2 must be a whole number"):
        reach_of([Term("around", (2, WALL))], wrong)
