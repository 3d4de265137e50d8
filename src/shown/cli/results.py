"""`shown results`: lists, exports, merges and mends what experiments have measured."""

from __future__ import annotations

import argparse
import csv
import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shown.cli.common import print_json, say
from shown.cli.reproduce import add_store
from shown.errors import printable
from shown.experiments import EXPERIMENTS, find
from shown.experiments.words import many

if TYPE_CHECKING:
    from shown.experiments.rows import Row
    from shown.experiments.store import BadRow, Found

NAMED = 10
"""So many bad rows are named one by one."""


def configure(parser: argparse.ArgumentParser) -> None:
    add_store(parser)
    parser.add_argument(
        "--experiment", metavar="NAME", help=f"only results that are part of it: {', '.join(EXPERIMENTS)}"
    )
    parser.add_argument("--method", metavar="NAME", help="only of this method")
    parser.add_argument("--game", metavar="NAME", help="only of this game")
    parser.add_argument("--status", choices=("ok", "failed"), help="only those that ended so")
    parser.add_argument("--stale", action="store_true", help="only those that other code than the present has run")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--csv", action="store_true", help="print CSV, one line a trial")
    form.add_argument("--json", action="store_true", help="print JSON with all settings and measurements")
    parser.add_argument(
        "--import",
        dest="imports",
        nargs="+",
        metavar="FILE",
        help="first take over the results in these files: other results files, or JSON lines",
    )
    parser.add_argument("--remove-bad", action="store_true", help="first remove rows that are no results")


def run(args: argparse.Namespace) -> int:
    from shown.experiments.store import Store

    experiment = find(args.experiment) if args.experiment else None
    if args.imports:
        _import(args.imports, args.store)
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
    if found.bad:
        _name(found.bad, f"{args.store}: {many(len(found.bad), 'bad row')} left out; --remove-bad removes them")
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
    """A result as one line of a table."""
    from shown.experiments.statistics import success

    settings, result = row.settings, row.result
    line = {name: settings[name] for name in ("method", "game", "levels", "demonstrations", "seed")}
    line |= {
        "key": row.key,
        "options": json.dumps(settings["options"], sort_keys=True),
        "test": " ".join(settings["test"]),
    }
    if result is not None:
        line |= {"count": result["demonstrations"], "steps": result["steps"], "fit": result["fit"]}
        line |= {"success_test": success(row), "success_generated": success(row, "random")}
        line |= {"success_train": success(row, "train"), "learned": json.dumps(result["learned"], sort_keys=True)}
        line |= {"learn_seconds": result["seconds"]["learn"], "play_seconds": result["seconds"]["play"]}
    line |= {name: getattr(row, name) for name in ("status", "error", "seconds", "version", "finished")}
    line |= {"commit": row.commit, "machine": row.machine}
    line |= {"stale": row.stale, **{f"{part}_code": digest for part, digest in (row.code or {}).items()}}
    return {name: printable(value) if isinstance(value, str) else value for name, value in line.items()}


def _print(rows: Sequence[Row]) -> None:
    from shown.experiments.statistics import success
    from shown.experiments.trials import words_for

    stale = [row.stale for row in rows]
    if rows:
        print("  test  generated  seconds  trial")
    for row, old in zip(rows, stale, strict=True):
        won = (_share(success(row)), _share(success(row, "random"))) if row.result else ("failed", "")
        text = words_for(row.settings) + (f": {row.error}" if row.error else "") + (" (stale)" if old else "")
        print(f"{won[0]:>6}  {won[1]:>9}  {row.seconds:7.1f}  {printable(text)}")
    counts = [(sum(row.status == "failed" for row in rows), "failed"), (sum(stale), "stale")]
    say(many(len(rows), "result") + "".join(f", {number:,} of them {what}" for number, what in counts if number))


def _share(value: float) -> str:
    """A share of levels won; in worlds with seeds of their own there are none of these levels."""
    return "–" if math.isnan(value) else f"{value:.2f}"


def _import(paths: Sequence[str], target: str) -> None:
    from shown.experiments.store import Store

    with Store(target) as store:
        for path in paths:
            found = _read(path)
            new = store.add_many(found.rows)
            _name(found.bad, f"{path}: {many(len(found.bad), 'bad row')} left out")
            say(f"{path}: {many(len(found.rows), 'result')}, {new:,} of them new")


def _read(path: str) -> Found:
    from shown.experiments.store import Store, read_lines

    if Path(path).suffix in (".jsonl", ".json"):
        return read_lines(path)
    with Store(path, writing=False) as other:
        return other.read()


def _remove_bad(path: str) -> None:
    from shown.experiments.store import Store

    Store(path, writing=False).close()  # there must be one
    with Store(path) as store:
        removed = store.remove_bad()
    _name(removed, f"{path}: {many(len(removed), 'bad row')} removed")


def _name(bad: Sequence[BadRow], title: str) -> None:
    """Says which rows are bad and why, the first few of them."""
    if not bad:
        return
    say(title)
    for row in bad[:NAMED]:
        say(f"  {printable(row.why)}")
    if len(bad) > NAMED:
        say(f"  and {len(bad) - NAMED} more")
