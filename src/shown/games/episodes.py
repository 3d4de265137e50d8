"""Playing: one episode of a game, a demonstration of it, a score over many levels."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np

from shown.demonstrations import Demonstration, Demonstrations, Step
from shown.games.game import Game
from shown.games.levels import Level
from shown.grid import Action, Grid, check_action

Player = Callable[[Grid], Action]
"""Anything that looks at a grid and acts: `policy.act`, `game.expert`, …"""


@runtime_checkable
class ManyPlayer(Protocol):
    """Anything that acts on many grids at once: a `Policy`, a network, …"""

    def act_many(self, grids: Sequence[Grid]) -> Sequence[Action]:
        """One action a grid."""
        ...


@dataclass(frozen=True, slots=True)
class Episode:
    """One run of a game.

    Attributes:
        level: where it started.
        steps: the decisions, in order.
        last: the grid at the end.
        won: the goal was reached.
        over: the game ended (rather than the steps running out).
        seed: of the game's own chances.
    """

    level: Level
    steps: tuple[Step, ...]
    last: Grid
    won: bool
    over: bool
    seed: int

    @property
    def demonstration(self) -> Demonstration:
        outcome = "won" if self.won else "lost" if self.over else "unfinished"
        return Demonstration(self.steps, self.level.name, self.seed, outcome)


def play(game: Game, player: Player, level: Level, seed: int = 0, max_steps: int | None = None) -> Episode:
    """Plays `level` once; the same seed gives the same opponents, on every level others.

    >>> from shown.games import find
    >>> from shown.games.levels import load_levels
    >>> nim = find("nim")
    >>> play(nim, nim.expert, load_levels(nim, "train:0")[0]).won
    True
    """
    rng = chances(level, seed)
    grid, steps, won, over = level.grid, [], False, False
    for _ in range(max_steps or game.max_steps):
        action = player(grid)
        check_action(action, grid, game.buttons)
        steps.append(Step(grid, action))
        outcome = game.step(grid, action, rng)
        grid, won, over = outcome.grid, outcome.won, outcome.over
        if over:
            break
    return Episode(level, tuple(steps), grid, won, over, seed)


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
    runs = [_Run(level, chances(level, seed), level.grid) for level in levels]
    playing = runs
    chosen: dict[Grid, Action] = {}
    for _ in range(max_steps or game.max_steps):
        new = list(dict.fromkeys(run.grid for run in playing if run.grid not in chosen))
        if new:
            chosen.update(zip(new, player.act_many(new), strict=True))
        for run in playing:
            run.step(game, chosen[run.grid])
        playing = [run for run in playing if not run.over]
        if not playing:
            break
    return [Episode(run.level, tuple(run.steps), run.grid, run.won, run.over, seed) for run in runs]


def wins(game: Game, player: ManyPlayer, levels: Iterable[Level], seed: int = 0, again: int = 3) -> list[bool]:
    """Whether each level is won, as `play_many` would tell, but sooner: nothing is kept, and a game in which the same
    position comes up more than `again` times is given up. A player that is a function of the grid would be lucky to get
    out of that.

    >>> from shown.games import find
    >>> from shown.games.levels import load_levels
    >>> from shown.policy import uniform_policy
    >>> nim = find("nim")
    >>> wins(nim, uniform_policy(nim.tokens), load_levels(nim, "test:0-2"))
    [False, False, False]
    """
    starts = list(levels)
    won = [False] * len(starts)
    playing = [(i, level.grid, chances(level, seed)) for i, level in enumerate(starts)]
    chosen: dict[Grid, Action] = {}
    met: list[dict[Grid, int]] = [{} for _ in starts]
    for _ in range(game.max_steps):
        new = list(dict.fromkeys(grid for _, grid, _ in playing if grid not in chosen))
        if new:
            chosen.update(zip(new, player.act_many(new), strict=True))
        going = []
        for i, grid, rng in playing:
            outcome = game.step(grid, chosen[grid], rng)
            won[i] = outcome.won
            times = met[i][grid] = met[i].get(grid, 0) + 1
            if not outcome.over and times <= again:
                going.append((i, outcome.grid, rng))
        playing = going
        if not playing:
            break
    return won


@dataclass
class _Run:
    """One of several episodes in play."""

    level: Level
    chances: np.random.Generator
    grid: Grid
    steps: list[Step] = field(default_factory=list)
    won: bool = False
    over: bool = False

    def step(self, game: Game, action: Action) -> None:
        check_action(action, self.grid, game.buttons)
        self.steps.append(Step(self.grid, action))
        outcome = game.step(self.grid, action, self.chances)
        self.grid, self.won, self.over = outcome.grid, outcome.won, outcome.over


def demonstrate(game: Game, levels: Iterable[Level], seed: int = 0) -> Demonstrations:
    """The built-in expert's demonstrations, one a level."""
    items = tuple(play(game, game.expert, level, seed).demonstration for level in levels)
    return Demonstrations(game.tokens, items, game.name, game.buttons)


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
