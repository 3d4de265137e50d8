"""LPP with a part taken away (the paper's Figure 6)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from shown.experiments import figures
from shown.experiments.claims import NO, PARTLY, YES, Finding, graded
from shown.experiments.experiment import ALL_DEMONSTRATIONS, Experiment, Plot, Scale, Table
from shown.experiments.rows import Row
from shown.experiments.statistics import (
    CLOSE,
    FLOORS,
    GENERATED,
    TEST,
    alike,
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
from shown.experiments.words import listed, percent, title, where_only

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
                    [*part, *learnt_nothing],
                    columns,
                    figures.with_sets(figures.methods(self.methods), part),
                    f"success, {count} demonstrations",
                ),
                f"Success of LPP and of LPP with a part taken away, from {what}. Filled: the 9 test levels. Open: the "
                "100 generated levels. Thin bars: the mean's 95 % interval. The lines of the floors are of the 9.",
                f"from-{count}",
            )
            for count, what in ((TOTAL, "all 11 demonstrations"), (FEW, "sets of 5"))
            for part in (of_size(rows, count),)
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
        parts = {count: each_method(of_size(rows, count), _both) for count in (TOTAL, FEW)}
        begins = "demonstrations, test / generated levels, mean of the games:"
        return [f"From {count} {begins} {', '.join(told)}." for count, told in parts.items() if told]

    def findings(self, rows: Sequence[Row]) -> dict[str, Finding]:
        mixtures = _mixtures(rows)
        found = {method: _without(method, mixtures) for method in self.methods[1:] if method != "no-prior-any"}
        found["no-prior"] = _whichever_fits(found["no-prior"], _without("no-prior-any", mixtures))
        found["mixture"] = _mixing(rows)
        return {name: finding for name, finding in found.items() if finding is not None}


EXPERIMENT = Ablations()


def _mixtures(rows: Sequence[Row]) -> list[Row]:
    """All but LPP's single best policies."""
    return [row for row in rows if row.settings["options"].get("ensemble") != 1]


def each_method(rows: Sequence[Row], told: Callable[[Sequence[Row]], str]) -> list[str]:
    """How each method does, as `told`; one that learned from fewer sets than LPP has LPP's from the same beside it."""
    mixtures = _mixtures(rows)
    lpp = select(mixtures, method="lpp")
    parts = []
    for method in Ablations.methods:
        if found := select(mixtures, method=method):
            ours, _ = alike(lpp, found)
            beside = f" (LPP from the same sets {told(ours)})" if ours and len(ours) < len(lpp) else ""
            parts.append(f"{METHODS[method].label} {told(found)}{beside}{where_only(found, Ablations.games)}")
    return parts


def _both(rows: Sequence[Row]) -> str:
    return f"{percent(mean_over_games(rows, TEST))} / {percent(mean_over_games(rows, GENERATED))}"


def _without(method: str, rows: Sequence[Row]) -> Finding | None:
    """LPP against LPP without a part, from many demonstrations and from few."""
    words, gaps = [], []
    for count in (TOTAL, FEW):
        ours, theirs = alike(*(of_size(select(rows, method=name), count) for name in ("lpp", method)))
        if ours:
            gaps += [mean_over_games(ours, kind) - mean_over_games(theirs, kind) for kind in (TEST, GENERATED)]
            words.append(f"from {count} LPP wins {_both(ours)}, without {_both(theirs)}{_not_ahead(ours, theirs)}")
    if not gaps:
        return None
    worse, none = min(gaps) >= 0 and max(gaps) > 0.01, max(gaps) <= 0.01
    return Finding(f"Of the test / generated levels, {'; '.join(words)}.", YES if worse else NO if none else PARTLY)


def _not_ahead(ours: Sequence[Row], theirs: Sequence[Row]) -> str:
    """The games in which LPP wins no more of the generated levels than without a part."""
    games = games_among(ours, Ablations.games)
    means = {game: [mean_success(select(part, game=game), GENERATED) for part in (ours, theirs)] for game in games}
    level = [title(game) for game, (own, other) in means.items() if own <= other + CLOSE]
    return f" (LPP is not ahead on the generated levels of {listed(level)})" if level else ""


def _whichever_fits(first: Finding | None, whichever: Finding | None) -> Finding | None:
    """No Prior, where the 25 found first are kept, and where any 25 of those that fit: the weaker finding counts."""
    if first is None or whichever is None:
        return first
    verdict = PARTLY if first.verdict == YES and whichever.verdict != YES else first.verdict
    return Finding(f"{first.measured} With any that fit instead of the first: {whichever.measured}", verdict)


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
