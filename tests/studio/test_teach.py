"""Lessons: what each thing that a teacher does leads to."""

from __future__ import annotations

from dataclasses import replace

import pytest

from shown.demonstrations import Demonstration, Step
from shown.errors import BadInput
from shown.games import GAMES, find, load_levels, play
from shown.grid import Grid, grid
from shown.studio import teach
from shown.studio.same import as_counted, representative
from shown.studio.teach import History, Lesson

NIM = find("nim")
START = grid("|.", "|.", "||")


def lesson(*kept: Demonstration) -> Lesson:
    result = Lesson((), teach.lay("train:0", START, seed=1))
    for demonstration in kept:
        result = teach.keep(result, "shown", demonstration, START)
    return result


def played() -> Demonstration:
    """A won game of three clicks."""
    table = teach.lay("train:0", START, seed=1)
    for _ in range(9):
        if not table.over:
            table = teach.play_on(NIM, table, NIM.expert(table.grid))
    assert table.won
    return table.demonstration


def test_a_click_is_recorded_with_the_position_before_it():
    table = teach.play_on(NIM, teach.lay("train:0", START, seed=1), (1, 0))
    assert table.steps == (Step(START, (1, 0)),)
    assert table.grid != START


def test_a_click_that_changes_nothing_is_not_recorded():
    table = teach.lay("train:0", START, seed=1)
    assert teach.play_on(NIM, table, (0, 1)) is table


def test_a_click_off_the_grid_leaves_the_table_alone():
    table = teach.lay("train:0", START, seed=1)
    with pytest.raises(BadInput, match="off the grid"):
        teach.play_on(NIM, table, (9, 9))
    assert table.steps == ()


def test_nobody_plays_on_when_the_game_is_over():
    table = teach.lay("train:0", grid("|.", "||"), seed=1)
    table = replace(table, over=True)
    with pytest.raises(BadInput, match="over"):
        teach.play_on(NIM, table, (0, 0))


def test_an_endless_game_ends_with_the_episode():
    chase = find("chase")
    start = grid("#######", "#A...R#", "#.....#", "#######", "<^v>...")
    table = teach.lay("train:0", start, seed=1)
    for i in range(chase.max_steps):
        cell = (1 + i % 2, 2)
        table = replace(table, steps=(*table.steps, Step(table.grid, cell)))
        if len(table.steps) == chase.max_steps - 1:
            break
    table = teach.play_on(chase, table, (4, 2))
    assert table.over
    assert not table.won
    assert table.demonstration.outcome == "lost"


def test_taking_back_a_click_gives_the_position_before_it_and_the_same_chances_after():
    once = teach.play_on(NIM, teach.lay("train:0", START, seed=7), (0, 0))
    twice = teach.play_on(NIM, once, NIM.expert(once.grid))
    assert teach.take_back(NIM, twice) == once
    assert teach.play_on(NIM, teach.take_back(NIM, twice), twice.steps[-1].action) == twice


def test_a_correction_grows_with_every_click_instead_of_multiplying():
    before = Lesson((), teach.lay("test:0", grid("|.", "|.", "|.", "||"), seed=1, kind="correction"))
    one = teach.keep_table(replace(before, table=teach.play_on(NIM, before.table, (0, 0))), NIM)
    two = teach.keep_table(replace(one, table=teach.play_on(NIM, one.table, NIM.expert(one.table.grid))), NIM)
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
    assert len(now.demonstrations(NIM, everything=True)) == 2


def test_undo_and_redo_walk_through_lessons():
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


def test_what_changes_nothing_is_nothing_to_undo():
    now = lesson()
    history = History(now)
    history.do(now)
    assert not history.past


def test_a_lesson_comes_back_from_json_as_it_was():
    now = teach.set_learn(lesson(played(), played()), 2, learn=False)
    assert teach.lesson_from_json(NIM, teach.lesson_to_json(NIM, now), "here") == (now.recordings, now.next_id)


def test_a_table_comes_back_from_json_as_it_was():
    table = teach.play_on(NIM, teach.lay("random:5", START, seed=3), (1, 0))
    assert teach.table_from_lines(NIM, teach.table_to_lines(table), "here") == table


def test_grids_of_requests_are_limited():
    with pytest.raises(BadInput, match="at most 64"):
        teach.grid_from_json(NIM, ["." * 65], "here")
    with pytest.raises(BadInput, match="list of rows"):
        teach.grid_from_json(NIM, "..", "here")
    assert teach.grid_from_json(NIM, ["|."], "here") == Grid(("|.",))


@pytest.mark.parametrize("value", [None, 3, [1], [1, 2, 3], ["1", 2], [True, 0], [-1, 0], [1.5, 0], "x" * 99, {}])
def test_actions_of_requests_are_checked(value):
    with pytest.raises(BadInput):
        teach.action_from_json(value)


CHASE = find("chase")
ROOM = grid("#######", "#A....#", "#....R#", "#######", "<^v>...")


def test_waiting_is_waiting_wherever_one_clicks():
    walls = [cell for cell in ROOM.cells() if ROOM[cell] == "#"]
    assert {representative(CHASE, ROOM, cell) for cell in walls} == {(0, 0)}


def test_clicks_that_lead_elsewhere_count_as_themselves():
    for cell in ROOM.cells():
        if ROOM[cell] == ".":
            assert representative(CHASE, ROOM, cell) == cell


@pytest.mark.parametrize("name", GAMES)
def test_the_expert_s_clicks_count_as_themselves(name):
    game = find(name)
    for level in load_levels(game, "train:0-2"):
        steps = play(game, game.expert, level).steps
        assert as_counted(game, steps) == steps


def test_a_recording_keeps_the_click_as_it_was_made_and_as_it_counts():
    room = grid("#######", "#A.R..#", "#.....#", "#######", "<^v>...")
    before = Lesson((), teach.lay("train:0", room, seed=1))
    after = teach.keep_table(replace(before, table=teach.play_on(CHASE, before.table, (3, 6))), CHASE)
    assert after.recordings[0].clicked == ((3, 6),)
    assert after.recordings[0].demonstration.steps == (Step(room, (0, 0)),)
    assert teach.lesson_from_json(CHASE, teach.lesson_to_json(CHASE, after), "here")[0] == after.recordings
