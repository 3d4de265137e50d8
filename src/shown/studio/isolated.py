"""Games and worlds in child processes, so that code of other packages that hangs or crashes affects only its own page.

The server knows of it only what comes back as lines of JSON, and waits for a limited time. Each question is complete,
so a process that died or was ended is simply replaced.
"""

from __future__ import annotations

import asyncio
import threading
import traceback
from collections.abc import Callable
from functools import cached_property
from typing import Any, Self

import numpy as np

from shown.errors import BadInput, BadLevel, NoAnswer, ShownError
from shown.grid import Action, Grid, Tokens, action_from_json, action_to_json, check_buttons
from shown.registry import reason
from shown.studio.children import ChildDied, ChildProcess
from shown.symmetry import Transformation
from shown.worlds import Game, Level, Outcome, Playable, World, find_game, find_world
from shown.worlds.games.rule_errors import MISSING_PIECE

START_SECONDS = 60.0  # for the first answer of a process: libraries may take long to load
ANSWER_SECONDS = 5.0  # for any other answer
DESCRIBED = ("name", "title", "goal", "about", "max_steps")
MAX_KNOWN = 2000  # outcomes of a world that are kept, because a step is asked about with all those before it

Trail = tuple[int, tuple[Action, ...]]
"""A position in a world: the seed it began with, and the actions since."""


class Isolated:
    """A game or world in a child process. Close it, or use it as a context manager.

    The process may be asked from any thread, which then waits.
    """

    name: str

    def _start(self, name: str, seconds: float) -> dict[str, Any]:
        """Start the process, take over the attributes of its game or world, and return what else it tells."""
        self.name, self.seconds = name, seconds
        self._closed, self._lock = False, threading.Lock()
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        self.child = ChildProcess(f"plays {name}", 0, words=(name,))
        try:
            told = self.ask("describe")
            for key in DESCRIBED:
                wanted = int if key == "max_steps" else str
                if not isinstance(told[key], wanted):
                    raise BadInput(f"{name}: its {key} must be {'a whole number' if wanted is int else 'text'}.")
            check_buttons(told["buttons"], f"{name}: its buttons")
            tokens = Tokens(**told.pop("tokens"))
            symmetries = tuple(map(Transformation.from_json, told.pop("symmetries")))
        except BadInput:
            self.close()
            raise
        vars(self).update({key: told.pop(key) for key in DESCRIBED})
        vars(self).update(tokens=tokens, symmetries=symmetries, buttons=tuple(told.pop("buttons")))
        return told

    def ask(self, do: str, **request: Any) -> dict[str, Any]:
        """Return the answer. BadInput if there is none; a process that takes too long is replaced."""
        with self._lock:
            if self._closed:
                raise BadInput(f"{self.name} is closed.")
            answer = asyncio.run_coroutine_threadsafe(self._ask(do, request), self._loop)
        return answer.result()

    def close(self) -> None:
        with self._lock:
            if self._closed:
                return
            self._closed = True
            ended = asyncio.run_coroutine_threadsafe(self._end(), self._loop)
        ended.result()
        self._loop.call_soon_threadsafe(self._loop.stop)

    async def _end(self) -> None:
        """End the process, and let those who still wait for an answer hear of it."""
        await self.child.close()
        await asyncio.gather(*asyncio.all_tasks() - {asyncio.current_task()}, return_exceptions=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def _ask(self, do: str, request: dict[str, Any]) -> dict[str, Any]:
        for _ in range(2):  # a process that died is asked again once, as the next one
            try:
                if not self.child.loaded:  # it may load for long, but not take long to answer
                    await self._answer("describe", {}, START_SECONDS)
                return await self._answer(do, request, self.seconds)
            except ChildDied:
                continue
            except BadInput:
                raise
            except ShownError as error:
                raise BadInput(str(error)) from None
        raise BadInput(f"{self.name} has crashed twice at this point. Try something else.")

    async def _answer(self, do: str, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        try:
            return await asyncio.wait_for(self.child.begin(do, **request)[1], seconds)
        except TimeoutError:
            self.child.replace()
            raise NoAnswer(
                f"{self.name} has not answered for {seconds:.0f} seconds, so it was restarted. Try again."
            ) from None


def description(game: Playable) -> dict[str, Any]:
    """Return the attributes that every game and world has, in the child process."""
    return {
        **{key: getattr(game, key) for key in DESCRIBED},
        "tokens": game.tokens.characters,
        "buttons": list(game.buttons),
        "symmetries": [transformation.to_json() for transformation in game.symmetries],
    }


# --- games ----------------------------------------------------------------------------------------------------------


class IsolatedGame(Isolated, Game):
    """The game called `name`, in a child process: its rules run there, and nothing of it runs in the server.

    >>> with IsolatedGame("nim") as nim:
    ...     print(nim.title, nim.expert(nim.level(7).grid) == find_game("nim").expert(nim.level(7).grid))
    Nim True
    """

    def __init__(self, name: str, seconds: float = ANSWER_SECONDS) -> None:
        shape = self._start(name, seconds)["max_shape"]
        if len(shape) != 2 or not all(isinstance(side, int) for side in shape):
            self.close()
            raise BadInput(f"{name}: its max_shape must be two whole numbers.")
        self.max_shape = (shape[0], shape[1])

    def step(self, grid: Grid, action: Action, rng: np.random.Generator) -> Outcome:
        told = self.ask("step", rows=grid.rows, action=action_to_json(action), rng=rng.bit_generator.state)
        rng.bit_generator.state = told["rng"]
        return Outcome(self._grid(told["rows"]), told["won"], told["over"])

    def expert(self, grid: Grid) -> Action:
        return action_from_json(self.ask("expert", rows=grid.rows)["action"])

    def generate(self, rng: np.random.Generator) -> Grid:
        told = self.ask("generate", rng=rng.bit_generator.state)
        rng.bit_generator.state = told["rng"]
        return self._grid(told["rows"])

    def check(self, grid: Grid) -> None:
        told = self.ask("check", rows=grid.rows)
        if told["reason"] is not None:
            raise BadLevel(told["reason"])

    def why_lost(self, grid: Grid) -> str:
        try:
            return str(self.ask("why_lost", rows=grid.rows)["reason"])
        except BadInput:
            return ""

    def level(self, seed: int) -> Level:
        return self.levels(f"random:{seed}")[0]

    def levels(self, spec: str) -> list[Level]:
        told = self.ask("levels", spec=spec)
        return [Level(name, self._grid(rows)) for name, rows in told["levels"]]

    def _grid(self, rows: Any) -> Grid:
        if not isinstance(rows, list) or not all(isinstance(row, str) for row in rows):
            raise BadInput(f"{self.name} returned something that is not a grid.")
        return Grid(tuple(rows))


class GameTasks:
    """The child's end."""

    def __init__(self, name: str) -> None:
        self.name = name

    def table(self) -> dict[str, Callable[[dict[str, Any]], dict[str, Any]]]:
        tasks = (self.describe, self.step, self.expert, self.generate, self.check, self.why_lost, self.levels)
        return {task.__name__: self._reporting(task) for task in tasks}

    def _reporting(self, task: Callable[[dict[str, Any]], dict[str, Any]]) -> Callable[..., dict[str, Any]]:
        """Report an error of the game's code in one line; the traceback of a mistake goes to stderr, for its author."""

        def run(request: dict[str, Any]) -> dict[str, Any]:
            try:
                return task(request)
            except ShownError:
                raise
            except Exception as error:
                if not isinstance(error, MISSING_PIECE):
                    traceback.print_exc()
                raise BadInput(f"game {self.name!r} failed ({reason(error)}).") from None

        return run

    @cached_property
    def game(self) -> Game:
        """Loaded with the first question, so that its answer tells what is wrong with it."""
        return find_game(self.name)

    def describe(self, request: dict[str, Any]) -> dict[str, Any]:
        return {**description(self.game), "max_shape": list(self.game.max_shape)}

    def step(self, request: dict[str, Any]) -> dict[str, Any]:
        rng = _rng(request)
        outcome = self.game.step(_grid(request), action_from_json(request["action"]), rng)
        won, over = bool(outcome.won), bool(outcome.over)
        return {"rows": outcome.grid.rows, "won": won, "over": over, "rng": rng.bit_generator.state}

    def expert(self, request: dict[str, Any]) -> dict[str, Any]:
        return {"action": action_to_json(self.game.expert(_grid(request)))}

    def generate(self, request: dict[str, Any]) -> dict[str, Any]:
        rng = _rng(request)
        return {"rows": self.game.generate(rng).rows, "rng": rng.bit_generator.state}

    def check(self, request: dict[str, Any]) -> dict[str, Any]:
        try:
            self.game.check(_grid(request))
        except BadLevel as error:
            return {"reason": str(error)}
        return {"reason": None}

    def why_lost(self, request: dict[str, Any]) -> dict[str, Any]:
        return {"reason": self.game.why_lost(_grid(request))}

    def levels(self, request: dict[str, Any]) -> dict[str, Any]:
        return {"levels": [(str(level.name), level.grid.rows) for level in self.game.levels(request["spec"])]}


def _grid(request: dict[str, Any]) -> Grid:
    return Grid(tuple(request["rows"]))


def _rng(request: dict[str, Any]) -> np.random.Generator:
    rng = np.random.default_rng()
    rng.bit_generator.state = request["rng"]
    return rng


# --- worlds ---------------------------------------------------------------------------------------------------------


class IsolatedWorld(Isolated, World):
    """The world called `name`, in a child process. A question is a seed and the actions since.

    >>> with IsolatedWorld("gym:FrozenLake-v1") as lake:
    ...     print(lake.reset(0), lake.step("right").over, lake.expert())
    Aiii
    iHiH
    iiiH
    HiiG False left
    """

    def __init__(self, name: str, seconds: float = ANSWER_SECONDS) -> None:
        self._at: Trail = (0, ())
        self._known: dict[Trail, Outcome] = {}
        self.fully_observed = self._start(name, seconds)["fully_observed"]

    def reset(self, seed: int) -> Grid:
        return self._go((seed, ())).grid

    def step(self, action: Action) -> Outcome:
        seed, done = self._at
        return self._go((seed, (*done, action)))

    def expert(self) -> Action:
        return action_from_json(self.ask("expert", **_to_json(self._at))["action"])

    def copy(self) -> IsolatedWorld:
        return IsolatedWorld(self.name, self.seconds)

    def _go(self, trail: Trail) -> Outcome:
        """Return the outcome at the end of `trail`. The same steps lead to the same outcome, so it may be known."""
        if trail not in self._known:
            told = self.ask("play", **_to_json(trail))
            if len(self._known) >= MAX_KNOWN:
                self._known.clear()
            self._known[trail] = Outcome(Grid(tuple(told["rows"])), told["won"], told["over"], told["reward"])
        self._at = trail
        return self._known[trail]


class WorldTasks:
    """The child's end."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._at: Trail | None = None
        self._last: Outcome

    def table(self) -> dict[str, Any]:
        return {"describe": self.describe, "play": self.play, "expert": self.expert}

    @cached_property
    def world(self) -> World:
        """Loaded with the first question, so that its answer tells what is wrong with it."""
        return find_world(self.name)

    def describe(self, request: dict[str, Any]) -> dict[str, Any]:
        return {**description(self.world), "fully_observed": self.world.fully_observed}

    def play(self, request: dict[str, Any]) -> dict[str, Any]:
        last = self._reach(request)
        return {"rows": list(last.grid.rows), "won": last.won, "over": last.over, "reward": last.reward}

    def expert(self, request: dict[str, Any]) -> dict[str, Any]:
        self._reach(request)
        return {"action": action_to_json(self.world.expert())}

    def _reach(self, request: dict[str, Any]) -> Outcome:
        """Bring the world to the position in question, by its last step alone if that is enough."""
        seed, actions = request["seed"], tuple(map(action_from_json, request["actions"]))
        before, self._at = self._at, None
        if before == (seed, actions):
            missing: tuple[Action, ...] = ()
        elif actions and before == (seed, actions[:-1]):
            missing = actions[-1:]
        else:
            self._last, missing = Outcome(self.world.reset(seed)), actions
        for action in missing:
            self._last = self.world.step(action)
        self._at = (seed, actions)
        return self._last


def _to_json(trail: Trail) -> dict[str, Any]:
    seed, actions = trail
    return {"seed": seed, "actions": [action_to_json(action) for action in actions]}
