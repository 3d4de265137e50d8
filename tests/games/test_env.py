import warnings
from typing import ClassVar

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from shown.errors import BadInput
from shown.grid import Grid, Tokens, grid
from shown.worlds import GAMES, Outcome, find, load_levels
from shown.worlds.games.gym_env import Clicks, GameEnv, environment_id
from shown.worlds.games.nim import Nim

IDS = {
    "nim": "shown/Nim-v0",
    "checkmate": "shown/Checkmate-v0",
    "chase": "shown/Chase-v0",
    "stop-the-fall": "shown/StopTheFall-v0",
    "reach-for-the-star": "shown/ReachForTheStar-v0",
    "fence-in": "shown/FenceIn-v0",
}


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("levels", ["train", "test", "random:0-19"])
def test_the_checker_finds_nothing(name: str, levels: str):
    assert environment_id(name) == IDS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make(IDS[name], levels=levels)
        check_env(env.unwrapped, skip_render_check=levels != "train")


@pytest.mark.parametrize("name", GAMES)
def test_experts_win_through_the_environment(name: str):
    game = find(name)
    env = GameEnv(game, "test")
    for level in range(9):
        _, info = env.reset(seed=level, options={"level": level})
        assert info["level"] == f"test:{level}"
        rewards, terminated = [], False
        while not terminated:
            action = game.expert(Grid.from_text(info["grid"]))
            _, reward, terminated, truncated, info = env.step(action)
            rewards.append(reward)
            assert not truncated
        assert info["won"]
        assert sum(rewards) == rewards[-1] == 1.0


def test_observations_are_token_numbers_padded_with_the_number_of_off():
    env = GameEnv("nim", grid("|.", "||"))
    observation, info = env.reset()
    assert observation.shape == (20, 2)
    assert observation[:2].tolist() == [[1, 0], [1, 1]]
    assert (observation[2:] == 2).all()
    assert info == {"grid": "|.\n||", "level": "level", "won": False}


def test_levels_larger_than_generated_ones_widen_the_observation():
    wide = Grid(("A" + "." * 40 + "*", "<>" + "#" * 40))
    assert GameEnv("reach-for-the-star", wide).observation_space.shape == (16, 42)


def test_seeding_repeats_level_and_opponent():
    def run(seed: int) -> list:
        env = GameEnv("chase")
        _, info = env.reset(seed=seed)
        env.action_space.seed(seed)
        env.action_space.current = Grid.from_text(info["grid"]).shape
        trace = [info["grid"]]
        for _ in range(20):
            _, _, terminated, _, info = env.step(env.action_space.sample())
            trace.append(info["grid"])
            if terminated:
                break
        return trace

    assert run(3) == run(3)
    assert run(3) != run(4)


@pytest.mark.parametrize("action", [(2, 0), (0, 2), (-1, 0), np.array([5, 5]), (0,), "left", 3, None, (0.5, 0), [9, 9]])
def test_an_action_off_the_grid_is_an_error_and_the_episode_goes_on_unharmed(action):
    env = GameEnv("nim", grid("|.", "||"))
    env.reset(seed=0)
    state = env.np_random.bit_generator.state
    with pytest.raises(BadInput, match="action"):
        env.step(action)
    assert env.np_random.bit_generator.state == state
    _, reward, _, _, info = env.step((0, 0))
    assert info["grid"] in ("..\n|.", "..\n.|")
    assert reward == 0.0


@pytest.mark.parametrize("action", [(0, 0), [0, 0], np.array([0, 0]), (np.int64(0), np.int64(0))])
def test_all_ways_to_write_a_cell(action):
    env = GameEnv("nim", grid("|.", "||"))
    env.reset(seed=0)
    assert env.step(action)[4]["grid"] != "|.\n||"


def test_an_episode_is_truncated_after_sixty_steps():
    env = GameEnv("nim", grid("|.", "||"))
    env.reset(seed=0)
    for i in range(60):
        _, _, terminated, truncated, _ = env.step((0, 1))
        assert not terminated
        assert truncated == (i == 59)
    with pytest.raises(gymnasium.error.ResetNeeded, match="no episode is running"):
        env.step((0, 1))


def test_after_the_end_a_reset_is_needed():
    env = GameEnv("nim", grid("|.", "||"))
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step((0, 0))
    env.reset(seed=0)
    env.step((1, 0))
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step((1, 1))
    env.reset()
    env.step((0, 0))


def test_samples_lie_on_the_grid_being_played():
    env = GameEnv("nim", "train")
    env.action_space.seed(0)
    for level in range(11):
        _, info = env.reset(options={"level": level})
        shape = Grid.from_text(info["grid"]).shape
        samples = np.array([env.action_space.sample() for _ in range(100)])
        assert (samples.max(axis=0) == np.array(shape) - 1).all()
    env.action_space.seed(0)
    samples = np.array([env.action_space.sample() for _ in range(100)])
    smallest = min(level.grid.height for level in load_levels(find("nim"), "train"))
    assert samples.max() < smallest, "a fresh space gives cells that every level has"
    assert env.action_space.sample(mask=(np.eye(17, dtype=np.int8)[4], np.array([0, 1], np.int8))).tolist() == [4, 1]


def test_options_choose_the_level():
    env = GameEnv("nim", "test:2,test:5")
    assert env.reset(options={"level": 1})[1]["level"] == "test:5"
    with pytest.raises(BadInput, match="option level 2 must be a number from 0 to 1"):
        env.reset(options={"level": 2})


def test_rendering():
    text = GameEnv("nim", grid("|.", "||"), render_mode="ansi")
    text.reset()
    assert text.render() == "|.\n||"
    picture = GameEnv("nim", grid("|.", "||"), render_mode="rgb_array")
    picture.reset()
    assert picture.render().dtype == np.uint8
    assert picture.render().shape[2] == 3
    assert GameEnv("nim").render() is None
    with pytest.raises(BadInput, match="render_mode 'human'"):
        GameEnv("nim", render_mode="human")


def test_bad_levels_are_refused():
    with pytest.raises(BadInput, match="you cannot win"):
        GameEnv("nim", grid("||", "||"))
    with pytest.raises(BadInput, match="Did you mean 'train'"):
        GameEnv("nim", "trian")


def test_several_at_once():
    envs = gymnasium.make_vec("shown/Nim-v0", num_envs=3, vectorization_mode="sync", levels="train:0")
    observations, _ = envs.reset(seed=0)
    assert observations.shape == (3, 20, 2)
    _, rewards, *_ = envs.step(np.array([[3, 0]] * 3))
    assert rewards.tolist() == [0, 0, 0]


class Lamp(Nim):
    """A game with buttons: switch the lamp on."""

    name = "lamp"
    tokens: ClassVar[Tokens] = Tokens(dark=".", light="*")
    max_shape = (1, 1)
    buttons: ClassVar[tuple[str, ...]] = ("wait", "switch")

    def step(self, board, action, rng) -> Outcome:
        return Outcome(grid("*"), True, True) if action == "switch" else Outcome(board)

    def generate(self, rng) -> Grid:
        return grid(".")

    def check(self, board) -> None:
        pass


def test_games_with_buttons():
    env = GameEnv(Lamp())
    check_env(env, skip_render_check=True)
    env.reset(seed=0)
    assert env.step(0)[4]["won"] is False
    with pytest.raises(BadInput, match=r"not a button number\. Valid: 0 to 1"):
        env.step(2)
    assert env.step(1)[1] == 1.0


def test_the_space_of_clicks_has_the_size_of_the_largest_level():
    space = Clicks([grid("...", "..."), grid(".", ".", ".")])
    assert space.nvec.tolist() == [3, 3]
    assert space.common == (2, 1)
