"""Advice: which of the teacher's own clicks conflict when nothing fits.

A failure names two actions that no program distinguishes, one shown and one not. A teacher understands it better in
terms of clicks: here you clicked this; there, where it looks the same, you clicked something else. Under another
interpretation the two may not conflict.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from shown.demonstrations import Demonstrations
from shown.errors import BadInput
from shown.grid import Action, Grid, Tokens, check_action
from shown.inference.failure import Failure, numbered, taken
from shown.provenance import plain
from shown.teaching.interpretation.equivalence import Effects, effects_of
from shown.teaching.interpretation.interpretations import (
    EXACT_CLICKS,
    INTERPRETATIONS,
    Interpretation,
    interpret_step,
)
from shown.worlds import Game


@dataclass(frozen=True, slots=True)
class Click:
    """An action of the teacher and its position.

    Attributes:
        demonstration, step: indices of the demonstration, and of the step in it.
        counted: the action it counts as under the interpretation in use.
        refused: whether the teacher ruled the action out instead of taking it.
    """

    demonstration: int
    step: int
    grid: Grid
    action: Action
    counted: Action
    refused: bool = False

    @property
    def number(self) -> str:
        """Its name in a sentence; clicks count from 1."""
        return f"{'step' if isinstance(self.action, str) else 'click'} {self.step + 1}"


@dataclass(frozen=True, slots=True)
class Advice:
    """Two conflicting clicks of the teacher and ways to resolve the conflict.

    Attributes:
        here: the click that no rule explains.
        there: the click that contradicts it, made in a position that looks the same; `here` itself if it is its own.
        twin: the action that looks like that of `here` but was not taken in the position of `there`.
        interpretation: one that leaves the twin open, so that the two do not conflict; or None.
        problem: the conflict, in sentences. Games, clicks, rows and columns count from 1.
        remedies: what to do about it, one sentence each.
    """

    here: Click
    there: Click
    twin: Action
    interpretation: Interpretation | None
    problem: tuple[str, ...]
    remedies: tuple[str, ...]

    @property
    def text(self) -> str:
        """All sentences."""
        return " ".join(self.problem + self.remedies)

    def to_json(self) -> dict[str, Any]:
        better = self.interpretation
        named = None if better is None else better.to_json() | {"name": better.name}
        return {**plain(self), "interpretation": named, "text": self.text}


def advise(
    demonstrations: Demonstrations,
    failure: Failure,
    game: Game | Effects | None = None,
    interpretation: Interpretation = EXACT_CLICKS,
) -> Advice:
    """Find two conflicting clicks of the teacher, and say how to resolve the conflict.

    >>> from shown.worlds import find
    >>> from shown.grid import grid
    >>> from shown.inference.failure import Failure
    >>> fence_in = find("fence-in")
    >>> run = [(grid("####", "#S.#", "#..#"), (2, 1)), (grid("####", "#S.#", "##.#"), (2, 2))]
    >>> clicks = Demonstrations.from_runs(fence_in.tokens, [run])
    >>> advice = advise(clicks, Failure(0, 0, (2, 1), (2, 2), 0, 0, programs=100), fence_in)
    >>> print(*advice.problem, *advice.remedies, sep="\\n")
    In game 1, click 1 was on the empty cell in row 3, column 2.
    In game 1, before click 1, the empty cell in row 3, column 3 looks identical to me, \
but you clicked the empty cell in row 3, column 2, and this one only later, with click 2.
    If the empty cell in row 3, column 3 would have been just as good, \
let me interpret your clicks as: exact clicks, in any order; or play that game again and show that there.
    If not, I can't see the difference: play a small game that shows it or let me search more programs.
    If one of the clicks was a mistake, undo it.

    Args:
        failure: the reason why nothing fits.
        game: the rules, which decide what is equivalent and what can change places.
        interpretation: the interpretation under which nothing fitted.
    """
    known, twin, steps = effects_of(game), failure.other, dict(numbered(demonstrations))
    shown, other = (failure.demonstration, failure.step), (failure.other_demonstration, failure.other_step)

    def click(place: tuple[int, int]) -> Click:
        step, counted = steps[place], interpret_step(demonstrations, place, interpretation, known).action
        return Click(*place, step.grid, step.action, counted, step.refused)

    if shown not in steps or other not in steps or click(shown).counted != failure.action:
        raise BadInput(
            f"demonstration {failure.demonstration}, step {failure.step}, does not show {failure.action}: this "
            "failure belongs to other demonstrations. Pass those that were learned from, and their interpretation."
        )
    check_action(twin, steps[other].grid, demonstrations.buttons, "the failure's other ")
    same = [place for place, step in taken(demonstrations) if step.grid == steps[other].grid]
    if steps[other].refused and same:  # an action taken in that position says more than a refused one
        other = same[0]
    here, there = click(shown), click(other)
    places = (place for place, step in taken(demonstrations) if step.action == twin)
    later = next((click(place) for place in places if place[0] == other[0] and place > other), None)
    better = _better_interpretation(demonstrations, same, twin, known)
    problem = (_did(demonstrations.tokens, here), _but(demonstrations.tokens, there, twin, later))
    remedies = _remedies(_thing(demonstrations.tokens, there.grid, twin), better, failure.richer)
    return Advice(here, there, twin, better, problem, remedies)


def _better_interpretation(
    demonstrations: Demonstrations, places: Sequence[tuple[int, int]], twin: Action, known: Effects | None
) -> Interpretation | None:
    """Return the most plausible interpretation that leaves `twin` open in one of these steps."""
    for interpretation in INTERPRETATIONS:
        steps = (interpret_step(demonstrations, place, interpretation, known) for place in places)
        if any(twin == step.action or twin in step.open for step in steps):
            return interpretation
    return None


def _did(tokens: Tokens, click: Click) -> str:
    thing, counted = (_thing(tokens, click.grid, action) for action in (click.action, click.counted))
    did = "pressed" if isinstance(click.action, str) else "was on"
    counts = "" if click.counted == click.action else f", which counts as {counted}"
    return f"In game {click.demonstration + 1}, {click.number} {did} {thing}{counts}."


def _but(tokens: Tokens, there: Click, twin: Action, later: Click | None) -> str:
    did = "refused" if there.refused else "pressed" if isinstance(twin, str) else "clicked"
    when = "" if later is None else f", and this one only later, with {later.number}"
    return (
        f"In game {there.demonstration + 1}, before {there.number}, {_thing(tokens, there.grid, twin)} "
        f"looks identical to me, but you {did} {_thing(tokens, there.grid, there.action)}{when}."
    )


def _remedies(thing: str, better: Interpretation | None, richer: str | None) -> tuple[str, ...]:
    again = "play that game again and show that there"
    if better is not None:
        again = f"let me interpret your clicks as: {better.name}; or {again}"
    ways = ["play a small game that shows it", "let me search more programs"]
    ways += [f"let me use the {richer} vocabulary"] * (richer is not None)
    return (
        f"If {thing} would have been just as good, {again}.",
        f"If not, I can't see the difference: {', '.join(ways[:-1])} or {ways[-1]}.",
        "If one of the clicks was a mistake, undo it.",
    )


def _thing(tokens: Tokens, grid: Grid, action: Action) -> str:
    if isinstance(action, str):
        return f"the button {action}"
    name = tokens.name(grid[action]).replace("_", " ")
    return f"the {name}{' cell' if name == 'empty' else ''} in row {action[0] + 1}, column {action[1] + 1}"
