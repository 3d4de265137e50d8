"""The content of figures, as data; drawing.py draws it.

A figure is a grid of small panels with success, from 0 to 1, upwards. `success_plot` makes one from results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from shown_evidence.analysis.statistics import GENERATED, TEST, Pool, interval, points, select, size
from shown_evidence.results.row import Row
from shown_evidence.trials.methods import METHODS
from shown_evidence.wording import title


@dataclass(frozen=True)
class Line:
    """A curve; one without points keeps its color for its neighbors.

    Attributes:
        xs, ys: points. [N]
        band: lower and upper edge of a shaded area; empty without one. [N], [N]
    """

    label: str
    xs: Sequence[float]
    ys: Sequence[float]
    band: tuple[Sequence[float], Sequence[float]] = ((), ())


@dataclass(frozen=True)
class Panel:
    """One small diagram, with the same lines as the other panels of its figure."""

    title: str
    lines: Sequence[Line]


@dataclass(frozen=True)
class Axis:
    """The horizontal axis of all panels of a figure, and the value of a result there."""

    label: str
    ticks: Sequence[float]
    value: Callable[[Row], float] = size
    logarithmic: bool = False


@dataclass(frozen=True)
class Plot:
    """A figure: panels in reading order; `up` labels their vertical axis, `name` ends the name of its file."""

    panels: Sequence[Panel]
    up: str
    across: Axis
    caption: str
    name: str

    @property
    def empty(self) -> bool:
        """Whether the figure shows no results."""
        return not any(line.xs for panel in self.panels for line in panel.lines)


# --- figures of results -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LevelView:
    """Pooled success on a kind of levels; a mean has its interval shaded. `name` ends names of files."""

    name: str
    label: str
    kind: str
    pool: Pool = fmean


NINE = LevelView("nine", "9 test levels", TEST)
HUNDRED = LevelView("generated", "100 generated levels", GENERATED)
BOTH = (NINE, HUNDRED)


@dataclass(frozen=True)
class Series:
    """The results with these settings: a line of a figure, or a panel."""

    label: str
    where: Mapping[str, Any]

    @property
    def options(self) -> dict[str, Any]:
        """The settings apart from the method."""
        return {name: value for name, value in self.where.items() if name != "method"}


def games(names: Iterable[str]) -> list[Series]:
    """Return a panel per game."""
    return [Series(title(name), {"game": name}) for name in names]


def methods(names: Iterable[str]) -> list[Series]:
    """Return a series per method.

    >>> [series.label for series in methods(["vpi", "fcn"])]
    ['VPI', 'FCN']
    """
    return [Series(METHODS[name].label, {"method": name}) for name in names]


def success_plot(
    rows: Sequence[Row], columns: Sequence[Series], series: Sequence[Series], view: LevelView, across: Axis, ends: str
) -> Plot:
    """Plot success: a panel per column, a line per series that has results. `ends` ends the caption."""
    drawn = [(each.label, mine) for each in series if (mine := select(rows, **each.where))]
    panels = [
        Panel(column.label, [_line(label, select(mine, **column.where), view, across) for label, mine in drawn])
        for column in columns
    ]
    shaded = " Shaded: 95 % bootstrap interval of the mean over sets." if view.pool is fmean else ""
    return Plot(panels, f"success, {view.label}", across, f"Success, {view.label}{ends}.{shaded}", view.name)


def _line(label: str, rows: Sequence[Row], view: LevelView, across: Axis) -> Line:
    found = points(rows, across.value, view.kind)
    spans = [interval(values) for values in found.values()] if view.pool is fmean else []
    band = [low for low, _ in spans], [high for _, high in spans]
    return Line(label, list(found), [view.pool(values) for values in found.values()], band)
