"""Primitives: the paper's, and one of one's own, declared here and nowhere else.

`row_has(n, v)` counts: it holds at a cell if at least n cells of its row have the value v.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shown.demonstrations import Demonstration, Demonstrations, Step
from shown.engine.planes import ALL
from shown.errors import BadInput
from shown.explain import explain
from shown.grid import grid
from shown.inference.features import evaluate
from shown.inference.learner import Learner
from shown.language.grammar import Grammar, Rule, geometric, paper_grammar, paper_offsets, uniform
from shown.language.phrases import say
from shown.language.plan import Plan
from shown.language.primitives import LANGUAGE, Primitive
from shown.language.reference import NOWHERE
from shown.language.terms import Kind, Term, parse
from shown.policy import Policy
from strategies import TOKENS, agree, examples, features_agree, grids, offsets, on_rows, random_grids


def row_has(view, cell, least, value):
    """Whether at least `least` cells of the attended cell's row have the value."""
    if cell is NOWHERE or not 0 <= cell[0] < view.grid.height:
        return False
    return sum(view.value((cell[0], c)) == value for c in range(view.grid.width)) >= least


def row_has_planes(world, least, value):
    """The same for 64 states at a time: `enough[k]` says where at least k cells were met so far."""
    cells = world.of_value(value) & world.inside
    enough = np.zeros((least + 1, world.shape[0], world.shape[2]), dtype=np.uint64)
    enough[0] = ALL
    for column in range(world.shape[1]):
        for k in range(least, 0, -1):
            enough[k] |= enough[k - 1] & cells[:, column]
    return np.repeat(enough[least][:, None], world.shape[1], axis=1)


ROW_HAS = Primitive(
    name="row_has",
    takes=(Kind.NUMBER, Kind.VALUE),
    gives=Kind.CONDITION,
    meaning=row_has,
    kernel=row_has_planes,
    phrase="the row of {cell} has at least {0} × {1:bare}",
    negation="the row of {cell} has fewer than {0} × {1:bare}",
)
COUNTING = LANGUAGE.extended(ROW_HAS)
COUNTING_SLOWLY = LANGUAGE.extended(replace(ROW_HAS, kernel=None))


def counting_grammar(language, tokens=TOKENS):
    third = Fraction(1, 3)
    return Grammar(
        start="P",
        rules=(
            Rule("P", "at_action_cell", ("C",), Fraction(1, 2)),
            Rule("P", "at_cell_with_value", ("V", "C"), Fraction(1, 2)),
            Rule("C", "shifted", ("O", "B"), Fraction(1, 2)),
            Rule("C", None, ("B",), Fraction(1, 2)),
            Rule("B", "cell_is_value", ("V",), third),
            Rule("B", "row_has", ("N", "V"), third),
            Rule("B", "scanning", ("O", "C", "C"), third),
        ),
        leaves={"V": uniform(Kind.VALUE, tokens.values), "O": paper_offsets(), "N": geometric()},
        language=language,
    )


counts = st.tuples(st.integers(1, 4), st.sampled_from(TOKENS.values)).map(lambda a: Term("row_has", a))
counting_conditions = st.one_of(
    counts,
    st.tuples(offsets(2), counts).map(lambda a: Term("shifted", a)),
    st.tuples(offsets(2), counts, counts).map(lambda a: Term("scanning", a)),
)
counting_programs = st.one_of(
    counting_conditions.map(lambda c: Term("at_action_cell", (c,))),
    st.tuples(st.sampled_from(TOKENS.values), counting_conditions).map(lambda a: Term("at_cell_with_value", a)),
)


@pytest.mark.parametrize("language", [COUNTING, COUNTING_SLOWLY], ids=["kernel", "cell by cell"])
@given(terms=st.lists(counting_programs, min_size=1, max_size=3), states=st.lists(grids(), min_size=1, max_size=3))
@settings(max_examples=examples(50))
def test_a_primitive_of_ones_own_is_evaluated_like_the_reference(language, terms, states):
    agree(terms, states, language)


@pytest.mark.parametrize("language", [COUNTING, COUNTING_SLOWLY], ids=["kernel", "cell by cell"])
def test_it_is_enumerated_and_makes_features(language):
    grammar = counting_grammar(language)
    assert any("row_has(2, wall)" in str(term) for term, _ in grammar.programs(1500))
    features_agree(random_grids(3, 6, most=3), grammar, 1500)


def test_both_ways_to_evaluate_it_learn_the_same():
    first, second = (
        Learner(programs=1500, grammar=counting_grammar(language)).fit(three_in_a_row()).policy_
        for language in (COUNTING, COUNTING_SLOWLY)
    )
    assert first.to_json() == second.to_json()


@given(counting_programs)
def test_it_is_printed_and_parsed(program):
    assert parse(str(program), COUNTING, TOKENS.values) == program


def test_it_is_said():
    term = parse("at_action_cell(row_has(3, wall))", COUNTING, TOKENS.values)
    assert say(term, COUNTING) == "the row of the clicked cell has at least 3 × wall"
    assert say(term, COUNTING, positive=False) == "the row of the clicked cell has fewer than 3 × wall"


def three_in_a_row():
    """Click the star in the row with three walls. The paper's language cannot count."""
    boards = [
        grid("#.#*", "##*#", "*.#."),
        grid("*##.#", "##..*", "#..#*"),
        grid("#*..#", "..#*#", "#*.##"),
        grid("#.#.*", "*..#.", ".###*"),
        grid("*###.", "#*#..", "#.#.*"),
    ]
    clicks = [(1, 2), (0, 0), (2, 1), (2, 4), (0, 0)]
    steps = [Demonstration((Step(board, click),)) for board, click in zip(boards, clicks, strict=True)]
    return Demonstrations(TOKENS, tuple(steps), "three-in-a-row")


def test_it_is_learned_explained_saved_and_loaded(tmp_path):
    grammar = counting_grammar(COUNTING)
    policy = Learner(programs=1500, grammar=grammar).fit(three_in_a_row()).policy_
    board = grid("*#...#.#", "#*#.....", ".#.#.*..")
    assert policy.act(board) == (0, 0)
    why = explain(policy, board, (0, 0))
    assert "the row of the clicked cell has at least 3 × wall" in why.text
    counted = next(
        literal
        for component in why.components
        for clause in component.clauses
        for literal in clause.literals
        if literal.program == "at_action_cell(row_has(3, wall))"
    )
    assert set(counted.cells) == {(0, c) for c in range(8)}
    policy.save(tmp_path / "policy.json")
    again = Policy.load(tmp_path / "policy.json", COUNTING)
    assert again == policy
    assert np.array_equal(again.probabilities(board), policy.probabilities(board))
    with pytest.raises(BadInput, match=r"policy.json: its language has no name. Name it with --language"):
        Policy.load(tmp_path / "policy.json")
    with pytest.raises(BadInput, match="there is no primitive 'row_has'"):
        Policy.load(tmp_path / "policy.json", "paper")
    with pytest.raises(BadInput, match="row_has is a custom primitive"):
        policy.to_python()


# --- other shapes of primitives ---------------------------------------------------------------------------------------


def test_a_program_of_ones_own_is_asked_only_about_cells_that_can_be_clicked():
    def on_the_diagonal(view):
        assert view.grid.inside(view.action)
        return view.action[0] == view.action[1]

    diagonal = Primitive(
        "on_the_diagonal", (), Kind.PROGRAM, on_the_diagonal, "it is on the diagonal", "it is off the diagonal"
    )
    language = LANGUAGE.extended(diagonal)
    shifted = parse("at_action_cell(shifted((2, 2), cell_is_value(wall)))", language, TOKENS.values)
    terms = [parse("on_the_diagonal()", language, TOKENS.values), shifted]
    plan = Plan(terms, TOKENS, (), language)
    world = plan.world([grid("..", "..", "..")])
    assert on_rows(plan.columns(world)[0], world) == [True, False, False, True, False, False]


@pytest.mark.parametrize("buttons", [(), ("left", "right")])
def test_a_primitive_may_take_nothing(buttons):
    alone = Primitive(
        "alone",
        (),
        Kind.PROGRAM,
        lambda view: view.grid.find("A") is None,
        "there is no agent",
        "there is an agent",
        kernel=lambda world: ~np.bitwise_or.reduce(world.of_value("agent"), axis=(0, 1)),
    )
    middle = Primitive(
        "in_the_middle",
        (),
        Kind.CONDITION,
        lambda view, cell: cell is not NOWHERE and cell[1] * 2 + 1 == view.grid.width,
        "{cell} is in the middle",
        "{cell} is not in the middle",
    )
    language = LANGUAGE.extended(alone, middle)
    third = Fraction(1, 3)
    top = ("at_cell_with_value", ("V", "M")) if buttons else ("at_action_cell", ("M",))
    grammar = Grammar(
        "P",
        (
            Rule("P", "alone", (), third),
            Rule("P", *top, third),
            Rule("P", "at_cell_with_value", ("V", "M"), third),
            Rule("M", "in_the_middle", (), Fraction(1)),
        ),
        {"V": uniform(Kind.VALUE, TOKENS.values)},
        language,
    )
    features_agree([grid("..."), grid(".A."), grid("A#*")], grammar, 100, buttons=buttons)


def test_a_program_about_buttons_without_a_kernel():
    def starts_with_l(view):
        return view.action.startswith("l")

    language = LANGUAGE.extended(
        Primitive("starts_with_l", (), Kind.PROGRAM, starts_with_l, "the action starts with l", "it does not")
    )
    plan = Plan([Term("starts_with_l", ())], TOKENS, ("left", "right"), language)
    world = plan.world([grid("."), grid("..")])
    assert on_rows(plan.columns(world)[0], world) == [True, False] * 2


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"gives": Kind.VALUE}, "must give a program or a condition"),
        ({"takes": (Kind.PROGRAM,)}, "takes a program"),
        ({"name": "row has"}, "letters, digits and underscores"),
        ({"needs": "a key"}, "it can need a 'click' or a 'button'"),
    ],
)
def test_primitives_that_cannot_be(changes, reason):
    with pytest.raises(BadInput, match=reason):
        replace(ROW_HAS, **changes)


def test_extending_a_language_leaves_it_as_it_was():
    assert "row_has" in COUNTING
    assert "row_has" not in LANGUAGE
    assert len(COUNTING) == len(LANGUAGE) + 1
    assert list(COUNTING)[: len(LANGUAGE)] == list(LANGUAGE)


def test_a_value_the_game_has_not_is_named():
    grammar = paper_grammar(TOKENS)
    wrong = replace(grammar, leaves={**grammar.leaves, "V": uniform(Kind.VALUE, ("wal",))})
    with pytest.raises(BadInput, match=r"value 'wal' that the demonstrations lack\. Did you mean 'wall'\?"):
        evaluate([grid("..")], TOKENS, wrong, 10)


def test_what_takes_a_button_needs_buttons():
    press = Primitive("pressed", (Kind.BUTTON,), Kind.PROGRAM, lambda view, name: True, "", "")
    assert press.needs == "button"
    with pytest.raises(BadInput, match="pressed needs buttons, but here cells are clicked"):
        press.check_actions(())
    press.check_actions(("left",))
