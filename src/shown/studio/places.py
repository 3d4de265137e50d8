"""Where lessons begin: on the levels of a game, or from the seeds of a world.

Both are played by `teaching/recording.py`; what differs for a desk is here. A game can be put into any position, so
levels are positions. A world can only be played there: its levels are seeds, and a position is a seed with the actions
that lead to it.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Hashable

import numpy as np

from shown.demonstrations import Demonstration
from shown.errors import BadInput, ShownError
from shown.games import find
from shown.games.episodes import play
from shown.games.game import Game
from shown.games.levels import Level, built_in, check_level, generated
from shown.grid import Action, Grid
from shown.language.walking import walking_grammar
from shown.teaching.recording import WRONG_FOOTED, Attempt, begin, check_playable, outcome_of, play_all
from shown.teaching.same import expert_action
from shown.world import WORLDS, Episode, World
from shown.world import play as play_world

Playable = Game | World
"""What can be taught: a game, on its levels, or a world, from seeds."""

LESSONS = 11
"""So many seeds of a world are lessons to begin with."""


class Place(ABC):
    """Where lessons in one game or world begin.

    Attributes:
        lessons: the levels to begin with.
        tests: the levels that are watched first.
        paints: levels can be painted.
        knows: somebody here knows how to play it.
    """

    lessons: tuple[Level, ...]
    tests: tuple[Level, ...] = ()
    paints = False
    knows = True

    @abstractmethod
    def generated(self, seed: int) -> Level:
        """One of endlessly many levels."""

    @abstractmethod
    def named(self, kind: str, number: int) -> Level | None:
        """The level called `kind:number`, if there is one."""

    @abstractmethod
    def seed(self, level: Level, chance: int) -> int:
        """The seed that a level is played with; `chance` will do where it is open."""

    @abstractmethod
    def mark(self, level: str | None, first: Grid) -> Hashable:
        """What tells a level from others, once something was shown on it."""

    @abstractmethod
    def check(self, level: Level) -> None:
        """BadInput unless this is a legal level."""

    @abstractmethod
    def position(self, level: Level, seed: int, before: tuple[Action, ...]) -> Level:
        """A position in the course of a game, to be played on from: the level, with what is seen there."""

    @abstractmethod
    def expert(self, level: Level, seed: int) -> Episode:
        """The level as the expert plays it."""

    @abstractmethod
    def hint(self, attempt: Attempt) -> Action | None:
        """What the expert would do now, or None if it does not know."""

    @abstractmethod
    def last(self, demonstration: Demonstration) -> Grid:
        """What is seen after the last step of a demonstration that came from elsewhere."""


def place_of(game: Playable) -> Place:
    """Where lessons in `game` begin."""
    return Seeds(game) if isinstance(game, World) else Levels(game)


class Levels(Place):
    """The levels of a game."""

    paints = True

    def __init__(self, game: Game) -> None:
        self.game = game
        self.lessons, self.tests = curriculum(game), tuple(built_in(game, "test"))
        self._shipped = frozenset(level.grid for level in (*self.lessons, *self.tests))

    def generated(self, seed: int) -> Level:
        return generated(self.game, seed, self._shipped)

    def named(self, kind: str, number: int) -> Level | None:
        if kind == "random":
            return self.generated(number)
        known = (*self.lessons, *self.tests)
        return next((level for level in known if level.name == f"{kind}:{number}"), None)

    def seed(self, level: Level, chance: int) -> int:
        return chance

    def mark(self, level: str | None, first: Grid) -> Hashable:
        return first

    def check(self, level: Level) -> None:
        check_level(self.game, level.grid)

    def position(self, level: Level, seed: int, before: tuple[Action, ...]) -> Level:
        check_playable(self.game, level.grid)
        return level

    def expert(self, level: Level, seed: int) -> Episode:
        return play(self.game, self.game.expert, level, seed)

    def hint(self, attempt: Attempt) -> Action | None:
        return expert_action(self.game, attempt.grid)

    def last(self, demonstration: Demonstration) -> Grid:
        step, chances = demonstration.steps[-1], np.random.default_rng(demonstration.seed or 0)
        return outcome_of(self.game, step.grid, step.action, chances).grid


class Seeds(Place):
    """The seeds of a world."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.lessons = tuple(self.generated(seed) for seed in range(LESSONS))
        try:
            world.expert()
        except (ShownError, *WRONG_FOOTED):
            self.knows = False

    def generated(self, seed: int) -> Level:
        return self.world.level(seed)

    def named(self, kind: str, number: int) -> Level | None:
        return self.generated(number) if kind == "seed" else None

    def seed(self, level: Level, chance: int) -> int:
        return number_of(level.name) or 0

    def mark(self, level: str | None, first: Grid) -> Hashable:
        return level

    def check(self, level: Level) -> None:
        """Every seed is a level."""

    def position(self, level: Level, seed: int, before: tuple[Action, ...]) -> Level:
        start = begin(self.generated(seed), seed)
        return Level(level.name, play_all(self.world, start, before).grid)

    def expert(self, level: Level, seed: int) -> Episode:
        return play_world(self.world, lambda _: self.world.expert(), seed)

    def hint(self, attempt: Attempt) -> Action | None:
        try:
            self.world.reset(attempt.seed)
            for action in (*attempt.before, *(step.action for step in attempt.steps)):
                self.world.step(action)
            return self.world.expert()
        except (ShownError, *WRONG_FOOTED):
            return None

    def last(self, demonstration: Demonstration) -> Grid:
        """What is seen after the same actions from the same seed, if all before it is as it was shown; else what was
        seen last."""
        steps = demonstration.steps
        if demonstration.seed is not None:
            start = begin(self.generated(demonstration.seed), demonstration.seed)
            try:
                again = play_all(self.world, start, tuple(step.action for step in steps))
            except BadInput:
                return steps[-1].grid
            if [step.grid for step in again.steps] == [step.grid for step in steps]:
                return again.grid
        return steps[-1].grid


def curriculum(game: Game) -> tuple[Level, ...]:
    """The training levels as lessons, the shortest first: those that take the expert fewest clicks.

    >>> [level.name for level in curriculum(find("nim"))][:3]
    ['train:3', 'train:5', 'train:7']
    """
    return tuple(sorted(built_in(game, "train"), key=lambda level: len(play(game, game.expert, level).steps)))


def number_of(level: str | None) -> int | None:
    """The seed in the name of a level that was made from one.

    >>> number_of("random:7"), number_of("seed:12"), number_of("train:3")
    (7, 12, None)
    """
    match = re.fullmatch(r"(?:random|seed):([0-9]{1,10})", level or "")
    return int(match[1]) if match else None


def key_of(name: str) -> str:
    """A name that can be part of a file's, of an id in the page, and of an address: letters, digits and hyphens are
    kept, others are written as their number.

    >>> key_of("stop-the-fall"), key_of("gym:FrozenLake-v1")
    ('stop-the-fall', 'gym_3a_FrozenLake-v1')
    """
    return re.sub(r"[^A-Za-z0-9-]", lambda match: f"_{ord(match[0]):x}_", name)


def walks(game: Playable) -> bool:
    """Whether the words for walking about make sense here."""
    try:
        walking_grammar(game.tokens, game.buttons)
    except BadInput:
        return False
    return True


def find_playable(name: str) -> Playable:
    """The game or world of that name. Who asks must have been told the name by the user, not by a file."""
    return find_world(name) if name.startswith(WORLDS) else find(name)


def find_world(name: str) -> World:
    """The world of that name; its library is loaded when it is asked for."""
    from shown import worlds

    return worlds.find(name)
