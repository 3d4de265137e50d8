import numpy as np
import pytest

from shown.errors import BadInput
from shown.worlds import GAMES, demonstrate, find, load_levels
from shown.worlds.games.floors import floor
from shown_evidence.trials.demonstrators import NOISE, demonstrations, training_sets
from shown_evidence.trials.learners import METHODS
from shown_evidence.trials.trial import Trial, run_trial, settings_key


def test_the_key_depends_on_every_setting_and_not_on_their_order():
    trial = Trial("lpp", "nim", "train:0")
    assert settings_key(dict(reversed(trial.settings.items()))) == trial.key
    others = [
        Trial("vpi", "nim", "train:0"),
        Trial("lpp", "chase", "train:0"),
        Trial("lpp", "nim", "train:1"),
        Trial("lpp", "nim", "train:0", "independent"),
        Trial("lpp", "nim", "train:0", seed=1),
        Trial("lpp", "nim", "train:0", options={"programs": 10}),
        Trial("lpp", "nim", "train:0", test=("test:0",)),
    ]
    assert len({trial.key, *(other.key for other in others)}) == len(others) + 1


def test_networks_of_different_trials_start_from_different_weights():
    """With the number of the set as the seed, 600 starts were 60: all sizes and games had the same ones."""
    trials = [
        Trial(method, game, levels, seed=seed)
        for method in ("fcn", "cnn")
        for game in ("nim", "chase")
        for levels in ("train:0", "train:1", "train:0-1")
        for seed in (0, 1)
    ]
    assert len({trial.start for trial in trials}) == len(trials)
    assert Trial("fcn", "nim", "train:0").start == Trial("fcn", "nim", "train:0").start
    assert Trial("lpp", "nim", "train:0", seed=3).start == 3


def test_usual_options_are_part_of_the_settings_however_they_are_given():
    usual = METHODS["lpp"].options["programs"]
    assert Trial("lpp", "nim", "train:0").key == Trial("lpp", "nim", "train:0", options={"programs": usual}).key


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"method": "lpq"}, "no method called 'lpq'. Did you mean 'lpp'?"),
        ({"demonstrations": "loud"}, "no demonstrations called 'loud'"),
        ({"options": {"program": 3}}, "lpp has no option 'program'. Did you mean 'programs'?"),
        ({"color": "red"}, "not the settings of a trial"),
    ],
)
def test_wrong_settings_are_refused(wrong: dict, says: str):
    with pytest.raises(BadInput, match=says.replace("?", r"\?")):
        Trial.from_settings({**Trial("lpp", "nim", "train:0").settings, **wrong})


@pytest.mark.parametrize("method", ["lpp", "vpi", "lln", "no-prior"])
def test_a_trial_is_a_pure_function_of_its_settings(method: str):
    options = {name: 60 for name in ("programs", "steps") if name in METHODS[method].options}
    trial = Trial(method, "nim", "train:0-2", options=options, test=("test:0-3", "random:0-9"))
    first, second = run_trial(trial.settings), run_trial(trial.settings)
    assert {**first, "work": None} == {**second, "work": None}
    assert set(first["success"]) == {"test:0-3", "random:0-9", "train"}
    assert len(first["won"]["random:0-9"]) == 10
    assert first["demonstrations"] == 3


def test_levels_to_score_on_are_not_mistaken_for_the_demonstrated_ones():
    with pytest.raises(BadInput, match="demonstrated levels under 'train'"):
        Trial("random", "nim", "test:0", test=("train",))
    found = run_trial(Trial("random", "nim", "test:0", test=("train:0-2",)).settings)
    assert {spec: len(won) for spec, won in found["won"].items()} == {"train:0-2": 3, "train": 1}


def test_training_sets_are_distinct_and_the_same_for_all():
    for size in range(1, 11):
        sets = training_sets(size, 10)
        assert len(set(sets)) == 10
        assert all(len(set(levels.split(","))) == size for levels in sets)
    assert len(training_sets(11, 10)) == 1
    assert training_sets(5, 3) == training_sets(5, 10)[:3]


def test_perfect_demonstrations_are_the_experts():
    for name in GAMES:
        game = find(name)
        assert demonstrations(game, "train:0,train:3") == demonstrate(game, load_levels(game, "train:0,train:3"))


def test_noisy_demonstrations_err_about_as_often_as_they_should():
    nim = find("nim")
    counts = {}
    for kind in ("independent", "correlated"):
        demos = demonstrations(nim, "random:0-199", kind, seed=3)
        clean = [step for item in demos for step in item.steps[:1]]  # later steps may be from lost positions
        wrong = [step for step in clean if step.action != nim.expert(step.grid)]
        counts[kind] = len(wrong) / len(clean)
        if kind == "correlated":
            assert all(step.grid[step.action] == "|" for item in demos for step in item.steps)
        assert demos == demonstrations(nim, "random:0-199", kind, seed=3)
        assert demos != demonstrations(nim, "random:0-199", kind, seed=4)
    assert all(NOISE / 2 < rate < NOISE * 1.5 for rate in counts.values())


def test_more_noisy_demonstrations_begin_with_the_same_ones():
    nim = find("nim")
    few, more = (demonstrations(nim, f"random:0-{last}", "correlated", 1) for last in (4, 9))
    assert few.items == more.items[:5]


@pytest.mark.parametrize(("method", "cells"), [("random", "any_cell"), ("random-sensible", "sensible")])
def test_random_play_wins_what_the_floors_say(method, cells):
    game, spec = find("stop-the-fall"), "random:0-29"
    trials = [Trial(method, game.name, "train:0", seed=seed, test=(spec,)) for seed in range(10)]
    mean = np.mean([run_trial(trial.settings)["success"][spec] for trial in trials])
    expected = floor(game, load_levels(game, spec), times=10)
    assert mean == pytest.approx(getattr(expected, cells) / expected.games, abs=0.03)
