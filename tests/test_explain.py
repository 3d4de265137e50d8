"""Why this action: what was asked, what was seen, and where."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shown.errors import BadInput
from shown.explain import explain
from shown.grid import grid
from shown.language.primitives import LANGUAGE
from shown.language.reference import View, run
from shown.language.terms import parse
from shown.policy import Component, Formula, Literal, Policy
from strategies import BUTTONS, TOKENS, grids, policies


def literal(text, positive=True):
    return Literal(parse(text, LANGUAGE, TOKENS.values, BUTTONS), positive)


IS_STAR = literal("at_action_cell(cell_is_value(star))")
SEES_WALL = literal("at_action_cell(scanning((0, 1), cell_is_value(wall), cell_is_value(agent)))")
NO_WALL_LEFT = literal("at_action_cell(shifted((0, -1), cell_is_value(wall)))", positive=False)
POLICY = Policy(
    TOKENS,
    (
        Component(0.75, -1.0, 0.0, Formula(((IS_STAR, SEES_WALL), (IS_STAR, NO_WALL_LEFT)))),
        Component(0.25, -2.0, 0.0, Formula(((IS_STAR,),))),
    ),
)


def test_the_clause_that_holds_and_the_cells_it_looked_at():
    why = explain(POLICY, grid("*..#"), (0, 0))
    assert why.probability == 1.0
    first, second = why.components
    assert (first.weight, first.probability, first.allows) == (0.75, 1.0, True)
    assert second.allows
    clause = first.clauses[0]
    assert clause.holds
    assert clause.text == (
        "the clicked cell is a star and going right from the clicked cell, a wall comes before an agent"
    )
    star, scan = clause.literals
    assert (star.program, star.positive, star.holds) == ("at_action_cell(cell_is_value(star))", True, True)
    assert (star.cells, star.paths) == (((0, 0),), ())
    assert scan.cells == ((0, 1), (0, 2), (0, 3))
    assert scan.paths == (((0, 0), (0, 1), (0, 2), (0, 3)),)


def test_a_negated_literal_holds_when_its_program_fails_and_may_look_off_the_grid():
    view = explain(POLICY, grid("*A"), (0, 0)).components[0].clauses[1].literals[1]
    assert (view.positive, view.holds) == (False, True)
    assert view.phrase == "the cell left of the clicked cell is not a wall"
    assert view.cells == ((0, -1),)


def test_the_text_gives_the_reasons():
    assert explain(POLICY, grid("*..#"), (0, 0)).text.splitlines() == [
        "click (0, 0): probability 1.00",
        "  because the clicked cell is a star",
        "      and going right from the clicked cell, a wall comes before an agent",
    ]


def test_the_text_says_when_only_a_lesser_rule_allows_it():
    assert explain(POLICY, grid("#*A"), (0, 1)).text.splitlines() == [
        "click (0, 1): probability 0.50",
        "  not by the first rule, but by one of weight 0.2,",
        "  because the clicked cell is a star",
    ]


def test_the_text_says_what_speaks_against_it():
    assert explain(POLICY, grid("*..#"), (0, 1)).text.splitlines() == [
        "click (0, 1): probability 0.00",
        "  no rule allows it",
        "    it is not so that the clicked cell is a star",
        "    it is not so that the clicked cell is a star",
    ]


def test_only_the_weightiest_components_if_so_wished():
    assert len(explain(POLICY, grid("*#"), (0, 0), most=1).components) == 1


def test_nowhere_is_no_cell_to_look_at():
    absent = literal("at_cell_with_value(star, shifted((0, 1), cell_is_value(OFF)))")
    policy = Policy(TOKENS, (Component(1.0, 0.0, 0.0, Formula(((absent,),))),))
    view = explain(policy, grid("#."), (0, 0)).components[0].clauses[0].literals[0]
    assert view.holds
    assert (view.cells, view.paths) == ((), ())


def test_buttons():
    policy = Policy(TOKENS, (Component(1.0, 0.0, 0.0, Formula(((literal("action_is(fire)"),),))),), None, BUTTONS)
    assert explain(policy, grid("."), "fire").text == "fire: probability 1.00\n  because the action is fire"
    assert not explain(policy, grid("."), "left").components[0].allows


@pytest.mark.parametrize("formula", [Formula(()), Formula(((),))])
def test_never_and_always(formula):
    policy = Policy(TOKENS, (Component(1.0, 0.0, 0.0, formula),))
    why = explain(policy, grid(".."), (0, 1))
    assert why.probability == 0.5
    assert why.components[0].allows == bool(formula.clauses)
    assert why.text.startswith("click (0, 1): probability 0.50\n")


@pytest.mark.parametrize("action", [(0, 2), (-1, 0), "left", None])
def test_impossible_actions_are_refused(action):
    with pytest.raises(BadInput):
        explain(POLICY, grid("*#"), action)


def test_a_foreign_grid_is_refused():
    with pytest.raises(BadInput, match="not a token"):
        explain(POLICY, grid("x"), (0, 0))


@pytest.mark.parametrize("buttons", [(), BUTTONS])
@given(data=st.data())
@settings(max_examples=60)
def test_an_explanation_tells_the_truth(buttons, data):
    policy, board = data.draw(policies(buttons=buttons)), data.draw(grids())
    action = data.draw(st.sampled_from(list(buttons or board.cells())))
    why = explain(policy, board, action)
    place = buttons.index(action) if buttons else action
    assert why.probability == policy.probabilities(board)[place]
    assert sum(c.weight * c.probability for c in why.components) == pytest.approx(why.probability)
    for component, view in zip(policy.components, why.components, strict=True):
        assert view.allows == any(clause.holds for clause in view.clauses)
        for clause, seen in zip(component.formula.clauses, view.clauses, strict=True):
            assert seen.holds == all(x.holds for x in seen.literals)
            for x, y in zip(clause, seen.literals, strict=True):
                assert y.holds == (run(x.term, View(board, TOKENS, action), LANGUAGE) == x.positive)
                assert all(len(path) > 1 for path in y.paths)
    assert json.loads(json.dumps(why.to_json()))["probability"] == why.probability
    assert why.text
