"""LPP with a part taken away (the paper's Figure 6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from shown.experiments import figures
from shown.experiments.claims import NO, PARTLY, YES, Finding, graded
from shown.experiments.experiment import ALL_DEMONSTRATIONS, Experiment, Plot, Scale, Table
from shown.experiments.rows import Row
from shown.experiments.statistics import (
    FLOORS,
    GENERATED,
    TEST,
    games_among,
    has_standard_options,
    mean_over_games,
    mean_success,
    of_size,
    select,
)
from shown.experiments.tables import MEANS, demonstrated, success_table
from shown.experiments.teaching import TRAINING_LEVELS, training_sets
from shown.experiments.trials import METHODS, Trial
from shown.experiments.words import percent, where_only

FEW, TOTAL = 5, TRAINING_LEVELS
SETS, SLOW_SETS, SEEDS = 10, 3, 3


class Ablations(Experiment):
    """All 11 demonstrations as in the paper, and sets of 5 (three for the networks, else ten), to see more."""

    name = "ablations"
    title = "What each part adds"
    question = "Which parts of LPP are needed: the programs, the sparsity, the grammar's prior?"
    methods = ("lpp", "features-nn", "features-nn-l1", "no-prior", "no-prior-any", "sparsity-prior")

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

    def includes(self, settings: Mapping[str, Any]) -> bool:
        return (
            settings["demonstrations"] == "perfect"
            and settings["levels"] in (ALL_DEMONSTRATIONS, *training_sets(FEW, SETS))
            and has_standard_options(settings, "ensemble")
            and settings["options"].get("ensemble") in (None, 1, 25)
        )

    def plots(self, rows: Sequence[Row]) -> list[Plot | Table]:
        rows = _mixtures(rows)
        columns = figures.games(games_among(rows, self.games))
        learnt_nothing = [row for row in rows if row.settings["method"] in FLOORS]
        return [
            Plot(
                figures.success_bars(
                    [*of_size(rows, count), *learnt_nothing], columns, self.methods, f"success, {count} demonstrations"
                ),
                f"Success of LPP and of LPP with a part taken away, from {what}. Filled: the 9 test levels. Open: the "
                "100 generated levels. Thin bars: the mean's 95 % interval. The lines of the floors are of the 9.",
                f"from-{count}",
            )
            for count, what in ((TOTAL, "all 11 demonstrations"), (FEW, "sets of 5"))
        ] + [
            success_table(
                rows,
                self.games,
                figures.methods(self.methods),
                [demonstrated(count, kind) for count in (TOTAL, FEW) for kind in (TEST, GENERATED)],
                f"The same as numbers. {MEANS}",
            )
        ]

    def text(self, rows: Sequence[Row]) -> list[str]:
        rows = _mixtures(rows)
        return [line for count in (TOTAL, FEW) if (line := _means(of_size(rows, count), count))]

    def findings(self, rows: Sequence[Row]) -> dict[str, Finding]:
        mixtures = _mixtures(rows)
        found = {method: _without(method, mixtures) for method in self.methods[1:] if method != "no-prior-any"}
        found["no-prior"] = _whichever_fits(found["no-prior"], mixtures)
        found["mixture"] = _mixing(rows)
        return {name: finding for name, finding in found.items() if finding is not None}


EXPERIMENT = Ablations()


def _mixtures(rows: Sequence[Row]) -> list[Row]:
    """All but LPP's single best policies."""
    return [row for row in rows if row.settings["options"].get("ensemble") != 1]


def _means(rows: Sequence[Row], count: int) -> str:
    """One line on how each method does from so many demonstrations."""
    parts = []
    for method in Ablations.methods:
        found = select(rows, method=method)
        if found:
            parts.append(f"{METHODS[method].label} {_both(found)}{where_only(found, Ablations.games)}")
    if not parts:
        return ""
    return f"From {count} demonstrations, test / generated levels, mean of the games: {', '.join(parts)}."


def _both(rows: Sequence[Row]) -> str:
    return f"{percent(mean_over_games(rows, TEST))} / {percent(mean_over_games(rows, GENERATED))}"


def _without(method: str, rows: Sequence[Row]) -> Finding | None:
    """LPP against LPP without a part, from many demonstrations and from few."""
    words, gaps = [], []
    for count in (TOTAL, FEW):
        ours, theirs = _alike(*(of_size(select(rows, method=name), count) for name in ("lpp", method)))
        if ours:
            gaps += [mean_over_games(ours, kind) - mean_over_games(theirs, kind) for kind in (TEST, GENERATED)]
            words.append(f"{count} demonstrations: LPP {_both(ours)}, without {_both(theirs)}")
    if not gaps:
        return None
    worse, none = min(gaps) >= 0 and max(gaps) > 0.01, max(gaps) <= 0.01
    return Finding(f"Test / generated levels. {'; '.join(words)}.", YES if worse else NO if none else PARTLY)


def _whichever_fits(finding: Finding | None, rows: Sequence[Row]) -> Finding | None:
    """No Prior, and what is left of it where the order of enumeration does not choose either."""
    few = of_size(select(rows, method="no-prior-any"), FEW)
    if finding is None or not few:
        return finding
    return replace(finding, measured=f"{finding.measured} Any that fit instead of the first: {_both(few)} from {FEW}.")


def _alike(*parts: Sequence[Row]) -> list[list[Row]]:
    """Only like with like: of each part, what learned the same games from the same demonstrations as the others."""
    common = set.intersection(*({_task(row) for row in part} for part in parts))
    return [[row for row in part if _task(row) in common] for part in parts]


def _task(row: Row) -> tuple[str, str]:
    return row.settings["game"], row.settings["levels"]


def _mixing(rows: Sequence[Row]) -> Finding | None:
    few = of_size(select(rows, method="lpp"), FEW)
    mixed, single = (select(few, ensemble=number) for number in (25, 1))
    if not mixed or not single:
        return None
    mix, one = ([mean_success(part, kind) for kind in (TEST, GENERATED)] for part in (mixed, single))
    gains = [with_it - without for with_it, without in zip(mix, one, strict=True)]
    return Finding(
        f"From 5 demonstrations, test / generated levels: mixed {' / '.join(map(percent, mix))}, "
        f"single {' / '.join(map(percent, one))}.",
        graded(min(gains) >= 0 and sum(gains) > 0, sum(gains) >= 0),
    )
