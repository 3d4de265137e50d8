"""The sprites of all games for the page: symbols to put into it once, and the colours they are painted with."""

from __future__ import annotations

from collections.abc import Iterable

from shown.games import installed
from shown.render import stylesheet, symbols
from shown.studio.places import Playable, key_of
from shown.world import World


def sprite_sheet(worlds: Iterable[World] = ()) -> str:
    """One hidden SVG a game or world, with symbols called `chase-rabbit`, `chase-ground-0`, `chase-click`, …"""
    games: list[Playable] = [*installed()[0], *worlds]
    return "".join(symbols(game.tokens, game.name, dark=None, prefix=f"{key_of(game.name)}-") for game in games)


def sprite_colours() -> str:
    """The colours as CSS variables, light and dark."""
    return stylesheet()
