"""The methods that trials compare: LPP and its ablations, program induction, networks, boosted trees, chance.

A method is an `Imitator`. The functions that build one map (game or world, seed, options) to it;
`shown_evidence.trials.learners.METHODS` lists them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Self

import numpy as np

from shown.demonstrations import Demonstrations
from shown.errors import BadInput
from shown.grid import Action, Grid, Tokens
from shown.worlds import Playable
from shown.worlds.episodes import ManyPlayer


class Imitator(ABC):
    """The interface of a method."""

    deterministic = True  # the action depends on the grid alone
    policy_: ManyPlayer

    @abstractmethod
    def fit(self, demos: Demonstrations) -> Self: ...

    def act_many(self, grids: Sequence[Grid]) -> Sequence[Action]:
        """Return one action for each grid; by default that of the learned `policy_`."""
        return self.policy_.act_many(grids)

    def act(self, grid: Grid) -> Action:
        return self.act_many([grid])[0]

    def describe(self) -> dict[str, Any]:
        """Return an account of the learned policy as JSON."""
        return {}

    def parts(self) -> Mapping[str, ManyPlayer]:
        """Return policies by name that are scored besides."""
        return {}


def from_options(make: Callable[..., Imitator]) -> Callable[[Playable, int, Mapping[str, Any]], Imitator]:
    """Return the function that builds a method which needs its options and the seed, but not the game."""
    return lambda place, seed, options: make(seed=seed, **options)


def in_parts(grids: Sequence[Grid], size: int) -> Iterator[Sequence[Grid]]:
    """Yield at most `size` grids at a time, to bound the memory for acting on them."""
    return (grids[start : start + size] for start in range(0, len(grids), size))


def numbered(grid: Grid, tokens: Tokens) -> np.ndarray:
    """Return the number of each cell's token, counted from 1; 0 for other characters. [H, W] uint8"""
    number = {character: i + 1 for i, character in enumerate(tokens)}
    return np.array([[number.get(character, 0) for character in row] for row in grid.rows], dtype=np.uint8)


def check_clicks(demos: Demonstrations) -> None:
    """Raise BadInput unless there are demonstrations and they click cells."""
    if not len(demos):
        raise BadInput("there are no demonstrations to learn from. Record or load at least one.")
    if demos.buttons:
        raise BadInput("this method clicks cells, and these demonstrations press buttons. Use another method.")
