"""How formulas are proposed. A search is told of the features as they grow, and gives formulas as they come.

Each way to search is one file: `trees.py` is the paper's. What a search proposes is only ever a candidate; the
posterior weighs it, whoever proposed it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np

from shown.inference.features import Features
from shown.inference.formulas import Clauses


class Search(Protocol):
    """One way to propose formulas for some evidence, which it was made with."""

    def propose(self, features: Features, prices: np.ndarray) -> Iterator[Clauses]:
        """Formulas over the features, of which all that were there before come first and are the same.

        Args:
            features: all features so far.
            prices: what a literal over each of them adds to the log prior. [F] float64
        """
        ...

    def finish(self, features: Features, prices: np.ndarray) -> Iterator[Clauses]:
        """Formulas that are only worth proposing when no more features come. Called once, after the last `propose`."""
        ...
