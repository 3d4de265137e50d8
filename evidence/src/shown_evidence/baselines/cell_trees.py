"""Trees of scikit-learn, which an engineer might try: boosted, or a single one, on windows of cells or on programs.

Every cell of every demonstrated grid is a row, and the label is whether it was clicked. A row has the tokens around the
cell and its position, or the values of LPP's first programs there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.tree import DecisionTreeClassifier

from shown.columns.distinct import CONSTANT
from shown.columns.rows import row_bits
from shown.demonstrations import Demonstrations
from shown.grid import Action, Grid, Tokens
from shown_evidence.baselines import Imitator, check_clicks, from_options, in_parts, numbered
from shown_evidence.baselines.program_values import ProgramValues

REACH = 3
"""Cells seen on each side: a window of 7 × 7."""

GRIDS_AT_ONCE = 64  # grids whose rows are made together when acting


def trees(rounds: int, tokens: Sequence[bool] | None = None, **options: Any) -> Any:
    """Return at most `rounds` gradient-boosted trees, or a single one without; `tokens` are columns of tokens."""
    if not rounds:
        return DecisionTreeClassifier(**options)
    # A few clicks among hundreds of cells: leaves may be small.
    return HistGradientBoostingClassifier(
        max_iter=rounds, min_samples_leaf=1, categorical_features=tokens, early_stopping=False, **options
    )


class CellTrees(Imitator):
    """Clicks the cell that trees find most likely: at most `rounds` gradient-boosted ones, or a single one without.

    >>> from shown.worlds import find
    >>> from shown_evidence.trials.demonstrators import demonstrations
    >>> demos = demonstrations(find("nim"), "train:0-2")
    >>> policies = CellTrees(rounds=20), CellTrees(rounds=0), CellTrees(rounds=0, programs=300)
    >>> [policy.fit(demos).act(demos.steps[0].grid) == demos.steps[0].action for policy in policies]
    [True, True, True]

    `programs` is the number of LPP's programs that rows hold the values of; without, rows hold windows of cells.
    """

    def __init__(self, rounds: int = 100, programs: int = 0, seed: int = 0) -> None:
        self.rounds, self.programs, self.seed = rounds, programs, seed

    def fit(self, demos: Demonstrations) -> CellTrees:
        check_clicks(demos)
        self.tokens_ = demos.tokens
        if self.programs:
            values = ProgramValues.of_demonstrated(demos, self.programs)
            feature, first = np.unique(values.features.of_program, return_index=True)
            self._used = first[feature != CONSTANT]  # the first of equal programs
            rows, tokens = values.program_rows(self._used), None
            clicked = row_bits(values.evidence(demos).positive, values.word, values.bit)
        else:
            rows = np.concatenate([windows(step.grid, self.tokens_) for step in demos.steps])
            tokens = [True] * (rows.shape[1] - 2) + [False, False]
            clicked = np.array([cell == step.action for step in demos.steps for cell in step.grid.cells()])
        self._trees = trees(self.rounds, tokens, class_weight="balanced", random_state=self.seed).fit(rows, clicked)
        return self

    def act_many(self, grids: Sequence[Grid]) -> list[Action]:
        by = self._by_programs if self.programs else self._by_windows
        return [action for part in in_parts(grids, GRIDS_AT_ONCE) for action in by(part)]

    def _by_programs(self, grids: Sequence[Grid]) -> list[Action]:
        values = ProgramValues.of(grids, self.tokens_, self.programs)
        return values.first_best(self._likely(values.program_rows(self._used)))

    def _by_windows(self, grids: Sequence[Grid]) -> list[Action]:
        rows = np.concatenate([windows(grid, self.tokens_) for grid in grids])
        likely = iter(self._likely(rows))  # of each cell, grid after grid
        return [max(grid.cells(), key=lambda cell: next(likely)) for grid in grids]

    def _likely(self, rows: np.ndarray) -> np.ndarray:
        return np.asarray(self._trees.predict_proba(rows)[:, 1])


def windows(grid: Grid, tokens: Tokens, reach: int = REACH) -> np.ndarray:
    """Return the features of each cell in reading order: nearby tokens by number, 0 off the grid; row and column.

    >>> from shown.worlds import find
    >>> from shown.grid import grid
    >>> windows(grid("|.", "||"), find("nim").tokens).shape
    (4, 51)
    """
    size = 2 * reach + 1
    around = np.lib.stride_tricks.sliding_window_view(np.pad(numbered(grid, tokens), reach), (size, size))
    places = np.indices(grid.shape).reshape(2, -1).T
    return np.concatenate([around.reshape(-1, size * size), places], axis=1)


learner = from_options(CellTrees)
"""Build trees."""
