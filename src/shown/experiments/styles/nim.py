"""How people play Nim.

There is only one way to win: whoever does not level the piles, in any move, loses to an opponent who always does. So
people differ in what they do besides. A click on an empty cell changes nothing, and people make them: they point at
what they are about to do, they miss, they click twice.
"""

from __future__ import annotations

import numpy as np

from shown.experiments.styles.style import Style, after, any_of, as_the_expert
from shown.games.episodes import Player
from shown.games.game import EMPTY
from shown.games.nim import optimal_moves
from shown.grid import Cell, Grid

NIM = "nim"


def _level(grid: Grid) -> Cell:
    """The matchstick to take so that the piles are level."""
    return optimal_moves(grid)[0]


def _beside(cell: Cell) -> Cell:
    return cell[0], 1 - cell[1]


def _points_first(level: Grid, rng: np.random.Generator) -> Player:
    return after([_beside(_level(level))], _level)


def _points_every_time(level: Grid, rng: np.random.Generator) -> Player:
    pointed: set[Grid] = set()

    def act(grid: Grid) -> Cell:
        if grid in pointed:
            return _level(grid)
        pointed.add(grid)
        return _beside(_level(grid))

    return act


def _starts_above(level: Grid, rng: np.random.Generator) -> Player:
    top = level.find("|")
    assert top is not None, "a level has matchsticks"
    return after([(top[0] - 1, top[1])] if top[0] else [], _level)


def _starts_anywhere(level: Grid, rng: np.random.Generator) -> Player:
    return after([any_of(level.where(EMPTY), rng)], _level)


def _slips(level: Grid, rng: np.random.Generator) -> Player:
    def act(grid: Grid) -> Cell:
        slip = rng.random() < 0.2
        return any_of(grid.where(EMPTY), rng) if slip else _level(grid)

    return act


def _slips_aside(level: Grid, rng: np.random.Generator) -> Player:
    def act(grid: Grid) -> Cell:
        cell = _level(grid)
        return _beside(cell) if rng.random() < 0.25 else cell

    return act


def _clicks_twice(level: Grid, rng: np.random.Generator) -> Player:
    again: list[Cell] = []

    def act(grid: Grid) -> Cell:
        if again:
            return again.pop()
        again.append(_level(grid))
        return again[0]

    return act


STYLES = (
    as_the_expert(NIM),
    Style("points-first", NIM, "First clicks the empty cell beside the matchstick to take; then plays.", _points_first),
    Style(
        "points-every-time", NIM, "Clicks the empty cell beside each matchstick before taking it.", _points_every_time
    ),
    Style("starts-above", NIM, "Begins with a click on the empty cell above the taller pile.", _starts_above),
    Style("starts-anywhere", NIM, "Begins with a click on any empty cell.", _starts_anywhere),
    Style("slips", NIM, "One click in five falls on any empty cell.", _slips),
    Style("slips-aside", NIM, "One click in four falls beside the matchstick that was meant.", _slips_aside),
    Style("clicks-twice", NIM, "Clicks every matchstick twice; the second click falls where it was.", _clicks_twice),
)
