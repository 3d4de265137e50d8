"""The commands on worlds, as a user types them."""

import io
import json
import re
import sys
from dataclasses import replace

import pytest

from shown import Policy
from shown.demonstrations import Demonstrations
from shown.teaching import task
from shown.worlds import find
from shown.worlds.keyboard import button_keys

LAVA = "gym:MiniGrid-LavaGapS7-v0"
LAKE = "gym:FrozenLake-v1"
ORCHARD = "orchards:Orchard"


@pytest.fixture(scope="module")
def learned(tmp_path_factory):
    from shown.cli import main

    path = tmp_path_factory.mktemp("lava") / "lava.json"
    assert (
        main(
            ["learn", LAVA, "--seeds", "0-4", "--language", "walking", "--practice", "0", "--quiet", "--out", str(path)]
        )
        == 0
    )
    return path


def test_learn_evaluate(command, learned):
    assert Policy.load(learned).game == LAVA
    code, out, _ = command("evaluate", learned, "--seeds", "100-119", "--json")
    told = json.loads(out)
    assert (code, told["game"], told["levels"]) == (0, LAVA, 20)
    assert told["success"] >= 0.9
    assert 0.8 < told["reward"] <= told["success"]
    assert told["episodes"][0]["level"] == "seed:100"
    code, out, _ = command("evaluate", learned, "--world", LAVA, "--seeds", "100-119")
    assert f"{told['solved']} of 20 episodes won" in out


def test_an_expert_of_ones_own(command, tmp_path):
    (tmp_path / "my_lake.py").write_text(
        "WAY = {0: 1, 4: 1, 8: 2, 9: 2, 10: 1, 14: 2}\n\ndef way(env):\n    return WAY.get(env.unwrapped.s, 0)\n"
    )
    code, out, err = command(
        "learn", LAKE, "--expert", "my_lake:way", "--seeds", "0-1", "--practice", "0", "--quiet", "--out", "lake.json"
    )
    assert code == 0, err
    assert "from 2 demonstrations" in out
    assert Policy.load("lake.json").buttons == ("left", "down", "right", "up")


def test_lost_episodes_of_the_expert_are_left_out_and_counted(command, tmp_path):
    (tmp_path / "lucky.py").write_text("def right(env):\n    return 2\n")
    words = ("demonstrate", LAKE, "--expert", "lucky:right", "--seeds", "0-9", "--out", "lake.json")
    code, _, err = command(*words)
    assert code == 0
    assert "shown: no episode of the expert counts as won; all are kept.\n10 demonstrations" in err
    (tmp_path / "half.py").write_text("def away(env):\n    return 0 if env.unwrapped.np_random_seed % 2 else 1\n")
    words = ("demonstrate", "gym:CliffWalking-v1", "--expert", "half:away", "--seeds", "0-1", "--out", "cliff.json")
    code, _, err = command(*words)
    assert code == 0
    assert "no episode of the expert counts as won" in err


def test_of_won_and_lost_episodes_the_won_ones_are_learned_from(command):
    lake = "gym:FrozenLake-v1"  # the ice is slippery
    code, _, err = command("demonstrate", lake, "--seeds", "0-9", "--out", "all.json", "--keep-lost")
    every = Demonstrations.load("all.json")
    assert (code, len(every)) == (0, 10)
    assert 0 < len(every.won) < 10, "these seeds have both"
    code, _, err = command("demonstrate", lake, "--seeds", "0-9", "--out", "won.json")
    counted = f"shown: the expert won {len(every.won)} of 10 episodes; the others are left out (keep-lost keeps them)."
    assert err.startswith(f"{counted}\n")
    assert Demonstrations.load("won.json") == every.won


LARGE = "gym:MiniGrid-LavaGapS5-v0"
"""Another world that looks alike."""


def test_in_another_world(command, learned):
    code, out, err = command("evaluate", learned, "--world", LARGE, "--seeds", "0-1")
    assert code == 0, err
    assert "of 2 episodes won" in out
    code, out, _ = command("explain", learned, "--world", LARGE, "--seeds", "1")
    assert (code, out.startswith("seed:1: ")) == (0, True)


def test_what_there_is_to_know_of_a_world(command):
    code, out, _ = command("games")
    assert (code, "shown games gym:ID" in out) == (0, True)
    code, out, _ = command("games", LAVA)
    assert code == 0
    for line in ("    ~  lava", "buttons: left · right · forward · pickup", find(LAVA).reset(0).text):
        assert line in out
    told = json.loads(command("games", LAVA, "--json")[1])[0]
    assert (told["buttons"], told["grid"]) == (list(find(LAVA).buttons), list(find(LAVA).reset(0).rows))
    code, _, err = command("games", LAVA, "--floor")
    assert (code, err) == (2, f"shown: --floor: {LAVA} has no levels to measure it on.\n")


def test_act_and_explain_on_a_grid(command, learned, tmp_path, monkeypatch):
    grids = [find(LAVA).reset(seed) for seed in (5, 6)]
    (tmp_path / "grids.txt").write_text("\n\n".join(grid.text for grid in grids))
    policy = Policy.load(learned)
    _, out, _ = command("act", learned, "grids.txt")
    assert out.split() == [policy.act(grid) for grid in grids]
    _, out, _ = command("act", learned, "grids.txt", "--json")
    assert json.loads(out)[0]["probability"] > 0.5
    _, out, _ = command("explain", learned, "--grid", "grids.txt")
    assert out.count("because") == 2
    monkeypatch.setattr(sys, "stdin", io.StringIO(grids[1].text))
    _, out, _ = command("act", learned, "-")
    assert out.strip() == policy.act(grids[1])
    _, out, _ = command("explain", learned, "--seeds", "7")
    assert out.startswith("seed:7: ")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (
            ["learn", "gym:CartPole-v1#blocks-100"],
            "there is no expert. Name one with --expert, or play it yourself.",
        ),
        (["learn", LAKE, "--expert", "nowhere"], "--expert nowhere: must be module:function."),
        (
            ["learn", LAKE, "--expert", "nowhere:way"],
            "cannot be loaded (ModuleNotFoundError: No module named 'nowhere')",
        ),
        (["learn", LAKE, "--expert", "json:__name__"], "--expert json:__name__: is not a function."),
        (["learn", "nim", "--expert", "json:loads"], "nim has a built-in expert"),
        (["learn", "nim", "--seeds", "0-4"], "--seeds: nim has levels. Give --levels"),
        (["learn", LAVA, "--levels", "train:3"], "has no levels. Give --seeds"),
        (["learn", LAVA, "--seeds", "4-0"], "argument --seeds: expected seeds such as 0-9 or 3,5,20-29, not '4-0'"),
        (["learn", LAVA, "--seeds", "0-999999"], "argument --seeds: '0-999999': more than 100,000 seeds"),
        (["play", "gym:Nothing-v0"], "no environment called 'Nothing-v0'"),
        (["demonstrate", "gym:CartPole-v1#blocks-100"], "there is no expert."),
    ],
)
def test_wrong_use_is_one_line(command, words, complaint):
    code, out, err = command(*words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert complaint in err


def test_a_policy_in_another_world(command, learned, tmp_path):
    code, _, err = command("evaluate", learned, "--world", LAKE)
    assert code == 2
    assert f"the policy and {LAKE} have different tokens or buttons" in err
    hostile = json.loads(learned.read_text()) | {"game": "gym:antigravity:Thing-v0"}
    (tmp_path / "hostile.json").write_text(json.dumps(hostile))
    code, _, err = command("evaluate", "hostile.json")
    assert code == 2
    assert "imports a module" in err
    assert "antigravity" not in sys.modules
    code, _, err = command("act", learned, "nothing.txt")
    assert (code, "no such file" in err) == (2, True)
    (tmp_path / "wrong.txt").write_text("##\n#x\n")
    code, _, err = command("explain", learned, "--grid", "wrong.txt")
    assert (code, "wrong.txt, grid 0, row 1, column 1: 'x' is not a token" in err) == (2, True)
    (tmp_path / "empty.txt").write_text("\n")
    code, _, err = command("act", learned, "empty.txt")
    assert (code, "contains no grid" in err) == (2, True)


# --- keys for buttons -------------------------------------------------------------------------------------------------


def test_every_button_has_a_key_of_its_own():
    buttons = [f"button_{i}" for i in range(18)]
    keys = button_keys(buttons)
    assert list(keys.values()) == buttons
    assert all(len(key) == 1 for key in keys)


@pytest.fixture
def few_rounds(monkeypatch):
    """Rounds end practice long before its time is over, however busy the machine is."""
    monkeypatch.setattr(task, "ROUNDS_PER_SECOND", 0.1)


def test_where_nothing_can_be_won_the_return_is_learned_and_evaluated(command, few_rounds):
    options = "--seeds 0-1 --programs 300 --practice 60 --out pick.json"
    code, out, err = command("learn", ORCHARD, *options.split())
    assert code == 0, err
    found = Policy.load("pick.json").provenance.expectation
    assert f"\nexpected return {found.text}; the demonstrations had {found.demonstrations:.1f}\n" in out
    assert "won" not in out
    assert "best so far has return" in err
    play = ("evaluate", "pick.json", "--world", ORCHARD, "--seeds", "100-119")
    code, out, err = command(*play, "--at-least", "6.5")
    assert code == 0, err
    *episodes, last = out.splitlines()
    assert len(episodes) == 20
    assert all(re.fullmatch(r"  seed:1\d\d  return \d+ in 20 steps", line) for line in episodes)
    told = json.loads(command(*play, "--json")[1])
    mean, error, random = (told["return"][key] for key in ("mean", "error", "random"))
    assert mean == told["reward"] == sum(episode["reward"] for episode in told["episodes"]) / 20
    assert random < 3 < mean - error
    shown = f"random play has {random:.1f}; the demonstrations had {found.demonstrations:.1f}"
    assert last == f"Orchard: mean return {mean:.1f} ± {error:.1f} in 20 episodes; {shown}"
    code, _, err = command(*play, "--at-least", "15")
    assert (code, err) == (1, f"shown: the mean return of {mean:.2f} is below --at-least 15.\n")


def test_a_return_that_is_unknown_is_said_to_be(command, few_rounds):
    command("demonstrate", ORCHARD, "--seeds", "0-1", "--out", "demos.json")
    demos = Demonstrations.load("demos.json")
    unknown = tuple(replace(item, seed=None, level=None) for item in demos)
    replace(demos, items=unknown).save("log.json")
    code, out, err = command("learn", "log.json", "--world", ORCHARD, "--programs", "300", "--practice", "60")
    assert code == 0, err
    assert "No demonstration counts as won or has a known return, so practice could not compare rules." in out
