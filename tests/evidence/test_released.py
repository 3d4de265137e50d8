"""The paper's questions on levels in a folder: here a folder of our own levels, so that the answers are known."""

from __future__ import annotations

import json

import pytest

from shown.cli import main
from shown.errors import BadInput
from shown.worlds import demonstrate, find, load_levels
from shown_evidence.experiments import find as find_experiment
from shown_evidence.experiments.experiment import Scale
from shown_evidence.experiments.released_levels import as_ours, verdicts
from shown_evidence.report.page import report
from shown_evidence.results.runner import attempt
from shown_evidence.trials.released import FOLDER, digest, games_in, ours
from shown_evidence.trials.row import Row
from shown_evidence.trials.trial import Trial, run_trial

SCALE = Scale(methods=("lpp",), games=("nim", "checkmate"), demos=(1, 2), sets=1)


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Nim and Checkmate Tactic, as a folder of published levels would have them."""
    for name in ("nim", "checkmate"):
        game = find(name)
        demonstrate(game, load_levels(game, "train:0-10")).save(tmp_path / f"{name}.demos.json")
        levels = [level.grid.text for level in load_levels(game, "test:0-8")]
        (tmp_path / f"{name}.test.json").write_text(json.dumps({"game": name, "levels": levels}))
    (tmp_path / "chase.demos.json").write_text("{}")  # without test levels, so it does not count
    monkeypatch.setenv(FOLDER, str(tmp_path))
    return tmp_path


def row(trial: Trial) -> Row:
    return attempt(trial.settings)


def test_our_own_levels_in_a_folder_give_our_own_results(place):
    assert games_in(place) == ["nim", "checkmate"]
    trials = find_experiment("released").trials(SCALE)
    assert {trial.game for trial in trials} == {"nim", "checkmate"}
    assert all(find_experiment("released").belongs(trial.settings) for trial in trials)
    assert not any(find_experiment("demos").belongs(trial.settings) for trial in trials)
    for trial in [trial for trial in trials if trial.game == "nim"][:2]:
        there = as_ours(row(trial))
        here = Trial(trial.method, "nim", ours(trial.levels), options=trial.options, test=("test:0-8",))
        assert there.settings == here.settings
        expected = run_trial(here.settings)
        for name in ("success", "won", "fit", "steps"):
            assert there.result[name] == expected[name]


def test_the_report_has_a_second_verdict_only_where_there_are_results(place):
    trials = [trial for trial in find_experiment("released").trials(SCALE) if trial.game == "nim"]
    rows = [row(trial) for trial in trials]
    judged = verdicts(rows)
    assert judged["demos"][1].measured.startswith(("From 1, with", "From 2, with", "Never"))
    assert "generated" not in judged["demos"][1].measured
    page = report(rows, "results")
    assert "On the authors’ levels" in page
    assert digest(place, "nim") in page
    mine = Trial("lpp", "nim", "train:7", options={"programs": 100}, test=("test:0-8",))
    assert "On the authors’ levels" not in report([row(mine)], "results")


def test_results_are_current_without_the_folder_and_other_files_are_other_trials(place, monkeypatch):
    trial = find_experiment("released").trials(SCALE)[0]
    found = row(trial)
    monkeypatch.delenv(FOLDER)
    assert not found.stale
    assert find_experiment("released").trials(SCALE) == []
    monkeypatch.setenv(FOLDER, str(place))
    (place / "nim.test.json").write_text('{"game": "nim", "levels": ["..\\n||"]}')
    assert find_experiment("released").trials(SCALE)[0].levels != trial.levels
    with pytest.raises(BadInput, match="are not those with the digest"):
        run_trial(trial.settings)


def test_a_folder_is_asked_for_and_checked(tmp_path, monkeypatch, capsys):
    monkeypatch.delenv(FOLDER, raising=False)
    command = ["reproduce", "released", "--results", str(tmp_path / "results")]
    assert main(command) == 2
    assert "released: name the folder with the published levels: --released FOLDER." in capsys.readouterr().err
    monkeypatch.setenv(FOLDER, "")  # restored at the end, since the command sets it
    assert main([*command, "--released", str(tmp_path)]) == 2
    assert "has no GAME.demos.json with a GAME.test.json" in capsys.readouterr().err
    assert not (tmp_path / "results").exists()
