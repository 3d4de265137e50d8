"""The report: every figure redrawn from the stored rows, and each statement of the paper beside its measurement.

Stored rows may come from anybody. The template escapes everything but the drawings made here, and the page
forbids the browser to run or load anything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from shown.worlds import GAMES
from shown_evidence.analysis.drawing import svg_element, svg_file
from shown_evidence.analysis.exhibits import Table, by_size, what_each_is_given
from shown_evidence.analysis.statements import MISSING, NO, PARTLY, YES
from shown_evidence.analysis.statistics import FLOORS, GENERATED, games_among, mean_success, select
from shown_evidence.experiments import EXPERIMENTS, find
from shown_evidence.experiments.beyond import LEARNERS, SIZES
from shown_evidence.experiments.experiment import Presentation
from shown_evidence.experiments.released_levels import verdicts
from shown_evidence.trials.learners import METHODS
from shown_evidence.trials.row import Row
from shown_evidence.wording import many, percent, title

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
"""The page may only apply its styles; Matplotlib's drawings contain theirs."""

WORDS = {
    "marks": {YES: "✓ yes", PARTLY: "◐ partly", NO: "✗ no", MISSING: "– not measured"},
    "counted": {YES: "agree", PARTLY: "in part", NO: "do not", MISSING: "not measured"},
    "classes": {YES: YES, PARTLY: PARTLY, NO: NO, MISSING: "missing"},
}

OPENING = ("beyond", "demos", "programs")
"""The figure at the top of the page: the first of the first of these experiments that has one."""


def presented(rows: Iterable[Row]) -> list[Presentation]:
    """Return the presentation of each experiment, with the results that belong to it."""
    good = _usable(rows)
    return [
        experiment.present([row for row in good if experiment.belongs(row.settings)])
        for experiment in map(find, EXPERIMENTS)
    ]


def _usable(rows: Iterable[Row]) -> list[Row]:
    """Return the good results of known methods, in a fixed order."""
    good = [row for row in rows if row.status == "ok" and row.settings["method"] in METHODS]
    return sorted(good, key=lambda row: (row.settings["method"], row.settings["game"], row.key))


def report(rows: Iterable[Row], folder: str, bad: int = 0) -> str:
    """Return the page on a folder with `bad` invalid lines as self-contained HTML; equal rows give equal bytes."""
    everything = list(rows)
    read = presented(everything)
    used = {row.key: row for chapter in read for row in chapter.rows}
    by_name = {chapter.experiment.name: chapter for chapter in read}
    failed = sum(row.status != "ok" for row in everything)
    elsewhere = len(everything) - failed - len(used)
    left_out = {f"{failed:,} failed": failed, f"{elsewhere:,} of no experiment": elsewhere, many(bad, "bad row"): bad}
    loader = FileSystemLoader(Path(__file__).parent)
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    return environment.get_template("page.html").render(
        **WORDS,
        policy=POLICY,
        drawn=lambda plot, prefix: Markup(svg_element(plot, prefix)),
        chapters=read,
        first=next((plot for name in OPENING for plot in by_name[name].plots), None),
        opening=opening_table(by_name["beyond"].rows),
        tally=Counter(claim.verdict for chapter in read for claim in chapter.claims),
        authors=verdicts(_usable(everything)),
        stale=sum(row.stale for row in used.values()),
        used=len(used),
        rows=everything,
        folder=folder,
        dates=sorted(row.finished[:10] for row in everything),
        machines=many(len({row.machine for row in everything}), "machine"),
        left_out=", ".join(words for words, number in left_out.items() if number),
    )


def figure_files(rows: Iterable[Row]) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the content of every figure's file."""
    for chapter in presented(rows):
        for plot in chapter.plots:
            yield f"{'-'.join(filter(None, (chapter.experiment.name, plot.name)))}.svg", svg_file(plot)


# --- the opening --------------------------------------------------------------------------------------------------


def opening_table(rows: Sequence[Row]) -> Table:
    """Return the success of LPP and `shown` in each game after a few demonstrations, beside random play."""
    lines = []
    for game in games_among((row for row in rows if row.settings["method"] in LEARNERS), tuple(GAMES)):
        here = select(rows, game=game)
        floor = percent(mean_success(select(here, method=FLOORS[-1]), GENERATED))
        lines.append([title(game), *(by_size(here, method, SIZES) for method in LEARNERS), floor])
    return Table(
        ("Game", *(METHODS[method].label for method in (*LEARNERS, FLOORS[-1]))),
        lines,
        f"Success on 100 new levels after {' / '.join(map(str, SIZES))} demonstrations by the expert, mean over sets. "
        + what_each_is_given(LEARNERS),
    )
