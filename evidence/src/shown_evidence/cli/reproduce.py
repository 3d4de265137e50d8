"""`shown reproduce`: run the experiments."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from concurrent.futures import Executor
from typing import TYPE_CHECKING

from shown.cli.options import positive
from shown.cli.output import say, sigterm_interrupts
from shown.errors import BadInput, printable
from shown_evidence.experiments import EXPERIMENTS, find

if TYPE_CHECKING:
    from shown_evidence.experiments.experiment import Scale
    from shown_evidence.trials.trial import Trial

RESULTS = "results"


def configure(parser: argparse.ArgumentParser) -> None:
    names = ", ".join(EXPERIMENTS)
    add = parser.add_argument
    add("experiments", nargs="+", metavar="NAME", help=f"{names}, or all")
    add("--full", action="store_true", help="the sizes of the results in the repository, instead of a first look")
    add_results(parser)
    add_jobs(parser)
    add("--cluster", metavar="ADDRESS", help="Ray cluster to run on: local, auto (one running here) or HOST:PORT")
    add("--methods", type=words, metavar="A,B", help="only these methods, such as lpp,vpi")
    add("--games", type=words, metavar="A,B", help="only these games")
    add("--demos", type=numbers, metavar="1,5", help="only these numbers of demonstrations")
    add("--sets", type=positive, metavar="N", help="maximum number of training sets, or seeds, per point")
    add("--programs", type=positive, metavar="N", help="maximum number of programs per learn")
    add("--levels", type=words, metavar="SPEC,SPEC", help="levels to score (default test:0-8,random:0-99)")
    add("--list", action="store_true", help="only list the trials: done, stale or todo")


def add_results(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--results", default=RESULTS, metavar="FOLDER", help=f"stored results (default {RESULTS})")


def add_jobs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--jobs", type=positive, metavar="N", help="processes (default: one per core)")
    parser.add_argument(
        "--released", metavar="FOLDER", help="the authors' levels: GAME.demos.json and GAME.test.json of each game"
    )


def scale_of(args: argparse.Namespace) -> Scale:
    """Return the selection; raise BadInput for unknown games and methods."""
    from shown_evidence.experiments.experiment import Scale, check

    named = {name: getattr(args, name) for name in ("full", "games", "methods", "demos", "sets", "programs")}
    scale = Scale(**named, test=args.levels)
    check(scale)
    return scale


def words(text: str) -> tuple[str, ...]:
    """Parse words joined by commas."""
    return tuple(word.strip() for word in text.split(",") if word.strip())


def numbers(text: str) -> tuple[int, ...]:
    """Parse positive whole numbers joined by commas."""
    return tuple(positive(word) for word in words(text))


def name_released(folder: str | None) -> None:
    """Name the folder of the authors' levels for this process and its workers."""
    from shown_evidence.trials.released import FOLDER

    if folder is not None:
        os.environ[FOLDER] = os.path.abspath(folder)


def run(args: argparse.Namespace) -> int:
    from shown_evidence.results.runner import run as run_trials
    from shown_evidence.trials.released import folder
    from shown_evidence.trials.trial import describe

    scale = scale_of(args)
    names = list(EXPERIMENTS) if "all" in args.experiments else args.experiments
    name_released(args.released)
    if args.released is not None or ("released" in names and "all" not in args.experiments):
        folder()
    wanted = {name: find(name).trials(scale) for name in names}
    if not any(wanted.values()):
        raise BadInput(f"{' '.join(names)}: no trials match these methods, games and numbers of demonstrations.")
    if args.list:
        return _list([trial for trials in wanted.values() for trial in trials], args.results)
    with sigterm_interrupts(), _executor(args) as executor:
        summary = run_trials(wanted, args.results, executor)
    say(summary.text if args.full else f"{summary.text} (A first look; --full runs everything.)")
    if summary.stopped:
        raise KeyboardInterrupt
    for row in summary.failed:
        say(f"  failed: {printable(describe(row.settings))}: {printable(row.error or '')}")
    return 1 if summary.failed else 0


def _executor(args: argparse.Namespace) -> Executor:
    from shown_evidence.results.executors import Processes, RayCluster
    from shown_evidence.results.machine import cores

    if args.cluster is None:
        return Processes(args.jobs or cores())
    if args.jobs and args.cluster != "local":
        raise BadInput(f"--jobs: the cluster {args.cluster} sets the number of workers. Omit the option.")
    return RayCluster(args.cluster, args.jobs)


def _list(trials: Sequence[Trial], folder: str) -> int:
    from shown_evidence.results.archive import read
    from shown_evidence.trials.trial import describe

    rows = read(folder).rows if os.path.isdir(folder) else {}
    for key, trial in {trial.key: trial for trial in trials}.items():
        row = rows.get(key)
        state = "todo" if row is None or row.status != "ok" else "stale" if row.stale else "done"
        print(f"{state:5} {printable(describe(trial.settings))}")
    return 0
