"""The content of figures, as data; drawing.py draws it.

A figure is a grid of small panels with success, from 0 to 1, upwards. `success_plot` makes one from results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from shown.worlds import GAMES
from shown_evidence.analysis.statistics import FLOORS, GENERATED, TEST, Pool, interval, points, select, size, successes
from shown_evidence.results.row import Row
from shown_evidence.trials.methods import METHODS
from shown_evidence.wording import title

SOLID, DASHED, DOTTED, DASH_DOT, LONG = "-", (0, (4, 1.3)), (0, (1.2, 1.2)), (0, (4, 1.2, 1, 1.2)), (0, (7, 1.5))


def _style(color: str, marker: str, linestyle: object) -> dict[str, Any]:
    return {"color": color, "marker": marker, "linestyle": linestyle}


STYLES: Mapping[str, dict[str, Any]] = {
    "lpp": _style("#0072b2", "o", SOLID),
    "shown": _style("#d55e00", "P", SOLID),
    "shown-practice": _style("#5b3a29", "H", SOLID),
    "vpi": _style("#009e73", "s", DASHED),
    "vpi-best": _style("#117733", "X", DOTTED),
    "lln": _style("#cc79a7", "D", DASH_DOT),
    "fcn": _style("#e69f00", "^", LONG),
    "cnn": _style("#56b4e9", "v", DASHED),
    "cnn-mirrored": _style("#1f78b4", "v", DOTTED),
    "boosted-buttons": _style("#3f51b5", "*", DASHED),
    "tree-buttons": _style("#7b1fa2", "p", DASHED),
    "features-nn": _style("#a6761d", "<", LONG),
    "features-nn-l1": _style("#d9b26a", ">", DASH_DOT),
    "no-prior": _style("#666666", "h", DASHED),
    "no-prior-any": _style("#bbbbbb", "H", DOTTED),
    "sparsity-prior": _style("#999933", "p", DASH_DOT),
    "random": {"color": "#9a9a9a", "linestyle": (0, (1, 1.5))},
    "random-sensible": {"color": "#6b6b6b", "linestyle": (0, (5, 2))},
}
"""Color, mark and line of each method that is drawn. The colors, of the palettes by Okabe and Ito and by Tol, suit
color-blind readers; marks and dashes distinguish the methods without color too."""


# --- what a figure is ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Line:
    """A curve, in Matplotlib's style.

    Attributes:
        xs, ys: points. [N]
        band: lower and upper edge of a shaded area. [N], [N]
    """

    xs: Sequence[float]
    ys: Sequence[float]
    label: str
    style: Mapping[str, Any]
    band: tuple[Sequence[float], Sequence[float]] | None = None


@dataclass(frozen=True)
class Panel:
    """One small diagram; `floors` is the success of random play by method, drawn as thin horizontal lines."""

    title: str
    lines: Sequence[Line]
    floors: Mapping[str, float] = field(default_factory=dict)


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
    name: str = ""

    @property
    def empty(self) -> bool:
        """Whether the figure shows no results."""
        return not any(line.xs for panel in self.panels for line in panel.lines)


# --- figures of results -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LevelView:
    """Pooled success on a kind of levels; `spread` shades the interval of the mean. `name` ends names of files."""

    name: str
    label: str
    kind: str
    pool: Pool = fmean
    spread: bool = True


NINE = LevelView("nine", "9 test levels", TEST)
HUNDRED = LevelView("generated", "100 generated levels", GENERATED)


@dataclass(frozen=True)
class Series:
    """The results with these settings: a line or, without a style, a panel."""

    label: str
    where: Mapping[str, Any]
    style: Mapping[str, Any] = field(default_factory=dict)

    @property
    def options(self) -> dict[str, Any]:
        """The settings apart from the method."""
        return {name: value for name, value in self.where.items() if name != "method"}


def games(names: Iterable[str]) -> list[Series]:
    """Return a panel per game."""
    return [Series(title(name), {"game": name}) for name in names]


def methods(names: Iterable[str]) -> list[Series]:
    """Return a series per method, each in its style.

    >>> [series.label for series in methods(["vpi", "fcn"])]
    ['VPI', 'FCN']
    """
    return [Series(METHODS[name].label, {"method": name}, STYLES.get(name, {})) for name in names]


def floors(rows: Sequence[Row], kind: str) -> dict[str, float]:
    """Return the success of random play; none in worlds with buttons."""
    own = [row for row in rows if row.settings["game"] in GAMES]
    found = {method: successes(select(own, method=method), kind) for method in FLOORS}
    return {method: fmean(won) for method, won in found.items() if won}


def success_plot(
    rows: Sequence[Row],
    columns: Sequence[Series],
    series: Sequence[Series],
    view: LevelView,
    across: Axis,
    ends: str = "",
) -> Plot:
    """Plot success: a panel per column, a line per series that has results there. `ends` ends the caption."""
    panels = []
    for column in columns:
        here = select(rows, **column.where)
        lines = [_line(mine, each, view, across) for each in series if (mine := select(here, **each.where))]
        played = select(rows, game=column.where["game"]) if "game" in column.where else rows
        panels.append(Panel(column.label, lines, floors(played, view.kind)))
    shaded = " Shaded: 95 % bootstrap interval of the mean over sets." if view.spread else ""
    return Plot(panels, f"success, {view.label}", across, f"Success, {view.label}{ends}.{shaded}", view.name)


def _line(rows: Sequence[Row], series: Series, view: LevelView, across: Axis) -> Line:
    found = points(rows, across.value, view.kind)
    spans = [interval(values) for values in found.values()] if view.spread else []
    band = ([low for low, _ in spans], [high for _, high in spans]) if spans else None
    return Line(list(found), [view.pool(values) for values in found.values()], series.label, series.style, band)
