"""Every figure: what is in it, as data, and the one place where it is drawn.

A figure is a grid of small panels (`Panels`) in which success, from 0 to 1, goes upwards. `success_panels` makes one
from results: a panel for each view and column, a line for each series. `success_bars` does the same with bars.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import TYPE_CHECKING, Any

from shown.errors import MissingExtra
from shown.experiments.rows import Row
from shown.experiments.statistics import GENERATED, TEST, Pool, curve, mean_success, select
from shown.experiments.trials import METHODS
from shown.experiments.words import title

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STYLES: Mapping[str, dict[str, Any]] = {
    "lpp": {"color": "#0b6aa2", "marker": "o", "linewidth": 2.4, "zorder": 5},
    "shown": {"color": "#7a3fa0", "marker": "P", "linewidth": 2.4, "zorder": 6},
    "vpi": {"color": "#2a9d6f", "marker": "s", "linestyle": (0, (5, 1.5))},
    "fcn": {"color": "#d97706", "marker": "^", "linestyle": "-"},
    "cnn": {"color": "#b4345a", "marker": "v", "linestyle": (0, (3, 1, 1, 1))},
    "lln": {"color": "#7d7d85", "marker": "D", "linestyle": (0, (1.2, 1.2))},
    "features-nn": {"color": "#d97706", "marker": "^"},
    "features-nn-l1": {"color": "#b4345a", "marker": "v"},
    "no-prior": {"color": "#7d7d85", "marker": "D"},
    "sparsity-prior": {"color": "#2a9d6f", "marker": "s"},
}
"""One colour, mark and line for each method, in every figure. Distinguishable without colour too."""

INK = "#22303c"
FAINT = "#d9dfe4"
STYLE: Any = {
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "axes.titlesize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": FAINT,
    "grid.linewidth": 0.7,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.frameon": False,
    "lines.markersize": 4.2,
    "lines.linewidth": 1.5,
    "svg.fonttype": "none",
    "svg.hashsalt": "shown",
}


# --- what a figure is ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Line:
    """A curve with its name in the legend; `band` is the lower and upper edge of a shaded area around it."""

    xs: Sequence[float]
    ys: Sequence[float]
    label: str
    style: Mapping[str, Any]
    band: tuple[Sequence[float], Sequence[float]] | None = None


@dataclass(frozen=True)
class Bar:
    """A bar at a place along the axis, filled with its colour or open."""

    at: float
    height: float
    color: str
    filled: bool = True


@dataclass(frozen=True)
class Panel:
    """One small diagram."""

    lines: Sequence[Line] = ()
    bars: Sequence[Bar] = ()


@dataclass(frozen=True)
class Axis:
    """What goes to the right, the same in all panels of a figure.

    Attributes:
        label: written below the last row.
        ticks: where the marks are, with `names` where the numbers will not do.
        logarithmic: each step is a factor.
        limits: from where to where; fitted to the data without them.
        categories: the ticks are names of things, written upright below the last row.
    """

    label: str
    ticks: Sequence[float]
    names: Sequence[str] | None = None
    logarithmic: bool = False
    limits: tuple[float, float] | None = None
    categories: bool = False


@dataclass(frozen=True)
class Panels:
    """A figure: titled columns, labelled rows, a panel where they meet.

    Attributes:
        columns: the titles. [C]
        rows: for each row its label and its panels. [R] of (str, [C])
        across: the axis to the right.
        width, height: of a panel, in inches.
        legend: how many names stand side by side in the legend.
    """

    columns: Sequence[str]
    rows: Sequence[tuple[str, Sequence[Panel]]]
    across: Axis
    width: float = 2.35
    height: float = 2.1
    legend: int = 5

    @property
    def empty(self) -> bool:
        """Whether there is nothing to see in it."""
        return not any(panel.lines or panel.bars for _, panels in self.rows for panel in panels)


# --- figures of results -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class View:
    """What a row of panels shows: pooled success on a kind of levels.

    `spread` shades an area around it, whose edges are the least and the most unless told otherwise.
    """

    label: str
    kind: str
    pool: Pool = fmean
    spread: bool = False
    edges: tuple[Pool, Pool] = (min, max)


ON_BOTH = (View("9 test levels", TEST), View("100 generated", GENERATED))


@dataclass(frozen=True)
class Column:
    """What a column of panels shows: the results with these settings."""

    title: str
    where: Mapping[str, Any]


@dataclass(frozen=True)
class Series:
    """What a line shows: the results with these settings."""

    label: str
    where: Mapping[str, Any]
    style: Mapping[str, Any] = field(default_factory=dict)


def games(names: Iterable[str]) -> list[Column]:
    """A column a game."""
    return [Column(title(name), {"game": name}) for name in names]


def methods(names: Iterable[str]) -> list[Series]:
    """A line a method, each in its own style."""
    return [Series(METHODS[name].label, {"method": name}, STYLES[name]) for name in names]


def success_panels(
    rows: Sequence[Row],
    x: Callable[[Row], float],
    columns: Sequence[Column],
    series: Sequence[Series],
    views: Sequence[View],
    across: Axis,
    **layout: Any,
) -> Panels:
    """Success against `x`: a row of panels a view."""
    chosen = [select(rows, **column.where) for column in columns]
    panels = [(f"success ({view.label})", [Panel(_lines(part, x, series, view)) for part in chosen]) for view in views]
    return Panels([column.title for column in columns], panels, across, **layout)


def _lines(rows: Sequence[Row], x: Callable[[Row], float], series: Sequence[Series], view: View) -> list[Line]:
    lines = []
    for each in series:
        found = select(rows, **each.where)
        if found:
            xs, ys = curve(found, x, view.kind, view.pool)
            low, high = (curve(found, x, view.kind, edge)[1] for edge in view.edges)
            band = (low, high) if view.spread else None
            lines.append(Line(xs, ys, each.label, each.style, band))
    return lines


def success_bars(
    columns: Sequence[Column], names: Sequence[str], views: Sequence[tuple[str, Sequence[Row]]], across: Axis
) -> Panels:
    """Mean success of each method: a row of panels a labelled part of the results; open bars: generated levels."""
    panels = [
        (f"success ({label})", [Panel(bars=_bars(select(rows, **column.where), names)) for column in columns])
        for label, rows in views
    ]
    return Panels([column.title for column in columns], panels, across, height=1.9)


def _bars(rows: Sequence[Row], names: Sequence[str]) -> list[Bar]:
    return [
        Bar(place + shift, mean_success(found, kind), STYLES[method]["color"], kind == TEST)
        for place, method in enumerate(names)
        if (found := select(rows, method=method))
        for kind, shift in ((TEST, -0.2), (GENERATED, 0.2))
    ]


# --- drawing ------------------------------------------------------------------------------------------------------


def draw(panels: Panels) -> Figure:
    """The figure, drawn with Matplotlib."""
    from matplotlib.figure import Figure as NewFigure

    count = len(panels.rows), len(panels.columns)
    size = (panels.width * count[1] + 0.4, panels.height * count[0] + 0.5)
    figure = NewFigure(figsize=size, layout="constrained")
    grid = figure.subplots(*count, squeeze=False)
    for r, (label, row) in enumerate(panels.rows):
        for c, panel in enumerate(row):
            axes, last = grid[r][c], r == count[0] - 1
            _draw_panel(axes, panel)
            _draw_axis(axes, panels.across, last)
            _draw_success(axes, label if c == 0 else None)
            if r == 0:
                axes.set_title(panels.columns[c])
    _draw_legend(figure, list(grid.flat), panels.legend)
    return figure


def _draw_panel(axes: Axes, panel: Panel) -> None:
    for line in panel.lines:
        if line.band is not None:
            axes.fill_between(line.xs, *line.band, color=line.style["color"], alpha=0.12, lw=0)
        axes.plot(line.xs, line.ys, label=line.label, **line.style)
    for bar in panel.bars:
        face = bar.color if bar.filled else "white"
        axes.bar(bar.at, bar.height, 0.36, color=face, edgecolor=bar.color, linewidth=1.2)
        axes.plot([bar.at], [bar.height], ".", color=bar.color, markersize=3)


def _draw_axis(axes: Axes, axis: Axis, last: bool) -> None:
    if axis.categories:
        names = list(axis.names or ()) if last else [""] * len(axis.ticks)
        axes.set_xticks(axis.ticks, names, rotation=90, fontsize=7)
        axes.grid(False, axis="x")
        return
    if axis.logarithmic:
        axes.set_xscale("log")
    axes.set_xticks(axis.ticks, axis.names)
    if axis.logarithmic:
        axes.minorticks_off()
    if axis.limits is not None:
        axes.set_xlim(*axis.limits)
    if last:
        axes.set_xlabel(axis.label)


def _draw_success(axes: Axes, label: str | None) -> None:
    axes.set_ylim(-0.04, 1.04)
    axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "", ".5", "", "1"])
    if label:
        axes.set_ylabel(label)


def _draw_legend(figure: Figure, panels: Sequence[Axes], columns: int) -> None:
    """One legend for all panels, above them, from the panel with most lines."""
    handles, labels = max((axes.get_legend_handles_labels() for axes in panels), key=lambda found: len(found[0]))
    if handles:
        figure.legend(handles, labels, loc="outside upper center", ncols=columns, frameon=False)


def svg(panels: Panels, prefix: str = "") -> str:
    """Draws a figure as an SVG element to put into a page: no header, no date, the same bytes every time.

    Ids get the prefix, so that several figures can stand in one page.
    """
    try:
        import matplotlib
    except ImportError:
        raise MissingExtra("Matplotlib", "report") from None
    buffer = io.StringIO()
    with matplotlib.rc_context(STYLE):
        draw(panels).savefig(
            buffer, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None}
        )
    text = buffer.getvalue()
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    text = re.sub(r'<svg ([^>]*?)height="[^"]*"', r"<svg \1", text, count=1)
    text = re.sub(r'<svg ([^>]*?)width="([^"]*)"', r'<svg \1style="max-width: \2"', text, count=1)
    return re.sub(r'(id="|url\(#|href="#)', rf"\g<1>{prefix}", text)
