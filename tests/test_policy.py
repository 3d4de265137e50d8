"""Policies: by hand on tiny formulas, and on disk."""

import json
import math
import pickle
from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shown import policy as module
from shown.demonstrations import Demonstration, Demonstrations, Step
from shown.engine import memory
from shown.engine.planes import Planes
from shown.errors import BadInput, OutOfMemory, ShownError
from shown.grid import MAX_BUTTONS, Grid, grid
from shown.language import plan
from shown.language.primitives import LANGUAGE
from shown.language.reference import View, run
from shown.language.terms import parse
from shown.policy import Component, Policy, Together, uniform_policy
from shown.provenance import DemonstrationsRecord, Provenance
from shown.rules import Formula, Literal
from shown.rules.parsing import MAX_REACH
from shown.symmetry import MOTIONS, Transformation
from strategies import BUTTONS, TOKENS, damaged, examples, grids, json_values, policies, random_grids


def formula(*clauses, buttons=()):
    """A formula from texts: clauses are lists of programs, perhaps after "not "."""
    return Formula(
        tuple(
            tuple(
                Literal(parse(text.removeprefix("not "), LANGUAGE, TOKENS.values, buttons), not text.startswith("not "))
                for text in clause
            )
            for clause in clauses
        )
    )


def mixture(*parts, buttons=()):
    """A policy from pairs (weight, formula)."""
    return Policy(TOKENS, tuple(Component(weight, -1.0, -2.0, f) for weight, f in parts), "mine", buttons)


IS_WALL = "at_action_cell(cell_is_value(wall))"
IS_STAR = "at_action_cell(cell_is_value(star))"
WALL, STAR = formula([IS_WALL]), formula([IS_STAR])
NEVER, ALWAYS = Formula(()), Formula(((),))


# --- acting -----------------------------------------------------------------------------------------------------------


def test_probability_is_spread_evenly_over_what_is_allowed():
    assert mixture((1.0, WALL)).probabilities(grid("#.", "##")).tolist() == [[1 / 3, 0], [1 / 3, 1 / 3]]


def test_where_nothing_is_allowed_all_is_equally_likely():
    for f in (NEVER, ALWAYS, STAR):
        assert mixture((1.0, f)).probabilities(grid("#.", "##")).tolist() == [[0.25, 0.25], [0.25, 0.25]]


def test_components_are_averaged_by_weight_after_each_has_spread_its_own():
    policy = mixture((0.75, WALL), (0.25, STAR))
    assert policy.probabilities(grid("##*.")).tolist() == [[0.375, 0.375, 0.25, 0.0]]
    assert policy.component_probabilities(grid("##*.")).tolist() == [[[0.5, 0.5, 0, 0]], [[0, 0, 1, 0]]]


def test_a_heavy_component_that_spreads_thin_may_lose():
    policy = mixture((0.6, WALL), (0.4, STAR))
    assert policy.act(grid("####*")) == (0, 4)
    assert policy.map_policy.act(grid("####*")) == (0, 0)


def test_ties_go_to_the_first_in_reading_order():
    assert mixture((1.0, WALL)).act(grid("..", ".#", "#.")) == (1, 1)
    assert mixture((0.5, WALL), (0.5, STAR)).act(grid(".*", "#.")) == (0, 1)
    assert mixture((1.0, NEVER)).act(grid("..", "..")) == (0, 0)


def test_a_clause_needs_all_its_literals_and_a_formula_one_of_its_clauses():
    left_is_wall = "at_action_cell(shifted((0, -1), cell_is_value(wall)))"
    policy = mixture((1.0, formula([IS_STAR, f"not {left_is_wall}"], [IS_WALL, left_is_wall])))
    assert policy.probabilities(grid("#*##*")).tolist() == [[0, 0, 0, 1.0, 0]]
    assert policy.probabilities(grid(".*##.")).tolist() == [[0, 0.5, 0, 0.5, 0]]


def test_the_map_policy_is_the_first_component_alone():
    policy = mixture((0.75, WALL), (0.25, STAR)).map_policy
    assert [(c.weight, c.formula) for c in policy.components] == [(1.0, WALL)]
    assert policy.game == "mine"


def test_disagreement_is_the_mean_distance_from_the_average():
    assert mixture((0.5, WALL), (0.5, WALL)).disagreement(grid("#*")) == 0.0
    assert mixture((0.5, WALL), (0.5, STAR)).disagreement(grid("#*")) == pytest.approx(0.5)
    assert mixture((0.75, WALL), (0.25, STAR)).disagreement(grid("#*")) == pytest.approx(0.375)
    assert mixture((0.5, WALL), (0.5, STAR)).disagreement(grid("..")) == 0.0


def test_with_buttons():
    policy = mixture((1.0, formula(["action_is(right)"], ["action_is(fire)"], buttons=BUTTONS)), buttons=BUTTONS)
    assert policy.probabilities(grid("..")).tolist() == [0.0, 0.5, 0.5]
    assert policy.act(grid("..")) == "right"
    assert policy.component_probabilities(grid("..")).shape == (1, 3)


def test_a_grid_with_foreign_characters_is_refused():
    with pytest.raises(BadInput, match="row 0, column 1: 'x' is not a token"):
        mixture((1.0, WALL)).act(grid(".x"))


def test_the_uniform_policy_knows_nothing():
    assert uniform_policy(TOKENS).probabilities(grid("#*")).tolist() == [[0.5, 0.5]]
    assert uniform_policy(TOKENS, buttons=BUTTONS).act(grid("#*")) == "left"


@pytest.mark.parametrize("buttons", [(), BUTTONS])
@given(data=st.data())
@settings(max_examples=examples(60))
def test_any_policy_does_what_its_formulas_say(buttons, data):
    policy, board = data.draw(policies(buttons=buttons)), data.draw(grids())
    actions = list(buttons or board.cells())
    mixed = np.zeros(len(actions))
    for component in policy.components:
        allowed = [
            any(
                all(run(x.term, View(board, TOKENS, action), LANGUAGE) == x.positive for x in clause)
                for clause in component.formula.clauses
            )
            for action in actions
        ]
        mixed += component.weight * (np.array(allowed) / sum(allowed) if any(allowed) else 1 / len(actions))
    found = policy.probabilities(board)
    assert found.shape == ((len(buttons),) if buttons else board.shape)
    assert found.ravel().tolist() == pytest.approx(mixed.tolist())
    assert found.sum() == pytest.approx(1.0)
    assert policy.act(board) == actions[int(np.argmax(found))]
    assert 0.0 <= policy.disagreement(board) <= 1.0


@given(policies(), st.lists(grids(), max_size=70))
@settings(max_examples=examples(40))
def test_many_grids_together_get_the_action_each_gets_alone(policy, boards):
    assert policy.act_many(boards) == [policy.act(board) for board in boards]


def test_more_grids_than_fit_into_a_word():
    boards = random_grids(3, 200)
    policy = mixture((0.5, WALL), (0.5, formula(["at_action_cell(shifted((0, 1), cell_is_value(star)))"])))
    assert policy.act_many(boards) == [policy.act(board) for board in boards]


@given(st.lists(policies(), min_size=1, max_size=4), st.lists(grids(), min_size=1, max_size=6), st.data())
@settings(max_examples=examples(40))
def test_several_act_side_by_side_as_each_alone(several, boards, data):
    who = data.draw(st.lists(st.integers(0, len(several) - 1), min_size=len(boards), max_size=len(boards)))
    expected = [several[one].act(board) for one, board in zip(who, boards, strict=True)]
    assert Together(several).act_many(boards, who) == expected
    module.BATCH_BYTES, before = 1, module.BATCH_BYTES
    try:
        assert Together(several).act_many(boards, who) == expected
    finally:
        module.BATCH_BYTES = before


@given(policies())
@settings(max_examples=examples(20))
def test_a_policy_can_be_copied_and_sent_elsewhere(policy):
    policy.act(grid(".#"))
    for other in (deepcopy(policy), pickle.loads(pickle.dumps(policy))):
        assert other == policy
        assert np.array_equal(other.probabilities(grid(".#", "A*")), policy.probabilities(grid(".#", "A*")))


def test_a_policy_shows_itself_in_one_line():
    long = mixture(*((1 / 50, WALL) for _ in range(50)))
    assert repr(long) == "<Policy mine: 50 rules>"


def test_a_click_is_a_cell_and_a_press_a_name():
    assert mixture((1.0, WALL)).click(grid(".#")) == (0, 1)
    with pytest.raises(BadInput, match="clicks cells"):
        mixture((1.0, WALL)).press(grid(".#"))
    buttons = mixture((1.0, formula([f"action_is({BUTTONS[1]})"], buttons=BUTTONS)), buttons=BUTTONS)
    assert buttons.press(grid(".")) == BUTTONS[1]
    with pytest.raises(BadInput, match="presses buttons"):
        buttons.click(grid("."))


def test_policies_together_refuse_unknown_characters():
    both = Together([mixture((1.0, WALL)), mixture((1.0, STAR))])
    with pytest.raises(BadInput, match="not a token"):
        both.act_many([grid(".#"), grid(".x")], [0, 1])


def test_far_looking_programs_on_a_small_grid_take_no_large_planes(monkeypatch):
    far = [f"at_action_cell(shifted(({n}, {-n}), shifted(({-n}, {n}), cell_is_value(wall))))" for n in range(60, 120)]
    policy = mixture((0.5, formula(far)), (0.5, formula(["at_action_cell(shifted((-120, 0), cell_is_value(OFF)))"])))
    board = grid("#.", ".#")
    expected = policy.probabilities(board)
    monkeypatch.setattr(plan, "SLOWER", 10**9)
    again = deepcopy(policy)
    assert np.array_equal(again.probabilities(board), expected)
    frames = []
    monkeypatch.setattr(plan, "SLOWER", 500)
    monkeypatch.setattr(plan, "Planes", lambda *a: frames.append(Planes(*a)) or frames[-1])
    assert np.array_equal(deepcopy(policy).probabilities(board), expected)
    assert all(math.prod(frame.shape) < 100 for frame in frames)


def test_many_grids_are_cut_into_batches_that_fit(monkeypatch):
    boards = random_grids(3, 40)
    policy = mixture((1.0, WALL))
    expected = policy.act_many(boards)
    monkeypatch.setattr(module, "BATCH_BYTES", 2000)
    assert policy.act_many(boards) == expected


def test_a_grid_for_which_there_is_no_room_is_refused_at_once(monkeypatch):
    monkeypatch.setattr(plan, "LARGE", 1000)
    monkeypatch.setattr(memory, "default_limit", lambda: 2000)
    with pytest.raises(OutOfMemory, match="acting on a grid of 30 × 40 would need"):
        mixture((1.0, WALL)).act(Grid(("." * 40,) * 30))


# --- reading ----------------------------------------------------------------------------------------------------------


def test_sizes_of_a_formula():
    f = formula([IS_WALL, "not at_action_cell(shifted((0, 1), cell_is_value(wall)))"], [IS_WALL])
    assert (len(f.literals), f.method_calls, f.depth) == (3, 7, 3)
    assert (NEVER.method_calls, NEVER.depth) == (0, 0)


def test_a_formula_as_text():
    f = formula([IS_WALL, f"not {IS_STAR}"], [IS_STAR])
    assert str(f) == f"{IS_WALL} and not {IS_STAR}\nor {IS_STAR}"
    assert (str(NEVER), str(ALWAYS)) == ("never", "always")


def test_a_rule_in_english():
    policy = mixture((0.5, formula([IS_WALL, f"not {IS_STAR}"], [IS_STAR])), (0.25, NEVER), (0.25, ALWAYS))
    assert policy.english() == ("click a cell if\n  the clicked cell is a wall, or if\n  the clicked cell is a star")
    assert (policy.english(1), policy.english(2)) == ("never click a cell", "click a cell, whichever")


def test_the_table_has_the_best_rules_and_says_what_is_left_out():
    policy = replace(
        mixture((0.5, WALL), (0.25, STAR), (0.25, NEVER)),
        provenance=Provenance(programs=1000, distinct=77, demonstrations=DemonstrationsRecord("", 1, 4)),
    )
    assert policy.table(most=2).splitlines() == [
        "mine: 3 rules from 1 demonstration (4 steps), 1,000 programs, 77 distinct",
        "",
        "  weight   rule",
        "▸   0.50    click a cell if",
        "              the clicked cell is a wall",
        "    0.25    click a cell if",
        "              the clicked cell is a star",
        "    0.25    in 1 more",
    ]


def test_with_buttons_one_takes_actions():
    policy = mixture((1.0, formula(["action_is(fire)"], buttons=BUTTONS)), buttons=BUTTONS)
    assert "take the action if\n              the action is fire" in policy.table()


# --- on disk ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("buttons", [(), BUTTONS])
@given(data=st.data())
def test_json_round_trip(buttons, data):
    policy = data.draw(policies(buttons=buttons))
    text = json.dumps(policy.to_json())
    again = Policy.from_json(json.loads(text))
    assert again == policy
    assert json.dumps(again.to_json()) == text


@given(policies())
@settings(max_examples=examples(30))
def test_file_round_trip(tmp_path_factory, policy):
    path = tmp_path_factory.mktemp("policies") / "policy.json"
    policy.save(path)
    assert Policy.load(path) == policy
    first = path.read_bytes()
    Policy.load(path).save(path)
    assert path.read_bytes() == first


def test_the_form_on_disk():
    assert mixture((1.0, formula([IS_WALL, f"not {IS_STAR}"], []))).to_json() == {
        "schema": "shown/policy/2",
        "game": "mine",
        "language": "paper",
        "tokens": {"empty": ".", "wall": "#", "agent": "A", "star": "*"},
        "buttons": [],
        "components": [
            {"weight": 1.0, "log_prior": -1.0, "log_likelihood": -2.0, "clauses": [[IS_WALL, f"not {IS_STAR}"], []]}
        ],
        "provenance": {},
    }


@given(policies(most=2), grids(), st.data())
@settings(max_examples=examples(200))
def test_damaged_json_is_read_or_refused_but_never_crashes(policy, board, data):
    value = data.draw(damaged(policy.to_json()))
    try:
        again = Policy.from_json(value, "file")
    except ShownError as error:
        assert str(error).startswith("file")  # noqa: PT017
        return
    if again.tokens == TOKENS:
        assert again.probabilities(board).sum() == pytest.approx(1.0)
    again.table()
    compile(again.to_python(), "exported.py", "exec")
    again.to_json()


@given(json_values)
def test_any_json_is_refused(value):
    with pytest.raises(BadInput, match="not a policy"):
        Policy.from_json(value)


def broken(**changes):
    """The JSON of a policy with parts of it, or of its only component, replaced."""
    value = mixture((1.0, WALL)).to_json()
    for key, change in changes.items():
        (value["components"][0] if key in value["components"][0] else value)[key] = change
    return value


def far(steps):
    return f"at_action_cell({'shifted((0, 150), ' * steps}cell_is_value(wall){')' * steps})"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"schema": "shown/demonstrations/1"}, 'file: not a policy: "schema" must be "shown/policy/2".'),
        ({"tokens": {"wall": ""}}, "file: token 'wall' must be one visible character"),
        ({"tokens": {"empty": "."}}, f"file, component 0: program '{IS_WALL}': 'wall' is not a value here."),
        ({"buttons": [1]}, 'file: "buttons": 1 is not a name.'),
        (
            {"buttons": ["left"]},
            f"file, component 0: program '{IS_WALL}': at_action_cell needs a clicked cell, but",
        ),
        ({"game": 1}, 'file: "game" must be a name or null.'),
        ({"game": "x\n"}, 'file: "game" must be a name or null.'),
        ({"language": 1}, 'file: "language" must be a name or null.'),
        ({"language": ""}, 'file: "language" must be a name or null.'),
        ({"language": "x" * 1000}, 'file: "language" must be a name or null.'),
        ({"language": None}, "file: its language has no name. Name it with --language module:OBJECT, or in"),
        ({"language": "papr"}, "file: no language called 'papr' is installed. Did you mean 'paper'?"),
        ({"language": "a.b:C"}, "file: its language a.b:C is code, which only you can allow to run. If"),
        ({"language": "os\n:C"}, "file: no language called 'os\\n:C' is installed."),
        ({"provenance": []}, 'file: "provenance" must be an object.'),
        ({"schema": "shown/policy/1"}, "file: this policy was saved by an earlier version of shown. Learn it again."),
        ({"components": []}, 'file: "components" must be a list of 1 to 10,000.'),
        ({"components": [[]]}, "file, component 0: must be an object."),
        ({"weight": 0.5}, "file: the weights of the components must add up to 1."),
        ({"weight": 2}, 'file, component 0: "weight" must be from 0 to 1, not 2.0.'),
        ({"weight": "1"}, "file, component 0: \"weight\" must be a number, not '1'."),
        ({"weight": True}, 'file, component 0: "weight" must be a number.'),
        ({"log_prior": 10**400}, 'file, component 0: "log_prior" is too large.'),
        ({"log_prior": 10**5000}, 'file, component 0: "log_prior" is too large.'),
        ({"log_likelihood": None}, 'file, component 0: "log_likelihood" must be a number.'),
        ({"clauses": [IS_WALL]}, 'file, component 0: "clauses" must be a list of lists of programs.'),
        ({"clauses": [["nonsense("]]}, "file, component 0: program 'nonsense(': there is no primitive 'nonsense'."),
        ({"clauses": [["not not " + IS_WALL]]}, "file, component 0: program 'not at_action_cell"),
        ({"clauses": [[far(2)]]}, f"file, component 0: program '{far(2)}' reads more than {MAX_REACH} cells away."),
        ({"clauses": [[IS_WALL] * 100_001]}, "file, component 0: more than 100,000 programs in all."),
    ],
)
def test_mistakes_are_named_with_their_place(changes, message):
    with pytest.raises(BadInput) as caught:
        Policy.from_json(broken(**changes), "file")
    assert str(caught.value).startswith(message)


def test_a_world_of_very_many_buttons_is_refused():
    """50,000 programs about 300,000 buttons took 50 s to read, and then more memory than there is."""
    buttons = [f"b{i}" for i in range(MAX_BUTTONS + 1)]
    Policy.from_json(broken(clauses=[["action_is(b0)"]], buttons=buttons[:-1]))
    with pytest.raises(BadInput, match=r"buttons.*1,001 are too many; at most 1,000"):
        Policy.from_json(broken(clauses=[["action_is(b0)"]], buttons=buttons))


def test_a_policy_of_very_many_programs_is_refused():
    """100,000 of them took 15 s to read and minutes to act."""
    programs = [f"at_action_cell(shifted(({i % 200 + 1}, {i // 200 + 1}), cell_is_value(wall)))" for i in range(12_000)]
    with pytest.raises(BadInput, match="the distinct programs have more than 524,288 characters"):
        Policy.from_json(broken(clauses=[[program] for program in programs]))
    # The same ones again cost next to nothing.
    assert Policy.from_json(broken(clauses=[[program] for program in programs[:100] * 200]))


def test_a_policy_file_that_is_too_large_is_neither_read_nor_written(tmp_path, monkeypatch):
    policy, path = mixture((1.0, WALL)), tmp_path / "policy.json"
    policy.save(path)
    monkeypatch.setattr("shown.policy.MAX_FILE", 100)
    with pytest.raises(BadInput, match="larger than"):
        Policy.load(path)
    with pytest.raises(BadInput, match="the limit for reading it again"):
        policy.save(path)


def test_a_look_as_far_as_is_allowed():
    policy = Policy.from_json(broken(clauses=[["at_action_cell(shifted((0, 250), cell_is_value(OFF)))"]]))
    assert policy.act(grid("#.")) == (0, 0)


# --- what was shown ---------------------------------------------------------------------------------------------------


ABOVE = "at_cell_with_value(agent, shifted((-1, 0), cell_is_value(wall)))"
LEFT, RIGHT = (f"at_action_cell(shifted((0, {way}), cell_is_value(wall)))" for way in (-1, 1))
SHOWN = Demonstrations.from_runs(TOKENS, [[(grid("#.", "A#"), (0, 0)), (grid("##", "A."), (0, 1))]])


def test_the_only_one_is_not_called_the_first():
    policy = mixture((1.0, formula([ABOVE])))
    assert policy.english() == "click a cell if\n  the cell above the first agent is a wall"
    assert policy.taught_by(SHOWN).english() == "click a cell if\n  the cell above the agent is a wall"
    two = Demonstrations.from_runs(TOKENS, [[(grid("AA"), (0, 0))]])
    assert policy.taught_by(two).english() == policy.english()


def test_what_always_was_so_says_so_where_only_some_clauses_ask_for_it():
    policy = mixture((0.5, formula([IS_WALL, ABOVE], [IS_STAR])), (0.5, formula([IS_WALL, ABOVE]))).taught_by(SHOWN)
    assert [str(literal) for literal in policy.facts.always] == [IS_WALL, ABOVE, f"not {IS_STAR}"]
    assert policy.english() == (
        "click a cell if\n"
        "  the clicked cell is a wall *\n"
        "    and the cell above the agent is a wall *, or if\n"
        "  the clicked cell is a star\n"
        "  * always so in what was shown"
    )
    assert "always" not in policy.english(1)


def test_what_was_refused_was_not_shown():
    refused = Step(grid(".A"), (0, 0), refused=True)
    shown = replace(SHOWN, items=(*SHOWN.items, Demonstration((refused,))))
    policy = mixture((1.0, WALL))
    assert policy.taught_by(shown).facts.always == policy.taught_by(SHOWN).facts.always != ()


def test_images_are_said_and_stored_once():
    policy = mixture((1.0, formula([IS_STAR], [IS_WALL, LEFT], [ABOVE], [RIGHT, IS_WALL])))
    policy = policy.taught_by(SHOWN, [Transformation("left-right")])
    assert policy.english().splitlines()[1:] == [
        "  the clicked cell is a wall *",
        "    and the cell left of the clicked cell is a wall",
        "    (or mirrored left to right), or if",
        "  the clicked cell is a star, or if",
        "  the cell above the agent is a wall *",
        "  * always so in what was shown",
    ]
    stored = policy.to_json()["components"][0]["clauses"]
    assert stored == [[IS_STAR], {"clause": [IS_WALL, LEFT], "images": [{"cells": "left-right"}]}, [ABOVE]]
    assert Policy.from_json(json.loads(json.dumps(policy.to_json()))).components == policy.components


@given(policies(), st.lists(grids(), min_size=1, max_size=3), st.data())
@settings(max_examples=examples(40), deadline=None)
def test_what_was_shown_changes_nothing_but_what_is_said(policy, boards, data):
    runs = [[(board, data.draw(st.sampled_from(list(board.cells())))) for board in boards]]
    ways = data.draw(st.sets(st.sampled_from(MOTIONS[1:]), max_size=2))
    taught = policy.taught_by(Demonstrations.from_runs(TOKENS, runs), [Transformation(way) for way in sorted(ways)])
    again = Policy.from_json(json.loads(json.dumps(taught.to_json())))
    assert again == taught
    assert again.table(9) == taught.table(9)
    for board in boards:
        assert np.array_equal(again.component_probabilities(board), policy.component_probabilities(board))


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ([], "must be an object"),
        ({"single": ["nobody"]}, "'nobody' is not a token"),
        ({"single": "wall"}, "must be a list of texts"),
        ({"always": ["at_action_cell(nonsense)"]}, "no primitive 'nonsense'"),
        ({"symmetries": [{"cells": "inside-out"}]}, "no motion of cells"),
        ({"symmetries": [{}] * 17}, "a list of at most 16"),
        ({"symmetries": [{"tokens": {"wall": "nobody"}}]}, "is not a token"),
    ],
)
def test_facts_that_make_no_sense_are_refused(facts, reason):
    with pytest.raises(BadInput, match=reason):
        Policy.from_json({**mixture((1.0, WALL)).to_json(), "facts": facts})


@pytest.mark.parametrize(
    ("clause", "reason"),
    [
        ({"clause": [IS_WALL]}, "must be a list of lists of programs"),
        ({"clause": [IS_WALL], "images": [{"cells": "inside-out"}]}, "no motion of cells"),
        ({"clause": [IS_WALL], "images": [{"cells": "left-right"}] * 200_000}, "more than 100,000 programs"),
        ({"images": []}, "must be a list of lists of programs"),
    ],
)
def test_images_that_make_no_sense_are_refused(clause, reason):
    value = mixture((1.0, WALL)).to_json()
    value["components"][0]["clauses"] = [clause]
    with pytest.raises(BadInput, match=reason):
        Policy.from_json(value)
