"""Scripted styles of play for `shown demonstrate` and `shown games`, through the entry point group `shown.styles`."""

from __future__ import annotations

from shown.demonstrations import Demonstrations
from shown.worlds import Game, load_levels
from shown_evidence.styles import find_style, styles_of


def describe(game: str) -> dict[str, str]:
    """Return the description of each style of a game by name; empty for a game without styles.

    >>> describe("nim")["starts-anywhere"]
    'Starts with a click on a random empty cell.'
    """
    return {style.name: style.plays for style in styles_of(game)}


def demonstrate(game: Game, style: str, levels: str, seed: int) -> Demonstrations:
    """Return one demonstration per level, played in a style."""
    return find_style(game.name, style).demonstrate(load_levels(game, levels), seed)
