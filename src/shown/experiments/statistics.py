"""What is counted: which results are looked at together, and the curves and means over them."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any, TypeVar

import numpy as np

from shown.experiments.rows import Row
from shown.experiments.trials import METHODS

K = TypeVar("K", bound=Hashable)

TEST, GENERATED, TRAIN = "test", "random", "train"
"""The kinds of levels a policy is scored on: the nine of the paper, generated ones, and those it was shown."""

FLOORS = ("random", "random-sensible")
"""Methods that learn nothing and click at random: what any success is to be held against."""

Pool = Callable[[Iterable[float]], float]
"""How several successes become one: their mean, greatest or least."""


CLOSE = 0.005
"""Means that differ by less are called equal."""

DRAWS = 1000
"""So many times values are drawn anew to see how far their mean may lie off."""


# --- one result ---------------------------------------------------------------------------------------------------


def success(row: Row, kind: str = TEST) -> float:
    """The fraction of levels of a kind that were won; not a number if it played none."""
    found = [value for levels, value in measured(row)["success"].items() if levels.partition(":")[0] == kind]
    return fmean(found) if found else math.nan


def size(row: Row) -> int:
    """The number of demonstrations learned from."""
    return int(measured(row)["demonstrations"])


def programs(row: Row) -> int:
    """The number of programs (or whole policies) that were to be enumerated."""
    return int(row.settings["options"]["programs"])


def fit(row: Row) -> float:
    """The fraction of demonstrated actions that the learned policy repeats."""
    return float(measured(row)["fit"])


def never_learned(row: Row) -> bool:
    """Whether a method repeats less than half of what it was shown, as a network does whose start was unlucky."""
    return fit(row) < 0.5


def found(row: Row) -> bool:
    """Whether anything explained the demonstrations; a method that does not say has found something."""
    return bool(measured(row)["learned"].get("found", True))


def literals(row: Row) -> int | None:
    """The top-level programs of the best rule, where there is one."""
    size = measured(row)["learned"].get("top_level_programs")
    return int(size) if size is not None and found(row) else None


def learning_time(row: Row) -> float:
    """The seconds that learning took."""
    return float(measured(row)["seconds"]["learn"])


def measured(row: Row) -> Mapping[str, Any]:
    """What a trial that ended well has measured."""
    if row.result is None:
        raise ValueError("a trial that failed has measured nothing")
    return row.result


# --- selections ---------------------------------------------------------------------------------------------------


def select(rows: Iterable[Row], **settings: Any) -> list[Row]:
    """The rows with these settings; names that are not a trial's own are looked up among its method's options."""
    return [row for row in rows if all(_setting(row, name) == value for name, value in settings.items())]


def of_size(rows: Iterable[Row], least: int, most: int | None = None) -> list[Row]:
    """The rows that learned from `least` to `most` demonstrations; from exactly `least`, unless told otherwise."""
    return [row for row in rows if least <= size(row) <= (least if most is None else most)]


def grouped(rows: Iterable[Row], key: Callable[[Row], K]) -> dict[K, list[Row]]:
    """Rows by a key, in the order of first appearance."""
    groups: dict[K, list[Row]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


def games_among(rows: Iterable[Row], games: Sequence[str]) -> list[str]:
    """Those of the games that have results, in the order given."""
    found = {row.settings["game"] for row in rows}
    return [game for game in games if game in found]


def alike(*parts: Iterable[Row]) -> list[list[Row]]:
    """Only like with like: of each part, what learned the same games from the same demonstrations as the others."""
    given = [list(part) for part in parts]
    common = set.intersection(*({_task(row) for row in part} for part in given))
    return [[row for row in part if _task(row) in common] for part in given]


def training_sets_of(rows: Iterable[Row]) -> int:
    """How many sets of demonstrations of one game and size were learned from, where they are most."""
    groups = grouped(rows, lambda row: (row.settings["game"], size(row)))
    return max((len({row.settings["levels"] for row in part}) for part in groups.values()), default=0)


def has_standard_options(settings: Mapping[str, Any], *except_for: str) -> bool:
    """Whether a trial's options are those its method has by default, leaving aside the ones named."""
    method = METHODS.get(settings["method"])
    own = {} if method is None else method.options
    return all(settings["options"].get(name) == value for name, value in own.items() if name not in except_for)


def _task(row: Row) -> tuple[str, str]:
    return row.settings["game"], row.settings["levels"]


def _setting(row: Row, name: str) -> Any:
    return row.settings[name] if name in row.settings else row.settings["options"].get(name)


# --- means and curves ---------------------------------------------------------------------------------------------


def mean_success(rows: Iterable[Row], kind: str = TEST) -> float:
    """The mean success; not a number without any."""
    found = successes(rows, kind)
    return fmean(found) if found else math.nan


def mean_over_games(rows: Iterable[Row], kind: str = TEST) -> float:
    """The mean over games of the mean success in each: a game with more trials counts no more."""
    games = grouped(rows, lambda row: row.settings["game"])
    means = [mean for part in games.values() if not math.isnan(mean := mean_success(part, kind))]
    return fmean(means) if means else math.nan


def successes(rows: Iterable[Row], kind: str = TEST) -> list[float]:
    """The success of each result that played levels of this kind."""
    return [value for row in rows if not math.isnan(value := success(row, kind))]


def points(rows: Iterable[Row], x: Callable[[Row], float], kind: str = TEST) -> dict[float, list[float]]:
    """For each x, in order, the successes of the results there."""
    groups = grouped(rows, x)
    return {at: found for at in sorted(groups) if (found := successes(groups[at], kind))}


def curve(
    rows: Iterable[Row], x: Callable[[Row], float], kind: str = TEST, pool: Pool = fmean
) -> tuple[list[float], list[float]]:
    """A curve: for each x, in order, the pooled success of the results there."""
    found = points(rows, x, kind)
    return list(found), [pool(values) for values in found.values()]


def interval(values: Iterable[float], level: float = 0.95) -> tuple[float, float]:
    """Between which values the mean lies, by the bootstrap: the same values always give the same.

    >>> interval([0.5, 0.5, 0.5])
    (0.5, 0.5)
    >>> low, high = interval([0.0, 1.0] * 10)
    >>> 0.2 < low < 0.5 < high < 0.8
    True
    """
    given = np.sort(np.array(list(values), dtype=float))  # in whichever order they come
    if not len(given):
        return math.nan, math.nan
    draws = np.random.default_rng(0).integers(len(given), size=(DRAWS, len(given)))
    low, high = np.quantile(given[draws].mean(axis=1), [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def first_perfect(rows: Iterable[Row], x: Callable[[Row], float], kind: str = TEST, pool: Pool = max) -> int | None:
    """The smallest x at which the pooled success is 1."""
    return next((int(at) for at, y in zip(*curve(rows, x, kind, pool), strict=True) if y >= 1), None)
