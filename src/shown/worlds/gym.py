"""Gymnasium environments with discrete actions as worlds."""

from __future__ import annotations

import contextlib
import copy
import difflib
import os
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from shown.errors import BadInput, MissingExtra, ShownError
from shown.grid import Action, Grid
from shown.registry import reason
from shown.symmetry import Transformation, by_name
from shown.worlds import minigrid, toytext
from shown.worlds.default_views import is_of_pixels, one_line, view_of
from shown.worlds.views import GridView, Sight
from shown.worlds.world import Outcome, World

if TYPE_CHECKING:
    from shown.policy import Policy

PREFIX = "gym:"
DEFAULT_MAX_STEPS = 1000  # where the environment sets no limit

Expert = Callable[[Any], Any]
"""Gets the environment and returns the number of the next action."""

Won = Callable[[float, bool, Mapping[str, Any]], bool]
"""Gets the last reward, whether the episode terminated, and `info`; returns whether it is a success."""


class GymWorld(World):
    """A Gymnasium environment, played with buttons; see `wrap`."""

    def __init__(
        self,
        env: Any,
        view: GridView,
        name: str,
        teacher: Expert | None = None,
        won: float | Won | None = None,
        factory: Callable[[], Any] | None = None,
    ) -> None:
        self.env, self.view, self.teacher, self.won, self.factory = env, view, teacher, won, factory
        self.name, self.tokens, self.buttons = name, view.tokens, buttons_of(env)
        self.title = name.removeprefix(PREFIX)
        mission = str(getattr(env.unwrapped, "mission", "")) or "Get the highest reward you can."
        goal = getattr(view, "goal", "") or mission  # missions may differ from seed to seed
        self.goal = goal[0].upper() + goal[1:].rstrip(".") + "."
        self.max_steps, self.symmetries = _max_steps(env), getattr(view, "symmetries", ())
        self.about, self.fully_observed = getattr(view, "about", ""), getattr(view, "fully_observed", False)
        self._first, self._seed, self._sight = int(env.action_space.start), 0, Sight(view)
        self._highest = 0.0  # reward of the episode so far

    def reset(self, seed: int) -> Grid:
        self._seed, self._highest = seed, 0.0
        with _named_errors(self.name):
            observation, _ = minigrid.reset(self.env, seed)
            self._sight.begin()
            return self._sight(self.env, observation)

    def step(self, action: Action) -> Outcome:
        number = self.buttons.index(str(action)) + self._first
        with _named_errors(self.name):
            observation, reward, terminated, truncated, info = self.env.step(number)
            over = bool(terminated or truncated)
            won = over and has_won(float(reward), bool(terminated), info, self.won, self._highest)
            self._highest = max(self._highest, float(reward))
            return Outcome(self._sight(self.env, observation), won, over, float(reward))

    def expert(self) -> Action:
        if self.teacher is None:
            return super().expert()
        try:
            number = self.teacher(self.env)
        except ShownError as error:
            instead = f"Leave this seed out, name another expert (--expert), or play it: shown play {self.name}"
            raise BadInput(f"{self.name}, seed {self._seed}: {error} {instead}") from None
        except Exception as error:
            raise BadInput(f"{self.name}: the expert failed ({one_line(reason(error))}).") from error
        if isinstance(number, bool) or not isinstance(number, int | np.integer):
            raise BadInput(f"{self.name}: the expert returned {number!r}, not the number of an action.")
        if not self._first <= number < self._first + len(self.buttons):
            last = self._first + len(self.buttons) - 1
            raise BadInput(f"{self.name}: the expert returned {number}; actions are {self._first} to {last}.")
        return self.buttons[int(number) - self._first]

    def agent(self, policy: Policy) -> Callable[[Any], int]:
        """Return the policy as an agent for this environment: a function from observations to numbers of actions.

        Where the view remembers the last observation, each episode needs an agent of its own.

        >>> from shown.policy import uniform_policy
        >>> lake = wrap("FrozenLake-v1")
        >>> agent = lake.agent(uniform_policy(lake.tokens, lake.name, lake.buttons))
        >>> observation, info = lake.env.reset(seed=0)
        >>> agent(observation)
        0
        """

        sight = Sight(self.view)

        def act(observation: Any) -> int:
            with _named_errors(self.name):
                seen = sight(self.env, observation)
            return self._first + self.buttons.index(policy.press(seen))

        return act

    def copy(self) -> GymWorld:
        other = copy.copy(self)
        other._sight = Sight(self.view)
        other.env = _copy(self.env, self.name) if self.factory is None else self.factory()
        if isinstance(self.view, minigrid.MinigridView):
            self.view.skip_observations(other.env)  # no other world has this copy
        return other


@contextlib.contextmanager
def _named_errors(name: str) -> Iterator[None]:
    """Raise any error of the environment or the view as BadInput that names the world."""
    try:
        yield
    except BadInput as error:
        raise BadInput(f"{name}: {error}") from None
    except Exception as error:
        raise BadInput(f"{name}: the environment failed ({one_line(reason(error))}).") from error


def wrap(
    env: Any,
    view: str | GridView | None = None,
    expert: Expert | None = None,
    won: float | Won | None = None,
    symmetries: Iterable[Transformation | str] = (),
) -> GymWorld:
    """Return an environment as a world.

    >>> lake = wrap("FrozenLake-v1")
    >>> print(lake.reset(seed=0))
    Aiii
    iHiH
    iiiH
    HiiG
    >>> lake.buttons
    ('left', 'down', 'right', 'up')

    Args:
        env: an environment, its id, or a function that makes it; its actions must be discrete. A function is needed
            where the environment cannot be copied.
        view: a view (`worlds.views`), or the name of one: "turned", "full" or "partial" for Minigrid; "blocks-8" for
            frames by blocks of 8 pixels, "objects-8" for frames by objects; a key of a dictionary of observations;
            "module:VIEW" for your own; "last", or any of these followed by "+last", also for what was there one
            step before; or None for the default.
        expert: demonstrates: gets the environment and returns the number of the next action. Minigrid has an expert,
            and so has every environment with a table of transitions (`P`), such as FrozenLake and Taxi, or with a
            method `expert` that returns that number.
        won: which ends are successes: those with at least this reward, or those for which this function returns true.
            It gets the last reward, whether the episode terminated (rather than truncated), and `info`. By default
            `info` decides ("won", "success" or "is_success"), or else a last reward above 0 and above all
            earlier ones: where such rewards come along the way, nothing is won, and policies are compared by their
            return.
        symmetries: transformations under which good play stays the same, or names of motions, such as "left-right",
            which exchange buttons and tokens by their names; by default the view's.
    """
    module, factory = "", None
    if isinstance(env, type) or (callable(env) and not hasattr(env, "reset")):
        factory, env = env, env()
    elif isinstance(env, str):
        # An id may name the module that registers it (module:ID). The world's name must keep that, to be found again.
        module = env[: env.rfind(":") + 1]
        env = make(env, frames=is_of_pixels(view))
    spec = getattr(env, "spec", None)
    name = PREFIX + module + (spec.id if spec is not None else type(env.unwrapped).__name__)
    from gymnasium import spaces, vector

    if isinstance(env, vector.VectorEnv):
        several = "plays several episodes at once. Pass a single one; practice plays copies of it side by side"
        raise BadInput(f"{name}: a vector environment {several}.")
    if not isinstance(env.action_space, spaces.Discrete):
        raise BadInput(f"{name}: its actions ({one_line(env.action_space)}) must be discrete.")
    with _named_errors(name):
        found = view_of(env, view)
    if expert is None:
        expert = minigrid.expert if minigrid.is_minigrid(env) else toytext.expert if toytext.is_table(env) else None
        if expert is None and callable(getattr(env.unwrapped, "expert", None)):
            expert = _own_expert
    if won is None:
        won = toytext.WINNING_REWARD.get(type(env.unwrapped).__name__)
    world = GymWorld(env, found, f"{name}#{view}" if isinstance(view, str) else name, expert, won, factory)
    world.symmetries = _symmetries(world, symmetries) or world.symmetries
    return world


def find(name: str, expert: Expert | None = None) -> GymWorld:
    """Return the world called gym:ID, or gym:ID#VIEW for another view than the default."""
    number, _, view = name.removeprefix(PREFIX).partition("#")
    return wrap(number, view or None, expert)


def make(name: str, frames: bool = False) -> Any:
    """Return the environment with this id."""
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # pygame would print to stdout, which is for data
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
            warnings.simplefilter("ignore")  # of newer versions of an environment
            # The view checks observations; Gymnasium's own check would only add warnings.
            how: dict[str, Any] = {"render_mode": "rgb_array"} if frames else {}
            return gymnasium.make(name, disable_env_checker=True, **how)
    except gymnasium.error.DependencyNotInstalled as error:
        raise BadInput(f"{PREFIX}{name}: {one_line(error)}") from None
    except gymnasium.error.UnregisteredEnv:
        raise BadInput(f"no environment called {name!r}. {_suggestion(name, gymnasium.registry)}") from None
    except TypeError as error:
        if not frames or "render_mode" not in str(error):
            raise BadInput(f"{PREFIX}{name}: cannot be made ({one_line(error)}).") from error
        raise BadInput(f"{PREFIX}{name}: renders no frames, since its constructor takes no render_mode.") from None
    except (gymnasium.error.Error, ImportError) as error:
        raise BadInput(f"{PREFIX}{name}: cannot be made ({one_line(error)}).") from None


def _suggestion(name: str, known: Iterable[str]) -> str:
    """Return the nearest id; there are too many to list them all."""
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    found = f"Did you mean {near[0]!r}?" if near else "gymnasium.pprint_registry() lists them."
    return found if ":" in name else f"{found} Your own is called {PREFIX}MODULE:ID."


def buttons_of(env: Any) -> tuple[str, ...]:
    """Return the names of the actions: the environment's own, or numbered ones."""
    bare, count = env.unwrapped, int(env.action_space.n)
    names: list[str] = []
    if type(bare).__name__ in toytext.BUTTONS:
        names = list(toytext.BUTTONS[type(bare).__name__])
    elif hasattr(bare, "get_action_meanings"):
        names = [name.lower() for name in bare.get_action_meanings()]
    elif hasattr(bare, "actions") and hasattr(bare.actions, "__members__"):
        names = [action.name for action in sorted(bare.actions)]
    # Some environments have fewer actions than they inherit names: Minigrid's Dynamic-Obstacles has the first three.
    names = [re.sub(r"\W+", "_", name) for name in names[:count]]
    return tuple(names) if len(set(names)) == count else tuple(f"button_{number}" for number in range(count))


def _own_expert(env: Any) -> Any:
    return env.unwrapped.expert()


def _symmetries(world: GymWorld, given: Iterable[Transformation | str]) -> tuple[Transformation, ...]:
    found: list[Transformation] = []
    for one in given:
        found += by_name([one], world.tokens, world.buttons) if isinstance(one, str) else [one]
        found[-1].check(world.tokens, world.buttons)
    return tuple(found)


def _max_steps(env: Any) -> int:
    spec = getattr(env, "spec", None)
    limit = getattr(spec, "max_episode_steps", None) or getattr(env.unwrapped, "max_steps", None)
    return limit if isinstance(limit, int) and limit > 0 else DEFAULT_MAX_STEPS


def has_won(
    reward: float, terminated: bool, info: Mapping[str, Any], won: float | Won | None = None, highest: float = 0.0
) -> bool:
    """Return whether an episode that ended so is a success, after rewards up to `highest`; see `wrap`.

    >>> has_won(1.0, True, {}), has_won(1.0, True, {}, highest=0.1), has_won(1.0, True, {}, highest=1.0)
    (True, True, False)
    """
    if callable(won):
        return bool(won(reward, terminated, info))
    if won is not None:
        return terminated and reward >= won
    for key in ("won", "success", "is_success"):
        if key in info:
            return bool(info[key])
    return terminated and reward > max(highest, 0.0)


def _copy(env: Any, name: str) -> Any:
    """Return a second environment: made from the specification, or else (with a wrapper of your own) a copy."""
    import gymnasium

    if getattr(env, "spec", None) is not None:
        # ValueError: a wrapper that does not record the arguments of its constructor.
        with contextlib.suppress(gymnasium.error.Error, ValueError):
            return gymnasium.make(env.spec)
    try:
        return copy.deepcopy(env)
    except Exception as error:  # of the environment's own code
        raise BadInput(
            f"{name}: a second one cannot be made ({one_line(error)}). Pass a function that makes it: "
            "shown.worlds.wrap(lambda: …)."
        ) from error
