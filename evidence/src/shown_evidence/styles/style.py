"""What a scripted style of play is, and the players that several games' styles share."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from shown.demonstrations import Demonstrations
from shown.grid import Cell, Grid
from shown.worlds import Level, find, find_game, play
from shown.worlds.episodes import Player
from shown.worlds.games.game import EMPTY

Begin = Callable[[Grid, np.random.Generator], Player]
"""Maps a level and a random generator to a player of that level."""

EXPERT = "expert"
"""The style of the built-in expert, which every game has."""


@dataclass(frozen=True)
class Style:
    """A scripted way to play a game.

    Attributes:
        name: unique within the game, such as "right-to-left".
        plays: one sentence on how it plays.
        begin: makes the player of a level; all randomness comes from the generator it is given.
    """

    name: str
    game: str
    plays: str
    begin: Begin

    def demonstrate(self, levels: Iterable[Level], seed: int = 0) -> Demonstrations:
        """Return one demonstration per level; random choices depend on level, style and seed alone."""
        game = find(self.game)

        def player(level: Level) -> Player:
            names = (zlib.crc32(name.encode()) for name in (level.name, self.name))
            return self.begin(level.grid, np.random.default_rng([seed, *names]))

        items = tuple(play(game, player(level), level, seed).demonstration for level in levels)
        return Demonstrations(game.tokens, items, game.name, game.buttons)


def styles(game: str, *declared: tuple[str, str, Begin]) -> tuple[Style, ...]:
    """Return the expert's style and the declared ones (name, description, begin) of a game."""
    rules = find_game(game)
    expert = Style(EXPERT, game, "Plays as the built-in expert does.", lambda level, rng: rules.expert)
    return expert, *(Style(name, game, plays, begin) for name, plays, begin in declared)


def after(clicks: Sequence[Cell], player: Player) -> Player:
    """Return a player that makes these clicks first and then plays like `player`.

    >>> from shown.grid import grid
    >>> play = after([(0, 0)], lambda grid: (1, 1))
    >>> play(grid("..", "..")), play(grid("..", ".."))
    ((0, 0), (1, 1))
    """
    waiting = list(clicks)
    return lambda grid: waiting.pop(0) if waiting else player(grid)


def building(cells: Sequence[Cell], player: Player) -> Player:
    """Return a player that clicks these cells in order as long as they are empty, and then plays like `player`."""
    return lambda grid: next((cell for cell in cells if grid[cell] == EMPTY), None) or player(grid)


def any_of(cells: Sequence[Cell], rng: np.random.Generator) -> Cell:
    """Return a random cell."""
    return cells[int(rng.integers(len(cells)))]


def shuffled(cells: Sequence[Cell], rng: np.random.Generator) -> list[Cell]:
    """Return the cells in random order."""
    return [cells[i] for i in rng.permutation(len(cells))]
