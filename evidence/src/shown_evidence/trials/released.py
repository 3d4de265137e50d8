"""Demonstrations and test levels of the authors' published code, in a folder of the user's.

They carry no licence, so this repository has none of them, and results name the digest of the files. Of each game the
folder has demonstrations (`GAME.demos.json`) and levels (`GAME.test.json`). Trials name them by the levels of ours that
they stand for: `released:DIGEST:train:0-4`, `released:DIGEST:test:0-8`.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import replace
from pathlib import Path

from shown.demonstrations import Demonstrations
from shown.errors import BadInput
from shown.worlds import GAMES, Game, Level, load_levels
from shown.worlds.world import parse_seeds

FOLDER = "SHOWN_RELEASED"
"""Environment variable with the folder, so that every process that runs trials finds it."""

RELEASED = "released:"
NINE = "test:0-8"


def folder() -> Path:
    """Return the folder; raise BadInput if none was named or it has no game."""
    place = os.environ.get(FOLDER)
    if not place:
        raise BadInput("released: name the folder with the published levels: --released FOLDER.")
    if not games_in(Path(place)):
        raise BadInput(f"--released {place}: has no GAME.demos.json with a GAME.test.json, such as nim.demos.json.")
    return Path(place)


def games_in(place: Path) -> list[str]:
    """Return the games that a folder has."""
    return [game for game in GAMES if _files(place, game)]


def digest(place: Path, game: str) -> str:
    """Return the digest of the files of a game."""
    return hashlib.sha256(b"".join(file.read_bytes() for file in _files(place, game))).hexdigest()[:12]


def named(spec: str, place: Path, game: str) -> str:
    """Return the name of released levels that stand for some of ours: train:0-4, or the test levels."""
    return f"{RELEASED}{digest(place, game)}:{spec}"


def ours(spec: str) -> str:
    """Return the name of the levels that released ones stand for.

    >>> ours("released:0123456789ab:train:0,train:4")
    'train:0,train:4'
    """
    return spec.split(":", 2)[2] if spec.startswith(RELEASED) else spec


def released_demonstrations(game: Game, spec: str) -> Demonstrations:
    """Return the released demonstrations that `spec` names."""
    every = Demonstrations.load(_checked(game.name, spec)[0])
    return replace(every, items=tuple(every.items[i] for i in parse_seeds(ours(spec).replace("train:", ""))))


def released_levels(game: Game, spec: str) -> list[Level]:
    """Return the released levels that `spec` names: the test levels, or those that were demonstrated."""
    if ours(spec) == NINE:
        return load_levels(game, str(_checked(game.name, spec)[1]))
    items = released_demonstrations(game, spec)
    return [Level(f"demonstrated:{i}", item.steps[0].grid) for i, item in enumerate(items)]


def _files(place: Path, game: str) -> tuple[Path, ...]:
    """Return the two files of a game; none if one is missing."""
    files = tuple(place / f"{game}.{kind}.json" for kind in ("demos", "test"))
    return files if all(file.is_file() for file in files) else ()


def _checked(game: str, spec: str) -> tuple[Path, ...]:
    """Return the files of a game, if they are those that `spec` names."""
    place, wanted = folder(), spec.split(":")[1]
    files = _files(place, game)
    if not files or digest(place, game) != wanted:
        raise BadInput(f"--released {place}: its files of {game} are not those with the digest {wanted}.")
    return files
