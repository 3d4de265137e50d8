"""Corrections: demonstrations that begin where a policy went wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shown.demonstrations import Demonstration
from shown.errors import BadInput
from shown.grid import Action
from shown.teaching.dialogue.recording import Attempt, begin, play_on
from shown.worlds import Episode, Game, Level, World, play
from shown.worlds.episodes import Player
from shown.worlds.games.game import LevelWorld

if TYPE_CHECKING:
    from shown.policy import Policy


def position_at(world: World, player: Player, step: int, seed: int = 0) -> Attempt:
    """Return an attempt that begins before step `step` (from 0) of the player's episode."""
    return stepping_in(play(world, player, seed=seed), step)


def stepping_in(episode: Episode, step: int) -> Attempt:
    """Return an attempt that begins at a step of an episode, under the name of its level."""
    steps, name = episode.steps, episode.level.name
    if not 0 <= step < len(steps):
        raise BadInput(f"{name}: no step {step}; the game has steps 0 to {len(steps) - 1}.")
    before = tuple(earlier.action for earlier in steps[:step])
    return begin(Level(name, steps[step].grid), episode.seed, before)


def show_from(world: World, position: Attempt, *actions: Action) -> Demonstration:
    """Return the demonstration that takes these actions, one after the other, from `position`."""
    attempt = position
    for number, action in enumerate(actions):
        before, attempt = attempt, play_on(world, attempt, action)
        if attempt is before:
            raise BadInput(f"action {number}, {action}, changes nothing there, so it shows nothing.")
    if not attempt.steps:
        raise BadInput("a correction needs at least one action.")
    return attempt.demonstration


def correct(game: Game, policy: Policy, level: Level, step: int, *actions: Action, seed: int = 0) -> Demonstration:
    """Return a demonstration that begins at `step` of the policy's episode on `level`.

    >>> from shown.worlds import find, load_levels
    >>> from shown.policy import uniform_policy
    >>> nim = find("nim")
    >>> clueless = uniform_policy(nim.tokens, "nim")
    >>> level = load_levels(nim, "train:0")[0]
    >>> fix = correct(nim, clueless, level, 0, nim.expert(level.grid))
    >>> len(fix.steps), fix.level, fix.steps[0].grid == level.grid
    (1, 'train:0', True)

    `actions` are the right ones, from that step on; `seed` is that of the game's chances.
    """
    world = LevelWorld(game, level)
    return show_from(world, position_at(world, policy.act, step, seed), *actions)
