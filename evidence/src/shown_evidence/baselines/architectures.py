"""The layers of the paper's three networks.

Every function works on M networks at once: parameters and inputs have a leading dimension [M], so that many small
networks train side by side (on a GPU, a hundred cost little more than one). Inputs are one-hot grids padded to one
shape; a padded cell is all zeros, as a convolution sees beyond the edge. The output of a convolution is zero off the
grid, so scores do not depend on the padding.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor
from torch.nn.functional import conv2d, max_pool2d, relu

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
