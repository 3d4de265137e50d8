"""`shown correct`."""

import json

import pytest

from shown.cli.play import Watching, lay_out
from shown.demonstrations import Demonstrations
from shown.language.primitives import LANGUAGE
from shown.language.terms import parse
from shown.policy import Component, Formula, Literal, Policy
from shown.worlds import demonstrate, find, load_levels, play
from strategies import allowed

NIM = find("nim")
SIZE = 30, 80


def policy(**weights):
    """One candidate for each token: "click it"."""
    terms = {x: parse(f"at_action_cell(cell_is_value({x}))", LANGUAGE, NIM.tokens.values) for x in weights}
    components = (Component(weight, 0.0, 0.0, Formula(((Literal(terms[x]),),))) for x, weight in weights.items())
    return Policy(NIM.tokens, tuple(components), "nim")


SURE = policy(matchstick=1.0)
LEVEL = load_levels(NIM, "train:0")[0]
RUN = play(NIM, SURE.act, LEVEL)


# --- correct, without a terminal --------------------------------------------------------------------------------------


def written(cell):
    return f"{cell[0]},{cell[1]}"


def test_a_correction_is_a_demonstration_of_the_position_where_it_went_wrong(shown):
    SURE.save("policy.json")
    right = NIM.expert(LEVEL.grid)
    words = ("correct", "policy.json", "--levels", "train:0", "--at", "0", "--action", written(right))
    printed = Demonstrations.from_json(json.loads(shown(*words).out))
    assert printed.steps[0].grid == LEVEL.grid
    assert printed.steps[0].action == right
    ran = shown(*words, "--out", "demos.json")
    assert (ran.code, ran.out, ran.err) == (0, "", "train:0: step 0 corrected; demos.json now holds 1 demonstration\n")
    assert Demonstrations.load("demos.json") == printed
    assert "now holds 2 demonstrations" in shown(*words, "--out", "demos.json", "--demos", "demos.json").err


def test_a_new_file_begins_with_the_demonstrations_given(shown):
    SURE.save("policy.json")
    before = demonstrate(NIM, load_levels(NIM, "train:1-2"))
    before.save("demos.json")
    words = ("correct", "policy.json", "--levels", "train:0", "--at", "0", "--action", written(NIM.expert(LEVEL.grid)))
    assert shown(*words, "--demos", "demos.json", "--out", "more.json").code == 0
    assert Demonstrations.load("more.json").items[:2] == before.items
    assert Demonstrations.load("demos.json") == before
    complaint = shown(*words, "--demos", "demos.json", "--out", "more.json").complaint
    assert complaint == "more.json: exists already. Omit --demos to add to it, or give another name."
    assert len(Demonstrations.load("more.json")) == 3


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--at", "99", "--action", "0,0"), "no step 99"),
        (("--at", "0", "--action", "99,0"), "off the grid"),
        (("--at", "0", "--action", "left"), "such as 2,5"),
        (("--at", "0"), "belong together"),
        (("--action", "0,0"), "belong together"),
        (("--at", "-1", "--action", "0,0"), "at least 0"),
        (("--at", "0", "--action", "0,0", "--levels", "train:0-1"), "Name one"),
        ((), "--out demos.json"),
        (("--at", "0", "--action", "0,0", "--out", "missing/demos.json"), "no folder"),
        (("--at", "0", "--action", "0,0", "--out", "x.json", "--demos", "missing.json"), "no such file"),
    ],
)
def test_a_correction_that_cannot_be_made_is_one_clear_line(shown, words, reason):
    SURE.save("policy.json")
    levels = () if "--levels" in words else ("--levels", "train:0")
    assert reason in shown("correct", "policy.json", *levels, *words).complaint


def test_when_all_levels_are_won_there_is_nothing_to_correct(shown, nim_policy):
    nim_policy.save("policy.json")
    ran = shown("correct", "policy.json", "--levels", "train:0-2", "--out", "demos.json")
    assert (ran.code, ran.out) == (0, "")
    assert "all 3 levels won; nothing to correct" in ran.err


# --- correct, by hand -------------------------------------------------------------------------------------------------


def test_going_through_the_computer_s_game():
    watching = Watching(NIM, RUN)
    assert watching.message.startswith(f"Step 0 of {len(RUN.steps)}: it clicks row")
    assert (watching.grid, watching.cursor) == (RUN.steps[0].grid, RUN.steps[0].action)
    watching.handle("b")
    assert watching.at == 0
    for _ in range(99):
        watching.handle("enter")
    assert watching.grid == RUN.last
    assert "Ended after" in watching.message
    watching.handle("t")
    watching.click((0, 0))
    assert not watching.done
    watching.handle("b")
    watching.handle("t")
    assert (watching.done, watching.stepped_in) == (True, len(RUN.steps) - 1)


def test_to_click_a_cell_is_to_step_in_with_it():
    watching = Watching(NIM, RUN)
    watching.click((99, 0))
    assert not watching.done
    watching.click((0, 0))
    assert (watching.stepped_in, watching.clicked) == (0, (0, 0))


def test_it_fits_on_the_screen():
    seen = lay_out(Watching(NIM, RUN), SIZE)
    assert "the computer plays" in seen.lines[0]
    assert any("t take over" in line for line in seen.lines)


def test_a_person_steps_in_and_it_is_saved(terminal, tmp_path):
    SURE.save(tmp_path / "policy.json")
    lost = next(level for level in load_levels(NIM, "train") if not play(NIM, SURE.act, level).won)
    demos = tmp_path / "demos.json"
    words = ("--levels", lost.name, "--out", str(demos))
    person = terminal("correct", str(tmp_path / "policy.json"), *words)
    person.until("Step 0 of")
    person.send("\r")
    person.until("Step 1 of" if len(play(NIM, SURE.act, lost).steps) > 1 else "Ended after")
    person.send("b")
    person.until("Step 0 of")
    right = NIM.expert(lost.grid)
    seen = lay_out(Watching(NIM, play(NIM, SURE.act, lost)), SIZE)
    person.send(f"\x1b[<0;{2 * right[1] + 2};{seen.top + right[0] + 1}M")
    person.until("1 click so far.")
    person.send("q")
    person.until("y keep")
    person.send("y")
    assert person.wait() == 0
    saved = Demonstrations.load(demos)
    assert [(step.grid, step.action) for step in saved.steps] == [(lost.grid, right)]


# --- correct, and learn at once ---------------------------------------------------------------------------------------


def test_a_correction_is_learned_at_once(shown):
    SURE.save("policy.json")
    demonstrate(NIM, load_levels(NIM, "train:1")).save("demos.json")
    wrong = next(i for i, step in enumerate(RUN.steps) if NIM.expert(step.grid) != step.action)
    right = NIM.expert(RUN.steps[wrong].grid)
    words = ("--levels", "train:0", "--at", str(wrong), "--action", written(right))
    ran = shown("correct", "policy.json", *words, "--demos", "demos.json", "--out", "more.json", "--learn", "new.json")
    assert ran.code == 0
    assert "learned, and written to new.json" in ran.err
    learned = Policy.load("new.json")
    assert learned.act(RUN.steps[wrong].grid) == right
    shown_before = Demonstrations.load("demos.json").steps
    assert all(allowed(learned, shown_before))
    assert len(Demonstrations.load("more.json")) == 2
