"""The layers of the paper's three networks.

Every function works on M networks at once: parameters and inputs have a leading dimension [M], so that many small
networks train side by side (on a GPU, a hundred cost little more than one). Inputs are one-hot grids padded to one
shape; a padded cell is all zeros, as a convolution sees beyond the edge. The output of a convolution is zero off the
grid, so scores do not depend on the padding.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

Parameters = dict[str, Tensor]
"""Parameters of M networks by name, each [M, …]."""


@dataclass(frozen=True)
class Architecture:
    """A kind of network.

    Attributes:
        shapes: (channels, height, width, outputs) -> the shape of each parameter of one network.
        scores: (parameters, inputs [M, N, C, H, W], inside [M, N, 1, H, W]) -> a score for each output.
            [M, N, outputs]
        any_size: whether it accepts grids of any size; such a network scores cells.
        buttons: number of buttons, each with one output; 0 where every cell has one.
    """

    name: str
    shapes: Callable[[int, int, int, int], dict[str, tuple[int, ...]]]
    scores: Callable[[Parameters, Tensor, Tensor], Tensor]
    any_size: bool
    buttons: int = 0

    def initial(self, channels: int, shape: tuple[int, int], seed: int) -> Parameters:
        """Draw the parameters of one network, [1, …] each, as PyTorch's own layers do."""
        rng = torch.Generator().manual_seed(seed)
        values = {}
        bound = 0.0
        for name, size in self.shapes(channels, *shape, self.buttons or math.prod(shape)).items():
            if len(size) > 1:  # a weight; the bias that follows it has the same bound
                bound = 1 / math.sqrt(math.prod(size[1:]))
            values[name] = torch.empty(1, *size).uniform_(-bound, bound, generator=rng)
        return values

    def possible(self, scores: Tensor, inside: Tensor) -> Tensor:
        """Return 1 for each output that is an action: a button, or a cell inside the grid. [M, N, outputs]"""
        return torch.ones_like(scores) if self.buttons else inside.flatten(2)


def convolve(inputs: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """Convolve 3 × 3 with padding 1 for each network: [M, N, C, H, W] by [M, O, C, 3, 3] gives [M, N, O, H, W]."""
    m, n, c, h, w = inputs.shape
    if m == 1:
        return functional.conv2d(inputs[0], weight[0], bias[0], padding=1)[None]
    # One convolution in M groups: on a GPU many times faster than M convolutions.
    side_by_side = inputs.transpose(0, 1).reshape(n, m * c, h, w)
    out = functional.conv2d(side_by_side, weight.flatten(0, 1), bias.flatten(), padding=1, groups=m)
    return out.reshape(n, m, -1, h, w).transpose(0, 1)


def _lln_shapes(channels: int, height: int, width: int, outputs: int) -> dict[str, tuple[int, ...]]:
    return {"weight": (1, channels, 3, 3), "bias": (1,)}


def _lln_scores(p: Parameters, inputs: Tensor, inside: Tensor) -> Tensor:
    return convolve(inputs, p["weight"], p["bias"]).flatten(2)


FCN_LAYERS = 8
"""Convolutions of the FCN, with 8 channels after the first, 4 after each of the next six, 1 after the last."""


def _fcn_shapes(channels: int, height: int, width: int, outputs: int) -> dict[str, tuple[int, ...]]:
    sizes = [channels, 8, *[4] * (FCN_LAYERS - 2), 1]
    shapes: dict[str, tuple[int, ...]] = {}
    for i in range(FCN_LAYERS):
        shapes[f"weight{i}"] = (sizes[i + 1], sizes[i], 3, 3)
        shapes[f"bias{i}"] = (sizes[i + 1],)
    return shapes


def _fcn_scores(p: Parameters, inputs: Tensor, inside: Tensor) -> Tensor:
    hidden = inputs
    for i in range(FCN_LAYERS - 1):
        hidden = functional.relu(convolve(hidden, p[f"weight{i}"], p[f"bias{i}"])) * inside
    return convolve(hidden, p[f"weight{FCN_LAYERS - 1}"], p[f"bias{FCN_LAYERS - 1}"]).flatten(2)


CNN_CHANNELS = 64


def _cnn_shapes(channels: int, height: int, width: int, outputs: int) -> dict[str, tuple[int, ...]]:
    return {
        "convolution": (CNN_CHANNELS, channels, 3, 3),
        "convolution_bias": (CNN_CHANNELS,),
        "hidden": (CNN_CHANNELS, CNN_CHANNELS * height * width),
        "hidden_bias": (CNN_CHANNELS,),
        "output": (outputs, CNN_CHANNELS),
        "output_bias": (outputs,),
    }


def _cnn_scores(p: Parameters, inputs: Tensor, inside: Tensor) -> Tensor:
    m, n = inputs.shape[:2]
    seen = functional.relu(convolve(inputs, p["convolution"], p["convolution_bias"]))
    pooled = functional.max_pool2d(seen.reshape(-1, *seen.shape[2:]), kernel_size=3, stride=1, padding=1)
    hidden = functional.relu(pooled.reshape(m, n, -1) @ p["hidden"].mT + p["hidden_bias"][:, None])
    return hidden @ p["output"].mT + p["output_bias"][:, None]


ARCHITECTURES: Mapping[str, Architecture] = {
    "lln": Architecture("lln", _lln_shapes, _lln_scores, any_size=True),
    # With 4 channels in 8 layers, a third of all starts die: some layer has no active unit.
    "fcn": Architecture("fcn", _fcn_shapes, _fcn_scores, any_size=True),
    "cnn": Architecture("cnn", _cnn_shapes, _cnn_scores, any_size=False),
}
