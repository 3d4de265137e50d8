"""Evaluation at places equals evaluation on planes and by the reference."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shown.engine.places import Places
from shown.engine.planes import Planes
from shown.grid import Tokens, grid
from shown.inference.features import evaluate
from shown.language.attention import at_places, lands_on_little, shape_of
from shown.language.grammar import paper_grammar
from shown.language.plan import Plan
from shown.language.primitives import LANGUAGE, Language
from shown.language.standard import STANDARD
from shown.language.terms import parse
from strategies import BUTTONS, TOKENS, examples, grids, offsets, programs, random_grids, reference_rows, same_features

WHOLE_PLANES = Language([replace(primitive, at_places=None) for primitive in LANGUAGE.values()])

batches = st.one_of(
    st.lists(grids(), min_size=1, max_size=4),
    st.builds(random_grids, st.integers(0, 10**6), st.sampled_from([61, 62, 63, 64, 65, 127])),
)
at_values = programs(TOKENS, BUTTONS).filter(lambda term: term.primitive == "at_cell_with_value")


def of_states(bits, world):
    """The words of one program taken apart, by state."""
    return [bool(int(bits[slot // 64]) >> (slot % 64) & 1) for slot in world.slot.tolist()]


@given(batches, at_values)
def test_at_places_is_what_the_reference_says(states, term):
    """Whatever is nested in what, on grids of any sizes, with and without a cell of the value."""
    world = Planes(states, TOKENS, BUTTONS)
    (bits,) = np.concatenate(list(at_places(world, shape_of(term, LANGUAGE), LANGUAGE, 1)))
    expected = [of_state[0] for of_state in reference_rows([term], states, TOKENS, BUTTONS, LANGUAGE)[0]]
    assert of_states(bits, world) == expected


@given(st.integers(0, 10**6), st.sampled_from([5, 66]), st.sampled_from([700, 4321]), st.sampled_from([1, 2]))
@settings(max_examples=examples(10))
def test_features_are_those_of_whole_planes(seed, count, budget, threads):
    """Bit for bit, in the same order and with the same signs, though a budget ends in the middle of a block."""
    states = random_grids(seed, count, most=9)
    grammar = paper_grammar(TOKENS, BUTTONS)
    world, found = evaluate(states, TOKENS, grammar, budget, BUTTONS, threads)
    blocks = list(grammar.blocks(budget))
    assert any(lands_on_little(block.shape, LANGUAGE, BUTTONS, world.shape) for block in blocks[1:])
    _, expected = evaluate(states, TOKENS, replace(grammar, language=WHOLE_PLANES), budget, BUTTONS)
    same_features(found, expected)


@given(batches, offsets(), st.integers(0, 3), st.integers(0, 4), st.integers(0, 4))
def test_a_walk_is_the_plain_walk(states, offset, value, until, unless):
    world = Planes(states, TOKENS, BUTTONS)
    place = Places.first(world, value)
    ahead = place.ahead(np.array(offset))
    here, stop, off = ahead.holding(np.array([until, unless, 4]))
    found, walking = np.zeros_like(place.somewhere[0]), place.somewhere[0].copy()
    for met, stopped, left in zip(here, stop, off, strict=True):
        found |= walking & met
        walking &= ~(met | stopped | left)
    assert np.array_equal(place.walking(ahead, here[None], stop[None])[0, 0], found)


def test_a_walk_is_as_long_as_the_grid():
    world = Planes([grid("A...", "....")], TOKENS, BUTTONS)
    place = Places.first(world, TOKENS.names.index("agent"))
    assert [len(place.ahead(np.array(way))) for way in [(0, 1), (0, 2), (1, 0), (1, 1), (0, -1), (-1, 1)]] == [
        4, 2, 2, 2, 1, 1,
    ]  # fmt: skip


SCAN = "at_cell_with_value(agent, scanning((1, 0), cell_is_value(wall), cell_is_value(OFF)))"
NESTED = f"at_cell_with_value(agent, scanning((0, 1), {SCAN[26:-1]}, cell_is_value(OFF)))"
DEEPER = f"at_cell_with_value(agent, scanning((0, 1), {NESTED[26:-1]}, cell_is_value(OFF)))"


@pytest.mark.parametrize(
    ("text", "buttons", "language", "little"),
    [
        (SCAN, BUTTONS, LANGUAGE, True),
        (SCAN, (), LANGUAGE, False),  # where cells are clicked, planes are needed anyway
        (SCAN, BUTTONS, WHOLE_PLANES, False),
        (NESTED, BUTTONS, LANGUAGE, True),  # 9 × 9 places, as many as there are cells
        (DEEPER, BUTTONS, LANGUAGE, False),
    ],
)  # fmt: skip
def test_what_lands_on_little(text, buttons, language, little):
    world = Planes([*random_grids(1, 3, most=1), grid(*["." * 9] * 9)], TOKENS, buttons)
    term = parse(text, LANGUAGE, TOKENS.values)
    assert lands_on_little(shape_of(term, LANGUAGE), language, buttons, world.shape) == little


def test_words_that_know_no_places_are_looked_up_on_planes():
    tokens = Tokens(empty=".", wall="#")
    grammar = STANDARD.grammar(tokens, BUTTONS)
    states = random_grids(3, 20, tokens)
    _, found = evaluate(states, tokens, grammar, 3000, BUTTONS)
    plain = Language([replace(primitive, at_places=None) for primitive in STANDARD.values()])
    _, expected = evaluate(states, tokens, replace(grammar, language=plain), 3000, BUTTONS)
    assert np.array_equal(found.columns, expected.columns)


@given(st.lists(programs(TOKENS, BUTTONS), min_size=1, max_size=6), st.integers(0, 10**6), st.sampled_from([1, 70]))
@settings(max_examples=examples(25))
def test_fixed_programs_at_places_are_those_on_planes(terms, seed, count):
    """What a policy does on a large frame."""
    states = random_grids(seed, count, most=7)
    plan = Plan(terms, TOKENS, BUTTONS, LANGUAGE)
    world = plan.world(states)
    assert np.array_equal(plan._columns_at_places(world), plan.columns(world))


def test_a_large_frame_is_looked_at_in_few_places():
    plan = Plan([parse(SCAN, LANGUAGE, TOKENS.values)], TOKENS, BUTTONS, LANGUAGE)
    assert plan._look_at_little((210, 160, 1))
    assert not plan._look_at_little((9, 9, 1))
    clicked = Plan([parse(SCAN, LANGUAGE, TOKENS.values)], TOKENS, (), LANGUAGE)
    assert not clicked._look_at_little((210, 160, 1))
