"""The sprites of all games for the page: symbols to put into it once, and the colours they are painted with."""

from __future__ import annotations

from shown.games import GAMES, find
from shown.render import stylesheet, symbols


def sprite_sheet() -> str:
    """One hidden SVG a game, with symbols called `chase-rabbit`, `chase-ground-0`, `chase-click`, …"""
    return "".join(symbols(find(name).tokens, name, dark=None, prefix=f"{name}-") for name in GAMES)


def sprite_colours() -> str:
    """The colours as CSS variables, light and dark."""
    return stylesheet()
