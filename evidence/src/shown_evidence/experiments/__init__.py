"""The paper's experiments, rerun, and those that go beyond it: one file each."""

from __future__ import annotations

from importlib import import_module

from shown.errors import BadInput, did_you_mean
from shown_evidence.experiments.experiment import Experiment

EXPERIMENTS: dict[str, str] = {
    name: f"shown_evidence.experiments.{module}"
    for name, module in {
        "floors": "random_play",
        "demos": "demos",
        "programs": "program_budget",
        "ablations": "ablations",
        "policies": "policy_sizes",
        "noise": "noise",
        "data-efficiency": "data_efficiency",
        "breakout": "atari_breakout",
        "pictures": "pictures",
        "minigrid": "minigrid_worlds",
        "minatar": "minatar_games",
        "beyond": "beyond",
        "additions": "additions",
        "styles": "scripted_styles",
        "confidence": "confidence",
        "one-rule": "one_rule",
    }.items()
}
"""The module of each experiment, which defines `EXPERIMENT`."""


def find(name: str) -> Experiment:
    """Return an experiment by name.

    >>> find("demos").title
    'Success against demonstrations'
    """
    if name not in EXPERIMENTS:
        raise BadInput(f"no experiment called {name!r}. {did_you_mean(name, EXPERIMENTS)}")
    experiment: Experiment = import_module(EXPERIMENTS[name]).EXPERIMENT
    return experiment
