"""Gradient-boosted trees on what is near a cell: what somebody might try who has a table and a library for it.

Every cell of every demonstrated grid is a row: the tokens around it, and where it is. Is it the one to be clicked?
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from shown.demonstrations import Demonstrations
from shown.errors import BadInput, MissingExtra
from shown.games.game import Game
from shown.grid import Cell, Grid, Tokens

REACH = 3
"""So many cells to each side are looked at: a window of 7 × 7."""


class Boosted:
    """Clicks the cell that gradient-boosted trees find most likely to be clicked.

    >>> from shown.games import find
    >>> from shown.experiments.teaching import demonstrations
    >>> demos = demonstrations(find("nim"), "train:0-2")
    >>> policy = Boosted(rounds=20).fit(demos)
    >>> policy.act(demos.steps[0].grid) in set(demos.steps[0].grid.cells())
    True

    Attributes:
        rounds: how many trees are added up, at most.
        seed: of what the library leaves to chance.
    """

    def __init__(self, rounds: int = 100, seed: int = 0) -> None:
        self.rounds, self.seed = rounds, seed

    def fit(self, demos: Demonstrations) -> Boosted:
        try:
            from sklearn.ensemble import HistGradientBoostingClassifier
        except ImportError:
            raise MissingExtra("scikit-learn", "baselines") from None
        if demos.buttons:
            raise BadInput("this method clicks cells, and these demonstrations press buttons. Use another method.")
        self.tokens_: Tokens = demos.tokens
        rows = np.concatenate([windows(step.grid, demos.tokens) for step in demos.steps])
        clicked = np.concatenate([_clicked(step.grid, step.action) for step in demos.steps])
        around = (2 * REACH + 1) ** 2
        # A handful of clicks among hundreds of cells: leaves may be small, and both kinds count the same.
        self._trees = HistGradientBoostingClassifier(
            max_iter=self.rounds,
            min_samples_leaf=1,
            class_weight="balanced",
            categorical_features=[True] * around + [False, False],
            early_stopping=False,
            random_state=self.seed,
        ).fit(rows, clicked)
        return self

    def act(self, grid: Grid) -> Cell:
        return self.act_many([grid])[0]

    def act_many(self, grids: Sequence[Grid]) -> list[Cell]:
        """The clicks on several grids, each as `act` gives it."""
        likely = self._trees.predict_proba(np.concatenate([windows(grid, self.tokens_) for grid in grids]))[:, 1]
        ends = np.cumsum([grid.height * grid.width for grid in grids])[:-1]
        best = [int(part.argmax()) for part in np.split(likely, ends)]
        return [divmod(cell, grid.width) for cell, grid in zip(best, grids, strict=True)]


def windows(grid: Grid, tokens: Tokens) -> np.ndarray:
    """What is near each cell, in reading order: tokens by number, 0 off the grid; then its row and column.

    >>> from shown.games import find
    >>> from shown.grid import grid
    >>> windows(grid("|.", "||"), find("nim").tokens).shape
    (4, 51)
    """
    number = {character: i + 1 for i, character in enumerate(tokens)}
    numbers = np.array([[number.get(character, 0) for character in row] for row in grid.rows])
    size = 2 * REACH + 1
    around = np.lib.stride_tricks.sliding_window_view(np.pad(numbers, REACH), (size, size))
    places = np.indices(grid.shape).reshape(2, -1).T
    return np.concatenate([around.reshape(-1, size * size), places], axis=1)


def _clicked(grid: Grid, action: Any) -> np.ndarray:
    row, column = action
    return np.arange(grid.height * grid.width) == row * grid.width + column


def learner(game: Game, seed: int, options: Mapping[str, Any]) -> Boosted:
    """Gradient-boosted trees with these options."""
    return Boosted(seed=seed, **options)
