"""`shown report`: write the report on the experiments."""

from __future__ import annotations

import argparse
from pathlib import Path

from shown.cli.output import check_writable, say
from shown.errors import BadInput
from shown_evidence.cli.reproduce import add_results


def configure(parser: argparse.ArgumentParser) -> None:
    add_results(parser)
    parser.add_argument("--out", default="report.html", metavar="FILE", help="page to write (default report.html)")
    parser.add_argument("--figures", metavar="FOLDER", help="also write every figure as SVG")


def run(args: argparse.Namespace) -> int:
    from shown.files import write_bytes
    from shown_evidence.report.page import figure_files, report
    from shown_evidence.results.archive import read
    from shown_evidence.wording import many

    check_writable(args.out)
    found = read(args.results)
    rows = list(found.rows.values())
    page = report(rows, args.results, len(found.bad))
    if found.bad:
        say(f"{many(len(found.bad), 'bad line')} skipped; `shown results --results {args.results}` lists them")
    if args.figures:
        try:
            Path(args.figures).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadInput(f"{args.figures}: cannot create this folder ({error.strerror}). Name another.") from None
        for name, content in figure_files(rows):
            write_bytes(Path(args.figures) / name, content)
    write_bytes(args.out, page.encode())
    say(f"wrote {args.out}")
    return 0
