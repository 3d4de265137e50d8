"""Programs in English."""

import numpy as np
import pytest
from hypothesis import given

from shown.errors import BadProgram
from shown.grid import Grid, Tokens
from shown.language.grammar import paper_grammar
from shown.language.phrases import say
from shown.language.plan import reference_columns
from shown.language.primitives import CELL_IS_VALUE, LANGUAGE, Primitive
from shown.language.reference import View
from shown.language.standard import STANDARD
from shown.language.terms import Kind, Term, parse
from strategies import BUTTONS, TOKENS, both_ways, programs

FALL = Tokens(empty=".", parachuter="P", static_block="#", advisor="*")


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("at_action_cell(cell_is_value(empty))", "the clicked cell is [not ]empty"),
        (
            "at_action_cell(shifted((0, 1), cell_is_value(empty)))",
            "the cell right of the clicked cell is [not ]empty",
        ),
        (
            "at_action_cell(shifted((-1, 1), cell_is_value(OFF)))",
            "the cell diagonally up and right of the clicked cell is [not ]off the grid",
        ),
        (
            "at_action_cell(shifted((2, -3), cell_is_value(advisor)))",
            "the cell 2 below and 3 to the left of the clicked cell is [not ]an advisor",
        ),
        (
            "at_action_cell(shifted((-2, 0), cell_is_value(advisor)))",
            "the cell 2 above the clicked cell is [not ]an advisor",
        ),
        (
            "at_action_cell(scanning((-1, 0), cell_is_value(parachuter), cell_is_value(static_block)))",
            "going up from the clicked cell, a parachuter [comes|does not come] before a static block",
        ),
        (
            "at_action_cell(scanning((1, -1), cell_is_value(OFF), cell_is_value(empty)))",
            "going diagonally down and left from the clicked cell, the edge of the grid [comes|does not come] before "
            "an empty cell",
        ),
        (
            "at_cell_with_value(parachuter, shifted((1, 0), cell_is_value(static_block)))",
            "the cell below the first parachuter is [not ]a static block",
        ),
        (
            "at_cell_with_value(empty, scanning((0, 2), shifted((1, 0), cell_is_value(empty)), cell_is_value(OFF)))",
            "going in steps of 2 right from the first empty cell, a cell above an empty cell [comes|does not come] "
            "before the edge of the grid",
        ),
        ("at_action_cell(shifted((0, -1), cell_is_value(OFF)))", "the clicked cell is [not ]at the left edge"),
        (
            "at_action_cell(shifted((-1, 0), scanning((1, 0), cell_is_value(advisor), cell_is_value(empty))))",
            "starting at the clicked cell and going down, an advisor [comes|does not come] before an empty cell",
        ),
        (
            "at_action_cell(shifted((1, 1), scanning((0, -1), cell_is_value(advisor), cell_is_value(OFF))))",
            "starting at the cell below the clicked cell and going left, there is [an|no] advisor",
        ),
        (
            "at_action_cell(scanning((0, -1), cell_is_value(parachuter), cell_is_value(OFF)))",
            "going left from the clicked cell, there is [a|no] parachuter",
        ),
        ("at_cell_with_value(static_block, cell_is_value(static_block))", "there is [a|no] static block"),
        ("at_cell_with_value(empty, cell_is_value(OFF))", "there is [no|an] empty cell"),
        ("action_is(left)", "the action is [not ]left"),
    ],
)
def test_how_programs_are_said(program, said):
    term = parse(program, LANGUAGE, FALL.values, BUTTONS)
    assert (say(term, LANGUAGE), say(term, LANGUAGE, positive=False)) == both_ways(said)


@pytest.mark.parametrize(
    ("value", "is_one", "one", "many"),
    [
        ("sheep", "a sheep", "a sheep", "sheep"),
        ("loaded_shelf", "a loaded shelf", "a loaded shelf", "loaded shelves"),
        ("box", "a box", "a box", "boxes"),
        ("key", "a key", "a key", "keys"),
        ("berry", "a berry", "a berry", "berries"),
        ("white_mouse", "a white mouse", "a white mouse", "white mice"),
        ("floor", "floor", "a floor cell", "floor cells"),
        ("lava", "lava", "a lava cell", "lava cells"),
        ("empty", "empty", "an empty cell", "empty cells"),
        ("unit", "a unit", "a unit", "units"),
        ("one", "a one", "a one", "ones"),
        ("apple", "an apple", "an apple", "apples"),
    ],
)
def test_one_and_many(value, is_one, one, many):
    def said(text):
        return say(parse(f"at_action_cell({text})", STANDARD, [value, "wall"]), STANDARD)

    assert said(f"cell_is_value({value})") == f"the clicked cell is {is_one}"
    assert said(f"at_least(1, row, cell_is_value({value}))") == f"there is {one} in the row of the clicked cell"
    assert said(f"at_least(2, row, cell_is_value({value}))") == (
        f"there are at least 2 {many} in the row of the clicked cell"
    )
    assert said(f"reachable(cell_is_value(wall), cell_is_value({value}))") == (
        f"one can walk from the clicked cell over {many} to a wall"
    )


def test_where_there_is_only_ever_one_it_is_the_one():
    term = parse("at_action_cell(nearer((0, 1), cell_is_value(star), cell_is_value(empty)))", STANDARD, TOKENS.values)
    assert say(term, STANDARD).endswith("over empty cells to a star")
    assert say(term, STANDARD, single=["star"]).endswith("over empty cells to the star")
    term = parse("at_action_cell(escape(agent, cell_is_value(empty)))", STANDARD, TOKENS.values)
    assert say(term, STANDARD).endswith("nearer to the nearest agent")
    assert say(term, STANDARD, single=["agent"]).endswith("nearer to the agent")


def test_programs_that_are_said_alike_mean_the_same():
    rng = np.random.default_rng(0)
    boards = [Grid(tuple("".join(row) for row in rng.choice(list(FALL), (4, 5)))) for _ in range(30)]
    told = {}
    for term, _ in paper_grammar(FALL).programs(3000):
        for positive in (True, False):
            told.setdefault(say(term, LANGUAGE, positive), []).append((term, positive))
    alike = [group for group in told.values() if len(group) > 1]
    assert alike
    for (first, sign), *others in alike:
        for other, other_sign in others:
            for board in boards:
                a, b = reference_columns([first, other], View(board, FALL), (), LANGUAGE)
                assert np.array_equal(a == sign, b == other_sign), (str(first), str(other))


@given(programs())
def test_every_program_can_be_said_on_one_line(program):
    for positive in (True, False):
        phrase = say(program, LANGUAGE, positive)
        assert phrase.isprintable()
        assert not any(mark in phrase for mark in "{}()_")


@given(programs())
def test_a_phrase_names_the_tokens_the_program_names(program):
    names = {a for term in program.walk() for a in term.arguments if a in TOKENS.names}
    assert all(name in say(program, LANGUAGE) for name in names)


def test_a_phrase_that_asks_for_a_form_there_is_not_says_so():
    count = Primitive("count", (Kind.NUMBER,), Kind.CONDITION, lambda *_: True, "{0:noun} cells", "not {0} cells")
    with pytest.raises(BadProgram, match="form 'noun' of 3"):
        say(Term("count", (3,)), {"count": count, "cell_is_value": CELL_IS_VALUE})
