"""LPP with a part taken away (the paper's Figure 6)."""

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
    grouped,
    of,
    percent,
    size,
    success,
    title,
    usual,
)
from shown.experiments.store import Row
from shown.experiments.teaching import training_sets
from shown.experiments.trials import METHODS, Trial

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FEW = 5
SETS, SLOW_SETS, SEEDS = 10, 3, 3
PARTS = {
    "features-nn": "The programs alone are not enough: a network on the same programs (Features + NN) does worse.",
    "features-nn-l1": "Nor are they with a push towards few of them (Features + NN + L1).",
    "no-prior": "Without the prior (No Prior) LPP does worse.",
    "sparsity-prior": "With a prior on the number of programs only (Sparsity Prior) it does worse too.",
}


class Ablations(Experiment):
    """All 11 demonstrations as in the paper, and sets of 5 (three for the networks, else ten), to see more."""

    name = "ablations"
    title = "What each part adds"
    question = "Which parts of LPP are needed: the programs, the sparsity, the grammar's prior?"
    methods = ("lpp", "features-nn", "features-nn-l1", "no-prior", "sparsity-prior")

    def trials(self, scale: Scale) -> list[Trial]:
        wanted = []
        for method in scale.methods_of(self.methods):
            slow = method.startswith("features")
            options = scale.options(method)
            for game in scale.games_of(self.games):
                if TOTAL in scale.sizes((FEW, TOTAL), (FEW, TOTAL)):
                    for seed in range(scale.repeats(SEEDS, 1)):
                        wanted.append(Trial(method, game, ALL_DEMONSTRATIONS, "perfect", seed, options, scale.test))
                if FEW in scale.sizes((FEW, TOTAL), (TOTAL,) if slow else (FEW, TOTAL)):
                    for levels in training_sets(FEW, scale.repeats(SLOW_SETS if slow else SETS, 3)):
                        wanted.append(Trial(method, game, levels, options=options, test=scale.test))
                        if method == "lpp":
                            alone = {**options, "ensemble": 1}
                            wanted.append(Trial(method, game, levels, options=alone, test=scale.test))
        return wanted

    def belongs(self, settings: Mapping[str, Any]) -> bool:
        return (
            settings["method"] in self.methods
            and settings["demonstrations"] == "perfect"
            and settings["levels"] in (ALL_DEMONSTRATIONS, *training_sets(FEW, SETS))
            and usual(settings, "ensemble")
            and settings["options"].get("ensemble") in (None, 1, 25)
        )

    def read(self, rows: Sequence[Row]) -> Reading:
        whole = [row for row in rows if row.settings["options"].get("ensemble") != 1]
        games = [game for game in self.games if of(whole, game=game)]
        plot = Plot(
            lambda: _figure(whole, games),
            "Success of LPP and of LPP with a part taken away: from all 11 demonstrations (above) and from sets of 5 "
            "(below). Filled: the 9 test levels. Open: the 100 generated levels.",
        )
        return Reading([plot], _text(whole), [*_parts(whole), _mixture(rows)])


EXPERIMENT = Ablations()
TOTAL = 11


def _figure(rows: Sequence[Row], games: Sequence[str]) -> Figure:
    from shown.experiments import figures

    figure, axes = figures.panels(2, len(games), height=1.9)
    for r, count in enumerate((TOTAL, FEW)):
        for c, game in enumerate(games):
            panel = axes[r][c]
            for i, method in enumerate(Ablations.methods):
                found = [row for row in of(rows, game=game, method=method) if size(row) == count]
                color = figures.STYLES[method]["color"]
                for kind, shift, face in (("test", -0.2, color), ("random", 0.2, "white")):
                    if found:
                        height = fmean(success(row, kind) for row in found)
                        panel.bar(i + shift, height, 0.36, color=face, edgecolor=color, linewidth=1.2)
                        panel.plot([i + shift], [height], ".", color=color, markersize=3)
            figures.success_axis(panel, f"success ({count} demos)" if c == 0 else None)
            labels = ["LPP", "Features\n+ NN", "Features\n+ NN + L1", "No prior", "Sparsity\nprior"]
            panel.set_xticks(range(len(labels)), labels if r == 1 else [""] * len(labels), rotation=90, fontsize=7)
            panel.grid(False, axis="x")
            if r == 0:
                panel.set_title(title(game))
    return figure


def _text(rows: Sequence[Row]) -> list[str]:
    text = []
    for count in (TOTAL, FEW):
        parts = []
        for method in Ablations.methods:
            found = [row for row in of(rows, method=method) if size(row) == count]
            games = len({row.settings["game"] for row in found})
            if found:
                test, generated = (_over_games(found, kind) for kind in ("test", "random"))
                only = "" if games == len(Ablations.games) else f" ({games} games only)"
                parts.append(f"{METHODS[method].label} {percent(test)} / {percent(generated)}{only}")
        if parts:
            text.append(f"From {count} demonstrations, test / generated levels, mean of the games: {', '.join(parts)}.")
    return text


def _parts(rows: Sequence[Row]) -> list[Claim]:
    claims = []
    for method, says in PARTS.items():
        words, gaps = [], []
        for count in (TOTAL, FEW):
            ours = [row for row in of(rows, method="lpp") if size(row) == count]
            other = [row for row in of(rows, method=method) if size(row) == count]
            # Only like with like: the same games from the same demonstrations.
            both = set(map(_shown, ours)) & set(map(_shown, other))
            if both:
                parts = [[row for row in part if _shown(row) in both] for part in (ours, other)]
                (a, b), (c, d) = ([_over_games(part, kind) for part in parts] for kind in ("test", "random"))
                gaps += [a - b, c - d]
                words.append(
                    f"{count} demonstrations: LPP {percent(a)} / {percent(c)}, without {percent(b)} / {percent(d)}"
                )
        if not gaps:
            claims.append(Claim(says, "No trials of both in the store.", MISSING))
            continue
        verdict = YES if min(gaps) >= 0 and max(gaps) > 0.01 else NO if max(gaps) <= 0.01 else PARTLY
        why = "" if verdict == YES else _WHY.get(method, "")
        claims.append(Claim(says, f"Test / generated levels. {'; '.join(words)}.", verdict, why))
    return claims


def _shown(row: Row) -> tuple[str, str]:
    return row.settings["game"], row.settings["levels"]


def _over_games(rows: Sequence[Row], kind: str) -> float:
    """The mean over games of the mean success in each."""
    games = grouped(rows, lambda row: row.settings["game"])
    return fmean(fmean(success(row, kind) for row in part) for part in games.values())


_WHY = {
    "features-nn": (
        "With 11 demonstrations and every state's other actions as negative examples, a network on 10,000 programs "
        "sees nearly all that matters; the programs carry more of the work than the paper found."
    ),
    "features-nn-l1": "As for Features + NN. The paper does not say how strong its L1 term was.",
    "no-prior": (
        "Every tree fits exactly, so all have the same likelihood; what is left to choose by is the order of "
        "enumeration, which is itself the grammar's prior: the first 25 found use the most probable programs."
    ),
    "sparsity-prior": "Counting programs and weighing them mostly prefer the same small trees.",
}


def _mixture(rows: Sequence[Row]) -> Claim:
    says = "Mixing the posterior is modestly better than the single most probable policy."
    both = [row for row in of(rows, method="lpp") if size(row) == FEW]
    one, mixed = of(both, ensemble=1), of(both, ensemble=25)
    if not one or not mixed:
        return Claim(says, "No trials of both in the store.", MISSING)
    a, b, c, d = (fmean(success(row, kind) for row in part) for kind in ("test", "random") for part in (mixed, one))
    measured = (
        f"From 5 demonstrations, test / generated levels: mixed {percent(a)} / {percent(c)}, "
        f"single {percent(b)} / {percent(d)}."
    )
    return Claim(says, measured, YES if a >= b and c >= d and a + c > b + d else PARTLY if a + c >= b + d else NO)
