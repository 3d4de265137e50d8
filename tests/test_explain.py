"""Explanations of an action: conditions, cells and walks."""

import json
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shown import explain as module
from shown.errors import BadInput
from shown.explain import _Watched, explain
from shown.grid import grid
from shown.language.primitives import LANGUAGE, Language
from shown.language.primitives.ways import WAYS
from shown.language.reference import View, run
from shown.language.standard import STANDARD
from shown.language.terms import parse
from shown.policy import Component, Formula, Literal, Policy
from shown.worlds import find, load_levels
from strategies import BUTTONS, TOKENS, examples, grids, nested_scans, plainly, policies, programs


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


def test_a_notebook_shows_the_rule_and_the_board():
    shown = explain(POLICY, grid("*..#"), (0, 0))._repr_html_()
    reasons, _, board = shown.partition("</pre>")
    assert "because the clicked cell is a star" in reasons
    assert board == grid("*..#")._repr_svg_()
    assert "the clicked cell is a star" in " ".join(POLICY._repr_html_().split())


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


def deep(depth, row, column):
    inner = f"shifted(({row}, {column}), cell_is_value(wall))"
    for _ in range(depth):
        inner = f"scanning((0, 1), {inner}, cell_is_value(agent))"
    return f"at_action_cell({inner})"


@pytest.mark.parametrize(("clauses", "literals", "depth"), [(2, 2, 0), (5, 12, 0), (40, 1, 0), (1, 1, 35), (3, 3, 12)])
@pytest.mark.parametrize("allowed", [True, False])
def test_the_text_of_the_longest_rule_is_short(monkeypatch, clauses, literals, depth, allowed):
    """No cell of the grid or beyond it is a wall, so no program holds."""
    one = [[literal(deep(depth, i + 2, k + 2), not allowed) for k in range(literals)] for i in range(clauses)]
    policy = Policy(TOKENS, (Component(1.0, 0.0, 0.0, Formula(tuple(map(tuple, one)))),))
    found = explain(policy, grid("*..."), (0, 0))
    text = found.text
    monkeypatch.setattr(module, "MAX_TEXT", 10**9)
    whole = found.text
    assert len(text) < 2000
    if len(whole) < 2000:
        assert text == whole
    else:
        assert "…" in text
        assert text.splitlines()[0] == whole.splitlines()[0]
        assert text.splitlines()[1].removesuffix("…") in whole


def test_a_text_that_just_fits_is_whole():
    lines = ["click", *["      and this"] * 132, "x" * 9]
    assert module._shortened(lines) == "\n".join(lines)
    short = module._shortened([*lines, "one more"])
    assert len(short) < module.MAX_TEXT
    assert len(short.splitlines()) - 1 + int(short.split()[-2]) == len(lines) + 1


def test_only_the_weightiest_components_if_so_wished():
    assert len(explain(POLICY, grid("*#"), (0, 0), most=1).components) == 1


def test_the_first_rule_that_allows_it_is_found_though_it_is_not_shown():
    none = literal("at_action_cell(cell_is_value(agent))")
    rules = [(0.4, none), (0.3, none), (0.2, none), (0.1, IS_STAR)]
    policy = Policy(TOKENS, tuple(Component(weight, 0.0, 0.0, Formula(((rule,),))) for weight, rule in rules))
    cut, whole = (explain(policy, grid("*.A"), (0, 0), most) for most in (3, None))
    assert len(cut.components) == 3
    assert cut.allowed_by == whole.allowed_by == whole.components[3]
    assert cut.text == whole.text
    assert cut.text.splitlines() == [
        "click (0, 0): probability 0.10",
        "  not by the first rule, but by one of weight 0.1,",
        "  because the clicked cell is a star",
    ]
    assert json.loads(json.dumps(cut.to_json()))["allowed_by"]["weight"] == 0.1


def test_a_rule_that_allows_nothing_here_allows_not_this():
    """All actions are then equally probable under it, which is no reason."""
    nothing = literal("at_action_cell(cell_is_value(agent))")
    policy = Policy(TOKENS, tuple(Component(0.25, 0.0, 0.0, Formula(((nothing,),))) for _ in range(4)))
    why = explain(policy, grid("*."), (0, 0), most=1)
    assert why.probability == 0.5
    assert why.allowed_by is None
    assert "no rule allows it" in why.text


@pytest.mark.parametrize("action", [[0, 3], (np.int64(0), np.int64(3)), np.array([0, 3])])
def test_the_action_may_be_given_in_any_common_form(action):
    assert explain(POLICY, grid("*..#"), action) == explain(POLICY, grid("*..#"), (0, 3))


class Recording(View):
    """A view that records every look, repeated ones included."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.cells, self.paths = [], []

    def value(self, cell):
        self.cells += [] if cell is None else [cell]
        return super().value(cell)

    def walked(self, path):
        self.paths += [tuple(path)] if len(path) > 1 else []


@given(programs(most=8), grids(), st.data())
@settings(max_examples=examples(200))
def test_cells_and_walks_are_those_of_the_plain_interpreter_each_once(program, board, data):
    action = data.draw(st.sampled_from(list(board.cells())))
    view = Recording(board, TOKENS, action)
    holds = plainly(program, view, LANGUAGE)
    seen = _Watched(Policy(TOKENS, ()), board, action).literal(Literal(program), ())
    assert seen.holds == holds
    assert seen.cells == tuple(dict.fromkeys(view.cells))
    assert seen.paths == tuple(dict.fromkeys(view.paths))


def test_scans_inside_scans_are_explained():
    program, board = nested_scans(14), grid(*[".#..A.#."] * 8)
    assert len(str(program)) < 900
    policy = Policy(TOKENS, (Component(1.0, 0.0, 0.0, Formula(((Literal(program, positive=False),),))),))
    (seen,) = explain(policy, board, (2, 2)).components[0].clauses[0].literals
    frame = (board.height + 2) * (board.width + 2)
    assert seen.holds
    assert len(seen.cells) <= frame
    assert len(seen.paths) <= 4 * frame


BOARD = grid("#..#.#", "..A...", ".####.", "....*.", "#.#...")
WALLS = ((0, 0), (0, 3), (0, 5), (2, 1), (2, 2), (2, 3), (2, 4), (4, 0), (4, 2))
WAY = ((1, 2), (1, 3), (1, 4), (1, 5), (2, 5), (3, 5), (3, 4))


@pytest.mark.parametrize(
    ("program", "click", "cells", "paths"),
    [
        ("at_action_cell(at_least(2, row, cell_is_value(wall)))", (0, 1), ((0, 0), (0, 3), (0, 5)), ()),
        ("at_action_cell(at_least(2, row, cell_is_value(star)))", (1, 1), tuple((1, c) for c in range(6)), ()),
        ("grid_has(3, cell_is_value(wall))", (1, 1), WALLS, ()),
        (
            "at_action_cell(in_a_line(3, row, cell_is_value(wall)))",
            (2, 5),
            ((2, 5), (2, 4), (2, 3)),
            (((2, 3), (2, 4), (2, 5)),),
        ),
        ("at_action_cell(nearer((0, 1), cell_is_value(star), cell_is_value(empty)))", (1, 2), WAY, (WAY,)),
        ("at_action_cell(nearer((0, -1), cell_is_value(star), cell_is_value(empty)))", (1, 4), WAY[2:], (WAY[2:],)),
        ("at_action_cell(nearest(wall, shifted((0, 1), cell_is_value(empty))))", (3, 0), ((4, 0), (4, 1)), ()),
        ("at_action_cell(escape(wall, cell_is_value(empty)))", (3, 0), ((4, 0), (2, 0)), (((3, 0), (2, 0)),)),
        ("at_action_cell(reachable(cell_is_value(star), cell_is_value(empty)))", (1, 3), WAY[1:], (WAY[1:],)),
        ("at_action_cell(enclosed(cell_is_value(wall)))", (0, 1), ((0, 1), (-1, 1)), (((0, 1), (-1, 1)),)),
    ],
)
def test_of_many_cells_those_that_made_the_difference_are_shown(program, click, cells, paths):
    """Decisive cells, or all cells read where none is decisive; of all ways the one found."""
    language = Language({**STANDARD, **{word.name: word for word in WAYS}}.values())
    rule = Formula(((Literal(parse(program, language, TOKENS.values)),),))
    policy = Policy(TOKENS, (Component(1.0, 0.0, 0.0, rule),), language=language)
    (seen,) = explain(policy, BOARD, click).components[0].clauses[0].literals
    assert (seen.cells, seen.paths) == (cells, paths)


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
@settings(max_examples=examples(60))
def test_an_explanation_tells_the_truth(buttons, data):
    policy, board = data.draw(policies(buttons=buttons)), data.draw(grids())
    action = data.draw(st.sampled_from(list(buttons or board.cells())))
    why = explain(policy, board, action)
    place = buttons.index(action) if buttons else action
    assert why.probability == policy.probabilities(board)[place]
    assert sum(c.weight * c.probability for c in why.components) == pytest.approx(why.probability)
    for component, view in zip(policy.components, why.components, strict=True):
        assert view.allows == any(clause.holds for clause in view.clauses)
        said = policy.speaker.canonical(component.formula)
        for clause, seen in zip(said.clauses, view.clauses, strict=True):
            assert seen.holds == all(x.holds for x in seen.literals)
            for x, y in zip(clause, seen.literals, strict=True):
                assert y.holds == (run(x.term, View(board, TOKENS, action), LANGUAGE) == x.positive)
                assert all(len(path) > 1 for path in y.paths)
    assert json.loads(json.dumps(why.to_json()))["probability"] == why.probability
    assert why.text


# --- programs that read very many cells -------------------------------------------------------------------------------

FAR = (
    "grid_has(1, nearer((-39, 36), cell_is_value(new_block), in_a_line(0, neighbors, escape(empty, escape(OFF, "
    "escape(OFF, shifted((16, -40), shifted((30, 20), in_a_line(7, lines, cell_is_value(OFF))))))))))"
)
NESTED = (
    "at_action_cell(nearest(green_button, both(reachable(escape(parachuter, cell_is_value(static_block)), reachable("
    "nearest(parachuter, nearest(fire, escape(empty, both(nearer((0, 1), but_not(cell_is_value(new_block), enclosed("
    "cell_is_value(green_button))), nearest(green_button, enclosed(cell_is_value(empty)))), in_a_line(2, lines, "
    "escape(empty, cell_is_value(empty))))))), nearer((-1, -1), cell_is_value(green_button), at_least(2, row, "
    "in_a_line(0, lines, both(at_least(7, lines, nearer((-1, -1), cell_is_value(fire), cell_is_value(parachuter))), "
    "cell_is_value(empty))))))), cell_is_value(parachuter))))"
)


def of_programs(tokens, *texts):
    formula = Formula(tuple((Literal(parse(text, STANDARD, tokens.values)),) for text in texts))
    return Policy(tokens, (Component(1.0, 0.0, 0.0, formula),), language=STANDARD)


def test_far_reaching_programs_are_explained_quickly():
    """Found by random commands: explaining two games took 41 s, 0.7 s a position."""
    game = find("stop-the-fall")
    board = load_levels(game, "test:0")[0].grid
    policy = of_programs(game.tokens, FAR, NESTED)
    policy.act(board)  # compiles the kernels
    start = time.process_time()
    for cell in list(board.cells())[:10]:
        explain(policy, board, cell)
    assert time.process_time() - start < 3.0


@pytest.mark.parametrize(("each", "together"), [(20, 10**6), (10**6, 20)])
def test_beyond_a_number_of_looks_only_cells_are_left_out(monkeypatch, each, together):
    game = find("stop-the-fall")
    board = load_levels(game, "test:0")[0].grid
    policy = of_programs(game.tokens, NESTED, "at_action_cell(cell_is_value(fire))")
    for action in board.cells():
        whole = explain(policy, board, action).components[0]
        with monkeypatch.context() as patch:
            patch.setattr(module, "MAX_LOOKS", each)
            patch.setattr(module, "MAX_ALL_LOOKS", together)
            cut = explain(policy, board, action).components[0]
        assert [clause.holds for clause in cut.clauses] == [clause.holds for clause in whole.clauses]
        assert cut.clauses[0].literals[0].cells in ((), whole.clauses[0].literals[0].cells)
