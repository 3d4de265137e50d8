"""A scikit-learn estimator: `fit(X, y)`, `predict(X)`, `score(X, y)`, for its pipelines and searches."""

from __future__ import annotations

import itertools
import string
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from shown.columns.resources import Resources
from shown.demonstrations import Demonstrations
from shown.errors import BadInput
from shown.grid import Grid, Tokens
from shown.inference.learner import Learner
from shown.language.primitives import Language

try:
    from sklearn.base import BaseEstimator, ClassifierMixin
except ImportError:
    raise BadInput("shown.inference.estimator needs scikit-learn. Install it: pip install scikit-learn") from None


class GridClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Classifier of grids by action, learned from a few examples.

    >>> import numpy as np
    >>> X = np.array([[[1, 0, 0]], [[0, 1, 0]]])
    >>> model = GridClassifier(programs=500).fit(X, [(0, 1), (0, 2)])
    >>> model.predict(np.array([[[0, 1, 0, 0]]])).tolist()
    [[0, 2]]
    >>> model.score(X, [(0, 1), (0, 2)])
    1.0

    Attributes:
        values: names of the numbers in the grids, in order ("empty", "wall", …); value_0, value_1, … if None.
        buttons: names of the actions, where they are not clicks on cells.
        programs, search, noise, language: as for `Learner`.
        seed: seed of all random choices.

    Set by `fit`: `policy_`, with its rules, and `learner_`.
    """

    def __init__(
        self,
        values: Iterable[str] | None = None,
        buttons: Iterable[str] = (),
        programs: int | str = 10_000,
        search: str = "trees",
        noise: float = 0.0,
        seed: int = 0,
        language: Language | str | None = None,
    ) -> None:
        self.values, self.buttons = values, buttons
        self.programs, self.search, self.noise, self.seed = programs, search, noise, seed
        self.language = language

    def fit(self, X: Iterable[Any], y: Iterable[Any]) -> GridClassifier:
        """Learn from grids (integer arrays [rows, columns]) and actions (cells [row, column], or names of buttons)."""
        grids = [np.asarray(grid) for grid in X]
        if not grids:
            raise BadInput("there are no grids to learn from.")
        self.tokens_ = self._tokens(grids)
        buttons = tuple(self.buttons)
        actions = [buttons.index(name) if name in buttons else name for name in y] if buttons else list(y)
        shown = Demonstrations.from_arrays(self.tokens_, grids, actions, [True] * len(grids), None, buttons)
        settings: Mapping[str, Any] = self.get_params(deep=False)
        names = ("programs", "search", "noise", "language")
        resources = Resources(seed=self.seed)
        self.learner_ = Learner(**{name: settings[name] for name in names}, resources=resources).fit(shown)
        self.policy_ = self.learner_.policy_
        return self

    def predict(self, X: Iterable[Any]) -> np.ndarray:
        """Return the action on each grid: cells [N, 2], or names of buttons [N]."""
        if not hasattr(self, "policy_"):
            raise BadInput("this GridClassifier is not fitted. Call fit first.")
        return np.array(self.policy_.act_many([Grid.from_array(grid, self.tokens_) for grid in X]))

    def score(self, X: Iterable[Any], y: Iterable[Any], sample_weight: Any = None) -> float:
        """Return the fraction of grids on which the predicted action is the given one."""
        said = self.predict(X)
        right = (said == np.asarray(list(y))).reshape(len(said), -1).all(axis=1)
        return float(np.average(right, weights=sample_weight))

    def _tokens(self, grids: list[np.ndarray]) -> Tokens:
        count = 1 + max(int(grid.max()) for grid in grids)
        names = [f"value_{number}" for number in range(count)] if self.values is None else list(self.values)
        if len(names) < count:
            raise BadInput(f"values: {len(names)} names for {count} values. Name all of them.")
        # No digits: some primitives read them as numbers.
        letters = string.ascii_letters if len(names) <= len(string.ascii_letters) else map(chr, itertools.count(0x100))
        return Tokens(**dict(zip(names, letters, strict=False)))
