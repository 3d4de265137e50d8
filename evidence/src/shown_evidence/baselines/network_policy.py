"""The networks as policies: LLN, FCN and CNN behind `fit` and `act`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch

from shown.demonstrations import Demonstrations
from shown.errors import BadInput, did_you_mean
from shown.grid import Cell, Grid
from shown.symmetry import Transformation, images
from shown.worlds import Game
from shown.worlds.games.levels import built_in
from shown_evidence.baselines import Imitator, check_clicks
from shown_evidence.baselines.architectures import ARCHITECTURES, Parameters
from shown_evidence.baselines.training import Examples, Training, encode, one_hot, train

CHOICES = ("highest", "classified")
GRIDS_AT_ONCE = 256  # grids scored together when acting


class NetworkPolicy(Imitator):
    """A network that clicks the cell with the highest score, or any cell it classifies as to be clicked.

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
        device: str = "cpu",
        symmetries: Sequence[Transformation] = (),
        **training: Any,
    ) -> None:
        if choice not in CHOICES:
            raise BadInput(f"choice must be one of {', '.join(CHOICES)}, not {choice!r}.")
        self.network, self.shape, self.choice, self.seed, self.device = network, shape, choice, seed, device
        self.symmetries, self.settings = tuple(symmetries), Training(**training)
        self.deterministic = choice == "highest"
        self._rng = np.random.default_rng([seed, 0xC11C])

    def fit(self, demos: Demonstrations) -> NetworkPolicy:
        return fit_together([self], [demos])[0]

    def act_many(self, grids: Sequence[Grid]) -> list[Cell]:
        network, channels = ARCHITECTURES[self.network], len(self.tokens_)
        parameters = {name: value.to(self.device) for name, value in self.parameters_.items()}
        acts = []
        for start in range(0, len(grids), GRIDS_AT_ONCE):
            part = grids[start : start + GRIDS_AT_ONCE]
            shape = _largest(part) if network.any_size else self.shape_
            numbers = torch.from_numpy(encode(self.tokens_, part, shape)).to(self.device)
            with torch.no_grad():
                inputs, inside = one_hot(numbers[None], channels)
                scores = network.scores(parameters, inputs, inside)[0].cpu().numpy()
            acts += [divmod(cell, shape[1]) for cell in self._chosen(scores, inside[0].cpu().numpy())]
        return acts

    def _chosen(self, scores: np.ndarray, inside: np.ndarray) -> list[int]:
        """Return the number of the clicked cell of each grid. [N, H * W], [N, 1, H, W] → [N]"""
        there = inside.reshape(scores.shape) > 0
        if self.deterministic:
            return [int(cell) for cell in np.where(there, scores, -np.inf).argmax(axis=1)]
        positive = there & (scores > 0)  # where σ(score) > ½
        candidates = np.where(positive.any(axis=1, keepdims=True), positive, there)
        return [int(self._rng.choice(np.flatnonzero(cells))) for cells in candidates]

    def describe(self) -> dict[str, Any]:
        return {"training": {name: round(value, 6) for name, value in self.training_.items()}, "device": self.device}

    def learned(self, demos: Demonstrations, parameters: Parameters, training: dict[str, float]) -> NetworkPolicy:
        """Take over the outcome of training."""
        self.tokens_ = demos.tokens
        self.shape_ = self.shape or _largest([step.grid for step in demos.steps])
        self.parameters_, self.training_ = parameters, training
        return self


def fit_together(policies: Sequence[NetworkPolicy], demos: Sequence[Demonstrations]) -> list[NetworkPolicy]:
    """Fit policies that differ in seed only, each to its own demonstrations, all at once; much faster on a GPU."""
    first = policies[0]
    if first.network not in ARCHITECTURES:
        raise BadInput(f"no network called {first.network!r}. {did_you_mean(first.network, ARCHITECTURES)}")
    for each in demos:
        check_clicks(each)
    demos = [images(each, first.symmetries) if first.symmetries else each for each in demos]
    network = ARCHITECTURES[first.network]
    largest = [_largest([step.grid for step in each.steps]) for each in demos]
    if not network.any_size:
        largest = [policy.shape or own for policy, own in zip(policies, largest, strict=True)]
    shape = max(height for height, _ in largest), max(width for _, width in largest)
    examples = [Examples.of(each, shape) for each in demos]
    seeds = [policy.seed for policy in policies]
    found = train(network, len(demos[0].tokens), shape, examples, seeds, first.settings, first.device)
    return [policy.learned(d, *each) for policy, d, each in zip(policies, demos, found, strict=True)]


def learner(game: Game, seed: int, options: Mapping[str, Any]) -> NetworkPolicy:
    """Build a network for the largest level of a game."""
    return NetworkPolicy(shape=largest_shape(game), seed=seed, **options)


def mirrored(game: Game, seed: int, options: Mapping[str, Any]) -> NetworkPolicy:
    """Build a network that also learns from images of the demonstrations under the game's symmetries."""
    side = max(largest_shape(game))  # images may be turned
    return NetworkPolicy(shape=(side, side), seed=seed, symmetries=game.symmetries, **options)


def largest_shape(game: Game) -> tuple[int, int]:
    """Return the rows and columns that hold every built-in and generated level of a game."""
    shapes = [game.max_shape, *(level.grid.shape for which in ("train", "test") for level in built_in(game, which))]
    return max(h for h, _ in shapes), max(w for _, w in shapes)


def _largest(grids: Sequence[Grid]) -> tuple[int, int]:
    return max(grid.height for grid in grids), max(grid.width for grid in grids)
