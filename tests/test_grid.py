"""Tokens and grids."""

import copy
import pickle
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shown.errors import BadInput
from shown.grid import (
    MAX_SIDE,
    Grid,
    Tokens,
    action_from_json,
    action_to_json,
    check_action,
    check_buttons,
    grid,
    plain_action,
)
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


@pytest.mark.parametrize(
    "rows",
    ["|.\n||", "\n  |.\n  ||\n", ["|.", "||"], iter(["|.", "||"]), np.array(["|.", "||"]), ("|.", "||")],
    ids=["text", "indented text", "list", "iterator", "array", "tuple"],
)
def test_a_grid_is_made_from_rows_or_from_text(rows):
    board = Grid(rows)
    assert board == grid("|.", "||")
    assert hash(board) == hash(grid("|.", "||"))
    assert [type(row) for row in board.rows] == [str, str]


def test_a_forgotten_comma_does_no_harm():
    assert Grid("G..o") == Grid(("G..o",)) == grid("G..o")  # fmt: skip


def test_one_text_of_several_lines_is_a_whole_grid():
    assert grid("|.\n||") == grid("|.", "||")


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ((".", 3), "row 1 of the grid is 3; every row must be text"),
        ([["#", "."], [".", "#"]], r"row 0 of the grid is \['#', '.'\]; every row must be text"),
        (np.zeros((2, 2), dtype=int), r"row 0 of the grid is array\(\[0, 0\]\); every row must be text"),
        ((b"#.",), "row 0 of the grid is b'#.'; every row must be text"),
        (("|.\n||",), "row 0 of the grid has a line break in it"),
        ((".", "\r"), "row 1 of the grid has a line break in it"),
        (3, "a grid is made of rows, .* not of 3"),
        (None, "a grid is made of rows, .* not of None"),
        (b"#.", "a grid is made of rows"),
        ("", "the grid is empty"),
        ("\n \n", "the grid is empty"),
        ([], "the grid is empty"),
        ("..\n.", "row 1 has 1 cells but row 0 has 2"),
    ],
)
def test_what_is_no_grid_is_refused_with_the_reason(rows, reason):
    with pytest.raises(BadInput, match=reason):
        Grid(rows)


@given(grids())
def test_grids_can_be_copied_and_sent(board):
    assert board.ordinals.size
    for again in (pickle.loads(pickle.dumps(board)), copy.deepcopy(board), copy.copy(board)):
        assert again == board
        assert not again.ordinals.flags.writeable


@given(tokens())
def test_tokens_can_be_copied_and_sent(given_tokens):
    for again in (pickle.loads(pickle.dumps(given_tokens)), copy.deepcopy(given_tokens)):
        assert again == given_tokens
        assert hash(again) == hash(given_tokens)


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


def test_a_list_is_refused_with_the_form_that_will_do():
    with pytest.raises(BadInput, match=r"action \[0, 1\] must be a cell, \[row, column\]\. Give it as \(0, 1\)\."):
        check_action([0, 1], grid(".."), ())


@pytest.mark.parametrize("action", [[0, 1], (np.int64(0), np.int32(1)), np.array([0, 1]), (0, 1)])
def test_plain_actions_are_tuples_of_ints(action):
    assert plain_action(action) == (0, 1)
    assert [type(x) for x in plain_action(action)] == [int, int]


@pytest.mark.parametrize("value", [None, 3, (0.0, 1), [True, 1], [1], "left"])
def test_what_is_no_cell_stays_as_it_is(value):
    assert plain_action(value) is value or plain_action(value) == value


def test_actions_as_json():
    assert action_to_json((np.int64(2), 3)) == [2, 3]
    assert type(action_to_json(np.str_("left"))) is str
    assert action_from_json(action_to_json((2, 3))) == (2, 3)
    assert action_from_json("left") == "left"


@pytest.mark.parametrize(
    "value", [None, 3, [1], [1, 2, 3], [1.0, 2], [True, 0], [-1, 0], [2**60, 0], "x" * 41, {}, [[0], 1]]
)
def test_what_is_no_action_in_a_file_is_refused(value):
    with pytest.raises(BadInput, match=r"^here, action .* must be a cell, \[row, column\], or a button's name\.$"):
        action_from_json(value, "here, ")


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


# --- arrays -----------------------------------------------------------------------------------------------------------


@given(grids())
def test_arrays_and_grids_are_the_same_thing(board):
    numbers = board.to_array(TOKENS)
    assert numbers.shape == board.shape
    assert all(list(TOKENS)[numbers[cell]] == board[cell] for cell in board.cells())
    assert Grid.from_array(numbers, TOKENS) == board
    assert Grid.from_array(numbers.tolist(), TOKENS) == board


@pytest.mark.parametrize(
    ("array", "complaint"),
    [
        ([[0.5]], "integer array"),
        ([0, 1], r"not int64 of shape \(2,\)"),
        ([[0, 1], [0]], "differ in length"),
        (np.zeros((0, 3), int), "integer array"),
        ([[0, 1], [99, 0]], "row 1, column 0: 99 is not a token number"),
        ([[-1]], "row 0, column 0: -1 is not a token number"),
    ],
)
def test_arrays_that_are_no_grids(array, complaint):
    with pytest.raises(BadInput, match=complaint):
        Grid.from_array(array, TOKENS)


def test_a_notebook_draws_a_grid_and_whatever_is_in_it_is_only_text():
    drawn = ElementTree.fromstring(Grid(("<&", ".."))._repr_svg_())
    assert [text.text for text in drawn.iter("{http://www.w3.org/2000/svg}text")] == ["<", "&", ".", "."]
