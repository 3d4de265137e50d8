"""How long a case may take, and how much memory: both are part of what is promised."""

from __future__ import annotations

import contextlib
import resource
import signal
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

CPU_SECONDS = 20.0
"""Of the processor's time, not the clock's: other work on the machine makes no case fail."""
WALL_SECONDS = 120.0
"""For a case that waits for something that never comes."""
BYTES = 1024 * 2**20
"""By which the process may grow, at its largest, while one case is tried."""
ADDRESS_SPACE = 6 * 2**30
"""Of a process that tries cases; an allocation beyond it fails rather than taking the machine down."""


class TooMuch(BaseException):
    """A case took too long or too much. Not an Exception, so that nothing on its way takes it for an ordinary fault."""


@contextlib.contextmanager
def limited(cpu: float = CPU_SECONDS, wall: float = WALL_SECONDS, most: int = BYTES) -> Iterator[None]:
    """Inside, more than so much is `TooMuch`. Only in the main thread, where signals arrive."""

    def stop(number: int, frame: FrameType | None) -> None:
        what = f"{cpu:g} s of processor time" if number == signal.SIGPROF else f"{wall:g} s"
        raise TooMuch(f"it took more than {what}.")

    before = {number: signal.signal(number, stop) for number in (signal.SIGPROF, signal.SIGALRM)}
    held = memory("VmRSS")
    _forget_peak()
    signal.setitimer(signal.ITIMER_PROF, cpu)
    signal.setitimer(signal.ITIMER_REAL, wall)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in before.items():
            signal.signal(number, handler)
    grown = memory("VmHWM") - held
    if grown > most:
        raise TooMuch(f"it took {grown / 2**20:.0f} MiB, more than {most / 2**20:.0f}.")


def limit_address_space(most: int = ADDRESS_SPACE) -> None:
    """For the rest of this process."""
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def memory(what: str) -> int:
    """Bytes that this process holds (`VmRSS`) or held at most (`VmHWM`); 0 on systems that do not say."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith(f"{what}:"):
                return int(line.split()[1]) * 1024
    return 0


def _forget_peak() -> None:
    """From now on `VmHWM` is counted anew."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
