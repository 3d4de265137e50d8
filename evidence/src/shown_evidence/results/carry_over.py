"""Results of earlier code that are still valid: kept under the installed code's fingerprint after random replays.

Networks are trained on a GPU, where the last bits depend on what is trained side by side. They are run again there, and
a run that trains to the same bits is a replay of the games.
"""

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

BY_THE_CLOCK = "shown-timed"
"""The method whose results depend on the speed of the machine."""


@dataclass(frozen=True)
class CarryOver:
    """What a carry-over found.

    Attributes:
        rows: results that are kept, with the fingerprint of the installed code.
        candidates, replayed, differing: numbers of results by method; of networks, only those trained alike count.
    """

    rows: Sequence[Row]
    candidates: Mapping[str, int]
    replayed: Mapping[str, int]
    differing: Mapping[str, int]


def carry_over(
    rows: Sequence[Row], execute: Executor, count: int = REPLAYED, run_again: Sequence[Row] = ()
) -> CarryOver:
    """Replay some of the stale results and keep those of methods whose replays are all equal, byte for byte.

    Durations may differ. Commit, machine and date stay those of the original run. Methods that start from random
    weights are not replayed here; they are kept if enough of their results were run again and trained alike.

    Args:
        rows: results, stale ones among them.
        execute: runs trials.
        count: number of results to replay.
        run_again: results of methods that start from random weights, by the installed code.
    """
    stale = [row for row in rows if is_candidate(row)]
    known = {settings_key(row.settings): row for row in stale}
    replayed, differing = Counter[str](), Counter[str]()

    def compare(new: Row) -> None:
        method, old = new.settings["method"], known[settings_key(new.settings)]
        if method not in STARTED_ANEW or _training(new) == _training(old):
            replayed[method] += 1
            differing[method] += _timeless(new) != _timeless(old)

    for new in run_again:
        if new.settings["method"] in STARTED_ANEW and not new.stale and settings_key(new.settings) in known:
            compare(new)
    todo = drawn([row for row in stale if row.settings["method"] not in STARTED_ANEW], count)
    progress = Progress(len(todo))
    for new in execute([Trial.from_settings(row.settings).settings for row in todo]):
        compare(new)
        progress.ended(new)
    kept = {
        method
        for method in {row.settings["method"] for row in stale}
        if not differing[method] and (method not in STARTED_ANEW or replayed[method] >= AT_LEAST)
    }
    found = [replace(row, code=code_for(row.settings)) for row in stale if row.settings["method"] in kept]
    return CarryOver(found, Counter(row.settings["method"] for row in stale), replayed, differing)


def is_candidate(row: Row) -> bool:
    """Return whether a stale result belongs to an experiment of today and does not depend on the clock."""
    settings = row.settings
    if row.status != "ok" or settings["method"] not in METHODS or settings["method"] == BY_THE_CLOCK:
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
    """Return the measurements without durations, and without the number of networks trained side by side."""
    if row.result is None:
        return None
    return {**{name: part for name, part in row.result.items() if name != "seconds"}, "learned": _training(row)}


def _training(row: Row) -> dict[str, Any] | None:
    learned = None if row.result is None else row.result["learned"]
    return None if learned is None else {name: part for name, part in learned.items() if name != "together"}
