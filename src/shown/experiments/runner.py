"""Running trials: on all cores, with progress, resumable, and no failure stops the others."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from multiprocessing import connection, get_context, parent_process
from typing import Any, TextIO

from shown.errors import ShownError, printable
from shown.experiments.fingerprint import commit
from shown.experiments.machine import machine
from shown.experiments.rows import MAX_ERROR, Row, checked
from shown.experiments.store import Store, mean_seconds
from shown.experiments.trials import Trial, code_for, run_trial, words_for
from shown.experiments.words import many

Executor = Callable[[Sequence[Mapping[str, Any]]], Iterator[Row]]
"""Runs trials, given as settings, and yields each as it ends, in any order. Another machine park fits in here."""

THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")


@dataclass
class Summary:
    """How a run went."""

    asked: int
    kept: int
    done: int = 0
    failed: list[Row] = field(default_factory=list)
    stopped: bool = False

    @property
    def text(self) -> str:
        parts = [f"{self.done} run"]
        if self.kept:
            parts.append(f"{self.kept} were there already")
        if self.failed:
            parts.append(f"{len(self.failed)} failed")
        left = self.asked - self.kept - self.done - len(self.failed)
        if left:
            parts.append(f"{left} left. Run the same command again to go on")
        return f"{many(self.asked, 'trial')}: " + ", ".join(parts) + "."


def run(trials: Iterable[Trial], store: Store, executor: Executor | None = None, talk: TextIO | None = None) -> Summary:
    """Runs the trials that the store does not have yet and keeps each as soon as it ends.

    Trials that failed before are tried again, and so are those that other code ran: their keys are others. Ctrl-C
    stops cleanly: what has ended is kept.
    """
    wanted = {trial.key: trial for trial in trials}
    known = store.rows(status="ok")
    done = {row.key for row in known}
    todo = [trial for key, trial in wanted.items() if key not in done]
    summary = Summary(asked=len(wanted), kept=len(wanted) - len(todo))
    execute = executor if executor is not None else OnCores()
    with Progress(todo, mean_seconds(known), talk if talk is not None else sys.stderr) as progress:
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
    """Runs one trial; an error becomes a row that says what went wrong."""
    begun = time.perf_counter()
    try:
        return success(settings, run_trial(settings), time.perf_counter() - begun)
    except ShownError as problem:
        error = str(problem)
    except Exception as problem:
        frame = traceback.extract_tb(problem.__traceback__)[-1]
        place = f"{os.path.basename(frame.filename)}:{frame.lineno}"
        error = f"{type(problem).__name__}: {problem} ({place})"
    return failure(settings, error, time.perf_counter() - begun)


def success(settings: Mapping[str, Any], result: Mapping[str, Any], seconds: float) -> Row:
    """What the present code has measured; BadInput if a method says of its policy what no store can keep."""
    row = Row(settings, "ok", result, None, round(seconds, 4), **_origin(settings))
    return checked(row, words_for(settings))


def failure(settings: Mapping[str, Any], error: str, seconds: float) -> Row:
    """That the present code has failed, and why."""
    text = error.encode("utf-8", "backslashreplace").decode()[:MAX_ERROR]
    return Row(settings, "failed", None, text, round(seconds, 4), **_origin(settings))


def _origin(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Which code ran a trial, and on what."""
    return {"code": code_for(settings), "commit": commit(), "machine": machine()}


def in_this_process(trials: Sequence[Mapping[str, Any]]) -> Iterator[Row]:
    """An executor without processes: for small runs and for looking at a failure with a debugger."""
    return (attempt(settings) for settings in trials)


@dataclass(frozen=True)
class OnCores:
    """An executor that runs trials in processes of their own, one thread each, on all cores unless told otherwise.

    A process that dies (out of memory, say) fails its own trial only; another takes its place.
    """

    workers: int | None = None

    def __call__(self, trials: Sequence[Mapping[str, Any]]) -> Iterator[Row]:
        waiting = list(reversed(trials))
        team: dict[Any, _Worker] = {}
        try:
            for _ in range(min(self.workers or cores(), len(waiting))):
                worker = _Worker()
                team[worker.pipe] = worker
                worker.give(waiting.pop())
            while team:
                for pipe in connection.wait(list(team)):
                    worker = team[pipe]
                    row = worker.take()
                    if row is None:
                        row = worker.death()
                        del team[pipe]
                        if waiting:
                            worker = _Worker()
                            team[worker.pipe] = worker
                    if waiting:
                        worker.give(waiting.pop())
                    elif worker.pipe in team:
                        team.pop(worker.pipe).stop()
                    yield row
        finally:
            for worker in team.values():
                worker.kill()


class _Worker:
    """One process that runs the trials it is given, one after the other."""

    def __init__(self) -> None:
        context = get_context("spawn")  # a forked copy of a process with compiled or native threads can hang
        self.pipe, theirs = context.Pipe()
        self._settings: Mapping[str, Any] = {}
        self._begun = 0.0
        self._process = context.Process(target=_work, args=(theirs,), daemon=True)
        with _single_threaded():
            self._process.start()
        theirs.close()

    def give(self, settings: Mapping[str, Any]) -> None:
        self._settings, self._begun = settings, time.perf_counter()
        with contextlib.suppress(OSError):  # it has died; `take` will say so
            self.pipe.send(settings)

    def take(self) -> Row | None:
        """The result of the trial it was given, or None if the process has died."""
        try:
            row: Row = self.pipe.recv()
        except (EOFError, OSError):
            return None
        return row

    def death(self) -> Row:
        self._process.join()
        code = self._process.exitcode or 0
        why = f"by signal {signal.Signals(-code).name}" if code < 0 else f"with exit code {code}"
        hint = " It may have run out of memory: try fewer --workers." if code == -signal.SIGKILL else ""
        return failure(self._settings, f"the process that ran it ended {why}.{hint}", time.perf_counter() - self._begun)

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


def _work(pipe: Any) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which then ends its workers
    parent = parent_process()
    if parent is not None:
        # If the parent is killed nobody wants the result any more: do not go on in the background.
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    while True:
        try:
            settings = pipe.recv()
            if settings is None:
                return
            pipe.send(attempt(settings))
        except (EOFError, OSError):
            return


@contextlib.contextmanager
def _single_threaded() -> Iterator[None]:
    """Processes started in here use one thread each: the trials are the parallelism."""
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


def cores() -> int:
    """The number of cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Progress:
    """What is done, what is left and how long it may take, on one line of a terminal or now and then in a log."""

    def __init__(self, todo: Sequence[Trial], seconds: Mapping[tuple[str, str], float], talk: TextIO) -> None:
        self._left = [(trial.method, trial.game) for trial in todo]
        self._total = len(todo)
        self._known = dict(seconds)
        self._counts = dict.fromkeys(self._known, 1)
        self._talk, self._live = talk, talk.isatty()
        self._begun = self._spoke = time.monotonic()
        self._worked = 0.0
        self._failed = 0

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._live and self._total:
            self._talk.write("\r\x1b[K")
            self._talk.flush()

    def ended(self, row: Row) -> None:
        kind = (row.settings["method"], row.settings["game"])
        self._left.remove(kind)
        self._failed += row.status != "ok"
        count = self._counts[kind] = self._counts.get(kind, 0) + 1
        mean = self._known.get(kind, 0.0)
        self._known[kind] = mean + (row.seconds - mean) / count
        self._worked += row.seconds
        now = time.monotonic()
        if self._live or now - self._spoke >= 15 or not self._left:
            self._spoke = now
            text = self._text(now, printable(words_for(row.settings)))
            self._talk.write(f"\r{text[: _columns() - 1]}\x1b[K" if self._live else text + "\n")
            self._talk.flush()

    def _text(self, now: float, last: str) -> str:
        mean = sum(self._known.values()) / len(self._known)
        work = sum(self._known.get(kind, mean) for kind in self._left)
        pace = max(self._worked / max(now - self._begun, 1e-3), 1e-3)  # seconds of trials a second: about the workers
        failed = f", {self._failed} failed" if self._failed else ""
        return f"{self._total - len(self._left)} of {self._total}{failed}, {spell(work / pace)} left · {last}"


def spell(seconds: float) -> str:
    """A duration as people say it.

    >>> spell(3), spell(200), spell(8000)
    ('3 s', '3 min', '2.2 h')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def _columns() -> int:
    with contextlib.suppress(OSError):
        return os.get_terminal_size(sys.stderr.fileno()).columns
    return 100
