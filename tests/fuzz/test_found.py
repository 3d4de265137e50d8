"""What fuzzing has found, one test each."""

from __future__ import annotations

import io
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from serving import Server
from shown.cli import main
from shown.errors import BadInput
from shown.experiments.store import Store
from shown.games import demonstrate, find, load_levels
from shown.studio.desk import Desk
from shown.studio.project import Project
from shown.studio.worker import Worker

LONG = "x" * 300


def complaint(capsys: pytest.CaptureFixture, *words: str) -> str:
    """The only line of an error."""
    assert main(list(words)) == 2
    told = capsys.readouterr().err
    assert told.startswith("shown: ")
    assert told.count("\n") == 1
    return told


@pytest.mark.parametrize(
    "words",
    [
        ("play", "nim", "--out", LONG),
        ("report", "--store", LONG),
        ("results", "--store", LONG),
        ("results", "--store", LONG, "--import", "x.jsonl"),
        ("reproduce", "demos", "--games", "nim", "--store", LONG),
    ],
)
def test_a_name_too_long_for_a_file_is_one_line(words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert LONG in complaint(capsys, *words)


def test_trials_are_listed_without_a_store_of_any_name(capsys):
    assert main(["reproduce", "demos", "--games", "nim", "--list", "--store", LONG]) == 0
    assert "todo" in capsys.readouterr().out


@pytest.mark.parametrize("folder", [LONG, "file/inside"])
def test_a_folder_for_figures_that_cannot_be_made_is_one_line(folder, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("")
    Store("r.sqlite").close()
    told = complaint(capsys, "report", "--store", "r.sqlite", "--figures", folder)
    assert f"{folder}: cannot be made a folder" in told


def test_too_little_memory_is_one_line(capsys, monkeypatch):
    def large(*_: Any) -> None:
        raise MemoryError

    monkeypatch.setattr("shown.cli.games.run", large)
    assert "not enough memory" in complaint(capsys, "games")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
@pytest.mark.parametrize("words", [["games"], ["games", "--json"], ["games", "nim"]])
def test_output_that_cannot_be_written_is_one_line(words):
    with open("/dev/full", "w") as full:
        ran = subprocess.run([sys.executable, "-m", "shown", *words], stdout=full, stderr=subprocess.PIPE, text=True)
    assert ran.returncode == 1
    assert ran.stderr == "shown: the output cannot be written (No space left on device).\n"


def test_a_damaged_database_whose_damage_is_no_text_is_refused(tmp_path):
    """SQLite's own message then has those bytes in it."""
    path = tmp_path / "r.sqlite"
    Store(path).close()
    content = path.read_bytes()
    at = content.index(b"TABLE trials (") + len(b"TABLE trials ")
    path.write_bytes(content[:at] + b"\xcc" + content[at + 1 :])
    for writing in (False, True):
        with pytest.raises(BadInput, match=r"r\.sqlite: "):
            Store(path, writing=writing)


def test_what_is_no_http_in_the_middle_of_a_request_is_not_logged(tmp_path):
    """Strangers could fill a disk with tracebacks, 5 kB a request."""
    log = tmp_path / "log"
    with log.open("wb") as file:
        studio = Server(tmp_path / "project", log=file)
    try:
        before = log.read_bytes()
        head = f"POST /api/hello HTTP/1.1\r\nHost: 127.0.0.1:{studio.port}\r\nTransfer-Encoding: chunked\r\n\r\n"
        with socket.create_connection(("127.0.0.1", studio.port), timeout=20) as connection:
            connection.sendall(head.encode() + b"{}no chunk\r\n\r\n")
            assert connection.recv(4096).startswith(b"HTTP/1.1 400 ")
        assert studio.post("hello")["games"]
        assert log.read_bytes() == before
    finally:
        studio.stop()


def test_a_child_whose_server_was_killed_in_the_middle_of_a_line_ends(tmp_path):
    """It stayed for ever, asking nobody for more."""
    command = [sys.executable, "-m", "shown.studio.worker", "0"]
    child = subprocess.run(command, input=b'{"id": 1, "do": "wa', capture_output=True, timeout=60)
    assert (child.returncode, child.stderr) == (0, b"")


def test_an_answer_that_nobody_can_hear_is_no_fault(capsys):
    class Gone(io.BytesIO):
        def flush(self) -> None:
            raise BrokenPipeError

    with pytest.raises(SystemExit):
        Worker(Gone(), {"ask": lambda request: {}}).handle({"id": 1, "do": "ask"})
    assert capsys.readouterr().err == ""


def test_the_level_on_the_table_stays_there_when_others_are_imported(tmp_path):
    """It had no file yet, so that after a restart another level was laid out."""
    game = find("nim")
    with Project(tmp_path) as project:
        desk = Desk(project, "nim")
        desk.add(demonstrate(game, load_levels(game, "train:0-2")))
        wanted = desk.view()
    with Project(tmp_path) as project:
        assert Desk(project, "nim").view()["table"] == wanted["table"]
