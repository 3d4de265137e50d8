"""People: scripted players who win in ways of their own, to see whether what they mean is learned.

Nobody plays like the built-in expert. One builds a fence from right to left, another in no order at all; one waits by
clicking a wall, another the rabbit; some click beside the mark first. Each game has a file with at least six such
styles, and the expert's own way. A style wins nearly every level, within the game's limit of steps.

    style.py                what a style is
    nim.py, checkmate.py, chase.py, stop_the_fall.py, reach_for_the_star.py, fence_in.py
"""

from __future__ import annotations

from importlib import import_module

from shown.errors import BadInput, did_you_mean
from shown.experiments.styles.style import EXPERT, Style

STYLED = {
    game: f"shown.experiments.styles.{game.replace('-', '_')}"
    for game in ("nim", "checkmate", "chase", "stop-the-fall", "reach-for-the-star", "fence-in")
}
"""Where the styles of each game are. A module has its `STYLES`."""


def styles_of(game: str) -> tuple[Style, ...]:
    """The styles of a game, the expert's own first; none for a game that has no file here.

    >>> [style.name for style in styles_of("nim")][:2]
    ['expert', 'points-first']
    """
    if game not in STYLED:
        return ()
    found: tuple[Style, ...] = import_module(STYLED[game]).STYLES
    return found


def people_of(game: str) -> tuple[Style, ...]:
    """The styles of a game but for the expert's."""
    return tuple(style for style in styles_of(game) if style.name != EXPERT)


def find_style(game: str, name: str) -> Style:
    """The style of a game called `name`.

    >>> find_style("fence-in", "right-to-left").plays
    'Builds the row below the sheep from right to left.'
    """
    known = {style.name: style for style in styles_of(game)}
    if name not in known:
        raise BadInput(f"{game} has no style called {name!r}. {did_you_mean(name, known)}")
    return known[name]


__all__ = ["EXPERT", "STYLED", "Style", "find_style", "people_of", "styles_of"]
