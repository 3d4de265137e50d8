"""Scripted styles: players that win in ways of their own, to test whether a teacher's intent is learned.

Real teachers do not play like the built-in expert: one builds a fence from right to left, another in no order; one
waits by clicking a wall, another by clicking the rabbit. Each game has a file with at least six such styles. A style
wins nearly every level within the game's step limit.
"""

from __future__ import annotations

from importlib import import_module

from shown.errors import BadInput, did_you_mean
from shown_evidence.styles.style import EXPERT, Style

STYLED = ("nim", "checkmate", "chase", "stop-the-fall", "reach-for-the-star", "fence-in")
"""The games with styles: for each, a module that defines `STYLES`."""


def styles_of(game: str) -> tuple[Style, ...]:
    """Return the styles of a game, the expert's first; none for a game without scripted styles.

    >>> [style.name for style in styles_of("nim")][:2]
    ['expert', 'points-first']
    """
    if game not in STYLED:
        return ()
    found: tuple[Style, ...] = import_module(f"{__name__}.{game.replace('-', '_')}_styles").STYLES
    return found


def non_expert_styles(game: str) -> tuple[Style, ...]:
    """Return the styles of a game except the expert's."""
    return styles_of(game)[1:]


def find_style(game: str, name: str) -> Style:
    """Return a style by name.

    >>> find_style("fence-in", "right-to-left").plays
    'Builds the row below the sheep from right to left.'
    """
    known = {style.name: style for style in styles_of(game)}
    if name not in known:
        raise BadInput(f"{game} has no style called {name!r}. {did_you_mean(name, known)}")
    return known[name]


__all__ = ["EXPERT", "STYLED", "Style", "find_style", "non_expert_styles", "styles_of"]
