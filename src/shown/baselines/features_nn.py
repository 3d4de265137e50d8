"""The ablations Features + NN and Features + NN + L1: a multilayer perceptron on the values of the first programs.

The classifier says of each action of a state whether it is to be taken, from the values of all enumerated programs
there. Programs that agree on every row are computed once and their weights added up: the network is exactly the one
that has an input for each of them, at a fraction of the cost.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from shown.baselines.values import Values
from shown.demonstrations import Demonstrations
from shown.errors import BadInput, MissingExtra
from shown.games.game import Game
from shown.grid import Action, Grid
from shown.inference.distinct import CONSTANT
from shown.language.grammar import paper_grammar

HIDDEN = 100
"""Units in each of the two hidden layers."""

CHUNK = 64
"""Grids whose programs are evaluated together when acting."""


class FeaturesPolicy:
    """A perceptron with two hidden layers of 100 on the values of the first `programs` programs.

    Attributes:
        programs: how many programs it sees.
        l1: how much each weight costs.
        epochs, rate, batch: at most so many passes of Adam at this rate over the rows, so many rows a step.
        enough: stop when every demonstrated action is repeated and the loss is below this.
        seed: of the weights' start and the order of the rows, both drawn on the CPU, whatever the device.
        device: where the network is trained and asked, as PyTorch calls it; programs are evaluated on the CPU.
    """

    def __init__(
        self,
        programs: int = 10_000,
        *,
        l1: float = 0.0,
        epochs: int = 200,
        rate: float = 0.001,
        batch: int = 1024,
        enough: float = 1e-4,
        seed: int = 0,
        device: str = "cpu",
    ) -> None:
        self.programs, self.l1, self.epochs, self.rate = programs, l1, epochs, rate
        self.batch, self.enough, self.seed, self.device = batch, enough, seed, device

    def fit(self, demos: Demonstrations) -> FeaturesPolicy:
        try:
            import torch
            from torch.nn import functional
        except ImportError:
            raise MissingExtra("PyTorch", "baselines") from None
        if demos.buttons:
            raise BadInput("this method clicks cells, and these demonstrations press buttons. Use another method.")
        self.tokens_ = demos.tokens
        grids = list(dict.fromkeys(step.grid for step in demos.steps))
        values = Values.of(grids, demos.tokens, paper_grammar(demos.tokens), self.programs)
        labels = ((values.evidence(demos).positive[values.word] >> values.bit) & np.uint64(1)).astype(bool)
        # Rows that all programs see alike and that have the same label count as one, seen so often.
        distinct, counts = np.unique(np.column_stack([_row_by_row(values), labels]), axis=0, return_counts=True)
        inputs = torch.from_numpy(_unpack(distinct[:, :-1], values)).to(self.device)
        goals = torch.from_numpy(distinct[:, -1].astype(np.float32)).to(self.device)
        weights = torch.from_numpy(counts.astype(np.float32)).to(self.device)
        rng = torch.Generator().manual_seed(self.seed)
        sizes = [self.programs, HIDDEN, HIDDEN, 1]
        layers = []
        for before, after in itertools.pairwise(sizes):
            bound = before**-0.5
            for shape in ((before, after), (after,)):
                layers.append(torch.empty(shape).uniform_(-bound, bound, generator=rng).to(self.device))
        for layer in layers:
            layer.requires_grad_()
        adam = torch.optim.Adam(layers, lr=self.rate)
        spread = _Spread(values, self.device)
        epoch = 0
        while epoch < self.epochs:
            epoch += 1
            losses, right = [], True
            for part in torch.randperm(len(goals), generator=rng).to(self.device).split(self.batch):
                scores = _perceptron(inputs[part].float(), spread, layers)
                loss = functional.binary_cross_entropy_with_logits(scores, goals[part], weights[part], reduction="sum")
                loss = loss / weights[part].sum()
                losses.append(loss.item())
                right = right and bool(((scores > 0) == (goals[part] > 0)).all())
                if self.l1:
                    loss = loss + self.l1 * sum(layer.abs().sum() for layer in layers[::2])
                adam.zero_grad()
                loss.backward()
                adam.step()
            if right and max(losses) < self.enough:
                break
        self.layers_ = [layer.detach() for layer in layers]
        self.training_ = {"epochs": epoch, "loss": float(np.mean(losses)), "rows": len(goals), "separated": right}
        return self

    def act(self, grid: Grid) -> Action:
        return self.act_many([grid])[0]

    def act_many(self, grids: Sequence[Grid]) -> list[Action]:
        """The actions on several grids, each as `act` gives it."""
        import torch

        acts: list[Action] = []
        for start in range(0, len(grids), CHUNK):
            part = grids[start : start + CHUNK]
            values = Values.of(part, self.tokens_, paper_grammar(self.tokens_), self.programs)
            with torch.no_grad():
                inputs = torch.from_numpy(_unpack(_row_by_row(values), values)).to(self.device)
                scores = _perceptron(inputs.float(), _Spread(values, self.device), self.layers_).cpu().numpy()
            acts += values.first_best(scores.astype(np.float64))
        return acts

    def describe(self) -> dict[str, Any]:
        zero = float((self.layers_[0].abs() < 1e-3).float().mean())
        return {"training": {**self.training_, "loss": round(self.training_["loss"], 6)}, "near_zero": round(zero, 4)}


def learner(game: Game, seed: int, options: Mapping[str, Any]) -> FeaturesPolicy:
    """Features + NN with these options."""
    return FeaturesPolicy(seed=seed, **options)


class _Spread:
    """Which feature each program equals, and how: the way from weights on programs to weights on features."""

    def __init__(self, values: Values, device: str) -> None:
        import torch

        features = values.features
        live = np.flatnonzero(features.of_program != CONSTANT)
        ones = np.flatnonzero(values.always)
        self.count = len(features)
        self.live, self.ones = torch.from_numpy(live).to(device), torch.from_numpy(ones).to(device)
        self.feature = torch.from_numpy(features.of_program[live]).to(device)
        self.negated = torch.from_numpy(features.negates[live].astype(np.float32)).to(device)

    def weights(self, of_program: Any) -> tuple[Any, Any]:
        """Weights on features [F, …] and a bias […] that say the same as these weights on programs [P, …].

        A negated program is 1 − its feature: its weight goes to the bias, and to the feature with the other sign.
        """
        import torch

        mine = of_program[self.live]
        signed = mine * (1 - 2 * self.negated)[:, None]
        on_features = torch.zeros(self.count, of_program.shape[1], device=mine.device)
        on_features = on_features.index_add(0, self.feature, signed)
        return on_features, (mine * self.negated[:, None]).sum(0) + of_program[self.ones].sum(0)


def _perceptron(inputs: Any, spread: _Spread, layers: Sequence[Any]) -> Any:
    """The score of each row. [rows]"""
    from torch.nn import functional

    first, bias = spread.weights(layers[0])
    hidden = functional.relu(inputs @ first + bias + layers[1])
    hidden = functional.relu(hidden @ layers[2] + layers[3])
    return (hidden @ layers[4] + layers[5])[:, 0]


def _row_by_row(values: Values) -> np.ndarray:
    """The features' values row by row, eight to a byte. [rows, F / 8] uint8"""
    columns = values.features.columns
    packed = np.empty((len(values.word), (len(columns) + 7) // 8), dtype=np.uint8)
    for start in range(0, len(columns), 512):  # not all at once: unpacked they take eight times the room and more
        part = (columns[start : start + 512, values.word] >> values.bit) & np.uint64(1)
        bits = np.packbits(part.T.astype(bool), axis=1, bitorder="little")
        packed[:, start // 8 : start // 8 + bits.shape[1]] = bits
    return packed


def _unpack(packed: np.ndarray, values: Values) -> np.ndarray:
    """[rows, F / 8] → [rows, F] uint8, 0 or 1"""
    return np.unpackbits(packed, axis=1, count=len(values.features), bitorder="little")
