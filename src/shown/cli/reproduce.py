"""`shown reproduce`: runs the paper's experiments."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from shown.cli.common import add_cluster, opened, positive, say
from shown.cluster import LOCAL
from shown.errors import BadInput, printable
from shown.experiments import EXPERIMENTS, find

if TYPE_CHECKING:
    from shown.experiments.trials import Trial

STORE = "results.sqlite"


def configure(parser: argparse.ArgumentParser) -> None:
    names = ", ".join(EXPERIMENTS)
    parser.add_argument("experiments", nargs="+", metavar="NAME", help=f"{names}, or all")
    how_much = parser.add_mutually_exclusive_group()
    how_much.add_argument("--quick", action="store_true", help="a few minutes' worth (the default)")
    how_much.add_argument("--full", action="store_true", help="the paper's sizes")
    add_store(parser)
    parser.add_argument("--workers", type=positive, metavar="N", help="processes (default: one a core)")
    add_cluster(parser, "run trials on")
    parser.add_argument("--methods", type=words, metavar="A,B", help="only these methods, such as lpp,vpi")
    parser.add_argument("--games", type=words, metavar="A,B", help="only these games")
    parser.add_argument("--demos", type=numbers, metavar="1,5", help="only these numbers of demonstrations")
    parser.add_argument("--sets", type=positive, metavar="N", help="at most so many training sets, or seeds, a point")
    parser.add_argument("--programs", type=positive, metavar="N", help="enumerate at most so many programs")
    parser.add_argument(
        "--levels", type=words, metavar="SPEC,SPEC", help="score on these (default test:0-8,random:0-99)"
    )
    parser.add_argument("--list", action="store_true", help="only say which trials there are: done, stale or todo")


def add_store(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--store", default=STORE, metavar="FILE", help=f"the results file (default {STORE})")


def words(text: str) -> tuple[str, ...]:
    """Words joined by commas, for argparse."""
    return tuple(word.strip() for word in text.split(",") if word.strip())


def numbers(text: str) -> tuple[int, ...]:
    """Positive whole numbers joined by commas, for argparse."""
    return tuple(positive(word) for word in words(text))


def run(args: argparse.Namespace) -> int:
    from shown.experiments.experiment import Scale, check
    from shown.experiments.on_cluster import TrialsOnCluster
    from shown.experiments.runner import OnCores
    from shown.experiments.runner import run as run_trials
    from shown.experiments.store import Store
    from shown.experiments.trials import words_for

    given = {name: getattr(args, name) for name in ("methods", "demos", "sets", "programs")}
    given.update({name: value for name, value in (("games", args.games), ("test", args.levels)) if value})
    scale = Scale(full=args.full, **given)
    check(scale)
    names = list(EXPERIMENTS) if "all" in args.experiments else args.experiments
    trials = [trial for name in names for trial in find(name).trials(scale)]
    if not trials:
        raise BadInput(f"{' '.join(names)}: no trials with these methods, games and numbers of demonstrations.")
    if args.list:
        return _list(trials, args.store)
    if args.workers and args.cluster not in (None, LOCAL):
        raise BadInput(f"--workers: the cluster {args.cluster} has its own number. Leave it out.")
    with opened(args.cluster, args.workers) as cluster, Store(args.store) as store:
        if not args.full and not args.quick:
            say("a first look (--quick); --full runs the paper's sizes")
        summary = run_trials(trials, store, OnCores(args.workers) if cluster is None else TrialsOnCluster(cluster))
    say(summary.text)
    if summary.stopped:
        raise KeyboardInterrupt
    for row in summary.failed:
        say(f"  failed: {printable(words_for(row.settings))}: {printable(row.error or '')}")
    return 1 if summary.failed else 0


def _list(trials: Sequence[Trial], path: str) -> int:
    from shown.experiments.store import Store
    from shown.experiments.trials import settings_key

    done: set[str] = set()
    stale: set[str] = set()
    if os.path.exists(path):
        with Store(path, writing=False) as store:
            rows = store.rows(status="ok")
        done = {row.key for row in rows}
        stale = {settings_key(row.settings) for row in rows if row.stale}
    for key, trial in {trial.key: trial for trial in trials}.items():
        state = "done" if key in done else "stale" if settings_key(trial.settings) in stale else "todo"
        print(f"{state:5} {printable(trial.text)}")
    return 0
