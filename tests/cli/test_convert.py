"""`shown convert`: demonstrations to and from tables."""

import json

import pytest

from shown.cli import main
from shown.demonstrations import Demonstrations
from shown.grid import Grid

LOG = 'belt,picked\nG..o.xo,"0,3"\n.oG.x.o.o,"0,6"\n'
NAMED = ["--tokens", "empty=.", "gripper=G", "good=o", "broken=x", "--columns", "grid=belt", "action=picked"]


@pytest.fixture
def convert(capsys, tmp_path, monkeypatch):
    """Runs `shown convert …` in a folder with a log in it; the exit code, and what was said."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "log.csv").write_text(LOG)

    def run(*words):
        capsys.readouterr()
        code = main(["convert", *words])
        captured = capsys.readouterr()
        assert captured.out == ""
        return code, captured.err

    return run


def test_a_log_becomes_demonstrations(convert):
    code, said = convert("log.csv", "demos.json", *NAMED)
    assert (code, said) == (0, "2 demonstrations, 2 steps, written to demos.json\n")
    demos = Demonstrations.load("demos.json")
    assert demos.tokens.names == ("empty", "gripper", "good", "broken")
    assert [(step.grid, step.action) for step in demos.steps] == [
        (Grid("G..o.xo"), (0, 3)),
        (Grid(".oG.x.o.o"), (0, 6)),
    ]


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_there_and_back(convert, form):
    assert main(["demonstrate", "chase", "--levels", "train:0-1", "--out", "demos.json"]) == 0
    assert convert("demos.json", f"demos.{form}")[0] == 0
    assert convert(f"demos.{form}", "again.json")[0] == 0  # the table says which game it is
    assert Demonstrations.load("again.json") == Demonstrations.load("demos.json")


@pytest.mark.parametrize("out", ["large.json", "large.csv", "large.jsonl"])
def test_what_would_be_too_large_to_be_read_again_is_not_written(convert, tmp_path, monkeypatch, out):
    monkeypatch.setattr("shown.files.MAX_BYTES", len(LOG))
    code, said = convert("log.csv", out, *NAMED)
    assert code == 2
    assert f"{out}: would be larger than" in said
    assert not (tmp_path / out).exists()


def test_tokens_as_elsewhere(convert):
    convert("log.csv", "demos.json", *NAMED)
    convert("demos.json", "edited.csv")
    assert main(["learn", "demos.json", "--programs", "300", "--quiet", "--out", "policy.json"]) == 0
    for like in ("demos.json", "policy.json"):
        code, said = convert("edited.csv", "again.json", "--like", like)
        assert code == 0, said
        assert Demonstrations.load("again.json") == Demonstrations.load("demos.json")


def test_buttons(convert, tmp_path):
    (tmp_path / "lift.csv").write_text("episode,grid,action\n1,L . !,down\n1,. L !,1\n")
    assert convert("lift.csv", "lift.json", "--tokens", "empty=.", "lift=L", "call=!", "--buttons", "up,down")[0] == 0
    assert [step.action for step in Demonstrations.load("lift.json").items[0].steps] == ["down", "down"]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (
            ["log.csv", "demos.json", *NAMED[-3:]],
            "log.csv: name the characters of its grids: --tokens NAME=G NAME=. NAME=o NAME=x, or use --like",
        ),
        (
            ["log.csv", "demos.json", "--tokens", "empty"],
            "--tokens: expected pairs such as wall=#",
        ),
        (["log.csv", "demos.json", "--tokens", "empty=..", "x=x"], "--tokens: token 'empty' must be one visible"),
        (["log.csv", "demos.json", *NAMED[:5]], "log.csv, line 2: there is no column 'grid'. Columns: 'belt', 'pick"),
        (["log.csv", "demos.json", "--like", "nim", "--buttons", "up"], "Omit --tokens and --buttons."),
        (["log.csv", "demos.json", "--like", "nothing.json"], "nothing.json: no such file"),
        (["log.txt", "demos.json"], "log.txt: unknown format. Expected a file (.json, .csv, .jsonl) or minari:ID."),
        (["log.csv", "demos.parquet"], "demos.parquet: unknown format."),
        (["log.csv", "nowhere/demos.json", *NAMED], "there is no folder nowhere"),
        (["demos.json", "log2.csv", "--like", "nim"], "--like is for tables; demos.json contains that"),
        (["nothing.csv", "demos.json", "--like", "nim"], "nothing.csv: no such file"),
        (
            ["log.csv", "demos.json", "--like", "nim", *NAMED[-3:]],
            "log.csv, line 2, column 'belt': of the grid, row 0, column 0: 'G' is not a token.",
        ),
    ],
)
def test_wrong_use_is_one_line(convert, tmp_path, words, complaint):
    code, said = convert(*words)
    assert (code, said.count("\n")) == (2, 1)
    assert complaint in said
    assert not (tmp_path / "demos.json").exists()


def test_a_table_may_not_have_a_module_imported(convert, tmp_path):
    (tmp_path / "hostile.jsonl").write_text(json.dumps({"game": "gym:antigravity:X-v0", "grid": ".", "action": "0,0"}))
    code, said = convert("hostile.jsonl", "demos.json")
    assert code == 2
    assert "name the characters of its grids: --tokens NAME=." in said


def test_a_line_that_is_no_row_is_one_line_before_the_game_is_known(convert, tmp_path):
    (tmp_path / "rows.jsonl").write_text("4092147483648\n")
    code, said = convert("rows.jsonl", "out.json")
    assert (code, said.count("\n")) == (2, 1)
    assert "must be a mapping" in said
