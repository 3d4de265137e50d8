"""`shown reproduce`: run the paper's experiments."""

from __future__ import annotations

import argparse
import math
import os
import time
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from shown.cli.inputs import opened
from shown.cli.options import add_cluster, number, positive
from shown.cli.output import say
from shown.errors import BadInput, printable
from shown.evaluation.cluster import LOCAL
from shown_evidence.experiments import EXPERIMENTS, find

if TYPE_CHECKING:
    from shown_evidence.experiments.experiment import Scale
    from shown_evidence.trials.trial import Trial

STORE = "results.sqlite"


def configure(parser: argparse.ArgumentParser) -> None:
    names = ", ".join(EXPERIMENTS)
    add = parser.add_argument
    add("experiments", nargs="+", metavar="NAME", help=f"{names}, or all")
    how_much = parser.add_mutually_exclusive_group()
    how_much.add_argument("--quick", action="store_true", help="a few minutes of trials (default)")
    how_much.add_argument("--full", action="store_true", help="the paper's sizes")
    add_store(parser)
    add("--workers", type=positive, metavar="N", help="processes (default: one per core)")
    add(
        "--minutes",
        type=number(float, 0.0),
        default=math.inf,
        metavar="M",
        help="stop after M minutes; finished trials are kept",
    )
    add_cluster(parser, "run trials on")
    add_selection(parser)
    add("--folder", metavar="DIR", help="for released: folder with GAME.demos.json and GAME.test.json of each game")
    add("--list", action="store_true", help="only list the trials: done, stale or todo")


def add_store(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--store", default=STORE, metavar="FILE", help=f"results file (default {STORE})")


def add_selection(parser: argparse.ArgumentParser) -> None:
    """Add the options that select trials of experiments."""
    add = parser.add_argument
    add("--methods", type=words, metavar="A,B", help="only these methods, such as lpp,vpi")
    add("--games", type=words, metavar="A,B", help="only these games")
    add("--demos", type=numbers, metavar="1,5", help="only these numbers of demonstrations")
    add("--sets", type=positive, metavar="N", help="maximum number of training sets, or seeds, per point")
    add("--programs", type=positive, metavar="N", help="maximum number of programs per learn")
    add("--levels", type=words, metavar="SPEC,SPEC", help="levels to score (default test:0-8,random:0-99)")


def scale_of(args: argparse.Namespace) -> Scale:
    """Return the selection; raise BadInput for unknown games and methods."""
    from shown_evidence.experiments.experiment import Scale, check

    given = {name: getattr(args, name) for name in ("methods", "demos", "sets", "programs")}
    given.update({name: value for name, value in (("games", args.games), ("test", args.levels)) if value})
    scale = Scale(full=args.full, **given)
    check(scale)
    return scale


def words(text: str) -> tuple[str, ...]:
    """Parse words joined by commas."""
    return tuple(word.strip() for word in text.split(",") if word.strip())


def numbers(text: str) -> tuple[int, ...]:
    """Parse positive whole numbers joined by commas."""
    return tuple(positive(word) for word in words(text))


def run(args: argparse.Namespace) -> int:
    from shown_evidence.results.ray_executor import on_ray
    from shown_evidence.results.runner import on_cores
    from shown_evidence.results.runner import run as run_trials
    from shown_evidence.results.store import Store
    from shown_evidence.trials.released import FOLDER, folder
    from shown_evidence.trials.trial import describe

    scale = scale_of(args)
    names = list(EXPERIMENTS) if "all" in args.experiments else args.experiments
    if args.folder is not None:
        os.environ[FOLDER] = os.path.abspath(args.folder)  # worker processes read it there
    if args.folder is not None or ("released" in names and "all" not in args.experiments):
        folder()
    trials = [trial for name in names for trial in find(name).trials(scale)]
    if not trials:
        raise BadInput(f"{' '.join(names)}: no trials match these methods, games and numbers of demonstrations.")
    if args.list:
        return _list(trials, args.store)
    if args.workers and args.cluster not in (None, LOCAL):
        raise BadInput(f"--workers: the cluster {args.cluster} sets the number of workers. Omit the option.")
    if args.cluster is not None and args.minutes < math.inf:
        raise BadInput("--minutes: not possible with --cluster. Stop it with Ctrl-C: finished trials are kept.")
    until = time.monotonic() + 60 * args.minutes
    with opened(args.cluster, args.workers) as cluster, Store(args.store) as store:
        if not args.full and not args.quick:
            say("running a quick selection; --full runs the paper's sizes")
        execute = partial(on_cores, workers=args.workers, until=until) if cluster is None else partial(on_ray, cluster)
        summary = run_trials(trials, store, execute)
    say(summary.text)
    if summary.stopped:
        raise KeyboardInterrupt
    for row in summary.failed:
        say(f"  failed: {printable(describe(row.settings))}: {printable(row.error or '')}")
    return 1 if summary.failed else 0


def _list(trials: Sequence[Trial], path: str) -> int:
    from shown_evidence.results.store import Store
    from shown_evidence.trials.trial import describe, settings_key

    done: set[str] = set()
    stale: set[str] = set()
    if os.path.exists(path):
        with Store(path, writing=False) as store:
            rows = store.rows(status="ok")
        done = {row.key for row in rows}
        stale = {settings_key(row.settings) for row in rows if row.stale}
    for key, trial in {trial.key: trial for trial in trials}.items():
        state = "done" if key in done else "stale" if settings_key(trial.settings) in stale else "todo"
        print(f"{state:5} {printable(describe(trial.settings))}")
    return 0
