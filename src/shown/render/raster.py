"""Scenes as PNG and GIF, with Pillow. Each kind of cell is drawn once, enlarged, then reduced for smooth edges."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from shown.errors import BadInput, MissingExtra
from shown.grid import Grid, Tokens
from shown.render.palette import color
from shown.render.scene import LONGEST_SIDE, MOST_PIXELS, Frame, Scene, build, cell_size
from shown.render.vector_shapes import Shapes, outlines

if TYPE_CHECKING:
    from PIL.Image import Image

LONGEST_GIF = 480
MOST_FRAMES = 5000
EXACT_COLORS = 96


def image(
    grid: Grid, tokens: Tokens, game: str | None = None, *, cell: int | None = None, dark: bool = False, **marks: Any
) -> Image:
    """Return the grid as a Pillow image. Arguments as for `svg`; very large grids are made smaller to fit."""
    return draw(build(Frame(grid, **marks), tokens, game), cell, dark)


def draw(scene: Scene, cell: int | None = None, dark: bool = False, longest: int | None = None) -> Image:
    """Return a scene as an image.

    Args:
        cell: the side of a cell in pixels; None chooses it by the size of the grid.
        longest: maximum side in pixels; a grid with more cells is reduced.
    """
    longest = longest or (LONGEST_SIDE if cell is None else MOST_PIXELS)
    size = cell_size(scene, cell, longest)
    pixels = _board(scene, size, dark)
    x, y, width, height = scene.pixels(size)
    canvas = _pillow().new("RGB", (width, height), color("page", dark))
    canvas.paste(_pillow().fromarray(pixels), (x - scene.margin * size, y - scene.margin * size))
    _frame(canvas, scene, size, x, y, dark)
    for shapes in (scene.lines, scene.writing):
        if shapes:
            _overlay(canvas, shapes, size / 100, x, y, dark)
    return canvas.reduce(-(-max(canvas.size) // longest)) if size == 1 and max(canvas.size) > longest else canvas


def png(picture: Image) -> bytes:
    """Return an image as the bytes of a PNG file: `png(image(grid, tokens))`."""
    stream = io.BytesIO()
    picture.save(stream, "PNG", optimize=True)
    return stream.getvalue()


def gif(
    frames: Iterable[Frame],
    tokens: Tokens,
    game: str | None = None,
    *,
    cell: int | None = None,
    dark: bool = False,
    speed: float = 1.0,
) -> bytes:
    """Return frames as the bytes of a looping GIF; `film` makes the frames of an episode.

    All frames share one palette, so that nothing flickers.
    """
    if not 0 < speed <= 1000:
        raise BadInput(f"speed={speed}: must be above 0 and at most 1000, such as 2 for twice as fast.")
    frames = list(frames)
    if not 0 < len(frames) <= MOST_FRAMES:
        raise BadInput(f"an animation has 1 to {MOST_FRAMES:,} frames, not {len(frames):,}. Show fewer levels in one.")
    frames, durations = _timed(frames, speed)
    longest = LONGEST_GIF if cell is None else MOST_PIXELS
    size = min(cell_size(build(frame, tokens, game), cell, longest) for frame in frames)

    def pictures() -> Iterator[Image]:
        # Drawn twice, for the palette and for the file, since a long film would not fit in memory.
        return (draw(build(frame, tokens, game), size, dark, longest) for frame in frames)

    whole, counts = (0, 0), Counter[int]()
    for picture in pictures():
        whole = max(whole[0], picture.width), max(whole[1], picture.height)
        counts.update(
            dict(zip(*(part.tolist() for part in np.unique(_packed(picture), return_counts=True)), strict=True))
        )
    known, palette = np.array(sorted(counts), np.uint32), _palette(counts)
    nearest = _nearest(known, palette)
    indexed = (_indexed(picture, whole, known, nearest, palette, dark) for picture in pictures())
    stream = io.BytesIO()
    next(indexed).save(
        stream, "GIF", save_all=True, append_images=indexed, duration=durations, loop=0, disposal=1, optimize=False
    )
    return stream.getvalue()


def _timed(frames: Sequence[Frame], speed: float) -> tuple[list[Frame], list[int]]:
    """Return the frames and their durations in milliseconds, without frames too short to be seen.

    GIF counts in hundredths of a second, and browsers slow down frames of fewer than two.
    """
    seen, durations, due = [], [], 0.0
    for number, frame in enumerate(frames, 1):
        due += 100 * frame.seconds / speed
        if due >= 2 or number == len(frames):
            seen.append(frame)
            durations.append(10 * max(2, round(due)))
            due -= durations[-1] / 10
    return seen, durations


def _palette(counts: Mapping[int, int]) -> np.ndarray:
    """Return at most 256 colors: the most frequent exactly, so that flat areas stay, and a choice of the others."""
    frequent_first = np.array(sorted(counts, key=lambda packed: (-counts[packed], packed)), np.uint32)
    exact, rest = _channels(frequent_first[:EXACT_COLORS]), _channels(frequent_first[EXACT_COLORS:])
    if not len(rest):
        return exact
    some = _pillow().fromarray(rest[None]).quantize(256 - EXACT_COLORS, method=_pillow().Quantize.MEDIANCUT)
    return np.concatenate([exact, np.array(some.getpalette(), np.uint8).reshape(-1, 3)[: 256 - EXACT_COLORS]])


def _channels(packed: np.ndarray) -> np.ndarray:
    """[N] uint32 to [N, 3] uint8"""
    return np.stack([packed >> 16, packed >> 8 & 255, packed & 255], axis=-1).astype(np.uint8)


def _packed(picture: Image) -> np.ndarray:
    """Return each pixel as one number, 0xrrggbb. [H, W] uint32"""
    pixels = np.asarray(picture).astype(np.uint32)
    return pixels[..., 0] << 16 | pixels[..., 1] << 8 | pixels[..., 2]


def _indexed(
    picture: Image, size: tuple[int, int], known: np.ndarray, nearest: np.ndarray, palette: np.ndarray, dark: bool
) -> Image:
    """Return the picture in the colors of the palette, centered on a page of that size."""
    if picture.size != size:
        page = _pillow().new("RGB", size, color("page", dark))
        page.paste(picture, ((size[0] - picture.width) // 2, (size[1] - picture.height) // 2))
        picture = page
    indexed = _pillow().fromarray(nearest[np.searchsorted(known, _packed(picture))])
    indexed.putpalette(palette.tobytes())
    return indexed


def _nearest(known: np.ndarray, palette: np.ndarray) -> np.ndarray:
    """Return the nearest palette color of each known color; Pillow's own search turns white into nearly white."""
    parts = np.array_split(known, -(-len(known) // 4096))
    distances = (np.square(_channels(part)[:, None].astype(np.int32) - palette).sum(axis=2) for part in parts)
    return np.concatenate([distance.argmin(axis=1) for distance in distances]).astype(np.uint8)


def _board(scene: Scene, size: int, dark: bool) -> np.ndarray:
    """Return the cells, margin included. [H * size, W * size, 3] uint8"""
    grid, m = scene.grid, scene.margin
    pages = [color("off", dark), *(color(name, dark) for name in scene.grounds)]
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
        pixels[y : y + size, x : x + size] = tile((*shapes, *mark), color(scene.ground((r, c)), dark), size, dark)
    return pixels


@lru_cache(maxsize=2048)
def tile(shapes: Shapes, ground: str, size: int, dark: bool) -> np.ndarray:
    """Return one cell: shapes on a ground. [size, size, 3] uint8, read-only"""
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
    _drawer(canvas).rectangle(box, outline=color(name, dark), width=pen)


def _overlay(canvas: Image, shapes: Shapes, scale: float, x: int, y: int, dark: bool) -> None:
    """Draw on the part of the canvas that the shapes cover."""
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
                drawer.polygon(placed, fill=f"{color(shape.fill, dark)}{round(255 * shape.opacity):02x}")
            if shape.stroke:
                _draw_line(drawer, placed, closed, shape.width * scale, color(shape.stroke, dark))


def _draw_line(drawer: Any, points: list[tuple[float, float]], closed: bool, width: float, paint: str) -> None:
    """Draw a line with round ends and joints. Pillow's joints leave gaps, so a disc covers every point."""
    ends = [*points, points[0]] if closed else points
    drawer.line(ends, fill=paint, width=max(1, round(width)))
    r = max(0.0, (width - 1) / 2)  # Pillow counts both borders of an ellipse in
    for x, y in points:
        drawer.ellipse((x - r, y - r, x + r, y + r), fill=paint)


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
