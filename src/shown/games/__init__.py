"""Games: `find("nim")` gives the rules; `levels.load_levels` their levels; `episodes.play` plays them.

To add a game, write one file with a `Game` in it and add its line to `GAMES`.
"""

from __future__ import annotations

from importlib import import_module

from shown.errors import BadInput, did_you_mean
from shown.games.episodes import Episode, demonstrate, play, success_rate
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


def find(name: str) -> Game:
    """The game called `name`.

    >>> find("nim").title
    'Nim'
    """
    if name not in GAMES:
        raise BadInput(f"no game called {name!r}. {did_you_mean(name, GAMES)}")
    module, _, attribute = GAMES[name].partition(":")
    game: Game = getattr(import_module(module), attribute)()
    return game


__all__ = ["GAMES", "Episode", "Game", "Level", "Outcome", "demonstrate", "find", "load_levels", "play", "success_rate"]
