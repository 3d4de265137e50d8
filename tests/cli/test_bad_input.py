"""Bad input: one line that says what is wrong and where, exit code 2, and no file written."""

import json
import os
from pathlib import Path

import pytest

GRID = ["|.", "||"]


@pytest.fixture
def demos(shown, nim_demos):
    """Writes the JSON of a good file of demonstrations after a change to it."""

    def write(change=lambda value: None, name="demos.json"):
        value = nim_demos.select([0]).to_json()
        changed = change(value)
        Path(name).write_text(json.dumps(value if changed is None else changed))
        return name

    return write


@pytest.fixture
def policy(shown, nim_policy):
    """Writes the JSON of a good policy after a change to it."""

    def write(change=lambda value: None, name="policy.json"):
        value = nim_policy.map_policy.to_json()
        change(value)
        Path(name).write_text(json.dumps(value))
        return name

    return write


def step(value):
    return value["demonstrations"][0]["steps"][0]


DEMONSTRATIONS = {
    "an empty grid": (
        lambda v: step(v).update(grid=[]),
        "demos.json, demonstration 0, step 0, the grid is empty. It needs at least one row of at least one cell.",
    ),
    "a ragged grid": (
        lambda v: step(v).update(grid=["|.", "|"]),
        "demos.json, demonstration 0, step 0, row 1 has 1 cells but row 0 has 2. All rows must be equally long.",
    ),
    "an unknown token": (
        lambda v: step(v).update(grid=["|x", "||"]),
        "demos.json, demonstration 0, step 0, row 0, column 1: 'x' is not a token. Tokens: . |",
    ),
    "an action off the grid": (
        lambda v: step(v).update(grid=GRID, action=[2, 0]),
        "demos.json, demonstration 0, step 0, action (2, 0) is off the grid of 2 rows and 2 columns.",
    ),
    "an action of the wrong kind": (
        lambda v: step(v).update(action="left"),
        "demos.json, demonstration 0, step 0, action 'left' must be a cell, [row, column].",
    ),
    "a fraction of a cell": (
        lambda v: step(v).update(action=[0.5, 0]),
        "demos.json, demonstration 0, step 0, action [0.5, 0] must be a cell, [row, column], or a button's name.",
    ),
    "a click where there are buttons": (
        lambda v: v.update(buttons=["left"]),
        "demos.json, demonstration 0, step 0, action ",
    ),
    "no demonstrations": (
        lambda v: v.update(demonstrations=[]),
        "there are no demonstrations to learn from. Record or load at least one.",
    ),
    "a demonstration without steps": (
        lambda v: v["demonstrations"][0].update(steps=[]),
        "demos.json, demonstration 0 has no steps.",
    ),
    "another schema": (
        lambda v: v.update(schema="shown/demonstrations/99"),
        'demos.json: not demonstrations: "schema" must be "shown/demonstrations/1".',
    ),
    "no schema": (lambda v: v.pop("schema") and None, "demos.json: not demonstrations"),
    "a list": (lambda v: [v], "demos.json: not demonstrations"),
    "tokens that are none": (lambda v: v.update(tokens={"a": "||"}), "demos.json: token 'a' must be one visible"),
    "a token called self": (lambda v: v.update(tokens={"self": "x"}), "demos.json, demonstration 0, step 0, row 0"),
    "a huge row": (
        lambda v: step(v).update(grid=["." * 5000]),
        "demos.json, demonstration 0, step 0, a grid of 1 × 5000",
    ),
    "a line break in the name of the level": (
        lambda v: v["demonstrations"][0].update(level="a\nb"),
        'demos.json, demonstration 0: "level" must be text on one line, or null.',
    ),
}


@pytest.mark.parametrize("name", DEMONSTRATIONS)
def test_bad_demonstrations(shown, demos, name):
    change, complaint = DEMONSTRATIONS[name]
    Path("policy.json").write_text("old")
    ran = shown("learn", demos(change), "--quiet", "--out", "policy.json")
    assert ran.complaint.startswith(complaint)
    assert Path("policy.json").read_text() == "old"
    assert sorted(os.listdir()) == ["demos.json", "policy.json"]


TEXTS = {
    "nothing": ("", "file.json: not valid JSON (Expecting value"),
    "truncated": ('{"schema": "shown/poli', "file.json: not valid JSON (Unterminated string"),
    "not text": (b"\xff\xfe\x00", "file.json: not text in UTF-8"),
    "deep nesting": ("[" * 100_000, "file.json: nested too deeply."),
    "deep nesting that closes": ("[" * 5000 + "]" * 5000, "file.json: nested too deeply."),
    "a number too large": ('{"schema": 1e999}', "file.json: not valid JSON (number 1e999 is too large)."),
    "a number too long": ('{"schema": ' + "9" * 5000 + "}", "file.json: not valid JSON (Exceeds the limit"),
    "not a number": ('{"schema": NaN}', "file.json: not valid JSON (NaN is not a JSON number)."),
    "a key twice": ('{"schema": 1, "schema": 1}', "file.json: not valid JSON (duplicate key)."),
    "half a character": (r'{"schema": "\ud800"}', "file.json: half of a surrogate pair is not a character."),
}


@pytest.mark.parametrize("command", ["learn", "evaluate", "explain", "export"])
@pytest.mark.parametrize("name", TEXTS)
def test_hostile_files(shown, command, name):
    text, complaint = TEXTS[name]
    Path("file.json").write_bytes(text if isinstance(text, bytes) else text.encode())
    assert shown(command, "file.json").complaint.startswith(complaint)


@pytest.mark.parametrize("command", ["learn", "evaluate", "explain", "export"])
@pytest.mark.parametrize(
    ("path", "complaint"),
    [
        ("missing.json", "missing.json: no such file. Give the path of a "),
        ("missing/file.json", "missing/file.json: no such file."),
        ("./folder.json", "folder.json: is a folder. Give the path of a "),
    ],
)
def test_files_that_are_not_there(shown, command, path, complaint):
    Path("folder.json").mkdir()
    assert shown(command, path).complaint.startswith(complaint)


POLICIES = {
    "a program that does not parse": (
        lambda v: v["components"][0].update(clauses=[["at_action_cell(cell_is_value(matchstik))"]]),
        "policy.json, component 0: program 'at_action_cell(cell_is_value(matchstik))': 'matchstik' is not a value "
        "here. Did you mean 'matchstick'?",
    ),
    "Python": (
        lambda v: v["components"][0].update(clauses=[["__import__('os').system('true')"]]),
        "policy.json, component 0: program ",
    ),
    "a very deep program": (
        lambda v: v["components"][0].update(clauses=[["at_action_cell(" * 200]]),
        "policy.json, component 0: program ",
    ),
    "a scan that never ends": (
        lambda v: v["components"][0].update(
            clauses=[["at_action_cell(scanning((0, 0), cell_is_value(OFF), cell_is_value(OFF)))"]]
        ),
        "policy.json, component 0: program ",
    ),
    "a look beyond all bounds": (
        lambda v: v["components"][0].update(clauses=[["at_action_cell(shifted((9999, 0), cell_is_value(OFF)))"]]),
        "policy.json, component 0: program ",
    ),
    "a huge number": (
        lambda v: v["components"][0].update(log_prior=10**400),
        'policy.json, component 0: "log_prior" is too large.',
    ),
    "no components": (lambda v: v.update(components=[]), 'policy.json: "components" must be a list of 1 to 10,000.'),
    "weights that do not add up": (
        lambda v: v["components"][0].update(weight=0.25),
        "policy.json: the weights of the components must add up to 1.",
    ),
    "another schema": (lambda v: v.update(schema="x"), 'policy.json: not a policy: "schema" must be "shown/policy/2".'),
    "escape codes for the terminal": (lambda v: v.update(game="\x1b[31mnim"), 'policy.json: "game" must be a name'),
}


@pytest.mark.parametrize("command", ["evaluate", "explain", "export"])
@pytest.mark.parametrize("name", POLICIES)
def test_bad_policies(shown, policy, command, name):
    change, complaint = POLICIES[name]
    assert shown(command, policy(change)).complaint.startswith(complaint)


def test_two_schemas_mixed(shown, demos, policy):
    demos(), policy()
    complaint = 'policy.json: not demonstrations: "schema" must be "shown/demonstrations/1".'
    assert shown("learn", "demos.json", "policy.json").complaint == complaint
    for command in ("evaluate", "explain", "export"):
        complaint = 'demos.json: not a policy: "schema" must be "shown/policy/2".'
        assert shown(command, "demos.json").complaint == complaint


def test_two_tasks_mixed(shown, demos):
    demos(name="nim.json")
    demos(lambda v: v.update(game="mine"), "mine.json")
    complaint = "mine.json: these demonstrations are of different tasks (nim and mine). Learn from one task at a time."
    assert shown("learn", "nim.json", "mine.json").complaint == complaint
    assert shown("learn", "nim", "mine.json").complaint == "expected one game, but 'mine.json' follows 'nim'."


def test_a_policy_for_another_game(shown, policy):
    policy(lambda v: v.update(game="chase"))
    complaint = "policy.json: the policy and chase have different tokens or buttons."
    assert shown("evaluate", "policy.json").complaint == complaint
    policy(lambda v: v.update(game="nimm"))
    assert shown("evaluate", "policy.json").complaint == "no game called 'nimm'. Did you mean 'nim'?"
    policy(lambda v: v.update(game=None))
    assert shown("evaluate", "policy.json").complaint.startswith("policy.json: the policy names no game")
    assert shown("explain", "policy.json", "--levels", "test:0").complaint.startswith("policy.json: the policy names")


OPTIONS = {
    "noise below 0": (["--set", "noise=-0.1"], "argument --set: noise: expected a number from 0 to 1, not '-0.1'."),
    "noise above 1": (["--set", "noise=1.5"], "argument --set: noise: expected a number from 0 to 1, not '1.5'."),
    "noise that is no number": (
        ["--set", "noise=nan"],
        "argument --set: noise: expected a number from 0 to 1, not 'nan'.",
    ),
    "noise in words": (["--set", "noise=some"], "argument --set: noise: expected a number from 0 to 1, not 'some'."),
    "no ensemble": (
        ["--set", "ensemble=0"],
        "argument --set: ensemble: expected a whole number of at least 1, not '0'.",
    ),
    "no programs": (["--programs", "0"], "argument --programs: expected a whole number of at least 1, not '0'."),
    "fewer programs than none": (
        ["--programs", "-5"],
        "argument --programs: expected a whole number of at least 1, not '-5'.",
    ),
    "too many programs": (
        ["--programs", "9" * 30],
        "argument --programs: expected a whole number of at least 1",
    ),
    "no trees": (["--set", "trees=0"], "argument --set: trees: expected a whole number of at least 1"),
    "no threads": (["--set", "threads=0"], "argument --set: threads: expected a whole number of at least 1"),
    "no memory": (["--set", "memory=0"], "argument --set: memory: expected a whole number of at least 1"),
    "a seed below 0": (["--seed", "-1"], "argument --seed: expected a whole number of at least 0"),
    "a seed in words": (["--seed", "x"], "argument --seed: expected a whole number of at least 0, not 'x'."),
    "levels that run backwards": (["--levels", "train:4-0"], "levels train:4-0: the range is backwards."),
    "levels beyond the last": (["--levels", "train:11"], "nim has train levels 0 to 10; there is no train:11."),
    "levels nobody has": (["--levels", "trian:0"], "no levels called 'trian'. Did you mean 'train'?"),
    "levels without end": (["--levels", "random:0-999999999"], "levels random:0-999999999: more than 100,000 levels."),
    "levels in words": (["--levels", "hard"], "no levels called 'hard'."),
}


def test_too_little_memory(shown):
    Path("policy.json").write_text("old")
    ran = shown(
        "learn", "reach-for-the-star", "--levels", "train", "--set", "memory=1", "--quiet", "--out", "policy.json"
    )
    assert "but the limit is 1 MiB" in ran.complaint
    assert Path("policy.json").read_text() == "old"


@pytest.mark.parametrize("name", OPTIONS)
def test_bad_options(shown, name):
    words, complaint = OPTIONS[name]
    Path("policy.json").write_text("old")
    ran = shown("learn", "nim", *words, "--quiet", "--out", "policy.json")
    assert ran.complaint.startswith(complaint)
    assert Path("policy.json").read_text() == "old"


LEVELS = {
    "another game": ({"game": "chase", "levels": ["|."]}, "levels.json: levels of 'chase', but 'nim' was asked for."),
    "no game": ({"levels": ["|."]}, "levels.json: levels of None, but 'nim' was asked for."),
    "no levels": ({"game": "nim", "levels": []}, "levels.json: contains no levels."),
    "not a list": ({"game": "nim", "levels": {}}, 'levels.json: must be an object such as {"game": "nim"'),
    "a list": (["|."], "levels.json: must be an object such as"),
    "a number for a level": ({"game": "nim", "levels": [3]}, "levels.json, level 0: must be text"),
    "an empty level": ({"game": "nim", "levels": [""]}, "levels.json, level 0: the grid is empty."),
    "a ragged level": (
        {"game": "nim", "levels": ["||\n|"]},
        "levels.json, level 0, row 1 has 1 cells but row 0 has 2.",
    ),
    "an unknown token": (
        {"game": "nim", "levels": ["|.\n||", ".x"]},
        "levels.json, level 1, row 0, column 1: 'x' is not a token of nim. Tokens: . |",
    ),
    "against the rules": ({"game": "nim", "levels": ["||\n|."]}, "levels.json, level 0, row 0, column 1: a matchstick"),
}


@pytest.mark.parametrize("command", ["learn", "evaluate", "explain", "demonstrate"])
@pytest.mark.parametrize("name", LEVELS)
def test_bad_levels(shown, policy, command, name):
    value, complaint = LEVELS[name]
    Path("levels.json").write_text(json.dumps(value))
    subject = "nim" if command in ("learn", "demonstrate") else policy()
    assert shown(command, subject, "--levels", "levels.json").complaint.startswith(complaint)


@pytest.mark.parametrize(
    ("path", "complaint"),
    [
        ("missing/out", "missing/out: there is no folder missing. Make it first."),
        ("folder", "folder: is a folder. Give the name of a file."),
        ("file/out", "file/out: there is no folder file. Make it first."),
        ("x" * 300, "x" * 300 + ": cannot be written (File name too long). Nothing was changed."),
    ],
)
def test_places_that_cannot_be_written_to(shown, policy, path, complaint):
    policy()
    Path("folder").mkdir()
    Path("file").write_text("a file")
    for words in (
        ("learn", "nim", "--levels", "train:0", "--programs", "100", "--quiet"),
        ("demonstrate", "nim", "--levels", "train:0"),
        ("export", "policy.json"),
        ("play", "nim"),
    ):
        assert shown(*words, "--out", path).complaint == complaint
    assert sorted(os.listdir()) == ["file", "folder", "policy.json"]
    assert os.listdir("folder") == []


def test_a_place_that_cannot_be_written_to_is_noticed_before_the_work(shown, monkeypatch):
    def never(*_):
        raise AssertionError("the work began")

    monkeypatch.setattr("shown.inference.learner.Learner.iter_fit", never)
    assert shown("learn", "nim", "--out", "missing/policy.json").complaint


@pytest.mark.parametrize("what", ["token", "character", "button", "game", "program"])
def test_nothing_in_a_policy_reaches_the_terminal_but_visible_characters(shown, policy, what):
    escape = "\x1b[2J"
    change = {
        "token": lambda v: v.update(tokens={escape: ".", "matchstick": "|"}),
        "character": lambda v: v.update(tokens={"empty": "\x1b", "matchstick": "|"}),
        "button": lambda v: v.update(buttons=[escape]),
        "game": lambda v: v.update(game=escape),
        "program": lambda v: v["components"][0].update(clauses=[[f"at_action_cell(cell_is_value({escape}))"]]),
    }
    path = policy(change[what])
    for words in (("explain", path), ("explain", path, "--programs"), ("evaluate", path)):
        assert "\x1b" not in shown(*words).complaint


def test_names_of_files_reach_the_terminal_as_visible_characters(shown, demos, policy):
    demos(), policy()
    Path("l\x1b[2J.json").write_text(json.dumps({"game": "nim", "levels": ["|.\n||"]}))
    for words in (
        ("learn", "demos.json", "--programs", "100", "--quiet", "--out", "p\x1b[2J.json"),
        ("evaluate", "policy.json", "--levels", "l\x1b[2J.json"),
        ("explain", "policy.json", "--levels", "l\x1b[2J.json"),
    ):
        ran = shown(*words)
        assert ran.code == 0
        assert "\x1b" not in ran.out + ran.err, words


def test_too_little_memory_of_the_machine_is_one_line(shown, monkeypatch):
    def large(*_):
        raise MemoryError

    monkeypatch.setattr("shown.cli.games.run", large)
    assert "out of memory" in shown("games").complaint
