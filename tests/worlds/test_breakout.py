"""Breakout for real: the emulator, its frames as grids, the reactive expert, and a policy that plays."""

import re
import sys
from itertools import pairwise

import numpy as np
import pytest

from shown import Learner
from shown.cli import main
from shown.demonstrations import Demonstration, Demonstrations
from shown.errors import BadInput, MissingExtra
from shown.policy import Policy, uniform_policy
from shown.worlds import demonstrate, find, play, play_many
from shown.worlds.breakout import Blocks, Pixels, _name

PIXELS = "atari:Breakout"
BLOCKS = "atari:Breakout#blocks"


@pytest.fixture(scope="module")
def frames():
    return find(PIXELS)


@pytest.fixture(scope="module")
def blocks():
    return find(BLOCKS)


def expert_plays(world, seed, steps=None):
    return play(world, lambda _: world.expert(), seed, max_steps=steps)


def test_full_frames_have_the_papers_fifteen_values(frames):
    assert frames.reset(0).shape == (210, 160)
    assert len(frames.tokens) == 15
    assert {"black", "red", "black_to_red", "red_to_black"} <= set(frames.tokens.names)
    assert frames.buttons == ("noop", "fire", "right", "left")


def test_the_expert_breaks_three_bricks_in_500_frames(frames):
    episode = expert_plays(frames, 0)
    assert (len(episode.steps), episode.reward, episode.won) == (500, 3.0, True)
    lead = [step.grid.find(frames.tokens["black_to_red"]) for step in episode.steps[5:25]]
    rows, columns = zip(*lead, strict=True)
    assert np.all(np.diff(rows) == 1)  # down and right, a pixel a frame
    assert np.all(np.diff(columns) == 1)
    assert [step.action for step in episode.steps[5:25]] == ["noop"] * 20  # the paddle is there already


def test_a_seed_is_a_start_and_four_take_turns(frames, blocks):
    starts = [frames.reset(seed) for seed in range(8)]
    assert len(set(starts)) == 4
    assert starts[:4] == starts[4:]
    assert frames.copy().reset(3) == starts[3]
    elsewhere = {blocks.reset(seed).rows[-1] for seed in range(30, 50)}
    assert len(elsewhere) > 8  # the paddle begins in many places
    assert {blocks.reset(seed).rows[-1] for seed in range(4)} == {"." * 22 + "=" * 5 + "." * 9}


def test_the_ball_is_lost_and_the_episode_over(frames):
    episode = play(frames, lambda _: "left", 0)
    assert (episode.won, episode.over, episode.reward) == (False, True, 0.0)
    assert 80 < len(episode.steps) < 120


def test_a_whole_game_has_five_balls():
    game = find("atari:Breakout#blocks,game")
    lost = play(game, lambda _: "left", 1)
    one = play(find("atari:Breakout#blocks,ball"), lambda _: "left", 1)
    assert (lost.over, lost.won, one.over) == (True, False, True)
    assert len(lost.steps) > 4 * len(one.steps) > 80


def test_blocks_show_ball_and_paddle_and_where_the_ball_was(blocks):
    blocks.reset(1)
    grids = [blocks.step("noop").grid for _ in range(8)]
    for before, after in pairwise(grids):
        ball, last = (grid.where(blocks.tokens["ball"]) for grid in (after, before))
        assert len(ball) == len(last) == 1
        assert ball[0] == (last[0][0] + 1, last[0][1] - 1)  # down and to the left
        assert after.where(blocks.tokens["ball_before"]) == last


def test_a_value_nobody_has_seen_is_taken_for_what_it_is_now():
    sight = Pixels(np.array([0, 70 * 256 + 70, 70]))
    was, now = np.array([[0, 70, 134, 70]], np.uint8), np.array([[70, 70, 70, 134]], np.uint8)
    names = [sight.tokens.name(character) for character in sight.grid(was, now).rows[0]]
    assert names == ["black_to_red", "red", "red", "black"]
    assert _name(7, 8) == "color_7_to_color_8"


def test_worlds_side_by_side_share_the_emulator_and_nothing_else(blocks):
    player = uniform_policy(blocks.tokens, blocks.name, blocks.buttons)
    together = play_many(blocks, player, [0, 1, 31, 40])
    assert together == [play(blocks, player.act, seed) for seed in (0, 1, 31, 40)]
    assert len({episode.last for episode in together}) > 1


def test_a_policy_from_three_starts_plays_like_the_expert(blocks):
    """500 frames of each serve that the expert returns are enough to return them, with the paddle elsewhere too."""
    policy = Learner(programs=30_000).fit(demonstrate(blocks, [0, 1, 3])).policy_
    assert policy.game == BLOCKS
    seeds = [0, 1, 3, 101, 105]
    played = play_many(blocks, policy, seeds)
    assert [e.reward for e in played] == [expert_plays(blocks, seed).reward for seed in seeds]
    assert all(e.won for e in played)


def test_full_frames_are_learned_from(frames):
    """Some steps on whole frames, as a policy that does them again."""
    steps = expert_plays(frames, 0, 140).steps[90:]
    part = Demonstrations(frames.tokens, (Demonstration(steps),), frames.name, frames.buttons)
    learner = Learner(programs=50_000).fit(part)
    assert learner.explained_ == 50
    assert learner.policy_.act_many([step.grid for step in steps]) == [step.action for step in steps]


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("atari:Pong", "no world called 'atari:Pong'. The only Atari game is atari:Breakout."),
        ("atari:Breakout#bloks", "atari:Breakout: no 'bloks' after the #. Did you mean 'blocks'?"),
        ("atari:Breakout#ball,game", "no 'game' after the #"),
    ],
)
def test_names_that_are_none(name, complaint):
    with pytest.raises(BadInput, match=re.escape(complaint)):
        find(name)


def test_without_the_emulator_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "ale_py", None)
    with pytest.raises(MissingExtra, match=r"pip install '.*\[atari\]'"):
        find(BLOCKS)


def test_without_its_rom_it_says_so(monkeypatch):
    monkeypatch.setattr("ale_py.roms.get_rom_path", lambda name: None)
    with pytest.raises(BadInput, match=r"^atari:Breakout: ale-py has no ROM of the game\. Reinstall it"):
        find(BLOCKS)


def test_commands(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    words = ["--seeds", "0", "--programs", "3000", "--published", "--quiet", "--out", "policy.json"]
    assert main(["learn", BLOCKS, *words]) == 0
    assert Policy.load("policy.json").game == BLOCKS
    assert main(["evaluate", "policy.json", "--seeds", "0"]) == 0
    assert "Breakout: 1 of 1 episodes won (100%), mean reward" in capsys.readouterr().out
    assert main(["evaluate", "policy.json", "--world", f"{BLOCKS},ball", "--seeds", "2", "--json"]) == 0
    assert main(["learn", BLOCKS, "--expert", "json:loads"]) == 2
    assert Blocks.tokens == Policy.load("policy.json").tokens
