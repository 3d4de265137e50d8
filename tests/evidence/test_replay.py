"""Stored rows are run again and compared."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from measuring import measured
from shown.cli import main
from shown_evidence.results.archive import append
from shown_evidence.results.replay import drawn, replay
from shown_evidence.results.runner import attempt
from shown_evidence.trials.row import Row
from shown_evidence.trials.trial import Trial

SMALL: dict[str, Any] = {"test": ("test:0-1",), "options": {"programs": 40}}
GOOD = [attempt(Trial("vpi", "nim", f"train:{i}", **SMALL).settings) for i in range(3)]
NETWORK = Trial("cnn", "nim", "train:0", options={"steps": 5}, test=("test:0-1",))


def with_result(row: Row, **changes: Any) -> Row:
    return replace(row, result={**(row.result or {}), **changes})


def notes(rows: list[Row], outcomes: bool = False) -> list[str]:
    with ThreadPoolExecutor(1) as executor:
        return [each.note for each in replay(rows, executor, outcomes)]


def test_equal_rows_are_equal_and_others_are_shown_side_by_side():
    changed = with_result(GOOD[1], fit=0.125)
    learned = with_result(GOOD[2], learned={**(GOOD[2].result or {})["learned"], "depth": 77})
    found = notes([GOOD[0], changed, learned])
    assert found[0] == "equal"
    assert found[1] == f"fit: 0.125 -> {(GOOD[1].result or {})['fit']}"
    assert found[2].startswith("learned depth: 77 -> ")


def test_what_cannot_be_compared_is_listed_with_the_reason(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("SHOWN_RELEASED", raising=False)
    authors = measured(Trial("lpp", "nim", "train:0"))
    authors = replace(authors, settings={**authors.settings, "levels": "released:0123456789ab:train:0"})
    clock = replace(authors, settings={**measured(Trial("lpp", "nim", "train:0")).settings, "method": "shown-timed"})
    found = notes([authors, measured(NETWORK), clock])
    assert all(note.startswith("not compared: ") for note in found)
    assert ["not in this repository" in found[0], "network" in found[1], "clock" in found[2]] == [True] * 3


def test_networks_are_compared_by_their_mean_success():
    row = attempt(NETWORK.settings)
    near, far = (with_result(row, success={"test:0-1": 0.1, "train": 1.0}), with_result(row, success={"test:0-1": 1.0}))
    assert notes([row], outcomes=True) == ["equal"]
    assert notes([near], outcomes=True)[0].startswith("equal within 0.15: 0.100 -> ")
    assert notes([far], outcomes=True)[0].startswith("differs within 0.15: 1.000 -> ")


def test_rows_are_drawn_by_seed_and_by_a_setting():
    rows = [measured(Trial(method, "nim", f"train:{i}")) for method in ("lpp", "vpi") for i in range(8)]
    stale = replace(measured(Trial("lpp", "nim", "train:9")), versions={})
    assert drawn([*rows, stale], 5, None, 1) == drawn(reversed([stale, *rows]), 5, None, 1)
    assert drawn(rows, 5, None, 1) != drawn(rows, 5, None, 2)
    by_method = drawn([*rows, stale], 3, "method", 1)
    assert [row.settings["method"] for row in by_method] == ["lpp"] * 3 + ["vpi"] * 3
    assert stale not in drawn([*rows, stale], 99, None, 1)


def test_the_command_prints_what_differs_and_exits_with_1(tmp_path: Path, capsys: pytest.CaptureFixture):
    for row in (*GOOD[:2], measured(NETWORK)):
        append(tmp_path, "demos", row)
    command = ["results", "--results", str(tmp_path), "--replay", "5", "--jobs", "1"]
    assert main(command) == 0
    printed = capsys.readouterr()
    assert "vpi: 2 equal" in printed.out
    assert "cnn: 1 not compared" in printed.out
    assert printed.err.endswith("2 equal, 1 not compared\n")
    append(tmp_path, "demos", with_result(GOOD[2], steps=99))
    assert main([*command, "--method", "vpi", "--json"]) == 1
    printed = capsys.readouterr()
    assert sorted(each["note"] for each in json.loads(printed.out))[-1].startswith("steps: 99 -> ")
