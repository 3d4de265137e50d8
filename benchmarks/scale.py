"""Cost of learning at scale: time and memory against programs, many workers, a GPU; with and without a cluster.

    python benchmarks/scale.py [--plot FILE.svg] [--largest 10000000] [--programs 1000000] [--workers 32] [--repeats 3]

Four parts, each with ratios from one run:

* programs: the published learner, each size in a separate process: processor seconds and peak memory;
* cluster: the same learn with and without a local Ray of two workers of one core each, in turn: processor seconds of
  all processes and wall time. The start of Ray is reported separately;
* workers: the shards of each number of workers, run one worker after another in this process, by processor time: the
  slowest worker takes, what is handed over and merged, and the most that the planes and columns of one worker hold.
  What the network adds is not in it;
* device: what `benchmarks/device.py` measured where there was a GPU (`--device`, by default results/device.jsonl).

Processor time is what a busy machine does not change much; times by the clock are true only of an idle one, so the load
is printed beside them.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from shown.engine.memory import Account
from shown.engine.planes import Planes
from shown.evaluation.cluster import Cluster
from shown.evaluation.columns import Evaluator
from shown.evaluation.resources import Resources
from shown.evaluation.shards import InTurn, Piece, Shard, Sharded, ShardJob, ShardWorker, cut
from shown.inference.learner import Learner
from shown.language.grammar import paper_grammar
from shown.language.reach import margin_for
from timing import demos_of

Rows = dict[str, list[dict[str, Any]]]
"""Measured points by game, or by game and machine."""

ROOT = Path(__file__).parents[1]
GAMES = ("reach-for-the-star", "chase")
SIZES = (10**4, 10**5, 10**6, 10**7)

ALONE = """
import json, resource, sys, time
sys.path.insert(0, {folder!r})
from shown.inference.learner import Learner
from timing import demos_of
demos = demos_of({game!r})
learner = Learner.published()
learner.programs = 500
learner.fit(demos)
learner.programs = {programs}
start, clock = time.process_time(), time.perf_counter()
learner.fit(demos)
print(json.dumps({{
    "seconds": time.process_time() - start,
    "clock": time.perf_counter() - clock,
    "bytes": 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
    "distinct": len(learner.features_),
}}))
"""


def against_programs(largest: int) -> Rows:
    """Measure each game and size in a separate process, because the peak memory of a process never falls."""
    found: Rows = {}
    for game in GAMES:
        for programs in (size for size in SIZES if size <= largest):
            script = ALONE.format(folder=str(Path(__file__).parent), game=game, programs=programs)
            ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
            row = {"programs": programs, **json.loads(ran.stdout)}
            found.setdefault(game, []).append(row)
            print(
                f"  {game:20} {programs:>11,} programs  {row['distinct']:>8,} distinct  {row['seconds']:6.1f} s of a "
                f"processor ({row['clock']:6.1f} by the clock, load {os.getloadavg()[0]:.1f})  "
                f"{row['bytes'] / 2**30:5.2f} GiB at most",
                flush=True,
            )
    return found


class Accounts(threading.Thread):
    """Return the processor seconds of a cluster's workers from now on, read while they live."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self._before = dict(_of_workers())
        self._now: dict[int, float] = {}
        self._over = threading.Event()
        self.start()

    def run(self) -> None:
        while not self._over.wait(0.05):
            self._now.update(_of_workers())

    def total(self) -> float:
        self._over.set()
        self.join()
        self._now.update(_of_workers())
        return sum(seconds - self._before.get(worker, 0.0) for worker, seconds in self._now.items())


def _of_workers() -> Iterator[tuple[int, float]]:
    """Return the workers' processes and their processor seconds."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if (entry / "cmdline").read_bytes().startswith(b"ray::RayWorker"):
                    fields = (entry / "stat").read_text().rsplit(")")[-1].split()
                    yield int(entry.name), (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
            except OSError:
                continue  # it has just ended


def against_a_cluster(programs: int, repeats: int) -> None:
    """Measure with and without a cluster in turn; the minimum of each counts."""
    start = time.perf_counter()
    with Cluster("local", workers=2) as cluster:
        print(f"  Ray was there after {time.perf_counter() - start:.1f} s")
        for game in GAMES:
            demos = demos_of(game)
            times: dict[str, list[tuple[float, float]]] = {"alone": [], "cluster": []}
            for where in ["alone", "cluster"] * (repeats + 1):
                resources = Resources(threads=2, cluster=cluster if where == "cluster" else None)
                learner = replace(Learner.published(), programs=programs, resources=resources)
                others, used, clock = Accounts(), time.process_time(), time.perf_counter()
                learner.fit(demos)
                clock = time.perf_counter() - clock
                times[where].append((time.process_time() - used + others.total(), clock))
            # In the first of each the engine is loaded, and on the cluster workers are started.
            first = times["cluster"][0]
            alone, there = (min(times[where][1:]) for where in ("alone", "cluster"))
            clocks = [min(clock for _, clock in times[where][1:]) for where in ("alone", "cluster")]
            print(
                f"  {game:20} {programs:,} programs: processor {alone[0]:.1f} s alone and {there[0]:.1f} s there, "
                f"{there[0] / alone[0]:.2f} times as much; by the clock {clocks[0]:.1f} and {clocks[1]:.1f} s: "
                f"{clocks[1] / clocks[0]:.2f} times (load {os.getloadavg()[0]:.1f}); the first learn there, with new "
                f"workers: processor {first[0]:.1f} s, clock {first[1]:.1f} s",
                flush=True,
            )
            cluster.dismiss()


class Timed(InTurn):
    """Workers that take turns, with their processor seconds and transferred columns."""

    seconds, columns = 0.0, 0

    def pieces(self, job: ShardJob, shards: Sequence[Shard]) -> Generator[Piece, None, None]:
        start = time.process_time()
        for piece in super().pieces(job, shards):
            self.seconds += time.process_time() - start
            self.columns += len(piece.columns)
            yield piece
            start = time.process_time()


def against_workers(programs: int, most: int) -> Rows:
    """Return the processor time of each number of workers."""
    found: Rows = {}
    for game in GAMES:
        demos = demos_of(game)
        grammar, grids = paper_grammar(demos.tokens), list(dict.fromkeys(step.grid for step in demos.steps))
        blocks = list(grammar.blocks(programs))
        margin = margin_for((block.shape for block in blocks), grammar.language, grids)
        world = Planes(grids, demos.tokens, demos.buttons, margin)
        _evaluated(Sharded(world, grammar.language, Account(), InTurn()), blocks[:20])  # loads the engine
        job = ShardJob(tuple(grids), demos.tokens, demos.buttons, margin, grammar.language, tuple(blocks))
        alone = _evaluated(Evaluator(world, grammar.language, Account()), blocks)
        crew = Timed(2)
        sharded = Sharded(world, grammar.language, Account(), crew)
        merging = (_evaluated(sharded, blocks) - crew.seconds) / crew.columns
        distinct = len(sharded.columns)
        del sharded
        workers = 1
        while workers <= most:
            seconds, held, columns, bytes_sent = [], [], 0, 0
            shards = cut(blocks, grammar.language, world, workers)
            for number in range(workers):
                worker, start = ShardWorker(job), time.process_time()
                for shard in shards[number::workers]:
                    piece = worker.work(shard)
                    columns += len(piece.columns)
                    bytes_sent += piece.columns.nbytes + sum(a.nbytes for a in (*piece.ids, *piece.flips))
                seconds.append(time.process_time() - start)
                held.append(worker._evaluator._account.peak_bytes)
                del worker
            row = {"workers": workers, "slowest": max(seconds), "all": sum(seconds), "columns": columns}
            found.setdefault(game, []).append({**row, "held": max(held), "bytes": bytes_sent, "alone": alone})
            workers *= 2
        print(
            f"  {game}: {programs:,} programs, {distinct:,} distinct columns of {8 * len(world.row_mask):,} bytes; "
            f"one evaluator: {alone:.1f} s; a column is merged in {1e6 * merging:.1f} µs"
        )
        for row in found[game]:
            row["merge"] = merging * row["columns"]
            print(
                f"    {row['workers']:>3} workers: slowest {row['slowest']:5.1f} s (of {row['all']:6.1f} s), "
                f"{row['columns']:>9,} columns in {row['bytes'] / 2**20:7.0f} MiB handed over, merged in "
                f"{row['merge']:.1f} s: {alone / max(row['slowest'], row['merge']):.1f} times as fast; "
                f"the largest holds {row['held'] / 2**30:.2f} GiB",
                flush=True,
            )
    return found


def _evaluated(evaluator: Evaluator, blocks: list[Any]) -> float:
    """Return the processor seconds of all blocks."""
    start = time.process_time()
    evaluator.expect(blocks)
    for block in blocks:
        evaluator.evaluate(block)
    return time.process_time() - start


def on_a_device(file: Path) -> Rows:
    """Return the measurements on a GPU and on the CPU beside it, by game and engine."""
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    found: Rows = {}
    for row in rows:
        if row.get("problem") in GAMES and row["engine"] in ("cuda", "cpu") and "seconds" in row:
            where = rows[0]["card"].removeprefix("NVIDIA ") if row["engine"] == "cuda" else f"{row['threads']} cores"
            found.setdefault(f"{row['problem']}, {where}", []).append(row)
    for name, points in found.items():
        points.sort(key=lambda row: row["programs"])
        for row in points:
            held = f"  {row['GiB on the device']:5.2f} GiB there" if "GiB on the device" in row else ""
            print(f"  {name:32} {row['programs']:>11,} programs  {row['seconds']:6.2f} s{held}")
    return found


def draw(plot: str, programs: Rows, workers: Rows, device: Rows) -> None:
    """Plot time above and memory below: against programs, against workers, on a GPU."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "shown"
    from matplotlib import pyplot

    with pyplot.rc_context({"svg.fonttype": "path", "font.size": 8}):
        figure, ((time, speed, seconds), (memory, held, card)) = pyplot.subplots(
            2, 3, figsize=(11, 6), layout="constrained"
        )
        for game, rows in programs.items():
            sizes = [row["programs"] for row in rows]
            time.loglog(sizes, [row["seconds"] for row in rows], marker="o", label=game)
            memory.loglog(sizes, [row["bytes"] / 2**30 for row in rows], marker="o", label=game)
        for game, rows in workers.items():
            counts = [row["workers"] for row in rows]
            speed.loglog(
                counts, [row["alone"] / max(row["slowest"], row["merge"]) for row in rows], marker="o", label=game
            )
            speed.loglog(counts, counts, color="0.7", linestyle=":")
            held.loglog(counts, [row["held"] / 2**30 for row in rows], marker="o", label=game)
        for name, rows in device.items():
            color, on_card = f"C{GAMES.index(name.partition(',')[0])}", "GiB on the device" in rows[0]
            style = {"color": color, "marker": "o" if on_card else "s", "linestyle": "-" if on_card else "--"}
            seconds.loglog([row["programs"] for row in rows], [row["seconds"] for row in rows], label=name, **style)
            if on_card:
                sizes = [row["programs"] for row in rows]
                card.loglog(sizes, [row["GiB on the device"] for row in rows], label=name, **style)
        time.set(xlabel="programs", ylabel="processor seconds", title="A learn")
        memory.set(xlabel="programs", ylabel="GiB at most", title="Its memory")
        memory.axhline(4, color="0.7", linestyle=":")
        speed.set(xlabel="workers of one core", ylabel="times as fast", title="Evaluating a million programs")
        held.set(xlabel="workers of one core", ylabel="GiB at most", title="Planes and columns of one worker")
        seconds.set(xlabel="programs", ylabel="seconds", title="Evaluating on a GPU")
        card.set(xlabel="programs", ylabel="GiB", title="Memory on the card")
        for axes in (speed, held):
            axes.set_xscale("log", base=2)
            axes.xaxis.set_major_formatter("{x:g}")
        for axes in (speed, held, memory):
            axes.set_yscale("log", base=2)
            axes.yaxis.set_major_formatter("{x:g}")
        time.legend(frameon=False)
        seconds.legend(frameon=False, loc="lower right", fontsize=7)
        figure.savefig(plot, metadata={"Date": None} if plot.endswith(".svg") else None)
    print(f"  drawn in {plot}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", help="draw it all into this file")
    parser.add_argument("--device", type=Path, default=ROOT / "results" / "device.jsonl", help="measured on a GPU")
    parser.add_argument("--largest", type=int, default=10**7, help="programs of the largest learn")
    parser.add_argument("--programs", type=int, default=10**6, help="programs on the cluster and by many workers")
    parser.add_argument("--workers", type=int, default=32, help="the largest number of workers")
    parser.add_argument("--repeats", type=int, default=3, help="of the comparison with the cluster")
    args = parser.parse_args()
    print("Programs:", flush=True)
    programs = against_programs(args.largest)
    print("Many workers:", flush=True)
    workers = against_workers(args.programs, args.workers)
    print("A GPU:", flush=True)
    device = on_a_device(args.device)
    if args.plot:
        draw(args.plot, programs, workers, device)
    print("A cluster of two workers:", flush=True)
    against_a_cluster(args.programs, args.repeats)


if __name__ == "__main__":
    main()
