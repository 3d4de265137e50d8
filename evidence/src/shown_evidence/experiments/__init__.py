"""The paper's experiments, rerun, and those that go beyond it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from shown.errors import BadInput, did_you_mean
from shown_evidence.experiments.experiment import Experiment

EXPERIMENTS: Mapping[str, Mapping[str, Any]] = tomllib.loads(
    Path(__file__).with_name("experiments.toml").read_text("utf-8")
)
"""Class and words of each experiment, in the order of the report."""


@cache
def find(name: str) -> Experiment:
    """Return an experiment by name.

    >>> find("demos").title
    'Success against demonstrations'
    """
    if name not in EXPERIMENTS:
        raise BadInput(f"no experiment called {name!r}. {did_you_mean(name, EXPERIMENTS)}")
    words = dict(EXPERIMENTS[name])
    module, _, kind = words.pop("class").partition(":")
    experiment: Experiment = getattr(import_module(f"{__name__}.{module}"), kind)(name, **words)
    return experiment
