"""What those win who know nothing: levels on which that is much measure little."""

import numpy as np
import pytest

from shown.grid import grid
from shown.worlds import GAMES, Level, find, load_levels
from shown.worlds.games.floors import changes, floor, random_player, sensible_player
from strategies import some

NIM, CHASE, CHECKMATE = find("nim"), find("chase"), find("checkmate")


def test_a_random_player_clicks_every_cell():
    board = grid("|.", "||")
    player = random_player(NIM, np.random.default_rng(0))
    assert {player(board) for _ in range(100)} == set(board.cells())


def test_a_sensible_player_clicks_every_cell_that_counts_and_no_other():
    board = grid("|.", "||")
    player = sensible_player(NIM, np.random.default_rng(0))
    assert {player(board) for _ in range(100)} == {(0, 0), (1, 0), (1, 1)}


def test_where_nothing_counts_a_sensible_player_still_clicks():
    stuck = grid("####", "#R##", "####", "##A#", "<>^v")
    assert not any(changes(CHASE, stuck, cell) for cell in stuck.cells())
    assert stuck.inside(sensible_player(CHASE, np.random.default_rng(0))(stuck))


def test_to_let_the_rabbit_run_is_to_change_something():
    assert changes(CHASE, grid("<>^v##", "#....#", "#.AR.#", "#....#", "######"), (1, 0))


def test_a_floor_counts_every_game_and_depends_on_nothing_but_the_seed():
    levels = load_levels(CHECKMATE, "random:0-3")
    found = floor(CHECKMATE, levels, seed=1, times=2)
    assert found == floor(CHECKMATE, levels, seed=1, times=2)
    assert found.games == 8


def test_who_cannot_lose_wins_all():
    last = Level("last", grid("|.", "||"))
    found = floor(NIM, [last], times=40)
    assert 0 < found.any_cell < 40
    assert 0 < found.sensible < 40
    sure = Level("sure", grid("..", "|."))
    assert floor(NIM, [sure], times=40).sensible == 40


@pytest.mark.parametrize(
    "which", ["test", *(pytest.param(name, marks=pytest.mark.slow) for name in ("train", "random:0-99"))]
)
def test_building_at_random_closes_hardly_any_pen(which: str):
    game = find("fence-in")
    levels = load_levels(game, which)
    found = floor(game, levels, times=150 // len(levels))
    assert found.any_cell < 0.05 * found.games
    assert found.sensible < 0.05 * found.games


@pytest.mark.parametrize("name", some(GAMES, "nim", "fence-in"))
def test_no_game_is_won_by_chance(name: str):
    game = find(name)
    found = floor(game, load_levels(game, "random:0-39"))
    most = 0.5 if name == "stop-the-fall" else 0.15
    assert max(found.any_cell, found.sensible) <= most * found.games
