"""Levels by name: `train:0-10`, `test:0-8`, `random:0-999`, a file, or a level as text."""

from __future__ import annotations

import os
import re
from collections.abc import Collection
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from shown.errors import BadInput, BadLevel, did_you_mean, short
from shown.files import read_json
from shown.grid import Grid
from shown.worlds.world import Level as Level

if TYPE_CHECKING:
    from shown.worlds.games.game import Game

SETS = ("train", "test", "random")
TRAIN, TEST = 11, 9
MAX_LEVELS = 100_000
MAX_DRAWS = 200  # attempts to generate a new level; after that, levels repeat
_RANGE = re.compile(r"(?P<set>[a-z]+):(?P<first>\d{1,12})(-(?P<last>\d{1,12}))?")


def load_levels(game: Game, spec: str) -> list[Level]:
    """Return the levels that `spec` names; commas join several. Text of several lines is itself a level.

    >>> from shown.worlds import find
    >>> [level.name for level in load_levels(find("nim"), "train:0-1,random:7")]
    ['train:0', 'train:1', 'random:7']
    """
    if "\n" in spec:
        return [Level("level", parse_level(game, spec))]
    levels: list[Level] = []
    for part in spec.split(","):
        levels += _load(game, part.strip())
    if not levels:
        raise BadInput(f"{spec}: contains no levels.")
    return levels


def built_in(game: Game, which: str) -> list[Level]:
    """Return the `train` or `test` levels of a game, from the folder `levels` beside it, or else generated."""
    package = type(game).__module__.rpartition(".")[0]
    file = files(package) / "levels" / f"{game.name}-{which}.txt" if package else None
    if file is not None and file.is_file():
        return [
            Level(f"{which}:{i}", parse_level(game, block, f"{game.name}, {which}:{i}"))
            for i, block in enumerate(blocks(file.read_text("utf-8")))
        ]
    grids = _drawn(game, TRAIN + TEST)
    return [Level(f"{which}:{i}", grid) for i, grid in enumerate(grids[:TRAIN] if which == "train" else grids[TRAIN:])]


def _drawn(game: Game, number: int) -> list[Grid]:
    """Return `number` different generated levels; a game that has fewer repeats them."""
    grids: dict[Grid, None] = {}
    for i in range(MAX_DRAWS):
        grids[game.generate(np.random.default_rng([2019, i, 0]))] = None  # unlike any `random:SEED`
        if len(grids) == number:
            break
    return (list(grids) * number)[:number]


def shipped(game: Game) -> frozenset[Grid]:
    """Return the training and test levels of a game."""
    return frozenset(level.grid for which in ("train", "test") for level in built_in(game, which))


def blocks(text: str) -> list[str]:
    """Return the parts of a text between blank lines."""
    return [block for block in re.split(r"\n\s*\n", text.strip()) if block]


def generated(game: Game, seed: int, apart_from: Collection[Grid] | None = None) -> Level:
    """Return the level `random:SEED`: the first that the generator draws from `seed` and is not `apart_from`.

    By default that excludes the training and test levels; pass `shipped(game)` to look them up once for many seeds.
    """
    if apart_from is None:
        apart_from = shipped(game)
    rng = np.random.default_rng(seed)
    draws = [game.generate(rng)]
    while draws[-1] in apart_from and len(draws) < MAX_DRAWS:
        draws.append(game.generate(rng))
    return Level(f"random:{seed}", draws[-1])


def parse_level(game: Game, text: str, where: str = "level") -> Grid:
    """Return a level from its text, checked against the game's tokens and rules."""
    try:
        grid = Grid.from_text(text)
        check_level(game, grid)
    except BadInput as error:
        raise BadLevel(f"{where}{', ' if str(error).startswith('row') else ': '}{error}") from None
    return grid


def check_level(game: Game, grid: Grid) -> None:
    """Raise BadLevel with the reason and the cell unless `grid` is a legal level of `game`."""
    for r, row in enumerate(grid.rows):
        for c, character in enumerate(row):
            if character not in game.tokens:
                raise BadLevel(
                    f"row {r}, column {c}: {character!r} is not a token of {game.name}. Tokens: {' '.join(game.tokens)}"
                )
    game.check(grid)


def _load(game: Game, spec: str) -> list[Level]:
    if spec in ("train", "test"):
        return built_in(game, spec)
    match = _RANGE.fullmatch("random:0-99" if spec == "random" else spec)
    if match is None:
        return _from_file(game, spec)
    which, first = match["set"], int(match["first"])
    last = int(match["last"] or first)
    if which not in SETS:
        raise BadInput(f"no levels called {which!r}. {did_you_mean(which, SETS)}")
    if last < first:
        raise BadInput(f"levels {spec}: the range is backwards. Write {which}:{last}-{first}.")
    if last - first >= MAX_LEVELS:
        raise BadInput(f"levels {spec}: more than {MAX_LEVELS:,} levels. Use fewer.")
    if which == "random":
        apart_from = shipped(game)
        return [generated(game, seed, apart_from) for seed in range(first, last + 1)]
    levels = built_in(game, which)
    if last >= len(levels):
        raise BadInput(f"{game.name} has {which} levels 0 to {len(levels) - 1}; there is no {which}:{last}.")
    return levels[first : last + 1]


def _from_file(game: Game, spec: str) -> list[Level]:
    if not os.path.exists(spec) and not spec.endswith(".json"):
        raise BadInput(
            f"no levels called {spec!r}. {did_you_mean(spec, SETS)} "
            "Write train:0-4, test:0-8, random:0-99 or the path of a levels file."
        )
    value: Any = read_json(spec, "levels")
    if not isinstance(value, dict) or not isinstance(value.get("levels"), list):
        raise BadInput(f'{spec}: must be an object such as {{"game": "{game.name}", "levels": ["…"]}}.')
    if value.get("game") != game.name:
        raise BadInput(f"{spec}: levels of {short(value.get('game'))}, but {game.name!r} was asked for.")
    levels = []
    for i, text in enumerate(value["levels"]):
        if not isinstance(text, str):
            raise BadInput(f"{spec}, level {i}: must be text with one line per row and one character per cell.")
        levels.append(Level(f"{Path(spec).name}:{i}", parse_level(game, text, f"{spec}, level {i}")))
    return levels
