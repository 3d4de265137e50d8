"""Scenes as SVG, and the sprites as reusable symbols."""

from __future__ import annotations

from typing import Any
from xml.sax.saxutils import escape, quoteattr

from shown.errors import BadInput
from shown.grid import Cell, Grid, Tokens
from shown.render.palette import color, ground, stylesheet, variable
from shown.render.scene import CLICK, LOOK, Frame, Scene, build, cell_size
from shown.render.sprites import drawings
from shown.render.vector_shapes import Color, Rect, Shapes, element, number

MOST_CELLS = 100_000
PEN = 'stroke-linejoin="round" stroke-linecap="round"'


def paint(dark: bool | None) -> Color:
    """Return how colors are written: light, dark, or (None) as variables that follow the page."""
    if dark is None:
        return variable
    return lambda name: color(name, bool(dark))


def symbols(tokens: Tokens, game: str | None = None, *, dark: bool | None = None, prefix: str = "sprite-") -> str:
    """Return a hidden SVG with one `<symbol>` per token, to be used in a page with `<use href="#sprite-agent">`.

    Besides the tokens by name there are `ground-0` and `ground-1` (alternating under the cells), `click` and `look`.
    With `dark=None` the colors are CSS variables; `stylesheet()` defines them for light and dark.
    """
    to_color = paint(dark)
    names = {f"ground-{i}": (Rect(0, 0, 100, 100, fill=name),) for i, name in enumerate(ground(game))}
    sheet: dict[str, Shapes] = {**names, "click": CLICK, "look": LOOK}
    parts = [_symbol(f"{prefix}{name}", shapes, to_color) for name, shapes in sheet.items()]
    for character, shapes in drawings(tokens).items():
        parts.append(_symbol(f"{prefix}{tokens.name(character)}", shapes, to_color))
    body = "\n".join(parts)
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="0" height="0" aria-hidden="true">\n{body}\n</svg>\n'


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
    frame = Frame(grid, **marks)
    scene, title = build(frame, tokens, game), describe(grid, tokens, game, frame.click)
    if grid.height * grid.width > MOST_CELLS:
        raise BadInput(f"a grid of {grid.height} × {grid.width} is too large for SVG. Draw it as PNG instead.")
    to_color = paint(dark)
    size = cell_size(scene, cell)
    pixels = scene.pixels(size)
    x, y, width, height = -pixels[0] * 100 / size, -pixels[1] * 100 / size, *(v * 100 / size for v in pixels[2:])
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{" ".join(number(v) for v in (x, y, width, height))}" '
        f'width="{pixels[2]}" height="{pixels[3]}" '
        f'role="img" aria-label={quoteattr(title)} {PEN}>',
        f"<title>{escape(title)}</title>",
    ]
    if dark is None:
        parts.append(f"<style>{stylesheet()}</style>")
    if used := {character for row in grid.rows for character in row if scene.sprites[character]}:
        drawn = (_symbol(prefix + tokens.name(c), scene.sprites[c], to_color) for c in tokens if c in used)
        parts.append(f"<defs>\n{chr(10).join(drawn)}\n</defs>")
    parts.append(element(Rect(x, y, width, height, fill="page"), to_color))
    parts += _grounds(scene, to_color)
    parts += [
        f'<use href="#{prefix}{tokens.name(character)}" x="{100 * c}" y="{100 * r}" width="100" height="100"/>'
        for r, row in enumerate(grid.rows)
        for c, character in enumerate(row)
        if character in used
    ]
    name, pen = scene.frame
    edge = Rect(-pen / 2, -pen / 2, 100 * grid.width + pen, 100 * grid.height + pen, stroke=name, width=pen)
    parts.append(element(edge, to_color))
    for (r, c), shapes in scene.marks.items():
        parts.append(f'<g transform="translate({100 * c} {100 * r})">{_elements(shapes, to_color)}</g>')
    parts += [element(shape, to_color) for shape in (*scene.lines, *scene.writing)]
    return "\n".join([*parts, "</svg>", ""])


def _grounds(scene: Scene, to_color: Color) -> list[str]:
    """One path a shade, so that a board of many cells stays a small file."""
    m, (rows, cols) = scene.margin, scene.grid.shape
    parts = []
    if m:
        rim = Rect(-100 * m, -100 * m, 100 * (cols + 2 * m), 100 * (rows + 2 * m), fill="off")
        parts.append(element(rim, to_color))
    parts.append(element(Rect(0, 0, 100 * cols, 100 * rows, fill=scene.grounds[0]), to_color))
    odd = "".join(f"M{100 * c} {100 * r}h100v100h-100z" for r in range(rows) for c in range(1 - r % 2, cols, 2))
    if odd:
        parts.append(f'<path d="{odd}" fill="{to_color(scene.grounds[1])}"/>')
    return parts


def _symbol(identity: str, shapes: Shapes, to_color: Color) -> str:
    return f'<symbol id="{identity}" viewBox="0 0 100 100" {PEN}>{_elements(shapes, to_color)}</symbol>'


def _elements(shapes: Shapes, to_color: Color) -> str:
    return "".join(element(shape, to_color) for shape in shapes)


def describe(grid: Grid, tokens: Tokens, game: str | None, click: Cell | str | None) -> str:
    """Return a description of the picture for screen readers.

    >>> describe(Grid(("|.", "||")), Tokens(empty=".", matchstick="|"), "nim", (0, 0))
    'nim, 2 rows by 2 columns, click at row 0, column 0'
    """
    text = f"{game or 'grid'}, {grid.height} rows by {grid.width} columns"
    if isinstance(click, str):
        return f"{text}, button {click}"
    return text if click is None else f"{text}, click at row {click[0]}, column {click[1]}"
