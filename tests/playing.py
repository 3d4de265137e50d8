"""Small words for the tests of games: a grid before, a click, what comes after."""

from __future__ import annotations

import numpy as np

from shown.grid import Cell, Grid
from shown.worlds import Game, Outcome


def step(game: Game, before: Grid, click: Cell, seed: int = 0) -> Outcome:
    return game.step(before, click, np.random.default_rng(seed))


def all_outcomes(game: Game, before: Grid, click: Cell, seeds: int = 60) -> set[Grid]:
    """Every grid that the click leads to under some seed."""
    return {step(game, before, click, seed).grid for seed in range(seeds)}
