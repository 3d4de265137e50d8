"""Gradient-boosted trees on the neighborhood of each cell: what an engineer with a tabular library might try.

Every cell of every demonstrated grid is a row: the tokens around it and its position. The label is whether it was
clicked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

from shown.demonstrations import Demonstrations
from shown.grid import Cell, Grid, Tokens
from shown.worlds import Game
from shown_evidence.baselines import Imitator, check_clicks

REACH = 3
"""Cells seen on each side: a window of 7 × 7."""


class BoostedTrees(Imitator):
    """Clicks the cell that at most `rounds` gradient-boosted trees find most likely.

    >>> from shown.worlds import find
    >>> from shown_evidence.trials.demonstrators import demonstrations
    >>> demos = demonstrations(find("nim"), "train:0-2")
    >>> policy = BoostedTrees(rounds=20).fit(demos)
    >>> policy.act(demos.steps[0].grid) in set(demos.steps[0].grid.cells())
    True
    """

    def __init__(self, rounds: int = 100, seed: int = 0) -> None:
        self.rounds, self.seed = rounds, seed

    def fit(self, demos: Demonstrations) -> BoostedTrees:
        check_clicks(demos)
        self.tokens_: Tokens = demos.tokens
        rows = np.concatenate([windows(step.grid, demos.tokens) for step in demos.steps])
        clicked = np.concatenate([_clicked(step.grid, step.action) for step in demos.steps])
        around = (2 * REACH + 1) ** 2
        # A few clicks among hundreds of cells: leaves may be small, and both classes weigh the same.
        self._trees = HistGradientBoostingClassifier(
            max_iter=self.rounds,
            min_samples_leaf=1,
            class_weight="balanced",
            categorical_features=[True] * around + [False, False],
            early_stopping=False,
            random_state=self.seed,
        ).fit(rows, clicked)
        return self

    def act_many(self, grids: Sequence[Grid]) -> list[Cell]:
        likely = self._trees.predict_proba(np.concatenate([windows(grid, self.tokens_) for grid in grids]))[:, 1]
        ends = np.cumsum([grid.height * grid.width for grid in grids])[:-1]
        best = [int(part.argmax()) for part in np.split(likely, ends)]
        return [divmod(cell, grid.width) for cell, grid in zip(best, grids, strict=True)]


def windows(grid: Grid, tokens: Tokens, reach: int = REACH) -> np.ndarray:
    """Return the features of each cell in reading order: nearby tokens by number, 0 off the grid; row and column.

    >>> from shown.worlds import find
    >>> from shown.grid import grid
    >>> windows(grid("|.", "||"), find("nim").tokens).shape
    (4, 51)
    """
    number = {character: i + 1 for i, character in enumerate(tokens)}
    numbers = np.array([[number.get(character, 0) for character in row] for row in grid.rows])
    size = 2 * reach + 1
    around = np.lib.stride_tricks.sliding_window_view(np.pad(numbers, reach), (size, size))
    places = np.indices(grid.shape).reshape(2, -1).T
    return np.concatenate([around.reshape(-1, size * size), places], axis=1)


def _clicked(grid: Grid, action: Any) -> np.ndarray:
    row, column = action
    return np.arange(grid.height * grid.width) == row * grid.width + column


def learner(game: Game, seed: int, options: Mapping[str, Any]) -> BoostedTrees:
    """Build gradient-boosted trees."""
    return BoostedTrees(seed=seed, **options)
