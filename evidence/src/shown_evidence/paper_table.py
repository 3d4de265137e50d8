"""The table of the paper's statements in the documentation: what the paper says, what was measured, and the verdict.

paper_table.toml has a line for each statement, or for several of one kind. `names` are names of statements; `ours` is a
name in `MEASURES`, or absent where the words of the claim are short enough.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from shown_evidence.analysis import statistics as stats
from shown_evidence.analysis.claims import MISSING, NO, PARTLY, YES, Claim
from shown_evidence.analysis.statements import NETWORKS_NEED, PERFECT_FROM, STATEMENTS
from shown_evidence.analysis.statistics import GENERATED, TRAIN, first_perfect, mean_over_games, mean_success, select
from shown_evidence.experiments import find
from shown_evidence.results.row import Row
from shown_evidence.trials.demonstrators import KINDS, training_sets
from shown_evidence.wording import MISSING_CELL, listed, percent

Rows = Sequence[Row]
Results = Mapping[str, Rows]
"""Results by experiment."""

FILE = Path(__file__).with_suffix(".toml")
GAMES = tuple(PERFECT_FROM)
BEYOND_NIM = GAMES[1:]
ABLATED = ("features-nn", "features-nn-l1", "no-prior", "sparsity-prior")


# --- text ---------------------------------------------------------------------------------------------------------


def shares(values: Iterable[float]) -> str:
    """Format fractions side by side.

    >>> shares([0.456, 1.0])
    '46 / 100 %'
    """
    return " / ".join(percent(value).removesuffix(" %") for value in values) + " %"


def counts(values: Iterable[int | None]) -> str:
    """Format whole numbers side by side.

    >>> counts([5, None, 5000])
    '5 / never / 5,000'
    """
    return " / ".join("never" if value is None else f"{value:,}" for value in values)


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


# --- measurements -------------------------------------------------------------------------------------------------


def ten_sets(rows: Rows) -> list[Row]:
    """Return the results from the ten sets of each size that every method learns from."""
    return [row for row in rows if row.settings["levels"] in training_sets(stats.size(row), 10)]


def needed(rows: Rows) -> list[int | None]:
    """Return from how many demonstrations LPP wins every test level of each game with the best of ten sets."""
    return [first_perfect(select(ten_sets(rows), method="lpp", game=game), stats.size) for game in GAMES]


def _ahead(rows: Rows) -> str:
    ten = ten_sets(rows)
    means = [
        [mean_success(select(ten, method=method, game=game)) for game in GAMES]
        for method in ("lpp", "vpi", "lln", "fcn", "cnn")
    ]
    return f"{shares(means[0])} against {shares(map(max, zip(*means[1:], strict=True)))}"


def _generalizes(rows: Rows) -> str:
    games = ("nim", "checkmate", "reach-for-the-star", "fence-in")
    found = {method: select(ten_sets(rows), method=method) for method in ("fcn", "cnn")}
    return " against ".join(shares(mean_success(select(part, game=g)) for g in games) for part in found.values())


def _demonstrated(rows: Rows, method: str) -> str:
    own = select(ten_sets(rows), method=method)
    return shares(mean_success(select(own, game=game), TRAIN) for game in BEYOND_NIM)


def _programs(rows: Rows) -> str:
    return counts(first_perfect(select(rows, method="lpp", game=game), stats.programs) for game in GAMES)


def _vpi(rows: Rows) -> str:
    """Return what the mixture and the best policy of VPI win at best in each game beyond Nim."""
    parts = [
        [
            max(stats.curve(select(rows, method="vpi", ensemble=number, game=game), stats.programs)[1])
            for game in BEYOND_NIM
        ]
        for number in (25, 1)
    ]
    return f"mixture {shares(parts[0])}, best alone {shares(parts[1])}"


def _without(rows: Rows) -> str:
    """Compare what LPP wins of the generated levels without a part and with all, from the same demonstrations."""
    mixtures = [row for row in rows if row.settings["options"].get("ensemble") != 1]
    texts = []
    for count in (11, 5):
        own = stats.of_size(mixtures, count)
        pairs = [stats.matched(*(select(own, method=name) for name in (method, "lpp"))) for method in ABLATED]
        without, whole = (
            shares(mean_over_games(part, GENERATED) for part in parts) for parts in zip(*pairs, strict=True)
        )
        texts.append(f"{without} against {whole} from {count}")
    return "; ".join(texts)


def _noise(rows: Rows, epsilon: float) -> str:
    own = stats.of_size(select(rows, method="lpp", noise=epsilon), 8, 16)
    return shares(mean_success(select(own, demonstrations=kind), GENERATED) for kind in KINDS[:3])


def _networks(rows: Rows) -> str:
    return counts(first_perfect(select(rows, method=method, game=game), stats.size) for method, game in NETWORKS_NEED)


def _ratios(rows: Rows) -> str:
    own = {game: first_perfect(select(rows, method="lpp", game=game), stats.size) for _, game in NETWORKS_NEED}
    need = [(first_perfect(select(rows, method=m, game=game), stats.size), own[game]) for m, game in NETWORKS_NEED]
    return counts(theirs // ours if theirs and ours else None for theirs, ours in need)


def _sizes(rows: Rows) -> str:
    plain = select(rows, method="lpp", drop_literals=False)
    own = {row.settings["game"]: stats.measured(row)["learned"] for row in plain}
    depths = sorted({policy["depth"] for policy in own.values()})
    calls = [policy["method_calls"] for policy in own.values()]
    literals = counts(own[game]["top_level_programs"] for game in GAMES)
    return f"{literals}; {listed(list(map(str, depths)))}; {min(calls)} to {max(calls)}"


def _pictured(rows: Rows) -> str:
    """Return the most test levels won in each game from the paper's number of demonstrations."""
    own = select(rows, method="lpp-told")
    return counts(round(9 * max(stats.successes(select(own, game=game)))) for game in GAMES)


# --- the table ----------------------------------------------------------------------------------------------------

MEASURES: Mapping[str, Callable[[Rows], str]] = {
    "needed": lambda rows: f"{max(needed(rows), key=lambda count: count or 99)}; {counts(needed(rows))}",
    "ahead": _ahead,
    "generalizes": _generalizes,
    "demonstrated": lambda rows: f"{_demonstrated(rows, 'lln')}; {_demonstrated(rows, 'vpi')}",
    "programs": _programs,
    "vpi elsewhere": _vpi,
    "without": _without,
    "noise": lambda rows: "; ".join(_noise(rows, epsilon) for epsilon in (1.0, 0.0, 0.0001)),
    "sizes": _sizes,
    "pictured": _pictured,
    "networks": _networks,
    "ratios": _ratios,
}


def lines() -> list[dict[str, Any]]:
    """Return the lines of the table as they are declared."""
    declared: list[dict[str, Any]] = tomllib.loads(FILE.read_text("utf-8"))["line"]
    return declared


def claims(results: Results) -> dict[tuple[str, str], Claim]:
    """Return every statement of the paper with its verdict, by experiment and name."""
    judged = {name: find(name).present(results[name]).claims for name in STATEMENTS}
    return {(name, key): claim for name in judged for key, claim in zip(STATEMENTS[name], judged[name], strict=True)}


def paper_table(results: Results) -> str:
    """Return the number of statements by verdict, and the table."""
    judged = claims(results)
    count = Counter(claim.verdict for claim in judged.values())
    tally = (
        f"Of {len(judged)} statements of the paper {count[YES]} agree with what was measured, {count[PARTLY]} in part, "
        f"{count[NO]} do not, and {count[MISSING]} are not measured."
    )
    cells = [_cells(line, [judged[line["of"], name] for name in line["names"]], results) for line in lines()]
    return f"{tally}\n\n{table(('statement', 'paper', 'measured', 'agrees'), cells)}"


def _cells(line: Mapping[str, Any], judged: Sequence[Claim], results: Results) -> list[str]:
    verdicts = list(dict.fromkeys(claim.verdict for claim in judged))
    if verdicts == [MISSING]:
        return [line["says"], line["paper"], MISSING_CELL, MISSING]
    ours = (
        MEASURES[line["ours"]](results[line["of"]]) if "ours" in line else " ".join(claim.measured for claim in judged)
    )
    every = verdicts if len(verdicts) == 1 else [claim.verdict for claim in judged]
    return [line["says"], line["paper"], ours, " / ".join(every)]


def reasons(results: Results) -> str:
    """Return a list of the statements that do not agree, those with the same reason together."""
    together: dict[str, list[str]] = {}
    for claim in claims(results).values():
        if claim.verdict == NO:
            together.setdefault(claim.why, []).append(claim.paper)
    return "\n".join(f"- {' '.join([*statements, why and f'*{why}*']).strip()}" for why, statements in together.items())
