"""The view of an environment: by name, or the default one for its observation space."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from itertools import pairwise
from typing import Any

from shown.errors import BadInput, did_you_mean
from shown.grid import Grid, Tokens
from shown.registry import is_place, reason
from shown.worlds import minigrid, toytext
from shown.worlds.views import Channels, Frames, GridView, Last, Numbers, Objects, rendered

LAST = "last"
MAX_FRAMES = 200  # of one episode of random play, to see colors and channels

_PIXELS = re.compile(r"(blocks|objects)-([1-9]\d{0,2})(?::([a-z]\w*(?:,[a-z]\w*)*))?")


def view_of(env: Any, view: str | GridView | None) -> GridView:
    """Return the view of that name, or the default view for None; a view stays itself."""
    if view is None:
        return minigrid.MinigridView(env) if minigrid.is_minigrid(env) else _default(env)
    if not isinstance(view, str):
        return view
    if view == LAST or view.endswith(f"+{LAST}"):
        return _with_traces(env, view_of(env, view.removesuffix(LAST).removesuffix("+") or None))
    if is_place(view) and not is_of_pixels(view):
        return _load(view)
    if minigrid.is_minigrid(env):
        if view not in minigrid.AGENTS:
            raise BadInput(f"no view called {view!r}. {did_you_mean(view, (*minigrid.AGENTS, LAST))}")
        return minigrid.MinigridView(env, view)
    parts = _parts(env)
    if view in parts:
        return _part(env, view)
    pixels = _PIXELS.fullmatch(view)
    if pixels is None:
        known = f"Parts of its observations: {', '.join(parts)}. " if parts else ""
        raise BadInput(f"no view called {view!r}. {known}For frames of pixels, use blocks-8 or objects-8.")
    kind, block = Frames if pixels[1] == "blocks" else Objects, int(pixels[2])
    frames = [frame for _, frame in _random_episode(env, render=True)]  # they tell the colors
    names = pixels[3].split(",") if pixels[3] else ()
    return kind(kind.colors(frames, block), block, frames[0].shape, names)


def _with_traces(env: Any, view: GridView) -> Last:
    """Return the view with traces of the tokens that leave a cell empty in one episode of random play."""
    grids = [view(env, observation) for observation, _ in _random_episode(env)]
    empty = next(iter(view.tokens))
    left = {
        was
        for before, now in pairwise(grids)
        if before.shape == now.shape
        for was, here in zip(before.text, now.text, strict=True)
        if here == empty and was != empty
    }
    return Last(view, [name for name, character in view.tokens.characters.items() if character in left])


def is_of_pixels(view: object) -> bool:
    """Return whether this names a view of frames, which the environment may have to render.

    >>> is_of_pixels("objects-8:empty,agent"), is_of_pixels("blocks-8+last"), is_of_pixels("turned")
    (True, True, False)
    """
    return isinstance(view, str) and _PIXELS.fullmatch(view.removesuffix(f"+{LAST}")) is not None


def one_line(what: object) -> str:
    """Return a text of other people's code on one line of limited length.

    >>> one_line("two\\nlines")
    'two lines'
    """
    text = " ".join(str(what).split())
    return text if len(text) <= 160 else f"{text[:160]}…"


def _load(place: str) -> GridView:
    """Return the view called `module:VIEW`. This imports the module, so only users may name it."""
    module, _, name = place.partition(":")
    try:
        view: Any = getattr(import_module(module), name)
    except Exception as error:  # of the user's code
        raise BadInput(f"the view {place} cannot be loaded ({one_line(reason(error))}).") from None
    if not callable(view) or not isinstance(getattr(view, "tokens", None), Tokens):
        raise BadInput(f"{place} is not a view: it needs tokens, and must accept an environment and an observation.")
    return view  # type: ignore[no-any-return]


def _default(env: Any) -> GridView:
    if _has_channels(env.observation_space):  # in an order that one episode of random play suggests
        return Channels.seen_in([observation for observation, _ in _random_episode(env)])
    view = toytext.default_view(env) or _of_space(env.observation_space)
    if view is not None:
        return view
    seen = [key for key in _parts(env) if _of_space(env.observation_space[key]) is not None]
    if len(seen) == 1:
        return _part(env, seen[0])
    several = f" Or name a part: {' or '.join('#' + key for key in seen)}." if seen else ""
    raise BadInput(
        f"its observations ({one_line(env.observation_space)}) have no default view. Pass one: "
        f"shown.worlds.wrap(env, view=…), or name #blocks-8 or #objects-8 for frames of pixels.{several}"
    )


def _has_channels(space: Any) -> bool:
    """Return whether observations are channels: [rows, columns, channels] of zeros and ones.

    Floats may be between, as in a picture with its one, three or four channels.
    """
    from gymnasium import spaces

    if isinstance(space, spaces.MultiBinary):
        return len(space.shape) == 3
    if not isinstance(space, spaces.Box) or len(space.shape) != 3 or space.low.min() < 0 or space.high.max() > 1:
        return False
    return space.dtype.kind in "biu" or (space.dtype.kind == "f" and space.shape[2] not in (1, 3, 4))


def _of_space(space: Any) -> GridView | None:
    from gymnasium import spaces

    if _has_channels(space):
        return Channels(space.shape[2], space.shape)
    if isinstance(space, spaces.Box) and space.dtype.kind in "iu" and len(space.shape) == 2:
        low, high = int(space.low.min()), int(space.high.max())
        return Numbers({n: f"value_{n}".replace("-", "minus_") for n in range(low, high + 1)}, space.shape)
    if isinstance(space, spaces.MultiDiscrete) and len(space.shape) == 2:
        return Numbers(int(space.nvec.max()), space.shape)
    return None


def _parts(env: Any) -> list[str]:
    """Return the keys of a dictionary of observations."""
    from gymnasium import spaces

    space = env.observation_space
    return [str(key) for key in space] if isinstance(space, spaces.Dict) else []


def _part(env: Any, key: str) -> GridView:
    space = env.observation_space[key]
    view = _of_space(space)
    if view is None:
        raise BadInput(f"the part {key!r} of its observations ({one_line(space)}) has no default view.")
    return ObservationPart(key, view)


class ObservationPart:
    """A view of one entry of a dictionary of observations.

    >>> look = ObservationPart("map", Numbers({0: "empty", 1: "wall"}))
    >>> print(look(None, {"map": [[0, 1]], "battery": 0.5}))
    .#
    """

    def __init__(self, key: str, view: GridView) -> None:
        self.name, self.key, self.view, self.tokens = key, key, view, view.tokens

    def __call__(self, env: Any, observation: Any) -> Grid:
        if not isinstance(observation, Mapping) or self.key not in observation:
            raise BadInput(f"the observation has no part {self.key!r}.")
        return self.view(env, observation[self.key])


def _random_episode(env: Any, render: bool = False) -> Iterator[tuple[Any, Any]]:
    """Yield the observations of one episode of random play, each with its frame if it is to be rendered."""
    observation, over = minigrid.reset(env, 0)[0], False
    env.action_space.seed(0)
    for _ in range(MAX_FRAMES):
        yield observation, rendered(env, observation) if render else None
        if over:
            return
        observation, _, terminated, truncated, _ = env.step(env.action_space.sample())
        over = terminated or truncated
