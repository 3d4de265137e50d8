"""What can be taught: the games of this package and of other installed packages, and the worlds named by the user.

Code of other packages may fail in any way, so it runs in child processes. A game that cannot be described is left out,
with the reason.
"""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from shown.errors import BadInput
from shown.render import symbols
from shown.render.palette import ground
from shown.studio.isolated import IsolatedGame
from shown.symmetry.transformation import in_words
from shown.teaching.lessons.preferences import WORDS
from shown.teaching.lessons.starts import curriculum, key_of, walks
from shown.worlds import GAMES, Playable, World, all_games, find_game
from shown.worlds.keyboard import button_keys


@dataclass(frozen=True)
class CatalogEntry:
    """A game or world, its description for the page, and its sprites as a hidden SVG (`chase-rabbit`, …)."""

    game: Playable
    about: dict[str, Any]
    sprites: str


@dataclass(frozen=True)
class Catalog:
    """What can be taught, by name and in the order of the page, and why other declared games cannot be."""

    entries: dict[str, CatalogEntry]
    missing: dict[str, str]

    def find(self, name: str) -> Playable:
        """Return the game or world of that name. The name may come from a file, since nothing is loaded by it."""
        if name in self.entries:
            return self.entries[name].game
        raise BadInput(self.missing.get(name, "no game of that name."))

    def close(self) -> None:
        """End the child processes of games."""
        for entry in self.entries.values():
            if isinstance(entry.game, IsolatedGame):
                entry.game.close()


def catalog(worlds: Iterable[World] = ()) -> Catalog:
    """Return all games, and the given worlds.

    >>> found = catalog()
    >>> found.entries["nim"].about["title"], found.missing
    ('Nim', {})
    """
    entries = {name: describe(find_game(name)) for name in GAMES}
    others = [name for name in all_games() if name not in GAMES]
    missing: dict[str, str] = {}
    if others:
        with ThreadPoolExecutor(len(others)) as pool:
            for name, found in zip(others, pool.map(_isolated, others), strict=True):
                if isinstance(found, CatalogEntry):
                    entries[name] = found
                else:
                    missing[name] = str(found)
    return Catalog(entries | {world.name: describe(world) for world in worlds}, missing)


def _isolated(name: str) -> CatalogEntry | BadInput:
    """Return the entry of a game of another package, or the reason why there is none."""
    try:
        game = IsolatedGame(name)
    except BadInput as error:
        return error
    try:
        return describe(game)
    except BadInput as error:
        game.close()
        return error


def describe(game: Playable) -> CatalogEntry:
    """Return the entry of a game or world."""
    about = {
        "name": game.name,
        "key": key_of(game.name),
        "title": game.title,
        "goal": game.goal,
        "rules": game.about,
        "tokens": [{"name": name, "character": character} for name, character in game.tokens.characters.items()],
        "buttons": list(game.buttons),
        "keys": button_keys(game.buttons),
        "lessons": [{"name": level.name, "rows": list(level.grid.rows)} for level in curriculum(game)],
        "paints": game.has_levels,
        "knows": game.has_expert,
        "words": [name for name in WORDS if name != "walking" or walks(game)],
        "ground": list(ground(game.name)),
        "mirrors": in_words(game.symmetries) if game.symmetries else None,
    }
    return CatalogEntry(game, about, symbols(game.tokens, game.name, dark=None, prefix=f"{key_of(game.name)}-"))
