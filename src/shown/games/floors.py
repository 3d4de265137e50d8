"""Floors: what a game gives to those who know nothing of it. A policy that wins no more than that has learned nothing.

Two players who click at random: one on any cell, one on any cell whose click changes something. What they win is the
floor of a set of levels; levels on which it is high measure little.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shown.games.episodes import Player, chances, play
from shown.games.game import Game
from shown.games.levels import Level
from shown.grid import Action, Grid


@dataclass(frozen=True, slots=True)
class Floor:
    """How many games those win who know nothing.

    Attributes:
        games: how many were played.
        any_cell: how many of them `random_player` won.
        sensible: how many of them `sensible_player` won.
    """

    games: int
    any_cell: int
    sensible: int


def floor(game: Game, levels: Sequence[Level], seed: int = 0, times: int = 1) -> Floor:
    """What random actions win on these levels, each played `times` times; the same seed gives the same.

    >>> from shown.games import find, load_levels
    >>> nim = find("nim")
    >>> floor(nim, load_levels(nim, "test"), times=10)
    Floor(games=90, any_cell=5, sensible=5)
    """
    games = [(level, seed + i) for level in levels for i in range(times)]
    any_cell, sensible = (
        # The players draw from generators of their own, apart from the game's chances.
        sum(play(game, player(game, chances(level, each).spawn(1)[0]), level, each).won for level, each in games)
        for player in (random_player, sensible_player)
    )
    return Floor(len(games), any_cell, sensible)


def random_player(game: Game, rng: np.random.Generator) -> Player:
    """One who clicks any cell, or presses any button."""

    def act(grid: Grid) -> Action:
        actions = _actions(game, grid)
        return actions[int(rng.integers(len(actions)))]

    return act


def sensible_player(game: Game, rng: np.random.Generator) -> Player:
    """One who does anything that changes something, be it only that an opponent moves; if nothing does, anything."""

    def act(grid: Grid) -> Action:
        actions = _actions(game, grid)
        # The first that changes something, in random order, is any of them with equal probability.
        order = rng.permutation(len(actions)).tolist()
        return next((actions[i] for i in order if changes(game, grid, actions[i])), actions[order[0]])

    return act


def changes(game: Game, grid: Grid, action: Action) -> bool:
    """Whether an action leads anywhere, by the rules of the game.

    >>> from shown.games import find
    >>> from shown.grid import grid
    >>> board = grid("|.", "||")
    >>> [cell for cell in board.cells() if changes(find("nim"), board, cell)]
    [(0, 0), (1, 0), (1, 1)]
    """
    outcome = game.step(grid, action, np.random.default_rng(0))
    return outcome.over or outcome.grid != grid


def _actions(game: Game, grid: Grid) -> Sequence[Action]:
    return game.buttons or tuple(grid.cells())
