"""Figures drawn with Matplotlib, for the page and for print.

A figure is laid out at its printed width, one column (3.3 inches) or two (6.9). Values are drawn at their height; lines
are moved to the side a little, so that equal values do not hide each other. Hollow marks are points with fewer results
than elsewhere; a cross below zero marks a point without results.
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.transforms import ScaledTranslation

from shown_evidence.analysis.figures import Axis, Line, Panel, Panels

SINGLE, DOUBLE = 3.3, 6.9
"""Width of one and of two columns of a printed page, in inches."""

FORMATS = ("svg", "pdf", "png")
INK = "#22303c"
STYLE = matplotlib.rc_params_from_file(Path(__file__).with_name("print.mplstyle"), use_default_template=False)

PANEL_HEIGHT = {SINGLE: 0.95, DOUBLE: 1.4}  # inches
MARK = {SINGLE: 2.2, DOUBLE: 3.2}  # size of a mark, in points
HANDLE = {SINGLE: 1.8, DOUBLE: 2.4}  # length of a line in the legend, in widths of its type
BOTTOM, TOP = -0.13, 1.08  # limits of a panel
MISSING_AT = -0.075  # height of the crosses for missing results
MAX_DODGE, MAX_STEP = 9.0, 2.0  # width of all marks at one x, and distance between two of them, in points


def draw(panels: Panels, width: float = DOUBLE) -> Figure:
    """Draw a figure at its printed width."""
    columns = min(panels.columns, len(panels.panels))
    count = -(-len(panels.panels) // columns)
    names = _legend(panels)
    in_a_row = _legend_columns([name for name, _ in names], width)
    height = PANEL_HEIGHT[width] * count + -(-len(names) // in_a_row) * 0.145 + 0.35
    figure = Figure(figsize=(width, height), layout="constrained")
    for place, axes in enumerate(figure.subplots(count, columns, squeeze=False).flat):
        if place >= len(panels.panels):
            axes.set_axis_off()
            continue
        _draw_panel(axes, panels.panels[place], width)
        _draw_axis(axes, panels.across, last=place + columns >= len(panels.panels))
        axes.set_ylim(BOTTOM, TOP)
        axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "", ".5", "", "1"])
        axes.tick_params(labelleft=place % columns == 0)
        if len(panels.up) > 1 and place % columns == 0:
            axes.set_ylabel(panels.up[place // columns].replace(", ", "\n"))
    if len(panels.up) == 1:
        figure.supylabel(panels.up[0])
    if panels.across.label:
        figure.supxlabel(panels.across.label)
    handles = [handle for _, handle in names]
    texts = [name for name, _ in names]
    figure.legend(handles, texts, loc="outside upper center", ncols=in_a_row, handlelength=HANDLE[width])
    return figure


# --- a panel ------------------------------------------------------------------------------------------------------


def _draw_panel(axes: Axes, panel: Panel, width: float) -> None:
    mark = MARK[width]
    axes.set_title(panel.title)
    for floor in panel.floors:
        axes.axhline(floor.height, linewidth=0.8, zorder=1.5, **floor.style)
    for line in panel.lines:
        if line.band is not None:
            axes.fill_between(line.xs, *line.band, color=line.style["color"], alpha=0.14, lw=0, zorder=1)
    figure = axes.get_figure()
    assert figure is not None
    for line, points in zip(panel.lines, dodged(panel.lines, width), strict=True):  # dashes lie on the solid lines
        moved: dict[str, Any] = {
            "transform": axes.transData + ScaledTranslation(points / 72, 0, figure.dpi_scale_trans)
        }
        axes.plot(line.xs, line.ys, **{"markersize": mark, **line.style}, **moved)
        hollow = [i for i, fewer in enumerate(line.fewer) if fewer]
        if hollow:
            xs, ys = ([values[i] for i in hollow] for values in (line.xs, line.ys))
            axes.plot(xs, ys, **_hollow(line.style, mark), **moved)
        axes.plot(line.missing, [MISSING_AT] * len(line.missing), **_cross(line.style["color"], mark), **moved)


def _hollow(style: Mapping[str, Any], mark: float) -> dict[str, Any]:
    """Return the style of a hollow mark, larger than a filled one to leave some white inside its rim."""
    rim = {"markersize": 1.5 * mark, "linestyle": "", "markerfacecolor": "white", "markeredgewidth": 0.7, "zorder": 6}
    return {**style, **rim}


def _cross(color: str, mark: float) -> dict[str, Any]:
    return {"color": color, "marker": "x", "linestyle": "", "markersize": mark, "markeredgewidth": 0.8, "zorder": 6}


def dodged(lines: Sequence[Line], width: float) -> list[float]:
    """Return how far each line is moved to the right, in points, so that equal values do not hide each other.

    Heights are never moved. Points without a line stay.

    >>> dodged([Line([1], [1.0], name, {}) for name in ("a", "b", "c")], DOUBLE)
    [-2.0, 0.0, 2.0]
    """
    drawn = [i for i, line in enumerate(lines) if line.style.get("linestyle") != ""]
    step = min(MAX_STEP, MAX_DODGE / max(len(drawn), 1)) * width / DOUBLE
    return [(drawn.index(i) - (len(drawn) - 1) / 2) * step if i in drawn else 0.0 for i in range(len(lines))]


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


# --- the legend ---------------------------------------------------------------------------------------------------


def _legend(panels: Panels) -> list[tuple[str, Any]]:
    """Return every name in the figure with its handle, for one legend above all panels."""
    lines = [line for panel in panels.panels for line in panel.lines]
    floors = [floor for panel in panels.panels for floor in panel.floors]
    entries = [
        *((line.label, Line2D([], [], **{"markersize": MARK[DOUBLE], **line.style})) for line in lines),
        *((floor.label, Line2D([], [], linewidth=0.8, **floor.style)) for floor in floors),
    ]
    names = list(dict(entries).items())
    if any(any(line.fewer) for line in lines):
        names.append(("fewer trials", Line2D([], [], **_hollow({"color": INK, "marker": "o"}, MARK[DOUBLE]))))
    if any(line.missing for line in lines):
        names.append(("no trials here", Line2D([], [], **_cross(INK, MARK[DOUBLE]))))
    return names


def _legend_columns(names: Sequence[str], width: float) -> int:
    """Return the number of names side by side that fit a legend of this width, in as few and even rows as possible.

    >>> _legend_columns(["LPP"] * 10, 3.3), _legend_columns(["a very long name of a method"] * 3, 3.3)
    (5, 1)
    """
    for rows in range(1, len(names) + 1):
        columns = -(-len(names) // rows)
        each, more = divmod(len(names), columns)  # Matplotlib puts the remainder into the first columns
        parts = [names[start:end] for start, end in pairwise(each * i + min(i, more) for i in range(columns + 1))]
        if sum(0.052 * max(map(len, part)) + 0.2 + 0.097 * HANDLE[width] for part in parts) <= width + 0.05:
            return columns
    return 1


# --- files --------------------------------------------------------------------------------------------------------


def svg(panels: Panels, prefix: str = "") -> str:
    """Draw a figure as an SVG element without header and date; `prefix` makes ids unique within a page."""
    text = files(panels, ("svg",))["svg"].decode()
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    for name in ("height", "width"):
        text = re.sub(rf'<svg ([^>]*?){name}="[^"]*"', r"<svg \1", text, count=1)
    return re.sub(r'(id="|url\(#|href="#)', rf"\g<1>{prefix}", text)


def files(panels: Panels, formats: Sequence[str] = FORMATS, width: float = DOUBLE) -> dict[str, bytes]:
    """Return the contents of a figure's files by format, without dates: the same bytes every time."""
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
