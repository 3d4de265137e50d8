import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from measuring import measured
from shown_evidence.results.runner import attempt, duration, in_this_process, on_cores, run
from shown_evidence.results.store import Store
from shown_evidence.trials.trial import Trial

SMALL = {"test": ("test:0-1",), "options": {"programs": 40}}
GOOD = [Trial("vpi", "nim", f"train:{i}", **SMALL) for i in range(3)]
BAD = Trial("vpi", "nim", "train:99", **SMALL)


def test_a_trial_that_fails_is_recorded_and_does_not_stop_the_others(tmp_path: Path):
    with Store(tmp_path / "r.sqlite") as store:
        summary = run([GOOD[0], BAD, GOOD[1]], store, in_this_process)
        assert (summary.done, len(summary.failed)) == (2, 1)
        (row,) = store.rows(status="failed")
    assert row.key == BAD.key
    assert row.error == "nim has train levels 0 to 10; there is no train:99."
    assert summary.text == "3 trials: 2 run, 1 failed."


def test_a_rerun_does_only_what_is_missing_and_tries_failed_ones_again(tmp_path: Path):
    asked = []

    def execute(trials):
        asked.append([settings["levels"] for settings in trials])
        return in_this_process(trials)

    with Store(tmp_path / "r.sqlite") as store:
        run([GOOD[0], BAD], store, execute)
        summary = run([*GOOD, GOOD[0], BAD], store, execute)
    assert asked == [["train:0", "train:99"], ["train:1", "train:2", "train:99"]]
    assert summary.text == "4 trials: 2 run, 1 already in the store, 1 failed."


def test_workers_give_what_this_process_gives(tmp_path: Path):
    here = {row.key: row.result for row in in_this_process([trial.settings for trial in GOOD])}
    there = {row.key: row.result for row in on_cores([trial.settings for trial in GOOD], 2)}
    for key, result in here.items():
        assert {**result, "seconds": None} == {**there[key], "seconds": None}


def test_a_process_that_dies_fails_its_own_trial_only():
    results = on_cores([trial.settings for trial in GOOD[:2]], 1)
    rows = []
    original = multiprocessing.active_children

    def first() -> None:
        rows.append(next(results))

    # The first worker is killed while it starts; its trial fails, and another worker does the second trial.
    import threading

    thread = threading.Thread(target=first)
    thread.start()
    while not original():
        time.sleep(0.01)
    os.kill(original()[0].pid, signal.SIGKILL)
    thread.join()
    rows += list(results)
    assert [row.status for row in rows] == ["failed", "ok"]
    assert "ended by signal SIGKILL" in rows[0].error
    assert [row.key for row in rows] == [trial.key for trial in GOOD[:2]]


def test_ctrl_c_keeps_what_is_done(tmp_path: Path):
    def execute(trials):
        yield measured(Trial.from_settings(trials[0]))
        raise KeyboardInterrupt

    with Store(tmp_path / "r.sqlite") as store:
        summary = run(GOOD, store, execute)
        assert {row.key for row in store.rows(status="ok")} == {GOOD[0].key}
    assert summary.stopped
    assert summary.text == "3 trials: 1 run, 2 left. Run the same command again to continue."


COMMAND = [
    *(sys.executable, "-c", "import sys; from shown.cli import main; sys.exit(main())", "reproduce", "demos"),
    *("--methods", "vpi", "--games", "nim", "--programs", "200", "--full", "--levels", "test:0-8", "--workers", "2"),
]


@pytest.fixture
def running(tmp_path: Path):
    """A run of a hundred real trials by the command line, some of them done."""
    path = tmp_path / "r.sqlite"
    process = subprocess.Popen([*COMMAND, "--store", str(path)], stderr=subprocess.PIPE, text=True)
    while process.poll() is None:
        if path.exists():
            with Store(path, writing=False) as store:
                if len({row.key for row in store.rows(status="ok")}) >= 5:
                    break
        time.sleep(0.05)
    yield process, path
    process.kill()
    process.wait()


@pytest.mark.slow
def test_a_killed_command_leaves_no_process_behind_and_goes_on(running: tuple):
    process, path = running
    workers = [int(pid) for pid in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()]
    process.kill()
    process.communicate()
    deadline = time.monotonic() + 60
    while any(_runs(pid) for pid in workers) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not [pid for pid in workers if _runs(pid)]
    with Store(path, writing=False) as store:
        before = {row.key: row for row in store.rows()}
    again = subprocess.run([*COMMAND, "--store", str(path)], capture_output=True, text=True, check=True)
    assert f"{100 - len(before)} run" in again.stderr
    with Store(path, writing=False) as store:
        after = {row.key: row for row in store.rows()}
    assert len(after) == 100
    assert all(after[key] == row for key, row in before.items())


@pytest.mark.slow
def test_an_interrupted_command_says_how_to_continue(running: tuple):
    process, path = running
    process.send_signal(signal.SIGINT)
    _, talk = process.communicate()
    assert process.returncode == 130
    assert "Run the same command again to continue." in talk
    assert [name for name in os.listdir(path.parent) if name != path.name] == []


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_an_unexpected_error_names_its_place(monkeypatch: pytest.MonkeyPatch):
    def broken(*_: object) -> None:
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr("shown_evidence.results.runner.run_trial", broken)
    row = attempt(GOOD[0].settings)
    assert row.error is not None
    assert row.error.startswith("ZeroDivisionError: by zero (test_runner.py:")


def test_durations_are_readable():
    assert [duration(seconds) for seconds in (4, 99, 600, 7200)] == ["4 s", "99 s", "10 min", "2.0 h"]
