import pytest

from playing import all_outcomes, rules, step
from shown.grid import grid
from shown.worlds.games.checkmate import Checkmate, black_moves, in_check, legal_move

CHECKMATE = Checkmate()
NONE_SELECTED, SELECTED = ".k../..../.K../Q...", ".k../..../.K../R..."
IN_THE_MIDDLE = ".k.../...../.K.../..R../....."

test_one_step = rules(
    CHECKMATE,
    {
        "a click selects the queen": (NONE_SELECTED, (3, 0), SELECTED),
        "a click selects the king": (NONE_SELECTED, (2, 1), ".k../..../.L../Q..."),
        **{f"{cell} selects nothing": (NONE_SELECTED, cell, NONE_SELECTED) for cell in [(0, 1), (1, 1), (3, 3)]},
        **{f"selected, it goes to no piece at {cell}": (SELECTED, cell, SELECTED) for cell in [(2, 1), (3, 0), (0, 1)]},
        **{f"{cell} is no move": (IN_THE_MIDDLE, cell, IN_THE_MIDDLE) for cell in [(0, 0), (4, 0), (1, 1), (2, 4)]},
        "the queen between the kings is mate": ("..k../R..../..K../.....", (1, 2), "..k../..Q../..K../.....", "won"),
        "stalemate ends the game unwon": ("k.../...R/.K../....", (1, 2), "k.../..Q./.K../....", "lost"),
    },
)


@pytest.mark.parametrize("click", [(3, 0), (3, 4), (2, 2), (4, 2), (1, 4), (4, 1), (4, 3)])
def test_the_queen_moves_along_rows_columns_and_diagonals(click: tuple[int, int]):
    before = grid(".k...", ".....", ".K...", "..R..", ".....")
    after = step(CHECKMATE, before, click).grid
    assert after.find("Q") == click
    assert after[3, 2] == "."


def test_the_queen_does_not_jump():
    before = grid("..k..", ".....", "..K..", ".....", "..R..")
    assert not legal_move(before, (4, 2), (1, 2))
    assert legal_move(before, (4, 2), (3, 2))
    assert step(CHECKMATE, before, (1, 2)).grid == before


def test_the_white_king_keeps_away_from_the_black_king():
    before = grid("..k..", ".....", "..L..", "Q....")
    for click in [(1, 1), (1, 2), (1, 3)]:
        assert step(CHECKMATE, before, click).grid == before
    assert step(CHECKMATE, before, (2, 1)).grid != before


def test_the_white_king_moves_one_cell():
    before = grid("k....", ".....", ".....", "...L.", "Q....")
    assert not legal_move(before, (3, 3), (3, 1))
    assert legal_move(before, (3, 3), (2, 2))


def test_after_a_quiet_move_black_moves_at_random():
    before = grid("k....", ".....", "...R.", ".....", "....K")
    assert all_outcomes(CHECKMATE, before, (2, 4)) == {
        grid(".k...", ".....", "....Q", ".....", "....K"),
        grid(".....", "k....", "....Q", ".....", "....K"),
        grid(".....", ".k...", "....Q", ".....", "....K"),
    }


def test_the_black_king_cannot_step_back_along_the_line_of_check():
    board = grid(".....", "Q.k..", ".....", ".....", "....K")
    assert in_check(board)
    assert (1, 3) not in black_moves(board)


def test_the_black_king_is_shielded_by_the_white_king():
    board = grid("Q.K.k", ".....", ".....")
    assert not in_check(board)
    assert (0, 3) not in black_moves(board), "next to the white king"


def test_a_pinned_king_has_no_move_but_is_not_in_check():
    board = grid("k...", "..Q.", ".K..", "....")
    assert black_moves(board) == []
    assert not in_check(board)


def test_black_takes_an_unprotected_queen_and_the_game_is_over():
    before = grid("k....", ".....", ".R...", ".....", "....K")
    taken = grid(".....", ".k...", ".....", ".....", "....K")
    outcomes = [step(CHECKMATE, before, (1, 1), seed) for seed in range(40)]
    assert {outcome.grid for outcome in outcomes if outcome.over} == {taken}
    assert not any(outcome.won for outcome in outcomes)


def test_black_does_not_take_a_protected_queen():
    assert black_moves(grid("k...", ".Q..", "..K.", "....")) == []


def test_a_move_of_the_white_king_may_discover_check():
    before = grid("k.L.Q", ".....")
    assert all_outcomes(CHECKMATE, before, (1, 2)) == {grid("....Q", "k.K..")}


def test_the_expert_goes_between_the_kings():
    board = grid(".....", "k.K..", ".....", ".Q...", ".....")
    assert CHECKMATE.expert(board) == (3, 1)
    assert CHECKMATE.expert(step(CHECKMATE, board, (3, 1)).grid) == (1, 1)
