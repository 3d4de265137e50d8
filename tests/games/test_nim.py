from playing import all_outcomes, rules
from shown.grid import grid
from shown.worlds.games.nim import Nim, optimal_moves

NIM = Nim()

test_one_step = rules(
    NIM,
    {
        "an empty cell changes nothing": ("|./||", (0, 1), "|./||"),
        "taking the last matchstick wins": ("../|.", (1, 0), "../..", "won"),
        "the opponent levels the piles": ("||/||/||", (1, 1), "../../||"),
        "the opponent takes the last matchstick": ("|./||", (1, 0), "../..", "lost"),
    },
)


def test_a_click_takes_the_matchstick_and_all_above_then_the_opponent_moves():
    before = grid("|.", "|.", "||")
    assert all_outcomes(NIM, before, (1, 0)) == {grid("..", "..", ".|"), grid("..", "..", "|.")}


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
