"""Which machine ran a trial, in a line: what its times depend on, and nothing that says whose it is."""

from __future__ import annotations

import os
import platform
import sys
from functools import cache

import numpy as np


def machine() -> str:
    """Cores, memory, system and versions; PyTorch's and the GPU's too, once a trial has used them.

    >>> "Python 3" in machine() and "NumPy" in machine()
    True
    """
    return ", ".join([*_computer(), *_torch()])


@cache
def _computer() -> tuple[str, ...]:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        memory = f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB"
    except (AttributeError, OSError, ValueError):  # not told on this system
        memory = "unknown memory"
    system = f"{platform.system()} {platform.machine()}"
    return f"{cores} cores", memory, system, f"Python {platform.python_version()}", f"NumPy {np.__version__}"


def _torch() -> tuple[str, ...]:
    torch = sys.modules.get("torch")
    if torch is None:
        return ()
    gpu = (torch.cuda.get_device_name(),) if torch.cuda.is_initialized() else ()
    return (f"PyTorch {torch.__version__}", *gpu)
