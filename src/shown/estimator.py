"""Learning as scikit-learn has it: `fit(X, y)`, `predict(X)`, `score(X, y)`, in pipelines and searches of theirs."""

from __future__ import annotations

import itertools
import string
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from shown.demonstrations import Demonstrations
from shown.errors import BadInput
from shown.grid import Grid, Tokens
from shown.inference.learner import Learner
from shown.language.primitives import Language

try:
    from sklearn.base import BaseEstimator, ClassifierMixin
except ImportError:
    raise BadInput("shown.estimator needs scikit-learn. Install it: pip install scikit-learn") from None


class GridClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Which action on which grid, learned from a few examples.

    >>> import numpy as np
    >>> X = np.array([[[1, 0, 0]], [[0, 1, 0]]])
    >>> model = GridClassifier(programs=500).fit(X, [(0, 1), (0, 2)])
    >>> model.predict(np.array([[[0, 1, 0, 0]]])).tolist()
    [[0, 2]]
    >>> model.score(X, [(0, 1), (0, 2)])
    1.0

    Attributes:
        values: what the numbers in the grids are called, in order ("empty", "wall", …); by default value_0, value_1 and
            so on, as many as there are in the grids.
        buttons: the names of the actions, where they are not clicks on cells.
        programs, ensemble, search, noise, seed, language: as for `Learner`.

    After `fit` there are `policy_`, which says its rules, and `learner_`.
    """

    def __init__(
        self,
        values: Iterable[str] | None = None,
        buttons: Iterable[str] = (),
        programs: int | str = 10_000,
        ensemble: int = 25,
        search: str = "trees",
        noise: float = 0.0,
        seed: int = 0,
        language: Language | str | None = None,
    ) -> None:
        self.values, self.buttons = values, buttons
        self.programs, self.ensemble, self.search, self.noise, self.seed = programs, ensemble, search, noise, seed
        self.language = language

    def fit(self, X: Iterable[Any], y: Iterable[Any]) -> GridClassifier:
        """Learns from grids (arrays of whole numbers, [rows, columns] each) and the actions taken on them: cells,
        [row, column] each, or names of buttons."""
        grids = [np.asarray(grid) for grid in X]
        if not grids:
            raise BadInput("there are no grids to learn from.")
        self.tokens_ = self._tokens(grids)
        buttons = tuple(self.buttons)
        actions = [buttons.index(name) if name in buttons else name for name in y] if buttons else list(y)
        shown = Demonstrations.from_arrays(self.tokens_, grids, actions, [True] * len(grids), None, buttons)
        settings: Mapping[str, Any] = self.get_params(deep=False)
        names = ("programs", "ensemble", "search", "noise", "seed", "language")
        self.learner_ = Learner(**{name: settings[name] for name in names}).fit(shown)
        self.policy_ = self.learner_.policy_
        return self

    def predict(self, X: Iterable[Any]) -> np.ndarray:
        """The action on each grid: cells [N, 2], or names of buttons [N]."""
        if not hasattr(self, "policy_"):
            raise BadInput("this GridClassifier has not learned anything yet. Call fit first.")
        return np.array(self.policy_.act_many([Grid.from_array(grid, self.tokens_) for grid in X]))

    def score(self, X: Iterable[Any], y: Iterable[Any], sample_weight: Any = None) -> float:
        """The share of grids on which the action is the one that was taken."""
        said = self.predict(X)
        right = (said == np.asarray(list(y))).reshape(len(said), -1).all(axis=1)
        return float(np.average(right, weights=sample_weight))

    def _tokens(self, grids: list[np.ndarray]) -> Tokens:
        count = 1 + max(int(grid.max()) for grid in grids)
        names = [f"value_{number}" for number in range(count)] if self.values is None else list(self.values)
        if len(names) < count:
            raise BadInput(f"values: {len(names)} names for {count} values. Name them all.")
        # No digits: those would be taken for numbers by words that read them.
        letters = string.ascii_letters if len(names) <= len(string.ascii_letters) else map(chr, itertools.count(0x100))
        return Tokens(**dict(zip(names, letters, strict=False)))
