"""Corrections: where the computer goes wrong, it is shown what to do there; that is a demonstration from there on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shown.demonstrations import Demonstration
from shown.errors import BadInput
from shown.games.episodes import LevelWorld
from shown.games.game import Game
from shown.grid import Action
from shown.teaching.recording import Attempt, begin, play_on
from shown.world import Episode, Level, Player, World, play

if TYPE_CHECKING:
    from shown.policy import Policy


def position_at(world: World, player: Player, step: int, seed: int = 0) -> Attempt:
    """An attempt that begins where `player` takes its step number `step` (from 0)."""
    return stepping_in(play(world, player, seed), step)


def stepping_in(episode: Episode, step: int) -> Attempt:
    """An attempt that begins at a step of an episode. It has the level's name, since that is where it comes from."""
    steps, name = episode.steps, episode.level.name
    if not 0 <= step < len(steps):
        raise BadInput(f"{name}: there is no step {step}; that game has steps 0 to {len(steps) - 1}.")
    before = tuple(earlier.action for earlier in steps[:step])
    return begin(Level(name, steps[step].grid), episode.seed, before)


def show_from(world: World, position: Attempt, *actions: Action) -> Demonstration:
    """The demonstration of what to do in `position`, and after that, if more than one action is given."""
    attempt = position
    for number, action in enumerate(actions):
        before, attempt = attempt, play_on(world, attempt, action)
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
    world = LevelWorld(game, level)
    return show_from(world, position_at(world, policy.act, step, seed), *actions)
