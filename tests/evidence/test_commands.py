import csv
import io
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from measuring import measured
from shown.cli import main
from shown_evidence.experiments import find
from shown_evidence.experiments.experiment import Scale
from shown_evidence.results.row import Row
from shown_evidence.results.runner import attempt
from shown_evidence.results.store import Store
from shown_evidence.trials.trial import Trial, run_trial

TINY = ["--games", "nim", "--demos", "1", "--sets", "1", "--programs", "60", "--levels", "test:0-1,random:0-2"]


def test_a_second_run_does_nothing(tmp_path: Path, capsys: pytest.CaptureFixture):
    path = str(tmp_path / "r.sqlite")
    command = ["reproduce", "demos", "--methods", "lpp,vpi", *TINY, "--store", path, "--workers", "1"]
    assert main(command) == 0
    assert "2 trials: 2 run." in capsys.readouterr().err
    assert main(command) == 0
    assert "2 trials: 0 run, 2 already in the store." in capsys.readouterr().err


@pytest.mark.slow
def test_demos_quick_runs_every_method_and_a_second_run_does_nothing(tmp_path: Path, capsys: pytest.CaptureFixture):
    path = str(tmp_path / "r.sqlite")
    command = ["reproduce", "demos", "--quick", *TINY, "--store", path, "--workers", "2"]
    assert main(command) == 0
    methods = find("demos").methods
    assert f"{len(methods)} trials: {len(methods)} run." in capsys.readouterr().err
    assert main(["results", "--store", path, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {row["settings"]["method"] for row in rows} == set(methods)
    assert all(row["status"] == "ok" and row["result"]["demonstrations"] == 1 for row in rows)
    assert main(command) == 0
    assert f"0 run, {len(methods)} already in the store." in capsys.readouterr().err
    assert main(["results", "--store", path, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == rows


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Some results of Nim."""
    path = tmp_path / "some.sqlite"
    with Store(path) as opened:
        opened.add_many(measured(Trial(method, "nim", "train:7")) for method in ("lpp", "vpi", "lln", "cnn"))
    return path


def test_results_as_csv(store: Path, capsys: pytest.CaptureFixture):
    assert main(["results", "--store", str(store), "--csv", "--method", "lpp"]) == 0
    lines = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [line["count"] for line in lines] == ["1"]
    assert json.loads(lines[0]["options"])["programs"] == 10_000
    assert all(0 <= float(line["success_test"]) <= 1 for line in lines)
    code = Trial("lpp", "nim", "train:7").code
    assert {name: lines[0][f"{name}_code"] for name in code} == code
    assert {"commit", "machine"} <= set(lines[0])


def test_results_as_a_table(store: Path, capsys: pytest.CaptureFixture):
    assert main(["results", "--store", str(store), "--game", "nim"]) == 0
    printed = capsys.readouterr()
    assert "LPP nim from train:7\n" in printed.out
    assert printed.err == "4 results\n"


def test_on_a_fresh_store_nothing_is_stale(store: Path, capsys: pytest.CaptureFixture):
    assert main(["results", "--store", str(store), "--stale"]) == 0
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", "0 results\n")


def test_results_merge(store: Path, tmp_path: Path, capsys: pytest.CaptureFixture):
    more = tmp_path / "more.sqlite"
    with Store(more) as other:
        other.add(measured(Trial("cnn", "nim", "train:4")))
    target = tmp_path / "all.sqlite"
    assert main(["results", "--store", str(target), "--import", str(store), str(more), str(more)]) == 0
    talk = capsys.readouterr().err
    assert "4 results, 4 of them new" in talk
    assert talk.count("1 result, 1 of them new") == 1
    assert talk.count("1 result, 0 of them new") == 1


def test_report_writes_one_page(store: Path, tmp_path: Path, capsys: pytest.CaptureFixture):
    out = tmp_path / "report.html"
    assert main(["report", "--store", str(store), "--out", str(out)]) == 0
    assert out.read_text().startswith("<!doctype html>")
    assert capsys.readouterr().err == f"wrote {out}\n"


def test_a_report_on_the_noise_alone(tmp_path: Path, capsys: pytest.CaptureFixture):
    path, out = str(tmp_path / "r.sqlite"), tmp_path / "report.html"
    asked = ["reproduce", "noise", "--games", "nim", "--demos", "2", "--sets", "1", "--programs", "60"]
    assert main([*asked, "--levels", "test:0", "--store", path, "--workers", "1"]) == 0
    with Store(path) as store:  # as the usual number of programs would have given
        trials = find("noise").trials(Scale(games=("nim",), demos=(2,), sets=1))
        store.add_many(measured(trial) for trial in trials)
    assert main(["report", "--store", path, "--out", str(out), "--figures", str(tmp_path / "figures")]) == 0
    assert sorted(file.name for file in (tmp_path / "figures").iterdir()) == ["noise-generated.svg", "noise-nine.svg"]
    section = out.read_text().partition('<h2 id="demos">')[2].partition("<h2")[0]
    assert "No trials of this experiment" in section
    assert "nan" not in section


@pytest.fixture
def stale_store(store: Path) -> Path:
    """As `store`, but LPP's result is of other code."""
    with Store(store) as opened:
        rows = opened.rows()
    store.unlink()
    with Store(store) as opened:
        other = {"engine": "0" * 16, "game": "0" * 16, "levels": "0" * 16}
        opened.add_many(replace(row, code=other) if row.settings["method"] == "lpp" else row for row in rows)
    return store


def test_stale_results_are_listed_and_marked(stale_store: Path, tmp_path: Path, capsys: pytest.CaptureFixture):
    assert main(["results", "--store", str(stale_store), "--stale", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["settings"]["method"], row["stale"], row["code"]["engine"]) == ("lpp", True, "0" * 16)
    assert main(["results", "--store", str(stale_store)]) == 0
    printed = capsys.readouterr()
    assert "LPP nim from train:7 (stale)\n" in printed.out
    assert "VPI nim from train:7\n" in printed.out
    assert printed.err == "4 results, 1 of them stale\n"
    out = tmp_path / "report.html"
    assert main(["report", "--store", str(stale_store), "--out", str(out)]) == 0
    assert out.read_text().count("<b>1 of the 4 trials shown are stale</b>") == 1


def test_stale_results_are_run_again(stale_store: Path, capsys: pytest.CaptureFixture):
    command = ["reproduce", "demos", "--games", "nim", "--methods", "lpp,vpi", "--demos", "1", "--sets", "1"]
    command += ["--store", str(stale_store), "--workers", "1"]
    assert main([*command, "--list"]) == 0
    assert capsys.readouterr().out == "stale LPP nim from train:7\ndone  VPI nim from train:7\n"
    assert main(command) == 0
    assert "2 trials: 1 run, 1 already in the store." in capsys.readouterr().err
    assert main(["results", "--store", str(stale_store), "--stale"]) == 0
    assert capsys.readouterr().err == "0 results\n"
    with Store(stale_store, writing=False) as opened:
        (row,) = (row for row in opened.rows() if row.settings["method"] == "lpp")
    assert row.code == Trial("lpp", "nim", "train:7").code
    assert row.commit


def test_the_committed_results_are_readable_stale_and_all_of_use(capsys: pytest.CaptureFixture):
    path = Path(__file__).parents[2] / "results" / "results.sqlite"
    with Store(path, writing=False) as opened:
        found = opened.read()
    assert found.bad == []
    assert len(found.rows) > 5000
    assert all(row.stale for row in found.rows if row.code is None)


def test_failed_trials_end_with_exit_1_and_a_list(tmp_path: Path, capsys: pytest.CaptureFixture):
    path = tmp_path / "r.sqlite"
    asked = [
        "reproduce",
        "demos",
        "--games",
        "nim",
        "--methods",
        "vpi",
        "--demos",
        "1",
        "--sets",
        "2",
        "--programs",
        "30",
    ]
    assert main([*asked, "--levels", "test:0,nowhere.json", "--store", str(path), "--workers", "1"]) == 1
    talk = capsys.readouterr().err
    assert "2 trials: 0 run, 2 failed." in talk
    assert talk.count("failed: VPI nim from train:") == 2
    assert "nowhere.json: no such file" in talk
    assert main(["results", "--store", str(path), "--status", "failed"]) == 0
    assert "2 results, 2 of them failed" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["reproduce", "demo"], "no experiment called 'demo'"),
        (["reproduce", "demos", "--games", "nmi"], "no game called 'nmi'. Did you mean 'nim'?"),
        (["reproduce", "demos", "--methods", "lp"], "no method called 'lp'"),
        (["reproduce", "demos", "--demos", "12"], "no trials match these"),
        (["reproduce", "demos", "--workers", "0"], "argument --workers"),
        (["reproduce", "demos", "--store", "no/such/folder/r.sqlite"], "cannot be written"),
        (["results", "--store", "missing.sqlite"], "no such results file"),
        (["report", "--store", "missing.sqlite"], "no such results file"),
    ],
)
def test_wrong_use_gets_one_line_and_exit_2(
    arguments: list[str], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
):
    monkeypatch.chdir(tmp_path)
    try:
        code = main(arguments)
    except SystemExit as leave:
        code = leave.code
    talk = capsys.readouterr().err
    assert code == 2
    assert says in talk
    assert talk.count("\n") == 1


def test_list_runs_nothing(tmp_path: Path, capsys: pytest.CaptureFixture):
    path = tmp_path / "r.sqlite"
    assert main(["reproduce", "all", "--full", "--list", "--store", str(path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    learned = [line for line in lines if " cell " not in line]  # random play also plays other levels
    assert len(learned) == len(set(learned)) > 4000
    assert all(line.startswith("todo  ") for line in lines)
    assert not path.exists()


BLOCK = """
import sys
for name in ("numba", "gymnasium", "PIL", "matplotlib", "sklearn", "scipy"):
    sys.modules[name] = None
"""


@pytest.mark.slow
def test_the_networks_alone_need_only_numpy_and_torch(tmp_path: Path):
    (tmp_path / "sitecustomize.py").write_text(BLOCK)
    out = tmp_path / "networks.sqlite"
    trials = find("demos").trials(
        Scale(full=True, games=("nim",), methods=("cnn",), demos=(1, 10), sets=2, test=("test:0",))
    )
    with Store(out) as opened:
        opened.add(measured(trials[0]))
    command = [sys.executable, "-m", "shown_evidence.cli.network_batches", "--out", str(out), "--processes", "1"]
    command += ["--games", "nim", "--methods", "cnn", "--demos", "1,10", "--sets", "2", "--levels", "test:0"]
    root = Path(__file__).parents[2]
    path = os.pathsep.join(map(str, (tmp_path, root / "src", root / "evidence" / "src")))
    environment = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"}
    ran = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert ran.returncode == 0, ran.stderr
    assert "6 trials: 5 run, 1 already in the store." in ran.stderr
    store = str(tmp_path / "r.sqlite")
    assert main(["results", "--store", store, "--import", str(out)]) == 0
    with Store(store, writing=False) as opened:
        rows = list(opened.rows())
    assert {trial.key for trial in trials} < {row.key for row in rows}
    # What was trained side by side is what one would get alone.
    alone = run_trial(trials[-1].settings)
    together = next(row.result for row in rows if row.key == trials[-1].key)
    assert together is not None
    assert together["success"] == alone["success"]
    assert together["learned"]["training"]["steps"] == alone["learned"]["training"]["steps"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["reproduce", "demos", "--cluster", "local", "--minutes", "1"], "--minutes: not possible with --cluster"),
        (["reproduce", "demos", "--minutes", "-1"], "--minutes"),
        (["results", "--replay", "5"], "--replay: only together with --carry-over"),
        (["results", "--run-again", "x.sqlite"], "--run-again: only together with --carry-over"),
    ],
)
def test_options_that_do_not_go_together_are_refused(words: list[str], said: str, capsys: pytest.CaptureFixture):
    assert main(words) == 2
    assert said in capsys.readouterr().err


def test_a_run_stops_when_its_minutes_are_over(tmp_path: Path, capsys: pytest.CaptureFixture):
    path = str(tmp_path / "r.sqlite")
    assert main(["reproduce", "demos", "--methods", "lpp", *TINY, "--store", path, "--minutes", "0"]) == 0
    assert "1 trial: 0 run, 1 left. Run the same command again to continue." in capsys.readouterr().err


# --- results of earlier code --------------------------------------------------------------------------------------


def of_earlier_code(row: Row) -> Row:
    return replace(row, code={**row.code, "engine": "0" * 16}, commit="a" * 40)


def test_results_that_replay_equally_are_carried_over(tmp_path: Path, capsys: pytest.CaptureFixture):
    old, new = tmp_path / "old.sqlite", tmp_path / "new.sqlite"
    trials = [Trial(method, "nim", f"train:{i}") for method in ("lpp", "vpi-best") for i in (0, 7)]
    rows = [of_earlier_code(attempt(trial.settings)) for trial in trials]
    changed = replace(rows[-1], result={**rows[-1].result, "fit": 0.123})
    network = of_earlier_code(measured(Trial("cnn", "nim", "train:7")))
    nowhere = of_earlier_code(measured(Trial("lpp", "nim", "random:400000", test=("random:500000-500003",))))
    with Store(old) as store:
        store.add_many([*rows[:-1], changed, network, nowhere])
    assert main(["results", "--store", str(new), "--carry-over", str(old), "--replay", "1", "--json"]) == 0
    told = capsys.readouterr()
    assert "lpp: 2 stale results, 2 replayed, all equal: kept" in told.err
    assert "vpi-best: 2 stale results, 2 replayed, 1 differ: none kept" in told.err
    assert "cnn: 1 stale result, 0 replayed, too few" in told.err
    kept = json.loads(told.out)
    assert [(row["settings"]["method"], row["stale"], row["commit"]) for row in kept] == [("lpp", False, "a" * 40)] * 2
    assert main(["reproduce", "demos", "--methods", "lpp", "--games", "nim", "--list", "--store", str(new)]) == 0
    assert "done  LPP nim from train:7" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("alike", "differing", "verdict"),
    [(5, 0, "5 replayed, all equal: kept"), (4, 0, "4 replayed, too few"), (5, 1, "6 replayed, 1 differ: none kept")],
)
def test_networks_are_carried_over_if_those_trained_alike_play_alike(
    tmp_path: Path, capsys: pytest.CaptureFixture, alike: int, differing: int, verdict: str
):
    old, again, new = (str(tmp_path / name) for name in ("old.sqlite", "again.sqlite", "new.sqlite"))
    rows = [measured(Trial("cnn", "nim", f"train:{i}")) for i in range(8)]
    rows = [replace(row, result={**row.result, "learned": {"training": {"loss": 0.5}, "together": 8}}) for row in rows]

    def with_(row: Row, **changes: object) -> Row:
        return replace(row, result={**row.result, **changes})

    run = [with_(row, learned={"training": {"loss": 0.5}, "together": 3}) for row in rows[:alike]]
    run += [with_(row, fit=0.25) for row in rows[alike : alike + differing]]
    run += [with_(row, fit=0.25, learned={"training": {"loss": 0.6}}) for row in rows[alike + differing : 7]]
    with Store(old) as store:
        store.add_many([of_earlier_code(row) for row in rows])
    with Store(again) as store:
        store.add_many(run)
    assert main(["results", "--store", new, "--carry-over", old, "--run-again", again, "--json"]) == 0
    told = capsys.readouterr()
    assert f"cnn: 8 stale results, {verdict}" in told.err
    kept = json.loads(told.out)
    assert len(kept) == (8 if verdict.endswith("equal: kept") else 0)
    assert not any(row["stale"] for row in kept)
    assert [row["result"]["learned"]["together"] for row in kept] == [8] * len(kept)
