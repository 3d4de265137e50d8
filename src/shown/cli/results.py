"""`shown results`: lists, exports and merges what experiments have measured."""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shown.cli.common import print_json, say
from shown.cli.reproduce import add_store
from shown.experiments import EXPERIMENTS, find

if TYPE_CHECKING:
    from shown.experiments.store import Row


def configure(parser: argparse.ArgumentParser) -> None:
    add_store(parser)
    parser.add_argument(
        "--experiment", metavar="NAME", help=f"only results that are part of it: {', '.join(EXPERIMENTS)}"
    )
    parser.add_argument("--method", metavar="NAME", help="only of this method")
    parser.add_argument("--game", metavar="NAME", help="only of this game")
    parser.add_argument("--status", choices=("ok", "failed"), help="only those that ended so")
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


def run(args: argparse.Namespace) -> int:
    from shown.experiments.store import Store

    experiment = find(args.experiment) if args.experiment else None
    if args.imports:
        _import(args.imports, args.store)
    with Store(args.store, writing=False) as store:
        rows = list(store.rows(method=args.method, game=args.game, status=args.status))
    if experiment is not None:
        rows = [row for row in rows if experiment.belongs(row.settings)]
    if args.json:
        print_json([{"key": row.key, **row.to_json()} for row in rows])
    elif args.csv:
        lines = [flat(row) for row in rows]
        writer = csv.DictWriter(sys.stdout, fieldnames=COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)
    else:
        _print(rows)
    return 0


COLUMNS = (
    "key", "method", "game", "levels", "demonstrations", "seed", "options", "test", "count", "steps", "success_test",
    "success_generated", "success_train", "fit", "learn_seconds", "play_seconds", "learned", "status", "error",
    "seconds", "version", "finished",
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
    return line


def _print(rows: Sequence[Row]) -> None:
    from shown.experiments.statistics import success
    from shown.experiments.trials import Trial

    if rows:
        print("  test  generated  seconds  trial")
    for row in rows:
        scores = f"{success(row):6.2f}  {success(row, 'random'):9.2f}" if row.result else f"{'failed':>6}  {'':9}"
        text = Trial.from_settings(row.settings).text + (f": {row.error}" if row.error else "")
        print(f"{scores}  {row.seconds:7.1f}  {text}")
    failed = sum(row.status == "failed" for row in rows)
    say(f"{len(rows)} results" + (f", {failed} of them failed" if failed else ""))


def _import(paths: Sequence[str], target: str) -> None:
    from shown.experiments.store import Store, read_lines

    with Store(target) as store:
        for path in paths:
            if Path(path).suffix in (".jsonl", ".json"):
                rows = read_lines(path)
            else:
                with Store(path, writing=False) as other:
                    rows = list(other.rows())
            new = store.add_many(rows)
            say(f"{path}: {len(rows)} results, {new} of them new")
