"""Success against the number of programs enumerated: LPP and plain program induction (the paper's Figure 5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Any

from shown.experiments.experiment import (
    ALL_DEMONSTRATIONS,
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
    listed,
    of,
    percent,
    success,
    title,
    usual,
)
from shown.experiments.store import Row
from shown.experiments.trials import METHODS, Trial

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BELOW = {
    "nim": 100,
    "checkmate": 1_000,
    "chase": 1_000,
    "stop-the-fall": 10_000,
    "reach-for-the-star": 10_000,
    "fence-in": 10_000,
}
"""Fewer programs than this are enough for a winning policy, says the paper."""

FULL = {
    "lpp": (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000),
    "vpi": (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000),
}
QUICK = (10, 30, 100, 300, 1_000, 3_000, 10_000)
SEEDS = {"lpp": 3, "vpi": 1}
"""LPP's trees break ties at random; plain induction leaves nothing to chance."""


class Programs(Experiment):
    """All 11 demonstrations, from 1 program to 10,000 (and 100,000 policies for plain induction)."""

    name = "programs"
    title = "Success against programs enumerated"
    question = "How long must one search before the policy wins?"
    methods = ("lpp", "vpi")

    def trials(self, scale: Scale) -> list[Trial]:
        wanted = []
        for method in scale.methods_of(self.methods):
            for game in scale.games_of(self.games):
                for programs in FULL[method] if scale.full else QUICK:
                    for seed in range(scale.repeats(SEEDS[method], 1)):
                        options = scale.options(method, programs=programs)
                        wanted.append(Trial(method, game, ALL_DEMONSTRATIONS, "perfect", seed, options, scale.test))
        return wanted

    def belongs(self, settings: Mapping[str, Any]) -> bool:
        return (
            settings["method"] in self.methods
            and settings["levels"] == ALL_DEMONSTRATIONS
            and settings["demonstrations"] == "perfect"
            and usual(settings, "programs")
        )

    def read(self, rows: Sequence[Row]) -> Reading:
        games = [game for game in self.games if of(rows, game=game)]
        plot = Plot(
            lambda: _figure(rows, games),
            "Success on the 9 test levels (above) and on 100 generated ones (below) against the number of programs "
            "(LPP) or whole policies (VPI) enumerated, with all 11 demonstrations.",
        )
        return Reading([plot], _text(rows, games), [*_enough(rows), *_induction(rows)])


EXPERIMENT = Programs()


def programs(row: Row) -> int:
    return int(row.settings["options"]["programs"])


def _figure(rows: Sequence[Row], games: Sequence[str]) -> Figure:
    from shown.experiments import figures

    figure, axes = figures.panels(2, len(games))
    for r, (kind, label) in enumerate((("test", "9 test levels"), ("random", "100 generated"))):
        for c, game in enumerate(games):
            panel = axes[r][c]
            for method in Programs.methods:
                found = of(rows, game=game, method=method)
                if found:
                    points = curve(found, programs, kind)
                    panel.plot(*points, label=METHODS[method].label, **figures.STYLES[method])
            panel.set_xscale("log")
            panel.set_xticks([1, 100, 10_000], ["1", "100", "10⁴"])
            panel.minorticks_off()
            figures.success_axis(panel, f"success ({label})" if c == 0 else None)
            if r == 0:
                panel.set_title(title(game))
            else:
                panel.set_xlabel("programs")
    figures.legend(figure, axes[0][0])
    return figure


def _text(rows: Sequence[Row], games: Sequence[str]) -> list[str]:
    parts = []
    for game in games:
        found = of(rows, game=game, method="lpp")
        if found:
            here = first_perfect(found, programs, pool=fmean)
            parts.append(f"{title(game)} {f'{here:,}' if here else 'never'}")
    times = [row.result["seconds"]["learn"] for row in of(rows, method="lpp", programs=10_000) if row.result]
    text = [f"Programs until LPP wins every test level with every seed: {', '.join(parts)}."] if parts else []
    if times:
        text.append(
            f"A learn with 10,000 programs and 11 demonstrations took "
            f"{min(times):.1f} to {max(times):.1f} s on one core."
        )
    return text


def _enough(rows: Sequence[Row]) -> list[Claim]:
    claims = []
    for game, bound in BELOW.items():
        says = f"{title(game)}: fewer than {bound:,} programs are enough for LPP to win."
        found = of(rows, game=game, method="lpp")
        if not found or max(map(programs, found)) < min(bound, 10_000):
            claims.append(Claim(says, "Too few LPP trials of this game in the store.", MISSING))
            continue
        here, all_seeds = first_perfect(found, programs), first_perfect(found, programs, pool=fmean)
        if here is None:
            best = max(success(row) for row in found)
            claims.append(Claim(says, f"Not with any number tried; at best {percent(best)}.", NO, _OTHER))
            continue
        measured = f"{here:,} are enough" + (
            "." if all_seeds == here else f" ({all_seeds:,} with every seed)." if all_seeds else "."
        )
        claims.append(Claim(says, measured, YES if here < bound else NO, "" if here < bound else _OTHER))
    says = "LPP's learning of Nim takes on the order of a second on a laptop."
    times = [
        row.result["seconds"]["learn"] for row in of(rows, game="nim", method="lpp", programs=10_000) if row.result
    ]
    if times:
        verdict = YES if fmean(times) < 3 else NO
        claims.append(Claim(says, f"{fmean(times):.2f} s on one core, with 10,000 programs.", verdict))
    else:
        claims.append(Claim(says, "No trial of Nim with 10,000 programs in the store.", MISSING))
    return claims


_OTHER = (
    "How many programs are needed depends on the number of tokens of a game (every further one makes each program less "
    "probable) and on the levels shown; ours are not the paper's."
)


def _induction(rows: Sequence[Row]) -> list[Claim]:
    claims = []
    found = of(rows, game="nim", method="vpi")
    says = "VPI reaches about 45 % in Nim after 100 policies, and no winning policy is found."
    if not found or max(map(programs, found)) < 100:
        claims.append(Claim(says, "Too few VPI trials of Nim in the store.", MISSING))
    else:
        xs, ys = curve(found, programs)
        _, generated = curve(found, programs, "random")
        early = max(y for x, y in zip(xs, ys, strict=True) if x <= 100)
        measured = (
            f"After 100: {percent(early)} of the test levels; at best {percent(max(ys))} (of the generated "
            f"{percent(max(generated))}), at {int(xs[ys.index(max(ys))]):,}."
        )
        near = abs(early - 0.45) <= 0.2
        wins = max(ys) >= 1
        verdict = YES if near and not wins else NO if wins and not near else PARTLY
        claims.append(Claim(says, measured, verdict, _STRONGER if wins else ""))
    says = "VPI wins no level of any other game."
    bests = {
        g: max(curve(of(rows, game=g, method="vpi"), programs)[1]) for g in BELOW if of(rows, game=g, method="vpi")
    }
    bests.pop("nim", None)
    if len(bests) < 5:
        return [*claims, Claim(says, "Too few VPI trials in the store.", MISSING)]
    high = [title(game) for game, best in bests.items() if best > 0]
    measured = (
        "At best, with any number tried: " + ", ".join(f"{title(g)} {percent(b)}" for g, b in bests.items()) + "."
    )
    verdict = YES if not high else NO if len(high) == len(bests) else PARTLY
    return [*claims, Claim(says, measured, verdict, f"Not zero in {listed(high)}. {_STRONGER}" if high else "")]


_STRONGER = (
    "Our VPI is stronger than the paper's seems to be. It never enumerates a policy a second time with its parts in "
    "another order, it mixes the best 25, and ties go to the first cell in reading order: a short policy such as “an "
    "empty cell in the row below the sheep” then builds a fence from left to right without having said so."
)
