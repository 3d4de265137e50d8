import contextlib
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from measuring import measured
from shown.errors import BadInput
from shown_evidence.results.row import Row
from shown_evidence.results.store import APPLICATION_ID, SCHEMA, Store
from shown_evidence.trials.trial import Trial

TRIAL = Trial("lpp", "nim", "train:0")
OTHER = Trial("lpp", "nim", "train:1")


def failed(trial: Trial, error: str = "no luck") -> Row:
    return Row(trial.settings, "failed", None, error, 0.1, code=trial.code)


def done(store: Store) -> set[str]:
    return {row.key for row in store.rows(status="ok")}


def test_what_is_added_is_found_again(tmp_path: Path):
    with Store(tmp_path / "r.sqlite") as store:
        store.add(measured(TRIAL))
        store.add(failed(OTHER))
    with Store(tmp_path / "r.sqlite", writing=False) as store:
        rows = {row.key: row for row in store.rows()}
        assert done(store) == {TRIAL.key}
        assert [row.key for row in store.rows(status="failed")] == [OTHER.key]
    assert rows[TRIAL.key].settings == TRIAL.settings
    assert rows[TRIAL.key].result == measured(TRIAL).result
    assert rows[OTHER.key].error == "no luck"
    assert rows[OTHER.key].finished


def test_a_good_result_is_never_replaced_and_a_failed_one_is(tmp_path: Path):
    with Store(tmp_path / "r.sqlite") as store:
        store.add(failed(TRIAL))
        store.add(measured(TRIAL, 0.5))
        store.add(measured(TRIAL, 0.9))
        store.add(failed(TRIAL))
        (row,) = store.rows()
    assert row.status == "ok"
    assert row.result is not None
    assert row.result["fit"] == 0.5


def test_closed_it_is_one_plain_file(tmp_path: Path):
    with Store(tmp_path / "r.sqlite") as store:
        store.add(measured(TRIAL))
    with Store(tmp_path / "r.sqlite", writing=False) as store:
        assert len(list(store.rows())) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["r.sqlite"]


@pytest.mark.parametrize(("schema", "age"), [(SCHEMA + 1, "a newer"), (2, "an older")])
def test_a_store_of_another_version_is_refused(tmp_path: Path, schema: int, age: str):
    path = tmp_path / "r.sqlite"
    Store(path).close()
    database = sqlite3.connect(path)
    database.execute(f"PRAGMA user_version = {schema}")
    database.close()
    for writing in (True, False):
        with pytest.raises(BadInput, match=f"written by {age} version of shown"):
            Store(path, writing=writing)


def test_what_is_not_a_store_is_refused(tmp_path: Path):
    text = tmp_path / "notes.txt"
    text.write_text("These are only notes, but long enough for a database file. " * 20)
    with pytest.raises(BadInput, match="not a results file"):
        Store(text)
    foreign = tmp_path / "foreign.sqlite"
    with sqlite3.connect(foreign) as database:
        database.execute("CREATE TABLE cheese (name TEXT)")
    database.close()
    with pytest.raises(BadInput, match="not a results file of shown"):
        Store(foreign)
    with pytest.raises(BadInput, match="is a folder"):
        Store(tmp_path)
    with pytest.raises(BadInput, match="no such results file"):
        Store(tmp_path / "missing.sqlite", writing=False)


def test_a_full_disk_is_said_in_one_line_and_loses_nothing(tmp_path: Path):
    with Store(tmp_path / "r.sqlite") as store:
        store.add(measured(TRIAL))
        pages = store._database.execute("PRAGMA page_count").fetchone()[0]
        store._database.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(BadInput, match="the disk is full"):
            store.add_many([measured(Trial("lpp", "nim", f"random:{seed}")) for seed in range(200)])
        assert done(store) == {TRIAL.key}


@contextlib.contextmanager
def read_only(folder: Path):
    """Make a folder one in which this user may read but not write, also when the tests are run by root."""
    os.chmod(folder, 0o555)
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)
        os.chmod(folder, 0o755)


@pytest.fixture
def path():
    """A new file in a folder that others may enter, unlike `tmp_path`."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder) / "r.sqlite"


def test_in_a_read_only_folder_it_can_be_read_but_not_written(path: Path):
    with Store(path) as store:
        store.add(measured(TRIAL))
    with read_only(path.parent):
        for name in ("r.sqlite", "new.sqlite"):
            with pytest.raises(BadInput, match="cannot be written"):
                Store(path.with_name(name))
        with Store(path, writing=False) as store:
            assert done(store) == {TRIAL.key}


@pytest.mark.parametrize("index", [True, False])
def test_what_a_killed_run_left_can_be_read_in_a_read_only_folder(index: bool, path: Path):
    program = (
        "import os, signal, sys\n"
        "from shown_evidence.results.store import Store\n"
        "from shown_evidence.results.row import Row\n"
        "from shown_evidence.trials.trial import Trial\n"
        "store = Store(sys.argv[1])\n"
        "store.add(Row(Trial('lpp', 'nim', 'train:0').settings, 'failed', None, 'no luck', 0.1))\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    subprocess.run([sys.executable, "-c", program, str(path)])
    assert path.with_name("r.sqlite-wal").stat().st_size > 0
    if not index:
        path.with_name("r.sqlite-shm").unlink()
    with read_only(path.parent):
        before = sorted(os.listdir(path.parent))
        with Store(path, writing=False) as store:
            assert [row.error for row in store.rows()] == ["no luck"]
        assert sorted(os.listdir(path.parent)) == before


def test_two_runs_cannot_write_at_once(tmp_path: Path):
    with Store(tmp_path / "r.sqlite") as first:
        with pytest.raises(BadInput, match="another run is writing"):
            Store(tmp_path / "r.sqlite")
        first.add(measured(TRIAL))
        with Store(tmp_path / "r.sqlite", writing=False) as reader:
            assert done(reader) == {TRIAL.key}
    with Store(tmp_path / "r.sqlite") as second:
        assert done(second) == {TRIAL.key}


def test_an_empty_file_becomes_a_store(tmp_path: Path):
    (tmp_path / "r.sqlite").touch()
    with Store(tmp_path / "r.sqlite", writing=False) as store:
        assert list(store.rows()) == []
    with Store(tmp_path / "r.sqlite") as store:
        assert store._database.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)


RUN = """
import sys
from shown_evidence.results.runner import run
from shown_evidence.results.row import Row
from shown_evidence.results.store import Store
from shown_evidence.trials.trial import Trial, settings_key

RESULT = {
    "success": {}, "won": {}, "fit": 1.0, "seconds": {"learn": 0.1, "play": 0.1}, "demonstrations": 1, "steps": 1,
    "learned": {},
}

def execute(trials):
    with open(sys.argv[2], "a") as log:
        for settings in trials:
            log.write(settings_key(settings) + "\\n")
            log.flush()
            yield Row(settings, "ok", RESULT, None, 0.0, code=Trial.from_settings(settings).code)

trials = [Trial("lpp", "nim", "train:0", seed=seed) for seed in range(400)]
with Store(sys.argv[1]) as store:
    print(run(trials, store, execute).text)
"""


@pytest.mark.slow
def test_killed_at_any_moment_nothing_is_lost_or_done_twice(tmp_path: Path):
    path, log = tmp_path / "r.sqlite", tmp_path / "log"
    command = [sys.executable, "-c", RUN, str(path), str(log)]
    chance = random.Random(11)
    kept: dict[str, Row] = {}
    kills = 0
    for _ in range(8):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        # Let it do a random number of trials more, then a random bit longer, and kill it in whatever it is doing.
        target = len(kept) + chance.randrange(60)
        while process.poll() is None and _lines(log) < target:
            time.sleep(0.001)
        time.sleep(chance.random() / 50)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        kills += process.returncode == -signal.SIGKILL
        if path.exists():
            with Store(path, writing=False) as store:
                rows = {row.key: row for row in store.rows()}
            assert all(rows[key] == row for key, row in kept.items()), "a finished trial was lost or changed"
            kept = rows
        if process.returncode == 0:
            break
    final = subprocess.run(command, capture_output=True, text=True, check=True)
    assert final.stdout.startswith("400 trials: ")
    with Store(path, writing=False) as store:
        rows = list(store.rows())
    assert sorted(row.settings["seed"] for row in rows) == list(range(400))
    assert kills >= 2
    # Each kill costs at most the trial in flight: that one alone may have been begun twice.
    assert _lines(log) - 400 <= kills


def _lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0
