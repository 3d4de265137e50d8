"""How fast the engine is, against the obvious ways of doing the same. Prints ratios measured in one run.

    python benchmarks/engine.py [--plot FILE.svg] [--largest 1000000] [--games nim,chase]

Absolute times depend on the machine and its neighbours; ratios less so. Where a slow way is timed on a sample and
scaled, the line says so.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time

import numpy as np

from shown.demonstrations import Demonstrations
from shown.games import GAMES, find
from shown.grid import Grid
from shown.inference.features import evaluate
from shown.inference.learner import Learner
from shown.language.grammar import paper_grammar
from shown.language.reference import View, run
from timing import demos_of, timed

PROGRAMS = 10_000


def compare(name: str, rng: np.random.Generator) -> None:
    """One game: columns against the reference interpreter, a full learn against the plain loop."""
    from sklearn.tree import DecisionTreeClassifier

    demos = demos_of(name)
    grids = list(dict.fromkeys(step.grid for step in demos.steps))
    grammar = paper_grammar(demos.tokens)
    programs = [term for term, _ in grammar.programs(PROGRAMS)]
    rows = [(grid, cell) for grid in grids for cell in grid.cells()]

    fast = timed(lambda: evaluate(grids, demos.tokens, grammar, PROGRAMS), 3) / (PROGRAMS * len(rows))
    sample_programs = [programs[i] for i in rng.choice(PROGRAMS, 300, replace=False)]
    sample_rows = [rows[i] for i in rng.choice(len(rows), 100)]
    views = [View(grid, demos.tokens, cell) for grid, cell in sample_rows]
    slow = timed(lambda: [run(p, view, grammar.language) for p in sample_programs for view in views]) / (300 * 100)

    learner = Learner(programs=PROGRAMS)
    learn = timed(lambda: learner.fit(demos), 3)
    world, features = evaluate(grids, demos.tokens, grammar, PROGRAMS)
    matrix = _matrix(world, features, len(rows))
    labels = _labels(world, demos, grids, matrix.shape[0])
    prefixes = np.linspace(100, PROGRAMS, 3, dtype=int)

    def plain() -> None:
        for prefix in prefixes:
            for seed in range(5):
                DecisionTreeClassifier(random_state=seed).fit(matrix[:, :prefix], labels)

    trees = timed(plain) / len(prefixes) * (PROGRAMS / 100)
    columns = slow * PROGRAMS * len(rows)
    print(
        f"{name:20} {len(grids):4} states {len(rows):6} rows | columns: reference {slow * 1e9:7.0f} ns, engine "
        f"{fast * 1e9:6.3f} ns, {slow / fast:7,.0f} × | learn: {learn:5.2f} s, plain loop {columns + trees:8,.0f} s "
        f"(columns {columns:,.0f} + trees {trees:,.0f}), {(columns + trees) / learn:6,.0f} ×, "
        f"trees alone {trees / learn:5,.0f} ×",
        flush=True,
    )


def _matrix(world: object, features: object, rows: int) -> np.ndarray:
    """The unmerged feature matrix that the plain loop works on. [rows, programs] float32"""
    columns, of_program = features.columns, features.of_program  # type: ignore[attr-defined]
    mask = np.unpackbits(features.mask.view(np.uint8), bitorder="little").astype(bool)  # type: ignore[attr-defined]
    bits = np.unpackbits(np.ascontiguousarray(columns).view(np.uint8), axis=1, bitorder="little")[:, mask]
    assert bits.shape[1] == rows
    constant = np.zeros((1, rows), dtype=np.uint8)
    return np.ascontiguousarray(np.concatenate([bits, constant])[of_program].T.astype(np.float32))


def _labels(world: object, demos: Demonstrations, grids: list[Grid], rows: int) -> np.ndarray:
    positive = np.zeros(len(world.row_words) * 64, dtype=bool)  # type: ignore[attr-defined]
    place = {grid: i for i, grid in enumerate(grids)}
    for step in demos.steps:
        word, bit = world.row(place[step.grid], step.action)  # type: ignore[attr-defined]
        positive[word * 64 + bit] = True
    mask = np.unpackbits(world.row_mask.view(np.uint8), bitorder="little").astype(bool)  # type: ignore[attr-defined]
    return positive[mask]


def scaling(largest: int, plot: str | None) -> None:
    """Reach for the Star from 10³ programs up."""
    demos = demos_of("reach-for-the-star")
    sizes = [n for n in (10**3, 3 * 10**3, 10**4, 3 * 10**4, 10**5, 3 * 10**5, 10**6, 10**7) if n <= largest]
    seconds = []
    for programs in sizes:
        learner = Learner(programs=programs)
        seconds.append(timed(lambda learner=learner: learner.fit(demos)))  # type: ignore[misc]
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        print(
            f"  {programs:>10,} programs: {seconds[-1]:6.2f} s, {len(learner.features_):>7,} distinct, "
            f"{1e6 * seconds[-1] / programs:6.1f} µs a program, peak memory {memory:.1f} GiB",
            flush=True,
        )
    if plot:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(5, 3.2), layout="constrained")
        axes = figure.subplots()
        axes.loglog(sizes, seconds, "o-", label="measured")
        axes.loglog(sizes, [seconds[-1] * n / sizes[-1] for n in sizes], ":", color="grey", label="linear")
        axes.set(xlabel="programs", ylabel="seconds", title="A full learn of Reach for the Star, 11 demonstrations")
        axes.legend(frameon=False)
        figure.savefig(plot, metadata={"Date": None} if plot.endswith(".svg") else None)
        print(f"  drawn in {plot}")


def acting() -> None:
    rng = np.random.default_rng(0)
    for name in GAMES:
        game = find(name)
        policy = Learner().fit(demos_of(name)).policy_
        boards = [Grid(tuple("".join(row) for row in rng.choice(list(game.tokens), (20, 20)))) for _ in range(20)]
        policy.act(boards[0])
        each = timed(lambda p=policy, b=boards: [p.act(board) for board in b], 3) / len(boards)  # type: ignore[misc]
        print(f"  {name:20} {1000 * each:.2f} ms, {len(policy.components)} components")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", help="draw time against programs into this file")
    parser.add_argument("--largest", type=int, default=10**6)
    parser.add_argument("--games", default=",".join(GAMES))
    args = parser.parse_args()
    print(f"Against the obvious ways ({PROGRAMS:,} programs, every prefix, 5 seeds, K = 25, 11 demonstrations).")
    print("The reference is timed on 300 programs × 100 rows; the plain loop fits scikit-learn's trees, 5 seeds, at")
    print("every hundredth prefix, timed at 3 prefixes (first, middle, last) and scaled to 100.")
    Learner(programs=500).fit(demos_of("nim"))
    for name in args.games.split(","):
        compare(name, np.random.default_rng(0))
    print("\nTime against programs:")
    scaling(args.largest, args.plot)
    print("\nOne act on 20 × 20:")
    acting()
    start = time.perf_counter()
    subprocess.run([sys.executable, "-m", "shown", "--help"], capture_output=True, check=True)
    print(f"\nshown --help: {time.perf_counter() - start:.2f} s")


if __name__ == "__main__":
    main()
