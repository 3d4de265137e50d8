"""`shown explain`, `games`, `demonstrate` and `export`, in words and as JSON."""

import json
from pathlib import Path

import pytest

from shown.demonstrations import Demonstrations
from shown.policy import Policy
from shown.worlds import GAMES, find, load_levels


@pytest.fixture
def policy(shown, nim_policy):
    nim_policy.save("policy.json")
    return nim_policy


# --- explain ----------------------------------------------------------------------------------------------------------


def test_explain_prints_the_rules(shown, policy):
    ran = shown("explain", "policy.json")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == policy.table(3) + "\n"
    assert shown("explain", "policy.json", "--most", "1").out == policy.table(1) + "\n"


def test_explain_prints_the_programs(shown, policy):
    out = shown("explain", "policy.json", "--programs", "--most", "2").out
    assert all(str(component.formula) in out for component in policy.components[:2])
    assert str(policy.components[2].formula) not in out


def test_explain_as_json_is_the_policy(shown, policy):
    assert json.loads(shown("explain", "policy.json", "--json").out) == policy.to_json()


def test_explain_says_why_for_every_move(shown, policy):
    out = shown("explain", "policy.json", "--levels", "test:0").out
    assert out.startswith("test:0: won in ")
    assert "probability 1.00\n  because " in out


def test_explain_moves_as_json(shown, policy):
    told = json.loads(shown("explain", "policy.json", "--levels", "test:0-1", "--most", "2", "--json").out)
    assert [level["level"] for level in told] == ["test:0", "test:1"]
    move = told[0]["moves"][0]
    assert move["grid"] == list(load_levels(find("nim"), "test:0")[0].grid.rows)
    assert move["action"] == list(policy.act(load_levels(find("nim"), "test:0")[0].grid))
    assert len(move["components"]) == 2
    assert {"program", "positive", "holds", "phrase", "cells", "paths"} <= set(
        move["components"][0]["clauses"][0]["literals"][0]
    )


def test_explain_says_why_another_action_is_not_taken(shown, policy):
    Path("grid.txt").write_text("|.\n||\n", "utf-8")
    assert shown("explain", "policy.json", "--grid", "grid.txt").out.startswith("click (0, 0): probability ")
    out = shown("explain", "policy.json", "--grid", "grid.txt", "--action", "0,1").out
    assert out.startswith("click (0, 1): probability 0.00\n  no rule allows it")
    assert "--action: needs --grid" in shown("explain", "policy.json", "--action", "0,1").complaint
    off = shown("explain", "policy.json", "--grid", "grid.txt", "--action", "5,5").complaint
    assert "action (5, 5) is off the grid" in off


# --- games ------------------------------------------------------------------------------------------------------------


def test_games_are_listed(shown):
    out = shown("games").out
    assert all(f"  {name} " in out for name in GAMES)


def test_games_as_json(shown):
    told = json.loads(shown("games", "--json").out)
    assert [game["game"] for game in told] == list(GAMES)
    assert all(game["levels"] == {"train": 11, "test": 9} for game in told)
    assert told[0]["tokens"] == {"empty": ".", "matchstick": "|"}


def test_one_game_in_full(shown):
    out = shown("games", "nim").out
    assert "matchstick" in out
    assert "train:0-10, test:0-8, random:SEED-SEED" in out
    assert len(json.loads(shown("games", "nim", "--json").out)) == 1


def test_games_of_other_packages_are_listed_and_broken_ones_are_one_line(shown, elsewhere):
    elsewhere("twin = elsewhere:Twin", "lost = nowhere:Lost")
    ran = shown("games")
    assert ran.code == 0
    assert "  twin " in ran.out
    assert ran.err == (
        "shown: game 'lost', declared by elsewhere as 'nowhere:Lost', cannot be loaded "
        "(ModuleNotFoundError: No module named 'nowhere'). Update or uninstall elsewhere.\n"
    )
    assert [game["game"] for game in json.loads(shown("games", "--json").out)] == [*GAMES, "twin"]
    assert shown("games", "lost").complaint.startswith("game 'lost', declared by elsewhere")
    assert shown("learn", "lost").complaint.startswith("game 'lost', declared by elsewhere")


@pytest.mark.parametrize(
    ("place", "reason"),
    [("Nameless", "calls itself None"), ("Quits", "SystemExit: 0"), ("Untitled", "its title must be text")],
)
def test_a_game_that_cannot_be_described_is_one_line_and_the_others_are_listed(shown, elsewhere, place, reason):
    elsewhere("twin = elsewhere:Twin", f"odd = elsewhere:{place}")
    ran = shown("games")
    assert ran.code == 0
    assert "  twin " in ran.out
    assert ran.err.startswith("shown: game 'odd', declared by elsewhere")
    assert reason in ran.err
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize(
    ("place", "reason"), [("Crowded", "is one text; give a list"), ("Doubled", "a name is given twice")]
)
def test_buttons_of_a_game_of_another_package_are_checked(shown, elsewhere, place, reason):
    """A million of them were all in one message."""
    elsewhere(f"odd = elsewhere:{place}")
    assert reason in shown("games", "odd").complaint


def test_a_game_that_exits_does_not_end_the_command_in_silence(shown, elsewhere):
    """`shown demonstrate` printed nothing, and ended as if all were well."""
    elsewhere("leaving = elsewhere:Leaving")
    complaint = shown("demonstrate", "leaving").complaint
    assert "code of another package ended the command (SystemExit: 0, at " in complaint


@pytest.mark.parametrize("name", ["nim", "twin"])
def test_what_is_called_like_a_game_does_not_hide_it(shown, elsewhere, name: str):
    elsewhere("twin = elsewhere:Twin")
    Path(name).mkdir()
    ran = shown("learn", name, "--programs", "500", "--quiet")
    assert ran.code == 0
    assert ran.out.startswith(f"{name}: ")
    Path(name).rmdir()
    Path(name).write_text("{}")
    assert shown("demonstrate", name, "--levels", "test:0").code == 0


def test_floors_are_told(shown):
    out = shown("games", "nim", "--floor").out
    assert [line.split()[:3] for line in out.splitlines()[1:]] == [["nim", "random:0-99", "100"], ["nim", "test", "90"]]
    words = ("games", "nim", "--floor", "--levels", "train", "--seed", "3", "--json")
    (told,) = json.loads(shown(*words).out)
    assert (told["game"], told["levels"], told["games"]) == ("nim", "train", 11)
    assert 0 <= told["any_cell"] <= 11
    assert shown(*words).out == shown(*words).out


def test_levels_of_no_floor_are_a_mistake(shown):
    assert shown("games", "--levels", "test").complaint.endswith("which is measured on these levels.")


# --- demonstrate ------------------------------------------------------------------------------------------------------


def test_the_expert_demonstrates(shown, nim_demos):
    ran = shown("demonstrate", "nim", "--levels", "train:0-4", "--out", "demos.json")
    assert (ran.code, ran.out) == (0, "")
    assert ran.err == f"5 demonstrations, {len(nim_demos.steps)} steps, written to demos.json\n"
    assert Demonstrations.load("demos.json") == nim_demos


def test_demonstrations_on_stdout(shown, nim_demos):
    for words in ([], ["--json"]):
        ran = shown("demonstrate", "nim", "--levels", "train:0-4", *words)
        assert Demonstrations.from_json(json.loads(ran.out)) == nim_demos


# --- export -----------------------------------------------------------------------------------------------------------


def test_export_writes_a_module(shown, policy):
    ran = shown("export", "policy.json", "--out", "nim.py")
    assert (ran.code, ran.out) == (0, "")
    assert Path("nim.py").read_text("utf-8") == policy.to_python()
    assert shown("export", "policy.json").out == policy.to_python()


def test_export_as_json(shown, policy):
    told = json.loads(shown("export", "policy.json", "--json").out)
    assert told == {"game": "nim", "out": None, "module": policy.to_python()}


def test_an_exported_module_from_a_loaded_policy_is_the_same(shown, policy):
    assert Policy.load("policy.json").to_python() == policy.to_python()
