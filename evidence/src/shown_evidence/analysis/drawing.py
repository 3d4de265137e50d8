"""Figures drawn with Matplotlib as SVG, at the width of a printed page.

Values are drawn at their height; lines are moved to the side a little, so that equal values do not hide each other.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from pathlib import Path

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.transforms import ScaledTranslation

from shown_evidence.analysis.figures import STYLES, Line, Panel, Plot
from shown_evidence.trials.methods import METHODS

STYLE = matplotlib.rc_params_from_file(Path(__file__).with_name("print.mplstyle"), use_default_template=False)

WIDTH, PANEL_HEIGHT, LEGEND_LINE = 6.9, 1.4, 0.145  # inches
COLUMNS = 3  # of panels, and of the legend
BOTTOM, TOP = -0.05, 1.08  # limits of a panel
MAX_DODGE, MAX_STEP = 9.0, 2.0  # width of all marks at one x, and distance between two of them, in points
FLOOR_WIDTH = 0.8  # points


def draw(plot: Plot) -> Figure:
    """Draw a figure at its printed width."""
    columns = min(COLUMNS, len(plot.panels))
    count = -(-len(plot.panels) // columns)
    legend = _legend(plot)
    height = PANEL_HEIGHT * count + -(-len(legend) // COLUMNS) * LEGEND_LINE + 0.35
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    for place, axes in enumerate(figure.subplots(count, columns, squeeze=False).flat):
        if place >= len(plot.panels):
            axes.set_axis_off()
            continue
        _draw_panel(figure, axes, plot.panels[place])
        if plot.across.logarithmic:
            axes.set_xscale("log")
        axes.set_xticks(plot.across.ticks, [f"{tick:,}" for tick in plot.across.ticks])
        axes.minorticks_off()
        axes.set_ylim(BOTTOM, TOP)
        axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "", ".5", "", "1"])
        axes.tick_params(labelleft=place % columns == 0, labelbottom=place + columns >= len(plot.panels))
    figure.supylabel(plot.up)
    figure.supxlabel(plot.across.label)
    figure.legend(list(legend.values()), list(legend), loc="outside upper center", ncols=COLUMNS)
    return figure


def _draw_panel(figure: Figure, axes: Axes, panel: Panel) -> None:
    axes.set_title(panel.title)
    for method, height in panel.floors.items():
        axes.axhline(height, linewidth=FLOOR_WIDTH, zorder=1.5, **STYLES[method])
    for line, points in zip(panel.lines, dodged(panel.lines), strict=True):
        if line.band is not None:
            axes.fill_between(line.xs, *line.band, color=line.style["color"], alpha=0.14, lw=0, zorder=1)
        moved = axes.transData + ScaledTranslation(points / 72, 0, figure.dpi_scale_trans)
        axes.plot(line.xs, line.ys, transform=moved, **line.style)


def dodged(lines: Sequence[Line]) -> list[float]:
    """Return how far each line is moved to the right, in points, so that equal values do not hide each other.

    Heights are never moved. Marks without a line and lines without marks stay.

    >>> dodged([Line([1], [1.0], name, {"marker": "o", "linestyle": "-"}) for name in ("a", "b", "c")])
    [-2.0, 0.0, 2.0]
    """
    moving = [i for i, line in enumerate(lines) if line.style.get("marker") and line.style.get("linestyle")]
    step = min(MAX_STEP, MAX_DODGE / max(len(moving), 1))
    return [(moving.index(i) - (len(moving) - 1) / 2) * step if i in moving else 0.0 for i in range(len(lines))]


def _legend(plot: Plot) -> dict[str, Line2D]:
    """Return a handle for every name in the figure, for one legend above all panels."""
    lines = {line.label: Line2D([], [], **line.style) for panel in plot.panels for line in panel.lines}
    floors = dict.fromkeys(method for panel in plot.panels for method in panel.floors)
    return {**lines, **{METHODS[name].label: Line2D([], [], linewidth=FLOOR_WIDTH, **STYLES[name]) for name in floors}}


def svg_file(plot: Plot) -> bytes:
    """Return the content of a figure's SVG file, without a date: the same bytes every time."""
    with matplotlib.rc_context(STYLE):
        buffer = io.BytesIO()
        draw(plot).savefig(buffer, format="svg", metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")))
    return buffer.getvalue()


def svg_element(plot: Plot, prefix: str) -> str:
    """Return a figure as an SVG element without a size of its own; `prefix` makes ids unique within a page."""
    text = svg_file(plot).decode()
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    for name in ("height", "width"):
        text = re.sub(rf'<svg ([^>]*?){name}="[^"]*"', r"<svg \1", text, count=1)
    return re.sub(r'(id="|url\(#|href="#)', rf"\g<1>{prefix}", text)
