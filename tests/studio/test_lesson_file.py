"""Lessons to share: one file to send and to open; whole or not at all, and never code."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from serving import Refused
from shown.cli import main
from shown.errors import BadInput
from shown.grid import grid
from shown.policy import uniform_policy
from shown.studio.project import Project
from shown.studio.workspace import Workspace
from shown.teaching.interpretation.interpretations import Interpretation
from shown.teaching.lessons.lesson_file import SCHEMA, LessonFile, load_lesson, policy_of
from shown.teaching.lessons.preferences import Preferences
from shown.teaching.lessons.remarks import Remark, written
from shown.teaching.lessons.scores import Score
from shown.worlds import find
from shown.worlds import find as find_world

NIM = find("nim")
LEVEL = grid("|.", "||")


@pytest.fixture
def shared(project):
    workspace = Workspace(project, find("nim"))
    for _ in range(2):
        workspace.expert()
    workspace.set_learn(1, False)
    preferences = Preferences(500, Interpretation("equivalent", "any"), mirrored=False)
    workspace.say(written(NIM, "at_action_cell(cell_is_value(matchstick))"))
    policy = uniform_policy(NIM.tokens, "nim").to_json()
    tried, scores = [["exact clicks", True, 0.5]], (Score("x", 2, 1, 9, 0, 31, 40),)
    return LessonFile(
        NIM, workspace.lesson.recordings, (LEVEL,), preferences, policy, workspace.lesson.remarks, tried, scores
    )


def sent(shared: LessonFile) -> dict:
    return json.loads(json.dumps(shared.to_json()))


def test_what_is_sent_is_what_is_opened(shared):
    assert LessonFile.from_json(sent(shared), lambda name: NIM, "it") == shared
    assert len(shared.demonstrations) == 1


def test_a_lesson_is_added_to_what_is_there_and_can_be_undone(shared, tmp_path):
    with Project(tmp_path / "other") as project:
        workspace = Workspace(project, find("nim"))
        workspace.expert()
        workspace.add_lesson(shared, with_remarks=True)
        assert workspace.lesson.remarks == shared.remarks
        assert [r.id for r in workspace.lesson.recordings] == [1, 2, 3]
        assert [r.learn for r in workspace.lesson.recordings] == [True, False, True]
        assert Workspace(project, find("nim")).lesson.recordings == workspace.lesson.recordings
        workspace.undo()
        assert len(workspace.lesson.recordings) == 1


def test_what_was_said_of_the_rule_comes_along_where_nothing_was_shown(shared, tmp_path):
    with Project(tmp_path / "other") as project:
        workspace = Workspace(project, find("nim"))
        workspace.add_lesson(shared, with_remarks=True)
        assert Workspace(project, find("nim")).lesson.remarks == shared.remarks
        workspace.add_lesson(shared, with_remarks=False)
        assert workspace.lesson.remarks == shared.remarks


def test_a_correction_in_a_world_says_how_it_is_played_to(tmp_path):
    lake = find_world("gym:FrozenLake-v1")
    with Project(tmp_path / "lake") as project:
        workspace = Workspace(project, lake)
        workspace.correct("seed:3", workspace.level("seed:3").grid, ("down", "down"))
        workspace.click("right")
        kept = workspace.lesson.recordings[0]
        assert kept.before == ("down", "down")
        again = LessonFile.from_json(sent(LessonFile(lake, workspace.lesson.recordings)), lambda name: lake, "it")
        assert again.recordings == workspace.lesson.recordings
        assert Workspace(project, lake).lesson == workspace.lesson
        workspace.resume(kept.id, 0)
        assert workspace.lesson.in_play.attempt.before == ("down", "down")
        assert workspace.lesson.in_play.attempt.grid == kept.demonstration.steps[0].grid
        with pytest.raises(BadInput, match="must be buttons"):
            workspace.correct("seed:3", workspace.level("seed:3").grid, ("jump",))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"schema": "shown/lesson/99"}, f'"schema" must be "{SCHEMA}"'),
        ({"game": None}, '"game" must be the name of a game'),
        ({"game": "\x1b[2J"}, '"game" must be a name'),
        ({"game": "nmi"}, "nmi is not available here. Install the package that has it"),
        ({"game": "gym:os:system"}, "gym:os:system is not available here. Start the studio with --world"),
        ({"game": "chase"}, "demonstrations of 'nim', but this is 'chase'"),
        ({"lesson": None}, "not a lesson of the studio"),
        ({"lesson": {"schema": "shown/studio-lesson/2"}}, '"demonstrations" must be an object'),
        ({"remarks": None}, '"remarks" must be a list'),
        ({"remarks": [{"kind": "pin", "programs": ["x("], "words": ["x"]}]}, "program 'x('"),
        ({"levels": None}, '"levels" must be a list of at most 200'),
        ({"levels": [["|"]] * 201}, '"levels" must be a list of at most 200'),
        ({"levels": [["|" * 33]]}, "at most 32 rows and columns"),
        ({"levels": [["x"]]}, "'x' is not a token"),
        ({"levels": ["|"]}, "a grid must be a list of rows"),
        ({"preferences": {"programs": 10**9}}, '"programs" must be a whole number'),
        ({"preferences": None}, '"preferences": must be an object'),
        ({"tried": [["exact clicks"]]}, '"tried" must be a list of names'),
        ({"scores": []}, "not scores on the levels random:700000-700039"),
    ],
)
def test_what_cannot_be_opened_says_why(change, reason, shared):
    with pytest.raises(BadInput) as error:
        LessonFile.from_json({**sent(shared), **change}, find, "it")
    assert reason in str(error.value)
    assert "\n" not in str(error.value)


def test_one_bad_demonstration_spoils_the_file(shared):
    value = sent(shared)
    value["lesson"]["demonstrations"]["demonstrations"][1]["steps"][0]["action"] = [99, 99]
    with pytest.raises(BadInput, match="demonstration 1, step 0"):
        LessonFile.from_json(value, find, "it")


@pytest.mark.parametrize("policy", [[], {"schema": "shown/policy/2"}, 3, "import os"])
def test_a_policy_that_is_none_is_an_error(policy):
    with pytest.raises(BadInput, match="the policy"):
        policy_of(NIM, policy, "the policy")


def test_a_policy_of_another_game_is_an_error():
    with pytest.raises(BadInput, match="is not one for nim"):
        policy_of(NIM, uniform_policy(find("chase").tokens, "chase").to_json(), "the policy")


def test_a_file_that_is_too_large_is_not_read(tmp_path):
    path = tmp_path / "large.json"
    path.write_bytes(b" " * (8 * 2**20 + 1))
    with pytest.raises(BadInput, match="larger than 8 MiB"):
        load_lesson(path, find)


def test_a_lesson_travels_from_one_studio_to_another(studio, make_server):
    here = studio
    for _ in range(2):
        here.post("expert", game="nim")
    here.post("paint", game="nim", id=None, rows=["|.", "||"])
    learned = here.learned("nim")
    file = json.loads(here.get("/export/lesson.json?game=nim"))
    there = make_server()
    answer = there.post("import", game="chase", content=file)
    assert (answer["lessonOf"], answer["demonstrations"]) == ("nim", 2)
    view = there.post("open", game="nim")
    sent, come = ([{**card, "id": None} for card in x["recordings"]] for x in (here.post("open", game="nim"), view))
    assert sent == come
    assert [level["rows"] for level in view["painted"]] == [["|.", "||"]]
    assert view["learned"]["state"] == "done"
    assert there.post("run", game="nim", level="test:0", seed=0)["won"]
    assert there.post("open", game="nim")["learned"]["summary"]["clauses"] == learned["summary"]["clauses"]
    # What cannot be opened changes nothing.
    before = there.post("open", game="nim")
    for spoiled in ({**file, "policy": {"schema": "nonsense"}}, {**file, "levels": [["x"]]}):
        with pytest.raises(Refused) as refused:
            there.post("import", game="nim", content=spoiled)
        assert refused.value.status == 400
    assert there.post("open", game="nim") == before


def test_the_commands_take_lessons(shared, tmp_path, make_server, capsys):
    path = tmp_path / "lesson.json"
    path.write_text(json.dumps(sent(shared)))
    assert main(["learn", str(path), "--programs", "500", "--practice", "0", "--quiet"]) == 0
    assert "from 1 demonstration" in capsys.readouterr().out
    server = make_server(tmp_path / "opened", words=(str(path),))
    view = server.post("open", game="nim")
    assert [card["learn"] for card in view["recordings"]] == [False, True]
    assert server.post("hello")["game"] == "nim"
    path.write_text(json.dumps({**sent(shared), "policy": 3}))
    assert main(["studio", "--no-browser", "--project", str(tmp_path / "none"), str(path)]) == 2
    assert "lesson.json, policy" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("chase",), "chase is a game: choose it on the page."),
        (("missing.json",), "missing.json: no such file."),
        (("broken.json",), "broken.json: not valid JSON"),
        (("--project", "broken.json"), "broken.json: is a file, and a project is a folder."),
    ],
)
def test_what_cannot_be_opened_is_one_line(words, reason, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken.json").write_text("{")
    assert main(["studio", "--no-browser", "--port", "0", *words]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"shown: {reason}")
    assert said.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["broken.json"]


def test_recordings_keep_what_was_noted_of_them(shared, tmp_path):
    edited = replace(shared.recordings[0], edited=True, kind="correction")
    with Project(tmp_path / "other") as project:
        workspace = Workspace(project, find("nim"))
        workspace.add_lesson(replace(shared, recordings=(edited,)), with_remarks=False)
        assert replace(workspace.lesson.recordings[0], id=edited.id) == edited


def test_a_lesson_is_learned_as_it_says_on_the_command_line_too(shared, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    accident = Remark("strike", ("at_action_cell(shifted((0, -1), cell_is_value(matchstick)))",), ("x",))
    lesson = replace(shared, remarks=(*shared.remarks, accident), policy=None)
    Path("nim-lesson.json").write_text(json.dumps(lesson.to_json()))
    assert main(["learn", "nim-lesson.json", "--practice", "0", "--quiet", "--json"]) == 0
    told = capsys.readouterr()
    provenance = json.loads(told.out)["provenance"]
    assert provenance["programs"] == 500
    assert Interpretation.from_json(provenance["interpretation"]) == Interpretation("equivalent", "any")
    assert not provenance.get("symmetries")
    assert provenance["constraints"]["struck"] == list(accident.programs)
    assert 'the rule "the clicked cell is a matchstick" allows' in told.err  # at odds with what was shown
    # The command line goes before the lesson.
    words = [
        "--programs",
        "600",
        "--interpretation",
        "exact",
        "--symmetry",
        "declared",
        "--practice",
        "0",
        "--quiet",
        "--json",
    ]
    assert main(["learn", "nim-lesson.json", *words]) == 0
    provenance = json.loads(capsys.readouterr().out)["provenance"]
    assert (provenance["programs"], bool(provenance["symmetries"])) == (600, True)
    assert Interpretation.from_json(provenance["interpretation"]) == Interpretation()


def test_somebody_learns_as_a_lesson_says(shared):
    pupil = replace(shared, remarks=()).pupil()
    assert (pupil.task.programs, pupil.task.symmetries) == (500, ())
    assert pupil.task.interpretations == (Interpretation("equivalent", "any"),)
    assert shared.constraints.pinned == shared.pupil().task.constraints.pinned != ()
