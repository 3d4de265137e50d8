"""Playing with undo: what each thing that a player does leads to."""

from dataclasses import replace

import pytest

from shown.demonstrations import Step
from shown.errors import BadInput
from shown.grid import grid
from shown.teaching.dialogue.recording import History, begin, play_on, take_back
from shown.worlds import Level, find, load_levels
from shown.worlds.games.nim import Nim

NIM, CHASE = find("nim"), find("chase")
START = Level("train:0", grid("|.", "|.", "||"))


def test_an_action_is_recorded_with_the_position_before_it():
    attempt = play_on(NIM, begin(START, seed=1), (1, 0))
    assert attempt.steps == (Step(START.grid, (1, 0)),)
    assert attempt.grid != START.grid


def test_an_action_that_changes_nothing_is_not_recorded():
    attempt = begin(START, seed=1)
    assert play_on(NIM, attempt, (0, 1)) is attempt


def test_an_action_off_the_grid_is_an_error():
    with pytest.raises(BadInput, match="off the grid"):
        play_on(NIM, begin(START), (9, 9))


def test_nobody_plays_on_when_the_game_is_over():
    with pytest.raises(BadInput, match="over"):
        play_on(NIM, replace(begin(START), over=True), (0, 0))


def test_an_endless_game_ends_with_the_episode():
    room = Level("train:0", grid("#######", "#A...R#", "#.....#", "#######", "<^v>..."))
    attempt = begin(room, seed=1)
    long = replace(attempt, steps=(Step(attempt.grid, (1, 2)),) * (CHASE.max_steps - 1))
    last = play_on(CHASE, long, (4, 2))
    assert (last.over, last.won, last.outcome) == (True, False, "lost")


def test_taking_back_gives_the_position_before_and_the_same_chances_after():
    once = play_on(NIM, begin(START, seed=7), (0, 0))
    twice = play_on(NIM, once, NIM.expert(once.grid))
    assert take_back(NIM, twice) == once
    assert play_on(NIM, take_back(NIM, twice), twice.steps[-1].action) == twice


@pytest.mark.parametrize("name", ["nim", "chase", "checkmate", "stop-the-fall"])
def test_a_game_goes_on_as_if_nothing_had_been_taken_back(name):
    """However often one goes back and forth, the opponents do what they would have done."""
    game = find(name)
    level = load_levels(game, "train:1")[0]
    straight = begin(level, seed=5)
    history = History(straight)
    while not straight.over:
        action = game.expert(straight.grid)
        straight = play_on(game, straight, action)
        history.do(play_on(game, history.present, action))
        history.undo()
        history.do(play_on(game, history.present, action))
        assert history.present == straight
    assert straight.won


@pytest.mark.parametrize(
    ("name", "rows", "action"),
    [
        ("chase", ("###", "#A#", "###"), (0, 0)),
        ("fence-in", ("...", "...", "..."), (1, 1)),
        ("reach-for-the-star", ("..<", "*..", "###"), (0, 2)),
    ],
)
def test_a_position_that_lacks_a_piece_is_an_error_in_one_line(name, rows, action):
    """Painted or sent by somebody: the rules were not written for it."""
    with pytest.raises(BadInput, match="cannot be played from this position") as refused:
        play_on(find(name), begin(Level("made up", grid(*rows))), action)
    assert "\n" not in str(refused.value)


def test_undo_and_redo_walk_through_what_was_done():
    history = History("a")
    history.do("b")
    history.do("c")
    assert history.undo()
    assert history.undo()
    assert not history.undo()
    assert history.present == "a"
    assert history.redo()
    history.do("d")
    assert not history.redo()
    assert (history.past, history.present) == (["a", "b"], "d")


@pytest.mark.parametrize("error", [AttributeError("no such thing"), TypeError("two\nlines"), NameError("typo")])
def test_a_mistake_in_a_games_own_code_is_reported_with_its_place(error):
    class Broken(Nim):
        def step(self, grid, action, rng):
            raise error

    with pytest.raises(BadInput) as refused:
        play_on(Broken(), begin(START), (1, 0))
    text = str(refused.value)
    assert f"{type(error).__name__}: {' '.join(str(error).split())}" in text
    assert "teaching/test_recording.py:" in text
    assert "piece" not in text
    assert refused.value.__cause__ is error
