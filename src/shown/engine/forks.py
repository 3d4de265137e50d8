"""Copies of this process that work side by side, where Python itself would keep threads waiting for each other."""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import sys
import warnings
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from multiprocessing import current_process, get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from typing import Generic, TypeVar

A = TypeVar("A")
B = TypeVar("B")

MAX_PIECES = 256  # the number of a piece is one byte in a pipe
STUCK_AFTER = 5  # seconds after which a copy that does not compute is given up
PR_SET_PDEATHSIG = 1  # Linux sends a process this signal when its parent ends


class Forks:
    """This process and `count - 1` copies of it, which are made for each piece of work and share all memory.

    A copy is made by a fork, on Linux alone; elsewhere, and in a worker of a pool, this process does everything. What
    the work changes in a copy is lost, so all that matters must be in its result. A piece whose copy fails or dies is
    done again in this process.

    >>> Forks(2).map(lambda x: x * x, [3, 4, 5])
    [9, 16, 25]
    """

    def __init__(self, count: int = 1) -> None:
        self.count = 1 if sys.platform != "linux" or current_process().daemon else count
        self._owner = os.getpid()

    @property
    def here(self) -> bool:
        """Whether this is the original process, and no copy."""
        return os.getpid() == self._owner

    def map(self, work: Callable[[A], B], pieces: Sequence[A]) -> list[B]:
        """Return the results of the pieces, in order."""
        with closing(self.ahead(work, pieces, own=1)) as results:
            return [results.take(i) for i in range(len(pieces))]

    def ahead(self, work: Callable[[A], B], pieces: Sequence[A], own: int = 0) -> Ahead[A, B]:
        """Begin the pieces in copies, in order, and return their results to be; `own` pieces are left for this process.

        Close them at the end.
        """
        copies = min(self.count - 1, len(pieces) - own) if self.here else 0  # a copy makes no copies
        return Ahead(work, pieces, copies)


@dataclass
class _Copy:
    """A copy of this process.

    Attributes:
        process: the process.
        reader: where it says which piece it has done, and the size of the result.
        results: a file in memory with the results. They may be large, and nobody may read them for a while.
        read: bytes of the results read so far.
        spent, idle: clock ticks that it has computed, and seconds since it last computed any.
    """

    process: BaseProcess
    reader: Connection
    results: int
    read: int = 0
    spent: float = -1.0
    idle: int = 0


class Ahead(Generic[A, B]):
    """The results of pieces of work that copies of this process compute ahead. This one does what nobody has begun."""

    def __init__(self, work: Callable[[A], B], pieces: Sequence[A], copies: int) -> None:
        assert len(pieces) <= MAX_PIECES
        self._work, self._pieces = work, pieces
        self._done: dict[int, B] = {}
        self._numbers, filled = os.pipe()  # each process takes the number of a piece, does it, and takes the next
        os.write(filled, bytes(range(len(pieces))))
        os.close(filled)
        self._copies: list[_Copy] = []
        with suppress(OSError):  # no memory, or too many processes
            for _ in range(copies):
                self._copies.append(self._copy())

    def take(self, i: int) -> B:
        """Return the result of piece `i`, once. An error of this process is raised."""
        while True:
            self._receive(0.0)
            if i in self._done:
                return self._done.pop(i)
            if number := os.read(self._numbers, 1):
                self._done[number[0]] = self._work(self._pieces[number[0]])
            elif self._copies:
                self._receive(1.0)
            else:
                return self._work(self._pieces[i])

    def close(self) -> None:
        """End the copies."""
        while self._copies:
            self._end(self._copies[-1])
        os.close(self._numbers)

    def _copy(self) -> _Copy:
        context, results = get_context("fork"), os.memfd_create("results")
        reader, writer = context.Pipe(duplex=False)
        process = context.Process(target=self._serve, args=(writer, results), daemon=True)
        try:
            with warnings.catch_warnings():
                # Python warns of locks that other threads hold; a copy that waits for one is given up.
                warnings.simplefilter("ignore", DeprecationWarning)
                process.start()
        except OSError:
            reader.close()
            os.close(results)
            raise
        finally:
            writer.close()
        return _Copy(process, reader, results)

    def _serve(self, writer: Connection, results: int) -> None:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)  # nobody waits for a copy whose original was killed
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the original, which ends its copies
        gc.disable()  # it would only touch, and so copy, all memory
        sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115
        with open(results, "wb") as file:
            while number := os.read(self._numbers, 1):
                result = ForkingPickler.dumps(self._work(self._pieces[number[0]]))
                file.write(result)
                file.flush()
                writer.send((number[0], len(result)))

    def _receive(self, seconds: float) -> None:
        """Take in the results of the copies; wait for one for some seconds."""
        ready = wait([copy.reader for copy in self._copies], seconds)
        for copy in [copy for copy in self._copies if copy.reader in ready]:
            try:
                number, size = copy.reader.recv()
            except (EOFError, OSError):  # it has ended
                self._end(copy)
            else:
                self._done[number] = ForkingPickler.loads(os.pread(copy.results, size, copy.read))
                copy.read += size
        if seconds and not ready:
            self._give_up()

    def _give_up(self) -> None:
        """End the copies that have not computed for a while."""
        for copy in tuple(self._copies):
            spent = _clock_ticks(copy.process)
            copy.spent, copy.idle = spent, 0 if spent > copy.spent else copy.idle + 1
            if copy.idle >= STUCK_AFTER:
                self._end(copy)

    def _end(self, copy: _Copy) -> None:
        self._copies.remove(copy)
        copy.reader.close()
        os.close(copy.results)
        copy.process.kill()
        copy.process.join()
        copy.process.close()


def _clock_ticks(process: BaseProcess) -> float:
    """Return the clock ticks that a process has computed."""
    with suppress(OSError):
        fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        return float(fields[11]) + float(fields[12])
    return -1.0
