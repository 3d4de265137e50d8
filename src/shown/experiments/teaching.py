"""The demonstrations a trial learns from: the expert's, perfect or with noise."""

from __future__ import annotations

import itertools
from functools import lru_cache

import numpy as np

from shown.demonstrations import Demonstrations
from shown.games.episodes import demonstrate, play
from shown.games.game import Game
from shown.games.levels import load_levels
from shown.grid import Action, Grid

DEMONSTRATIONS = ("perfect", "independent", "correlated")
"""How demonstrations can be given: by the expert alone, with a random action now and then, or a random *token* cell."""

NOISE = 0.2
"""How often an action of a noisy demonstration is random, as in the paper."""

TRAINING_LEVELS = 11


def demonstrations(game: Game, levels: str, kind: str = "perfect", seed: int = 0) -> Demonstrations:
    """One demonstration a level, by the game's expert; with noise, some of the actions taken are random.

    Perfect ones are those of `shown demonstrate`. A noisy action is played, not only noted: the game goes on from
    wherever it leads.

    >>> from shown.games import find
    >>> len(demonstrations(find("nim"), "train:0,train:4"))
    2
    """
    found = load_levels(game, levels)
    if kind == "perfect":
        return demonstrate(game, found)
    rng = np.random.default_rng([seed, DEMONSTRATIONS.index(kind)])

    def teacher(grid: Grid) -> Action:
        if rng.random() >= NOISE:
            return game.expert(grid)
        cells = list(grid.cells())
        if kind == "correlated":
            cells = [cell for cell in cells if grid[cell] != game.tokens["empty"]]
        return cells[rng.integers(len(cells))]

    items = tuple(play(game, teacher, level).demonstration for level in found)
    return Demonstrations(game.tokens, items, game.name, game.buttons)


@lru_cache
def training_sets(size: int, count: int) -> tuple[str, ...]:
    """`count` distinct sets of `size` of the 11 training levels, by name; the same for every game and method.

    Fewer where there are not so many: all 11 levels can be chosen in one way only.

    >>> training_sets(1, 3)
    ('train:7', 'train:8', 'train:0')
    """
    sets = list(itertools.combinations(range(TRAINING_LEVELS), size))
    order = np.random.default_rng([2020, size]).permutation(len(sets))
    return tuple(",".join(f"train:{i}" for i in sets[k]) for k in order[:count])
