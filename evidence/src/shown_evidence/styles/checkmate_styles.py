"""Styles of Checkmate Tactic: some know other mates than the expert's, some make idle clicks before they move."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from shown.grid import Cell, Grid
from shown.worlds import find_game
from shown.worlds.episodes import Player
from shown.worlds.games.checkmate import BLACK_KING, SELECTED_QUEEN, WHITE_QUEEN, legal_move
from shown.worlds.games.game import EMPTY, clicked, the
from shown_evidence.styles import Begin, after, any_of, styles

RULES = find_game("checkmate")


def mates(grid: Grid) -> list[Cell]:
    """Return every cell from which the queen mates, in reading order.

    >>> from shown.grid import grid
    >>> mates(grid("..k..", ".....", "..K..", ".....", "Q...."))
    [(0, 0)]
    >>> mates(grid("..k..", ".....", "..K..", ".Q...", "....."))
    []
    >>> mates(grid("..k..", "Q....", "..K..", ".....", "....."))
    [(0, 0), (1, 2)]
    """
    grid = _with_queen_selected(grid)
    rng = np.random.default_rng(0)  # unused: nothing moves after a mate
    return [cell for cell in _moves(grid) if RULES.step(grid, cell, rng).won]


def _moves(grid: Grid) -> list[Cell]:
    """Return the legal moves of the selected queen."""
    return [cell for cell in grid.where(EMPTY) if legal_move(grid, the(grid, SELECTED_QUEEN), cell)]


def _queen(level: Grid) -> Cell:
    return level.find(WHITE_QUEEN) or the(level, SELECTED_QUEEN)


def _with_queen_selected(level: Grid) -> Grid:
    return level.with_cells({_queen(level): SELECTED_QUEEN})


def _experts_target(level: Grid) -> Cell:
    return clicked(RULES.expert(_with_queen_selected(level)))


def _mating(choose: Callable[[Grid, list[Cell], np.random.Generator], Cell]) -> Begin:
    """Return a style that plays one of the mates; on a level without a mate, the expert's move."""

    def begin(level: Grid, rng: np.random.Generator) -> Player:
        target = choose(level, mates(level) or [_experts_target(level)], rng)
        return lambda grid: grid.find(WHITE_QUEEN) or target

    return begin


def _distance(a: Cell, b: Cell) -> int:
    return max(abs(a[0] - b[0]), abs(a[1] - b[1]))


def _first_clicking(clicks: Callable[[Grid, np.random.Generator], list[Cell]]) -> Begin:
    """Return a style that makes some clicks and then plays like the expert."""
    return lambda level, rng: after(clicks(level, rng), RULES.expert)


def _illegal_move(level: Grid, rng: np.random.Generator) -> list[Cell]:
    grid = _with_queen_selected(level)
    legal = set(_moves(grid))
    return [_queen(level), any_of([cell for cell in grid.where(EMPTY) if cell not in legal], rng)]


STYLES = styles(
    "checkmate",
    ("any-mate", "Moves the queen to a random cell where it mates.",
     _mating(lambda level, cells, rng: any_of(cells, rng))),
    ("from-afar", "Mates from as far from the black king as possible.",
     _mating(lambda level, cells, rng: max(cells, key=lambda cell: _distance(the(level, BLACK_KING), cell)))),
    ("shortest-move", "Plays the mate with the shortest move of the queen.",
     _mating(lambda level, cells, rng: min(cells, key=lambda cell: _distance(_queen(level), cell)))),
    ("useless-click", "Clicks a random empty cell first, which does nothing.",
     _first_clicking(lambda level, rng: [any_of(level.where(EMPTY), rng)])),
    ("points-at-the-king", "Clicks the black king first, which does nothing.",
     _first_clicking(lambda level, rng: [the(level, BLACK_KING)])),
    ("shows-the-place", "Clicks the queen's target before selecting the queen.",
     _first_clicking(lambda level, rng: [_experts_target(level)])),
    ("takes-twice", "Clicks the queen twice before moving it between the kings.",
     _first_clicking(lambda level, rng: [_queen(level)] * 2)),
    ("takes-the-king", "Tries to take the black king with the queen first.",
     _first_clicking(lambda level, rng: [_queen(level), the(level, BLACK_KING)])),
    ("not-allowed", "Tries an illegal move of the queen first.", _first_clicking(_illegal_move)),
)  # fmt: skip
