"""The demonstrations of a trial: by the expert, with or without noise, or in a scripted style."""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import lru_cache

import numpy as np

from shown.demonstrations import Demonstrations
from shown.errors import BadInput
from shown.grid import Action, Grid
from shown.worlds import Game, Playable, demonstrate, load_levels, play
from shown.worlds.episodes import Player
from shown.worlds.games.floors import sensible_player
from shown.worlds.world import parse_seeds
from shown_evidence.styles import find_style
from shown_evidence.trials.released import RELEASED, released_demonstrations

FIRST_CLICK, RANDOM_CLICK = "first-click", "random-click"
KINDS = ("perfect", "independent", "correlated", FIRST_CLICK, RANDOM_CLICK)
"""The expert alone; with random clicks now and then, on any cell or on *token* cells; only the expert's first click of
each game; or a random click in its place, so that nothing is demonstrated."""

STYLE = "style:"
"""Prefix of a scripted style's name."""

NOISE = 0.2
"""Fraction of random actions in noisy demonstrations, as in the paper."""

TRAINING_LEVELS = 11


def demonstrations(place: Playable, levels: str, kind: str = "perfect", seed: int = 0) -> Demonstrations:
    """Return one demonstration per level; `kind` is one of `KINDS` or "style:NAME".

    Perfect ones equal those of `shown demonstrate`. A noisy action is played: the game continues from its outcome. In a
    world, `levels` are like "seeds:0,3,5-7", and only its expert demonstrates.

    >>> from shown.worlds import find
    >>> len(demonstrations(find("nim"), "train:0,train:4"))
    2
    >>> kinds = ("perfect", "style:points-first", "first-click", "random-click")
    >>> [len(demonstrations(find("nim"), "train:0", kind).steps) for kind in kinds]
    [4, 5, 1, 1]
    """
    check_kind(place.name, kind)
    game = place.rules
    if game is None:
        if kind != "perfect":
            raise BadInput(f"{place.name}: only its expert demonstrates, not {kind!r}.")
        return demonstrate(place, seeds_named(levels))
    if levels.startswith(RELEASED):
        return released_demonstrations(game, levels)
    starts = load_levels(game, levels)
    if kind.startswith(STYLE):
        return find_style(game.name, kind.removeprefix(STYLE)).demonstrate(starts, seed)
    if kind in ("perfect", FIRST_CLICK):
        shown = demonstrate(game, starts)
    else:
        rng = np.random.default_rng([seed, KINDS.index(kind)])
        player = sensible_player(game, rng) if kind == RANDOM_CLICK else _noisy_expert(game, kind, rng)
        items = tuple(play(game, player, level).demonstration for level in starts)
        shown = Demonstrations(game.tokens, items, game.name, game.buttons)
    if kind in (FIRST_CLICK, RANDOM_CLICK):
        first = (replace(item, steps=item.steps[:1], outcome="unfinished") for item in shown)
        return replace(shown, items=tuple(first))
    return shown


def _noisy_expert(game: Game, kind: str, rng: np.random.Generator) -> Player:
    """Return the expert with random clicks on any cell or, if they are correlated, on *token* cells."""
    elsewhere = {game.tokens["empty"]} if kind == "correlated" else set()

    def act(grid: Grid) -> Action:
        if rng.random() >= NOISE:
            return game.expert(grid)
        cells = [cell for cell in grid.cells() if grid[cell] not in elsewhere]
        return cells[rng.integers(len(cells))]

    return act


def seeds_named(text: str) -> list[int]:
    """Parse the starts of a world.

    >>> seeds_named("seeds:0,3,5-7")
    [0, 3, 5, 6, 7]
    """
    return parse_seeds(text.removeprefix("seeds:"))


def check_kind(game: str, kind: str) -> None:
    """Raise BadInput for an unknown kind of demonstrations."""
    if kind.startswith(STYLE):
        find_style(game, kind.removeprefix(STYLE))
    elif kind not in KINDS:
        raise BadInput(f"no demonstrations called {kind!r}. Known: {', '.join(KINDS)}, {STYLE}NAME.")


@lru_cache
def training_sets(size: int, count: int) -> tuple[str, ...]:
    """Return up to `count` distinct sets of `size` of the 11 training levels, equal for every game and method.

    >>> training_sets(1, 3)
    ('train:7', 'train:8', 'train:0')
    """
    sets = list(itertools.combinations(range(TRAINING_LEVELS), size))
    order = np.random.default_rng([2020, size]).permutation(len(sets))
    return tuple(",".join(f"train:{i}" for i in sets[k]) for k in order[:count])
