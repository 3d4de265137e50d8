"""Random play: the floor below every method (`shown.worlds.games.floors`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from shown.demonstrations import Demonstrations
from shown.errors import BadInput
from shown.grid import Action, Grid
from shown.worlds import Game
from shown.worlds.games.floors import random_player, sensible_player
from shown_evidence.baselines import Imitator

PLAYERS = {"any": random_player, "sensible": sensible_player}


class RandomPolicy(Imitator):
    """Clicks a random cell, or a random cell whose click changes something, and learns nothing.

    >>> from shown.worlds import find
    >>> from shown.grid import grid
    >>> RandomPolicy(find("nim"), seed=0, cells="sensible").act(grid("|.", "..")) == (0, 0)
    True
    """

    deterministic = False

    def __init__(self, game: Game, seed: int, cells: str) -> None:
        if cells not in PLAYERS:
            raise BadInput(f"cells must be one of {', '.join(PLAYERS)}, not {cells!r}.")
        self._player = PLAYERS[cells](game, np.random.default_rng([seed, 0xF1]))

    def fit(self, demos: Demonstrations) -> RandomPolicy:
        return self

    def act_many(self, grids: Sequence[Grid]) -> list[Action]:
        return [self._player(grid) for grid in grids]


def learner(game: Game, seed: int, options: Mapping[str, Any]) -> RandomPolicy:
    """Build a random player; `cells` is "any" or "sensible"."""
    return RandomPolicy(game, seed, options["cells"])
