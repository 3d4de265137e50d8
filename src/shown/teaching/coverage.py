"""Coverage of the demonstrated clicks by the printed rule: which clause stands for which, and what is left out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shown.demonstrations import Demonstrations, Step
from shown.inference.failure import taken
from shown.policy import Policy
from shown.teaching.interpretation.equivalence import effects_of
from shown.worlds import Level, Playable, wins


@dataclass(frozen=True)
class Coverage:
    """Coverage of the demonstrated clicks, refused ones apart, by the printed rule.

    Attributes:
        steps: the clicks.
        places: demonstration and number of each, counted from 0.
        allowed: whether each clause, its mirror images included, allows each click. [clauses, N] bool
        idle: number of clicks that the rule does not allow because they change nothing.
        winning: number of other clicks that it does not allow but wins without, played on from there.
        noun: what the clicks are called.
    """

    steps: tuple[Step, ...]
    places: tuple[tuple[int, int], ...]
    allowed: np.ndarray
    idle: int
    winning: int
    noun: str

    @property
    def explained(self) -> int:
        """The number of clicks that the rule allows."""
        return int(self.allowed.any(axis=0).sum())

    @property
    def sentence(self) -> str:
        """What the rule explains, and what it does where it explains nothing."""
        total, left = len(self.steps), len(self.steps) - self.explained
        if not left:
            return f"It explains all of your {total} {self.noun}s."
        others = left - self.idle - self.winning
        parts = (
            (self.idle, f"{self.idle} changed nothing"),
            (self.winning, f"for {self.winning} it does something that wins as well"),
            (others, f"for {others} it does something else"),
        )
        whys = [why for count, why in parts if count]
        return "; ".join([f"It explains {self.explained} of your {total} {self.noun}s", *whys]) + "."

    @property
    def clauses(self) -> list[tuple[int, int | None]]:
        """The number of clicks that each clause stands for, and which of all is the first; None if there is none."""
        return [(int(row.sum()), int(np.argmax(row)) if row.any() else None) for row in self.allowed]

    @property
    def notes(self) -> list[str]:
        """A note for each clause, to print beside it; none if there is only one clause."""
        return [self._note(*clause) for clause in self.clauses] if len(self.allowed) > 1 else []

    def _note(self, count: int, first: int | None) -> str:
        if first is None:
            return f"none of your {self.noun}s; found in practice"
        demonstration, step = self.places[first]
        return (
            f"{count} of your {len(self.steps)} {self.noun}s; first: game {demonstration + 1}, {self.noun} {step + 1}"
        )


def coverage(policy: Policy, demonstrations: Demonstrations, world: Playable | None = None) -> Coverage:
    """Return the coverage of the demonstrated clicks by the policy's printed rule.

    >>> from shown.inference.learner import Learner
    >>> from shown.worlds import demonstrate, find, load_levels
    >>> nim = find("nim")
    >>> shown = demonstrate(nim, load_levels(nim, "train:0-2"))
    >>> coverage(Learner(programs=1000).fit(shown).policy_, shown, nim).sentence
    'It explains all of your 10 clicks.'

    Args:
        policy: the policy.
        demonstrations: the clicks as they were made.
        world: the game or world; without its rules, nothing is known about clicks that the rule does not allow.
    """
    shown = taken(demonstrations)
    places, steps = tuple(place for place, _ in shown), tuple(step for _, step in shown)
    allowed = policy.clauses_allow(steps)
    effects, left, idle = effects_of(world), [], 0
    for k in np.flatnonzero(~allowed.any(axis=0)).tolist():
        outcome = None if effects is None else effects.certain(steps[k].grid, steps[k].action)
        if outcome is not None and not outcome.over and outcome.grid == steps[k].grid:
            idle += 1
        else:
            left.append(steps[k].grid)
    winning = 0
    if world is not None and effects is not None:
        winning = sum(wins(world.starts([Level("shown", grid) for grid in left]), policy.map_policy))
    noun = "action" if policy.buttons else "click"
    return Coverage(steps, places, allowed, idle, winning, noun)
