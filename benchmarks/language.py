"""Speed of the primitives of the standard language. Prints ratios measured in one run.

    python benchmarks/language.py [--games nim,chase] [--repeats 3]

For each primitive: kernel, compiled where there is one, against meaning, on random grids with random arguments. The
meaning is timed on a sample of cells and scaled. Then, for each game, a full learn with the
standard grammar against one with the paper's.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from shown.engine.planes import Planes
from shown.grid import AREAS, Grid, Tokens
from shown.inference.learner import Learner
from shown.language.grammar import Grammar, paper_grammar
from shown.language.kernels import run_many
from shown.language.primitives import Primitive
from shown.language.reference import View, check, run
from shown.language.standard import STANDARD, standard_grammar
from shown.language.terms import Argument, Kind, Term, names_by_kind
from shown.worlds import GAMES
from timing import demos_of, timed

PROGRAMS = 10_000
TUPLES = 64
"""Argument tuples computed at once."""
MARGIN, STATES = 2, 150
CLOCK = time.process_time


def compare(primitive: Primitive, grids: list[Grid], tokens: Tokens, repeats: int, rng: np.random.Generator) -> None:
    """Measure one primitive: meaning and kernel, per argument tuple, state and cell."""
    buttons = ("left", "right") if primitive.needs == "button" else ()
    world = Planes(grids, tokens, buttons, MARGIN)
    names = names_by_kind(world.values, buttons)
    choices: dict[Kind, Any] = {
        Kind.OFFSET: ((-1, 0), (1, 0), (0, -1), (0, 1)),
        Kind.NUMBER: (1, 2, 3, 4),
        Kind.AREA: AREAS,
        Kind.CONDITION: tuple(Term("cell_is_value", (value,)) for value in world.values),
        **{kind: names[kind] for kind in (Kind.VALUE, Kind.BUTTON)},
    }
    terms = [
        Term(primitive.name, tuple(choices[kind][int(rng.integers(len(choices[kind])))] for kind in primitive.takes))
        for _ in range(TUPLES)
    ]

    def code(kind: Kind, argument: Argument) -> Any:
        if isinstance(argument, Term):
            return world.values.index(str(argument.arguments[0]))
        return names[kind].index(str(argument)) if kind in names else argument

    codes = [np.array([code(kind, term.arguments[i]) for term in terms]) for i, kind in enumerate(primitive.takes)]
    asked = len(buttons) * len(grids) or sum(grid.height * grid.width for grid in grids)
    run_many(world, primitive, codes, world.of_values)
    kernel = timed(lambda: run_many(world, primitive, codes, world.of_values), repeats, CLOCK) / (TUPLES * asked)
    sample = [
        (terms[int(rng.integers(TUPLES))], grid, (int(rng.integers(grid.height)), int(rng.integers(grid.width))))
        for grid in (grids[int(rng.integers(len(grids)))] for _ in range(300))
    ]

    def ask() -> None:
        for term, grid, cell in sample:
            if primitive.gives is Kind.PROGRAM:
                run(term, View(grid, tokens, buttons[0] if buttons else cell), STANDARD)
            else:
                check(term, View(grid, tokens), cell, STANDARD)

    meaning = timed(ask, 1, CLOCK) / len(sample)
    how = "compiled" if primitive.many else "NumPy"
    print(
        f"  {primitive.name:20} meaning {1e6 * meaning:8.2f} µs, {how} kernel {1e9 * kernel:8.4f} ns, "
        f"{meaning / kernel:10,.0f} ×",
        flush=True,
    )


def learning(name: str, repeats: int) -> None:
    """Measure a full learn with each grammar."""
    demos = demos_of(name)

    def seconds(make: Callable[[Tokens, tuple[str, ...]], Grammar]) -> float:
        grammar = make(demos.tokens, demos.buttons)
        return timed(lambda: Learner(programs=PROGRAMS, grammar=grammar).fit(demos), repeats, CLOCK)

    paper, standard = seconds(paper_grammar), seconds(standard_grammar)
    terms = (term for term, _ in standard_grammar(demos.tokens, demos.buttons).programs(PROGRAMS))
    kept = sum(all(part.primitive in paper_grammar(demos.tokens).language for part in term.walk()) for term in terms)
    print(
        f"  {name:20} paper {paper:5.2f} s, standard {standard:5.2f} s, {standard / paper:4.2f} ×; "
        f"{kept / PROGRAMS:.0%} of the first {PROGRAMS:,} programs are the paper's",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", default=",".join(GAMES))
    parser.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args()
    tokens = Tokens(empty=".", wall="#", agent="A", star="*", one="1", two="2", three="3")
    rng = np.random.default_rng(0)
    shares = (0.4, 0.2, 0.05, 0.05, 0.1, 0.1, 0.1)
    boards = rng.choice(list(tokens), size=(STATES, 10, 12), p=shares)
    grids = [Grid(tuple(map("".join, board))) for board in boards]
    print(f"Words, for each state and cell ({STATES} grids of 10 × 12, {TUPLES} argument tuples at once):")
    for primitive in STANDARD.values():
        compare(primitive, grids, tokens, args.repeats, rng)
    print(f"Learning from 11 demonstrations with {PROGRAMS:,} programs:")
    Learner(programs=500).fit(demos_of("nim"))
    for name in args.games.split(","):
        learning(name, args.repeats)


if __name__ == "__main__":
    main()
