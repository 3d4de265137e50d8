"""Demonstrations as rows: shown, ruled out, open; weights; repeated actions."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shown.columns.rows import Rows, labels_of
from shown.demonstrations import Demonstrations, Step
from shown.engine.planes import Planes
from shown.grid import grid
from shown.inference.learner import Learner
from strategies import BUTTONS, TOKENS, grids, random_grids

A, B = grid("#*.", "..A"), grid("A.")


def rows_of(*boards, buttons=()):
    return Rows([Planes(boards[:1], TOKENS, buttons, 1), Planes(boards[1:], TOKENS, buttons, 1)])


def at(bits, rows):
    """The rows (state, action) where there is a 1."""
    words, places = np.nonzero((bits[:, None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1))
    return {rows.row(int(word), int(bit)) for word, bit in zip(words, places, strict=True)}


@given(st.integers(0, 10**6), st.integers(1, 70), st.booleans())
def test_a_row_is_found_where_it_is_kept(seed, count, with_buttons):
    boards = list(dict.fromkeys(random_grids(seed, count, most=3)))
    half = max(1, len(boards) // 2)
    buttons = BUTTONS if with_buttons else ()
    worlds = [Planes(part, TOKENS, buttons, 1) for part in (boards[:half], boards[half:]) if part]
    rows = Rows(worlds)
    everywhere = [(s, a) for s, board in enumerate(boards) for a in (buttons or board.cells())]
    assert [rows.number(board) for board in boards] == list(range(len(boards)))
    assert all(rows.row(*rows.place(s, a)) == (s, a) for s, a in everywhere)
    assert at(rows.mask, rows) == set(everywhere)
    assert np.array_equal(rows.bits(everywhere), rows.mask)
    assert np.transpose(rows.places(*zip(*everywhere, strict=True))).tolist() == [
        [*rows.place(s, a)] for s, a in everywhere
    ]
    assert rows.actions.tolist() == [len(buttons) or b.height * b.width for b in boards]


def test_by_default_every_other_action_is_ruled_out():
    rows = rows_of(A, B)
    labels = labels_of(rows, [Step(A, (0, 1)), Step(B, (0, 0))])
    assert at(labels.positive, rows) == {(0, (0, 1)), (1, (0, 0))}
    assert np.array_equal(labels.mask, rows.mask)
    assert not labels.refused.any()
    assert labels.weight.tolist() == [1.0, 1.0]
    assert labels.shows(labels.positive).tolist() == [True, True]
    assert labels.shows(rows.bits([(1, (0, 0))])).tolist() == [False, True]


def test_an_open_action_is_neither_shown_nor_ruled_out():
    rows = rows_of(A, B)
    labels = labels_of(rows, [Step(A, (0, 1), open=((1, 1), (1, 2))), Step(B, (0, 0))])
    assert at(rows.mask & ~labels.mask, rows) == {(0, (1, 1)), (0, (1, 2))}


def test_what_is_shown_is_not_open():
    rows = rows_of(A, B)
    labels = labels_of(rows, [Step(A, (0, 1), open=((1, 1),)), Step(A, (1, 1), open=((0, 1),)), Step(B, (0, 0))])
    assert np.array_equal(labels.mask, rows.mask)


def test_of_a_state_with_refusals_only_nothing_else_is_said():
    rows = rows_of(A, B)
    labels = labels_of(rows, [Step(A, (0, 1)), Step(B, (0, 1), refused=True)])
    assert at(labels.refused, rows) == {(1, (0, 1))}
    assert at(rows.mask & ~labels.mask, rows) == {(1, (0, 0))}
    assert labels.word.shape == (1,)


def test_of_a_state_of_which_nothing_is_said_everything_is_open():
    rows = rows_of(A, B)
    labels = labels_of(rows, [Step(A, (0, 1))])
    assert np.array_equal(labels.mask, rows.bits_of_states([0]))


@given(st.lists(grids(most=3), min_size=1, max_size=3, unique=True), st.data())
def test_open_rows_change_nothing_but_what_is_said_of_them(boards, data):
    steps = [Step(board, data.draw(st.sampled_from(list(board.cells())))) for board in boards]
    opened = [replace(s, open=tuple(data.draw(st.sets(st.sampled_from(list(s.grid.cells())))))) for s in steps]
    rows = Rows([Planes(boards, TOKENS, (), 1)])
    closed, left_open = labels_of(rows, steps), labels_of(rows, opened)
    out = rows.bits((rows.number(s.grid), action) for s in opened for action in s.open) & ~closed.positive
    assert np.array_equal(left_open.mask, closed.mask & ~out)
    for name in ("positive", "refused", "word", "bit", "state", "weight", "actions"):
        assert np.array_equal(getattr(left_open, name), getattr(closed, name))


def test_the_last_word_counts():
    rows = rows_of(A, B)
    shown, refused = Step(B, (0, 0)), Step(B, (0, 0), refused=True)
    assert at(labels_of(rows, [Step(A, (0, 1)), shown, refused]).positive, rows) == {(0, (0, 1))}
    after = labels_of(rows, [Step(A, (0, 1)), refused, shown])
    assert at(after.positive, rows) == {(0, (0, 1)), (1, (0, 0))}
    assert not after.refused.any()


# --- through the learner ----------------------------------------------------------------------------------------------


def one_run(*steps, tokens=TOKENS, buttons=()):
    from shown.demonstrations import Demonstration

    return Demonstrations(tokens, (Demonstration(tuple(steps)),), buttons=buttons)


def test_an_open_row_makes_a_rule_for_several_actions_learnable():
    board = grid("*.*.*")
    clicks = [(0, 0), (0, 2), (0, 4)]
    steps = [Step(board, (0, 2)), Step(grid("#*"), (0, 1))]
    closed = Learner(programs=5).iter_fit(one_run(*steps))
    learner = Learner(programs=5)
    assert [p.best for p in closed][-1] is None
    steps[0] = Step(board, (0, 2), open=tuple(click for click in clicks if click != (0, 2)))
    assert str(learner.fit(one_run(*steps)).policy_.components[0].formula) == "at_action_cell(cell_is_value(star))"
    assert learner.policy_.components[0].log_likelihood == 0.0


def test_a_refusal_alone_changes_what_is_learned():
    board = grid("*#")
    shown = Step(grid("*.A#"), (0, 0), open=((0, 1), (0, 2), (0, 3)))
    refused = Step(board, (0, 1), refused=True)
    learner = Learner(programs=5).fit(one_run(shown, refused))
    assert all(c.formula.clauses for c in learner.policy_.components)
    assert learner.policy_.component_probabilities(board)[:, 0, 1].max() == 0


@given(st.lists(grids(most=3), min_size=1, max_size=3, unique=True), st.data())
def test_weights_scale_the_likelihood_and_nothing_else(boards, data):
    steps = [Step(board, data.draw(st.sampled_from(list(board.cells())))) for board in boards]
    light = [Step(step.grid, step.action, weight=0.25) for step in steps]
    options = {"programs": 60, "trees": 2, "noise": 0.1, "stop_early": False, "ensemble": 100}

    def scores(run):
        learner = Learner(**options)
        for _ in learner.iter_fit(run):
            pass
        return {str(c.formula): (c.log_prior, c.log_likelihood) for c in learner.policy_.components}

    plain, weighted = scores(one_run(*steps)), scores(one_run(*light))
    assert plain.keys() == weighted.keys()
    for formula, (prior, likelihood) in plain.items():
        assert weighted[formula][0] == pytest.approx(prior)
        assert weighted[formula][1] == pytest.approx(0.25 * likelihood)
