"""Stored results: files of rows and journals that survive kills, broken lines and several runs at once."""

import gzip
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from measuring import failed, measured
from shown.errors import BadInput
from shown_evidence.results.archive import append, pack, packed, read
from shown_evidence.trials.row import Row
from shown_evidence.trials.trial import Trial

TRIAL, OTHER = Trial("lpp", "nim", "train:0"), Trial("lpp", "nim", "train:1")


def rows(folder: Path) -> list[Row]:
    found = read(folder)
    assert found.bad == []
    return list(found.rows.values())


def test_what_is_appended_is_found_again_before_and_after_packing(tmp_path: Path):
    append(tmp_path, "demos", measured(TRIAL))
    append(tmp_path, "programs", failed(OTHER))
    before = rows(tmp_path)
    assert sorted(before, key=lambda row: row.key) == sorted([measured(TRIAL), failed(OTHER)], key=lambda row: row.key)
    pack(tmp_path)
    assert rows(tmp_path) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == [".lock", "demos.jsonl.gz", "programs.jsonl.gz"]


def test_equal_rows_give_equal_bytes_whatever_their_order(tmp_path: Path):
    trials = [Trial("lpp", "nim", f"train:{i}") for i in range(6)]
    assert packed(map(measured, trials)) == packed(map(measured, reversed(trials)))
    text = gzip.decompress(packed(map(measured, trials))).decode()
    assert len(text.splitlines()) == 6
    assert all(json.loads(line)["settings"]["method"] == "lpp" for line in text.splitlines())


def test_a_good_row_is_never_replaced_a_failed_and_a_stale_one_are(tmp_path: Path):
    stale = replace(measured(TRIAL, 0.9), versions={**measured(TRIAL).versions, "method lpp": 0})
    for row in (failed(TRIAL), stale, measured(TRIAL, 0.5), measured(TRIAL, 0.7), failed(TRIAL), stale):
        append(tmp_path, "demos", row)
    (kept,) = rows(tmp_path)
    assert kept == measured(TRIAL, 0.5)
    pack(tmp_path)
    assert rows(tmp_path) == [kept]


def test_one_experiment_may_replace_the_stale_row_of_another(tmp_path: Path):
    stale = replace(measured(TRIAL, 0.9), versions={**measured(TRIAL).versions, "game nim": 0})
    append(tmp_path, "programs", measured(TRIAL, 0.5))
    append(tmp_path, "demos", stale)
    pack(tmp_path)
    assert rows(tmp_path) == [measured(TRIAL, 0.5)]


def test_a_broken_line_is_named_kept_and_harms_no_other(tmp_path: Path):
    append(tmp_path, "demos", measured(TRIAL))
    journal = tmp_path / "demos.journal.jsonl"
    broken = b'{"settings": {"method": "lpp"\n\xff\xfe\n{"half": "a li'
    with journal.open("ab") as file:
        file.write(broken)
    append(tmp_path, "demos", measured(OTHER))  # begins a line of its own
    for _ in range(2):
        found = read(tmp_path)
        assert [row.settings["levels"] for row in found.rows.values()] == ["train:1", "train:0"] or len(found.rows) == 2
        assert len(found.bad) == 3
        assert all(f"{journal}:" in message for message in found.bad)
        pack(tmp_path)
    assert journal.read_bytes() == broken + b"\n"
    assert len(gzip.decompress((tmp_path / "demos.jsonl.gz").read_bytes()).splitlines()) == 2


def test_the_message_names_file_and_line(tmp_path: Path):
    lines = [measured(TRIAL).to_json(), "{}", measured(OTHER).to_json()]
    (tmp_path / "demos.jsonl.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    (message,) = read(tmp_path).bad
    assert message == f"{tmp_path / 'demos.jsonl.gz'}:2: not a result: Object missing required field `settings`."


def test_a_row_of_newer_code_is_reported_and_left_alone(tmp_path: Path):
    newer = replace(measured(TRIAL), versions={**measured(TRIAL).versions, "method lpp": 99})
    append(tmp_path, "demos", newer)
    pack(tmp_path)
    (message,) = read(tmp_path).bad
    assert "demos.journal.jsonl:1: made with method lpp 99, and this code has" in message
    assert newer.to_json() in (tmp_path / "demos.journal.jsonl").read_text()


def test_a_file_of_no_experiment_is_reported_and_the_others_count(tmp_path: Path):
    append(tmp_path, "demos", measured(TRIAL))
    (tmp_path / "cheese.jsonl.gz").write_bytes(packed([measured(OTHER)]))
    found = read(tmp_path)
    assert list(found.rows.values()) == [measured(TRIAL)]
    assert [message.partition(": ")[0] for message in found.bad] == [str(tmp_path / "cheese.jsonl.gz")]


@pytest.mark.parametrize("content", [packed([measured(TRIAL)])[:-20], b"not packed at all", b"\x1f\x8b" + b"\0" * 40])
def test_a_damaged_file_is_refused_and_stays_as_it_is(content: bytes, tmp_path: Path):
    path = tmp_path / "demos.jsonl.gz"
    path.write_bytes(content)
    append(tmp_path, "demos", measured(OTHER))
    for use in (read, pack):
        with pytest.raises(BadInput) as problem:
            use(tmp_path)
        assert str(path) in str(problem.value)
    assert path.read_bytes() == content
    assert "train:1" in (tmp_path / "demos.journal.jsonl").read_text()


def test_a_missing_folder_is_said(tmp_path: Path):
    with pytest.raises(BadInput) as problem:
        read(tmp_path / "none")
    assert str(tmp_path / "none") in str(problem.value)
    (tmp_path / "file").touch()
    with pytest.raises(BadInput):
        append(tmp_path / "file", "demos", measured(TRIAL))


@pytest.fixture
def read_only() -> Iterator[Path]:
    """A folder with a result in which this user may read but not write, also when the tests are run by root."""
    with tempfile.TemporaryDirectory() as name:
        append(name, "demos", measured(TRIAL))
        os.chmod(name, 0o555)
        root = os.geteuid() == 0
        if root:
            os.seteuid(65534)
        try:
            yield Path(name)
        finally:
            if root:
                os.seteuid(0)
            os.chmod(name, 0o755)


def test_in_a_read_only_folder_it_can_be_read_but_not_written(read_only: Path):
    assert rows(read_only) == [measured(TRIAL)]
    for use in (lambda: pack(read_only), lambda: append(read_only, "demos", measured(OTHER))):
        with pytest.raises(BadInput) as problem:
            use()
        assert str(read_only) in str(problem.value)


def test_two_runs_into_one_file_lose_no_rows(tmp_path: Path):
    """Both append, and pack in between."""
    program = (
        "import sys\n"
        "from measuring import measured\n"
        "from shown_evidence.results.archive import append, pack\n"
        "from shown_evidence.trials.trial import Trial\n"
        "for seed in range(int(sys.argv[2]), int(sys.argv[2]) + 40):\n"
        "    append(sys.argv[1], 'demos', measured(Trial('lpp', 'nim', 'train:0', seed=seed)))\n"
        "    if seed % 7 == 0:\n"
        "        pack(sys.argv[1])\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}

    def run(first: int) -> int:
        return subprocess.run(
            [sys.executable, "-c", program, str(tmp_path), str(first)], env=environment, check=True
        ).returncode

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(run, (0, 40))) == [0, 0]
    assert sorted(row.settings["seed"] for row in rows(tmp_path)) == list(range(80))


RUN = """
import sys, time
from concurrent.futures import ThreadPoolExecutor
from measuring import measured
from shown_evidence.results.runner import run
from shown_evidence.trials.trial import Trial

def work(settings):
    with open(sys.argv[2], "a") as log:
        log.write(f"{settings['seed']}\\n")
    time.sleep(0.002)
    return measured(Trial.from_settings(settings))

trials = [Trial("lpp", "nim", "train:0", seed=seed) for seed in range(400)]
with ThreadPoolExecutor(1) as executor:
    print(run({"demos": trials}, sys.argv[1], executor, work=work).text)
"""


@pytest.mark.slow
def test_killed_at_any_moment_nothing_is_lost(tmp_path: Path):
    folder, log = tmp_path / "results", tmp_path / "log"
    command = [sys.executable, "-c", RUN, str(folder), str(log)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    chance, kept, kills = random.Random(11), set[str](), 0
    for _ in range(8):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        # Let it do a random number of trials more, then a random bit longer, and kill it in whatever it is doing.
        target = len(kept) + chance.randrange(60)
        while process.poll() is None and _lines(log) < target:
            time.sleep(0.001)
        time.sleep(chance.random() / 20)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        kills += process.returncode == -signal.SIGKILL
        if folder.exists():
            found = {row.to_json() for row in read(folder).rows.values()}
            assert kept <= found, "a finished trial was lost or changed"
            kept = found
    final = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert final.stdout.startswith("400 trials: ")
    assert sorted(row.settings["seed"] for row in read(folder).rows.values()) == list(range(400))
    assert kills >= 2


def _lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0
