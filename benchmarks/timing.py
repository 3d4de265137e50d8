"""A clock and the experts' demonstrations, for several benchmarks."""

from __future__ import annotations

import time
from collections.abc import Callable

from shown.demonstrations import Demonstrations
from shown.worlds import demonstrate, find, load_levels


def timed(work: Callable[[], object], repeats: int = 1, clock: Callable[[], float] = time.perf_counter) -> float:
    """Return the seconds of the fastest run; `time.process_time` ignores other load on the machine."""
    best = float("inf")
    for _ in range(repeats):
        start = clock()
        work()
        best = min(best, clock() - start)
    return best


def demos_of(name: str) -> Demonstrations:
    """Return the expert's demonstrations of all training levels."""
    game = find(name)
    return demonstrate(game, load_levels(game, "train"))
