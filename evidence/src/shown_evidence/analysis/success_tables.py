"""Tables of success: a line per game and method, random play last, and a cell per part of the results."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from shown_evidence.analysis import statistics as stats
from shown_evidence.analysis.figures import Series, methods
from shown_evidence.analysis.statistics import FLOORS, GENERATED, TEST, Pool, games_among, mean_with_interval, select
from shown_evidence.results.row import Row
from shown_evidence.trials.methods import METHODS, Method
from shown_evidence.wording import MISSING_CELL, listed, percent, title

LEVELS = {TEST: "test levels", GENERATED: "generated levels"}

MEANS = (
    "Means with 95 % bootstrap intervals over sets, omitted if both ends round to the same percentage. "
    f"{MISSING_CELL}: no trials."
)


@dataclass(frozen=True)
class Table:
    """A table of the report."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str


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
    return TableColumn(f"{count:,} shown, {LEVELS[kind]}{best}", lambda row: stats.size(row) == count, kind, pool)


def success_table(
    rows: Sequence[Row], games: Sequence[str], series: Sequence[Series], columns: Sequence[TableColumn], caption: str
) -> Table:
    """Return success by game and method; random play has one value for any number of demonstrations."""
    lines = [
        line
        for game in games_among(rows, games)
        for line in _lines(game, select(rows, game=game), [*series, *methods(FLOORS)], columns)
    ]
    given = what_each_is_given([each.where["method"] for each in series if "method" in each.where])
    return Table(
        ("Game", "Method", "Trials", *(column.head for column in columns)), lines, f"{caption} {MEANS} {given}"
    )


def difference_table(
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
            own, other = ([row for row in select(rows, method=name) if stats.size(row) in counts] for name in pair)
            difference = stats.paired_difference(own, other, GENERATED, overlap=max(counts) / of)
            cells.append(stats.difference_text(difference))
        lines.append([" − ".join(METHODS[name].label for name in pair), *cells])
    return Table(("Difference", *columns), lines, caption)


def by_size(rows: Sequence[Row], method: str, sizes: Sequence[int]) -> str:
    """Return the mean success of a method on generated levels from each number of demonstrations."""
    mine = select(rows, method=method)
    means = (stats.mean_success(stats.of_size(mine, size), GENERATED) for size in sizes)
    return " / ".join(map(percent, means)) if mine else MISSING_CELL


def what_each_is_given(names: Sequence[str]) -> str:
    """Return what compared methods learn from; nothing if all learn from the demonstrations alone.

    >>> what_each_is_given(["lpp", "dagger"])
    "Given: LPP: the demonstrations; DAgger (CNN): the demonstrations and the expert's answers on its own games."
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
    return mean_with_interval(values) if column.pool is fmean else percent(column.pool(values))
