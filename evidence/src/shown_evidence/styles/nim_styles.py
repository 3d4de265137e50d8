"""Styles of Nim.

The only way to win is to level the piles with every move, so styles differ in clicks on empty cells, which change
nothing: some point first, some miss, some click twice.
"""

from __future__ import annotations

import numpy as np

from shown.grid import Cell, Grid
from shown.worlds.episodes import Player
from shown.worlds.games.game import EMPTY, the
from shown.worlds.games.nim import STICK, optimal_moves
from shown_evidence.styles import after, any_of, each_time, styles


def _level(grid: Grid) -> Cell:
    """Return the matchstick whose removal levels the piles."""
    return optimal_moves(grid)[0]


def _beside(grid: Grid) -> Cell:
    """Return the empty cell beside that matchstick."""
    row, column = _level(grid)
    return row, 1 - column


def _starts_above(level: Grid, rng: np.random.Generator) -> Player:
    row, column = the(level, STICK)
    return after([(row - 1, column)] if row else [], _level)


STYLES = styles(
    "nim",
    ("points-first", "Clicks the empty cell beside the first matchstick to take, then plays.",
     lambda level, rng: after([_beside(level)], _level)),
    ("points-every-time", "Clicks the empty cell beside each matchstick before taking it.",
     lambda level, rng: each_time(lambda grid: [_beside(grid), _level(grid)])),
    ("starts-above", "Starts with a click on the empty cell above the taller pile.", _starts_above),
    ("starts-anywhere", "Starts with a click on a random empty cell.",
     lambda level, rng: after([any_of(level.where(EMPTY), rng)], _level)),
    ("slips", "One click in five lands on a random empty cell.",
     lambda level, rng: lambda grid: any_of(grid.where(EMPTY), rng) if rng.random() < 0.2 else _level(grid)),
    ("slips-aside", "One click in four lands beside the intended matchstick.",
     lambda level, rng: lambda grid: _beside(grid) if rng.random() < 0.25 else _level(grid)),
    ("clicks-twice", "Clicks every matchstick twice; the second click lands on the empty cell.",
     lambda level, rng: each_time(lambda grid: [_level(grid)] * 2)),
)  # fmt: skip
