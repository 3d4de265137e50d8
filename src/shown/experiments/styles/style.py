"""What a style of play is, and what several of them share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from shown.games import find
from shown.games.episodes import Player
from shown.games.game import Game
from shown.grid import Cell, Grid

Begin = Callable[[Grid, np.random.Generator], Player]
"""Looks at a level, perhaps decides something for all of it, and gives one who plays it."""

EXPERT = "expert"
"""The style that every game has: as the built-in expert plays."""


@dataclass(frozen=True)
class Style:
    """A way to play a game, as some people do.

    Attributes:
        name: unique within its game, such as "right-to-left".
        game: the game's name.
        plays: one sentence on how it plays.
        begin: for a level and a source of chance, one who plays that level. All chance comes from there.
    """

    name: str
    game: str
    plays: str
    begin: Begin


def always(player: Player) -> Begin:
    """One who decides nothing beforehand."""
    return lambda level, rng: player


def as_the_expert(game: str) -> Style:
    """The built-in expert's own way."""
    rules: Game = find(game)
    return Style(EXPERT, game, "Plays as the built-in expert does.", always(rules.expert))


def after(clicks: Sequence[Cell], player: Player) -> Player:
    """One who first makes these clicks, whatever comes of them, and then plays like `player`.

    >>> from shown.grid import grid
    >>> play = after([(0, 0)], lambda grid: (1, 1))
    >>> play(grid("..", "..")), play(grid("..", ".."))
    ((0, 0), (1, 1))
    """
    waiting = list(clicks)
    return lambda grid: waiting.pop(0) if waiting else player(grid)


def any_of(cells: Sequence[Cell], rng: np.random.Generator) -> Cell:
    """One of the cells, each as likely as the others."""
    return cells[int(rng.integers(len(cells)))]


def shuffled(cells: Sequence[Cell], rng: np.random.Generator) -> list[Cell]:
    """The cells in a random order."""
    return [cells[i] for i in rng.permutation(len(cells))]
