"""Demonstrations that the networks need, up to 5,000 (the paper's appendix)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean

from shown_evidence.analysis import figures
from shown_evidence.analysis import statistics as stats
from shown_evidence.analysis.claims import NO, Finding, graded, within
from shown_evidence.analysis.figures import HUNDRED, NINE, Axis
from shown_evidence.analysis.statements import NETWORKS_NEED
from shown_evidence.analysis.statistics import GENERATED, first_perfect, games_among, of_size, select, size
from shown_evidence.analysis.success_tables import MEANS, Table, demonstrated, success_table
from shown_evidence.experiments.experiment import Experiment, Plot, Scale
from shown_evidence.results.row import Row
from shown_evidence.trials.level_sets import LevelSets
from shown_evidence.trials.methods import METHODS
from shown_evidence.trials.trial import Trial
from shown_evidence.wording import percent, title

SIZES = (10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000)
LPP_SIZES = (1, 2, 3, 4, 5, 10)
IN_TABLE = (5, 10, 100, 1_000, 5_000)  # numbers of demonstrations in the table
FEW = 5  # demonstrations that the paper's LPP needs at most
SETS = 5
TRAINING = LevelSets(shown=1_000_000, played=0, apart=10_000)


class DataEfficiency(Experiment):
    """10 to 5,000 generated levels; a larger set contains the smaller ones. LPP learns from the first 1 to 5 and 10 of
    each set."""

    name = "data-efficiency"
    title = "How many demonstrations the networks need"
    question = "With how many demonstrations do the networks match LPP with five?"
    games = ("nim", "checkmate")
    methods = ("lpp", "fcn", "cnn")

    def trials(self, scale: Scale) -> list[Trial]:
        return [
            Trial(method, game, TRAINING.shown_levels(number, size), "perfect", seed, scale.options(method), scale.test)
            for method in scale.methods_of(self.methods)
            for game in scale.games_of(self.games)
            for size in (scale.sizes(LPP_SIZES, LPP_SIZES) if method == "lpp" else scale.sizes(SIZES, (10, 100)))
            for number in range(scale.repeats(SETS, 1))
            for seed in (0 if method == "lpp" else number,)
        ]

    def plots(self, rows: Sequence[Row]) -> list[Plot | Table]:
        columns = figures.games(games_among(rows, self.games))
        across = Axis("demonstrations", [1, 10, 100, 1000], ["1", "10", "100", "1,000"], logarithmic=True)
        series = figures.methods(self.methods)
        parts = [demonstrated(count, kind) for count in IN_TABLE for kind in (stats.TEST, GENERATED)]
        return [
            Plot(
                figures.success_panels(rows, size, columns, series, (NINE, HUNDRED), across),
                "Success on the 9 test levels (above) and 100 generated ones (below) against the number of "
                f"demonstrations, on a logarithmic scale; mean over training sets. {figures.SHADED}",
            ),
            success_table(rows, self.games, series, parts, f"The same as numbers. {MEANS}"),
        ]

    def text(self, rows: Sequence[Row]) -> list[str]:
        by_game = {game: select(rows, game=game) for game in games_among(rows, self.games)}
        return [
            *filter(None, (_as_good(game, mine) for game, mine in by_game.items())),
            "Nim has only 2,660 different levels. From 1,000 demonstrations on, the networks have seen much of what "
            "they are tested on, so this measures memory as much as generalization.",
        ]

    def findings(self, rows: Sequence[Row]) -> dict[str, Finding | None]:
        needs = {f"{method} {game}": _need(method, game, rows) for method, game in NETWORKS_NEED}
        return {**needs, "ratio": _ratio(rows)}


def _as_good(game: str, rows: Sequence[Row]) -> str:
    """Report the demonstrations with which each network matches the mean of LPP from five."""
    own = stats.mean_success(of_size(select(rows, method="lpp"), FEW), GENERATED)
    parts = []
    for method in DataEfficiency.methods[1:]:
        sizes, means = stats.curve(select(rows, method=method), size, GENERATED)
        if sizes:
            first = next((int(at) for at, mean in zip(sizes, means, strict=True) if mean >= own), None)
            parts.append(f"{METHODS[method].label} {'never' if first is None else f'from {first:,}'}")
    if not parts or math.isnan(own):
        return ""
    return f"{title(game)}, {percent(own)} of the generated levels, the mean of LPP from {FEW}: {', '.join(parts)}."


def _need(method: str, game: str, rows: Sequence[Row]) -> Finding | None:
    """Judge how many demonstrations a network needs; the best set alone agrees partly."""
    found, paper = select(rows, game=game, method=method), NETWORKS_NEED[method, game]
    if not found:
        return None
    best, every = first_perfect(found, size), first_perfect(found, size, pool=fmean)
    most = max(map(size, found))
    if best is None and most < paper:
        return None
    mean = percent(stats.mean_success(of_size(found, most)))
    if best is None:
        return Finding(f"Not with {most:,}: mean {mean}.", NO)
    always = "never" if every is None else f"{every:,}"
    measured = f"{best:,} with the best of {len(of_size(found, best))} sets, {always} with every set"
    if every is None:
        measured += f" (with {most:,} a mean of {mean})"
    dead = sum(map(stats.never_learned, found))
    return Finding(
        f"{measured}. (Within a factor of 5 counts as agreeing.)",
        graded(every is not None and within(every, paper, 5), within(best, paper, 5)),
        f"{dead} of {len(found)} starts never learn, and all count." if dead else "",
    )


def _ratio(rows: Sequence[Row]) -> Finding | None:
    """Compare the demonstrations that networks and LPP need; a network that never wins all needs more than tried."""
    texts, values = [], []
    for method, game in NETWORKS_NEED:
        ours, theirs = (select(rows, game=game, method=name) for name in ("lpp", method))
        own, need, most = first_perfect(ours, size), first_perfect(theirs, size), max(map(size, theirs), default=0)
        if own and (need or most >= 1_000):
            ratio, more = (need or most) / own, "" if need else "more than "
            values.append(ratio)
            parts = f"{more}{ratio:,.0f} ({more}{need or most:,} / {own:,})"
            texts.append(f"{METHODS[method].label} in {title(game)} {parts}")
    if len(values) < len(NETWORKS_NEED):
        return None
    return Finding(
        f"Demonstrations for every test level with the best set, network / LPP: {', '.join(texts)}.",
        graded(min(values) >= 15 and max(values) >= 300, min(values) > 1),
    )
