"""The paper's evidence, rerun, and what goes beyond it: one file an experiment, the results store, the report.

What is run
    trials.py           what a trial is, and the methods
    teaching.py         the demonstrations it learns from
    styles/             the people who give some of them: how each plays
    reserved.py         which generated levels are for choosing, and which for judging
    scoring.py          how its policy is scored
    fingerprint.py      which code it was: what makes a result stale
    machine.py          which machine it was
    runner.py           how trials are run
    networks.py         only the networks' trials, on a GPU, with NumPy and PyTorch alone
What is kept
    rows.py             what a result is, and what is none
    store.py            where results are kept
What is asked: which trials, and what is read from them
    experiment.py       what an experiment is
    floors.py           what is won by knowing nothing            (not in the paper)
    demos.py            success against demonstrations            (Figure 4)
    programs.py         success against programs enumerated       (Figure 5)
    ablations.py        LPP with a part taken away                (Figure 6)
    data_efficiency.py  networks with up to 5,000 demonstrations  (appendix)
    policies.py         the size of the learned policies          (appendix)
    noise.py            noisy demonstrations                      (appendix)
    breakout.py         Atari Breakout                            (appendix)
    pictures.py         games and a rule to look at               (Figures 1 and 3, appendix)
    minigrid.py         Minigrid's worlds                         (not in the paper)
    beyond.py           the expert's few demonstrations, ours     (not in the paper)
    additions.py        one of our additions at a time            (not in the paper)
    people.py           demonstrations by people                  (not in the paper)
    confidence.py       whether what is expected comes true       (not in the paper)
What is made of it
    statistics.py       selections, means, curves
    paper.py            all that the paper states
    claims.py           how a statement is judged
    figures.py          what is in a figure
    tables.py           what is in a table of success
    drawing.py          how it is drawn, for the page and for print
    words.py            how numbers are put into words
    summary.py          what was found, in ten lines
    origins.py          where results come from: code, levels, commit, machine
    report.py           all of it on one page
"""

from __future__ import annotations

from importlib import import_module

from shown.errors import BadInput, did_you_mean
from shown.experiments.experiment import Experiment

EXPERIMENTS: dict[str, str] = {
    "floors": "shown.experiments.floors",
    "demos": "shown.experiments.demos",
    "programs": "shown.experiments.programs",
    "ablations": "shown.experiments.ablations",
    "policies": "shown.experiments.policies",
    "noise": "shown.experiments.noise",
    "data-efficiency": "shown.experiments.data_efficiency",
    "breakout": "shown.experiments.breakout",
    "pictures": "shown.experiments.pictures",
    "minigrid": "shown.experiments.minigrid",
    "beyond": "shown.experiments.beyond",
    "additions": "shown.experiments.additions",
    "people": "shown.experiments.people",
    "confidence": "shown.experiments.confidence",
}
"""Where each experiment is. A module has one `EXPERIMENT`."""


def find(name: str) -> Experiment:
    """The experiment called `name`.

    >>> find("demos").title
    'Success against demonstrations'
    """
    if name not in EXPERIMENTS:
        raise BadInput(f"no experiment called {name!r}. {did_you_mean(name, EXPERIMENTS)}")
    experiment: Experiment = import_module(EXPERIMENTS[name]).EXPERIMENT
    return experiment
