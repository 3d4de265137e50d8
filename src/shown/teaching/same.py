"""Actions that come to the same: where a game does not care which cell was clicked, neither should a lesson.

To wait, in Chase, one clicks any wall; to drop a block, in Reach for the Star, any cell above the place it falls to. A
person clicks now here, now there. Taken literally, that is a rule that nobody had in mind and no program can tell. So a
demonstration can count such a click as the one that stands for all that lead to the same position.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from shown.demonstrations import Step
from shown.errors import BadInput
from shown.games.game import Game, Outcome
from shown.grid import Action, Grid, check_action
from shown.teaching.recording import WRONG_FOOTED, outcome_of

SEEDS = (0, 1, 2)
"""Of the game's own chances: what leads to the same under each of these is taken to lead to the same under all."""


def same_effect(game: Game, grid: Grid, action: Action) -> tuple[Action, ...]:
    """All actions that lead where `action` does, itself among them, in reading order (or that of the buttons).

    >>> from shown.games import find
    >>> from shown.grid import grid
    >>> star = find("reach-for-the-star")
    >>> same_effect(star, grid("...*", "....", "A...", "####", "<>^#"), (0, 1))
    ((0, 1), (1, 1), (2, 1))
    """
    alike = _alike(game, grid, action)
    return tuple(other for other in _actions(game, grid) if other == action or alike(other))


def representative(game: Game, grid: Grid, action: Action) -> Action:
    """The click that stands for all that lead where `action` does: the expert's, or the first on the same token.

    >>> from shown.games import find
    >>> from shown.grid import grid
    >>> chase = find("chase")
    >>> board = grid("#######", "#A....#", "#....R#", "#######", "<^v>...")
    >>> representative(chase, board, (3, 5)), representative(chase, board, (1, 4))
    ((0, 0), (1, 4))
    """
    if isinstance(action, str):
        return action
    alike = _alike(game, grid, action)
    best = expert_action(game, grid)
    if best is not None and (best == action or alike(best)):
        return best
    return next(cell for cell in grid.cells() if cell == action or (grid[cell] == grid[action] and alike(cell)))


def as_counted(game: Game, steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """The steps with each click replaced by the one that stands for it."""
    return tuple(Step(step.grid, representative(game, step.grid, step.action)) for step in steps)


def expert_action(game: Game, grid: Grid) -> Action | None:
    """What the expert would do, or None: it may rely on what a painted or a hopeless position does not have."""
    try:
        action = game.expert(grid)
        check_action(action, grid, game.buttons)
    except (BadInput, *WRONG_FOOTED):
        return None
    return action


def _actions(game: Game, grid: Grid) -> Iterable[Action]:
    return game.buttons or grid.cells()


def _alike(game: Game, grid: Grid, action: Action) -> Callable[[Action], bool]:
    """Whether another action has the effects of `action`. What the rules cannot play is like nothing else."""
    check_action(action, grid, game.buttons)
    effects = [_effect(game, grid, action, seed) for seed in SEEDS]

    def alike(other: Action) -> bool:
        try:
            return all(_effect(game, grid, other, seed) == effect for seed, effect in zip(SEEDS, effects, strict=True))
        except BadInput:
            return False

    return alike


def _effect(game: Game, grid: Grid, action: Action, seed: int) -> Outcome:
    return outcome_of(game, grid, action, np.random.default_rng(seed))
