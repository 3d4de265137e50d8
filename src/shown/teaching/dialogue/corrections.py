"""Corrections: demonstrations that begin where a policy went wrong."""

from __future__ import annotations

from shown.demonstrations import Demonstration
from shown.errors import BadInput
from shown.grid import Action
from shown.teaching.dialogue.recording import Attempt, begin, play_on
from shown.worlds import Episode, Level, World, play
from shown.worlds.episodes import Player


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
