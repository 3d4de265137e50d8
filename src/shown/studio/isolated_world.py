"""A world in a child process. A question is a seed and the actions since, so any process can answer it."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from shown.grid import Action, Grid, action_from_json, action_to_json
from shown.studio.isolated_process import ANSWER_SECONDS, Isolated, description
from shown.worlds import Outcome, World, find_world

MAX_KNOWN = 2000  # outcomes kept, because each further step is asked about with all those before it

Trail = tuple[int, tuple[Action, ...]]
"""A position in a world: the seed it began with, and the actions since."""


class IsolatedWorld(Isolated, World):
    """The world called `name`, in a child process. Close it, or use it as a context manager.

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
        self.fully_observed = self._describe(name, seconds)["fully_observed"]

    def reset(self, seed: int) -> Grid:
        return self._go((seed, ())).grid

    def step(self, action: Action) -> Outcome:
        seed, done = self._at
        return self._go((seed, (*done, action)))

    def expert(self) -> Action:
        return action_from_json(self.process.ask("expert", **_to_json(self._at))["action"])

    def copy(self) -> IsolatedWorld:
        return IsolatedWorld(self.name, self.process.seconds)

    def _go(self, trail: Trail) -> Outcome:
        """Return the outcome at the end of `trail`. The same steps lead to the same outcome, so it may be known."""
        if trail not in self._known:
            told = self.process.ask("play", **_to_json(trail))
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
