"""A game is its tokens and a few pure functions. `gym_env.py` makes any game a Gymnasium environment."""

from __future__ import annotations

import re
import zlib
from abc import abstractmethod
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from shown.errors import BadLevel
from shown.grid import Action, Cell, Grid, Tokens
from shown.worlds.games import levels as named_levels
from shown.worlds.world import Level, Outcome, Playable, Start, World

EMPTY = "."
"""Open ground: the same character in every game."""

SIDES = ((-1, 0), (1, 0), (0, -1), (0, 1))
"""Up, down, left, right: the way to each of a cell's four neighbors."""


class Game(Playable):
    """The rules of a game: no state, no drawing. Subclasses live one to a file.

    Attributes:
        max_shape: no generated level has more rows or columns than this.
    """

    max_shape: tuple[int, int]
    max_steps = 60
    has_levels = True

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "about" not in vars(cls):
            text = " ".join((cls.__doc__ or "").split())
            cls.about = text.split("Description: ", 1)[-1].split(" Observation: ", 1)[0]

    @abstractmethod
    def step(self, grid: Grid, action: Action, rng: np.random.Generator) -> Outcome:
        """Return the outcome of `action`; the only randomness is `rng`'s."""

    def own_move(self, grid: Grid, action: Action) -> Grid | None:
        """Return the position after the player's own move, before others reply; None in games where nobody does."""
        return None

    @abstractmethod
    def expert(self, grid: Grid) -> Action:
        """Return the action of a player who knows how to win."""

    @abstractmethod
    def generate(self, rng: np.random.Generator) -> Grid:
        """Return a random level that the expert wins."""

    def check(self, grid: Grid) -> None:
        """Raise BadLevel with the reason unless `grid` is a legal first position; by default, with one of each piece.

        Pieces that may have several tokens are left to the game.
        """
        for piece in self.pieces:
            if len(piece) == 1:
                require_one(grid, self.tokens, piece[0])

    @property
    def rules(self) -> Game:
        return self

    def level(self, seed: int) -> Level:
        return named_levels.generated(self, seed)

    def levels(self, spec: str) -> list[Level]:
        return named_levels.load_levels(self, spec)

    def world_at(self, level: Level | int) -> LevelWorld:
        return LevelWorld(self, self.level(level) if isinstance(level, int) else level)

    def practice_start(self, number: int, seed: int = 0) -> Start:
        grid = self.generate(np.random.default_rng([seed, 0x9AC, number]))
        return LevelWorld(self, Level(f"practice:{seed}:{number}", grid)), seed


class LevelWorld(World):
    """A game on one of its levels, as a world: every seed begins there, with other opponents.

    >>> from shown.worlds import find, load_levels
    >>> nim = find("nim")
    >>> level = LevelWorld(nim, load_levels(nim, "train:0")[0])
    >>> level.reset(0) == level.level(1).grid
    True
    >>> level.step(level.expert()).over
    False
    """

    fully_observed = True

    def __init__(self, game: Game, level: Level) -> None:
        self.game, self.start = game, level
        self.name, self.title, self.goal = game.name, game.title, game.goal
        self.tokens, self.buttons = game.tokens, game.buttons
        self.max_steps, self.symmetries, self.pieces = game.max_steps, game.symmetries, game.pieces
        self.reset(0)

    def reset(self, seed: int) -> Grid:
        self._seed, self._grid = seed, self.start.grid
        self._chances: np.random.Generator | None = None  # made on the first step: worlds are copied and reset often
        return self._grid

    def step(self, action: Action) -> Outcome:
        if self._chances is None:
            self._chances = chances(self.start, self._seed)
        outcome = self.game.step(self._grid, action, self._chances)
        self._grid = outcome.grid
        return replace(outcome, reward=1.0) if outcome.won else outcome

    def expert(self) -> Action:
        return self.game.expert(self._grid)

    def level(self, seed: int) -> Level:
        return Level(self.start.name, self.reset(seed))

    def copy(self) -> World:
        return LevelWorld(self.game, self.start)  # rules have no state, so they need not be copied


def chances(level: Level, seed: int) -> np.random.Generator:
    """Return the random generator of a level; with one for all, opponents would choose alike everywhere.

    >>> from shown.grid import grid
    >>> one, other = (chances(Level(name, grid("||")), 0) for name in ("train:0", "train:1"))
    >>> one.random() == other.random()
    False
    """
    return np.random.default_rng([seed, zlib.crc32(level.name.encode())])


def clicked(action: Action) -> Cell:
    """Return the clicked cell. Actions are checked before, so a button here is a bug."""
    assert not isinstance(action, str), "this game is played by clicking cells"
    return action


def the(grid: Grid, character: str) -> Cell:
    """Return the first cell with this character, which every legal position has."""
    cell = grid.find(character)
    assert cell is not None, f"a legal position has {character!r}"
    return cell


def moved(cell: Cell, way: Cell) -> Cell:
    """Return the neighbor of `cell` in direction `way`, which may be off the grid."""
    return cell[0] + way[0], cell[1] + way[1]


def settle(grid: Grid, loose: str) -> Grid:
    """Let everything `loose` fall until it rests on something else or on the bottom of the grid.

    >>> from shown.grid import grid
    >>> print(settle(grid("a#", "..", "b.", ".#", ".."), loose="ab"))
    .#
    ..
    ..
    a#
    b.
    """
    width, text = grid.width, "".join(grid.rows)
    falling, run = _patterns(loose, width)
    changes = {}
    for c in {match.start() % width for match in falling.finditer(text)}:
        column = text[c::width]
        fallen = run.sub(_packed, column)
        changes.update({(r, c): fallen[r] for r, old in enumerate(column) if fallen[r] != old})
    return grid.with_cells(changes) if changes else grid


@cache
def _patterns(loose: str, width: int) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return patterns for something loose above a gap in the text of a grid, and for a run of both in a column."""
    below = f"(?=.{{{width - 1}}}{re.escape(EMPTY)})"
    return re.compile(f"[{re.escape(loose)}]{below}"), re.compile(f"[{re.escape(loose + EMPTY)}]+")


def _packed(run: re.Match[str]) -> str:
    """Return a run of loose things and gaps with the gaps on top."""
    things = run[0].replace(EMPTY, "")
    return EMPTY * (len(run[0]) - len(things)) + things


def require(condition: bool, reason: str) -> None:
    """Raise BadLevel with `reason` unless `condition` holds."""
    if not condition:
        raise BadLevel(reason)


def require_one(grid: Grid, tokens: Tokens, name: str) -> tuple[int, int]:
    """Return the only cell with the token `name`; raise BadLevel if there are none or several."""
    cells = grid.where(tokens[name])
    words = name.replace("_", " ")
    require(bool(cells), f"there is no {words} ({tokens[name]!r}). A level needs exactly one.")
    require(len(cells) == 1, f"row {cells[-1][0]}, column {cells[-1][1]}: a second {words}. A level has exactly one.")
    return cells[0]
