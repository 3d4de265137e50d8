"""Speed of the engine: learns, threads, the first run, and ratios to obvious implementations, measured in one run.

    python benchmarks/engine.py [PART …] [--before SRC] [--plot FILE.svg] [--largest 1000000] [--games nim,chase]

Parts, all by default; the first three take under two minutes on 16 cores and need no scikit-learn:

* learns: the published learns of the games, and the same by the code in the folder SRC (an older `src`), in turn;
* threads: learning and evaluating on 1, 2, 4 … threads, up to the cores there are;
* first: a first learn with nothing compiled, and what is compiled in it;
* plain: columns against the reference interpreter, learns against scikit-learn's trees, prefix by prefix;
* programs: time against the number of programs;
* acting: one action, and `shown --help`.

Absolute times depend on the machine and its load; ratios less so. The output says where a slow implementation is timed
on a sample and scaled. On a busy machine, compare processor times (cpu).
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

from shown.columns.resources import Resources
from shown.demonstrations import Demonstrations
from shown.grid import Grid
from shown.inference.features import evaluate
from shown.inference.learner import Learner
from shown.language.grammar import paper_grammar
from shown.language.reference import View, run
from shown.worlds import GAMES, find
from timing import demos_of, timed

PROGRAMS = 10_000


def compare(name: str, rng: np.random.Generator) -> None:
    """Measure one game: columns against the reference interpreter, a full learn against the plain loop."""
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
    """Return the unmerged feature matrix of the plain loop. [rows, programs] float32"""
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
    """Measure Reach for the Star from 10³ programs up."""
    demos = demos_of("reach-for-the-star")
    with warnings.catch_warnings(action="ignore"):
        Learner(programs=10**3).fit(demos)  # starts the engine; so few programs explain nothing
    sizes = [n for n in (10**3, 3 * 10**3, 10**4, 3 * 10**4, 10**5, 3 * 10**5, 10**6, 10**7) if n <= largest]
    seconds = []
    for programs in sizes:
        learner = Learner(programs=programs)
        with warnings.catch_warnings(action="ignore"):
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


PLAIN = f"""Against the obvious ways ({PROGRAMS:,} programs, every prefix, 5 seeds, K = 25, 11 demonstrations).
The reference is timed on 300 programs × 100 rows; the plain loop fits scikit-learn's trees, 5 seeds, at
every hundredth prefix, timed at 3 prefixes (first, middle, last) and scaled to 100."""


def plainly(games: list[str]) -> None:
    """Compare each game with the obvious ways."""
    Learner(programs=500).fit(demos_of("nim"))
    for name in games:
        compare(name, np.random.default_rng(0))


def acting() -> None:
    rng = np.random.default_rng(0)
    for name in GAMES:
        game = find(name)
        policy = Learner().fit(demos_of(name)).policy_
        boards = [Grid(tuple("".join(row) for row in rng.choice(list(game.tokens), (20, 20)))) for _ in range(20)]
        policy.act(boards[0])
        each = timed(lambda p=policy, b=boards: [p.act(board) for board in b], 3) / len(boards)  # type: ignore[misc]
        print(f"  {name:20} {1000 * each:.2f} ms, {len(policy.components)} components")
    start = time.perf_counter()
    subprocess.run([sys.executable, "-m", "shown", "--help"], capture_output=True, check=True)
    print(f"shown --help: {time.perf_counter() - start:.2f} s")


CHILD = """
import json, os, sys, time
from shown import Learner, Resources
from timing import demos_of

programs, threads = json.loads(sys.argv[1])
for name in sys.argv[2:]:
    demos, learner = demos_of(name), Learner.published()
    learner.programs, learner.resources = programs, Resources(threads=threads)
    learner.fit(demos)
    best = [1e9, 1e9]
    for _ in range(3 if programs < 10**5 else 1):
        start = time.perf_counter(), time.process_time()
        learner.fit(demos)
        best = [min(best[0], time.perf_counter() - start[0]), min(best[1], time.process_time() - start[1])]
    print(json.dumps([name, *best]), flush=True)
"""
"""Times full learns of the games in its arguments: the best of three by the clock, and by processor time."""


def child(code: str, arguments: list[str], source: str | None = None, **environment: str) -> str:
    """Return what Python prints, with the package of another `src` or with other variables."""
    here = str(Path(__file__).parent)
    path = os.pathsep.join([here, *([source] if source else []), *sys.path[1:]])
    variables = {**os.environ, "PYTHONPATH": path, **environment}
    done = subprocess.run([sys.executable, "-c", code, *arguments], env=variables, capture_output=True, check=True)
    return done.stdout.decode()


def learns(games: list[str], before: str | None) -> None:
    """Time full published learns, by this code and by that in `before`, in turn."""
    cases = [(PROGRAMS, 1, games), (300_000, 1, ["reach-for-the-star"]), (10**6, None, ["reach-for-the-star"])]
    for programs, threads, names in cases:
        for name in names:
            arguments = [json.dumps([programs, threads]), name]
            line = f"  {name:20} {programs:>9,} programs, {threads or os.cpu_count()} threads:"
            _, clock, cpu = json.loads(child(CHILD, arguments))
            line += f" {clock:6.2f} s ({cpu:.2f} cpu)"
            if before:
                _, old_clock, old_cpu = json.loads(child(CHILD, arguments, before))
                line += f" | before {old_clock:6.2f} s ({old_cpu:.2f} cpu), {old_clock / clock:4.1f} × "
                line += f"({old_cpu / cpu:.1f} × cpu)"
            print(line, flush=True)


def thread_counts() -> list[int]:
    """Return 1, 2, 4 … up to the cores there are."""
    cores = os.cpu_count() or 1
    return [n for n in (1, 2, 4, 8, 16, 32, 64) if n < cores] + [cores]


def threads() -> None:
    """Time a learn and its evaluation on more and more threads."""
    demos = demos_of("reach-for-the-star")
    grids = list(dict.fromkeys(step.grid for step in demos.steps))
    grammar = paper_grammar(demos.tokens)
    works = {
        "learn, 300,000 programs": lambda n: Learner(programs=300_000, resources=Resources(threads=n)).fit(demos),
        "learn, 10⁶ programs": lambda n: Learner(programs=10**6, resources=Resources(threads=n)).fit(demos),
        "evaluate 10⁶ programs": lambda n: evaluate(grids, demos.tokens, grammar, 10**6, threads=n),
    }
    load = os.getloadavg()[0]
    print(f"  {'threads':24}" + "".join(f"{n:>16}" for n in thread_counts()) + f"   (load before: {load:.1f})")
    for name, work in works.items():
        work(1)  # compiles, and has memory given to the process
        seconds = [timed(lambda n=n, work=work: work(n), 2) for n in thread_counts()]  # type: ignore[misc]
        cells = "".join(f"{f'{s:.2f} s {seconds[0] / s:5.1f} ×':>16}" for s in seconds)
        print(f"  {name:24}{cells}", flush=True)


FIRST = """
import json, time
start = time.perf_counter()
from shown.engine import compilation
from shown import teach
from shown.worlds import find
from timing import demos_of

spent = []
plain = compilation._first_call

def first_call(function, *others):
    began = time.perf_counter()
    result = plain(function, *others)
    spent.append([time.perf_counter() - began, f"{function.__module__.rpartition('.')[2]}.{function.__name__}"])
    return result

compilation._first_call = first_call
imported = time.perf_counter() - start
teach(demos_of("nim"), find("nim"))
print(json.dumps([imported, time.perf_counter() - start, spent]))
"""
"""Times `teach` and the first call of each compiled function in it."""


def first_run(before: str | None) -> None:
    """Time the first learn in a new process, on all cores: with nothing compiled yet, and with everything cached."""
    now, old = ("", None), ("before, ", before)
    for name, source in (now, old, now, old) if before else (now,):
        with tempfile.TemporaryDirectory() as folder:
            for what in ("nothing compiled", "compiled before"):
                imported, total, spent = json.loads(child(FIRST, [], source, NUMBA_CACHE_DIR=folder))
                calls = sum(seconds for seconds, _ in spent)
                print(f"  {name}{what}: {total:.2f} s, imports {imported:.2f} s, first calls {calls:.2f} s", flush=True)
                for seconds, loop in sorted(spent, reverse=True)[: 0 if before else 8]:
                    print(f"    {seconds:5.2f} s  {loop}")


PARTS = ("learns", "threads", "first", "plain", "programs", "acting")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"what to measure: {', '.join(PARTS)}")
    parser.add_argument("--before", metavar="SRC", help="folder of an older package to compare with")
    parser.add_argument("--plot", help="draw time against programs into this file")
    parser.add_argument("--largest", type=int, default=10**6)
    parser.add_argument("--games", default=",".join(GAMES))
    args = parser.parse_args()
    games = args.games.split(",")
    parts = {
        "learns": ("Published learns:", lambda: learns(games, args.before)),
        "threads": ("Threads, Reach for the Star, 11 demonstrations:", threads),
        "first": ("The first learn of a process, Nim:", lambda: first_run(args.before)),
        "plain": (PLAIN, lambda: plainly(games)),
        "programs": ("Time against programs:", lambda: scaling(args.largest, args.plot)),
        "acting": ("One act on 20 × 20:", acting),
    }
    for part in args.parts or PARTS:
        if part not in parts:
            parser.error(f"part {part!r}: choose from {', '.join(PARTS)}")
        title, measure = parts[part]
        print(title, flush=True)
        measure()
        print()


if __name__ == "__main__":
    main()
