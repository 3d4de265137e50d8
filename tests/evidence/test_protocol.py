"""The protocol of the judged experiments and the code have the same numbers."""

import re
from pathlib import Path

import pytest

from shown_evidence.experiments import EXPERIMENTS, beyond, find, scripted_styles
from shown_evidence.experiments.experiment import Scale
from shown_evidence.trials import level_sets
from shown_evidence.trials.learners import METHODS, PRACTICE_ROUNDS
from shown_evidence.trials.level_sets import JUDGE

PROTOCOL = (Path(__file__).parents[2] / "evidence" / "protocol.md").read_text("utf-8")
FULL = Scale(full=True)
JUDGED = ("beyond", "additions", "styles", "controls", "confidence", "one-rule")


def constants() -> dict[str, list[float]]:
    """The table of constants: numbers by name."""
    lines = re.findall(r"^\| (`[^|]+) \| ([\d., ]+) \|", PROTOCOL.partition("## Commands")[0], re.MULTILINE)
    return {name.replace("`", ""): [float(n.replace(",", "")) for n in re.split(r", ", value)] for name, value in lines}


def test_the_protocols_constants_are_the_codes():
    assert constants() == {
        "JUDGE.shown": [JUDGE.shown],
        "JUDGE.apart": [JUDGE.apart],
        "JUDGE.played": [JUDGE.played],
        "PLAYED": [100],
        "SIZES": list(beyond.SIZES),
        "SETS of the expert": [level_sets.SETS],
        "SETS of other styles": [scripted_styles.SETS],
        "PRACTICE_ROUNDS": [PRACTICE_ROUNDS],
        "programs": [METHODS["shown"].options["programs"]],
        "seed": [0],
        "LEARNED": [scripted_styles.LEARNED],
    }
    assert JUDGE.played_levels(100) == beyond.PLAYED
    assert f"`{beyond.PLAYED}`" in PROTOCOL


@pytest.mark.parametrize("name", JUDGED)
def test_judged_trials_follow_the_protocol(name: str):
    reserved = range(JUDGE.shown, JUDGE.shown + level_sets.SETS * JUDGE.apart)
    for trial in find(name).trials(FULL):
        first, _, last = trial.levels.removeprefix("random:").partition("-")
        assert int(first) in reserved
        assert int(last or first) in reserved
        assert trial.test == (beyond.PLAYED,)
        assert trial.seed == 0
        assert trial.options.get("rounds") in (None, PRACTICE_ROUNDS)
        assert trial.options.get("programs", 10_000) == 10_000


def test_every_command_names_experiments():
    commands = re.findall(r"`shown reproduce ([^`]+)`", PROTOCOL)
    assert commands
    for command in commands:
        names = command.partition(" --")[0].split()
        assert [name for name in names if name not in EXPERIMENTS] == []


def test_the_numbers_of_trials_are_the_protocols():
    for command, count in re.findall(r"`shown reproduce ([^`]+)` \| ([\d,]+)", PROTOCOL):
        names, _, options = command.partition(" --full")
        given = dict(re.findall(r"--(methods|demos|sets) (\S+)", options))
        scale = Scale(
            full=True,
            methods=tuple(given["methods"].split(",")) if "methods" in given else None,
            demos=tuple(map(int, given["demos"].split(","))) if "demos" in given else None,
            sets=int(given["sets"]) if "sets" in given else None,
        )
        trials = {trial.key for name in names.split() for trial in find(name).trials(scale)}
        if names == "additions":
            trials -= {trial.key for trial in find("beyond").trials(FULL)}
        assert len(trials) == int(count.replace(",", "")), command
