"""The decisions on meaning, one test each."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shown.errors import BadInput
from shown.grid import OFF, grid
from shown.language.primitives import LANGUAGE, Primitive
from shown.language.reference import NOWHERE, View, check, run
from shown.language.terms import Kind, Term, parse
from strategies import TOKENS, conditions, grids, nested_scans, offsets, plainly, programs


def says(text, board, action=None):
    """What a program says about a board and an action."""
    program = parse(text, LANGUAGE, TOKENS.values, ("left", "right"))
    return run(program, View(board, TOKENS, action), LANGUAGE)


def holds(text, board, cell):
    """What a condition says about a board from a cell."""
    return check(parse(text, LANGUAGE, TOKENS.values, kind=Kind.CONDITION), View(board, TOKENS), cell, LANGUAGE)


def test_a_cell_has_its_value():
    board = grid(".#")
    assert holds("cell_is_value(wall)", board, (0, 1))
    assert not holds("cell_is_value(wall)", board, (0, 0))


@pytest.mark.parametrize("cell", [(-1, 0), (0, -1), (1, 0), (0, 2), (-7, 9), NOWHERE])
def test_off_grid_is_a_value(cell):
    board = grid(".#")
    assert holds("cell_is_value(OFF)", board, cell)
    assert not any(holds(f"cell_is_value({name})", board, cell) for name in TOKENS.names)


def test_offsets_are_rows_down_and_columns_right():
    board = grid("A#", ".*")
    assert holds("shifted((0, 1), cell_is_value(wall))", board, (0, 0))
    assert holds("shifted((1, 0), cell_is_value(empty))", board, (0, 0))
    assert holds("shifted((1, 1), cell_is_value(star))", board, (0, 0))
    assert holds("shifted((-1, -1), cell_is_value(agent))", board, (1, 1))


def test_attention_may_leave_the_grid_and_come_back():
    assert holds("shifted((0, -3), shifted((0, 4), cell_is_value(wall)))", grid(".#"), (0, 0))


def test_scanning_moves_first_and_then_looks():
    assert not holds("scanning((0, 1), cell_is_value(agent), cell_is_value(OFF))", grid("A.."), (0, 0))
    assert holds("scanning((0, -1), cell_is_value(agent), cell_is_value(OFF))", grid("A.."), (0, 2))


def test_scanning_asks_for_the_goal_before_the_obstacle():
    assert holds("scanning((0, 1), cell_is_value(wall), cell_is_value(wall))", grid("..#"), (0, 0))


def test_scanning_stops_at_the_obstacle():
    assert not holds("scanning((0, 1), cell_is_value(star), cell_is_value(wall))", grid(".#*"), (0, 0))
    assert holds("scanning((0, 1), cell_is_value(star), cell_is_value(wall))", grid("..*#"), (0, 0))


def test_the_first_cell_off_the_grid_is_still_asked():
    assert holds("scanning((0, 1), cell_is_value(OFF), cell_is_value(wall))", grid("..."), (0, 0))
    beyond = "scanning((0, 1), shifted((0, -1), cell_is_value(star)), cell_is_value(wall))"
    assert holds(beyond, grid("..*"), (0, 0))


def test_no_further_cell_off_the_grid_is_asked():
    two_beyond = "scanning((0, 1), shifted((0, -2), cell_is_value(star)), cell_is_value(wall))"
    assert not holds(two_beyond, grid("*"), (0, 0))
    assert holds(two_beyond, grid("*."), (0, 0))


def test_a_scan_that_starts_off_the_grid_asks_one_cell():
    to_the_right = "scanning((0, 1), cell_is_value(wall), cell_is_value(star))"
    assert holds(to_the_right, grid("#"), (0, -1))
    assert not holds(to_the_right, grid("#"), (0, -2))


def test_long_strides_skip_cells():
    board = grid(".#.*")
    assert not holds("scanning((0, 2), cell_is_value(wall), cell_is_value(star))", board, (0, 0))
    assert holds("scanning((0, 2), cell_is_value(wall), cell_is_value(agent))", board, (0, -1))


def test_the_first_cell_with_a_value_comes_in_reading_order():
    board = grid("..A", "A..")
    assert says("at_cell_with_value(agent, shifted((1, 0), cell_is_value(empty)))", board, (0, 0))
    assert not says("at_cell_with_value(agent, shifted((1, 0), cell_is_value(OFF)))", board, (0, 0))


@pytest.mark.parametrize("value", ["star", OFF])
def test_with_no_such_cell_attention_is_nowhere(value):
    board = grid(".#", "A.")
    assert says(f"at_cell_with_value({value}, cell_is_value(OFF))", board, (0, 0))
    assert not any(says(f"at_cell_with_value({value}, cell_is_value({name}))", board, (0, 0)) for name in TOKENS.names)
    assert says(f"at_cell_with_value({value}, shifted((1, 1), cell_is_value(OFF)))", board, (0, 0))
    assert not says(f"at_cell_with_value({value}, shifted((1, 1), cell_is_value(wall)))", board, (0, 0))
    assert not says(
        f"at_cell_with_value({value}, scanning((0, 1), cell_is_value(OFF), cell_is_value(wall)))", board, (0, 0)
    )


def test_at_action_cell_attends_to_the_click():
    board = grid(".#")
    assert [says("at_action_cell(cell_is_value(wall))", board, click) for click in board.cells()] == [False, True]


def test_action_is_compares_buttons():
    assert says("action_is(left)", grid("."), "left")
    assert not says("action_is(left)", grid("."), "right")


@given(grids(), conditions(), offsets())
def test_nowhere_is_the_same_however_one_moves(board, condition, offset):
    view = View(board, TOKENS)
    shifted = Term("shifted", (offset, condition))
    assert check(shifted, view, NOWHERE, LANGUAGE) == check(condition, view, NOWHERE, LANGUAGE)


@given(grids(), conditions(), conditions(), offsets())
def test_a_scan_is_one_step_and_then_the_same_scan(board, until, unless, offset):
    view = View(board, TOKENS)
    scan = Term("scanning", (offset, until, unless))
    for cell in board.cells():
        there = (cell[0] + offset[0], cell[1] + offset[1])
        expected = check(until, view, there, LANGUAGE) or (
            not check(unless, view, there, LANGUAGE) and board.inside(there) and check(scan, view, there, LANGUAGE)
        )
        assert check(scan, view, cell, LANGUAGE) == expected


# --- what is kept -----------------------------------------------------------------------------------------------------


@given(grids(), programs(most=8), st.data())
def test_keeping_answers_changes_none(board, program, data):
    view = View(board, TOKENS, data.draw(st.sampled_from(list(board.cells()))))
    assert run(program, view, LANGUAGE) == plainly(program, view, LANGUAGE)


@given(grids(), conditions(most=8), st.sampled_from([NOWHERE, (0, 0), (-1, 2), (3, 9)]))
def test_keeping_answers_of_conditions_changes_none(board, condition, cell):
    view = View(board, TOKENS)
    assert check(condition, view, cell, LANGUAGE) == plainly(condition, view, LANGUAGE, cell)


def counting(language, asked):
    """The language, in which every question is counted."""

    def counted(primitive):
        def meaning(view, *arguments):
            asked.append(primitive.name)
            return primitive.meaning(view, *arguments)

        return replace(primitive, meaning=meaning)

    return language.extended(*map(counted, language.values()), replacing=True)


def test_scans_inside_scans_ask_each_cell_once():
    board, depth = grid(*[".#..A.#."] * 8), 14
    asked = []
    view = View(board, TOKENS, (2, 2))
    assert not run(nested_scans(depth), view, counting(LANGUAGE, asked))
    cells = (board.height + 2) * (board.width + 2)
    assert asked.count("scanning") <= depth * cells
    assert len(asked) <= 3 * depth * cells * (board.width + 1)
    few, many = [], []
    run(nested_scans(6), view, counting(LANGUAGE, few))
    plainly(nested_scans(6), view, counting(LANGUAGE, many))
    assert 10 * len(few) < len(many)


def test_another_view_is_another_question():
    """A meaning may ask its conditions about a state that it has made up."""

    def without_walls(view, cell, condition):
        made_up = View(grid(*(row.replace("#", ".") for row in view.grid.rows)), view.tokens)
        return condition(view, cell) and not condition(made_up, cell)

    what_if = Primitive("what_if", (Kind.CONDITION,), Kind.CONDITION, without_walls, "", "")
    language = LANGUAGE.extended(what_if)
    sees_wall = "scanning((0, 1), cell_is_value(wall), cell_is_value(OFF))"
    term = parse(f"at_action_cell(what_if({sees_wall}))", language, TOKENS.values)
    assert run(term, View(grid("..#"), TOKENS, (0, 0)), language)


def test_a_cell_that_is_no_tuple_is_named():
    wrong = Primitive("wrong", (Kind.CONDITION,), Kind.CONDITION, lambda view, cell, c: c(view, [0, 0]), "", "")
    term = parse("at_action_cell(wrong(shifted((0, 1), cell_is_value(wall))))", LANGUAGE.extended(wrong), TOKENS.values)
    with pytest.raises(BadInput, match=r"a condition is evaluated at \[0, 0\]; a cell is"):
        run(term, View(grid("."), TOKENS, (0, 0)), LANGUAGE.extended(wrong))


def test_a_view_finds_all_cells_with_a_value():
    view = View(grid("#.", "A#"), TOKENS)
    assert view.where("wall") == ((0, 0), (1, 1))
    assert view.where("star") == view.where(OFF) == ()
