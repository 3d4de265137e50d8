"""Playing: one episode, many side by side, demonstrations of the expert, success rates."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, runtime_checkable

from shown.demonstrations import Demonstration, Demonstrations, Step
from shown.grid import Action, Grid, boards_html, check_action
from shown.worlds.world import Level, Levels, Playable, Start, World

Player = Callable[[Grid], Action]
"""A function from grids to actions: `policy.act`, `game.expert`, …"""

MAX_REPEATS = 3  # times that a position may come up before a run is given up


@runtime_checkable
class ManyPlayer(Protocol):
    """A player that acts on many grids at once: a `Policy`, a network, …"""

    @property
    def deterministic(self) -> bool:
        """Whether the action depends on the grid alone: such a player is asked once about equal grids."""
        ...

    def act_many(self, grids: Sequence[Grid]) -> Sequence[Action]:
        """Return one action for each grid."""
        ...


@dataclass(frozen=True, slots=True)
class Episode:
    """A played episode.

    Attributes:
        level: where it started.
        steps: the decisions, in order.
        last: the grid at the end.
        won: the goal was reached.
        over: the world ended it (rather than the steps running out).
        seed: the seed of the world's chances.
        reward: the sum of all rewards.
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

    def _repr_html_(self) -> str:
        """Show the result and the first and last board in a notebook."""
        result = f"{self.demonstration.outcome} after {len(self.steps)} steps, reward {self.reward:g}"
        return boards_html(f"{self.level.name}: {result}", [("first", self.level.grid), ("last", self.last)])


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


def play(
    game: Playable, player: Player, level: Level | int | None = None, seed: int = 0, max_steps: int | None = None
) -> Episode:
    """Play one episode.

    >>> from shown.worlds import find_game, load_levels
    >>> nim = find_game("nim")
    >>> play(nim, nim.expert, load_levels(nim, "train:0")[0]).won
    True

    Args:
        game: a game or world.
        player: chooses an action on every grid.
        level: where to begin; a number is a seed, of the level and of all chances.
        seed: of the opponents' chances, which differ from level to level; without a level, also of the level.
        max_steps: ends the episode early.
    """
    if level is None or isinstance(level, int):
        level = seed = seed if level is None else level
    elif not game.has_levels:
        seed = level.seed or 0
    world = game.world_at(level)
    run = _Run(world, seed)
    for _ in range(max_steps or world.max_steps):
        run.step(player(run.grid))
        if run.over:
            break
    return run.episode


def play_expert(game: Playable, level: Level | None = None, seed: int = 0) -> Episode:
    """Play one episode with the expert's actions."""
    world = game.world_at(seed if level is None else level)
    return play(world, lambda _: world.expert(), level if world is game else None, seed)


def play_many(
    game: Playable, player: ManyPlayer, levels: Levels, seed: int = 0, max_steps: int | None = None
) -> list[Episode]:
    """Play each level once, all side by side; each episode is the one that `play` returns.

    >>> from shown.policy import uniform_policy
    >>> from shown.worlds import find
    >>> nim = find("nim")
    >>> [episode.won for episode in play_many(nim, uniform_policy(nim.tokens), "test:0-2")]
    [False, False, False]
    """
    return play_starts(game.starts(levels, seed), player, max_steps)


def play_starts(
    starts: Sequence[Start], player: ManyPlayer, max_steps: int | None = None, deadline: float = math.inf
) -> list[Episode]:
    """Play each start once, all side by side. See `play_many`.

    At `deadline`, by the monotonic clock, the episodes are returned as far as they are played.
    """
    runs = [_Run(world, seed) for world, seed in starts]
    choose, playing = _Choices(player), runs
    while playing := [run for run in playing if not run.over and len(run.steps) < (max_steps or run.world.max_steps)]:
        if time.monotonic() > deadline:
            break
        for run, action in zip(playing, choose([run.grid for run in playing]), strict=True):
            run.step(action)
    return [run.episode for run in runs]


def demonstrate(game: Playable, levels: Levels, seed: int = 0) -> Demonstrations:
    """Return the expert's demonstrations, one for each level.

    >>> from shown.worlds import find
    >>> len(demonstrate(find("nim"), "train:0-4"))
    5
    """
    items = tuple(_demonstrated(world, start_seed) for world, start_seed in game.starts(levels, seed))
    return Demonstrations(game.tokens, items, game.name, game.buttons)


def _demonstrated(world: World, seed: int) -> Demonstration:
    open_at: list[tuple[Action, ...]] = []

    def expert(_: Grid) -> Action:
        action = world.expert()
        open_at.append(tuple(other for other in world.equally_good() if other != action))
        return action

    shown = play(world, expert, seed=seed).demonstration
    steps = (replace(step, open=others) if others else step for step, others in zip(shown.steps, open_at, strict=True))
    return replace(shown, steps=tuple(steps))


def success_rate(game: Playable, player: Player | ManyPlayer, levels: Levels, seed: int = 0) -> float:
    """Return the fraction of levels won, each played once, as `shown evaluate` plays them.

    A `ManyPlayer` such as a policy plays all levels side by side, a function such as `policy.act` one by one.
    """
    if isinstance(player, ManyPlayer):
        episodes = play_many(game, player, levels, seed)
    else:
        episodes = [play(world, player, seed=start_seed) for world, start_seed in game.starts(levels, seed)]
    return sum(episode.won for episode in episodes) / len(episodes)


@dataclass(frozen=True, slots=True)
class Tally:
    """The result of an episode, without its steps."""

    reward: float = 0.0
    steps: int = 0
    won: bool = False


def tallies(
    starts: Sequence[Start],
    player: ManyPlayer,
    max_repeats: float = math.inf,
    deadline: float = math.inf,
    horizon: float = math.inf,
) -> list[Tally]:
    """Return the results that `play_starts` would reach, without keeping the steps.

    Give up a run in which the same position comes up more than `max_repeats` times, and end one after `horizon` steps.
    At `deadline`, by the monotonic clock, return only the results before the first unfinished one.
    """
    return _tallies(starts, player, [max_repeats] * len(starts), deadline, horizon)


def wins(starts: Sequence[Start], player: ManyPlayer, deadline: float = math.inf) -> list[bool]:
    """Return whether each start is won, sooner than `play_starts` would.

    Give up a run in which a deterministic player meets the same position more than MAX_REPEATS times, if grids show
    the whole state: it would be lucky to win it. At `deadline`, by the monotonic clock, return only the results before
    the first unfinished one.

    >>> from shown.policy import uniform_policy
    >>> from shown.worlds import find
    >>> nim = find("nim")
    >>> wins(nim.starts("test:0-2"), uniform_policy(nim.tokens))
    [False, False, False]
    """
    # Where the state is hidden, waiting may be right.
    limits = [MAX_REPEATS if player.deterministic and world.fully_observed else math.inf for world, _ in starts]
    return [tally.won for tally in _tallies(starts, player, limits, deadline)]


class _Choices:
    """The actions of a player on grids; a deterministic one is asked once about each grid."""

    def __init__(self, player: ManyPlayer) -> None:
        self._player = player
        self._known: dict[Grid, Action] = {}

    def __call__(self, grids: Sequence[Grid]) -> Sequence[Action]:
        """Return the action on each grid."""
        if not self._player.deterministic:
            return self._player.act_many(grids)
        new = list(dict.fromkeys(grid for grid in grids if grid not in self._known))
        if new:
            self._known.update(zip(new, self._player.act_many(new), strict=True))
        return [self._known[grid] for grid in grids]


def _tallies(
    starts: Sequence[Start],
    player: ManyPlayer,
    limits: Sequence[float],
    deadline: float = math.inf,
    horizon: float = math.inf,
) -> list[Tally]:
    """Play each start until it is over, has `horizon` steps, or a position comes up more often than its limit."""
    rewards, steps, won = [0.0] * len(starts), [0] * len(starts), [False] * len(starts)
    playing = [(i, world, world.reset(seed)) for i, (world, seed) in enumerate(starts)]
    visits: list[dict[Grid, int]] = [{} for _ in starts]
    choose = _Choices(player)
    while playing:
        if time.monotonic() > deadline:
            break
        going = []
        for (i, world, grid), action in zip(playing, choose([grid for _, _, grid in playing]), strict=True):
            outcome = world.step(action)
            rewards[i] += outcome.reward
            steps[i] += 1
            won[i] = outcome.won
            often = visits[i][grid] = visits[i].get(grid, 0) + 1
            if not outcome.over and steps[i] < min(world.max_steps, horizon) and often <= limits[i]:
                going.append((i, world, outcome.grid))
        playing = going
    finished = playing[0][0] if playing else len(starts)
    return list(map(Tally, rewards[:finished], steps[:finished], won[:finished]))
