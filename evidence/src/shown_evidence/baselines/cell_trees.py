"""Trees of scikit-learn, which an engineer might try: boosted, or a single one, on windows of cells or on programs.

Every cell of every demonstrated grid is a row, and the label is whether it was clicked. A row has the tokens around the
cell and its position, or the values of LPP's first programs there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.tree import DecisionTreeClassifier

from shown.demonstrations import Demonstrations
from shown.evaluation.distinct import CONSTANT
from shown.evaluation.rows import row_bits
from shown.grid import Action, Grid, Tokens
from shown.worlds import Game
from shown_evidence.baselines import Imitator, check_clicks
from shown_evidence.baselines.program_values import ProgramValues

REACH = 3
"""Cells seen on each side: a window of 7 × 7."""

GRIDS_AT_ONCE = 64  # grids whose rows are made together when acting


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
        self.tokens_: Tokens = demos.tokens
        if self.programs:
            values = ProgramValues.of_demonstrated(demos, self.programs)
            features = values.features
            self._used = np.unique(features.of_program[features.of_program != CONSTANT], return_index=True)[1]
            self._used = np.flatnonzero(features.of_program != CONSTANT)[self._used]  # the first of equal programs
            rows = program_rows(values, self._used)
            clicked = row_bits(values.evidence(demos).positive, values.word, values.bit)
        else:
            rows = np.concatenate([windows(step.grid, demos.tokens) for step in demos.steps])
            clicked = np.concatenate([_clicked(step.grid, step.action) for step in demos.steps])
        # A few clicks among hundreds of cells: leaves may be small, and both classes weigh the same.
        shared: dict[str, Any] = {"class_weight": "balanced", "random_state": self.seed}
        tokens = None if self.programs else [True] * (rows.shape[1] - 2) + [False, False]
        self._trees = (
            HistGradientBoostingClassifier(
                max_iter=self.rounds,
                min_samples_leaf=1,
                categorical_features=tokens,
                early_stopping=False,
                **shared,
            )
            if self.rounds
            else DecisionTreeClassifier(**shared)
        ).fit(rows, clicked)
        return self

    def act_many(self, grids: Sequence[Grid]) -> list[Action]:
        acts: list[Action] = []
        for start in range(0, len(grids), GRIDS_AT_ONCE):
            part = grids[start : start + GRIDS_AT_ONCE]
            acts += self._by_programs(part) if self.programs else self._by_windows(part)
        return acts

    def _by_programs(self, grids: Sequence[Grid]) -> list[Action]:
        values = ProgramValues.of(grids, self.tokens_, self.programs)
        return values.first_best(self._trees.predict_proba(program_rows(values, self._used))[:, 1])

    def _by_windows(self, grids: Sequence[Grid]) -> list[Action]:
        likely = self._trees.predict_proba(np.concatenate([windows(grid, self.tokens_) for grid in grids]))[:, 1]
        ends = np.cumsum([grid.height * grid.width for grid in grids])[:-1]
        best = [int(part.argmax()) for part in np.split(likely, ends)]
        return [divmod(cell, grid.width) for cell, grid in zip(best, grids, strict=True)]


def program_rows(values: ProgramValues, programs: np.ndarray) -> np.ndarray:
    """Return the values of some programs on every row. [rows, programs] uint8"""
    features = values.features
    columns = row_bits(features.columns, values.word, values.bit).astype(np.uint8)
    of = features.of_program[programs]
    live = of != CONSTANT
    found = np.repeat(values.always[programs].astype(np.uint8)[None], len(values.word), axis=0)
    found[:, live] = columns[of[live]].T ^ features.negates[programs[live]]
    return found


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


def learner(game: Game, seed: int, options: Mapping[str, Any]) -> CellTrees:
    """Build trees."""
    return CellTrees(seed=seed, **options)
