"""A memory limit holds for the whole of learning: planes, columns, trees, clauses and all hypotheses together."""

import json
import subprocess
import sys

import pytest

SCRIPT = """
import json, resource, sys
import numpy as np
from shown import Demonstrations, teach
from shown.errors import OutOfMemory
from shown.evaluation.resources import Resources
from shown.grid import Grid, Tokens

buttons, steps, limit = map(int, sys.argv[1:])
tokens, rng = Tokens(empty=".", wall="#", goal="G"), np.random.default_rng(0)

def demonstrations(buttons, steps):
    names = tuple(f"b{i}" for i in range(buttons))
    grids = [Grid(tuple("".join(rng.choice(list(".#G"), 5)) for _ in range(5))) for _ in range(steps)]

    def action():
        return str(rng.choice(names)) if names else tuple(map(int, rng.integers(0, 5, 2)))

    return Demonstrations.from_runs(tokens, [[(grid, action()) for grid in grids]], None, names)

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

for some in (3, 0):
    teach(demonstrations(some, 3), programs=2000)  # loads and compiles everything
before, error = peak(), None
try:
    teach(demonstrations(buttons, steps), programs=2000, resources=Resources(threads=1, memory_limit=limit))
except OutOfMemory as caught:
    error = str(caught)
print(json.dumps({"taken": peak() - before, "error": error}))
"""


def learn(buttons: int, steps: int, limit: int) -> dict:
    """Learn from random steps in a process of its own; return the bytes it took and why it failed."""
    command = [sys.executable, "-W", "ignore", "-c", SCRIPT, *map(str, (buttons, steps, limit))]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


LIMITS = (60, 80, 100, 125, 150, 200, 250, 300, 350, 400)
"""MiB."""


def check(buttons: int, steps: int, mebibytes: int) -> None:
    """Learning takes at most a fifth more than the limit; what does not fit is refused."""
    found = learn(buttons, steps, mebibytes * 2**20)
    assert found["taken"] <= 1.2 * mebibytes * 2**20
    assert found["error"] is None or "would need" in found["error"]


@pytest.mark.slow
@pytest.mark.parametrize(("buttons", "steps"), [(400, 40), (0, 200), (0, 2000)], ids=["buttons", "clicks", "many"])
@pytest.mark.parametrize("mebibytes", LIMITS)
def test_learning_stays_within_the_limit(buttons, steps, mebibytes):
    check(buttons, steps, mebibytes)


@pytest.mark.slow
def test_twenty_thousand_clicks_stay_within_the_limit():
    check(0, 20_000, 300)


@pytest.mark.slow
def test_clicks_that_nothing_explains_stay_within_the_limit():
    """Every formula that was ever considered was remembered: 364 MiB."""
    check(0, 200, 60)


@pytest.mark.slow
@pytest.mark.parametrize(("steps", "mebibytes"), [(1054, 304), (1183, 353)])
def test_long_formulas_stay_within_the_limit(steps, mebibytes):
    """Formulas that were no longer among the best were remembered as sets: 367 and 466 MiB."""
    check(0, steps, mebibytes)


def test_what_does_not_fit_at_all_is_refused_in_one_line():
    found = learn(400, 40, 2**20)
    assert "would need" in found["error"]
    assert "allow more memory" in found["error"]


@pytest.mark.slow
def test_a_thousand_buttons_and_two_steps_are_learned_or_refused():
    check(1000, 2, 200)
