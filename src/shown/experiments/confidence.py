"""Whether what is expected comes true: "about 7 of 12 new levels" should be 7 of 12, over many cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from shown.experiments.beyond import PLAYED, SIZES, shown_sets
from shown.experiments.claims import Finding
from shown.experiments.experiment import Experiment, Plot, Scale, Table
from shown.experiments.figures import STYLES, Axis, Line, Panel, Panels
from shown.experiments.people import SETS
from shown.experiments.reserved import JUDGE
from shown.experiments.rows import Row
from shown.experiments.statistics import GENERATED, found, has_standard_options, measured, select, success
from shown.experiments.styles import styles_of
from shown.experiments.teaching import STYLE
from shown.experiments.trials import Trial
from shown.experiments.words import many

BINS = 10
PRACTISED = {False: "without practice", True: "practised"}


class Confidence(Experiment):
    """Every style of every game, 1, 2, 3 and 5 demonstrations, with practice and without: expected and won."""

    name = "confidence"
    title = "Beyond the paper: confidence"
    question = "Are as many new levels won as were expected?"
    methods = ("shown",)
    scored_on = (PLAYED,)

    def trials(self, scale: Scale) -> list[Trial]:
        return [
            Trial(method, game, JUDGE.shown_levels(number, count), f"{STYLE}{style.name}", 0, options, levels)
            for method in scale.methods_of(self.methods)
            for practise in PRACTISED
            for options in (scale.options(method, practise=practise),)
            for levels in (scale.levels(PLAYED),)
            for game in scale.games_of(self.games)
            for style in styles_of(game)
            for count in scale.sizes(SIZES, (1, 3))
            for number in range(scale.repeats(SETS, 1))
        ]

    def includes(self, settings: Mapping[str, Any]) -> bool:
        return (
            settings["demonstrations"].startswith(STYLE)
            and settings["seed"] == 0
            and settings["levels"] in shown_sets(SETS)
            and has_standard_options(settings, "practise", "programs")
        )

    def plots(self, rows: Sequence[Row]) -> list[Plot | Table]:
        parts = {label: cases(select(rows, practise=practise)) for practise, label in PRACTISED.items()}
        parts = {label: part for label, part in parts.items() if part}
        panels = [_panel(label, part) for label, part in parts.items()]
        return [
            Plot(
                Panels(panels, ["won"], Axis("expected", (0, 0.5, 1), limits=(-0.04, 1.04))),
                "Reliability: what was won of new levels against what was expected, mean over all cases in which about "
                "as much was expected; on the line, as much was won as was expected.",
            ),
            Table(
                ("Expected", *(f"{label}: {what}" for label in parts for what in ("cases", "expected", "won"))),
                [_line(place, list(parts.values())) for place in range(BINS)],
                "The same as numbers.",
            ),
        ]

    def text(self, rows: Sequence[Row]) -> list[str]:
        lines = []
        for practise, label in PRACTISED.items():
            part = cases(select(rows, practise=practise))
            if part:
                error = calibration_error(part)
                lines.append(
                    f"{label.capitalize()}: {many(len(part), 'case')}, expected calibration error {error:.3f}."
                )
        return lines or ["None of these results says what was expected."]

    def findings(self, rows: Sequence[Row]) -> dict[str, Finding]:
        """The paper says nothing of this."""
        return {}


EXPERIMENT = Confidence()

Case = tuple[float, float]
"""What was expected, and what was won."""


def cases(rows: Sequence[Row]) -> list[Case]:
    """What was expected and what was won, wherever something was learned."""
    told = [(measured(row)["learned"].get("expected"), success(row, GENERATED)) for row in rows if found(row)]
    return [(float(expected), won) for expected, won in told if expected is not None]


def binned(part: Sequence[Case]) -> dict[int, list[Case]]:
    """Cases by what was expected, in tenths."""
    bins: dict[int, list[Case]] = {}
    for case in part:
        bins.setdefault(min(int(case[0] * BINS), BINS - 1), []).append(case)
    return bins


def calibration_error(part: Sequence[Case]) -> float:
    """How far what is won lies off what was expected, over tenths of what was expected, by their numbers of cases.

    >>> round(calibration_error([(0.9, 1.0), (0.91, 0.8), (0.2, 0.4)]), 3)
    0.07
    """
    return sum(abs(_mean(cases, 0) - _mean(cases, 1)) * len(cases) for cases in binned(part).values()) / len(part)


def _mean(part: Sequence[Case], which: int) -> float:
    return fmean(case[which] for case in part)


def _panel(label: str, part: Sequence[Case]) -> Panel:
    points = [parts for _, parts in sorted(binned(part).items())]
    right = Line((0, 1), (0, 1), "as expected", {"color": "#6b6b6b", "linewidth": 0.8, "zorder": 3})
    every = Line(
        [case[0] for case in part], [case[1] for case in part], "a case",
        {"color": STYLES["shown"]["color"], "marker": ".", "linestyle": "", "alpha": 0.25, "markersize": 4},
    )  # fmt: skip
    means = Line([_mean(p, 0) for p in points], [_mean(p, 1) for p in points], "mean", STYLES["shown"])
    return Panel(label, [right, every, means])


def _line(place: int, parts: Sequence[Sequence[Case]]) -> list[str]:
    cells = [f"{place / BINS:.1f} to {(place + 1) / BINS:.1f}"]
    for part in parts:
        own = binned(part).get(place, [])
        cells += [str(len(own)), f"{_mean(own, 0):.2f}" if own else "–", f"{_mean(own, 1):.2f}" if own else "–"]
    return cells
