"""Symmetry: grids, actions, programs, demonstrations and rules under transformations."""

import itertools
import json
import pickle
import subprocess
import sys
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shown import LANGUAGE, Kind, Literal, Primitive
from shown.demonstrations import Demonstration, Demonstrations, Step
from shown.errors import BadInput, ShownError
from shown.grid import OFF, Tokens, grid
from shown.language.reference import View, run
from shown.language.terms import Term, parse
from shown.policy import Component, Formula, Policy
from shown.symmetry import (
    IDENTITY,
    MOTIONS,
    Folded,
    Transformation,
    closure,
    compose,
    contradicts,
    fits,
    fold,
    images,
    in_words,
    inverse,
    of_action,
    of_grid,
    of_offset,
    of_step,
    of_term,
    of_value,
    suggest_symmetries,
    unfold,
)
from shown.symmetry.transformation import UNDO_THEMSELVES
from strategies import BUTTONS, TOKENS, damaged, examples, formulas, grids, is_exact, json_values, offsets, programs

ARROWS = ("left_arrow", "right_arrow")
KEYED = Tokens(empty=".", robot="A", block="#", left_arrow="<", right_arrow=">")
MIRROR = Transformation("left-right")
KEYS_STAY = Transformation("left-right", tokens=(ARROWS,), stays=ARROWS)
BOARD = grid("A...", "..#.", "##<>")


def exchanges(names):
    """Any permutation of some names."""
    return st.permutations(list(names)).map(lambda order: tuple(zip(sorted(names), order, strict=True)))


def moving(tokens=TOKENS, buttons=()):
    """Transformations under which nothing stays in place."""
    return st.builds(Transformation, st.sampled_from(MOTIONS), exchanges(tokens.names), st.just(()), exchanges(buttons))


@st.composite
def staying(draw):
    """Transformations under which some tokens stay in place."""
    stays = draw(st.sets(st.sampled_from(TOKENS.names)))
    parts = (sorted(stays), sorted(set(TOKENS.names) - stays))
    exchange = tuple(pair for part in parts for pair in draw(exchanges(part)))
    return Transformation(draw(st.sampled_from(UNDO_THEMSELVES)), exchange, tuple(stays))


def test_it_stands_left_of_games_policies_and_inference():
    """Games declare symmetries, so that loading them must cost little and lead to nothing that knows games."""
    script = (
        "import sys, shown.symmetry; "
        "print([m for m in sys.modules if m.startswith(('shown.worlds', 'shown.policy', 'shown.inference', 'numba'))])"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


# --- the data --------------------------------------------------------------------------------------------------------


def test_an_exchange_goes_both_ways():
    assert of_value("left_arrow", KEYS_STAY) == "right_arrow"
    assert of_value("right_arrow", KEYS_STAY) == "left_arrow"
    assert of_value(OFF, KEYS_STAY) == OFF


def test_a_chain_is_closed():
    turn = Transformation("clockwise", tokens=(("up", "right"), ("right", "down"), ("down", "left")))
    assert of_value("left", turn) == "up"
    assert len(closure([turn])) == 4


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: Transformation("leftright"), "Did you mean 'left-right'"),
        (lambda: Transformation(tokens=(("a", "b"), ("c", "b"))), "each name can become only one other"),
        (lambda: Transformation(tokens=(("a", "b"), ("a", "c"))), "each name can become only one other"),
        (lambda: Transformation(tokens="ab"), "must be pairs of names"),
        (lambda: Transformation(tokens=("ab",)), "must be pairs of names"),
        (lambda: Transformation(tokens=((1, 2),)), "must be names of tokens"),
        (lambda: Transformation(tokens=(("a", OFF),)), "outside the grid"),
        (lambda: Transformation(stays=(OFF,)), "outside the grid"),
        (lambda: Transformation(stays="wall"), "must be names of tokens"),
        (lambda: Transformation("clockwise", stays=("wall",)), "changes the shape"),
        (lambda: Transformation("up-down", (("a", "b"),), stays=("a",)), "either both stay in place or neither"),
        (lambda: compose(KEYS_STAY, Transformation("up-down")), "by itself"),
        (lambda: Transformation(tokens=(("wal", "agent"),)).check(TOKENS), "Did you mean 'wall'"),
        (lambda: Transformation(buttons=(("left", "rigt"),)).check(TOKENS, BUTTONS), "Did you mean 'right'"),
        (lambda: closure([Transformation(tokens=((x, y),)) for x, y in itertools.pairwise("abcdefg")]), "more than"),
    ],
)
def test_nonsense_is_refused_with_the_reason(make, reason):
    with pytest.raises(BadInput, match=reason):
        make()


@given(moving(buttons=BUTTONS) | staying())
def test_it_is_plain_data(transformation):
    assert Transformation.from_json(json.loads(json.dumps(transformation.to_json()))) == transformation
    assert pickle.loads(pickle.dumps(transformation)) == transformation
    assert hash(replace(transformation)) == hash(transformation)


@given(st.one_of(json_values, moving(buttons=BUTTONS).flatmap(lambda t: damaged(t.to_json()))))
def test_damaged_json_is_read_or_refused(value):
    try:
        Transformation.from_json(value, "here")
    except ShownError as error:
        assert str(error).startswith("here: ")  # noqa: PT017


def test_all_eight_are_generated_by_two():
    group = closure([MIRROR, Transformation("transpose")])
    assert group[0] == IDENTITY
    assert sorted(t.cells for t in group) == sorted(MOTIONS)


@given(st.lists(moving(), max_size=2))
def test_a_closure_is_a_group(generators):
    try:
        group = closure(generators)
    except BadInput:
        return
    assert len(set(group)) == len(group)
    assert {inverse(t) for t in group} == set(group)
    assert {compose(a, b) for a in group[:8] for b in group} == set(group)


def test_what_they_are_called():
    assert KEYS_STAY.words == "mirrored left to right"
    assert Transformation("half-turn").words == "turned by 180°"
    assert Transformation(tokens=(ARROWS,)).words == "with left arrow and right arrow exchanged"
    assert in_words([IDENTITY]) == ""
    assert in_words(closure([KEYS_STAY])) == "mirrored left to right"
    assert in_words(closure([Transformation("clockwise")])) == "turned in any way"
    assert in_words(closure([MIRROR, Transformation("clockwise")])) == "turned and mirrored in any way"
    assert in_words([IDENTITY, MIRROR, Transformation("clockwise")]) == "mirrored left to right, or turned clockwise"
    assert len({Transformation(cells).words for cells in MOTIONS}) == 8


# --- grids and actions -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cells", "rows"),
    [
        ("same", ("A#.", "..*")),
        ("left-right", (".#A", "*..")),
        ("up-down", ("..*", "A#.")),
        ("half-turn", ("*..", ".#A")),
        ("transpose", ("A.", "#.", ".*")),
        ("clockwise", (".A", ".#", "*.")),
        ("counter-clockwise", (".*", "#.", "A.")),
        ("anti-transpose", ("*.", ".#", ".A")),
    ],
)
def test_the_eight_ways(cells, rows):
    before = grid("A#.", "..*")
    after = of_grid(before, Transformation(cells), TOKENS)
    assert after == grid(*rows)
    assert of_action((0, 0), Transformation(cells), before, TOKENS) == after.find("A")


@given(grids(), moving())
def test_content_moves_with_the_cells(board, transformation):
    image = of_grid(board, transformation, TOKENS)
    for cell in board.cells():
        there = of_action(cell, transformation, board, TOKENS)
        assert TOKENS.name(image[there]) == of_value(TOKENS.name(board[cell]), transformation)


@given(grids(), moving(), moving())
def test_composition_is_one_after_the_other(board, first, second):
    both, halfway = compose(first, second), of_grid(board, first, TOKENS)
    assert of_grid(board, both, TOKENS) == of_grid(halfway, second, TOKENS)
    for cell in board.cells():
        step = of_action(cell, first, board, TOKENS)
        assert of_action(cell, both, board, TOKENS) == of_action(step, second, halfway, TOKENS)


@given(grids(), moving() | staying())
def test_the_inverse_undoes_it(board, transformation):
    image, back = of_grid(board, transformation, TOKENS), inverse(transformation)
    assert of_grid(image, back, TOKENS) == board
    assert fits(image, back, TOKENS) == fits(board, transformation, TOKENS)
    if fits(board, transformation, TOKENS):
        there = [of_action(cell, transformation, board, TOKENS) for cell in board.cells()]
        assert sorted(there) == list(image.cells())
        assert [of_action(cell, back, image, TOKENS) for cell in there] == list(board.cells())


@given(grids(), staying())
def test_what_stays_stays(board, transformation):
    image = of_grid(board, transformation, TOKENS)
    for name in transformation.stays:
        assert image.where(TOKENS[name]) == board.where(TOKENS[name])


def test_keys_stay_in_the_ground_and_their_mirror_images_keep_what_they_have():
    assert of_grid(BOARD, KEYS_STAY, KEYED) == grid("...A", ".#..", "##<>")
    assert of_grid(grid("A.#", ".<>"), KEYS_STAY, KEYED) == grid("#.A", ".<>")


def test_a_click_on_a_key_that_stays_becomes_one_on_the_other_key():
    clicks = [(0, 0), (1, 2), (2, 2), (2, 3), (2, 0)]
    assert [of_action(click, KEYS_STAY, BOARD, KEYED) for click in clicks] == [(0, 3), (1, 1), (2, 3), (2, 2), (2, 0)]
    alone = Transformation("left-right", stays=ARROWS)
    assert of_action((2, 3), alone, BOARD, KEYED) == (2, 3)


def test_the_first_key_becomes_the_first_and_the_second_the_second():
    board = grid("<<..", "..>>")
    assert [of_action(click, KEYS_STAY, board, KEYED) for click in ((0, 0), (0, 1), (1, 3))] == [(1, 2), (1, 3), (0, 1)]


def test_a_key_without_a_partner_has_no_image():
    board = grid("<<.>")
    assert not fits(board, KEYS_STAY, KEYED)
    with pytest.raises(BadInput, match="there are 2 and 1 of them"):
        of_action((0, 0), KEYS_STAY, board, KEYED)


def test_buttons_are_exchanged():
    mirror = Transformation("left-right", buttons=(("left", "right"),))
    assert [of_action(name, mirror, BOARD, KEYED) for name in BUTTONS] == ["right", "left", "fire"]


# --- programs --------------------------------------------------------------------------------------------------------


@given(offsets(), moving(), moving())
def test_offsets_follow(offset, first, second):
    assert of_offset(of_offset(offset, first), second) == of_offset(offset, compose(first, second))


@given(grids(), programs(), moving(), st.data())
@settings(max_examples=examples(400))
def test_the_image_of_a_program_says_of_images_what_it_said(board, term, transformation, data):
    """For all programs about the clicked cell, and for others where the first cell with a value stays the first."""
    certain = is_exact(term, board, TOKENS, transformation)
    assert certain or term.primitive == "at_cell_with_value"
    click = data.draw(st.sampled_from(list(board.cells())))
    before = View(board, TOKENS, click)
    after = View(of_grid(board, transformation, TOKENS), TOKENS, of_action(click, transformation, board, TOKENS))
    image = of_term(term, transformation, LANGUAGE)
    assert image is not None
    if certain:
        assert run(image, after, LANGUAGE) == run(term, before, LANGUAGE)


def test_the_first_of_two_need_not_be_the_first_of_the_image():
    term = parse("at_cell_with_value(wall, shifted((0, 1), cell_is_value(empty)))", LANGUAGE, TOKENS.values)
    board = grid("#.##")
    image = of_term(term, MIRROR, LANGUAGE)
    assert run(term, View(board, TOKENS, (0, 0)), LANGUAGE)
    assert not run(image, View(of_grid(board, MIRROR, TOKENS), TOKENS, (0, 3)), LANGUAGE)


def test_where_tokens_stay_in_place_nothing_is_certain():
    """The cell left of the key that stays is mirrored nowhere: the image of the program is a proposal only."""
    term = parse("at_cell_with_value(left_arrow, shifted((0, -1), cell_is_value(block)))", LANGUAGE, KEYED.values)
    image = of_term(term, KEYS_STAY, LANGUAGE)
    assert str(image) == "at_cell_with_value(right_arrow, shifted((0, 1), cell_is_value(block)))"
    after = View(of_grid(BOARD, KEYS_STAY, KEYED), KEYED, (0, 0))
    assert run(term, View(BOARD, KEYED, (0, 0)), LANGUAGE) != run(image, after, LANGUAGE)


def test_buttons_in_programs_are_exchanged():
    mirror = Transformation("left-right", buttons=(("left", "right"),))
    assert of_term(Term("action_is", ("left",)), mirror, LANGUAGE) == Term("action_is", ("right",))


def test_a_primitive_of_ones_own_says_how_it_is_transformed_or_has_no_image():
    def in_row(arguments, transformation):
        return None if transformation.turns else Term("row_has", arguments)

    def row_has(view, cell, value):
        return cell is not None and any(view.value((cell[0], c)) == value for c in range(view.grid.width))

    plain = Primitive("row_has", (Kind.VALUE,), Kind.CONDITION, row_has, "", "")
    own = replace(plain, image=in_row)
    term = Term("at_action_cell", (Term("shifted", ((0, 1), Term("row_has", ("wall",)))),))
    exchange = Transformation("left-right", tokens=(("wall", "star"),))
    assert of_term(term, exchange, LANGUAGE.extended(plain)) is None
    assert of_term(term, IDENTITY, LANGUAGE.extended(plain)) == term
    language = LANGUAGE.extended(own)
    assert str(of_term(term, exchange, language)) == "at_action_cell(shifted((0, -1), row_has(star)))"
    assert of_term(term, Transformation("transpose"), language) is None


# --- demonstrations --------------------------------------------------------------------------------------------------


def one(*steps, tokens=TOKENS, buttons=()):
    return Demonstrations(tokens, (Demonstration(tuple(steps), "train:0", 3, "won"),), "mine", buttons)


def test_images_stand_behind_the_originals_and_share_their_weight():
    demos = one(Step(grid("#.", ".."), (0, 0), 2.0, open=((0, 1),)), Step(grid("##", "A."), (1, 0), refused=True))
    demos = Demonstrations(TOKENS, (demos.items[0], Demonstration((Step(grid("*A."), (0, 0)),))), "mine")
    first, second, third, fourth = images(demos, [MIRROR]).items
    assert (first, second) == tuple(
        replace(item, steps=tuple(replace(step, weight=step.weight / 2) for step in item.steps)) for item in demos
    )
    assert third.steps[0] == Step(grid(".#", ".."), (0, 1), 1.0, open=((0, 0),))
    assert third.steps[1] == Step(grid("##", ".A"), (1, 1), 0.5, refused=True)
    assert fourth.steps == (Step(grid(".A*"), (0, 2), 0.5),)
    assert (third.level, third.seed, third.outcome) == ("train:0, mirrored left to right", None, "won")
    assert (fourth.level, fourth.outcome) == (None, "unfinished")


def test_equal_images_are_there_once():
    demos = one(Step(grid(".#.", "..."), (0, 1)))
    assert images(demos, [MIRROR]) == demos
    assert [step.weight for step in images(demos, [MIRROR, Transformation("up-down")]).steps] == [0.5, 0.5]
    in_any_order = one(Step(grid("..."), (0, 1), open=((0, 0), (0, 2))))
    assert images(in_any_order, [MIRROR]) == in_any_order


def test_a_run_with_a_symmetric_step_keeps_it_in_both_images_at_half_the_weight():
    demos = one(Step(grid("..."), (0, 1)), Step(grid(".#."), (0, 0)))
    assert [(step.action, step.weight) for step in images(demos, [MIRROR]).steps] == [
        ((0, 1), 0.5), ((0, 0), 0.5), ((0, 1), 0.5), ((0, 2), 0.5),
    ]  # fmt: skip


def test_what_was_refused_is_not_shown_by_an_image():
    """A click on the left was shown; its mirror image was refused by the teacher. The refusal counts."""
    demos = one(Step(grid("#.."), (0, 1)), Step(grid("..#"), (0, 1), refused=True), Step(grid("A.."), (0, 1)))
    shown = images(demos, [MIRROR])
    about_it = [step for step in shown.steps if step.grid == grid("..#")]
    assert [(step.refused, step.weight) for step in about_it] == [(True, 1.0)]
    assert sum(step.weight for step in shown.steps) == 3.0
    assert len(shown.items[1].steps) == 1


def test_without_partners_there_is_no_image():
    demos = one(Step(grid("<<.>"), (0, 2)), tokens=KEYED)
    assert images(demos, [KEYS_STAY]) == demos


def test_a_symmetry_of_another_world_is_refused():
    with pytest.raises(BadInput, match="'left_arrow' is not a token"):
        images(one(Step(grid("#."), (0, 0))), [KEYS_STAY])


@given(st.lists(grids(most=3), min_size=1, max_size=4), st.sampled_from(MOTIONS), st.sampled_from(MOTIONS), st.data())
def test_images_count_as_much_as_what_they_are_images_of(boards, one_way, other_way, data):
    steps = [Step(board, data.draw(st.sampled_from(list(board.cells())))) for board in boards]
    demos = one(*steps)
    transformations = [Transformation(one_way), Transformation(other_way)]
    more = images(demos, transformations)
    assert sum(step.weight for step in more.steps) == pytest.approx(len(steps))
    assert len({item.steps for item in more}) == len(more)
    group = closure(transformations)
    assert len(more) == len({tuple(of_step(step, t, TOKENS) for step in steps) for t in group})
    expected, counted = Counter(), Counter()
    for step in more.steps:
        counted[step.grid, step.action] += step.weight
    for image in (of_step(step, t, TOKENS) for step in steps for t in group):
        expected[image.grid, image.action] += 1 / len(group)
    assert counted == pytest.approx(expected)


# --- suggestions -----------------------------------------------------------------------------------------------------


def test_a_grid_that_is_its_own_image_asks_for_an_action_that_is():
    assert contradicts(one(Step(grid(".#."), (0, 0))), MIRROR)
    assert not contradicts(one(Step(grid(".#."), (0, 1))), MIRROR)
    assert not contradicts(one(Step(grid(".#."), (0, 0), open=((0, 2),))), MIRROR)


def test_what_the_mirrored_grid_shows_otherwise_contradicts():
    left = Step(grid("#.."), (0, 1))
    assert contradicts(one(left, Step(grid("..#"), (0, 0))), MIRROR)
    assert not contradicts(one(left, Step(grid("..#"), (0, 1))), MIRROR)
    assert contradicts(one(left, Step(grid("..#"), (0, 1), refused=True)), MIRROR)
    assert not contradicts(one(left, Step(grid("..#"), (0, 0), refused=True)), MIRROR)


def test_candidates_need_only_not_be_contradicted():
    demos = one(Step(grid("#.", ".."), (0, 0)))
    both = (MIRROR, Transformation("up-down"))
    assert suggest_symmetries(demos, both) == both
    assert suggest_symmetries(one(Step(grid("#.."), (0, 1)), Step(grid("..#"), (0, 0))), both) == (both[1],)


def test_suggestions_are_compatible():
    """Mirrored and upside down are each possible; both together lead to what was done otherwise."""
    demos = one(Step(grid("#.", ".."), (0, 0)), Step(grid("..", ".#"), (0, 0)))
    flips = (MIRROR, Transformation("up-down"))
    assert not any(contradicts(demos, flip) for flip in flips)
    assert suggest_symmetries(demos, flips) == (MIRROR,)


def test_buttons_are_paired_by_their_names():
    demos = one(Step(grid("A.*"), "right"), Step(grid("*.A"), "left"), buttons=BUTTONS)
    mirror = Transformation("left-right", buttons=(("left", "right"),))
    assert suggest_symmetries(demos, [MIRROR, mirror]) == (mirror,)


# --- rules -----------------------------------------------------------------------------------------------------------


def as_sets(clauses):
    return {frozenset(clause) for clause in clauses}


@given(formulas(), st.lists(moving(), max_size=2), st.data())
@settings(deadline=None)
def test_unfolding_gives_what_was_folded(formula, generators, data):
    try:
        group = closure(generators)
    except BadInput:
        return
    images_too = [
        tuple(replace(x, term=of_term(x.term, t, LANGUAGE)) for x in clause)
        for clause in formula.clauses
        for t in data.draw(st.lists(st.sampled_from(group), max_size=3))
    ]
    clauses = [*formula.clauses, *images_too]
    folded = fold(clauses, generators, LANGUAGE)
    assert as_sets(unfold(folded, LANGUAGE)) == as_sets(clauses)
    assert len(folded) <= len(as_sets(formula.clauses))
    assert all(part.under[0] == IDENTITY for part in folded)


@given(grids(), formulas(), st.lists(moving(), min_size=1, max_size=2), st.data())
@settings(deadline=None, max_examples=examples(60))
def test_a_symmetric_policy_does_on_the_image_the_image_of_what_it_does(board, formula, generators, data):
    try:
        group = closure(generators)
    except BadInput:
        return
    # Programs about the clicked cell: those about the first cell with a value may mean another cell on the image.
    about_clicks = [tuple(x for x in clause if x.term.primitive == "at_action_cell") for clause in formula.clauses]
    clauses = unfold([Folded(clause, group) for clause in about_clicks], LANGUAGE)
    policy = Policy(TOKENS, (Component(1.0, 0.0, 0.0, Formula(clauses)),))
    transformation = data.draw(st.sampled_from(group))
    here, there = policy.probabilities(board), policy.probabilities(of_grid(board, transformation, TOKENS))
    for cell in board.cells():
        assert there[of_action(cell, transformation, board, TOKENS)] == pytest.approx(here[cell])


def test_a_rule_with_all_its_images_is_said_once():
    text = "at_action_cell(shifted(({}, {}), cell_is_value(wall)))"
    corners = [
        (Literal(parse(text.format(down, right), LANGUAGE, TOKENS.values), False),)
        for down in (-1, 1)
        for right in (-1, 1)
    ]
    flips = [MIRROR, Transformation("up-down")]
    (folded,) = fold(corners, flips, LANGUAGE)
    assert (folded.clause, folded.words) == (corners[0], "mirrored in any way")
    (folded,) = fold(corners[:3], flips, LANGUAGE)
    assert folded.words == "mirrored left to right, or mirrored top to bottom"
    assert as_sets(unfold([folded], LANGUAGE)) == as_sets(corners[:3])


def test_a_clause_that_is_its_own_image_stands_for_itself():
    clause = (Literal(parse("at_action_cell(shifted((1, 0), cell_is_value(wall)))", LANGUAGE, TOKENS.values)),)
    (folded,) = fold([clause], [MIRROR], LANGUAGE)
    assert (folded.under, folded.words) == ((IDENTITY,), "")


def test_the_empty_rule_and_the_empty_clause():
    assert fold([], [MIRROR], LANGUAGE) == ()
    assert unfold(fold([()], [MIRROR], LANGUAGE), LANGUAGE) == ((),)


def test_images_are_called_by_the_simplest_name():
    def above(down, right):
        return (Literal(parse(f"at_action_cell(shifted(({down}, {right}), cell_is_value(star)))", LANGUAGE, ["star"])),)

    every = [Transformation(way) for way in MOTIONS]
    sides = [above(-1, 0), above(1, 0), above(0, -1), above(0, 1)]
    (folded,) = fold(sides, every, LANGUAGE)
    assert folded.words == "turned in any way"
    assert {frozenset(clause) for clause in unfold([folded], LANGUAGE)} == set(map(frozenset, sides))
    assert [one.words for one in fold(sides[:2], every, LANGUAGE)] == ["mirrored top to bottom"]
    assert [one.words for one in fold(sides[::2], every, LANGUAGE)] == ["turned counter-clockwise"]
