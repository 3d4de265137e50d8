"""Versions decide what is stale; the source code does not."""

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import shown
import shown_evidence
from guides import ROOT
from measuring import measured
from shown.errors import BadInput
from shown.worlds import GAMES as PLAYED
from shown_evidence import methods
from shown_evidence.experiments import EXPERIMENTS, find
from shown_evidence.experiments.experiment import Scale
from shown_evidence.methods import DEMONSTRATORS, GAMES, METHODS, PACKAGES, check_packages, versions_of
from shown_evidence.trials import demonstrators
from shown_evidence.trials.learners import METHODS as BUILT
from shown_evidence.trials.trial import Trial

TRIAL = Trial("lpp", "nim", "train:0")


def test_everything_has_a_version_and_says_what_changed_last():
    assert set(METHODS) == set(BUILT)
    assert set(GAMES) == set(PLAYED) | set(PACKAGES)
    assert set(DEMONSTRATORS) == {*demonstrators.KINDS, "style"}
    for table in (METHODS, GAMES, DEMONSTRATORS, methods.LEVELS, methods.JUDGES):
        assert all(number >= 1 and 10 < len(changed) < 110 for number, changed in table.values())


def test_every_trial_of_every_experiment_rests_on_declared_versions():
    """A method, a game, a demonstrator, a judge, and at least one set of levels."""
    for name in EXPERIMENTS:
        for trial in find(name).trials(Scale(full=True, sets=1)):
            kinds = [key.partition(" ")[0] for key in versions_of(trial.settings)]
            assert {"method", "game", "demonstrator", "judge", "levels"} <= set(kinds), trial
            assert ("package" in kinds) == (kinds.count("judge") == 1 and ":" in trial.game)


@pytest.mark.parametrize("name", ["method lpp", "game nim", "levels train", "demonstrator perfect", "judge wins"])
def test_a_row_is_stale_exactly_when_one_of_its_versions_is_older(name: str):
    row = measured(TRIAL)
    assert not row.stale
    older = replace(row, versions={**row.versions, name: 0})
    assert older.older == [name]
    missing = {key: value for key, value in row.versions.items() if key != name}
    assert replace(row, versions=missing).older == [name]
    assert not replace(row, versions={**row.versions, "method vpi": 0}).stale


def test_a_raised_version_makes_its_rows_stale_and_no_others(monkeypatch: pytest.MonkeyPatch):
    rows = [measured(Trial(method, game, "train:0")) for method in ("lpp", "vpi") for game in ("nim", "chase")]
    monkeypatch.setitem(methods.GAMES, "chase", (GAMES["chase"][0] + 1, "the rabbit hops"))
    assert [row.stale for row in rows] == [False, True, False, True]


def test_a_package_is_part_of_the_version_of_its_worlds(monkeypatch: pytest.MonkeyPatch):
    settings = Trial("random", "gym:MiniGrid-Empty-5x5-v0", "seeds:0", test=("seeds:1",)).settings
    assert versions_of(settings)["package minigrid"] == PACKAGES["minigrid"]
    check_packages({settings["game"], "nim"})
    monkeypatch.setitem(methods.PACKAGES, "minigrid", "99.0")
    with pytest.raises(BadInput) as problem:
        check_packages({settings["game"], "nim"})
    assert "99.0" in str(problem.value)
    assert "methods.py" in str(problem.value)


def test_the_pinned_packages_are_those_that_results_are_declared_for():
    pinned = dict(re.findall(r"(?m)^([a-zA-Z-]+)==(\S+)$", (ROOT / "constraints.txt").read_text()))
    for game, name in methods.DISTRIBUTIONS.items():
        assert pinned[name] == PACKAGES[game]


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """A copy of both packages."""
    for package in (shown, shown_evidence):
        source = Path(package.__file__ or "").parent
        shutil.copytree(source, tmp_path / package.__name__, ignore=shutil.ignore_patterns("__pycache__", "static"))
    return tmp_path


def stale(source: Path, results: Path) -> int:
    """The number of stale rows of a folder, by a copy of the packages."""
    environment = {**os.environ, "PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": "1"}
    program = "import sys; from shown.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", program, "results", "--results", str(results), "--stale", "--json"]
    ran = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=source, check=True)
    return len(json.loads(ran.stdout))


def test_a_changed_docstring_a_renamed_variable_and_a_moved_file_make_no_row_stale(elsewhere: Path):
    results = ROOT / "results"
    engine, moved = elsewhere / "shown/engine/planes.py", elsewhere / "shown_evidence/baselines/linear_search.py"
    engine.write_text(engine.read_text().replace('"""', '"""Now otherwise: ', 1).replace("planes", "flat_planes"))
    moved.rename(moved.with_name("aggregation.py"))
    assert stale(elsewhere, results) == 0
    declared = elsewhere / "shown_evidence/methods.py"
    declared.write_text(declared.read_text().replace('"lpp-told": (1,', '"lpp-told": (2,'))
    assert stale(elsewhere, results) == 60
