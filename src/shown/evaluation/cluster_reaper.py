"""End what a killed command leaves of its local cluster: run as a script, with the standard library alone.

Ray's main processes end with the command, but their agents notice only after a minute, and nobody removes the folder.
The command writes the folder's path to this script's input and keeps it open: its end is the end of the command.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
import time
from pathlib import Path

ROUNDS, PAUSE = 50, 0.1  # looks for processes that are left, and seconds between two


def main() -> None:
    folder = sys.stdin.buffer.readline().rstrip(b"\n")
    sys.stdin.buffer.read()
    for _ in range(ROUNDS if folder else 0):
        left = processes_of(folder)
        for pid in left:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        shutil.rmtree(os.fsdecode(folder), ignore_errors=True)
        if not left and not os.path.exists(folder):
            return
        time.sleep(PAUSE)


def processes_of(folder: bytes) -> list[int]:
    """Return Ray's processes with an open file in the folder; none where there is no /proc."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # a process that has just ended, or of another user
            for each in (entry / "fd").iterdir() if b"ray" in (entry / "cmdline").read_bytes() else ():
                with contextlib.suppress(FileNotFoundError):  # closed meanwhile
                    if os.readlink(each).startswith(f"{os.fsdecode(folder)}/"):
                        found.append(int(entry.name))
                        break
    return found


if __name__ == "__main__":
    main()
