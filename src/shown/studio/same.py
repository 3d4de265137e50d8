"""Clicks that lead to the same: where a game does not care which of several cells was clicked, neither should a lesson.

To wait, in Chase, one clicks any wall; to drop a block, in Reach for the Star, any cell above the place it falls to. A
person clicks now here, now there. Taken literally, that is a rule that nobody had in mind and no program can tell. So a
demonstration counts such a click as the one that stands for all that lead to the same position.
"""

from __future__ import annotations

import numpy as np

from shown.demonstrations import Step
from shown.games.game import Game
from shown.grid import Action, Grid

SEEDS = (0, 1, 2)
"""Of the game's own chances: what leads to the same under each of these is taken to lead to the same under all."""


def representative(game: Game, grid: Grid, action: Action) -> Action:
    """The click that stands for all that lead where `action` does: the expert's, or the first on the same token.

    >>> from shown.games import find
    >>> from shown.grid import grid
    >>> chase = find("chase")
    >>> board = grid("#######", "#A....#", "#....R#", "#######", "<^v>...")
    >>> representative(chase, board, (3, 5)), representative(chase, board, (1, 4))
    ((0, 0), (1, 4))
    """
    if game.buttons or not isinstance(action, tuple):
        return action
    effects = [_effect(game, grid, action, seed) for seed in SEEDS]

    def alike(other: Action) -> bool:
        return all(_effect(game, grid, other, seed) == effect for seed, effect in zip(SEEDS, effects, strict=True))

    try:
        best = game.expert(grid)
    except Exception:  # an expert may rely on what a painted level, or a hopeless position, does not have
        best = action
    if alike(best):
        return best
    return next(cell for cell in grid.cells() if cell == action or (grid[cell] == grid[action] and alike(cell)))


def as_counted(game: Game, steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """The steps with each click replaced by the one that stands for it."""
    return tuple(Step(step.grid, representative(game, step.grid, step.action)) for step in steps)


def _effect(game: Game, grid: Grid, action: Action, seed: int) -> tuple[Grid, bool, bool]:
    outcome = game.step(grid, action, np.random.default_rng(seed))
    return outcome.grid, outcome.won, outcome.over
