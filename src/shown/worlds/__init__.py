"""Worlds that are not games: environments of Gymnasium, seen as grids; a game in Minecraft.

world.py (beside this package)   what a world is, and the one way to play it
gym.py        `wrap`: any environment with discrete actions
views.py      ways of seeing: arrays, channels, maps of letters, frames
seeing.py     which of them an environment has
minigrid.py   Minigrid's views, and an expert that searches
breakout.py   Atari's Breakout, as in the paper's appendix
toytext.py    FrozenLake, CliffWalking, Taxi, and an expert for all that have a table of what leads where
minari.py     datasets of Minari as demonstrations, and back
minecraft/    Fence In in Minecraft
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shown.errors import BadInput
from shown.world import Episode, Outcome, World, demonstrate, play, play_many, starts_of
from shown.worlds import breakout, minecraft
from shown.worlds.gym import PREFIX, wrap
from shown.worlds.seeing import Part
from shown.worlds.views import Channels, Frames, Numbers, Objects, TextMap, View

if TYPE_CHECKING:
    from shown.worlds.gym import Expert

MAX_SEEDS = 100_000


def find(name: str, expert: Expert | None = None) -> World:
    """The world of that name: `gym:ID`, or `gym:ID#VIEW` for another than the usual way of seeing it; `atari:Breakout`,
    or `atari:Breakout#blocks,game` and its like (`breakout.find`); `minecraft`.

    >>> find("gym:FrozenLake-v1").tokens.names
    ('ice', 'hole', 'goal', 'agent')
    """
    for family, prefix in ((minecraft, minecraft.NAME), (breakout, "atari")):
        if name.partition(":")[0] == prefix:
            if expert is not None:
                raise BadInput(f"--expert: {name} has an expert of its own. Leave it out.")
            return family.find(name)
    if not name.startswith(PREFIX):
        raise BadInput(
            f"no world called {name!r}. There are environments of Gymnasium, gym:ID, atari:Breakout, and minecraft."
        )
    number, _, see = name.removeprefix(PREFIX).partition("#")
    return wrap(number, see or None, expert)


__all__ = [
    "PREFIX",
    "Channels",
    "Episode",
    "Frames",
    "Numbers",
    "Objects",
    "Outcome",
    "Part",
    "TextMap",
    "View",
    "World",
    "demonstrate",
    "find",
    "play",
    "play_many",
    "starts_of",
    "wrap",
]
