"""Thread scaling of evaluation and of a large learn, by this code and by an older one, and where threads wait.

    python benchmarks/thread_scaling.py [--before SRC] [--programs 1000000] [--threads 1,2,4,8,16] [--learns 1,8,16]

Each line is one process: seconds (best of three), processor seconds, and then of one more evaluation with accounts of
each thread: rounds after which threads wait for each other, pieces, seconds outside rounds (serial), seconds in which
threads of a round have no piece (idle), seconds within pieces, and how many of these on a processor (the others are
waits for Python's lock, for pages and for a processor), how often threads waited, page faults, processor seconds of the
system, and the peak of memory. The digest is of all columns, signs and programs.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from timing import demos_of


def evaluations(programs: int, threads: int) -> dict[str, Any]:
    """Time evaluations on some threads."""
    from shown.engine.threads import Threads
    from shown.inference.features import evaluate
    from shown.language.grammar import paper_grammar

    demos = demos_of("reach-for-the-star")
    grids = list(dict.fromkeys(step.grid for step in demos.steps))
    grammar = paper_grammar(demos.tokens)
    evaluate(grids, demos.tokens, grammar, 30_000, threads=threads)
    seconds, cpu = [], []
    for _ in range(3):
        start = time.perf_counter(), time.process_time()
        _, features = evaluate(grids, demos.tokens, grammar, programs, threads=threads)
        seconds.append(time.perf_counter() - start[0])
        cpu.append(time.process_time() - start[1])
        digest = hashlib.sha256()
        for array in (features.columns, features.of_program, features.negates, features.first):
            digest.update(array.data)
        del features

    pieces: list[tuple[float, float]] = []
    rounds: list[tuple[float, int]] = []
    plain = Threads.map

    def counted(self: Threads, work: Any, parts: Any) -> Any:
        if len(parts) < 2 or self.count < 2:
            return plain(self, work, parts)

        def timed(part: Any) -> Any:
            start = time.perf_counter(), time.thread_time()
            result = work(part)
            pieces.append((time.perf_counter() - start[0], time.thread_time() - start[1]))
            return result

        start = time.perf_counter()
        results = plain(self, timed, parts)
        rounds.append((time.perf_counter() - start, min(self.count, len(parts))))
        return results

    Threads.map = counted  # type: ignore[method-assign]
    before, start = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    evaluate(grids, demos.tokens, grammar, programs, threads=threads)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF)
    within = sum(clock for clock, _ in pieces)
    return {
        "s": min(seconds), "cpu": min(cpu), "wall": wall, "rounds": len(rounds), "pieces": len(pieces),
        "serial": wall - sum(clock for clock, _ in rounds),
        "idle": sum(clock * count for clock, count in rounds) - within,
        "within": within, "on cpu": sum(used for _, used in pieces),
        "waits": after.ru_nvcsw - before.ru_nvcsw,
        "faults": after.ru_minflt - before.ru_minflt, "system": after.ru_stime - before.ru_stime,
        "MiB": after.ru_maxrss / 2**10, "digest": digest.hexdigest()[:12],
    }  # fmt: skip


def learns(programs: int, threads: int) -> dict[str, Any]:
    """Time a learn on some threads."""
    from shown.columns.resources import Resources
    from shown.inference.learner import Learner

    demos = demos_of("reach-for-the-star")
    Learner(programs=30_000, resources=Resources(threads=threads)).fit(demos)
    seconds, cpu = [], []
    for _ in range(2):
        start = time.perf_counter(), time.process_time()
        learner = Learner(programs=programs, resources=Resources(threads=threads)).fit(demos)
        seconds.append(time.perf_counter() - start[0])
        cpu.append(time.process_time() - start[1])
    digest = hashlib.sha256("\n".join(map(str, learner.policy_.components)).encode()).hexdigest()[:12]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
    return {"s": min(seconds), "cpu": min(cpu), "MiB": peak, "digest": digest}


def child(source: str | None, what: str, programs: int, threads: int) -> dict[str, Any]:
    """Measure in a new process."""
    path = os.pathsep.join([str(Path(__file__).parent), *([source] if source else []), *sys.path[1:]])
    command = [sys.executable, __file__, "--child", what, "--programs", str(programs), "--threads", str(threads)]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, check=False)
    if done.returncode:
        sys.exit(done.stderr.decode())
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", metavar="SRC", help="folder of an older package to compare with")
    parser.add_argument("--programs", type=int, default=10**6)
    parser.add_argument("--threads", default="1,2,4,8,16", help="numbers of threads that evaluate")
    parser.add_argument("--learns", default="1,8,16", help="numbers of threads that learn")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        measure = {"evaluate": evaluations, "learn": learns}[args.child]
        print(json.dumps(measure(args.programs, int(args.threads))))
        return
    for what, counts in (("evaluate", args.threads), ("learn", args.learns)):
        for name, source in (("now", None), *([("before", args.before)] if args.before else [])):
            first = None
            for threads in map(int, filter(None, counts.split(","))):
                found = child(source, what, args.programs, threads)
                first = first or found["s"]
                figures = " ".join(
                    f"{key} {v:.3g}" if isinstance(v, float) else f"{key} {v}" for key, v in found.items()
                )
                print(f"{what} {name:6} {threads:2} threads: {first / found['s']:4.1f} ×  {figures}", flush=True)


if __name__ == "__main__":
    main()
