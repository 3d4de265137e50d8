"""The theory is sound: its conclusions hold on every grid."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shown.grid import OFF
from shown.language.primitives import LANGUAGE
from shown.language.reference import View, run
from shown.language.terms import Term, parse
from shown.rules import Literal
from shown.rules.logic import Finds, Is, Other, Place, Theory, atom_of
from strategies import BUTTONS, TOKENS, examples, grids, programs

VALUES = TOKENS.values


@pytest.mark.parametrize(
    ("text", "atom"),
    [
        ("action_is(fire)", Is(Place("action_is"), "fire")),
        ("at_action_cell(cell_is_value(wall))", Is(Place("at_action_cell"), "wall")),
        (
            "at_cell_with_value(star, shifted((0, 1), shifted((1, 1), cell_is_value(OFF))))",
            Is(Place("star", (1, 2)), OFF),
        ),
        (
            "at_action_cell(scanning((0, 1), cell_is_value(star), cell_is_value(star)))",
            Finds(Place("at_action_cell"), (0, 1), "star", OFF),
        ),
    ],
)
def test_what_a_program_is_about(text, atom):
    assert atom_of(parse(text, LANGUAGE, VALUES, BUTTONS)) == atom


def test_what_it_does_not_know_it_takes_as_it_is():
    inner = "scanning((1, 0), cell_is_value(star), cell_is_value(wall))"
    term = parse(f"at_action_cell(scanning((0, 1), {inner}, cell_is_value(wall)))", LANGUAGE, VALUES)
    assert atom_of(term) == Other(term)
    literal = Literal(term)
    theory = Theory([literal], VALUES)
    assert theory.known([literal]).says(literal) is True
    assert theory.known([]).says(literal) is None
    assert theory.known([literal, literal.opposite]) is None


@pytest.mark.parametrize("buttons", [(), BUTTONS], ids=["clicks", "buttons"])
@given(data=st.data())
@settings(max_examples=examples(150), deadline=None)
def test_what_follows_is_so_wherever_the_rest_is(buttons, data):
    terms = data.draw(st.lists(programs(TOKENS, buttons, most=3), min_size=1, max_size=6))
    board = data.draw(grids())
    action = data.draw(st.sampled_from(list(buttons or board.cells())))
    true = [Literal(term, run(term, View(board, TOKENS, action), LANGUAGE)) for term in terms]
    some = data.draw(st.lists(st.sampled_from(true), max_size=4))
    known = Theory(true, VALUES, buttons).known(some)
    assert known is not None
    assert all(known.says(literal) in (True, None) for literal in true)
    assert all(known.says(literal) is True for literal in some)


def test_without_the_first_wall_nothing_is_seen_from_it():
    there, beside, walk = (
        Literal(parse(f"at_cell_with_value(wall, {condition})", LANGUAGE, VALUES))
        for condition in (
            "cell_is_value(wall)",
            "shifted((0, 1), cell_is_value(star))",
            "scanning((0, 1), cell_is_value(OFF), cell_is_value(star))",
        )
    )
    known = Theory([there, beside, walk], VALUES).known([there.opposite])
    assert known.says(beside) is False
    assert known.says(walk) is False


def test_values_that_nobody_named_may_be_there():
    literals = [Literal(Term("action_is", (name,)), False) for name in BUTTONS]
    assert Theory(literals).known(literals) is not None
    assert Theory(literals, buttons=BUTTONS).known(literals) is None
