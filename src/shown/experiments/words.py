"""How figures and claims are put into words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

from shown.experiments.rows import Row
from shown.experiments.statistics import games_among, interval
from shown.games import find


def percent(value: float) -> str:
    """A fraction as people read it; a dash where there is none.

    >>> percent(0.456), percent(0.998), percent(0.004), percent(1.0), percent(float("nan"))
    ('46 %', '99.8 %', '0.4 %', '100 %', '–')
    """
    if math.isnan(value):
        return MISSING_CELL
    nearly = 0 < value < 0.01 or 0.99 < value < 1  # neither none nor all
    return f"{100 * value:.1f} %" if nearly else f"{100 * value:.0f} %"


MISSING_CELL = "–"
"""What stands in a table where there is nothing to tell."""


def mean_between(values: Iterable[float]) -> str:
    """The mean of some fractions and where it lies with 95 % confidence, where that is not all one in whole percents.

    >>> mean_between([0.5, 0.5]), mean_between([0.0, 1.0] * 8), mean_between([])
    ('50 %', '50 % (25 to 75)', '–')
    """
    given = [value for value in values if not math.isnan(value)]
    if not given:
        return MISSING_CELL
    low, high = (f"{100 * end:.0f}" for end in interval(given))
    return percent(fmean(given)) + (f" ({low} to {high})" if low != high else "")


def title(game: str) -> str:
    """A game's name as people write it.

    >>> title("stop-the-fall")
    'Stop the Fall'
    """
    return find(game).title


def listed(words: Sequence[str]) -> str:
    """
    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def by_game(texts: Mapping[str, str]) -> str:
    """What was found in each game, in one line.

    >>> by_game({"nim": "46 %", "chase": "100 %"})
    'Nim 46 %, Chase 100 %'
    """
    return ", ".join(f"{title(game)} {text}" for game, text in texts.items())


def count(number: int | None) -> str:
    """
    >>> count(1000), count(None)
    ('1,000', 'never')
    """
    return "never" if number is None else f"{number:,}"


def many(number: int, thing: str) -> str:
    """
    >>> many(1, "bad row"), many(1200, "trial")
    ('1 bad row', '1,200 trials')
    """
    return f"{number:,} {thing}{'s' * (number != 1)}"


def where_only(rows: Sequence[Row], games: Sequence[str]) -> str:
    """What is added to a mean over games that has results of some of them only.

    >>> where_only([], ["nim"])
    ' (0 games only)'
    """
    count = len(games_among(rows, games))
    return "" if count == len(games) else f" ({many(count, 'game')} only)"
