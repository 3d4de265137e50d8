"""Scenes as pixels: PNG and GIF, with Pillow. Each kind of cell is drawn once, large, then made smaller and smooth."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from shown.errors import BadInput, MissingExtra
from shown.grid import Tokens
from shown.render.palette import COLOURS, colour
from shown.render.scene import LONGEST_SIDE, MOST_PIXELS, Frame, Scene, build, cell_size
from shown.render.shapes import Shape, Shapes, outlines

if TYPE_CHECKING:
    from PIL.Image import Image

LONGEST_GIF = 480
LONGEST_SHEET = 1600
MOST_PANELS = 60


def draw(scene: Scene, cell: int | None = None, dark: bool = False, longest: int = LONGEST_SIDE) -> Image:
    """A scene as a picture; `cell` is the side of a cell in pixels, chosen to suit the grid if None."""
    size = cell_size(scene, cell, longest)
    pixels = _board(scene, size, dark)
    x0, y0, width, height = (v * size / 100 for v in scene.box)
    canvas = _pillow().new("RGB", (max(1, round(width)), max(1, round(height))), colour("page", dark))
    left, top = round(-x0) - scene.margin * size, round(-y0) - scene.margin * size
    canvas.paste(_pillow().fromarray(pixels), (left, top))
    _frame(canvas, scene, size, round(-x0), round(-y0), dark)
    for shapes in (scene.lines, scene.writing):
        if shapes:
            _overlay(canvas, shapes, size / 100, round(-x0), round(-y0), dark)
    side = max(canvas.size)
    limit = min(longest, MOST_PIXELS) if cell is None else MOST_PIXELS
    return canvas.reduce(-(-side // limit)) if size == 1 and side > limit else canvas


def encode_png(picture: Image) -> bytes:
    stream = io.BytesIO()
    picture.save(stream, "PNG", optimize=True)
    return stream.getvalue()


def encode_gif(
    frames: Iterable[Frame], tokens: Tokens, game: str | None, cell: int | None, dark: bool, speed: float
) -> bytes:
    """An animation that repeats. All frames share one palette, so that nothing flickers."""
    scenes = [(build(frame, tokens, game), frame.seconds) for frame in frames]
    if not scenes:
        raise BadInput("there is nothing to animate: no frames.")
    if not 0 < speed <= 1000:
        raise BadInput(f"speed={speed}: must be above 0 and at most 1000, such as 2 for twice as fast.")
    size = min(cell_size(scene, cell, LONGEST_GIF) for scene, _ in scenes)
    pictures = [draw(scene, size, dark, LONGEST_GIF) for scene, _ in scenes]
    width, height = (max(picture.size[axis] for picture in pictures) for axis in (0, 1))
    palette = _common_palette(pictures)
    indexed = list(_indexed(pictures, width, height, palette, dark))
    # Players treat less than 20 ms as "slow"; GIF counts in hundredths of a second.
    durations = [max(20, 10 * round(100 * seconds / speed)) for _, seconds in scenes]
    stream = io.BytesIO()
    indexed[0].save(
        stream, "GIF", save_all=True, append_images=indexed[1:], duration=durations, loop=0, disposal=1, optimize=False
    )
    return stream.getvalue()


def contact_sheet(frames: Sequence[Frame], tokens: Tokens, game: str | None, cell: int | None, dark: bool) -> Image:
    """All frames in rows, as near to three by two as their shape allows; of very many, some evenly spread ones."""
    if not frames:
        raise BadInput("there is nothing to draw: no frames.")
    if len(frames) > MOST_PANELS:
        frames = [frames[round(i * (len(frames) - 1) / (MOST_PANELS - 1))] for i in range(MOST_PANELS)]
    scenes = [build(frame, tokens, game) for frame in frames]
    wide, high = (max(scene.box[axis] for scene in scenes) for axis in (2, 3))
    columns = min(range(1, len(scenes) + 1), key=lambda n: abs(n * wide - 1.5 * -(-len(scenes) // n) * high))
    rows = -(-len(scenes) // columns)
    largest = max(1, LONGEST_SHEET // max(columns, rows))
    size = min(cell_size(scene, cell, largest) for scene in scenes)
    pictures = [draw(scene, size, dark, largest) for scene in scenes]
    width, height = (max(picture.size[axis] for picture in pictures) for axis in (0, 1))
    sheet = _pillow().new("RGB", (columns * width, rows * height), colour("page", dark))
    for i, picture in enumerate(pictures):
        x, y = i % columns * width, i // columns * height
        sheet.paste(picture, (x + (width - picture.width) // 2, y))
    return sheet


def _common_palette(pictures: list[Image]) -> Image:
    """The 256 colours that serve all pictures best; each distinct colour counts once, so that rare ones are kept."""
    seen = np.unique(np.concatenate([np.unique(_packed(picture)) for picture in pictures]))
    channels = np.stack([seen >> 16, seen >> 8 & 255, seen & 255], axis=-1).astype(np.uint8)
    flat = _pillow().fromarray(channels[None])
    return flat.quantize(256, method=_pillow().Quantize.MEDIANCUT, dither=_pillow().Dither.NONE)


def _packed(picture: Image) -> np.ndarray:
    """Each pixel as one number, 0xrrggbb. [H, W] uint32"""
    pixels = np.asarray(picture).astype(np.uint32)
    return pixels[..., 0] << 16 | pixels[..., 1] << 8 | pixels[..., 2]


def _indexed(pictures: list[Image], width: int, height: int, palette: Image, dark: bool) -> Iterator[Image]:
    for picture in pictures:
        canvas = picture
        if picture.size != (width, height):
            canvas = _pillow().new("RGB", (width, height), colour("page", dark))
            canvas.paste(picture, ((width - picture.width) // 2, (height - picture.height) // 2))
        yield canvas.quantize(palette=palette, dither=_pillow().Dither.NONE)


def _board(scene: Scene, size: int, dark: bool) -> np.ndarray:
    """The cells, margin included. [H * size, W * size, 3] uint8"""
    grid, m = scene.grid, scene.margin
    pages = [colour("off", dark), *(colour(name, dark) for name in scene.grounds)]
    kinds = sorted(set("".join(grid.rows)))
    tiles = [tile((), pages[0], size, dark)]
    tiles += [tile(scene.sprites[kind], page, size, dark) for kind in kinds for page in pages[1:]]
    rows, cols = grid.shape
    index = np.zeros((rows + 2 * m, cols + 2 * m), np.intp)
    which = np.searchsorted(np.array([ord(kind) for kind in kinds]), grid.ordinals)
    index[m : m + rows, m : m + cols] = 1 + 2 * which + np.add.outer(np.arange(rows), np.arange(cols)) % 2
    pixels = np.stack(tiles)[index].swapaxes(1, 2).reshape(index.shape[0] * size, index.shape[1] * size, 3)
    for (r, c), mark in scene.marks.items():
        shapes = scene.sprites[grid[r, c]] if grid.inside((r, c)) else ()
        y, x = (r + m) * size, (c + m) * size
        pixels[y : y + size, x : x + size] = tile((*shapes, *mark), colour(scene.ground((r, c)), dark), size, dark)
    return pixels


@lru_cache(maxsize=2048)
def tile(shapes: Shapes, ground: str, size: int, dark: bool) -> np.ndarray:
    """One cell: shapes on a ground. [size, size, 3] uint8, read-only"""
    finer = min(16, max(4, -(-768 // size)))
    large = _pillow().new("RGB", (size * finer, size * finer), ground)
    _draw_shapes(large, shapes, size * finer / 100, 0, 0, dark)
    pixels = np.asarray(large.reduce(finer))
    pixels.flags.writeable = False
    return pixels


def _frame(canvas: Image, scene: Scene, size: int, x: int, y: int, dark: bool) -> None:
    name, width = scene.frame
    pen = max(1, round(width * size / 100))
    box = (x - pen, y - pen, x + scene.grid.width * size + pen - 1, y + scene.grid.height * size + pen - 1)
    _drawer(canvas).rectangle(box, outline=colour(name, dark), width=pen)


def _overlay(canvas: Image, shapes: Shapes, scale: float, x: int, y: int, dark: bool) -> None:
    """Draws on the part of the canvas that the shapes cover."""
    reach = [(x + px * scale, y + py * scale) for shape in shapes for points, _ in outlines(shape) for px, py in points]
    pen = max(shape.width for shape in shapes) * scale + 1
    box = (
        max(0, int(min(px for px, _ in reach) - pen)),
        max(0, int(min(py for _, py in reach) - pen)),
        min(canvas.width, int(max(px for px, _ in reach) + pen) + 1),
        min(canvas.height, int(max(py for _, py in reach) + pen) + 1),
    )
    part = canvas.crop(box)
    finer = 6 if part.width * part.height <= 2**18 else 3
    large = part.resize((part.width * finer, part.height * finer), _pillow().Resampling.NEAREST)
    _draw_shapes(large, shapes, scale * finer, (x - box[0]) * finer, (y - box[1]) * finer, dark)
    canvas.paste(large.reduce(finer), box[:2])


def _draw_shapes(picture: Image, shapes: Shapes, scale: float, x0: float, y0: float, dark: bool) -> None:
    drawer = _drawer(picture)
    for shape in shapes:
        for points, closed in outlines(shape):
            placed = [(x0 + x * scale, y0 + y * scale) for x, y in points]
            if shape.fill and len(placed) > 2:
                drawer.polygon(placed, fill=_rgba(shape, dark))
            if shape.stroke:
                _draw_line(drawer, placed, closed, shape.width * scale, colour(shape.stroke, dark))


def _draw_line(drawer: Any, points: list[tuple[float, float]], closed: bool, width: float, paint: str) -> None:
    """A line with round ends and joints: Pillow's own joints leave gaps, so a disc stands on every point."""
    ends = [*points, points[0]] if closed else points
    drawer.line(ends, fill=paint, width=max(1, round(width)))
    r = (width - 1) / 2  # Pillow counts both borders of an ellipse in
    for x, y in points:
        drawer.ellipse((x - r, y - r, x + r, y + r), fill=paint)


def _rgba(shape: Shape, dark: bool) -> tuple[int, int, int, int]:
    assert shape.fill is not None
    text = COLOURS[shape.fill][dark]
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16), round(255 * shape.opacity)


def _drawer(picture: Image) -> Any:
    from PIL import ImageDraw

    return ImageDraw.Draw(picture, "RGBA")


@lru_cache(maxsize=1)
def _pillow() -> Any:
    try:
        from PIL import Image
    except ImportError:
        raise MissingExtra("Pillow", "games") from None
    return Image
