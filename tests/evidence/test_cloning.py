"""Behavior cloning in worlds with buttons."""

import pytest

from shown.errors import BadInput
from shown.grid import Grid, Tokens
from shown.worlds import find
from shown_evidence.baselines.button_trees import around_agent
from shown_evidence.baselines.network_policy import largest_shape
from shown_evidence.experiments.minigrid_worlds import CLONED
from shown_evidence.trials.demonstrators import demonstrations
from shown_evidence.trials.learners import METHODS
from shown_evidence.trials.trial import Trial, run_trial

KEY = "gym:MiniGrid-DoorKey-5x5-v0"


@pytest.mark.parametrize("method", CLONED)
def test_a_clone_repeats_its_demonstrations(method: str):
    result = run_trial(Trial(method, KEY, "seeds:910000-910002", test=("seeds:900000-900009",)).settings)
    assert result["fit"] == 1.0
    assert result["won"]["train"] == "111"
    assert 0 < result["success"]["seeds:900000-900009"] < 1


def test_mirrored_data_exchange_left_and_right():
    world = find(KEY)
    demos = demonstrations(world, "seeds:910000")
    step = next(step for step in demos.steps if step.action in ("left", "right"))
    policy = METHODS["cnn-mirrored"].build(world, 0, METHODS["cnn-mirrored"].options).fit(demos)
    turned = policy.act(Grid(row[::-1] for row in step.grid.rows))
    assert {policy.act(step.grid), turned} == {"left", "right"}


def test_a_network_has_one_output_per_button_and_holds_the_turned_map():
    world = find("gym:MiniGrid-Unlock-v0")
    assert largest_shape(world) == (11, 11)
    demos = demonstrations(world, "seeds:910000")
    policy = METHODS["cnn"].build(world, 0, {**METHODS["cnn"].options, "steps": 10}).fit(demos)
    assert policy.parameters_[-2].shape == (len(world.buttons), 64)
    assert policy.act(demos.steps[0].grid) in world.buttons


def test_the_window_around_the_agent_says_which_token_is_where():
    tokens = Tokens(empty=".", agent="A", goal="G")
    ahead, none = (around_agent(Grid(rows), tokens).reshape(7, 7, 3) for rows in (["G", "A"], ["A"]))
    assert ahead[2, 3].tolist() == [False, False, True]
    assert not none[2, 3].any()
    assert none[3, 3].tolist() == [False, True, False]


@pytest.mark.parametrize(("method", "place"), [("fcn", KEY), ("boosted", KEY), ("tree-buttons", "nim")])
def test_methods_for_other_actions_are_refused(method: str, place: str):
    world = find(place)
    demos = demonstrations(world, "seeds:910000" if place == KEY else "train:0")
    with pytest.raises(BadInput, match="Use another method"):
        METHODS[method].build(world, 0, METHODS[method].options).fit(demos)
