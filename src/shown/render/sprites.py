"""Sprites: one drawing per token, in a box of 100 × 100, drawn for this project in `sprites.svg`.

They must be distinguishable without color and at 24 pixels: outlines of one weight, one clear silhouette each, and
between related things (wall and new wall, piece and selected piece) a difference of form, not only of shade.
"""

from __future__ import annotations

from importlib.resources import files
from itertools import permutations
from xml.etree import ElementTree

from shown.grid import Tokens
from shown.render import glyphs
from shown.render.palette import TILES
from shown.render.vector_shapes import Rect, Shapes, shape


def drawings(tokens: Tokens) -> dict[str, Shapes]:
    """Return the drawing of every token, by its character.

    A token with the name of a sprite gets it, empty ground gets nothing, and any other gets a lettered tile.

    >>> drawings(Tokens(empty=".", star="*"))["."]
    ()
    """
    return {
        character: SPRITES[name] if name in SPRITES else () if character == "." else letter_tile(label, index)
        for index, (name, character, label) in enumerate(zip(tokens.names, tokens, labels(tokens), strict=True))
    }


def labels(tokens: Tokens) -> list[str]:
    """Return the label of each token's tile: its character, or, without a glyph for it, initials or a number.

    >>> labels(Tokens(empty=".", tree="T", deep_water="≈"))
    ['.', 'T', 'DW']
    """
    result: list[str] = []
    for index, (name, character) in enumerate(tokens.characters.items()):
        label = character
        if not glyphs.drawable(character):
            label = "".join(word[0] for word in name.split("_") if word)[:2].upper()
        result.append(label if label not in result else str(index))
    return result


def letter_tile(label: str, index: int) -> Shapes:
    """Return a tile with a few letters."""
    height = (44.0, 32.0, 24.0)[min(len(label), 3) - 1]
    scale = height / glyphs.CAP_HEIGHT
    x, y = 50 - glyphs.width(label) * scale / 2, 49 + height / 2 - glyphs.depth(label) * scale / 2
    return (
        Rect(9, 9, 82, 82, 16, fill=f"tile_{index % TILES}", stroke="tile_edge", width=3),
        *glyphs.letters(label, x, y, height, "tile_mark", height / 5.5),
    )


_PIXELS = {
    **{"black": "ink", "grey": "stone", "red": "red", "orange": "orange", "ochre": "wood", "olive": "yellow"},
    **{"green": "green", "blue": "blue", "teal": "steel"},
}
"""The colors of pixels by the names of tokens. A pixel that changes has its present color."""

_SHEET = ElementTree.fromstring(files("shown.render").joinpath("sprites.svg").read_text("utf-8"))

SPRITES: dict[str, Shapes] = {
    "empty": (),
    **{str(drawing.get("id")): tuple(shape(dict(node.items())) for node in drawing) for drawing in _SHEET},
    **{name: (Rect(-1, -1, 102, 102, fill=color),) for name, color in _PIXELS.items()},
    **{f"{was}_to_{now}": (Rect(-1, -1, 102, 102, fill=_PIXELS[now]),) for was, now in permutations(_PIXELS, 2)},
}
"""The drawings by names of tokens; any game with such a token gets its drawing."""
