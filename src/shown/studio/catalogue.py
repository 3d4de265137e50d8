"""What can be taught here: the games of this package and of others that are installed, and the worlds asked for.

Code of other packages may be wrong in any way. A game that cannot be described is left out, and says why; it takes
nothing else with it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from shown.errors import BadInput
from shown.games import all_games, find
from shown.games.game import Game
from shown.registry import reason
from shown.render import symbols
from shown.render.palette import ground
from shown.studio.places import Playable, key_of, place_of, walks
from shown.studio.ways import WORDS
from shown.symmetry.transformation import in_words
from shown.world import World
from shown.worlds.keyboard import button_keys


@dataclass(frozen=True)
class Entry:
    """A game or world, what the page must know of it, and its sprites as a hidden SVG (`chase-rabbit`, …)."""

    game: Playable
    about: dict[str, Any]
    sprites: str


@dataclass(frozen=True)
class Catalogue:
    """What can be taught here.

    Attributes:
        entries: by name, in the order in which the page offers them.
        missing: by name, why a game that is declared cannot be taught, in one line.
    """

    entries: dict[str, Entry]
    missing: dict[str, str]

    def find(self, name: str) -> Playable:
        """The game or world of that name; a file may give the name, since nothing is loaded by it."""
        if name in self.entries:
            return self.entries[name].game
        raise BadInput(self.missing.get(name, "no game of that name."))


def catalogue(worlds: Iterable[World] = ()) -> Catalogue:
    """All games, and the worlds that were asked for.

    >>> found = catalogue()
    >>> found.entries["nim"].about["title"], found.missing
    ('Nim', {})
    """
    entries: dict[str, Entry] = {}
    missing: dict[str, str] = {}
    for name in all_games():
        try:
            entries[name] = entry(find(name))
        except BadInput as error:
            missing[name] = str(error)
        except Exception as error:  # of the game's own code
            missing[name] = f"game {name!r} cannot be taught ({reason(error)}). Update or uninstall its package."
    return Catalogue(entries | {world.name: entry(world) for world in worlds}, missing)


def entry(game: Playable) -> Entry:
    """What the page must know of a game or world."""
    sprites = symbols(game.tokens, game.name, dark=None, prefix=f"{key_of(game.name)}-")
    lines = " ".join((type(game).__doc__ or "").split()).split("Description: ", 1)[-1]
    place = place_of(game)
    about = {
        "name": game.name,
        "key": key_of(game.name),
        "title": game.title,
        "goal": game.goal,
        "rules": lines.split(" Observation: ", 1)[0] if isinstance(game, Game) else game.about,
        "tokens": [{"name": name, "character": character} for name, character in game.tokens.characters.items()],
        "buttons": list(game.buttons),
        "keys": button_keys(game.buttons),
        "lessons": [{"name": level.name, "rows": list(level.grid.rows)} for level in place.lessons],
        "paints": place.paints,
        "knows": place.knows,
        "words": [name for name in WORDS if name != "walking" or walks(game)],
        "ground": list(ground(game.name)),
        "mirrors": in_words(game.symmetries) if game.symmetries else None,
    }
    return Entry(game, about, sprites)
