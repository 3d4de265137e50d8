"""Scripted styles: players that win in ways of their own, to test whether a teacher's intent is learned.

Real teachers do not play like the built-in expert: one builds a fence from right to left, another in no order; one
waits by clicking a wall, another by clicking the rabbit. Each game has a file with at least six such styles. A style
wins nearly every level within the game's step limit.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module

import numpy as np

from shown.demonstrations import Demonstrations
from shown.errors import BadInput, did_you_mean
from shown.grid import Cell, Grid
from shown.worlds import Level, find, find_game, play
from shown.worlds.episodes import Player
from shown.worlds.games.game import EMPTY

STYLED = ("nim", "checkmate", "chase", "stop-the-fall", "reach-for-the-star", "fence-in")
"""The games with styles: for each, a module that defines `STYLES`."""

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


def styles_of(game: str) -> tuple[Style, ...]:
    """Return the styles of a game, the expert's first; none for a game without scripted styles.

    >>> [style.name for style in styles_of("nim")][:2]
    ['expert', 'points-first']
    """
    if game not in STYLED:
        return ()
    found: tuple[Style, ...] = import_module(f"{__name__}.{game.replace('-', '_')}_styles").STYLES
    return found


def non_expert_styles(game: str) -> tuple[Style, ...]:
    """Return the styles of a game except the expert's."""
    return styles_of(game)[1:]


def find_style(game: str, name: str) -> Style:
    """Return a style by name.

    >>> find_style("fence-in", "right-to-left").plays
    'Builds the row below the sheep from right to left.'
    """
    known = {style.name: style for style in styles_of(game)}
    if name not in known:
        raise BadInput(f"{game} has no style called {name!r}. {did_you_mean(name, known)}")
    return known[name]


def styles(game: str, *declared: tuple[str, str, Begin]) -> tuple[Style, ...]:
    """Return the expert's style and the declared ones (name, description, begin) of a game."""
    rules = find_game(game)
    expert = Style(EXPERT, game, "Plays as the built-in expert does.", lambda level, rng: rules.expert)
    return expert, *(Style(name, game, plays, begin) for name, plays, begin in declared)


def each_time(clicks: Callable[[Grid], list[Cell]]) -> Player:
    """Return a player that makes some clicks, chosen where the last of them before has led, again and again."""
    waiting: list[Cell] = []

    def act(grid: Grid) -> Cell:
        waiting.extend([] if waiting else clicks(grid))
        return waiting.pop(0)

    return act


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
