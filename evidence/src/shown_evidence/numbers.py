"""Numbers of the documentation, written from the stored results.

A text from results stands between two comments, which do not show on a rendered page:

    LPP wins <!-- rows: NAME -->44 %<!-- / --> of the levels.

On a line of its own, a marker begins a block: paragraphs or a table. `python -m shown_evidence.numbers` writes the text
of every marker, `--check` only compares. NAME is a name in `VALUES`; a new number is a function there.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from shown.errors import BadInput
from shown.files import write_bytes
from shown_evidence.analysis.drawing import svg_file
from shown_evidence.documented import FIGURES, VALUES
from shown_evidence.experiments.experiment import Presentation
from shown_evidence.report.page import presented
from shown_evidence.results.archive import read

ROOT = Path(__file__).parents[3]
MARKER = re.compile(r"<!-- (?:rows: (?P<name>\S+)|/) -->")


@dataclass(frozen=True)
class Marked:
    """A text between two markers: the name of its value, its place in the page, and its line."""

    name: str
    start: int
    end: int
    line: int


def marked(text: str, where: str) -> list[Marked]:
    """Return all texts between markers; `where` names the page in errors.

    >>> [(part.name, part.start, part.end) for part in marked("<!-- rows: won -->8<!-- / --> of 9", "page.md")]
    [('won', 18, 19)]
    """
    found: list[Marked] = []
    begins: re.Match[str] | None = None
    for marker in MARKER.finditer(text):
        if begins is None and marker["name"]:
            begins = marker
        elif begins is not None and not marker["name"]:
            found.append(Marked(begins["name"], begins.end(), marker.start(), _line(text, begins)))
            begins = None
        else:
            break
    else:
        if begins is None:
            return found
        marker = begins
    problem = f"{begins.group()} has no end" if begins else "this marker ends nothing"
    raise BadInput(f"{where}:{_line(text, begins or marker)}: {problem}.")


def _line(text: str, marker: re.Match[str]) -> int:
    return text.count("\n", 0, marker.start()) + 1


def written(text: str, values: Mapping[str, str], where: str) -> str:
    """Return a page with the value of every marker in its place.

    >>> written("<!-- rows: won -->1<!-- / --> of 9", {"won": "8"}, "page.md")
    '<!-- rows: won -->8<!-- / --> of 9'
    """
    for part in reversed(marked(text, where)):
        if part.name not in values:
            raise BadInput(f"{where}:{part.line}: no value is called {part.name!r}.")
        value = values[part.name]
        block = f"\n{value}\n" if text[part.start] == "\n" else value
        text = text[: part.start] + block + text[part.end :]
    return text


def changed(before: str, after: str) -> list[str]:
    """Return the names of the values that differ between two versions of a page.

    >>> changed("<!-- rows: won -->1<!-- / -->", "<!-- rows: won -->8<!-- / -->")
    ['won']
    """
    pairs = zip(marked(before, ""), marked(after, ""), strict=True)
    return [old.name for old, new in pairs if before[old.start : old.end] != after[new.start : new.end]]


# --- files --------------------------------------------------------------------------------------------------------


def pages() -> list[Path]:
    """Return the files that may have markers."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def stored() -> dict[str, Presentation]:
    """Return the presentation of each experiment of the repository's results by name."""
    return {each.experiment.name: each for each in presented(read(ROOT / "results").rows.values())}


def figures(found: Mapping[str, Presentation]) -> dict[Path, bytes]:
    """Return the figures of the documentation that are drawn from the results."""
    drawn = {}
    for name, (experiment, view) in FIGURES.items():
        (plot,) = (plot for plot in found[experiment].plots if plot.name == view)
        drawn[ROOT / "docs" / "images" / name] = svg_file(plot)
    return drawn


def main(words: Sequence[str] | None = None) -> int:
    """Write or check all pages; return 0, or 1 where a text differs and 2 where a marker is wrong."""
    parser = argparse.ArgumentParser(
        prog="python -m shown_evidence.numbers", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--check", action="store_true", help="only name the texts that differ")
    check = parser.parse_args(words).check
    before = {page: page.read_text("utf-8") for page in pages()}
    results = stored()
    try:
        found = {name: value(results) for name, value in VALUES.items()}
        after = {page: written(text, found, str(page.relative_to(ROOT))) for page, text in before.items()}
    except BadInput as error:
        print(error, file=sys.stderr)
        return 2
    different = {page: changed(before[page], text) for page, text in after.items() if before[page] != text}
    for page, names in different.items():
        print(f"{page.relative_to(ROOT)}: {'differs' if check else 'wrote'} {', '.join(names)}")
        if not check:
            write_bytes(page, after[page].encode())
    if not check:
        for path, content in figures(results).items():
            write_bytes(path, content)
    return 1 if check and different else 0


if __name__ == "__main__":
    sys.exit(main())
