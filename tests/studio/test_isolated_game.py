"""Games of other packages run in child processes: the same game, and nobody else waits for it."""

from __future__ import annotations

import json
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from serving import Refused
from shown.cli import main
from shown.errors import BadInput, BadLevel, NoAnswer
from shown.grid import grid
from shown.studio import server
from shown.studio.isolated import IsolatedGame
from shown.studio.project import Project
from shown.studio.workspace import Workspace
from shown.teaching.lessons.lesson_file import LessonFile
from shown.teaching.lessons.preferences import Preferences
from shown.teaching.lessons.starts import curriculum
from shown.worlds import find_game, play
from shown.worlds.games.rule_errors import check_playable


@pytest.mark.parametrize("name", ["nim", "chase"])
def test_it_is_the_same_game(name):
    here = find_game(name)
    with IsolatedGame(name) as there:
        for attribute in ("title", "goal", "about", "tokens", "buttons", "max_steps", "max_shape", "symmetries"):
            assert getattr(there, attribute) == getattr(here, attribute), attribute
        level = here.level(1)
        assert (there.level(1), there.levels("test:0-2")) == (level, here.levels("test:0-2"))
        assert play(there, there.expert, level, 3) == play(here, here.expert, level, 3)
        assert curriculum(there) == curriculum(here)
        with pytest.raises(BadLevel):
            there.check(grid(".."))


@pytest.mark.slow
def test_a_game_that_takes_its_time_holds_up_no_other_page(make_server, elsewhere):
    elsewhere("sleepy = elsewhere:Sleepy", "twin = elsewhere:Twin")
    server = make_server()
    server.post("open", game="twin")
    refused: list[Refused] = []

    def click() -> None:
        try:
            server.post("click", game="sleepy", action=empty)
        except Refused as error:
            refused.append(error)

    rows = server.post("open", game="sleepy")["table"]["rows"]
    empty = next([r, row.index(".")] for r, row in enumerate(rows) if "." in row)
    slow = threading.Thread(target=click)
    slow.start()
    time.sleep(0.3)
    start = time.monotonic()
    for game in ("nim", "twin"):
        server.post("peek", game=game, action=[0, 0])
        server.post("open", game=game)
    assert time.monotonic() - start < 3
    assert slow.is_alive()
    slow.join()
    assert "has not answered for 5 seconds" in str(refused[0])
    start = time.monotonic()
    click()  # the new process has to load, but its game gets no longer than before
    assert time.monotonic() - start < 30
    assert "has not answered for 5 seconds" in str(refused[1])
    server.post("restart", game="sleepy")


def test_a_game_that_hangs_is_not_asked_about_every_cell(elsewhere, monkeypatch):
    """Each took 5 s, and to start it again took longer."""
    elsewhere("sleepy = elsewhere:Sleepy")
    asked: list[object] = []
    with IsolatedGame("sleepy", seconds=0.5) as sleepy:
        step = sleepy.step
        monkeypatch.setattr(sleepy, "step", lambda *words: (asked.append(words), step(*words))[1])
        with pytest.raises(NoAnswer, match="has not answered"):
            check_playable(sleepy, grid("..", ".."))
    assert len(asked) == 1


def test_whoever_asks_while_it_is_closed_gets_an_answer(elsewhere, monkeypatch):
    """A thread that asked just before the end waited for ever, and the studio did not end."""
    elsewhere("sleepy = elsewhere:Sleepy")
    sleepy = IsolatedGame("sleepy", seconds=60)
    end = sleepy.child.close
    late = []

    async def close() -> None:
        await end()
        late.append(pool.submit(sleepy.level, 0))
        time.sleep(0.2)  # for the question to be asked

    with ThreadPoolExecutor(2) as pool:
        early = pool.submit(sleepy.step, grid("..", ".."), (0, 0), np.random.default_rng(0))
        while not sleepy.child._pending:
            time.sleep(0.01)
        monkeypatch.setattr(sleepy.child, "close", close)
        sleepy.close()
        with pytest.raises(BadInput, match="crashed"):
            early.result(timeout=20)
        with pytest.raises(BadInput, match="is closed"):
            late[0].result(timeout=20)


@pytest.mark.slow
def test_a_rule_that_hangs_where_it_is_played_holds_up_the_rules_of_no_other_game(make_server, elsewhere):
    elsewhere("stuck = elsewhere:Stuck")
    server = make_server()
    for game in ("nim", "stuck"):
        server.post("expert", game=game)
        assert server.learned(game)["state"] == "done"
    server.post("run", game="nim", level="test:0", seed=0)

    def run() -> None:
        with pytest.raises(Refused, match="took more than 30 seconds"):
            server.post("run", game="stuck", level="test:0", seed=0)

    with ThreadPoolExecutor(1) as pool:
        stuck = pool.submit(run)
        time.sleep(0.5)
        for _ in range(3):
            assert server.post("run", game="nim", level="test:0", seed=0)["won"]
        assert not stuck.done()
        stuck.result()


def test_a_lesson_is_read_without_running_its_game_in_the_server(elsewhere, tmp_path, monkeypatch):
    elsewhere("twin = elsewhere:Twin")
    with Project(tmp_path / "project") as project:
        workspace = Workspace(project, find_game("twin"))
        workspace.expert()
        recordings = workspace.lesson.recordings
    path = tmp_path / "lesson.json"
    path.write_text(json.dumps(LessonFile(find_game("twin"), recordings, (), Preferences()).to_json()))
    del sys.modules["elsewhere"]
    served: list[LessonFile] = []
    monkeypatch.setattr(server, "serve", lambda *words: served.extend(words[5]))
    assert main(["studio", "--no-browser", str(path)]) == 0
    assert "elsewhere" not in sys.modules
    assert served[0].recordings == recordings
    assert isinstance(served[0].game, IsolatedGame)


def test_a_lesson_of_a_game_of_another_package_is_opened(elsewhere, make_server, tmp_path):
    elsewhere("twin = elsewhere:Twin")
    first = make_server()
    first.post("expert", game="twin")
    path = tmp_path / "lesson.json"
    path.write_bytes(first.get("/export/lesson.json?game=twin"))
    second = make_server(tmp_path / "second", words=(str(path),))
    assert len(second.post("open", game="twin")["recordings"]) == 1
