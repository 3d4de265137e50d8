"""Games on levels.

To add a game, write one file with a `Game` in it and add its line to `GAMES`; or, from a package of your own, declare
an entry point in the group `shown.games`. See docs/guides/your-own-game.md.
"""

from __future__ import annotations

from typing import Any

from shown.errors import BadInput
from shown.grid import check_buttons
from shown.registry import Registry
from shown.worlds.games.game import Game

GAMES: dict[str, str] = {
    "nim": "shown.worlds.games.nim:Nim",
    "checkmate": "shown.worlds.games.checkmate:Checkmate",
    "chase": "shown.worlds.games.chase:Chase",
    "stop-the-fall": "shown.worlds.games.stop_the_fall:StopTheFall",
    "reach-for-the-star": "shown.worlds.games.reach_for_the_star:ReachForTheStar",
    "fence-in": "shown.worlds.games.fence_in:FenceIn",
}
"""Where each game is defined; loaded when first used."""

ENTRY_POINTS = "shown.games"
"""The group of entry points of other packages' games: `name = "module:Class"`."""


def _made(declared: Any, name: str) -> Game | None:
    game = declared()
    if not isinstance(game, Game):
        return None
    for key in ("title", "goal", "about"):
        if not isinstance(getattr(game, key), str):
            raise BadInput(f"its {key} must be text")
    check_buttons(game.buttons, "its buttons")
    return game


_REGISTRY = Registry("game", ENTRY_POINTS, GAMES, _made, "a shown.worlds.Game", lambda game: game.name)
find, all_games, installed = _REGISTRY.find, _REGISTRY.places, _REGISTRY.usable
