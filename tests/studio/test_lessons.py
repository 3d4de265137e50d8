"""Lessons to share: one file to send and to open; whole or not at all, and never code."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from serving import Refused
from shown.cli import main
from shown.errors import BadInput
from shown.games import find
from shown.grid import grid
from shown.policy import uniform_policy
from shown.studio.desk import Desk
from shown.studio.lessons import SCHEMA, Shared, lesson_shared, load_lesson, policy_of
from shown.studio.project import Project
from shown.studio.remarks import Remark, written
from shown.studio.research import Score
from shown.studio.ways import Way
from shown.teaching.readings import Reading
from shown.worlds import find as find_world

NIM = find("nim")
LEVEL = grid("|.", "||")


@pytest.fixture
def project(tmp_path):
    with Project(tmp_path / "project") as opened:
        yield opened


@pytest.fixture
def shared(project):
    desk = Desk(project, "nim")
    for _ in range(2):
        desk.expert()
    desk.set_learn(1, False)
    way = Way(500, Reading("open", "any"), mirrored=False)
    desk.say(written(NIM, "at_action_cell(cell_is_value(matchstick))"))
    policy = uniform_policy(NIM.tokens, "nim").to_json()
    tried, scores = [["as clicked", True, 0.5]], (Score("x", 2, 1, 9, 0, 31, 40),)
    return Shared(NIM, desk.lesson.recordings, (LEVEL,), way, policy, desk.lesson.remarks, tried, scores)


def sent(shared: Shared) -> dict:
    return json.loads(json.dumps(shared.to_json()))


def test_what_is_sent_is_what_is_opened(shared):
    assert lesson_shared(sent(shared), lambda name: NIM, "it") == shared
    assert len(shared.demonstrations) == 1


def test_a_lesson_is_added_to_what_is_there_and_can_be_undone(shared, tmp_path):
    with Project(tmp_path / "other") as project:
        desk = Desk(project, "nim")
        desk.expert()
        desk.take_in(shared.recordings, shared.remarks)
        assert desk.lesson.remarks == shared.remarks
        assert [r.id for r in desk.lesson.recordings] == [1, 2, 3]
        assert [r.learn for r in desk.lesson.recordings] == [True, False, True]
        assert Desk(project, "nim").lesson.recordings == desk.lesson.recordings
        desk.undo()
        assert len(desk.lesson.recordings) == 1


def test_what_was_said_of_the_rule_comes_along_where_nothing_was_shown(shared, tmp_path):
    with Project(tmp_path / "other") as project:
        desk = Desk(project, "nim")
        desk.take_in(shared.recordings, shared.remarks)
        assert Desk(project, "nim").lesson.remarks == shared.remarks
        desk.take_in(shared.recordings, ())
        assert desk.lesson.remarks == shared.remarks


def test_a_correction_in_a_world_says_how_it_is_played_to(tmp_path):
    lake = find_world("gym:FrozenLake-v1")
    with Project(tmp_path / "lake") as project:
        desk = Desk(project, lake)
        desk.correct("seed:3", desk.level("seed:3").grid, ("down", "down"))
        desk.click("right")
        kept = desk.lesson.recordings[0]
        assert kept.before == ("down", "down")
        again = lesson_shared(sent(Shared(lake, desk.lesson.recordings)), lambda name: lake, "it")
        assert again.recordings == desk.lesson.recordings
        assert Desk(project, lake).lesson == desk.lesson
        desk.resume(kept.id, 0)
        assert desk.lesson.table.attempt.before == ("down", "down")
        assert desk.lesson.table.attempt.grid == kept.demonstration.steps[0].grid
        with pytest.raises(BadInput, match="must be a list of buttons"):
            desk.correct("seed:3", desk.level("seed:3").grid, ("jump",))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"schema": "shown/lesson/99"}, f'"schema" must be "{SCHEMA}"'),
        ({"game": None}, '"game" must say what it is about'),
        ({"game": "\x1b[2J"}, '"game" must be a name'),
        ({"game": "nmi"}, "is about nmi, which is not here. Install the package that has it"),
        ({"game": "gym:os:system"}, "is about gym:os:system, which is not here. Start the studio with --world"),
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
        ({"way": {"programs": 10**9}}, '"programs" must be a whole number'),
        ({"way": None}, '"way": must be an object'),
        ({"tried": [["as clicked"]]}, '"tried" must be a list of names'),
        ({"scores": []}, "not scores of the studio on the levels random:700000-700039"),
    ],
)
def test_what_cannot_be_opened_says_why(change, reason, shared):
    with pytest.raises(BadInput) as error:
        lesson_shared({**sent(shared), **change}, find, "it")
    assert reason in str(error.value)
    assert "\n" not in str(error.value)


def test_one_bad_demonstration_spoils_the_file(shared):
    value = sent(shared)
    value["lesson"]["demonstrations"]["demonstrations"][1]["steps"][0]["action"] = [99, 99]
    with pytest.raises(BadInput, match="demonstration 1, step 0"):
        lesson_shared(value, find, "it")


@pytest.mark.parametrize("policy", [[], {"schema": "shown/policy/1"}, 3, "import os"])
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


def test_a_lesson_travels_from_one_studio_to_another(make_server, tmp_path):
    here = make_server(tmp_path / "here")
    for _ in range(2):
        here.post("expert", game="nim")
    here.post("paint", game="nim", id=None, rows=["|.", "||"])
    learned = here.learned("nim")
    file = json.loads(here.get("/export/lesson.json?game=nim"))
    there = make_server(tmp_path / "there")
    answer = there.post("import", game="chase", content=file)
    assert (answer["lessonOf"], answer["demonstrations"]) == ("nim", 2)
    view = there.post("open", game="nim")
    assert view["recordings"] == here.post("open", game="nim")["recordings"]
    assert [level["rows"] for level in view["painted"]] == [["|.", "||"]]
    assert view["learned"]["state"] == "done"
    assert there.post("run", game="nim", level="test:0", seed=0)["won"]
    assert there.post("open", game="nim")["learned"]["summary"]["clauses"] == learned["summary"]["clauses"]
    # What cannot be opened changes nothing.
    before = there.post("open", game="nim")
    for spoiled in ({**file, "policy": {"schema": "nonsense"}}, {**file, "levels": [["x"]]}):
        with pytest.raises(Refused) as refused:
            there.post("import", game="nim", content=spoiled)
        assert refused.value.status in (400, 503)
    assert there.post("open", game="nim") == before


def test_the_commands_take_lessons(shared, tmp_path, make_server, capsys):
    path = tmp_path / "lesson.json"
    path.write_text(json.dumps(sent(shared)))
    assert main(["learn", str(path), "--programs", "500", "--practise", "0", "--quiet"]) == 0
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
        desk = Desk(project, "nim")
        desk.take_in((edited,))
        assert replace(desk.lesson.recordings[0], id=edited.id) == edited


def test_a_lesson_is_learned_as_it_says_on_the_command_line_too(shared, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    accident = Remark("strike", ("at_action_cell(shifted((0, -1), cell_is_value(matchstick)))",), ("x",))
    lesson = replace(shared, remarks=(*shared.remarks, accident), policy=None)
    Path("nim-lesson.json").write_text(json.dumps(lesson.to_json()))
    assert main(["learn", "nim-lesson.json", "--practise", "0", "--quiet", "--json"]) == 0
    told = capsys.readouterr()
    origin = json.loads(told.out)["origin"]
    assert origin["programs"] == 500
    assert Reading.from_json(origin["reading"]) == Reading("open", "any")
    assert not origin.get("symmetry")
    assert origin["conditions"]["struck"] == list(accident.programs)
    assert 'the rule "the clicked cell is a matchstick" allows' in told.err  # at odds with what was shown
    # The command line goes before the lesson.
    words = ["--programs", "600", "--reading", "clicked", "--symmetry", "--practise", "0", "--quiet", "--json"]
    assert main(["learn", "nim-lesson.json", *words]) == 0
    origin = json.loads(capsys.readouterr().out)["origin"]
    assert (origin["programs"], bool(origin["symmetry"])) == (600, True)
    assert Reading.from_json(origin["reading"]) == Reading()


def test_somebody_learns_as_a_lesson_says(shared):
    pupil = replace(shared, remarks=()).pupil()
    assert (pupil.programs, pupil.readings, pupil.symmetries) == (500, [Reading("open", "any")], ())
    assert shared.conditions.pinned == shared.pupil().conditions.pinned != ()
