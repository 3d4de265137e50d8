"""The opening of the report, computed from the store: three sentences and a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from shown_evidence.analysis import statistics as stats
from shown_evidence.analysis.claims import MISSING, NO, PARTLY, YES, Claim
from shown_evidence.analysis.statements import PERFECT_FROM
from shown_evidence.analysis.statistics import FLOORS, GENERATED, TEST, games_among, mean_success, of_size, select
from shown_evidence.analysis.success_tables import LEVELS, Table, what_each_is_given
from shown_evidence.experiments.beyond import OURS, SIZES, Beyond
from shown_evidence.experiments.demos import BASELINES, of_the_ten_sets
from shown_evidence.results.row import Row
from shown_evidence.trials.methods import METHODS
from shown_evidence.wording import MISSING_CELL, listed, percent, title

OTHERS = tuple(method for method in METHODS if method not in ("lpp", *OURS, *FLOORS))
GAMES = tuple(PERFECT_FROM)
FEW = 3  # demonstrations of the sentence on few demonstrations

ByExperiment = Mapping[str, Sequence[Row]]
"""Results by name of the experiment."""

Means = dict[tuple[str, str, str], tuple[float, float]]
"""Means of LPP and another method by method, game and kind of levels."""


def sentences(rows: ByExperiment, claims: Mapping[str, Sequence[Claim]]) -> list[str]:
    """Return what a reader should know first: agreement with the paper, few demonstrations, and where LPP trails."""
    return [_agreement(claims), _few(rows.get("beyond", ())), _trails(of_the_ten_sets(rows.get("demos", ())))]


def opening_table(rows: Sequence[Row]) -> Table:
    """Return the success of LPP and `shown` in each game after a few demonstrations, beside random play."""
    learners = Beyond.methods
    lines = []
    for game in games_among(rows, GAMES):
        here = select(rows, game=game)
        cells = [
            " / ".join(percent(mean_success(of_size(select(here, method=method), size), GENERATED)) for size in SIZES)
            for method in learners
        ]
        lines.append([title(game), *cells, percent(mean_success(select(here, method=FLOORS[-1]), GENERATED))])
    return Table(
        ("Game", *(METHODS[method].label for method in (*learners, FLOORS[-1]))),
        lines if any(row.settings["method"] in learners for row in rows) else [],
        f"Success on 100 new levels after {' / '.join(map(str, SIZES))} demonstrations by the expert, mean over sets. "
        + what_each_is_given(learners),
    )


def _agreement(claims: Mapping[str, Sequence[Claim]]) -> str:
    number = Counter(claim.verdict for judged in claims.values() for claim in judged)
    return (
        f"Of {sum(number.values())} statements of the paper, {number[YES]} agree with our measurements, "
        f"{number[PARTLY]} in part and {number[NO]} not; {number[MISSING]} not measured."
    )


def _few(rows: Sequence[Row]) -> str:
    means = {
        METHODS[method].label: stats.mean_over_games(of_size(select(rows, method=method), FEW), GENERATED)
        for method in Beyond.methods
    }
    parts = [f"{label} {percent(mean)}" for label, mean in means.items() if percent(mean) != MISSING_CELL]
    if not parts:
        return f"Success from {FEW} demonstrations on new generated levels was not measured."
    some = stats.only_some_games(rows, GAMES)
    return f"From {FEW} demonstrations, mean over games{some}, {listed(parts)} of 100 new levels are won."


# --- where LPP trails ---------------------------------------------------------------------------------------------


def _compared(rows: Sequence[Row], methods: Sequence[str]) -> Means:
    """Return the means of LPP and another method over all sizes and sets, from the same demonstrations."""
    found = {}
    for game in games_among(rows, GAMES):
        here = select(rows, game=game)
        for method in methods:
            own, theirs = stats.matched(select(here, method="lpp"), select(here, method=method))
            if own:
                for kind in (TEST, GENERATED):
                    found[method, game, kind] = mean_success(own, kind), mean_success(theirs, kind)
    return found


def _trails(rows: Sequence[Row]) -> str:
    compared = _compared(rows, OTHERS)
    if not compared:
        return "Where LPP trails was not measured."
    behind = _behind({key: (own, theirs) for key, (own, theirs) in compared.items() if theirs > own + stats.CLOSE})
    parts = [f"{METHODS[method].label} in {where}" for method, where in behind]
    texts = [f"LPP trails {listed(parts)}." if parts else "LPP trails no method that is not ours in any game."]
    ours = _compared(rows, ["shown"])
    behind = _behind({key: (theirs, own) for key, (own, theirs) in ours.items() if own > theirs + stats.CLOSE})
    texts += [f"{METHODS['shown'].label} trails LPP in {listed([where for _, where in behind])}."] * bool(behind)
    missing = [METHODS[name].label for name in BASELINES if not select(rows, method=name)]
    return " ".join(texts + [f"But of the paper's baselines {listed(missing)} were not run."] * bool(missing))


def _behind(means: Means) -> list[tuple[str, str]]:
    """Return methods with games, and in brackets the smaller and the larger mean on each kind of levels."""
    found: dict[tuple[str, str], list[str]] = {}
    for (method, game, kind), (less, more) in means.items():
        text = f"{percent(less)} against {percent(more)} of the {LEVELS[kind]}"
        found.setdefault((method, game), []).append(text)
    return [(method, f"{title(game)} ({', '.join(texts)})") for (method, game), texts in found.items()]
