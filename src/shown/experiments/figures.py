"""How figures look: one colour, mark and line for each method, in every figure."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from shown.errors import MissingExtra

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STYLES: Mapping[str, dict[str, Any]] = {
    "lpp": {"color": "#0b6aa2", "marker": "o", "linewidth": 2.4, "zorder": 5},
    "vpi": {"color": "#2a9d6f", "marker": "s", "linestyle": (0, (5, 1.5))},
    "fcn": {"color": "#d97706", "marker": "^", "linestyle": "-"},
    "cnn": {"color": "#b4345a", "marker": "v", "linestyle": (0, (3, 1, 1, 1))},
    "lln": {"color": "#7d7d85", "marker": "D", "linestyle": (0, (1.2, 1.2))},
    "features-nn": {"color": "#d97706", "marker": "^"},
    "features-nn-l1": {"color": "#b4345a", "marker": "v"},
    "no-prior": {"color": "#7d7d85", "marker": "D"},
    "sparsity-prior": {"color": "#2a9d6f", "marker": "s"},
}
"""Distinguishable without colour too: each has its own mark."""

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


def panels(rows: int, columns: int, width: float = 2.35, height: float = 2.1) -> tuple[Figure, list[list[Axes]]]:
    """A grid of small panels."""
    from matplotlib.figure import Figure as NewFigure

    figure = NewFigure(figsize=(width * columns + 0.4, height * rows + 0.5), layout="constrained")
    return figure, [list(row) for row in figure.subplots(rows, columns, squeeze=False)]


def success_axis(axes: Axes, label: str | None = None) -> None:
    axes.set_ylim(-0.04, 1.04)
    axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "", ".5", "", "1"])
    if label:
        axes.set_ylabel(label)


def legend(figure: Figure, axes: Axes, columns: int = 5) -> None:
    """One legend for all panels, above them."""
    handles, labels = axes.get_legend_handles_labels()
    if handles:
        figure.legend(handles, labels, loc="outside upper center", ncols=columns, frameon=False)


def svg(draw: Callable[[], Figure], prefix: str = "") -> str:
    """Draws a figure as an SVG element to put into a page: no header, no date, the same bytes every time.

    Ids get the prefix, so that several figures can stand in one page.
    """
    try:
        import matplotlib
    except ImportError:
        raise MissingExtra("Matplotlib", "report") from None
    buffer = io.StringIO()
    with matplotlib.rc_context(STYLE):
        draw().savefig(buffer, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    text = buffer.getvalue()
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    text = re.sub(r'<svg ([^>]*?)height="[^"]*"', r"<svg \1", text, count=1)
    text = re.sub(r'<svg ([^>]*?)width="([^"]*)"', r'<svg \1style="max-width: \2"', text, count=1)
    return re.sub(r'(id="|url\(#|href="#)', rf"\g<1>{prefix}", text)
