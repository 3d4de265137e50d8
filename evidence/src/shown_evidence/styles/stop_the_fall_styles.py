"""Styles of Stop the Fall: blocks fall as well, so only their number below the parachuter matters."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from shown.grid import Cell, Grid
from shown.worlds import find_game
from shown.worlds.episodes import Player
from shown.worlds.games.game import the
from shown.worlds.games.stop_the_fall import BUTTON, NEW, PARACHUTER, landing_cell
from shown_evidence.styles import Begin, building, shuffled, styles

RULES = find_game("stop-the-fall")

Plan = Callable[[list[Cell], int, np.random.Generator], list[Cell]]
"""Maps the column below the parachuter (lowest cell first) and the number of blocks needed to the clicks, in order."""


def column_below(grid: Grid) -> list[Cell]:
    """Return the empty cells directly below the parachuter, the lowest first."""
    (r, c), (bottom, _) = the(grid, PARACHUTER), landing_cell(grid)
    return [(row, c) for row in range(bottom, r, -1)]


def saves(grid: Grid, cells: list[Cell]) -> bool:
    """Return whether the parachuter lands safely with blocks at these cells."""
    grid = grid.with_cells(dict.fromkeys(cells, NEW))
    return RULES.step(grid, the(grid, BUTTON), np.random.default_rng(0)).won


def _building(plan: Plan) -> Begin:
    """Return a style that builds its plan, then presses the button; a plan that fails is replaced by the minimum."""

    def begin(level: Grid, rng: np.random.Generator) -> Player:
        column = column_below(level)
        needed = next((n for n in range(len(column) + 1) if saves(level, column[:n])), len(column))
        cells = plan(column, needed, rng)
        return building(cells if saves(level, cells) else column[:needed], lambda grid: the(grid, BUTTON))

    return begin


STYLES = styles(
    "stop-the-fall",
    ("any-order", "Builds the required blocks on the ground, in random order.",
     _building(lambda column, needed, rng: shuffled(column[:needed][::-1], rng))),
    ("top-down", "Builds the required blocks on the ground, the highest first.",
     _building(lambda column, needed, rng: column[:needed][::-1])),
    ("right-below-him", "Builds the required number of blocks directly below the parachuter, downwards.",
     _building(lambda column, needed, rng: column[::-1][:needed])),
    ("right-below-any-order", "Builds the required number of blocks directly below the parachuter, in random order.",
     _building(lambda column, needed, rng: shuffled(column[::-1][:needed], rng))),
    ("anywhere-below", "Builds the required number of blocks anywhere below the parachuter.",
     _building(lambda column, needed, rng: shuffled(column[::-1], rng)[:needed])),
    ("one-more", "Builds from the ground up, one block more than required.",
     _building(lambda column, needed, rng: column[: needed + 1])),
    ("a-bit-more", "Builds from the ground up, zero to two blocks more than required.",
     _building(lambda column, needed, rng: column[: needed + int(rng.integers(3))])),
    ("all-the-way", "Fills everything below the parachuter, from the ground up.",
     _building(lambda column, needed, rng: column)),
    ("all-the-way-down", "Fills everything below the parachuter, downwards.",
     _building(lambda column, needed, rng: column[::-1])),
)  # fmt: skip
