"""Programs on a GPU: equality with the CPU, programs per second, and use of the card's memory bandwidth.

    python benchmarks/device.py --out FILE.json                           games, 10⁵ to 10⁷ programs, checked up to 10⁶
    python benchmarks/device.py --problems reach-for-the-star --sizes 100000000
    python benchmarks/device.py --problems breakout.json --sizes 5000000   demonstrations from a file
    python benchmarks/device.py --learn 10000000                          whole learns too
    python benchmarks/device.py --read FILE.json --plot FILE.svg          a plot of earlier measurements

A time covers a whole evaluation: planes, columns, merging, transfer and features. Kernels are timed in a separate run,
with the bytes they must move (each plane and column read or written once), against a copy on the same card.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import json
import os
import resource
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from shown.columns.cuda import Cuda
from shown.columns.device import DeviceEvaluator
from shown.columns.evaluator import Evaluator
from shown.columns.resources import Resources
from shown.demonstrations import Demonstrations
from shown.engine.memory import Memory, machine_memory
from shown.engine.planes import Planes
from shown.engine.threads import ONE_THREAD, Threads
from shown.grid import Grid
from shown.inference.features import Features, combine
from shown.inference.learner import Learner
from shown.language.grammar import Grammar, paper_grammar
from shown.language.reach import margin_for
from timing import demos_of

PROBLEMS = ("reach-for-the-star", "chase")


def shown_in(problem: str) -> Demonstrations:
    """Return the expert's demonstrations of all training levels, or those in a file."""
    return Demonstrations.load(problem) if problem.endswith(".json") else demos_of(problem)


class Run:
    """Evaluate once: features, seconds and memory."""

    def __init__(self, problem: str, programs: int, engine: Callable[[Planes, Grammar], Evaluator]) -> None:
        demos = shown_in(problem)
        states: list[Grid] = list(dict.fromkeys(step.grid for step in demos.steps))
        grammar = paper_grammar(demos.tokens, demos.buttons)
        start = time.perf_counter()
        blocks = list(grammar.blocks(programs))
        margin = margin_for((block.shape for block in blocks), grammar.language, states)
        self.world = Planes(states, demos.tokens, demos.buttons, margin)
        self.evaluator = engine(self.world, grammar)
        self.evaluator.expect(blocks)
        for block in blocks:
            self.evaluator.evaluate(block)
        self.evaluated = time.perf_counter() - start
        self.features: Features = combine([self.evaluator], blocks)
        self.seconds = time.perf_counter() - start

    def digest(self) -> str:
        """Count all programs that the searches read."""
        digest = hashlib.sha256()
        for name in ("first", "log_prior", "columns", "of_program", "negates"):
            array = np.ascontiguousarray(getattr(self.features, name))
            digest.update(f"{name} {array.dtype} {array.shape}".encode())
            digest.update(array.data if array.size else b"")
        return digest.hexdigest()


def on_cpu(world: Planes, grammar: Grammar) -> Evaluator:
    return Evaluator(world, grammar.language, Memory(machine_memory()), Threads(os.cpu_count() or 1))


def on_gpu(kernels: Cuda) -> Callable[[Planes, Grammar], Evaluator]:
    return lambda world, grammar: DeviceEvaluator(
        world, grammar.language, Memory(machine_memory()), ONE_THREAD, kernels
    )


class Watched(Cuda):
    """Record the peak of the card's memory."""

    def __init__(self) -> None:
        super().__init__()
        self.most = 0

    def tidy(self) -> None:
        self.most = max(self.most, self.arrays.get_default_memory_pool().total_bytes())
        super().tidy()


class Timed(Cuda):
    """Time each kernel, with the bytes it must move."""

    def __init__(self) -> None:
        super().__init__()
        self.bytes: dict[str, int] = defaultdict(int)
        self.calls: dict[str, list[tuple[Any, Any]]] = defaultdict(list)
        self.came_back, self.fetching = 0, 0.0

    def _blocks(self, name: str, blocks: int, *arguments: Any) -> None:
        begin, end = self.arrays.cuda.Event(), self.arrays.cuda.Event()
        begin.record()
        super()._blocks(name, blocks, *arguments)
        end.record()
        self.calls[name].append((begin, end))

    def shift(self, store: Any, offsets: Any, conditions: Any) -> Any:
        out = super().shift(store, offsets, conditions)
        self.bytes["shift"] += 2 * out.nbytes
        return out

    def scan(self, store: Any, offsets: Any, untils: Any, unlesses: Any, inside: Any, somewhere: Any) -> Any:
        out = super().scan(store, offsets, untils, unlesses, inside, somewhere)
        self.bytes["scan"] += 3 * out.nbytes
        return out

    def at_first(self, store: Any, values: Any, conditions: Any, first: Any) -> Any:
        out = super().at_first(store, values, conditions, first)
        self.bytes["at_first"] += out.nbytes + 8 * len(conditions) * first.shape[1]
        return out

    def fingerprint(self, flat: Any, places: Any, mask: Any, lowest: np.uint64) -> Any:
        self.bytes["fingerprint"] += 8 * len(flat) * len(mask)
        return super().fingerprint(flat, places, mask, lowest)

    def meet(self, rows: Any, table: Any) -> Any:
        self.bytes["meet"] += 16 * len(rows.flat) * len(rows.mask)
        return super().meet(rows, table)

    def keep(self, rows: Any, slots: Any, leaders: Any, start: int, table: Any) -> None:
        self.bytes["keep"] += 16 * len(leaders) * len(rows.mask)
        super().keep(rows, slots, leaders, start, table)

    def signed_rows(self, rows: Any, numbers: Any, turned: Any, mask: Any) -> Any:
        self.bytes["signed_rows"] += 16 * len(numbers) * len(mask)
        return super().signed_rows(rows, numbers, turned, mask)

    def fetch(self, array: Any, out: np.ndarray | None = None) -> np.ndarray:
        self.arrays.cuda.Device().synchronize()
        start = time.perf_counter()
        fetched = super().fetch(array, out)
        self.fetching += time.perf_counter() - start
        self.came_back += fetched.nbytes
        return fetched

    def table(self) -> list[dict[str, Any]]:
        self.arrays.cuda.Device().synchronize()
        rows = [
            {
                "kernel": name,
                "calls": len(calls),
                "seconds": sum(self.arrays.cuda.get_elapsed_time(a, b) for a, b in calls) / 1000,
                "gigabytes": self.bytes[name] / 1e9,
            }
            for name, calls in self.calls.items()
        ]
        fetched = {"kernel": "fetch", "calls": 0, "seconds": self.fetching, "gigabytes": self.came_back / 1e9}
        return sorted([*rows, fetched], key=lambda row: -row["seconds"])


def copy_bandwidth(kernels: Cuda) -> float:
    """Return the bytes per second of a copy on the card, read and written."""
    xp = kernels.arrays
    source = xp.arange(2**29, dtype=np.uint64)
    target = xp.empty_like(source)
    seconds = []
    for _ in range(6):
        begin, end = xp.cuda.Event(), xp.cuda.Event()
        begin.record()
        target[:] = source
        end.record()
        end.synchronize()
        seconds.append(xp.cuda.get_elapsed_time(begin, end) / 1000)
    return 2 * source.nbytes / float(np.median(seconds))


def measure(problem: str, programs: int, kernels: Watched, check: bool, profile: bool) -> Iterator[dict[str, Any]]:
    kernels.tidy()
    kernels.most = 0
    run = Run(problem, programs, on_gpu(kernels))
    kernels.tidy()
    yield {
        "problem": problem,
        "programs": programs,
        "states": run.world.states,
        "plane": run.world.shape,
        "words a column": len(run.world.row_words),
        "distinct": len(run.features),
        "seconds": round(run.seconds, 3),
        "evaluated": round(run.evaluated, 3),
        "programs a second": round(programs / run.seconds),
        "GiB on the device": round(kernels.most / 2**30, 2),
        "GiB here": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2),
        "engine": "cuda",
    }
    mine = run.digest() if check else None
    del run
    gc.collect()
    if profile:
        timed = Timed()
        del (run := Run(problem, programs, on_gpu(timed))).evaluator
        table = timed.table()
        del run
        gc.collect()
        yield {"problem": problem, "programs": programs, "engine": "cuda", "kernels": table}
    if check:
        run = Run(problem, programs, on_cpu)
        theirs = run.digest()
        yield {
            "problem": problem,
            "programs": programs,
            "engine": "cpu",
            "threads": os.cpu_count(),
            "distinct": len(run.features),
            "seconds": round(run.seconds, 3),
            "programs a second": round(programs / run.seconds),
            "the same bits": mine == theirs,
            "digest": theirs,
        }
        assert mine == theirs, f"{problem}, {programs:,} programs: not the same bits as on the CPU"


def learn(problem: str, programs: int, check: bool) -> Iterator[dict[str, Any]]:
    """Learn; up to `check` programs on the CPU too, and compare the policies byte for byte."""
    demos = shown_in(problem)
    policies = []
    for device in ("cuda", "cpu") if check else ("cuda",):
        Learner(programs=10_000, resources=Resources(device=device)).fit(demos)
        learner = Learner(programs=programs, resources=Resources(device=device))
        start = time.perf_counter()
        learner.fit(demos)
        seconds = time.perf_counter() - start
        policies.append(json.dumps(learner.policy_.to_json()))
        yield {
            "problem": problem,
            "programs": programs,
            "engine": f"learn, {device}",
            "looked at": len(learner.features_.of_program),
            "distinct": len(learner.features_),
            "seconds": round(seconds, 3),
            "GiB here": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2),
            **({"the same bytes": policies[0] == policies[1]} if len(policies) == 2 else {}),
        }
    assert len(set(policies)) == 1, f"{problem}, {programs:,} programs: not the policy that the CPU finds"


def plot(rows: list[dict[str, Any]], file: str) -> None:
    """Plot seconds against programs, one color per problem."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.6, 3.6), layout="constrained")
    axes = figure.subplots()
    problems = list(dict.fromkeys(row["problem"] for row in rows if "seconds" in row))
    ways = {"cuda": ("o-", "one GPU"), "cpu": ("s--", "16 cores"), "learn, cuda": ("^:", "a whole learn, one GPU")}
    for color, problem in enumerate(problems):
        for engine, (style, words) in ways.items():
            own = [row for row in rows if row.get("problem") == problem and "seconds" in row]
            points = sorted((row["programs"], row["seconds"]) for row in own if row["engine"] == engine)
            if points:
                label = f"{problem.removesuffix('.json')}, {words}"
                axes.loglog(*zip(*points, strict=True), style, color=f"C{color}", label=label, markersize=4)
    axes.set(xlabel="programs", ylabel="seconds", title="Programs evaluated, merged and back")
    figure.legend(frameon=False, fontsize=8, loc="outside right upper")
    figure.savefig(file, metadata={"Date": None} if file.endswith(".svg") else None)


def told(row: dict[str, Any]) -> str:
    if "kernels" not in row:
        return "  ".join(f"{name}: {value}" for name, value in row.items())
    lines = [
        f"    {k['kernel']:12} {k['calls']:7,} calls {k['seconds']:8.3f} s {k['gigabytes']:9.1f} GB "
        f"{k['gigabytes'] / max(k['seconds'], 1e-9) / 1000:6.2f} TB/s"
        for k in row["kernels"]
    ]
    return "\n".join([f"  the kernels, {row['problem']}, {row['programs']:,} programs:", *lines])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", nargs="+", default=PROBLEMS, metavar="GAME|FILE")
    parser.add_argument("--sizes", nargs="+", type=int, default=(10**5, 10**6, 10**7))
    parser.add_argument("--check", type=int, default=10**6, help="compare with the CPU up to this size (1000000)")
    parser.add_argument("--profile", action="store_true", help="time the kernels too, at the largest size")
    parser.add_argument("--learn", nargs="+", type=int, default=(), help="also learn with these numbers of programs")
    parser.add_argument("--out", help="a file of JSON lines to add to")
    parser.add_argument("--read", help="measure nothing: read such a file")
    parser.add_argument("--plot", help="with --read: draw seconds against programs into this file")
    args = parser.parse_args()
    if args.read:
        rows = [json.loads(line) for line in Path(args.read).read_text("utf-8").splitlines()]
        print("\n".join(map(told, rows)))
        if args.plot:
            plot(rows, args.plot)
        return
    kernels = Watched()

    def tell(row: dict[str, Any]) -> None:
        print(told(row), flush=True)
        if args.out:
            with open(args.out, "a") as file:
                file.write(json.dumps(row) + "\n")

    tell({"card": kernels.name, "copy, TB/s": round(copy_bandwidth(kernels) / 1e12, 2)})
    Run("nim", 10_000, on_gpu(kernels))
    for problem in args.problems:
        for programs in args.sizes:
            for row in measure(
                problem, programs, kernels, programs <= args.check, args.profile and programs == max(args.sizes)
            ):
                tell(row)
        for programs in args.learn:
            for row in learn(problem, programs, programs <= args.check):
                tell(row)


if __name__ == "__main__":
    main()
