"""Numbers and lists as text."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from shown.worlds import find

MISSING_CELL = "–"
"""The cell of a table without data."""


def percent(value: float) -> str:
    """Format a fraction; a dash if it is not a number.

    >>> percent(0.456), percent(0.998), percent(0.004), percent(1.0), percent(float("nan"))
    ('46 %', '99.8 %', '0.4 %', '100 %', '–')
    """
    if math.isnan(value):
        return MISSING_CELL
    near_an_end = 0 < value < 0.01 or 0.99 < value < 1
    return f"{100 * value:.1f} %" if near_an_end else f"{100 * value:.0f} %"


def title(game: str) -> str:
    """Return a game's title.

    >>> title("stop-the-fall")
    'Stop the Fall'
    """
    return find(game).title


def listed(words: Sequence[str]) -> str:
    """Join words into a list.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def by_game(texts: Mapping[str, str]) -> str:
    """Join one text per game into a line.

    >>> by_game({"nim": "46 %", "chase": "100 %"})
    'Nim 46 %, Chase 100 %'
    """
    return ", ".join(f"{title(game)} {text}" for game, text in texts.items())


def many(number: int, thing: str) -> str:
    """Format a number of things.

    >>> many(1, "bad row"), many(1200, "trial")
    ('1 bad row', '1,200 trials')
    """
    return f"{number:,} {thing}{'s' * (number != 1)}"
