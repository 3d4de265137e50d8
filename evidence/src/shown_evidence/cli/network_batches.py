"""Run the trials of networks in batches, for a machine with a GPU:

    python -m shown_evidence.cli.network_batches --device cuda --processes 12 --minutes 9 --out networks.sqlite

It needs only NumPy and PyTorch. It runs what the results file --out lacks, and `shown results --store results.sqlite
--import networks.sqlite` adds the results to others.

The trials equal those of `shown reproduce`. Trials that differ in demonstrations only are trained side by side, which a
GPU does nearly as fast as one. Networks on programs (`--methods features-nn,features-nn-l1 --experiments ablations`)
are trained one by one and need Numba too: programs are evaluated on the CPU.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import time
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import torch

from shown.errors import ShownError, printable
from shown_evidence.baselines.network_policy import fit_together, largest_shape
from shown_evidence.cli.reproduce import add_selection, scale_of, words
from shown_evidence.experiments import find as find_experiment
from shown_evidence.results.row import Row
from shown_evidence.results.runner import Trials, in_processes, run, success
from shown_evidence.results.store import Store
from shown_evidence.trials.demonstrators import demonstrations
from shown_evidence.trials.methods import DAGGERS, METHODS, NETWORKS
from shown_evidence.trials.trial import Trial, describe, find_place, measurements

ONE_BY_ONE = ("features-nn", "features-nn-l1", *DAGGERS)
"""Methods that cannot be trained side by side."""

CELLS = 3_000_000
"""Maximum number of grid cells in one training step of a batch."""

STEPS_PER_LEVEL = {"nim": 3, "checkmate": 2}
"""Approximate number of steps of a demonstration, for estimates of work."""

WORK = {"lln": 1, "cnn": 4, "fcn": 20}
"""Approximate work per cell."""


def batches(trials: Sequence[Trial], cells: int = CELLS) -> list[list[Trial]]:
    """Group trials that differ in levels and seeds only into batches of similar size.

    Those with the most work come first, so that no long one comes last.
    """
    alike: dict[tuple[Any, ...], list[tuple[int, Trial]]] = {}
    found = [(math.inf, [trial]) for trial in trials if trial.method in ONE_BY_ONE]
    for trial in (trial for trial in trials if trial.method not in ONE_BY_ONE):
        place, mirrored = find_place(trial.game), METHODS[trial.method].factory.endswith(":mirrored")
        shown = place.levels(trial.levels.removeprefix("seeds:"))
        steps = len(shown) * STEPS_PER_LEVEL.get(trial.game, 15) * 2 ** (mirrored * len(place.symmetries))
        together = (trial.method, trial.game, trial.test, json.dumps(dict(trial.options), sort_keys=True))
        alike.setdefault(together, []).append((min(steps, trial.options["batch"]), trial))
    for group in alike.values():
        height, width = largest_shape(find_place(group[0][1].game))
        group.sort(key=lambda item: item[0])
        while group:
            most = group[-1][0] * height * width
            count = max(1, min(len(group), cells // most))
            part, group = group[-count:], group[:-count]
            options = part[0][1].options
            work = count * most * WORK[options["network"]] * options["steps"]
            found.append((work, [trial for _, trial in part]))
    return [batch for _, batch in sorted(found, key=lambda item: -item[0])]


def run_batch(settings: Trials, device: str) -> Iterator[Row]:
    """Train networks together, then score them one by one; in halves if memory is too small."""
    try:
        yield from _run([Trial.from_settings(each) for each in settings], device)
    except torch.OutOfMemoryError:
        if len(settings) == 1:
            raise
        torch.cuda.empty_cache()
        half = len(settings) // 2
        yield from run_batch(settings[:half], device)
        yield from run_batch(settings[half:], device)


def _run(trials: Sequence[Trial], device: str) -> Iterator[Row]:
    place = find_place(trials[0].game)
    demos = [demonstrations(place, trial.levels) for trial in trials]
    started = time.perf_counter()
    methods: list[Any] = [
        METHODS[trial.method].build(place, trial.start, {**trial.options, "device": device}) for trial in trials
    ]
    if trials[0].method in ONE_BY_ONE:
        fitted = [method.fit(given) for method, given in zip(methods, demos, strict=True)]
    else:
        fitted = fit_together(methods, demos)
    learn = (time.perf_counter() - started) / len(trials)
    for trial, policy, given in zip(trials, fitted, demos, strict=True):
        result = measurements(trial, place, policy, given, learn)
        result["learned"]["together"] = len(trials)
        yield success(trial.settings, result, sum(result["seconds"].values()))


def main(argv: Sequence[str] | None = None) -> int:
    """Run the trials that --out lacks, and report how many; exit 1 if some failed or are left."""
    summary = __doc__.partition(":")[0]
    parser = argparse.ArgumentParser(prog="python -m shown_evidence.cli.network_batches", description=summary)
    parser.add_argument("--out", default="networks.sqlite", metavar="FILE", help="results file to create or add to")
    parser.add_argument("--device", default="cpu", help="cpu or cuda (default cpu)")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, metavar="N")
    parser.add_argument("--minutes", type=float, default=1e6, metavar="M", help="stop after M minutes")
    parser.add_argument("--experiments", type=words, default=("demos", "data-efficiency"), metavar="A,B")
    add_selection(parser)
    parser.set_defaults(methods=NETWORKS, full=True)
    args = parser.parse_args(argv)
    try:
        return _main(args)
    except ShownError as error:
        print(f"shown: {printable(str(error))}", file=sys.stderr)
        return 2


def _main(args: argparse.Namespace) -> int:
    until = time.monotonic() + 60 * args.minutes
    others = [method for method in args.methods if method not in (*NETWORKS, *ONE_BY_ONE)]
    if others:
        raise ShownError(f"{others[0]}: not a network. Run it with shown reproduce.")
    scale = scale_of(args)
    wanted = [trial for name in args.experiments for trial in find_experiment(name).trials(scale)]
    if args.device != "cpu" and not torch.cuda.is_available():
        raise ShownError("PyTorch finds no GPU here. Use --device cpu.")

    def execute(trials: Trials) -> Iterator[Row]:
        todo = batches([Trial.from_settings(settings) for settings in trials])
        settings = [[trial.settings for trial in batch] for batch in todo]
        return in_processes(partial(run_batch, device=args.device), settings, args.processes, until)

    with Store(args.out) as store:
        summary = run(wanted, store, execute)
    for row in summary.failed:
        print(f"shown: {describe(row.settings)}: {row.error}", file=sys.stderr)
    print(summary.text, file=sys.stderr)
    return 0 if summary.kept + summary.done == summary.asked else 1


if __name__ == "__main__":
    sys.exit(main())
