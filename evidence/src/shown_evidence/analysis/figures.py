"""The content of figures, as data; drawing.py draws it.

A figure is a grid of small panels (`Panels`) with success from 0 to 1 upwards. `success_panels` makes one from results:
a panel per view and column, a line per series.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Any

from shown.worlds import GAMES
from shown_evidence.analysis import statistics as stats
from shown_evidence.analysis.statistics import FLOORS, GENERATED, TEST, Pool, interval, select, successes
from shown_evidence.results.row import Row
from shown_evidence.trials.methods import METHODS
from shown_evidence.wording import many, title

SOLID, DASHED, DOTTED, DASH_DOT, LONG = "-", (0, (4, 1.3)), (0, (1.2, 1.2)), (0, (4, 1.2, 1, 1.2)), (0, (7, 1.5))


THIN = 0.6  # width of a line with fewer training sets than others, in points


def _style(color: str, marker: str, linestyle: object) -> dict[str, Any]:
    return {"color": color, "marker": marker, "linestyle": linestyle}


STYLES: Mapping[str, dict[str, Any]] = {
    "lpp": _style("#0072b2", "o", SOLID),
    "shown": _style("#d55e00", "P", SOLID),
    "shown-practice": _style("#5b3a29", "H", SOLID),
    "vpi": _style("#009e73", "s", DASHED),
    "vpi-best": _style("#117733", "X", DOTTED),
    "lln": _style("#cc79a7", "D", DASH_DOT),
    "lln-highest": _style("#aa4499", "d", DOTTED),
    "fcn": _style("#e69f00", "^", LONG),
    "cnn": _style("#56b4e9", "v", DASHED),
    "dagger": _style("#cc6677", ">", DASHED),
    "boosted": _style("#332288", "*", LONG),
    "dagger-fcn": _style("#b15928", ">", DOTTED),
    "fcn-mirrored": _style("#b8860b", "^", DOTTED),
    "cnn-mirrored": _style("#1f78b4", "v", DOTTED),
    "fcn-tuned": _style("#7f5f00", "^", SOLID),
    "cnn-tuned": _style("#0b4f8a", "v", SOLID),
    "tree": _style("#6a3d9a", "p", LONG),
    "boosted-programs": _style("#1b9e9e", "*", DOTTED),
    "tree-programs": _style("#c98a1b", "p", DOTTED),
    "boosted-buttons": _style("#3f51b5", "*", DASHED),
    "tree-buttons": _style("#7b1fa2", "p", DASHED),
    "features-nn": _style("#a6761d", "<", LONG),
    "features-nn-l1": _style("#d9b26a", ">", DASH_DOT),
    "no-prior": _style("#666666", "h", DASHED),
    "no-prior-any": _style("#bbbbbb", "H", DOTTED),
    "sparsity-prior": _style("#999933", "p", DASH_DOT),
    "lpp-duplicates": _style("#88ccee", "8", DASHED),
    "random": {"color": "#9a9a9a", "linestyle": (0, (1, 1.5))},
    "random-sensible": {"color": "#6b6b6b", "linestyle": (0, (5, 2))},
}
"""Color, mark and line of each method in every figure. The colors, of the palettes by Okabe and Ito and by Tol, suit
color-blind readers; marks and dashes distinguish the methods without color too."""


# --- what a figure is ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Line:
    """A curve, in Matplotlib's style.

    Attributes:
        xs, ys: points. [N]
        band: lower and upper edge of a shaded area. [N], [N]
        fewer: whether a point has fewer results than the same line in another panel; drawn hollow. [N]
        missing: every x at which another panel has results and this one has none; marked below zero.
    """

    xs: Sequence[float]
    ys: Sequence[float]
    label: str
    style: Mapping[str, Any]
    band: tuple[Sequence[float], Sequence[float]] | None = None
    fewer: Sequence[bool] = ()
    missing: Sequence[float] = ()


@dataclass(frozen=True)
class FloorLine:
    """The success of random play, as a thin horizontal line."""

    height: float
    label: str
    style: Mapping[str, Any]


@dataclass(frozen=True)
class Panel:
    """One small diagram."""

    title: str = ""
    lines: Sequence[Line] = ()
    floors: Sequence[FloorLine] = ()


@dataclass(frozen=True)
class Axis:
    """The horizontal axis of all panels of a figure: ticks, their names if not the numbers, and the limits if fixed."""

    label: str
    ticks: Sequence[float]
    names: Sequence[str] | None = None
    logarithmic: bool = False
    limits: tuple[float, float] | None = None


@dataclass(frozen=True)
class Panels:
    """A figure: panels in reading order; `up` labels the vertical axis of all, or of each row of panels."""

    panels: Sequence[Panel]
    up: Sequence[str]
    across: Axis
    columns: int = 3

    @property
    def empty(self) -> bool:
        """Whether the figure shows no results."""
        return not any(line.xs for panel in self.panels for line in panel.lines)


# --- figures of results -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LevelView:
    """Pooled success on a kind of levels; `spread` shades the interval of the mean."""

    label: str
    kind: str
    pool: Pool = fmean
    spread: bool = False


NINE = LevelView("9 test levels", TEST, spread=True)
HUNDRED = LevelView("100 generated levels", GENERATED, spread=True)

SHADED = "Shaded: 95 % bootstrap interval of the mean over sets."


@dataclass(frozen=True)
class Series:
    """The results with these settings: a line or, without a style, a column of panels."""

    label: str
    where: Mapping[str, Any]
    style: Mapping[str, Any] = field(default_factory=dict)


def games(names: Iterable[str]) -> list[Series]:
    """Return a column per game."""
    return [Series(title(name), {"game": name}) for name in names]


def methods(names: Iterable[str]) -> list[Series]:
    """Return a series per method, each in its style.

    >>> [series.label for series in methods(["vpi", "fcn"])]
    ['VPI', 'FCN']
    """
    return [Series(METHODS[name].label, {"method": name}, STYLES[name]) for name in names]


def with_sets(series: Iterable[Series], rows: Sequence[Row]) -> list[Series]:
    """Add the number of training sets to the label of a series with fewer sets than another, and make it thinner."""
    counted = [(each, stats.training_sets_of(select(rows, **each.where))) for each in series]
    most = max((sets for _, sets in counted), default=0)
    return [
        replace(each, label=f"{each.label}, {many(sets, 'set')}", style={**each.style, "linewidth": THIN})
        if 0 < sets < most
        else each
        for each, sets in counted
    ]


def floors(rows: Sequence[Row], kind: str, **where: Any) -> list[FloorLine]:
    """Return the success of random play, which depends on the game alone; none for worlds with buttons."""
    where = {name: value for name, value in where.items() if name == "game"}
    if where.get("game", "nim") not in GAMES:
        return []
    found = {method: successes(select(rows, method=method, **where), kind) for method in FLOORS}
    return [FloorLine(fmean(won), METHODS[method].label, STYLES[method]) for method, won in found.items() if won]


def success_panels(
    rows: Sequence[Row],
    x: Callable[[Row], float],
    columns: Sequence[Series],
    series: Sequence[Series],
    views: Sequence[LevelView],
    across: Axis,
) -> Panels:
    """Plot success against `x`: a panel per column, a row of panels per view, a line per series that has results."""
    cells = [(view, column) for view in views for column in columns]
    lines = [_lines(rows, x, each, cells) for each in series if select(rows, **each.where)]
    panels = [
        Panel(
            column.label if view is views[0] else "",
            [line[number] for line in lines],
            floors=floors(rows, view.kind, **column.where),
        )
        for number, (view, column) in enumerate(cells)
    ]
    names = [view.label if len(views) == 1 else view.label.removesuffix(" levels") for view in views]
    return Panels(panels, [f"success, {name}" for name in names], across, 3 if len(views) == 1 else len(columns))


def _lines(
    rows: Sequence[Row], x: Callable[[Row], float], series: Series, cells: Sequence[tuple[LevelView, Series]]
) -> list[Line]:
    """Return a series in every panel."""
    mine = select(rows, **series.where)
    found = [stats.points(select(mine, **column.where), x, view.kind) for view, column in cells]
    most = {at: max(len(part.get(at, ())) for part in found) for part in found for at in part}
    lines = []
    for part, (view, _) in zip(found, cells, strict=True):
        spans = [interval(values) for values in part.values()]
        band = ([low for low, _ in spans], [high for _, high in spans]) if view.spread and spans else None
        ys = [view.pool(values) for values in part.values()]
        fewer = [len(values) < most[at] for at, values in part.items()]
        lines.append(Line(list(part), ys, series.label, series.style, band, fewer, sorted(most.keys() - part.keys())))
    return lines
