"""Environments of Gymnasium as worlds: any with discrete actions, seen as a grid."""

from __future__ import annotations

import contextlib
import copy
import difflib
import os
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Protocol

import numpy as np

from shown.errors import BadInput, MissingExtra, ShownError
from shown.grid import Action, Grid
from shown.registry import reason
from shown.world import Outcome, World
from shown.worlds import minigrid, toytext
from shown.worlds.seeing import is_of_pixels, one_line, view_of
from shown.worlds.views import View

PREFIX = "gym:"
STEPS = 1000
"""An episode ends after so many steps where the environment sets no end of its own."""

Expert = Callable[[Any], Any]
"""Gets the environment and gives the number of the next action."""


Won = Callable[[float, bool, Mapping[str, Any]], bool]
"""Gets the last reward, whether the episode was terminated, and `info`; says whether that is a success."""


class ButtonPlayer(Protocol):
    """Anything that looks at a grid and presses a button: a `Policy`."""

    def press(self, grid: Grid) -> str:
        """The button's name."""
        ...


class GymWorld(World):
    """An environment of Gymnasium, played with buttons. `wrap` makes them, and says what won means."""

    def __init__(
        self, env: Any, view: View, name: str, teacher: Expert | None = None, won: float | Won | None = None
    ) -> None:
        self.env, self.view, self.teacher, self.won = env, view, teacher, won
        self.name, self.tokens, self.buttons = name, view.tokens, buttons_of(env)
        self.title = name.removeprefix(PREFIX)
        self.goal = str(getattr(env.unwrapped, "mission", "")) or "Do as well as the environment lets you."
        self.goal = self.goal[0].upper() + self.goal[1:].rstrip(".") + "."
        self.max_steps, self.symmetries = _max_steps(env), getattr(view, "symmetries", ())
        self.about = getattr(view, "about", "")
        self._first = int(env.action_space.start)

    def reset(self, seed: int) -> Grid:
        with self._in_one_line():
            observation, _ = self.env.reset(seed=seed)
            return self.view(self.env, observation)

    def step(self, action: Action) -> Outcome:
        number = self.buttons.index(str(action)) + self._first
        with self._in_one_line():
            observation, reward, terminated, truncated, info = self.env.step(number)
            over = bool(terminated or truncated)
            won = over and has_won(float(reward), bool(terminated), info, self.won)
            return Outcome(self.view(self.env, observation), won, over, float(reward))

    def expert(self) -> Action:
        if self.teacher is None:
            return super().expert()
        try:
            number = self.teacher(self.env)
        except ShownError:
            raise
        except Exception as error:
            raise BadInput(f"{self.name}: the expert has broken off ({one_line(reason(error))}).") from error
        if isinstance(number, bool) or not isinstance(number, int | np.integer):
            raise BadInput(f"{self.name}: the expert gave {number!r}; it must give an action's number.")
        if not self._first <= number < self._first + len(self.buttons):
            last = self._first + len(self.buttons) - 1
            raise BadInput(f"{self.name}: the expert gave {number}; actions are {self._first} to {last}.")
        return self.buttons[int(number) - self._first]

    def agent(self, policy: ButtonPlayer) -> Callable[[Any], int]:
        """The policy as an agent for this environment: a function from observations to the numbers of actions.

        >>> from shown.policy import uniform_policy
        >>> lake = wrap("FrozenLake-v1")
        >>> agent = lake.agent(uniform_policy(lake.tokens, lake.name, lake.buttons))
        >>> observation, info = lake.env.reset(seed=0)
        >>> agent(observation)
        0
        """

        def act(observation: Any) -> int:
            with self._in_one_line():
                seen = self.view(self.env, observation)
            return self._first + self.buttons.index(policy.press(seen))

        return act

    def another(self) -> GymWorld:
        env = _another(self.env, self.name)
        if isinstance(self.view, minigrid.MinigridView):
            self.view.lighten(env)  # nobody but this world has it
        return GymWorld(env, self.view, self.name, self.teacher, self.won)

    @contextlib.contextmanager
    def _in_one_line(self) -> Iterator[None]:
        """Whatever goes wrong in the environment, or in how it is seen, is told in one line."""
        try:
            yield
        except BadInput as error:
            raise BadInput(f"{self.name}: {error}") from None
        except Exception as error:
            raise BadInput(f"{self.name}: it has broken off ({one_line(reason(error))}).") from error


def wrap(
    env: Any, see: str | View | None = None, expert: Expert | None = None, won: float | Won | None = None
) -> GymWorld:
    """An environment as a world.

    >>> lake = wrap("FrozenLake-v1")
    >>> print(lake.reset(seed=0))
    Aiii
    iHiH
    iiiH
    HiiG
    >>> lake.buttons
    ('left', 'down', 'right', 'up')

    Args:
        env: an environment or the id of one; its actions must be discrete.
        see: how to see it: a view (`worlds.views`), or the name of one: "turned", "full" or "partial" for Minigrid;
            "blocks-8" for frames by blocks of 8 pixels, "objects-8" for frames by objects; the key of one part of
            observations that have several; "module:VIEW" for one of your own; or None for the usual way.
        expert: who shows how: gets the environment and gives the next action's number. Minigrid has one, and so have
            FrozenLake, CliffWalking, Taxi and all that have such a table of what leads where (`P`).
        won: which ends are a success: those with a reward of at least this number, or those of which this function says
            so. It gets the last reward, whether the episode was terminated (rather than cut off), and `info`. By
            default what `info` says ("won", "success" or "is_success"), or else an end with a reward above 0.
    """
    module = ""
    if isinstance(env, str):
        # An id may say which module has it (module:ID), and must go on saying so: that is how it is found again.
        module = env[: env.rfind(":") + 1]
        env = make(env, frames=is_of_pixels(see))
    spec = getattr(env, "spec", None)
    name = PREFIX + module + (spec.id if spec is not None else type(env.unwrapped).__name__)
    _check_actions(env, name)
    try:
        view = view_of(env, see)
    except BadInput as error:
        raise BadInput(f"{name}: {error}") from None
    if expert is None:
        expert = minigrid.expert if minigrid.is_minigrid(env) else toytext.expert if toytext.is_table(env) else None
    if won is None:
        won = toytext.LEAST.get(type(env.unwrapped).__name__)
    return GymWorld(env, view, f"{name}#{see}" if isinstance(see, str) else name, expert, won)


def make(name: str, frames: bool = False) -> Any:
    """The environment with this id."""
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # which would stand among our data on stdout
    try:
        import gymnasium
    except ImportError:
        raise MissingExtra("Gymnasium", "worlds") from None
    if name.startswith(("MiniGrid-", "BabyAI-")):
        try:
            import minigrid  # noqa: F401 (registers its environments)
        except ImportError:
            raise MissingExtra("Minigrid", "worlds") from None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what a newer version of an environment is called is not asked here
            # What the environment shows is checked by the view; a second check would only warn among our data.
            how: dict[str, Any] = {"render_mode": "rgb_array"} if frames else {}
            return gymnasium.make(name, disable_env_checker=True, **how)
    except gymnasium.error.DependencyNotInstalled as error:
        raise BadInput(f"{PREFIX}{name}: {one_line(error)}") from None
    except gymnasium.error.UnregisteredEnv:
        raise BadInput(f"no environment called {name!r}. {_near(name, gymnasium.registry)}") from None
    except (gymnasium.error.Error, ImportError) as error:
        raise BadInput(f"{PREFIX}{name}: cannot be made ({one_line(error)}).") from None


def _near(name: str, known: Iterable[str]) -> str:
    """The nearest id there is; there are too many to name them all."""
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    found = f"Did you mean {near[0]!r}?" if near else "gymnasium.pprint_registry() lists them."
    return found if ":" in name else f"{found} One of your own is called {PREFIX}MODULE:ID."


def _check_actions(env: Any, name: str) -> None:
    from gymnasium import spaces

    if not isinstance(env.action_space, spaces.Discrete):
        raise BadInput(f"{name}: its actions ({one_line(env.action_space)}) are not discrete, so they are no buttons.")


def buttons_of(env: Any) -> tuple[str, ...]:
    """The names of the actions, as the environment tells them, or else by number."""
    bare, count = env.unwrapped, int(env.action_space.n)
    names: list[str] = []
    if type(bare).__name__ in toytext.BUTTONS:
        names = list(toytext.BUTTONS[type(bare).__name__])
    elif hasattr(bare, "get_action_meanings"):
        names = [name.lower() for name in bare.get_action_meanings()]
    elif hasattr(bare, "actions") and hasattr(bare.actions, "__members__"):
        names = [action.name for action in sorted(bare.actions)]
    names = [re.sub(r"\W+", "_", name) for name in names]
    return tuple(names) if len(set(names)) == count else tuple(f"button_{number}" for number in range(count))


def _max_steps(env: Any) -> int:
    spec = getattr(env, "spec", None)
    limit = getattr(spec, "max_episode_steps", None) or getattr(env.unwrapped, "max_steps", None)
    return limit if isinstance(limit, int) and limit > 0 else STEPS


def has_won(reward: float, terminated: bool, info: Mapping[str, Any], won: float | Won | None = None) -> bool:
    """Whether an episode that ended so was a success; see `wrap`."""
    if callable(won):
        return bool(won(reward, terminated, info))
    if won is not None:
        return terminated and reward >= won
    for key in ("won", "success", "is_success"):
        if key in info:
            return bool(info[key])
    return terminated and reward > 0


def _another(env: Any, name: str) -> Any:
    import gymnasium

    try:
        return gymnasium.make(env.spec) if getattr(env, "spec", None) is not None else copy.deepcopy(env)
    except Exception as error:  # whatever the environment's own code does when it is made or copied
        raise BadInput(f"{name}: a second one cannot be made ({one_line(error)}).") from error
