"""Letters as lines, drawn for this project, so that a tile or a caption looks the same in SVG and in pixels, anywhere.

`glyphs.svg` has them, each as a path whose id is the character. A glyph stands on the baseline y = 6, drawn with a
round pen; capitals reach up to y = 0, small letters to y = 2.
"""

from __future__ import annotations

from importlib.resources import files
from xml.etree import ElementTree

from shown.render.vector_shapes import Path, Point, Shapes, moved, outlines

CAP_HEIGHT = 6.0
GAP = 1.7
SPACE = 2.2

_SHEET = ElementTree.fromstring(files("shown.render").joinpath("glyphs.svg").read_text("utf-8"))
GLYPHS = {str(path.get("id")): str(path.get("d")) for path in _SHEET}


def drawable(text: str) -> bool:
    """Whether there is a glyph for every character."""
    return all(character == " " or character in GLYPHS for character in text)


def width(text: str) -> float:
    """Return the width of a line of text in glyph units (a capital is 6 high)."""
    return max(0.0, sum(_advance(character) + GAP for character in text) - GAP)


def depth(text: str) -> float:
    """Return the depth of the text below its baseline, in glyph units."""
    lowest = (y for character in text for points in _points(character) for _, y in points)
    return max([CAP_HEIGHT, *lowest]) - CAP_HEIGHT


def letters(text: str, x: float, y: float, height: float, stroke: str, pen: float) -> Shapes:
    """Return a line of text as shapes: capitals of `height`, on the baseline y, from x, with a pen of width `pen`."""
    scale, at = height / CAP_HEIGHT, 0.0
    shapes: list[Path] = []
    for character in text:
        if character != " ":
            path = Path(GLYPHS.get(character, GLYPHS["?"]), stroke=stroke, width=pen / scale)
            shapes.append(moved(path, x + (at - _left(character)) * scale, y - height, scale))
        at += _advance(character) + GAP
    return tuple(shapes)


def _points(character: str) -> list[tuple[Point, ...]]:
    return [] if character == " " else [points for points, _ in outlines(Path(GLYPHS.get(character, GLYPHS["?"])))]


def _left(character: str) -> float:
    return min(x for points in _points(character) for x, _ in points)


def _advance(character: str) -> float:
    xs = [x for points in _points(character) for x, _ in points]
    return max(xs) - min(xs) if xs else SPACE
