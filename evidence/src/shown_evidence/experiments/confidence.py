"""Calibration of the expected success rate: "about 7 of 12 new levels" should mean 7 of 12 over many cases."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

import numpy as np

from shown_evidence.analysis.statistics import GENERATED, found, measured, select, success
from shown_evidence.analysis.success_tables import Table
from shown_evidence.experiments.beyond import OURS
from shown_evidence.experiments.experiment import Experiment
from shown_evidence.experiments.scripted_styles import style_designs
from shown_evidence.results.row import Row
from shown_evidence.trials.methods import METHODS
from shown_evidence.wording import MISSING_CELL, many

BINS = 10
LEVELS = 100  # played by each policy
DRAWS = 1000

Case = tuple[float, float]
"""Expected and measured success."""


class Confidence(Experiment):
    """Expected beside measured success."""

    designs = style_designs(OURS)

    def exhibits(self, rows: Sequence[Row]) -> list[Table]:
        parts = {METHODS[method].label: cases(select(rows, method=method)) for method in OURS}
        parts = {label: part for label, part in parts.items() if part}
        head = ("Expected", *(f"{label}: {what}" for label in parts for what in ("cases", "expected", "won")))
        return [
            Table(
                head, [_line(place, list(parts.values())) for place in range(BINS)] if parts else [], self.captions[0]
            )
        ]

    def text(self, rows: Sequence[Row]) -> list[str]:
        lines = []
        for method in OURS:
            mine = [row for row in select(rows, method=method) if cases([row])]
            if mine:
                mean, most = chance_error(mine)
                lines.append(
                    f"{METHODS[method].label}: {many(len(mine), 'case')}, calibration error "
                    f"{calibration_error(cases(mine)):.3f}. Two binomial samples of the same probabilities would have "
                    f"{mean:.3f} in the mean, and at most {most:.3f} in 95 % of draws."
                )
        return lines or ["None of these results has an expected success rate."]


def cases(rows: Sequence[Row]) -> list[Case]:
    """Return expected and measured success of every result with an expectation."""
    pairs = [(measured(row)["learned"].get("expected"), success(row, GENERATED)) for row in rows if found(row)]
    return [(float(expected), won) for expected, won in pairs if expected is not None]


def binned(part: Sequence[Case]) -> list[list[Case]]:
    """Group cases by tenths of the expectation."""
    bins: list[list[Case]] = [[] for _ in range(BINS)]
    for case in part:
        bins[min(int(case[0] * BINS), BINS - 1)].append(case)
    return bins


def calibration_error(part: Sequence[Case]) -> float:
    """Return the expected calibration error: mean |expected − won| over bins, weighted by their cases.

    >>> round(calibration_error([(0.9, 1.0), (0.91, 0.8), (0.2, 0.4)]), 3)
    0.07
    """
    return sum(abs(_mean(cases, 0) - _mean(cases, 1)) * len(cases) for cases in binned(part) if cases) / len(part)


def chance_error(rows: Sequence[Row], draws: int = DRAWS) -> tuple[float, float]:
    """Return the calibration error if expected and measured success were samples of the same probability.

    Returns its mean and 95th percentile over draws. Each case has the probability that both of its samples together
    suggest, and as many levels as they had.
    """
    rng = np.random.default_rng(0)
    of = np.array([measured(row)["learned"].get("expected_of", LEVELS) for row in rows])
    expected, won = np.array(cases(rows)).T
    likely = (expected * of + won * LEVELS) / (of + LEVELS)
    errors = []
    for _ in range(draws):
        again = (rng.binomial(of, likely) + 1) / (of + 2)  # the posterior mean under a flat prior
        errors.append(calibration_error(list(zip(again, rng.binomial(LEVELS, likely) / LEVELS, strict=True))))
    return fmean(errors), float(np.quantile(errors, 0.95))


def _mean(part: Sequence[Case], which: int) -> float:
    return fmean(case[which] for case in part)


def _line(place: int, parts: Sequence[Sequence[Case]]) -> list[str]:
    cells = [f"{place / BINS:.1f} to {(place + 1) / BINS:.1f}"]
    for part in parts:
        own = binned(part)[place]
        cells += [str(len(own)), *(f"{_mean(own, which):.2f}" if own else MISSING_CELL for which in (0, 1))]
    return cells
