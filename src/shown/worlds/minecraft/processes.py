"""Processes of others that leave nothing behind: started in a group of their own, and ended as a group."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Sequence
from typing import Any

GRACE = 3.0
"""Seconds in which a process may end by itself."""


def start(command: Sequence[str], **options: Any) -> subprocess.Popen[bytes]:
    """Starts a command whose Ctrl-C is ours to handle."""
    return subprocess.Popen(command, start_new_session=True, **options)


def stop(process: subprocess.Popen[bytes], grace: float = 0.0) -> None:
    """Ends it and all that it has started, after `grace` seconds in which it may do so itself."""
    try:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(grace)
    finally:
        if hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError):  # the whole group has ended
                os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
        process.wait()
