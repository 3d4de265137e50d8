"""A game of another package in a child process: its rules run there, and nothing of it runs in the server."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from shown.errors import BadInput, BadLevel, ShownError
from shown.grid import Action, Grid, action_from_json, action_to_json
from shown.registry import reason
from shown.studio.isolated_process import ANSWER_SECONDS, Isolated, description
from shown.worlds import Game, Level, Outcome, find_game
from shown.worlds.games.rule_errors import MISSING_PIECE


class IsolatedGame(Isolated, Game):
    """The game called `name`, in a child process.

    >>> with IsolatedGame("nim") as nim:
    ...     print(nim.title, nim.expert(nim.level(7).grid) == find_game("nim").expert(nim.level(7).grid))
    Nim True
    """

    def __init__(self, name: str, seconds: float = ANSWER_SECONDS) -> None:
        shape = self._describe(name, seconds)["max_shape"]
        if len(shape) != 2 or not all(isinstance(side, int) for side in shape):
            self.close()
            raise BadInput(f"{name}: its max_shape must be two whole numbers.")
        self.max_shape = (shape[0], shape[1])

    def step(self, grid: Grid, action: Action, rng: np.random.Generator) -> Outcome:
        told = self.process.ask("step", rows=grid.rows, action=action_to_json(action), rng=rng.bit_generator.state)
        rng.bit_generator.state = told["rng"]
        return Outcome(self._grid(told["rows"]), told["won"], told["over"])

    def expert(self, grid: Grid) -> Action:
        return action_from_json(self.process.ask("expert", rows=grid.rows)["action"])

    def generate(self, rng: np.random.Generator) -> Grid:
        told = self.process.ask("generate", rng=rng.bit_generator.state)
        rng.bit_generator.state = told["rng"]
        return self._grid(told["rows"])

    def check(self, grid: Grid) -> None:
        told = self.process.ask("check", rows=grid.rows)
        if told["reason"] is not None:
            raise BadLevel(told["reason"])

    def why_lost(self, grid: Grid) -> str:
        try:
            return str(self.process.ask("why_lost", rows=grid.rows)["reason"])
        except BadInput:
            return ""

    def level(self, seed: int) -> Level:
        return self.levels(f"random:{seed}")[0]

    def levels(self, spec: str) -> list[Level]:
        told = self.process.ask("levels", spec=spec)
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
