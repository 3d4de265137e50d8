"""What people and files may throw at a running studio: each is refused in a sentence, or does no harm."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from serving import Refused, Server, until
from shown.studio.project import Project
from shown.studio.workspace import Workspace
from shown.worlds import demonstrate, find, load_levels

NO_RABBIT = ["#######", "#A....#", "#.....#", "#######", "<^v>..."]


def expert_demonstrations(game: str) -> dict:
    found = find(game)
    return demonstrate(found, load_levels(found, "train:0-1")).to_json()


def begun(folder: Path, games: int) -> Path:
    """A project in which the expert has played some games of Nim and nothing is learned."""
    with Project(folder) as project:
        workspace = Workspace(project, find("nim"))
        for _ in range(games):
            workspace.expert()
    return folder


def refused(server: Server, command: str, **body) -> str:
    """Why a command was refused; a mistake inside the server is no refusal."""
    with pytest.raises(Refused) as caught:
        server.post(command, **body)
    assert caught.value.status == 400, caught.value
    assert "\n" not in caught.value.text
    return caught.value.text


# --- positions --------------------------------------------------------------------------------------------------------


def test_a_position_that_lacks_a_piece_is_refused(server):
    assert "cannot be played from this position" in refused(
        server, "correct", game="chase", level="test:0", rows=NO_RABBIT
    )
    content = expert_demonstrations("chase")
    content["demonstrations"][1]["steps"] = [{"grid": NO_RABBIT, "action": [0, 0]}]
    assert refused(server, "import", game="chase", content=content).startswith("Demonstration 1: Chase cannot be play")
    assert server.post("open", game="chase")["recordings"] == []


def test_a_position_that_can_be_played_only_here_and_there_is_refused_where_it_cannot(server):
    """Without a parachuter one can build in Stop the Fall, but not press the button."""
    game = find("stop-the-fall")
    level = load_levels(game, "test:0")[0].grid
    board = level.with_cells(dict.fromkeys(level.where(game.tokens["parachuter"]), "."))
    button = list(board.find(game.tokens["green_button"]))
    server.post("correct", game=game.name, level="test:0", rows=list(board.rows))
    assert server.post("peek", game=game.name, action=button) == {"rows": None}
    assert "cannot be played from this position" in refused(server, "click", game=game.name, action=button)
    assert server.post("click", game=game.name, action=[0, 0])["happened"] == "corrected"
    text = refused(server, "change-click", game=game.name, id=1, step=0, action=button)
    assert "cannot be played from this position" in text
    server.post("delete", game=game.name, id=1)
    server.post("onward", game=game.name)


# --- what comes in ----------------------------------------------------------------------------------------------------


def test_an_import_of_too_many_levels_paints_none(server):
    text = refused(server, "import", game="fence-in", content={"game": "fence-in", "levels": ["x"] * 100_000})
    assert "100,000" in text
    assert server.post("open", game="fence-in")["painted"] == []


# --- folders ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def shared(tmp_path):
    """A project with a lesson of Nim and nothing learned from it, as somebody might hand it on."""
    return begun(tmp_path / "shared", 1)


@pytest.mark.parametrize(
    ("name", "there"),
    [
        ("policy.json", True),
        ("learned.json", False),
        pytest.param("policy.json", False, marks=pytest.mark.slow),
        pytest.param("learned.json", True, marks=pytest.mark.slow),
    ],
)
def test_opening_a_shared_project_writes_nothing_elsewhere(shared, make_server, tmp_path, name, there):
    target = tmp_path / "precious"
    if there:
        target.write_text("precious")
    (shared / "nim" / name).symlink_to(target)
    studio = make_server(shared)
    learned = studio.learned("nim")
    assert learned["state"] == "done"
    assert learned["hasPolicy"]
    assert f"{name}: is a link" in until(lambda: studio.learned("nim")["unsaved"], "the page is told")
    assert target.exists() == there
    assert not there or target.read_text() == "precious"


def test_a_policy_of_somebody_s_own_is_left_alone_and_said_to_be(shared, make_server):
    path = shared / "nim" / "policy.json"
    path.write_text("my own")
    shared = make_server(shared)
    assert shared.learned("nim")["hasPolicy"]
    unsaved = until(lambda: shared.learned("nim")["unsaved"], "the page is told")
    assert "policy.json: was not written by the studio, so it stays" in unsaved
    shared.post("delete", game="nim", id=1)
    assert not shared.learned("nim")["hasPolicy"]
    assert path.read_text() == "my own"


def test_settings_that_cannot_be_saved_are_not_changed(make_server):
    """A folder in its place cannot be overwritten, not even by root."""
    server = make_server()
    server.post("expert", game="nim")
    before = server.learned("nim")
    server.post("toured", toured=False)
    path = server.folder / "project.json"
    path.unlink()
    path.mkdir()
    assert "project.json" in refused(server, "learn", game="nim", programs=2)
    assert "project.json" in refused(server, "toured", toured=True)
    after = server.learned("nim")
    assert after["preferences"] == before["preferences"]
    assert not server.post("hello")["toured"]
    assert server.post("open", game="chase")["table"]


@pytest.mark.parametrize("content", ['{"schema": "shown/studio-project/2", "game": [], "programs": 10}', "[]", "{"])
def test_a_project_that_cannot_be_opened_is_one_line(tmp_path, content):
    (tmp_path / "project.json").write_text(content)
    command = [sys.executable, "-m", "shown", "studio", "--no-browser", "--port", "0", "--project", str(tmp_path)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert ran.returncode == 2
    assert "project.json" in ran.stderr
    assert ran.stderr.count("\n") == 1


# --- the secret -------------------------------------------------------------------------------------------------------


def test_the_secret_is_not_among_the_arguments_of_the_browser(tmp_path):
    """They can be read by everyone on the machine. The page that the browser is given can not."""
    browser, given = tmp_path / "browser", tmp_path / "given"
    browser.write_text(f'#!/bin/sh\necho "$@" > {given}.new\nmv {given}.new {given}\n')
    browser.chmod(0o755)
    command = [sys.executable, "-m", "shown", "studio", "--port", "0", "--project", str(tmp_path / "project")]
    environment = {**os.environ, "BROWSER": f"{browser} %s"}
    studio = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    try:
        address = studio.stdout.readline().strip()
        secret = address.partition("#secret=")[2]
        assert secret
        until(given.exists, "the browser is started")
        argument = given.read_text().strip()
        assert secret not in argument
        assert argument.startswith("file://")
        page = Path(argument.removeprefix("file://"))
        assert f'content="0;url={address}"' in page.read_text()
        assert page.stat().st_mode & 0o077 == 0
    finally:
        studio.terminate()
        studio.wait()
