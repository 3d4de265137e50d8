"""Grids as text, SVG, PNG and GIF.

A picture needs a grid and its tokens; the name of a game, if any, selects the ground. Tokens without a sprite are drawn
as lettered tiles, so that a new game looks tidy without any drawing.

>>> from shown.grid import Tokens, grid
>>> print(text(grid("|.", "||"), Tokens(empty=".", matchstick="|"), click=(0, 0)))
[|].
 | |
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from shown.demonstrations import Step
from shown.grid import Action, Grid, Tokens
from shown.render.palette import stylesheet
from shown.render.scene import Frame, build

if TYPE_CHECKING:
    from PIL.Image import Image


def text(grid: Grid, tokens: Tokens, *, click: Action | None = None, color: bool = False) -> str:
    """Return the grid as lines of text, two columns per cell, with brackets around the clicked cell."""
    from shown.render.terminal import draw_text

    return draw_text(grid, tokens, click, color)


def svg(
    grid: Grid,
    tokens: Tokens,
    game: str | None = None,
    *,
    cell: int | None = None,
    dark: bool | None = False,
    prefix: str = "sprite-",
    **marks: Any,
) -> str:
    """Return the grid as an SVG document.

    Args:
        cell: the side of a cell in pixels; None chooses it by the size of the grid.
        dark: colors for a dark page; None follows the reader's system (and the CSS of `stylesheet()` in a page).
        prefix: prefix of the sprites' ids; change it where differently colored pictures share a page.
        marks: what to mark, as in `Frame`: click, highlight, paths, heat, caption, outcome.
    """
    from shown.render.vector import describe, write

    frame = Frame(grid, **marks)
    return write(build(frame, tokens, game), tokens, cell, dark, prefix, describe(grid, tokens, game, frame.click))


def symbols(tokens: Tokens, game: str | None = None, *, dark: bool | None = None, prefix: str = "sprite-") -> str:
    """Return a hidden SVG with one `<symbol>` per token, to be used in a page with `<use href="#sprite-agent">`.

    Besides the tokens by name there are `ground-0` and `ground-1` (alternating under the cells), `click` and `look`.
    With `dark=None` the colors are CSS variables; `stylesheet()` defines them for light and dark.
    """
    from shown.render.vector import symbol_sheet

    return symbol_sheet(tokens, game, dark, prefix)


def image(
    grid: Grid, tokens: Tokens, game: str | None = None, *, cell: int | None = None, dark: bool = False, **marks: Any
) -> Image:
    """Return the grid as a Pillow image. Arguments as for `svg`; very large grids are made smaller to fit."""
    from shown.render.raster import draw

    return draw(build(Frame(grid, **marks), tokens, game), cell, dark)


def png(picture: Image) -> bytes:
    """Return an image as the bytes of a PNG file: `png(image(grid, tokens))`."""
    from shown.render.raster import encode_png

    return encode_png(picture)


def gif(
    frames: Iterable[Frame],
    tokens: Tokens,
    game: str | None = None,
    *,
    cell: int | None = None,
    dark: bool = False,
    speed: float = 1.0,
) -> bytes:
    """Return frames as the bytes of a looping GIF; `film` makes the frames of an episode."""
    from shown.render.raster import encode_gif

    return encode_gif(frames, tokens, game, cell, dark, speed)


def film(steps: Sequence[Step], last: Grid, outcome: str = "unfinished") -> list[Frame]:
    """Return the frames of an episode: each position, then the click on it; at the end the outcome, held for a while.

    >>> from shown.grid import grid
    >>> [frame.caption for frame in film([Step(grid("||"), (0, 0))], grid(".|"), "won")]
    ['1 of 1', '1 of 1', 'won']
    """
    frames = []
    for i, step in enumerate(steps):
        if isinstance(step.action, str):
            frames.append(Frame(step.grid, step.action, seconds=0.5))
            continue
        caption = f"{i + 1} of {len(steps)}"
        frames.append(Frame(step.grid, caption=caption, seconds=0.45))
        frames.append(Frame(step.grid, step.action, caption=caption, seconds=0.55))
    return [*frames, Frame(last, caption=outcome, outcome=outcome, seconds=2.5)]


def strip(
    frames: Sequence[Frame], tokens: Tokens, game: str | None = None, *, cell: int | None = None, dark: bool = False
) -> Image:
    """Return frames side by side in one picture, in rows, like a comic."""
    from shown.render.raster import contact_sheet

    return contact_sheet(frames, tokens, game, cell, dark)


__all__ = ["Frame", "film", "gif", "image", "png", "strip", "stylesheet", "svg", "symbols", "text"]
