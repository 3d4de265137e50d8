"""What a game is: its tokens and four pure functions. One adapter (`env.py`) makes any game an environment."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from functools import cache
from typing import ClassVar

import numpy as np

from shown.errors import BadLevel
from shown.grid import Action, Cell, Grid, Tokens
from shown.symmetry import Transformation
from shown.world import Outcome as Outcome

EMPTY = "."
"""Open ground: the same character in every game."""

SIDES = ((-1, 0), (1, 0), (0, -1), (0, 1))
"""Up, down, left, right: the way to each of a cell's four neighbours."""


class Game(ABC):
    """A game is its rules: no state, no drawing. Subclasses live one to a file.

    Attributes:
        name: how users call it, such as "stop-the-fall".
        title: how it is written, such as "Stop the Fall".
        goal: one sentence that tells a newcomer what to do.
        tokens: the values of its cells.
        max_shape: no generated level has more rows or columns than this.
        buttons: the names of its actions, for games that are not played by clicking cells.
        max_steps: an episode that takes longer is not won.
        symmetries: transformations under which the rules stay the same, and so does good play.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    goal: ClassVar[str]
    tokens: ClassVar[Tokens]
    max_shape: ClassVar[tuple[int, int]]
    buttons: ClassVar[tuple[str, ...]] = ()
    max_steps: ClassVar[int] = 60
    symmetries: ClassVar[tuple[Transformation, ...]] = ()

    @abstractmethod
    def step(self, grid: Grid, action: Action, rng: np.random.Generator) -> Outcome:
        """What `action` leads to; the only randomness is `rng`'s."""

    @abstractmethod
    def expert(self, grid: Grid) -> Action:
        """The action of a player who knows how to win."""

    @abstractmethod
    def generate(self, rng: np.random.Generator) -> Grid:
        """A random level that the expert wins."""

    def why_lost(self, grid: Grid) -> str:
        """Why a game that ended in `grid` is lost, in a sentence; nothing if the rules have no more to say."""
        return ""

    @abstractmethod
    def check(self, grid: Grid) -> None:
        """Raises BadLevel with the reason unless `grid` is a legal first position."""


def clicked(action: Action) -> Cell:
    """The cell that was clicked. Rules see only checked actions, so a button here is a mistake in the program."""
    assert not isinstance(action, str), "this game is played by clicking cells"
    return action


def moved(cell: Cell, way: Cell) -> Cell:
    """The cell one step `way` of `cell`; it may be off the grid."""
    return cell[0] + way[0], cell[1] + way[1]


def settle(grid: Grid, loose: str) -> Grid:
    """Lets everything `loose` fall until it rests on something that does not, or on the bottom of the grid.

    >>> from shown.grid import grid
    >>> print(settle(grid("a#", "..", "b.", ".#", ".."), loose="ab"))
    .#
    ..
    ..
    a#
    b.
    """
    (height, width), text = grid.shape, "".join(grid.rows)
    columns = "\n".join(text[c::width] for c in range(width))
    falling, run = _patterns(loose)
    if not falling.search(columns):
        return grid
    columns = run.sub(_packed, columns)
    return Grid(tuple(columns[r :: height + 1] for r in range(height)))


@cache
def _patterns(loose: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Something loose above a gap, and a stretch of loose things and gaps."""
    return re.compile(f"[{re.escape(loose)}]{re.escape(EMPTY)}"), re.compile(f"[{re.escape(loose + EMPTY)}]+")


def _packed(run: re.Match[str]) -> str:
    """A stretch of loose things and gaps, with the gaps on top."""
    things = run[0].replace(EMPTY, "")
    return EMPTY * (len(run[0]) - len(things)) + things


def require(condition: bool, reason: str) -> None:
    """Raises BadLevel with `reason` unless `condition` holds."""
    if not condition:
        raise BadLevel(reason)


def require_one(grid: Grid, tokens: Tokens, name: str) -> tuple[int, int]:
    """The only cell with the token `name`; BadLevel (with the second one's place) if there are none or several."""
    cells = grid.where(tokens[name])
    words = name.replace("_", " ")
    require(bool(cells), f"there is no {words} ({tokens[name]!r}). A level needs exactly one.")
    require(len(cells) == 1, f"row {cells[-1][0]}, column {cells[-1][1]}: a second {words}. A level has exactly one.")
    return cells[0]
