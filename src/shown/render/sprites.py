"""Sprites: one drawing per token, in a box of 100 × 100 (see `vector_shapes`), drawn for this project.

They must be distinguishable without color and at 24 pixels: outlines of one weight, one clear silhouette each, and
between related things (wall and new wall, piece and selected piece) a difference of form, not only of shade.
"""

from __future__ import annotations

from itertools import permutations

from shown.grid import Tokens
from shown.render import glyphs
from shown.render.palette import TILES
from shown.render.vector_shapes import Ellipse, Path, Rect, Shapes, circle, line, polygon, turned

PEN = 4.0


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


def _king(body: str, edge: str, detail: str) -> Shapes:
    return (
        line((50, 9), (50, 40), stroke=edge, width=7),
        line((40, 18), (60, 18), stroke=edge, width=7),
        Path(
            "M34 78C32 67 14 62 14 47C14 33 38 30 50 47C62 30 86 33 86 47C86 62 68 67 66 78Z",
            fill=body,
            stroke=edge,
            width=5,
        ),
        Path("M50 34C58 40 58 48 50 56C42 48 42 40 50 34Z", fill=body, stroke=detail, width=3.5),
        Path("M24 48C24 42 34 42 39 50M76 48C76 42 66 42 61 50", stroke=detail, width=3.5),
        Path("M36 69C45 65 55 65 64 69", stroke=detail, width=3.5),
        Rect(25, 77, 50, 14, 5, fill=body, stroke=edge, width=5),
    )


def _queen(body: str, edge: str, detail: str) -> Shapes:
    return (
        Path("M30 78L16 37L33 54L36 26L50 51L64 26L67 54L84 37L70 78Z", fill=body, stroke=edge, width=5),
        *(circle(x, y, 7, fill=body, stroke=edge, width=PEN) for x, y in ((14, 31), (36, 18), (64, 18), (86, 31))),
        Path("M33 68C44 64 56 64 67 68", stroke=detail, width=3.5),
        Rect(25, 77, 50, 14, 5, fill=body, stroke=edge, width=5),
    )


def _selected(piece: Shapes) -> Shapes:
    """Return a selected piece: framed, so that it is visible without color, too."""
    return Rect(5, 5, 90, 90, 14, fill="select", stroke="select_edge", width=7), *piece


def _key(quarters: int) -> Shapes:
    """Return an arrow key, turned clockwise from up."""
    arrow = Path("M50 22L76 49L60 49L60 75L40 75L40 49L24 49Z", fill="key_mark", stroke="key_mark", width=4)
    return (
        Rect(6, 6, 88, 88, 17, fill="key_side", stroke="key_edge", width=3.5),
        Rect(12, 10, 76, 76, 12, fill="key_top"),
        *turned((arrow,), quarters, center=(50, 48)),
    )


def _bricks(brick: str) -> Shapes:
    """Return bricks in a running bond that continues in neighboring cells."""
    rows = ((2, ((2, 46), (52, 46))), (35.5, ((-2, 25), (27, 46), (77, 25))), (69, ((2, 46), (52, 46))))
    return tuple(Rect(x, y, w, 29, 3, fill=brick) for y, row in rows for x, w in row)


_STAR = "M50 9L62 36L91 39L69 58L76 87L50 72L24 87L31 58L9 39L38 36Z"
_CANOPY = "M9 43C9 18 30 6 50 6C70 6 91 18 91 43C83 36 72 36 65 43C58 36 42 36 35 43C28 36 17 36 9 43Z"
_FLAME = (
    "M52 6C57 26 83 38 83 65C83 84 69 95 50 95C31 95 17 84 17 65C17 51 26 43 27 29C34 34 39 39 41 46C48 36 53 22 52 6Z"
)
_EMBER = "M51 50C55 60 66 64 66 77C66 87 59 91 50 91C41 91 34 87 34 77C34 67 46 63 51 50Z"
_WOOL = ((33, 40, 17), (50, 32, 18), (68, 37, 17), (79, 52, 15), (68, 64, 15), (48, 66, 16), (31, 58, 16))

_WHITE_KING = _king("white", "ink", "ink")
_WHITE_QUEEN = _queen("white", "ink", "ink")

_DOOR: Shapes = (
    Rect(4, 2, 92, 96, 4, fill="wood", stroke="wood_dark", width=6),
    *(Rect(x, y, 32, 36, 3, stroke="wood_dark", width=3.5) for x in (14, 54) for y in (10, 54)),
)

_PIXELS = {
    **{"black": "ink", "grey": "stone", "red": "red", "orange": "orange", "ochre": "wood", "olive": "yellow"},
    **{"green": "green", "blue": "blue", "teal": "steel"},
}
"""The colors of pixels by the names of tokens. A pixel that changes has its present color."""

SPRITES: dict[str, Shapes] = {
    "empty": (),
    # nim
    "matchstick": (
        Rect(42, 24, 16, 72, 4, fill="wood_light", stroke="wood_dark", width=PEN),
        Ellipse(50, 22, 13, 17, fill="red", stroke="red_dark", width=PEN),
        Path("M45 21C45 17 46 14 49 12", stroke="white", width=3),
    ),
    # checkmate
    "black_king": _king("dark_piece", "dark_piece", "shade"),
    "white_king": _WHITE_KING,
    "white_queen": _WHITE_QUEEN,
    "selected_white_king": _selected(_WHITE_KING),
    "selected_white_queen": _selected(_WHITE_QUEEN),
    # chase
    "wall": (Rect(0, 0, 100, 100, fill="mortar"), *_bricks("brick")),
    "new_wall": (
        Rect(7, 7, 86, 86, 9, fill="fresh", stroke="fresh_edge", width=5),
        Path("M7 36L93 36M7 64L93 64M50 7L50 36M29 36L29 64M71 36L71 64M50 64L50 93", stroke="fresh_edge", width=4.5),
    ),
    "agent": (
        Path("M14 94C14 69 29 60 50 60C71 60 86 69 86 94Z", fill="blue", stroke="ink", width=PEN),
        Path("M38 61L50 75L62 61", fill="skin", stroke="ink", width=PEN),
        circle(50, 37, 22, fill="skin", stroke="ink", width=PEN),
        Path(
            "M26 36C22 10 40 8 50 8C62 8 78 12 74 36C68 30 64 26 62 22C54 29 36 30 26 36Z",
            fill="hair",
            stroke="ink",
            width=PEN,
        ),
        circle(42, 41, 3.2, fill="ink"),
        circle(58, 41, 3.2, fill="ink"),
        Path("M44 50C47 53 53 53 56 50", stroke="ink", width=3),
    ),
    "rabbit": (
        Path("M40 46C26 38 20 8 32 6C44 5 48 30 47 44Z", fill="fur", stroke="ink", width=PEN),
        Path("M60 46C74 38 80 8 68 6C56 5 52 30 53 44Z", fill="fur", stroke="ink", width=PEN),
        Path("M39 38C31 30 29 16 33 14C38 14 41 28 42 38Z", fill="pink"),
        Path("M61 38C69 30 71 16 67 14C62 14 59 28 58 38Z", fill="pink"),
        Path(
            "M50 40C70 40 79 52 79 68C79 85 66 94 50 94C34 94 21 85 21 68C21 52 30 40 50 40Z",
            fill="fur",
            stroke="ink",
            width=PEN,
        ),
        circle(38, 61, 4.5, fill="ink"),
        circle(62, 61, 4.5, fill="ink"),
        Path("M44 71L56 71L50 78Z", fill="pink", stroke="ink", width=3),
        Path("M50 78C50 85 44 86 40 83M50 78C50 85 56 86 60 83", stroke="ink", width=3),
    ),
    "up_arrow": _key(0),
    "right_arrow": _key(1),
    "down_arrow": _key(2),
    "left_arrow": _key(3),
    # stop the fall
    "parachuter": (
        Path("M10 43L44 72M35 43L48 70M65 43L52 70M90 43L56 72", stroke="cord", width=3.5),
        Path(_CANOPY, fill="red", stroke="ink", width=PEN),
        Path("M35 43C34 25 41 11 50 6C59 11 66 25 65 43C58 36 42 36 35 43Z", fill="white", stroke="ink", width=3),
        Path("M46 88L42 96M54 88L58 96", stroke="ink", width=5),
        Path("M38 91C38 76 43 73 50 73C57 73 62 76 62 91Z", fill="blue", stroke="ink", width=PEN),
        circle(50, 67, 9, fill="skin", stroke="ink", width=PEN),
    ),
    "static_block": (
        Rect(0, 0, 100, 100, fill="stone_dark"),
        polygon([(0, 0), (100, 0), (90, 10), (10, 90), (0, 100)], fill="stone_light"),
        Rect(9, 9, 82, 82, 3, fill="stone"),
        Path("M66 12L58 27L67 37L60 49M12 65L25 70L30 63M46 80L52 75", stroke="stone_dark", width=4),
    ),
    "new_block": (
        Rect(6, 6, 88, 88, 8, fill="wood_light", stroke="wood_dark", width=5),
        Path("M35 7L35 93M65 7L65 93", stroke="wood_dark", width=4),
        Rect(6, 20, 88, 15, 2, fill="wood", stroke="wood_dark", width=4),
        Rect(6, 65, 88, 15, 2, fill="wood", stroke="wood_dark", width=4),
        *(circle(x, y, 2.8, fill="wood_dark") for y in (27.5, 72.5) for x in (20, 50, 80)),
    ),
    "fire": (Path(_FLAME, fill="orange", stroke="red_dark", width=PEN), Path(_EMBER, fill="yellow")),
    "green_button": (
        Rect(6, 6, 88, 88, 16, fill="stone_light", stroke="ink", width=PEN),
        *(circle(x, y, 4, fill="stone_dark") for x in (18, 82) for y in (18, 82)),
        circle(50, 50, 36, fill="green_dark", stroke="ink", width=PEN),
        circle(50, 46, 31, fill="green"),
        Path("M30 43C31 32 39 25 50 24", stroke="green_light", width=6),
    ),
    # reach for the star
    "robot": (
        Path("M50 20L50 10", stroke="cord", width=PEN),
        circle(50, 9, 5, fill="red", stroke="ink", width=3),
        Path("M28 62L15 75M72 62L85 75", stroke="ink", width=12),
        Path("M28 62L15 75M72 62L85 75", stroke="steel", width=5),
        Rect(29, 54, 42, 30, 6, fill="steel", stroke="ink", width=PEN),
        Path("M40 69L60 69", stroke="steel_dark", width=PEN),
        Rect(22, 20, 56, 37, 12, fill="steel", stroke="ink", width=PEN),
        Rect(29, 27, 42, 22, 9, fill="ink"),
        circle(41, 38, 5, fill="yellow"),
        circle(59, 38, 5, fill="yellow"),
        Rect(21, 82, 58, 14, 7, fill="steel_dark", stroke="ink", width=PEN),
        *(circle(x, 89, 3, fill="steel") for x in (34, 50, 66)),
    ),
    "star": (
        Path(_STAR, fill="yellow", stroke="yellow_dark", width=6),
        Path("M50 22L56.5 42L77 44.5", stroke="white", width=PEN),
    ),
    "block": (
        Rect(3, 3, 94, 94, 6, fill="wood_dark", stroke="wood_dark", width=4),
        Rect(17, 17, 66, 66, 2, fill="wood"),
        Path("M19 19L81 81M81 19L19 81", stroke="wood_dark", width=16),
        Path("M19 19L81 81M81 19L19 81", stroke="wood_light", width=9),
        Path("M9.5 9.5L90.5 9.5L90.5 90.5L9.5 90.5Z", stroke="wood_light", width=9),
        *(circle(x, y, 2.5, fill="wood_dark") for x in (9.5, 90.5) for y in (9.5, 90.5)),
    ),
    # fence in
    "sheep": (
        Path("M36 72L36 92M48 74L48 92M64 72L64 92M74 70L74 92", stroke="ink", width=6.5),
        *(circle(x, y, r, fill="wool", stroke="ink", width=2 * PEN) for x, y, r in _WOOL),
        *(circle(x, y, r, fill="wool") for x, y, r in _WOOL),
        circle(56, 50, 20, fill="wool"),
        Path("M50 54C55 58 61 58 65 53M62 41C67 45 73 44 76 40", stroke="shade", width=PEN),
        Path("M12 40C14 28 34 28 36 40C37 52 32 64 24 64C16 64 11 52 12 40Z", fill="ink"),
        Path("M14 36C7 33 4 36 5 41C8 44 12 43 15 41Z", fill="ink"),
        Path("M33 35C40 30 44 33 44 38C41 43 36 43 33 41Z", fill="ink"),
        circle(19, 43, 3, fill="white"),
        circle(29, 43, 3, fill="white"),
        *(circle(x, y, r, fill="wool") for x, y, r in ((19, 30, 6), (26, 28, 7), (31, 32, 5))),
    ),
    "fence": (
        Rect(-2, 36, 104, 13, fill="wood", stroke="wood_dark", width=PEN),
        Rect(-2, 65, 104, 13, fill="wood", stroke="wood_dark", width=PEN),
        *(
            Path(
                f"M{x} 94L{x} 24L{x + 10} 10L{x + 20} 24L{x + 20} 94Z", fill="wood_light", stroke="wood_dark", width=PEN
            )
            for x in (6.5, 40, 73.5)
        ),
    ),
    # minigrid
    "goal": (
        Ellipse(34, 92, 20, 5, fill="stone"),
        line((34, 91), (34, 8), stroke="cord", width=6),
        Path("M34 11L86 28L34 47Z", fill="green", stroke="ink", width=PEN),
    ),
    "key": (
        Path("M44 44L92 44L92 66L82 66L82 56L74 56L74 66L64 66L64 56L44 56Z", fill="yellow", stroke="ink", width=PEN),
        circle(29, 50, 21, fill="yellow", stroke="ink", width=PEN),
        circle(29, 50, 8, fill="white", stroke="ink", width=PEN),
    ),
    "closed_door": (*_DOOR, circle(72, 52, 6, fill="yellow", stroke="ink", width=3)),
    "locked_door": (
        *_DOOR,
        Path("M37 50L37 38C37 22 63 22 63 38L63 50", stroke="ink", width=8),
        Rect(28, 46, 44, 36, 6, fill="yellow", stroke="ink", width=PEN),
        Path("M50 60L50 71", stroke="ink", width=8),
    ),
    "lava": (
        Rect(0, 0, 100, 100, fill="orange"),
        *(
            Path(f"M0 {y}C17 {y - 14} 33 {y - 14} 50 {y}C67 {y + 14} 83 {y + 14} 100 {y}", stroke="red_dark", width=6)
            for y in (22, 52, 82)
        ),
    ),
    # breakout
    "paddle": (Rect(0, 30, 100, 40, fill="red"), line((0, 30), (100, 30), stroke="ink", width=PEN)),
    "ball": (circle(50, 50, 34, fill="red", stroke="ink", width=PEN),),
    "ball_before": (circle(50, 50, 20, stroke="red", width=PEN),),
    **{name: (Rect(-1, -1, 102, 102, fill=color),) for name, color in _PIXELS.items()},
    **{f"{was}_to_{now}": (Rect(-1, -1, 102, 102, fill=_PIXELS[now]),) for was, now in permutations(_PIXELS, 2)},
}
"""The drawings by names of tokens; any game with such a token gets its drawing."""
