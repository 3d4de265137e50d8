"""Noisy demonstrations of Nim, and the noise ε that the learner expects (the paper's appendix)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

import numpy as np

from shown_evidence.analysis.exhibits import BOTH, LEVELS, Axis, Series, TableColumn
from shown_evidence.analysis.statements import Finding, graded, holding
from shown_evidence.analysis.statistics import GENERATED, TEST, grouped, mean_success, select, size
from shown_evidence.experiments.experiment import Design, Experiment
from shown_evidence.trials.demonstrators import TRAINING_LEVELS
from shown_evidence.trials.row import Row
from shown_evidence.wording import percent

KINDS = ("perfect", "independent", "correlated")
"""Kinds of demonstrations."""

EPSILONS = (0.0, 1e-4, 1e-3, 1e-2, 1e-1, 1.0)

SIZES, DRAWS = range(2, 17), 5
ENOUGH = 8
"""Demonstrations from which on the means of text and table are taken."""

UNIT = f"Generated levels, from {ENOUGH} demonstrations or more"

MORE_LEVELS = range(900_000, 900_005)
"""Generated levels that follow the 11 training levels, which are too few for 16 demonstrations."""

Means = Mapping[str, Mapping[float, float]]
"""Mean success on generated levels by kind of demonstrations and ε."""


def first_levels(draw: int, count: int) -> str:
    """Return the first `count` levels in a random order; a smaller set is a prefix of the larger one.

    >>> first_levels(0, 3)
    'train:0,train:1,train:2'
    """
    pool = [f"train:{i}" for i in range(TRAINING_LEVELS)] + [f"random:{seed}" for seed in MORE_LEVELS]
    order = np.random.default_rng([1904, draw]).permutation(len(pool)) if draw else np.arange(len(pool))
    return ",".join(pool[i] for i in order[:count])


def _nim(method: str, epsilons: Sequence[float]) -> Design:
    options = [{"noise": epsilon} for epsilon in epsilons]
    return Design((method,), SIZES, DRAWS, first_levels, seeded=True, games=("nim",), kinds=KINDS, options=options)


def _column(kind: str, levels: str) -> TableColumn:
    def keeps(row: Row) -> bool:
        return size(row) >= ENOUGH and row.settings["demonstrations"] == kind

    return TableColumn(f"{kind}, {LEVELS[levels]}", keeps, levels)


class Noise(Experiment):
    """Success in Nim with noisy demonstrations."""

    designs = (_nim("lpp", EPSILONS), _nim("lpp-duplicates", EPSILONS[-1:]))
    series = (
        *(Series(f"ε = {epsilon:g}", {"method": "lpp", "noise": epsilon}) for epsilon in EPSILONS),
        Series("ε = 1, duplicates kept", {"method": "lpp-duplicates"}),
    )
    views = BOTH
    across = Axis("demonstrations", range(2, 17, 4))
    columns = tuple(_column(kind, levels) for levels in (TEST, GENERATED) for kind in KINDS)

    def panels(self, rows: Sequence[Row]) -> list[Series]:
        return [
            Series("no noise" if kind == "perfect" else f"{kind} noise", {"demonstrations": kind}) for kind in KINDS
        ]

    def findings(self, rows: Sequence[Row]) -> dict[str, Finding]:
        means, kept = (_means(select(rows, method=method)) for method in ("lpp", "lpp-duplicates"))
        if sum(map(len, means.values())) < len(KINDS) * len(EPSILONS):
            return {}
        zero = Finding(f"{UNIT}: {_at(means, 0.0)}.", holding(_drops(means, 0.0, KINDS[1:])))
        return {"high": _too_high(means, kept), "zero": zero, "small": _small(means)}


def _means(rows: Sequence[Row]) -> Means:
    means: dict[str, dict[float, float]] = {kind: {} for kind in KINDS}
    large = [row for row in rows if size(row) >= ENOUGH]
    for (kind, epsilon), part in grouped(large, lambda row: (row.settings["demonstrations"], _epsilon(row))).items():
        means[kind][epsilon] = mean_success(part, GENERATED)
    return means


def _epsilon(row: Row) -> float:
    return float(row.settings["options"]["noise"])


def _drops(means: Means, epsilon: float, kinds: Sequence[str]) -> list[bool]:
    """Return whether an ε loses more than half of the best success with each kind of demonstrations."""
    return [means[kind][epsilon] < 0.5 * max(means[kind].values()) for kind in kinds]


def _at(means: Means, epsilon: float) -> str:
    known = [kind for kind in KINDS if epsilon in means[kind]]
    return f"ε = {epsilon:g}: " + ", ".join(f"{kind} {percent(means[kind][epsilon])}" for kind in known)


def _too_high(means: Means, kept: Means) -> Finding:
    """Judge a high ε, also with the duplicates of the published code."""
    best = ", ".join(f"{kind} {percent(max(means[kind].values()))}" for kind in KINDS)
    words = f"{UNIT}: {_at(means, 1.0)}; {_at(means, 0.1)}; the best ε: {best}."
    if any(kept.values()):
        words += f" With duplicates kept, {_at(kept, 1.0)}."
    return Finding(words, holding(_drops(means, 1.0, KINDS)))


def _small(means: Means) -> Finding:
    """Find the ε with most of the best success over all kinds of demonstrations."""
    share = {e: fmean(mine[e] / max(*mine.values(), 1e-9) for mine in means.values()) for e in EPSILONS}
    top = max(share, key=lambda epsilon: share[epsilon])
    small = [epsilon for epsilon in EPSILONS if 0 < epsilon <= 0.01]
    words = "; ".join(_at(means, epsilon) for epsilon in small)
    verdict = graded(top in small, any(share[epsilon] >= 0.9 for epsilon in small))
    return Finding(f"{UNIT}: {words}. Best over all kinds: ε = {top:g}.", verdict)
