"""Only the networks' trials, many at once, for a machine with a GPU:

    python -m shown.experiments.networks --device cuda --processes 12 --minutes 9 --out networks.jsonl

needs NumPy and PyTorch and nothing else. It writes one line of JSON a trial as trials end, goes on where an earlier run
with the same --out stopped, and `shown results --store results.sqlite --import networks.jsonl` takes the lines over.

Trials are the same as `shown reproduce` runs one by one. Here those that differ in demonstrations only are trained
side by side, which a GPU does nearly as fast as one. The networks on programs (`--methods features-nn,features-nn-l1
--experiments ablations`) are trained one by one, and need Numba too: programs are evaluated on the CPU.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.util import find_spec
from multiprocessing import connection, get_context
from pathlib import Path
from typing import Any

from shown.baselines.networks import NetworkPolicy, fit_together, largest_shape
from shown.errors import MissingExtra, ShownError, printable
from shown.experiments import EXPERIMENTS
from shown.experiments import find as find_experiment
from shown.experiments.experiment import Scale, check
from shown.experiments.rows import Row
from shown.experiments.runner import success
from shown.experiments.scoring import scores
from shown.experiments.store import read_lines
from shown.experiments.teaching import demonstrations
from shown.experiments.trials import NETWORKS, Trial
from shown.games import GAMES, find
from shown.games.levels import load_levels

ALONE = ("features-nn", "features-nn-l1", "dagger")
"""What is trained one by one: the networks on programs, and what asks the expert on the way."""

CELLS = 3_000_000
"""Networks are trained together as long as the cells they look at in one step are no more than this."""

STEPS_A_LEVEL = {"nim": 3, "checkmate": 2}
"""About how many steps a demonstration has, for guessing how much work a trial is."""


@dataclass(frozen=True)
class Batch:
    """Trials that can be trained together: they differ in levels and seeds only."""

    trials: tuple[Trial, ...]
    work: float


def batches(trials: Sequence[Trial], cells: int = CELLS) -> list[Batch]:
    """Trials in batches of like size, most work first, so that a long one does not come last."""
    alike: dict[tuple[Any, ...], list[tuple[int, Trial]]] = {}
    found = [Batch((trial,), math.inf) for trial in trials if trial.method in ALONE]
    for trial in trials:
        if trial.method in ALONE:
            continue
        steps = len(load_levels(find(trial.game), trial.levels)) * STEPS_A_LEVEL.get(trial.game, 15)
        together = (trial.method, trial.game, trial.test, json.dumps(dict(trial.options), sort_keys=True))
        alike.setdefault(together, []).append((min(steps, trial.options["batch"]), trial))
    for group in alike.values():
        height, width = largest_shape(find(group[0][1].game))
        group.sort(key=lambda item: item[0])
        while group:
            most = group[-1][0] * height * width
            count = max(1, min(len(group), cells // most))
            part, group = group[-count:], group[:-count]
            work = count * most * {"lln": 1, "cnn": 4, "fcn": 20}[part[0][1].options["network"]]
            found.append(Batch(tuple(trial for _, trial in part), work))
    return sorted(found, key=lambda batch: -batch.work)


def run_batch(batch: Batch, device: str) -> Iterator[Row]:
    """Trains the batch's networks together, then scores them one by one; in halves where memory is too small."""
    import torch

    try:
        yield from _run(batch.trials, device)
    except torch.OutOfMemoryError:
        if len(batch.trials) == 1:
            raise
        torch.cuda.empty_cache()
        half = len(batch.trials) // 2
        yield from run_batch(Batch(batch.trials[:half], 0), device)
        yield from run_batch(Batch(batch.trials[half:], 0), device)


def _run(trials: Sequence[Trial], device: str) -> Iterator[Row]:
    game = find(trials[0].game)
    shape = largest_shape(game)
    demos = [demonstrations(game, trial.levels) for trial in trials]
    begun = time.perf_counter()
    fitted: Sequence[Any]
    if trials[0].method in ALONE:
        fitted = [_alone(trial, device).fit(taught) for trial, taught in zip(trials, demos, strict=True)]
    else:
        networks = [NetworkPolicy(shape=shape, seed=trial.seed, device=device, **trial.options) for trial in trials]
        fitted = fit_together(networks, demos)
    learn = (time.perf_counter() - begun) / len(trials)
    for trial, policy, taught in zip(trials, fitted, demos, strict=True):
        begun = time.perf_counter()
        result = scores(game, policy, taught, trial.levels, trial.test)
        play = time.perf_counter() - begun
        result["seconds"] = {"learn": round(learn, 4), "play": round(play, 4)}
        result |= {"demonstrations": len(taught), "steps": len(taught.steps)}
        result["learned"] = {**policy.describe(), "together": len(trials)}
        now = datetime.now(UTC).isoformat(timespec="seconds")
        yield replace(success(trial.settings, result, learn + play), finished=now)


def _alone(trial: Trial, device: str) -> Any:
    """What is to be fitted for a trial that is run by itself."""
    if trial.method == "dagger":
        from shown.baselines.dagger import Dagger

        return Dagger(find(trial.game), trial.seed, trial.options, device=device)
    from shown.baselines.features_nn import FeaturesPolicy

    return FeaturesPolicy(seed=trial.seed, device=device, **trial.options)


def _work(pipe: Any, device: str) -> None:
    import torch

    torch.set_num_threads(1)
    with contextlib.suppress(EOFError, OSError, KeyboardInterrupt):
        while True:
            trials = tuple(Trial.from_settings(settings) for settings in pipe.recv())
            for row in run_batch(Batch(trials, 0), device):
                pipe.send(row)
            pipe.send(None)


def run(todo: Sequence[Batch], processes: int, device: str, until: float) -> Iterator[Row]:
    """Runs batches in processes of their own until the time is up; yields each trial as it ends."""
    context = get_context("spawn")
    waiting = list(reversed(todo))
    team: dict[Any, Any] = {}
    try:
        for _ in range(min(processes, len(waiting))):
            mine, theirs = context.Pipe()
            process = context.Process(target=_work, args=(theirs, device), daemon=True)
            process.start()
            theirs.close()
            team[mine] = process
            mine.send([trial.settings for trial in waiting.pop().trials])
        while team and time.monotonic() < until:
            ready: list[Any] = connection.wait(list(team), timeout=min(60.0, max(0.0, until - time.monotonic())))
            for pipe in ready:
                try:
                    row = pipe.recv()
                except (EOFError, OSError):
                    print(f"a process ended with code {team.pop(pipe).exitcode}; its batch is left", file=sys.stderr)
                    continue
                if row is not None:
                    yield row
                elif waiting:
                    pipe.send([trial.settings for trial in waiting.pop().trials])
                else:
                    team.pop(pipe).kill()
    finally:
        for process in team.values():
            process.kill()


def main(argv: Sequence[str] | None = None) -> int:
    """Runs what is not yet in --out and says how far it came."""
    parser = argparse.ArgumentParser(prog="python -m shown.experiments.networks", description=__doc__.split("\n")[0])
    parser.add_argument(
        "--out", default="networks.jsonl", metavar="FILE", help="one line of JSON a trial is added here"
    )
    parser.add_argument("--device", default="cpu", help="cpu or cuda (default cpu)")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, metavar="N")
    parser.add_argument("--minutes", type=float, default=1e6, metavar="M", help="stop after so many minutes")
    parser.add_argument("--cells", type=int, default=CELLS, metavar="N", help="how much to train together")
    parser.add_argument("--experiments", default="demos,data-efficiency", metavar="A,B")
    parser.add_argument("--methods", default=",".join(NETWORKS), metavar="A,B")
    parser.add_argument("--games", default=",".join(GAMES), metavar="A,B")
    parser.add_argument("--demos", metavar="1,5", help="only these numbers of demonstrations")
    parser.add_argument("--sets", type=int, metavar="N", help="at most so many training sets a point")
    parser.add_argument("--levels", metavar="SPEC,SPEC", help="score on these (default test:0-8,random:0-99)")
    parser.add_argument("--quick", action="store_true", help="few trials instead of the paper's sizes")
    args = parser.parse_args(argv)
    try:
        return _main(args)
    except ShownError as error:
        print(f"shown: {printable(str(error))}", file=sys.stderr)
        return 2


def _main(args: argparse.Namespace) -> int:
    begun = time.monotonic()
    if find_spec("torch") is None:
        raise MissingExtra("PyTorch", "baselines")
    if args.device != "cpu":
        import torch

        if not torch.cuda.is_available():
            raise ShownError("PyTorch finds no GPU here. Use --device cpu.")
    methods = tuple(method for method in args.methods.split(",") if method in (*NETWORKS, *ALONE))
    demos = tuple(map(int, args.demos.split(","))) if args.demos else None
    scale = Scale(full=not args.quick, games=tuple(args.games.split(",")), methods=methods, demos=demos, sets=args.sets)
    if args.levels:
        scale = Scale(**{**vars(scale), "test": tuple(args.levels.split(","))})
    check(scale)
    names = [name for name in args.experiments.split(",") if find_experiment(name) and name in EXPERIMENTS]
    trials = {trial.key: trial for name in names for trial in find_experiment(name).trials(scale)}
    out = Path(args.out)
    done = {row.key for row in read_lines(out).rows if row.status == "ok"} if out.exists() else set()
    todo = batches([trial for key, trial in trials.items() if key not in done], args.cells)
    total = sum(len(batch.trials) for batch in todo)
    print(f"{len(trials)} trials, {len(trials) - total} done before, {len(todo)} batches to go", file=sys.stderr)
    count = 0
    if out.exists():
        whole = out.read_bytes()
        os.truncate(out, whole.rfind(b"\n") + 1)  # a run that was killed may have left half a line
    with out.open("a") as file:
        for row in run(todo, args.processes, args.device, begun + 60 * args.minutes):
            file.write(json.dumps(row.to_json(), ensure_ascii=False) + "\n")
            file.flush()
            count += 1
            if count % 50 == 0:
                print(f"{count} of {total}, {time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True)
    print(f"{count} run, {total - count} left, {time.monotonic() - begun:.0f} s", file=sys.stderr)
    return 0 if count == total else 1


if __name__ == "__main__":
    sys.exit(main())
