"""Which way of seeing an environment has: one that is named, or the usual one by what it says of its observations."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np

from shown.errors import BadInput, did_you_mean
from shown.grid import Grid, Tokens
from shown.registry import is_place, reason
from shown.worlds import minigrid, toytext
from shown.worlds.views import Channels, Frames, Numbers, Objects, View

FRAMES = 200
"""At most so many frames of one episode are looked at to learn the colours."""

_PIXELS = re.compile(r"(blocks|objects)-([1-9]\d{0,2})")


def view_of(env: Any, see: str | View | None) -> View:
    """The view of that name, or the usual one; a view itself is what it is."""
    if see is None:
        return minigrid.MinigridView(env) if minigrid.is_minigrid(env) else _usual(env)
    if not isinstance(see, str):
        return see
    if is_place(see):
        return _load(see)
    if minigrid.is_minigrid(env):
        if see not in minigrid.WAYS:
            raise BadInput(f"no way of seeing called {see!r}. {did_you_mean(see, minigrid.WAYS)}")
        return minigrid.MinigridView(env, see)
    parts = _parts(env)
    if see in parts:
        return _part(env, see)
    pixels = _PIXELS.fullmatch(see)
    if pixels is None:
        known = f"Its observations have the parts {', '.join(parts)}; for" if parts else "For"
        raise BadInput(f"no way of seeing called {see!r}. {known} frames of pixels there are blocks-8 and objects-8.")
    return _of_pixels(env, Frames if pixels[1] == "blocks" else Objects, int(pixels[2]))


def is_of_pixels(see: object) -> bool:
    """Whether this names a way of seeing frames, which the environment may have to draw.

    >>> is_of_pixels("objects-8"), is_of_pixels("turned")
    (True, False)
    """
    return isinstance(see, str) and _PIXELS.fullmatch(see) is not None


def one_line(what: object) -> str:
    """What somebody else's code says, on one line that is not too long.

    >>> one_line("two\\nlines")
    'two lines'
    """
    text = " ".join(str(what).split())
    return text if len(text) <= 160 else f"{text[:160]}…"


def _load(place: str) -> View:
    """The view that `module:VIEW` names. Only who names it may have that module imported."""
    module, _, name = place.partition(":")
    try:
        view: Any = getattr(import_module(module), name)
    except Exception as error:  # importing it runs the user's code, so anything may go wrong
        raise BadInput(f"the way of seeing {place} cannot be loaded ({one_line(reason(error))}).") from None
    if not callable(view) or not isinstance(getattr(view, "tokens", None), Tokens):
        raise BadInput(f"{place} is no way of seeing: it must have tokens and take an environment and its observation.")
    return view  # type: ignore[no-any-return]


# --- by itself --------------------------------------------------------------------------------------------------------


def _usual(env: Any) -> View:
    """By what the environment says of its observations."""
    view = toytext.seen(env) or _of_space(env.observation_space)
    if view is not None:
        return view
    seen = [key for key in _parts(env) if _of_space(env.observation_space[key]) is not None]
    if len(seen) == 1:
        return _part(env, seen[0])
    several = f" Or name a part: {' or '.join('#' + key for key in seen)}." if seen else ""
    raise BadInput(
        f"its observations ({one_line(env.observation_space)}) are not seen as a grid by themselves. Give a way of "
        f"seeing: shown.worlds.wrap(env, see=…), or #blocks-8 or #objects-8 for frames of pixels.{several}"
    )


def _of_space(space: Any) -> View | None:
    from gymnasium import spaces

    if isinstance(space, spaces.Box) and space.dtype.kind in "iu":
        if len(space.shape) == 2:
            low, high = int(space.low.min()), int(space.high.max())
            return Numbers({n: f"value_{n}".replace("-", "minus_") for n in range(low, high + 1)}, space.shape)
        if len(space.shape) == 3 and space.high.max() <= 1:
            return Channels(space.shape[2], space.shape)
    if isinstance(space, spaces.MultiBinary) and len(space.shape) == 3:
        return Channels(space.shape[2], space.shape)
    if isinstance(space, spaces.MultiDiscrete) and len(space.shape) == 2:
        return Numbers(int(space.nvec.max()), space.shape)
    return None


def _parts(env: Any) -> list[str]:
    """The keys of observations that have several parts."""
    from gymnasium import spaces

    space = env.observation_space
    return [str(key) for key in space] if isinstance(space, spaces.Dict) else []


def _part(env: Any, key: str) -> View:
    space = env.observation_space[key]
    view = _of_space(space)
    if view is None:
        raise BadInput(f"the part {key!r} of its observations ({one_line(space)}) is not seen as a grid by itself.")
    return Part(key, view)


class Part:
    """One part of observations that have several, seen in some way.

    >>> look = Part("map", Numbers({0: "empty", 1: "wall"}))
    >>> print(look(None, {"map": np.array([[0, 1]]), "battery": 0.5}))
    .#
    """

    def __init__(self, key: str, view: View) -> None:
        self.name, self.key, self.view, self.tokens = key, key, view, view.tokens

    def __call__(self, env: Any, observation: Any) -> Grid:
        if not isinstance(observation, Mapping) or self.key not in observation:
            raise BadInput(f"the observation has no part {self.key!r}.")
        return self.view(env, observation[self.key])


# --- frames -----------------------------------------------------------------------------------------------------------


def _of_pixels(env: Any, kind: type[Frames], block: int) -> View:
    """Frames, with the colours that one episode of random play shows."""
    frames = [_frame(env, env.reset(seed=0)[0])]
    env.action_space.seed(0)
    while len(frames) < FRAMES:
        observation, _, terminated, truncated, _ = env.step(env.action_space.sample())
        frames.append(_frame(env, observation))
        if terminated or truncated:
            break
    return _Rendered(kind(kind.colours(frames, block), block, frames[0].shape))


class _Rendered:
    """Frames of environments whose observations are frames, and of those that draw some."""

    def __init__(self, frames: Frames) -> None:
        self.frames, self.name, self.tokens = frames, frames.name, frames.tokens

    def __call__(self, env: Any, observation: Any) -> Grid:
        return self.frames(env, _frame(env, observation))


def _frame(env: Any, observation: Any) -> np.ndarray:
    if isinstance(observation, np.ndarray) and observation.ndim == 3 and observation.shape[2] == 3:
        return observation
    drawn = env.render() if env.render_mode == "rgb_array" else None
    if not isinstance(drawn, np.ndarray) or drawn.ndim != 3:
        raise BadInput('it shows no frames. Make it with render_mode="rgb_array", if it has that.')
    return drawn
