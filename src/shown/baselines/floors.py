"""Those who know nothing, behind the experiments' interface: what they win, anybody wins (see `shown.games.floors`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from shown.demonstrations import Demonstrations
from shown.errors import BadInput
from shown.games.floors import random_player, sensible_player
from shown.games.game import Game
from shown.grid import Action, Grid

PLAYERS = {"any": random_player, "sensible": sensible_player}


class Floor:
    """Clicks any cell, or any whose click changes something, and learns nothing.

    >>> from shown.games import find
    >>> from shown.grid import grid
    >>> Floor(find("nim"), seed=0, cells="sensible").act(grid("|.", "..")) == (0, 0)
    True

    Attributes:
        draws_lots: it may act differently on the same grid.
    """

    draws_lots = True

    def __init__(self, game: Game, seed: int, cells: str) -> None:
        if cells not in PLAYERS:
            raise BadInput(f"cells must be one of {', '.join(PLAYERS)}, not {cells!r}.")
        self._player = PLAYERS[cells](game, np.random.default_rng([seed, 0xF1]))

    def fit(self, demos: Demonstrations) -> Floor:
        return self

    def act(self, grid: Grid) -> Action:
        return self._player(grid)

    def act_many(self, grids: Sequence[Grid]) -> list[Action]:
        return [self._player(grid) for grid in grids]


def learner(game: Game, seed: int, options: Mapping[str, Any]) -> Floor:
    """One who knows nothing, and clicks any cell or any sensible one (`cells`)."""
    return Floor(game, seed, options["cells"])
