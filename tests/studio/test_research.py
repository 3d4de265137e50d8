"""For the researcher: scores on levels that are held out, the posterior, all of it as data."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from playwright.sync_api import expect

from serving import Refused, until
from shown.errors import BadInput
from shown.grid import Grid
from shown.policy import Policy
from shown.studio.project import Project
from shown.teaching.lessons.lesson_file import LessonFile
from shown.teaching.lessons.scores import SCHEMA, Score, held_out, scores_to_json
from shown.worlds import find, wins

NIM = find("nim")
SCORE = Score("x", 2, 1, 9, 0, 31, 40)


def scored(server, count):
    def look():
        return server.post("open", game="nim")["learned"]["scored"] >= count

    server.learned("nim")
    until(look, f"{count} scores")
    return server.post("scores", game="nim")["scores"]


def test_scores_come_back(tmp_path):
    with Project(tmp_path / "project") as project:
        assert project.scores(NIM) == ()
        project.save_scores(NIM, (SCORE, SCORE))
    with Project(tmp_path / "project") as project:
        assert project.scores(NIM) == (SCORE, SCORE)


FOREIGN = [
    *("my own notes", "", "null", "\xff"),
    *map(
        json.dumps,
        [
            [],
            {"schema": SCHEMA},
            {**scores_to_json(NIM, (SCORE,)), "held_out": "random:0-9"},
            {**scores_to_json(NIM, ()), "scores": [{"won": 3}]},
            {**scores_to_json(NIM, ()), "scores": [{**SCORE.to_json(), "won": 41}]},
            {**scores_to_json(NIM, ()), "scores": [{**SCORE.to_json(), "steps": "9"}]},
        ],
    ),
]


@pytest.mark.parametrize("content", FOREIGN)
def test_a_file_of_scores_that_the_studio_did_not_write_is_not_overwritten(project, content):
    path = project.path / "nim" / "scores.json"
    path.parent.mkdir()
    path.write_text(content, "latin-1")
    assert project.scores(NIM) == ()
    with pytest.raises(BadInput, match="was not written by the studio"):
        project.save_scores(NIM, (SCORE,))
    assert path.read_text("latin-1") == content


@pytest.mark.slow
def test_every_policy_is_scored_on_the_same_levels_and_the_lesson_has_it_all(make_server):
    server = make_server()
    server.post("expert", game="nim")
    (first,) = scored(server, 1)
    assert (first["demonstrations"], first["corrections"], first["remarks"], first["of"]) == (1, 0, 0, 40)
    rows = ["|.", "|.", "|.", "||"]
    server.post("correct", game="nim", level="test:0", rows=rows)
    server.post("click", game="nim", action=list(NIM.expert(Grid(tuple(rows)))))
    (_, second) = scored(server, 2)
    assert (second["demonstrations"], second["corrections"]) == (1, 1)
    server.kill()
    server.start()
    assert server.post("scores", game="nim") == {"schema": SCHEMA, "held_out": held_out(NIM), "scores": [first, second]}

    lesson = LessonFile.from_json(json.loads(server.get("/export/lesson.json?game=nim")), find, "it")
    policy = Policy.from_json(lesson.policy)
    assert sum(wins(NIM.starts(held_out(NIM)), policy)) == second["won"]
    assert len(lesson.demonstrations) == 2
    assert [recording.kind for recording in lesson.recordings] == ["expert", "correction"]
    assert [score.to_json() for score in lesson.scores] == [first, second]
    assert lesson.tried == server.post("open", game="nim")["learned"]["tried"]

    table = server.post("posterior", game="nim")
    assert len(table["components"]) == min(12, len(policy.mixture.components))
    assert [row["weight"] for row in table["components"]] == [c.weight for c in policy.mixture.components[:12]]
    answer = server.post("differ", game="nim", level=table["levels"][0])
    assert [item["component"] for item in answer["differences"]] == list(range(1, len(table["components"])))
    with pytest.raises(Refused, match="No level called"):
        server.post("differ", game="nim", level="../../etc")


@pytest.mark.slow
def test_a_world_is_scored_from_seeds_and_its_lines_go_on(make_server, visit, tmp_path):
    name = "gym:MiniGrid-Empty-Random-6x6-v0"
    server = make_server(words=("--world", name))
    server.post("toured", toured=True)
    for _ in range(2):
        server.post("expert", game=name)
    server.learned(name)
    until(lambda: server.post("open", game=name)["learned"]["scored"], "a score")
    answer = server.post("scores", game=name)
    assert answer["held_out"] == "seed:700000-700039"
    visitor = visit(server)
    visitor.has_learned(2)
    visitor.at("#write-rule").click()
    expect(visitor.at("#writer-said")).to_have_text("Take the action if the action is left.")
    visitor.open_details()
    visitor.at("#open-research").click()
    (tmp_path / "gym_3a_MiniGrid-Empty-Random-6x6-v0-lesson.json").write_bytes(
        server.get(f"/export/lesson.json?game={name}")
    )
    told = run(visitor.at("#lesson-lines").inner_text(), tmp_path)
    assert f"before: {answer['scores'][-1]['won']} of 40" in told


def run(lines, folder):
    """What lines of Python print, run in a folder."""
    ran = subprocess.run(
        [sys.executable, "-c", lines], cwd=folder, capture_output=True, text=True, env=os.environ, timeout=120
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_the_drawer_shows_it_and_its_lines_go_on_from_the_lesson(make_server, visit, tmp_path):
    server = make_server()
    server.post("toured", toured=True)
    for count in (1, 2):
        server.post("expert", game="nim")
        scores = scored(server, count)
    visitor = visit(server)
    visitor.has_learned(2)
    visitor.open_details()
    visitor.at("#open-research").click()
    expect(visitor.at("#research")).to_be_visible()
    expect(visitor.at("#research-last")).to_contain_text(f"{scores[-1]['won']} of 40 won")
    expect(visitor.at(".score-plot > .plot-mark")).to_have_count(2)
    visitor.at("#research-score summary").click()
    expect(visitor.at("#score-table tbody tr")).to_have_count(2)
    rows = visitor.at("#posterior-table tbody tr")
    expect(rows.first).to_contain_text("the best")
    expect(visitor.at("#posterior-table")).not_to_contain_text("…")
    rows.first.locator("summary").click()
    expect(rows.first.locator("ol")).to_contain_text("the clicked cell")

    with visitor.page.expect_download() as download:
        visitor.at("#take-lesson").click()
    download.value.save_as(tmp_path / "nim-lesson.json")
    visitor.context.grant_permissions(["clipboard-read", "clipboard-write"])
    visitor.at("#copy-lesson-lines").click()
    lines = visitor.page.evaluate("navigator.clipboard.readText()")
    assert lines == visitor.at("#lesson-lines").inner_text()
    told = run(lines, tmp_path)
    assert f"before: {scores[-1]['won']} of 40" in told
    assert "click a cell if" in told
    visitor.page.keyboard.press("Escape")
    expect(visitor.at("#research")).to_be_hidden()
