"""Grids as text, SVG, PNG and GIF.

A picture needs a grid and its tokens; the name of a game, if any, selects the ground. Tokens without a sprite are drawn
as lettered tiles, so that a new game looks tidy without any drawing.

>>> from shown.grid import Tokens, grid
>>> print(text(grid("|.", "||"), Tokens(empty=".", matchstick="|"), click=(0, 0)))
[|].
 | |
"""

from shown.render.palette import stylesheet
from shown.render.raster import gif, image, png
from shown.render.scene import Frame, film
from shown.render.terminal import text
from shown.render.vector import svg, symbols

__all__ = ["Frame", "film", "gif", "image", "png", "stylesheet", "svg", "symbols", "text"]
