"""Playing: one episode, many side by side, demonstrations, success rates."""

import numpy as np
import pytest

from shown.errors import BadInput
from shown.grid import Tokens, grid
from shown.worlds import (
    Level,
    Outcome,
    World,
    demonstrate,
    find,
    load_levels,
    play,
    play_many,
    play_starts,
    success_rate,
    wins,
)

NIM, CHASE = find("nim"), find("chase")


def test_the_same_seed_gives_the_same_episode():
    (level,) = load_levels(CHASE, "train:10")
    assert play(CHASE, CHASE.expert, level, 3) == play(CHASE, CHASE.expert, level, 3)


def test_an_episode_ends_when_the_steps_run_out():
    level = Level("mine", grid("|.", "||"))
    episode = play(NIM, lambda board: (0, 1), level, max_steps=5)
    assert len(episode.steps) == 5
    assert not episode.over
    assert episode.demonstration.outcome == "unfinished"
    assert len(play(NIM, lambda board: (0, 1), level).steps) == 60


def test_a_lost_game_is_a_lost_demonstration():
    episode = play(NIM, lambda board: (1, 0), Level("mine", grid("|.", "||")))
    assert episode.over
    assert episode.demonstration.outcome == "lost"


def test_a_click_off_the_grid_is_an_error():
    with pytest.raises(BadInput, match="off the grid"):
        play(NIM, lambda board: (9, 9), Level("mine", grid("|.", "||")))


def test_demonstrations_can_be_played_again_from_their_seeds():
    levels = load_levels(CHASE, "train")
    demonstrations = demonstrate(CHASE, levels, seed=5)
    assert all(item.outcome == "won" for item in demonstrations)
    for level, item in zip(levels, demonstrations, strict=True):
        assert play(CHASE, CHASE.expert, level, item.seed).demonstration == item


def test_each_level_has_its_own_chances():
    levels = [Level(f"copy:{i}", grid("||", "||", "||", "||", "||", "|.")) for i in range(20)]
    replies = {play(NIM, NIM.expert, level).steps[1].grid for level in levels}
    assert len(replies) > 5


def test_a_levels_demonstration_does_not_depend_on_the_others():
    together = demonstrate(NIM, load_levels(NIM, "train:0-5"))
    alone = demonstrate(NIM, load_levels(NIM, "train:5"))
    assert together.items[5] == alone.items[0]


def test_success_rate():
    levels = load_levels(NIM, "test")
    assert success_rate(NIM, NIM.expert, levels) == 1.0
    assert success_rate(NIM, lambda board: (0, 0), levels) < 0.5


class Drawing:
    """Clicks any cell; asked twice about a grid, it answers twice."""

    deterministic = False

    def __init__(self, seed=0):
        self.rng, self.asked = np.random.default_rng(seed), 0

    def act_many(self, grids):
        self.asked += len(grids)
        return [tuple(self.rng.integers(grid.shape).tolist()) for grid in grids]


class Repeating(Drawing):
    deterministic = True


def test_a_player_that_draws_at_random_is_asked_at_every_visit():
    """Otherwise its first click without effect would be repeated until the steps run out."""
    level = Level("mine", grid(*["|."] * 9, "||"))
    drawing = Drawing()
    (episode,) = play_many(NIM, drawing, [level])
    assert episode.over
    assert drawing.asked == len(episode.steps)
    assert len({step.action for step in episode.steps}) > 1


def test_a_deterministic_player_is_asked_once_about_a_grid():
    copies = [Level(f"copy:{i}", grid("..", "|.", "||")) for i in range(5)]
    player = Repeating()
    episodes = play_many(NIM, player, copies, max_steps=1)
    assert player.asked == 1
    assert len({episode.steps for episode in episodes}) == 1


def test_only_a_deterministic_player_gives_up_where_a_position_repeats():
    levels = [Level(f"copy:{i}", grid(*[".."] * 9, "|.")) for i in range(60)]
    assert sum(wins(NIM.starts(levels), Drawing())) > 50
    assert sum(wins(NIM.starts(levels), Repeating(seed=1))) == 0


class TrafficLight(World):
    """A light turns green after a time that cannot be seen; going at red is the end."""

    name, title, goal = "light", "Traffic light", "Cross at green."
    tokens, buttons, max_steps = Tokens(red="r", green="g"), ("wait", "go"), 40

    def reset(self, seed):
        self._left = 8 + seed
        return grid("r")

    def step(self, action):
        self._left -= 1
        light = grid("g" if self._left <= 0 else "r")
        return Outcome(light, won=action == "go" and self._left < 0, over=action == "go")


class Waits:
    """Goes at green."""

    deterministic = True

    def act_many(self, grids):
        return ["go" if board.text == "g" else "wait" for board in grids]


def test_who_waits_for_something_hidden_is_not_given_up():
    starts = [(TrafficLight(), seed) for seed in range(5)]
    assert wins(starts, Waits()) == [True] * 5
    assert [episode.won for episode in play_starts(starts, Waits())] == [True] * 5


def test_games_and_worlds_are_played_alike():
    for game, levels in ((NIM, "train:0-2"), (find("gym:CliffWalking-v1"), "0-2")):
        demos = demonstrate(game, levels)
        assert [item.level for item in demos] == [level.name for level in load_levels(game, levels)]
        assert demos == demonstrate(game, load_levels(game, levels))
        assert demos.game == game.name
    assert play(NIM, NIM.expert, 7) == play(NIM, NIM.expert, load_levels(NIM, "random:7")[0], seed=7)
