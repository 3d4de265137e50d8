"""What the documentation says of the stored results: a function for each text between markers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean, median
from textwrap import fill

from shown.worlds import GAMES
from shown_evidence.analysis import statistics as stats
from shown_evidence.analysis.exhibits import Table
from shown_evidence.analysis.statements import MISSING, NO, PARTLY, YES
from shown_evidence.analysis.statistics import GENERATED, mean_over_games, mean_success, of_size, select
from shown_evidence.experiments import find
from shown_evidence.experiments.beyond import SIZES
from shown_evidence.experiments.experiment import Presentation
from shown_evidence.experiments.minigrid_worlds import METHOD as IN_WORLDS
from shown_evidence.experiments.released_levels import verdicts
from shown_evidence.results.row import Row
from shown_evidence.trials.demonstrators import training_sets
from shown_evidence.trials.methods import METHODS
from shown_evidence.wording import MISSING_CELL, percent, title

Presented = Mapping[str, Presentation]
"""The presentation of each experiment by its name, with the results that belong to it."""

LEARNERS = {"lpp": "LPP, as published", "shown": "`shown`", "shown-practice": "`shown` + practice"}
LEARNED = 0.9  # success from which on a style counts as learned
REACHED = 0.95  # success from which on a world counts as solved
EXPERT = "style:expert"


# --- text ---------------------------------------------------------------------------------------------------------


def shares(values: Iterable[float]) -> str:
    """Format fractions side by side.

    >>> shares([0.456, 1.0])
    '46 / 100 %'
    """
    return " / ".join(percent(value).removesuffix(" %") for value in values) + " %"


def counts(values: Iterable[float]) -> str:
    """Format numbers side by side.

    >>> counts([5, 4.5, 5000])
    '5 / 4.5 / 5,000'
    """
    return " / ".join(f"{value:,g}" for value in values)


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
    return f"{_tally(lines, 2)} On the authors' levels: {_tally(lines, 3)}\n\n{table(head, lines)}"


def _tally(lines: Sequence[Sequence[str]], column: int) -> str:
    count = Counter(line[column] for line in lines)
    judged = count[YES] + count[PARTLY] + count[NO]
    return f"{judged} statements are judged: {count[YES]} agree, {count[PARTLY]} in part, {count[NO]} do not."


def reasons(found: Presented) -> str:
    """Return the statements that do not agree with their reasons, those with the same reason together."""
    together: dict[str, list[str]] = {}
    for claim in (claim for chapter in found.values() for claim in chapter.claims if claim.verdict == NO):
        together.setdefault(claim.why, []).append(claim.paper)
    return "\n".join(f"- {' '.join(papers)} *{why or 'No reason is known.'}*" for why, papers in together.items())


def games(found: Presented) -> str:
    """Return what LPP, `shown` and the two best other methods win of the test levels of each game."""
    chapter = found["demos"]
    rows = [row for row in chapter.rows if row.settings["levels"] in training_sets(stats.size(row), 10)]
    lines = []
    for game in GAMES:
        own = select(rows, game=game)
        parts = {name: select(own, method=name) for name in find("demos").methods}
        means = {name: mean_success(part) for name, part in parts.items() if part}
        best = max(means.values())
        cells = {name: f"**{percent(mean)}**" if mean == best else percent(mean) for name, mean in means.items()}
        others = sorted((name for name in means if name not in LEARNERS), key=lambda name: -means[name])[:2]
        beside = "; ".join(f"{METHODS[name].label} {cells[name]}" for name in others)
        lines.append([title(game), cells["lpp"], cells["shown"], beside])
    return table(("game", "LPP", "`shown`", "best alternatives"), lines)


# --- beyond the paper ---------------------------------------------------------------------------------------------


def beyond(found: Presented) -> str:
    """Return the success from the expert's demonstrations, in other styles, and in other worlds."""

    def line(label: str, value: Callable[[str, int], float], text: Callable[..., str] = shares) -> list[str]:
        return [label, *(text(value(method, count) for count in SIZES) for method in LEARNERS)]

    def success_in(game: str) -> Callable[[str, int], float]:
        return lambda method, count: mean_success(select(_expert(found, method, count), game=game), GENERATED)

    def in_styles(method: str, count: int) -> float:
        return fmean(mean_success(rows, GENERATED) for rows in _styles(found, method, count))

    lines = [
        *(line(title(game), success_in(game)) for game in GAMES),
        line("mean of the six", lambda method, count: mean_over_games(_expert(found, method, count), GENERATED)),
        line("54 other styles", in_styles),
        line("styles learned, of 54", lambda method, count: learned(_styles(found, method, count)), counts),
    ]
    return table(("from 1 / 2 / 3 / 5", *LEARNERS.values()), lines)


def learned(styles: Sequence[Sequence[Row]], kind: str = GENERATED) -> int:
    """Return the number of styles that are learned."""
    return sum(mean_success(rows, kind) >= LEARNED for rows in styles)


def _expert(found: Presented, method: str, count: int) -> list[Row]:
    return of_size(select(found["beyond"].rows, method=method, demonstrations=EXPERT), count)


def _styles(found: Presented, method: str, count: int) -> list[list[Row]]:
    """Return the results of a method in each style but the expert's."""
    own = of_size(select(found["styles"].rows, method=method), count)
    others = [row for row in own if row.settings["demonstrations"] != EXPERT]
    return list(stats.grouped(others, lambda row: (row.settings["game"], row.settings["demonstrations"])).values())


def additions(found: Presented) -> str:
    """Return the mean success over games with one addition at a time."""
    head = ("from 1 / 2 / 3 / 5", "mean of the games")
    lines = []
    for series in find("additions").series:
        own = select(found["additions"].rows, **series.where)
        lines.append([series.label, shares(mean_over_games(of_size(own, count), GENERATED) for count in SIZES)])
    return table(head, lines)


def one_rule(found: Presented) -> str:
    """Return what the printed rule, all rules and the policy win."""
    parts = {
        "the expert": [_expert(found, "shown-practice", count) for count in SIZES],
        "54 other styles": [
            [row for rows in _styles(found, "shown-practice", count) for row in rows] for count in SIZES
        ],
    }
    lines = []
    for label, sizes in parts.items():
        won = [shares(mean_success(rows, f"{who}{GENERATED}") for rows in sizes) for who in ("rule ", "vote ", "")]
        acts = counts(sum(stats.learned(row)["acts"] == "rule" for row in rows) for rows in sizes)
        words = counts(median(stats.learned(row)["conditions"] for row in rows) for rows in sizes)
        lines.append([label, str(len(sizes[0])), *won, acts, words])
    head = ("from 1 / 2 / 3 / 5", "cases", "rule alone", "all rules", "what acts", "rule acts", "conditions")
    return table(head, lines)


def minigrid(found: Presented) -> str:
    """Return mean and worst success over the worlds of Minigrid, and the number of solved ones."""
    lines = []
    for series in find("minigrid").series:
        if series.where["method"] != IN_WORLDS or series.where.get("rounds"):
            parts = [_in_worlds(select(found["minigrid"].rows, **series.where), count) for count in (1, 3, 5)]
            cells = [f"{percent(fmean(p))}, {percent(min(p))}, {sum(w >= REACHED for w in p)}" for p in parts]
            lines.append([series.label, *cells])
    return table(("mean, worst, solved of 16", "from 1", "from 3", "from 5"), lines)


def _in_worlds(rows: Sequence[Row], count: int) -> list[float]:
    """Return the mean success in each world from a number of demonstrations."""
    groups = stats.grouped(of_size(rows, count), lambda row: row.settings["game"])
    return [mean_success(part, "seeds") for part in groups.values()]


def headline(found: Presented) -> str:
    """Return eight numbers with what they are compared to."""
    three = {method: _styles(found, method, 3) for method in LEARNERS}
    players = ({"method": IN_WORLDS, "rounds": 30}, {"method": "lpp"})
    worlds = [_in_worlds(select(found["minigrid"].rows, **player), 1) for player in players]
    rules = learned(three["shown-practice"], f"rule {GENERATED}")

    def expert(method: str, count: int) -> str:
        return percent(mean_over_games(_expert(found, method, count), GENERATED))

    lines = [
        *([f"new levels won from {n}, mean of games", expert("shown-practice", n), expert("lpp", n)] for n in SIZES),
        ["ways of playing learned from 3, of 54", *(str(learned(three[m])) for m in ("shown-practice", "lpp"))],
        ["the same by the one rule that is printed", str(rules), MISSING_CELL],
        ["worlds of Minigrid and BabyAI solved from 1, of 16", *(_solved(part) for part in worlds)],
        ["new seeds won there, mean", *(percent(fmean(part)) for part in worlds)],
    ]
    return table(("", "`shown` + practice", "LPP, as published"), lines)


def _solved(worlds: Sequence[float]) -> str:
    return str(sum(won >= REACHED for won in worlds))


VALUES: Mapping[str, Callable[[Presented], str]] = {
    "statements": statements,
    "reasons": reasons,
    "games": games,
    "headline": headline,
    "details": _exhibit("released"),
    "breakout": _exhibit("breakout"),
    "breakout-blocks": _exhibit("breakout", 1),
    "beyond": beyond,
    "additions": additions,
    "one-rule": one_rule,
    "confidence": lambda found: fill(" ".join(found["confidence"].text), 120),
    "controls": _exhibit("controls"),
    "minigrid": minigrid,
    "minatar": _exhibit("minatar"),
}
"""What may stand between markers, by name."""

FIGURES = {"beyond.svg": ("beyond", "generated"), "demonstrations.svg": ("demos", "generated")}
"""Files of docs/images that are drawn from the results, and the figures of the report."""
