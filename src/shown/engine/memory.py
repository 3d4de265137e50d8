"""Limits on memory, so that work that cannot fit fails with one line instead of exhausting the machine.

The demonstrated states are bounded before the work, by their sizes. Of the columns 65 to 95 % turn out to be equal, so
they are counted where equal ones are merged.
"""

from __future__ import annotations

import contextlib
import math
import mmap
import os
import resource
from pathlib import Path

import numpy as np
from numpy.typing import DTypeLike

from shown.engine.threads import Gate
from shown.errors import OutOfMemory

COPIED = 2**20  # bytes up to which an array grows by copying and is taken from the allocator
RESERVED = 12  # where address space is limited, an array reserves at most one of this many parts
_CGROUPS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))


class Memory:
    """Bytes that the states, conditions and columns of a task take, up to a limit.

    >>> memory = Memory(1000)
    >>> memory.take(600, "the columns")
    >>> memory.room
    400

    Attributes:
        limit: maximum of `held`; by default half of `machine_memory`.
        held: bytes taken and not given back.
    """

    def __init__(self, limit: int | None = None) -> None:
        self.limit, self.held = default_limit() if limit is None else limit, 0
        self._gate = Gate()

    @property
    def room(self) -> int:
        """Bytes that can still be taken."""
        return max(0, self.limit - self.held)

    def take(self, count: int, what: str) -> None:
        """Count bytes; raise OutOfMemory, naming `what` they are for, if that exceeds the limit."""
        with self._gate.alone():
            refuse_above(self.held + count, what, self.limit)
            self.held += count

    def give(self, count: int) -> None:
        """Count bytes as given back."""
        with self._gate.alone():
            self.held -= count


def refuse_above(needed: int, what: str, limit: int | None = None) -> None:
    """Raise OutOfMemory if more bytes are needed than the limit, by default half of `machine_memory`.

    >>> refuse_above(110 * 2**20, "the columns", limit=100 * 2**20)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    shown.errors.OutOfMemory: the columns would need 110 MiB, but the limit is 100 MiB. Use fewer or smaller grids, ...
    """
    limit = default_limit() if limit is None else limit
    if needed > limit:
        raise OutOfMemory(
            f"{what} would need {size(needed)}, but the limit is {size(limit)}. "
            "Use fewer or smaller grids, or fewer programs, or allow more memory."
        )


def refuse_if_full(what: str) -> None:
    """Raise OutOfMemory if this process holds nearly all of the machine's memory, so that it is not killed.

    For work whose size cannot be told before it is done, such as growing trees.
    """
    refuse_above(resident_memory(), what, machine_memory() // 8 * 7)


def default_limit() -> int:
    """Return half of `machine_memory`."""
    return machine_memory() // 2


def machine_memory() -> int:
    """Return the least of the machine's memory, the container's limit and the process's own limits."""
    limits = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA):
        soft, _ = resource.getrlimit(kind)
        if soft != resource.RLIM_INFINITY:
            limits.append(soft)
    for file in _CGROUPS:
        with contextlib.suppress(OSError, ValueError):
            limits.append(int(file.read_text()))
    return min(limits)


def resident_memory() -> int:
    """Return the bytes of memory that this process holds now; where that is not told, the most it has ever held."""
    with contextlib.suppress(OSError):
        return os.sysconf("SC_PAGE_SIZE") * int(Path("/proc/self/statm").read_text().split()[1])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if os.uname().sysname == "Darwin" else 1024 * peak


def size(count: int) -> str:
    """Return a number of bytes as text.

    >>> size(3 * 2**29), size(5 * 2**20)
    ('1.5 GiB', '5 MiB')
    """
    return f"{count / 2**30:.1f} GiB" if count >= 2**29 else f"{count / 2**20:.0f} MiB"


def empty(shape: tuple[int, ...], dtype: DTypeLike) -> np.ndarray:
    """Return `np.empty`, but a large array takes its own pages, which the system gets back when it is dropped.

    The allocator keeps freed arrays: where arrays come and go while others grow, a third of its memory may be unused.
    """
    size = math.prod(shape) * np.dtype(dtype).itemsize
    if size <= COPIED:
        return np.empty(shape, dtype)
    words = -(-size // 8)
    return reserve(words, 1, words).reshape(-1).view(dtype)[: math.prod(shape)].reshape(shape)


def reserve(rows: int, width: int, least: int) -> np.ndarray:
    """Return an array of up to `rows` rows that takes memory only where it is written. [rows or fewer, width] uint64

    An array that grows by copying exists twice while it grows. Address space is free; where it is limited (`ulimit
    -v`), an array that would take a large part of it has room for only the `least` rows needed now, so that something
    is left for others.
    """
    space, _ = resource.getrlimit(resource.RLIMIT_AS)
    modest = space == resource.RLIM_INFINITY or rows * width * 8 <= space // RESERVED
    for count in (rows, least) if modest else (least,):
        with contextlib.suppress(OSError, ValueError, OverflowError):
            flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NO_RESERVE
            pages = mmap.mmap(-1, max(1, count * width * 8), flags=flags)
            if hasattr(pages, "madvise") and hasattr(mmap, "MADV_HUGEPAGE"):
                with contextlib.suppress(OSError):
                    pages.madvise(mmap.MADV_HUGEPAGE)
            return np.frombuffer(pages, dtype=np.uint64, count=count * width).reshape(count, width)
    return np.empty((least, width), dtype=np.uint64)


_NO_RESERVE = getattr(mmap, "MAP_NORESERVE", 0x4000) if os.uname().sysname == "Linux" else 0
