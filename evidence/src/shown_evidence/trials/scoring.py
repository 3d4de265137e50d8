"""Scoring of a learned policy: it plays many levels side by side."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

from shown.demonstrations import Demonstrations
from shown.errors import BadInput
from shown.worlds import Game, Level, Playable, find_world, play_many
from shown.worlds.episodes import Episode, ManyPlayer, Tally, play_expert, tallies
from shown.worlds.games.floors import random_returns
from shown_evidence.baselines import Imitator
from shown_evidence.trials.demonstrators import seeds_named
from shown_evidence.trials.level_sets import UNSEEN, replaced, scored_levels
from shown_evidence.trials.released import RELEASED, released_levels

MAX_TRAINING_LEVELS = 20  # demonstrated levels played
SHOWN = "train"  # the demonstrated levels, in results
MAX_REPEATED_STEPS = 2000  # demonstrated steps compared with the policy's


def check_scored_on(scored_on: Sequence[str]) -> None:
    """Raise BadInput if a set of levels has the name under which results hold the demonstrated ones.

    >>> check_scored_on(["test", "train"])
    Traceback (most recent call last):
    shown.errors.BadInput: results hold the demonstrated levels under 'train'. Name levels to score on as train:0-10.
    """
    if SHOWN in scored_on:
        raise BadInput(f"results hold the demonstrated levels under {SHOWN!r}. Name levels to score on as train:0-10.")


def scores(
    place: Playable, imitator: Imitator, demos: Demonstrations, shown_on: str, scored_on: Sequence[str]
) -> dict[str, Any]:
    """Score a fitted imitator on levels of a game or seeds of a world.

    Returns "success" and "won" for each set in `scored_on` and for "train", the demonstrated levels, "fit", and the
    number of levels of each set that were "replaced" (see `level_sets.UNSEEN`). A part of the imitator has its results
    under its own name and that of the set: "rule random:0-99".
    """
    check_scored_on(scored_on)
    if place.rules is None:
        found = _world_scores(place, imitator, shown_on, scored_on)
    else:
        found = _level_scores(place.rules, imitator, shown_on, scored_on)
    return {**found, "fit": _fit(imitator, demos)}


def _level_scores(game: Game, imitator: Imitator, shown_on: str, scored_on: Sequence[str]) -> dict[str, Any]:
    sets = {spec: _levels(game, spec) for spec in scored_on}
    sets[SHOWN] = _levels(game, shown_on)[:MAX_TRAINING_LEVELS]
    result: dict[str, Any] = {"success": {}, "won": {}}
    played = iter(play_many(game, imitator, [level for levels in sets.values() for level in levels]))
    for spec, levels in sets.items():
        if spec.endswith(UNSEEN):
            result.setdefault("replaced", {})[spec] = replaced(spec, levels)
        _note_wins(result, spec, itertools.islice(played, len(levels)))
    for name, part in imitator.parts().items():
        for spec in scored_on:
            _note_wins(result, f"{name} {spec}", play_many(game, part, sets[spec]))
    return result


def _levels(game: Game, spec: str) -> list[Level]:
    return released_levels(game, spec) if spec.startswith(RELEASED) else scored_levels(game, spec)


def _world_scores(world: Playable, imitator: Imitator, shown_on: str, scored_on: Sequence[str]) -> dict[str, Any]:
    """Score on seeds, with the "reward" and the expert's from each start.

    A part of the imitator has its rewards under its own name and that of the set, and with parts, random play has its
    own as well ("random seeds:1-9"). A set may begin with the name of another world with equal grids and a space.
    """
    result: dict[str, Any] = {"success": {}, "won": {}, "reward": {}, "expert": {}}
    for spec in (*scored_on, SHOWN):
        name, _, seeds = (shown_on if spec == SHOWN else spec).rpartition(" ")
        starts = (find_world(name) if name else world).starts(seeds_named(seeds))
        ends = tallies(starts, imitator)
        _note_wins(result, spec, ends)
        result["reward"][spec] = [each.reward for each in ends]
        result["expert"][spec] = [play_expert(start, seed=seed).reward for start, seed in starts]
        if spec != SHOWN and (parts := imitator.parts()):
            for part, player in parts.items():
                result["reward"][f"{part} {spec}"] = [each.reward for each in tallies(starts, player)]
            result["reward"][f"random {spec}"] = list(random_returns(starts))
    return result


def _note_wins(result: dict[str, Any], spec: str, played: Iterable[Episode | Tally]) -> None:
    wins = [each.won for each in played]
    result["success"][spec] = round(sum(wins) / len(wins), 6)
    result["won"][spec] = "".join("1" if each else "0" for each in wins)


def _fit(policy: ManyPlayer, demos: Demonstrations) -> float:
    """Return the fraction of demonstrated actions that a policy repeats."""
    steps = demos.steps[:MAX_REPEATED_STEPS]
    acts = policy.act_many([step.grid for step in steps])
    return round(sum(act == step.action for act, step in zip(acts, steps, strict=True)) / len(steps), 6)
