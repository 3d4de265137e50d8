"""Demonstrations in scripted styles, and the experiments that go beyond the paper."""

import json

import pytest

from measuring import all_measured, measured
from shown_evidence.analysis.exhibits import Table
from shown_evidence.analysis.statistics import found, interval, mean_and_interval, paired_difference, select
from shown_evidence.experiments import find
from shown_evidence.experiments.experiment import Scale
from shown_evidence.experiments.scripted_styles import chance_error
from shown_evidence.results.runner import attempt
from shown_evidence.trials.trial import Trial

TINY = Scale(games=("nim", "fence-in"), demos=(1, 3), sets=1, programs=200, test=("random:900000-900003",))


# --- scripted styles ----------------------------------------------------------------------------------------------


def test_what_is_tiny_is_narrowed():
    trials = find("styles").trials(TINY)
    assert {trial.test for trial in trials} == {("random:900000-900003",)}
    assert {trial.options["programs"] for trial in trials} == {200}
    assert {trial.game for trial in trials} == {"nim", "fence-in"}


# --- what is counted ----------------------------------------------------------------------------------------------


def test_a_mean_has_an_interval_that_does_not_depend_on_the_order():
    values = [0.0, 0.2, 0.9, 1.0, 1.0]
    low, high = interval(values)
    assert 0 < low < sum(values) / 5 < high <= 1
    assert interval(reversed(values)) == (low, high)
    assert str(interval([])) == "(nan, nan)"


def test_differences_are_paired_by_demonstrations():
    trials = find("beyond").trials(Scale(full=True, games=("nim", "chase"), sets=3))
    better = {"lpp": 0.0, "shown": 0.1, "shown-practice": 0.3}
    rows = all_measured(trials, lambda trial: better[trial.method] + int(trial.levels[7:14]) % 100 / 100)
    lpp, practiced = (select(rows, method=method) for method in ("lpp", "shown-practice"))
    mean, low, high = paired_difference(practiced, lpp, "random")
    assert (round(mean, 6), round(low, 6), round(high, 6)) == (0.3, 0.3, 0.3), "which sets are hard does not matter"
    assert paired_difference(practiced[:-1], lpp[1:], "random")[0] == pytest.approx(0.3)
    table = [plot for plot in find("beyond").present(rows).exhibits if isinstance(plot, Table)][1]
    assert table.rows[1] == ["shown + practice − LPP", *["+30 (+30 to +30)"] * 5]
    assert table.rows[2][0] == "shown + practice − shown"


def test_overlapping_sets_have_wider_intervals():
    values = [0.1, 0.2, 0.3, 0.2]
    apart, half = mean_and_interval(values), mean_and_interval(values, overlap=0.5)
    assert apart[0] == half[0]
    assert (half[2] - half[0]) / (apart[2] - apart[0]) == pytest.approx(5**0.5), "(1/4 + 1) / (1/4)"
    assert str(mean_and_interval([0.5])) == "(0.5, nan, nan)"


def test_calibration_has_a_floor():
    trials = find("confidence").trials(Scale(full=True, games=("nim",), methods=("shown",), sets=1))
    rows = [measured(trial, 0.5, expected=0.5, expected_of=100) for trial in trials]
    mean, most = chance_error(rows, draws=200)
    assert 0 < mean < most < 0.1
    few = [measured(trial, 0.5, expected=0.5, expected_of=5) for trial in trials]
    assert chance_error(few, draws=200)[0] > mean


def test_whether_a_rule_was_found_is_known():
    trial = Trial("lpp", "nim", "train:0")
    assert found(measured(trial))
    assert not found(measured(trial, found=False))


def test_rows_of_styles_are_json():
    row = attempt(
        Trial("shown", "nim", "random:910000", "style:slips", options={"programs": 50}, test=("test:0",)).settings
    )
    assert row.error is None
    assert json.loads(json.dumps(row.to_json()))["settings"]["demonstrations"] == "style:slips"
