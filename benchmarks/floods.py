"""How fast the words about ways are: against a scan, and against their meaning. Prints ratios measured in one run.

    python benchmarks/floods.py [--games chase,fence-in]

On the states of each game's training demonstrations. Absolute times depend on the machine and its neighbours; ratios
less so.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

from shown import floods, planes
from shown.games import GAMES, demonstrate, find, load_levels
from shown.language.primitives import LANGUAGE, WAYS
from shown.language.reference import View, check
from shown.language.terms import Kind, Term
from shown.planes import Planes

MARGIN = 4
"""About what 10,000 programs of the paper's language need."""


def timed(work: Callable[[], object], repeats: int = 1) -> float:
    """Seconds of the fastest of some runs."""
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def compare(name: str) -> None:
    """One game: a flood for all directions, and each word, against one scan and against the meaning."""
    game = find(name)
    demos = demonstrate(game, load_levels(game, "train"))
    grids = list(dict.fromkeys(step.grid for step in demos.steps))
    world = Planes(grids, game.tokens, margin=MARGIN)
    values = len(world.values)
    first, second = (codes.ravel() for codes in np.meshgrid(np.arange(values), np.arange(values)))
    ways = np.tile(floods.SIDES, (len(first), 1))
    store, four = world.of_values, (np.repeat(first, 4), np.repeat(second, 4))
    calls: dict[str, tuple[int, Callable[[], object]]] = {
        "scan": (len(ways), lambda: planes.scan_many(world, store, ways, *four)),
        "flood": (len(first), lambda: floods.nearer_many(world, store, ways, *four)),
        "nearer": (len(ways), lambda: floods.nearer_many(world, store, ways, *four)),
        "reachable": (len(first), lambda: floods.reachable_many(world, store, first, second)),
        "enclosed": (values, lambda: floods.enclosed_many(world, store, np.arange(values))),
        "toward": (
            4 * values,
            lambda: floods.toward_many(world, store, ways[: 4 * values], np.repeat(first[:values], 4)),
        ),
        "nearest": (len(first), lambda: floods.nearest_many(world, store, first, second)),
    }
    seconds = {}
    for word, (count, call) in calls.items():
        call()
        seconds[word] = timed(call, 3) / count
    cells = sum(grid.height * grid.width for grid in grids)
    told = [f"{word} {seconds[word] / seconds['scan']:5.1f}" for word in calls if word != "scan"]
    print(
        f"{name:19} {len(grids):4} states {world.shape} | a scan {seconds['scan'] * 1e6:6.1f} µs; × scan: {', '.join(told)}"
    )
    meant = []
    for primitive in WAYS:
        slow = meaning(primitive.name, primitive.takes, grids[::7], game.tokens) * cells
        meant.append(f"{primitive.name} {slow / seconds[primitive.name]:,.0f}")
    print(f"{'':19} × faster than the meaning: {', '.join(meant)}")


def meaning(word: str, takes: tuple[Kind, ...], grids: list, tokens: object) -> float:  # type: ignore[type-arg]
    """Seconds a cell, by the reference interpreter, on some cells of some states."""
    rng, language = np.random.default_rng(0), LANGUAGE.extended(*WAYS)
    values = tokens.values  # type: ignore[attr-defined]
    cases = []
    for grid in grids:
        names = [str(name) for name in rng.choice(values, len(takes))]
        arguments = {Kind.OFFSET: (0, 1), Kind.VALUE: names[0]}
        of_values = [Term("cell_is_value", (name,)) for name in names]
        term = Term(word, tuple(arguments.get(kind, of) for kind, of in zip(takes, of_values, strict=True)))
        cells = list(grid.cells())
        cases += [(term, View(grid, tokens), cells[i]) for i in rng.choice(len(cells), 20)]  # type: ignore[arg-type]
    return timed(lambda: [check(term, view, cell, language) for term, view, cell in cases]) / len(cases)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--games", default=",".join(GAMES), help="which games (all)")
    for name in parser.parse_args().games.split(","):
        compare(name)


if __name__ == "__main__":
    main()
