"""The paper's three networks, and behavior cloning: M networks are trained at once, each on its own demonstrations.

Parameters and inputs have a leading dimension [M], so that many small networks train side by side (on a GPU, a hundred
cost little more than one). Inputs are one-hot grids padded to one shape; a padded cell is all zeros, as a convolution
sees beyond the edge. The output of a convolution is zero off the grid, so scores do not depend on the padding.
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
from torch.nn.utils.rnn import pad_sequence

from shown.demonstrations import Demonstrations
from shown.grid import Action, Grid, Tokens
from shown_evidence.baselines import numbered

OFF_GRID = 0
"""The number of padding; tokens are counted from 1."""

Parameters = list[Tensor]
"""Weight and bias of each layer of M networks in turn, each [M, …]."""


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
        """Draw the parameters of one network, [1, …] each, as PyTorch's own layers do."""
        rng = torch.Generator().manual_seed(seed)
        values = []
        for size in self.weights:
            bound = 1 / math.sqrt(math.prod(size[1:]))
            values += [torch.empty(1, *own).uniform_(-bound, bound, generator=rng) for own in (size, size[:1])]
        return values

    def scores(self, parameters: Parameters, inputs: Tensor, inside: Tensor) -> Tensor:
        """Return a score for each output, given inputs [M, N, C, H, W] and inside [M, N, 1, H, W]. [M, N, outputs]"""
        layers = list(zip(parameters[::2], parameters[1::2], strict=True))
        hidden = convolve(inputs, *layers[0])
        for weight, bias in layers[1 : len(self.channels)]:
            hidden = convolve(relu(hidden) * inside, weight, bias)
        if self.any_size:
            return hidden.flatten(2)
        pooled = max_pool2d(relu(hidden).flatten(0, 1), kernel_size=3, stride=1, padding=1)
        (weight, bias), (last_weight, last_bias) = layers[len(self.channels) :]
        dense = relu(pooled.reshape(*inputs.shape[:2], -1) @ weight.mT + bias[:, None])
        return dense @ last_weight.mT + last_bias[:, None]

    def one_hot(self, grids: Tensor) -> tuple[Tensor, Tensor]:
        """Return inputs [M, N, C, H, W] and cells inside [M, N, 1, H, W], both float32, of grids [M, N, H, W]."""
        values = torch.arange(1, self.tokens + 1, device=grids.device, dtype=torch.uint8)
        inputs = (grids[:, :, None] == values[:, None, None]).float()
        if len(grids) == 1:  # small convolutions are twice as fast in this memory order
            inputs = inputs[0].contiguous(memory_format=torch.channels_last)[None]
        return inputs, (grids[:, :, None] != OFF_GRID).float()

    def possible(self, scores: Tensor, inside: Tensor) -> Tensor:
        """Return 1 for each output that is an action: a button, or a cell inside the grid. [M, N, outputs]"""
        return torch.ones_like(scores) if self.buttons else inside.flatten(2)


def convolve(inputs: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """Convolve 3 × 3 with padding 1 for each network: [M, N, C, H, W] by [M, O, C, 3, 3] gives [M, N, O, H, W]."""
    m, n, c, h, w = inputs.shape
    if m == 1:
        return conv2d(inputs[0], weight[0], bias[0], padding=1)[None]
    # One convolution in M groups: on a GPU many times faster than M convolutions.
    side_by_side = inputs.transpose(0, 1).reshape(n, m * c, h, w)
    out = conv2d(side_by_side, weight.flatten(0, 1), bias.flatten(), padding=1, groups=m)
    return out.reshape(n, m, -1, h, w).transpose(0, 1)


ARCHITECTURES: Mapping[str, Architecture] = {
    "lln": Architecture((1,)),
    # With 4 channels in 8 layers, a third of all starts die: some layer has no active unit.
    "fcn": Architecture((8, 4, 4, 4, 4, 4, 4, 1)),
    "cnn": Architecture((64,), units=64),
}


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
"""Parameters of a network, [1, …] each, and its "steps", "loss" and "fit"."""


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


class Trainer:
    """Networks in training, one per set of examples, with Adam's moments.

    They are independent: each has its own start, batches and end, from its own seed.
    """

    def __init__(
        self,
        network: Architecture,
        examples: Sequence[Examples],
        seeds: Sequence[int],
        training: Training,
        device: str = "cpu",
    ) -> None:
        self._members = list(range(len(seeds)))
        self._network, self._training, self._steps = network, training, 0
        # Grids, actions and weights of all networks, padded with 0 to the most examples. [M, N, …]
        parts = zip(*examples, strict=True)
        self._examples = [pad_sequence(list(part), batch_first=True).to(device) for part in parts]
        self._orders = [_order(len(own[0]), training.batch, seed) for own, seed in zip(examples, seeds, strict=True)]
        starts = zip(*(network.initial(seed) for seed in seeds), strict=True)
        self._values = [torch.cat(each).to(device).requires_grad_() for each in starts]
        self._first, self._second = ([torch.zeros_like(value) for value in self._values] for _ in range(2))
        self._whole: tuple[Tensor, Tensor] | None = None  # all examples, one-hot, if a batch holds them

    def train(self) -> list[Trained]:
        """Train each network until it has learned its examples, or no longer improves, or has taken all steps."""
        training, done = self._training, dict[int, Trained]()
        least = dict.fromkeys(self._members, (math.inf, 0))  # loss so far, and the step when it was reached
        while self._members:
            for _ in range(min(training.check, training.steps - self._steps)):
                self._step()
            places = []
            for i, (member, loss, fit) in enumerate(zip(self._members, *self._measured(), strict=True)):
                if loss < 0.99 * least[member][0]:
                    least[member] = loss, self._steps
                fits = fit >= 1.0 and loss < training.enough
                if fits or self._steps >= min(training.steps, least[member][1] + training.patience):
                    parameters = [value[i : i + 1].detach().cpu().clone() for value in self._values]
                    done[member] = parameters, {"steps": self._steps, "loss": loss, "fit": fit}
                else:
                    places.append(i)
            if len(places) < len(self._members):
                self._keep(places)
        return [done[i] for i in sorted(done)]

    def _step(self) -> None:
        """Make one step of Adam for every network."""
        inputs, inside, actions, weights = self._batch()
        loss = self._losses(self._network.scores(self._values, inputs, inside), inside, actions, weights).sum()
        gradients = torch.autograd.grad(loss, self._values)
        self._steps += 1
        scale = self._training.rate * (1 - 0.999**self._steps) ** 0.5 / (1 - 0.9**self._steps)
        with torch.no_grad():
            for value, gradient, first, second in zip(self._values, gradients, self._first, self._second, strict=True):
                first.lerp_(gradient, 0.1)
                second.mul_(0.999).addcmul_(gradient, gradient, value=0.001)
                value.addcdiv_(first, second.sqrt().add_(1e-8), value=-scale)

    @torch.no_grad()
    def _measured(self) -> tuple[list[float], list[float]]:
        """Return the mean loss and the fraction of repeated decisions of each network."""
        losses, fits = torch.zeros(2, len(self._members), device=self._examples[0].device)
        batches = (each.split(self._training.batch, dim=1) for each in self._examples)
        for grids, actions, weights in zip(*batches, strict=True):
            inputs, inside = self._whole or self._network.one_hot(grids)
            scores = self._network.scores(self._values, inputs, inside)
            losses += self._losses(scores, inside, actions, weights)
            best = scores.masked_fill(self._network.possible(scores, inside) == 0, -torch.inf).argmax(-1)
            fits += ((best == actions) * weights).sum(-1)
        return losses.tolist(), [1.0 if fit > 1 - 1e-4 else fit for fit in fits.tolist()]

    def _keep(self, places: list[int]) -> None:
        """Keep the networks at these places only."""
        self._members, self._orders = [self._members[i] for i in places], [self._orders[i] for i in places]
        most = int((self._examples[2][places] > 0).sum(1).amax()) if places else 0
        self._examples = [each[places, :most].contiguous() for each in self._examples]
        self._values = [value.detach()[places].requires_grad_() for value in self._values]
        self._first, self._second = ([each[places] for each in moments] for moments in (self._first, self._second))
        self._whole = None

    def _batch(self) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return inputs, cells inside, actions and weights of the next batch of every network."""
        grids, actions, weights = self._examples
        if grids.shape[1] <= self._training.batch:
            self._whole = self._whole or self._network.one_hot(grids)
            return *self._whole, actions, weights
        index = torch.stack([next(order) for order in self._orders]).to(grids.device)
        member = torch.arange(len(index), device=grids.device)[:, None]
        scale = (weights > 0).sum(1, keepdim=True) / self._training.batch
        return (
            *self._network.one_hot(grids[member, index]),
            actions[member, index],
            weights[member, index] * scale,
        )

    def _losses(self, scores: Tensor, inside: Tensor, actions: Tensor, weights: Tensor) -> Tensor:
        """Return the weighted loss of each network. [M]"""
        if self._training.loss == "choice":
            each = cross_entropy(scores.flatten(0, 1), actions.flatten(), reduction="none")
            return (each.reshape(actions.shape) * weights).sum(-1)
        goals = torch.zeros_like(scores).scatter_(2, actions[:, :, None], 1.0)
        each = binary_cross_entropy_with_logits(scores, goals, reduction="none")
        return ((each * self._network.possible(scores, inside)).sum(-1) * weights).sum(-1)


def _order(size: int, batch: int, seed: int) -> Iterator[Tensor]:
    """Yield the numbers of the examples of each batch, in random order within each pass over all."""
    rng = torch.Generator().manual_seed(seed)
    queue = torch.empty(0, dtype=torch.int64)
    while True:
        while len(queue) < batch:
            queue = torch.cat([queue, torch.randperm(size, generator=rng)])
        yield queue[:batch]
        queue = queue[batch:]
