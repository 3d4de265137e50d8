"""Behavior cloning: trains M networks at once, each on its own demonstrations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from shown.demonstrations import Demonstrations
from shown.grid import Grid, Tokens
from shown_evidence.baselines.architectures import Architecture, Parameters

OFF_GRID = 255


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


@dataclass(frozen=True)
class Examples:
    """The distinct decisions that one network learns from.

    Attributes:
        grids: tokens by number, `OFF_GRID` where padded. [N, H, W] uint8
        actions: number of the clicked cell in the padded grid, or of the pressed button. [N] int64
        counts: frequency of each decision. [N] float32
    """

    grids: np.ndarray
    actions: np.ndarray
    counts: np.ndarray

    @classmethod
    def of(cls, demos: Demonstrations, shape: tuple[int, int]) -> Examples:
        decisions: dict[tuple[Grid, int], int] = {}
        for step in demos.steps:
            if isinstance(step.action, str):
                decision = step.grid, demos.buttons.index(step.action)
            else:
                decision = step.grid, int(step.action[0]) * shape[1] + int(step.action[1])
            decisions[decision] = decisions.get(decision, 0) + 1
        grids = encode(demos.tokens, [grid for grid, _ in decisions], shape)
        actions = np.array([action for _, action in decisions], dtype=np.int64)
        return cls(grids, actions, np.array(list(decisions.values()), dtype=np.float32))


def encode(tokens: Tokens, grids: Sequence[Grid], shape: tuple[int, int]) -> np.ndarray:
    """Return tokens by number, padded or cut to `shape`. [N, H, W] uint8"""
    codes = {character: i for i, character in enumerate(tokens)}
    table = np.full(max(map(ord, codes)) + 1, OFF_GRID, dtype=np.uint8)
    for character, i in codes.items():
        table[ord(character)] = i
    out = np.full((len(grids), *shape), OFF_GRID, dtype=np.uint8)
    for i, grid in enumerate(grids):
        known = table[grid.ordinals[: shape[0], : shape[1]]]
        out[i, : known.shape[0], : known.shape[1]] = known
    return out


def one_hot(grids: Tensor, channels: int) -> tuple[Tensor, Tensor]:
    """Return inputs [M, N, C, H, W] and cells inside [M, N, 1, H, W], both float32, of numbered grids [M, N, H, W]."""
    values = torch.arange(channels, device=grids.device, dtype=torch.uint8)
    inputs = (grids[:, :, None] == values[:, None, None]).float()
    if len(grids) == 1:  # small convolutions are twice as fast in this memory order
        inputs = inputs[0].contiguous(memory_format=torch.channels_last)[None]
    return inputs, (grids[:, :, None] != OFF_GRID).float()


def train(
    network: Architecture,
    channels: int,
    shape: tuple[int, int],
    examples: Sequence[Examples],
    seeds: Sequence[int],
    training: Training,
    device: str = "cpu",
) -> list[tuple[Parameters, dict[str, float]]]:
    """Train one network per set of examples; return its parameters [1, …] and its "steps", "loss" and "fit".

    Networks trained together are independent: each has its own start, batches and end, from its own seed.
    """
    starts = [network.initial(channels, shape, seed) for seed in seeds]
    group = _Group(network, channels, _padded(examples, shape), starts, seeds, training, device)
    done: dict[int, tuple[Parameters, dict[str, float]]] = {}
    best: dict[int, tuple[float, int]] = {}
    step = 0
    while group.members:
        for _ in range(min(training.check, training.steps - step)):
            group.step()
            step += 1
        loss, fit = group.measure()
        ended = []
        for i, member in enumerate(group.members):
            if member not in best or loss[i] < 0.99 * best[member][0]:
                best[member] = loss[i], step
            fits = fit[i] >= 1.0 and loss[i] < training.enough
            if fits or step >= training.steps or step - best[member][1] >= training.patience:
                ended.append(i)
        for i in ended:
            done[group.members[i]] = group.parameters(i), {"steps": step, "loss": loss[i], "fit": fit[i]}
        if ended:
            group.keep([i for i in range(len(group.members)) if i not in set(ended)])
    return [done[i] for i in range(len(examples))]


def _padded(examples: Sequence[Examples], shape: tuple[int, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return grids, actions and weights of all networks, padded to the largest set. [M, N, …]"""
    most = max(len(e.actions) for e in examples)
    grids = np.full((len(examples), most, *shape), OFF_GRID, dtype=np.uint8)
    actions = np.zeros((len(examples), most), dtype=np.int64)
    weights = np.zeros((len(examples), most), dtype=np.float32)
    for i, e in enumerate(examples):
        n = len(e.actions)
        grids[i, :n], actions[i, :n], weights[i, :n] = e.grids, e.actions, e.counts / e.counts.sum()
    return grids, actions, weights


class _Group:
    """Networks in training, with Adam's moments; `keep` drops those that have ended."""

    def __init__(
        self,
        network: Architecture,
        channels: int,
        padded: tuple[np.ndarray, np.ndarray, np.ndarray],
        starts: Sequence[Parameters],
        seeds: Sequence[int],
        training: Training,
        device: str,
    ) -> None:
        self.members = list(range(len(seeds)))
        self._network, self._channels, self._training = network, channels, training
        self._grids, self._actions, self._weights = (torch.from_numpy(x).to(device) for x in padded)
        self._sizes = [int(np.count_nonzero(weights)) for weights in padded[2]]
        self._random = [torch.Generator().manual_seed(seed) for seed in seeds]
        self._values = {name: torch.cat([s[name] for s in starts]).to(device) for name in starts[0]}
        self._first = {name: torch.zeros_like(value) for name, value in self._values.items()}
        self._second = {name: torch.zeros_like(value) for name, value in self._values.items()}
        self._steps = 0
        self._whole: tuple[Tensor, Tensor] | None = None
        self._queues = [torch.empty(0, dtype=torch.int64) for _ in seeds]

    def step(self) -> None:
        """Make one step of Adam for every network."""
        inputs, inside, actions, weights = self._batch()
        for value in self._values.values():
            value.requires_grad_()
        loss = self._losses(self._network.scores(self._values, inputs, inside), inside, actions, weights).sum()
        gradients = torch.autograd.grad(loss, list(self._values.values()))
        self._steps += 1
        scale = self._training.rate * (1 - 0.999**self._steps) ** 0.5 / (1 - 0.9**self._steps)
        with torch.no_grad():
            for name, gradient in zip(self._values, gradients, strict=True):
                first = self._first[name].lerp_(gradient, 0.1)
                second = self._second[name].mul_(0.999).addcmul_(gradient, gradient, value=0.001)
                self._values[name] = self._values[name].detach().addcdiv_(first, second.sqrt().add_(1e-8), value=-scale)

    @torch.no_grad()
    def measure(self) -> tuple[list[float], list[float]]:
        """Return the mean loss and the fraction of repeated decisions of each network."""
        losses = torch.zeros(len(self.members), device=self._grids.device)
        fits = torch.zeros_like(losses)
        for start in range(0, self._grids.shape[1], self._training.batch):
            part = slice(start, start + self._training.batch)
            inputs, inside = self._whole or one_hot(self._grids[:, part], self._channels)
            scores = self._network.scores(self._values, inputs, inside)
            actions, weights = self._actions[:, part], self._weights[:, part]
            losses += self._losses(scores, inside, actions, weights)
            best = scores.masked_fill(self._network.possible(scores, inside) == 0, -torch.inf).argmax(-1)
            fits += ((best == actions) * weights).sum(-1)
        return losses.tolist(), [1.0 if fit > 1 - 1e-4 else fit for fit in fits.tolist()]

    def parameters(self, i: int) -> Parameters:
        return {name: value[i : i + 1].detach().cpu().clone() for name, value in self._values.items()}

    def keep(self, places: list[int]) -> None:
        """Keep the networks at these places only."""
        for name in ("members", "_sizes", "_random", "_queues"):
            setattr(self, name, [getattr(self, name)[i] for i in places])
        if not places:
            return
        most = max(self._sizes)
        index = torch.tensor(places, device=self._grids.device)
        for name in ("_grids", "_actions", "_weights"):
            setattr(self, name, getattr(self, name)[index, :most].contiguous())
        for values in (self._values, self._first, self._second):
            values.update({name: value.detach()[index] for name, value in values.items()})
        self._whole = None

    def _batch(self) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return inputs, cells inside, actions and weights of the next batch of every network."""
        if self._grids.shape[1] <= self._training.batch:
            if self._whole is None:
                self._whole = one_hot(self._grids, self._channels)
            return *self._whole, self._actions, self._weights
        index = torch.stack([self._next(i) for i in range(len(self.members))]).to(self._grids.device)
        member = torch.arange(len(self.members), device=self._grids.device)[:, None]
        weights = self._weights[member, index]
        scale = torch.tensor(self._sizes, device=weights.device)[:, None] / self._training.batch
        inputs, inside = one_hot(self._grids[member, index], self._channels)
        return inputs, inside, self._actions[member, index], weights * scale

    def _next(self, i: int) -> Tensor:
        """Return the numbers of the next examples of one network, in random order within each pass."""
        while len(self._queues[i]) < self._training.batch:
            more = torch.randperm(self._sizes[i], generator=self._random[i])
            self._queues[i] = torch.cat([self._queues[i], more])
        index = self._queues[i][: self._training.batch]
        self._queues[i] = self._queues[i][self._training.batch :]
        return index

    def _losses(self, scores: Tensor, inside: Tensor, actions: Tensor, weights: Tensor) -> Tensor:
        """Return the weighted loss of each network. [M]"""
        if self._training.loss == "choice":
            each = functional.cross_entropy(scores.flatten(0, 1), actions.flatten(), reduction="none")
            return (each.reshape(actions.shape) * weights).sum(-1)
        goals = torch.zeros_like(scores).scatter_(2, actions[:, :, None], 1.0)
        each = functional.binary_cross_entropy_with_logits(scores, goals, reduction="none")
        return ((each * self._network.possible(scores, inside)).sum(-1) * weights).sum(-1)
