"""LPP without one of its parts (the paper's Figure 6)."""

from __future__ import annotations

from collections.abc import Sequence

from shown_evidence.analysis import figures
from shown_evidence.analysis import statistics as stats
from shown_evidence.analysis.claims import NO, PARTLY, YES, Finding, graded
from shown_evidence.analysis.figures import HUNDRED, NINE, Axis
from shown_evidence.analysis.statistics import GENERATED, TEST, games_among, matched, mean_over_games, of_size, select
from shown_evidence.analysis.success_tables import MEANS, Table, demonstrated, success_table
from shown_evidence.experiments.experiment import ALL_DEMONSTRATIONS, Experiment, Plot, Scale
from shown_evidence.results.row import Row
from shown_evidence.trials.demonstrators import TRAINING_LEVELS, training_sets
from shown_evidence.trials.trial import Trial
from shown_evidence.wording import listed, percent, title

FEW, TOTAL = 5, TRAINING_LEVELS
SETS, SLOW_SETS, SEEDS = 10, 3, 3


class Ablations(Experiment):
    """All 11 demonstrations as in the paper, and sets of 5 (three for the networks, else ten)."""

    name = "ablations"
    title = "The contribution of each part"
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
                            single = {**options, "ensemble": 1}
                            wanted.append(Trial(method, game, levels, options=single, test=scale.test))
        return wanted

    def plots(self, rows: Sequence[Row]) -> list[Plot | Table]:
        rows = _mixtures(rows)
        columns = figures.games(games_among(rows, self.games))
        series = figures.methods(self.methods)
        across = Axis("demonstrations", (FEW, TOTAL), limits=(FEW - 1.5, TOTAL + 1.5))
        plots: list[Plot | Table] = [
            Plot(
                figures.success_panels(rows, stats.size, columns, figures.with_sets(series, rows), (view,), across),
                f"Success of LPP with and without each part on {view.label}, from sets of {FEW} and from all {TOTAL} "
                f"demonstrations. {figures.SHADED}",
                name,
            )
            for view, name in ((NINE, "nine"), (HUNDRED, "generated"))
        ]
        parts = [demonstrated(count, kind) for count in (TOTAL, FEW) for kind in (TEST, GENERATED)]
        return [*plots, success_table(rows, self.games, series, parts, f"The same as numbers. {MEANS}")]

    def findings(self, rows: Sequence[Row]) -> dict[str, Finding | None]:
        mixtures = _mixtures(rows)
        found = {method: _without(method, mixtures) for method in self.methods[1:] if method != "no-prior-any"}
        found["no-prior"] = _weaker(found["no-prior"], _without("no-prior-any", mixtures))
        return {**found, "mixture": _mixing(rows)}


def _mixtures(rows: Sequence[Row]) -> list[Row]:
    """Return all results except LPP's single best policies."""
    return [row for row in rows if row.settings["options"].get("ensemble") != 1]


def _both(rows: Sequence[Row]) -> str:
    return f"{percent(mean_over_games(rows, TEST))} / {percent(mean_over_games(rows, GENERATED))}"


def _without(method: str, rows: Sequence[Row]) -> Finding | None:
    """Compare LPP with LPP without a part, from many demonstrations and from few."""
    words, gaps = [], []
    for count in (TOTAL, FEW):
        ours, theirs = matched(*(of_size(select(rows, method=name), count) for name in ("lpp", method)))
        if ours:
            gaps += [mean_over_games(ours, kind) - mean_over_games(theirs, kind) for kind in (TEST, GENERATED)]
            words.append(f"from {count} LPP wins {_both(ours)}, without {_both(theirs)}{_not_ahead(ours, theirs)}")
    if not gaps:
        return None
    worse, none = min(gaps) >= 0 and max(gaps) > 0.01, max(gaps) <= 0.01
    return Finding(f"Of the test / generated levels, {'; '.join(words)}.", YES if worse else NO if none else PARTLY)


def _not_ahead(ours: Sequence[Row], theirs: Sequence[Row]) -> str:
    """Name the games in which LPP is not ahead on generated levels."""
    games = games_among(ours, Ablations.games)
    means = {
        game: [stats.mean_success(select(part, game=game), GENERATED) for part in (ours, theirs)] for game in games
    }
    level = [title(game) for game, (own, other) in means.items() if own <= other + stats.CLOSE]
    return f" (LPP is not ahead on the generated levels of {listed(level)})" if level else ""


def _weaker(first: Finding | None, random: Finding | None) -> Finding | None:
    """Combine No Prior with the first 25 found and with a random 25 of those that fit: the weaker finding counts."""
    if first is None or random is None:
        return first
    verdict = PARTLY if first.verdict == YES and random.verdict != YES else first.verdict
    return Finding(f"{first.measured} With any that fit instead of the first: {random.measured}", verdict)


def _mixing(rows: Sequence[Row]) -> Finding | None:
    few = of_size(select(rows, method="lpp"), FEW)
    mixed, single = (select(few, ensemble=number) for number in (25, 1))
    if not mixed or not single:
        return None
    mix, one = ([stats.mean_success(part, kind) for kind in (TEST, GENERATED)] for part in (mixed, single))
    gains = [with_it - without for with_it, without in zip(mix, one, strict=True)]
    return Finding(
        f"From 5 demonstrations, test / generated levels: mixed {' / '.join(map(percent, mix))}, "
        f"single {' / '.join(map(percent, one))}.",
        graded(min(gains) >= 0 and sum(gains) > 0, sum(gains) >= 0),
    )
