"""Equivalent actions: those that lead to the same position.

In Chase, a click on any wall waits; in Reach for the Star, a block falls from any cell above its place. A teacher
clicks now here, now there, without meaning a rule by it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from shown.errors import BadInput
from shown.grid import Action, Grid, check_action
from shown.worlds import Game, Outcome, Playable
from shown.worlds.games.rule_errors import RULE_ERRORS, outcome_of

SEEDS = (11, 1, 13)  # actions equal under these seeds count as equivalent; their first draws are low, medium and high

Effect = tuple[Outcome, ...]
"""Result of an action: one outcome, or one for each of `SEEDS` if it depends on chance."""


class Effects:
    """Effects of actions by the rules of a game, each computed once.

    >>> from shown.worlds import find
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
        self._chances = [Chances(seed) for seed in SEEDS]
        self._played: dict[Grid, dict[Action, Effect | None]] = {}
        self._alike: dict[Grid, dict[Action, tuple[Action, ...]]] = {}

    def actions(self, grid: Grid) -> Iterable[Action]:
        """Return all actions of a position, in reading order (or that of the buttons)."""
        return self.game.buttons or grid.cells()

    def effect(self, grid: Grid, action: Action) -> Effect | None:
        """Return the effect of an action; None if the position does not have it or the rules fail."""
        played = self._played.setdefault(grid, {})
        if action not in played:
            played[action] = self._play(grid, action) if _has(grid, action, self.game.buttons) else None
        return played[action]

    def certain(self, grid: Grid, action: Action) -> Outcome | None:
        """Return the outcome of an action, or None if it depends on chance."""
        effect = self.effect(grid, action)
        return effect[0] if effect is not None and len(effect) == 1 else None

    def alike(self, grid: Grid, action: Action) -> tuple[Action, ...]:
        """Return the actions equivalent to `action`, itself included, in reading order (or that of the buttons)."""
        if grid not in self._alike:
            self._alike[grid] = self._all_alike(grid)
        return self._alike[grid].get(action, (action,))

    def _all_alike(self, grid: Grid) -> dict[Action, tuple[Action, ...]]:
        """Return the equivalents of each action that has any."""
        played = self._played.setdefault(grid, {})
        actions_of: dict[Effect, list[Action]] = {}
        kept: dict[Effect, Effect] = {}  # one object per effect: a position has hundreds of actions
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


def effects_of(game: Playable | Effects | None) -> Effects | None:
    """Return the effects by the rules of a game, or None where the rules are not known."""
    if game is None or isinstance(game, Effects):
        return game
    return None if game.rules is None else Effects(game.rules)


State = tuple[int, int, int, int]
"""State of a generator."""


class Chances(np.random.Generator):
    """A generator that records whether it was used: an action without chance is played only once."""

    asked = False

    def __init__(self, seed: int) -> None:
        source = np.random.PCG64(seed)
        super().__init__(source)
        self._source, self._start = source, state_of(source)
        self.asked = False

    def restart(self, state: State | None = None) -> None:
        """Go to a state, by default the first one, as if never used."""
        bits, step, half, rest = self._start if state is None else state
        words = {"bit_generator": "PCG64", "has_uint32": half, "uinteger": rest}
        self._source.state = {**words, "state": {"state": bits, "inc": step}}  # type: ignore[typeddict-item]
        self.asked = False

    @property
    def state(self) -> State:
        """The state that it is in."""
        return state_of(self._source)

    def __getattribute__(self, name: str) -> Any:
        if name not in ("asked", "restart", "state", "_source", "_start"):
            self.asked = True
        return super().__getattribute__(name)


def state_of(source: np.random.BitGenerator) -> State:
    """Return the state of a source of random bits, a PCG64 as of `numpy.random.default_rng`."""
    state: Any = source.state
    return state["state"]["state"], state["state"]["inc"], state["has_uint32"], state["uinteger"]


def expert_action(game: Game, grid: Grid) -> Action | None:
    """Return the expert's action, or None if the expert fails, as it may on painted or hopeless positions."""
    try:
        action = game.expert(grid)
        check_action(action, grid, game.buttons)
    except (BadInput, *RULE_ERRORS):
        return None
    return action


def first_alike(grid: Grid, action: Action, alike: Iterable[Action]) -> Action:
    """Return the first of some actions on the same token as `action`; a button represents itself."""
    if isinstance(action, str):
        return action
    return next((a for a in alike if not isinstance(a, str) and grid[a] == grid[action]), action)


def _has(grid: Grid, action: Action, buttons: tuple[str, ...]) -> bool:
    return action in buttons if isinstance(action, str) else not buttons and grid.inside(action)
