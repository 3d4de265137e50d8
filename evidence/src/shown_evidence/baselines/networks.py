"""The paper's three networks, and behavior cloning.

Inputs are one-hot grids padded to one shape; a padded cell is all zeros, as a convolution sees beyond the edge. The
output of a convolution is zero off the grid, so scores do not depend on the padding.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, conv2d, cross_entropy, max_pool2d, relu

from shown.demonstrations import Demonstrations
from shown.grid import Action, Grid, Tokens
from shown_evidence.baselines import numbered

OFF_GRID = 0
"""The number of padding; tokens are counted from 1."""

Parameters = list[Tensor]
"""Weight and bias of each layer in turn."""


@dataclass(frozen=True)
class Architecture:
    """A kind of network: convolutions of 3 × 3, then perhaps dense layers, with ReLU between all layers.

    Without dense layers it accepts grids of any size, and the last convolution scores cells.

    Attributes:
        channels: of each convolution.
        units: of the dense layer between the last convolution, pooled, and the outputs; 0 without dense layers.
        tokens: number of tokens.
        shape: rows and columns of the padded grids.
        buttons: number of buttons, each with one output; 0 where every cell has one.
    """

    channels: tuple[int, ...]
    units: int = 0
    tokens: int = 0
    shape: tuple[int, int] = (0, 0)
    buttons: int = 0

    @property
    def any_size(self) -> bool:
        return not self.units

    @property
    def weights(self) -> list[tuple[int, ...]]:
        """The shape of the weight of each layer; biases have its first number."""
        found: list[tuple[int, ...]] = [
            (after, before, 3, 3) for before, after in pairwise((self.tokens, *self.channels))
        ]
        if self.units:
            cells = math.prod(self.shape)
            found += [(self.units, self.channels[-1] * cells), (self.buttons or cells, self.units)]
        return found

    def initial(self, seed: int) -> Parameters:
        """Draw the parameters, as PyTorch's own layers do."""
        rng = torch.Generator().manual_seed(seed)
        values = []
        for size in self.weights:
            bound = 1 / math.sqrt(math.prod(size[1:]))
            values += [torch.empty(own).uniform_(-bound, bound, generator=rng) for own in (size, size[:1])]
        return values

    def scores(self, parameters: Parameters, inputs: Tensor, inside: Tensor) -> Tensor:
        """Return a score for each output, given inputs [N, C, H, W] and inside [N, 1, H, W]. [N, outputs]"""
        layers = list(zip(parameters[::2], parameters[1::2], strict=True))
        hidden = conv2d(inputs, *layers[0], padding=1)
        for weight, bias in layers[1 : len(self.channels)]:
            hidden = conv2d(relu(hidden) * inside, weight, bias, padding=1)
        if self.any_size:
            return hidden.flatten(1)
        pooled = max_pool2d(relu(hidden), kernel_size=3, stride=1, padding=1)
        (weight, bias), (last_weight, last_bias) = layers[len(self.channels) :]
        dense = relu(pooled.flatten(1) @ weight.mT + bias)
        return dense @ last_weight.mT + last_bias

    def one_hot(self, grids: Tensor) -> tuple[Tensor, Tensor]:
        """Return inputs [N, C, H, W] and cells inside [N, 1, H, W], both float32, of grids [N, H, W]."""
        values = torch.arange(1, self.tokens + 1, device=grids.device, dtype=torch.uint8)
        inputs = (grids[:, None] == values[:, None, None]).float()
        # Small convolutions are twice as fast in this memory order.
        return inputs.contiguous(memory_format=torch.channels_last), (grids[:, None] != OFF_GRID).float()

    def possible(self, scores: Tensor, inside: Tensor) -> Tensor:
        """Return 1 for each output that is an action: a button, or a cell inside the grid. [N, outputs]"""
        return torch.ones_like(scores) if self.buttons else inside.flatten(1)


ARCHITECTURES: Mapping[str, Architecture] = {
    "lln": Architecture((1,)),
    # With 4 channels in 8 layers, a third of all starts die: some layer has no active unit.
    "fcn": Architecture((8, 4, 4, 4, 4, 4, 4, 1)),
    "cnn": Architecture((64,), units=64),
}


def default_device() -> str:
    """Return where networks are trained: on a GPU if there is one."""
    return "cuda" if torch.cuda.is_available() else "cpu"


@dataclass(frozen=True)
class Training:
    """Settings of the training.

    Attributes:
        loss: "cells" (one binary cross-entropy per cell, as in the paper's LLN and FCN) or "choice" (one cross-entropy
            over cells or buttons, as in its CNN).
        steps, rate: maximum number of steps of Adam, and its learning rate.
        batch: maximum number of examples per step.
        enough: mean loss below which training stops, once every demonstrated action is repeated.
        patience: steps without a fall of the mean loss by 1 % after which training stops. Some networks cannot fit: an
            LLN sees too little, and so does an FCN where a distant click decides which cell is next.
        check: steps between checks whether to stop.
    """

    loss: str = "cells"
    steps: int = 5000
    rate: float = 0.003
    batch: int = 512
    enough: float = 0.01
    patience: int = 1000
    check: int = 50


Examples = tuple[Tensor, Tensor, Tensor]
"""The distinct decisions that a network learns from.

- grids: tokens by number, `OFF_GRID` where padded. [N, H, W] uint8
- actions: number of the clicked cell in the padded grid, or of the pressed button. [N] int64
- weights: frequency of each decision; their sum is 1. [N] float32
"""

Trained = tuple[Parameters, dict[str, float]]
"""Parameters of a network, and its "steps", "loss" and "fit"."""


def examples_of(demos: Demonstrations, shape: tuple[int, int]) -> Examples:
    """Return the demonstrated decisions, on grids padded or cut to `shape`."""

    def number(action: Action) -> int:
        return demos.buttons.index(action) if isinstance(action, str) else action[0] * shape[1] + action[1]

    counts = Counter((step.grid, number(step.action)) for step in demos.steps)
    grids = encode(demos.tokens, [grid for grid, _ in counts], shape)
    weights = torch.tensor(list(counts.values()), dtype=torch.float32)
    return grids, torch.tensor([action for _, action in counts]), weights / weights.sum()


def encode(tokens: Tokens, grids: Sequence[Grid], shape: tuple[int, int]) -> Tensor:
    """Return tokens by number, padded or cut to `shape`. [N, H, W] uint8"""
    out = np.full((len(grids), *shape), OFF_GRID, dtype=np.uint8)
    for room, grid in zip(out, grids, strict=True):
        known = numbered(grid, tokens)[: shape[0], : shape[1]]
        room[: known.shape[0], : known.shape[1]] = known
    return torch.from_numpy(out)


def train(network: Architecture, examples: Examples, seed: int, training: Training, device: str = "cpu") -> Trained:
    """Train a network until it has learned its examples, or no longer improves, or has taken all steps."""
    grids, actions, weights = (part.to(device) for part in examples)
    values = [value.to(device).requires_grad_() for value in network.initial(seed)]
    moments = [(torch.zeros_like(value), torch.zeros_like(value)) for value in values]
    order = _order(len(grids), training.batch, seed)
    whole = (*network.one_hot(grids), actions, weights) if len(grids) <= training.batch else None
    least, least_at, steps = math.inf, 0, 0
    while True:
        for _ in range(min(training.check, training.steps - steps)):
            steps += 1
            batch = whole
            if batch is None:
                own = next(order).to(device)
                scale = len(grids) / training.batch
                batch = (*network.one_hot(grids[own]), actions[own], weights[own] * scale)
            gradients = torch.autograd.grad(_loss(network, values, batch, training), values)
            _step(values, gradients, moments, steps, training.rate)
        loss, fit = _measured(network, values, (grids, actions, weights), training)
        if loss < 0.99 * least:
            least, least_at = loss, steps
        fits = fit >= 1.0 and loss < training.enough
        if fits or steps >= min(training.steps, least_at + training.patience):
            return [value.detach().cpu() for value in values], {"steps": steps, "loss": loss, "fit": fit}


Batch = tuple[Tensor, Tensor, Tensor, Tensor]
"""Inputs [N, C, H, W], cells inside [N, 1, H, W], actions [N] and weights [N]."""


@torch.no_grad()
def _step(
    values: Parameters,
    gradients: Sequence[Tensor],
    moments: Sequence[tuple[Tensor, Tensor]],
    number: int,
    rate: float,
) -> None:
    """Make a step of Adam."""
    scale = rate * (1 - 0.999**number) ** 0.5 / (1 - 0.9**number)
    for value, gradient, (first, second) in zip(values, gradients, moments, strict=True):
        first.lerp_(gradient, 0.1)
        second.mul_(0.999).addcmul_(gradient, gradient, value=0.001)
        value.addcdiv_(first, second.sqrt().add_(1e-8), value=-scale)


@torch.no_grad()
def _measured(network: Architecture, values: Parameters, examples: Examples, training: Training) -> tuple[float, float]:
    """Return the mean loss and the fraction of repeated decisions."""
    loss, fit = torch.zeros(2, device=examples[0].device)
    batches = (part.split(training.batch) for part in examples)
    for grids, actions, weights in zip(*batches, strict=True):
        inputs, inside = network.one_hot(grids)
        loss += _loss(network, values, (inputs, inside, actions, weights), training)
        scores = network.scores(values, inputs, inside)
        best = scores.masked_fill(network.possible(scores, inside) == 0, -torch.inf).argmax(-1)
        fit += ((best == actions) * weights).sum()
    return float(loss), 1.0 if fit > 1 - 1e-4 else float(fit)


def _loss(network: Architecture, values: Parameters, batch: Batch, training: Training) -> Tensor:
    """Return the weighted loss."""
    inputs, inside, actions, weights = batch
    scores = network.scores(values, inputs, inside)
    if training.loss == "choice":
        return (cross_entropy(scores, actions, reduction="none") * weights).sum()
    goals = torch.zeros_like(scores).scatter_(1, actions[:, None], 1.0)
    each = binary_cross_entropy_with_logits(scores, goals, reduction="none")
    return ((each * network.possible(scores, inside)).sum(-1) * weights).sum()


def _order(size: int, batch: int, seed: int) -> Iterator[Tensor]:
    """Yield the numbers of the examples of each batch, in random order within each pass over all."""
    rng = torch.Generator().manual_seed(seed)
    queue = torch.empty(0, dtype=torch.int64)
    while True:
        while len(queue) < batch:
            queue = torch.cat([queue, torch.randperm(size, generator=rng)])
        yield queue[:batch]
        queue = queue[batch:]
