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
import shown_evidence
from shown.version import __version__


@cache
def commit() -> str:
    """Return the commit of the packages, with a + if their files have changed since; the version outside a clone."""
    ours, evidence = (Path(package.__file__ or "").parent for package in (shown, shown_evidence))
    if not _git(ours, "ls-files", "version.py"):
        return f"version {__version__}"
    head = _git(ours, "rev-parse", "--short=12", "HEAD")
    changed = any(_git(folder, "status", "--porcelain", "--", ".") for folder in (ours, evidence))
    return f"{head}{'+' * changed}" if head else f"version {__version__}"


def _git(folder: Path, *arguments: str) -> str:
    """Return git's output in a folder; nothing without git or a clone."""
    command = ["git", "-C", str(folder), *arguments]
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
