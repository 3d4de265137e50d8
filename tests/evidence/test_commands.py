import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest

from guides import ROOT
from measuring import failed, measured
from shown.cli import main
from shown_evidence.experiments import find
from shown_evidence.results.archive import append, pack, packed, read
from shown_evidence.trials.trial import Trial

TINY = ["--games", "nim", "--demos", "1", "--sets", "1", "--programs", "60", "--levels", "test:0-1,random:0-2"]
LONG = "x" * 300


def test_a_second_run_does_nothing(tmp_path: Path, capsys: pytest.CaptureFixture):
    command = ["reproduce", "demos", "--methods", "lpp,vpi", *TINY, "--results", str(tmp_path), "--jobs", "1"]
    assert main(command) == 0
    assert "2 trials: 2 run." in capsys.readouterr().err
    assert main(command) == 0
    assert "2 trials: 0 run, 2 already there." in capsys.readouterr().err


@pytest.mark.slow
def test_a_first_look_at_demos_runs_every_method(tmp_path: Path, capsys: pytest.CaptureFixture):
    command = ["reproduce", "demos", *TINY, "--results", str(tmp_path), "--jobs", "2"]
    assert main(command) == 0
    methods = find("demos").methods
    assert f"{len(methods)} trials: {len(methods)} run." in capsys.readouterr().err
    assert main(["results", "--results", str(tmp_path), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {row["settings"]["method"] for row in rows} == set(methods)
    assert all(row["error"] is None and row["result"]["demonstrations"] == 1 for row in rows)


@pytest.fixture
def some(tmp_path: Path) -> Path:
    """A folder with results of Nim; LPP's is stale."""
    folder = tmp_path / "some"
    for method in ("lpp", "vpi", "lln", "cnn"):
        row = measured(Trial(method, "nim", "train:7"))
        append(folder, "demos", replace(row, versions={**row.versions, "method lpp": 0}) if method == "lpp" else row)
    pack(folder)
    return folder


def test_stale_rows_are_listed_with_what_is_older(some: Path, capsys: pytest.CaptureFixture):
    assert main(["results", "--results", str(some), "--stale", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["settings"]["method"], row["stale"], row["versions"]["method lpp"]) == ("lpp", True, 0)
    assert main(["results", "--results", str(some), "--game", "nim"]) == 0
    printed = capsys.readouterr()
    assert "LPP nim from train:7 (stale: method lpp)\n" in printed.out
    assert "VPI nim from train:7\n" in printed.out
    assert printed.err == "4 results, 1 of them stale\n"
    assert main(["results", "--results", str(some), "--stale", "--method", "vpi"]) == 0
    assert capsys.readouterr().err == "0 results\n"


def test_stale_and_failed_rows_are_run_again(some: Path, capsys: pytest.CaptureFixture):
    append(some, "demos", failed(Trial("vpi", "nim", "train:8", options={"programs": 60}, test=("test:0",))))
    command = ["reproduce", "demos", "--full", "--games", "nim", "--methods", "lpp,vpi", "--demos", "1", "--sets", "1"]
    command += ["--results", str(some), "--jobs", "1"]
    assert main([*command, "--list"]) == 0
    assert capsys.readouterr().out == "stale LPP nim from train:7\ndone  VPI nim from train:7\n"
    assert main(command) == 0
    assert "2 trials: 1 run, 1 already there." in capsys.readouterr().err
    (row,) = (row for row in read(some).rows.values() if row.settings["method"] == "lpp")
    assert not row.stale
    assert row.commit


def test_rows_of_others_are_added(some: Path, tmp_path: Path, capsys: pytest.CaptureFixture):
    theirs = tmp_path / "demos.theirs.jsonl.gz"
    rows = [measured(Trial("lpp", "nim", "train:7")), measured(Trial("cnn", "nim", "train:4"))]
    lines = gzip.decompress(packed(rows)) + b"{}\n"
    theirs.write_bytes(gzip.compress(lines))
    assert main(["results", "--results", str(some), "--add", str(theirs), "--json"]) == 0
    printed = capsys.readouterr()
    assert f"{theirs}: 2 rows added" in printed.err
    assert f"skipped: {theirs}:3: not a result" in printed.err
    assert len(json.loads(printed.out)) == 5
    assert not any(row["stale"] for row in json.loads(printed.out))


def test_report_writes_one_page(some: Path, tmp_path: Path, capsys: pytest.CaptureFixture):
    out = tmp_path / "report.html"
    assert main(["report", "--results", str(some), "--out", str(out)]) == 0
    assert out.read_text().lower().startswith("<!doctype html>")
    assert capsys.readouterr().err.endswith(f"wrote {out}\n")


def test_the_committed_results_are_good_and_none_is_stale(monkeypatch: pytest.MonkeyPatch):
    found = read(ROOT / "results")
    assert found.bad == []
    assert len(found.rows) > 15_000
    assert [row.settings for row in found.rows.values() if row.stale or row.status != "ok"] == []


def test_the_committed_results_are_small_and_packed():
    files = [path for path in (ROOT / "results").iterdir() if path.suffix == ".gz"]
    assert sum(path.stat().st_size for path in files) < 3 * 2**20
    for path in files:
        assert path.read_bytes()[4:8] == bytes(4), f"{path} has a time stamp"


def test_failed_trials_end_with_exit_1_and_a_list(tmp_path: Path, capsys: pytest.CaptureFixture):
    asked = ["reproduce", "demos", "--full", "--games", "nim", "--methods", "vpi", "--demos", "1", "--sets", "2"]
    asked += ["--programs", "30", "--levels", "test:0,nowhere.json", "--results", str(tmp_path), "--jobs", "1"]
    assert main(asked) == 1
    talk = capsys.readouterr().err
    assert "2 trials: 0 run, 2 failed." in talk
    assert talk.count("failed: VPI nim from train:") == 2
    assert "nowhere.json: no such file" in talk
    assert main(["results", "--results", str(tmp_path)]) == 0
    assert "2 results, 2 of them failed" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["reproduce", "demo"], "no experiment called 'demo'"),
        (["reproduce", "demos", "--games", "nmi"], "no game called 'nmi'. Did you mean 'nim'?"),
        (["reproduce", "demos", "--methods", "lp"], "no method called 'lp'"),
        (["reproduce", "demos", "--demos", "12"], "no trials match these"),
        (["reproduce", "demos", "--jobs", "0"], "argument --jobs"),
        (["reproduce", "demos", "--results", "file/folder"], "file/folder: cannot be written"),
        (["reproduce", "demos", "--cluster", "auto", "--jobs", "2"], "--jobs: the cluster auto sets"),
        (["reproduce", "released"], "released: name the folder with the published levels: --released FOLDER"),
        (["results"], "results: no such folder"),
        (["results", "--results", "missing"], "missing: no such folder"),
        (["results", "--results", ".", "--add", "demos.txt"], "demos.txt: no such file"),
        (["results", "--results", ".", "--add", "other.jsonl"], "no experiment called 'other'"),
        (["report", "--results", "missing"], "missing: no such folder"),
        *[([*command, "--results", LONG], LONG) for command in (["report"], ["results"], ["reproduce", "demos"])],
        (["report", "--results", ".", "--figures", LONG], f"{LONG}: cannot create this folder"),
        (["report", "--results", ".", "--figures", "file/in"], "file/in: cannot create this folder"),
    ],
)
def test_wrong_use_gets_one_line_and_exit_2(
    arguments: list[str], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
):
    monkeypatch.chdir(tmp_path)
    Path("file").touch()
    try:
        code = main(arguments)
    except SystemExit as leave:
        code = leave.code
    lines = capsys.readouterr().err.splitlines()
    assert code == 2
    assert len(lines) == 1
    assert says in lines[0]


def test_trials_are_listed_without_a_store_of_any_name(capsys: pytest.CaptureFixture):
    assert main(["reproduce", "demos", "--games", "nim", "--list", "--results", LONG]) == 0
    assert "todo" in capsys.readouterr().out


def test_list_runs_nothing(tmp_path: Path, capsys: pytest.CaptureFixture):
    folder = tmp_path / "results"
    assert main(["reproduce", "all", "--full", "--list", "--results", str(folder)]) == 0
    lines = capsys.readouterr().out.splitlines()
    learned = [line for line in lines if " cell " not in line]  # random play also plays other levels
    assert len(learned) == len(set(learned)) > 4000
    assert all(line.startswith("todo  ") for line in lines)
    assert not folder.exists()
