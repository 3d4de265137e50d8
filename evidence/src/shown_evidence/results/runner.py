"""Running trials: what a folder of results lacks, by an executor, with progress; a failure never stops the others."""

from __future__ import annotations

import os
import time
import traceback
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor, as_completed
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from shown.cli.output import say
from shown.errors import ShownError
from shown_evidence.methods import check_packages, versions_of
from shown_evidence.results.archive import append, pack, read
from shown_evidence.results.machine import commit, machine
from shown_evidence.trials.row import MAX_ERROR, Row
from shown_evidence.trials.trial import Trial, describe, run_trial
from shown_evidence.wording import many

Settings = Mapping[str, Any]

Work = Callable[[Settings], Row]
"""Runs a trial; a function of a module, so that processes find it."""

LOG_EVERY = 10.0  # seconds between lines of progress


@dataclass
class RunSummary:
    """Counts of a run."""

    asked: int
    kept: int
    done: int = 0
    failed: list[Row] = field(default_factory=list)
    stopped: bool = False

    @property
    def text(self) -> str:
        parts = [f"{self.done} run"]
        if self.kept:
            parts.append(f"{self.kept} already there")
        if self.failed:
            parts.append(f"{len(self.failed)} failed")
        left = self.asked - self.kept - self.done - len(self.failed)
        if left:
            parts.append(f"{left} left. Run the same command again to continue")
        return f"{many(self.asked, 'trial')}: " + ", ".join(parts) + "."


def attempt(settings: Settings) -> Row:
    """Run one trial; an error becomes a failed row."""
    try:
        return success(settings, run_trial(settings))
    except ShownError as problem:
        return failure(settings, str(problem))
    except Exception as problem:
        frame = traceback.extract_tb(problem.__traceback__)[-1]
        place = f"{os.path.basename(frame.filename)}:{frame.lineno}"
        return failure(settings, f"{type(problem).__name__}: {problem} ({place})")


def success(settings: Settings, measured: Mapping[str, Any]) -> Row:
    """Return the row of a trial that was run."""
    result = {name: part for name, part in measured.items() if name != "work"}
    return Row(settings, versions_of(settings), result, None, measured["work"], commit(), machine(), _now())


def failure(settings: Settings, error: str) -> Row:
    """Return the row of a trial that failed."""
    text = error.encode("utf-8", "backslashreplace").decode()[:MAX_ERROR]
    return Row(settings, versions_of(settings), None, text, {}, commit(), machine(), _now())


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def run(
    wanted: Mapping[str, Iterable[Trial]], folder: str | Path, executor: Executor, work: Work = attempt
) -> RunSummary:
    """Run the trials that a folder of results lacks, and keep each as soon as it ends.

    Failed and stale trials are run again. Ctrl-C stops cleanly and keeps finished trials. `wanted` has the trials by
    experiment, whose file gets their rows.
    """
    asked = {trial.key: (name, trial) for name, trials in wanted.items() for trial in trials}
    check_packages({trial.game for _, trial in asked.values()})
    pack(folder)  # what a killed run has left
    good = {key for key, row in read(folder).rows.items() if row.status == "ok" and not row.stale}
    todo = {key: trial for key, (_, trial) in asked.items() if key not in good}
    summary = RunSummary(asked=len(asked), kept=len(asked) - len(todo))
    progress = _Progress(len(todo))
    running = {executor.submit(work, trial.settings): key for key, trial in todo.items()}
    try:
        for future in as_completed(running):
            key = running[future]
            death = future.exception()  # of the worker: `work` itself returns a failed row
            row = failure(todo[key].settings, str(death)) if death else _comparable(future.result())
            append(folder, asked[key][0], row)
            progress.ended(row)
            if row.status == "ok":
                summary.done += 1
            else:
                summary.failed.append(row)
    except KeyboardInterrupt:
        summary.stopped = True
    finally:
        if len(summary.failed) + summary.done < len(todo):
            executor.shutdown(cancel_futures=True)
        pack(folder)
    return summary


def _comparable(row: Row) -> Row:
    """Return the row, or a failed one if a worker elsewhere has other versions."""
    if row.versions == versions_of(row.settings):
        return row
    return failure(row.settings, "the worker has other versions. Install the same shown-evidence on all nodes.")


class _Progress:
    """Reports trials done and an estimate of the time left, a line now and then."""

    def __init__(self, total: int) -> None:
        self._total, self._done, self._failed = total, 0, 0
        self._started = self._written = time.monotonic()

    def ended(self, row: Row) -> None:
        self._done += 1
        self._failed += row.status != "ok"
        now = time.monotonic()
        if now - self._written >= LOG_EVERY or self._done == self._total:
            self._written = now
            failed = f", {self._failed} failed" if self._failed else ""
            left = duration((now - self._started) / self._done * (self._total - self._done))
            say(f"{self._done} of {self._total}{failed}, about {left} left · {describe(row.settings)}")


def duration(seconds: float) -> str:
    """Format a duration.

    >>> duration(3), duration(200), duration(8000)
    ('3 s', '3 min', '2.2 h')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
