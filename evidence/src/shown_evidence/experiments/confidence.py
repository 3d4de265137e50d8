"""Calibration of the expected success rate: "about 7 of 12 new levels" should mean 7 of 12 over many cases."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

import numpy as np

from shown_evidence.analysis.figures import STYLES, Axis, Line, Panel, Panels
from shown_evidence.analysis.statistics import GENERATED, found, measured, select, success
from shown_evidence.analysis.success_tables import Table
from shown_evidence.experiments.beyond import OURS, PLAYED
from shown_evidence.experiments.experiment import Experiment, Plot, Scale
from shown_evidence.experiments.scripted_styles import style_trials
from shown_evidence.results.row import Row
from shown_evidence.trials.methods import METHODS
from shown_evidence.trials.trial import Trial
from shown_evidence.wording import MISSING_CELL, many

BINS = 10
LEVELS = 100  # played by each policy
DRAWS = 1000

Case = tuple[float, float]
"""Expected and measured success."""


class Confidence(Experiment):
    """Every style of every game, 1, 2, 3 and 5 demonstrations, with and without practice: expected and won."""

    name = "confidence"
    title = "Beyond the paper: confidence"
    question = "Are as many new levels won as expected?"
    methods = OURS
    scored_on = (PLAYED,)

    def trials(self, scale: Scale) -> list[Trial]:
        return style_trials(scale, self.methods, (1, 3))

    def plots(self, rows: Sequence[Row]) -> list[Plot | Table]:
        parts = _by_method(rows)
        panels = [_panel(label, part) for label, part in parts.items()]
        return [
            Plot(
                Panels(panels, ["won"], Axis("expected", (0, 0.5, 1), limits=(-0.04, 1.04))),
                "Reliability: success on new levels against expected success, mean over cases with a similar "
                "expectation; on the diagonal, the expectation is met.",
            ),
            Table(
                ("Expected", *(f"{label}: {what}" for label in parts for what in ("cases", "expected", "won"))),
                [_line(place, list(parts.values())) for place in range(BINS)],
                "The same as numbers.",
            ),
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


def _by_method(rows: Sequence[Row]) -> dict[str, list[Case]]:
    parts = {METHODS[method].label: cases(select(rows, method=method)) for method in OURS}
    return {label: part for label, part in parts.items() if part}


def cases(rows: Sequence[Row]) -> list[Case]:
    """Return expected and measured success of every result with an expectation."""
    pairs = [(measured(row)["learned"].get("expected"), success(row, GENERATED)) for row in rows if found(row)]
    return [(float(expected), won) for expected, won in pairs if expected is not None]


def binned(part: Sequence[Case]) -> dict[int, list[Case]]:
    """Group cases by tenths of the expectation."""
    bins: dict[int, list[Case]] = {}
    for case in part:
        bins.setdefault(min(int(case[0] * BINS), BINS - 1), []).append(case)
    return bins


def calibration_error(part: Sequence[Case]) -> float:
    """Return the expected calibration error: mean |expected − won| over bins, weighted by their cases.

    >>> round(calibration_error([(0.9, 1.0), (0.91, 0.8), (0.2, 0.4)]), 3)
    0.07
    """
    return sum(abs(_mean(cases, 0) - _mean(cases, 1)) * len(cases) for cases in binned(part).values()) / len(part)


def chance_error(rows: Sequence[Row], draws: int = DRAWS) -> tuple[float, float]:
    """Return the calibration error if expected and measured success were samples of the same probability.

    Returns its mean and 95th percentile over draws. Each case has the probability that both of its samples together
    suggest, and as many levels as they had.
    """
    rng = np.random.default_rng(0)
    pairs = cases(rows)
    of = np.array([measured(row)["learned"].get("expected_of", LEVELS) for row in rows])
    likely = np.array(
        [(expected * n + won * LEVELS) / (n + LEVELS) for (expected, won), n in zip(pairs, of, strict=True)]
    )
    errors = []
    for _ in range(draws):
        expected = (rng.binomial(of, likely) + 1) / (of + 2)  # the posterior mean under a flat prior
        errors.append(calibration_error(list(zip(expected, rng.binomial(LEVELS, likely) / LEVELS, strict=True))))
    return fmean(errors), float(np.quantile(errors, 0.95))


def _mean(part: Sequence[Case], which: int) -> float:
    return fmean(case[which] for case in part)


def _panel(label: str, part: Sequence[Case]) -> Panel:
    bins = [cases for _, cases in sorted(binned(part).items())]
    diagonal = Line((0, 1), (0, 1), "as expected", {"color": "#6b6b6b", "linewidth": 0.8, "zorder": 3})
    look = {"marker": ".", "linestyle": "", "alpha": 0.15, "markersize": 4, "zorder": 1}
    dots = {"color": STYLES["shown"]["color"], **look}
    every = Line([case[0] for case in part], [case[1] for case in part], "a case", dots)
    means = Line([_mean(p, 0) for p in bins], [_mean(p, 1) for p in bins], "mean", STYLES["shown-practice"])
    return Panel(label, [diagonal, every, means])


def _line(place: int, parts: Sequence[Sequence[Case]]) -> list[str]:
    cells = [f"{place / BINS:.1f} to {(place + 1) / BINS:.1f}"]
    for part in parts:
        own = binned(part).get(place, [])
        means = [f"{_mean(own, which):.2f}" for which in (0, 1)] if own else [MISSING_CELL] * 2
        cells += [str(len(own)), *means]
    return cells
