"""Trials of networks in batches: those that differ in demonstrations only train side by side.

A GPU trains a hundred small networks nearly as fast as one.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Sequence
from functools import partial
from typing import Any

import torch

from shown.errors import BadInput
from shown_evidence.baselines.network_policy import fit_together, largest_shape
from shown_evidence.results.row import Row
from shown_evidence.results.runner import Settings, Work, attempt_each, success
from shown_evidence.trials.demonstrators import demonstrations
from shown_evidence.trials.methods import DAGGERS, METHODS, NETWORKS
from shown_evidence.trials.trial import Trial, find_place, measurements

ALONE = ("features-nn", "features-nn-l1", *DAGGERS)
"""Methods that train networks one by one."""

CELLS = 3_000_000
"""Maximum number of grid cells in one training step of a batch."""

STEPS_PER_LEVEL = {"nim": 3, "checkmate": 2}
"""Approximate number of steps of a demonstration, for estimates of work; 15 elsewhere."""

WORK = {"lln": 1, "cnn": 4, "fcn": 20}
"""Approximate work per cell."""


def on_device(device: str) -> Work:
    """Return what runs a batch on a device; raise BadInput if there is none."""
    if device != "cpu" and not torch.cuda.is_available():
        raise BadInput(f"--device {device}: PyTorch finds no GPU here. Use --device cpu.")
    return partial(train, device=device)


def batches(trials: Sequence[Trial], cells: int = CELLS) -> list[list[Trial]]:
    """Group trials of networks that differ in levels and seeds only into batches of similar size.

    Those with the most work come first, so that no long one comes last.
    """
    alike: dict[tuple[Any, ...], list[tuple[int, Trial]]] = {}
    found = [(math.inf, [trial]) for trial in trials if trial.method not in NETWORKS]
    for trial in (trial for trial in trials if trial.method in NETWORKS):
        place, mirrored = find_place(trial.game), METHODS[trial.method].factory.endswith(":mirrored")
        shown = place.levels(trial.levels.removeprefix("seeds:"))
        steps = len(shown) * STEPS_PER_LEVEL.get(trial.game, 15) * 2 ** (mirrored * len(place.symmetries))
        together = (trial.method, trial.game, trial.test, json.dumps(dict(trial.options), sort_keys=True))
        alike.setdefault(together, []).append((min(steps, trial.options["batch"]), trial))
    for group in alike.values():
        height, width = largest_shape(find_place(group[0][1].game))
        group.sort(key=lambda item: item[0])
        while group:
            most = group[-1][0] * height * width
            count = max(1, min(len(group), cells // most))
            part, group = group[-count:], group[:-count]
            options = part[0][1].options
            work = count * most * WORK[options["network"]] * options["steps"]
            found.append((work, [trial for _, trial in part]))
    return [batch for _, batch in sorted(found, key=lambda item: -item[0])]


def train(settings: Sequence[Settings], device: str) -> list[Row]:
    """Train the networks of a batch together, then score them one by one; in halves if memory is too small."""
    trials = [Trial.from_settings(each) for each in settings]
    if any(trial.method not in (*NETWORKS, *ALONE) for trial in trials):
        return attempt_each(settings)
    try:
        return _train(trials, device)
    except torch.OutOfMemoryError:
        if len(settings) == 1:
            raise
        torch.cuda.empty_cache()
        half = len(settings) // 2
        return [*train(settings[:half], device), *train(settings[half:], device)]


def _train(trials: Sequence[Trial], device: str) -> list[Row]:
    place = find_place(trials[0].game)
    demos = [demonstrations(place, trial.levels) for trial in trials]
    started = time.perf_counter()
    methods: list[Any] = [
        METHODS[trial.method].build(place, trial.start, {**trial.options, "device": device}) for trial in trials
    ]
    if trials[0].method in ALONE:
        fitted = [method.fit(given) for method, given in zip(methods, demos, strict=True)]
    else:
        fitted = fit_together(methods, demos)
    learn = (time.perf_counter() - started) / len(trials)
    rows = []
    for trial, policy, given in zip(trials, fitted, demos, strict=True):
        measured = measurements(trial, place, policy, given, learn)
        measured["learned"]["together"] = len(trials)
        rows.append(success(trial.settings, measured))
    return rows
