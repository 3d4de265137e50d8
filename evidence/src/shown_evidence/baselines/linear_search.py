"""A search without demonstrations: the cross-entropy method over linear policies, with as many games as practice plays.

A cell's score is a sum of weights, one for each token in the window around it, and the cell with the highest score is
clicked. Weights are drawn from a normal distribution, policies play practice levels, and the distribution moves to
those that won most. It is a control: what the generator of levels and who won are worth by themselves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shown.demonstrations import Demonstrations
from shown.grid import Cell, Grid, Tokens
from shown.worlds import Game, wins
from shown_evidence.baselines import Imitator
from shown_evidence.baselines.cell_trees import windows

LEVELS = 12  # that a drawn policy plays
DRAWN, ELITE = 50, 10  # policies of a generation, and those that the next one is drawn around
LEAST_SPREAD = 0.1  # of the distribution, so that it keeps searching
REACH = 2  # cells seen on each side: a window of 5 × 5
AROUND = (2 * REACH + 1) ** 2


@dataclass(frozen=True)
class LinearPolicy:
    """Clicks the cell with the highest score; `weights` are by place in the window and token. [places, tokens]"""

    weights: np.ndarray
    tokens: Tokens
    deterministic: bool = True

    def act_many(self, grids: Sequence[Grid]) -> list[Cell]:
        return [divmod(int(self._scores(grid).argmax()), grid.width) for grid in grids]

    def _scores(self, grid: Grid) -> np.ndarray:
        around = windows(grid, self.tokens, REACH)[:, :AROUND]
        return self.weights[np.arange(AROUND), around].sum(axis=1)


class LinearSearch(Imitator):
    """Seeks a linear policy that wins, in at most `episodes` games; ignores demonstrations.

    >>> from shown.worlds import find
    >>> nim = find("nim")
    >>> search = LinearSearch(nim, seed=0, episodes=1200).fit(Demonstrations(nim.tokens, (), nim.name))
    >>> search.describe()
    {'episodes': 1200}
    """

    def __init__(self, game: Game, seed: int, episodes: int) -> None:
        self.game, self.seed, self.episodes = game, seed, episodes

    def fit(self, demos: Demonstrations) -> LinearSearch:
        rng = np.random.default_rng(self.seed)
        mean = np.zeros((AROUND, len(self.game.tokens) + 1))
        spread = np.ones_like(mean)
        self.played_ = 0
        while self.played_ + DRAWN * LEVELS <= self.episodes:
            first = int(rng.integers(120 - LEVELS + 1))  # of the levels that practice plays
            starts = [self.game.practice_start(number) for number in range(first, first + LEVELS)]
            drawn = mean + spread * rng.standard_normal((DRAWN, *mean.shape))
            won = np.array([sum(wins(starts, LinearPolicy(weights, self.game.tokens))) for weights in drawn])
            self.played_ += DRAWN * LEVELS
            best = np.argsort(-won, kind="stable")[:ELITE]
            if won[best[0]] > won.min():  # otherwise nothing tells them apart
                mean, spread = drawn[best].mean(axis=0), np.maximum(drawn[best].std(axis=0), LEAST_SPREAD)
        self.policy_ = LinearPolicy(mean, self.game.tokens)
        return self

    def describe(self) -> dict[str, Any]:
        return {"episodes": self.played_}


def learner(game: Game, seed: int, options: Mapping[str, Any]) -> LinearSearch:
    """Build the search."""
    return LinearSearch(game, seed, **options)
