"""What can be played: games on levels, and worlds from seeds.

`Playable` is what both have in common. A game (`games/game.py`) is its rules, and can be put into any position. A
`World` has state that may be hidden, and can only be reset and stepped; the same seed and the same actions must lead to
the same grids. A game on one of its levels is a world, too.
"""

from __future__ import annotations

import copy
import html
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shown.errors import BadInput
from shown.grid import Action, Grid, Tokens
from shown.symmetry import Transformation

if TYPE_CHECKING:
    from shown.worlds.games.game import Game

WORLDS = ("gym:", "atari:")
"""Prefixes of the names of worlds, which tell them from games."""

MAX_SEEDS = 100_000
PRACTICE_SEEDS = 2**30
"""Worlds are practiced on with seeds from here on, so that the seeds a person names stay unseen."""


@dataclass(frozen=True, slots=True)
class Level:
    """A first position with a name, such as "train:3", "my-levels.json:0" or, in worlds, "seed:7"."""

    name: str
    grid: Grid

    @property
    def seed(self) -> int | None:
        """The seed that the level was made from, if it has one in its name."""
        return seed_of(self.name)


Levels = str | Iterable[Level | int]
"""Levels by name ("train:0-4", "random:7"; in worlds seeds, "0-9"), or as such; a number is the seed of one."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of an action.

    Attributes:
        grid: the grid afterwards.
        won: the goal was reached.
        over: the episode has ended (always true when won).
        reward: the world's reward. The rules of games leave it at 0; winning a game gives 1.
    """

    grid: Grid
    won: bool = False
    over: bool = False
    reward: float = 0.0


class Playable(ABC):
    """Anything that can be played and taught: a game or a world.

    Attributes:
        name: what users call it, such as "stop-the-fall" or "gym:FrozenLake-v1"; policies remember it.
        title: the name as it is printed, such as "Stop the Fall".
        goal: one sentence that tells a newcomer what to do.
        about: how to read the grid, or the rules, in a few sentences; may be empty.
        tokens: the values of the cells.
        buttons: the names of the actions; empty where actions are clicks on cells.
        max_steps: an episode that takes longer is not won.
        symmetries: transformations under which good play stays the same.
        pieces: things of which every position to act in has exactly one cell, each as the tokens that it may have:
            `(("king",), ("robot", "loaded_robot"))`. Rules then say "the king" and "the robot is loaded".
        has_levels: episodes begin on levels, which can be painted and loaded from files, rather than from seeds.
    """

    name: str
    title: str
    goal: str
    about: str = ""
    tokens: Tokens
    buttons: tuple[str, ...] = ()
    max_steps: int = 1000
    symmetries: tuple[Transformation, ...] = ()
    pieces: tuple[tuple[str, ...], ...] = ()
    has_levels: bool = False

    @property
    def rules(self) -> Game | None:
        """The rules as pure functions of the grid, where they are known: then the effects of actions are known."""
        return None

    @property
    def has_expert(self) -> bool:
        """Whether there is an expert to demonstrate it."""
        return True

    @abstractmethod
    def level(self, seed: int) -> Level:
        """Return the level made from `seed`."""

    @abstractmethod
    def levels(self, spec: str) -> list[Level]:
        """Return the levels that `spec` names."""

    @abstractmethod
    def world_at(self, level: Level | int) -> World:
        """Return the world to play a level in, or the level made from a seed."""

    def starts(self, levels: Levels, seed: int = 0) -> list[Start]:
        """Return one start for each level, to be played side by side.

        `seed` is for the opponents in games; a world takes all its chances from the seed that it starts from.
        """
        chosen = self.levels(levels) if isinstance(levels, str) else levels
        return [(self.world_at(one), one if isinstance(one, int) else seed) for one in chosen]

    @abstractmethod
    def practice_start(self, number: int, seed: int = 0) -> Start:
        """Return start `number` of endlessly many to practice on; no other way of naming levels leads to them."""

    def why_lost(self, grid: Grid) -> str:
        """Say in a sentence why an episode that ended in `grid` is lost; empty if there is nothing to say."""
        return ""

    def _repr_html_(self) -> str:
        """Show the goal, the tokens and the actions in a notebook."""
        legend = (f"  {character}  {name}" for name, character in self.tokens.characters.items())
        lines = [f"{self.title}: {self.goal}", *legend, f"actions: {', '.join(self.buttons) or 'clicks on cells'}"]
        return f"<pre>{html.escape(chr(10).join(lines))}</pre>"


class World(Playable):
    """A playable with state: it can be reset and stepped.

    Attributes:
        fully_observed: the grid shows the whole state, so an action that does not change it has no effect.
    """

    fully_observed: bool = False

    @abstractmethod
    def reset(self, seed: int) -> Grid:
        """Start a new episode with all chances from `seed`, and return the first grid."""

    @abstractmethod
    def step(self, action: Action) -> Outcome:
        """Take `action`, and return its outcome."""

    def expert(self) -> Action:
        """Return the expert's action in the present state."""
        raise BadInput(f"{self.name}: there is no expert. Name one with --expert, or play it yourself.")

    def equally_good(self) -> Sequence[Action]:
        """Return the actions that the expert considers as good as its own; demonstrations leave them open."""
        return ()

    @property
    def has_expert(self) -> bool:
        try:
            self.expert()
        except Exception:  # whatever an environment's own code raises
            return False
        return True

    def level(self, seed: int) -> Level:
        return Level(f"seed:{seed}", self.reset(seed))

    def levels(self, spec: str) -> list[Level]:
        return [self.level(seed) for seed in parse_seeds(spec)]

    def world_at(self, level: Level | int) -> World:
        return self

    def starts(self, levels: Levels, seed: int = 0) -> list[Start]:
        chosen = parse_seeds(levels) if isinstance(levels, str) else levels
        seeds = (one if isinstance(one, int) else one.seed or 0 for one in chosen)
        return [(self.copy(), one) for one in seeds]

    def practice_start(self, number: int, seed: int = 0) -> Start:
        return self.copy(), PRACTICE_SEEDS + 1000 * seed + number

    def copy(self) -> World:
        """Return a second instance, to be played beside this one."""
        return copy.deepcopy(self)


Start = tuple[World, int]
"""An episode about to begin: a world, and the seed to reset it with."""


def seed_of(level: str | None) -> int | None:
    """Return the seed in the name of a level that was made from one.

    >>> seed_of("random:7"), seed_of("seed:12"), seed_of("train:3")
    (7, 12, None)
    """
    match = re.fullmatch(r"(?:random|seed):([0-9]{1,10})", level or "")
    return int(match[1]) if match else None


def parse_seeds(text: str) -> list[int]:
    """Return the seeds that a text such as 0-9, seed:7 or 3,5,20-29 names.

    >>> parse_seeds("3,5-7")
    [3, 5, 6, 7]
    """
    found: list[int] = []
    for part in text.split(","):
        match = re.fullmatch(r"\s*(?:seed:)?(\d{1,9})(?:-(\d{1,9}))?\s*", part)
        if match is None or int(match[2] or match[1]) < int(match[1]):
            raise BadInput(f"expected seeds such as 0-9 or 3,5,20-29, not {text[:40]!r}")
        found += range(int(match[1]), min(int(match[2] or match[1]), int(match[1]) + MAX_SEEDS) + 1)
    if len(found) > MAX_SEEDS:
        raise BadInput(f"{text[:40]!r}: more than {MAX_SEEDS:,} seeds")
    return found
