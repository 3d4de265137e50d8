"""Views that show what was there one step before."""

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from shown import teach
from shown.errors import BadInput
from shown.grid import Grid
from shown.worlds import demonstrate, play_many, wrap
from shown.worlds.views import Last, Numbers

LEFT, RIGHT, WAIT = range(3)


class Flight(gymnasium.Env):
    """A ball flies left or right along a row. Wait for one step, then name its direction."""

    observation_space = spaces.Box(0, 1, (1, 7), np.int64)
    action_space = spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place, self.way, self.turn = int(self.np_random.integers(2, 5)), 2 * int(self.np_random.integers(2)) - 1, 0
        return self._seen(), {}

    def step(self, action):
        right = self.right()
        self.place, self.turn = self.place + self.way, self.turn + 1
        over = self.turn == 2 or action != right
        return self._seen(), float(over and action == right), over, False, {}

    def right(self):
        return WAIT if not self.turn else LEFT if self.way < 0 else RIGHT

    def _seen(self):
        row = np.zeros((1, 7), np.int64)
        row[0, self.place] = 1
        return row


def flight(view):
    return wrap(Flight, view=view, expert=lambda env: env.unwrapped.right())


def test_a_ball_leaves_a_trace_where_it_was():
    world = flight("last")
    assert world.name == "gym:Flight#last"
    assert world.tokens.names == ("value_0", "value_1", "value_1_before")
    first = world.reset(0)
    assert world.tokens["value_1_before"] not in first.text
    second = world.step("button_2").grid
    assert second.find(world.tokens["value_1_before"]) == first.find(world.tokens["value_1"])


def test_a_new_episode_and_a_copy_have_no_past():
    world = flight("last")
    first = world.reset(0)
    world.step("button_2")
    assert world.copy().reset(0) == world.reset(0) == first


def test_a_direction_is_learned_with_traces_and_cannot_be_without():
    found = {}
    for view in (None, "last"):
        world = flight(view)
        taught = teach(demonstrate(world, range(12)), world, programs=500, practice=0)
        found[view] = sum(episode.won for episode in play_many(world, taught.policy, range(100, 140)))
    assert found[None] < 30
    assert found["last"] == 40


def test_an_agent_remembers_what_it_saw():
    world = flight("last")
    taught = teach(demonstrate(world, range(12)), world, programs=500, practice=0)
    for seed in range(10):
        env, agent = Flight(), world.agent(taught.policy)
        observation, over, reward = env.reset(seed=seed)[0], False, 0.0
        while not over:
            observation, reward, over, _, _ = env.step(agent(observation))
        assert reward == 1.0


def test_things_that_stand_still_leave_no_trace_and_what_is_there_now_hides_the_past():
    look = Last(Numbers({0: "empty", 1: "ball", 2: "wall"}), ["ball"])
    ball, wall, trace = (look.tokens[name] for name in ("ball", "wall", "ball_before"))
    assert look.traced(Grid(f"{ball}{wall}.."), Grid(f".{wall}{ball}.")) == Grid(f"{trace}{wall}{ball}.")
    assert look.traced(Grid(f"{wall}{ball}"), Grid("..")) == Grid(f".{trace}")
    assert look.traced(Grid(f"{ball}."), Grid(f"{wall}.")) == Grid(f"{wall}.")
    assert look.traced(Grid("."), Grid("..")) == Grid("..")
    assert look.traced(None, Grid(f"{ball}.")) == Grid(f"{ball}.")


def test_traces_go_with_every_other_view():
    assert wrap("FrozenLake-v1", view="last").tokens.names[-1] == "agent_before"
    with pytest.raises(BadInput, match="no view called 'nowhere'"):
        wrap("FrozenLake-v1", view="nowhere+last")
