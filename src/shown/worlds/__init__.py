"""Games and worlds: everything that can be played, by one protocol.

world.py      `Playable`: games on levels, and worlds from seeds
episodes.py   playing, demonstrating, success rates
games/        the six games, their levels, and any game as a Gymnasium environment
gym.py        `wrap`: any Gymnasium environment with discrete actions
views.py      ways to see an environment as a grid: arrays, channels, maps of letters, frames
default_views.py  the view of an environment, by name or by default
minigrid.py   Minigrid's views, and an expert that searches
missions.py   what a mission of Minigrid or BabyAI names next
breakout.py   Atari's Breakout, as in the paper's appendix
toytext.py    FrozenLake, CliffWalking and Taxi, and an expert for every environment with a transition table
minari.py     Minari datasets as demonstrations, and back

>>> from shown.worlds import demonstrate, find
>>> len(demonstrate(find("nim"), "train:0-2"))
3
>>> find("gym:FrozenLake-v1").tokens.names
('ice', 'hole', 'goal', 'agent')
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from shown.errors import BadInput
from shown.registry import is_place, reason
from shown.worlds.episodes import Episode, demonstrate, play, play_many, play_starts, success_rate, wins
from shown.worlds.games import GAMES, all_games
from shown.worlds.games import find as find_game
from shown.worlds.games.game import Game
from shown.worlds.walking_distances import distances
from shown.worlds.world import WORLDS, Level, Outcome, Playable, Start, World

if TYPE_CHECKING:
    from shown.worlds.default_views import ObservationPart
    from shown.worlds.gym import wrap
    from shown.worlds.views import Channels, Frames, GridView, Numbers, Objects, TextMap

FAMILIES = {"gym": "shown.worlds.gym", "atari": "shown.worlds.breakout"}
"""The module of the worlds whose names begin so. Each is loaded when first asked for."""

_LAZY = {"wrap": "gym", "ObservationPart": "default_views"} | dict.fromkeys(
    ("Channels", "Frames", "Numbers", "Objects", "TextMap", "GridView"), "views"
)


def find(name: str, expert: Callable[[Any], Any] | None = None) -> Playable:
    """Return the game or world of that name.

    Args:
        name: a game such as "nim", or a world: "gym:ID", or "gym:ID#VIEW" for another view than the usual one;
            "atari:Breakout", or "atari:Breakout#blocks,game" (see `breakout.find`); or "module:Class", your own game or
            world, which imports the module.
        expert: demonstrates a Gymnasium environment; gets the environment and returns the number of an action.
    """
    if is_world(name):
        return find_world(name, expert)
    return _without(expert, name, _from_module if is_place(name) else find_game)


def find_world(name: str, expert: Callable[[Any], Any] | None = None) -> World:
    """Return the world of that name. See `find`."""
    if not is_world(name):
        raise BadInput(f"no world called {name!r}. Worlds are gym:ID and atari:Breakout.")
    family = name.partition(":")[0]
    module = import_module(FAMILIES[family])
    if family == "gym":
        return module.find(name, expert)
    return _without(expert, name, module.find)


def is_world(name: str) -> bool:
    """Return whether a name is that of a world rather than of a game.

    >>> is_world("gym:FrozenLake-v1"), is_world("nim")
    (True, False)
    """
    return name.startswith(WORLDS)


def load_levels(game: Playable, spec: str) -> list[Level]:
    """Return the levels that `spec` names: train:0-4, random:7, a file, or, in worlds, seeds such as 0-9.

    >>> [level.name for level in load_levels(find("nim"), "train:0-1,random:7")]
    ['train:0', 'train:1', 'random:7']
    """
    return game.levels(spec)


def _from_module(place: str) -> Playable:
    """Return the game or world that a module defines, as a class or an object."""
    module, _, name = place.partition(":")
    try:
        found = getattr(import_module(module), name)
        playable = found() if isinstance(found, type) else found
    except (Exception, SystemExit) as error:  # the import runs the user's code
        raise BadInput(f"{place}: cannot be loaded ({reason(error)}).") from error
    if not isinstance(playable, Playable):
        raise BadInput(f"{place}: is neither a shown.worlds.Game nor a shown.worlds.World.")
    return playable


def _without(expert: object, name: str, find: Callable[[str], Any]) -> Any:
    if expert is not None:
        raise BadInput(f"--expert: {name} has a built-in expert. Omit the option.")
    return find(name)


def __getattr__(name: str) -> Any:
    """Load what needs more than NumPy when it is asked for."""
    if name in _LAZY:
        return getattr(import_module(f"shown.worlds.{_LAZY[name]}"), name)
    raise AttributeError(f"module 'shown.worlds' has no attribute {name!r}")


__all__ = [
    "GAMES", "Channels", "Episode", "Frames", "Game", "GridView", "Level", "Numbers", "Objects", "ObservationPart",
    "Outcome", "Playable", "Start", "TextMap", "World", "all_games", "demonstrate", "distances", "find", "find_game",
    "find_world", "is_world", "load_levels", "play", "play_many", "play_starts", "success_rate", "wins", "wrap",
]  # fmt: skip
