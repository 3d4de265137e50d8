"""Worlds in a real browser: taught by pressing buttons, watched on new seeds, corrected in the middle of a run."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from serving import until
from shown import worlds
from shown.worlds import GAMES, World, find

EMPTY = "gym:MiniGrid-Empty-Random-6x6-v0"
LAKE = "gym:FrozenLake-v1"
KEYS = {"left": "ArrowLeft", "right": "ArrowRight", "forward": "ArrowUp", "up": "ArrowUp", "down": "ArrowDown"}


def actions_of(world: World, seed: int) -> list[str]:
    """Return the actions of the expert."""
    episode = worlds.play(world, lambda _: world.expert(), seed)
    assert episode.won
    return [str(step.action) for step in episode.steps]


def press(visitor, name, key=False):
    count = visitor.settled()
    if key:
        visitor.page.keyboard.press(KEYS[name])
    else:
        visitor.at(f"#presses [data-button='{name}']").click()
    visitor.wait_settled(count + 1)


def test_a_world_is_taught_with_keys_and_buttons_watched_and_corrected(make_server, visit):
    server = make_server(words=("--world", EMPTY))
    visitor = visit(server)
    world = worlds.find(EMPTY)
    expect(visitor.at("#pick-level")).to_have_text("Seed 0")
    expect(visitor.at("#open-paint")).to_be_hidden()
    visitor.at("text=How it works").click()
    expect(visitor.at(".rules p")).to_contain_text("The map turns with the agent")
    expect(visitor.at("#teach .status:visible")).to_contain_text("Press the buttons, or their keys,")

    # One game with the keys, one with the buttons on the page.
    for seed in (0, 1):
        expect(visitor.at("#pick-level")).to_have_text(f"Seed {seed}")
        for name in actions_of(world, seed):
            press(visitor, name, key=seed == 0)
        expect(visitor.at(".record")).to_have_count(seed + 1)
        expect(visitor.at("#teach .status:visible")).not_to_contain_text("Won in")
    visitor.has_learned(2)
    expect(visitor.at("#rate")).to_have_text(re.compile(r"It wins \d+ of 12 new levels"))
    expect(visitor.at(".tile").first).to_have_attribute("aria-label", re.compile("Seed 50000: .*"))

    # Its buttons have chances, and each can be asked about.
    visitor.at(".tile").first.click()
    visitor.at("#watch .slider").fill("0")
    expect(visitor.at("#watch-status")).to_contain_text("Step 1:")
    expect(visitor.at("#why-lead")).to_contain_text("It presses")
    expect(visitor.at("#watch-presses [aria-pressed=true] .press-note")).to_contain_text("%")
    visitor.at("#watch-presses [data-button='drop']").click()
    expect(visitor.at("#why-lead")).to_contain_text(re.compile("It (would not|might) press drop"))

    # In the middle of a run the position comes back, and one step there is a demonstration.
    visitor.at("#watch-step").click()
    expect(visitor.at("#watch-status")).to_contain_text("Step 2:")
    position = visitor.page.eval_on_selector_all("#watch .cell use", "uses => uses.map(u => u.getAttribute('href'))")
    visitor.at("#correct").click()
    expect(visitor.at("#teach .status:visible")).to_have_text("What should it have done here? Press it.")
    assert position == visitor.page.eval_on_selector_all(
        "#teach .board-host:first-child .cell use", "uses => uses.map(u => u.getAttribute('href'))"
    )
    press(visitor, "left")
    expect(visitor.at(".record")).to_have_count(3)
    expect(visitor.at(".record").last).to_contain_text("correction")
    press(visitor, "left")
    expect(visitor.at(".record").last).to_contain_text("2 steps")
    visitor.at("#undo").click()
    expect(visitor.at(".record").last).to_contain_text("1 step")

    # A recorded step is changed by pressing the right button.
    visitor.at(".record-open").last.click()
    visitor.at("#change-click").click()
    visitor.at(".replay [data-button='right']").click()
    expect(visitor.at(".replay .status")).to_contain_text("right")

    # Killed in the middle: everything is where it was.
    before = server.post("open", game=EMPTY)
    visitor.expecting_silence = True
    server.kill()
    server.start(server.port)
    after = server.post("open", game=EMPTY)
    assert after["recordings"] == before["recordings"]
    assert after["table"] == before["table"]


@pytest.mark.slow
def test_games_that_are_not_won_are_kept_and_learned(make_server, visit):
    visitor = visit(make_server(words=("--world", LAKE)))
    visitor.at("#teach .cell").first.focus()
    press(visitor, "down", key=True)
    expect(visitor.at("#teach .status:visible")).to_have_text("1 step recorded.")
    visitor.at("#keep").click()
    expect(visitor.at(".record")).to_have_count(1)
    visitor.has_learned(1)
    visitor.choose("nim")
    expect(visitor.at("#presses button")).to_have_count(0)
    expect(visitor.at("#open-paint")).to_be_visible()


@pytest.mark.parametrize("world", ["gym:CartPole-v1", "gym:FrozenLak-v1", "nim"])
def test_an_unknown_world_is_one_line(world, capsys):
    from shown.cli import main

    assert main(["studio", "--no-browser", "--world", world]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1


def test_a_game_of_another_package_is_on_the_page_and_a_broken_one_is_not(make_server, visit, elsewhere):
    elsewhere("aimless = elsewhere:Aimless", "lost = nowhere:Lost", "twin = elsewhere:Twin")
    visitor = visit(make_server())
    expect(visitor.at(".game span")).to_have_text([*(find(name).title for name in GAMES), "Twin"])
    twin = visitor.choose("twin")
    visitor.win(twin)
    visitor.has_learned(1)
    expect(visitor.at("#rate")).to_contain_text("It wins")
    assert visitor.page.evaluate("getComputedStyle(document.querySelector('#teach .cell svg')).width") != "0px"


BROKEN = '''
import gymnasium
import numpy as np
from gymnasium import spaces


class Corridor(gymnasium.Env):
    """Breaks off on its third step, and for good once there is a file called `gone`."""

    action_space = spaces.Discrete(2)
    observation_space = spaces.Box(0, 2, (1, 5), np.int64)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return np.array([[0, 0, 1, 0, 2]]), {}

    def step(self, action):
        self.steps += 1
        if self.steps == 3:
            raise RuntimeError("the cable\\nis out")
        return np.array([[0, 0, self.steps % 2, 1, 2]]), 0.0, False, False, {}


gymnasium.register("Broken-v0", Corridor)
'''


def test_a_world_that_breaks_off_says_so_in_one_line_and_loses_nothing(make_server, visit, tmp_path, monkeypatch):
    (tmp_path / "broken_world.py").write_text(BROKEN)
    monkeypatch.chdir(tmp_path)
    name = "gym:broken_world:Broken-v0"
    server = make_server(words=("--world", name))
    visitor = visit(server)
    # Nobody here knows how to play it.
    expect(visitor.at("#expert")).to_be_hidden()
    expect(visitor.at("#hint")).to_be_hidden()
    for _ in range(2):
        press(visitor, "button_1", key=False)
    visitor.problems.clear()
    press(visitor, "button_0")
    expect(visitor.at(".toast")).to_contain_text("the environment failed (RuntimeError: the cable is out")
    expect(visitor.at("#teach .status:visible")).to_have_text("2 steps recorded.")
    visitor.at("#keep").click()
    expect(visitor.at(".record")).to_have_count(1)
    until(lambda: server.post("open", game=server.post("hello")["game"])["learned"]["state"] == "broken", "it is told")
    expect(visitor.at(".failure")).to_contain_text("the environment failed (RuntimeError: the cable is out")
    visitor.problems = [problem for problem in visitor.problems if " 400 " not in problem]


HANGING = """
import os
import time

import gymnasium
import numpy as np
from gymnasium import spaces


class Corridor(gymnasium.Env):
    '''Button 0 takes a step, button 1 never comes back, button 2 ends the process as a fault of the machine would.'''

    action_space = spaces.Discrete(3)
    observation_space = spaces.Box(0, 2, (1, 5), np.int64)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return np.array([[1, 0, 0, 0, 2]]), {}

    def step(self, action):
        if action == 1:
            time.sleep(3600)
        if action == 2:
            os.abort()
        self.steps += 1
        seen = np.zeros((1, 5), np.int64)
        seen[0, 4], seen[0, self.steps % 4] = 2, 1
        return seen, float(self.steps == 3), self.steps == 3, False, {}


gymnasium.register("Hanging-v0", Corridor)
"""


@pytest.mark.slow
def test_a_world_that_hangs_or_crashes_is_ended_and_the_page_goes_on(make_server, visit, tmp_path, monkeypatch):
    (tmp_path / "hanging_world.py").write_text(HANGING)
    monkeypatch.chdir(tmp_path)
    server = make_server(words=("--world", "gym:hanging_world:Hanging-v0"))
    visitor = visit(server)
    press(visitor, "button_0")
    for button, what in (("button_1", "has not answered for 5 seconds"), ("button_2", "has crashed twice")):
        press(visitor, button)
        expect(visitor.at(".toast").last).to_contain_text(what)
        expect(visitor.at("#teach .status:visible")).to_have_text("1 step recorded.")
    for _ in range(2):
        press(visitor, "button_0")
    expect(visitor.at(".record")).to_have_count(1)
    visitor.has_learned(1)
    visitor.problems = [problem for problem in visitor.problems if " 400 " not in problem]
