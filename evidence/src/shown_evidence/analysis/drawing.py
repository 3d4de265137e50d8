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
from matplotlib.transforms import ScaledTranslation

from shown_evidence.analysis.exhibits import Line, Plot

STYLE = matplotlib.rc_params_from_file(Path(__file__).with_name("print.mplstyle"), use_default_template=False)
"""Its cycle of colors, of the palettes by Okabe and Ito and by Tol, suits color-blind readers; marks and dashes
distinguish lines without color too."""

WIDTH, PANEL_HEIGHT, LEGEND_LINE = 6.9, 1.4, 0.145  # inches
COLUMNS = 3  # of panels, and of the legend
BOTTOM, TOP = -0.05, 1.08  # limits of a panel
MAX_DODGE, MAX_STEP = 9.0, 2.0  # width of all marks at one x, and distance between two of them, in points


def draw(plot: Plot) -> Figure:
    """Draw a figure at its printed width."""
    columns = min(COLUMNS, len(plot.panels))
    count, legend = -(-len(plot.panels) // columns), -(-max(map(len, plot.panels.values())) // COLUMNS)
    figure = Figure(figsize=(WIDTH, PANEL_HEIGHT * count + LEGEND_LINE * legend + 0.35), layout="constrained")
    grid = figure.subplots(count, columns, squeeze=False).flat
    for place, (axes, (title, lines)) in enumerate(zip(grid, plot.panels.items(), strict=False)):
        axes.set_title(title)
        _draw_lines(figure, axes, lines)
        if plot.across.logarithmic:
            axes.set_xscale("log")
        axes.set_xticks(plot.across.ticks, [f"{tick:,}" for tick in plot.across.ticks])
        axes.minorticks_off()
        axes.set_ylim(BOTTOM, TOP)
        axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "", ".5", "", "1"])
        axes.tick_params(labelleft=place % columns == 0, labelbottom=place + columns >= len(plot.panels))
    for axes in grid[len(plot.panels) :]:
        axes.set_axis_off()
    figure.supylabel(plot.up)
    figure.supxlabel(plot.across.label)
    figure.legend(*grid[0].get_legend_handles_labels(), loc="outside upper center", ncols=COLUMNS)
    return figure


def _draw_lines(figure: Figure, axes: Axes, lines: Sequence[Line]) -> None:
    for line, points in zip(lines, dodged(len(lines)), strict=True):
        moved = axes.transData + ScaledTranslation(points / 72, 0, figure.dpi_scale_trans)
        (drawn,) = axes.plot(line.xs, line.ys, transform=moved, label=line.label)
        if line.band[0]:
            axes.fill_between(line.xs, *line.band, color=drawn.get_color(), alpha=0.14, lw=0, zorder=1)


def dodged(count: int) -> list[float]:
    """Return how far each line is moved to the right, in points, so that equal values do not hide each other.

    >>> dodged(3)
    [-2.0, 0.0, 2.0]
    """
    step = min(MAX_STEP, MAX_DODGE / max(count, 1))
    return [(place - (count - 1) / 2) * step for place in range(count)]


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
