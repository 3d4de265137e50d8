"""Corrections: where the computer goes wrong, it is shown what to do there; that is a demonstration from there on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shown.demonstrations import Demonstration
from shown.errors import BadInput
from shown.games.episodes import Player, play
from shown.games.game import Game
from shown.games.levels import Level
from shown.grid import Action
from shown.teaching.recording import begin, play_on

if TYPE_CHECKING:
    from shown.policy import Policy


def position_at(game: Game, player: Player, level: Level, step: int, seed: int = 0) -> Level:
    """The position in which `player` takes its step number `step` (from 0) on `level`, to be played on from.

    It has the level's name, since that is where it comes from.
    """
    steps = play(game, player, level, seed).steps
    if not 0 <= step < len(steps):
        raise BadInput(f"{level.name}: there is no step {step}; that game has steps 0 to {len(steps) - 1}.")
    return Level(level.name, steps[step].grid)


def show_from(game: Game, position: Level, *actions: Action, seed: int = 0) -> Demonstration:
    """The demonstration of what to do in `position`, and after that, if more than one action is given."""
    attempt = begin(position, seed)
    for number, action in enumerate(actions):
        before, attempt = attempt, play_on(game, attempt, action)
        if attempt is before:
            raise BadInput(f"action {number}, {action}, changes nothing there, so it would show nothing.")
    if not attempt.steps:
        raise BadInput("a correction needs at least one action.")
    return attempt.demonstration


def correct(game: Game, policy: Policy, level: Level, step: int, *actions: Action, seed: int = 0) -> Demonstration:
    """What the policy should have done at `step` of its game on `level`: a demonstration that begins there.

    >>> from shown.games import find, load_levels
    >>> from shown.policy import uniform_policy
    >>> nim = find("nim")
    >>> clueless = uniform_policy(nim.tokens, "nim")
    >>> level = load_levels(nim, "train:0")[0]
    >>> fix = correct(nim, clueless, level, 0, nim.expert(level.grid))
    >>> len(fix.steps), fix.level, fix.steps[0].grid == level.grid
    (1, 'train:0', True)

    Args:
        game: the rules.
        policy: whose play is corrected.
        level: what it played.
        step: the number of the step that was wrong, from 0.
        actions: what to do instead, and after that.
        seed: of the game's own chances, in the policy's game as in what follows.
    """
    return show_from(game, position_at(game, policy.act, level, step, seed), *actions, seed=seed)
