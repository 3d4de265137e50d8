"""LPP without one of its parts (the paper's Figure 6)."""

from __future__ import annotations

from collections.abc import Sequence

from shown.worlds import GAMES
from shown_evidence.analysis import statistics as stats
from shown_evidence.analysis.exhibits import Series, demonstrated, methods
from shown_evidence.analysis.statements import NO, PARTLY, YES, Finding, graded
from shown_evidence.analysis.statistics import GENERATED, TEST, games_among, matched, mean_over_games, of_size, select
from shown_evidence.experiments.experiment import Design, Experiment
from shown_evidence.trials.demonstrators import TRAINING_LEVELS
from shown_evidence.trials.row import Row
from shown_evidence.wording import listed, percent, title

FEW, TOTAL = 5, TRAINING_LEVELS
PRIORS, NETWORKS = ("no-prior", "no-prior-any", "sparsity-prior"), ("features-nn", "features-nn-l1")


class Ablations(Experiment):
    """Success of LPP without one of its parts."""

    designs = (
        Design(("lpp", *PRIORS, *NETWORKS), (TOTAL,), 3, seeded=True),
        Design(("lpp", *PRIORS), (FEW,), 10),
        Design(("lpp",), (FEW,), 10, options=({"ensemble": 1},)),
        Design(NETWORKS, (FEW,), 3),
    )
    series = (Series("LPP", {"method": "lpp", "ensemble": 25}), *methods((*NETWORKS, *PRIORS)))
    columns = tuple(demonstrated(count, kind) for count in (TOTAL, FEW) for kind in (TEST, GENERATED))

    def findings(self, rows: Sequence[Row]) -> dict[str, Finding | None]:
        mixtures = [row for row in rows if row.settings["options"].get("ensemble") != 1]
        found = {method: _without(method, mixtures) for method in (*NETWORKS, "no-prior", "sparsity-prior")}
        found["no-prior"] = _weaker(found["no-prior"], _without("no-prior-any", mixtures))
        return {**found, "mixture": _mixing(of_size(select(rows, method="lpp"), FEW))}


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


def _both(rows: Sequence[Row]) -> str:
    return f"{percent(mean_over_games(rows, TEST))} / {percent(mean_over_games(rows, GENERATED))}"


def _not_ahead(ours: Sequence[Row], theirs: Sequence[Row]) -> str:
    """Name the games in which LPP is not ahead on generated levels."""
    level = []
    for game in games_among(ours, tuple(GAMES)):
        own, other = (stats.mean_success(select(part, game=game), GENERATED) for part in (ours, theirs))
        level += [title(game)] * (own <= other + stats.CLOSE)
    return f" (LPP is not ahead on the generated levels of {listed(level)})" if level else ""


def _weaker(first: Finding | None, random: Finding | None) -> Finding | None:
    """Combine No Prior with the first 25 found and with a random 25 of those that fit: the weaker finding counts."""
    if first is None or random is None:
        return first
    verdict = PARTLY if first.verdict == YES and random.verdict != YES else first.verdict
    return Finding(f"{first.measured} With any that fit instead of the first: {random.measured}", verdict)


def _mixing(rows: Sequence[Row]) -> Finding | None:
    """Compare the mixture with the single best policy."""
    mixed, single = (select(rows, ensemble=number) for number in (25, 1))
    if not mixed or not single:
        return None
    mix, one = ([stats.mean_success(part, kind) for kind in (TEST, GENERATED)] for part in (mixed, single))
    gains = [with_it - without for with_it, without in zip(mix, one, strict=True)]
    return Finding(
        f"From 5 demonstrations, test / generated levels: mixed {' / '.join(map(percent, mix))}, "
        f"single {' / '.join(map(percent, one))}.",
        graded(min(gains) >= 0 and sum(gains) > 0, sum(gains) >= 0),
    )
