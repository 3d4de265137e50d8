"""Leave-one-out cross-validation of hypotheses, for demonstrations without a world to practice in.

Each demonstration in turn is predicted by a policy learned from the others. The share of positions in which it does
what was shown decides between interpretations, and is the success rate to expect.
"""

from __future__ import annotations

from dataclasses import dataclass

from shown.demonstrations import Demonstrations, Step
from shown.grid import Action
from shown.provenance import SuccessRate
from shown.teaching.interpretation.fitter import Fitter
from shown.teaching.interpretation.hypotheses import Hypothesis, flattened

MAX_FOLDS = 5  # only the first demonstrations are left out


@dataclass(frozen=True, slots=True)
class CrossValidation:
    """Result of a cross-validation.

    Attributes:
        expectation: number of left-out positions in which the policy does what was shown or is open.
        alone: the same of the most probable rule alone.
        explained: mean over these positions of 1 / (1 + number of open actions), 0 where the policy does otherwise. It
            keeps the interpretation that leaves most open from always winning. From 0 to 1.
    """

    expectation: SuccessRate
    alone: SuccessRate
    explained: float


def cross_validate(fitter: Fitter, hypothesis: Hypothesis, interpreted: Demonstrations) -> CrossValidation | None:
    """Predict each demonstration by a policy learned from the others; None if there is only one.

    >>> from shown.worlds import demonstrate, find, load_levels
    >>> from shown.teaching.interpretation.interpretations import EXACT_CLICKS
    >>> from shown.teaching.task import Task
    >>> nim = find("nim")
    >>> demos = demonstrate(nim, load_levels(nim, "train:0-4"))
    >>> cross_validate(Fitter(Task(demos, programs=1000)), Hypothesis(EXACT_CLICKS), demos).explained > 0.8
    True

    Args:
        fitter: fitter with all the demonstrations; no program is evaluated again.
        hypothesis: the hypothesis to validate.
        interpreted: the demonstrations under its interpretation.
    """
    if len(interpreted) < 2:
        return None
    right, alone, asked, explained = 0, 0, 0, 0.0
    for k, item in enumerate(interpreted.items[:MAX_FOLDS]):
        rest = interpreted.select(i for i in range(len(interpreted)) if i != k)
        others = fitter.fit(hypothesis, rest).policy
        steps = [step for step in item.steps if not step.refused]
        asked += len(steps)
        if others is None or not steps:
            continue
        grids = [step.grid for step in steps]
        alone += sum(map(_is_right, steps, others.map_policy.act_many(grids)))
        for step, action in zip(steps, flattened(others).act_many(grids), strict=True):
            if _is_right(step, action):
                right += 1
                explained += 1 / (1 + len(step.open))
    together, by_rule = (SuccessRate(count, asked, "positions") for count in (right, alone))
    return CrossValidation(together, by_rule, explained / asked if asked else 0.0)


def _is_right(step: Step, action: Action) -> bool:
    return action in (step.action, *step.open)
