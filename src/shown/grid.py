"""Tokens and grids: what a state looks like.

A grid is a rectangle of single characters; a game's tokens say which characters there are and what each is called.
Everything outside a grid reads as the value `OFF`, which is one of the values of every game.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shown.errors import BadInput

Cell = tuple[int, int]
"""A place on (or off) a grid: (row, column), counted from the top left."""

Action = Cell | str
"""A click on a cell, or, in worlds with buttons, the button's name."""

OFF = "OFF"
"""The name of the value that every cell outside the grid has."""

MAX_SIDE = 4096
"""Larger grids are refused as a mistake."""

_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_BUTTON = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,39}")


class Tokens:
    """The values a cell of a game can have: a name and one character each, in order.

    >>> tokens = Tokens(empty=".", matchstick="|")
    >>> tokens.name(".")
    'empty'
    >>> tokens.values
    ('empty', 'matchstick', 'OFF')
    """

    def __init__(self, /, **characters: str) -> None:
        if not characters:
            raise BadInput("a game needs at least one token, such as empty='.'.")
        for name, character in characters.items():
            if not _NAME.fullmatch(name):
                raise BadInput(f"token name {name!r} must be lower-case letters, digits and underscores.")
            if not isinstance(character, str) or len(character) != 1 or not character.isprintable() or character == " ":
                raise BadInput(f"token {name!r} must be one visible character, not {character!r}.")
        if len(set(characters.values())) < len(characters):
            raise BadInput(f"two tokens share a character: {characters}.")
        self.characters: dict[str, str] = dict(characters)
        self._names = {character: name for name, character in characters.items()}

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.characters)

    @property
    def values(self) -> tuple[str, ...]:
        """The names of all values a program can look for, `OFF` last."""
        return (*self.characters, OFF)

    def name(self, character: str) -> str:
        return self._names[character]

    def __getitem__(self, name: str) -> str:
        return self.characters[name]

    def __contains__(self, character: object) -> bool:
        return character in self._names

    def __len__(self) -> int:
        return len(self.characters)

    def __iter__(self) -> Iterator[str]:
        return iter(self.characters.values())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tokens) and list(self.characters.items()) == list(other.characters.items())

    def __hash__(self) -> int:
        return hash(tuple(self.characters.items()))

    def __repr__(self) -> str:
        return f"Tokens({', '.join(f'{name}={character!r}' for name, character in self.characters.items())})"

    def check(self, grid: Grid, where: str = "") -> None:
        """Raises BadInput naming the first cell of `grid` that holds no token of these."""
        if self._names.keys() >= set().union(*grid.rows):
            return
        for r, row in enumerate(grid.rows):
            for c, character in enumerate(row):
                if character not in self._names:
                    raise BadInput(
                        f"{where}row {r}, column {c}: {character!r} is not a token. Tokens: {' '.join(self._names)}"
                    )


@dataclass(frozen=True)
class Grid:
    """A rectangle of characters. Immutable, hashable; `grid[row, column]` reads a cell.

    >>> board = grid("#.", ".A")
    >>> board[1, 1], board.shape, board.find("A")
    ('A', (2, 2), (1, 1))
    >>> print(board.with_cells({(0, 1): "A"}))
    #A
    .A
    """

    rows: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.rows or not self.rows[0]:
            raise BadInput("the grid is empty. It needs at least one row of at least one cell.")
        width = len(self.rows[0])
        for r, row in enumerate(self.rows):
            if len(row) != width:
                raise BadInput(f"row {r} has {len(row)} cells but row 0 has {width}. All rows must be equally long.")
        if len(self.rows) > MAX_SIDE or width > MAX_SIDE:
            raise BadInput(f"a grid of {len(self.rows)} × {width} is too large; at most {MAX_SIDE} on a side.")

    @classmethod
    def from_text(cls, text: str) -> Grid:
        """Reads rows as lines; blank lines around and spaces at the ends of lines do not count."""
        lines = [line.strip() for line in text.splitlines()]
        while lines and not lines[0]:
            lines.pop(0)
        while lines and not lines[-1]:
            lines.pop()
        return cls(tuple(lines))

    @property
    def text(self) -> str:
        return "\n".join(self.rows)

    @property
    def height(self) -> int:
        return len(self.rows)

    @property
    def width(self) -> int:
        return len(self.rows[0])

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.rows), len(self.rows[0])

    def __str__(self) -> str:
        return self.text

    def __getitem__(self, cell: Cell) -> str:
        return self.rows[cell[0]][cell[1]]

    def inside(self, cell: Cell) -> bool:
        return 0 <= cell[0] < len(self.rows) and 0 <= cell[1] < len(self.rows[0])

    def get(self, cell: Cell) -> str | None:
        """The character at `cell`, or None off the grid."""
        return self.rows[cell[0]][cell[1]] if self.inside(cell) else None

    def cells(self) -> Iterator[Cell]:
        """All cells in reading order."""
        return ((r, c) for r in range(self.height) for c in range(self.width))

    def find(self, character: str) -> Cell | None:
        """The first cell in reading order that holds `character`."""
        i = "".join(self.rows).find(character)
        return divmod(i, self.width) if i >= 0 else None

    def where(self, characters: str) -> tuple[Cell, ...]:
        """All cells in reading order that hold one of `characters`."""
        return tuple((r, c) for r, row in enumerate(self.rows) for c, x in enumerate(row) if x in characters)

    def with_cells(self, changes: Mapping[Cell, str]) -> Grid:
        """A copy with other characters at some cells."""
        rows = list(self.rows)
        for (r, c), character in changes.items():
            row = rows[r]
            rows[r] = row[:c] + character + row[c + 1 :]
        return Grid(tuple(rows))

    @cached_property
    def ordinals(self) -> np.ndarray:
        """The characters' code points. [H, W] uint32, read-only"""
        array = np.array(self.rows, dtype=f"<U{self.width}").view(np.uint32).reshape(self.shape)
        array.flags.writeable = False
        return array


def grid(*rows: str) -> Grid:
    """A grid from its rows: `grid("#.", ".A")`."""
    return Grid(rows)


def check_buttons(names: Sequence[object], where: str = "buttons") -> None:
    """Raises BadInput unless these can be the names of buttons: words that programs can mention, each once."""
    for name in names:
        if not isinstance(name, str) or not _BUTTON.fullmatch(name):
            raise BadInput(f"{where}: {name!r} is not a name. Use letters, digits and underscores, such as 'go_left'.")
    if len(set(names)) < len(names):
        raise BadInput(f"{where}: a name is given twice.")


def check_action(action: Action, grid: Grid, buttons: tuple[str, ...], where: str = "") -> None:
    """Raises BadInput unless `action` is a cell of `grid` (or, where there are buttons, one of them)."""
    if buttons:
        if action not in buttons:
            raise BadInput(f"{where}action {action!r} is not a button. Buttons: {', '.join(buttons)}.")
    elif not (
        isinstance(action, tuple)
        and len(action) == 2
        and all(isinstance(x, int | np.integer) and not isinstance(x, bool) for x in action)
    ):
        raise BadInput(f"{where}action {action!r} must be a cell, [row, column].")
    elif not grid.inside(action):
        at = tuple(int(x) for x in action)
        raise BadInput(f"{where}action {at} is off the grid of {grid.height} rows and {grid.width} columns.")


def action_to_json(action: Action) -> str | list[int]:
    """An action as JSON has it: a button's name, or [row, column]."""
    return action if isinstance(action, str) else [int(x) for x in action]
