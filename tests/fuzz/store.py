"""Results: rows as JSON and files of rows that may be anybody's."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path
from typing import Any

from fuzz import mutate, sound
from fuzz.cases import expected
from shown_evidence.experiments import EXPERIMENTS, find
from shown_evidence.report.page import report
from shown_evidence.results.archive import append, pack, read
from shown_evidence.trials.row import Row, row_from


def make(rng: random.Random) -> Any:
    rows = sound.rows(rng)
    if rng.random() < 0.5:
        return {"kind": "rows", "rows": [mutate.damaged(rng, row) if rng.random() < 0.7 else row for row in rows]}
    flips = [[rng.random(), rng.randrange(8)] for _ in range(rng.choice((0, 0, 1, 3, 20)))]
    return {
        "kind": "file",
        "rows": rows,
        "packed": rng.random() < 0.5,
        "flips": flips,
        "cut": rng.choice((1.0, 1.0, 0.9, 0.3)),
    }


def run(data: Any, folder: Path) -> None:
    if data["kind"] == "rows":
        good = []
        for value in data["rows"]:
            with expected():
                good.append(row_from(value))
        _use(good, folder)
        return
    content = b"".join(json.dumps(row).encode() + b"\n" for row in data["rows"])
    damaged = bytearray(gzip.compress(content) if data["packed"] else content)
    for place, bit in data["flips"]:
        damaged[int(place * len(damaged))] ^= 1 << bit
    name = "demos.jsonl.gz" if data["packed"] else "demos.journal.jsonl"
    (folder / name).write_bytes(bytes(damaged[: int(len(damaged) * data["cut"])]))
    with expected():
        before = read(folder)
        _use(list(before.rows.values()), folder)
        pack(folder)
        after = read(folder)
        assert after.rows == before.rows, "packing changes what is read"
        assert len(after.bad) == len(before.bad), "packing loses broken lines"


def _use(rows: list[Row], folder: Path) -> None:
    """List them, report on them, keep them elsewhere, and find there what was kept."""
    for name in EXPERIMENTS:
        for row in rows:
            find(name).belongs(row.settings)
    page = report(rows, "theirs")
    assert "<script" not in page
    for row in rows:
        append(folder / "mine", "demos", row)
    if rows:
        kept = read(folder / "mine")
        assert not kept.bad, f"a row that was accepted is refused: {kept.bad[0]}"
        assert set(kept.rows) == {row.key for row in rows}
