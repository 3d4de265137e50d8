"""The project folder: what is saved comes back; what the studio did not write is refused and never overwritten."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from shown import files
from shown.demonstrations import Demonstration, Demonstrations, Step
from shown.errors import BadInput
from shown.grid import grid
from shown.studio.project import Project, Settings
from shown.studio.session import Studio
from shown.studio.workspace import Workspace
from shown.teaching.interpretation.interpretations import Interpretation
from shown.teaching.lessons import lesson as teach
from shown.teaching.lessons import lesson_json as forms
from shown.teaching.lessons.preferences import Preferences
from shown.teaching.lessons.saved_policy import SavedPolicy
from shown.worlds import Level, demonstrate, find, load_levels

NIM = find("nim")


def win(workspace: Workspace) -> None:
    before = len(workspace.lesson.recordings)
    while len(workspace.lesson.recordings) == before:
        workspace.click(workspace.game.expert(workspace.lesson.in_play.attempt.grid))


def test_settings_come_back(project):
    settings = Settings(
        "chase",
        True,
        {"nim": Preferences(50_000, Interpretation("equivalent", "any"), mirrored=False), "chase": Preferences()},
    )
    project.save_settings(settings)
    assert project.settings() == settings


def test_a_lesson_comes_back_click_by_click(project):
    workspace = Workspace(project, find("nim"))
    win(workspace)
    workspace.click(workspace.game.expert(workspace.lesson.in_play.attempt.grid))
    assert Workspace(project, find("nim")).lesson == workspace.lesson


def test_undo_after_a_restart_takes_back_the_clicks_of_the_game_in_play(project):
    workspace = Workspace(project, find("nim"))
    before = workspace.lesson
    workspace.click(workspace.game.expert(workspace.lesson.in_play.attempt.grid))
    again = Workspace(project, find("nim"))
    again.undo()
    assert again.lesson == before
    again.redo()
    assert again.lesson == workspace.lesson


def test_undo_crosses_the_end_of_a_game(project):
    workspace = Workspace(project, find("nim"))
    win(workspace)
    workspace.undo()
    assert workspace.lesson.recordings == ()
    assert workspace.lesson.in_play.attempt.steps
    workspace.redo()
    assert len(workspace.lesson.recordings) == 1


def test_after_a_win_the_next_lesson_is_laid_out_and_after_all_lessons_a_random_level(project):
    workspace = Workspace(project, find("nim"))
    for i in range(len(workspace.starts.lessons)):
        assert workspace.lesson.in_play.attempt.level.name == workspace.starts.lessons[i].name
        workspace.expert()
    assert workspace.lesson.in_play.attempt.level.name.startswith("random:")


def test_the_level_on_the_table_stays_there_when_others_are_imported(tmp_path):
    """It had no file yet, so that after a restart another level was laid out."""
    nim = find("nim")
    with Project(tmp_path) as project:
        workspace = Workspace(project, nim)
        workspace.add(demonstrate(nim, load_levels(nim, "train:0-2")))
        wanted = workspace.view()
    with Project(tmp_path) as project:
        assert Workspace(project, nim).view()["table"] == wanted["table"]


def test_levels_to_watch_were_never_shown(project):
    workspace = Workspace(project, find("nim"))
    first = workspace.unseen(1)[0]
    workspace.take_level(first.name)
    workspace.expert()
    assert first.grid not in [level.grid for level in workspace.unseen(12)]


def test_a_level_is_never_a_path(project, tmp_path):
    workspace = Workspace(project, find("nim"))
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
            workspace.level(name)


def test_painted_levels_come_back_legal_or_not(project):
    workspace = Workspace(project, find("nim"))
    assert workspace.paint(None, grid("|.", "||"))["legal"]
    wrong = workspace.paint(None, grid("|.", ".|"))
    assert not wrong["legal"]
    assert wrong["cell"] == [0, 0]
    assert "row 1, column 1" in wrong["reason"]
    assert Workspace(project, find("nim")).painted == workspace.painted
    workspace.unpaint(1)
    assert list(Workspace(project, find("nim")).painted) == [2]


def test_what_was_learned_comes_back(project):
    tried = [["exact clicks", False, None], ["exact clicks, in any order", True, 0.75]]
    saved = SavedPolicy({"components": [], "provenance": {"version": "1"}}, "abc", tried)
    project.save_learned(NIM, saved)
    assert project.learned(NIM) == saved
    project.drop_learned(NIM)
    assert project.learned(NIM) is None


def test_a_folder_is_open_in_one_studio_only(project):
    with pytest.raises(BadInput, match="already open"):
        Project(project.path)
    project.close()
    Project(project.path).close()


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="--project"):
        Project(tmp_path / "file" / "project")
    with pytest.raises(BadInput, match=r"file: is a file, and a project is a folder\. Give another with --project"):
        Project(tmp_path / "file")


def _write(project: Project, name: str, content: str) -> Path:
    path = project.path / name
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
        Workspace(project, find("nim"))
    assert path.read_text() == content


@pytest.mark.parametrize("content", HOSTILE)
@pytest.mark.parametrize("name", ["table.jsonl", "levels.json"])
def test_a_hostile_table_or_level_hides_nothing_else(project, name, content):
    """It is set aside whole and named, and the demonstrations are there."""
    workspace = Workspace(project, find("nim"))
    win(workspace)
    path = _write(project, f"nim/{name}", content)
    again = Workspace(project, find("nim"))
    assert again.lesson.recordings == workspace.lesson.recordings
    assert len(again.notes) == 1
    assert str(path) in again.notes[0]
    stem, ending = name.split(".")
    assert f"{stem}.set-aside-1.{ending}" in again.notes[0]
    assert (path.parent / f"{stem}.set-aside-1.{ending}").read_text() == content
    assert not Workspace(project, find("nim")).notes


HOSTILE_SETTINGS = [
    {"preferences": []},
    {"preferences": {"nim": []}},
    {"preferences": {"nim": {"programs": 0}}},
    {"preferences": {"nim": {"programs": 10, "interpretation": {"clicks": "spell"}}}},
    {"preferences": {"nim": {"programs": 10, "mirrored": 1}}},
    {"preferences": {"nim": {"programs": 10, "language": "klingon"}}},
]


@pytest.mark.parametrize(
    "content", [*HOSTILE, *(json.dumps({"schema": "shown/studio-project/2", **x}) for x in HOSTILE_SETTINGS)]
)
def test_hostile_settings_are_an_error(project, content):
    _write(project, "project.json", content)
    with pytest.raises(BadInput, match=r"project\.json"):
        project.settings()


def _shown_twice(project: Project) -> dict:
    workspace = Workspace(project, find("nim"))
    win(workspace)
    win(workspace)
    return forms.lesson_to_json(NIM, workspace.lesson.recordings, workspace.lesson.next_id)


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
        Workspace(project, find("nim"))
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
    good = Workspace(project, find("nim")).lesson.recordings[0]
    whole["notes"][1] = None if change is None else {**whole["notes"][1], **change}
    path = _write(project, "nim/lesson.json", json.dumps(whole))
    workspace = Workspace(project, find("nim"))
    assert workspace.lesson.recordings == (good,)
    assert len(workspace.notes) == 1
    assert f"{path}, demonstration 1" in workspace.notes[0]
    assert "lesson.set-aside-1.json" in workspace.notes[0]
    assert json.loads((path.parent / "lesson.set-aside-1.json").read_text()) == whole
    again = Workspace(project, find("nim"))
    assert (again.lesson.recordings, again.notes) == ((good,), ())


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
    good = Workspace(project, find("nim")).lesson.recordings[1]
    whole["demonstrations"]["demonstrations"][0] |= change
    _write(project, "nim/lesson.json", json.dumps(whole))
    workspace = Workspace(project, find("nim"))
    assert workspace.lesson.recordings == (good,)
    assert "demonstration 0" in workspace.notes[0]
    assert reason in workspace.notes[0]


@pytest.mark.parametrize("number", [0, True, None, 1, 2**60, "2"])
def test_the_number_of_the_next_demonstration_is_put_right(project, number):
    whole = _shown_twice(project)
    _write(project, "nim/lesson.json", json.dumps({**whole, "next": number}))
    workspace = Workspace(project, find("nim"))
    assert workspace.lesson.next_id == 3
    win(workspace)
    assert [r.id for r in Workspace(project, find("nim")).lesson.recordings] == [1, 2, 3]


def test_one_bad_painted_level_hides_no_other(project):
    workspace = Workspace(project, find("nim"))
    workspace.paint(None, grid("|.", "||"))
    workspace.paint(None, grid("||", "||"))
    path = project.path / "nim" / "levels.json"
    value = json.loads(path.read_text())
    value["levels"][0]["rows"] = ["?"]
    path.write_text(json.dumps(value))
    again = Workspace(project, find("nim"))
    assert list(again.painted) == [2]
    assert "level 0" in again.notes[0]
    assert json.loads((path.parent / "levels.set-aside-1.json").read_text()) == value
    assert not Workspace(project, find("nim")).notes


def _table(**changes: object) -> str:
    lines = forms.in_play_to_lines(teach.begin_level(Level("train:0", grid("|.", "||")), seed=1))
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
    workspace = Workspace(project, find("nim"))
    assert "table.set-aside-1.jsonl" in workspace.notes[0]
    assert workspace.lesson.in_play.attempt.steps == ()
    win(workspace)
    assert not Workspace(project, find("nim")).notes


def test_a_click_cut_short_by_the_power_is_not_a_click(project):
    workspace = Workspace(project, find("chase"))
    for cell in ((0, 0), (0, 1), (0, 2)):
        workspace.click(cell)
    path = project.path / "chase" / "table.jsonl"
    whole = path.read_text()
    for cut in range(len(whole) - 1, whole.index("\n"), -1):
        path.write_text(whole[:cut])
        assert len(Workspace(project, find("chase")).lesson.in_play.attempt.steps) == whole[:cut].count("\n") - 1


def test_a_lesson_of_another_game_is_an_error(project):
    workspace = Workspace(project, find("nim"))
    win(workspace)
    content = (project.path / "nim" / "lesson.json").read_text()
    _write(project, "chase/lesson.json", content)
    with pytest.raises(BadInput, match="chase"):
        Workspace(project, find("chase"))


def test_a_named_pipe_is_refused_instead_of_waited_for(project):
    (project.path / "nim").mkdir()
    os.mkfifo(project.path / "nim" / "lesson.json")
    with pytest.raises(BadInput, match="plain file"):
        Workspace(project, find("nim"))


def test_what_comes_in_is_what_can_be_read_again(project):
    """The same checks on the way in as on the way back: what was acknowledged is there after a restart."""
    workspace = Workspace(project, find("nim"))
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
            workspace.add(Demonstrations(NIM.tokens, (Demonstration((step,)), bad), "nim"))
        assert workspace.lesson.recordings == ()
    workspace.add(Demonstrations(NIM.tokens, (Demonstration((step,), "x" * 200), Demonstration((step,))), "nim"))
    workspace.resume(1, 0)
    again = Workspace(project, find("nim"))
    assert again.lesson == workspace.lesson
    assert not again.notes


def test_what_would_be_too_large_to_be_read_is_refused(project, monkeypatch):
    workspace = Workspace(project, find("nim"))
    win(workspace)
    path = project.path / "nim" / "lesson.json"
    before, lesson = path.read_bytes(), workspace.lesson
    monkeypatch.setattr(files, "MAX_BYTES", len(before) + 10)
    with pytest.raises(BadInput, match=r"lesson\.json: would be larger"):
        workspace.add(lesson.demonstrations(NIM))
    assert workspace.lesson is lesson
    assert path.read_bytes() == before


def test_with_the_highest_number_there_is_what_is_shown_can_be_read_again(project):
    whole = _shown_twice(project)
    _write(project, "nim/lesson.json", json.dumps({**whole, "next": forms.MAX_ID - 1}))
    workspace = Workspace(project, find("nim"))
    workspace.click(workspace.game.expert(workspace.lesson.in_play.attempt.grid))
    assert Workspace(project, find("nim")).lesson == workspace.lesson
    with pytest.raises(BadInput, match="used all numbers"):
        workspace.expert()


def test_a_disk_that_fills_up_in_the_middle_of_a_click_spoils_nothing(project, monkeypatch):
    workspace = Workspace(project, find("fence-in"))
    first, second = workspace.lesson.in_play.attempt.grid.where(".")[:2]
    workspace.click(first)
    path = project.path / "fence-in" / "table.jsonl"
    before = path.read_bytes()
    real = os.fdopen

    def nearly_full(fd, *arguments, **options):
        file = real(fd, *arguments, **options)
        return _Full(file) if arguments == ("ab",) else file

    with monkeypatch.context() as patch:
        patch.setattr(os, "fdopen", nearly_full)
        with pytest.raises(BadInput, match="cannot be written"):
            workspace.click(second)
    assert path.read_bytes() == before
    workspace.click(second)
    assert Workspace(project, find("fence-in")).lesson == workspace.lesson


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
    name = project.set_game_aside(NIM)
    assert (project.path / name / "lesson.json").read_text() == "{"
    assert Workspace(project, find("nim")).lesson.recordings == ()


def test_a_write_that_fails_leaves_what_was_there(project, monkeypatch):
    workspace = Workspace(project, find("nim"))
    win(workspace)
    before = (project.path / "nim" / "lesson.json").read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    lesson = workspace.lesson
    for change in (workspace.expert, workspace.undo):
        with pytest.raises(BadInput, match="cannot be written"):
            change()
    assert workspace.lesson == lesson
    assert (project.path / "nim" / "lesson.json").read_bytes() == before
    assert not [p for p in (project.path / "nim").iterdir() if p.suffix == ".tmp"]


def test_only_so_many_painted_levels(project):
    workspace = Workspace(project, find("nim"))
    board = grid("|.", "||")
    workspace.paint_more([board] * 198)
    before = workspace.painted
    with pytest.raises(BadInput, match="at most 200 painted levels"):
        workspace.paint_more([board] * 3)
    assert workspace.painted is before
    workspace.paint_more([board] * 2)
    with pytest.raises(BadInput, match="at most 200 painted levels"):
        workspace.paint(None, board)
    assert Workspace(project, find("nim")).painted == workspace.painted
    project.save_painted(NIM, {**workspace.painted, 201: board})
    assert "at most 200" in Workspace(project, find("nim")).notes[0]


@pytest.mark.parametrize("game", ["../etc", "gym:FrozenLake-v1", "uninstalled"])
def test_a_game_that_is_not_here_any_more_does_not_keep_the_project_from_opening(project, game):
    project.save_settings(Settings(game))
    studio = Studio(project)
    assert studio.first is None
    with pytest.raises(BadInput, match="no game of that name"):
        studio.catalog.find(game)
