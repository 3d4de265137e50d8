"""The project folder: what is saved comes back; what the studio did not write is refused and never overwritten."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from shown import files
from shown.demonstrations import Demonstration, Demonstrations, Step
from shown.errors import BadInput
from shown.games import find
from shown.games.levels import Level
from shown.grid import grid
from shown.studio import forms, teach
from shown.studio.desk import Desk
from shown.studio.project import Painted, Project
from shown.studio.saved import Saved
from shown.studio.session import Studio
from shown.studio.ways import Settings, Way
from shown.teaching.readings import Reading

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
    settings = Settings("chase", True, {"nim": Way(50_000, Reading("open", "any"), mirrored=False), "chase": Way()})
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
    for i in range(len(desk.place.lessons)):
        assert desk.lesson.table.attempt.level.name == desk.place.lessons[i].name
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
    tried = [["as clicked", False, None], ["in any order", True, 0.75]]
    saved = Saved({"any": "thing", "origin": {"version": "1"}}, "abc", tried)
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
    with pytest.raises(BadInput, match=r"file: is a file, and a project is a folder\. Give another with --project"):
        Project(tmp_path / "file")


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
def test_hostile_demonstrations_are_an_error_that_names_them_and_are_left_as_they_are(project, content):
    path = _write(project, "nim/lesson.json", content)
    with pytest.raises(BadInput, match=r"lesson\.json"):
        Desk(project, "nim")
    assert path.read_text() == content


@pytest.mark.parametrize("content", HOSTILE)
@pytest.mark.parametrize("name", ["table.jsonl", "levels.json"])
def test_a_hostile_table_or_level_hides_nothing_else(project, name, content):
    """It is set aside whole and named, and the demonstrations are there."""
    desk = Desk(project, "nim")
    win(desk)
    path = _write(project, f"nim/{name}", content)
    again = Desk(project, "nim")
    assert again.lesson.recordings == desk.lesson.recordings
    assert len(again.notes) == 1
    assert str(path) in again.notes[0]
    stem, ending = name.split(".")
    assert f"{stem}.set-aside-1.{ending}" in again.notes[0]
    assert (path.parent / f"{stem}.set-aside-1.{ending}").read_text() == content
    assert not Desk(project, "nim").notes


HOSTILE_SETTINGS = [
    {"ways": []},
    {"ways": {"nim": []}},
    {"ways": {"nim": {"programs": 0}}},
    {"ways": {"nim": {"programs": 10, "reading": {"same": "spell"}}}},
    {"ways": {"nim": {"programs": 10, "mirrored": 1}}},
    {"ways": {"nim": {"programs": 10, "language": "klingon"}}},
]


@pytest.mark.parametrize(
    "content", [*HOSTILE, *(json.dumps({"schema": "shown/studio-project/1", **x}) for x in HOSTILE_SETTINGS)]
)
def test_hostile_settings_are_an_error(project, content):
    _write(project, "project.json", content)
    with pytest.raises(BadInput, match=r"project\.json"):
        project.settings()


def _shown_twice(project: Project) -> dict:
    desk = Desk(project, "nim")
    win(desk)
    win(desk)
    return forms.lesson_to_json(NIM, desk.lesson.recordings, desk.lesson.next_id)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("schema", "shown/studio-lesson/0"),
        ("notes", []),
        ("notes", None),
        ("demonstrations", None),
        ("demonstrations", {}),
        ("demonstrations", {"schema": "shown/demonstrations/1", "game": "nim", "tokens": {}, "demonstrations": []}),
    ],
)
def test_what_is_no_lesson_of_the_game_is_an_error(project, key, value):
    whole = _shown_twice(project)
    path = _write(project, "nim/lesson.json", json.dumps({**whole, key: value}))
    with pytest.raises(BadInput, match=r"lesson\.json"):
        Desk(project, "nim")
    assert json.loads(path.read_text())[key] == value


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "spell"},
        {"learn": "yes"},
        {"edited": None},
        {"last": ["|x"]},
        {"last": ["."] * 65},
        {"id": 0},
        {"id": True},
        {"id": 2**60},
        {"id": 1},
        None,
    ],
)
def test_one_bad_note_hides_no_other(project, change):
    whole = _shown_twice(project)
    good = Desk(project, "nim").lesson.recordings[0]
    whole["notes"][1] = None if change is None else {**whole["notes"][1], **change}
    path = _write(project, "nim/lesson.json", json.dumps(whole))
    desk = Desk(project, "nim")
    assert desk.lesson.recordings == (good,)
    assert len(desk.notes) == 1
    assert f"{path}, demonstration 1" in desk.notes[0]
    assert "lesson.set-aside-1.json" in desk.notes[0]
    assert json.loads((path.parent / "lesson.set-aside-1.json").read_text()) == whole
    again = Desk(project, "nim")
    assert (again.lesson.recordings, again.notes) == ((good,), ())


def _as_once_written(whole: dict) -> dict:
    """A lesson as it was written when demonstrations had the clicks as they count, and notes those that were made."""
    for note, item in zip(whole["notes"], whole["demonstrations"]["demonstrations"], strict=True):
        note["clicked"] = [step["action"] for step in item["steps"]]
        for step in item["steps"]:
            step["action"] = [0, 0]
    return {**whole, "schema": "shown/studio-lesson/1"}


def test_a_lesson_of_an_older_studio_is_read_as_it_was_clicked(project):
    whole = _as_once_written(_shown_twice(project))
    recordings = Desk(project, "nim").lesson.recordings
    _write(project, "nim/lesson.json", json.dumps(whole))
    assert Desk(project, "nim").lesson.recordings == recordings


@pytest.mark.parametrize("clicked", [[], [[99, 99]] * 99, None, [[99, 99], [99, 99]]])
def test_one_bad_demonstration_of_an_older_lesson_hides_no_other(project, clicked):
    whole = _as_once_written(_shown_twice(project))
    good = Desk(project, "nim").lesson.recordings[0]
    whole["notes"][1]["clicked"] = clicked
    _write(project, "nim/lesson.json", json.dumps(whole))
    desk = Desk(project, "nim")
    assert desk.lesson.recordings == (good,)
    assert "demonstration 1" in desk.notes[0]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"level": "a\nb"}, "on one line"),
        ({"level": "x" * 201}, "at most 200"),
        ({"outcome": "draw"}, "outcome"),
        ({"steps": []}, "no steps"),
        ({"steps": [{"grid": ["|x"], "action": [0, 0]}]}, "not a token"),
        ({"steps": [{"grid": ["|"] * 65, "action": [0, 0]}]}, "at most 64"),
    ],
)
def test_one_bad_demonstration_hides_no_other(project, change, reason):
    whole = _shown_twice(project)
    good = Desk(project, "nim").lesson.recordings[1]
    whole["demonstrations"]["demonstrations"][0] |= change
    _write(project, "nim/lesson.json", json.dumps(whole))
    desk = Desk(project, "nim")
    assert desk.lesson.recordings == (good,)
    assert "demonstration 0" in desk.notes[0]
    assert reason in desk.notes[0]


@pytest.mark.parametrize("number", [0, True, None, 1, 2**60, "2"])
def test_the_number_of_the_next_demonstration_is_put_right(project, number):
    whole = _shown_twice(project)
    _write(project, "nim/lesson.json", json.dumps({**whole, "next": number}))
    desk = Desk(project, "nim")
    assert desk.lesson.next_id == 3
    win(desk)
    assert [r.id for r in Desk(project, "nim").lesson.recordings] == [1, 2, 3]


def test_one_bad_painted_level_hides_no_other(project):
    desk = Desk(project, "nim")
    desk.paint(None, grid("|.", "||"))
    desk.paint(None, grid("||", "||"))
    path = project.folder / "nim" / "levels.json"
    value = json.loads(path.read_text())
    value["levels"][0]["rows"] = ["?"]
    path.write_text(json.dumps(value))
    again = Desk(project, "nim")
    assert [p.id for p in again.painted] == [2]
    assert "level 0" in again.notes[0]
    assert json.loads((path.parent / "levels.set-aside-1.json").read_text()) == value
    assert not Desk(project, "nim").notes


def _table(**changes: object) -> str:
    lines = forms.table_to_lines(teach.lay(Level("train:0", grid("|.", "||")), seed=1))
    return json.dumps({**json.loads(lines[0]), **changes}) + "\n"


@pytest.mark.parametrize(
    "content",
    [
        _table() + "".join(f"{click}\n" for click in ([0, 0], [1, 0], [1, 1], [0, 0], [0, 0])),
        _table(level="a\nb"),
        _table(level="x" * 201),
        _table(level=None),
        _table(seed=-1),
        _table(kind="spell"),
        _table(recording="1"),
        _table(start=["|"] * 65),
    ],
)
def test_a_table_that_the_studio_could_not_have_written_is_set_aside(project, content):
    _write(project, "nim/table.jsonl", content)
    desk = Desk(project, "nim")
    assert "table.set-aside-1.jsonl" in desk.notes[0]
    assert desk.lesson.table.attempt.steps == ()
    win(desk)
    assert not Desk(project, "nim").notes


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


def test_what_comes_in_is_what_can_be_read_again(project):
    """The same checks on the way in as on the way back: what was acknowledged is there after a restart."""
    desk = Desk(project, "nim")
    board = grid("|.", "||")
    step = Step(board, (0, 0))
    tall = grid(*["|."] * 64, "||")
    for bad in (
        Demonstration((Step(tall, (0, 0)),), "tall"),
        Demonstration((step,), "x" * 201),
        Demonstration((step,), "a\nb"),
        Demonstration((step, Step(tall, (0, 0)), step)),
    ):
        with pytest.raises(BadInput, match="demonstration 1: "):
            desk.add(Demonstrations(NIM.tokens, (Demonstration((step,)), bad), "nim"))
        assert desk.lesson.recordings == ()
    desk.add(Demonstrations(NIM.tokens, (Demonstration((step,), "x" * 200), Demonstration((step,))), "nim"))
    desk.resume(1, 0)
    again = Desk(project, "nim")
    assert again.lesson == desk.lesson
    assert not again.notes


def test_what_would_be_too_large_to_be_read_is_refused(project, monkeypatch):
    desk = Desk(project, "nim")
    win(desk)
    path = project.folder / "nim" / "lesson.json"
    before, lesson = path.read_bytes(), desk.lesson
    monkeypatch.setattr(files, "MAX_BYTES", len(before) + 10)
    with pytest.raises(BadInput, match=r"lesson\.json: would be larger"):
        desk.add(lesson.demonstrations(NIM))
    assert desk.lesson is lesson
    assert path.read_bytes() == before


def test_with_the_highest_number_there_is_what_is_shown_can_be_read_again(project):
    whole = _shown_twice(project)
    _write(project, "nim/lesson.json", json.dumps({**whole, "next": forms.MAX_ID - 1}))
    desk = Desk(project, "nim")
    desk.click(desk.game.expert(desk.lesson.table.attempt.grid))
    assert Desk(project, "nim").lesson == desk.lesson
    with pytest.raises(BadInput, match="numbered more demonstrations"):
        desk.expert()


def test_a_disk_that_fills_up_in_the_middle_of_a_click_spoils_nothing(project, monkeypatch):
    desk = Desk(project, "fence-in")
    first, second = desk.lesson.table.attempt.grid.where(".")[:2]
    desk.click(first)
    path = project.folder / "fence-in" / "table.jsonl"
    before = path.read_bytes()
    real = os.fdopen

    def nearly_full(fd, *arguments, **options):
        file = real(fd, *arguments, **options)
        return _Full(file) if arguments == ("ab",) else file

    with monkeypatch.context() as patch:
        patch.setattr(os, "fdopen", nearly_full)
        with pytest.raises(BadInput, match="cannot be written"):
            desk.click(second)
    assert path.read_bytes() == before
    desk.click(second)
    assert Desk(project, "fence-in").lesson == desk.lesson


class _Full:
    """A file on a disk with room for three more bytes."""

    def __init__(self, file):
        self.file = file

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()

    def __getattr__(self, name):
        return getattr(self.file, name)

    def write(self, data):
        return self.file.write(data[:3])


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
    desk = Desk(project, "nim")
    board = grid("|.", "||")
    desk.paint_more([board] * 198)
    before = desk.painted
    with pytest.raises(BadInput, match="200 painted levels are all"):
        desk.paint_more([board] * 3)
    assert desk.painted is before
    desk.paint_more([board] * 2)
    with pytest.raises(BadInput, match="200 painted levels are all"):
        desk.paint(None, board)
    assert Desk(project, "nim").painted == desk.painted
    project.save_painted(NIM, (*desk.painted, Painted(201, Level("painted:201", board))))
    assert "at most 200" in Desk(project, "nim").notes[0]


@pytest.mark.parametrize("game", ["../etc", "gym:FrozenLake-v1", "uninstalled"])
def test_a_game_that_is_not_here_any_more_does_not_keep_the_project_from_opening(project, game):
    project.save_settings(Settings(game))
    studio = Studio(project)
    assert studio.first is None
    with pytest.raises(BadInput, match="no game of that name"):
        studio.desk(game)
