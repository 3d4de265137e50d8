"""Grids to look at: as text, SVG, PNG and GIF.

A picture needs a grid and the tokens it is made of; a game's name, if there is one, chooses the ground. Tokens without
a sprite of their own are drawn as lettered tiles, so that a new game looks tidy before anyone has drawn for it.

>>> from shown.grid import Tokens, grid
>>> print(text(grid("|.", "||"), Tokens(empty=".", matchstick="|"), click=(0, 0)))
[|].
 | |
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from shown.demonstrations import Step
from shown.grid import Action, Cell, Grid, Tokens
from shown.render.palette import stylesheet
from shown.render.scene import Frame, Heat, build

if TYPE_CHECKING:
    from PIL.Image import Image


def text(grid: Grid, tokens: Tokens, *, click: Action | None = None, colour: bool = False) -> str:
    """The grid as lines of text, two columns a cell, with brackets around the clicked cell."""
    from shown.render.terminal import draw_text

    return draw_text(grid, tokens, click, colour)


def svg(
    grid: Grid,
    tokens: Tokens,
    game: str | None = None,
    *,
    click: Action | None = None,
    highlight: Iterable[Cell] = (),
    paths: Iterable[Sequence[Cell]] = (),
    heat: Heat | None = None,
    caption: str = "",
    outcome: str | None = None,
    cell: int | None = None,
    dark: bool | None = False,
    prefix: str = "sprite-",
) -> str:
    """The grid as an SVG document. See `Frame` for what can be marked.

    Args:
        cell: the side of a cell in pixels; chosen to suit the grid if None.
        dark: colours for a dark page; None follows the reader's system (and the CSS of `stylesheet()` in a page).
        prefix: what the ids of the sprites begin with; change it where differently coloured pictures share a page.
    """
    from shown.render.vector import describe, write

    scene = build(Frame(grid, click, tuple(highlight), tuple(paths), heat, caption, outcome), tokens, game)
    return write(scene, tokens, cell, dark, prefix, describe(grid, tokens, game, click))


def symbols(tokens: Tokens, game: str | None = None, *, dark: bool | None = None, prefix: str = "sprite-") -> str:
    """A hidden SVG with one `<symbol>` a token, to be put into a page once and used with `<use href="#sprite-agent">`.

    Besides the tokens by name there are `ground-0` and `ground-1` (by turns under the cells), `click` and `look`.
    With `dark=None` the colours are CSS variables; `stylesheet()` defines them for light and dark.
    """
    from shown.render.vector import symbol_sheet

    return symbol_sheet(tokens, game, dark, prefix)


def image(
    grid: Grid,
    tokens: Tokens,
    game: str | None = None,
    *,
    click: Action | None = None,
    highlight: Iterable[Cell] = (),
    paths: Iterable[Sequence[Cell]] = (),
    heat: Heat | None = None,
    caption: str = "",
    outcome: str | None = None,
    cell: int | None = None,
    dark: bool = False,
) -> Image:
    """The grid as a Pillow image. Arguments as for `svg`; very large grids are made smaller to fit."""
    from shown.render.raster import draw

    return draw(
        build(Frame(grid, click, tuple(highlight), tuple(paths), heat, caption, outcome), tokens, game), cell, dark
    )


def png(picture: Image) -> bytes:
    """An image as the bytes of a PNG file: `png(image(grid, tokens))`."""
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
    """Frames as the bytes of an animated GIF that repeats; `film` makes the frames of a run."""
    from shown.render.raster import encode_gif

    return encode_gif(frames, tokens, game, cell, dark, speed)


def film(steps: Sequence[Step], last: Grid, outcome: str = "unfinished") -> list[Frame]:
    """The frames of one run: each position, then the click on it; at the end how it went, held for a while.

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
    """Frames side by side in one picture, in rows, like a comic."""
    from shown.render.raster import contact_sheet

    return contact_sheet(frames, tokens, game, cell, dark)


__all__ = ["Frame", "film", "gif", "image", "png", "strip", "stylesheet", "svg", "symbols", "text"]
