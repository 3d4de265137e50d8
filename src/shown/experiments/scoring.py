"""Playing many levels at once: a method that can look at many grids together is asked once a turn, not once a grid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shown.games.episodes import chances
from shown.games.game import Game
from shown.games.levels import Level
from shown.grid import Action, Grid, check_action


class Remembering:
    """A policy with a memory: a grid seen before is not looked at again (policies here are functions of the grid)."""

    def __init__(self, imitator: Any) -> None:
        self._imitator = imitator
        self._known: dict[Grid, Action] = {}

    def act_many(self, grids: Sequence[Grid]) -> list[Action]:
        new = list(dict.fromkeys(grid for grid in grids if grid not in self._known))
        if new:
            many = getattr(self._imitator, "act_many", None)
            acts = many(new) if many is not None else [self._imitator.act(grid) for grid in new]
            self._known.update(zip(new, acts, strict=True))
        return [self._known[grid] for grid in grids]


def won(game: Game, table: Remembering, levels: Sequence[Level], seed: int = 0) -> list[bool]:
    """Whether each level is won: what `shown.games.episodes.play` gives level by level, played side by side.

    >>> from shown.games import find
    >>> from shown.games.levels import load_levels
    >>> class Expert:
    ...     act = find("nim").expert
    >>> won(find("nim"), Remembering(Expert()), load_levels(find("nim"), "train:0-3"))
    [True, True, True, True]
    """
    grids = [level.grid for level in levels]
    luck = [chances(level, seed) for level in levels]
    wins = [False] * len(levels)
    playing = list(range(len(levels)))
    for _ in range(game.max_steps):
        still = []
        for i, action in zip(playing, table.act_many([grids[i] for i in playing]), strict=True):
            check_action(action, grids[i], game.buttons)
            outcome = game.step(grids[i], action, luck[i])
            grids[i], wins[i] = outcome.grid, outcome.won
            if not outcome.over:
                still.append(i)
        playing = still
        if not playing:
            break
    return wins
