"""Playing games: a level of a game is a world; one episode, a demonstration, a score over many levels."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from shown import world
from shown.demonstrations import Demonstrations
from shown.games.game import Game, Outcome
from shown.grid import Action, Grid
from shown.world import Episode as Episode
from shown.world import Level, ManyPlayer, World
from shown.world import Player as Player


class LevelWorld(World):
    """A game on one of its levels, as a world: every seed begins there, with other opponents.

    >>> from shown.games import find
    >>> from shown.games.levels import load_levels
    >>> nim = find("nim")
    >>> level = LevelWorld(nim, load_levels(nim, "train:0")[0])
    >>> level.reset(0) == level.level(1).grid
    True
    >>> level.step(level.expert()).over
    False
    """

    seen_whole = True

    def __init__(self, game: Game, level: Level) -> None:
        self.game, self.start = game, level
        self.name, self.title, self.goal = game.name, game.title, game.goal
        self.tokens, self.buttons = game.tokens, game.buttons
        self.max_steps, self.symmetries = game.max_steps, game.symmetries
        self.reset(0)

    def reset(self, seed: int) -> Grid:
        self._chances, self._grid = chances(self.start, seed), self.start.grid
        return self._grid

    def step(self, action: Action) -> Outcome:
        outcome = self.game.step(self._grid, action, self._chances)
        self._grid = outcome.grid
        return replace(outcome, reward=1.0) if outcome.won else outcome

    def expert(self) -> Action:
        return self.game.expert(self._grid)

    def level(self, seed: int) -> Level:
        return Level(self.start.name, self.reset(seed))

    def another(self) -> World:
        return LevelWorld(self.game, self.start)  # rules have no state, so they need not be copied


def play(game: Game, player: Player, level: Level, seed: int = 0, max_steps: int | None = None) -> Episode:
    """Plays `level` once; the same seed gives the same opponents, on every level others.

    >>> from shown.games import find
    >>> from shown.games.levels import load_levels
    >>> nim = find("nim")
    >>> play(nim, nim.expert, load_levels(nim, "train:0")[0]).won
    True
    """
    return world.play(LevelWorld(game, level), player, seed, max_steps)


def play_many(
    game: Game, player: ManyPlayer, levels: Iterable[Level], seed: int = 0, max_steps: int | None = None
) -> list[Episode]:
    """Plays each level once, all of them side by side; each episode is as `play` gives it.

    The player is asked about all positions of a moment together, and about equal ones once.

    >>> from shown.games import find
    >>> from shown.games.levels import load_levels
    >>> from shown.policy import uniform_policy
    >>> nim = find("nim")
    >>> [episode.won for episode in play_many(nim, uniform_policy(nim.tokens), load_levels(nim, "test:0-2"))]
    [False, False, False]
    """
    return world.play_many([(LevelWorld(game, level), seed) for level in levels], player, max_steps)


def wins(game: Game, player: ManyPlayer, levels: Iterable[Level], seed: int = 0, again: int = 3) -> list[bool]:
    """Whether each level is won, as `play_many` would tell, but sooner (see `world.wins`).

    >>> from shown.games import find
    >>> from shown.games.levels import load_levels
    >>> from shown.policy import uniform_policy
    >>> nim = find("nim")
    >>> wins(nim, uniform_policy(nim.tokens), load_levels(nim, "test:0-2"))
    [False, False, False]
    """
    return world.wins([(LevelWorld(game, level), seed) for level in levels], player, again)


def demonstrate(game: Game, levels: Iterable[Level], seed: int = 0) -> Demonstrations:
    """The built-in expert's demonstrations, one a level."""
    return world.demonstrate([(LevelWorld(game, level), seed) for level in levels])


def success_rate(game: Game, player: Player | ManyPlayer, levels: Iterable[Level], seed: int = 0) -> float:
    """The fraction of levels won, each played once, as `shown evaluate` plays them.

    A player of many (`policy`) plays all levels side by side; any other (`policy.act`, `game.expert`) one by one, with
    the same result.
    """
    if isinstance(player, ManyPlayer):
        episodes = play_many(game, player, levels, seed)
    else:
        episodes = [play(game, player, level, seed) for level in levels]
    return sum(episode.won for episode in episodes) / len(episodes)


def chances(level: Level, seed: int) -> np.random.Generator:
    """The generator of a level's own chances; with one for all, opponents would choose alike everywhere.

    >>> from shown.grid import grid
    >>> one, other = (chances(Level(name, grid("||")), 0) for name in ("train:0", "train:1"))
    >>> one.random() == other.random()
    False
    """
    return np.random.default_rng([seed, zlib.crc32(level.name.encode())])
