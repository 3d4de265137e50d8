"""Leaving demonstrations out: where nothing can be played, whether what was understood explains what it has not seen.

Each demonstration in turn is left out, and what is learned from the others is asked what to do in its positions. A
reading under which it does what was shown there is more likely what was meant; and the share of positions in which it
does is what can be expected of it elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from shown.demonstrations import Demonstrations
from shown.teaching.hypotheses import Fitter, Hypothesis, flattened
from shown.teaching.taught import Expectation

FOLDS = 5
"""At most so many demonstrations are left out in turn; of more, the first."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """How demonstrations that were left out are explained by the others.

    Attributes:
        expectation: in how many of their positions what was shown there, or left open, is done.
        explained: the same, but where a reading leaves further actions open, doing one of them explains only so much
            of what was shown as there is shown of them all; else the reading that says least would always win. From 0
            to 1.
    """

    expectation: Expectation
    explained: float


def left_out(fitter: Fitter, hypothesis: Hypothesis, read: Demonstrations, temperature: float = 1.0) -> LeftOut | None:
    """What is learned from all demonstrations but one, and what it does in the positions of that one; each in turn.

    >>> from shown.games import demonstrate, find, load_levels
    >>> from shown.teaching.readings import AS_CLICKED
    >>> nim = find("nim")
    >>> demos = demonstrate(nim, load_levels(nim, "train:0-4"))
    >>> left_out(Fitter(demos, 1000, 0), Hypothesis(AS_CLICKED), demos).explained > 0.8
    True

    Args:
        fitter: has all the demonstrations; nothing is evaluated again.
        hypothesis: how they are understood.
        read: the demonstrations as its reading has them.
        temperature: see `flattened`.

    Returns:
        None if there is only one demonstration.
    """
    if len(read) < 2:
        return None
    right, asked, explained = 0, 0, 0.0
    for k, item in enumerate(read.items[:FOLDS]):
        others = fitter.fit(hypothesis, replace(read, items=(*read.items[:k], *read.items[k + 1 :]))).policy
        steps = [step for step in item.steps if not step.refused]
        asked += len(steps)
        if others is None or not steps:
            continue
        for action, step in zip(flattened(others, temperature).act_many([s.grid for s in steps]), steps, strict=True):
            if action in (step.action, *step.open):
                right += 1
                explained += 1 / (1 + len(step.open))
    return LeftOut(Expectation(right, asked, "positions"), explained / asked if asked else 0.0)
