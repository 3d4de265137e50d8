"""Keys on the board: what is pressed, wherever it lies."""

from itertools import permutations

import numpy as np
import pytest

from shown.columns.resources import Resources
from shown.demonstrations import Demonstrations
from shown.grid import Tokens, grid
from shown.language.key_presses import pressing_grammar, tells_when_to_press
from shown.language.primitives import LANGUAGE
from shown.language.standard import STANDARD
from shown.symmetry import images
from shown.teaching.interpretation.fitter import Fitter
from shown.teaching.interpretation.hypotheses import Hypothesis, hypothesis_of
from shown.teaching.interpretation.interpretations import EXACT_CLICKS
from shown.teaching.interpretation.keys import keys_of
from shown.teaching.task import Task
from shown.teaching.teach import teach
from shown.worlds import demonstrate, find, load_levels, success_rate
from strategies import allowed

CHASE = find("chase")


def fitted(count, language=None):
    shown = demonstrate(CHASE, load_levels(CHASE, f"train:0-{count - 1}"))
    keys = keys_of(images(shown, CHASE.symmetries))
    hypothesis = Hypothesis(EXACT_CLICKS, CHASE.symmetries, language, keys)
    return Fitter(Task(shown, programs=3000), Resources(threads=1)).fit(hypothesis, shown)


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("nim", ()),
        ("checkmate", ()),
        ("fence-in", ()),
        ("stop-the-fall", ("green_button",)),
        ("reach-for-the-star", ("left_arrow", "right_arrow")),
        ("chase", ("left_arrow", "right_arrow", "up_arrow", "down_arrow")),
    ],
)
def test_the_keys_of_the_games_are_found(name, keys):
    game = find(name)
    shown = demonstrate(game, load_levels(game, "train"))
    assert keys_of(images(shown, game.symmetries) if game.symmetries else shown) == keys


def test_what_moves_or_is_never_clicked_or_never_had_time_to_move_is_no_key():
    tokens = Tokens(empty=".", agent="A", star="*", go=">")
    boards = [grid("A.*>"), grid(".A*>")]
    moving = Demonstrations.from_runs(tokens, [[(boards[0], (0, 3)), (boards[1], (0, 1))]])
    assert keys_of(moving) == ("go",)
    assert keys_of(Demonstrations.from_runs(tokens, [[(boards[0], (0, 3))]])) == ()
    two = Demonstrations.from_runs(tokens, [[(grid("A.>>"), (0, 3)), (grid(".A>>"), (0, 3))]])
    assert keys_of(two) == ()


@pytest.mark.parametrize("language", [LANGUAGE, STANDARD])
def test_only_the_click_is_asked_about_keys(language):
    grammar = pressing_grammar(language, CHASE.tokens, ("left_arrow", "up_arrow"))
    about = [str(term) for term, _ in grammar.programs(5000) if "arrow" in str(term).replace("right_arrow", "")]
    about = [text for text in about if "left_arrow" in text or "up_arrow" in text]
    assert about == ["at_action_cell(cell_is_value(left_arrow))", "at_action_cell(cell_is_value(up_arrow))"]


@pytest.mark.parametrize("language", [None, STANDARD])
def test_keys_may_change_places_and_the_policy_presses_the_same_ones(language):
    found = fitted(2, language)
    assert found.policy is not None
    rng = np.random.default_rng(0)
    orders = list(permutations("<>^v"))
    played = demonstrate(CHASE, load_levels(CHASE, "random:70000-70004"))
    pressed = 0
    for step in played.steps:
        cells = [step.grid.find(key) for key in "<>^v"]
        swapped = step.grid.with_cells(dict(zip(cells, orders[rng.integers(len(orders))], strict=True)))
        before, now = found.policy.act(step.grid), found.policy.act(swapped)
        assert now == (swapped.find(step.grid[before]) if before in cells else before)
        pressed += before in cells
    assert pressed > 10


def test_clauses_that_press_a_key_do_not_look_around_from_it():
    found = fitted(3)
    characters = {CHASE.tokens[name] for name in found.hypothesis.keys}
    pressed = [step for step in found.shown.steps if step.grid[step.action] in characters]
    assert pressed
    for component in found.policy.components:
        for clause in component.formula.clauses:
            alone = found.policy.__class__(
                CHASE.tokens, (component.__class__(1.0, 0.0, 0.0, component.formula.__class__((clause,))),), "chase"
            )
            if any(allowed(alone, pressed)):
                assert all(tells_when_to_press(literal.term, LANGUAGE) for literal in clause)


def test_a_policy_remembers_its_keys():
    shown = demonstrate(CHASE, load_levels(CHASE, "train:0-1"))
    taught = teach(shown, CHASE, programs=3000, practice=0.0, resources=Resources(threads=1))
    assert taught.hypothesis is not None
    assert taught.hypothesis.keys == ("left_arrow", "right_arrow", "up_arrow", "down_arrow")
    assert "wherever the keys are" in taught.hypothesis.name
    again = taught.policy.from_json(taught.policy.to_json())
    assert hypothesis_of(again) == taught.hypothesis


def test_two_games_of_chase_teach_more_than_without_keys():
    shown = demonstrate(CHASE, load_levels(CHASE, "random:200010-200011"))
    keyed = teach(shown, CHASE, practice=0.0, resources=Resources(threads=1))
    plain = Fitter(Task(shown, programs=10_000), Resources(threads=1)).fit(
        Hypothesis(EXACT_CLICKS, CHASE.symmetries), shown
    )
    levels = load_levels(CHASE, "random:300000-300039")
    assert success_rate(CHASE, keyed.policy, levels) > success_rate(CHASE, plain.policy, levels) + 0.1


@pytest.mark.parametrize(("shown", "words"), [(1, None), (2, STANDARD)])
def test_one_game_with_keys_is_understood_in_the_papers_words_and_several_in_the_standard_ones(shown, words):
    taught = teach(demonstrate(CHASE, load_levels(CHASE, f"train:0-{shown - 1}")), CHASE, programs=1000, practice=0)
    assert taught.learned
    assert {tried.hypothesis.language for tried in taught.tried if tried.hypothesis.keys} == {words}
