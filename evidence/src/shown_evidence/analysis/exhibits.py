"""What the report exhibits, as data: figures, which drawing.py draws, tables and pictures.

A figure is a grid of small panels with success, from 0 to 1, upwards.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from shown_evidence.analysis import statistics as stats
from shown_evidence.analysis.statistics import FLOORS, GENERATED, TEST, Pool, games_among, select, size
from shown_evidence.trials.learners import METHODS, Method
from shown_evidence.trials.row import Row
from shown_evidence.wording import MISSING_CELL, listed, percent, title


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
class Axis:
    """The horizontal axis of all panels of a figure, and the value of a result there."""

    label: str
    ticks: Sequence[float]
    value: Callable[[Row], float] = size
    logarithmic: bool = False


@dataclass(frozen=True)
class Plot:
    """A figure: panels by title, in reading order, each with the same lines.

    `up` labels their vertical axis, `name` ends the name of its file.
    """

    panels: Mapping[str, Sequence[Line]]
    up: str
    across: Axis
    caption: str
    name: str

    @property
    def empty(self) -> bool:
        """Whether the figure shows no results."""
        return not any(line.xs for lines in self.panels.values() for line in lines)


@dataclass(frozen=True)
class Table:
    """A table of the report."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str


@dataclass(frozen=True)
class Pictures:
    """Drawings side by side, each a trusted SVG with its text, and one caption."""

    pictures: Sequence[tuple[str, str]]
    caption: str


Exhibit = Plot | Table | Pictures


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
    panels = {
        column.label: [_line(label, select(mine, **column.where), view, across) for label, mine in drawn]
        for column in columns
    }
    shaded = " Shaded: 95 % bootstrap interval of the mean over sets." if view.pool is fmean else ""
    return Plot(panels, f"success, {view.label}", across, f"Success, {view.label}{ends}.{shaded}", view.name)


def _line(label: str, rows: Sequence[Row], view: LevelView, across: Axis) -> Line:
    found = stats.points(rows, across.value, view.kind)
    spans = [stats.interval(values) for values in found.values()] if view.pool is fmean else []
    band = [low for low, _ in spans], [high for _, high in spans]
    return Line(label, list(found), [view.pool(values) for values in found.values()], band)


# --- tables of results -----------------------------------------------------------------------------------------------


LEVELS = {TEST: "test levels", GENERATED: "generated levels"}

MEANS = (
    "Means with 95 % bootstrap intervals over sets, omitted if both ends round to the same percentage. "
    f"{MISSING_CELL}: no trials."
)


@dataclass(frozen=True)
class TableColumn:
    """A column: the results it counts, the kind of levels, and whether it shows their mean or the best."""

    head: str
    keeps: Callable[[Row], bool]
    kind: str
    pool: Pool = fmean


def demonstrated(count: int, kind: str, pool: Pool = fmean) -> TableColumn:
    """Return the column for a number of demonstrations.

    >>> demonstrated(5, TEST, max).head
    '5 shown, test levels, best set'
    """
    best = "" if pool is fmean else ", best set"
    return TableColumn(f"{count:,} shown, {LEVELS[kind]}{best}", lambda row: size(row) == count, kind, pool)


def success_table(
    rows: Sequence[Row], games: Sequence[str], series: Sequence[Series], columns: Sequence[TableColumn], caption: str
) -> Table:
    """Return success by game and method; random play has one value for any number of demonstrations."""
    lines = [
        line
        for game in games_among(rows, games)
        for line in _lines(game, select(rows, game=game), [*series, *methods(FLOORS)], columns)
    ]
    head = ("Game", "Method", "Trials", *(column.head for column in columns))
    return Table(head, lines, f"{caption} {MEANS} {what_each_is_given([each.where['method'] for each in series])}")


def differences(
    rows: Sequence[Row],
    pairs: Sequence[tuple[str, str]],
    columns: Mapping[str, Sequence[int]],
    caption: str,
    of: float = math.inf,
) -> Table:
    """Return the differences of success on generated levels between two methods, paired by demonstrations.

    Columns have numbers of demonstrations. Sets are disjoint, or all `of` the same number of levels, and so overlap.
    """
    lines = []
    for pair in pairs:
        cells = []
        for counts in columns.values():
            own, other = ([row for row in select(rows, method=name) if size(row) in counts] for name in pair)
            difference = stats.paired_difference(own, other, GENERATED, overlap=max(counts) / of)
            cells.append(stats.difference_text(difference))
        lines.append([" − ".join(METHODS[name].label for name in pair), *cells])
    return Table(("Difference", *columns), lines, caption)


def by_size(rows: Sequence[Row], method: str, sizes: Sequence[int]) -> str:
    """Return the mean success of a method on generated levels from each number of demonstrations."""
    mine = select(rows, method=method)
    means = (stats.mean_success(stats.of_size(mine, count), GENERATED) for count in sizes)
    return " / ".join(percent(mean).removesuffix(" %") for mean in means) + " %" if mine else MISSING_CELL


def what_each_is_given(names: Sequence[str]) -> str:
    """Return what compared methods learn from; nothing if all learn from the demonstrations alone.

    >>> what_each_is_given(["lpp", "random-sensible"])
    "Given: LPP: the demonstrations; Random sensible cell: the game's rules."
    """
    labels: dict[str, list[str]] = {}
    for name in dict.fromkeys(names):
        labels.setdefault(METHODS[name].given, []).append(METHODS[name].label)
    if list(labels) == [Method.given]:
        return "All methods are given the demonstrations and nothing else."
    return "Given: " + "; ".join(f"{listed(who)}: {given}" for given, who in labels.items()) + "."


def _lines(
    game: str, rows: Sequence[Row], series: Sequence[Series], columns: Sequence[TableColumn]
) -> Iterator[list[str]]:
    for each in series:
        mine = select(rows, **each.where)
        floor = each.where.get("method") in FLOORS
        counted = [mine if floor else [row for row in mine if column.keeps(row)] for column in columns]
        trials = len({row.key for part in counted for row in part})
        cells = [_cell(column, found, floor) for column, found in zip(columns, counted, strict=True)]
        yield [title(game), each.label, f"{trials:,}", *cells]


def _cell(column: TableColumn, rows: Sequence[Row], floor: bool) -> str:
    values = stats.successes(rows, column.kind)
    if not values or (floor and column.pool is not fmean):
        return MISSING_CELL
    return stats.mean_with_interval(values) if column.pool is fmean else percent(column.pool(values))
