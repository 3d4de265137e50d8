"""How people play Stop the Fall: blocks fall too, so it only matters how many there are below him."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from shown.experiments.styles.style import Begin, Style, as_the_expert, shuffled
from shown.games import find
from shown.games.episodes import Player
from shown.games.game import EMPTY
from shown.games.stop_the_fall import BUTTON, NEW, PARACHUTER
from shown.grid import Cell, Grid

FALL = "stop-the-fall"
RULES = find(FALL)

Plan = Callable[[list[Cell], int, np.random.Generator], list[Cell]]
"""Which cells to click, in order: of the column below the parachuter, top first, given how many it takes at least."""


def column_below(grid: Grid) -> list[Cell]:
    """The empty cells below the parachuter with nothing in between, top first."""
    place = grid.find(PARACHUTER)
    assert place is not None, "a legal position has a parachuter"
    r, c = place
    cells = []
    while grid.get((r + 1, c)) == EMPTY:
        r += 1
        cells.append((r, c))
    return cells


def saves(grid: Grid, cells: list[Cell]) -> bool:
    """Whether the parachuter lands well on blocks made at these cells."""
    grid = grid.with_cells(dict.fromkeys(cells, NEW))
    return RULES.step(grid, _button(grid), np.random.default_rng(0)).won


def _button(grid: Grid) -> Cell:
    button = grid.find(BUTTON)
    assert button is not None, "the game is over once the button is gone"
    return button


def _building(plan: Plan) -> Begin:
    """Builds what was planned at the start, then presses the button; no more than needed where more would not save."""

    def begin(level: Grid, rng: np.random.Generator) -> Player:
        column = column_below(level)
        needed = next((n for n in range(len(column) + 1) if saves(level, column[len(column) - n :])), len(column))
        cells = plan(column, needed, rng)
        if not saves(level, cells):
            cells = column[: -needed - 1 : -1]
        return lambda grid: next((cell for cell in cells if grid[cell] == EMPTY), None) or _button(grid)

    return begin


def _lowest(column: list[Cell], count: int) -> list[Cell]:
    return column[len(column) - count :]


def _any(column: list[Cell], count: int, rng: np.random.Generator) -> list[Cell]:
    return shuffled(column, rng)[:count]


STYLES = (
    as_the_expert(FALL),
    Style(
        "any-order",
        FALL,
        "Builds the cells needed on the ground, in any order.",
        _building(lambda column, needed, rng: shuffled(_lowest(column, needed), rng)),
    ),
    Style(
        "top-down",
        FALL,
        "Builds the cells needed on the ground, the highest first.",
        _building(lambda column, needed, rng: _lowest(column, needed)),
    ),
    Style(
        "right-below-him",
        FALL,
        "Builds as many cells as are needed, right below the parachuter and downwards.",
        _building(lambda column, needed, rng: column[:needed]),
    ),
    Style(
        "right-below-any-order",
        FALL,
        "Builds as many cells as are needed, right below the parachuter, in any order.",
        _building(lambda column, needed, rng: shuffled(column[:needed], rng)),
    ),
    Style(
        "anywhere-below",
        FALL,
        "Builds as many cells as are needed, anywhere below the parachuter.",
        _building(_any),
    ),
    Style(
        "one-more",
        FALL,
        "Builds from the ground up, one more than needed to be on the safe side.",
        _building(lambda column, needed, rng: _lowest(column, min(needed + 1, len(column)))[::-1]),
    ),
    Style(
        "a-bit-more",
        FALL,
        "Builds from the ground up, and none, one or two more than needed.",
        _building(lambda column, needed, rng: _lowest(column, min(needed + int(rng.integers(3)), len(column)))[::-1]),
    ),
    Style(
        "all-the-way",
        FALL,
        "Fills everything below the parachuter, from the ground up.",
        _building(lambda column, needed, rng: column[::-1]),
    ),
    Style(
        "all-the-way-down",
        FALL,
        "Fills everything below the parachuter, downwards.",
        _building(lambda column, needed, rng: column),
    ),
)
