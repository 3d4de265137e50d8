"""Tokens, grids and actions.

A grid is a rectangle of single characters; a game's tokens name those characters. Every cell outside the grid has the
value `OFF`, which is one of the values of every game.
"""

from __future__ import annotations

import html
import operator
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from shown.errors import BadInput, short

Cell = tuple[int, int]
"""A position on or off a grid: (row, column), counted from the top left."""

Action = Cell | str
"""A clicked cell or, in worlds with buttons, a button's name."""

OFF = "OFF"
"""The value of every cell outside the grid."""

AREAS = ("row", "column", "diagonals", "lines", "sides", "neighbors")
"""Sets of cells around a cell: its row, its column, both diagonals, or all of these, the cell itself included; or its
four or eight neighbors."""

MAX_SIDE = 4096
"""Larger grids are rejected."""

MAX_BUTTON = 40
"""Maximum length of a button's name."""

MAX_BUTTONS = 1000
"""Worlds with more buttons are rejected: every program is evaluated on every action of every state."""

MAX_DRAWN = 1000
"""Maximum number of cells of a board that a notebook draws beside others."""

_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_CELL = re.compile(r"\s*[(\[]?\s*(\d{1,6})\s*,\s*(\d{1,6})\s*[)\]]?\s*")
_BUTTON = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,39}")


class Tokens:
    """Named values that a cell can have, one character each, in order.

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
                raise BadInput(f"token name {short(name)} must be lower-case letters, digits and underscores.")
            if not isinstance(character, str) or len(character) != 1 or not character.isprintable() or character == " ":
                raise BadInput(f"token {name!r} must be one visible character, not {short(character)}.")
        if len(set(characters.values())) < len(characters):
            raise BadInput(f"two tokens share a character: {short(characters)}.")
        self.characters: dict[str, str] = dict(characters)
        self._names = {character: name for name, character in characters.items()}
        self._only_tokens = re.compile(f"[{re.escape(''.join(self._names))}]*")

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.characters)

    @property
    def values(self) -> tuple[str, ...]:
        """Names of all values a program can test for, `OFF` last."""
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
        """Raise BadInput naming the first cell of `grid` without a known token."""
        if self._only_tokens.fullmatch("".join(grid.rows)):
            return
        for r, row in enumerate(grid.rows):
            for c, character in enumerate(row):
                if character not in self._names:
                    raise BadInput(
                        f"{where}row {r}, column {c}: {character!r} is not a token. Tokens: {' '.join(self._names)}"
                    )


@dataclass(frozen=True, init=False)
class Grid:
    """A rectangle of characters, immutable and hashable; `grid[row, column]` reads a cell.

    Built from its rows, or from a text with one row per line.

    >>> board = Grid(["#.", ".A"])
    >>> board == Grid("#.\\n.A") == grid("#.", ".A")
    True
    >>> board[1, 1], board.shape, board.find("A")
    ('A', (2, 2), (1, 1))
    >>> print(board.with_cells({(0, 1): "A"}))
    #A
    .A
    """

    rows: tuple[str, ...]

    def __init__(self, rows: Iterable[str]) -> None:
        if type(rows) is not tuple:
            rows = _lines(rows) if isinstance(rows, str) else _listed(rows)
        _check_rows(rows)
        object.__setattr__(self, "rows", rows)
        object.__setattr__(self, "_hash", hash(rows))

    def __hash__(self) -> int:
        return self._hash  # type: ignore[attr-defined,no-any-return]

    def __reduce__(self) -> tuple[Any, ...]:
        # Cached properties are not pickled.
        return Grid, (self.rows,)

    def _repr_svg_(self) -> str:
        """Return the notebook representation: the characters, shaded by kind."""
        shades = {character: 95 - 7 * (i % 8) for i, character in enumerate(sorted({*"".join(self.rows)}))}
        cells = "".join(
            f'<rect x="{24 * c}" y="{24 * r}" width="24" height="24" fill="hsl(210 30% {shades[x]}%)" stroke="#fff"/>'
            f'<text x="{24 * c + 12}" y="{24 * r + 17}" text-anchor="middle">{html.escape(x)}</text>'
            for r, row in enumerate(self.rows)
            for c, x in enumerate(row)
        )
        size = f'width="{24 * self.width}" height="{24 * self.height}"'
        return f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="monospace" font-size="14">{cells}</svg>'

    @classmethod
    def from_text(cls, text: str) -> Grid:
        """Return the grid with one row per line; surrounding blank lines and spaces are ignored."""
        return cls(_lines(text))

    @classmethod
    def from_array(cls, array: Any, tokens: Tokens) -> Grid:
        """Return the grid with these token numbers; 0 is the first of `tokens`.

        >>> print(Grid.from_array([[0, 1], [1, 0]], Tokens(empty=".", wall="#")))
        .#
        #.

        Args:
            array: token numbers, [rows, columns].
            tokens: tokens that the numbers index.
        """
        try:
            numbers = np.asarray(array)
        except (ValueError, OverflowError):
            raise BadInput("the rows of the grid differ in length or are not numbers.") from None
        if numbers.ndim != 2 or numbers.dtype.kind not in "iu" or not numbers.size:
            raise BadInput(
                f"a grid is an integer array, [rows, columns], not {numbers.dtype} of shape {numbers.shape}."
            )
        wrong = np.argwhere((numbers < 0) | (numbers >= len(tokens)))
        if len(wrong):
            r, c = wrong[0].tolist()
            raise BadInput(
                f"row {r}, column {c}: {numbers[r, c]} is not a token number. Valid: 0 to {len(tokens) - 1}."
            )
        return cls(tuple("".join(row) for row in np.array(list(tokens))[numbers].tolist()))

    def to_array(self, tokens: Tokens) -> np.ndarray:
        """Return the token number of each cell, in the order of `tokens`. [H, W] uint8, or uint16 above 256 tokens

        >>> Grid(".#").to_array(Tokens(empty=".", wall="#"))
        array([[0, 1]], dtype=uint8)
        """
        tokens.check(self)
        ordinals = np.array([ord(character) for character in tokens])
        order = np.argsort(ordinals)
        kind = np.uint8 if len(tokens) <= 256 else np.uint16
        return order[np.searchsorted(ordinals[order], self.ordinals)].astype(kind)

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
        """Return the character at `cell`, or None off the grid."""
        return self.rows[cell[0]][cell[1]] if self.inside(cell) else None

    def cells(self) -> Iterator[Cell]:
        """Iterate over all cells in reading order."""
        return ((r, c) for r in range(self.height) for c in range(self.width))

    def find(self, character: str) -> Cell | None:
        """Return the first cell in reading order with `character`, or None."""
        i = "".join(self.rows).find(character)
        return divmod(i, self.width) if i >= 0 else None

    def where(self, characters: str) -> tuple[Cell, ...]:
        """Return all cells in reading order with one of `characters`."""
        return tuple((r, c) for r, row in enumerate(self.rows) for c, x in enumerate(row) if x in characters)

    def with_cells(self, changes: Mapping[Cell, str]) -> Grid:
        """Return a copy with some characters replaced."""
        rows, valid = list(self.rows), True
        for (r, c), character in changes.items():
            row = rows[r]
            rows[r] = row[:c] + character + row[c + 1 :]
            valid &= len(rows[r]) == len(row) and character not in "\r\n"
        if not valid:
            return Grid(tuple(rows))
        made = object.__new__(Grid)  # unchecked: games create thousands of grids a second
        object.__setattr__(made, "rows", tuple(rows))
        object.__setattr__(made, "_hash", hash(made.rows))
        return made

    @cached_property
    def ordinals(self) -> np.ndarray:
        """Code points of the characters. [H, W] uint32, read-only"""
        array = np.array(self.rows, dtype=f"<U{self.width}").view(np.uint32).reshape(self.shape)
        array.flags.writeable = False
        return array


def boards_html(heading: str, boards: Iterable[tuple[str, Grid]]) -> str:
    """Return a heading and captioned boards for a notebook; of a large board only the size.

    >>> boards_html("1 < 2", [("here", Grid(["." * 1001]))])
    '<pre>1 &lt; 2</pre><figure style="display:inline-block">1 × 1001 cells<figcaption>here</figcaption></figure>'
    """
    figures = [f"<pre>{html.escape(heading)}</pre>"]
    for caption, board in boards:
        small = board.height * board.width <= MAX_DRAWN
        drawn = board._repr_svg_() if small else f"{board.height} × {board.width} cells"
        text = f"<figcaption>{html.escape(caption)}</figcaption>"
        figures.append(f'<figure style="display:inline-block">{drawn}{text}</figure>')
    return "".join(figures)


def grid(*rows: str) -> Grid:
    """Return a grid from its rows, `grid("#.", ".A")`, or from one text with a row per line."""
    return Grid(rows[0] if len(rows) == 1 else rows)


def _lines(text: str) -> tuple[str, ...]:
    lines = [line.strip() for line in text.splitlines()]
    while lines and not lines[0]:
        lines.pop(0)
    while lines and not lines[-1]:
        lines.pop()
    return tuple(lines)


def _listed(rows: object) -> tuple[str, ...]:
    """Return rows from a list, an array or another iterable, with NumPy strings as plain text."""
    if not isinstance(rows, Iterable) or isinstance(rows, bytes | Mapping):
        raise BadInput(f"a grid is made of rows, such as Grid(['#.', '.A']), not of {short(rows)}.")
    return tuple(str(row) if isinstance(row, str) else row for row in rows)


_BREAK = re.compile("[\n\r]")


def _check_rows(rows: tuple[str, ...]) -> None:
    if not rows or (isinstance(rows[0], str) and not rows[0]):
        raise BadInput("the grid is empty. It needs at least one row of at least one cell.")
    if set(map(type, rows)) == {str} and len(set(map(len, rows))) == 1 and not _BREAK.search("".join(rows)):
        wrong: Iterable[tuple[int, str]] = ()  # fast path: games create thousands of valid grids a second
    else:
        wrong = enumerate(rows)
    for r, row in wrong:
        if not isinstance(row, str):
            raise BadInput(f"row {r} of the grid is {short(row)}; every row must be text, one character a cell.")
        if "\n" in row or "\r" in row:
            raise BadInput(f"row {r} of the grid has a line break in it. Give each row by itself, or use from_text.")
        if len(row) != len(rows[0]):
            raise BadInput(f"row {r} has {len(row)} cells but row 0 has {len(rows[0])}. All rows must be equally long.")
    if len(rows) > MAX_SIDE or len(rows[0]) > MAX_SIDE:
        raise BadInput(f"a grid of {len(rows)} × {len(rows[0])} is too large; at most {MAX_SIDE} on a side.")


def check_buttons(names: Sequence[object], where: str = "buttons") -> None:
    """Raise BadInput unless these are distinct names of buttons that programs can mention."""
    if isinstance(names, str):
        raise BadInput(f"{where}: {short(names)} is one text; give a list of names, such as ['left', 'right'].")
    if len(names) > MAX_BUTTONS:
        raise BadInput(f"{where}: {len(names):,} are too many; at most {MAX_BUTTONS:,}.")
    for name in names:
        if not isinstance(name, str) or not _BUTTON.fullmatch(name):
            raise BadInput(
                f"{where}: {short(name)} is not a name. Use letters, digits and underscores, such as 'go_left'."
            )
    if len(set(names)) < len(names):
        raise BadInput(f"{where}: a name is given twice.")


def plain_action(action: Any) -> Any:
    """Return an action as plain data: a cell as a tuple of ints, a button as a str.

    Lists and arrays of two NumPy or Python integers are cells too. Anything else is returned unchanged, for
    `check_action` to reject.

    >>> import numpy as np
    >>> plain_action([np.int64(2), 3]), plain_action(np.array([2, 3])), plain_action("left")
    ((2, 3), (2, 3), 'left')
    """
    if type(action) is tuple and len(action) == 2 and type(action[0]) is type(action[1]) is int:
        return action
    if isinstance(action, str):
        return str(action)
    items = action.tolist() if isinstance(action, np.ndarray) else action
    if isinstance(items, list | tuple) and len(items) == 2 and all(map(_is_whole, items)):
        return operator.index(items[0]), operator.index(items[1])
    return action


def check_action(action: Action, grid: Grid, buttons: tuple[str, ...], where: str = "") -> None:
    """Raise BadInput unless `action` is a cell of `grid` or, in worlds with buttons, a button."""
    if buttons:
        if not isinstance(action, str) or action not in buttons:
            raise BadInput(f"{where}action {short(action)} is not a button. Buttons: {', '.join(buttons)}.")
    elif not (isinstance(action, tuple) and len(action) == 2 and all(map(_is_whole, action))):
        cell = plain_action(action)
        hint = f" Give it as {cell}." if isinstance(cell, tuple) and cell is not action else ""
        raise BadInput(f"{where}action {short(action)} must be a cell, [row, column].{hint}")
    elif not grid.inside(action):
        raise BadInput(
            f"{where}action {plain_action(action)} is off the grid of {grid.height} rows and {grid.width} columns."
        )


def action_to_json(action: Action) -> str | list[int]:
    """Return an action as stored in files: a button's name, or `[row, column]`."""
    return str(action) if isinstance(action, str) else [operator.index(x) for x in action]


def action_from_json(value: Any, where: str = "") -> Action:
    """Return an action from a file. `check_action` tests whether it exists.

    >>> action_from_json([2, 3]), action_from_json("left")
    ((2, 3), 'left')
    """
    if isinstance(value, str) and len(value) <= MAX_BUTTON:
        return value
    if isinstance(value, list) and len(value) == 2 and all(type(x) is int and 0 <= x < 2**53 for x in value):
        return value[0], value[1]
    raise BadInput(f"{where}action {short(value)} must be a cell, [row, column], or a button's name.")


def action_to_text(action: Action) -> str:
    """Return an action as written on the command line and in tables: a button's name, or `row,column`.

    >>> action_to_text((2, 3)), action_to_text("left")
    ('2,3', 'left')
    """
    return str(action) if isinstance(action, str) else f"{action[0]},{action[1]}"


def action_from_text(text: str) -> Action:
    """Return the action that a text stands for; text that is not a cell is a button's name.

    >>> action_from_text("2,3"), action_from_text("(2, 3)"), action_from_text("left")
    ((2, 3), (2, 3), 'left')
    """
    match = _CELL.fullmatch(text)
    return text if match is None else (int(match[1]), int(match[2]))


def _is_whole(x: Any) -> bool:
    """Return whether `x` is an integer (of Python, NumPy, or another type with `__index__`)."""
    if isinstance(x, bool | np.bool_):
        return False
    try:
        operator.index(x)
    except TypeError:
        return False
    return True
