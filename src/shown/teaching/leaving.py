"""Leaving demonstrations out: where nothing can be played, whether what was understood explains what it has not seen.

Each demonstration in turn is left out, and what is learned from the others is asked what to do in its positions. A
reading under which it does what was shown there is more likely what was meant; and the share of positions in which it
does is what can be expected of it elsewhere.
"""

from __future__ import annotations

from dataclasses import replace

from shown.demonstrations import Demonstrations
from shown.teaching.hypotheses import Fitter, Hypothesis, flattened
from shown.teaching.taught import Expectation

FOLDS = 5
"""At most so many demonstrations are left out in turn; of more, the first."""


def left_out(
    fitter: Fitter, hypothesis: Hypothesis, read: Demonstrations, temperature: float = 1.0
) -> Expectation | None:
    """In how many positions of demonstrations left out the others lead to what was shown there, or left open.

    >>> from shown.games import demonstrate, find, load_levels
    >>> from shown.teaching.readings import AS_CLICKED
    >>> nim = find("nim")
    >>> demos = demonstrate(nim, load_levels(nim, "train:0-4"))
    >>> found = left_out(Fitter(demos, 1000, 0), Hypothesis(AS_CLICKED), demos)
    >>> found.of == len(demos.steps) and found.share > 0.8
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
    right = asked = 0
    for k, item in enumerate(read.items[:FOLDS]):
        others = fitter.fit(hypothesis, replace(read, items=(*read.items[:k], *read.items[k + 1 :]))).policy
        steps = [step for step in item.steps if not step.refused]
        asked += len(steps)
        if others is not None and steps:
            done = flattened(others, temperature).act_many([step.grid for step in steps])
            right += sum(action in (s.action, *s.open) for action, s in zip(done, steps, strict=True))
    return Expectation(right, asked, "positions")
