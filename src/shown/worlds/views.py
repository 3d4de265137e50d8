"""Views: from the observations of an environment to grids of tokens.

`Numbers`, `Channels`, `TextMap` and `Frames` serve most environments; any object with the attributes of a `GridView`
is a view, too.
"""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from shown.errors import BadInput
from shown.grid import Grid, Tokens

CHARACTERS = string.digits + string.ascii_letters
"""Characters of tokens that have no usual one."""

COLORS = 2**24  # number of RGB colors


class GridView(Protocol):
    """How to see an environment.

    Attributes:
        name: the part after `#` in a world's name; empty for the default view.
        tokens: the values of the cells.

    A view may also have `symmetries` and `about`, which its world adopts.
    """

    name: str
    tokens: Tokens

    def __call__(self, env: Any, observation: Any) -> Grid:
        """Return the observation as a grid."""
        ...


class Numbers:
    """Arrays of integers, [rows, columns]: each number is a token.

    >>> look = Numbers({0: "empty", 1: "wall", 5: "goal"})
    >>> print(look(None, np.array([[0, 1], [5, 0]])))
    .#
    G.
    """

    def __init__(self, names: Mapping[int, str] | int, shape: tuple[int, int] | None = None) -> None:
        """`names` are the names of the numbers, or how many there are, from 0, if they have no names."""
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
            raise BadInput(f"the observation contains {error}, which is no token. Known: {known}.") from None


class Channels:
    """Channels of zeros and ones, [rows, columns, channels]; of several that are set in a cell, one is visible.

    >>> look = Channels(["wall", "goal"])
    >>> print(look(None, np.array([[[1, 0], [0, 0]], [[0, 0], [1, 1]]])))
    #.
    .G
    >>> print(Channels(["wall", "goal"], order=["goal", "wall"])(None, np.array([[[1, 1]]])))
    #
    >>> print(Channels(["slow", "fast", "goal"], merge={"car": ["slow", "fast"]})(None, np.eye(3)[None]))
    00G
    """

    def __init__(
        self,
        names: Sequence[str] | int,
        shape: tuple[int, int, int] | None = None,
        order: Sequence[str] | None = None,
        merge: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        """Set the channels.

        Args:
            names: names of the channels, or how many there are. A cell without any is `empty`.
            shape: shape of the observations, if it is always the same.
            order: all names, from the lowest to the one on top; as in `names` if None. Merged channels have one name.
            merge: channels that are seen as one token, by the token's name.
        """
        if isinstance(names, int):
            names = [f"channel_{number}" for number in range(names)]
        token_of = _merged(names, merge or {})
        seen = list(dict.fromkeys(token_of.values()))
        order = seen if order is None else order
        if sorted(order) != sorted(seen):
            raise BadInput(f"order: must have each of {', '.join(seen)} once, not {', '.join(order)}.")
        self.name, self.shape = "", shape
        self.tokens = tokens_for(["empty", *seen])
        self._bottom_up = sorted(range(len(names)), key=lambda channel: list(order).index(token_of[names[channel]]))
        top = [self.tokens[token_of[names[channel]]] for channel in self._bottom_up]
        self._characters = np.array([self.tokens["empty"], *top])

    def __call__(self, env: Any, observation: Any) -> Grid:
        array = as_array(zeros_and_ones(observation), self.shape, "rows, columns, channels", 3) != 0
        if array.shape[2] != len(self._bottom_up):
            raise BadInput(f"the observation has {array.shape[2]} channels, not {len(self._bottom_up)}.")
        array = array[:, :, self._bottom_up]
        top = np.where(array.any(axis=2), array.shape[2] - np.argmax(array[:, :, ::-1], axis=2), 0)
        return Grid(tuple("".join(row) for row in self._characters[top].tolist()))

    @classmethod
    def seen_in(cls, observations: Sequence[Any]) -> Channels:
        """Return a view of such observations with the rarest channel on top: a ball is in front of a wall."""
        arrays = np.stack([zeros_and_ones(one) for one in observations]) != 0
        counts = arrays.sum(axis=(0, 1, 2)).tolist()
        names = [f"channel_{number}" for number in range(len(counts))]
        order = sorted(names, key=lambda name: -counts[names.index(name)])
        return cls(names, arrays.shape[1:], order)  # type: ignore[arg-type]


def _merged(names: Sequence[str], merge: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return the name of the token of each channel."""
    token_of = {name: name for name in names}
    for token, channels in merge.items():
        for channel in channels:
            if token_of.get(channel) != channel:
                known = "is merged already" if channel in token_of else f"is no channel. Channels: {', '.join(names)}"
                raise BadInput(f"merge: {token} has {channel!r}, which {known}.")
            token_of[channel] = token
    for token, channels in merge.items():
        if not channels:
            raise BadInput(f"merge: {token} has no channels.")
        if token in names and token not in channels:
            raise BadInput(f"merge: {token} is another channel. Choose another name, or merge that channel, too.")
    return token_of


class TextMap:
    """A fixed map of letters, and the number of the agent's cell, row by row (FrozenLake and others).

    >>> look = TextMap(["SF", "HG"], {"S": "ice", "F": "ice", "H": "hole", "G": "goal"})
    >>> print(look(None, 1))
    iA
    HG
    """

    def __init__(self, rows: Sequence[str], names: Mapping[str, str]) -> None:
        """`names` are the names of the letters; several may be equal. The agent's token is `agent`."""
        unknown = sorted(set("".join(rows)) - names.keys())
        if unknown:
            raise BadInput(f"the map contains {unknown[0]!r}, which has no name. Named: {' '.join(names)}.")
        self.name = ""
        self.tokens = tokens_for([*dict.fromkeys(names.values()), "agent"])
        characters = {letter: self.tokens[name] for letter, name in names.items()}
        self._map = Grid(tuple("".join(map(characters.__getitem__, row)) for row in rows))

    def __call__(self, env: Any, observation: Any) -> Grid:
        height, width = self._map.shape
        if isinstance(observation, bool) or not isinstance(observation, int | np.integer):
            raise BadInput(f"the observation must be the number of a cell, not {type(observation).__name__}.")
        if not 0 <= observation < height * width:
            raise BadInput(f"the observation {observation} is off the map, which has {height} × {width} cells.")
        return self._map.with_cells({divmod(int(observation), width): self.tokens["agent"]})


class Frames:
    """RGB frames, [height, width, 3], by blocks of pixels: a cell's token is its most common color, or the nearest
    known one. Where observations are no frames, the environment is rendered.

    >>> frame = np.zeros((4, 8, 3), np.uint8)
    >>> frame[:, 4:] = 255
    >>> look = Frames(Frames.colors([frame], 4), 4)
    >>> print(look(None, frame))
    01
    """

    kind = "blocks"

    def __init__(
        self, palette: np.ndarray, block: int, shape: tuple[int, int, int] | None = None, names: Sequence[str] = ()
    ) -> None:
        """`palette` holds the known colors, [n, 3]; `colors` collects them from frames. `names` are those of the first
        colors.
        """
        self.name, self.shape = f"{self.kind}-{block}", shape
        self.palette, self.block = palette.astype(np.int64), block
        if len(names) > len(palette):
            raise BadInput(f"there are {len(palette)} colors, and {len(names)} names for them.")
        self.tokens = tokens_for([*names, *(f"color_{number}" for number in range(len(names), len(palette)))])
        self._characters = np.array(list(self.tokens))

    def __call__(self, env: Any, observation: Any) -> Grid:
        frame = as_array(rendered(env, observation), self.shape, "height, width, 3", 3)
        seen = self.coarse(frame, self.block).astype(np.int64)
        distance = ((seen[:, :, None] - self.palette) ** 2).sum(axis=3)
        return Grid(tuple("".join(row) for row in self._characters[distance.argmin(axis=2)].tolist()))

    @classmethod
    def colors(cls, frames: Sequence[np.ndarray], block: int) -> np.ndarray:
        """Return the cell colors of some frames, the most frequent first. [n, 3] uint8"""
        cells = np.concatenate([cls.coarse(frame, block).reshape(-1, 3) for frame in frames])
        palette, counts = np.unique(cells, axis=0, return_counts=True)
        if len(palette) > len(CHARACTERS):
            raise BadInput(
                f"the frames have {len(palette)} colors; a view distinguishes at most {len(CHARACTERS)}. "
                "Use larger blocks or your own view."
            )
        return palette[np.argsort(-counts, kind="stable")]

    @staticmethod
    def coarse(frame: np.ndarray, block: int) -> np.ndarray:
        """Return the color of each cell. [H, W, 3] uint8"""
        return most_common(frame, block)


class Objects(Frames):
    """RGB frames by objects: a small object is one cell, wherever it lies.

    An object is a connected patch of pixels of one color. One that fits into a block is shown on the cell of its
    center only: it is neither split between two blocks nor lost in one. Larger patches (walls, background) are shown by
    blocks, without the small ones. Of two objects on one cell, the smaller is visible.

    >>> frame = np.zeros((8, 16, 3), np.uint8)
    >>> frame[3:5, 6:10] = 255
    >>> print(Objects(Objects.colors([frame], 8), 8)(None, frame))
    01
    """

    kind = "objects"

    @staticmethod
    def coarse(frame: np.ndarray, block: int) -> np.ndarray:
        objects, large = small_objects(frame, block)
        seen = most_common(frame, block, large)
        height, width = seen.shape[:2]
        for top, left, bottom, right, color in objects:
            # The center of pixels a to b lies at (a + b + 1) / 2.
            row, column = (top + bottom + 1) // (2 * block), (left + right + 1) // (2 * block)
            if row < height and column < width:
                seen[row, column] = color
        return seen


def small_objects(frame: np.ndarray, block: int) -> tuple[list[tuple[int, int, int, int, np.ndarray]], np.ndarray]:
    """Return the objects that fit into a block, the largest first, and a mask of all other pixels.

    An object is its top, left, bottom, right (inclusive) and color; the mask is [height, width] bool.
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
    """Label each pixel with the first pixel of its connected patch of one color. [H, W] int64

    >>> patches(np.array([[[1], [2], [1]], [[1], [1], [1]]])).tolist()
    [[0, 1, 0], [0, 0, 0]]
    """
    height, width = frame.shape[:2]
    labels = np.arange(height * width).reshape(height, width)
    beside, below = (frame[:, 1:] == frame[:, :-1]).all(axis=2), (frame[1:] == frame[:-1]).all(axis=2)
    while True:
        lower = labels.copy()
        for one, other, joined in ((lower[:, :-1], lower[:, 1:], beside), (lower[:-1], lower[1:], below)):
            np.copyto(one, np.minimum(one, other), where=joined)
            np.copyto(other, np.minimum(one, other), where=joined)
        # A label is a pixel of the same patch, which may have a lower label by now.
        lower = lower.reshape(-1)[lower]
        if np.array_equal(lower, labels):
            return labels
        labels = lower


def most_common(frame: np.ndarray, block: int, counted: np.ndarray | None = None) -> np.ndarray:
    """Return the most common color of each block; pixels beyond the last whole block are ignored. [H, W, 3] uint8

    With `counted` ([height, width] bool), other pixels are ignored; a block without any gets the frame's main color.
    """
    height, width = frame.shape[0] // block, frame.shape[1] // block
    if not (height and width):
        raise BadInput(f"blocks of {block} pixels are larger than the frame of {frame.shape[0]} × {frame.shape[1]}.")
    wide = frame.astype(np.int64)
    packed = wide[..., 0] << 16 | wide[..., 1] << 8 | wide[..., 2]
    if counted is not None and not counted.all():
        colors, counts = np.unique(packed[counted] if counted.any() else packed, return_counts=True)
        background = colors[counts.argmax()]
        # Distinct numbers above all colors: never the most common, unless there is nothing else.
        packed = np.where(counted, packed, COLORS + np.arange(packed.size).reshape(packed.shape))
    blocks = packed[: height * block, : width * block].reshape(height, block, width, block)
    cells = np.sort(blocks.transpose(0, 2, 1, 3).reshape(height, width, block * block), axis=2)
    # In a sorted row the most common number ends the longest run.
    run = np.ones(cells.shape, np.int64)
    for i in range(1, cells.shape[2]):
        run[:, :, i] = np.where(cells[:, :, i] == cells[:, :, i - 1], run[:, :, i - 1] + 1, 1)
    most = np.take_along_axis(cells, run.argmax(axis=2)[:, :, None], axis=2)[:, :, 0]
    if counted is not None and not counted.all():
        most = np.where(most >= COLORS, background, most)
    return np.stack([most >> 16, most >> 8 & 255, most & 255], axis=2).astype(np.uint8)


class Last:
    """Another view, with traces: a cell that is empty now, and was not one step before, shows what was there.

    A trace tells where a thing came from, so that rules can see directions.

    >>> look = Last(Numbers({0: "empty", 1: "ball"}), ["ball"])
    >>> look.tokens
    Tokens(empty='.', ball='0', ball_before='1')
    >>> print(look.traced(Grid("0.."), Grid(".0.")))
    10.
    """

    def __init__(self, view: GridView, names: Sequence[str]) -> None:
        """`names` are the tokens that leave traces. The first token of the other view is the empty one."""
        free = (character for character in CHARACTERS if character not in view.tokens)
        traces = dict(zip((f"{name}_before" for name in names), free, strict=False))
        if len(traces) < len(names):
            raise BadInput(f"{len(names)} traces are too many; there are characters for {len(traces)}.")
        self.view, self.name = view, f"{view.name}+last".removeprefix("+")
        self.tokens = Tokens(**view.tokens.characters, **traces)
        self.symmetries = tuple(one for one in getattr(view, "symmetries", ()) if not one.tokens)
        self.goal, self.fully_observed = getattr(view, "goal", ""), getattr(view, "fully_observed", False)
        self.about = f"{getattr(view, 'about', '')} What was there one step before leaves a trace.".strip()
        self._empty = next(iter(view.tokens))
        self._traces = {view.tokens[name]: self.tokens[f"{name}_before"] for name in names}

    def __call__(self, env: Any, observation: Any) -> Grid:
        return self.view(env, observation)

    def traced(self, before: Grid | None, now: Grid) -> Grid:
        """Return a grid with the traces of the one before; without any if there is none, or its shape differs."""
        if before is None or before.shape != now.shape:
            return now
        pairs = (zip(*rows, strict=True) for rows in zip(now.rows, before.rows, strict=True))
        shown = [[self._traces.get(was, here) if here == self._empty else here for here, was in row] for row in pairs]
        return Grid(tuple("".join(row) for row in shown))


class Sight:
    """A view, and the memory that it needs within an episode."""

    def __init__(self, view: GridView) -> None:
        self.view = view
        self._before: Grid | None = None

    def begin(self) -> None:
        """Forget the last episode."""
        self._before = None

    def __call__(self, env: Any, observation: Any) -> Grid:
        now = self.view(env, observation)
        before, self._before = self._before, now
        return self.view.traced(before, now) if isinstance(self.view, Last) else now


_USUAL = {"empty": ".", "wall": "#", "goal": "G", "agent": "A", "hole": "H", "ground": ",", "ice": "i", "cliff": "C"}


def tokens_for(names: Sequence[str]) -> Tokens:
    """Return tokens with these names, and usual characters where there are some.

    >>> tokens_for(["empty", "wall", "spike"])
    Tokens(empty='.', wall='#', spike='0')
    """
    if len(names) > len(CHARACTERS):
        raise BadInput(f"{len(names)} values are too many; a view distinguishes at most {len(CHARACTERS)}.")
    free = iter([character for character in CHARACTERS if character not in {_USUAL.get(name) for name in names}])
    return Tokens(**{name: _USUAL.get(name) or next(free) for name in names})


def zeros_and_ones(observation: Any) -> Any:
    """Return an array of floats that are all 0 or 1 as integers, and anything else unchanged."""
    if isinstance(observation, np.ndarray) and observation.dtype.kind == "f":
        if not np.isin(observation, (0, 1)).all():
            raise BadInput("the observation has values other than 0 and 1, so these are no channels.")
        return observation.astype(np.uint8)
    return observation


def rendered(env: Any, observation: Any) -> np.ndarray:
    """Return the observation if it is a frame or there is no environment, else the frame that that renders."""
    if env is None or (isinstance(observation, np.ndarray) and observation.ndim == 3 and observation.shape[2] == 3):
        return observation  # type: ignore[no-any-return]
    drawn = env.render() if env.render_mode == "rgb_array" else None
    if not isinstance(drawn, np.ndarray) or drawn.ndim != 3:
        raise BadInput('it renders no frames. Make it with render_mode="rgb_array", if it supports that.')
    return drawn


def as_array(observation: Any, shape: tuple[int, ...] | None, axes: str, ndim: int) -> np.ndarray:
    """Return the observation as an array of integers; raise BadInput if it is none, or has another shape."""
    try:
        array = np.asarray(observation) if isinstance(observation, np.ndarray | list | tuple) else None
    except ValueError:
        raise BadInput(f"the observation must be an array, [{axes}], but its rows differ in length.") from None
    if array is None or array.ndim != ndim or array.dtype.kind not in "biu" or 0 in array.shape:
        given = f"{type(observation).__name__}" if array is None else f"{array.dtype} of shape {array.shape}"
        raise BadInput(f"the observation must be an array of integers, [{axes}], not {given}.")
    if shape is not None and array.shape != shape:
        raise BadInput(f"the shape of the observation changed from {shape} to {array.shape}.")
    return array
