"""What the documentation says of the stored results: a function for each text between markers.

Most are tables and texts of the report; what is shorter here than there is computed here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean
from textwrap import fill

from shown.worlds import GAMES
from shown_evidence.analysis import statistics as stats
from shown_evidence.analysis.exhibits import Table
from shown_evidence.analysis.statements import MISSING, NO, PARTLY, YES
from shown_evidence.analysis.statistics import GENERATED, mean_over_games, mean_success, of_size, select
from shown_evidence.experiments import find
from shown_evidence.experiments.beyond import SIZES
from shown_evidence.experiments.experiment import Presentation
from shown_evidence.experiments.released_levels import verdicts
from shown_evidence.report.page import opening_table
from shown_evidence.trials.demonstrators import training_sets
from shown_evidence.trials.learners import METHODS
from shown_evidence.wording import MISSING_CELL, percent, title

Presented = Mapping[str, Presentation]
"""The presentation of each experiment by its name, with the results that belong to it."""

OURS = ("lpp", "shown")
REACHED = 0.95  # success from which on a world counts as solved


def table(head: Iterable[str], lines: Iterable[Iterable[str]]) -> str:
    """Return a Markdown table.

    >>> print(table(["game", "won"], [["Nim", "90 %"]]))
    | game | won |
    |---|---|
    | Nim | 90 % |
    """
    cells = [list(head), *map(list, lines)]
    first, *others = (f"| {' | '.join(line)} |" for line in cells)
    return "\n".join([first, "|---" * len(cells[0]) + "|", *others])


def _exhibit(experiment: str, number: int = 0) -> Callable[[Presented], str]:
    """Return the function that gives a table of the report."""

    def shown(found: Presented) -> str:
        tables = [item for item in found[experiment].exhibits if isinstance(item, Table)]
        return table(tables[number].head, tables[number].rows)

    return shown


def _text(experiment: str) -> Callable[[Presented], str]:
    """Return the function that gives the text of the report on an experiment."""
    return lambda found: fill(" ".join(found[experiment].text), 120)


# --- the paper ----------------------------------------------------------------------------------------------------


def statements(found: Presented) -> str:
    """Return every statement of the paper with its measurement and verdicts, and the number of each verdict."""
    authors = verdicts(found["released"].rows)
    lines = []
    for name, chapter in found.items():
        there = [MISSING_CELL if each.verdict == MISSING else each.verdict for each in authors.get(name, ())]
        for claim, other in zip(chapter.claims, there or [MISSING_CELL] * len(chapter.claims), strict=True):
            measured = MISSING_CELL if claim.verdict == MISSING else claim.measured
            lines.append([claim.paper, measured, claim.verdict, other])
    head = ("the paper says", "measured on our levels", "agrees", "on the authors' levels")
    tally = f"On our levels, {_tally(lines, 2)}. On the authors', {_tally(lines, 3)}."
    return f"{tally}\n\n{table(head, lines)}"


def _tally(lines: Sequence[Sequence[str]], column: int) -> str:
    count = Counter(line[column] for line in lines)
    judged = count[YES] + count[PARTLY] + count[NO]
    return f"{judged} statements are judged: {count[YES]} agree, {count[PARTLY]} in part, {count[NO]} do not"


def reasons(found: Presented) -> str:
    """Return the statements that do not agree with their reasons, those with the same reason together."""
    together: dict[str, list[str]] = {}
    for claim in (claim for chapter in found.values() for claim in chapter.claims if claim.verdict == NO):
        together.setdefault(claim.why or "No reason is known.", []).append(claim.paper)
    return "\n".join(f"- {' '.join(papers)} *{why}*" for why, papers in together.items())


def games(found: Presented) -> str:
    """Return what LPP, `shown` and the two best other methods win of the test levels of each game."""
    chapter = found["demos"]
    rows = [row for row in chapter.rows if row.settings["levels"] in training_sets(stats.size(row), 10)]
    lines = []
    for game in GAMES:
        parts = {name: select(rows, game=game, method=name) for name in chapter.experiment.methods}
        means = {name: mean_success(part) for name, part in parts.items() if part}
        others = sorted((name for name in means if name not in OURS), key=lambda name: -means[name])[:2]
        beside = "; ".join(f"{METHODS[name].label} {percent(means[name])}" for name in others)
        lines.append([title(game), *(percent(means[name]) for name in OURS), beside])
    return table(("game", "LPP", "`shown`", "best alternatives"), lines)


# --- beyond the paper ---------------------------------------------------------------------------------------------


def beyond(found: Presented) -> str:
    """Return the success from 1, 2, 3 and 5 demonstrations by the expert."""
    opening = opening_table(found["beyond"].rows)
    return table(opening.head, opening.rows)


def additions(found: Presented) -> str:
    """Return the mean success over games with one addition at a time."""
    lines = []
    for series in find("additions").series:
        own = select(found["additions"].rows, **series.where)
        won = (percent(mean_over_games(of_size(own, count), GENERATED)) for count in SIZES)
        lines.append([series.label, *won])
    return table(("mean of the games", *(f"from {count}" for count in SIZES)), lines)


def minigrid(found: Presented) -> str:
    """Return mean and worst success over the worlds of Minigrid, and the number of solved ones."""
    lines = []
    for series in find("minigrid").series:
        cells = []
        for count in (1, 3, 5):
            own = of_size(select(found["minigrid"].rows, **series.where), count)
            worlds = stats.grouped(own, lambda row: row.settings["game"]).values()
            won = [mean_success(part, "seeds") for part in worlds]
            solved = sum(mean >= REACHED for mean in won)
            cells.append(f"{percent(fmean(won))}, {percent(min(won))}, {solved} of {len(won)}")
        lines.append([series.label, *cells])
    return table(("mean, worst, solved", "from 1", "from 3", "from 5"), lines)


VALUES: Mapping[str, Callable[[Presented], str]] = {
    "statements": statements,
    "reasons": reasons,
    "games": games,
    "beyond": beyond,
    "additions": additions,
    "styles-text": _text("styles"),
    "one-rule": _text("one-rule"),
    "confidence": _text("confidence"),
    "controls": _exhibit("controls"),
    "minigrid": minigrid,
    "minatar": _exhibit("minatar"),
    "breakout": _exhibit("breakout"),
    "breakout-blocks": _exhibit("breakout", 1),
}
"""What may stand between markers, by name."""

FIGURES = {"beyond.svg": ("beyond", "generated"), "demonstrations.svg": ("demos", "generated")}
"""Files of docs/images that are drawn from the results, and the figures of the report."""
