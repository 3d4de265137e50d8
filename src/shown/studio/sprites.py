"""The sprites of all games for the page: symbols to put into it once, and the colours they are painted with."""

from __future__ import annotations

from shown.games import installed
from shown.render import stylesheet, symbols


def sprite_sheet() -> str:
    """One hidden SVG a game, with symbols called `chase-rabbit`, `chase-ground-0`, `chase-click`, …"""
    return "".join(symbols(game.tokens, game.name, dark=None, prefix=f"{game.name}-") for game in installed()[0])


def sprite_colours() -> str:
    """The colours as CSS variables, light and dark."""
    return stylesheet()
