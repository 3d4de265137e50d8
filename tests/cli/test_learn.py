"""`shown learn`."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from shown.demonstrations import Demonstration, Demonstrations, Step
from shown.grid import Grid, Tokens, grid
from shown.inference.learner import Learner
from shown.policy import Policy, uniform_policy
from shown.provenance import SuccessRate
from shown.rules import Constraints
from strategies import some

QUICK = ("--programs", "1000", "--quiet")


def test_a_game_is_learned_from_its_expert(shown, nim_demos):
    ran = shown("learn", "nim", "--levels", "train:0-4", *QUICK, "--out", "policy.json")
    assert (ran.code, ran.err) == (0, "")
    steps = len(nim_demos.steps)
    headline = f": 1 rule from 5 demonstrations ({steps} of {steps} steps explained), 1,000 programs"
    assert headline in ran.out.splitlines()[0]
    assert "click a cell if" in ran.out
    assert "written to policy.json" in ran.out
    policy = Policy.load("policy.json")
    assert policy.game == "nim"
    assert policy.provenance.demonstrations.digest == nim_demos.digest


def test_clauses_say_which_clicks_they_stand_for_and_nothing_is_explained_that_is_not(shown):
    shown("demonstrate", "checkmate", "--style", "useless-click", "--levels", "random:910000-910002", "--out", "d.json")
    ran = shown("learn", "d.json", "--programs", "3000", "--quiet")
    assert (
        "    the clicked cell is the white queen\n      (3 of your 9 clicks; first: game 1, click 2), or if" in ran.out
    )
    assert "the white queen is selected" in ran.out
    assert "It explains 6 of your 9 clicks; 3 changed nothing." in ran.out


def test_a_file_of_demonstrations_teaches_the_same(shown, nim_demos):
    nim_demos.save("demos.json")
    shown("learn", "nim", "--levels", "train:0-4", *QUICK, "--out", "game.json")
    shown("learn", "demos.json", *QUICK, "--out", "file.json")
    assert Path("game.json").read_bytes() == Path("file.json").read_bytes()


def test_several_files_teach_together(shown, nim_demos):
    nim_demos.select([0, 1]).save("one.json")
    nim_demos.select([2, 3, 4]).save("two.json")
    nim_demos.save("all.json")
    shown("learn", "one.json", "two.json", *QUICK, "--out", "apart.json")
    shown("learn", "all.json", *QUICK, "--out", "together.json")
    assert Path("apart.json").read_bytes() == Path("together.json").read_bytes()


def test_json_on_stdout_is_the_policy(shown):
    ran = shown("learn", "nim", "--levels", "train:0-2", *QUICK, "--json", "--out", "policy.json")
    told = json.loads(ran.out)
    assert told.pop("learned") is True
    assert told.pop("seconds") >= 0
    assert told == json.loads(Path("policy.json").read_text("utf-8"))


def test_progress_is_told_on_stderr(shown):
    ran = shown("learn", "nim", "--levels", "train:0-4", "--programs", "1000", "--published")
    lines = ran.err.splitlines()
    assert lines[0].strip().startswith("108 of 1,000 programs")
    assert "nothing fits yet" in lines[0]
    assert any("best" in line and "policies" in line for line in lines)
    assert "of 1,000" not in ran.out
    ran = shown("learn", "nim", "--levels", "train:0-4", "--programs", "1000")
    assert "fitting: exact clicks, plus mirror images" in ran.err
    assert "fitting" not in ran.out


def test_the_teacher_is_understood_and_the_expectation_told(shown):
    ran = shown("learn", "nim", "--levels", "train:0-1", "--programs", "2000", "--quiet", "--out", "policy.json")
    assert "Interpreted as: exact clicks, plus mirror images" in ran.out
    assert "in practice 120 of 120 levels won; expected to win about 12 of 12 new levels" in ran.out
    provenance = Policy.load("policy.json").provenance
    assert provenance.interpretation == {"clicks": "exact", "order": "given"}
    assert provenance.practice == SuccessRate(120, 120)
    assert [transformation.cells for transformation in provenance.symmetries] == ["left-right"]


def test_without_practice_or_symmetry_nothing_is_said_of_them(shown):
    words = ("nim", "--levels", "train:0-4", "--programs", "2000", "--quiet", "--practice", "0", "--symmetry", "none")
    ran = shown("learn", *words, "--out", "policy.json")
    assert "practice" not in ran.out
    assert "read as" not in ran.out
    assert Policy.load("policy.json").provenance.symmetries == ()


def test_the_papers_method_is_one_word_away(shown, nim_demos):
    shown("learn", "nim", "--levels", "train:0-4", *QUICK, "--published", "--out", "policy.json")
    learner = Learner.published()
    learner.programs = 1000
    assert Policy.load("policy.json").components == learner.fit(nim_demos).policy_.components


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--interpretation", "sideways"], "no interpretation called 'sideways'."),
        (["--practice", "-1"], "argument --practice: expected a number from 0 to 1e+06, not '-1'"),
        (["--practice", "long"], "argument --practice: expected a number from 0 to 1e+06, not 'long'"),
    ],
)
def test_ways_to_be_understood_that_there_are_not(shown, words, complaint):
    assert shown("learn", "nim", *words).complaint.startswith(complaint)


def test_a_symmetry_that_is_not_known_cannot_be_asked_for(shown):
    assert (
        "--symmetry: this game or world declares no symmetries. Name them: --symmetry left-right"
        in shown("learn", "fence-in", "--symmetry", "declared", "--quiet").complaint
    )
    complaint = shown("learn", "fence-in", "--symmetry", "sideways", "--quiet").complaint
    assert complaint.startswith("--symmetry sideways: no motion of cells is called 'sideways'.")


def test_a_symmetry_can_be_named(shown):
    words = ("--programs", "500", "--practice", "0", "--quiet")
    assert "plus mirror images" in shown("learn", "nim", "--levels", "train:0", "--symmetry", "left-right", *words).out


def test_settings_arrive(shown):
    names = "ensemble=3 trees=2 noise=0.25 threads=2 memory=100 finish-level=yes keep_literals=yes"
    chosen = [word for name in names.split() for word in ("--set", name)]
    learn = ("learn", "nim", "--levels", "train:0", "--programs", "50", "--seed", "9")
    shown(*learn, *chosen, "--quiet", "--out", "policy.json")
    settings = Policy.load("policy.json").provenance.settings
    assert settings == {
        "programs": 50, "ensemble": 3, "search": "trees", "trees": 2, "noise": 0.25, "seed": 9,
        "drop_literals": False, "finish_level": True, "uniform_if_empty": False, "stop_early": True, "prior": "grammar",
    }  # fmt: skip


def test_noise_0_selects_a_single_fit_like_any_other_noise(shown):
    shown(
        "learn",
        "nim",
        "--levels",
        "train:0",
        "--programs",
        "500",
        "--set",
        "noise=0",
        "--quiet",
        "--out",
        "policy.json",
    )
    provenance = Policy.load("policy.json").provenance
    assert provenance.settings["noise"] == 0
    assert provenance.practice is None


def test_the_same_seed_writes_the_same_bytes(shown):
    for threads, name in (("1", "one.json"), ("2", "two.json"), ("4", "four.json")):
        shown("learn", "nim", *QUICK, "--set", f"threads={threads}", "--seed", "5", "--out", name)
    assert Path("one.json").read_bytes() == Path("two.json").read_bytes() == Path("four.json").read_bytes()


def test_levels_of_ones_own(shown):
    Path("levels.json").write_text(json.dumps({"game": "nim", "levels": ["|.\n||", ".|\n.|\n||"]}))
    ran = shown("learn", "nim", "--levels", "levels.json", "--programs", "300", "--quiet", "--json")
    assert json.loads(ran.out)["provenance"]["demonstrations"]["levels"] == ["levels.json:0", "levels.json:1"]


# --- when nothing fits ------------------------------------------------------------------------------------------------


@pytest.fixture
def hopeless():
    """Two cells that the first three programs take for one another."""
    world = Tokens(empty=".", wall="#")
    return Demonstrations(world, (Demonstration((Step(grid("#.#."), (0, 2)),)),))


def test_when_nothing_fits_the_reason_is_told_and_nothing_is_written(shown, hopeless):
    hopeless.save("demos.json")
    ran = shown("learn", "demos.json", "--programs", "3", "--quiet", "--out", "policy.json")
    assert (ran.code, ran.out) == (1, "")
    error, *advice = ran.err.splitlines()
    assert error == (
        "shown: nothing fits demonstration 0, step 0: none of the first 3 programs distinguishes the click (0, 2) from "
        "(0, 0). Try more programs (--programs 15), a richer vocabulary (--language standard), or a primitive that "
        "sees the difference. If one of the two was a mistake, remove it."
    )
    assert advice[0] == "In game 1, click 1 was on the wall in row 1, column 3."
    assert advice[-1] == "If one of the clicks was a mistake, undo it."
    assert advice[-2].endswith("let me search more programs or let me use the standard vocabulary.")
    assert not Path("policy.json").exists()


@pytest.mark.parametrize("asked", [("--language", "standard"), ("--published",)])
def test_more_words_are_not_offered_where_they_are_used_or_not_wanted(shown, hopeless, asked):
    hopeless.save("demos.json")
    ran = shown("learn", "demos.json", "--programs", "3", "--quiet", *asked)
    assert ran.code == 1
    assert "(--programs 15), or a primitive that sees the difference" in ran.err
    assert "--language" not in ran.err


def test_the_reason_is_data_too(shown, hopeless):
    hopeless.save("demos.json")
    told = json.loads(shown("learn", "demos.json", "--programs", "3", "--quiet", "--json").out)
    assert told["learned"] is False
    assert (told["failure"]["action"], told["failure"]["other"]) == ([0, 2], [0, 0])


def test_what_the_reason_advises_helps(shown, hopeless):
    hopeless.save("demos.json")
    assert shown("learn", "demos.json", "--programs", "15", "--quiet").code == 1
    assert shown("learn", "demos.json", "--programs", "75", "--quiet").code == 0


def test_what_was_found_before_memory_ran_out_is_written(shown):
    ran = shown(
        "learn",
        "checkmate",
        "--levels",
        "train:0-4",
        "--set",
        "memory=3",
        "--set",
        "trees=5",
        "--quiet",
        "--out",
        "policy.json",
    )
    assert ran.code == 0
    assert "but the limit is 3 MiB" in ran.err
    assert "Keeping the best of the first" in ran.err
    assert Policy.load("policy.json").provenance.programs < 10_000


def test_one_policy_is_told_as_one(shown):
    ran = shown("learn", "nim", "--set", "ensemble=1", "--programs", "1000")
    assert "1 policy" in ran.err
    assert "1 policies" not in ran.err + ran.out


# --- Ctrl-C -----------------------------------------------------------------------------------------------------------


def interrupted(folder, until, *words, by=signal.SIGINT):
    """Stops `shown learn` at the first line of progress with `until` in it. Exit code, rest of stderr."""
    process = subprocess.Popen(
        [sys.executable, "-m", "shown", "learn", *words],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    with process:
        for line in process.stderr:
            if until in line:
                break
        process.send_signal(by)
        rest = process.stderr.read()
    return process.returncode, rest


@pytest.mark.parametrize("by", some([signal.SIGINT, signal.SIGTERM], signal.SIGTERM))
def test_a_stop_keeps_and_writes_the_best_so_far(tmp_path, by):
    words = ("chase", "--levels", "train:0-4", "--programs", "100000000", "--out", "policy.json")
    code, rest = interrupted(tmp_path, "best", *words, by=by)
    assert code == 130
    assert "shown: stopped; keeping the best so far." in rest
    assert "Traceback" not in rest
    policy = Policy.load(tmp_path / "policy.json")
    assert policy.provenance.programs < 10**8
    assert os.listdir(tmp_path) == ["policy.json"]


def test_ctrl_c_before_anything_fits_writes_nothing(tmp_path):
    middle_of_nowhere = Demonstration((Step(Grid(("." * 41,) * 41), (20, 20)),))
    Demonstrations(Tokens(empty=".", wall="#"), (middle_of_nowhere,)).save(tmp_path / "demos.json")
    (tmp_path / "policy.json").write_text("old")
    words = ("demos.json", "--programs", "100000000", "--out", "policy.json")
    code, rest = interrupted(tmp_path, "nothing fits yet", *words)
    assert code == 130
    assert "nothing fits the demonstrations so far" in rest
    assert "Traceback" not in rest
    assert (tmp_path / "policy.json").read_text() == "old"


# --- what was learned before, how far to look, what to do -------------------------------------------------------------


def test_what_was_learned_before_is_gone_on_from(shown, nim_demos):
    nim_demos.select([0, 1]).save("one.json")
    nim_demos.select([0, 1, 2]).save("two.json")
    shown("learn", "one.json", *QUICK, "--out", "before.json")
    ran = shown(
        "learn", "two.json", *QUICK, "--set", "before=before.json", "--set", "keep=random:0-3", "--out", "after.json"
    )
    assert (ran.code, ran.err) == (0, "")
    assert "lost now" not in ran.out
    assert Policy.load("after.json").provenance.demonstrations.count == 3


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--set", "keep=random:0"), "--set keep: needs --set before"),
        (("--set", "before=other.json"), "other.json: the policy is for another game"),
        (("--set", "before=none.json"), "none.json"),
    ],
)
def test_what_was_learned_before_must_be_of_this_game(shown, words, complaint):
    uniform_policy(Tokens(empty=".", wall="#")).save("other.json")
    assert complaint in shown("learn", "nim", *QUICK, *words).complaint


def test_how_far_to_look_can_be_left_open(shown):
    ran = shown("learn", "nim", "--levels", "train:0-4", "--programs", "auto", "--quiet")
    assert (ran.code, ran.err) == (0, "")
    assert "learning ended early: all practice levels are won" in ran.out
    ran = shown("learn", "nim", "--levels", "train:0-4", "--programs", "auto", "--published")
    assert "stopped: from " in ran.err
    assert "programs nothing got better" in ran.err


def test_who_is_not_sure_asks_for_what_would_help(shown):
    words = "--levels random:200010 --programs 1000 --quiet --practice 0"
    ran = shown("learn", "stop-the-fall", *words.split())
    assert "I am not sure what you meant: my rule has" in ran.out


# --- constraints ------------------------------------------------------------------------------------------------------


def test_what_is_pinned_and_struck_is_kept_to(shown, nim_demos):
    nim_demos.select([0, 1]).save("two.json")
    shown("learn", "two.json", *QUICK, "--out", "before.json")
    told = shown("explain", "before.json", "--programs", "--most", "1").out.splitlines()
    rule = told[1]
    struck = rule.split(" and ")[-1]
    ran = shown("learn", "two.json", *QUICK, "--set", f"strike={struck}", "--out", "struck.json")
    assert ran.code == 0
    assert Policy.load("struck.json").keeps_to(Constraints.parse([], [struck], nim_demos.tokens))
    assert not Policy.load("before.json").keeps_to(Constraints.parse([], [struck], nim_demos.tokens))
    ran = shown("learn", "two.json", *QUICK, "--set", f"pin={rule}", "--set", "ensemble=5", "--out", "pinned.json")
    assert ran.code == 0
    assert Policy.load("pinned.json").keeps_to(Constraints.parse([rule], [], nim_demos.tokens))


@pytest.mark.parametrize("more", [(), ("--published",)])
def test_a_pinned_rule_that_contradicts_is_named_on_stderr(shown, nim_demos, more):
    nim_demos.select([0]).save("one.json")
    ran = shown("learn", "one.json", *QUICK, "--set", "pin=at_action_cell(cell_is_value(matchstick))", *more)
    assert ran.code == 0
    (line,) = ran.err.splitlines()
    assert line.startswith('shown: the rule "the clicked cell is a matchstick" allows (')
    assert "in demonstration 0, step 0, where" in line


@pytest.mark.parametrize("option", ["pin", "strike"])
def test_a_condition_that_cannot_be_read_is_refused(shown, nim_demos, option):
    nim_demos.select([0]).save("one.json")
    ran = shown("learn", "one.json", *QUICK, "--set", f"{option}=at_action_cell(cell_is_value(matchstik))")
    assert ran.complaint.startswith("--set pin, strike: program 'at_action_cell(cell_is_value(matchstik))'")
    assert "Did you mean 'matchstick'?" in ran.complaint


def test_the_rule_that_is_printed_is_the_one_that_acts_unless_all_are_to_vote(shown):
    learn = ("learn", "nim", "--levels", "train:0-1", *QUICK)
    shown(*learn, "--out", "rule.json")
    shown(*learn, "--set", "vote=yes", "--out", "vote.json")
    rule, vote = (Policy.load(name) for name in ("rule.json", "vote.json"))
    assert len(rule.components) == 1 < len(vote.components)
    assert not vote.front
    assert rule.vote == vote.components
    won = [
        json.loads(shown("evaluate", *which, "--levels", "random:900000-900019", "--json").out)["solved"]
        for which in (["rule.json"], ["rule.json", "--rule-only"], ["rule.json", "--vote"], ["vote.json"])
    ]
    assert won[0] == won[1]
    assert won[2] == won[3]
    both = shown("evaluate", "rule.json", "--rule-only", "--vote")
    assert (both.code, both.err.count("\n")) == (2, 1)


def test_a_rule_of_another_length_can_be_taken(shown):
    ran = shown("learn", "nim", "--levels", "train:0-1", *QUICK, "--set", "rule=1000")
    assert ran.code == 2
    assert "no rule with 1000 conditions. There are rules with" in ran.err
