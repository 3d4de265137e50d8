"""The paper's experiments, rerun, and those that go beyond it: one file each.

random_play.py        random clicks                                (not in the paper)
demos.py              success against demonstrations               (Figure 4)
program_budget.py     success against programs enumerated          (Figure 5)
ablations.py          LPP without one of its parts                 (Figure 6)
data_efficiency.py    networks with up to 5,000 demonstrations     (appendix)
policy_sizes.py       the size of the learned policies             (appendix)
noise.py              noisy demonstrations                         (appendix)
atari_breakout.py     Atari Breakout                               (appendix)
pictures.py           games and a rule as pictures                 (Figures 1 and 3, appendix)
minigrid_worlds.py    worlds of Minigrid                           (not in the paper)
minatar_games.py      games of MinAtar, by return                  (not in the paper)
beyond.py             few demonstrations by the expert             (not in the paper)
additions.py          one addition to LPP at a time                (not in the paper)
scripted_styles.py    demonstrations in scripted styles            (not in the paper)
confidence.py         calibration of the expected success rate     (not in the paper)
one_rule.py           the printed rule beside all rules together   (not in the paper)
"""

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
