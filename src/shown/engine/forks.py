"""Pieces of work side by side in forked processes, for Python code, which holds the GIL.

A forked process has all data of this one without copying them, and sends back its results only.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import pickle
import signal
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

A = TypeVar("A")
B = TypeVar("B")

DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG of prctl(2)


def forked(work: Callable[[A], B], pieces: Sequence[A], processes: int) -> list[B]:
    """Return the results of the pieces, in order, computed by this process and `processes - 1` forks of it.

    What `work` changes in a fork is lost. The first error of a piece is raised here. The forks have ended when this
    returns or raises. This process does the pieces of a fork that dies, and all where it cannot fork safely.

    >>> forked(lambda x: x * x, [3, 4, 5], 2)
    [9, 16, 25]
    """
    count = min(processes, len(pieces))
    if count < 2 or sys.platform != "linux":
        return [work(piece) for piece in pieces]
    results: list[Any] = [None] * len(pieces)
    children: list[tuple[int, int]] = []
    try:
        with contextlib.suppress(OSError):  # no more processes, or no memory for them
            for k in range(1, count):
                children.append(_fork(work, pieces[k::count]))
        for k in (0, *range(len(children) + 1, count)):
            results[k::count] = [work(piece) for piece in pieces[k::count]]
        for k, (_, pipe) in enumerate(children, start=1):
            received = _received(pipe)
            results[k::count] = [work(piece) for piece in pieces[k::count]] if received is None else received
    finally:
        for child, pipe in children:
            os.close(pipe)
            os.kill(child, signal.SIGKILL)  # it has sent its results, or nobody wants them any more
            os.waitpid(child, 0)
    return results


def _fork(work: Callable[[A], B], pieces: Sequence[A]) -> tuple[int, int]:
    """Start a process that does some pieces; return its id and the pipe that its results come through."""
    ours, theirs = os.pipe()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # other threads are idle, and none holds a lock
            child = os.fork()
    except OSError:
        os.close(ours)
        os.close(theirs)
        raise
    if child:
        os.close(theirs)
        return child, ours
    try:
        os.close(ours)
        gc.disable()  # a collection would copy all pages of the parent
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends it
        ctypes.CDLL(None).prctl(DIE_WITH_PARENT, signal.SIGKILL)
        try:
            sent = pickle.dumps((None, [work(piece) for piece in pieces]), protocol=5)
        except Exception as error:
            sent = pickle.dumps((error.with_traceback(None), []))
        with contextlib.suppress(OSError), open(theirs, "wb") as pipe:
            pipe.write(sent)
    finally:
        os._exit(0)  # without the parent's handlers and buffers


def _received(pipe: int) -> list[Any] | None:
    """Return the results of a fork; None if it has died."""
    with open(pipe, "rb", closefd=False) as file:
        sent = file.read()
    try:
        error, results = pickle.loads(sent)
    except (EOFError, pickle.UnpicklingError):
        return None
    if error is not None:
        raise error
    return results  # type: ignore[no-any-return]
