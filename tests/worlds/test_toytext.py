"""The worlds that come with Gymnasium: seen as maps, won or not, and played by an expert that reads their tables."""

from types import SimpleNamespace

import gymnasium
import numpy as np
import pytest

from shown.errors import BadInput
from shown.teaching.teach import teach
from shown.worlds import demonstrate, find, play, play_many, wrap
from shown.worlds.toytext import expert

TAXI = "gym:Taxi-v4"


def expertly(world, seed=0):
    return play(world, lambda _: world.expert(), seed)


def test_the_cliff_can_be_won():
    cliff = find("gym:CliffWalking-v1")
    episode = expertly(cliff)
    assert (episode.won, episode.reward, len(episode.steps)) == (True, -13.0, 13)
    cliff.reset(0)
    fallen = cliff.step("right")
    assert (fallen.won, fallen.over, fallen.reward) == (False, False, -100.0)


def test_the_expert_of_a_lake_that_does_not_slip_takes_the_shortest_way():
    lake = wrap(gymnasium.make("FrozenLake-v1", is_slippery=False))
    assert len(expertly(lake).steps) == 6
    large = wrap(gymnasium.make("FrozenLake-v1", map_name="8x8", is_slippery=False))
    assert (expertly(large).won, len(expertly(large).steps)) == (True, 14)


def test_a_taxi_is_seen_with_what_it_stands_on():
    taxi = find(TAXI)
    bare = taxi.env.unwrapped
    look = taxi.view
    assert look(taxi.env, bare.encode(3, 1, 2, 0)).rows == (
        "G..#.....",
        "...#.....",
        ".........",
        ".#A..#...",
        "0#...#...",
        "#########",
        ".########",
    )
    assert look(taxi.env, bare.encode(4, 0, 2, 0)).rows[-3:] == ("A#...#...", "#########", "0########")
    assert look(taxi.env, bare.encode(0, 0, 4, 0)).rows[0] == "A..#....."
    assert look(taxi.env, bare.encode(0, 0, 4, 0)).rows[-1] == "G########"
    assert "0" not in look(taxi.env, bare.encode(2, 2, 4, 0)).text  # who rides is not on the map


def test_to_drive_is_to_move_two_cells_sideways_or_one_up_or_down():
    taxi = find(TAXI)
    way = {"down": (1, 0), "up": (-1, 0), "right": (0, 2), "left": (0, -2)}
    for seed in range(20):
        for button, (dr, dc) in way.items():
            before = taxi.reset(seed)
            row, column = before.find("A")
            wall = not 0 <= row + dr < 5 or before.get((row, column + dc // 2)) in (None, "#")
            assert taxi.step(button).grid.find("A") == ((row, column) if wall else (row + dr, column + dc))


@pytest.mark.slow  # environments.md learns it in `make test`
def test_ten_demonstrations_of_driving_a_taxi_are_enough():
    taxi = find(TAXI)
    demos = demonstrate(taxi, range(10))
    assert all(item.outcome == "won" for item in demos)
    taught = teach(demos, taxi, language="walking", practice=0)
    episodes = play_many(taxi, taught.policy, range(2000, 2020))
    assert sum(episode.won for episode in episodes) >= 19


@pytest.mark.parametrize("observation", [500, -1, True, "x", np.zeros(3)])
def test_no_number_of_a_taxi(observation):
    taxi = find(TAXI)
    with pytest.raises(BadInput, match="must be a number from 0 to 499"):
        taxi.view(taxi.env, observation)


def test_blackjack_is_no_grid():
    with pytest.raises(BadInput, match=r"gym:Blackjack-v1: its observations \(Tuple.* have no default view"):
        find("gym:Blackjack-v1")


def test_what_is_won_can_be_said(corridor):
    def last(won, seed=1):
        world = wrap(corridor(), won=won)
        return [play(one, lambda _: "button_1", seed).won for one in (world, world.copy())]

    reward = play(wrap(corridor()), lambda _: "button_1", 1).reward
    assert last(None) == [reward > 0] * 2
    assert last(0.0) == [True] * 2
    assert last(2.0) == [False] * 2
    assert last(lambda reward, terminated, info: terminated and reward == 0) == [reward == 0] * 2


def test_a_table_that_is_not_one_has_no_expert(corridor):
    env = corridor()
    env.P = {0: {}}
    with pytest.raises(BadInput, match="there is no expert"):
        wrap(env).expert()


def test_the_expert_weighs_chances():
    table = {0: {0: [(0.5, 1, 0.0, True), (0.5, 1, 1.0, True)], 1: [(1.0, 1, 0.7, True)]}, 1: {0: [], 1: []}}
    env = SimpleNamespace(unwrapped=SimpleNamespace(P=table, s=0))
    assert expert(env) == 1
    del env.unwrapped.s
    with pytest.raises(BadInput, match="does not tell its state"):
        expert(env)
