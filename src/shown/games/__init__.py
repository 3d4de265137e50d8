"""Games: `find("nim")` gives the rules; `levels.load_levels` their levels; `episodes.play` plays them.

To add a game, write one file with a `Game` in it and add its line to `GAMES`; or, from a package of your own, declare
an entry point in the group `shown.games`. See docs/adding-a-game.md.
"""

from __future__ import annotations

import re
from importlib import import_module, metadata

from shown.errors import BadInput, did_you_mean
from shown.games.episodes import Episode, demonstrate, play, play_many, success_rate, wins
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

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
"""Names of games stand in commands, files and pages."""


def find(name: str) -> Game:
    """The game called `name`; BadInput if there is none, or if the package that declares it cannot give it.

    >>> find("nim").title
    'Nim'
    """
    if name in GAMES:
        module, _, attribute = GAMES[name].partition(":")
        game: Game = getattr(import_module(module), attribute)()
        return game
    for point in metadata.entry_points(group=ENTRY_POINTS, name=name):
        return _declared(point)
    raise BadInput(f"no game called {name!r}. {did_you_mean(name, all_games())}")


def all_games() -> dict[str, str]:
    """Where each game is defined: those of this package, then those that other installed packages declare."""
    return GAMES | {
        point.name: point.value for point in metadata.entry_points(group=ENTRY_POINTS) if point.name not in GAMES
    }


def installed() -> tuple[list[Game], list[str]]:
    """All games that can be played, and for each that cannot the reason, in one line.

    >>> games, reasons = installed()
    >>> games[0].title
    'Nim'
    """
    games, reasons = [], []
    for name in all_games():
        try:
            games.append(find(name))
        except BadInput as error:
            reasons.append(str(error))
    return games, reasons


def _declared(point: metadata.EntryPoint) -> Game:
    """The game of another package. Loading it runs that package's code, so anything may go wrong."""
    package = point.dist.name if point.dist else "another package"
    where = f"game {point.name!r}, declared by {package} as {point.value!r}"
    try:
        game = point.load()()
    except Exception as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise BadInput(f"{where}, cannot be loaded ({reason}). Update or uninstall {package}.") from error
    if not isinstance(game, Game):
        raise BadInput(f"{where}, is not a shown.games.Game. Update or uninstall {package}.")
    if not _NAME.fullmatch(game.name) or game.name != point.name:
        raise BadInput(
            f"{where}, calls itself {game.name!r}. Both names must be the same: lower-case letters, digits and hyphens."
        )
    return game


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
