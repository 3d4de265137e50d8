"""Where lessons begin: on the levels of a game, or from the seeds of a world.

A game can be put into any position, so its levels are positions. A world can only be played there: its levels are
seeds, and a position is a seed with the actions that lead to it.
"""

from __future__ import annotations

import re
from collections.abc import Hashable

import numpy as np

from shown.demonstrations import Demonstration
from shown.errors import BadInput, ShownError
from shown.grid import Action, Grid, check_action
from shown.language.walking import walking_grammar
from shown.teaching.dialogue.recording import Attempt, begin, play_on, world_after
from shown.worlds import Level, Playable
from shown.worlds.episodes import play_expert
from shown.worlds.games.levels import check_level
from shown.worlds.games.rule_errors import RULE_ERRORS, check_playable, outcome_of

LESSONS = 11  # number of seeds of a world that are offered as lessons


class Starts:
    """Where lessons in one game or world begin. `tests` are the levels that are watched first."""

    def __init__(self, game: Playable) -> None:
        self.game = game
        self.lessons = curriculum(game)
        self.tests = tuple(game.levels("test")) if game.has_levels else ()

    def named(self, kind: str, number: int) -> Level | None:
        """Return the level called `kind:number`, if there is one."""
        if kind == ("random" if self.game.has_levels else "seed"):
            return self.game.level(number)
        known = (*self.lessons, *self.tests)
        return next((level for level in known if level.name == f"{kind}:{number}"), None)

    def seed(self, level: Level, chance: int) -> int:
        """Return the seed that a level is played with: `chance`, where the level does not determine it."""
        return chance if self.game.has_levels else level.seed or 0

    def mark(self, level: str | None, first: Grid) -> Hashable:
        """Return what identifies a level that was demonstrated."""
        return first if self.game.has_levels else level

    def check(self, level: Level) -> None:
        """Raise BadInput unless this is a legal level. Every seed is one."""
        if self.game.rules is not None:
            check_level(self.game.rules, level.grid)

    def position(self, level: Level, seed: int, before: tuple[Action, ...]) -> Level:
        """Return a position in the course of an episode, to be played on from."""
        if self.game.rules is not None:
            check_playable(self.game.rules, level.grid)
            return level
        return Level(level.name, play_on(self.game, begin(self.game.level(seed), seed), *before).grid)

    def hint(self, attempt: Attempt) -> Action | None:
        """Return the expert's next action, or None if it has none."""
        try:
            action = world_after(self.game, attempt).expert()
            check_action(action, attempt.grid, self.game.buttons)
        except (ShownError, *RULE_ERRORS):
            return None
        return action

    def last(self, demonstration: Demonstration) -> Grid:
        """Return the grid after the last step of a demonstration from elsewhere; the last known one if the world did
        not go as it was demonstrated."""
        steps, seed = demonstration.steps, demonstration.seed
        if self.game.rules is not None:
            chances = np.random.default_rng(seed or 0)
            return outcome_of(self.game.rules, steps[-1].grid, steps[-1].action, chances).grid
        if seed is not None:
            try:
                again = play_on(self.game, begin(self.game.level(seed), seed), *(step.action for step in steps))
            except BadInput:
                return steps[-1].grid
            if [step.grid for step in again.steps] == [step.grid for step in steps]:
                return again.grid
        return steps[-1].grid


def curriculum(game: Playable) -> tuple[Level, ...]:
    """Return the training levels as lessons, those with the fewest clicks of the expert first; in a world, some seeds.

    >>> from shown.worlds import find
    >>> [level.name for level in curriculum(find("nim"))][:3]
    ['train:3', 'train:5', 'train:7']
    """
    if not game.has_levels:
        return tuple(game.level(seed) for seed in range(LESSONS))
    return tuple(sorted(game.levels("train"), key=lambda level: len(play_expert(game, level).steps)))


def key_of(name: str) -> str:
    """Return a name that is safe in file names, ids of the page and addresses.

    >>> key_of("stop-the-fall"), key_of("gym:FrozenLake-v1")
    ('stop-the-fall', 'gym_3a_FrozenLake-v1')
    """
    return re.sub(r"[^A-Za-z0-9-]", lambda match: f"_{ord(match[0]):x}_", name)


def walks(game: Playable) -> bool:
    """Return whether the walking vocabulary applies."""
    try:
        walking_grammar(game.tokens, game.buttons)
    except BadInput:
        return False
    return True
