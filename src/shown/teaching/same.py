"""Actions that come to the same: where a game does not care which cell was clicked, neither should a lesson.

To wait, in Chase, one clicks any wall; to drop a block, in Reach for the Star, any cell above the place it falls to. A
person clicks now here, now there. Taken literally, that is a rule that nobody had in mind and no program can tell. So a
demonstration can count such a click as the one that stands for all that lead to the same position.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from shown.errors import BadInput
from shown.games.game import Game, Outcome
from shown.grid import Action, Grid, check_action
from shown.teaching.recording import WRONG_FOOTED, outcome_of

SEEDS = (11, 1, 13)
"""Of the game's own chances: what leads to the same under each of these is taken to lead to the same under all. Their
first draws are low, in the middle and high, so that whatever is drawn is not the same three times."""

Effect = tuple[Outcome, ...]
"""What an action leads to: one outcome, or, where that depends on the game's chances, one for each of `SEEDS`."""


class Effects:
    """What the actions of positions lead to by the rules of a game; each is played once and kept.

    >>> from shown.games import find
    >>> from shown.grid import grid
    >>> effects = Effects(find("reach-for-the-star"))
    >>> board = grid("...*", "....", "A...", "####", "<>^#")
    >>> effects.alike(board, (0, 1))
    ((0, 1), (1, 1), (2, 1))
    >>> print(effects.certain(board, (0, 1)).grid.rows[2])
    A#..
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self._chances = [_Chances(seed) for seed in SEEDS]
        self._played: dict[Grid, dict[Action, Effect | None]] = {}
        self._alike: dict[Grid, dict[Action, tuple[Action, ...]]] = {}

    def actions(self, grid: Grid) -> Iterable[Action]:
        """All actions of a position, in reading order (or that of the buttons)."""
        return self.game.buttons or grid.cells()

    def effect(self, grid: Grid, action: Action) -> Effect | None:
        """What an action leads to; None where the position does not have it or the rules cannot play it."""
        played = self._played.setdefault(grid, {})
        if action not in played:
            played[action] = self._play(grid, action) if _has(grid, action, self.game.buttons) else None
        return played[action]

    def certain(self, grid: Grid, action: Action) -> Outcome | None:
        """The outcome of an action whose effect does not depend on chance; None for any other."""
        effect = self.effect(grid, action)
        return effect[0] if effect is not None and len(effect) == 1 else None

    def alike(self, grid: Grid, action: Action) -> tuple[Action, ...]:
        """All actions that lead where `action` does, itself among them, in reading order (or that of the buttons)."""
        if grid not in self._alike:
            self._alike[grid] = self._all_alike(grid)
        return self._alike[grid].get(action, (action,))

    def _all_alike(self, grid: Grid) -> dict[Action, tuple[Action, ...]]:
        """The actions of each action's effect, for effects of more than one."""
        played = self._played.setdefault(grid, {})
        actions_of: dict[Effect, list[Action]] = {}
        kept: dict[Effect, Effect] = {}  # equal effects as one object: a position has hundreds of actions
        for action in self.actions(grid):
            effect = played[action] if action in played else self._play(grid, action)
            if effect is not None:
                effect = kept.setdefault(effect, effect)
                actions_of.setdefault(effect, []).append(action)
            played[action] = effect
        classes = [tuple(actions) for actions in actions_of.values() if len(actions) > 1]
        return {action: same for same in classes for action in same}

    def _play(self, grid: Grid, action: Action) -> Effect | None:
        outcomes = []
        try:
            for chances in self._chances:
                outcomes.append(outcome_of(self.game, grid, action, chances))
                if not chances.asked:
                    break
                chances.restart()
        except BadInput:
            self._chances[len(outcomes)].restart()
            return None
        return tuple(outcomes) if any(outcome != outcomes[0] for outcome in outcomes) else (outcomes[0],)


class _Chances(np.random.Generator):
    """A generator that knows whether it was asked: what needs no chance need not be played more than once."""

    asked = False

    def __init__(self, seed: int) -> None:
        source = np.random.PCG64(seed)
        super().__init__(source)
        self._source, self._start = source, source.state
        self.asked = False

    def restart(self) -> None:
        self._source.state = self._start
        self.asked = False

    def __getattribute__(self, name: str) -> Any:
        if name not in ("asked", "restart", "_source", "_start"):
            self.asked = True
        return super().__getattribute__(name)


def same_effect(game: Game, grid: Grid, action: Action) -> tuple[Action, ...]:
    """All actions that lead where `action` does, itself among them, in reading order (or that of the buttons).

    >>> from shown.games import find
    >>> from shown.grid import grid
    >>> star = find("reach-for-the-star")
    >>> same_effect(star, grid("...*", "....", "A...", "####", "<>^#"), (0, 1))
    ((0, 1), (1, 1), (2, 1))
    """
    _check_playable(game, grid, action)
    return Effects(game).alike(grid, action)


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
    _check_playable(game, grid, action)
    effects = Effects(game)
    effect = effects.effect(grid, action)
    best = expert_action(game, grid)
    if best is not None and effects.effect(grid, best) == effect:
        return best
    return next(cell for cell in grid.cells() if grid[cell] == grid[action] and effects.effect(grid, cell) == effect)


def expert_action(game: Game, grid: Grid) -> Action | None:
    """What the expert would do, or None: it may rely on what a painted or a hopeless position does not have."""
    try:
        action = game.expert(grid)
        check_action(action, grid, game.buttons)
    except (BadInput, *WRONG_FOOTED):
        return None
    return action


def first_alike(grid: Grid, action: Action, alike: Iterable[Action]) -> Action:
    """The first of some actions on the token that `action` is on, itself among them; a button stands for itself."""
    if isinstance(action, str):
        return action
    return next((a for a in alike if not isinstance(a, str) and grid[a] == grid[action]), action)


def _has(grid: Grid, action: Action, buttons: tuple[str, ...]) -> bool:
    return action in buttons if isinstance(action, str) else not buttons and grid.inside(action)


def _check_playable(game: Game, grid: Grid, action: Action) -> None:
    """BadInput, with the reason, where the position does not have the action or the rules cannot play it."""
    check_action(action, grid, game.buttons)
    outcome_of(game, grid, action, np.random.default_rng(SEEDS[0]))
