"""Pieces of work side by side in forked processes, for Python code, which holds the GIL.

A forked process has all data of this one without copying them, and sends back its results only.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import signal
import sys
import warnings
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection, Pipe
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
    children: list[tuple[int, Connection]] = []
    try:
        with contextlib.suppress(OSError):  # no more processes, or no memory for them
            for k in range(1, count):
                children.append(_fork(work, pieces[k::count]))
        for k in (0, *range(len(children) + 1, count)):
            results[k::count] = [work(piece) for piece in pieces[k::count]]
        for k, (_, pipe) in enumerate(children, start=1):
            try:
                error, results[k::count] = pipe.recv()
            except EOFError:  # perhaps the system was short of memory
                error, results[k::count] = None, [work(piece) for piece in pieces[k::count]]
            if error is not None:
                raise error
    finally:
        for child, pipe in children:
            pipe.close()
            os.kill(child, signal.SIGKILL)  # it has sent its results, or nobody wants them any more
            os.waitpid(child, 0)
    return results


def _fork(work: Callable[[A], B], pieces: Sequence[A]) -> tuple[int, Connection]:
    """Start a process that does some pieces; return its id and the pipe that its results come through."""
    ours, theirs = Pipe(duplex=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forks beside threads, which hold no lock of ours
        child = os.fork()
    if child:
        theirs.close()
        return child, ours
    try:
        ours.close()
        gc.disable()  # a collection would copy all pages of the parent
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends it
        ctypes.CDLL(None).prctl(DIE_WITH_PARENT, signal.SIGKILL)
        with contextlib.suppress(OSError):
            try:
                theirs.send((None, [work(piece) for piece in pieces]))
            except Exception as error:
                theirs.send((error.with_traceback(None), [None] * len(pieces)))
    finally:
        os._exit(0)  # without the parent's handlers and buffers
