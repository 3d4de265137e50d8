"""How much memory there is, and an account of what one piece of work holds of it.

Learning and acting both ask here before they allocate anything that grows with what they were given, so that a run
that cannot fit says so instead of taking the machine down.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import resource
from pathlib import Path

import numpy as np

from shown.errors import OutOfMemory

_CGROUPS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))


class Account:
    """The bytes that a piece of work holds; it refuses what would not fit.

    >>> account = Account(1000)
    >>> account.take(600, "the columns")
    >>> account.held
    600
    """

    def __init__(self, limit: int | None = None) -> None:
        self.limit = default_limit() if limit is None else limit
        self.held = 0
        self.most = 0  # that was held at a time

    def take(self, wanted: int, what: str, advice: str = "Use fewer or smaller grids") -> None:
        """Enters `wanted` bytes, or raises OutOfMemory saying what would need them and what to do."""
        if self.held + wanted > self.limit:
            raise OutOfMemory(
                f"{what} would need {size(self.held + wanted)}, but the limit is {size(self.limit)}. "
                f"{advice}, or allow more memory."
            )
        self.held += wanted
        self.most = max(self.most, self.held)


def default_limit() -> int:
    """Half of what this process can have: of the machine's memory, its container's, or what `ulimit` allows it."""
    return machine_memory() // 2


def machine_memory() -> int:
    """The least of the machine's memory, the container's limit and the process's own limits."""
    limits = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA):
        soft, _ = resource.getrlimit(kind)
        if soft != resource.RLIM_INFINITY:
            limits.append(soft)
    for file in _CGROUPS:
        with contextlib.suppress(OSError, ValueError):
            limits.append(int(file.read_text()))
    return min(limits)


def size(count: int) -> str:
    """
    >>> size(3 * 2**29), size(5 * 2**20)
    ('1.5 GiB', '5 MiB')
    """
    return f"{count / 2**30:.1f} GiB" if count >= 2**29 else f"{count / 2**20:.0f} MiB"


def reserve(rows: int, width: int, least: int) -> np.ndarray:
    """Room for up to `rows` rows of words that takes memory only as it is written to. [rows or fewer, width] uint64

    An array that grows by copying is twice there while it grows, and most of its time is spent on fresh pages; address
    space costs nothing. Where it is short (under `ulimit -v`, say), room for the `least` rows needed now will do.
    """
    for count in (rows, least):
        with contextlib.suppress(OSError, ValueError, OverflowError):
            flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NO_RESERVE
            pages = mmap.mmap(-1, max(1, count * width * 8), flags=flags)
            if hasattr(pages, "madvise") and hasattr(mmap, "MADV_HUGEPAGE"):
                with contextlib.suppress(OSError):
                    pages.madvise(mmap.MADV_HUGEPAGE)
            return np.frombuffer(pages, dtype=np.uint64, count=count * width).reshape(count, width)
    return np.empty((least, width), dtype=np.uint64)


_NO_RESERVE = getattr(mmap, "MAP_NORESERVE", 0x4000) if os.uname().sysname == "Linux" else 0
