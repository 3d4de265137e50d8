"""The search over settings of the networks."""

import pytest

from guides import ROOT
from measuring import measured
from shown_evidence.experiments import find
from shown_evidence.experiments.experiment import Scale
from shown_evidence.experiments.networks import SETTINGS, TUNED, chosen
from shown_evidence.results.archive import read
from shown_evidence.trials.learners import METHODS, NETWORKS
from shown_evidence.trials.row import Row
from shown_evidence.trials.trial import Trial, run_trial

SEARCH = find("network-settings")


def is_at(trial: Trial, place: int) -> bool:
    return SETTINGS[place].items() <= trial.options.items()


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    """The second and the third setting win most, equally; the first misses a trial in which it would win all."""
    trials = find("network-settings").trials(Scale(full=True, methods=("fcn-mirrored",)))
    best = [1.0 if is_at(trial, 0) else 0.5 if is_at(trial, 1) or is_at(trial, 2) else 0.25 for trial in trials]
    return [measured(trial, mean) for trial, mean in zip(trials, best, strict=True)][1:]


def test_settings_are_tried_on_levels_for_choosing_only():
    trials = SEARCH.trials(Scale(full=True))
    assert len(trials) == len({trial.key for trial in trials}) == 2 * 6 * len(SETTINGS) * 3
    assert {trial.levels for trial in trials} == {f"random:{n}-{n + 4}" for n in (200_000, 200_010, 200_020)}
    assert {trial.test for trial in trials} == {("random:300000-300099",)}
    assert {trial.method for trial in trials} | TUNED.keys() <= set(NETWORKS)


def test_the_first_of_the_best_whole_settings_is_chosen(rows: list[Row]):
    assert chosen(rows, "fcn-tuned") == SETTINGS[1]
    assert chosen(rows, "cnn-tuned") is None
    shown = SEARCH.present(rows)
    assert [line[5:7] for line in shown.exhibits[0].rows[:3]] == [["–", "–"], ["50 %", "–"], ["50 %", "–"]]
    assert shown.text == [
        "12 settings tried. Chosen for FCN, tuned: loss cells, rate 0.001, enough 0.01, patience 1000, steps 5000."
    ]


@pytest.mark.parametrize(("method", "loss"), [("fcn", "choice"), ("cnn-mirrored", "cells")])
def test_networks_learn_with_the_other_loss_too(method: str, loss: str):
    options = {**next(own for own in SETTINGS if own["loss"] == loss and own["rate"] == 0.01), "steps": 300}
    trials = [Trial(method, "nim", f"random:{n}", options=options, test=("random:300000",)) for n in (200_000, 200_010)]
    assert all(run_trial(trial.settings)["fit"] > 0.5 for trial in trials)


@pytest.mark.slow
@pytest.mark.parametrize("tuned", TUNED)
def test_tuned_networks_have_the_settings_that_the_committed_search_chose(tuned: str):
    rows = read(ROOT / "results").rows.values()
    found = chosen([row for row in rows if SEARCH.belongs(row.settings)], tuned)
    assert found is not None
    tried = METHODS[TUNED[tuned]]
    assert METHODS[tuned].factory == tried.factory
    assert METHODS[tuned].options == {**tried.options, **found}
