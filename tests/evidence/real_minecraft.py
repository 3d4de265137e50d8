"""Fence In in Minecraft, for real: `make test-minecraft`, apart from `make test` since it downloads half a gigabyte."""

import os
import time

import pytest

from processes import still_running
from shown import Learner
from shown.worlds import demonstrate, find, load_levels, play_many
from shown_evidence.minecraft import MinecraftWorld, node_packages

GAME = find("fence-in")


@pytest.fixture(scope="module")
def world():
    """Installed, if it is not yet, and started."""
    world = MinecraftWorld()
    began = time.monotonic()
    node_packages.modules(node_packages.find_node())
    installed = time.monotonic()
    world.reset(0)
    print(f"\ninstalled in {installed - began:.1f} s; started, with a level, in {time.monotonic() - installed:.1f} s")
    yield world
    world.session.close()


def test_after_every_step_the_world_is_what_the_rules_say(world):
    """The grids that the bot reads are compared here once more, with the rules played beside it."""
    for level in load_levels(GAME, "test:0-1"):
        one = world.world_at(level)
        grid = one.reset(0)
        assert grid == level.grid
        expected = None
        while expected is None or not expected.over:
            click = GAME.expert(grid)
            expected = GAME.step(grid, click, None)
            grid = one.session.click(click)
            assert grid == expected.grid
        assert expected.won


def test_clicks_that_do_nothing_do_nothing_and_take_no_time(world):
    one = world.copy()
    grid = one.reset(3)
    began = time.monotonic()
    for cell in (grid.find("S"), *grid.where("#")[:3]):
        outcome = one.step(cell)
        assert (outcome.grid, outcome.over) == (grid, False)
    assert time.monotonic() - began < 15  # a server that is asked to put something there lets 5 s pass each time


def test_fences_join(world):
    one = world.copy()
    one.reset(5)
    for _ in range(3):
        one.step(one.expert())
        assert one.session.joined


def test_a_level_can_be_built_again(world):
    one = world.copy()
    first = one.reset(7)
    one.step(one.expert())
    assert one.reset(7) == first
    assert one.reset(8) != first


def test_a_policy_learned_on_the_flat_game_wins_all_test_levels(world):
    """The nine levels are played side by side, so each is built again before every step."""
    policy = Learner().fit(demonstrate(GAME, load_levels(GAME, "train:0-4"))).policy_
    began = time.monotonic()
    episodes = play_many(world, policy, "test")
    seconds = time.monotonic() - began
    steps = sum(len(episode.steps) for episode in episodes)
    won = sum(episode.won for episode in episodes)
    print(f"{won} of {len(episodes)} test levels won; {steps} steps, {steps / seconds:.1f} a second")
    assert (won, len(episodes)) == (9, 9)


def test_nothing_is_left_running():
    world = MinecraftWorld()
    world.reset(0)
    bot = world.session._process.pid
    group = [int(pid) for pid in os.listdir("/proc") if pid.isdigit() and group_of(int(pid)) == bot]
    assert len(still_running(group)) == 2  # the bot and the server
    world.session.close()
    assert still_running(group) == []


def group_of(pid):
    try:
        return os.getpgid(pid)
    except ProcessLookupError:
        return None
