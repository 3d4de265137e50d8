"""Lessons: what each thing that a teacher does leads to."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shown.demonstrations import Demonstration, Step
from shown.errors import BadInput
from shown.grid import Grid, grid
from shown.teaching.dialogue.recording import play_on
from shown.teaching.lessons import lesson as teach
from shown.teaching.lessons import lesson_json as forms
from shown.teaching.lessons.lesson import KINDS, GameInPlay, Lesson, Recording
from shown.worlds import Level, find, play

NIM, CHASE = find("nim"), find("chase")
START = grid("|.", "|.", "||")


def click(table: GameInPlay, action, game=NIM) -> GameInPlay:
    return replace(table, attempt=play_on(game, table.attempt, action))


def lesson(*kept: Demonstration) -> Lesson:
    result = Lesson((), teach.begin_level(Level("train:0", START), seed=1))
    for demonstration in kept:
        result = teach.keep(result, "shown", demonstration, START)
    return result


def played() -> Demonstration:
    """A won game of three clicks."""
    episode = play(NIM, NIM.expert, Level("train:0", START), seed=1)
    assert episode.won
    return episode.demonstration


def test_a_correction_grows_with_every_click_instead_of_multiplying():
    before = Lesson((), teach.begin_level(Level("test:0", grid("|.", "|.", "|.", "||")), seed=1, kind="correction"))
    one = teach.keep_in_play(replace(before, in_play=click(before.in_play, (0, 0))))
    two = teach.keep_in_play(replace(one, in_play=click(one.in_play, NIM.expert(one.in_play.attempt.grid))))
    assert [len(r.demonstration.steps) for r in one.recordings] == [1]
    assert [len(r.demonstration.steps) for r in two.recordings] == [2]
    assert two.recordings[0].kind == "correction"


def test_changing_a_click_keeps_the_positions_after_it():
    first = played()
    changed = teach.change_click(lesson(first), NIM, 1, 0, (0, 0))
    steps = changed.recordings[0].demonstration.steps
    assert steps[0] == Step(START, (0, 0))
    assert steps[1:] == first.steps[1:]
    assert changed.recordings[0].edited


def test_deleting_a_click_keeps_the_others_and_deleting_the_last_one_deletes_the_recording():
    first = played()
    now = lesson(first)
    for left in range(len(first.steps) - 1, 0, -1):
        now = teach.change_click(now, NIM, 1, 0, None)
        assert now.recordings[0].demonstration.steps == first.steps[-left:]
    assert teach.change_click(now, NIM, 1, 0, None).recordings == ()


@pytest.mark.parametrize(("number", "step", "action"), [(1, 99, None), (1, 0, (7, 7)), (5, 0, None)])
def test_a_click_that_is_not_there_cannot_be_changed(number, step, action):
    with pytest.raises(BadInput):
        teach.change_click(lesson(played()), NIM, number, step, action)


def test_a_recording_that_does_not_count_is_not_learned_from_but_stays():
    now = teach.set_learn(lesson(played(), played()), 1, learn=False)
    assert len(now.recordings) == 2
    assert len(now.demonstrations(NIM)) == 1


def test_a_lesson_comes_back_from_json_as_it_was():
    now = teach.set_learn(lesson(played(), played()), 2, learn=False)
    written = forms.lesson_to_json(NIM, now.recordings, now.next_id)
    assert forms.lesson_from_json(NIM, written, "here") == (now.recordings, now.next_id, [])


cells = st.tuples(st.integers(0, 2), st.integers(0, 1))
steps = st.builds(
    Step, st.just(START), cells, st.sampled_from([1.0, 0.5]), st.lists(cells, max_size=2).map(tuple), st.booleans()
)
demonstrations = st.builds(
    Demonstration, st.lists(steps, min_size=1, max_size=3).map(tuple), st.none() | st.text(max_size=4)
)
recordings = st.builds(
    *(Recording, st.integers(1, 99), st.sampled_from(KINDS), demonstrations, st.just(START)),
    *(st.booleans(), st.booleans(), st.lists(st.sampled_from(["up", '"']), max_size=2).map(tuple)),
)


@given(st.lists(recordings, max_size=4).map(tuple))
def test_a_lesson_put_together_from_texts_is_the_lesson_written_at_once(some):
    for _ in range(2):  # the second time from the texts that were kept
        assert forms.lesson_to_text(NIM, some, 100) == json.dumps(
            forms.lesson_to_json(NIM, some, 100), ensure_ascii=False
        )
    shown = Lesson(some, teach.begin_level(Level("train:0", START), seed=1)).demonstrations(NIM)
    counted = [recording for recording in some if recording.learn]
    assert json.loads(forms.demonstrations_to_text(NIM, counted)) == shown.to_json()


def test_a_recording_that_is_changed_has_another_text():
    (before,) = lesson(played()).recordings
    assert '"learn": true' in before.texts[0]
    assert '"learn": false' in replace(before, learn=False).texts[0]


def test_a_table_comes_back_from_json_as_it_was():
    table = click(teach.begin_level(Level("random:5", START), seed=3), (1, 0))
    assert forms.in_play_from_lines(NIM, forms.in_play_to_lines(table), "here") == table


def test_grids_of_requests_are_limited():
    with pytest.raises(BadInput, match="at most 64"):
        forms.grid_from_json(NIM, ["." * 65], "here")
    with pytest.raises(BadInput, match="list of rows"):
        forms.grid_from_json(NIM, "..", "here")
    assert forms.grid_from_json(NIM, ["|."], "here") == Grid(("|.",))


def test_a_recording_keeps_the_click_as_it_was_made():
    room = grid("#######", "#A.R..#", "#.....#", "#######", "<^v>...")
    before = Lesson((), teach.begin_level(Level("train:0", room), seed=1))
    after = teach.keep_in_play(replace(before, in_play=click(before.in_play, (3, 6), CHASE)))
    assert after.recordings[0].demonstration.steps == (Step(room, (3, 6)),), "the expert waits elsewhere"
    written = forms.lesson_to_json(CHASE, after.recordings, after.next_id)
    assert forms.lesson_from_json(CHASE, written, "here")[0] == after.recordings


@pytest.mark.parametrize(
    ("name", "rows", "reason"),
    [
        ("nim", ("..", ".."), "last matchstick"),
        ("stop-the-fall", ("..", "PF", "oo"), "next to fire"),
        ("checkmate", ("k..", "..."), "took the queen"),
        ("checkmate", ("k..", "..Q"), "stalemate"),
    ],
)
def test_a_loss_says_why(name, rows, reason):
    assert reason in teach.why_lost(find(name), Grid(rows), steps=3)


def test_a_game_that_takes_too_long_is_lost_for_that():
    assert "60 clicks" in teach.why_lost(CHASE, grid("#A#"), steps=60)
