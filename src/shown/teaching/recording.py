"""Recording: a person plays, every click is kept, and any of them can be taken back.

An attempt is plain data, and a click is a function from attempt to attempt. So undo and redo are two stacks of whatever
holds an attempt (`History`), for a game in the terminal as for a lesson in the studio.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

import numpy as np

from shown.demonstrations import Demonstration, Step
from shown.errors import BadInput
from shown.games.episodes import LevelWorld
from shown.games.game import Game, Outcome
from shown.games.levels import Level
from shown.grid import Action, Grid, check_action
from shown.world import World

MAX_UNDO = 500

WRONG_FOOTED = (
    *(ArithmeticError, AssertionError, AttributeError, LookupError, RuntimeError, StopIteration, TypeError),
    ValueError,
)
"""How rules and experts fail that were written for positions of the game, where somebody has made one up."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A level being played.

    Attributes:
        level: its name, and the position it was begun from.
        seed: of the game's own chances.
        steps: what was done so far, without what changed nothing.
        grid: the position now.
        won: the goal was reached.
        over: nothing more can be done: the game ended, or all the steps of an episode are used.
        before: what was done before it began, in a world that cannot be put into a position but only played there.
    """

    level: Level
    seed: int
    steps: tuple[Step, ...]
    grid: Grid
    won: bool = False
    over: bool = False
    before: tuple[Action, ...] = ()

    @property
    def outcome(self) -> str:
        return "won" if self.won else "lost" if self.over else "unfinished"

    @property
    def demonstration(self) -> Demonstration:
        return Demonstration(self.steps, self.level.name, self.seed, self.outcome)


def begin(level: Level, seed: int = 0, before: tuple[Action, ...] = ()) -> Attempt:
    """An attempt at `level` with nothing done yet."""
    return Attempt(level, seed, (), level.grid, before=before)


def play_on(game: Game | World, attempt: Attempt, action: Action) -> Attempt:
    """The attempt after one more action; the same one if that changes nothing, for then nothing was shown. (Where a
    world has more to it than can be seen, every action counts.)

    >>> from shown.games import find
    >>> from shown.grid import grid
    >>> attempt = begin(Level("mine", grid("|.", "||")))
    >>> play_on(find("nim"), attempt, (0, 1)) is attempt
    True
    >>> play_on(find("nim"), attempt, (0, 0)).steps[0].action
    (0, 0)
    """
    return play_all(game, attempt, (action,))


def play_all(game: Game | World, attempt: Attempt, actions: Iterable[Action]) -> Attempt:
    """The attempt after some more actions, one `play_on` each; those that change nothing are left out.

    >>> from shown.games import find
    >>> from shown.grid import grid
    >>> attempt = begin(Level("mine", grid("|.", "||")))
    >>> len(play_all(find("nim"), attempt, [(0, 1), (0, 0)]).steps)
    1
    """
    world: World | None = None
    for action in actions:
        if attempt.over:
            raise BadInput("this game is over. Undo the last click, or take another level.")
        check_action(action, attempt.grid, game.buttons)
        world = world or _played(game, attempt)
        with _on_firm_ground(game.title):
            outcome = world.step(action)
        if outcome.grid == attempt.grid and not outcome.over and world.seen_whole:
            world = None  # what was done in vain has not happened; not even a chance was taken
            continue
        steps = (*attempt.steps, Step(attempt.grid, action))
        over = outcome.over or len(attempt.before) + len(steps) >= game.max_steps
        attempt = replace(attempt, steps=steps, grid=outcome.grid, won=outcome.won, over=over)
    return attempt


def _played(game: Game | World, attempt: Attempt) -> World:
    """The world as the attempt has left it.

    The opponents' chances depend on the seed and what was done before; doing that again costs a millisecond or two and
    keeps attempts free of hidden state, so that undo, redo and a file read back all lead to the same game.
    """
    world = game if isinstance(game, World) else LevelWorld(game, attempt.level)
    world.reset(attempt.seed)
    for earlier in (*attempt.before, *(step.action for step in attempt.steps)):
        world.step(earlier)
    return world


def take_back(game: Game | World, attempt: Attempt) -> Attempt:
    """The attempt before its last action."""
    before = begin(attempt.level, attempt.seed, attempt.before)
    return play_all(game, before, [step.action for step in attempt.steps[:-1]])


def outcome_of(game: Game, grid: Grid, action: Action, rng: np.random.Generator) -> Outcome:
    """What `action` leads to; BadInput where the rules cannot go on from `grid`, such as one without its rabbit."""
    with _on_firm_ground(game.title):
        return game.step(grid, action, rng)


@contextlib.contextmanager
def _on_firm_ground(title: str) -> Iterator[None]:
    try:
        yield
    except WRONG_FOOTED as error:
        raise BadInput(
            f"{title} cannot be played from this position; a piece that every level has may be missing "
            f"({' '.join(str(error).split()) or type(error).__name__})."
        ) from None


def check_playable(game: Game, grid: Grid) -> None:
    """BadInput if no action at all can be played in `grid`, as where the rules miss a piece whatever is done."""
    refused: BadInput | None = None
    for action in game.buttons or grid.cells():
        try:
            outcome_of(game, grid, action, np.random.default_rng(0))
            return
        except BadInput as error:
            refused = error
    if refused is not None:
        raise refused


T = TypeVar("T")


@dataclass
class History(Generic[T]):
    """Something immutable with its past and its future.

    >>> history = History(1)
    >>> history.do(2)
    >>> history.undo(), history.present
    (True, 1)
    >>> history.redo(), history.present
    (True, 2)
    """

    present: T
    past: list[T] = field(default_factory=list)
    future: list[T] = field(default_factory=list)

    def do(self, then: T) -> None:
        """Makes `then` the present; the present itself again is nothing to undo."""
        if then is not self.present:
            self.past = [*self.past[-MAX_UNDO + 1 :], self.present]
            self.future.clear()
            self.present = then

    def undo(self) -> bool:
        """Goes back by one; False if there is nothing to go back to."""
        if not self.past:
            return False
        self.future.append(self.present)
        self.present = self.past.pop()
        return True

    def redo(self) -> bool:
        """Does again what was undone; False if there is nothing."""
        if not self.future:
            return False
        self.past.append(self.present)
        self.present = self.future.pop()
        return True


class Recorder:
    """One level being played, with undo. Actions that change nothing are not kept: they would teach nothing.

    >>> from shown.games import find
    >>> from shown.grid import grid
    >>> recorder = Recorder(find("nim"), Level("mine", grid("|.", "||")))
    >>> recorder.act((0, 1)), recorder.act((0, 0)), len(recorder.attempt.steps)
    (False, True, 1)
    >>> recorder.undo(), len(recorder.attempt.steps), recorder.redo(), len(recorder.attempt.steps)
    (True, 0, True, 1)
    """

    def __init__(self, game: Game | World, level: Level, seed: int = 0, before: tuple[Action, ...] = ()) -> None:
        self.game = game
        self._history = History(begin(level, seed, before))

    @property
    def attempt(self) -> Attempt:
        """What was done so far, without what was taken back."""
        return self._history.present

    @property
    def demonstration(self) -> Demonstration | None:
        """What was shown, or None if nothing was done yet."""
        return self.attempt.demonstration if self.attempt.steps else None

    def act(self, action: Action) -> bool:
        """Plays `action`; False if the game is over or nothing changed. An impossible one is an error."""
        before = self.attempt
        check_action(action, before.grid, self.game.buttons)
        if not before.over:
            self._history.do(play_on(self.game, before, action))
        return self.attempt is not before

    def undo(self) -> bool:
        """Takes the last action back; False if there is none."""
        return self._history.undo()

    def redo(self) -> bool:
        """Does again what was taken back; False if there is nothing."""
        return self._history.redo()

    def restart(self) -> bool:
        """Takes everything back (and `redo` would do it again); False if nothing was done."""
        if not self.undo():
            return False
        while self.undo():
            pass
        return True
