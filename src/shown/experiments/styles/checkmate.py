"""How people play Checkmate Tactic: some know other mates than the expert's, some click in vain before they move."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from shown.experiments.styles.style import Begin, Style, after, any_of, as_the_expert
from shown.games import find
from shown.games.checkmate import BLACK_KING, SELECTED_QUEEN, WHITE_QUEEN, legal_move
from shown.games.episodes import Player
from shown.games.game import EMPTY
from shown.grid import Cell, Grid

CHECKMATE = "checkmate"
RULES = find(CHECKMATE)

Choice = Callable[[Grid, list[Cell]], Cell]
"""Chooses one of the mates, given the level."""


def mates(grid: Grid) -> list[Cell]:
    """Every cell to which the queen can go and mate, in reading order, by the rules.

    >>> from shown.grid import grid
    >>> mates(grid("..k..", ".....", "..K..", ".....", "Q...."))
    [(0, 0)]
    >>> mates(grid("..k..", ".....", "..K..", ".Q...", "....."))
    []
    >>> mates(grid("..k..", "Q....", "..K..", ".....", "....."))
    [(0, 0), (1, 2)]
    """
    queen = grid.find(WHITE_QUEEN)
    if queen is not None:
        grid = grid.with_cells({queen: SELECTED_QUEEN})
    chance = np.random.default_rng(0)  # after a mate nobody moves any more
    return [cell for cell in _moves(grid) if RULES.step(grid, cell, chance).won]


def _moves(grid: Grid) -> list[Cell]:
    queen = grid.find(SELECTED_QUEEN)
    return [] if queen is None else [cell for cell in grid.where(EMPTY) if legal_move(grid, queen, cell)]


def _towards(target: Cell) -> Player:
    """Takes the queen and moves it there."""
    return lambda grid: grid.find(WHITE_QUEEN) or target


def _mating(choice: Choice) -> Begin:
    return lambda level, rng: _towards(choice(level, _chances(level)))


def _chances(level: Grid) -> list[Cell]:
    """The mates; where there is none, as on a board of one's own, what the expert would try."""
    return mates(level) or [_between(level.with_cells({_one(level, WHITE_QUEEN): SELECTED_QUEEN}))]


def _any_mate(level: Grid, rng: np.random.Generator) -> Player:
    return _towards(any_of(_chances(level), rng))


def _from_the_black_king(level: Grid, cell: Cell) -> int:
    r, c = _one(level, BLACK_KING)
    return max(abs(cell[0] - r), abs(cell[1] - c))


def _from_the_queen(level: Grid, cell: Cell) -> int:
    r, c = _one(level, WHITE_QUEEN)
    return max(abs(cell[0] - r), abs(cell[1] - c))


def _one(level: Grid, piece: str) -> Cell:
    """Where a piece stands; the queen may be selected already."""
    cell = level.find(piece) or level.find(SELECTED_QUEEN)
    assert cell is not None, f"a level has {piece!r}"
    return cell


def _useless_click(level: Grid, rng: np.random.Generator) -> Player:
    return after([any_of(level.where(EMPTY), rng)], RULES.expert)


def _points_at_the_king(level: Grid, rng: np.random.Generator) -> Player:
    return after([_one(level, BLACK_KING)], RULES.expert)


def _shows_the_place(level: Grid, rng: np.random.Generator) -> Player:
    queen = _one(level, WHITE_QUEEN)
    return after([_between(level.with_cells({queen: SELECTED_QUEEN}))], RULES.expert)


def _between(grid: Grid) -> Cell:
    cell = RULES.expert(grid)
    assert not isinstance(cell, str)
    return cell


def _takes_twice(level: Grid, rng: np.random.Generator) -> Player:
    queen = _one(level, WHITE_QUEEN)
    return after([queen, queen], RULES.expert)


def _takes_the_king(level: Grid, rng: np.random.Generator) -> Player:
    return after([_one(level, WHITE_QUEEN), _one(level, BLACK_KING)], RULES.expert)


def _tries_what_is_not_allowed(level: Grid, rng: np.random.Generator) -> Player:
    queen = _one(level, WHITE_QUEEN)
    grid = level.with_cells({queen: SELECTED_QUEEN})
    allowed = set(_moves(grid))
    return after([queen, any_of([cell for cell in grid.where(EMPTY) if cell not in allowed], rng)], RULES.expert)


STYLES = (
    as_the_expert(CHECKMATE),
    Style("any-mate", CHECKMATE, "Moves the queen to any cell where it mates.", _any_mate),
    Style(
        "from-afar",
        CHECKMATE,
        "Mates from as far from the black king as possible, along the edge where the queen gets there.",
        _mating(lambda level, cells: max(cells, key=lambda cell: _from_the_black_king(level, cell))),
    ),
    Style(
        "shortest-move",
        CHECKMATE,
        "Of the mates, takes the one for which the queen moves least.",
        _mating(lambda level, cells: min(cells, key=lambda cell: _from_the_queen(level, cell))),
    ),
    Style("useless-click", CHECKMATE, "Clicks any empty cell first, which does nothing.", _useless_click),
    Style("points-at-the-king", CHECKMATE, "Clicks the black king first, which does nothing.", _points_at_the_king),
    Style("shows-the-place", CHECKMATE, "Clicks where the queen is to go before selecting it.", _shows_the_place),
    Style("takes-twice", CHECKMATE, "Clicks the queen twice before moving it between the kings.", _takes_twice),
    Style("takes-the-king", CHECKMATE, "With the queen, first tries to take the black king.", _takes_the_king),
    Style(
        "not-allowed",
        CHECKMATE,
        "With the queen, first clicks a cell that it cannot go to.",
        _tries_what_is_not_allowed,
    ),
)
