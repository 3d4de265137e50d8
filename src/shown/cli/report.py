"""`shown report`: writes the report on the experiments."""

from __future__ import annotations

import argparse
from pathlib import Path

from shown.cli.common import check_writable, say
from shown.cli.reproduce import add_store
from shown.errors import BadInput


def configure(parser: argparse.ArgumentParser) -> None:
    add_store(parser)
    parser.add_argument("--out", default="report.html", metavar="FILE", help="the page to write (default report.html)")
    parser.add_argument(
        "--figures", metavar="FOLDER", help="also write each figure there as SVG, PDF and PNG, for two columns and one"
    )


def run(args: argparse.Namespace) -> int:
    from shown.experiments.report import figure_files, report
    from shown.experiments.store import Store
    from shown.experiments.words import many
    from shown.files import write_bytes

    check_writable(args.out)
    with Store(args.store, writing=False) as store:
        found = store.read()
    page = report(found.rows, args.store, len(found.bad))
    if found.bad:
        say(f"{many(len(found.bad), 'bad row')} left out; `shown results --store {args.store}` names them")
    if args.figures:
        try:
            Path(args.figures).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadInput(f"{args.figures}: cannot be made a folder ({error.strerror}). Name another.") from None
        for name, content in figure_files(found.rows):
            write_bytes(Path(args.figures) / name, content)
    write_bytes(args.out, page.encode())
    say(f"wrote {args.out}")
    return 0
