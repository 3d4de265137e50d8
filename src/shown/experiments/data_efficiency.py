"""How many demonstrations the networks need, up to 5,000 (the paper's appendix)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Any

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
    first_perfect,
    of,
    percent,
    size,
    success,
    title,
    usual,
)
from shown.experiments.store import Row
from shown.experiments.trials import METHODS, Trial

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NEEDED = {("fcn", "nim"): 100, ("fcn", "checkmate"): 500, ("cnn", "nim"): 1_000, ("cnn", "checkmate"): 5_000}
"""How many demonstrations each network needs for success 1 on the test levels, says the paper."""

SIZES = (10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000)
LPP_SIZES = (1, 2, 3, 4, 5, 10)
SETS = 5
FIRST, APART = 1_000_000, 10_000
"""Demonstrations are given on generated levels from here on, each set's apart from the others' and from all scored."""


class DataEfficiency(Experiment):
    """Generated levels, 10 to 5,000 of them; a larger set holds the smaller ones. LPP learns from the first few."""

    name = "data-efficiency"
    title = "How many demonstrations the networks need"
    question = "With how many demonstrations do the networks do as well as LPP with five?"
    games = ("nim", "checkmate")
    methods = ("lpp", "fcn", "cnn")

    def trials(self, scale: Scale) -> list[Trial]:
        return [
            Trial(method, game, shown(number, count), options=scale.options(method), test=scale.test)
            for method in scale.methods_of(self.methods)
            for game in scale.games_of(self.games)
            for count in (scale.sizes(LPP_SIZES, LPP_SIZES) if method == "lpp" else scale.sizes(SIZES, (10, 100)))
            for number in range(scale.repeats(SETS, 1))
        ]

    def belongs(self, settings: Mapping[str, Any]) -> bool:
        set_of, _, seeds = settings["levels"].partition(":")
        return (
            settings["method"] in self.methods
            and settings["game"] in self.games
            and set_of == "random"
            and "," not in seeds
            and int(seeds.partition("-")[0]) >= FIRST
            and settings["demonstrations"] == "perfect"
            and usual(settings)
        )

    def read(self, rows: Sequence[Row]) -> Reading:
        games = [game for game in self.games if of(rows, game=game)]
        plot = Plot(
            lambda: _figure(rows, games),
            "Success on the 9 test levels (above) and 100 generated ones (below) against the number of demonstrations, "
            "on a logarithmic scale. Lines: means over training sets; shaded: from the worst set to the best.",
        )
        return Reading([plot], _text(rows, games), [*_networks(rows), _ratio(rows)])


EXPERIMENT = DataEfficiency()


def shown(number: int, count: int) -> str:
    """The levels of a training set.

    >>> shown(1, 50)
    'random:1010000-1010049'
    """
    first = FIRST + APART * number
    return f"random:{first}-{first + count - 1}" if count > 1 else f"random:{first}"


def _figure(rows: Sequence[Row], games: Sequence[str]) -> Figure:
    from shown.experiments import figures

    figure, axes = figures.panels(2, len(games), width=4.2)
    for r, (kind, label) in enumerate((("test", "9 test levels"), ("random", "100 generated"))):
        for c, game in enumerate(games):
            panel = axes[r][c]
            for method in DataEfficiency.methods:
                found = of(rows, game=game, method=method)
                if found:
                    style = figures.STYLES[method]
                    xs, low = curve(found, size, kind, min)
                    panel.fill_between(
                        xs, low, curve(found, size, kind, max)[1], color=style["color"], alpha=0.12, lw=0
                    )
                    panel.plot(*curve(found, size, kind), label=METHODS[method].label, **style)
            panel.set_xscale("log")
            panel.set_xticks([1, 10, 100, 1000], ["1", "10", "100", "1,000"])
            panel.minorticks_off()
            figures.success_axis(panel, f"success ({label})" if c == 0 else None)
            if r == 0:
                panel.set_title(title(game))
            else:
                panel.set_xlabel("demonstrations")
    figures.legend(figure, max(axes[0], key=lambda panel: len(panel.lines)))
    return figure


def _text(rows: Sequence[Row], games: Sequence[str]) -> list[str]:
    text = []
    for game in games:
        parts = []
        for method in DataEfficiency.methods:
            found = of(rows, game=game, method=method)
            if found:
                best, mean = first_perfect(found, size), first_perfect(found, size, pool=fmean)
                parts.append(
                    f"{METHODS[method].label} {best or 'never'} with the best set, {mean or 'never'} with every set"
                )
        if parts:
            text.append(f"{title(game)}, demonstrations until every test level is won: {'; '.join(parts)}.")
    text.append(
        "There are only 2,660 different levels of Nim. With 1,000 demonstrations and more, much of what the networks "
        "are tested on was shown to them; this is remembering as much as generalising."
    )
    return text


def _networks(rows: Sequence[Row]) -> list[Claim]:
    claims = []
    for (method, game), paper in NEEDED.items():
        label = METHODS[method].label
        says = f"{label} needs {paper:,} demonstrations of {title(game)} for success 1."
        found = of(rows, game=game, method=method)
        most = max(map(size, found), default=0)
        here = first_perfect(found, size) if found else None
        if not found or (here is None and most < paper):
            claims.append(
                Claim(says, f"Measured up to {most:,} demonstrations only." if most else "No trials.", MISSING)
            )
            continue
        if here is None:
            last = fmean(success(row) for row in found if size(row) == most)
            claims.append(Claim(says, f"Not with {most:,}: mean {percent(last)}.", NO, _TRAINING))
            continue
        mean = first_perfect(found, size, pool=fmean)
        measured = f"{here:,} with the best of {len([r for r in found if size(r) == here])} sets, "
        measured += f"{mean:,} with every set." if mean else "never with every set."
        near = paper / 5 <= (mean or here) <= paper * 5 or paper / 5 <= here <= paper * 5
        claims.append(
            Claim(
                says,
                f"{measured} (Within a factor of 5 counts as agreeing.)",
                YES if near else NO,
                "" if near else _TRAINING,
            )
        )
    return claims


_TRAINING = "The paper does not say how its networks were trained; optimiser, length and stopping change such numbers."


def _ratio(rows: Sequence[Row]) -> Claim:
    says = "LPP is 20 to 1,000 times as data-efficient as these networks."
    ratios = {}
    for method, game in NEEDED:
        ours, theirs = of(rows, game=game, method="lpp"), of(rows, game=game, method=method)
        a = first_perfect(ours, size) if ours else None
        b = first_perfect(theirs, size) if theirs else None
        most = max(map(size, theirs), default=0)
        if a and b:
            ratios[method, game] = (b / a, f"{b / a:,.0f}")
        elif a and most >= 1_000:
            ratios[method, game] = (most / a, f"more than {most / a:,.0f}")
    if len(ratios) < len(NEEDED):
        return Claim(says, f"{len(ratios)} of 4 ratios can be computed.", MISSING)
    measured = "Demonstrations for every test level with the best set, network / LPP: " + ", ".join(
        f"{METHODS[m].label} in {title(g)} {text}" for (m, g), (_, text) in ratios.items()
    )
    values = [value for value, _ in ratios.values()]
    verdict = YES if min(values) >= 15 and max(values) >= 300 else PARTLY if min(values) > 1 else NO
    return Claim(says, measured + ".", verdict)
