"""Advice: which of the teacher's own clicks conflict when nothing fits, or when the rule only memorizes.

A failure names two actions that no program distinguishes, one shown and one not. A teacher understands it better in
terms of clicks: here you clicked this; there, where it looks the same, you clicked something else. Under another
interpretation the two may not conflict.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

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
    interpret,
    interpret_step,
)
from shown.worlds import Game

MAX_DISTANCE = 4  # surroundings of two clicks are compared up to this many cells away

StepIndex = tuple[int, int]
"""A demonstration and a step in it, counted from 0."""


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


@dataclass(frozen=True, slots=True)
class Advice:
    """Two conflicting clicks of the teacher and ways to resolve the conflict.

    Attributes:
        here: the click that no rule explains.
        there: the click that contradicts it, made in another position that looks the same. If both actions belong to
            one position, a later click of that run on the other one, or `here` itself if there is none.
        twin: the action that looks like that of `here` but was not taken in the position of `there`.
        near: distance up to which the surroundings of the two are equal; 0 if only the cells themselves are, -1 if not
            even those, and for buttons.
        interpretation: one that leaves the twin open, so that the two do not conflict; or None.
        problem: the conflict, in sentences.
        remedies: what to do about it, one sentence each.
    """

    here: Click
    there: Click
    twin: Action
    near: int
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
    failure: Failure | None = None,
    game: Game | Effects | None = None,
    interpretation: Interpretation = EXACT_CLICKS,
) -> Advice | None:
    """Find two conflicting clicks of the teacher, and say how to resolve the conflict.

    >>> from shown.worlds import find
    >>> from shown.grid import grid
    >>> from shown.inference.failure import Failure
    >>> fence_in = find("fence-in")
    >>> run = [(grid("####", "#S.#", "#..#"), (2, 1)), (grid("####", "#S.#", "##.#"), (2, 2))]
    >>> clicks = Demonstrations.from_runs(fence_in.tokens, [run])
    >>> advice = advise(clicks, Failure(0, 0, (2, 1), (2, 2), 0, 0, programs=100), fence_in)
    >>> print(*advice.problem, *advice.remedies, sep="\\n")
    In game 1, click 1 was on the empty cell in row 3, column 2, and click 2 on the empty cell in row 3, column 3.
    These two cells look identical to me, so I can't tell why click 1 came first.
    If either could have come first, let me interpret your clicks as: exact clicks, in any order.
    If not, play a small game in which only one of the two can be clicked.
    If one of the clicks was a mistake, undo it.

    Args:
        failure: the reason why nothing fits; None if a rule fits but only memorizes. Then the shown and the ruled-out
            action with the most similar surroundings are taken.
        game: the rules, which decide what is equivalent and what can change places.
        interpretation: the interpretation under which nothing fitted.

    Returns:
        The advice. None if there is no failure and no two such actions look alike, or actions are buttons.
    """
    known = effects_of(game)
    lesson = _Lesson(demonstrations, interpretation, known)
    pair = lesson.most_alike() if failure is None else lesson.named_by(failure)
    if pair is None:
        return None
    here, there, twin = lesson.click(pair[0]), lesson.click(pair[1]), pair[2]
    one_board = here.grid == there.grid
    later = lesson.later(here if one_board else there, twin)
    near = how_near(here.grid, here.counted, there.grid, twin)
    better = lesson.better_interpretation(there.grid, twin)
    alike, richer = ("similar", None) if failure is None else ("identical to me", failure.richer)
    words = _Sentences(demonstrations.tokens, alike, near, richer)
    if one_board and later is not None:
        there, problem, remedies = later, words.one_first(here, later), words.then_order(better)
    elif one_board:
        there, problem, remedies = here, words.one_board(here, twin), words.then_show(here, twin, better)
    elif later == here:
        problem, remedies = words.not_sooner(there, here), words.then_order(better)
    else:
        problem, remedies = words.two_boards(here, there, twin, later), words.then_show(there, twin, better)
    return Advice(here, there, twin, near, better, problem, remedies)


def how_near(grid: Grid, action: Action, other_grid: Grid, other: Action) -> int:
    """Return the distance up to which the surroundings of two cells are equal; -1 if the cells themselves differ.

    >>> from shown.grid import grid
    >>> how_near(grid("..#..", "....."), (0, 1), grid("...#", "...."), (0, 2))
    1
    """
    if isinstance(action, str) or isinstance(other, str):
        return -1
    near = -1
    while near < MAX_DISTANCE and _looks(grid, near + 1)[action] == _looks(other_grid, near + 1)[other]:
        near += 1
    return near


def _looks(grid: Grid, far: int) -> np.ndarray:
    """Return the surroundings of each cell as one value each. [H, W] void"""
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(grid.ordinals, far), (2 * far + 1, 2 * far + 1))
    flat = np.ascontiguousarray(windows).reshape(grid.height, grid.width, -1)
    return flat.view(np.dtype((np.void, flat.shape[-1] * flat.itemsize)))[..., 0]


@dataclass(frozen=True, slots=True)
class _Lesson:
    """Demonstrations, their interpretation, and the effects of actions if the rules are known."""

    demonstrations: Demonstrations
    interpretation: Interpretation
    known: Effects | None

    def click(self, place: StepIndex) -> Click:
        d, s = place
        step = self.demonstrations.items[d].steps[s]
        counted = interpret_step(self.demonstrations, place, self.interpretation, self.known).action
        return Click(d, s, step.grid, step.action, counted, step.refused)

    def later(self, click: Click, action: Action) -> Click | None:
        """Return the next click of the same run on `action`."""
        d = click.demonstration
        for s, step in enumerate(self.demonstrations.items[d].steps):
            if s > click.step and step.action == action and not step.refused:
                return self.click((d, s))
        return None

    def better_interpretation(self, grid: Grid, twin: Action) -> Interpretation | None:
        """Return the most plausible interpretation that leaves `twin` open in that position."""
        places = [place for place, step in taken(self.demonstrations) if step.grid == grid]
        for interpretation in INTERPRETATIONS:
            for place in places:
                step = interpret_step(self.demonstrations, place, interpretation, self.known)
                if twin == step.action or twin in step.open:
                    return interpretation
        return None

    def named_by(self, failure: Failure) -> tuple[StepIndex, StepIndex, Action]:
        shown, other = (failure.demonstration, failure.step), (failure.other_demonstration, failure.other_step)
        steps = dict(numbered(self.demonstrations))
        if shown not in steps or other not in steps or self.click(shown).counted != failure.action:
            raise BadInput(
                f"demonstration {failure.demonstration}, step {failure.step}, does not show {failure.action}: this "
                "failure belongs to other demonstrations. Pass those that were learned from, and their interpretation."
            )
        check_action(failure.other, steps[other].grid, self.demonstrations.buttons, "the failure's other ")
        if steps[other].refused:  # an action taken in that position says more than a refused one
            same = (place for place, step in taken(self.demonstrations) if step.grid == steps[other].grid)
            other = next(same, other)
        return shown, other, failure.other

    def most_alike(self) -> tuple[StepIndex, StepIndex, Action] | None:
        """Return a shown step, the step that rules out the cell with the most similar surroundings, and that cell.

        Of equally similar cells, those of other demonstrations come first, then those of other positions.
        """
        if self.demonstrations.buttons:
            return None
        steps = taken(interpret(self.demonstrations, self.interpretation, self.known))
        first: dict[Grid, StepIndex] = {}
        silent: dict[Grid, set[Action]] = {}  # shown or open, so not ruled out
        for place, step in steps:
            first.setdefault(step.grid, place)
            silent.setdefault(step.grid, set()).update((step.action, *step.open))
        for far in range(MAX_DISTANCE, 0, -1):
            shown: dict[bytes, list[StepIndex]] = {}
            looks = {grid: _looks(grid, far) for grid in first}
            for place, step in steps:
                shown.setdefault(looks[step.grid][step.action].tobytes(), []).append(place)
            wanted = np.array([np.void(look) for look in shown])
            pairs = [
                (here, there, (row, column))
                for grid, there in first.items()
                for row, column in np.argwhere(np.isin(looks[grid], wanted)).tolist()
                if (row, column) not in silent[grid]
                for here in shown[looks[grid][row, column].tobytes()]
            ]
            if pairs:
                return min(pairs, key=lambda pair: (pair[0][0] == pair[1][0], pair[0] == pair[1], pair))
        return None


@dataclass(frozen=True, slots=True)
class _Sentences:
    """The sentences, in words that children understand. Games, clicks, rows and columns are counted from 1.

    Attributes:
        alike: "identical to me" if no program distinguishes the two actions, else "similar".
        near: distance up to which their surroundings are equal.
        richer: a vocabulary that may distinguish them, or None.
    """

    tokens: Tokens
    alike: str
    near: int
    richer: str | None

    def one_first(self, here: Click, later: Click) -> tuple[str, ...]:
        two = "These two buttons" if isinstance(here.action, str) else "These two cells"
        why = f"{two} look {self.alike}, so I can't tell why {_number(here)} came first."
        return (self._did_both(here, later), why, *self._around())

    def not_sooner(self, sooner: Click, here: Click) -> tuple[str, ...]:
        before = f"Before {_number(sooner)}, {self._thing(here.grid, here.action)} was already there and looked"
        why = f"{before} {self.alike}, so I can't tell why {_number(sooner)} came first."
        return (self._did_both(sooner, here), why)

    def one_board(self, here: Click, twin: Action) -> tuple[str, ...]:
        not_done = "press" if isinstance(twin, str) else "click"
        other = f"On the same board, {self._thing(here.grid, twin)} looks {self.alike}, but you did not {not_done} it."
        return (self._did(here), other, *self._around())

    def two_boards(self, here: Click, there: Click, twin: Action, later: Click | None) -> tuple[str, ...]:
        did = "refused" if there.refused else "pressed" if isinstance(twin, str) else "clicked"
        when = f", and this one only later, with {_number(later)}" if later is not None else ""
        other = (
            f"In game {there.demonstration + 1}, before {_number(there)}, {self._thing(there.grid, twin)} "
            f"looks {self.alike}, but you {did} {self._thing(there.grid, there.action)}{when}."
        )
        return (self._did(here), other, *self._around())

    def then_order(self, better: Interpretation | None) -> tuple[str, ...]:
        show = "lay a small game in which only one of the two can be clicked."
        if better is None:
            return (f"P{show}", _UNDO)
        return (f"If either could have come first, {_interpret_as(better)}.", f"If not, p{show}", _UNDO)

    def then_show(self, there: Click, twin: Action, better: Interpretation | None) -> tuple[str, ...]:
        again = f"play that game again and {'press' if isinstance(twin, str) else 'click'} it there"
        if better is not None:
            again = f"{_interpret_as(better)}; or {again}"
        ways = ["play a small game that shows it", "let me search more programs"]
        ways += [f"let me use the {self.richer} vocabulary"] * (self.richer is not None)
        return (
            f"If {self._thing(there.grid, twin)} would have been just as good, {again}.",
            f"If not, I can't see the difference: {', '.join(ways[:-1])} or {ways[-1]}.",
            _UNDO,
        )

    def _did(self, click: Click) -> str:
        counted = f", which counts as {self._thing(click.grid, click.counted)}" if click.counted != click.action else ""
        did = "pressed" if isinstance(click.action, str) else "was on"
        place = f"In game {click.demonstration + 1}, {_number(click)} {did}"
        return f"{place} {self._thing(click.grid, click.action)}{counted}."

    def _did_both(self, first: Click, second: Click) -> str:
        on = "" if isinstance(second.action, str) else "on "
        then = f"and {_number(second)} {on}{self._thing(second.grid, second.action)}"
        return f"{self._did(first).removesuffix('.')}, {then}."

    def _around(self) -> tuple[str, ...]:
        if self.near < 1:
            return ()
        where = "next to" if self.near == 1 else f"within {self.near} cells of"
        return (f"Everything {where} them looks the same, too.",)

    def _thing(self, grid: Grid, action: Action) -> str:
        if isinstance(action, str):
            return f"the button {action}"
        name = self.tokens.name(grid[action]).replace("_", " ")
        return f"the {name}{' cell' if name == 'empty' else ''} in row {action[0] + 1}, column {action[1] + 1}"


def _number(click: Click) -> str:
    """
    >>> _number(Click(0, 2, Grid(("A",)), "left", "left", False))
    'step 3'
    """
    return f"{'step' if isinstance(click.action, str) else 'click'} {click.step + 1}"


_UNDO = "If one of the clicks was a mistake, undo it."


def _interpret_as(interpretation: Interpretation) -> str:
    return f"let me interpret your clicks as: {interpretation.name}"
