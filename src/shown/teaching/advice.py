"""Advice: when nothing fits, or the rule only repeats what was shown, which of the teacher's own clicks are at odds.

A failure names two actions that no program tells apart, one shown and one not. A person understands better what they
did: here you clicked this; there, where it looks the same, you clicked something else. And the two may be at odds only
because of how the clicks were read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shown.demonstrations import Demonstrations
from shown.errors import BadInput
from shown.games.game import Game
from shown.grid import Action, Cell, Grid, Tokens, action_to_json
from shown.inference.failure import Failure
from shown.teaching.readings import AS_CLICKED, READINGS, Reading, distinct_readings, read
from shown.teaching.same import Effects

FARTHEST = 4
"""How far around a click things are compared; nobody sees more at a glance."""


@dataclass(frozen=True, slots=True)
class Click:
    """An action of the teacher's own, and the position it was taken in.

    Attributes:
        demonstration, step: which one it was, counted from 0.
        grid: the position.
        action: what the teacher did there.
        counted: what that counts as, under the reading that was used.
    """

    demonstration: int
    step: int
    grid: Grid
    action: Action
    counted: Action

    def to_json(self) -> dict[str, Any]:
        return {
            "demonstration": self.demonstration,
            "step": self.step,
            "grid": list(self.grid.rows),
            "action": action_to_json(self.action),
            "counted": action_to_json(self.counted),
        }


@dataclass(frozen=True, slots=True)
class Advice:
    """Two clicks of the teacher's own that are at odds, and what can be done about it.

    Attributes:
        here: the click that no rule explains.
        there: the click that speaks against it: what was done in another position, where it looks the same. If the two
            actions are of one position, a later click of that run on the other one; if there is none, `here` itself.
        twin: the action that looks like that of `here` and was not taken, in the other position or this one.
        near: how far around the two everything looks the same; 0 if only the two cells themselves do, -1 if not even
            they do, and for buttons.
        reading: a reading under which the two are not at odds, or None.
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
    >>> fence_in = find("fence-in")
    >>> run = [(grid("####", "#S.#", "#..#"), (2, 1)), (grid("####", "#S.#", "##.#"), (2, 2))]
    >>> clicks = Demonstrations.from_runs(fence_in.tokens, [run])
    >>> advice = advise(clicks, Failure(0, 0, (2, 1), (2, 2), 0, 0, programs=100), fence_in)
    >>> print(*advice.problem, *advice.remedies, sep="\\n")
    In game 1, click 1 was on the empty cell in row 3, column 2, and click 2 on the empty cell in row 3, column 3.
    One is to me the same as the other, so I do not know why click 1 came first.
    If either could have come first, let me read your clicks like this: in any order.
    Otherwise play a small game in which only one of the two is there to be clicked.
    If one of the clicks was a slip, take it back.

    Args:
        demonstrations: what was shown, as it was clicked.
        failure: why nothing fits; None where something does, but the rule only repeats what was shown. Then those two
            actions are taken, one shown and one not, around which most looks the same.
        game: the rules, which tell what comes to the same and what can change places.
        reading: how the clicks were read when nothing fitted.
        readings: those to try.

    Returns:
        The advice; None if there is no failure, and nothing that was shown looks like something that was not, or
        actions are buttons.
    """
    as_read = read(demonstrations, reading, game)
    if failure is None:
        pair = _most_alike(as_read)
        if pair is None:
            return None
        (d, s), (other_d, other_s), twin = pair
    else:
        _check(failure, as_read)
        d, s, other_d, other_s = failure.demonstration, failure.step, failure.other_demonstration, failure.other_step
        twin = failure.other
    here, there = (_click(demonstrations, as_read, *place) for place in ((d, s), (other_d, other_s)))
    near = how_near(here.grid, here.counted, there.grid, twin)
    read_as = distinct_readings(demonstrations, game, readings)
    better = next((r for r, shown in read_as.items() if not _at_odds(here, there.grid, twin, shown)), None)
    one_board = here.grid == there.grid
    later = _later(demonstrations, as_read, here if one_board else there, twin)
    words = _Words(demonstrations.tokens, "looks just like" if failure is None else "is to me the same as")
    if one_board and later is not None:
        return Advice(here, later, twin, near, better, words.order(here, later, near), words.then_order(better))
    if one_board:
        problem, there = words.one_board(here, twin, near), here
    else:
        problem = words.two_boards(here, there, twin, near, later)
    return Advice(here, there, twin, near, better, problem, words.then_show(there, twin, better))


def how_near(grid: Grid, action: Action, other_grid: Grid, other: Action, most: int = FARTHEST) -> int:
    """How far around two clicked cells everything looks the same, in all eight directions; -1 if not even they do.

    >>> from shown.grid import grid
    >>> how_near(grid("..#..", "....."), (0, 1), grid("...#", "...."), (0, 2))
    1
    """
    if isinstance(action, str) or isinstance(other, str):
        return -1
    near = -1
    while near < most and _around(grid, action, near + 1) == _around(other_grid, other, near + 1):
        near += 1
    return near


def _around(grid: Grid, cell: Cell, far: int) -> list[str | None]:
    return [grid.get((cell[0] + r, cell[1] + c)) for r in range(-far, far + 1) for c in range(-far, far + 1)]


def _check(failure: Failure, as_read: Demonstrations) -> None:
    try:
        step = as_read.items[failure.demonstration].steps[failure.step]
        as_read.items[failure.other_demonstration].steps[failure.other_step]
        known = step.action == failure.action
    except IndexError:
        known = False
    if not known:
        raise BadInput(
            f"demonstration {failure.demonstration}, step {failure.step}, does not show {failure.action}: this failure "
            "is not of these demonstrations. Give those that were learned from, and how they were read."
        )


def _click(demonstrations: Demonstrations, as_read: Demonstrations, d: int, s: int) -> Click:
    step = demonstrations.items[d].steps[s]
    return Click(d, s, step.grid, step.action, as_read.items[d].steps[s].action)


def _later(demonstrations: Demonstrations, as_read: Demonstrations, click: Click, action: Action) -> Click | None:
    """The next time in the same run that the teacher did take `action`."""
    d = click.demonstration
    for s in range(click.step + 1, len(demonstrations.items[d].steps)):
        found = _click(demonstrations, as_read, d, s)
        if action in (found.action, found.counted) and not demonstrations.items[d].steps[s].refused:
            return found
    return None


def _at_odds(here: Click, grid: Grid, twin: Action, as_read: Demonstrations) -> bool:
    """Whether, in demonstrations read in some way, what counted as shown still is and its twin is still ruled out."""
    shown = {(step.grid, step.action) for step in as_read.steps if not step.refused}
    opened = {action for step in as_read.steps if step.grid == grid for action in step.open}
    return (here.grid, here.counted) in shown and (grid, twin) not in shown and twin not in opened


Place = tuple[int, int]
"""A demonstration and a step of it."""


def _most_alike(as_read: Demonstrations) -> tuple[Place, Place, Action] | None:
    """Where something was shown, where a cell was ruled out around which most looks the same, and that cell.

    Of cells equally alike, one of another demonstration is taken first, then one of another position.
    """
    if as_read.buttons:
        return None
    places: dict[Grid, Place] = {}
    shown: dict[Grid, set[Action]] = {}
    silent: dict[Grid, set[Action]] = {}  # shown or open: not ruled out
    for d, item in enumerate(as_read):
        for s, step in enumerate(item.steps):
            if not step.refused:
                places.setdefault(step.grid, (d, s))
                shown.setdefault(step.grid, set()).add(step.action)
                silent.setdefault(step.grid, set()).update((step.action, *step.open))
    for far in range(FARTHEST, 0, -1):
        looks = {grid: dict(zip(grid.cells(), _looks(grid, far), strict=True)) for grid in places}
        shown_at: dict[bytes, list[Place]] = {}
        for d, item in enumerate(as_read):
            for s, step in enumerate(item.steps):
                if not step.refused:
                    shown_at.setdefault(looks[step.grid][step.action], []).append((d, s))
        pairs = [
            (here, there, cell)
            for grid, there in places.items()
            for cell, look in looks[grid].items()
            if cell not in silent[grid]
            for here in shown_at.get(look, ())
        ]
        if pairs:
            return min(pairs, key=lambda pair: (pair[0][0] == pair[1][0], pair[0] == pair[1], pair))
    return None


def _looks(grid: Grid, far: int) -> Iterable[bytes]:
    """What is seen around each cell, in reading order."""
    padded = np.pad(grid.ordinals, far)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (2 * far + 1, 2 * far + 1))
    return (look.tobytes() for row in windows for look in row)


@dataclass(frozen=True, slots=True)
class _Words:
    """The sentences, for readers of ten years: games, clicks, rows and columns are counted from 1.

    Attributes:
        tokens: what things are called.
        alike: what is said of two actions that are taken for one another.
    """

    tokens: Tokens
    alike: str

    def order(self, here: Click, later: Click, near: int) -> tuple[str, ...]:
        first, second = self._thing(here.grid, here.action), self._thing(later.grid, later.action)
        return (
            f"In game {here.demonstration + 1}, click {here.step + 1} was on {first}, and click {later.step + 1} on "
            f"{second}.",
            f"One {self.alike} the other, so I do not know why click {here.step + 1} came first.",
            *_around_them(near),
        )

    def one_board(self, here: Click, twin: Action, near: int) -> tuple[str, ...]:
        return (
            self._did(here),
            f"On the same board, {self._thing(here.grid, twin)} {self.alike} that, and you did not click it.",
            *_around_them(near),
        )

    def two_boards(self, here: Click, there: Click, twin: Action, near: int, later: Click | None) -> tuple[str, ...]:
        when = f", and it only later, with click {later.step + 1}" if later is not None else ""
        return (
            self._did(here),
            f"In game {there.demonstration + 1}, before click {there.step + 1}, {self._thing(there.grid, twin)} "
            f"{self.alike} that, but you clicked {self._thing(there.grid, there.action)}{when}.",
            *_around_them(near),
        )

    def then_order(self, better: Reading | None) -> tuple[str, ...]:
        return (
            *([f"If either could have come first, {_read_as(better)}."] if better is not None else []),
            "Otherwise play a small game in which only one of the two is there to be clicked.",
            _SLIP,
        )

    def then_show(self, there: Click, twin: Action, better: Reading | None) -> tuple[str, ...]:
        ways = "play that game again and click it there"
        if better is not None:
            ways = f"{_read_as(better)}; or {ways}"
        return (
            f"If {self._thing(there.grid, twin)} would have been just as good, {ways}.",
            "If not, I do not see the difference: play a small game that shows it, or let me try more programs.",
            _SLIP,
        )

    def _did(self, click: Click) -> str:
        counted = f", which counts as {self._thing(click.grid, click.counted)}" if click.counted != click.action else ""
        place = f"In game {click.demonstration + 1}, click {click.step + 1} was on"
        return f"{place} {self._thing(click.grid, click.action)}{counted}."

    def _thing(self, grid: Grid, action: Action) -> str:
        if isinstance(action, str):
            return f"the button {action}"
        name = self.tokens.name(grid[action]).replace("_", " ")
        return f"the {name}{' cell' if name == 'empty' else ''} in row {action[0] + 1}, column {action[1] + 1}"


_SLIP = "If one of the clicks was a slip, take it back."


def _around_them(near: int) -> tuple[str, ...]:
    if near < 1:
        return ()
    return (f"Everything {'next to' if near == 1 else f'up to {near} cells around'} the two looks the same as well.",)


def _read_as(reading: Reading) -> str:
    return f"let me read your clicks like this: {reading.name}"
