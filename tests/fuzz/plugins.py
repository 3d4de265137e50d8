"""Games of other packages that sleep, raise, exit or return nonsense: the server gets an answer or our own error."""

from __future__ import annotations

import contextlib
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from fuzz.cases import expected
from shown.grid import Grid, check_action
from shown.studio.catalog import describe
from shown.studio.isolated import IsolatedGame
from shown.worlds import Level, Outcome, find

SECONDS = 1.0  # for an answer
METHODS = ("step", "expert", "generate", "check", "why_lost", "levels")
ATTRIBUTES = ("title", "goal", "about", "max_steps", "tokens", "buttons", "max_shape", "symmetries")
NONSENSE = (
    *("None", "3", "-1", "'x'", "b'x'", "[]", "{}", "object()", "float('nan')", "('a', 'b')", "(-1, 10**9)", "[[]]"),
    *("Outcome(None, True, True)", "Outcome(3, 'yes', None)", "Odd()", "Outcome(Odd(), 1, [])", "[Level(3, Odd())]"),
    *("Grid(('.' * 2000,) * 2000)", "Grid(('é~',))", "'x' * 10**6", "{'empty': '.'}", "[None] * 10**5"),
)
DEEDS = (
    "time.sleep(60)",
    "raise ValueError('two\\nlines')",
    "raise SystemExit(3)",
    "os._exit(4)",
    "raise Odd",
    "print(1)",
)
MODULE = """
import os, sys, time
from shown.grid import Grid
from shown.worlds import Level, Outcome
from shown.worlds.games.nim import Nim

class Odd(BaseException):
    rows = grid = name = {odd}

class Mine(Nim):
    name = "mine"
"""


def make(rng: random.Random) -> Any:
    deeds = rng.sample(METHODS, rng.choice((1, 1, 2)))
    return {
        "odd": rng.choice(("3", "None", "(3,)", "('..', '.')", "[[1]]", "'..'")),
        "methods": {name: _deed(rng) for name in deeds},
        "attributes": {name: rng.choice(NONSENSE) for name in rng.sample(ATTRIBUTES, rng.choice((0, 0, 0, 1, 2)))},
        "calls": [*rng.choices(METHODS, k=rng.randint(0, 2)), *deeds],
    }


def _deed(rng: random.Random) -> str:
    return rng.choice(DEEDS) if rng.random() < 0.4 else f"return {rng.choice(NONSENSE)}"


def run(data: Any, folder: Path) -> None:
    install(data, folder)
    with on_path(folder), _quiet(), expected(), IsolatedGame("mine", SECONDS) as game:
        with expected():
            describe(game)
        nim = find("nim")
        board, rng = nim.level(1).grid, np.random.default_rng(1)
        for name in data["calls"]:
            with expected():
                _call(game, name, board, rng)


def _call(game: IsolatedGame, name: str, board: Grid, rng: np.random.Generator) -> None:
    """Ask the game something; what comes back is of the promised type."""
    if name == "step":
        outcome = game.step(board, (0, 0), rng)
        assert isinstance(outcome, Outcome)
        assert isinstance(outcome.grid, Grid)
        assert (type(outcome.won), type(outcome.over)) == (bool, bool)
    elif name == "expert":
        with expected():
            check_action(game.expert(board), board, game.buttons)
    elif name == "generate":
        assert isinstance(game.generate(rng), Grid)
    elif name == "check":
        game.check(board)
    elif name == "why_lost":
        assert isinstance(game.why_lost(board), str)
    else:
        assert all(isinstance(level, Level) and isinstance(level.name, str) for level in game.levels("train:0-1"))


def install(data: Any, folder: Path) -> None:
    """Write the package `mine`, which declares the game `mine`, into a folder."""
    lines = [MODULE.replace("{odd}", data["odd"])]
    lines += [f"    {name} = {text}" for name, text in data["attributes"].items()]
    lines += [f"    def {name}(self, *words):\n        {text}" for name, text in data["methods"].items()]
    (folder / "mine_game.py").write_text("\n".join(lines) + "\n", "utf-8")
    declared = folder / "mine-1.0.dist-info"
    declared.mkdir()
    (declared / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
    (declared / "entry_points.txt").write_text("[shown.games]\nmine = mine_game:Mine\n")


@contextlib.contextmanager
def on_path(folder: Path) -> Iterator[None]:
    """Inside, child processes find the package."""
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(folder), before)))
    try:
        yield
    finally:
        os.environ.pop("PYTHONPATH")
        if before is not None:
            os.environ["PYTHONPATH"] = before


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Inside, child processes write nothing to our stderr."""
    log = os.dup(2)
    with Path(os.devnull).open("wb") as nothing:
        os.dup2(nothing.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(log, 2)
        os.close(log)
