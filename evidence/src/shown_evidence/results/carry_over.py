"""Results of earlier code that are still valid: kept under the installed code's fingerprint after random replays."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from shown.errors import ShownError
from shown_evidence.experiments import EXPERIMENTS, find
from shown_evidence.results.row import Row
from shown_evidence.results.runner import Executor, Progress
from shown_evidence.trials.fingerprint import UNKNOWN
from shown_evidence.trials.methods import METHODS, STARTED_ANEW
from shown_evidence.trials.trial import Trial, code_for, settings_key

REPLAYED = 200
"""Results that are replayed at random."""

AT_LEAST = 5
"""Results of each method that are replayed, if it has as many."""

MACHINE_DEPENDENT = (*STARTED_ANEW, "shown-timed")
"""Methods whose results depend on the machine: by rounding, or by the clock."""


@dataclass(frozen=True)
class CarryOver:
    """What a carry-over found.

    Attributes:
        rows: results that are kept, with the fingerprint of the installed code.
        candidates, replayed, differing: numbers of results by method.
    """

    rows: Sequence[Row]
    candidates: Mapping[str, int]
    replayed: Mapping[str, int]
    differing: Mapping[str, int]


def carry_over(rows: Sequence[Row], execute: Executor, count: int = REPLAYED) -> CarryOver:
    """Replay some of the stale results and keep those of methods whose replays are all equal, byte for byte.

    Durations may differ. Commit, machine and date stay those of the original run.
    """
    stale = [row for row in rows if is_candidate(row)]
    again = {settings_key(row.settings): row for row in drawn(stale, count)}
    replayed, differing = Counter[str](), Counter[str]()
    todo = [Trial.from_settings(row.settings) for row in again.values()]
    progress = Progress(len(todo))
    for new in execute([trial.settings for trial in todo]):
        method = new.settings["method"]
        replayed[method] += 1
        differing[method] += _timeless(new) != _timeless(again[settings_key(new.settings)])
        progress.ended(new)
    kept = [replace(row, code=code_for(row.settings)) for row in stale if not differing[row.settings["method"]]]
    return CarryOver(kept, Counter(row.settings["method"] for row in stale), replayed, differing)


def is_candidate(row: Row) -> bool:
    """Return whether a stale result belongs to an experiment of today and does not depend on the machine."""
    settings = row.settings
    if row.status != "ok" or settings["method"] not in METHODS or settings["method"] in MACHINE_DEPENDENT:
        return False
    try:
        same = Trial.from_settings(settings).settings == settings
    except ShownError:
        return False
    known = same and UNKNOWN not in code_for(settings).values()
    return known and row.stale and any(find(name).belongs(settings) for name in EXPERIMENTS)


def drawn(rows: Sequence[Row], count: int) -> list[Row]:
    """Return the results to replay: `count` at random, and at least `AT_LEAST` of every method."""
    order = sorted(rows, key=lambda row: settings_key(row.settings))
    random.Random(count).shuffle(order)
    seen = Counter[str]()
    found = []
    for place, row in enumerate(order):
        method = row.settings["method"]
        if place < count or seen[method] < AT_LEAST:
            seen[method] += 1
            found.append(row)
    return found


def _timeless(row: Row) -> dict[str, Any] | None:
    return None if row.result is None else {name: part for name, part in row.result.items() if name != "seconds"}
