"""Every figure: what is in it, as data. How that is put on paper is in drawing.py.

A figure is a handful of small panels (`Panels`), six games in 2 × 3, in which success, from 0 to 1, goes upwards.
`success_panels` makes one from results: a panel for each view and column, a line for each series. `success_bars` does
the same with bars. What there is no result for is said in the figure: see `Line`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Any

from shown.experiments.rows import Row
from shown.experiments.statistics import (
    FLOORS,
    GENERATED,
    TEST,
    Pool,
    interval,
    points,
    select,
    successes,
    training_sets_of,
)
from shown.experiments.trials import METHODS
from shown.experiments.words import many, title
from shown.games import GAMES

_DASHED, _DOTTED, _DASH_DOT, _LONG = (0, (4, 1.3)), (0, (1.2, 1.2)), (0, (4, 1.2, 1, 1.2)), (0, (7, 1.5))

STYLES: Mapping[str, dict[str, Any]] = {
    "lpp": {"color": "#0072b2", "marker": "o", "linestyle": "-"},
    "shown": {"color": "#d55e00", "marker": "P", "linestyle": "-"},
    "vpi": {"color": "#009e73", "marker": "s", "linestyle": _DASHED},
    "vpi-best": {"color": "#117733", "marker": "X", "linestyle": _DOTTED},
    "lln": {"color": "#cc79a7", "marker": "D", "linestyle": _DASH_DOT},
    "lln-highest": {"color": "#aa4499", "marker": "d", "linestyle": _DOTTED},
    "fcn": {"color": "#e69f00", "marker": "^", "linestyle": _LONG},
    "cnn": {"color": "#56b4e9", "marker": "v", "linestyle": _DASHED},
    "dagger": {"color": "#cc6677", "marker": ">", "linestyle": _DASHED},
    "boosted": {"color": "#332288", "marker": "*", "linestyle": _LONG},
    "features-nn": {"color": "#a6761d", "marker": "<", "linestyle": _LONG},
    "features-nn-l1": {"color": "#d9b26a", "marker": ">", "linestyle": _DASH_DOT},
    "no-prior": {"color": "#666666", "marker": "h", "linestyle": _DASHED},
    "no-prior-any": {"color": "#bbbbbb", "marker": "H", "linestyle": _DOTTED},
    "sparsity-prior": {"color": "#999933", "marker": "p", "linestyle": _DASH_DOT},
    "lpp-duplicates": {"color": "#88ccee", "marker": "8", "linestyle": _DASHED},
    "random": {"color": "#9a9a9a", "linestyle": (0, (1, 1.5))},
    "random-sensible": {"color": "#6b6b6b", "linestyle": (0, (5, 2))},
}
"""One colour, mark and line for each method, in every figure. The colours are of the palettes of Okabe and Ito and of
Tol, made for all who see colours differently; marks and dashes tell the methods apart without colour too."""


# --- what a figure is ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Line:
    """A curve with its name in the legend.

    Attributes:
        xs, ys: its points. [N]
        label: its name.
        style: how it looks.
        band: the lower and upper edge of a shaded area around it. [N], [N]
        fewer: which points are of fewer results than the same line has there in another panel; drawn hollow. [N]
        missing: where this panel has no result and another has one; marked below zero.
    """

    xs: Sequence[float]
    ys: Sequence[float]
    label: str
    style: Mapping[str, Any]
    band: tuple[Sequence[float], Sequence[float]] | None = None
    fewer: Sequence[bool] = ()
    missing: Sequence[float] = ()


@dataclass(frozen=True)
class Bar:
    """A bar at a place along the axis, filled or open; `height` None: there is no result. `span` is the mean's.

    `fewer`: it is of fewer results than the same bar has in another panel.
    """

    at: float
    height: float | None
    label: str
    color: str
    filled: bool = True
    span: tuple[float, float] | None = None
    fewer: bool = False


@dataclass(frozen=True)
class Floor:
    """What needs no learning wins so much: a thin line from side to side; `height` None: there is no result."""

    height: float | None
    label: str
    style: Mapping[str, Any]


@dataclass(frozen=True)
class Panel:
    """One small diagram."""

    title: str = ""
    lines: Sequence[Line] = ()
    bars: Sequence[Bar] = ()
    floors: Sequence[Floor] = ()


@dataclass(frozen=True)
class Axis:
    """What goes to the right, the same in all panels of a figure.

    Attributes:
        label: written once, below.
        ticks: where the marks are, with `names` where the numbers will not do.
        logarithmic: each step is a factor.
        limits: from where to where; fitted to the data without them.
    """

    label: str
    ticks: Sequence[float]
    names: Sequence[str] | None = None
    logarithmic: bool = False
    limits: tuple[float, float] | None = None


@dataclass(frozen=True)
class Panels:
    """A figure: small diagrams in reading order.

    Attributes:
        panels: the diagrams.
        up: what goes upwards: written once, or once a row where there are several.
        across: the axis to the right.
        columns: how many diagrams stand side by side.
    """

    panels: Sequence[Panel]
    up: Sequence[str]
    across: Axis
    columns: int = 3

    @property
    def empty(self) -> bool:
        """Whether there is nothing to see in it."""
        return not any(line.xs for panel in self.panels for line in panel.lines) and not any(
            bar.height is not None for panel in self.panels for bar in panel.bars
        )


# --- figures of results -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class View:
    """What is shown of results: pooled success on a kind of levels; `spread` shades the interval of the mean."""

    label: str
    kind: str
    pool: Pool = fmean
    spread: bool = False


NINE, HUNDRED = (View("9 test levels", TEST, spread=True), View("100 generated levels", GENERATED, spread=True))
ON_BOTH = (NINE, HUNDRED)

SHADED = "Shaded: the mean's 95 % interval, by drawing the sets anew."


@dataclass(frozen=True)
class Column:
    """What a panel shows: the results with these settings."""

    title: str
    where: Mapping[str, Any]


@dataclass(frozen=True)
class Series:
    """What a line shows: the results with these settings."""

    label: str
    where: Mapping[str, Any]
    style: Mapping[str, Any] = field(default_factory=dict)


def games(names: Iterable[str]) -> list[Column]:
    """A panel a game."""
    return [Column(title(name), {"game": name}) for name in names]


def methods(names: Iterable[str]) -> list[Series]:
    """A line a method, each in its own style.

    >>> [series.label for series in methods(["vpi", "fcn"])]
    ['VPI', 'FCN']
    """
    return [Series(label(name), {"method": name}, STYLES[name]) for name in names]


def with_sets(series: Iterable[Series], rows: Sequence[Row]) -> list[Series]:
    """The same lines; one that learned from fewer training sets than another says so in the legend."""
    counted = [(each, training_sets_of(select(rows, **each.where))) for each in series]
    most = max((sets for _, sets in counted), default=0)
    return [
        replace(each, label=f"{each.label}, {many(sets, 'set')}") if 0 < sets < most else each for each, sets in counted
    ]


def label(method: str) -> str:
    """What figures and tables call a method; its own name where nobody here knows it."""
    return METHODS[method].label if method in METHODS else method


def floors(rows: Sequence[Row], kind: str, **where: Any) -> list[Floor]:
    """What clicking at random wins of a kind of levels. A floor depends on the game alone, not on what was shown."""
    where = {name: value for name, value in where.items() if name == "game"}
    if where.get("game", "nim") not in GAMES:  # a world with buttons, and nothing to click
        return []
    found = [(method, successes(select(rows, method=method, **where), kind)) for method in FLOORS]
    return [Floor(fmean(values) if values else None, label(method), STYLES[method]) for method, values in found]


def success_panels(
    rows: Sequence[Row],
    x: Callable[[Row], float],
    columns: Sequence[Column],
    series: Sequence[Series],
    views: Sequence[View],
    across: Axis,
) -> Panels:
    """Success against `x`: a panel a column; with several views a row of panels each."""
    cells = [(view, column) for view in views for column in columns]
    lines = [_lines(rows, x, each, cells) for each in series]
    panels = [
        Panel(
            column.title if view is views[0] else "",  # once, above
            [line[number] for line in lines],
            floors=floors(rows, view.kind, **column.where),
        )
        for number, (view, column) in enumerate(cells)
    ]
    side_by_side = 3 if len(views) == 1 else len(columns)
    names = [view.label if len(views) == 1 else view.label.removesuffix(" levels") for view in views]
    return Panels(panels, [f"success, {name}" for name in names], across, side_by_side)


def _lines(
    rows: Sequence[Row], x: Callable[[Row], float], series: Series, cells: Sequence[tuple[View, Column]]
) -> list[Line]:
    """A series in every panel: what one of them has and another lacks is missing there."""
    mine = select(rows, **series.where)
    found = [points(select(mine, **column.where), x, view.kind) for view, column in cells]
    most = {at: max(len(part.get(at, ())) for part in found) for part in found for at in part}
    lines = []
    for part, (view, _) in zip(found, cells, strict=True):
        spans = [interval(values) for values in part.values()]
        lines.append(
            Line(
                list(part),
                [view.pool(values) for values in part.values()],
                series.label,
                series.style,
                ([low for low, _ in spans], [high for _, high in spans]) if view.spread and spans else None,
                [len(values) < most[at] for at, values in part.items()],
                sorted(most.keys() - part.keys()),
            )
        )
    return lines


def success_bars(rows: Sequence[Row], columns: Sequence[Column], series: Sequence[Series], up: str) -> Panels:
    """Mean success of each series, a panel a column. Filled bars: the test levels. Open ones: generated levels."""
    bars = [
        _bars(select(rows, **each.where), bar, kind, columns)
        for place, each in enumerate(series)
        for kind, shift in ((TEST, -0.2), (GENERATED, 0.2))
        for bar in (Bar(place + shift, None, each.label, each.style["color"], kind == TEST),)
    ]
    panels = [
        Panel(column.title, bars=[bar[number] for bar in bars], floors=floors(rows, TEST, **column.where))
        for number, column in enumerate(columns)
    ]
    return Panels(panels, [up], Axis("", (), limits=(-0.6, len(series) - 0.4)))


def _bars(rows: Sequence[Row], bar: Bar, kind: str, columns: Sequence[Column]) -> list[Bar]:
    """A bar in every panel."""
    found = [successes(select(rows, **column.where), kind) for column in columns]
    most = max(map(len, found), default=0)
    return [
        replace(bar, height=fmean(values), span=interval(values), fewer=len(values) < most) if values else bar
        for values in found
    ]
