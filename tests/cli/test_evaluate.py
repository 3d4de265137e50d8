"""`shown evaluate`."""

import json
from pathlib import Path

import pytest

from shown.policy import uniform_policy
from shown.worlds import find, load_levels, play


@pytest.fixture
def policy(shown, nim_policy):
    nim_policy.save("policy.json")
    return nim_policy


def test_levels_won_are_counted(shown, policy):
    ran = shown("evaluate", "policy.json", "--levels", "test:0-8", "--json")
    assert (ran.code, ran.err) == (0, "")
    told = json.loads(ran.out)
    nim = find("nim")
    episodes = [play(nim, policy.act, level) for level in load_levels(nim, "test:0-8")]
    assert told["game"] == "nim"
    assert told["levels"] == 9
    assert told["solved"] == sum(episode.won for episode in episodes)
    assert told["success"] == told["solved"] / 9
    assert told["steps"] == sum(len(episode.steps) for episode in episodes)
    assert [e["level"] for e in told["episodes"]] == [f"test:{i}" for i in range(9)]


def test_in_words(shown, policy):
    ran = shown("evaluate", "policy.json", "--levels", "test:0,random:5")
    assert ran.out.splitlines()[0].startswith("  test:0    won in ")
    assert ran.out.splitlines()[-1] == "Nim: 2 of 2 levels won (100%)"


def test_a_bad_policy_wins_little_but_that_is_no_error(shown):
    uniform_policy(find("nim").tokens, "nim").save("uniform.json")
    ran = shown("evaluate", "uniform.json", "--json")
    assert ran.code == 0
    assert json.loads(ran.out)["success"] < 1


def test_the_most_probable_policy_alone(shown, policy):
    told = json.loads(shown("evaluate", "policy.json", "--rule-only", "--json").out)
    nim = find("nim")
    won = [play(nim, policy.map_policy.act, level).won for level in load_levels(nim, "test")]
    assert told["solved"] == sum(won)


def test_levels_from_a_file(shown, policy):
    Path("mine.json").write_text(json.dumps({"game": "nim", "levels": ["|.\n||"]}))
    told = json.loads(shown("evaluate", "policy.json", "--levels", "mine.json", "--json").out)
    assert [e["level"] for e in told["episodes"]] == ["mine.json:0"]


def test_the_same_seed_plays_the_same(shown, policy):
    words = ("evaluate", "policy.json", "--levels", "random:0-9", "--seed", "3", "--json")
    assert shown(*words).out == shown(*words).out


@pytest.mark.parametrize("how", [(), ("--json",)])
def test_too_little_is_a_failure_where_a_share_was_asked_for(shown, policy, how):
    uniform_policy(find("nim").tokens, "nim").save("uniform.json")
    assert shown("evaluate", "policy.json", "--at-least", "0.9", *how).code == 0
    ran = shown("evaluate", "uniform.json", "--at-least", "0.9", *how)
    assert ran.code == 1
    assert ran.err.endswith("is below --at-least 90%.\n")
    assert "0 to 1" in shown("evaluate", "policy.json", "--at-least", "90").complaint
