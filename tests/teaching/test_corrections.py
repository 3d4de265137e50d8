"""Corrections: a demonstration from where the computer went wrong."""

import pytest

from shown.demonstrations import Demonstrations
from shown.errors import BadInput
from shown.inference.learner import Learner
from shown.policy import uniform_policy
from shown.teaching.dialogue.corrections import position_at, show_from
from shown.worlds import find, load_levels, play
from shown.worlds.games.game import LevelWorld

NIM = find("nim")
CLUELESS = uniform_policy(NIM.tokens, "nim")
LEVEL = load_levels(NIM, "train:3")[0]
WORLD = LevelWorld(NIM, LEVEL)


def corrected(step, *actions):
    return show_from(WORLD, position_at(WORLD, CLUELESS.act, step), *actions)


def test_a_correction_begins_where_the_computer_went_wrong():
    steps = play(NIM, CLUELESS.act, LEVEL).steps
    for step in range(min(3, len(steps))):
        grid = steps[step].grid
        fix = corrected(step, NIM.expert(grid))
        assert [s.grid for s in fix.steps] == [grid]
        assert fix.steps[0].action == NIM.expert(grid)
        assert (fix.level, fix.seed) == (LEVEL.name, 0)


def test_it_can_go_on_from_there():
    won = play(NIM, NIM.expert, LEVEL)
    assert won.won
    fix = corrected(0, *(step.action for step in won.steps))
    assert fix == won.demonstration


def test_a_step_that_is_not_there_is_an_error():
    steps = len(play(NIM, CLUELESS.act, LEVEL).steps)
    for step in (-1, steps):
        with pytest.raises(BadInput, match=rf"train:3: no step {step}; the game has steps 0 to {steps - 1}"):
            corrected(step, (0, 0))


def test_what_shows_nothing_is_an_error():
    empty = next(cell for cell in LEVEL.grid.cells() if LEVEL.grid[cell] == ".")
    with pytest.raises(BadInput, match="changes nothing"):
        corrected(0, empty)
    with pytest.raises(BadInput, match="at least one action"):
        corrected(0)
    with pytest.raises(BadInput, match="off the grid"):
        corrected(0, (99, 0))


def test_learned_from_the_computer_does_there_what_it_was_shown():
    fix = corrected(0, NIM.expert(LEVEL.grid))
    policy = Learner(programs=500).fit(Demonstrations(NIM.tokens, (fix,), "nim")).policy_
    assert policy.act(LEVEL.grid) == NIM.expert(LEVEL.grid)
