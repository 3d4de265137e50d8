"""Demonstrations as tables: what goes out comes back, and a wrong cell is named by its row and column."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shown.demonstrations import Demonstration, Demonstrations, Step
from shown.errors import BadInput
from shown.grid import Grid, Tokens, action_from_text, action_to_text, grid
from shown.worlds import tables
from strategies import BUTTONS, TOKENS, demonstrations

LIFT = Tokens(empty=".", lift="L", call="!")


@st.composite
def marked(draw):
    """Demonstrations of which some steps say more than their action; a level without a name has none."""
    demos = draw(demonstrations())

    def more(step):
        actions = demos.buttons or tuple(step.grid.cells())
        return replace(
            step,
            weight=draw(st.sampled_from([1.0, 0.25])),
            open=draw(st.sampled_from([(), actions[:2]])),
            refused=draw(st.booleans()),
        )

    items = [replace(item, steps=tuple(map(more, item.steps)), level=item.level or None) for item in demos]
    return Demonstrations(demos.tokens, tuple(items), demos.game, demos.buttons)


def plain(demos):
    """An empty name and none are the same in a table."""
    return replace(demos, items=tuple(replace(item, level=item.level or None) for item in demos))


def named(demos):
    """Where there are no rows, no row says which game it was."""
    return demos.game if not len(demos) else None


@given(st.one_of(marked(), demonstrations().map(plain)))
def test_rows_round_trip(demos):
    rows = tables.to_rows(demos)
    assert len(rows) == len(demos.steps)
    assert tables.from_rows(rows, demos.tokens, demos.buttons, named(demos)) == demos
    through_json = json.loads(json.dumps(rows))
    assert tables.from_rows(through_json, demos.tokens, demos.buttons, named(demos)) == demos


@pytest.mark.parametrize("form", tables.FORMATS)
@given(demos=st.one_of(marked(), demonstrations().map(plain)))
def test_files_round_trip(tmp_path_factory, form, demos):
    path = tmp_path_factory.mktemp("tables") / f"demos{form}"
    tables.save(demos, path)
    assert tables.load(path, demos.tokens, demos.buttons, named(demos)) == demos


@given(demonstrations())
def test_arrays_of_numbers_are_grids_too(demos):
    rows = [
        {
            "grid": step.grid.to_array(demos.tokens).tolist(),
            "action": demos.buttons.index(step.action) if demos.buttons else list(step.action),
            "episode": float(d),
        }
        for d, item in enumerate(demos)
        for step in item.steps
    ]
    again = tables.from_rows(rows, demos.tokens, demos.buttons)
    assert [item.steps for item in again] == [item.steps for item in demos]


def test_a_row_of_pandas_may_lack_what_is_a_number_elsewhere():
    rows = [{"grid": "L!", "action": 1.0, "seed": float("nan"), "level": float("nan"), "weight": float("nan")}]
    demos = tables.from_rows(rows, LIFT, ("up", "down"))
    assert demos.items == (Demonstration((Step(Grid("L!"), "down"),)),)


def test_rows_without_episodes_are_runs_of_their_own():
    rows = [{"grid": "L!", "action": "0,1"}, {"grid": ".L", "action": "[0, 0]"}]
    assert [len(item.steps) for item in tables.from_rows(rows, LIFT)] == [1, 1]


def test_rows_of_one_episode_need_not_follow_each_other():
    rows = [{"grid": "L!", "action": "0,1", "episode": e} for e in ("a", "b", "a")]
    assert [len(item.steps) for item in tables.from_rows(rows, LIFT)] == [2, 1]


def test_csv_as_spreadsheets_write_it(tmp_path):
    path = tmp_path / "log.csv"
    path.write_bytes('\ufeffShaft;Pressed\r\n"L\r\n.\r\n!";down\r\n.L!;1\r\n'.encode())
    demos = tables.load(path, LIFT, ("up", "down"), columns={"grid": "Shaft", "action": "Pressed"})
    assert demos.steps == (Step(grid("L", ".", "!"), "down"), Step(grid(".L!"), "down"))


def test_the_form_of_a_csv_file(tmp_path):
    demos = Demonstrations.from_runs(LIFT, [[(grid("L.", ".!"), (1, 1))]], "lift")
    tables.save(demos, tmp_path / "lift.csv")
    assert (tmp_path / "lift.csv").read_text() == (
        'game,episode,level,seed,outcome,grid,action\nlift,0,,,unfinished,L. .!,"1,1"\n'
    )


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        (
            {"grid": "L!"},
            "line 3: there is no column 'action'. Columns: 'grid'. Say which one it is: --columns action=NAME",
        ),
        ({"grid": "L?", "action": "0,0"}, "line 3, column 'grid': of the grid, row 0, column 1: '?' is not a token."),
        ({"grid": "L! .", "action": "0,0"}, "line 3, column 'grid': row 1 has 1 cells but row 0 has 2."),
        ({"grid": None, "action": "0,0"}, "line 3, column 'grid': the grid is missing."),
        ({"grid": " ", "action": "0,0"}, "line 3, column 'grid': the grid is missing."),
        ({"grid": 7, "action": "0,0"}, "line 3, column 'grid': a grid is made of rows"),
        ({"grid": [[0, 9]], "action": "0,0"}, "line 3, column 'grid': row 0, column 1: 9 is not a token number."),
        ({"grid": [[0, 1], [2]], "action": "0,0"}, "line 3, column 'grid': the rows of the grid differ in length"),
        ({"grid": "L!", "action": ""}, "line 3, column 'action': the action is missing."),
        ({"grid": "L!", "action": "up"}, "line 3, column 'action': action 'up' must be a cell, [row, column]."),
        ({"grid": "L!", "action": "0,2"}, "line 3, column 'action': action (0, 2) is off the grid"),
        ({"grid": "L!", "action": "0,1", "seed": "x"}, "line 3, column 'seed': a seed is an integer"),
        ({"grid": "L!", "action": "0,1", "seed": True}, "line 3, column 'seed': a seed is an integer"),
        ({"grid": "L!", "action": "0,1", "outcome": "good"}, "line 3, column 'outcome': must be one of won, lost"),
        ({"grid": "L!", "action": "0,1", "level": "a\x1b"}, "line 3, column 'level': must be text on one line."),
        ({"grid": "L!", "action": "0,1", "weight": -1}, "line 3, column 'weight': a weight is a number above 0"),
        ({"grid": "L!", "action": "0,1", "weight": 10**400}, "line 3, column 'weight': a weight is a number above 0"),
        ({"grid": "L!", "action": "0,1", "open": "0,7"}, "line 3, column 'open': action (0, 7) is off the grid"),
        ({"grid": "L!", "action": "0,1", "open": 3}, "line 3, column 'open': open actions are a list"),
        ({"grid": "L!", "action": "0,1", "refused": "no"}, "line 3, column 'refused': must be true or false"),
        ({"grid": "L!", "action": "0,1", "episode": None}, "line 3, column 'episode': is empty"),
        ({"grid": "L!", "action": "0,1", "episode": [1]}, "line 3, column 'episode': an episode is a number"),
        ({"grid": "L!", "action": "0,1", "game": 3}, "line 3, column 'game': it: \"game\" must be a name"),
        ([1], "line 3: a row must be a mapping from columns to values, not list."),
    ],
)
def test_a_bad_row_is_named(tmp_path, row, complaint):
    path = tmp_path / "log.jsonl"
    good = {"grid": "L!", "action": "0,1", "episode": 1}
    path.write_text(f"{json.dumps(good)}\n\n{json.dumps(row)}\n")
    with pytest.raises(BadInput) as refused:
        tables.load(path, LIFT)
    assert str(refused.value).startswith(f"{path}, {complaint}")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('grid,action\nL!,"0,0",x\n', "line 2: has more cells than there are columns."),
        ('grid,action\n"L!,0\n', "line 2: not CSV (unexpected end of data)."),
        ("grid,action\nL!\n", "line 2, column 'action': the action is missing."),
        ("a,b\n1,2\n", "line 2: there is no column 'grid'. Columns: 'a', 'b'."),
    ],
)
def test_bad_csv(tmp_path, text, complaint):
    path = tmp_path / "log.csv"
    path.write_text(text)
    with pytest.raises(BadInput) as refused:
        tables.load(path, LIFT)
    assert str(refused.value).startswith(f"{path}, {complaint}")


def test_an_error_names_only_so_many_columns_and_shortens_them():
    with pytest.raises(BadInput) as refused:
        tables.from_rows([{"x" * 10**6: 1} | {f"c{i}": 0 for i in range(10**5)}], LIFT)
    assert len(str(refused.value)) < 1000


def test_rows_that_contradict_each_other():
    rows = [{"grid": "L!", "action": "0,1", "episode": 3, "seed": seed} for seed in (4, None, 5)]
    with pytest.raises(BadInput, match=r"row 2, column 'seed': is 5 here and 4 in an earlier row\."):
        tables.from_rows(rows, LIFT)


def test_columns_and_files_that_are_none():
    with pytest.raises(BadInput, match=r"^rows must be mappings from columns to values, not int\.$"):
        tables.from_rows(7, LIFT)
    with pytest.raises(BadInput, match="columns: 'board' has no meaning"):
        tables.from_rows([], LIFT, columns={"board": "grid"})
    with pytest.raises(BadInput, match=r"log.xlsx: unknown format. The names of tables end in .csv or .jsonl"):
        tables.read("log.xlsx")


def test_button_numbers():
    for number in (1, "1", 1.0, np.int64(1)):
        assert tables.from_rows([{"grid": "L", "action": number}], LIFT, BUTTONS).steps[0].action == "right"
    for wrong, told in ((3, "3"), ("3", "3"), (0.5, "0.5"), ("jump", "'jump'")):
        with pytest.raises(BadInput, match=f"row 0, column 'action': action {told} is "):
            tables.from_rows([{"grid": "L", "action": wrong}], LIFT, BUTTONS)


@given(st.tuples(st.integers(0, 999_999), st.integers(0, 999_999)) | st.sampled_from(BUTTONS))
def test_an_action_is_read_as_it_is_written(action):
    assert action_from_text(action_to_text(action)) == action


def test_tokens_of_the_tests_have_no_space():
    assert " " not in set(TOKENS)  # rows of a grid are told apart by it


@pytest.mark.parametrize("form", tables.FORMATS)
def test_a_table_too_large_to_be_read_again_is_not_written(tmp_path, form, monkeypatch):
    monkeypatch.setattr("shown.files.MAX_BYTES", 2**20)
    run = [(grid("." * 100), (0, 0))] * 12_000
    with pytest.raises(BadInput, match="would be larger than 1 MiB"):
        tables.save(Demonstrations.from_runs(Tokens(empty="."), [run]), tmp_path / f"large{form}")
    assert list(tmp_path.iterdir()) == []
