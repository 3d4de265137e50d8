"""The project folder: what is saved comes back; what the studio did not write is refused and never overwritten."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from shown.errors import BadInput
from shown.games import find
from shown.games.levels import Level
from shown.grid import grid
from shown.studio import forms, teach
from shown.studio.desk import Desk
from shown.studio.project import Painted, Project, Saved, Settings

NIM = find("nim")


@pytest.fixture
def project(tmp_path):
    with Project(tmp_path / "project") as opened:
        yield opened


def win(desk: Desk) -> None:
    before = len(desk.lesson.recordings)
    while len(desk.lesson.recordings) == before:
        desk.click(desk.game.expert(desk.lesson.table.attempt.grid))


def test_settings_come_back(project):
    settings = Settings("chase", 50_000, forgiving=True, toured=True)
    project.save_settings(settings)
    assert project.settings() == settings


def test_a_lesson_comes_back_click_by_click(project):
    desk = Desk(project, "nim")
    win(desk)
    desk.click(desk.game.expert(desk.lesson.table.attempt.grid))
    assert Desk(project, "nim").lesson == desk.lesson


def test_undo_after_a_restart_takes_back_the_clicks_of_the_game_in_play(project):
    desk = Desk(project, "nim")
    before = desk.lesson
    desk.click(desk.game.expert(desk.lesson.table.attempt.grid))
    again = Desk(project, "nim")
    again.undo()
    assert again.lesson == before
    again.redo()
    assert again.lesson == desk.lesson


def test_undo_crosses_the_end_of_a_game(project):
    desk = Desk(project, "nim")
    win(desk)
    desk.undo()
    assert desk.lesson.recordings == ()
    assert desk.lesson.table.attempt.steps
    desk.redo()
    assert len(desk.lesson.recordings) == 1


def test_after_a_win_the_next_lesson_is_laid_out_and_after_all_lessons_a_random_level(project):
    desk = Desk(project, "nim")
    for i in range(len(desk.lessons)):
        assert desk.lesson.table.attempt.level.name == desk.lessons[i].name
        desk.expert()
    assert desk.lesson.table.attempt.level.name.startswith("random:")


def test_levels_to_watch_were_never_shown(project):
    desk = Desk(project, "nim")
    first = desk.unseen(1)[0]
    desk.take_level(first.name)
    desk.expert()
    assert first.grid not in [level.grid for level in desk.unseen(12)]


def test_a_level_is_never_a_path(project, tmp_path):
    desk = Desk(project, "nim")
    (tmp_path / "levels.json").write_text('{"game": "nim", "levels": ["|.\\n||"]}')
    for name in (
        str(tmp_path / "levels.json"),
        "../levels.json",
        "train:../0",
        "train:0-3",
        "painted:1",
        "test:99",
        "",
    ):
        with pytest.raises(BadInput, match="no level"):
            desk.level(name)


def test_painted_levels_come_back_legal_or_not(project):
    desk = Desk(project, "nim")
    assert desk.paint(None, grid("|.", "||"))["legal"]
    wrong = desk.paint(None, grid("|.", ".|"))
    assert not wrong["legal"]
    assert wrong["cell"] == [0, 0]
    assert "row 1, column 1" in wrong["reason"]
    assert Desk(project, "nim").painted == desk.painted
    desk.unpaint(1)
    assert [p.id for p in Desk(project, "nim").painted] == [2]


def test_what_was_learned_comes_back(project):
    saved = Saved({"any": "thing"}, "abc", {"programs": 10.0}, [(1, -2.5)])
    project.save_learned(NIM, saved)
    assert project.learned(NIM) == saved
    project.drop_learned(NIM)
    assert project.learned(NIM) is None


def test_a_folder_is_open_in_one_studio_only(project):
    with pytest.raises(BadInput, match="already open"):
        Project(project.folder)
    project.close()
    Project(project.folder).close()


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="--project"):
        Project(tmp_path / "file" / "project")


def _write(project: Project, name: str, content: str) -> Path:
    path = project.folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(content)
    return path


DEEP = "[" * 5000 + "]" * 5000
HOSTILE = [
    "",
    "null",
    "[]",
    "{",
    DEEP,
    '{"schema": 1e999}',
    '{"schema": "shown/studio-lesson/1"}',
    "\ufeff{}",
    '{"a":1,"a":2}',
]


@pytest.mark.parametrize("content", HOSTILE)
@pytest.mark.parametrize("name", ["nim/lesson.json", "nim/table.jsonl", "nim/levels.json"])
def test_hostile_files_are_an_error_that_names_them_and_are_left_as_they_are(project, name, content):
    path = _write(project, name, content)
    with pytest.raises(BadInput, match=os.path.basename(name)):
        Desk(project, "nim")
    assert path.read_text() == content


@pytest.mark.parametrize("content", [*HOSTILE, '{"schema": "shown/studio-project/1", "game": "../etc", "programs": 1}'])
def test_hostile_settings_are_an_error(project, content):
    _write(project, "project.json", content)
    with pytest.raises(BadInput, match=r"project\.json"):
        project.settings()


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("next", 0),
        ("next", True),
        ("notes", []),
        ("notes", [{"id": 1, "kind": "spell", "learn": True, "edited": False, "last": ["|."]}]),
        ("notes", [{"id": 1, "kind": "shown", "learn": "yes", "edited": False, "last": ["|."]}]),
        ("notes", [{"id": 1, "kind": "shown", "learn": True, "edited": False, "last": ["|x"]}]),
        ("notes", [{"id": 2**60, "kind": "shown", "learn": True, "edited": False, "last": ["|."]}]),
        ("demonstrations", None),
    ],
)
def test_a_lesson_with_one_thing_wrong_is_an_error(project, key, value):
    desk = Desk(project, "nim")
    win(desk)
    whole = forms.lesson_to_json(NIM, desk.lesson)
    _write(project, "nim/lesson.json", json.dumps({**whole, key: value}))
    with pytest.raises(BadInput, match=r"lesson\.json"):
        Desk(project, "nim")


def test_a_table_that_cannot_have_been_played_is_an_error(project):
    lines = forms.table_to_lines(teach.lay(Level("train:0", grid("|.", "||")), seed=1))
    clicks = [[0, 0], [1, 0], [1, 1], [0, 0], [0, 0]]
    _write(project, "nim/table.jsonl", "".join(f"{line}\n" for line in [*lines, *map(json.dumps, clicks)]))
    with pytest.raises(BadInput, match=r"table\.jsonl"):
        Desk(project, "nim")


def test_a_click_cut_short_by_the_power_is_not_a_click(project):
    desk = Desk(project, "chase")
    for cell in ((0, 0), (0, 1), (0, 2)):
        desk.click(cell)
    path = project.folder / "chase" / "table.jsonl"
    whole = path.read_text()
    for cut in range(len(whole) - 1, whole.index("\n"), -1):
        path.write_text(whole[:cut])
        assert len(Desk(project, "chase").lesson.table.attempt.steps) == whole[:cut].count("\n") - 1


def test_a_lesson_of_another_game_is_an_error(project):
    desk = Desk(project, "nim")
    win(desk)
    content = (project.folder / "nim" / "lesson.json").read_text()
    _write(project, "chase/lesson.json", content)
    with pytest.raises(BadInput, match="chase"):
        Desk(project, "chase")


def test_a_named_pipe_is_refused_instead_of_waited_for(project):
    (project.folder / "nim").mkdir()
    os.mkfifo(project.folder / "nim" / "lesson.json")
    with pytest.raises(BadInput, match="plain file"):
        Desk(project, "nim")


def test_files_are_set_aside_whole(project):
    _write(project, "nim/lesson.json", "{")
    name = project.set_aside(NIM)
    assert (project.folder / name / "lesson.json").read_text() == "{"
    assert Desk(project, "nim").lesson.recordings == ()


def test_a_write_that_fails_leaves_what_was_there(project, monkeypatch):
    desk = Desk(project, "nim")
    win(desk)
    before = (project.folder / "nim" / "lesson.json").read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    lesson = desk.lesson
    for change in (desk.expert, desk.undo):
        with pytest.raises(BadInput, match="cannot be written"):
            change()
    assert desk.lesson == lesson
    assert (project.folder / "nim" / "lesson.json").read_bytes() == before
    assert not [p for p in (project.folder / "nim").iterdir() if p.suffix == ".tmp"]


def test_only_so_many_painted_levels(project):
    level = Level("painted:1", grid("|.", "||"))
    project.save_painted(NIM, tuple(Painted(i, level) for i in range(1, 300)))
    with pytest.raises(BadInput, match="at most 200"):
        project.painted(NIM)
