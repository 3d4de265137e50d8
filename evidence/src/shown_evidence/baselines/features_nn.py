"""The ablations Features + NN and Features + NN + L1: a multilayer perceptron on the values of the first programs.

The classifier labels each action of a state from the values of all enumerated programs there. Programs with equal
columns are computed once and their weights added up: the network is exactly the one with an input per program, at a
fraction of the cost.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from shown.demonstrations import Demonstrations
from shown.evaluation.distinct import CONSTANT
from shown.evaluation.rows import row_bits
from shown.grid import Action, Grid
from shown_evidence.baselines import Imitator, check_clicks, from_options, in_parts
from shown_evidence.baselines.program_values import ProgramValues

HIDDEN = 100  # units in each of the two hidden layers
BATCH = 1024  # rows per step
ENOUGH = 1e-4  # loss below which training stops, once every row is labeled correctly
GRIDS_AT_ONCE = 64  # grids whose programs are evaluated together when acting
COLUMNS_AT_ONCE = 512  # columns unpacked together: all at once take eight times the memory


class FeaturesPolicy(Imitator):
    """A perceptron with two hidden layers of 100 units on the values of the first `programs` programs.

    `l1` is the cost of each unit of weight. Programs are evaluated on the CPU, and random numbers are drawn there, on
    every device.
    """

    def __init__(
        self,
        programs: int = 10_000,
        *,
        l1: float = 0.0,
        epochs: int = 200,
        rate: float = 0.001,
        seed: int = 0,
        device: str = "cpu",
    ) -> None:
        self.programs, self.l1, self.epochs, self.rate = programs, l1, epochs, rate
        self.seed, self.device = seed, device

    def fit(self, demos: Demonstrations) -> FeaturesPolicy:
        check_clicks(demos)
        self.tokens_ = demos.tokens
        values = ProgramValues.of_demonstrated(demos, self.programs)
        labels = row_bits(values.evidence(demos).positive, values.word, values.bit)
        # Rows with equal values and labels are one row with a weight.
        distinct, counts = np.unique(np.column_stack([_packed_rows(values), labels]), axis=0, return_counts=True)
        inputs = torch.from_numpy(_unpacked(distinct[:, :-1], values)).to(self.device)
        goals, weights = (torch.tensor(each, device=self.device).float() for each in (distinct[:, -1], counts))
        rng = torch.Generator().manual_seed(self.seed)
        layers = self._initial_layers(rng)
        adam = torch.optim.Adam(layers, lr=self.rate)
        spread = _Spread(values, self.device)
        epochs = 0
        while epochs < self.epochs:
            epochs += 1
            losses, correct = [], True
            for part in torch.randperm(len(goals), generator=rng).to(self.device).split(BATCH):
                scores = _perceptron(inputs[part].float(), spread, layers)
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
        loss = round(float(np.mean(losses)), 6)
        self.training_ = {"epochs": epochs, "loss": loss, "rows": len(goals), "separated": correct}
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
        inputs = torch.from_numpy(_unpacked(_packed_rows(values), values)).to(self.device).float()
        with torch.no_grad():
            scores = _perceptron(inputs, _Spread(values, self.device), self.layers_).cpu().numpy()
        return values.first_best(scores.astype(np.float64))

    def describe(self) -> dict[str, Any]:
        zero = float((self.layers_[0].abs() < 1e-3).float().mean())
        return {"training": self.training_, "near_zero": round(zero, 4)}


learner = from_options(FeaturesPolicy)
"""Build Features + NN."""


class _Spread:
    """The feature that each program equals, up to negation: maps weights on programs to weights on features."""

    def __init__(self, values: ProgramValues, device: str) -> None:
        features = values.features
        live = np.flatnonzero(features.of_program != CONSTANT)
        ones = np.flatnonzero(features.negates & (features.of_program == CONSTANT))
        self.count = len(features)
        self.live, self.ones = torch.from_numpy(live).to(device), torch.from_numpy(ones).to(device)
        self.feature = torch.from_numpy(features.of_program[live]).to(device)
        self.negated = torch.from_numpy(features.negates[live].astype(np.float32)).to(device)

    def weights(self, of_program: Tensor) -> tuple[Tensor, Tensor]:
        """Return weights on features [F, …] and a bias […] equivalent to weights on programs [P, …].

        A negated program is 1 − its feature: its weight goes to the bias, and to the feature with the other sign.
        """
        mine = of_program[self.live]
        signed = mine * (1 - 2 * self.negated)[:, None]
        on_features = torch.zeros(self.count, of_program.shape[1], device=mine.device)
        on_features = on_features.index_add(0, self.feature, signed)
        return on_features, (mine * self.negated[:, None]).sum(0) + of_program[self.ones].sum(0)


def _perceptron(inputs: Tensor, spread: _Spread, layers: Sequence[Tensor]) -> Tensor:
    """Return the score of each row. [rows]"""
    first, bias = spread.weights(layers[0])
    hidden = functional.relu(inputs @ first + bias + layers[1])
    hidden = functional.relu(hidden @ layers[2] + layers[3])
    return (hidden @ layers[4] + layers[5])[:, 0]


def _packed_rows(values: ProgramValues) -> np.ndarray:
    """Return the features' values row by row, eight to a byte. [rows, F / 8] uint8"""
    columns = values.features.columns
    packed = np.empty((len(values.word), (len(columns) + 7) // 8), dtype=np.uint8)
    for start in range(0, len(columns), COLUMNS_AT_ONCE):
        part = row_bits(columns[start : start + COLUMNS_AT_ONCE], values.word, values.bit)
        bits = np.packbits(part.T, axis=1, bitorder="little")
        packed[:, start // 8 : start // 8 + bits.shape[1]] = bits
    return packed


def _unpacked(packed: np.ndarray, values: ProgramValues) -> np.ndarray:
    """Unpack bits. [rows, F / 8] → [rows, F] uint8, 0 or 1"""
    return np.unpackbits(packed, axis=1, count=len(values.features), bitorder="little")
