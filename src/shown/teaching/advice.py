"""Advice: when nothing fits, or the rule only repeats what was shown, which of the teacher's own clicks are at odds.

A failure names two actions that no program tells apart, one shown and one not. A person understands better what they
did: here you clicked this; there, where it looks the same, you clicked something else. And the two may be at odds only
because of how the clicks were read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from shown.demonstrations import Demonstrations, Step
from shown.errors import BadInput
from shown.games.game import Game
from shown.grid import Action, Cell, Grid, Tokens, action_to_json, check_action
from shown.teaching.readings import AS_CLICKED, READINGS, Reading, read, read_step
from shown.teaching.same import Effects

if TYPE_CHECKING:
    from shown.inference.failure import Failure

FARTHEST = 4
"""How far around a click things are compared; nobody sees more at a glance."""

Place = tuple[int, int]
"""A demonstration and a step of it, counted from 0."""


@dataclass(frozen=True, slots=True)
class Click:
    """An action of the teacher's own, and the position it was taken in.

    Attributes:
        demonstration, step: which one it was, counted from 0.
        grid: the position.
        action: what the teacher did there.
        counted: what that counts as, under the reading that was used.
        refused: the teacher did not take it, but said "not this".
    """

    demonstration: int
    step: int
    grid: Grid
    action: Action
    counted: Action
    refused: bool = False

    def to_json(self) -> dict[str, Any]:
        return {
            "demonstration": self.demonstration,
            "step": self.step,
            "grid": list(self.grid.rows),
            "action": action_to_json(self.action),
            "counted": action_to_json(self.counted),
            "refused": self.refused,
        }


@dataclass(frozen=True, slots=True)
class Advice:
    """Two clicks of the teacher's own that are at odds, and what can be done about it.

    Attributes:
        here: the click that no rule explains.
        there: the click that speaks against it: what was done in another position, where it looks the same. If the two
            actions are of one position, a later click of that run on the other one; if there is none, `here` itself.
        twin: the action that looks like that of `here` and was not taken, be it in the other position or in this one.
        near: how far around the two everything looks the same; 0 if only the two cells themselves do, -1 if not even
            they do, and for buttons.
        reading: a reading under which the two are not at odds, since it says nothing against the twin; or None.
        problem: what is at odds, in sentences.
        remedies: what to do about it, one after the other.
    """

    here: Click
    there: Click
    twin: Action
    near: int
    reading: Reading | None
    problem: tuple[str, ...]
    remedies: tuple[str, ...]

    @property
    def text(self) -> str:
        """All sentences."""
        return " ".join(self.problem + self.remedies)

    def to_json(self) -> dict[str, Any]:
        return {
            "here": self.here.to_json(),
            "there": self.there.to_json(),
            "twin": action_to_json(self.twin),
            "near": self.near,
            "reading": self.reading.to_json() | {"name": self.reading.name} if self.reading is not None else None,
            "problem": list(self.problem),
            "remedies": list(self.remedies),
            "text": self.text,
        }


def advise(
    demonstrations: Demonstrations,
    failure: Failure | None = None,
    game: Game | Effects | None = None,
    reading: Reading = AS_CLICKED,
    readings: Sequence[Reading] = READINGS,
) -> Advice | None:
    """Which two of the teacher's own clicks are at odds, under which reading they would not be, and what to do.

    >>> from shown.games import find
    >>> from shown.grid import grid
    >>> from shown.inference.failure import Failure
    >>> fence_in = find("fence-in")
    >>> run = [(grid("####", "#S.#", "#..#"), (2, 1)), (grid("####", "#S.#", "##.#"), (2, 2))]
    >>> clicks = Demonstrations.from_runs(fence_in.tokens, [run])
    >>> advice = advise(clicks, Failure(0, 0, (2, 1), (2, 2), 0, 0, programs=100), fence_in)
    >>> print(*advice.problem, *advice.remedies, sep="\\n")
    In game 1, click 1 was on the empty cell in row 3, column 2, and click 2 on the empty cell in row 3, column 3.
    One is to me the same as the other, so I do not know why click 1 came first.
    If either could have come first, let me read your clicks like this: in any order.
    If not, play a small game in which only one of the two is there to be clicked.
    If one of the clicks was a slip, take it back.

    Args:
        demonstrations: what was shown, as it was clicked.
        failure: why nothing fits; None where something does, but the rule only repeats what was shown. Then those two
            actions are taken, one shown and one not, around which most looks the same.
        game: the rules, which tell what comes to the same and what can change places.
        reading: how the clicks were read when nothing fitted.
        readings: those to try, the likeliest first.

    Returns:
        The advice; None if there is no failure, and nothing that was shown looks like something that was not, or
        actions are buttons.
    """
    known = Effects(game) if isinstance(game, Game) else game
    lesson = _Lesson(demonstrations, reading, known)
    pair = lesson.most_alike() if failure is None else lesson.named_by(failure)
    if pair is None:
        return None
    here, there, twin = lesson.click(pair[0]), lesson.click(pair[1]), pair[2]
    one_board = here.grid == there.grid
    later = lesson.later(here if one_board else there, twin)
    near = how_near(here.grid, here.counted, there.grid, twin)
    better = lesson.better_reading(there.grid, twin, readings)
    alike, richer = ("looks just like", None) if failure is None else ("is to me the same as", failure.richer)
    words = _Words(demonstrations.tokens, alike, near, richer)
    if one_board and later is not None:
        there, problem, remedies = later, words.one_first(here, later), words.then_order(better)
    elif one_board:
        there, problem, remedies = here, words.one_board(here, twin), words.then_show(here, twin, better)
    elif later == here:
        problem, remedies = words.not_sooner(there, here), words.then_order(better)
    else:
        problem, remedies = words.two_boards(here, there, twin, later), words.then_show(there, twin, better)
    return Advice(here, there, twin, near, better, problem, remedies)


def how_near(grid: Grid, action: Action, other_grid: Grid, other: Action, most: int = FARTHEST) -> int:
    """How far around two clicked cells everything looks the same, in all eight directions; -1 if not even they do.

    >>> from shown.grid import grid
    >>> how_near(grid("..#..", "....."), (0, 1), grid("...#", "...."), (0, 2))
    1
    """
    if isinstance(action, str) or isinstance(other, str):
        return -1
    near = -1
    while near < most and _look(grid, action, near + 1) == _look(other_grid, other, near + 1):
        near += 1
    return near


def _look(grid: Grid, cell: Cell, far: int) -> list[str | None]:
    return [grid.get((cell[0] + r, cell[1] + c)) for r in range(-far, far + 1) for c in range(-far, far + 1)]


def _looks(grid: Grid, far: int) -> dict[Action, bytes]:
    """What is seen around each cell."""
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(grid.ordinals, far), (2 * far + 1, 2 * far + 1))
    return {(r, c): windows[r, c].tobytes() for r, c in grid.cells()}


@dataclass(frozen=True, slots=True)
class _Lesson:
    """What was shown, how it was read, and what is known of the rules."""

    demonstrations: Demonstrations
    reading: Reading
    known: Effects | None

    def click(self, place: Place) -> Click:
        d, s = place
        step = self.demonstrations.items[d].steps[s]
        counted = read_step(self.demonstrations, place, self.reading, self.known).action
        return Click(d, s, step.grid, step.action, counted, step.refused)

    def later(self, click: Click, action: Action) -> Click | None:
        """The next time in the same run that the teacher did take `action`."""
        d = click.demonstration
        for s, step in enumerate(self.demonstrations.items[d].steps):
            if s > click.step and step.action == action and not step.refused:
                return self.click((d, s))
        return None

    def better_reading(self, grid: Grid, twin: Action, readings: Iterable[Reading]) -> Reading | None:
        """The first reading that says nothing against `twin`, in that position."""
        places = [place for place, step in _taken(self.demonstrations) if step.grid == grid]
        for reading in readings:
            for place in places:
                step = read_step(self.demonstrations, place, reading, self.known)
                if twin == step.action or twin in step.open:
                    return reading
        return None

    def named_by(self, failure: Failure) -> tuple[Place, Place, Action]:
        shown, other = (failure.demonstration, failure.step), (failure.other_demonstration, failure.other_step)
        steps = {(d, s): step for d, item in enumerate(self.demonstrations) for s, step in enumerate(item.steps)}
        if shown not in steps or other not in steps or self.click(shown).counted != failure.action:
            raise BadInput(
                f"demonstration {failure.demonstration}, step {failure.step}, does not show {failure.action}: this "
                "failure is not of these demonstrations. Give those that were learned from, and how they were read."
            )
        check_action(failure.other, steps[other].grid, self.demonstrations.buttons, "the failure's other ")
        if steps[other].refused:  # what was done in that position says more than what was not to be done
            other = next(
                (place for place, step in _taken(self.demonstrations) if step.grid == steps[other].grid), other
            )
        return shown, other, failure.other

    def most_alike(self) -> tuple[Place, Place, Action] | None:
        """Where something was shown, where a cell was ruled out around which most looks the same, and that cell.

        Of cells equally alike, one of another demonstration is taken first, then one of another position.
        """
        if self.demonstrations.buttons:
            return None
        steps = list(_taken(read(self.demonstrations, self.reading, self.known)))
        first: dict[Grid, Place] = {}
        silent: dict[Grid, set[Action]] = {}  # of what is shown or open, nothing says that it was wrong
        for place, step in steps:
            first.setdefault(step.grid, place)
            silent.setdefault(step.grid, set()).update((step.action, *step.open))
        for far in range(FARTHEST, 0, -1):
            looks = {grid: _looks(grid, far) for grid in first}
            shown: dict[bytes, list[Place]] = {}
            for place, step in steps:
                shown.setdefault(looks[step.grid][step.action], []).append(place)
            pairs = [
                (here, there, cell)
                for grid, there in first.items()
                for cell, look in looks[grid].items()
                if cell not in silent[grid]
                for here in shown.get(look, ())
            ]
            if pairs:
                return min(pairs, key=lambda pair: (pair[0][0] == pair[1][0], pair[0] == pair[1], pair))
        return None


def _taken(demonstrations: Demonstrations) -> Iterator[tuple[Place, Step]]:
    """All steps and their places, without refusals."""
    for d, item in enumerate(demonstrations):
        for s, step in enumerate(item.steps):
            if not step.refused:
                yield (d, s), step


@dataclass(frozen=True, slots=True)
class _Words:
    """The sentences, for readers of ten years: games, clicks, rows and columns are counted from 1.

    Attributes:
        tokens: what things are called.
        alike: what is said of two actions that are taken for one another.
        near: how far around them everything looks the same.
        richer: a language whose words may tell them apart, if there is one to try.
    """

    tokens: Tokens
    alike: str
    near: int
    richer: str | None

    def one_first(self, here: Click, later: Click) -> tuple[str, ...]:
        came_first = f"so I do not know why click {here.step + 1} came first."
        return (self._did_both(here, later), f"One {self.alike} the other, {came_first}", *self._around())

    def not_sooner(self, sooner: Click, here: Click) -> tuple[str, ...]:
        before = f"Before click {sooner.step + 1}, {self._thing(here.grid, here.action)} was there to be clicked and"
        return (
            self._did_both(sooner, here),
            f"{before} looked the same to me, so I do not know why click {sooner.step + 1} came first.",
        )

    def one_board(self, here: Click, twin: Action) -> tuple[str, ...]:
        other = f"On the same board, {self._thing(here.grid, twin)} {self.alike} that, and you did not click it."
        return (self._did(here), other, *self._around())

    def two_boards(self, here: Click, there: Click, twin: Action, later: Click | None) -> tuple[str, ...]:
        did = "said no to" if there.refused else "clicked"
        when = f", and it only later, with click {later.step + 1}" if later is not None else ""
        return (
            self._did(here),
            f"In game {there.demonstration + 1}, before click {there.step + 1}, {self._thing(there.grid, twin)} "
            f"{self.alike} that, but you {did} {self._thing(there.grid, there.action)}{when}.",
            *self._around(),
        )

    def then_order(self, better: Reading | None) -> tuple[str, ...]:
        show = "lay a small game in which only one of the two is there to be clicked."
        if better is None:
            return (f"P{show}", _SLIP)
        return (f"If either could have come first, {_read_as(better)}.", f"If not, p{show}", _SLIP)

    def then_show(self, there: Click, twin: Action, better: Reading | None) -> tuple[str, ...]:
        ways = "play that game again and click it there"
        if better is not None:
            ways = f"{_read_as(better)}; or {ways}"
        help_me = "play a small game that shows it, or let me try more programs"
        if self.richer is not None:
            help_me += f" or the words of the {self.richer} language"
        return (
            f"If {self._thing(there.grid, twin)} would have been just as good, {ways}.",
            f"If not, I do not see the difference: {help_me}.",
            _SLIP,
        )

    def _did(self, click: Click) -> str:
        counted = f", which counts as {self._thing(click.grid, click.counted)}" if click.counted != click.action else ""
        place = f"In game {click.demonstration + 1}, click {click.step + 1} was on"
        return f"{place} {self._thing(click.grid, click.action)}{counted}."

    def _did_both(self, first: Click, second: Click) -> str:
        then = f"and click {second.step + 1} on {self._thing(second.grid, second.action)}"
        return f"{self._did(first).removesuffix('.')}, {then}."

    def _around(self) -> tuple[str, ...]:
        if self.near < 1:
            return ()
        where = "next to" if self.near == 1 else f"up to {self.near} cells around"
        return (f"Everything {where} the two looks the same as well.",)

    def _thing(self, grid: Grid, action: Action) -> str:
        if isinstance(action, str):
            return f"the button {action}"
        name = self.tokens.name(grid[action]).replace("_", " ")
        return f"the {name}{' cell' if name == 'empty' else ''} in row {action[0] + 1}, column {action[1] + 1}"


_SLIP = "If one of the clicks was a slip, take it back."


def _read_as(reading: Reading) -> str:
    return f"let me read your clicks like this: {reading.name}"
