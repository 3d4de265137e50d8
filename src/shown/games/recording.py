"""Recording: a person plays, every click is kept, and any of them can be taken back."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass

import numpy as np

from shown.demonstrations import Demonstration, Step
from shown.games.episodes import chances
from shown.games.game import Game
from shown.games.levels import Level
from shown.grid import Action, Grid, check_action


@dataclass(frozen=True)
class _Moment:
    """A position, and the game's chances as they stood there, so that going back and on again gives the same game."""

    grid: Grid
    chances: np.random.Generator
    won: bool = False
    over: bool = False


class Recorder:
    """One level being played. Clicks that change nothing are not kept: they would teach nothing.

    >>> from shown.games import find
    >>> from shown.grid import grid
    >>> game = Recorder(find("nim"), Level("mine", grid("|.", "||")))
    >>> game.act((0, 1)), game.act((0, 0)), len(game.steps)
    (False, True, 1)
    >>> game.undo(), len(game.steps), game.redo(), len(game.steps)
    (True, 0, True, 1)
    """

    def __init__(self, game: Game, level: Level, seed: int = 0) -> None:
        self.game = game
        self.level = level
        self.seed = seed
        self._moments = [_Moment(level.grid, chances(level, seed))]
        self._actions: list[Action] = []
        self._at = 0

    @property
    def grid(self) -> Grid:
        return self._moments[self._at].grid

    @property
    def won(self) -> bool:
        return self._moments[self._at].won

    @property
    def over(self) -> bool:
        """Nothing more can be done: the game ended, or all the steps of an episode are used."""
        return self._moments[self._at].over or self._at >= self.game.max_steps

    @property
    def outcome(self) -> str:
        return "won" if self.won else "lost" if self.over else "unfinished"

    @property
    def steps(self) -> tuple[Step, ...]:
        """What was done so far, without what was taken back."""
        return tuple(Step(self._moments[i].grid, self._actions[i]) for i in range(self._at))

    @property
    def demonstration(self) -> Demonstration | None:
        """What was shown, or None if nothing was done yet."""
        return Demonstration(self.steps, self.level.name, self.seed, self.outcome) if self._at else None

    def act(self, action: Action) -> bool:
        """Plays `action`; False if the game is over or nothing changed. An impossible one is an error."""
        check_action(action, self.grid, self.game.buttons)
        if self.over:
            return False
        here = self._moments[self._at]
        chances = deepcopy(here.chances)
        outcome = self.game.step(here.grid, action, chances)
        if outcome.grid == here.grid and not outcome.over:
            return False
        del self._moments[self._at + 1 :], self._actions[self._at :]
        self._moments.append(_Moment(outcome.grid, chances, outcome.won, outcome.over))
        self._actions.append(action)
        self._at += 1
        return True

    def undo(self) -> bool:
        """Takes the last action back; False if there is none."""
        if self._at == 0:
            return False
        self._at -= 1
        return True

    def redo(self) -> bool:
        """Does again what was taken back; False if there is nothing."""
        if self._at == len(self._actions):
            return False
        self._at += 1
        return True

    def restart(self) -> bool:
        """Takes everything back (and `redo` would do it again); False if nothing was done."""
        changed, self._at = self._at > 0, 0
        return changed
