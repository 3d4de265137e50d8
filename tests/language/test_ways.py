"""Primitives about walks: hand-made examples, and agreement of all ways to evaluate them."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shown.engine import floods, planes
from shown.engine.planes import Planes
from shown.explain import explain
from shown.grid import OFF, grid
from shown.language.kernels import run_cell_by_cell, run_many
from shown.language.phrases import say
from shown.language.plan import Plan
from shown.language.primitives import LANGUAGE, WAYS, Language
from shown.language.reference import NOWHERE, View, check, run
from shown.language.terms import Kind, Term, parse
from shown.policy import Component, Formula, Literal, Policy
from shown.symmetry import Transformation
from shown.symmetry.images import of_cell, of_grid
from shown.symmetry.programs import of_term
from strategies import BUTTONS, TOKENS, agree, both_ways, conditions, examples, grids, offsets, random_grids

LONGER = LANGUAGE.extended(*WAYS)
ROADS = {
    "compiled": LONGER,
    "cell by cell": Language([replace(primitive, many=None, kernel=None) for primitive in LONGER.values()]),
}
ATOMS = {Kind.OFFSET: offsets(), Kind.VALUE: st.sampled_from(TOKENS.values)}


def ways(inner):
    """One of the words over such conditions."""
    return st.one_of(
        *(
            st.tuples(*(inner if kind is Kind.CONDITION else ATOMS[kind] for kind in word.takes)).map(
                lambda arguments, name=word.name: Term(name, arguments)
            )
            for word in WAYS
        )
    )


def nested():
    """Words about ways over one another, and over the paper's and under them."""
    plain = st.one_of(ATOMS[Kind.VALUE].map(lambda value: Term("cell_is_value", (value,))), conditions(most=3))
    once = ways(plain)
    return st.one_of(
        once,
        ways(st.one_of(plain, once)),
        st.tuples(offsets(), once).map(lambda arguments: Term("shifted", arguments)),
        st.tuples(offsets(), once, plain).map(lambda arguments: Term("scanning", arguments)),
    )


clicks = st.one_of(
    nested().map(lambda inner: Term("at_action_cell", (inner,))),
    st.tuples(ATOMS[Kind.VALUE], nested()).map(lambda arguments: Term("at_cell_with_value", arguments)),
)
at_values = st.tuples(ATOMS[Kind.VALUE], nested()).map(lambda arguments: Term("at_cell_with_value", arguments))
boards = st.lists(grids(), min_size=1, max_size=3)


@pytest.mark.parametrize("road", ROADS)
@given(terms=st.lists(clicks, min_size=1, max_size=4), states=boards)
@settings(max_examples=examples(100))
def test_all_roads_agree_with_the_reference(road, terms, states):
    if road == "cell by cell":
        terms, states = terms[:1], states[:1]
    agree(terms, states, ROADS[road])


@given(st.lists(clicks, min_size=1, max_size=3), st.integers(0, 10**6), st.sampled_from([63, 130]))
@settings(max_examples=examples(30))
def test_batches_of_several_words_agree_with_the_reference(terms, seed, count):
    agree(terms, random_grids(seed, count, most=6), LONGER)


@given(terms=st.lists(at_values, min_size=1, max_size=4), states=boards)
@settings(max_examples=examples(50))
def test_worlds_with_buttons_agree_with_the_reference(terms, states):
    agree(terms, states, LONGER, buttons=BUTTONS)


@given(nested(), grids())
def test_nowhere_they_say_the_same_of_all_states(condition, board):
    plan = Plan([Term("at_cell_with_value", (OFF, condition))], TOKENS, (), LONGER)
    expected = check(condition, View(board, TOKENS), NOWHERE, LONGER)
    assert set((plan.columns(plan.world([board])) & np.uint64(1) == 1).ravel().tolist()) == {expected}


@st.composite
def stores(draw, counts=(1, 5, 63, 70)):
    """A world with a margin, planes of random bits in it as conditions might be, and tuples of arguments."""
    states = draw(st.builds(random_grids, st.integers(0, 10**6), st.sampled_from(counts)))
    world = Planes(states, TOKENS, margin=draw(st.integers(0, 3)))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    store = rng.integers(0, 2**64, (4, *world.shape), dtype=np.uint64)
    unreal = ~world.real
    store = (store & ~unreal) | (store[:, :1, :1] & unreal)  # the same all over in the states that are not real
    tuples = draw(st.lists(st.tuples(offsets(4), *[st.integers(0, 3)] * 2), min_size=1, max_size=6))
    return world, store, tuples


@given(stores(counts=(1, 5)))
@settings(max_examples=examples(30))
def test_compiled_floods_equal_the_meanings_in_every_state(case):
    world, store, tuples = case
    steps, firsts, seconds = (np.array(x) for x in zip(*tuples, strict=True))
    for word in WAYS:
        codes = [steps] if word.name == "nearer" else []
        codes += [firsts, seconds] if len(word.takes) > 1 else [firsts]
        found = run_many(world, word, codes, store)
        for i, (step, a, b) in enumerate(tuples):
            first = world.values[a] if Kind.VALUE in word.takes else store[a]
            arguments = [step, first, store[b]] if word.name == "nearer" else [first, store[b]][: len(word.takes)]
            expected = run_cell_by_cell(world, word, arguments)
            assert np.array_equal(found[i] & world.real, expected & world.real), word.name


@given(stores())
@settings(max_examples=examples(10))
def test_machine_code_does_what_its_python_says(case):
    world, store, tuples = case
    words, flat = world.shape[2], planes.in_lines(store)
    near, again, stand = flat[0].copy(), flat[0].copy(), flat[0] | flat[1]
    steps = np.array([step for step, *_ in tuples])
    out, shorter = (np.zeros((len(steps), *near.shape), dtype=np.uint64) for _ in range(2))
    floods._flood_loop(near, stand, steps, 4, out, words)
    with np.errstate(over="ignore"):
        floods._flood_loop.plain(again, stand, steps, 4, shorter, words)
    assert np.array_equal(near, again)
    assert np.array_equal(out, shorter)
    chosen, places = np.array([second for *_, second in tuples]), np.arange(len(tuples))[::-1].copy()
    found, expected = (np.zeros((len(tuples), *world.shape), dtype=np.uint64) for _ in range(2))
    for loop, result in ((floods._step_loop, found), (floods._step_loop.plain, expected)):
        loop(flat, near, planes.in_lines(result), flat, floods.SIDES, chosen, places, words)
    assert np.array_equal(found, expected)
    floods._sweep_loop(flat, store[0], store[1], store, chosen, places, found)
    with np.errstate(over="ignore"):
        floods._sweep_loop.plain(flat, store[0], store[1], store, chosen, places, expected)
    assert np.array_equal(found, expected)


# --- symmetry ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("geometry", ["left-right", "up-down", "clockwise"])
@given(inner=nested(), board=grids())
@settings(max_examples=examples(40))
def test_a_mirrored_rule_is_exactly_the_rule_for_the_mirrored_world(geometry, inner, board):
    change, term = Transformation(geometry), Term("at_action_cell", (inner,))
    image, mirrored = of_grid(board, change, TOKENS), of_term(term, change, LONGER)
    for cell in board.cells():
        there = of_cell(cell, change, board.shape)
        assert run(term, View(board, TOKENS, cell), LONGER) == run(mirrored, View(image, TOKENS, there), LONGER)


# --- by hand ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "board", "picture"),
    [
        # A step is nearer if it begins a shortest walk, which ends at the first star.
        ("nearer((1, 0), cell_is_value(star), cell_is_value(empty))", "..#*/..#./....", "xx--/xx--/----"),
        ("nearer((0, 1), cell_is_value(star), cell_is_value(empty))", "..#*/..#./....", "x-x-/x-x-/xxx-"),
        ("nearer((0, 1), cell_is_value(star), cell_is_value(empty))", "*..*", "--x-"),
        # One can walk to the edge.
        ("nearer((0, 1), cell_is_value(OFF), cell_is_value(empty))", "###/#../###", "--x/-xx/--x"),
        ("reachable(cell_is_value(star), cell_is_value(empty))", ".#.*/.##./A..#", "-xxx/--xx/---x"),
        ("enclosed(cell_is_value(wall))", ".###./.#A#./.#.#./.###.", "-----/--x--/--x--/-----"),
        ("enclosed(cell_is_value(star))", ".###./.#A#./.#.#./.###.", "-----/-----/-----/-----"),
        # An escape is a step that does not lead nearer.
        ("escape(agent, cell_is_value(empty))", "A..#/..#.", "xx-x/x-x-"),
        ("escape(star, cell_is_value(empty))", "A..#/..#.", "xxxx/xxx-"),
        # Of several nearest ones, any will do.
        ("nearest(star, shifted((1, 0), cell_is_value(wall)))", "*...*/#....", "xxx--/xxx--"),
        ("nearest(star, cell_is_value(OFF))", "../.#", "xx/xx"),
    ],
)
def test_where_they_hold(text, board, picture):
    condition, view = parse(text, LONGER, TOKENS.values, kind=Kind.CONDITION), View(grid(*board.split("/")), TOKENS)
    found = {cell: check(condition, view, cell, LONGER) for cell in view.grid.cells()}
    assert found == {cell: mark == "x" for cell, mark in zip(found, picture.replace("/", ""), strict=True)}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "nearer((-1, 0), cell_is_value(star), cell_is_value(empty))",
            "a step up from it [shortens|does not shorten] the walk over empty cells to a star",
        ),
        (
            "reachable(cell_is_value(OFF), cell_is_value(empty))",
            "one can[not] walk from it over empty cells to the edge of the grid",
        ),
        ("reachable(cell_is_value(star), cell_is_value(star))", "it [is or|neither is nor] touches a star"),
        ("enclosed(cell_is_value(wall))", "it is [not ]enclosed by walls"),
        (
            "escape(agent, cell_is_value(empty))",
            "[one can|every] step from it to an empty cell [without coming|leads] nearer to the nearest agent",
        ),
        (
            "nearest(star, shifted((0, 1), cell_is_value(wall)))",
            "the cell right of the star nearest to it is [not ]a wall",
        ),
        ("enclosed(shifted((0, 1), cell_is_value(wall)))", "it is [not ]enclosed by cells left of a wall"),
    ],
)
def test_they_are_said(text, said):
    condition = parse(text, LONGER, TOKENS.values, kind=Kind.CONDITION)
    assert (say(condition, LONGER), say(condition, LONGER, positive=False)) == both_ways(said)


def test_an_explanation_shows_the_way():
    text = "at_action_cell(nearer((1, 0), cell_is_value(star), cell_is_value(empty)))"
    formula = Formula(((Literal(parse(text, LONGER, TOKENS.values)),),))
    policy = Policy(TOKENS, (Component(1.0, 0.0, 0.0, formula),), language=LONGER)
    [component] = explain(policy, grid("A#*", "..."), (0, 0)).components
    assert component.clauses[0].literals[0].paths == (((0, 0), (1, 0), (1, 1), (1, 2), (0, 2)),)
