"""Why nothing fits: the demonstration, the step, and two actions that every program takes for one another."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shown.columns.resources import Resources
from shown.demonstrations import Demonstration, Demonstrations, Step
from shown.errors import NothingFits
from shown.grid import grid
from shown.inference.failure import rows_like
from shown.inference.learner import Learner
from shown.language.grammar import paper_grammar
from shown.language.primitives import LANGUAGE
from shown.language.reference import View, run
from strategies import BUTTONS, TOKENS, examples, grids

VALUES_ONLY = len(TOKENS.values)
"""So many programs only ask what the clicked cell is."""


def demos(*steps, buttons=()):
    """One demonstration a step."""
    return Demonstrations(TOKENS, tuple(Demonstration((Step(*step),)) for step in steps), buttons=buttons)


def failure_of(demonstrations, programs=VALUES_ONLY, **settings):
    learner = Learner(programs=programs, **settings)
    for _ in learner.iter_fit(demonstrations):
        pass
    return learner.failure_


def test_two_clicks_on_one_board():
    failure = failure_of(demos((grid("A."), (0, 0)), (grid("#.##"), (0, 2))))
    assert (failure.demonstration, failure.step) == (1, 0)
    assert (failure.action, failure.other) == ((0, 2), (0, 0))
    assert (failure.other_demonstration, failure.other_step) == (1, 0)
    assert failure.text == (
        "nothing fits demonstration 1, step 0: none of the first 5 programs distinguishes the click (0, 2) from "
        '(0, 0). Try more programs (25, for example), a richer vocabulary (language="standard"), or a primitive that '
        "sees the difference. If one of the two was a mistake, remove it."
    )


def test_a_richer_vocabulary_is_offered_only_where_there_is_one():
    same = (grid("A."), (0, 0)), (grid("#.##"), (0, 2))
    assert failure_of(demos(*same)).richer == "standard"
    said = failure_of(demos(*same), language="standard")
    assert said.richer is None
    assert "(25, for example), or a primitive that sees" in said.text
    pressed = (grid("A."), BUTTONS[0]), (grid("A."), BUTTONS[1]), (grid("A#"), BUTTONS[0])
    assert failure_of(demos(*pressed, buttons=BUTTONS), programs=1).richer == "walking"


def test_two_clicks_on_different_boards():
    failure = failure_of(demos((grid("*#"), (0, 0)), (grid("A**"), (0, 0))))
    assert (failure.demonstration, failure.step, failure.action) == (0, 0, (0, 0))
    assert (failure.other_demonstration, failure.other_step, failure.other) == (1, 0, (0, 1))
    assert "distinguishes the click (0, 0) from (0, 1) of demonstration 1, step 0" in failure.text


def test_a_later_step_of_a_demonstration():
    steps = (Step(grid(".#"), (0, 1)), Step(grid("#."), (0, 0)), Step(grid("##"), (0, 1)))
    failure = failure_of(Demonstrations(TOKENS, (Demonstration(steps[:1]), Demonstration(steps))))
    assert failure is None
    failure = failure_of(Demonstrations(TOKENS, (Demonstration((Step(grid(".#"), (0, 0)), steps[2])),)))
    assert (failure.demonstration, failure.step, failure.action, failure.other) == (0, 1, (0, 1), (0, 0))


def test_buttons():
    world = demos((grid("A"), "left"), (grid("A."), "right"), buttons=BUTTONS)
    failure = failure_of(world, programs=3)
    assert (failure.action, failure.other, failure.other_demonstration) == ("left", "left", 1)
    assert "distinguishes the action left from left of demonstration 1, step 0" in failure.text


def test_more_programs_tell_them_apart():
    shown = demos((grid("#.#."), (0, 2)))
    assert failure_of(shown) is not None
    learner = Learner(programs=200).fit(shown)
    assert learner.failure_ is None
    assert learner.policy_.act(grid("#.#.")) == (0, 2)


def test_a_little_noise_does_not_make_a_rule_of_nothing():
    """It used to: "never" cost nothing, and was reported as learned."""
    assert failure_of(demos((grid("#.#."), (0, 2))), noise=0.001) is not None


def test_where_every_action_was_shown_there_is_nothing_to_fail_at():
    assert failure_of(demos((grid("A"), (0, 0)))) is None


def test_the_report_is_data():
    failure = failure_of(demos((grid("#.#."), (0, 2))))
    assert json.loads(json.dumps(failure.to_json())) == {
        "demonstration": 0,
        "step": 0,
        "action": [0, 2],
        "other": [0, 0],
        "other_demonstration": 0,
        "other_step": 0,
        "programs": 5,
        "richer": "standard",
        "text": failure.text,
    }


def test_the_policy_is_then_uniform():
    with pytest.warns(NothingFits):
        learner = Learner(programs=VALUES_ONLY).fit(demos((grid("#.#."), (0, 2))))
    assert learner.formulas_ == []
    assert learner.policy_.probabilities(grid("#.")).tolist() == [[0.5, 0.5]]


@st.composite
def any_demonstrations(draw):
    steps = []
    for _ in range(draw(st.integers(1, 4))):
        board = draw(grids(most=3))
        steps.append((board, draw(st.sampled_from(list(board.cells())))))
    return demos(*steps)


@given(any_demonstrations(), st.sampled_from([3, 5, 30, 60]))
@settings(max_examples=examples(150))
def test_there_is_a_reason_exactly_if_nothing_fits_and_the_reason_is_true(shown, programs):
    learner = Learner(programs=programs, trees=2, ensemble=2)
    for _ in learner.iter_fit(shown):
        pass
    failure = learner.failure_
    acts = {(step.grid, step.action) for step in shown.steps}
    every_action = acts == {(step.grid, cell) for step in shown.steps for cell in step.grid.cells()}
    assert (failure is None) == (bool(learner.formulas_) or every_action)
    if failure is None:
        return
    step = shown.items[failure.demonstration].steps[failure.step]
    other = shown.items[failure.other_demonstration].steps[failure.other_step]
    assert step.action == failure.action
    assert (other.grid, failure.other) not in [(s.grid, s.action) for s in shown.steps]
    for term, _ in paper_grammar(TOKENS).programs(programs):
        here = run(term, View(step.grid, TOKENS, failure.action), LANGUAGE)
        there = run(term, View(other.grid, TOKENS, failure.other), LANGUAGE)
        assert here == there


@pytest.mark.parametrize("seed", range(3))
def test_no_seed_can_help(seed):
    assert failure_of(demos((grid("#.#."), (0, 2))), resources=Resources(seed=seed)) is not None


@given(st.integers(0, 2**32), st.integers(1, 600), st.integers(1, 3), st.sampled_from([6, 1000]))
@settings(max_examples=examples(60))
def test_rows_that_look_the_same_are_those_on_which_all_columns_agree(seed, features, words, different):
    rng = np.random.default_rng(seed)
    # With few patterns, some rows do look the same.
    patterns = rng.integers(0, 2, size=(features, different)).astype(bool)
    of_row = rng.integers(0, different, size=64 * words)
    columns = np.ascontiguousarray(np.packbits(patterns[:, of_row], axis=1, bitorder="little")).view(np.uint64)
    mask = rng.integers(0, 2**63, size=words, dtype=np.uint64)
    row = int(rng.integers(64 * words))
    found = np.unpackbits(rows_like(columns, mask, row // 64, row % 64).view(np.uint8), bitorder="little")
    counted = np.unpackbits(mask.view(np.uint8), bitorder="little").astype(bool)
    same = (patterns[:, of_row] == patterns[:, of_row[[row]]]).all(axis=0)
    assert np.array_equal(found.astype(bool), same & counted)
