"""Worlds: what can be reset, stepped and looked at; and the one way to play them.

A world may have any state of its own. All that is asked of it: the same seed and the same actions lead to the same
grids. A game on one of its levels is a world (`games/episodes.py`), and so is an environment of Gymnasium (`worlds/`).
"""

from __future__ import annotations

import copy
import math
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, runtime_checkable

from shown.demonstrations import Demonstration, Demonstrations, Step
from shown.errors import BadInput
from shown.grid import Action, Grid, Tokens, check_action
from shown.symmetry import Transformation

WORLDS = ("gym:", "atari:")
"""What the names of worlds begin with, to tell them from those of games."""


@dataclass(frozen=True, slots=True)
class Level:
    """A first position with a name, such as "train:3", "my-levels.json:0" or, in worlds that go by seeds, "seed:7"."""

    name: str
    grid: Grid


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an action led to.

    Attributes:
        grid: the grid afterwards.
        won: the goal was reached.
        over: nothing more can happen (always true when won).
        reward: what a world gives for it. Rules of games leave it alone: to win is to get 1.
    """

    grid: Grid
    won: bool = False
    over: bool = False
    reward: float = 0.0


class World(ABC):
    """What can be reset, stepped and looked at.

    Attributes:
        name: how users call it, such as "gym:FrozenLake-v1"; policies remember it.
        title: how it is written.
        goal: one sentence that tells a newcomer what to do.
        about: how to read what is seen, in a sentence or two; empty where it speaks for itself.
        tokens: the values of its cells.
        buttons: the names of its actions; empty where actions are clicks on cells.
        max_steps: an episode that takes longer is not won.
        symmetries: transformations under which good play stays the same.
        seen_whole: there is nothing to it but what can be seen, so that an action after which it looks the same has
            done nothing.
        alone: there is only one of it in truth, so that episodes are best played one after the other.
        levels_of: the name of the game on whose levels it can begin (see `at`); empty where there are seeds only.
    """

    name: str
    title: str
    goal: str
    about: str = ""
    tokens: Tokens
    buttons: tuple[str, ...] = ()
    max_steps: int = 1000
    symmetries: tuple[Transformation, ...] = ()
    seen_whole: bool = False
    alone: bool = False
    levels_of: str = ""

    @abstractmethod
    def reset(self, seed: int) -> Grid:
        """Begins anew, with all chances from `seed`; what is seen then."""

    @abstractmethod
    def step(self, action: Action) -> Outcome:
        """Does `action` and says what it led to."""

    def expert(self) -> Action:
        """What somebody who knows how to win would do now."""
        raise BadInput(f"{self.name}: nobody here knows how to play it. Name an expert, or play it yourself.")

    def as_good(self) -> Sequence[Action]:
        """What else would be just as good now, as far as the expert says so; demonstrations leave it open."""
        return ()

    def level(self, seed: int) -> Level:
        """The first position from `seed`, with a name. The world is in it afterwards."""
        return Level(f"seed:{seed}", self.reset(seed))

    def at(self, level: Level) -> World:
        """One more of the same world, to begin on this level of the game `levels_of`."""
        raise BadInput(f"{self.name} has no levels. Give --seeds, such as --seeds 0-9.")

    def another(self) -> World:
        """One more of the same world, to be played beside this one."""
        return copy.deepcopy(self)


Start = tuple[World, int]
"""An episode about to begin: a world of its own, and the seed it is reset with."""

Player = Callable[[Grid], Action]
"""Anything that looks at a grid and acts: `policy.act`, `game.expert`, …"""


@runtime_checkable
class ManyPlayer(Protocol):
    """Anything that acts on many grids at once: a `Policy`, a network, …"""

    def act_many(self, grids: Sequence[Grid]) -> Sequence[Action]:
        """One action a grid."""
        ...


class ManyPlayers(Protocol):
    """Several that act side by side: `Together` of `policy.py`."""

    def act_many(self, grids: Sequence[Grid], who: Sequence[int]) -> Sequence[Action]:
        """What player number `who[i]` does on `grids[i]`."""
        ...


@dataclass(frozen=True, slots=True)
class Episode:
    """One run of a world.

    Attributes:
        level: where it started.
        steps: the decisions, in order.
        last: the grid at the end.
        won: the goal was reached.
        over: the world ended it (rather than the steps running out).
        seed: of the world's own chances.
        reward: all that it gave, added up.
    """

    level: Level
    steps: tuple[Step, ...]
    last: Grid
    won: bool
    over: bool
    seed: int
    reward: float = 0.0

    @property
    def demonstration(self) -> Demonstration:
        outcome = "won" if self.won else "lost" if self.over else "unfinished"
        return Demonstration(self.steps, self.level.name, self.seed, outcome)


@dataclass
class _Run:
    """An episode in play."""

    world: World
    seed: int
    level: Level = field(init=False)
    grid: Grid = field(init=False)
    steps: list[Step] = field(default_factory=list)
    won: bool = False
    over: bool = False
    reward: float = 0.0

    def __post_init__(self) -> None:
        self.level = self.world.level(self.seed)
        self.grid = self.level.grid

    def step(self, action: Action) -> None:
        check_action(action, self.grid, self.world.buttons)
        self.steps.append(Step(self.grid, action))
        outcome = self.world.step(action)
        self.grid, self.won, self.over = outcome.grid, outcome.won, outcome.over
        self.reward += outcome.reward

    @property
    def episode(self) -> Episode:
        return Episode(self.level, tuple(self.steps), self.grid, self.won, self.over, self.seed, self.reward)


def play(world: World, player: Player, seed: int = 0, max_steps: int | None = None) -> Episode:
    """Plays once, from the position that `seed` leads to."""
    run = _Run(world, seed)
    for _ in range(max_steps or world.max_steps):
        run.step(player(run.grid))
        if run.over:
            break
    return run.episode


@dataclass(frozen=True, slots=True)
class Tally:
    """What an episode came to."""

    reward: float
    steps: int
    won: bool


def tallies(starts: Sequence[Start], player: ManyPlayer, again: float = math.inf) -> list[Tally]:
    """What each comes to, as `play_many` would tell; nothing is kept, for episodes of thousands of large grids.

    A run in which the same position comes up more than `again` times is given up.
    """
    playing = [(i, world, world.reset(seed)) for i, (world, seed) in enumerate(starts)]
    found = [Tally(0.0, 0, False)] * len(starts)
    met: list[Counter[Grid]] = [Counter() for _ in starts]
    while playing:
        actions = player.act_many([grid for _, _, grid in playing])
        going = []
        for (i, world, grid), action in zip(playing, actions, strict=True):
            outcome, before = world.step(action), found[i]
            found[i] = Tally(before.reward + outcome.reward, before.steps + 1, outcome.won)
            if again < math.inf:
                met[i][grid] += 1
            if not outcome.over and found[i].steps < world.max_steps and met[i][grid] <= again:
                going.append((i, world, outcome.grid))
        playing = going
    return found


def play_many(starts: Sequence[Start], player: ManyPlayer, max_steps: int | None = None) -> list[Episode]:
    """Plays each once, all of them side by side; each episode is as `play` gives it.

    The player is asked about all positions of a moment together, and about equal ones once.
    """
    if any(world.alone for world, _ in starts):
        return [play(world, lambda grid: player.act_many([grid])[0], seed, max_steps) for world, seed in starts]
    runs = [_Run(world, seed) for world, seed in starts]
    playing = runs
    chosen: dict[Grid, Action] = {}
    while playing := [run for run in playing if not run.over and len(run.steps) < (max_steps or run.world.max_steps)]:
        _choose(player, [run.grid for run in playing], chosen)
        for run in playing:
            run.step(chosen[run.grid])
    return [run.episode for run in runs]


def wins(starts: Sequence[Start], player: ManyPlayer, again: int = 3, until: float = math.inf) -> list[bool]:
    """Whether each is won, as `play_many` would tell, but sooner: nothing is kept, and a run in which the same position
    comes up more than `again` times is given up. A player that is a function of the grid would be lucky to get out of
    that. Where time is over before all have ended (`until`, by the monotonic clock), only those before the first that
    has not.
    """
    runs = [(0, world, seed) for world, seed in starts]
    return _wins(runs, lambda grids, _: player.act_many(grids), again, until)


def wins_of_each(
    starts: Sequence[Start], players: ManyPlayers, count: int, again: int = 3, until: float = math.inf
) -> list[list[bool]]:
    """`wins` of each of `count` players, all of them side by side. The worlds are copied."""
    runs = [(who, world.another(), seed) for world, seed in starts for who in range(count)]
    won = _wins(runs, players.act_many, again, until)
    whole = len(won) - len(won) % count
    return [won[who:whole:count] for who in range(count)]


Asked = Callable[[Sequence[Grid], Sequence[int]], Sequence[Action]]
"""What players number so and so do on some grids."""


def _wins(runs: Sequence[tuple[int, World, int]], ask: Asked, again: int, until: float) -> list[bool]:
    """Whether each run, of a player in a world with a seed, is won; only those before the first that has not ended if
    time is over."""
    won = [False] * len(runs)
    playing = [(i, who, world, world.reset(seed)) for i, (who, world, seed) in enumerate(runs)]
    chosen: dict[tuple[int, Grid], Action] = {}
    met: list[dict[Grid, int]] = [{} for _ in runs]
    moment = 0
    while playing:
        if time.monotonic() > until:
            return won[: playing[0][0]]
        moment += 1
        new = [key for key in dict.fromkeys((who, grid) for _, who, _, grid in playing) if key not in chosen]
        if new:
            actions = ask([grid for _, grid in new], [who for who, _ in new])
            chosen.update(zip(new, actions, strict=True))
        going = []
        for i, who, world, grid in playing:
            outcome = world.step(chosen[who, grid])
            won[i] = outcome.won
            times = met[i][grid] = met[i].get(grid, 0) + 1
            if not outcome.over and times <= again and moment < world.max_steps:
                going.append((i, who, world, outcome.grid))
        playing = going
    return won


def _choose(player: ManyPlayer, grids: Sequence[Grid], chosen: dict[Grid, Action]) -> None:
    """Asks about the grids on which nothing was chosen yet."""
    new = [grid for grid in dict.fromkeys(grids) if grid not in chosen]
    if new:
        chosen.update(zip(new, player.act_many(new), strict=True))


def starts_of(world: World, seeds: Sequence[int]) -> list[Start]:
    """The world once for each seed, to be played side by side."""
    return [(world.another(), seed) for seed in seeds]


def demonstrate(starts: Sequence[Start]) -> Demonstrations:
    """The demonstrations of the expert of some starts of one world, or of several levels of one game."""
    items = tuple(_shown(world, seed) for world, seed in starts)
    world = starts[0][0]
    return Demonstrations(world.tokens, items, world.name, world.buttons)


def _shown(world: World, seed: int) -> Demonstration:
    open_at: list[tuple[Action, ...]] = []

    def expert(_: Grid) -> Action:
        action = world.expert()
        open_at.append(tuple(other for other in world.as_good() if other != action))
        return action

    shown = play(world, expert, seed).demonstration
    return replace(shown, steps=tuple(map(_leaving_open, shown.steps, open_at)))


def _leaving_open(step: Step, others: tuple[Action, ...]) -> Step:
    return replace(step, open=others) if others else step
