"""Networks: the demonstrations that they need, up to 5,000 (the paper's appendix), and a search over their settings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from statistics import fmean
from typing import Any

from shown.worlds import GAMES
from shown_evidence.analysis import statistics as stats
from shown_evidence.analysis.exhibits import BOTH, Axis, Table, demonstrated, methods
from shown_evidence.analysis.statements import NETWORKS_NEED, NO, Finding, graded, within
from shown_evidence.analysis.statistics import GENERATED, TEST, first_perfect, of_size, select, size
from shown_evidence.experiments.experiment import Design, Experiment
from shown_evidence.trials.learners import METHODS
from shown_evidence.trials.level_sets import CHOOSE, LevelSets
from shown_evidence.trials.row import Row
from shown_evidence.wording import percent, title

NETWORKS = ("fcn", "cnn")
SIZES = (10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000)
IN_TABLE = (5, 10, 100, 1_000, 5_000)
TRAINING = LevelSets(shown=1_000_000, played=0, apart=10_000)

_design = partial(Design, sets=5, shown=TRAINING.shown_levels, games=("nim", "checkmate"))


class DataEfficiency(Experiment):
    """Demonstrations that networks need in two games."""

    designs = (_design(("lpp",), (1, 2, 3, 4, 5, 10)), _design(NETWORKS, SIZES, seeded=True))
    series = tuple(methods(("lpp", *NETWORKS)))
    views = BOTH
    across = Axis("demonstrations", (1, 10, 100, 1000), logarithmic=True)
    columns = tuple(demonstrated(count, kind) for count in IN_TABLE for kind in (TEST, GENERATED))

    def findings(self, rows: Sequence[Row]) -> dict[str, Finding | None]:
        needs = {f"{method} {game}": _need(method, game, rows) for method, game in NETWORKS_NEED}
        return {**needs, "ratio": _ratio(rows)}


def _need(method: str, game: str, rows: Sequence[Row]) -> Finding | None:
    """Judge how many demonstrations a network needs; the best set alone agrees partly."""
    found, paper = select(rows, game=game, method=method), NETWORKS_NEED[method, game]
    best, every = first_perfect(found, size), first_perfect(found, size, pool=fmean)
    most = max(map(size, found), default=0)
    if best is None and most < paper:
        return None
    mean = percent(stats.mean_success(of_size(found, most)))
    if best is None:
        return Finding(f"Not with {most:,}: mean {mean}.", NO)
    always = "never" if every is None else f"{every:,}"
    words = f"{best:,} with the best of {len(of_size(found, best))} sets, {always} with every set"
    if every is None:
        words += f" (with {most:,} a mean of {mean})"
    dead = sum(map(stats.never_learned, found))
    return Finding(
        f"{words}. (Within a factor of 5 counts as agreeing.)",
        graded(every is not None and within(every, paper, 5), within(best, paper, 5)),
        f"{dead} of {len(found)} starts never learn, and all count." if dead else "",
    )


def _ratio(rows: Sequence[Row]) -> Finding | None:
    """Compare the demonstrations that networks and LPP need; a network that never wins all needs more than tried."""
    texts, values = [], []
    for method, game in NETWORKS_NEED:
        ours, theirs = (select(rows, game=game, method=name) for name in ("lpp", method))
        own, need, most = first_perfect(ours, size), first_perfect(theirs, size), max(map(size, theirs), default=0)
        if not own or not (need or most >= 1_000):
            return None
        ratio, more = (need or most) / own, "" if need else "more than "
        values.append(ratio)
        parts = f"{more}{ratio:,.0f} ({more}{need or most:,} / {own:,})"
        texts.append(f"{METHODS[method].label} in {title(game)} {parts}")
    return Finding(
        f"Demonstrations for every test level with the best set, network / LPP: {', '.join(texts)}.",
        graded(min(values) >= 15 and max(values) >= 300, min(values) > 1),
    )


# --- settings, tried on levels reserved for choosing ----------------------------------------------------------------

CHOICE_SIZE, CHOICE_SETS = 5, 3  # demonstrations of a set, and sets

SHORT = {"enough": 0.01, "patience": 1000, "steps": 5000}  # as by default
LONG = {"enough": 0.001, "patience": 3000, "steps": 10_000}
SETTINGS: tuple[Mapping[str, Any], ...] = tuple(
    {"loss": loss, "rate": rate, **length}
    for length in (SHORT, LONG)
    for loss in ("cells", "choice")
    for rate in (0.003, 0.001, 0.01)
)

TUNED = {"fcn-tuned": "fcn-mirrored", "cnn-tuned": "cnn-mirrored"}
"""The methods that have the chosen settings, and those that tried them."""


class NetworkSettings(Experiment):
    """Success of the networks with each setting."""

    designs = (
        Design(
            tuple(TUNED.values()),
            (CHOICE_SIZE,),
            CHOICE_SETS,
            CHOOSE.shown_levels,
            options=SETTINGS,
            played=(CHOOSE.played_levels(100),),
        ),
    )

    def exhibits(self, rows: Sequence[Row]) -> list[Table]:
        lines = [[*map(str, own.values()), *(_cell(rows, method, own) for method in self.methods)] for own in SETTINGS]
        head = (*map(str.capitalize, SETTINGS[0]), *(METHODS[method].label for method in self.methods))
        return [Table(head, lines, self.given_caption)]

    def text(self, rows: Sequence[Row]) -> list[str]:
        return [
            f"{len(SETTINGS)} settings tried. Chosen for {METHODS[name].label}: "
            f"{', '.join(f'{option} {value}' for option, value in choice.items())}."
            for name in TUNED
            if (choice := chosen(rows, name)) is not None
        ]


def chosen(rows: Sequence[Row], tuned: str) -> Mapping[str, Any] | None:
    """Return the setting with the highest mean success for a tuned network, the first of equal ones, or None.

    Only settings with all their results count.
    """
    means = [_mean(rows, TUNED[tuned], own) for own in SETTINGS]
    whole = [i for i, mean in enumerate(means) if not math.isnan(mean)]
    return SETTINGS[max(whole, key=lambda i: means[i])] if whole else None


def _mean(rows: Sequence[Row], method: str, own: Mapping[str, Any]) -> float:
    """Return the mean success of a setting; NaN unless it has results of all games and sets."""
    mine = select(rows, method=method, **own)
    whole = len(mine) == len(GAMES) * CHOICE_SETS
    return stats.mean_over_games(mine, GENERATED) if whole else math.nan


def _cell(rows: Sequence[Row], method: str, own: Mapping[str, Any]) -> str:
    dead = sum(map(stats.never_learned, select(rows, method=method, **own)))
    return percent(_mean(rows, method, own)) + (f" ({dead})" if dead else "")
