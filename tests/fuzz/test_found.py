"""What fuzzing has found, one test each."""

from __future__ import annotations

import io
import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fuzz import tables
from serving import Server
from shown.cli import main
from shown.demonstrations import Demonstrations
from shown.errors import BadInput
from shown.files import is_leftover, write_bytes
from shown.grid import MAX_BUTTONS, Grid, Tokens
from shown.policy import Policy
from shown.studio.project import Project
from shown.studio.worker import Worker
from shown.studio.workspace import Workspace
from shown.worlds import demonstrate, find, load_levels, minari
from shown.worlds.tables import from_rows
from shown.worlds.views import as_array

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
        ("report", "--results", LONG),
        ("results", "--results", LONG),
        ("reproduce", "demos", "--games", "nim", "--results", LONG),
    ],
)
def test_a_name_too_long_for_a_file_is_one_line(words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert LONG in complaint(capsys, *words)


def test_trials_are_listed_without_a_store_of_any_name(capsys):
    assert main(["reproduce", "demos", "--games", "nim", "--list", "--results", LONG]) == 0
    assert "todo" in capsys.readouterr().out


@pytest.mark.parametrize("folder", [LONG, "file/inside"])
def test_a_folder_for_figures_that_cannot_be_made_is_one_line(folder, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("")
    told = complaint(capsys, "report", "--results", ".", "--figures", folder)
    assert f"{folder}: cannot create this folder" in told


def test_too_little_memory_is_one_line(capsys, monkeypatch):
    def large(*_: Any) -> None:
        raise MemoryError

    monkeypatch.setattr("shown.cli.games.run", large)
    assert "out of memory" in complaint(capsys, "games")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
@pytest.mark.parametrize("words", [["games"], ["games", "--json"], ["games", "nim"]])
def test_output_that_cannot_be_written_is_one_line(words):
    with open("/dev/full", "w") as full:
        ran = subprocess.run([sys.executable, "-m", "shown", *words], stdout=full, stderr=subprocess.PIPE, text=True)
    assert ran.returncode == 1
    assert ran.stderr == "shown: the output cannot be written (No space left on device).\n"


@pytest.mark.parametrize("first", ["", "GET / HTTP/1.1\r\nHost: x\r\n\r\n"], ids=["alone", "after another"])
def test_what_is_no_http_in_the_middle_of_a_request_is_not_logged(first, tmp_path):
    """Strangers could fill a disk with tracebacks, 5 kB a request."""
    log = tmp_path / "log"
    with log.open("wb") as file:
        studio = Server(tmp_path / "project", log=file)
    try:
        before = log.read_bytes()
        host = f"Host: 127.0.0.1:{studio.port}\r\n"
        head = first + f"POST /api/hello HTTP/1.1\r\n{host}Transfer-Encoding: chunked\r\n\r\n"
        with socket.create_connection(("127.0.0.1", studio.port), timeout=20) as connection:
            connection.sendall(head.encode() + b"{}no chunk\r\n\r\n")
            while answer := connection.recv(65536):
                assert b"HTTP/1.1 5" not in answer
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
        workspace = Workspace(project, find("nim"))
        workspace.add(demonstrate(game, load_levels(game, "train:0-2")))
        wanted = workspace.view()
    with Project(tmp_path) as project:
        assert Workspace(project, find("nim")).view()["table"] == wanted["table"]


# --- sizes ------------------------------------------------------------------------------------------------------------


def policy_json(clauses: list[list[str]], buttons: list[str]) -> dict[str, Any]:
    component = {"weight": 1.0, "log_prior": -1.0, "log_likelihood": -1.0, "clauses": clauses}
    return {
        "schema": "shown/policy/2",
        "game": None,
        "language": "paper",
        "tokens": {"empty": ".", "wall": "#"},
        "buttons": buttons,
        "components": [component],
        "provenance": {},
    }


def test_a_world_of_very_many_buttons_is_refused():
    """50,000 programs about 300,000 buttons took 50 s to read, and then more memory than there is."""
    buttons = [f"b{i}" for i in range(MAX_BUTTONS + 1)]
    Policy.from_json(policy_json([["action_is(b0)"]], buttons[:-1]))
    with pytest.raises(BadInput, match=r"buttons.*1,001 are too many; at most 1,000"):
        Policy.from_json(policy_json([["action_is(b0)"]], buttons))
    demonstrations = {
        "schema": "shown/demonstrations/1",
        "tokens": {"a": "."},
        "buttons": buttons,
        "demonstrations": [],
    }
    with pytest.raises(BadInput, match="too many"):
        Demonstrations.from_json(demonstrations)


def test_a_policy_of_very_many_programs_is_refused():
    """100,000 of them took 15 s to read and minutes to act."""
    programs = [f"at_action_cell(shifted(({i % 200 + 1}, {i // 200 + 1}), cell_is_value(wall)))" for i in range(12_000)]
    with pytest.raises(BadInput, match="the distinct programs have more than 524,288 characters"):
        Policy.from_json(policy_json([[program] for program in programs], []))
    # The same ones again cost next to nothing.
    assert Policy.from_json(policy_json([[program] for program in programs[:100] * 200], []))


def test_a_policy_file_that_is_too_large_is_neither_read_nor_written(tmp_path, monkeypatch):
    policy = Policy.from_json(policy_json([["at_action_cell(cell_is_value(wall))"]], []))
    path = tmp_path / "policy.json"
    policy.save(path)
    monkeypatch.setattr("shown.policy.MAX_FILE", 100)
    with pytest.raises(BadInput, match="larger than"):
        Policy.load(path)
    with pytest.raises(BadInput, match="the limit for reading it again"):
        policy.save(path)


@pytest.mark.parametrize("what", ["token", "character", "button", "game", "program"])
def test_nothing_in_a_policy_reaches_the_terminal_but_visible_characters(what, tmp_path, capsys):
    evil = "\x1b[2J"
    value = policy_json([["at_cell_with_value(wall, cell_is_value(wall))"]], [])
    if what == "token":
        value["tokens"] = {evil: ".", "wall": "#"}
    elif what == "character":
        value["tokens"] = {"empty": "\x1b", "wall": "#"}
    elif what == "button":
        value["buttons"] = [evil]
    elif what == "game":
        value["game"] = evil
    else:
        value["components"][0]["clauses"] = [[f"at_action_cell(cell_is_value({evil}))"]]
    path = tmp_path / "policy.json"
    path.write_text(json.dumps(value))
    for command in (("explain", str(path)), ("explain", str(path), "--programs"), ("evaluate", str(path))):
        assert "\x1b" not in complaint(capsys, *command)


def test_names_of_files_reach_the_terminal_as_visible_characters(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    game = find("nim")
    demonstrate(game, load_levels(game, "train:0-3")).save("demos.json")
    levels = [level.grid.text for level in load_levels(game, "test:0-1")]
    Path("l\x1b[2J.json").write_text(json.dumps({"game": "nim", "levels": levels}))
    quick = ("--programs", "100", "--quiet")
    for words in (
        ("learn", "demos.json", *quick, "--out", "p\x1b[2J.json"),
        ("learn", "demos.json", *quick, "--out", "policy.json"),
        ("evaluate", "policy.json", "--levels", "l\x1b[2J.json"),
        ("explain", "policy.json", "--levels", "l\x1b[2J.json"),
    ):
        assert main(list(words)) == 0
        printed = capsys.readouterr()
        assert "\x1b" not in printed.out + printed.err, words


# --- what a killed process leaves -------------------------------------------------------------------------------------


def test_what_a_killed_process_left_is_removed_when_the_same_file_is_written_again(tmp_path, monkeypatch):
    names: list[str] = []

    def killed(*arguments: Any, **options: Any) -> None:
        names[:] = [name for name in os.listdir(tmp_path) if is_leftover(name)]
        os.link(tmp_path / names[0], tmp_path / f"{names[0][:-8]}kept.tmp")  # it lives on, though this one tidies up
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", killed)
        with pytest.raises(KeyboardInterrupt):
            write_bytes(tmp_path / "policy.json", b"new")
    (left,) = [name for name in os.listdir(tmp_path) if is_leftover(name)]
    write_bytes(tmp_path / "policy.json", b"newer")
    assert left in os.listdir(tmp_path), "another process may be writing it right now"
    os.utime(tmp_path / left, (0, 0))
    write_bytes(tmp_path / "other.json", b"other")
    assert left in os.listdir(tmp_path), "it was of another file"
    write_bytes(tmp_path / "policy.json", b"newest")
    assert sorted(os.listdir(tmp_path)) == ["other.json", "policy.json"]


def test_a_dataset_of_frames_without_its_environment_says_so() -> None:
    with pytest.raises(BadInput, match=r"^minari:any/thing-v0: blocks-8 collects colors by playing"):
        minari.read(tables._Dataset(None, [{"observations": [[[0, 1]]], "actions": [0]}]), "blocks-8")


def test_a_dataset_that_is_damaged_is_one_line() -> None:
    wrong = {"tokens": {"empty": "."}, "buttons": []}
    with pytest.raises(BadInput, match=r"^minari:any/thing-v0: is damaged \(TypeError"):
        minari.read(tables._Dataset(wrong, [{"said": {"marks": 7}, "actions": [[0, 0]], "observations": [[[0]]] * 2}]))


def test_rows_that_are_none_are_one_line() -> None:
    with pytest.raises(BadInput, match=r"^rows must be mappings from columns to values, not int\.$"):
        from_rows(7, Tokens(empty="."))
    with pytest.raises(BadInput, match="differ in length"):
        Grid.from_array([[0, 1], [0]], Tokens(empty=".", wall="#"))
    with pytest.raises(BadInput, match="differ in length"):
        as_array([[0, 1], [0]], None, "rows, columns", 2)


def test_a_weight_that_is_no_float_is_one_line() -> None:
    with pytest.raises(BadInput, match=r"a weight is a number above 0, not '1000"):
        from_rows([{"grid": ".", "action": [0, 0], "weight": 10**400}], Tokens(empty="."))


def test_a_line_that_is_no_row_is_one_line_before_the_game_is_known(tmp_path, capsys) -> None:
    (tmp_path / "rows.jsonl").write_text("4092147483648\n")
    assert "must be a mapping" in complaint(capsys, "convert", str(tmp_path / "rows.jsonl"), str(tmp_path / "out.json"))


@pytest.mark.parametrize(
    ("place", "reason"), [("Crowded", "is one text; give a list"), ("Doubled", "a name is given twice")]
)
def test_buttons_of_a_game_of_another_package_are_checked(place, reason, elsewhere, capsys) -> None:
    """A million of them were all in one message."""
    elsewhere(f"odd = elsewhere:{place}")
    assert reason in complaint(capsys, "games", "odd")


def test_a_game_that_exits_does_not_end_the_command_in_silence(elsewhere, capsys) -> None:
    """`shown demonstrate` printed nothing, and ended as if all were well."""
    elsewhere("leaving = elsewhere:Leaving")
    told = complaint(capsys, "demonstrate", "leaving")
    assert "code of another package ended the command (SystemExit: 0, at " in told
