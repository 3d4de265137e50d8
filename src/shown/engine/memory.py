"""Memory limits, and accounts of the memory that a task holds.

Learning and acting reserve here whatever grows with their input, so that a run that cannot fit fails with an error
instead of exhausting the machine.
"""

from __future__ import annotations

import contextlib
import math
import mmap
import os
import resource
import threading
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from shown.errors import OutOfMemory

COPIED = 2**20  # bytes up to which an array grows by copying and is taken from the allocator
RESERVED = 12  # where address space is limited, an array reserves at most one of this many parts
_CGROUPS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))


class Account:
    """Bytes held by a task, up to a limit.

    >>> account = Account(1000)
    >>> account.take(600, "the columns")
    >>> account.held
    600

    Attributes:
        limit: maximum of `held`.
        peak_bytes: largest value of `held` so far.
    """

    def __init__(self, limit: int | None = None, trunk: Account | None = None) -> None:
        self.limit = default_limit() if limit is None else limit
        self._own, self._trunk = 0, trunk
        self.peak_bytes = 0
        self._lock = threading.Lock()

    def take(self, wanted: int, what: str, advice: str = "Use fewer or smaller grids") -> None:
        """Reserve `wanted` bytes; raise OutOfMemory, naming `what` and the `advice`, if they exceed the limit."""
        with self._lock:
            if self.held + wanted > self.limit:
                raise OutOfMemory(
                    f"{what} would need {size(self.held + wanted)}, but the limit is {size(self.limit)}. "
                    f"{advice}, or allow more memory."
                )
            self._own += wanted
            self.peak_bytes = max(self.peak_bytes, self.held)

    def hold(self, array: np.ndarray, what: str) -> None:
        """Reserve the bytes of an array until the array is gone, in a branch also beyond the end of its work."""
        self.take(array.nbytes, what)
        if self._trunk is None:
            weakref.finalize(array, self.give, array.nbytes)
        else:
            self.give(array.nbytes)
            self._trunk.hold(array, what)

    def branch(self) -> Account:
        """Return an account with the same limit, for work that is dropped later.

        What is held here, now and later, is held there as well, but not the other way round.
        """
        return Account(self.limit, self)

    @property
    def held(self) -> int:
        """Bytes currently held."""
        return self._own + (0 if self._trunk is None else self._trunk.held)

    @property
    def room(self) -> int:
        """Bytes that can still be taken."""
        return max(0, self.limit - self.held)

    def give(self, count: int) -> None:
        """Give back bytes that were taken."""
        self._own -= count

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=threading.Lock())


class Holding:
    """Bytes of an account held for one purpose, which grow and shrink, and can be given back together.

    >>> account = Account(1000)
    >>> holding = Holding(account, "growing trees", "Use fewer buttons")
    >>> holding.change(600)
    >>> with holding.briefly(300):
    ...     account.held
    900
    >>> holding.clear()
    >>> account.held
    0

    Args:
        account: the account.
        what, advice: what the bytes are for and how to need fewer, for the error.

    Attributes:
        limit: that of the account.
        room: bytes that can still be taken.
    """

    def __init__(self, account: Account, what: str, advice: str) -> None:
        self._account, self._what, self._advice, self._bytes = account, what, advice, 0
        self.limit = account.limit

    @property
    def room(self) -> int:
        return self._account.room

    def change(self, by: int) -> None:
        """Take bytes, or give some back if `by` is negative."""
        self._account.take(by, self._what, self._advice)
        self._bytes += by

    @contextlib.contextmanager
    def briefly(self, count: int) -> Iterator[None]:
        """Hold bytes inside a `with` statement."""
        self.change(count)
        try:
            yield
        finally:
            self.change(-count)

    def clear(self) -> None:
        """Give everything back."""
        self.change(-self._bytes)


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
