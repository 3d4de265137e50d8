"""Calibration of the expected success rate: "about 7 of 12 new levels" should mean 7 of 12 over many cases."""

from __future__ import annotations

from collections.abc import Sequence

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


class Confidence(Experiment):
    """Expected beside measured success."""

    designs = style_designs(OURS)

    def exhibits(self, rows: Sequence[Row]) -> list[Table]:
        parts = {METHODS[method].label: binned(cases(mine)) for method, mine in _expecting(rows).items()}
        head = ("Expected", *(f"{label}: {what}" for label in parts for what in ("cases", "expected", "won")))
        lines = [
            [
                f"{place / BINS:.1f} to {(place + 1) / BINS:.1f}",
                *(cell for bins in parts.values() for cell in _cells(bins[place])),
            ]
            for place in range(BINS)
        ]
        return [Table(head, lines, self.captions[0])]

    def text(self, rows: Sequence[Row]) -> list[str]:
        lines = []
        for method, mine in _expecting(rows).items():
            mean, most = chance_error(mine)
            lines.append(
                f"{METHODS[method].label}: {many(len(mine), 'case')}, calibration error "
                f"{calibration_error(cases(mine)):.3f}. Two binomial samples of the same probabilities would have "
                f"{mean:.3f} in the mean, and at most {most:.3f} in 95 % of draws."
            )
        return lines or ["None of these results has an expected success rate."]


def _expecting(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Return the results of each method that have an expectation."""
    mine = [row for row in rows if found(row) and measured(row)["learned"].get("expected") is not None]
    return {method: part for method in OURS if (part := select(mine, method=method))}


def _cells(part: np.ndarray) -> list[str]:
    return [str(len(part)), *(f"{mean:.2f}" for mean in part.mean(axis=0))] if len(part) else ["0", *[MISSING_CELL] * 2]


def cases(rows: Sequence[Row]) -> np.ndarray:
    """Return expected and measured success of results with an expectation. [N, 2]"""
    return np.array([(float(measured(row)["learned"]["expected"]), success(row, GENERATED)) for row in rows])


def binned(part: np.ndarray) -> list[np.ndarray]:
    """Group cases by tenths of the expectation."""
    place = np.minimum((part[:, 0] * BINS).astype(int), BINS - 1)
    return [part[place == number] for number in range(BINS)]


def calibration_error(part: np.ndarray) -> float:
    """Return the expected calibration error: mean |expected − won| over bins, weighted by their cases.

    >>> round(calibration_error(np.array([(0.9, 1.0), (0.91, 0.8), (0.2, 0.4)])), 3)
    0.07
    """
    return float(sum(abs(np.subtract(*each.sum(axis=0))) for each in binned(part) if len(each)) / len(part))


def chance_error(rows: Sequence[Row], draws: int = DRAWS) -> tuple[float, float]:
    """Return the calibration error if expected and measured success were samples of the same probability.

    Returns its mean and 95th percentile over draws. Each case has the probability that both of its samples together
    suggest, and as many levels as they had.
    """
    rng = np.random.default_rng(0)
    of = np.array([measured(row)["learned"].get("expected_of", LEVELS) for row in rows])
    expected, won = cases(rows).T
    likely = (expected * of + won * LEVELS) / (of + LEVELS)
    errors = []
    for _ in range(draws):
        again = (rng.binomial(of, likely) + 1) / (of + 2)  # the posterior mean under a flat prior
        errors.append(calibration_error(np.column_stack([again, rng.binomial(LEVELS, likely) / LEVELS])))
    return float(np.mean(errors)), float(np.quantile(errors, 0.95))
