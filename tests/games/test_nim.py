import pytest

from playing import all_outcomes, step
from shown.errors import BadLevel
from shown.grid import grid
from shown.worlds.games.nim import Nim, optimal_moves

NIM = Nim()


def test_a_click_takes_the_matchstick_and_all_above_then_the_opponent_moves():
    before = grid("|.", "|.", "||")
    assert all_outcomes(NIM, before, (1, 0)) == {grid("..", "..", ".|"), grid("..", "..", "|.")}


def test_an_empty_cell_changes_nothing_and_the_opponent_does_not_move():
    before = grid("|.", "||")
    outcome = step(NIM, before, (0, 1))
    assert outcome.grid == before
    assert not outcome.over


def test_taking_the_last_matchstick_wins():
    outcome = step(NIM, grid("..", "|."), (1, 0))
    assert outcome.grid == grid("..", "..")
    assert outcome.won
    assert outcome.over


def test_the_opponent_levels_the_piles():
    before = grid("||", "||", "||")
    assert all_outcomes(NIM, before, (1, 1)) == {grid("..", "..", "||")}


def test_the_opponent_takes_the_last_matchstick():
    outcome = step(NIM, grid("|.", "||"), (1, 0))
    assert outcome.grid == grid("..", "..")
    assert outcome.over
    assert not outcome.won


def test_when_no_move_is_optimal_all_are_equally_likely():
    before = grid("|.", "||", "||")
    assert all_outcomes(NIM, before, (0, 0)) == {
        grid("..", ".|", "||"),
        grid("..", "|.", "||"),
        grid("..", ".|", ".|"),
        grid("..", "|.", "|."),
    }


def test_optimal_moves():
    assert optimal_moves(grid("|.", "|.", "||")) == [(1, 0)]
    assert optimal_moves(grid("||", "||")) == [(0, 0), (0, 1), (1, 0), (1, 1)]


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (("|||", "|||"), "2 columns, not 3"),
        (("|.", ".|"), "row 0, column 0: a matchstick must not float"),
        (("|.", "|."), "both columns need at least one"),
        (("||", "||"), "both columns have 2 matchsticks"),
    ],
)
def test_bad_levels(rows: tuple[str, ...], reason: str):
    with pytest.raises(BadLevel, match=reason):
        NIM.check(grid(*rows))
