"""`shown watch`: the expert or a policy plays, as text, JSON or pictures."""

import json
import sys

import pytest
from PIL import Image

from shown.cli import main
from shown.grid import Tokens
from shown.language.terms import Term
from shown.policy import Component, Formula, Literal, Policy
from shown.worlds import find, load_levels

NIM = Tokens(empty=".", matchstick="|")


@pytest.fixture
def policy(tmp_path):
    """Clicks any matchstick: a policy that plays Nim, badly."""
    stick = Literal(Term("at_action_cell", (Term("cell_is_value", ("matchstick",)),)))
    path = tmp_path / "policy.json"
    Policy(NIM, (Component(1.0, -1.0, 0.0, Formula(((stick,),))),), "nim").save(path)
    return path


def test_the_expert_is_shown_click_by_click(capsys):
    assert main(["watch", "nim", "--levels", "train:0"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Nim · train:0\n")
    assert "[|]" in out
    assert "1. click row" in out
    assert "train:0: won after" in out
    assert "\x1b" not in out


def test_on_a_terminal_each_position_is_drawn_over_the_last(capsys, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("LINES", "30")
    assert main(["watch", "nim", "--levels", "train:0", "--speed", "1000"]) == 0
    out = capsys.readouterr().out
    height = load_levels(find("nim"), "train:0")[0].grid.height
    assert out.count(f"\x1b[{height + 3}A\x1b[J") == out.count(". click row")


def test_a_policy_says_why(policy, capsys):
    assert main(["watch", str(policy), "--levels", "train:0"]) == 0
    out = capsys.readouterr().out
    assert "because the clicked cell is a matchstick" in out


def test_json_holds_every_step(policy, capsys):
    assert main(["watch", str(policy), "--levels", "test:0-1", "--json"]) == 0
    value = json.loads(capsys.readouterr().out)
    assert (value["game"], value["player"], value["of"]) == ("nim", "policy", 2)
    assert [run["level"] for run in value["runs"]] == ["test:0", "test:1"]
    step = value["runs"][0]["steps"][0]
    assert step["grid"][step["action"][0]][step["action"][1]] == "|"
    assert "because" in step["why"]


def test_the_same_seed_gives_the_same_game(capsys):
    runs = []
    for seed in ("3", "3"):
        assert main(["watch", "chase", "--seed", seed, "--json"]) == 0
        runs.append(capsys.readouterr().out)
    assert runs[0] == runs[1]


def test_pictures_are_written(tmp_path, capsys):
    gif, png = tmp_path / "run.gif", tmp_path / "run.png"
    assert main(["watch", "chase", "--levels", "train:0-1", "--gif", str(gif), "--png", str(png), "--dark"]) == 0
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "Chase: 2 of 2 levels won" in captured.err
    assert Image.open(gif).n_frames > 10
    assert Image.open(png).size[0] > 200


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nmi"], "Did you mean 'nim'?"),
        (["nim", "--levels", "train:99"], "no train:99"),
        (["nim", "--speed", "0"], "expected a number from 0.001 to 1,000"),
        (["nim", "--seed", "-1"], "argument --seed"),
        (["missing.json"], "no such file"),
        (["nim", "--gif", "no-such-folder/x.gif"], "no folder"),
        ([], "required"),
    ],
)
def test_mistakes_are_told_in_one_line(arguments, said, capsys):
    assert main(["watch", *arguments]) == 2
    error = capsys.readouterr().err
    assert error.startswith("shown: ")
    assert error.count("\n") == 1
    assert said in error


def test_a_policy_of_another_world_is_refused(tmp_path, capsys):
    path = tmp_path / "policy.json"
    stick = Literal(Term("at_action_cell", (Term("cell_is_value", ("stick",)),)))
    Policy(Tokens(stick="|"), (Component(1.0, -1.0, 0.0, Formula(((stick,),))),), "nim").save(path)
    assert main(["watch", str(path)]) == 2
    assert "tokens" in capsys.readouterr().err
