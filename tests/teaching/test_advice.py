"""Which two of the teacher's own clicks are at odds, under which interpretation they are not, and what to do."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shown.demonstrations import Demonstration, Demonstrations, Step
from shown.errors import BadInput
from shown.grid import grid
from shown.inference.failure import Failure
from shown.inference.learner import Learner
from shown.teaching.dialogue.advice import advise
from shown.teaching.interpretation.interpretations import EXACT_CLICKS, Interpretation, interpret
from shown.worlds import find
from strategies import BUTTONS, TOKENS, grids

FENCE_IN, CHASE, STAR = find("fence-in"), find("chase"), find("reach-for-the-star")


def runs_of(game, *runs):
    """Demonstrations from runs, each a first position and the clicks from there on."""
    items = []
    for board, *clicks in runs:
        rng, steps = np.random.default_rng(0), []
        for click in clicks:
            steps.append(Step(board, click))
            board = game.step(board, click, rng).grid
        items.append(Demonstration(tuple(steps)))
    return Demonstrations(game.tokens, tuple(items), game.name, game.buttons)


def failure_of(demonstrations, programs=10):
    learner = Learner(programs=programs)
    for _ in learner.iter_fit(demonstrations):
        pass
    return learner.failure_


PEN = grid("#####", "#.S.#", "#...#", ".....")
ROOM = grid("#######", "#A.R..#", "#.....#", "#######", "<^v>...")


def test_two_fences_of_one_run_of_which_either_could_have_come_first():
    shown = runs_of(FENCE_IN, (PEN, (2, 3), (2, 1), (2, 2)))
    advice = advise(shown, Failure(0, 0, (2, 3), (2, 1), 0, 0, 10), FENCE_IN)
    assert (advice.here.step, advice.here.action) == (0, (2, 3))
    assert advice.there == advice.here
    assert advice.twin == (2, 1)
    assert advice.interpretation == Interpretation("exact", "any")
    assert advice.problem == (
        "In game 1, click 1 was on the empty cell in row 3, column 4.",
        "In game 1, before click 1, the empty cell in row 3, column 2 looks identical to me, but you clicked the empty "
        "cell in row 3, column 4, and this one only later, with click 2.",
    )
    assert advice.remedies == (
        "If the empty cell in row 3, column 2 would have been just as good, let me interpret your clicks as: exact "
        "clicks, in any order; or play that game again and show that there.",
        "If not, I can't see the difference: play a small game that shows it or let me search more programs.",
        "If one of the clicks was a mistake, undo it.",
    )


def test_without_rules_less_is_known_and_nothing_is_promised():
    shown = runs_of(FENCE_IN, (PEN, (2, 3), (2, 2), (2, 1)))
    advice = advise(shown, Failure(0, 0, (2, 3), (2, 1), 0, 0, 10))
    assert advice.interpretation is None
    assert advice.remedies[0] == (
        "If the empty cell in row 3, column 2 would have been just as good, play that game again and show that there."
    )


def test_a_click_that_was_there_to_be_made_before():
    shown = runs_of(FENCE_IN, (PEN, (2, 3), (2, 1), (2, 2)))
    advice = advise(shown, Failure(0, 2, (2, 2), (2, 2), 0, 0, 10), FENCE_IN)
    assert (advice.here.step, advice.there.step) == (2, 0)
    assert advice.interpretation == Interpretation("exact", "any")
    assert advice.problem == (
        "In game 1, click 3 was on the empty cell in row 3, column 3.",
        "In game 1, before click 1, the empty cell in row 3, column 3 looks identical to me, but you clicked the empty "
        "cell in row 3, column 4, and this one only later, with click 3.",
    )


def test_waiting_here_and_there():
    """The same room twice; somebody waits on another wall each time."""
    shown = runs_of(CHASE, (ROOM, (0, 2)), (grid(*ROOM.rows[:2], "#....##", *ROOM.rows[3:]), (0, 3)))
    failure = Failure(0, 0, (0, 2), (0, 2), 1, 0, 10)
    advice = advise(shown, failure, CHASE)
    assert [(click.demonstration, click.action) for click in (advice.here, advice.there)] == [(0, (0, 2)), (1, (0, 3))]
    assert advice.interpretation == Interpretation("equivalent")
    assert advice.problem == (
        "In game 1, click 1 was on the wall in row 1, column 3.",
        "In game 2, before click 1, the wall in row 1, column 3 looks identical to me, but you clicked the wall in "
        "row 1, column 4.",
    )
    assert advice.remedies[0] == (
        "If the wall in row 1, column 3 would have been just as good, let me interpret your clicks as: any "
        "equivalent click; or play that game again and show that there."
    )


def test_what_was_clicked_only_later_is_said_to_be():
    shown = runs_of(FENCE_IN, (PEN, (2, 1)), (PEN.with_cells({(3, 0): "#"}), (2, 3), (2, 1), (2, 2)))
    advice = advise(shown, Failure(0, 0, (2, 1), (2, 1), 1, 0, 10), FENCE_IN)
    assert advice.problem[1].endswith(
        "you clicked the empty cell in row 3, column 4, and this one only later, with click 2."
    )
    assert (advice.there.demonstration, advice.there.step) == (1, 0)
    assert advice.interpretation == Interpretation("exact", "any")


def test_two_cells_of_one_board_of_which_one_was_never_clicked():
    shown = runs_of(FENCE_IN, (PEN, (2, 3)))
    advice = advise(shown, Failure(0, 0, (2, 3), (3, 3), 0, 0, 10), FENCE_IN)
    assert advice.here == advice.there
    assert advice.interpretation is None
    assert advice.problem == (
        "In game 1, click 1 was on the empty cell in row 3, column 4.",
        "In game 1, before click 1, the empty cell in row 4, column 4 looks identical to me, but you clicked the empty "
        "cell in row 3, column 4.",
    )
    assert advice.remedies[0] == (
        "If the empty cell in row 4, column 4 would have been just as good, play that game again and show that there."
    )


def test_to_do_as_advised_puts_an_end_to_it():
    """ "Play that game again and show that there": then both were shown, and the failure is gone."""
    board = grid("#.#.")
    shown = Demonstrations.from_runs(TOKENS, [[(board, (0, 2))]])
    advice = advise(shown, failure_of(shown, programs=5))
    again = Demonstration((Step(advice.there.grid, advice.twin),))
    assert failure_of(replace(shown, items=(*shown.items, again)), programs=5) is None


def test_to_read_as_advised_puts_an_end_to_it():
    values_only = len(FENCE_IN.tokens.values)
    shown = runs_of(FENCE_IN, (grid("#.#", ".S.", "###"), (1, 2), (0, 1), (1, 0)))
    advice = advise(shown, failure_of(shown, values_only), FENCE_IN)
    assert advice.interpretation == Interpretation("exact", "any")
    assert failure_of(interpret(shown, advice.interpretation, FENCE_IN), values_only) is None


def test_a_failure_under_an_interpretation_names_the_click_and_what_it_counts_as():
    air = grid("....*", ".....", "A....", "<>###")
    shown = runs_of(STAR, (air, (0, 2)))
    advice = advise(shown, Failure(0, 0, (2, 2), (2, 1), 0, 0, 10), STAR, Interpretation("changed"))
    assert (advice.here.action, advice.here.counted) == ((0, 2), (2, 2))
    assert advice.problem[0] == (
        "In game 1, click 1 was on the empty cell in row 1, column 3, which counts as the empty cell in row 3, "
        "column 3."
    )


def test_what_was_refused_is_not_said_to_be_clicked():
    one, other = grid("*#"), grid("A**")
    refused, shown = Demonstration((Step(other, (0, 1), refused=True),)), Demonstration((Step(one, (0, 0)),))
    failure = Failure(0, 0, (0, 0), (0, 1), 1, 0, 10)
    advice = advise(Demonstrations(TOKENS, (shown, refused)), failure)
    assert advice.there.refused
    assert advice.problem[1].endswith("but you refused the star in row 1, column 2.")
    taken = Demonstration((Step(other, (0, 2)),))
    advice = advise(Demonstrations(TOKENS, (shown, refused, taken)), failure)
    assert (advice.there.demonstration, advice.there.action) == (2, (0, 2))


def test_buttons():
    shown = Demonstrations.from_runs(TOKENS, [[(grid("A"), "left")], [(grid("A."), "right")]], buttons=BUTTONS)
    advice = advise(shown, failure_of(shown, programs=3))
    assert (advice.here.action, advice.there.action, advice.twin) == ("left", "right", "left")
    assert "before step 1, the button left looks identical to me, but you pressed the button right" in advice.text


@pytest.mark.parametrize(
    "failure",
    [
        Failure(0, 0, (0, 0), (0, 1), 0, 0, 10),
        Failure(3, 0, (2, 3), (0, 1), 0, 0, 10),
        Failure(0, 0, (2, 3), (0, 1), 0, 9, 10),
        Failure(-1, 0, (2, 3), (0, 1), 0, 0, 10),
    ],
)
def test_a_failure_of_other_demonstrations_is_an_error(failure):
    with pytest.raises(BadInput, match=r"this failure belongs to other demonstrations"):
        advise(runs_of(FENCE_IN, (PEN, (2, 3))), failure, FENCE_IN)


def test_a_failure_that_names_no_cell_of_the_board_is_an_error():
    with pytest.raises(BadInput, match=r"the failure's other action \(9, 9\) is off the grid"):
        advise(runs_of(FENCE_IN, (PEN, (2, 3))), Failure(0, 0, (2, 3), (9, 9), 0, 0, 10))


def test_advice_is_data():
    shown = runs_of(FENCE_IN, (PEN, (2, 3), (2, 1), (2, 2)))
    advice = advise(shown, Failure(0, 0, (2, 3), (2, 1), 0, 0, 10), FENCE_IN)
    value = json.loads(json.dumps(advice.to_json()))
    assert value["here"] == {
        "demonstration": 0,
        "step": 0,
        "grid": list(PEN.rows),
        "action": [2, 3],
        "counted": [2, 3],
        "refused": False,
    }
    assert (value["there"], value["twin"]) == (value["here"], [2, 1])
    assert value["interpretation"] == {"clicks": "exact", "order": "any", "name": "exact clicks, in any order"}
    assert value["text"] == " ".join([*value["problem"], *value["remedies"]])


@st.composite
def lessons(draw):
    steps = []
    for _ in range(draw(st.integers(1, 3))):
        board = draw(grids(most=4))
        steps.append((board, draw(st.sampled_from(list(board.cells())))))
    return Demonstrations.from_runs(TOKENS, [[step] for step in steps])


@given(lessons(), st.sampled_from([5, 20]))
def test_whatever_fails_there_is_advice_that_names_the_teacher_s_own_clicks(shown, programs):
    failure = failure_of(shown, programs)
    if failure is None:
        return
    advice = advise(shown, failure)
    for click in (advice.here, advice.there):
        step = shown.items[click.demonstration].steps[click.step]
        assert (click.grid, click.action, click.counted) == (step.grid, step.action, step.action)
    assert (advice.here.action, advice.twin) == (failure.action, failure.other)
    assert advice.interpretation != EXACT_CLICKS
    json.dumps(advice.to_json())
