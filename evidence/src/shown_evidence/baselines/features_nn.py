"""The ablations Features + NN and Features + NN + L1: a multilayer perceptron on the values of the first programs.

The classifier labels each action of a state from the values of all enumerated programs there. Programs with equal
columns are computed once and their weights added up: the network is exactly the one with an input per program, at a
fraction of the cost.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from shown.columns.distinct import CONSTANT
from shown.columns.rows import row_bits
from shown.demonstrations import Demonstrations
from shown.grid import Action, Grid
from shown_evidence.baselines import Imitator, check_clicks, from_options, in_parts
from shown_evidence.baselines.networks import default_device
from shown_evidence.baselines.program_values import ProgramValues

HIDDEN = 100  # units in each of the two hidden layers
BATCH = 1024  # rows per step
ENOUGH = 1e-4  # loss below which training stops, once every row is labeled correctly
GRIDS_AT_ONCE = 64  # grids whose programs are evaluated together when acting


@dataclass
class FeaturesPolicy(Imitator):
    """A perceptron with two hidden layers of 100 units on the values of the first `programs` programs.

    `l1` is the cost of each unit of weight. Programs are evaluated on the CPU, and random numbers are drawn there, on
    every device.
    """

    programs: int = 10_000
    l1: float = 0.0
    epochs: int = 200
    rate: float = 0.001
    seed: int = 0
    device: str = field(default_factory=default_device)

    def fit(self, demos: Demonstrations) -> FeaturesPolicy:
        check_clicks(demos)
        self.tokens_ = demos.tokens
        values = ProgramValues.of_demonstrated(demos, self.programs)
        labels = row_bits(values.evidence(demos).positive, values.word, values.bit)
        bits = values.bits
        # Rows with equal values and labels are one row with a weight.
        packed = np.vstack([np.packbits(bits, axis=0, bitorder="little"), labels]).T
        _, first, counts = np.unique(packed, axis=0, return_index=True, return_counts=True)
        inputs = torch.from_numpy(bits.T[first]).to(self.device)
        goals, weights = (torch.tensor(each, device=self.device).float() for each in (labels[first], counts))
        rng = torch.Generator().manual_seed(self.seed)
        layers = self._initial_layers(rng)
        adam = torch.optim.Adam(layers, lr=self.rate)
        perceptron = _Perceptron(values, self.device)
        epochs = 0
        while epochs < self.epochs:
            epochs += 1
            losses, correct = [], True
            for part in torch.randperm(len(goals), generator=rng).to(self.device).split(BATCH):
                scores = perceptron.scores(inputs[part].float(), layers)
                loss = functional.binary_cross_entropy_with_logits(scores, goals[part], weights[part], reduction="sum")
                loss = loss / weights[part].sum()
                losses.append(loss.item())
                correct = correct and bool(((scores > 0) == (goals[part] > 0)).all())
                if self.l1:
                    loss = loss + self.l1 * sum(layer.abs().sum() for layer in layers[::2])
                adam.zero_grad()
                loss.backward()
                adam.step()
            if correct and max(losses) < ENOUGH:
                break
        self.layers_ = [layer.detach() for layer in layers]
        mean = round(float(np.mean(losses)), 6)
        self.training_ = {"epochs": epochs, "loss": mean, "rows": len(goals), "separated": correct}
        return self

    def _initial_layers(self, rng: torch.Generator) -> list[Tensor]:
        """Draw weights and biases as PyTorch's own layers do."""
        layers = []
        for before, after in itertools.pairwise([self.programs, HIDDEN, HIDDEN, 1]):
            bound = before**-0.5
            for shape in ((before, after), (after,)):
                layers.append(torch.empty(shape).uniform_(-bound, bound, generator=rng).to(self.device))
        return [layer.requires_grad_() for layer in layers]

    def act_many(self, grids: Sequence[Grid]) -> list[Action]:
        return [action for part in in_parts(grids, GRIDS_AT_ONCE) for action in self._act_on(part)]

    def _act_on(self, grids: Sequence[Grid]) -> list[Action]:
        values = ProgramValues.of(grids, self.tokens_, self.programs)
        inputs = torch.from_numpy(values.bits.T).to(self.device).float()
        with torch.no_grad():
            scores = _Perceptron(values, self.device).scores(inputs, self.layers_).cpu().numpy()
        return values.first_best(scores.astype(np.float64))

    def describe(self) -> dict[str, Any]:
        zero = float((self.layers_[0].abs() < 1e-3).float().mean())
        return {"training": self.training_, "near_zero": round(zero, 4)}


learner = from_options(FeaturesPolicy)
"""Build Features + NN."""


class _Perceptron:
    """A perceptron on features that is equivalent to one with an input for each program."""

    def __init__(self, values: ProgramValues, device: str) -> None:
        features = values.features
        live = features.of_program != CONSTANT
        self.count = len(features)
        # Programs that equal a feature, up to negation; and those that always hold.
        self.live, self.ones = (
            torch.from_numpy(np.flatnonzero(each)).to(device) for each in (live, features.negates & ~live)
        )
        self.feature = torch.from_numpy(features.of_program[live]).to(device)
        self.negated = torch.from_numpy(features.negates[live].astype(np.float32)).to(device)

    def scores(self, inputs: Tensor, layers: Sequence[Tensor]) -> Tensor:
        """Return the score of each row. [rows]"""
        # A negated program is 1 − its feature: its weight goes to the bias, and to the feature with the other sign.
        mine = layers[0][self.live]
        signed = mine * (1 - 2 * self.negated)[:, None]
        first = torch.zeros(self.count, mine.shape[1], device=mine.device).index_add(0, self.feature, signed)
        bias = (mine * self.negated[:, None]).sum(0) + layers[0][self.ones].sum(0)
        hidden = functional.relu(inputs @ first + bias + layers[1])
        hidden = functional.relu(hidden @ layers[2] + layers[3])
        return (hidden @ layers[4] + layers[5])[:, 0]
