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
from shown.experiments.trials import Trial

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
    "lpp": (*(i * 10**k for k in range(4) for i in (1, 2, 3, 5, 7, 9)), 10_000),
    "vpi": (*(i * 10**k for k in range(5) for i in (1, 2, 5)), 100_000),
}
QUICK = (10, 30, 90, 300, 900, 3_000, 9_000)
SEEDS = {"lpp": 3, "vpi": 1}
"""LPP's trees break ties at random; plain induction leaves nothing to chance."""

ENSEMBLES = {"lpp": (25,), "vpi": (25, 1)}
"""Plain induction is also run with its single best policy, for what the mixing adds to it."""


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
                    for ensemble in ENSEMBLES[method]:
                        options = scale.options(method, programs=programs, ensemble=ensemble)
                        for seed in range(scale.repeats(SEEDS[method], 1)):
                            wanted.append(Trial(method, game, ALL_DEMONSTRATIONS, "perfect", seed, options, scale.test))
        return wanted

    def belongs(self, settings: Mapping[str, Any]) -> bool:
        return (
            settings["method"] in self.methods
            and settings["levels"] == ALL_DEMONSTRATIONS
            and settings["demonstrations"] == "perfect"
            and usual(settings, "programs", "ensemble")
            and settings["options"]["ensemble"] in ENSEMBLES[settings["method"]]
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


_LINES = (("lpp", 25, "LPP"), ("vpi", 25, "VPI"), ("vpi", 1, "VPI, single best policy"))


def _figure(rows: Sequence[Row], games: Sequence[str]) -> Figure:
    from shown.experiments import figures

    figure, axes = figures.panels(2, len(games))
    for r, (kind, levels) in enumerate((("test", "9 test levels"), ("random", "100 generated"))):
        for c, game in enumerate(games):
            panel = axes[r][c]
            for method, ensemble, label in _LINES:
                found = of(rows, game=game, method=method, ensemble=ensemble)
                if found:
                    style = figures.STYLES[method] | ({"alpha": 0.5, "marker": "+"} if ensemble == 1 else {})
                    panel.plot(*curve(found, programs, kind), label=label, **style)
            panel.set_xscale("log")
            panel.set_xticks([1, 100, 10_000], ["1", "100", "10⁴"])
            panel.minorticks_off()
            figures.success_axis(panel, f"success ({levels})" if c == 0 else None)
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
    first = [row for row in of(rows, game="fence-in", method="vpi", ensemble=1) if programs(row) == 1]
    times = [row.result["seconds"]["learn"] for row in of(rows, method="lpp", programs=10_000) if row.result]
    text = [f"Programs until LPP wins every test level with every seed: {', '.join(parts)}."] if parts else []
    if first and success(first[0], "random") > 0:
        text.append(
            f"In Fence In the very first policy of VPI, which rules out next to nothing, wins "
            f"{percent(success(first[0], 'random'))} of the generated levels: clicking cell after cell in reading "
            "order often shuts the sheep in within 60 steps."
        )
    if times:
        text.append(
            f"A learn with 10,000 programs and 11 demonstrations took "
            f"{min(times):.2f} to {max(times):.2f} s on one core."
        )
    return text


def _enough(rows: Sequence[Row]) -> list[Claim]:
    claims = []
    for game, bound in BELOW.items():
        says = f"{title(game)}: fewer than {bound:,} programs are enough for LPP to win."
        found = of(rows, game=game, method="lpp")
        if not found or max(map(programs, found)) < bound / 2:
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
    mixed, single = (of(rows, method="vpi", ensemble=k) for k in (25, 1))
    found, alone = of(mixed, game="nim"), of(single, game="nim")
    says = "VPI reaches about 45 % in Nim after 100 policies, and no winning policy is found."
    if not found or not alone or max(map(programs, found)) < 100:
        claims.append(Claim(says, "Too few VPI trials of Nim in the store.", MISSING))
    else:
        best, (xs, ys) = max(curve(alone, programs, "random")[1]), curve(found, programs, "random")
        measured = (
            f"The single best policy wins at most {percent(best)} of the generated levels; the mixture of 25 "
            f"{percent(max(ys))}, at {int(xs[ys.index(max(ys))]):,} policies and, at its worst beyond 100, "
            f"{percent(min(y for x, y in zip(xs, ys, strict=True) if x >= 90))}."
        )
        near, wins = abs(best - 0.45) <= 0.15, max(ys) >= 1
        verdict = YES if near and not wins else PARTLY if near else NO
        claims.append(Claim(says, measured, verdict, _TIES if wins else ""))
    says = "VPI wins no level of any other game."
    games = [game for game in BELOW if game != "nim" and of(mixed, game=game)]
    if len(games) < 5:
        return [*claims, Claim(says, "Too few VPI trials in the store.", MISSING)]
    bests = {
        game: [max(curve(of(part, game=game), programs)[1], default=0.0) for part in (mixed, single)] for game in games
    }
    high = [title(game) for game, (best, _) in bests.items() if best > 0]
    measured = "Of the test levels at best, with any number of policies, mixture / single: " + ", ".join(
        f"{title(game)} {percent(a)} / {percent(b)}" for game, (a, b) in bests.items()
    )
    verdict = YES if not high else NO if len(high) == len(bests) else PARTLY
    return [*claims, Claim(says, measured + ".", verdict, f"Not zero in {listed(high)}. {_TIES}" if high else "")]


_TIES = (
    "A short policy allows the right action among others. Which of them is taken is then decided by the lesser "
    "policies in the mixture and, among equals, by reading order; both happen to be good guides in some games (a fence "
    "is built from left to right). The paper does not say how it breaks ties."
)
