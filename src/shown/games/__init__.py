"""Games: `find("nim")` gives the rules; `levels.load_levels` their levels; `episodes.play` plays them.

To add a game, write one file with a `Game` in it and add its line to `GAMES`; or, from a package of your own, declare
an entry point in the group `shown.games`. See docs/adding-a-game.md.
"""

from __future__ import annotations

from importlib import import_module, metadata

from shown.errors import BadInput, did_you_mean
from shown.games.episodes import Episode, demonstrate, play, play_many, success_rate
from shown.games.game import Game, Outcome
from shown.games.levels import Level, load_levels

GAMES: dict[str, str] = {
    "nim": "shown.games.nim:Nim",
    "checkmate": "shown.games.checkmate:Checkmate",
    "chase": "shown.games.chase:Chase",
    "stop-the-fall": "shown.games.stop_the_fall:StopTheFall",
    "reach-for-the-star": "shown.games.reach_for_the_star:ReachForTheStar",
    "fence-in": "shown.games.fence_in:FenceIn",
}
"""Where each game is defined. Loaded when first asked for, so that naming the games costs nothing."""


ENTRY_POINTS = "shown.games"
"""The group of entry points in which other packages declare their games: `name = "module:Class"`."""


def find(name: str) -> Game:
    """The game called `name`.

    >>> find("nim").title
    'Nim'
    """
    known = GAMES if name in GAMES else all_games()
    if name not in known:
        raise BadInput(f"no game called {name!r}. {did_you_mean(name, known)}")
    module, _, attribute = known[name].partition(":")
    game: Game = getattr(import_module(module), attribute)()
    return game


def all_games() -> dict[str, str]:
    """Where each game is defined: those of this package, then those that other installed packages declare."""
    return {point.name: point.value for point in metadata.entry_points(group=ENTRY_POINTS)} | GAMES


__all__ = [
    "GAMES",
    "Episode",
    "Game",
    "Level",
    "Outcome",
    "all_games",
    "demonstrate",
    "find",
    "load_levels",
    "play",
    "play_many",
    "success_rate",
]
