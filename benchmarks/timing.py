"""What several benchmarks need: a clock, and what the experts show."""

from __future__ import annotations

import time
from collections.abc import Callable

from shown.demonstrations import Demonstrations
from shown.games import demonstrate, find, load_levels


def timed(work: Callable[[], object], repeats: int = 1, clock: Callable[[], float] = time.perf_counter) -> float:
    """Seconds of the fastest of some runs. `time.process_time` leaves out what else the machine is doing."""
    best = float("inf")
    for _ in range(repeats):
        start = clock()
        work()
        best = min(best, clock() - start)
    return best


def demos_of(name: str) -> Demonstrations:
    """What the expert of a game shows on all training levels."""
    game = find(name)
    return demonstrate(game, load_levels(game, "train"))
