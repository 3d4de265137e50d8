"""`shown results`: list, add and replay stored results."""

from __future__ import annotations

import argparse
import json
import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from shown.cli.options import positive
from shown.cli.output import print_json, say
from shown.errors import BadInput, printable
from shown_evidence.cli.reproduce import add_jobs, add_results, name_released
from shown_evidence.experiments import EXPERIMENTS, find
from shown_evidence.trials.row import Row
from shown_evidence.wording import MISSING_CELL, many

MAX_LISTED = 10  # bad lines listed one by one


def configure(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add_results(parser)
    add("--experiment", metavar="NAME", help=f"only rows of this one: {', '.join(EXPERIMENTS)}")
    add("--method", metavar="NAME", help="only this method")
    add("--game", metavar="NAME", help="only this game")
    add("--stale", action="store_true", help="only rows made with older versions than evidence declares (methods.py)")
    add("--json", action="store_true", help="print JSON with all settings, versions and measurements")
    add("--add", nargs="+", metavar="FILE", help="first add the rows in these files, EXPERIMENT.jsonl or .jsonl.gz")
    add("--replay", type=positive, metavar="N", help="run N random rows again and compare; exit 1 if one differs")
    add("--by", choices=("method", "game", "demonstrations"), help="with --replay: N rows of each value")
    add("--seed", type=int, default=0, metavar="N", help="with --replay: which rows are drawn (default 0)")
    add("--outcomes", action="store_true", help="with --replay: also train networks, and compare their success")
    add_jobs(parser)


def run(args: argparse.Namespace) -> int:
    from shown_evidence.results.archive import read

    experiment = find(args.experiment) if args.experiment else None
    name_released(args.released)
    for path in args.add or ():
        _add(Path(path), args.results)
    found = read(args.results)
    rows = [
        row
        for row in found.rows.values()
        if args.method in (None, row.settings["method"])
        and args.game in (None, row.settings["game"])
        and (experiment is None or experiment.belongs(row.settings))
        and (row.stale or not args.stale)
    ]
    _list_bad(found.bad)
    if args.replay:
        return _replay(rows, args)
    if args.json:
        print_json([{"key": row.key, "stale": row.stale, **json.loads(row.to_json())} for row in rows])
    else:
        _print(rows)
    return 0


def _print(rows: Sequence[Row]) -> None:
    from shown_evidence.analysis.statistics import success
    from shown_evidence.trials.trial import describe

    if rows:
        print("  test  generated  trial")
    for row in rows:
        won = (_share(success(row)), _share(success(row, "random"))) if row.result else ("failed", "")
        text = describe(row.settings) + (f": {row.error}" if row.error else "")
        older = f" (stale: {', '.join(row.older)})" if row.stale else ""
        print(f"{won[0]:>6}  {won[1]:>9}  {printable(text + older)}")
    counts = [(sum(row.status == "failed" for row in rows), "failed"), (sum(row.stale for row in rows), "stale")]
    say(many(len(rows), "result") + "".join(f", {number:,} of them {what}" for number, what in counts if number))


def _share(value: float) -> str:
    """Format a fraction of levels; a dash in worlds, which have seeds instead."""
    return MISSING_CELL if math.isnan(value) else f"{value:.2f}"


def _add(path: Path, folder: str) -> None:
    """Add the rows of a file to those of the experiment that its name begins with."""
    from shown_evidence.results.archive import Contents, append, pack, read_file

    name = path.name.partition(".")[0]
    find(name)
    if not path.is_file():
        raise BadInput(f"{path}: no such file. Give a file of rows, such as demos.jsonl.gz.")
    found = Contents()
    read_file(path, found)
    for row in found.rows.values():
        append(folder, name, row)
    pack(folder)
    _list_bad(found.bad)
    say(f"{path}: {many(len(found.rows), 'row')} added")


def _replay(rows: Sequence[Row], args: argparse.Namespace) -> int:
    """Replay some rows; print one line for each that is not equal, and one for each method."""
    from shown_evidence.results.executors import Processes
    from shown_evidence.results.machine import cores
    from shown_evidence.results.replay import drawn, replay
    from shown_evidence.trials.trial import describe

    chosen = drawn(rows, args.replay, args.by, args.seed)
    say(f"replaying {many(len(chosen), 'row')}")
    with Processes(args.jobs or cores()) as executor:
        found = replay(chosen, executor, args.outcomes)
    if args.json:
        print_json([{"settings": dict(each.old.settings), "note": each.note} for each in found])
    else:
        for each in found:
            if each.note != "equal":
                print(printable(f"{describe(each.old.settings)}: {each.note}"))
        for method in sorted({row.settings["method"] for row in chosen}):
            notes = [each.note for each in found if each.old.settings["method"] == method]
            counts = Counter(_kind(note) for note in notes)
            print(f"{method}: " + ", ".join(f"{number} {kind}" for kind, number in sorted(counts.items())))
    kinds = Counter(_kind(each.note) for each in found)
    say(", ".join(f"{number} {kind}" for kind, number in sorted(kinds.items())))
    return int(bool(kinds["different"]))


def _kind(note: str) -> str:
    """Return "equal", "not compared" or "different"."""
    return next((kind for kind in ("equal", "not compared") if note.startswith(kind)), "different")


def _list_bad(bad: Sequence[str]) -> None:
    """List the first few bad lines."""
    for message in bad[:MAX_LISTED]:
        say(f"skipped: {printable(message)}")
    if len(bad) > MAX_LISTED:
        say(f"and {len(bad) - MAX_LISTED} more bad lines")
