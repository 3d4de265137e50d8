"""Fence In in Minecraft, for real: `make test-minecraft`, apart from `make test` since it downloads half a gigabyte."""

import os
import time

import pytest

from processes import still_running
from shown import Learner
from shown.worlds import demonstrate, find, find_world, load_levels, play_many
from shown.worlds.minecraft import parts

GAME = find("fence-in")


@pytest.fixture(scope="module")
def world():
    """Installed, if it is not yet, and started."""
    world = find_world("minecraft")
    began = time.monotonic()
    folder = parts.modules(parts.find_node()).parent
    installed = time.monotonic()
    size = sum(file.lstat().st_size for file in folder.rglob("*")) >> 20
    world.reset(0)
    print(f"\ninstalled in {installed - began:.1f} s ({size} MB); started, with a level, in ", end="")
    print(f"{time.monotonic() - installed:.1f} s")
    yield world
    world.session.close()


def test_after_every_step_the_world_is_what_the_rules_say(world):
    """What the world gives is what the bot reads, and it is compared here once more, with rules of our own."""
    for level in load_levels(GAME, "test:0-1"):
        one = world.world_at(level)
        assert one.level(0).grid == level.grid
        grid, steps, began = level.grid, 0, time.monotonic()
        while True:
            click = GAME.expert(grid)
            read = one.session.click(click)
            expected = GAME.step(grid, click, None)
            assert read == expected.grid
            grid, steps = read, steps + 1
            if expected.over:
                break
        assert expected.won
        print(
            f"{level.name}: {steps} steps read back as the rules say, {steps / (time.monotonic() - began):.1f} a second"
        )


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


def test_two_at_once_do_not_disturb_each_other(world):
    one, other = world.copy(), world.copy()
    grids = [one.reset(0), other.reset(1)]
    for _ in range(2):
        for i, each in enumerate((one, other)):
            click = each.expert()
            outcome = each.step(click)
            assert outcome.grid == grids[i].with_cells({click: "#"})
            grids[i] = outcome.grid


def test_a_level_can_be_built_again(world):
    one = world.copy()
    first = one.reset(7)
    one.step(one.expert())
    assert one.reset(7) == first
    assert one.reset(8) != first


def test_a_policy_learned_on_the_flat_game_wins_all_test_levels(world):
    policy = Learner().fit(demonstrate(GAME, load_levels(GAME, "train:0-4"))).policy_
    levels = load_levels(GAME, "test")
    began = time.monotonic()
    episodes = play_many(world, policy, levels)
    seconds = time.monotonic() - began
    steps = sum(len(episode.steps) for episode in episodes)
    won = sum(episode.won for episode in episodes)
    print(f"{won} of {len(levels)} test levels won; {steps} steps, {steps / seconds:.1f} a second")
    assert all(episode.won for episode in episodes)


def test_nothing_is_left_running():
    world = find_world("minecraft")
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
