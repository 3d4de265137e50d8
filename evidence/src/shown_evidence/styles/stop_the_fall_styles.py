"""Styles of Stop the Fall: blocks fall as well, so only their number below the parachuter matters."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from shown.grid import Cell, Grid
from shown.worlds import find_game
from shown.worlds.episodes import Player
from shown.worlds.games.game import EMPTY, the
from shown.worlds.games.stop_the_fall import BUTTON, NEW, PARACHUTER
from shown_evidence.styles.style import Begin, shuffled, styles

RULES = find_game("stop-the-fall")

Plan = Callable[[list[Cell], int, np.random.Generator], list[Cell]]
"""Maps the column below the parachuter (top first) and the number of blocks needed to the clicks, in order."""


def column_below(grid: Grid) -> list[Cell]:
    """Return the empty cells directly below the parachuter, top first."""
    r, c = the(grid, PARACHUTER)
    cells = []
    while grid.get((r + 1, c)) == EMPTY:
        r += 1
        cells.append((r, c))
    return cells


def saves(grid: Grid, cells: list[Cell]) -> bool:
    """Return whether the parachuter lands safely with blocks at these cells."""
    grid = grid.with_cells(dict.fromkeys(cells, NEW))
    return RULES.step(grid, the(grid, BUTTON), np.random.default_rng(0)).won


def _building(plan: Plan) -> Begin:
    """Return a style that builds its plan, then presses the button; a plan that fails is replaced by the minimum."""

    def begin(level: Grid, rng: np.random.Generator) -> Player:
        column = column_below(level)
        needed = next((n for n in range(len(column) + 1) if saves(level, column[len(column) - n :])), len(column))
        cells = plan(column, needed, rng)
        if not saves(level, cells):
            cells = column[: -needed - 1 : -1]
        return lambda grid: next((cell for cell in cells if grid[cell] == EMPTY), None) or the(grid, BUTTON)

    return begin


def _lowest(column: list[Cell], count: int) -> list[Cell]:
    return column[max(0, len(column) - count) :]


STYLES = styles(
    "stop-the-fall",
    ("any-order", "Builds the required blocks on the ground, in random order.",
     _building(lambda column, needed, rng: shuffled(_lowest(column, needed), rng))),
    ("top-down", "Builds the required blocks on the ground, the highest first.",
     _building(lambda column, needed, rng: _lowest(column, needed))),
    ("right-below-him", "Builds the required number of blocks directly below the parachuter, downwards.",
     _building(lambda column, needed, rng: column[:needed])),
    ("right-below-any-order", "Builds the required number of blocks directly below the parachuter, in random order.",
     _building(lambda column, needed, rng: shuffled(column[:needed], rng))),
    ("anywhere-below", "Builds the required number of blocks anywhere below the parachuter.",
     _building(lambda column, needed, rng: shuffled(column, rng)[:needed])),
    ("one-more", "Builds from the ground up, one block more than required.",
     _building(lambda column, needed, rng: _lowest(column, needed + 1)[::-1])),
    ("a-bit-more", "Builds from the ground up, zero to two blocks more than required.",
     _building(lambda column, needed, rng: _lowest(column, needed + int(rng.integers(3)))[::-1])),
    ("all-the-way", "Fills everything below the parachuter, from the ground up.",
     _building(lambda column, needed, rng: column[::-1])),
    ("all-the-way-down", "Fills everything below the parachuter, downwards.",
     _building(lambda column, needed, rng: column)),
)  # fmt: skip
