"""Running trials: on all cores, with progress, resumable; a failure never stops the others."""

from __future__ import annotations

import contextlib
import math
import os
import signal
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from multiprocessing import connection, get_context, parent_process
from typing import Any

from shown.cli.output import say
from shown.errors import ShownError
from shown_evidence.results.row import MAX_ERROR, Row, checked
from shown_evidence.results.store import Store
from shown_evidence.trials.fingerprint import commit, cores, machine
from shown_evidence.trials.trial import Trial, code_for, describe, run_trial
from shown_evidence.wording import many

Trials = Sequence[Mapping[str, Any]]
"""Trials, given as settings."""

Executor = Callable[[Trials], Iterator[Row]]
"""Runs trials and yields each row when its trial ends, in any order."""

Work = Callable[[Trials], Iterable[Row]]

THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")
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
            parts.append(f"{self.kept} already in the store")
        if self.failed:
            parts.append(f"{len(self.failed)} failed")
        left = self.asked - self.kept - self.done - len(self.failed)
        if left:
            parts.append(f"{left} left. Run the same command again to continue")
        return f"{many(self.asked, 'trial')}: " + ", ".join(parts) + "."


def run(trials: Iterable[Trial], store: Store, execute: Executor) -> RunSummary:
    """Run the trials that the store lacks and keep each as soon as it ends.

    Failed trials and trials of other code are run again. Ctrl-C stops cleanly and keeps finished trials.
    """
    wanted = {trial.key: trial for trial in trials}
    done = {row.key for row in store.rows(status="ok")}
    todo = [trial for key, trial in wanted.items() if key not in done]
    summary = RunSummary(asked=len(wanted), kept=len(wanted) - len(todo))
    progress = Progress(len(todo))
    results = execute([trial.settings for trial in todo])
    try:
        for row in results:
            store.add(row)
            if row.status == "ok":
                summary.done += 1
            else:
                summary.failed.append(row)
            progress.ended(row)
    except KeyboardInterrupt:
        summary.stopped = True
    finally:
        if hasattr(results, "close"):
            results.close()
    return summary


def attempt(settings: Mapping[str, Any]) -> Row:
    """Run one trial; an error becomes a failed row."""
    started = time.perf_counter()
    try:
        return success(settings, run_trial(settings), time.perf_counter() - started)
    except ShownError as problem:
        error = str(problem)
    except Exception as problem:
        frame = traceback.extract_tb(problem.__traceback__)[-1]
        error = f"{type(problem).__name__}: {problem} ({os.path.basename(frame.filename)}:{frame.lineno})"
    return failure(settings, error, time.perf_counter() - started)


def success(settings: Mapping[str, Any], result: Mapping[str, Any], seconds: float) -> Row:
    """Return a good row of the installed code; raise BadInput if the store cannot hold the result."""
    row = Row(settings, "ok", result, None, round(seconds, 4), **_source(settings))
    return checked(row, describe(settings))


def failure(settings: Mapping[str, Any], error: str, seconds: float) -> Row:
    """Return a failed row of the installed code."""
    text = error.encode("utf-8", "backslashreplace").decode()[:MAX_ERROR]
    return Row(settings, "failed", None, text, round(seconds, 4), **_source(settings))


def _source(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {"code": code_for(settings), "commit": commit(), "machine": machine()}


def in_this_process(trials: Trials) -> Iterator[Row]:
    """Execute trials one by one, without processes: for small runs and for debugging."""
    return map(attempt, trials)


def on_cores(trials: Trials, workers: int | None = None, until: float = math.inf) -> Iterator[Row]:
    """Execute trials in single-threaded processes, one per core by default, until the time is up.

    A process that dies fails its own trial only and is replaced.
    """
    return in_processes(in_this_process, [[settings] for settings in trials], workers or cores(), until)


def in_processes(work: Work, batches: Sequence[Trials], workers: int, until: float = math.inf) -> Iterator[Row]:
    """Run batches of trials in processes until the time is up; yield each row when its trial ends.

    Args:
        work: a function of a module, which yields one row per trial of a batch, in order.
        batches: the trials; those that a process leaves undone when it dies become failed rows.
        workers: maximum number of processes.
        until: when to stop, by `time.monotonic`.
    """
    waiting = list(reversed(batches))
    team: dict[Any, _Worker] = {}
    try:
        while (waiting or team) and time.monotonic() < until:
            while waiting and len(team) < workers:
                worker = _Worker(work)
                team[worker.pipe] = worker
                worker.give(waiting.pop())
            for pipe in connection.wait(list(team), min(60.0, max(0.0, until - time.monotonic()))):
                worker = team[pipe]
                rows = worker.take()
                if worker.dead:
                    team.pop(pipe).kill()
                elif not worker.left and waiting:
                    worker.give(waiting.pop())
                elif not worker.left:
                    team.pop(pipe).stop()
                yield from rows
    finally:
        for worker in team.values():
            worker.kill()


class _Worker:
    """A process that runs batches one after the other; `left` are the trials of the current one without a row."""

    def __init__(self, work: Work) -> None:
        context = get_context("spawn")  # a forked process with compiled or native threads can hang
        self.pipe, theirs = context.Pipe()
        self.left: Trials = ()
        self.dead = False
        self._started = 0.0
        self._process = context.Process(target=_work, args=(theirs, work), daemon=True)
        with _single_threaded():
            self._process.start()
        theirs.close()

    def give(self, trials: Trials) -> None:
        self.left, self._started = trials, time.perf_counter()
        with contextlib.suppress(OSError):  # the process has died, which `take` reports
            self.pipe.send(trials)

    def take(self) -> list[Row]:
        """Return the next row; if the process has died, a failed row for each trial that is left."""
        try:
            row: Row = self.pipe.recv()
        except (EOFError, OSError):
            self.dead = True
            return [failure(settings, self._death(), time.perf_counter() - self._started) for settings in self.left]
        self.left = self.left[1:]
        return [row]

    def _death(self) -> str:
        self._process.join()
        code = self._process.exitcode or 0
        why = f"by signal {signal.Signals(-code).name}" if code < 0 else f"with exit code {code}"
        hint = " It may have run out of memory: try fewer --workers." if code == -signal.SIGKILL else ""
        return f"the process that ran it ended {why}.{hint}"

    def stop(self) -> None:
        with contextlib.suppress(OSError):
            self.pipe.send(None)
        self._process.join()
        self.pipe.close()

    def kill(self) -> None:
        self._process.kill()
        self._process.join()
        self.pipe.close()


def _end_with(parent: Any) -> None:
    parent.join()
    os._exit(1)


def _work(pipe: Any, work: Work) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends its workers
    parent = parent_process()
    if parent is not None:  # do not outlive a killed parent
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    with contextlib.suppress(EOFError, OSError):
        while (trials := pipe.recv()) is not None:
            for row in work(trials):
                pipe.send(row)


@contextlib.contextmanager
def _single_threaded() -> Iterator[None]:
    """Give processes started in this context one thread each: the trials are the parallelism."""
    before = {name: os.environ.get(name) for name in THREADS}
    os.environ.update(dict.fromkeys(THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


class Progress:
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
