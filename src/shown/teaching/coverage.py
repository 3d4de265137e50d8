"""Coverage of the demonstrated clicks by the printed rule: which clause stands for which, and what is left out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shown.demonstrations import Demonstrations, Step
from shown.grid import Grid
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
        parts = [f"It explains {self.explained} of your {total} {self.noun}s"]
        if self.idle:
            parts.append(f"{self._some(self.idle)} changed nothing")
        for count, what in (
            (self.winning, "something that wins as well"),
            (left - self.idle - self.winning, "something else"),
        ):
            if count:
                parts.append(f"for {self._some(count)} it does {what}")
        return "; ".join(parts) + "."

    def _some(self, count: int) -> str:
        left = len(self.steps) - self.explained
        return str(count) if count < left else "the other" if count == 1 else f"the other {count}"

    @property
    def firsts(self) -> list[int | None]:
        """The number of the first click that each clause stands for; None if it stands for none."""
        return [int(np.argmax(row)) if row.any() else None for row in self.allowed]

    @property
    def notes(self) -> list[str]:
        """A note for each clause, to print beside it; none if there is only one clause."""
        if len(self.allowed) == 1:
            return []
        return [self._note(row, first) for row, first in zip(self.allowed, self.firsts, strict=True)]

    def _note(self, row: np.ndarray, first: int | None) -> str:
        if first is None:
            return f"none of your {self.noun}s; found in practice"
        demonstration, step = self.places[first]
        count = f"{int(row.sum())} of your {len(self.steps)} {self.noun}s"
        return f"{count}; first: game {demonstration + 1}, {self.noun} {step + 1}"


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


def looks_alike(demonstrations: Demonstrations) -> str | None:
    """Return a sentence about positions that look the same, in which different buttons were pressed; None without any.

    What decides between the buttons may be hidden by the view.

    >>> from shown.grid import Tokens, grid
    >>> runs = [[(grid("A."), "left")], [(grid("A."), "right")]]
    >>> shown = Demonstrations.from_runs(Tokens(empty=".", agent="A"), runs, None, ("left", "right"))
    >>> print(looks_alike(shown))
    1 position came up with different actions: left (game 1, step 1) and right (game 2, step 1). \
If what decides is not on the grid, choose another view; #last adds what was there one step before.
    """
    if not demonstrations.buttons:
        return None
    first: dict[Grid, tuple[Step, str]] = {}
    found: dict[Grid, str] = {}
    for d, item in enumerate(demonstrations):
        for s, step in enumerate(step for step in item.steps if not step.refused):
            place = f"{step.action} (game {d + 1}, step {s + 1})"
            other, earlier = first.setdefault(step.grid, (step, place))
            if step.action != other.action and step.action not in other.open and other.action not in step.open:
                found.setdefault(step.grid, f"{earlier} and {place}")
    if not found:
        return None
    count = "1 position" if len(found) == 1 else f"{len(found)} positions"
    example = next(iter(found.values()))
    return (
        f"{count} came up with different actions: {example}. If what decides is not on the grid, choose another view; "
        "#last adds what was there one step before."
    )
