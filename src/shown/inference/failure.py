"""Why nothing fits: the demonstrated click that every program seen so far takes for another one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shown.demonstrations import Demonstrations
from shown.grid import Action, Grid
from shown.inference.features import Features
from shown.inference.posterior import Evidence
from shown.planes import Planes


@dataclass(frozen=True, slots=True)
class Failure:
    """Two actions that no program tells apart, one demonstrated and one not.

    Attributes:
        demonstration, step: where the first action was shown.
        action: what was shown.
        other: what looks the same but was not shown.
        other_demonstration, other_step: where that is; often the same step.
        programs: how many programs have been tried.
    """

    demonstration: int
    step: int
    action: Action
    other: Action
    other_demonstration: int
    other_step: int
    programs: int

    @property
    def text(self) -> str:
        more = self.programs * 5
        same = (self.demonstration, self.step) == (self.other_demonstration, self.other_step)
        place = "" if same else f" of demonstration {self.other_demonstration}, step {self.other_step}"
        what = "the click" if isinstance(self.action, tuple) else "the action"
        return (
            f"nothing fits demonstration {self.demonstration}, step {self.step}: among the first {self.programs:,} "
            f"programs none tells {what} {self.action} from {self.other}{place}. Try more programs "
            f"(--programs {more}), a little noise (--noise 0.001), or a primitive that sees the difference."
        )

    def to_json(self) -> dict[str, Any]:
        def plain(action: Action) -> Any:
            return action if isinstance(action, str) else [int(x) for x in action]

        return {
            "demonstration": self.demonstration,
            "step": self.step,
            "action": plain(self.action),
            "other": plain(self.other),
            "other_demonstration": self.other_demonstration,
            "other_step": self.other_step,
            "programs": self.programs,
            "text": self.text,
        }


def explain_failure(
    demonstrations: Demonstrations,
    states: Sequence[tuple[Grid, Planes, int, int]],
    features: Features,
    evidence: Evidence,
) -> Failure | None:
    """The first demonstrated row that looks to every feature like rows that outvote it, and one of those rows.

    Args:
        demonstrations: all that was shown.
        states: for every distinct state its grid, its planes, its number there, and the words before its batch's.
        features: the features.
        evidence: the rows.
    """
    steps = [(d, s, step) for d, item in enumerate(demonstrations) for s, step in enumerate(item.steps)]
    shown_at: dict[Grid, tuple[int, int]] = {}
    for d, s, step in steps:
        shown_at.setdefault(step.grid, (d, s))
    where = {grid: (world, number, before) for grid, world, number, before in states}
    for d, s, step in steps:
        world, number, before = where[step.grid]
        word, bit = world.row(number, step.action)
        alike = _rows_like(features, before + word, bit)
        unlike = alike & ~evidence.positive
        if int(np.bitwise_count(alike & evidence.positive).sum()) > int(np.bitwise_count(unlike).sum()):
            continue
        # The same state first: two clicks on one board are the easiest to look at.
        order = [(step.grid, world, number, before), *states]
        for grid, other_world, other_number, other_before in order:
            for action in other_world.buttons or grid.cells():
                other_word, other_bit = other_world.row(other_number, action)
                if int(unlike[other_before + other_word]) >> other_bit & 1:
                    od, os = (d, s) if grid == step.grid else shown_at[grid]
                    return Failure(d, s, step.action, action, od, os, len(features.of_program))
    return None


def _rows_like(features: Features, word: int, bit: int) -> np.ndarray:
    """The rows on which every feature has the value it has on this one. [R] uint64"""
    alike = features.mask.copy()
    for column in features.columns:
        alike &= column if int(column[word]) >> bit & 1 else ~column
    return alike
