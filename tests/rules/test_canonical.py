"""The canonical form is equivalent on every grid and has no redundancy."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shown.grid import Grid
from shown.language.primitives import LANGUAGE
from shown.language.reference import View, run
from shown.language.terms import Term, parse
from shown.rules import Formula, Literal, canonical
from shown.rules.canonical import LARGE
from strategies import BUTTONS, TOKENS, examples, formulas, grids

VALUES = TOKENS.values


def literal(text, buttons=BUTTONS):
    return Literal(parse(text.removeprefix("not "), LANGUAGE, VALUES, buttons), not text.startswith("not "))


def formula(*clauses):
    """From texts in which `@(down, right) value` asks at the clicked cell, moved, and `wall: …` at the first wall."""
    return Formula(tuple(tuple(literal(text) for text in clause) for clause in clauses))


def clicked(value, *by):
    inner = f"cell_is_value({value})"
    return f"at_action_cell({f'shifted({by}, {inner})' if by else inner})"


def first(token, value, *by):
    return f"at_cell_with_value({token}, {clicked(value, *by)[len('at_action_cell(') :]}"


def scan(way, value, unless, by=None):
    walk = f"scanning({way}, cell_is_value({value}), cell_is_value({unless}))"
    return f"at_action_cell({f'shifted({by}, {walk})' if by else walk})"


UP_IS_EMPTY = "shifted((-1, 0), cell_is_value(empty))"


def allowed(f, board, actions):
    """What a formula allows, by the interpreter that defines the meaning."""
    return [
        any(all(run(x.term, View(board, TOKENS, a), LANGUAGE) == x.positive for x in clause) for clause in f.clauses)
        for a in actions
    ]


near = st.tuples(st.integers(-2, 2), st.integers(-2, 2)).filter(any)
values = st.sampled_from(VALUES).map(lambda value: Term("cell_is_value", (value,)))
asked = st.one_of(values, st.tuples(near, values).map(lambda a: Term("shifted", a)))
walks = st.tuples(near, asked, asked).map(lambda a: Term("scanning", a))
looks = st.one_of(values, walks, st.tuples(near, st.one_of(values, walks)).map(lambda a: Term("shifted", a)))
"""Conditions as the paper's grammar derives them first: such that one often follows from another."""


@st.composite
def related_formulas(draw, buttons=()):
    """Formulas over few programs about few places, so that much goes without saying."""
    at_value = st.tuples(st.sampled_from(VALUES), looks).map(lambda a: Term("at_cell_with_value", a))
    at_action = (
        st.sampled_from(buttons).map(lambda b: Term("action_is", (b,)))
        if buttons
        else looks.map(lambda c: Term("at_action_cell", (c,)))
    )
    pool = draw(st.lists(st.one_of(at_action, at_value), min_size=2, max_size=7))
    clause = st.lists(st.builds(Literal, st.sampled_from(pool), st.booleans()), max_size=4).map(tuple)
    return Formula(tuple(draw(st.lists(clause, max_size=4))))


@pytest.mark.parametrize("buttons", [(), BUTTONS], ids=["clicks", "buttons"])
@pytest.mark.parametrize("closed", [True, False], ids=["values known", "values not known"])
@given(data=st.data())
@settings(max_examples=examples(150), deadline=None)
def test_what_is_allowed_stays_the_same_on_every_grid(buttons, closed, data):
    f = data.draw(st.one_of(related_formulas(buttons), formulas(buttons=buttons)))
    said = canonical(f, VALUES, buttons) if closed else canonical(f)
    assert len(said.literals) <= len(f.literals)
    for board in data.draw(st.lists(grids(), min_size=1, max_size=12)):
        actions = list(buttons or board.cells())
        assert allowed(said, board, actions) == allowed(f, board, actions)


@st.composite
def grids_with(draw, pieces):
    """Empty cells and those of no piece anywhere, and one cell of each piece."""
    height, width = draw(st.sampled_from([(1, 3), (2, 2), (3, 3), (4, 3), (3, 5)]))
    free = [TOKENS[name] for name in TOKENS.names if not any(name in piece for piece in pieces)]
    cells = draw(st.lists(st.sampled_from(free), min_size=height * width, max_size=height * width))
    for piece, place in zip(pieces, draw(st.permutations(range(height * width))), strict=False):
        cells[place] = TOKENS[draw(st.sampled_from(piece))]
    return Grid(tuple("".join(cells[r * width : (r + 1) * width]) for r in range(height)))


@pytest.mark.parametrize("pieces", [(("agent",), ("star",)), (("agent", "star"),), (("star", "wall"), ("agent",))])
@given(data=st.data())
@settings(max_examples=examples(150), deadline=None)
def test_it_stays_the_same_where_the_pieces_are_as_declared(pieces, data):
    f = data.draw(related_formulas())
    said = canonical(f, VALUES, (), pieces)
    for board in data.draw(st.lists(grids_with(pieces), min_size=1, max_size=12)):
        actions = list(board.cells())
        assert allowed(said, board, actions) == allowed(f, board, actions)


@given(st.one_of(related_formulas(), formulas()))
@settings(max_examples=examples(100), deadline=None)
def test_said_again_it_stays_as_it_is(f):
    once = canonical(f, VALUES)
    assert canonical(once, VALUES) == once


@pytest.mark.parametrize(
    ("given_", "said"),
    [
        ([["not action_is(left)", "not action_is(right)"]], [["action_is(fire)"]]),
        ([["action_is(left)", "not action_is(right)"]], [["action_is(left)"]]),
        ([["action_is(left)", "action_is(right)"]], []),
        ([["action_is(left)"], ["action_is(right)"], ["action_is(fire)"]], [[]]),
        ([[clicked("wall"), "not " + clicked("empty")]], [[clicked("wall")]]),
        ([[clicked("wall")], [clicked("wall"), clicked("star", 0, 1)]], [[clicked("wall")]]),
        (
            [[clicked("wall"), clicked("star", 0, 1)], [clicked("wall"), "not " + clicked("star", 0, 1)]],
            [[clicked("wall")]],
        ),
        ([[clicked("star"), "not " + clicked("OFF")]], [[clicked("star")]]),
        ([[clicked("wall", 0, 2), "not " + clicked("OFF", 0, 1)]], [[clicked("wall", 0, 2)]]),
        ([[clicked("OFF", 0, 1), clicked("OFF", 1, 2)]], [[clicked("OFF", 0, 1)]]),
        ([[first("wall", "wall"), first("wall", "star", 1, 0)]], [[first("wall", "star", 1, 0)]]),
        ([[scan((0, 1), "star", "wall"), "not " + scan((0, 1), "wall", "star")]], [[scan((0, 1), "star", "wall")]]),
        ([[clicked("star", 0, 1), scan((0, 1), "star", "wall")]], [[clicked("star", 0, 1)]]),
        ([[clicked("wall", 0, 1), scan((0, 1), "star", "wall")]], []),
        ([[scan((0, 1), "star", "wall"), scan((0, 1), "star", "OFF")]], [[scan((0, 1), "star", "wall")]]),
        (
            [[clicked("star")], ["not " + clicked("star"), clicked("wall", 0, 1)]],
            [[clicked("star")], [clicked("wall", 0, 1)]],
        ),
    ],
)
def test_what_goes_without_saying_is_gone(given_, said):
    assert canonical(formula(*given_), VALUES, BUTTONS) == formula(*said)


STATES = (("agent",), ("wall", "star"))


@pytest.mark.parametrize(
    ("given_", "said"),
    [
        ([[clicked("empty"), first("agent", "agent")]], [[clicked("empty")]]),
        ([[first("wall", "wall"), "not " + first("star", "star")]], [[first("wall", "wall")]]),
        ([[first("wall", "wall"), first("star", "star")]], []),
        ([[clicked("agent"), "not " + clicked("agent", 0, 1)]], [[clicked("agent")]]),
        ([[clicked("agent", 0, 1), first("agent", "empty", 0, -1)]], [[clicked("empty"), clicked("agent", 0, 1)]]),
        (
            [[clicked("agent", 1, 0), scan((1, 0), "empty", "agent").replace("cell_is_value(empty)", UP_IS_EMPTY)]],
            [[clicked("empty"), clicked("agent", 1, 0)]],
        ),
    ],
)
def test_what_the_world_declares_goes_without_saying(given_, said):
    assert canonical(formula(*given_), VALUES, (), STATES) == formula(*said)


def test_what_is_done_comes_first_and_what_is_so_before_what_is_not():
    f = formula(["not " + clicked("wall", 0, 1), clicked("star", 1, 1), clicked("star", 1, 0), clicked("wall")])
    assert canonical(f, VALUES) == formula(
        [clicked("wall"), clicked("star", 1, 0), clicked("star", 1, 1), "not " + clicked("wall", 0, 1)]
    )


def test_a_formula_that_nobody_reads_is_only_rid_of_duplicates():
    clause = tuple(literal(clicked("wall", 0, n)) for n in range(1, 4))
    f = Formula((*((*clause, literal(clicked("star", n, 0))) for n in range(1, LARGE)), clause, clause))
    assert len(canonical(f, VALUES).clauses) == LARGE
