"""Recording of a teacher's play, with undo.

An attempt is plain data, and a click is a function from attempt to attempt. So undo and redo are two stacks (`History`)
of any value that holds an attempt, such as a lesson in the studio.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from shown.demonstrations import Demonstration, Step
from shown.errors import BadInput
from shown.grid import Action, Grid, check_action
from shown.worlds import Level, Playable, World
from shown.worlds.games.rule_errors import rules_explained

MAX_UNDO = 500  # older states are forgotten


@dataclass(frozen=True, slots=True)
class Attempt:
    """A level being played.

    Attributes:
        seed: seed of the game's chances.
        steps: the steps so far, without those that changed nothing.
        grid: the current position.
        over: whether the game ended or the episode has no steps left.
        before: actions that lead to the first position, in a world that can reach it only by playing.
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
    """Return an attempt at `level` without any steps."""
    return Attempt(level, seed, (), level.grid, before=before)


def play_on(game: Playable, attempt: Attempt, *actions: Action) -> Attempt:
    """Return the attempt after some more actions, without those that change nothing, because they show nothing.

    The attempt itself is returned if none changes anything. In a partly hidden world every action counts.

    >>> from shown.worlds import find
    >>> from shown.grid import grid
    >>> attempt = begin(Level("mine", grid("|.", "||")))
    >>> play_on(find("nim"), attempt, (0, 1)) is attempt
    True
    >>> len(play_on(find("nim"), attempt, (0, 1), (0, 0)).steps)
    1
    """
    world: World | None = None
    for action in actions:
        if attempt.over:
            raise BadInput("this game is over. Undo the last click, or choose another level.")
        check_action(action, attempt.grid, game.buttons)
        world = world or world_after(game, attempt)
        with rules_explained(game.title):
            outcome = world.step(action)
        if outcome.grid == attempt.grid and not outcome.over and world.fully_observed:
            world = None  # drop the action, together with any chances it used
            continue
        steps = (*attempt.steps, Step(attempt.grid, action))
        over = outcome.over or len(attempt.before) + len(steps) >= game.max_steps
        attempt = replace(attempt, steps=steps, grid=outcome.grid, won=outcome.won, over=over)
    return attempt


def world_after(game: Playable, attempt: Attempt) -> World:
    """Return the world in the state that the attempt has reached.

    Replaying costs a millisecond or two and keeps attempts free of hidden state: undo, redo and a loaded file all lead
    to the same game.
    """
    world = game.world_at(attempt.level)
    world.reset(attempt.seed)
    for earlier in (*attempt.before, *(step.action for step in attempt.steps)):
        world.step(earlier)
    return world


def take_back(game: Playable, attempt: Attempt) -> Attempt:
    """Return the attempt without its last action."""
    before = begin(attempt.level, attempt.seed, attempt.before)
    return play_on(game, before, *(step.action for step in attempt.steps[:-1]))


T = TypeVar("T")


@dataclass
class History(Generic[T]):
    """An immutable value with undo and redo.

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
        """Go back by one; return False if there is nothing to undo."""
        if not self.past:
            return False
        self.future.append(self.present)
        self.present = self.past.pop()
        return True

    def redo(self) -> bool:
        """Go forward by one; return False if there is nothing to redo."""
        if not self.future:
            return False
        self.past.append(self.present)
        self.present = self.future.pop()
        return True
