"""The protocol of searches, which propose formulas.

Each search is one file: `trees.py` is the paper's. A proposal is a candidate only; the posterior scores it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

import numpy as np

from shown.inference.features import Features
from shown.rules.bitwise import Clauses

Propose = Callable[[Features, np.ndarray], Iterator[Clauses]]
"""Proposes formulas over features, given the log prior of a literal over each of them. [F] float64"""


class Search(Protocol):
    """A way to propose formulas for the evidence it was made with."""

    def propose(self, features: Features, prices: np.ndarray) -> Iterator[Clauses]:
        """Propose formulas over the features so far; those of the last call come first, unchanged.

        Args:
            features: all features so far.
            prices: log prior of a literal over each of them. [F] float64
        """
        ...

    def finish(self, features: Features, prices: np.ndarray) -> Iterator[Clauses]:
        """Propose formulas that are only worth it when no more features come. Called once, after the last `propose`."""
        ...
