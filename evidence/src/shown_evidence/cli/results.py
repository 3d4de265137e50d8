"""`shown results`: list, export, merge and clean measured results."""

from __future__ import annotations

import argparse
import csv
import json
import math
import sys
from collections.abc import Sequence
from typing import Any

from shown.cli.options import positive
from shown.cli.output import print_json, say
from shown.errors import BadInput, printable
from shown_evidence.cli.reproduce import add_store
from shown_evidence.experiments import EXPERIMENTS, find
from shown_evidence.results.row import Row
from shown_evidence.results.store import BadRow, Store, StoreContents
from shown_evidence.wording import MISSING_CELL, many

MAX_LISTED = 10  # bad rows listed one by one


def configure(parser: argparse.ArgumentParser) -> None:
    add_store(parser)
    parser.add_argument("--experiment", metavar="NAME", help=f"only results of this one: {', '.join(EXPERIMENTS)}")
    parser.add_argument("--method", metavar="NAME", help="only this method")
    parser.add_argument("--game", metavar="NAME", help="only this game")
    parser.add_argument("--status", choices=("ok", "failed"), help="only results with this status")
    parser.add_argument("--stale", action="store_true", help="only results of other code than the installed one")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--csv", action="store_true", help="print CSV, one line per trial")
    form.add_argument("--json", action="store_true", help="print JSON with all settings and measurements")
    parser.add_argument(
        "--import",
        dest="imports",
        nargs="+",
        metavar="FILE",
        help="first import the results in these files",
    )
    parser.add_argument(
        "--carry-over",
        metavar="FILE",
        help="first import the stale results in this file that are still valid: of methods whose replayed results are "
        "equal",
    )
    parser.add_argument("--replay", type=positive, metavar="N", help="results to replay at random (default 200)")
    parser.add_argument(
        "--run-again",
        nargs="+",
        metavar="FILE",
        help="with --carry-over: results of networks that were run again on a GPU, with this code",
    )
    parser.add_argument("--remove-bad", action="store_true", help="first delete invalid rows")


def run(args: argparse.Namespace) -> int:
    experiment = find(args.experiment) if args.experiment else None
    if args.imports:
        _import(args.imports, args.store)
    if args.carry_over:
        _carry_over(args)
    elif args.replay or args.run_again:
        raise BadInput(f"--{'replay' if args.replay else 'run-again'}: only together with --carry-over FILE.")
    if args.remove_bad:
        _remove_bad(args.store)
    with Store(args.store, writing=False) as store:
        found = store.read()
    rows = [row for row in found.rows if _wanted(row, args)]
    if experiment is not None:
        rows = [row for row in rows if experiment.belongs(row.settings)]
    if args.json:
        print_json([{"key": row.key, "stale": row.stale, **row.to_json()} for row in rows])
    elif args.csv:
        writer = csv.DictWriter(sys.stdout, fieldnames=COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(flat(row) for row in rows)
    else:
        _print(rows)
    _list_bad(found.bad, f"{args.store}: {many(len(found.bad), 'bad row')} skipped; --remove-bad deletes them")
    return 0


def _wanted(row: Row, args: argparse.Namespace) -> bool:
    return (
        args.method in (None, row.settings["method"])
        and args.game in (None, row.settings["game"])
        and args.status in (None, row.status)
        and (row.stale or not args.stale)
    )


COLUMNS = (
    "key", "method", "game", "levels", "demonstrations", "seed", "options", "test", "count", "steps", "success_test",
    "success_generated", "success_train", "fit", "learn_seconds", "play_seconds", "learned", "status", "error",
    "seconds", "version", "finished", "stale", "engine_code", "game_code", "levels_code", "commit",
    "machine",
)  # fmt: skip


def flat(row: Row) -> dict[str, Any]:
    """Return a result as one line of a table."""
    from shown_evidence.analysis.statistics import success

    settings, result = row.settings, row.result
    line = {name: settings[name] for name in ("method", "game", "levels", "demonstrations", "seed")}
    line |= {"key": row.key, "options": json.dumps(settings["options"], sort_keys=True)}
    line |= {"test": " ".join(settings["test"])}
    if result is not None:
        line |= {"count": result["demonstrations"], "steps": result["steps"], "fit": result["fit"]}
        line |= {"success_test": success(row), "success_generated": success(row, "random")}
        line |= {"success_train": success(row, "train"), "learned": json.dumps(result["learned"], sort_keys=True)}
        line |= {"learn_seconds": result["seconds"]["learn"], "play_seconds": result["seconds"]["play"]}
    own = ("status", "error", "seconds", "version", "finished", "stale", "commit", "machine")
    line |= {name: getattr(row, name) for name in own}
    line |= {f"{part}_code": digest for part, digest in (row.code or {}).items()}
    return {name: printable(value) if isinstance(value, str) else value for name, value in line.items()}


def _print(rows: Sequence[Row]) -> None:
    from shown_evidence.analysis.statistics import success
    from shown_evidence.trials.trial import describe

    stale = [row.stale for row in rows]
    if rows:
        print("  test  generated  seconds  trial")
    for row, old in zip(rows, stale, strict=True):
        won = (_share(success(row)), _share(success(row, "random"))) if row.result else ("failed", "")
        text = describe(row.settings) + (f": {row.error}" if row.error else "") + (" (stale)" if old else "")
        print(f"{won[0]:>6}  {won[1]:>9}  {row.seconds:7.1f}  {printable(text)}")
    counts = [(sum(row.status == "failed" for row in rows), "failed"), (sum(stale), "stale")]
    say(many(len(rows), "result") + "".join(f", {number:,} of them {what}" for number, what in counts if number))


def _share(value: float) -> str:
    """Format a fraction of levels; a dash in worlds, which have seeds instead."""
    return MISSING_CELL if math.isnan(value) else f"{value:.2f}"


def _import(paths: Sequence[str], target: str) -> None:
    with Store(target) as store:
        for path in paths:
            found = _read(path)
            new = store.add_many(found.rows)
            _list_bad(found.bad, f"{path}: {many(len(found.bad), 'bad row')} skipped")
            say(f"{path}: {many(len(found.rows), 'result')}, {new:,} of them new")


def _carry_over(args: argparse.Namespace) -> None:
    from shown_evidence.results.carry_over import REPLAYED, carry_over
    from shown_evidence.results.runner import on_cores

    again = [row for path in args.run_again or () for row in _read(path).rows]
    found = carry_over(_read(args.carry_over).rows, on_cores, args.replay or REPLAYED, again)
    kept = {row.settings["method"] for row in found.rows}
    for method, count in sorted(found.candidates.items()):
        differing = found.differing[method]
        verdict = (
            f"{differing:,} differ: none kept" if differing else "all equal: kept" if method in kept else "too few"
        )
        say(f"{method}: {many(count, 'stale result')}, {found.replayed[method]:,} replayed, {verdict}")
    with Store(args.store) as store:
        say(f"{args.carry_over}: {many(store.add_many(found.rows), 'result')} carried over")


def _read(path: str) -> StoreContents:
    with Store(path, writing=False) as other:
        return other.read()


def _remove_bad(path: str) -> None:
    Store(path, writing=False).close()  # raises if there is none
    with Store(path) as store:
        removed = store.remove_bad()
    _list_bad(removed, f"{path}: {many(len(removed), 'bad row')} deleted")


def _list_bad(bad: Sequence[BadRow], title: str) -> None:
    """List the first few bad rows and their faults."""
    if not bad:
        return
    say(title)
    for row in bad[:MAX_LISTED]:
        say(f"  {printable(row.why)}")
    if len(bad) > MAX_LISTED:
        say(f"  and {len(bad) - MAX_LISTED} more")
