import os
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import pytest

import shown
import shown_evidence
from measuring import failed, measured
from shown_evidence.results.archive import append, read
from shown_evidence.results.executors import Processes, RayCluster, WorkerDied
from shown_evidence.results.runner import attempt, duration, run
from shown_evidence.trials.row import Row
from shown_evidence.trials.trial import Trial

SMALL = {"test": ("test:0-1",), "options": {"programs": 40}}
GOOD = [Trial("vpi", "nim", f"train:{i}", **SMALL) for i in range(3)]
BAD = Trial("vpi", "nim", "train:99", **SMALL)


@pytest.fixture
def here():
    """An executor in this process, one job after the other."""
    with ThreadPoolExecutor(1) as executor:
        yield executor


def rows(folder: Path) -> list[Row]:
    return list(read(folder).rows.values())


def measurements(row: Row) -> tuple:
    return row.key, row.result, {name: value for name, value in row.work.items() if not name.endswith("seconds")}


def test_a_trial_that_fails_is_recorded_and_does_not_stop_the_others(tmp_path: Path, here: ThreadPoolExecutor):
    summary = run({"demos": [GOOD[0], BAD, GOOD[1]]}, tmp_path, here)
    assert (summary.done, [row.key for row in summary.failed]) == (2, [BAD.key])
    (row,) = (row for row in rows(tmp_path) if row.status == "failed")
    assert row.error == "nim has train levels 0 to 10; there is no train:99."
    assert summary.text == "3 trials: 2 run, 1 failed."


def test_a_row_has_its_versions_work_commit_and_machine():
    row = attempt(GOOD[0].settings)
    assert row.versions == measured(GOOD[0]).versions
    assert row.work["programs"] == 40
    assert row.work["learn_seconds"] > 0
    assert row.commit
    assert "Python 3" in row.machine
    assert row.finished.endswith("+00:00")


def test_a_rerun_does_only_what_is_missing_and_tries_failed_ones_again(tmp_path: Path, here: ThreadPoolExecutor):
    asked = []

    def work(settings):
        asked.append(settings["levels"])
        return attempt(settings)

    run({"demos": [GOOD[0], BAD]}, tmp_path, here, work=work)
    summary = run({"demos": GOOD[:2], "programs": [*GOOD, BAD]}, tmp_path, here, work=work)
    assert asked == ["train:0", "train:99", "train:1", "train:2", "train:99"]
    assert summary.text == "4 trials: 2 run, 1 already there, 1 failed."
    assert sorted(path.name for path in tmp_path.glob("*.gz")) == ["demos.jsonl.gz", "programs.jsonl.gz"]


def test_processes_give_what_this_process_gives():
    with Processes(2) as executor:
        there = [executor.submit(attempt, trial.settings) for trial in GOOD]
        assert [measurements(each.result()) for each in there] == [measurements(attempt(t.settings)) for t in GOOD]


def die_or(settings):
    """Kill the process at the second level."""
    if settings["levels"] == "train:1":
        os.kill(os.getpid(), signal.SIGKILL)
    return attempt(settings)


def test_a_process_that_dies_fails_its_own_trial_only(tmp_path: Path):
    with Processes(1) as executor:
        summary = run({"demos": GOOD}, tmp_path, executor, work=die_or)
    assert summary.text == "3 trials: 2 run, 1 failed."
    (dead,) = summary.failed
    assert dead.key == GOOD[1].key
    assert "the process that ran it died" in (dead.error or "")


def test_an_error_of_a_job_reaches_who_waits_for_it():
    with Processes(1) as executor:
        waiting = [executor.submit(int, "x"), executor.submit(os._exit, 3), executor.submit(int, "7")]
        assert [type(each.exception()) for each in waiting] == [ValueError, WorkerDied, type(None)]
        assert waiting[2].result() == 7
        assert len(list(as_completed(waiting))) == 3


def test_ctrl_c_keeps_what_is_done_and_starts_nothing_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    from shown_evidence.results import runner

    def interrupted(folder: Path, name: str, row: Row) -> None:
        append(folder, name, row)
        raise KeyboardInterrupt

    monkeypatch.setattr(runner, "append", interrupted)
    with Processes(1) as executor:
        summary = run({"demos": GOOD}, tmp_path, executor)
    assert summary.stopped
    assert len(rows(tmp_path)) == 1
    assert "Run the same command again to continue." in summary.text


def test_rows_of_workers_with_other_versions_fail(tmp_path: Path, here: ThreadPoolExecutor):
    def work(settings):
        row = measured(Trial.from_settings(settings))
        return Row(row.settings, {**row.versions, "method vpi": 99}, row.result)

    summary = run({"demos": GOOD[:1]}, tmp_path, here, work=work)
    assert "other versions" in (summary.failed[0].error or "")


def test_the_commit_is_marked_if_files_have_changed(tmp_path: Path):
    program = "from shown_evidence.results.machine import commit; print(commit())"
    for package in (shown, shown_evidence):
        source = Path(package.__file__ or "").parent
        shutil.copytree(source, tmp_path / package.__name__, ignore=shutil.ignore_patterns("__pycache__", "static"))
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    environment["GIT_CEILING_DIRECTORIES"] = str(tmp_path.parent)

    def say() -> str:
        command = [sys.executable, "-c", program]
        return subprocess.run(command, capture_output=True, text=True, env=environment, check=True).stdout.strip()

    def git(*words: str) -> str:
        names = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false")
        command = ["git", "-C", str(tmp_path), *names, *words]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    git("init", "-q")
    assert say() == f"version {shown.__version__}", "another project's clone"
    git("add", ".")
    git("commit", "-qm", "first")
    head = git("rev-parse", "--short=12", "HEAD")
    assert say() == head
    with (tmp_path / "shown_evidence" / "methods.py").open("a") as file:
        file.write("\n# another thought\n")
    assert say() == f"{head}+"


COMMAND = [
    *(sys.executable, "-c", "import sys; from shown.cli import main; sys.exit(main())", "reproduce", "demos"),
    *("--methods", "vpi", "--games", "nim", "--programs", "200", "--full", "--levels", "test:0-8", "--jobs", "2"),
]


@pytest.fixture
def running(tmp_path: Path):
    """A run of a hundred real trials by the command line, some of them done."""
    folder = tmp_path / "results"
    process = subprocess.Popen([*COMMAND, "--results", str(folder)], stderr=subprocess.PIPE, text=True)
    while process.poll() is None and not (folder.exists() and len(rows(folder)) >= 5):
        time.sleep(0.05)
    yield process, folder
    process.kill()
    process.wait()


@pytest.mark.slow
def test_a_killed_command_leaves_no_process_behind_and_goes_on(running: tuple):
    process, folder = running
    workers = [int(pid) for pid in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()]
    process.kill()
    process.communicate()
    deadline = time.monotonic() + 60
    while any(_runs(pid) for pid in workers) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not [pid for pid in workers if _runs(pid)]
    before = {row.to_json() for row in rows(folder)}
    again = subprocess.run([*COMMAND, "--results", str(folder)], capture_output=True, text=True, check=True)
    assert f"{100 - len(before)} run" in again.stderr
    after = {row.to_json() for row in rows(folder)}
    assert len(after) == 100
    assert before <= after


@pytest.mark.slow
@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_command_says_how_to_continue(running: tuple, stop: signal.Signals):
    process, folder = running
    process.send_signal(stop)
    _, talk = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Run the same command again to continue." in talk
    assert sorted(os.listdir(folder)) == [".lock", "demos.jsonl.gz"]


@pytest.mark.slow
def test_ray_gives_the_same_rows_and_a_dead_worker_fails_its_trial_only(tmp_path: Path):
    def die_at(place, settings):
        if settings["levels"] == f"train:{place}":
            os._exit(1)
        return attempt(settings)

    with RayCluster("local", 2) as executor:
        summary = run({"demos": GOOD}, tmp_path / "good", executor)
        assert summary.text == "3 trials: 3 run."
        # A nested function travels by value: Ray's workers cannot import this file.
        deaths = run({"demos": GOOD}, tmp_path / "dying", executor, work=lambda settings: die_at(1, settings))
    assert deaths.text == "3 trials: 2 run, 1 failed."
    here = sorted(measurements(attempt(trial.settings)) for trial in GOOD)
    assert sorted(map(measurements, rows(tmp_path / "good"))) == here


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_an_unexpected_error_names_its_place(monkeypatch: pytest.MonkeyPatch):
    def broken(*_: object) -> None:
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr("shown_evidence.results.runner.run_trial", broken)
    assert (attempt(GOOD[0].settings).error or "").startswith("ZeroDivisionError: by zero (test_runner.py:")


def test_a_failed_row_is_valid_whatever_its_message(tmp_path: Path):
    append(tmp_path, "demos", failed(GOOD[0], "\x1b]0;\udcff".encode("utf-8", "backslashreplace").decode()))
    assert len(rows(tmp_path)) == 1


def test_durations_are_readable():
    assert [duration(seconds) for seconds in (4, 99, 600, 7200)] == ["4 s", "99 s", "10 min", "2.0 h"]
