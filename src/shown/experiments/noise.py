"""Noisy demonstrations of Nim, and how much noise the learner should expect (the paper's appendix)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

import numpy as np

from shown.experiments import figures
from shown.experiments.claims import Finding, graded, holding
from shown.experiments.experiment import Experiment, Plot, Scale, Table
from shown.experiments.figures import ON_BOTH, Axis, Column, Series
from shown.experiments.rows import Row
from shown.experiments.statistics import GENERATED, TEST, has_standard_options, mean_success, of_size, select, size
from shown.experiments.tables import LEVELS, MEANS, Part, success_table
from shown.experiments.teaching import DEMONSTRATIONS, TRAINING_LEVELS
from shown.experiments.trials import Trial
from shown.experiments.words import percent

EPSILONS = (0.0, 1e-4, 1e-3, 1e-2, 1e-1, 1.0)
STYLES = {
    0.0: {"color": "#b4345a", "marker": "o"},
    1e-4: {"color": "#463480", "marker": "s"},
    1e-3: {"color": "#33628d", "marker": "D"},
    1e-2: {"color": "#23898e", "marker": "^"},
    1e-1: {"color": "#29af7f", "marker": "v"},
    1.0: {"color": "#75d054", "marker": "P"},
}
"""Zero stands out; the others go from dark to light."""

DUPLICATES = {"color": "#75d054", "marker": "x", "linestyle": (0, (1, 1.5))}

SIZES = tuple(range(2, 17))
ENOUGH = 8
"""The means in the text are over trials with so many demonstrations or more."""

DRAWS = 5
MORE_LEVELS = range(900_000, 900_005)
"""The 11 training levels are too few for 16 demonstrations; these generated ones come after them."""


class Noise(Experiment):
    """Six values of ε, three kinds of demonstrations, 2 to 16 of them, in several random orders."""

    name = "noise"
    title = "Noisy demonstrations"
    question = "What if the demonstrator errs one time in five?"
    games = ("nim",)
    methods = ("lpp", "lpp-duplicates")

    def trials(self, scale: Scale) -> list[Trial]:
        """LPP with every ε, and as the published code mixes it with the largest."""
        return [
            Trial(method, game, first_levels(draw, count), kind, draw, scale.options(method, noise=epsilon), scale.test)
            for method in scale.methods_of(self.methods)
            for game in scale.games_of(self.games)
            for kind in DEMONSTRATIONS
            for epsilon in (EPSILONS if method == "lpp" else EPSILONS[-1:])
            for count in scale.sizes(SIZES, (2, 4, 8, 12, 16))
            for draw in range(scale.repeats(DRAWS, 2))
        ]

    def includes(self, settings: Mapping[str, Any]) -> bool:
        count = settings["levels"].count(",") + 1
        return (
            count in SIZES
            and settings["levels"] == first_levels(settings["seed"], count)
            and has_standard_options(settings, "noise")
        )

    def plots(self, rows: Sequence[Row]) -> list[Plot | Table]:
        columns = [
            Column("no noise" if kind == "perfect" else f"{kind} noise", {"demonstrations": kind})
            for kind in DEMONSTRATIONS
        ]
        series = [Series(f"ε = {e:g}", {"method": "lpp", "noise": e}, STYLES[e]) for e in EPSILONS]
        series.append(Series("ε = 1, duplicates kept", {"method": "lpp-duplicates"}, DUPLICATES))
        across = Axis("demonstrations", range(2, 17, 4))
        return [
            Plot(
                figures.success_panels(rows, size, columns, series, ON_BOTH, across),
                "Success in Nim from perfect demonstrations, from demonstrations in which one action in five is any "
                "random click (independent), and in which it is a random matchstick (correlated, and therefore "
                "misleading), for six values of the noise ε that the learner expects. Mean of several draws. "
                + figures.SHADED,
            ),
            success_table(
                rows,
                self.games,
                series,
                [_part(demonstrations, levels) for levels in (TEST, GENERATED) for demonstrations in DEMONSTRATIONS],
                f"From {ENOUGH} demonstrations or more. {MEANS}",
            ),
        ]

    def text(self, rows: Sequence[Row]) -> list[str]:
        means = _means(select(rows, method="lpp"))
        lines = []
        for kind in DEMONSTRATIONS:
            known = [epsilon for epsilon in EPSILONS if (kind, epsilon) in means]
            parts = [f"ε = {epsilon:g}: {percent(means[kind, epsilon])}" for epsilon in known]
            if parts:
                lines.append(f"{kind.capitalize()}, 8 demonstrations or more, generated levels: {', '.join(parts)}.")
        return lines

    def findings(self, rows: Sequence[Row]) -> dict[str, Finding]:
        means = _means(select(rows, method="lpp"))
        if len(means) < len(DEMONSTRATIONS) * len(EPSILONS):
            return {}
        kept = _means(select(rows, method="lpp-duplicates"))
        return {"high": _too_high(means, kept), "zero": _zero(means), "small": _small(means)}


EXPERIMENT = Noise()

Means = Mapping[tuple[str, float], float]
"""For each kind of demonstrations and each ε, the mean success on generated levels."""


def first_levels(draw: int, count: int) -> str:
    """The levels of the first `count` demonstrations in a random order; fewer demonstrations are always among more.

    >>> first_levels(0, 3)
    'train:0,train:1,train:2'
    """
    pool = [f"train:{i}" for i in range(TRAINING_LEVELS)] + [f"random:{seed}" for seed in MORE_LEVELS]
    order = np.random.default_rng([1904, draw]).permutation(len(pool)) if draw else np.arange(len(pool))
    return ",".join(pool[i] for i in order[:count])


def _part(demonstrations: str, levels: str) -> Part:
    def keeps(row: Row) -> bool:
        return size(row) >= ENOUGH and row.settings["demonstrations"] == demonstrations

    return Part(f"{demonstrations}, {LEVELS[levels]}", keeps, levels)


def _means(rows: Sequence[Row]) -> Means:
    large = of_size(rows, ENOUGH, max(SIZES))
    return {
        (kind, epsilon): mean_success(found, GENERATED)
        for kind in DEMONSTRATIONS
        for epsilon in EPSILONS
        if (found := select(large, demonstrations=kind, noise=epsilon))
    }


def _best(means: Means) -> dict[str, float]:
    """The success with the best ε, for each kind of demonstrations."""
    return {kind: max(means[kind, epsilon] for epsilon in EPSILONS) for kind in DEMONSTRATIONS}


def _drops(means: Means, epsilon: float, kinds: Sequence[str]) -> list[bool]:
    """Whether an ε loses more than half of what the best one wins."""
    best = _best(means)
    return [means[kind, epsilon] < 0.5 * best[kind] for kind in kinds]


UNIT = "Generated levels, from 8 demonstrations or more"


def _at(means: Means, epsilon: float) -> str:
    known = [kind for kind in DEMONSTRATIONS if (kind, epsilon) in means]
    return f"ε = {epsilon:g}: " + ", ".join(f"{kind} {percent(means[kind, epsilon])}" for kind in known)


def _too_high(means: Means, kept: Means) -> Finding:
    """Too high an ε, also where duplicates are kept as in the published code."""
    best = ", ".join(f"{kind} {percent(value)}" for kind, value in _best(means).items())
    measured = f"{UNIT}: {_at(means, 1.0)}; {_at(means, 0.1)}; the best ε: {best}."
    if kept:
        measured += f" With duplicates kept, {_at(kept, 1.0)}."
    return Finding(measured, holding(_drops(means, 1.0, DEMONSTRATIONS)))


def _zero(means: Means) -> Finding:
    return Finding(f"{UNIT}: {_at(means, 0.0)}.", holding(_drops(means, 0.0, DEMONSTRATIONS[1:])))


def _small(means: Means) -> Finding:
    """Which ε wins most of what can be won, over all kinds of demonstrations."""
    best = _best(means)
    share = {e: fmean(means[kind, e] / max(best[kind], 1e-9) for kind in DEMONSTRATIONS) for e in EPSILONS}
    top = max(share, key=lambda epsilon: share[epsilon])
    small = [epsilon for epsilon in EPSILONS if 0 < epsilon <= 0.01]
    words = "; ".join(_at(means, epsilon) for epsilon in small)
    verdict = graded(top in small, any(share[epsilon] >= 0.9 for epsilon in small))
    return Finding(f"{UNIT}: {words}. Best over all kinds: ε = {top:g}.", verdict)
