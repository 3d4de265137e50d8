"""The networks as policies: LLN, FCN and CNN behind `fit` and `act`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from shown.demonstrations import Demonstrations
from shown.errors import BadInput, did_you_mean
from shown.grid import Action, Grid
from shown.symmetry import Transformation, images
from shown.worlds import Playable
from shown.worlds.games.levels import built_in
from shown_evidence.baselines import Imitator, check_clicks, in_parts
from shown_evidence.baselines.networks import ARCHITECTURES, Training, default_device, encode, examples_of, train

CHOICES = ("highest", "classified")
GRIDS_AT_ONCE = 256  # grids scored together when acting


class NetworkPolicy(Imitator):
    """A network that takes the action with the highest score, or clicks any cell it classifies as to be clicked.

    >>> from shown.worlds import find
    >>> from shown_evidence.trials.demonstrators import demonstrations
    >>> nim = find("nim")
    >>> policy = NetworkPolicy("lln", shape=nim.max_shape, steps=200).fit(demonstrations(nim, "train:0-2"))
    >>> policy.training_["steps"] <= 200
    True

    Attributes:
        network: a name in `ARCHITECTURES`.
        shape: largest shape of a grid; by default the largest demonstrated one.
        choice: "highest", or "classified": a random cell with σ(score) > ½, or any cell if there is none.
        symmetries: transformations under which demonstrations have images to learn from, too.
        settings: settings of the training, given as keywords.
        training_: steps taken, loss, and fraction of demonstrated actions with the highest score.
    """

    def __init__(
        self,
        network: str,
        shape: tuple[int, int] | None = None,
        *,
        choice: str = "highest",
        seed: int = 0,
        symmetries: Sequence[Transformation] = (),
        **training: Any,
    ) -> None:
        if choice not in CHOICES:
            raise BadInput(f"choice must be one of {', '.join(CHOICES)}, not {choice!r}.")
        self.network, self.shape, self.choice, self.seed, self.device = network, shape, choice, seed, default_device()
        self.symmetries, self.settings = tuple(symmetries), Training(**training)
        self.deterministic = choice == "highest"
        self._rng = np.random.default_rng([seed, 0xC11C])

    def fit(self, demos: Demonstrations) -> NetworkPolicy:
        if self.network not in ARCHITECTURES:
            raise BadInput(f"no network called {self.network!r}. {did_you_mean(self.network, ARCHITECTURES)}")
        kind = ARCHITECTURES[self.network]
        if kind.any_size or not demos.buttons:
            check_clicks(demos)
        self.tokens_, self.buttons_ = demos.tokens, demos.buttons
        mirrored = images(demos, self.symmetries)
        shape = _largest([step.grid for step in mirrored.steps])
        if self.shape and not kind.any_size:
            shape = self.shape
        self.architecture_ = replace(kind, tokens=len(demos.tokens), shape=shape, buttons=len(demos.buttons))
        examples = examples_of(mirrored, shape)
        self.parameters_, self.training_ = train(self.architecture_, examples, self.seed, self.settings, self.device)
        return self

    def act_many(self, grids: Sequence[Grid]) -> list[Action]:
        network, parameters = self.architecture_, [value.to(self.device) for value in self.parameters_]
        acts: list[Action] = []
        for part in in_parts(grids, GRIDS_AT_ONCE):
            shape = _largest(part) if network.any_size else network.shape
            numbers = encode(self.tokens_, part, shape).to(self.device)
            with torch.no_grad():
                inputs, inside = network.one_hot(numbers)
                scores = network.scores(parameters, inputs, inside)
            possible = network.possible(scores, inside).cpu().numpy() > 0
            chosen = self._chosen(scores.cpu().numpy(), possible)
            acts += [self.buttons_[i] if self.buttons_ else divmod(i, shape[1]) for i in chosen]
        return acts

    def _chosen(self, scores: np.ndarray, there: np.ndarray) -> list[int]:
        """Return the number of the action on each grid; `there` says which are possible. [N, outputs] twice → [N]"""
        if self.deterministic:
            return [int(cell) for cell in np.where(there, scores, -np.inf).argmax(axis=1)]
        positive = there & (scores > 0)  # where σ(score) > ½
        candidates = np.where(positive.any(axis=1, keepdims=True), positive, there)
        return [int(self._rng.choice(np.flatnonzero(cells))) for cells in candidates]

    def describe(self) -> dict[str, Any]:
        return {"training": {name: round(value, 6) for name, value in self.training_.items()}, "device": self.device}


def learner(place: Playable, seed: int, options: Mapping[str, Any]) -> NetworkPolicy:
    """Build a network for the largest level of a game, or for the map of a world."""
    return NetworkPolicy(shape=largest_shape(place), seed=seed, **options)


def mirrored(place: Playable, seed: int, options: Mapping[str, Any]) -> NetworkPolicy:
    """Build a network that also learns from images of the demonstrations under the game's symmetries."""
    side = max(largest_shape(place))  # images may be turned
    return NetworkPolicy(shape=(side, side), seed=seed, symmetries=place.symmetries, **options)


def largest_shape(place: Playable) -> tuple[int, int]:
    """Return the rows and columns that hold every built-in and generated level, or a world's map as it may turn."""
    game = place.rules
    if game is None:
        side = max(place.level(0).grid.shape)
        return side, side
    shapes = [game.max_shape, *(level.grid.shape for which in ("train", "test") for level in built_in(game, which))]
    return max(h for h, _ in shapes), max(w for _, w in shapes)


def _largest(grids: Sequence[Grid]) -> tuple[int, int]:
    return max(grid.height for grid in grids), max(grid.width for grid in grids)
