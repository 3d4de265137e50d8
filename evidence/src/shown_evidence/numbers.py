"""Numbers of the documentation, written from the stored results: `python -m shown_evidence.numbers [--check]`.

A text from results stands between two comments, which do not show on a rendered page:

    LPP wins <!-- rows: NAME -->44 %<!-- / --> of the levels.

A text that begins on a line of its own is a block: paragraphs or a table. NAME is a name in `documented.VALUES`.
`--check` only compares.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from shown.errors import BadInput
from shown.files import write_bytes
from shown_evidence.analysis.drawing import svg_file
from shown_evidence.documented import FIGURES, VALUES
from shown_evidence.experiments.experiment import Presentation
from shown_evidence.report.page import presented
from shown_evidence.results.archive import read

ROOT = Path(__file__).parents[3]
MARKER = re.compile(r"<!-- (?:rows: \S+|/) -->")
MARKED = re.compile(r"<!-- rows: (?P<name>\S+) -->(?P<text>(?:(?!<!-- rows:).)*?)<!-- / -->", re.DOTALL)


def written(text: str, values: Mapping[str, str], where: str) -> str:
    """Return a page with the value of every marker in its place; `where` names the page in errors.

    >>> written("<!-- rows: won -->1<!-- / --> of 9", {"won": "8"}, "page.md")
    '<!-- rows: won -->8<!-- / --> of 9'
    """

    def line(place: int) -> str:
        return f"{where}:{text.count(chr(10), 0, place) + 1}"

    def value(part: re.Match[str]) -> str:
        if part["name"] not in values:
            raise BadInput(f"{line(part.start())}: no value is called {part['name']!r}.")
        new = values[part["name"]]
        return f"<!-- rows: {part['name']} -->{_block(new) if part['text'].startswith(chr(10)) else new}<!-- / -->"

    paired = {place for part in MARKED.finditer(text) for place in (part.start(), part.end())}
    for marker in MARKER.finditer(text):
        if not paired & {marker.start(), marker.end()}:
            raise BadInput(f"{line(marker.start())}: {marker.group()} has no other end.")
    return MARKED.sub(value, text)


def _block(text: str) -> str:
    return f"\n{text}\n"


def different(before: str, after: str) -> list[str]:
    """Return the names of the values that differ between two versions of a page.

    >>> different("<!-- rows: won -->1<!-- / -->", "<!-- rows: won -->8<!-- / -->")
    ['won']
    """
    pairs = zip(MARKED.finditer(before), MARKED.finditer(after), strict=True)
    return [old["name"] for old, new in pairs if old["text"] != new["text"]]


def stored() -> dict[str, Presentation]:
    """Return the presentation of each experiment of the repository's results by name."""
    return {each.experiment.name: each for each in presented(read(ROOT / "results").rows.values())}


def main(words: Sequence[str] | None = None) -> int:
    """Write or check all pages; return 0, or 1 where a text differs and 2 where a marker is wrong."""
    summary = (__doc__ or "").partition(":")[0]
    parser = argparse.ArgumentParser(prog="python -m shown_evidence.numbers", description=summary)
    parser.add_argument("--check", action="store_true", help="only name the texts that differ")
    check = parser.parse_args(words).check
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    results = stored()
    before = {page: page.read_text("utf-8") for page in pages}
    try:
        values = {name: value(results) for name, value in VALUES.items()}
        after = {page: written(text, values, str(page.relative_to(ROOT))) for page, text in before.items()}
    except BadInput as error:
        print(error, file=sys.stderr)
        return 2
    changed = [page for page in pages if before[page] != after[page]]
    for page in changed:
        names = ", ".join(different(before[page], after[page]))
        print(f"{page.relative_to(ROOT)}: {'differs' if check else 'wrote'} {names}")
    if not check:
        _write({page: after[page].encode() for page in changed} | _figures(results))
    return int(check and bool(changed))


def _figures(results: Mapping[str, Presentation]) -> dict[Path, bytes]:
    """Return the figures of the documentation that are drawn from the results."""
    drawn = {}
    for name, (experiment, view) in FIGURES.items():
        (plot,) = (plot for plot in results[experiment].plots if plot.name == view)
        drawn[ROOT / "docs" / "images" / name] = svg_file(plot)
    return drawn


def _write(files: Mapping[Path, bytes]) -> None:
    for path, content in files.items():
        write_bytes(path, content)


if __name__ == "__main__":
    sys.exit(main())
