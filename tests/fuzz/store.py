"""Results: rows as JSON and databases that may be anybody's."""

from __future__ import annotations

import json
import random
import sqlite3
from pathlib import Path
from typing import Any

from fuzz import mutate, sound
from fuzz.cases import expected
from shown_evidence.experiments import EXPERIMENTS, find
from shown_evidence.report.page import report
from shown_evidence.results.row import Row, checked
from shown_evidence.results.store import Store

COLUMNS = ("asked", "key", "settings", "method", "seed", "version", "finished", "seconds", "status", "error", "result")


def make(rng: random.Random) -> Any:
    rows = sound.rows(rng)
    if rng.random() < 0.5:
        return {"kind": "rows", "rows": [mutate.damaged(rng, row) if rng.random() < 0.7 else row for row in rows]}
    changes = [[rng.choice(COLUMNS), _cell(rng)] for _ in range(rng.choice((0, 1, 1, 2)))]
    flips = [[rng.random(), rng.randrange(8)] for _ in range(rng.choice((0, 0, 1, 3, 20)))]
    return {
        "kind": "database",
        "rows": rows,
        "changes": changes,
        "flips": flips,
        "cut": rng.choice((1.0, 1.0, 0.9, 0.3)),
    }


def run(data: Any, folder: Path) -> None:
    path = folder / "theirs"
    if data["kind"] == "rows":
        good = []
        for row in (row for row in data["rows"] if isinstance(row, dict)):
            with expected():
                good.append(checked(Row(**{name: row.get(name) for name in Row.__slots__}), "theirs"))
        _use(good, folder)
        return
    with Store(path) as store:
        store.add_many([Row(**row) for row in data["rows"]])
    _spoil(path, data)
    for writing in (False, True):
        with expected(), Store(path, writing=writing) as store:
            _use(store.read().rows, folder)
            if writing:
                store.remove_bad()
                assert store.read().bad == [], "a bad row is still there"


def _use(rows: list[Row], folder: Path) -> None:
    """Lists them, reports on them, keeps them elsewhere, and finds there what was kept."""
    for name in EXPERIMENTS:
        for row in rows:
            find(name).belongs(row.settings)
    page = report(rows, "theirs.sqlite")
    assert "<script" not in page
    with Store(folder / "mine.sqlite") as mine:
        mine.add_many(rows)
        kept = mine.read()
    assert not kept.bad, f"a row that was accepted is refused: {kept.bad[0].why}"
    assert {row.key for row in kept.rows} <= {row.key for row in rows}


def _spoil(path: Path, data: Any) -> None:
    database = sqlite3.connect(path)
    try:
        for column, cell in data["changes"]:
            try:
                database.execute(f"UPDATE trials SET {column} = ?", [cell])
            except (sqlite3.Error, OverflowError, UnicodeEncodeError):
                continue  # what the table itself does not take cannot be in it
        database.commit()
    finally:
        database.close()
    content = bytearray(path.read_bytes())
    for place, bit in data["flips"]:
        content[int(place * len(content))] ^= 1 << bit
    path.write_bytes(bytes(content[: int(len(content) * data["cut"])]))


def _cell(rng: random.Random) -> Any:
    value = mutate.value(rng)
    if isinstance(value, list | dict):
        return json.dumps(value)
    return value
