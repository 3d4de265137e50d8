"""Selections of results, and means, curves and intervals over them."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from statistics import fmean, stdev
from typing import Any, TypeVar

import numpy as np

from shown_evidence.trials.row import Row
from shown_evidence.wording import MISSING_CELL, percent

K = TypeVar("K", bound=Hashable)

TEST, GENERATED, TRAIN = "test", "random", "train"
"""Kinds of scored levels: the paper's nine, generated ones, demonstrated ones."""

FLOORS = ("random", "random-sensible")
"""Methods that learn nothing and click at random."""

Pool = Callable[[Iterable[float]], float]
"""Reduces several successes to one: mean, maximum or minimum."""

LEAST_GAMES = 5
"""Games that a statement about all of them is judged on; the authors' levels are of five of the six."""

CLOSE = 0.005
"""Means that differ by less count as equal."""

BOOTSTRAP_DRAWS = 1000


# --- one result ---------------------------------------------------------------------------------------------------


def measured(row: Row) -> Mapping[str, Any]:
    """Return the measurements of a trial that succeeded."""
    if row.result is None:
        raise ValueError("a failed trial has no measurements")
    return row.result


def success(row: Row, kind: str = TEST) -> float:
    """Return the fraction of levels of a kind that were won; NaN if none were played."""
    found = [value for levels, value in measured(row)["success"].items() if levels.partition(":")[0] == kind]
    return fmean(found) if found else math.nan


def size(row: Row) -> int:
    """Return the number of demonstrations."""
    return int(measured(row)["demonstrations"])


def learn_seconds(row: Row) -> float:
    """Return how long learning took."""
    return float(row.work["learn_seconds"])


def programs(row: Row) -> int:
    """Return the number of programs (or policies) to enumerate."""
    return int(row.settings["options"]["programs"])


def fit(row: Row) -> float:
    """Return the fraction of demonstrated actions that the policy repeats."""
    return float(measured(row)["fit"])


def never_learned(row: Row) -> bool:
    """Return whether less than half of the demonstrated actions are repeated, as by a network with a bad start."""
    return fit(row) < 0.5


def learned(row: Row) -> Mapping[str, Any]:
    """Return the method's description of its policy."""
    description: Mapping[str, Any] = measured(row)["learned"]
    return description


def found(row: Row) -> bool:
    """Return whether anything explained the demonstrations; true for methods that do not report it."""
    return bool(learned(row).get("found", True))


# --- selections ---------------------------------------------------------------------------------------------------


def select(rows: Iterable[Row], **settings: Any) -> list[Row]:
    """Return the rows with these settings or options."""
    return [row for row in rows if all(_setting(row, name) == value for name, value in settings.items())]


def of_size(rows: Iterable[Row], count: int) -> list[Row]:
    """Return the rows with this number of demonstrations."""
    return [row for row in rows if size(row) == count]


def grouped(rows: Iterable[Row], key: Callable[[Row], K]) -> dict[K, list[Row]]:
    """Group rows by a key, in order of first appearance."""
    groups: dict[K, list[Row]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


def games_among(rows: Iterable[Row], games: Sequence[str]) -> list[str]:
    """Return the games that have results, in the given order."""
    found = {row.settings["game"] for row in rows}
    return [game for game in games if game in found]


def matched(*parts: Iterable[Row]) -> list[list[Row]]:
    """Restrict each part to the games and demonstrations that all parts have, for a fair comparison."""
    given = [list(part) for part in parts]
    common = set.intersection(*({_task(row) for row in part} for part in given))
    return [[row for row in part if _task(row) in common] for part in given]


def _task(row: Row) -> tuple[str, str]:
    return row.settings["game"], row.settings["levels"]


def _setting(row: Row, name: str) -> Any:
    return row.settings[name] if name in row.settings else row.settings["options"].get(name)


# --- means and curves ---------------------------------------------------------------------------------------------


def successes(rows: Iterable[Row], kind: str = TEST) -> list[float]:
    """Return the success of each result on levels of a kind, without those that played none."""
    return [value for row in rows if not math.isnan(value := success(row, kind))]


def mean_success(rows: Iterable[Row], kind: str = TEST) -> float:
    """Return the mean success; NaN without results."""
    found = successes(rows, kind)
    return fmean(found) if found else math.nan


def mean_over_games(rows: Iterable[Row], kind: str = TEST) -> float:
    """Return the mean over games of the mean success in each."""
    games = grouped(rows, lambda row: row.settings["game"])
    means = [mean for part in games.values() if not math.isnan(mean := mean_success(part, kind))]
    return fmean(means) if means else math.nan


def widest(rows: Sequence[Row]) -> str:
    """Return the kind of the larger number of levels that results have: generated ones, or else the test levels."""
    return GENERATED if successes(rows, GENERATED) else TEST


def points(rows: Iterable[Row], x: Callable[[Row], float], kind: str = TEST) -> dict[float, list[float]]:
    """Return the successes at each x, in order of x."""
    groups = grouped(rows, x)
    return {at: found for at in sorted(groups) if (found := successes(groups[at], kind))}


def curve(
    rows: Iterable[Row], x: Callable[[Row], float], kind: str = TEST, pool: Pool = fmean
) -> tuple[list[float], list[float]]:
    """Return all x in order, and the pooled success at each."""
    found = points(rows, x, kind)
    return list(found), [pool(values) for values in found.values()]


def first_perfect(rows: Iterable[Row], x: Callable[[Row], float], kind: str = TEST, pool: Pool = max) -> int | None:
    """Return the smallest x at which the pooled success is 1."""
    return next((int(at) for at, y in zip(*curve(rows, x, kind, pool), strict=True) if y >= 1), None)


def interval(values: Iterable[float], level: float = 0.95) -> tuple[float, float]:
    """Return the bootstrap interval of a mean, the same for the same values in any order.

    >>> interval([0.5, 0.5, 0.5])
    (0.5, 0.5)
    >>> low, high = interval([0.0, 1.0] * 10)
    >>> 0.2 < low < 0.5 < high < 0.8
    True
    """
    given = np.sort(np.array(list(values), dtype=float))
    if not len(given):
        return math.nan, math.nan
    draws = np.random.default_rng(0).integers(len(given), size=(BOOTSTRAP_DRAWS, len(given)))
    low, high = np.quantile(given[draws].mean(axis=1), [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


Difference = tuple[float, float, float]
"""A mean difference and its 95 % interval."""


def paired_difference(own: Iterable[Row], other: Iterable[Row], kind: str, overlap: float = 0.0) -> Difference:
    """Return the mean difference of success between two methods, paired by demonstrations, with Student's interval.

    A set of demonstrations has one difference, the mean over games and sizes: results of one set are not independent.
    `overlap` is the share of levels that two sets have in common on average, by which the variance is corrected
    (Nadeau and Bengio 2003). The interval is NaN with fewer than two sets.
    """
    pairs = [{_task(row): (_set_of(row), success(row, kind)) for row in rows} for rows in (own, other)]
    sets: dict[str, list[float]] = {}
    for task in pairs[0].keys() & pairs[1].keys():
        (name, mine), (_, theirs) = pairs[0][task], pairs[1][task]
        sets.setdefault(name, []).append(mine - theirs)
    return mean_and_interval([fmean(sets[name]) for name in sorted(sets)], overlap)


def mean_and_interval(values: Sequence[float], overlap: float = 0.0) -> Difference:
    """Return a mean with Student's 95 % interval, for values of sets that share a part of their levels.

    >>> [round(end, 2) for end in mean_and_interval([0.1, 0.2, 0.3])]
    [0.2, -0.05, 0.45]
    >>> [round(end, 2) for end in mean_and_interval([0.1, 0.2, 0.3], overlap=5 / 11)]
    [0.2, -0.26, 0.66]
    """
    count = len(values)
    if count < 2:
        return (values[0] if values else math.nan), math.nan, math.nan
    from scipy.stats import t

    wide = float(t.ppf(0.975, count - 1)) * stdev(values) * math.sqrt(1 / count + overlap / (1 - overlap))
    return fmean(values), fmean(values) - wide, fmean(values) + wide


def difference_text(difference: Difference) -> str:
    """Format a difference in percentage points.

    >>> difference_text((0.25, 0.105, 0.395)), difference_text((0.0, math.nan, math.nan))
    ('+25 (+10 to +40)', '+0')
    """
    if math.isnan(difference[0]):
        return MISSING_CELL
    mean, low, high = (f"{100 * value:+.0f}" for value in difference)
    return mean if math.isnan(difference[1]) else f"{mean} ({low} to {high})"


def _set_of(row: Row) -> str:
    """Return the name of a set: its first level if sets are generated ranges, which grow; otherwise all its levels."""
    levels: str = row.settings["levels"]
    return levels.partition("-")[0] if levels.startswith(GENERATED) else levels


def mean_with_interval(values: Iterable[float]) -> str:
    """Format a mean and, unless its ends round to the same percentage, its 95 % interval.

    >>> mean_with_interval([0.5, 0.5]), mean_with_interval([0.0, 1.0] * 8), mean_with_interval([])
    ('50 %', '50 % (25 to 75)', '–')
    """
    given = [value for value in values if not math.isnan(value)]
    if not given:
        return MISSING_CELL
    low, high = (f"{100 * end:.0f}" for end in interval(given))
    return percent(fmean(given)) + (f" ({low} to {high})" if low != high else "")
