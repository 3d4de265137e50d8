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
