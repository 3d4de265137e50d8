"""Child processes in their own process group, so that they end together with all that they started."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Sequence
from typing import Any

GRACE = 3.0  # seconds for a process to end by itself


def start(command: Sequence[str], **options: Any) -> subprocess.Popen[bytes]:
    """Start a command that does not receive our Ctrl-C."""
    return subprocess.Popen(command, start_new_session=True, **options)


def stop(process: subprocess.Popen[bytes], grace: float = 0.0) -> None:
    """End a process and its children, after `grace` seconds to end by itself."""
    try:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(grace)
    finally:
        with contextlib.suppress(ProcessLookupError):  # the whole group has ended
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
