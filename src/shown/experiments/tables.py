"""Tables of success: a line a method of a game, the floors last, and a cell for each part of the results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from shown.experiments.experiment import Table
from shown.experiments.figures import Series, methods
from shown.experiments.rows import Row
from shown.experiments.statistics import FLOORS, GENERATED, TEST, Pool, games_among, select, size, successes
from shown.experiments.words import MISSING_CELL, mean_between, percent, title

LEVELS = {TEST: "test levels", GENERATED: "generated levels"}

MEANS = (
    "Means with their 95 % intervals, by drawing the sets anew; none where both ends round to the same, as with a "
    f"single set. {MISSING_CELL}: no trials."
)


@dataclass(frozen=True)
class Part:
    """A column: which results are counted, on which levels, and whether the mean of them is told or the best."""

    head: str
    keeps: Callable[[Row], bool]
    kind: str
    pool: Pool = fmean


def demonstrated(count: int, kind: str, pool: Pool = fmean) -> Part:
    """The results from so many demonstrations.

    >>> demonstrated(5, TEST, max).head
    '5 shown, test levels, best set'
    """
    best = "" if pool is fmean else ", best set"
    return Part(f"{count:,} shown, {LEVELS[kind]}{best}", lambda row: size(row) == count, kind, pool)


def success_table(
    rows: Sequence[Row], games: Sequence[str], series: Sequence[Series], parts: Sequence[Part], caption: str
) -> Table:
    """Success by game and method. What learns nothing has one value, whatever was shown."""
    lines = [
        line
        for game in games_among(rows, games)
        for line in _lines(game, select(rows, game=game), [*series, *methods(FLOORS)], parts)
    ]
    return Table(("Game", "Method", "Trials", *(part.head for part in parts)), lines, caption)


def _lines(game: str, rows: Sequence[Row], series: Sequence[Series], parts: Sequence[Part]) -> Iterator[list[str]]:
    for each in series:
        mine = select(rows, **each.where)
        floor = each.where.get("method") in FLOORS
        counted = [mine if floor else [row for row in mine if part.keeps(row)] for part in parts]
        trials = len({row.key for part in counted for row in part})
        cells = [_cell(part, found, floor) for part, found in zip(parts, counted, strict=True)]
        yield [title(game), each.label, f"{trials:,}", *cells]


def _cell(part: Part, rows: Sequence[Row], floor: bool) -> str:
    values = successes(rows, part.kind)
    if not values or (floor and part.pool is not fmean):
        return MISSING_CELL
    return mean_between(values) if part.pool is fmean else percent(part.pool(values))
