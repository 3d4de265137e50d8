"""Games: `find("nim")` gives the rules; `levels.load_levels` their levels; `episodes.play` plays them.

To add a game, write one file with a `Game` in it and add its line to `GAMES`; or, from a package of your own, declare
an entry point in the group `shown.games`. See docs/adding-a-game.md.
"""

from __future__ import annotations

from typing import Any

from shown.games.episodes import Episode, demonstrate, play, play_many, success_rate, wins
from shown.games.game import Game, Outcome
from shown.games.levels import Level, load_levels
from shown.registry import Registry

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


def _made(declared: Any, name: str) -> Game | None:
    game = declared()
    return game if isinstance(game, Game) else None


_REGISTRY = Registry("game", ENTRY_POINTS, GAMES, _made, "a shown.games.Game", lambda game: game.name)


def find(name: str) -> Game:
    """The game called `name`; BadInput if there is none, or if the package that declares it cannot give it.

    >>> find("nim").title
    'Nim'
    """
    return _REGISTRY.find(name)


def all_games() -> dict[str, str]:
    """Where each game is defined: those of this package, then those that other installed packages declare."""
    return _REGISTRY.places()


def installed() -> tuple[list[Game], list[str]]:
    """All games that can be played, and for each that cannot the reason, in one line.

    >>> games, reasons = installed()
    >>> games[0].title
    'Nim'
    """
    return _REGISTRY.usable()


__all__ = [
    "GAMES",
    "Episode",
    "Game",
    "Level",
    "Outcome",
    "all_games",
    "demonstrate",
    "find",
    "installed",
    "load_levels",
    "play",
    "play_many",
    "success_rate",
    "wins",
]
