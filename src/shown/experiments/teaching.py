"""The demonstrations a trial learns from: the expert's, perfect or with noise, or those of people with a style."""

from __future__ import annotations

import itertools
import re
import zlib
from collections.abc import Iterable
from functools import lru_cache

import numpy as np

from shown.demonstrations import Demonstrations
from shown.errors import BadInput
from shown.experiments.styles import Style, find_style
from shown.games.episodes import Player, demonstrate, play
from shown.games.game import Game
from shown.games.levels import Level, load_levels
from shown.grid import Action, Grid
from shown.world import World, starts_of
from shown.world import demonstrate as demonstrate_world

DEMONSTRATIONS = ("perfect", "independent", "correlated")
"""How demonstrations can be given: by the expert alone, with a random action now and then, or a random *token* cell."""

STYLE = "style:"
"""Before the name of a style: demonstrations by people who play so (see `styles`)."""

NOISE = 0.2
"""How often an action of a noisy demonstration is random, as in the paper."""

TRAINING_LEVELS = 11


def demonstrations(game: Game, levels: str, kind: str = "perfect", seed: int = 0) -> Demonstrations:
    """One demonstration a level, by the game's expert; with noise, some of the actions taken are random.

    Perfect ones are those of `shown demonstrate`. A noisy action is played, not only noted: the game goes on from
    wherever it leads. Those of "style:NAME" are given by people who play in that style.

    >>> from shown.games import find
    >>> len(demonstrations(find("nim"), "train:0,train:4"))
    2
    >>> [len(demonstrations(find("nim"), "train:0", kind).steps) for kind in ("perfect", "style:points-first")]
    [4, 5]
    """
    check_kind(game.name, kind)
    found = load_levels(game, levels)
    if kind == "perfect":
        return demonstrate(game, found)
    if kind.startswith(STYLE):
        return demonstrate_style(game, find_style(game.name, kind.removeprefix(STYLE)), found, seed)
    rng = np.random.default_rng([seed, DEMONSTRATIONS.index(kind)])

    def teacher(grid: Grid) -> Action:
        if rng.random() >= NOISE:
            return game.expert(grid)
        cells = list(grid.cells())
        if kind == "correlated":
            cells = [cell for cell in cells if grid[cell] != game.tokens["empty"]]
        return cells[rng.integers(len(cells))]

    items = tuple(play(game, teacher, level).demonstration for level in found)
    return Demonstrations(game.tokens, items, game.name, game.buttons)


def world_demonstrations(world: World, seeds: str, kind: str = "perfect") -> Demonstrations:
    """The expert's demonstrations of a world, one a seed; `seeds` is as in "seeds:0,3,5-7"."""
    if kind != "perfect":
        raise BadInput(f"{world.name}: only its expert demonstrates, not {kind!r}.")
    return demonstrate_world(starts_of(world, seeds_named(seeds)))


def seeds_named(text: str) -> list[int]:
    """
    >>> seeds_named("seeds:0,3,5-7")
    [0, 3, 5, 6, 7]
    """
    match = _SEEDS.fullmatch(text)
    if match is None:
        raise BadInput(f"{text[:40]!r}: the starts of a world are its seeds, such as seeds:0,3,5-7.")
    parts = [part.partition("-") for part in match[1].split(",")]
    return [seed for first, _, last in parts for seed in range(int(first), int(last or first) + 1)]


_SEEDS = re.compile(r"seeds:(\d{1,6}(?:-\d{1,6})?(?:,\d{1,6}(?:-\d{1,6})?)*)")


def demonstrate_style(game: Game, style: Style, levels: Iterable[Level], seed: int = 0) -> Demonstrations:
    """The demonstrations of one who plays in a style, one a level.

    What is decided by chance depends on the level, the style and the seed alone, and not on the other levels.
    """

    def player(level: Level) -> Player:
        names = (zlib.crc32(name.encode()) for name in (level.name, style.name))
        return style.begin(level.grid, np.random.default_rng([seed, *names]))

    items = tuple(play(game, player(level), level, seed).demonstration for level in levels)
    return Demonstrations(game.tokens, items, game.name, game.buttons)


def check_kind(game: str, kind: str) -> None:
    """Raises BadInput unless demonstrations of a game can be given like this."""
    if kind.startswith(STYLE):
        find_style(game, kind.removeprefix(STYLE))
    elif kind not in DEMONSTRATIONS:
        raise BadInput(f"no demonstrations called {kind!r}. Known: {', '.join(DEMONSTRATIONS)}, {STYLE}NAME.")


@lru_cache
def training_sets(size: int, count: int) -> tuple[str, ...]:
    """`count` distinct sets of `size` of the 11 training levels, by name; the same for every game and method.

    Fewer where there are not so many: all 11 levels can be chosen in one way only.

    >>> training_sets(1, 3)
    ('train:7', 'train:8', 'train:0')
    """
    sets = list(itertools.combinations(range(TRAINING_LEVELS), size))
    order = np.random.default_rng([2020, size]).permutation(len(sets))
    return tuple(",".join(f"train:{i}" for i in sets[k]) for k in order[:count])
