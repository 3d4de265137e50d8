"""Behavior cloning with trees of scikit-learn in worlds with buttons.

Every demonstrated grid is a row, and the label is the button. A row has one column for each cell around the agent and
each token that may be there.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shown.demonstrations import Demonstrations
from shown.errors import BadInput
from shown.grid import Action, Grid, Tokens
from shown_evidence.baselines import Imitator, from_options
from shown_evidence.baselines.cell_trees import trees, windows


class ButtonTrees(Imitator):
    """Presses the button that trees find most likely: at most `rounds` gradient-boosted ones, or a single one without.

    The token `agent` says where the agent is.
    """

    def __init__(self, rounds: int = 100, seed: int = 0) -> None:
        self.rounds, self.seed = rounds, seed

    def fit(self, demos: Demonstrations) -> ButtonTrees:
        if not demos.buttons or "agent" not in demos.tokens.names:
            raise BadInput("this method presses buttons where an agent is on the grid. Use another method.")
        self.tokens_ = demos.tokens
        rows, buttons = self._rows([step.grid for step in demos.steps]), [step.action for step in demos.steps]
        self._trees = trees(self.rounds, random_state=self.seed).fit(rows, buttons)
        return self

    def act_many(self, grids: Sequence[Grid]) -> list[Action]:
        return [str(button) for button in self._trees.predict(self._rows(grids))]

    def _rows(self, grids: Sequence[Grid]) -> np.ndarray:
        return np.stack([around_agent(grid, self.tokens_) for grid in grids])


def around_agent(grid: Grid, tokens: Tokens) -> np.ndarray:
    """Return which token each cell of the window around the agent has; nothing off the grid. [cells * tokens] bool

    >>> tokens = Tokens(empty=".", agent="A", goal="G")
    >>> around_agent(Grid(["G.", ".A"]), tokens).shape
    (147,)
    """
    row, column = grid.find(tokens["agent"]) or (0, 0)
    numbers = windows(grid, tokens)[row * grid.width + column, :-2]  # without the position
    return (numbers[:, None] == np.arange(1, len(tokens) + 1)).ravel()


learner = from_options(ButtonTrees)
"""Build trees."""
