"""A world in a process of its own, so that one that hangs or crashes takes nothing with it.

The code of an environment is somebody else's. The server knows of it only what comes back as lines of JSON, and does
not wait for it for ever. Each question says all of where it is about, a seed and what was done since, so a process that
was ended is replaced by the next question.
"""

from __future__ import annotations

import contextlib
import json
import queue
import subprocess
import sys
import threading
from typing import Any

from shown.errors import BadInput
from shown.grid import Action, Grid, Tokens, action_from_json, action_to_json
from shown.studio.places import find_world
from shown.symmetry import Transformation
from shown.world import Outcome, World

START_PATIENCE = 60.0
"""Seconds that libraries may take to load."""
PATIENCE = 5.0
"""Seconds that a world may take over one question."""
MAX_KNOWN = 2000
"""So many outcomes are remembered: each further step is asked about with all those before it."""

Trail = tuple[int, tuple[Action, ...]]
"""Where a world is: the seed it began with, and what was done since."""


class Apart(World):
    """The world called `name`, in a process of its own. Close it, or use it as a context manager.

    >>> with Apart("gym:FrozenLake-v1") as lake:
    ...     print(lake.reset(0), lake.step("right").over, lake.expert())
    Aiii
    iHiH
    iiiH
    HiiG False left
    """

    def __init__(self, name: str, patience: float = PATIENCE) -> None:
        self.name, self.patience = name, patience
        self._child: _Child | None = None
        self._at: Trail = (0, ())
        self._known: dict[Trail, Outcome] = {}
        try:
            told = self._ask("describe", START_PATIENCE)
        except BadInput:
            self.close()
            raise
        self.name, self.title, self.goal, self.about = (told[key] for key in ("name", "title", "goal", "about"))
        self.tokens, self.buttons = Tokens(**told["tokens"]), tuple(told["buttons"])
        self.max_steps, self.seen_whole = told["max_steps"], told["seen_whole"]
        self.symmetries = tuple(map(Transformation.from_json, told["symmetries"]))

    def __enter__(self) -> Apart:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the process; a later question starts another."""
        if self._child is not None:
            self._child.end()
            self._child = None

    def reset(self, seed: int) -> Grid:
        return self._go((seed, ())).grid

    def step(self, action: Action) -> Outcome:
        seed, done = self._at
        return self._go((seed, (*done, action)))

    def expert(self) -> Action:
        return action_from_json(self._ask("expert", self.patience, **_to_json(self._at))["action"])

    def another(self) -> Apart:
        return Apart(self.name, self.patience)

    def _go(self, trail: Trail) -> Outcome:
        """What is there at the end of `trail`. What was seen there before is known: the same steps lead to the same."""
        if trail not in self._known:
            told = self._ask("play", self.patience, **_to_json(trail))
            if len(self._known) >= MAX_KNOWN:
                self._known.clear()
            self._known[trail] = Outcome(Grid(tuple(told["rows"])), told["won"], told["over"], told["reward"])
        self._at = trail
        return self._known[trail]

    def _ask(self, do: str, patience: float, **request: Any) -> dict[str, Any]:
        """The process's answer; BadInput if it has none to give. What hangs is ended."""
        if self._child is None:
            self._child = _Child(self.name)
        message = self._child.ask({"id": 0, "do": do, **request}, patience)
        if message is None:
            ended = self._child.ended
            self.close()
            why = "has ended by itself" if ended else f"has not answered for {patience:.0f} seconds and was ended"
            raise BadInput(f"{self.name}: it {why}. It is started again with your next step.")
        if "error" in message:
            raise BadInput(message["error"])
        answer: dict[str, Any] = message["answer"]
        return answer


class _Child:
    """The process of a world, seen from the server."""

    def __init__(self, name: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "shown.studio.worker", "0", name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C in the terminal is for the server
        )
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self.ended = False
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as stdout:
            for line in stdout:
                self._lines.put(line)
        self._lines.put(b"")

    def ask(self, message: dict[str, Any], patience: float) -> Any:
        """The answer, or None if there is none in time."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()
        try:
            line = self._lines.get(timeout=patience)
        except queue.Empty:
            return None
        self.ended = not line
        return json.loads(line) if line else None

    def end(self) -> None:
        assert self._process.stdin is not None
        self._process.kill()
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        self._process.wait()


class WorldTasks:
    """What the process of a world can do, seen from the inside."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._world: World | None = None
        self._at: Trail | None = None
        self._last: Outcome

    def table(self) -> dict[str, Any]:
        return {"describe": self.describe, "play": self.play, "expert": self.expert}

    @property
    def world(self) -> World:
        """Loaded with the first question, so that whoever asks hears what is wrong with it."""
        if self._world is None:
            self._world = find_world(self.name)
        return self._world

    def describe(self, request: dict[str, Any]) -> dict[str, Any]:
        world = self.world
        return {
            "name": world.name,
            "title": world.title,
            "goal": world.goal,
            "about": world.about,
            "tokens": world.tokens.characters,
            "buttons": list(world.buttons),
            "max_steps": world.max_steps,
            "seen_whole": world.seen_whole,
            "symmetries": [transformation.to_json() for transformation in world.symmetries],
        }

    def play(self, request: dict[str, Any]) -> dict[str, Any]:
        self._reach(request)
        last = self._last
        return {"rows": list(last.grid.rows), "won": last.won, "over": last.over, "reward": last.reward}

    def expert(self, request: dict[str, Any]) -> dict[str, Any]:
        self._reach(request)
        return {"action": action_to_json(self.world.expert())}

    def _reach(self, request: dict[str, Any]) -> None:
        """Brings the world to where the question is about, by its last step alone if that will do."""
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


def _to_json(trail: Trail) -> dict[str, Any]:
    seed, actions = trail
    return {"seed": seed, "actions": [action_to_json(action) for action in actions]}
