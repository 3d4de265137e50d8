"""Demonstrations, and their file format."""

import json
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shown.demonstrations import Demonstration, Demonstrations, Step
from shown.errors import BadInput, ShownError
from shown.grid import Tokens, grid
from strategies import BUTTONS, TOKENS, damaged, demonstrations, examples, json_values

STEP = Step(grid(".#", "A."), (0, 1))
ONE = Demonstrations(TOKENS, (Demonstration((STEP,), "train:0", 3, "won"),), "mine")


@given(demonstrations())
def test_json_round_trip(demos):
    text = json.dumps(demos.to_json())
    again = Demonstrations.from_json(json.loads(text))
    assert again == demos
    assert again.digest == demos.digest
    assert json.dumps(again.to_json()) == text


@given(demonstrations())
def test_file_round_trip(tmp_path_factory, demos):
    path = tmp_path_factory.mktemp("demonstrations") / "demos.json"
    demos.save(path)
    assert Demonstrations.load(path) == demos


@given(demonstrations(), st.data())
@settings(max_examples=examples(300))
def test_damaged_json_is_read_or_refused_but_never_crashes(demos, data):
    value = data.draw(damaged(demos.to_json()))
    try:
        again = Demonstrations.from_json(value, "file")
    except ShownError:
        return
    assert Demonstrations.from_json(json.loads(json.dumps(again.to_json()))) == again


@given(json_values)
def test_any_json_is_refused(value):
    with pytest.raises(BadInput, match="not demonstrations"):
        Demonstrations.from_json(value)


def test_a_whole_weight_has_the_same_digest_after_a_round_trip():
    demos = Demonstrations(TOKENS, (Demonstration((Step(STEP.grid, STEP.action, weight=2),)),))
    assert Demonstrations.from_json(json.loads(json.dumps(demos.to_json()))).digest == demos.digest


def test_the_form_on_disk():
    assert ONE.to_json() == {
        "schema": "shown/demonstrations/1",
        "game": "mine",
        "tokens": {"empty": ".", "wall": "#", "agent": "A", "star": "*"},
        "demonstrations": [
            {"level": "train:0", "seed": 3, "outcome": "won", "steps": [{"grid": [".#", "A."], "action": [0, 1]}]}
        ],
    }


def broken(**changes):
    """The JSON of ONE with parts of its only demonstration or step replaced."""
    value = ONE.to_json()
    item = value["demonstrations"][0]
    for key, change in changes.items():
        (item["steps"][0] if key in ("grid", "action") else item if key in item else value)[key] = change
    return value


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"schema": "shown/policy/2"}, 'file: not demonstrations: "schema" must be "shown/demonstrations/1".'),
        ({"tokens": []}, 'file: "tokens" must be an object'),
        ({"tokens": {"wall": "##"}}, "file: token 'wall' must be one visible character"),
        ({"game": 3}, 'file: "game" must be a name or null.'),
        ({"game": "x\x1b[31m"}, 'file: "game" must be a name or null.'),
        ({"buttons": "left"}, 'file: "buttons" must be a list of names.'),
        ({"buttons": ["go left"]}, "file: \"buttons\": 'go left' is not a name."),
        ({"buttons": ["left", "left"]}, 'file: "buttons": a name is given twice.'),
        ({"demonstrations": {}}, 'file: "demonstrations" must be a list.'),
        ({"demonstrations": [3]}, 'file, demonstration 0: must be an object with a list of "steps".'),
        ({"steps": []}, "file, demonstration 0 has no steps."),
        ({"steps": [3]}, "file, demonstration 0, step 0, must be an object"),
        ({"level": 3}, 'file, demonstration 0: "level" must be text on one line, or null.'),
        ({"seed": -1}, 'file, demonstration 0: "seed" must be a whole number'),
        ({"seed": 2**63}, 'file, demonstration 0: "seed" must be a whole number'),
        ({"outcome": "draw"}, "file, demonstration 0: \"outcome\" must be one of won, lost, unfinished, not 'draw'."),
        ({"grid": []}, "file, demonstration 0, step 0, the grid is empty."),
        ({"grid": ["..", "."]}, "file, demonstration 0, step 0, row 1 has 1 cells but row 0 has 2."),
        ({"grid": [3]}, "file, demonstration 0, step 0, row 0 of the grid is 3; every row must be text"),
        ({"grid": [".x", ".."]}, "file, demonstration 0, step 0, row 0, column 1: 'x' is not a token."),
        ({"action": [2, 0]}, "file, demonstration 0, step 0, action (2, 0) is off the grid of 2 rows and 2 columns."),
        (
            {"action": [0]},
            "file, demonstration 0, step 0, action [0] must be a cell, [row, column], or a button",
        ),
        ({"action": "left"}, "file, demonstration 0, step 0, action 'left' must be a cell, [row, column]."),
        ({"action": None}, "file, demonstration 0, step 0, action None must be a cell, [row, column], or a button"),
        ({"action": [-1, 0]}, "file, demonstration 0, step 0, action [-1, 0] must be a cell, [row, column], or"),
        ({"action": "x" * 99}, "file, demonstration 0, step 0, action 'xxxx"),
        ({"grid": [".#\nA."]}, "file, demonstration 0, step 0, row 0 of the grid has a line break in it."),
        ({"buttons": ["left"]}, "file, demonstration 0, step 0, action (0, 1) is not a button. Buttons: left."),
    ],
)
def test_mistakes_are_named_with_their_place(changes, message):
    with pytest.raises(BadInput) as caught:
        Demonstrations.from_json(broken(**changes), "file")
    assert str(caught.value).startswith(message)


def test_the_same_state_with_two_actions_is_legal():
    both = Demonstrations(TOKENS, (Demonstration((STEP, Step(STEP.grid, (1, 1)))),))
    assert len(both.steps) == 2


def test_the_digest_is_of_what_was_shown():
    renamed = Demonstrations(TOKENS, (Demonstration((STEP,), None, None, "lost"),), "another")
    assert renamed.digest == ONE.digest
    elsewhere = Demonstrations(TOKENS, (Demonstration((Step(STEP.grid, (0, 0)),)),))
    assert elsewhere.digest != ONE.digest


def test_demonstrations_of_one_task_add_up():
    assert (ONE + ONE).items == ONE.items * 2
    assert (ONE + ONE).select([1]).items == ONE.items


@pytest.mark.parametrize(
    "other",
    [
        Demonstrations(TOKENS, ONE.items, "yours"),
        Demonstrations(Tokens(empty=".", rock="#", agent="A"), ONE.items, "mine"),
        Demonstrations(TOKENS, (Demonstration((Step(STEP.grid, "left"),)),), "mine", BUTTONS),
    ],
)
def test_demonstrations_of_two_tasks_do_not(other):
    with pytest.raises(BadInput, match="different tasks"):
        ONE + other


def test_buttons_that_no_program_could_mention_are_refused():
    with pytest.raises(BadInput, match="is not a name"):
        Demonstrations(TOKENS, (Demonstration((Step(STEP.grid, "press left"),)),), buttons=("press left",))


def test_demonstrations_from_pairs():
    run = [(STEP.grid, STEP.action), (grid("..", "A#"), (1, 1))]
    demos = Demonstrations.from_runs(TOKENS, [run, run[:1]], "mine")
    assert demos == Demonstrations(TOKENS, (Demonstration((STEP, Step(*run[1]))), Demonstration((STEP,))), "mine")
    assert Demonstrations.from_runs(TOKENS, [[(STEP.grid, "go")]], buttons=["go"]).buttons == ("go",)
    with pytest.raises(BadInput, match="demonstration 1, step 0"):
        Demonstrations.from_runs(TOKENS, [run, [(STEP.grid, (5, 5))]])


PLAIN = Demonstrations.from_runs(TOKENS, [[(grid(".#", "A."), (1, 0))]])


@pytest.mark.parametrize(
    "action",
    [[1, 0], (np.int64(1), np.int8(0)), [np.uint16(1), 0], np.array([1, 0]), np.array([1, 0], dtype=np.uint8)],
    ids=str,
)
def test_a_cell_in_any_common_form_is_the_same_cell(action, tmp_path):
    demos = Demonstrations.from_runs(TOKENS, [[(grid(".#", "A."), action)]])
    assert demos == PLAIN
    assert hash(demos.steps[0]) == hash(PLAIN.steps[0])
    assert [type(x) for x in demos.steps[0].action] == [int, int]
    assert demos.digest == PLAIN.digest
    assert json.dumps(demos.to_json()) == json.dumps(PLAIN.to_json())
    demos.save(tmp_path / "demos.json")
    assert Demonstrations.load(tmp_path / "demos.json") == PLAIN


def test_a_name_of_numpy_is_a_name():
    demos = Demonstrations.from_runs(TOKENS, [[(grid("."), np.str_("left"))]], buttons=np.array(["left", "right"]))
    assert [type(name) for name in (demos.steps[0].action, *demos.buttons)] == [str, str, str]
    assert len(demos.digest) == 64


@pytest.mark.parametrize("action", [np.array([1.0, 0.0]), [True, False], np.array([[1, 0]]), [1], {1, 0}, np.int64(1)])
def test_what_is_no_cell_is_refused_with_its_place(action):
    with pytest.raises(BadInput, match=r"demonstration 0, step 0, action .* must be a cell"):
        Demonstrations.from_runs(TOKENS, [[(grid(".#", "A."), action)]])


def test_lists_will_do_for_tuples():
    assert Demonstrations(TOKENS, [Demonstration([STEP], "train:0", 3, "won")], "mine") == ONE
    assert hash(Demonstration([STEP])) == hash(Demonstration((STEP,)))


def test_one_text_is_no_list_of_buttons():
    with pytest.raises(BadInput, match="give a list of names"):
        Demonstrations(TOKENS, (), buttons="left")


# --- more than which action was taken ---------------------------------------------------------------------------------

BOARD = grid("#*", ".A")
MARKED = Demonstrations(
    TOKENS,
    (
        Demonstration(
            (
                Step(BOARD, (0, 1), weight=0.5),
                Step(BOARD, (1, 0), open=([1, 1], (0, 0))),
                Step(BOARD, (0, 0), refused=True),
            )
        ),
    ),
)


def test_weights_open_actions_and_refusals_are_kept_on_disk(tmp_path):
    MARKED.save(tmp_path / "marked.json")
    assert Demonstrations.load(tmp_path / "marked.json") == MARKED
    steps = json.loads((tmp_path / "marked.json").read_text())["demonstrations"][0]["steps"]
    assert steps[0]["weight"] == 0.5
    assert steps[1]["open"] == [[1, 1], [0, 0]]
    assert steps[2]["refused"] is True


def test_who_does_not_know_marks_is_not_led_to_take_them_for_plain():
    assert MARKED.to_json()["schema"] == "shown/demonstrations/2"
    plain = Demonstrations(TOKENS, (Demonstration((Step(BOARD, (0, 1)),)),))
    assert plain.to_json()["schema"] == "shown/demonstrations/1"
    assert set(plain.to_json()["demonstrations"][0]["steps"][0]) == {"grid", "action"}


def test_marks_are_part_of_what_was_shown():
    steps = [Step(BOARD, (0, 1)), *MARKED.steps[:1], Step(BOARD, (0, 1), refused=True)]
    digests = {Demonstrations(TOKENS, (Demonstration((step,)),)).digest for step in steps}
    assert len(digests) == 3


@pytest.mark.parametrize(
    ("marks", "reason"),
    [
        ({"weight": 0}, "demonstration 0, step 0, weight 0"),
        ({"weight": -1.0}, "weight -1.0 must be a number above 0"),
        ({"weight": "much"}, '"weight" must be a number above 0'),
        ({"weight": True}, '"weight" must be a number above 0'),
        ({"open": 3}, '"open" must be a list of actions'),
        ({"open": [[0, 9]]}, "step 0, open action (0, 9) is off the grid"),
        ({"open": ["x"]}, "open action 'x' must be a cell"),
        ({"refused": 1}, '"refused" must be true or false'),
    ],
)
def test_marks_that_make_no_sense_are_refused(marks, reason):
    value = Demonstrations(TOKENS, (Demonstration((Step(BOARD, (0, 1)),)),)).to_json()
    value["schema"] = "shown/demonstrations/2"
    value["demonstrations"][0]["steps"][0] |= marks
    with pytest.raises(BadInput, match=re.escape(reason)):
        Demonstrations.from_json(value)


def test_a_world_of_very_many_buttons_is_refused():
    value = {"schema": "shown/demonstrations/1", "tokens": {"a": "."}, "demonstrations": []}
    with pytest.raises(BadInput, match="1,001 are too many"):
        Demonstrations.from_json({**value, "buttons": [f"b{i}" for i in range(1001)]})


# --- arrays -----------------------------------------------------------------------------------------------------------


@given(demonstrations())
def test_array_round_trip(demos):
    observations, actions, ends = demos.to_arrays()
    again = Demonstrations.from_arrays(demos.tokens, observations, actions, ends, demos.game, demos.buttons)
    assert [(s.grid, s.action) for s in again.steps] == [(s.grid, s.action) for s in demos.steps]
    assert [len(item.steps) for item in again] == [len(item.steps) for item in demos]


@pytest.mark.parametrize(
    ("observations", "actions", "ends", "buttons", "complaint"),
    [
        ([[[0]]], [], None, BUTTONS, "1 observations, 0 actions and 1 ends must be equally many"),
        ([[[0]]], [0], [True, False], BUTTONS, "1 observations, 1 actions and 2 ends"),
        ([[[0]]], [3], None, BUTTONS, "step 0: action 3 is not a button number. Valid: 0 to 2."),
        ([[[0]]], [True], None, BUTTONS, "step 0: action True is not a button number"),
        ([[[0]]], ["jump"], None, BUTTONS, "demonstration 0, step 0, action 'jump' is not a button"),
        ([[[0]]], [[0, 7]], None, (), "demonstration 0, step 0, action (0, 7) is off the grid"),
        ([[[9]]], [[0, 0]], None, (), "row 0, column 0: 9 is not a token number"),
    ],
)
def test_arrays_that_do_not_go_together(observations, actions, ends, buttons, complaint):
    with pytest.raises(BadInput, match=re.escape(complaint)):
        Demonstrations.from_arrays(TOKENS, observations, actions, ends, None, buttons)
