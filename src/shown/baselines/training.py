"""Behaviour cloning: trains M networks at once, each on its own demonstrations, until each repeats what it saw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from shown.baselines.architectures import Architecture, Parameters
from shown.demonstrations import Demonstrations
from shown.grid import Grid, Tokens

OFF_GRID = 255


@dataclass(frozen=True)
class Training:
    """How a network is trained.

    Attributes:
        steps: at most so many steps of Adam.
        rate: the learning rate.
        batch: examples a step; all of them where there are no more.
        loss: "cells" (each cell is to be clicked or not: a binary cross-entropy each, as the paper's LLN and FCN) or
            "choice" (one cell is to be clicked: a cross-entropy over cells, as its CNN).
        enough: stop when every demonstrated action is repeated and the mean loss is below this.
        patience: stop when the mean loss has not fallen by a hundredth in so many steps (some cannot fit: an LLN sees
            too little, and so does an FCN where a click far away decides whether a cell is next).
        check: look every so many steps whether it is time to stop.
    """

    steps: int
    rate: float
    batch: int
    loss: str
    enough: float
    patience: int
    check: int = 50

    @classmethod
    def of(cls, policy: Any) -> Training:
        """The settings of a `NetworkPolicy`."""
        return cls(policy.steps, policy.rate, policy.batch, policy.loss, policy.enough, policy.patience)


@dataclass(frozen=True)
class Examples:
    """What one network learns from, each distinct decision once.

    Attributes:
        grids: tokens by number, `OFF_GRID` where padded. [N, H, W] uint8
        actions: the clicked cell's number in the padded grid. [N] int64
        counts: how often each decision was shown. [N] float32
    """

    grids: np.ndarray
    actions: np.ndarray
    counts: np.ndarray

    @classmethod
    def of(cls, demos: Demonstrations, shape: tuple[int, int]) -> Examples:
        decisions: dict[tuple[Grid, int], int] = {}
        for step in demos.steps:
            row, column = (int(x) for x in step.action)
            decision = step.grid, row * shape[1] + column
            decisions[decision] = decisions.get(decision, 0) + 1
        grids = encode(demos.tokens, [grid for grid, _ in decisions], shape)
        actions = np.array([action for _, action in decisions], dtype=np.int64)
        return cls(grids, actions, np.array(list(decisions.values()), dtype=np.float32))


def encode(tokens: Tokens, grids: Sequence[Grid], shape: tuple[int, int]) -> np.ndarray:
    """Tokens by number, padded (or, where a grid is larger, cut) to `shape`. [N, H, W] uint8"""
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
    """Inputs [M, N, C, H, W] float32 and the cells inside [M, N, 1, H, W] float32 of numbered grids [M, N, H, W]."""
    values = torch.arange(channels, device=grids.device, dtype=torch.uint8)
    inputs = (grids[:, :, None] == values[:, None, None]).float()
    if len(grids) == 1:  # small convolutions are about twice as fast in this order of memory
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
    """Trains one network for each of `examples`; its parameters [1, …] and how it went ("steps", "loss", "fit").

    Networks trained together do not see each other: each has its own start, batches and end, from its own seed.
    """
    group = _Group(network, channels, shape, examples, seeds, training, device)
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


class _Group:
    """Networks in training, with Adam's moments; `keep` drops those that have ended, so that they cost no more."""

    def __init__(
        self,
        network: Architecture,
        channels: int,
        shape: tuple[int, int],
        examples: Sequence[Examples],
        seeds: Sequence[int],
        training: Training,
        device: str,
    ) -> None:
        self.members = list(range(len(examples)))
        self._network, self._channels, self._training = network, channels, training
        most = max(len(e.actions) for e in examples)
        grids = np.full((len(examples), most, *shape), OFF_GRID, dtype=np.uint8)
        actions = np.zeros((len(examples), most), dtype=np.int64)
        weights = np.zeros((len(examples), most), dtype=np.float32)
        for i, e in enumerate(examples):
            n = len(e.actions)
            grids[i, :n], actions[i, :n], weights[i, :n] = e.grids, e.actions, e.counts / e.counts.sum()
        self._grids, self._actions, self._weights = (torch.from_numpy(x).to(device) for x in (grids, actions, weights))
        self._sizes = [len(e.actions) for e in examples]
        self._random = [torch.Generator().manual_seed(seed) for seed in seeds]
        starts = [network.initial(channels, shape, seed) for seed in seeds]
        self._values = {name: torch.cat([s[name] for s in starts]).to(device) for name in starts[0]}
        self._first = {name: torch.zeros_like(value) for name, value in self._values.items()}
        self._second = {name: torch.zeros_like(value) for name, value in self._values.items()}
        self._steps = 0
        self._whole: tuple[Tensor, Tensor] | None = None
        self._queues = [torch.empty(0, dtype=torch.int64) for _ in examples]

    def step(self) -> None:
        """One step of Adam for every network."""
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
        """Of each network: the mean loss, and the fraction of decisions it repeats, over all its examples."""
        losses = torch.zeros(len(self.members), device=self._grids.device)
        fits = torch.zeros_like(losses)
        for start in range(0, self._grids.shape[1], self._training.batch):
            part = slice(start, start + self._training.batch)
            inputs, inside = self._whole or one_hot(self._grids[:, part], self._channels)
            scores = self._network.scores(self._values, inputs, inside)
            actions, weights = self._actions[:, part], self._weights[:, part]
            losses += self._losses(scores, inside, actions, weights)
            best = scores.masked_fill(inside.flatten(2) == 0, -torch.inf).argmax(-1)
            fits += ((best == actions) * weights).sum(-1)
        return losses.tolist(), [1.0 if fit > 1 - 1e-4 else fit for fit in fits.tolist()]

    def parameters(self, i: int) -> Parameters:
        return {name: value[i : i + 1].detach().cpu().clone() for name, value in self._values.items()}

    def keep(self, places: list[int]) -> None:
        """Goes on with the networks at these places only."""
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
        """Inputs, cells inside, actions and weights of the next examples of every network."""
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
        """The numbers of the next examples of one network: all of them in random order, again and again."""
        while len(self._queues[i]) < self._training.batch:
            more = torch.randperm(self._sizes[i], generator=self._random[i])
            self._queues[i] = torch.cat([self._queues[i], more])
        index = self._queues[i][: self._training.batch]
        self._queues[i] = self._queues[i][self._training.batch :]
        return index

    def _losses(self, scores: Tensor, inside: Tensor, actions: Tensor, weights: Tensor) -> Tensor:
        """The weighted loss of each network. [M]"""
        if self._training.loss == "choice":
            each = functional.cross_entropy(scores.flatten(0, 1), actions.flatten(), reduction="none")
            return (each.reshape(actions.shape) * weights).sum(-1)
        goals = torch.zeros_like(scores).scatter_(2, actions[:, :, None], 1.0)
        each = functional.binary_cross_entropy_with_logits(scores, goals, reduction="none")
        return ((each * inside.flatten(2)).sum(-1) * weights).sum(-1)
