"""Small words for the tests of games: a grid before, a click, what comes after."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from shown.grid import Cell, Grid, grid
from shown.worlds import Game, Outcome


def step(game: Game, before: Grid, click: Cell, seed: int = 0) -> Outcome:
    return game.step(before, click, np.random.default_rng(seed))


def all_outcomes(game: Game, before: Grid, click: Cell, seeds: int = 60) -> set[Grid]:
    """Every grid that the click leads to under some seed."""
    return {step(game, before, click, seed).grid for seed in range(seeds)}


def rules(game: Game, cases: dict[str, tuple[Any, ...]]) -> Callable[..., None]:
    """A test of rules, a sentence each: rows before, a click, rows after (with "/" between), and "won" or "lost"."""

    @pytest.mark.parametrize("case", cases.values(), ids=cases)
    def test(case: tuple[Any, ...]) -> None:
        before, click, after, *end = case
        outcome = step(game, grid(*before.split("/")), click)
        assert outcome.grid == grid(*after.split("/"))
        assert (outcome.won, outcome.over) == ("won" in end, bool(end))

    return test
