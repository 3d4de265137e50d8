"""Figures on paper: the one place where they are drawn, for the page and for print.

Everything is laid out at the width it is printed at, one column (3.3 inches) or two (6.9), in type of 7 points or more.
Lines that coincide are drawn side by side, a line's width apart, around their value. Hollow marks are points of fewer
results than elsewhere; a cross below zero says that there is none.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from shown.errors import MissingExtra
from shown.experiments.figures import Axis, Bar, Line, Panel, Panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SINGLE, DOUBLE = 3.3, 6.9
"""The width of one and of two columns of a printed page, in inches."""

FORMATS = ("svg", "pdf", "png")

INK = "#22303c"
STYLE: Any = {
    "font.family": "sans-serif",
    "font.size": 7,
    "axes.edgecolor": "#9aa5ae",
    "axes.linewidth": 0.6,
    "axes.labelcolor": INK,
    "axes.labelsize": 7.5,
    "axes.titlesize": 7.5,
    "axes.titlepad": 3,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "figure.labelsize": 7.5,
    "figure.constrained_layout.w_pad": 0.02,
    "figure.constrained_layout.h_pad": 0.02,
    "figure.constrained_layout.wspace": 0.02,
    "figure.constrained_layout.hspace": 0.03,
    "grid.color": "#d9dfe4",
    "grid.linewidth": 0.5,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "xtick.major.size": 2,
    "ytick.major.size": 2,
    "xtick.major.pad": 2,
    "ytick.major.pad": 2,
    "legend.fontsize": 7,
    "legend.frameon": False,
    "legend.handlelength": 2.4,
    "legend.columnspacing": 1.2,
    "legend.borderpad": 0.1,
    "lines.linewidth": 1.1,
    "pdf.fonttype": 42,
    "svg.fonttype": "none",
    "svg.hashsalt": "shown",
}
PANEL_HEIGHT = {SINGLE: 0.95, DOUBLE: 1.4}
MARK = {SINGLE: 2.2, DOUBLE: 3.2}
"""The size of a mark, in points."""

BELOW, ABOVE = -0.13, 1.08
NOTHING = -0.075
"""From where to where a panel goes, and where in it stands what has no result."""

TOP = 1.05
"""Up to here a line may be moved."""

TRACK = 1.5
"""How far apart lines that coincide are drawn, in points."""


def draw(panels: Panels, width: float = DOUBLE) -> Figure:
    """The figure, drawn with Matplotlib at the width it is printed at."""
    from matplotlib.figure import Figure as NewFigure

    columns = min(panels.columns, len(panels.panels))
    count = -(-len(panels.panels) // columns)
    names = _names(panels)
    side_by_side = _side_by_side([name for name, _ in names], width)
    legend = -(-len(names) // side_by_side) * 0.145
    height = PANEL_HEIGHT[width] * count + legend + 0.35
    figure = NewFigure(figsize=(width, height), layout="constrained")
    grid = figure.subplots(count, columns, squeeze=False)
    for place, axes in enumerate(grid.flat):
        if place >= len(panels.panels):
            axes.set_axis_off()
            continue
        _draw_panel(axes, panels.panels[place], width)
        _draw_axis(axes, panels.across, last=place + columns >= len(panels.panels))
        _draw_success(axes, first=place % columns == 0)
        if len(panels.up) > 1 and place % columns == 0:
            axes.set_ylabel(panels.up[place // columns].replace(", ", "\n"))
    if len(panels.up) == 1:
        figure.supylabel(panels.up[0])
    if panels.across.label:
        figure.supxlabel(panels.across.label)
    handles = [handle for _, handle in names]
    figure.legend(handles, [name for name, _ in names], loc="outside upper center", ncols=side_by_side)
    return figure


# --- a panel ------------------------------------------------------------------------------------------------------


def _draw_panel(axes: Axes, panel: Panel, width: float) -> None:
    mark = MARK[width]
    axes.set_title(panel.title)
    for floor in panel.floors:
        if floor.height is not None:
            axes.axhline(floor.height, linewidth=0.8, zorder=1.5, **floor.style)
    for line in panel.lines:
        if line.band is not None:
            axes.fill_between(line.xs, *line.band, color=line.style["color"], alpha=0.14, lw=0, zorder=1)
    apart = TRACK / 72 / (PANEL_HEIGHT[width] - 0.3) * (ABOVE - BELOW)
    order = list(reversed(list(zip(panel.lines, side_by_side_of(panel.lines, apart), strict=True))))
    for line, moved in order:  # the first in the legend lies on top
        axes.plot(moved.xs, moved.ys, **{"markersize": mark, **line.style})
        hollow = [i for i, fewer in enumerate(line.fewer) if fewer]
        if hollow:
            xs, ys = ([values[i] for i in hollow] for values in (moved.xs, moved.ys))
            axes.plot(xs, ys, **_hollow(line.style, mark))
        axes.plot(moved.missing, [NOTHING] * len(moved.missing), **_cross(line.style["color"], mark))
    for bar in panel.bars:
        _draw_bar(axes, bar, mark)


def _draw_bar(axes: Axes, bar: Bar, mark: float) -> None:
    if bar.height is None:
        axes.plot([bar.at], [NOTHING], **_cross(bar.color, mark))
        return
    face = bar.color if bar.filled else "white"
    axes.bar(bar.at, bar.height, 0.36, color=face, edgecolor=bar.color, linewidth=0.9)
    if bar.span is not None and bar.span[1] > bar.span[0]:
        axes.plot([bar.at, bar.at], bar.span, color=INK, linewidth=0.8, zorder=4)
    if bar.fewer:
        axes.plot([bar.at], [bar.height], **_hollow({"color": bar.color, "marker": "o"}, mark))


def _hollow(style: Mapping[str, Any], mark: float) -> dict[str, Any]:
    """Larger than a filled mark, or its rim would leave nothing white in it."""
    return {
        **style, "markersize": 1.5 * mark, "linestyle": "", "markerfacecolor": "white", "markeredgewidth": 0.7,
        "zorder": 6,
    }  # fmt: skip


def _cross(color: str, mark: float) -> dict[str, Any]:
    return {"color": color, "marker": "x", "linestyle": "", "markersize": mark, "markeredgewidth": 0.8, "zorder": 6}


def side_by_side_of(lines: Sequence[Line], apart: float) -> list[Line]:
    """Lines moved a little, `apart` from each other, where they coincide; elsewhere they stay where they are. Points
    without a line between them stay, too: they are drawn so that many of them in one place can be seen.

    >>> same = [Line([1, 2], [1.0, 0.5], name, {}) for name in ("a", "b")]
    >>> [line.ys for line in side_by_side_of([same[0], Line([1, 2], [1.0, 0.8], "b", {})], 0.02)]
    [[1.01, 0.5], [0.99, 0.8]]
    """
    moved = [list(line.ys) for line in lines]
    places: dict[float, list[tuple[float, int, int]]] = {}
    for number, line in enumerate(lines):
        if line.style.get("linestyle") == "":
            continue
        for at, (x, y) in enumerate(zip(line.xs, line.ys, strict=True)):
            places.setdefault(x, []).append((y, number, at))
    for here in places.values():
        for group in _coincident(sorted(here), apart / 2):
            half = (len(group) - 1) / 2 * apart
            top = min(half, TOP - group[-1][0])  # many of them at 1 would leave the panel
            for rank, (y, number, at) in enumerate(sorted(group, key=lambda one: one[1])):
                moved[number][at] = y + top - rank * apart
    return [replace(line, ys=ys) for line, ys in zip(lines, moved, strict=True)]


def _coincident(here: Sequence[tuple[float, int, int]], near: float) -> Iterable[list[tuple[float, int, int]]]:
    """Points of one x, from below, in groups of those that cannot be told apart."""
    group = [here[0]]
    for one in here[1:]:
        if one[0] - group[-1][0] > near:
            yield group
            group = []
        group.append(one)
    yield group


def _draw_axis(axes: Axes, axis: Axis, last: bool) -> None:
    if axis.logarithmic:
        axes.set_xscale("log")
    if not axis.ticks:
        axes.grid(False, axis="x")
    axes.set_xticks(axis.ticks, axis.names)
    if axis.logarithmic:
        axes.minorticks_off()
    if axis.limits is not None:
        axes.set_xlim(*axis.limits)
    axes.tick_params(labelbottom=last)


def _draw_success(axes: Axes, first: bool) -> None:
    axes.set_ylim(BELOW, ABOVE)
    axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "", ".5", "", "1"])
    axes.tick_params(labelleft=first)


# --- the legend ---------------------------------------------------------------------------------------------------


def _names(panels: Panels) -> list[tuple[str, Any]]:
    """Every name in the figure with what stands for it: one legend for all panels, above them."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    found: dict[str, Any] = {}
    empty: dict[str, Any] = {}
    for panel in panels.panels:
        for line in panel.lines:
            handle = Line2D([], [], **{"markersize": MARK[DOUBLE], **line.style})
            (found if line.xs else empty).setdefault(line.label, handle)
        for bar in panel.bars:
            (empty if bar.height is None else found).setdefault(bar.label, Patch(color=bar.color))
        for floor in panel.floors:
            handle = Line2D([], [], linewidth=0.8, **floor.style)
            (empty if floor.height is None else found).setdefault(floor.label, handle)
    names = [*found.items(), *((f"{name} (no trials)", empty[name]) for name in empty if name not in found)]
    lines = [line for panel in panels.panels for line in panel.lines]
    bars = [bar for panel in panels.panels for bar in panel.bars]
    if any(any(line.fewer) for line in lines) or any(bar.fewer for bar in bars):
        names.append(("fewer trials", Line2D([], [], **_hollow({"color": INK, "marker": "o"}, MARK[DOUBLE]))))
    if any(line.missing for line in lines) or any(bar.height is None for bar in bars):
        names.append(("no trials here", Line2D([], [], **_cross(INK, MARK[DOUBLE]))))
    return names


def _side_by_side(names: Sequence[str], width: float) -> int:
    """How many names fit side by side into a legend of this width: as few rows as can be, and these evenly filled.

    >>> _side_by_side(["LPP"] * 10, 3.3), _side_by_side(["a very long name of a method"] * 3, 3.3)
    (5, 1)
    """
    for rows in range(1, len(names) + 1):
        columns = -(-len(names) // rows)
        each, more = divmod(len(names), columns)  # the first so many columns have one more, as Matplotlib fills them
        parts = [names[start:end] for start, end in pairwise(each * i + min(i, more) for i in range(columns + 1))]
        if sum(0.051 * max(map(len, part)) + 0.43 for part in parts) <= width + 0.11:  # no space after the last
            return columns
    return 1


# --- files --------------------------------------------------------------------------------------------------------


def svg(panels: Panels, prefix: str = "") -> str:
    """Draws a figure as an SVG element to put into a page: no header, no date, the same bytes every time.

    Ids get the prefix, so that several figures can stand in one page.
    """
    text = files(panels, ("svg",))["svg"].decode()
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    text = re.sub(r'<svg ([^>]*?)height="[^"]*"', r"<svg \1", text, count=1)
    text = re.sub(r'<svg ([^>]*?)width="[^"]*"', r"<svg \1", text, count=1)
    return re.sub(r'(id="|url\(#|href="#)', rf"\g<1>{prefix}", text)


def files(panels: Panels, formats: Sequence[str] = FORMATS, width: float = DOUBLE) -> dict[str, bytes]:
    """A figure as the contents of files, by format, with no dates in them: the same bytes every time."""
    try:
        import matplotlib
    except ImportError:
        raise MissingExtra("Matplotlib", "report") from None
    made = {}
    with matplotlib.rc_context(STYLE):
        figure = draw(panels, width)
        for form in formats:
            buffer = io.BytesIO()
            figure.savefig(buffer, format=form, dpi=200, metadata=_NO_DATES[form])
            made[form] = buffer.getvalue()
    return made


_NO_DATES: Mapping[str, Any] = {
    "svg": {"Date": None, "Creator": None, "Format": None, "Type": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "png": {"Software": None},
}
