"""The networks as policies: LLN, FCN and CNN behind `fit` and `act`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from shown.demonstrations import Demonstrations
from shown.errors import BadInput, MissingExtra, did_you_mean
from shown.games.game import Game
from shown.grid import Cell, Grid

if TYPE_CHECKING:
    from shown.baselines.architectures import Parameters

CHOICES = ("highest", "classified")

CHUNK = 256
"""Grids looked at together when acting."""


class NetworkPolicy:
    """A network that clicks the cell it scores highest, or any of those it says are to be clicked.

    >>> from shown.games import find
    >>> from shown.experiments.teaching import demonstrations
    >>> nim = find("nim")
    >>> policy = NetworkPolicy("lln", shape=nim.max_shape, steps=200).fit(demonstrations(nim, "train:0-2"))
    >>> policy.training_["steps"] <= 200
    True

    Attributes:
        choice: "highest", or "classified": any cell that is more likely than not to be clicked by what the network
            says of it alone (σ > ½), and any cell at all if there is none.
        draws_lots: whether it may act differently on the same grid.
        parameters_: what was learned.
        training_: how it went: steps taken, the loss, the fraction of demonstrated actions it would score highest.
    """

    def __init__(
        self,
        network: str,
        shape: tuple[int, int] | None = None,
        *,
        loss: str = "cells",
        choice: str = "highest",
        steps: int = 5000,
        rate: float = 0.003,
        batch: int = 512,
        enough: float = 0.01,
        patience: int = 1000,
        seed: int = 0,
        device: str = "cpu",
    ) -> None:
        if choice not in CHOICES:
            raise BadInput(f"choice must be one of {', '.join(CHOICES)}, not {choice!r}.")
        self.network, self.shape, self.loss, self.choice = network, shape, loss, choice
        self._rng = np.random.default_rng([seed, 0xC11C])
        self.steps, self.rate, self.batch, self.enough = steps, rate, batch, enough
        self.patience, self.seed, self.device = patience, seed, device

    @property
    def draws_lots(self) -> bool:
        return self.choice == "classified"

    def fit(self, demos: Demonstrations) -> NetworkPolicy:
        return fit_together([self], [demos])[0]

    def act(self, grid: Grid) -> Cell:
        return self.act_many([grid])[0]

    def act_many(self, grids: Sequence[Grid]) -> list[Cell]:
        """The clicks on several grids, each as `act` gives it."""
        import torch

        from shown.baselines.architectures import ARCHITECTURES
        from shown.baselines.training import encode, one_hot

        network = ARCHITECTURES[self.network]
        tokens = self.tokens_
        acts = []
        for start in range(0, len(grids), CHUNK):
            part = grids[start : start + CHUNK]
            shape = self.shape_
            if network.any_size:
                shape = max(g.height for g in part), max(g.width for g in part)
            numbers = torch.from_numpy(encode(tokens, part, shape)).to(self.device)
            with torch.no_grad():
                inputs, inside = one_hot(numbers[None], len(tokens))
                scores = network.scores(self._on_device(), inputs, inside)[0].cpu().numpy()
            acts += [(cell // shape[1], cell % shape[1]) for cell in self._chosen(scores, inside[0].cpu().numpy())]
        return acts

    def _chosen(self, scores: np.ndarray, inside: np.ndarray) -> list[int]:
        """The number of the cell to click on each grid, from what the network says. [N, H * W], [N, 1, H, W] → [N]"""
        there = inside.reshape(scores.shape) > 0
        if not self.draws_lots:
            return [int(cell) for cell in np.where(there, scores, -np.inf).argmax(axis=1)]
        said = there & (scores > 0)  # where σ(score) > ½
        any_of = np.where(said.any(axis=1, keepdims=True), said, there)
        return [int(self._rng.choice(np.flatnonzero(cells))) for cells in any_of]

    def describe(self) -> dict[str, Any]:
        return {"training": {name: round(value, 6) for name, value in self.training_.items()}, "device": self.device}

    def learned(self, demos: Demonstrations, parameters: Parameters, training: dict[str, float]) -> NetworkPolicy:
        """Takes over what training found."""
        self.tokens_ = demos.tokens
        self.shape_ = self.shape or _largest(demos)
        self.parameters_, self.training_ = parameters, training
        return self

    def _on_device(self) -> Parameters:
        return {name: value.to(self.device) for name, value in self.parameters_.items()}


def fit_together(policies: Sequence[NetworkPolicy], demos: Sequence[Demonstrations]) -> list[NetworkPolicy]:
    """Fits policies that differ in seed only, each to its own demonstrations, all at once.

    On a GPU this is far faster than one by one. The policies are those given, fitted.
    """
    try:
        from shown.baselines.architectures import ARCHITECTURES
        from shown.baselines.training import Examples, Training, train
    except ImportError:
        raise MissingExtra("PyTorch", "baselines") from None
    first = policies[0]
    if first.network not in ARCHITECTURES:
        raise BadInput(f"no network called {first.network!r}. {did_you_mean(first.network, ARCHITECTURES)}")
    if any(d.buttons for d in demos):
        raise BadInput("the networks click cells, and these demonstrations press buttons. Use another method.")
    shapes = [policy.shape or _largest(d) for policy, d in zip(policies, demos, strict=True)]
    shape = max(s[0] for s in shapes), max(s[1] for s in shapes)
    if ARCHITECTURES[first.network].any_size:  # the padding does not matter: no more of it than the grids need
        largest = [_largest(d) for d in demos]
        shape = max(s[0] for s in largest), max(s[1] for s in largest)
    network, training = ARCHITECTURES[first.network], Training.of(first)
    examples = [Examples.of(d, shape) for d in demos]
    seeds = [policy.seed for policy in policies]
    found = train(network, len(demos[0].tokens), shape, examples, seeds, training, first.device)
    return [policy.learned(d, *each) for policy, d, each in zip(policies, demos, found, strict=True)]


def learner(game: Game, seed: int, options: Mapping[str, Any]) -> NetworkPolicy:
    """A network for `game`, built for the largest of its levels."""
    return NetworkPolicy(shape=largest_shape(game), seed=seed, **options)


def largest_shape(game: Game) -> tuple[int, int]:
    """Rows and columns that every built-in and generated level of a game fits into."""
    from shown.games.levels import built_in

    shapes = [game.max_shape, *(level.grid.shape for which in ("train", "test") for level in built_in(game, which))]
    return max(h for h, _ in shapes), max(w for _, w in shapes)


def _largest(demos: Demonstrations) -> tuple[int, int]:
    shapes = [step.grid.shape for step in demos.steps]
    return max(h for h, _ in shapes), max(w for _, w in shapes)
