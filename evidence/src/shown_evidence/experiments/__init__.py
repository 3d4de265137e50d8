"""The paper's experiments, rerun, and those that go beyond it: one file each."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from shown.errors import BadInput, did_you_mean
from shown_evidence.experiments.experiment import Experiment

EXPERIMENTS = {
    "floors": "random_play:RandomPlay",
    "demos": "demos:Demos",
    "programs": "program_budget:ProgramBudget",
    "ablations": "ablations:Ablations",
    "policies": "policy_sizes:PolicySizes",
    "noise": "noise:Noise",
    "data-efficiency": "data_efficiency:DataEfficiency",
    "network-settings": "network_settings:NetworkSettings",
    "breakout": "atari_breakout:AtariBreakout",
    "released": "released_levels:ReleasedLevels",
    "pictures": "pictures:PicturesOfPolicies",
    "minigrid": "minigrid_worlds:MinigridWorlds",
    "minatar": "minatar_games:MinAtarGames",
    "beyond": "beyond:Beyond",
    "additions": "additions:Additions",
    "styles": "scripted_styles:ScriptedStyles",
    "controls": "practice_controls:PracticeControls",
    "confidence": "confidence:Confidence",
    "one-rule": "one_rule:RuleBesideVote",
}
"""Module and class of each experiment."""


@cache
def find(name: str) -> Experiment:
    """Return an experiment by name.

    >>> find("demos").title
    'Success against demonstrations'
    """
    if name not in EXPERIMENTS:
        raise BadInput(f"no experiment called {name!r}. {did_you_mean(name, EXPERIMENTS)}")
    module, _, kind = EXPERIMENTS[name].partition(":")
    experiment: Experiment = getattr(import_module(f"{__name__}.{module}"), kind)()
    return experiment
