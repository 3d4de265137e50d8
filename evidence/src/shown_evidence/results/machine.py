"""Where a result was made: the commit of the package and the kind of machine."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np

import shown
from shown.version import __version__


@cache
def commit() -> str:
    """Return the commit of the package, with a + if its files have changed since; its version outside a clone."""
    if not _git("ls-files", "version.py"):
        return f"version {__version__}"
    head, changed = _git("rev-parse", "--short=12", "HEAD"), _git("status", "--porcelain", "--", ".")
    return f"{head}{'+' * bool(changed)}" if head else f"version {__version__}"


def _git(*arguments: str) -> str:
    """Return git's output in the package's folder; nothing without git or a clone."""
    command = ["git", "-C", str(Path(shown.__file__).parent), *arguments]
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0"}
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=20, env=environment, check=False)
    except (OSError, subprocess.SubprocessError):
        return ""
    return ran.stdout.strip() if ran.returncode == 0 else ""


def machine() -> str:
    """Return cores, memory, system and versions; PyTorch's and the GPU's too once a trial has used them.

    >>> "Python 3" in machine() and "NumPy" in machine()
    True
    """
    torch = sys.modules.get("torch")
    if torch is None:
        return _computer()
    gpu = (torch.cuda.get_device_name(),) if torch.cuda.is_initialized() else ()
    return ", ".join([_computer(), f"PyTorch {torch.__version__}", *gpu])


@cache
def _computer() -> str:
    try:
        memory = f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB"
    except (AttributeError, OSError, ValueError):  # unavailable on this system
        memory = "unknown memory"
    versions = f"Python {platform.python_version()}, NumPy {np.__version__}"
    return f"{cores()} cores, {memory}, {platform.system()} {platform.machine()}, {versions}"


def cores() -> int:
    """Return the number of cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
