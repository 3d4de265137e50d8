"""Speed of the walking primitives against a scan and against the reference interpreter, as ratios of one run.

    python benchmarks/floods.py [--games chase,fence-in]

On the states of each game's training demonstrations, for all arguments that are values. The reference interpreter is
timed on a sample of cells and scaled.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence

import numpy as np

from shown.engine import planes
from shown.engine.floods import nearer_many
from shown.engine.planes import Planes
from shown.grid import Grid, Tokens
from shown.language.kernels import run_many
from shown.language.primitives import LANGUAGE, WAYS, Primitive
from shown.language.reference import View, check
from shown.language.terms import Kind, Term
from shown.worlds import GAMES
from shown.worlds.games.game import SIDES
from timing import demos_of, timed

MARGIN = 4
"""Approximately the number that 10,000 programs of the paper's language need."""
REPEATS, CLOCK = 20, time.process_time


def compare(name: str) -> None:
    """Measure one game: a flood for all four directions, and each primitive, against a scan and the reference."""
    demos = demos_of(name)
    grids = list(dict.fromkeys(step.grid for step in demos.steps))
    world = Planes(grids, demos.tokens, margin=MARGIN)
    every = arguments((Kind.OFFSET, Kind.CONDITION, Kind.CONDITION), world)
    planes.scan_many(world, world.of_values, *every)  # compiles it
    scan = timed(lambda: planes.scan_many(world, world.of_values, *every), REPEATS, CLOCK) / len(every[0])
    flood = timed(lambda: nearer_many(world, world.of_values, *every), REPEATS, CLOCK) / len(every[0]) * len(SIDES)
    print(f"{name}: {len(grids)} states {world.shape}, a scan {scan * 1e6:.1f} µs, a flood {flood / scan:.1f} × that")
    for primitive in WAYS:
        chosen = arguments(primitive.takes, world)
        run_many(world, primitive, chosen, world.of_values)
        seconds = timed(lambda: run_many(world, primitive, chosen, world.of_values), REPEATS, CLOCK)  # noqa: B023
        fast = seconds / len(chosen[0])
        slow = meaning(primitive, grids, demos.tokens)
        print(f"  {primitive.name:10} {fast / scan:6.1f} × a scan, {slow / fast:12,.0f} × faster than its meaning")


def arguments(takes: Sequence[Kind], world: Planes) -> list[np.ndarray]:
    """Return all argument tuples: a side for an offset, values otherwise, `cell_is_value` for a condition."""
    sizes = [len(SIDES) if kind is Kind.OFFSET else len(world.values) for kind in takes]
    codes = [grid.ravel() for grid in np.meshgrid(*map(np.arange, sizes), indexing="ij")]
    return [np.array(SIDES)[code] if kind is Kind.OFFSET else code for kind, code in zip(takes, codes, strict=True)]


def meaning(primitive: Primitive, grids: Sequence[Grid], tokens: Tokens, sample: int = 300) -> float:
    """Return the seconds of the reference interpreter for all cells of the states."""
    rng, language = np.random.default_rng(0), LANGUAGE.extended(*WAYS)

    def argument(kind: Kind) -> tuple[int, int] | str | Term:
        value = str(rng.choice(tokens.values))
        if kind is Kind.OFFSET:
            return SIDES[rng.integers(len(SIDES))]
        return value if kind is Kind.VALUE else Term("cell_is_value", (value,))

    cells = [(grid, cell) for grid in grids for cell in grid.cells()]
    cases = [
        (Term(primitive.name, tuple(map(argument, primitive.takes))), View(cells[i][0], tokens), cells[i][1])
        for i in rng.choice(len(cells), sample)
    ]
    return timed(lambda: [check(*case, language) for case in cases], 1, CLOCK) / sample * len(cells)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--games", default=",".join(GAMES), help="which games (all)")
    for name in parser.parse_args().games.split(","):
        compare(name)


if __name__ == "__main__":
    main()
