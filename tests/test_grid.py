"""Tokens and grids."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shown.errors import BadInput
from shown.grid import MAX_SIDE, Grid, Tokens, check_action, check_buttons, grid
from strategies import TOKENS, grids, tokens


def test_off_is_a_value_of_every_game():
    assert Tokens(empty=".").values == ("empty", "OFF")


def test_tokens_are_equal_if_names_characters_and_order_are():
    assert Tokens(a=".", b="#") == Tokens(a=".", b="#")
    assert Tokens(a=".", b="#") != Tokens(b="#", a=".")
    assert Tokens(a=".", b="#") != Tokens(a="#", b=".")
    assert hash(Tokens(a=".", b="#")) == hash(Tokens(a=".", b="#"))


@given(tokens())
def test_tokens_are_found_by_name_and_by_character(given_tokens):
    assert [given_tokens.name(given_tokens[name]) for name in given_tokens.names] == list(given_tokens.names)
    assert all(character in given_tokens for character in given_tokens)
    assert len(given_tokens) == len(given_tokens.names)


def test_a_token_may_be_called_self():
    assert Tokens(self="S").names == ("self",)


@pytest.mark.parametrize(
    ("characters", "reason"),
    [
        ({}, "at least one token"),
        ({"Wall": "#"}, "lower-case"),
        ({"OFF": "#"}, "lower-case"),
        ({"wall": "##"}, "one visible character"),
        ({"wall": ""}, "one visible character"),
        ({"wall": " "}, "one visible character"),
        ({"wall": "\n"}, "one visible character"),
        ({"wall": 3}, "one visible character"),
        ({"wall": "#", "rock": "#"}, "share a character"),
    ],
)
def test_bad_tokens_are_refused(characters, reason):
    with pytest.raises(BadInput, match=reason):
        Tokens(**characters)


def test_a_foreign_character_is_named_with_its_place():
    with pytest.raises(BadInput, match=r"^here, row 1, column 0: 'x' is not a token\. Tokens: \. # A \*$"):
        TOKENS.check(grid("..", "x."), "here, ")


@pytest.mark.parametrize("rows", [(), ("",), ("..", "."), (".", ".."), ("." * (MAX_SIDE + 1),)])
def test_empty_ragged_and_huge_grids_are_refused(rows):
    with pytest.raises(BadInput):
        Grid(rows)


@given(grids())
def test_text_round_trip(board):
    assert Grid.from_text(board.text) == board
    assert Grid.from_text(f"\n  {board.text}  \n\n") == board


@given(grids())
def test_cells_come_in_reading_order(board):
    assert list(board.cells()) == sorted(board.cells())
    assert "".join(board[cell] for cell in board.cells()) == "".join(board.rows)
    for character in TOKENS:
        everywhere = board.where(character)
        assert board.find(character) == (everywhere[0] if everywhere else None)


@given(grids(), st.integers(-2, 7), st.integers(-2, 7))
def test_off_the_grid_there_is_nothing(board, row, column):
    inside = row in range(board.height) and column in range(board.width)
    assert board.inside((row, column)) == inside
    assert (board.get((row, column)) is None) == (not inside)


@given(grids())
def test_ordinals_are_the_characters(board):
    assert board.ordinals.shape == board.shape
    assert [[chr(code) for code in row] for row in board.ordinals] == [list(row) for row in board.rows]
    with pytest.raises(ValueError, match="read-only"):
        board.ordinals[0, 0] = 1


def test_with_cells_leaves_the_grid_as_it_was():
    board = grid("..", "..")
    assert board.with_cells({(0, 1): "#", (1, 0): "A"}) == grid(".#", "A.")
    assert board == grid("..", "..")


@pytest.mark.parametrize("action", [(0, 2), (-1, 0), (1, 0), (10**400, 0)])
def test_clicks_off_the_grid_are_refused(action):
    with pytest.raises(BadInput, match="off the grid of 1 rows and 2 columns"):
        check_action(action, grid(".."), ())


@pytest.mark.parametrize("action", ["left", (0,), (0, 0, 0), (0.0, 1.0), (True, False), None, 3, ((0, 0), 0)])
def test_what_is_no_cell_is_refused(action):
    with pytest.raises(BadInput, match="must be a cell"):
        check_action(action, grid(".."), ())


@pytest.mark.parametrize("action", ["up", (0, 0), None])
def test_what_is_no_button_is_refused(action):
    with pytest.raises(BadInput, match=r"is not a button\. Buttons: left, right"):
        check_action(action, grid(".."), ("left", "right"))


def test_good_actions_pass():
    check_action((0, 1), grid(".."), ())
    check_action((np.int64(0), np.int64(1)), grid(".."), ())
    check_action("left", grid(".."), ("left", "right"))


@pytest.mark.parametrize("names", [("go left",), ("",), ("ä",), ("1st",), (3,), ("a", "a"), ("x" * 41,)])
def test_buttons_must_be_words_that_programs_can_mention(names):
    with pytest.raises(BadInput):
        check_buttons(names)
