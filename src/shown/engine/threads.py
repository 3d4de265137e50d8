"""Threads for compiled loops, which release the GIL."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

A = TypeVar("A")
B = TypeVar("B")


class Threads:
    """The calling thread and `count - 1` others, which start on first use and end with `close`.

    >>> threads = Threads(2)
    >>> threads.map(lambda x: x * x, [3, 4, 5])
    [9, 16, 25]
    >>> threads.close()
    """

    def __init__(self, count: int = 1) -> None:
        self.count = count
        self._pool: ThreadPoolExecutor | None = None

    def map(self, work: Callable[[A], B], pieces: Sequence[A]) -> list[B]:
        """Return the results of the pieces, in order. The first error ends the work and is raised."""
        helpers = min(self.count, len(pieces)) - 1
        if helpers <= 0:
            return [work(piece) for piece in pieces]
        results: list[Any] = [None] * len(pieces)
        coming, failed = itertools.count(), threading.Event()

        def help_out() -> None:
            # One task per thread, not per piece: a task costs as much as a small piece.
            try:
                while (i := next(coming)) < len(pieces) and not failed.is_set():
                    results[i] = work(pieces[i])
            except BaseException:
                failed.set()
                raise

        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.count - 1)
        tasks = [self._pool.submit(help_out) for _ in range(helpers)]
        try:
            help_out()
        finally:
            # A thread that has not begun yet has nothing left to do, and waking it takes longer than a small piece.
            errors = [task.exception() for task in tasks if not task.cancel()]
        for error in errors:
            if error is not None:
                raise error
        return results

    def close(self) -> None:
        """End the threads; they start again on the next use."""
        if self._pool is not None:
            self._pool.shutdown()
        self._pool = None

    def __reduce__(self) -> tuple[Any, ...]:
        return Threads, (self.count,)


ONE_THREAD = Threads()
"""The calling thread alone."""


class Gate:
    """Lets many threads in at once, or one alone."""

    def __init__(self) -> None:
        self._change = threading.Condition()
        self._inside, self._shut = 0, False

    def enter(self) -> None:
        """Go in beside others; wait while one is in alone."""
        with self._change:
            while self._shut:
                self._change.wait()
            self._inside += 1

    def leave(self) -> None:
        """Go out."""
        with self._change:
            self._inside -= 1
            if self._shut and not self._inside:
                self._change.notify_all()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Be in alone, when all others have left."""
        with self._change:
            while self._shut:
                self._change.wait()
            self._shut = True
            while self._inside:
                self._change.wait()
        try:
            yield
        finally:
            with self._change:
                self._shut = False
                self._change.notify_all()

    def __reduce__(self) -> tuple[Any, ...]:
        return Gate, ()
