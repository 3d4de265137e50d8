"""Which processes still run."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


def still_running(pids: Iterable[int]) -> list[int]:
    """Those of these that have not ended; one that has, and that nobody has asked about yet (a zombie), has ended."""
    return [pid for pid in pids if _state(pid) not in ("Z", "X", None)]


def _state(pid: int) -> str | None:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")")[-1].split()[0]
    except OSError:
        return None


def children(parents: Iterable[int], prefix: str) -> list[int]:
    """The processes begun by some others that call themselves something that begins like this."""
    wanted, found = set(parents), []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                called = (entry / "cmdline").read_bytes().decode(errors="replace")
                parent = int((entry / "stat").read_text().rsplit(")")[-1].split()[1])
            except OSError:
                continue  # it has just ended
            if parent in wanted and called.startswith(prefix):
                found.append(int(entry.name))
    return still_running(found)
