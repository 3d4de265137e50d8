"""Noisy demonstrations of Nim, and how much noise the learner should expect (the paper's appendix)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np

from shown.experiments.experiment import (
    MISSING,
    NO,
    PARTLY,
    YES,
    Claim,
    Experiment,
    Plot,
    Reading,
    Scale,
    curve,
    of,
    percent,
    size,
    success,
    usual,
)
from shown.experiments.store import Row
from shown.experiments.teaching import DEMONSTRATIONS, TRAINING_LEVELS
from shown.experiments.trials import Trial

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EPSILONS = (0.0, 1e-4, 1e-3, 1e-2, 1e-1, 1.0)
SIZES = tuple(range(2, 17))
DRAWS = 5
MORE_LEVELS = range(900_000, 900_005)
"""The 11 training levels are too few for 16 demonstrations; these generated ones come after them."""


class Noise(Experiment):
    """Six values of ε, three kinds of demonstrations, 2 to 16 of them, in several random orders."""

    name = "noise"
    title = "Noisy demonstrations"
    question = "What if the demonstrator errs one time in five?"
    games = ("nim",)
    methods = ("lpp",)

    def trials(self, scale: Scale) -> list[Trial]:
        return [
            Trial(method, game, shown(draw, count), kind, draw, scale.options(method, noise=epsilon), scale.test)
            for method in scale.methods_of(self.methods)
            for game in scale.games_of(self.games)
            for kind in DEMONSTRATIONS
            for epsilon in EPSILONS
            for count in scale.sizes(SIZES, (2, 4, 8, 12, 16))
            for draw in range(scale.repeats(DRAWS, 2))
        ]

    def belongs(self, settings: Mapping[str, Any]) -> bool:
        levels = settings["levels"].split(",")
        return (
            settings["method"] == "lpp"
            and settings["game"] == "nim"
            and 2 <= len(levels) <= max(SIZES)
            and settings["levels"] == shown(settings["seed"], len(levels))
            and usual(settings, "noise")
        )

    def read(self, rows: Sequence[Row]) -> Reading:
        plot = Plot(
            lambda: _figure(rows),
            "Success in Nim from perfect demonstrations, from demonstrations in which one action in five is any random "
            "click (independent), and in which it is a random matchstick (correlated, and therefore misleading), for "
            "six values of the noise ε that the learner expects. Mean of several draws.",
        )
        return Reading([plot], _text(rows), _claims(rows))


EXPERIMENT = Noise()


def shown(draw: int, count: int) -> str:
    """The levels of the first `count` demonstrations in a random order; fewer demonstrations are always among more.

    >>> shown(0, 3)
    'train:0,train:1,train:2'
    """
    pool = [f"train:{i}" for i in range(TRAINING_LEVELS)] + [f"random:{seed}" for seed in MORE_LEVELS]
    order = np.random.default_rng([1904, draw]).permutation(len(pool)) if draw else np.arange(len(pool))
    return ",".join(pool[i] for i in order[:count])


def _figure(rows: Sequence[Row]) -> Figure:
    from matplotlib import colormaps

    from shown.experiments import figures

    figure, axes = figures.panels(2, 3, width=3.4)
    for r, (kind, label) in enumerate((("test", "9 test levels"), ("random", "100 generated"))):
        for c, demonstrations in enumerate(DEMONSTRATIONS):
            panel = axes[r][c]
            for i, epsilon in enumerate(EPSILONS):
                found = of(rows, demonstrations=demonstrations, noise=epsilon)
                if found:
                    color = "#b4345a" if epsilon == 0 else colormaps["viridis"](0.15 + 0.16 * (i - 1))
                    mark = "osD^vP"[i]
                    panel.plot(*curve(found, size, kind), marker=mark, color=color, label=f"ε = {epsilon:g}")
            figures.success_axis(panel, f"success ({label})" if c == 0 else None)
            panel.set_xticks(range(2, 17, 2))
            if r == 0:
                panel.set_title(f"{demonstrations} demonstrations" if c == 0 else f"{demonstrations} noise")
            else:
                panel.set_xlabel("demonstrations")
    figures.legend(figure, max(axes[0], key=lambda panel: len(panel.lines)), columns=6)
    return figure


def _mean(rows: Sequence[Row], kind: str, epsilon: float, least: int = 8) -> float | None:
    found = [row for row in of(rows, demonstrations=kind, noise=epsilon) if size(row) >= least]
    return fmean(success(row, "random") for row in found) if found else None


def _text(rows: Sequence[Row]) -> list[str]:
    text = []
    for kind in DEMONSTRATIONS:
        parts = []
        for epsilon in EPSILONS:
            mean = _mean(rows, kind, epsilon)
            if mean is not None:
                parts.append(f"ε = {epsilon:g}: {percent(mean)}")
        if parts:
            text.append(f"{kind.capitalize()}, 8 demonstrations or more, generated levels: {', '.join(parts)}.")
    return text


_SILENT = (
    "With ε = 1 the likelihood says nothing and the prior's favourite is “never”, which acts evenly at random; the "
    "action is then decided by the lesser policies of the mixture, and from perfect demonstrations those are right."
)


def _claims(rows: Sequence[Row]) -> list[Claim]:
    means = {(kind, epsilon): _mean(rows, kind, epsilon) for kind in DEMONSTRATIONS for epsilon in EPSILONS}
    high = "With every kind of demonstration, too high an ε makes success drop severely."
    zero = "With noisy demonstrations, ε = 0 makes it drop severely: no policy fits them within the budget."
    small = "A very small ε above 0 is consistently effective, although the true noise is 0.2."
    if any(mean is None for mean in means.values()):
        return [
            Claim(says, "Not all kinds of demonstrations and values of ε are in the store.", MISSING)
            for says in (high, zero, small)
        ]
    value = {key: mean for key, mean in means.items() if mean is not None}
    best = {kind: max(value[kind, e] for e in EPSILONS) for kind in DEMONSTRATIONS}
    unit = "Generated levels, from 8 demonstrations or more: "

    def words(epsilon: float) -> str:
        return ", ".join(f"{kind} {percent(value[kind, epsilon])}" for kind in DEMONSTRATIONS)

    drops = [value[kind, 1.0] < 0.5 * best[kind] for kind in DEMONSTRATIONS]
    claims = [
        Claim(
            high,
            f"{unit}ε = 1: {words(1.0)}; ε = 0.1: {words(0.1)}; the best ε: "
            + ", ".join(f"{kind} {percent(best[kind])}" for kind in DEMONSTRATIONS)
            + ".",
            YES if all(drops) else PARTLY if any(drops) else NO,
            "" if all(drops) else _SILENT,
        )
    ]
    falls = [value[kind, 0.0] < 0.5 * best[kind] for kind in DEMONSTRATIONS[1:]]
    claims.append(
        Claim(
            zero,
            f"{unit}ε = 0: {words(0.0)}.",
            YES if all(falls) else PARTLY if any(falls) else NO,
            ""
            if all(falls)
            else "A larger program budget per second finds formulas that fit even noisy clicks exactly.",
        )
    )
    effective = {e: fmean(value[kind, e] / max(best[kind], 1e-9) for kind in DEMONSTRATIONS) for e in EPSILONS}
    top = max(effective, key=lambda e: effective[e])
    good = [e for e in EPSILONS if effective[e] >= 0.9]
    claims.append(
        Claim(
            small,
            f"{unit}"
            + "; ".join(f"ε = {e:g}: {words(e)}" for e in EPSILONS[1:4])
            + f". Best over all kinds: ε = {top:g}.",
            YES if 0 < top <= 0.01 else PARTLY if any(0 < e <= 0.01 for e in good) else NO,
        )
    )
    return claims
