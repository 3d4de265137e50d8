"""Experts win everywhere, whatever the opponents do, within the 60 steps of an episode."""

import numpy as np
import pytest

from shown.worlds import GAMES, find, load_levels, play
from shown.worlds.games.levels import check_level


@pytest.mark.parametrize("name", GAMES)
def test_experts_win_all_levels_that_ship(name: str):
    game = find(name)
    for level in load_levels(game, "train,test"):
        assert level.grid.height <= game.max_shape[0]
        assert level.grid.width <= game.max_shape[1]
        for seed in range(5):
            assert play(game, game.expert, level, seed).won, (level.name, seed)


@pytest.mark.parametrize("name", GAMES)
def test_experts_win_all_generated_levels(name: str):
    game = find(name)
    for level in load_levels(game, "random:0-99"):
        check_level(game, level.grid)
        assert level.grid.height <= game.max_shape[0]
        assert level.grid.width <= game.max_shape[1]
        for seed in range(2):
            assert play(game, game.expert, level, seed).won, (level.name, seed)


@pytest.mark.parametrize("name", ["chase", "stop-the-fall", "fence-in"])
def test_levels_made_by_hand_are_fair(name: str):
    game = find(name)
    for level in load_levels(game, "train,test"):
        assert game.is_fair(level.grid), level.name


@pytest.mark.parametrize("name", GAMES)
def test_experts_answer_wherever_they_are_asked(name: str):
    """Random play leads to odd positions; an expert may be asked for a hint in any of them."""
    game = find(name)
    rng = np.random.default_rng(0)
    for level in load_levels(game, "train"):
        grid = level.grid
        for _ in range(40):
            assert grid.inside(game.expert(grid))
            outcome = game.step(grid, tuple(rng.integers(grid.shape).tolist()), rng)
            if outcome.over:
                break
            grid = outcome.grid


def test_training_levels_of_chase_show_every_corner():
    chase = find("chase")
    corners = set()
    for level in load_levels(chase, "train"):
        end = play(chase, chase.expert, level).last
        r, c = end.find("A")
        corners.add((end[r - 1, c] == "#", end[r, c - 1] == "#"))
    assert len(corners) == 4


def test_training_levels_of_checkmate_show_every_edge():
    boards = [level.grid for level in load_levels(find("checkmate"), "train:0-4")]
    assert len({tuple(np.subtract(board.find("k"), board.find("K"))) for board in boards}) == 4
