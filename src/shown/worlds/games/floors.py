"""Floors: the success of random play. A policy that wins no more has learned nothing.

One random player clicks any cell, the other any cell whose click changes something. Levels on which they win often
measure little.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from shown.grid import Action, Grid
from shown.worlds.episodes import Player, play
from shown.worlds.games.game import Game, chances
from shown.worlds.world import Level, Playable, Start


@dataclass(frozen=True, slots=True)
class RandomWins:
    """Episodes won by random play.

    Attributes:
        games: number of episodes of each player.
        any_cell: episodes won by `random_player`.
        sensible: episodes won by `sensible_player`.
    """

    games: int
    any_cell: int
    sensible: int


def floor(game: Game, levels: Sequence[Level], seed: int = 0, times: int = 1) -> RandomWins:
    """Count what random players win on these levels, each played `times` times.

    >>> from shown.worlds import find, load_levels
    >>> nim = find("nim")
    >>> floor(nim, load_levels(nim, "test"), times=10)
    RandomWins(games=90, any_cell=5, sensible=5)
    """
    games = [(level, seed + i) for level in levels for i in range(times)]
    any_cell, sensible = (
        # The players draw from other generators than the game.
        sum(play(game, player(game, chances(level, each).spawn(1)[0]), level, each).won for level, each in games)
        for player in (random_player, sensible_player)
    )
    return RandomWins(len(games), any_cell, sensible)


def random_returns(starts: Sequence[Start], seed: int = 0, horizon: int | None = None) -> Iterator[float]:
    """Yield the return of random play from each start, which ends after `horizon` steps."""
    for number, (world, start_seed) in enumerate(starts):
        player = random_player(world, np.random.default_rng([seed, number, 0xF1]))
        yield play(world, player, None, start_seed, horizon).reward


def random_player(game: Playable, rng: np.random.Generator) -> Player:
    """Return a player that takes any action."""

    def act(grid: Grid) -> Action:
        actions = _actions(game, grid)
        return actions[int(rng.integers(len(actions)))]

    return act


def sensible_player(game: Game, rng: np.random.Generator) -> Player:
    """Return a player that takes any action that changes something, or any action if none does."""

    def act(grid: Grid) -> Action:
        actions = _actions(game, grid)
        # The first that changes something, in random order, is any of them with equal probability.
        order = rng.permutation(len(actions)).tolist()
        return next((actions[i] for i in order if changes(game, grid, actions[i])), actions[order[0]])

    return act


def changes(game: Game, grid: Grid, action: Action) -> bool:
    """Return whether an action changes anything, by the rules of the game.

    >>> from shown.worlds import find
    >>> from shown.grid import grid
    >>> board = grid("|.", "||")
    >>> [cell for cell in board.cells() if changes(find("nim"), board, cell)]
    [(0, 0), (1, 0), (1, 1)]
    """
    outcome = game.step(grid, action, np.random.default_rng(0))
    return outcome.over or outcome.grid != grid


def _actions(game: Playable, grid: Grid) -> Sequence[Action]:
    return game.buttons or tuple(grid.cells())
