"""Letters as lines, drawn for this project, so that a tile or a caption looks the same in SVG and in pixels, anywhere.

Each glyph stands on the baseline y = 6, drawn with a round pen; capitals reach up to y = 0, small letters to y = 2.
"""

from __future__ import annotations

from shown.render.vector_shapes import Path, Point, Shapes, moved, outlines

CAP_HEIGHT = 6.0
GAP = 1.7
SPACE = 2.2

GLYPHS: dict[str, str] = {
    "A": "M0 6L2.25 0L4.5 6M0.8 4L3.7 4",
    "B": "M0 0L0 6L2.3 6C4.4 6 4.4 2.9 2.3 2.9L0 2.9M2.3 2.9C4 2.9 4 0 2.3 0L0 0",
    "C": "M4.2 1.2C3 -0.5 0 -0.6 0 3C0 6.6 3 6.5 4.2 4.8",
    "D": "M0 0L0 6L1.6 6C5.2 6 5.2 0 1.6 0Z",
    "E": "M3.6 0L0 0L0 6L3.6 6M0 2.9L3 2.9",
    "F": "M3.6 0L0 0L0 6M0 2.9L3 2.9",
    "G": "M4.2 1.2C3 -0.5 0 -0.6 0 3C0 6.8 4.3 6.8 4.3 3.3L2.5 3.3",
    "H": "M0 0L0 6M4 0L4 6M0 2.9L4 2.9",
    "I": "M0 0L2.4 0M1.2 0L1.2 6M0 6L2.4 6",
    "J": "M3 0L3 4.2C3 6.6 0.3 6.6 0 4.6",
    "K": "M0 0L0 6M3.9 0L0 3.6M1.3 2.5L4 6",
    "L": "M0 0L0 6L3.4 6",
    "M": "M0 6L0 0L2.5 4L5 0L5 6",
    "N": "M0 6L0 0L4 6L4 0",
    "O": "M2.35 0C5.5 0 5.5 6 2.35 6C-0.8 6 -0.8 0 2.35 0Z",
    "P": "M0 6L0 0L2.2 0C4.6 0 4.6 3.4 2.2 3.4L0 3.4",
    "Q": "M2.35 0C5.5 0 5.5 6 2.35 6C-0.8 6 -0.8 0 2.35 0ZM2.9 4.4L4.6 6.5",
    "R": "M0 6L0 0L2.2 0C4.6 0 4.6 3.3 2.2 3.3L0 3.3M2.2 3.3L4 6",
    "S": "M3.7 1C3 -0.4 0.2 -0.4 0.2 1.5C0.2 3.4 3.9 2.6 3.9 4.5C3.9 6.5 0.7 6.4 0 4.9",
    "T": "M0 0L4.2 0M2.1 0L2.1 6",
    "U": "M0 0L0 3.8C0 6.8 4 6.8 4 3.8L4 0",
    "V": "M0 0L2.2 6L4.4 0",
    "W": "M0 0L1.4 6L2.9 1.4L4.4 6L5.8 0",
    "X": "M0 0L4.2 6M4.2 0L0 6",
    "Y": "M0 0L2.1 3L4.2 0M2.1 3L2.1 6",
    "Z": "M0 0L4 0L0 6L4 6",
    "a": "M0.4 2.7C1.2 1.7 3.2 1.7 3.2 3.5L3.2 6M3.2 3.9C1.8 3.6 0 3.7 0 5C0 6.5 2.7 6.3 3.2 4.7",
    "b": "M0 0L0 6M0 4C0 1.3 3.6 1.3 3.6 4C3.6 6.7 0 6.7 0 4",
    "c": "M3.1 2.8C2.3 1.7 0 1.6 0 4C0 6.4 2.3 6.3 3.1 5.2",
    "d": "M3.6 0L3.6 6M3.6 4C3.6 1.3 0 1.3 0 4C0 6.7 3.6 6.7 3.6 4",
    "e": "M0 4L3.5 4C3.5 1.3 0 1.3 0 4C0 6.5 2.5 6.4 3.3 5.2",
    "f": "M2.6 0.3C1.6 -0.3 1 0.3 1 1.4L1 6M0 2.3L2.3 2.3",
    "g": "M3.6 2.1L3.6 6.4C3.6 8.4 1 8.3 0.3 7.5M3.6 4C3.6 1.3 0 1.3 0 4C0 6.7 3.6 6.7 3.6 4",
    "h": "M0 0L0 6M0 3.8C0 1.6 3.2 1.4 3.2 3.8L3.2 6",
    "i": "M0.3 2.1L0.3 6M0.3 0.3L0.3 0.4",
    "j": "M1 2.1L1 6.8C1 7.9 0.4 8.1 -0.3 7.8M1 0.3L1 0.4",
    "k": "M0 0L0 6M2.9 2.1L0 4.5M1 3.7L3.1 6",
    "l": "M0 0L0 4.9C0 5.8 0.5 6.1 1 6",
    "m": "M0 6L0 2.1M0 3.6C0 1.6 2.5 1.5 2.5 3.6L2.5 6M2.5 3.6C2.5 1.6 5 1.5 5 3.6L5 6",
    "n": "M0 6L0 2.1M0 3.8C0 1.6 3.2 1.4 3.2 3.8L3.2 6",
    "o": "M1.85 2C4.3 2 4.3 6 1.85 6C-0.6 6 -0.6 2 1.85 2Z",
    "p": "M0 2.1L0 8M0 4C0 1.3 3.6 1.3 3.6 4C3.6 6.7 0 6.7 0 4",
    "q": "M3.6 2.1L3.6 8M3.6 4C3.6 1.3 0 1.3 0 4C0 6.7 3.6 6.7 3.6 4",
    "r": "M0 6L0 2.1M0 3.9C0 2.2 1.2 1.8 2.1 2.2",
    "s": "M2.8 2.7C2.2 1.7 0.2 1.8 0.2 3C0.2 4.3 3 3.7 3 5C3 6.3 0.6 6.3 0 5.3",
    "t": "M1 0.6L1 4.7C1 6 1.8 6.2 2.5 5.8M0 2.3L2.4 2.3",
    "u": "M0 2.1L0 4.2C0 6.6 3.2 6.4 3.2 4.2M3.2 2.1L3.2 6",
    "v": "M0 2.1L1.7 6L3.4 2.1",
    "w": "M0 2.1L1.2 6L2.4 3L3.6 6L4.8 2.1",
    "x": "M0 2.1L3.2 6M3.2 2.1L0 6",
    "y": "M0 2.1L1.7 6M3.4 2.1L1.4 6.8C1.1 7.7 0.6 8 0 7.8",
    "z": "M0 2.1L3 2.1L0 6L3 6",
    "0": "M2 0C4.7 0 4.7 6 2 6C-0.7 6 -0.7 0 2 0ZM1.3 4.4L2.7 1.6",
    "1": "M0 1.4L1.6 0L1.6 6M0.2 6L3 6",
    "2": "M0.1 1.5C0.4 -0.5 3.7 -0.5 3.7 1.6C3.7 3.2 1.4 4.4 0 6L3.8 6",
    "3": "M0.1 0.9C1 -0.4 3.5 -0.3 3.5 1.4C3.5 2.6 2.4 2.9 1.5 2.9C2.6 2.9 3.8 3.2 3.8 4.4C3.8 6.4 0.9 6.5 0 5",
    "4": "M3 6L3 0L0 4.2L4.1 4.2",
    "5": "M3.4 0L0.5 0L0.2 2.7C1.6 1.8 3.8 2.3 3.8 4.1C3.8 6.4 0.9 6.5 0 5.1",
    "6": "M3.2 0.3C1.3 -0.3 0 1.6 0 4C0 6.7 3.8 6.7 3.8 4.1C3.8 1.7 0.5 1.7 0 4",
    "7": "M0 0L3.8 0L1.4 6",
    "8": "M1.9 0C4.2 0 4.2 2.8 1.9 2.8C-0.4 2.8 -0.4 0 1.9 0ZM1.9 2.8C4.6 2.8 4.6 6 1.9 6C-0.8 6 -0.8 2.8 1.9 2.8Z",
    "9": "M0.6 5.7C2.5 6.3 3.8 4.4 3.8 2C3.8 -0.7 0 -0.7 0 1.9C0 4.3 3.3 4.3 3.8 2",
    "!": "M0 0L0 4.1M0 5.9L0 6",
    '"': "M0 0L0 1.6M1.6 0L1.6 1.6",
    "#": "M1.5 0L0.9 6M3.9 0L3.3 6M0.2 1.9L4.8 1.9M0 4.1L4.6 4.1",
    "$": "M3.7 1.4C3 0.3 0.2 0.3 0.2 1.7C0.2 3.3 3.9 2.7 3.9 4.3C3.9 5.8 0.7 5.8 0 4.6M2 -0.6L2 6.6",
    "%": "M4.6 0L0.4 6M1 0.2C2.3 0.2 2.3 2.4 1 2.4C-0.3 2.4 -0.3 0.2 1 0.2Z"
    "M4 3.6C5.3 3.6 5.3 5.8 4 5.8C2.7 5.8 2.7 3.6 4 3.6Z",
    "&": "M4.4 6L1 1.9C0.2 0.6 1 0 1.8 0C3.4 0 3.3 1.9 1.9 2.6C-0.2 3.6 -0.2 6 1.7 6C3.2 6 4.2 4.8 4.3 3.4",
    "'": "M0 0L0 1.6",
    "(": "M1.5 -0.4C-0.4 1.6 -0.4 4.6 1.5 6.6",
    ")": "M0 -0.4C1.9 1.6 1.9 4.6 0 6.6",
    "*": "M1.8 1.2L1.8 4.8M0.2 2.1L3.4 3.9M3.4 2.1L0.2 3.9",
    "+": "M1.9 1.4L1.9 5.2M0 3.3L3.8 3.3",
    ",": "M0.6 5.8L0 7.2",
    "-": "M0 3.5L2.6 3.5",
    ".": "M0 5.9L0 6",
    "/": "M2.6 -0.4L0 6.6",
    ":": "M0 2.7L0 2.8M0 5.6L0 5.7",
    ";": "M0.6 2.7L0.6 2.8M0.6 5.6L0 7",
    "<": "M3.4 1L0 3.3L3.4 5.6",
    "=": "M0 2.4L3.6 2.4M0 4.3L3.6 4.3",
    ">": "M0 1L3.4 3.3L0 5.6",
    "?": "M0 1.2C0.5 -0.6 3.4 -0.5 3.4 1.5C3.4 2.9 1.7 2.9 1.7 4.3M1.7 5.9L1.7 6",
    "@": "M4.2 3L4.2 3.6C4.2 4.9 6 4.7 6 3C6 0.9 4.6 -0.4 3 -0.4C1.2 -0.4 0 1.2 0 3.1C0 6.2 2.8 7.1 4.9 6"
    "M4.2 3C4.2 1.2 1.8 1.2 1.8 3.1C1.8 5 4.2 5 4.2 3Z",
    "[": "M1.4 -0.4L0 -0.4L0 6.6L1.4 6.6",
    "\\": "M0 -0.4L2.6 6.6",
    "]": "M0 -0.4L1.4 -0.4L1.4 6.6L0 6.6",
    "^": "M0 2.6L1.7 0L3.4 2.6",
    "_": "M0 6.4L3.8 6.4",
    "`": "M0 0L1 1.2",
    "{": "M1.8 -0.4C0.2 -0.4 1.4 2.7 0 3.1C1.4 3.5 0.2 6.6 1.8 6.6",
    "|": "M0 -0.4L0 6.6",
    "}": "M0 -0.4C1.6 -0.4 0.4 2.7 1.8 3.1C0.4 3.5 1.6 6.6 0 6.6",
    "~": "M0 3.8C1.2 2.2 2.4 4.8 3.8 3.1",
    "·": "M0 3.3L0 3.4",
}


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
            path = Path(_glyph(character), stroke=stroke, width=pen / scale)
            shapes += moved([path], x + (at - _left(character)) * scale, y - height, scale)
        at += _advance(character) + GAP
    return tuple(shapes)


def _glyph(character: str) -> str:
    return GLYPHS.get(character, GLYPHS["?"])


def _points(character: str) -> list[tuple[Point, ...]]:
    return [] if character == " " else [points for points, _ in outlines(Path(_glyph(character)))]


def _left(character: str) -> float:
    return min(x for points in _points(character) for x, _ in points)


def _advance(character: str) -> float:
    xs = [x for points in _points(character) for x, _ in points]
    return max(xs) - min(xs) if xs else SPACE
