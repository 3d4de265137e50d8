"""What a teacher says of the rule: kept in the project, undone like everything else, and learned under."""

from __future__ import annotations

import json

import pytest

from serving import Refused
from shown.errors import BadInput
from shown.policy import Policy
from shown.studio.workspace import Workspace
from shown.teaching.lessons.remarks import Remark, constraints_of, remarks_from_json, remarks_to_json, written
from shown.worlds import find

NIM = find("nim")
STICK = "at_action_cell(cell_is_value(matchstick))"
LEFT = "at_action_cell(shifted((0, -1), cell_is_value(empty)))"
SCHEMA = "shown/studio-remarks/1"


# --- in the project ---------------------------------------------------------------------------------------------------


def test_what_was_said_comes_back_and_goes_through_undo(project):
    workspace = Workspace(project, find("nim"))
    workspace.say(written(NIM, f"{STICK} and not {LEFT}"))
    workspace.say(Remark("strike", (LEFT.replace("empty", "OFF"),), ("the cell left of it is off the grid",)))
    assert Workspace(project, find("nim")).lesson.remarks == workspace.lesson.remarks
    both = workspace.lesson.remarks
    workspace.unsay(0)
    assert Workspace(project, find("nim")).lesson.remarks == both[1:]
    workspace.undo()
    assert Workspace(project, find("nim")).lesson.remarks == both
    workspace.undo()
    workspace.undo()
    assert Workspace(project, find("nim")).lesson.remarks == ()
    workspace.redo()
    assert Workspace(project, find("nim")).lesson.remarks == both[:1]


def test_the_same_is_not_said_twice(project):
    workspace = Workspace(project, find("nim"))
    for _ in range(2):
        workspace.say(written(NIM, STICK))
    assert len(workspace.lesson.remarks) == 1


def test_a_project_in_which_nothing_was_ever_said_has_no_file_for_it(project):
    Workspace(project, find("nim")).expert()
    assert not (project.path / "nim" / "remarks.json").exists()
    assert Workspace(project, find("nim")).lesson.remarks == ()


def file_of(**remark):
    return json.dumps({"schema": SCHEMA, "game": "nim", "remarks": [{"kind": "pin", "words": ["x"], **remark}]})


@pytest.mark.parametrize(
    "content",
    [
        "nonsense",
        "[]",
        json.dumps({"schema": SCHEMA, "game": "chase", "remarks": []}),
        json.dumps({"schema": SCHEMA, "game": "nim", "remarks": {}}),
        file_of(programs=[STICK], kind="praise"),
        file_of(programs=["x("]),
        file_of(programs=[STICK], words=["a\nb"]),
        file_of(programs=[]),
    ],
)
def test_what_cannot_be_read_is_set_aside_and_hides_nothing_else(project, content):
    workspace = Workspace(project, find("nim"))
    workspace.expert()
    (project.path / "nim" / "remarks.json").write_text(content)
    again = Workspace(project, find("nim"))
    assert again.lesson.remarks == ()
    assert len(again.lesson.recordings) == 1
    (note,) = again.notes
    assert "It is now called remarks.set-aside-1.json" in note
    assert (project.path / "nim" / "remarks.set-aside-1.json").read_text() == content


def test_what_is_said_is_checked_before_it_is_kept(project):
    workspace = Workspace(project, find("nim"))
    workspace.say(written(NIM, STICK))
    with pytest.raises(BadInput, match="is pinned, but"):
        workspace.say(Remark("strike", (STICK,), ("x",)))
    with pytest.raises(BadInput, match="the sentence: program"):
        written(NIM, "at_action_cell(cell_is_value(matchstik))")
    with pytest.raises(BadInput, match="taken back already"):
        workspace.unsay(7)
    assert Workspace(project, find("nim")).lesson.remarks == workspace.lesson.remarks


def test_only_so_many_remarks():
    many = tuple(Remark("strike", (LEFT.replace("-1", f"-{i}"),), ("x",)) for i in range(1, 52))
    with pytest.raises(BadInput, match="at most 50 remarks"):
        constraints_of(NIM, many)
    assert remarks_from_json(NIM, remarks_to_json(NIM, many[:50]), "file") == many[:50]


# --- learning ---------------------------------------------------------------------------------------------------------


def test_it_learns_under_what_was_said_and_nothing_is_lost_by_a_kill(make_server):
    server = make_server()
    for _ in range(2):
        server.post("expert", game="nim")
    learned = server.learned("nim")
    phrase = learned["summary"]["clauses"][0][1]
    lesson = server.post("strike", game="nim", clause=0, phrase=1, version=learned["version"])["lesson"]
    ((kind, (struck,)),) = [(remark["kind"], remark["words"]) for remark in lesson["remarks"]]
    assert kind == "strike"
    assert phrase.startswith(struck)
    learned = server.learned("nim")
    assert learned["state"] == "done"
    assert not any(struck in phrase for clause in learned["summary"]["clauses"] for phrase in clause)
    assert not any(learned["summary"]["pinned"])

    server.post("pin", game="nim", clause=0, version=learned["version"])
    kept = server.learned("nim")
    assert kept["summary"]["clauses"] == learned["summary"]["clauses"]
    assert kept["summary"]["pinned"][0] is not None

    server.post("write", game="nim", rule=STICK)
    against = server.learned("nim")
    assert against["state"] == "done"
    (item,) = against["contradictions"]
    assert (item["rule"], item["place"]) == (STICK, [0, 0])

    server.kill()
    server.start()
    again = server.post("open", game="nim")
    assert [remark["kind"] for remark in again["remarks"]] == ["strike", "pin", "pin"]
    assert again["learned"]["state"] == "done"
    assert again["learned"]["contradictions"] == against["contradictions"]
    constraints = constraints_of(NIM, tuple(Remark.from_json(remark, "x") for remark in again["remarks"][:2]))
    assert Policy.from_json(json.loads(server.get("/export/policy.json?game=nim"))).keeps_to(constraints)
    server.post("unsay", game="nim", number=2)
    assert server.learned("nim")["contradictions"] == []
    server.post("undo", game="nim")
    assert len(server.post("open", game="nim")["remarks"]) == 3


def test_a_rule_that_is_another_one_by_now_is_not_touched(studio):
    studio.post("expert", game="nim")
    learned = studio.learned("nim")
    answer = studio.post("pin", game="nim", clause=0, version=learned["version"] - 1)
    assert "has changed" in answer["forgotten"]
    assert studio.post("open", game="nim")["remarks"] == []


@pytest.mark.parametrize(
    ("command", "request_", "reason"),
    [
        ("pin", {"clause": 99}, "no such sentence"),
        ("pin", {"clause": "x"}, '"clause" must be a whole number'),
        ("strike", {"clause": 0, "phrase": 99}, "no such condition"),
        ("write", {"rule": "x" * 5000}, '"rule" must be text of at most 4000'),
        ("write", {"rule": "at_action_cell("}, "The sentence: program"),
        ("phrase", {"rule": "cell_is_value(empty)"}, "The sentence: program"),
        ("unsay", {"number": 3}, "taken back already"),
    ],
)
def test_requests_about_the_rule_are_checked(server, command, request_, reason):
    if not server.post("open", game="nim")["recordings"]:
        server.post("expert", game="nim")
    version = server.learned("nim")["version"]
    with pytest.raises(Refused, match=reason):
        server.post(command, game="nim", version=version, **request_)


def test_a_sentence_that_is_being_written_is_said(server):
    rule = f"{STICK} and not at_action_cell(scanning((-1, 0), cell_is_value(matchstick), cell_is_value(OFF)))"
    assert server.post("phrase", game="nim", rule=rule)["words"] == [
        "the clicked cell is a matchstick",
        "going up from the clicked cell, there is no matchstick",
    ]
