"""Random memory limits with random numbers of buttons and steps: learning stays within them, or is refused."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from test_memory_limits import learn

MEBIBYTE = 2**20
SMALL = 24 * MEBIBYTE
"""So much more may be taken with a limit too small to learn anything."""
STEPS = {0: 2000, 3: 400, 30: 200, 200: 60, 400: 40, 1000: 4}
"""Most steps for each number of buttons (none: clicks), so that a case takes seconds."""


def make(rng: random.Random) -> Any:
    most = rng.choice(list(STEPS))
    buttons = rng.randint(1 + most // 2, most) if most else 0
    return {
        "buttons": buttons,
        "steps": rng.randint(1, STEPS[most]),
        "mebibytes": rng.choice((1, rng.randint(2, 60), rng.randint(60, 400))),
    }


def run(data: Any, folder: Path) -> None:
    limit = data["mebibytes"] * MEBIBYTE
    most = max(1.2 * limit, limit + SMALL)
    found = learn(data["buttons"], data["steps"], limit)
    if found["taken"] > most:  # perhaps a loop was compiled meanwhile, which takes memory once
        found = learn(data["buttons"], data["steps"], limit)
    assert found["taken"] <= most, f"{found['taken'] / MEBIBYTE:.0f} MiB were taken"
    assert found["error"] is None or "\n" not in found["error"], found["error"]
