"""Ways of seeing: from what an environment shows to a grid of tokens.

A view has a name, tokens, and is called with the environment and its observation. `Numbers`, `Channels`, `TextMap` and
`Frames` do for most environments; any object of your own with these three will do too.
"""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from shown.errors import BadInput
from shown.grid import Grid, Tokens

CHARACTERS = string.digits + string.ascii_letters
"""What stands for values that have no name."""

COLOURS = 2**24
"""So many colours there are."""


class View(Protocol):
    """How to see an environment.

    Attributes:
        name: how it is called after the `#` of a world's name; "" for the usual one.
        tokens: the values of the grids it gives.

    If it has `symmetries`, or says what it is `about`, the world has these.
    """

    name: str
    tokens: Tokens

    def __call__(self, env: Any, observation: Any) -> Grid:
        """What is seen now."""
        ...


class Numbers:
    """Arrays of whole numbers, [rows, columns]: each number is a token.

    >>> look = Numbers({0: "empty", 1: "wall", 5: "goal"})
    >>> print(look(None, np.array([[0, 1], [5, 0]])))
    .#
    G.
    """

    def __init__(self, names: Mapping[int, str] | int, shape: tuple[int, int] | None = None) -> None:
        """`names` says what the numbers are; or how many there are, from 0, if they have no names."""
        if isinstance(names, int):
            names = {number: f"value_{number}" for number in range(names)}
        self.name, self.shape = "", shape
        self.tokens = tokens_for(list(names.values()))
        self._characters = dict(zip(names, self.tokens, strict=True))

    def __call__(self, env: Any, observation: Any) -> Grid:
        array = as_array(observation, self.shape, "rows, columns", 2)
        try:
            return Grid(tuple("".join(self._characters[number] for number in row) for row in array.tolist()))
        except KeyError as error:
            known = ", ".join(map(str, self._characters))
            raise BadInput(f"the observation has a {error} in it, which no token stands for. Known: {known}.") from None


class Channels:
    """One-hot channels, [rows, columns, channels]: a cell is what its channel says; the last one set is on top.

    >>> look = Channels(["wall", "goal"])
    >>> print(look(None, np.array([[[1, 0], [0, 0]], [[0, 0], [0, 1]]])))
    #.
    .G
    """

    def __init__(self, names: Sequence[str] | int, shape: tuple[int, int, int] | None = None) -> None:
        """`names` says what the channels are; or how many there are. A cell where none is set is `empty`."""
        if isinstance(names, int):
            names = [f"channel_{number}" for number in range(names)]
        self.name, self.shape = "", shape
        self.tokens = tokens_for(["empty", *names])
        self._characters = np.array(list(self.tokens))

    def __call__(self, env: Any, observation: Any) -> Grid:
        array = as_array(observation, self.shape, "rows, columns, channels", 3) != 0
        if array.shape[2] != len(self.tokens) - 1:
            raise BadInput(f"the observation has {array.shape[2]} channels, not {len(self.tokens) - 1}.")
        top = np.where(array.any(axis=2), array.shape[2] - np.argmax(array[:, :, ::-1], axis=2), 0)
        return Grid(tuple("".join(row) for row in self._characters[top].tolist()))


class TextMap:
    """A map of letters that stays, and a number that says where the agent is, row by row (FrozenLake and its like).

    >>> look = TextMap(["SF", "HG"], {"S": "ice", "F": "ice", "H": "hole", "G": "goal"})
    >>> print(look(None, 1))
    iA
    HG
    """

    def __init__(self, rows: Sequence[str], names: Mapping[str, str]) -> None:
        """`names` says what the letters are; several may be the same. The agent's token is `agent`."""
        unknown = sorted(set("".join(rows)) - names.keys())
        if unknown:
            raise BadInput(f"the map has {unknown[0]!r} in it, which has no name. Named: {' '.join(names)}.")
        self.name = ""
        self.tokens = tokens_for([*dict.fromkeys(names.values()), "agent"])
        characters = {letter: self.tokens[name] for letter, name in names.items()}
        self._map = Grid(tuple("".join(map(characters.__getitem__, row)) for row in rows))

    def __call__(self, env: Any, observation: Any) -> Grid:
        height, width = self._map.shape
        if isinstance(observation, bool) or not isinstance(observation, int | np.integer):
            raise BadInput(
                f"the observation must be the number of a cell of the map, not {type(observation).__name__}."
            )
        if not 0 <= observation < height * width:
            raise BadInput(f"the observation {observation} is no cell of a map of {height} rows and {width} columns.")
        return self._map.with_cells({divmod(int(observation), width): self.tokens["agent"]})


class Frames:
    """RGB frames, [height, width, 3], by blocks of pixels: a cell's token is the nearest known colour of what is most
    in its block.

    >>> frame = np.zeros((4, 8, 3), np.uint8)
    >>> frame[:, 4:] = 255
    >>> look = Frames(Frames.colours([frame], 4), 4)
    >>> print(look(None, frame))
    01
    """

    kind = "blocks"

    def __init__(self, palette: np.ndarray, block: int, shape: tuple[int, int, int] | None = None) -> None:
        """`palette` is the known colours, [n, 3]; `colours` learns it from frames."""
        self.name, self.shape = f"{self.kind}-{block}", shape
        self.palette, self.block = palette.astype(np.int64), block
        self.tokens = tokens_for([f"colour_{number}" for number in range(len(palette))])
        self._characters = np.array(list(self.tokens))

    def __call__(self, env: Any, observation: Any) -> Grid:
        frame = as_array(observation, self.shape, "height, width, 3", 3)
        seen = self.coarse(frame, self.block).astype(np.int64)
        distance = ((seen[:, :, None] - self.palette) ** 2).sum(axis=3)
        return Grid(tuple("".join(row) for row in self._characters[distance.argmin(axis=2)].tolist()))

    @classmethod
    def colours(cls, frames: Sequence[np.ndarray], block: int) -> np.ndarray:
        """The colours that are seen in some frame, the most frequent first. [n, 3] uint8"""
        return _palette([cls.coarse(frame, block) for frame in frames])

    @staticmethod
    def coarse(frame: np.ndarray, block: int) -> np.ndarray:
        """The colour of each cell. [H, W, 3] uint8"""
        return most_common(frame, block)


class Objects(Frames):
    """RGB frames by objects: what is small is one cell, wherever it is and however small.

    An object is a patch of pixels of one colour that hang together side by side. One that is no higher and no wider
    than a block is on the cell that its middle lies in, and nowhere else: it is not split between two blocks, and not
    lost in one. All that is larger (walls, floors, the background) is seen by blocks, without the small ones. Of two on
    one cell, the smaller is seen.

    >>> frame = np.zeros((8, 16, 3), np.uint8)
    >>> frame[3:5, 6:10] = 255
    >>> print(Objects(Objects.colours([frame], 8), 8)(None, frame))
    01
    """

    kind = "objects"

    @staticmethod
    def coarse(frame: np.ndarray, block: int) -> np.ndarray:
        objects, large = small_objects(frame, block)
        seen = most_common(frame, block, large)
        height, width = seen.shape[:2]
        for top, left, bottom, right, colour in objects:
            # The middle of a patch from pixel a to pixel b lies at (a + b + 1) / 2.
            row, column = (top + bottom + 1) // (2 * block), (left + right + 1) // (2 * block)
            if row < height and column < width:
                seen[row, column] = colour
        return seen


def small_objects(frame: np.ndarray, block: int) -> tuple[list[tuple[int, int, int, int, np.ndarray]], np.ndarray]:
    """The objects that fit into a block, the largest first: top, left, bottom, right (inclusive) and colour; and which
    pixels belong to none of them ([height, width] bool).
    """
    labels = patches(frame)
    names, place, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    low, high = np.full((2, len(names)), labels.size), np.full((2, len(names)), -1)
    for axis, where in enumerate(np.indices(labels.shape)):
        np.minimum.at(low[axis], place, where)
        np.maximum.at(high[axis], place, where)
    is_small = (high - low < block).all(axis=0)
    pixels = frame.reshape(-1, 3)
    found = [
        (*low[:, i].tolist(), *high[:, i].tolist(), pixels[names[i]])
        for i in sorted(np.flatnonzero(is_small).tolist(), key=lambda i: (-sizes[i], i))
    ]
    return found, ~is_small[place]


def patches(frame: np.ndarray) -> np.ndarray:
    """To which patch of one colour each pixel belongs; a patch is called by its first pixel. [H, W] int64

    >>> patches(np.array([[[1], [2], [1]], [[1], [1], [1]]])).tolist()
    [[0, 1, 0], [0, 0, 0]]
    """
    height, width = frame.shape[:2]
    labels = np.arange(height * width).reshape(height, width)
    beside, below = (frame[:, 1:] == frame[:, :-1]).all(axis=2), (frame[1:] == frame[:-1]).all(axis=2)
    while True:
        lower = labels.copy()
        for one, other, joined in (
            (lower[:, :-1], lower[:, 1:], beside),
            (lower[:-1], lower[1:], below),
        ):
            least = np.minimum(one, other)
            np.copyto(one, least, where=joined)
            np.copyto(other, np.minimum(one, other), where=joined)
        # A label is a pixel of the same patch; that pixel may know a lower one by now.
        lower = lower.reshape(-1)[lower]
        if np.array_equal(lower, labels):
            return labels
        labels = lower


def _palette(seen: Sequence[np.ndarray]) -> np.ndarray:
    """All colours of some pictures, the most frequent first. [n, 3] uint8"""
    palette, counts = np.unique(np.concatenate([one.reshape(-1, 3) for one in seen]), axis=0, return_counts=True)
    if len(palette) > len(CHARACTERS):
        raise BadInput(
            f"there are {len(palette)} colours in the frames, and at most {len(CHARACTERS)} can be told apart. "
            "Take larger blocks, or a way of seeing of your own."
        )
    return palette[np.argsort(-counts, kind="stable")]


def most_common(frame: np.ndarray, block: int, counted: np.ndarray | None = None) -> np.ndarray:
    """The colour that most pixels of each block have; pixels that fill no whole block are left out. [H, W, 3] uint8

    If `counted` is given ([height, width] bool), no other pixels count; where that leaves none, the colour is the one
    that most pixels of the frame have.
    """
    height, width = frame.shape[0] // block, frame.shape[1] // block
    if not (height and width):
        raise BadInput(f"blocks of {block} pixels are larger than the frame of {frame.shape[0]} × {frame.shape[1]}.")
    wide = frame.astype(np.int64)
    packed = wide[..., 0] << 16 | wide[..., 1] << 8 | wide[..., 2]
    if counted is not None and not counted.all():
        colours, counts = np.unique(packed[counted] if counted.any() else packed, return_counts=True)
        background = colours[counts.argmax()]
        # A number of its own, above all colours, is never the most common unless there is nothing else.
        packed = np.where(counted, packed, COLOURS + np.arange(packed.size).reshape(packed.shape))
    blocks = packed[: height * block, : width * block].reshape(height, block, width, block)
    cells = np.sort(blocks.transpose(0, 2, 1, 3).reshape(height, width, block * block), axis=2)
    # In a sorted row the most common number is the one that ends the longest run.
    run = np.ones(cells.shape, np.int64)
    for i in range(1, cells.shape[2]):
        run[:, :, i] = np.where(cells[:, :, i] == cells[:, :, i - 1], run[:, :, i - 1] + 1, 1)
    most = np.take_along_axis(cells, run.argmax(axis=2)[:, :, None], axis=2)[:, :, 0]
    if counted is not None and not counted.all():
        most = np.where(most >= COLOURS, background, most)
    return np.stack([most >> 16, most >> 8 & 255, most & 255], axis=2).astype(np.uint8)


_USUAL = {"empty": ".", "wall": "#", "goal": "G", "agent": "A", "hole": "H", "ground": ",", "ice": "i", "cliff": "C"}


def tokens_for(names: Sequence[str]) -> Tokens:
    """Tokens with these names, and a character each: a usual one where there is one and it is free.

    >>> tokens_for(["empty", "wall", "spike"])
    Tokens(empty='.', wall='#', spike='0')
    """
    if len(names) > len(CHARACTERS):
        raise BadInput(f"{len(names)} values are too many to tell apart; at most {len(CHARACTERS)}.")
    free = iter([character for character in CHARACTERS if character not in {_USUAL.get(name) for name in names}])
    return Tokens(**{name: _USUAL.get(name) or next(free) for name in names})


def as_array(observation: Any, shape: tuple[int, ...] | None, axes: str, ndim: int) -> np.ndarray:
    """The observation as an array of whole numbers; BadInput if it is none, or has another shape than it should."""
    try:
        array = np.asarray(observation) if isinstance(observation, np.ndarray | list | tuple) else None
    except ValueError:
        raise BadInput(f"the observation must be an array, [{axes}], and its parts are not equally long.") from None
    if array is None or array.ndim != ndim or array.dtype.kind not in "biu" or 0 in array.shape:
        given = f"{type(observation).__name__}" if array is None else f"{array.dtype} of shape {array.shape}"
        raise BadInput(f"the observation must be an array of whole numbers, [{axes}], not {given}.")
    if shape is not None and array.shape != shape:
        raise BadInput(f"the observation's shape has changed: {array.shape}, and before {shape}.")
    return array
