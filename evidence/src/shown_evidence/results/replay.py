"""Replays: stored rows are run again and compared, which is what "no row is stale" rests on."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

from shown_evidence.results.runner import attempt
from shown_evidence.trials.learners import STARTED_ANEW
from shown_evidence.trials.released import FOLDER, RELEASED
from shown_evidence.trials.row import Row

BY_THE_CLOCK = ("shown-timed",)
"""Methods whose results depend on the speed of the machine."""

TRAINED = tuple(method for method in STARTED_ANEW if method != "search")
"""Methods that train networks: sums are rounded differently on each processor."""

MARGIN = 0.15
"""Mean success of replayed and of stored rows of one method may differ by this, where only outcomes are compared."""

SHOWN = 300  # characters of a value in a message


@dataclass(frozen=True)
class Replay:
    """A row and what came of running it again.

    Attributes:
        new: the row of today; None if it was not run.
        note: "equal", what differs (stored and new value side by side), or why it was not compared.
    """

    old: Row
    new: Row | None
    note: str


def drawn(rows: Iterable[Row], count: int, by: str | None, seed: int) -> list[Row]:
    """Return `count` random rows; with `by`, as many of each value of this setting, such as "method" or "game"."""
    order = sorted((row for row in rows if row.status == "ok" and not row.stale), key=lambda row: row.key)
    random.Random(seed).shuffle(order)
    if by is None:
        return order[:count]
    groups: dict[str, list[Row]] = {}
    for row in order:
        groups.setdefault(str(row.settings[by]), []).append(row)
    return [row for name in sorted(groups) for row in groups[name][:count]]


def replay(rows: Sequence[Row], executor: Executor, outcomes: bool = False) -> list[Replay]:
    """Run rows again and compare them: equal but for seconds, or what differs.

    With `outcomes`, networks are trained again and what has a clock is repeated, and their mean success is compared
    within `MARGIN`; otherwise they are listed as not compared.
    """
    reasons = [_not_compared(row, outcomes) for row in rows]
    running = [None if why else executor.submit(attempt, row.settings) for row, why in zip(rows, reasons, strict=True)]
    found = []
    for row, why, future in zip(rows, reasons, running, strict=True):
        new = None if future is None else future.result()
        found.append(Replay(row, new, why if new is None else _difference(row, new)))
    return _by_outcome(found)


def _not_compared(row: Row, outcomes: bool) -> str:
    method = row.settings["method"]
    if row.settings["levels"].startswith(RELEASED) and not os.environ.get(FOLDER):
        return "not compared: its levels are not in this repository; name their folder with --released"
    if not outcomes and method in TRAINED:
        return "not compared: it trains a network, which rounds differently on each processor; add --outcomes"
    if not outcomes and method in BY_THE_CLOCK:
        return "not compared: the clock ends its practice; add --outcomes"
    return ""


def _difference(old: Row, new: Row) -> str:
    """Return "equal", or each part that differs with its stored and its new value."""
    if new.result is None:
        return f"failed: {new.error}"
    before, now = (_parts(json.loads(json.dumps(row.result))) for row in (old, new))
    names = [name for name in {**before, **now} if before.get(name) != now.get(name)]
    return "; ".join(f"{name}: {_short(before.get(name))} -> {_short(now.get(name))}" for name in names) or "equal"


def _parts(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of a result by name, those of the method's description one by one.

    The number of networks that were trained side by side is no measurement.
    """
    learned = {f"learned {name}": part for name, part in result["learned"].items() if name != "together"}
    return {**{name: part for name, part in result.items() if name != "learned"}, **learned}


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def _by_outcome(found: Sequence[Replay]) -> list[Replay]:
    """Compare networks, and what has a clock, by their method's mean success instead of value by value."""
    notes = {}
    for method in (*TRAINED, *BY_THE_CLOCK):
        own = [each for each in found if each.old.settings["method"] == method]
        pairs = [(each.old, each.new) for each in own if each.new is not None and each.new.result is not None]
        if pairs:
            before, now = (fmean(map(_outcome, rows)) for rows in zip(*pairs, strict=True))
            near = abs(before - now) <= MARGIN
            notes[method] = f"{'equal' if near else 'differs'} within {MARGIN}: {before:.3f} -> {now:.3f}"
    return [_with_outcome(each, notes.get(each.old.settings["method"])) for each in found]


def _with_outcome(each: Replay, note: str | None) -> Replay:
    compared = each.new is not None and each.new.result is not None
    return replace(each, note=note) if note and compared and each.note != "equal" else each


def _outcome(row: Row) -> float:
    """Return the mean success of a result; where there are returns, their share of the expert's."""
    result = row.result or {}
    shares = [
        sum(result["reward"][spec]) / max(sum(result["expert"][spec]), 1e-9)
        for spec in row.settings["test"]
        if spec in result.get("reward", {})
    ]
    return fmean(shares or [value for name, value in result["success"].items() if name != "train"])
