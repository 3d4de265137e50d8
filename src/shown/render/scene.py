"""A scene: everything in a picture and its place, before it becomes SVG or pixels.

A cell is 100 units wide. The board's top left corner is the origin. Marked cells off the grid add a margin, since
programs read cells there, too.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from shown.demonstrations import OUTCOMES, Step
from shown.errors import BadInput
from shown.grid import Action, Cell, Grid, Tokens
from shown.render import glyphs
from shown.render.palette import ground
from shown.render.sprites import drawings
from shown.render.vector_shapes import Path, Rect, Shapes, circle, line

Heat = Mapping[Cell, float] | np.ndarray
"""A number from 0 to 1 for some cells, or for all as an array [H, W]."""

MAX_MARGIN = 3
PAD = 18.0
LARGEST_CELL = 64
LONGEST_SIDE = 960
MOST_PIXELS = 4096
"""Maximum side of any picture, whatever the size of a cell."""


@dataclass(frozen=True)
class Frame:
    """One picture: a grid and what is marked on it.

    Attributes:
        click: the clicked cell (the name of a button is written below the board instead).
        highlight: cells to frame; they may be off the grid.
        paths: lines from cell to cell, such as the cells of a scan; they may leave the grid.
        heat: the tint of cells, such as the probability of a click.
        caption: a short line below the board.
        outcome: "won", "lost", "unfinished" or None.
    """

    grid: Grid
    click: Action | None = None
    highlight: Collection[Cell] = ()
    paths: Collection[Sequence[Cell]] = ()
    heat: Heat | None = None
    caption: str = ""
    outcome: str | None = None
    seconds: float = 0.5


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


@dataclass(frozen=True)
class Scene:
    """The contents of a picture.

    Attributes:
        sprites: the drawing of each character.
        grounds: the names of the two alternating colors under the cells.
        margin: rows and columns around the grid.
        marks: shapes over cells, each in a box of 100 × 100.
        lines: shapes over the board, in its units.
        frame: the color and width of the frame around the grid.
        side: space to the left and right.
        footer: the height of the strip below the board; 0 for none.
        writing: the shapes in that strip, in the board's units.
    """

    grid: Grid
    sprites: Mapping[str, Shapes]
    grounds: tuple[str, str]
    margin: int
    marks: Mapping[Cell, Shapes]
    lines: Shapes
    frame: tuple[str, float]
    side: float
    footer: float
    writing: Shapes

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Left, top, width and height of the whole picture."""
        edge = 100.0 * self.margin + PAD
        width = 100.0 * self.grid.width + 2 * (edge + self.side)
        return -edge - self.side, -edge, width, 100.0 * self.grid.height + 2 * edge + self.footer

    def pixels(self, size: int) -> tuple[int, int, int, int]:
        """Return the board's place in the picture (x, y), and the picture's width and height, for cells of that size.

        They are integers, so that the edges of cells are sharp.
        """
        x, y, width, height = (value * size / 100 for value in self.box)
        return round(-x), round(-y), max(1, round(width)), max(1, round(height))

    def ground(self, cell: Cell) -> str:
        """Return the color of a cell's ground."""
        return self.grounds[(cell[0] + cell[1]) % 2] if self.grid.inside(cell) else "off"


def build(frame: Frame, tokens: Tokens, game: str | None = None) -> Scene:
    """Lay out a frame."""
    grid = frame.grid
    tokens.check(grid)
    if frame.outcome is not None and frame.outcome not in OUTCOMES:
        raise BadInput(f"outcome {frame.outcome!r}: must be one of {', '.join(OUTCOMES)}, or None.")
    button = frame.click if isinstance(frame.click, str) else ""
    click = None if isinstance(frame.click, str) else frame.click
    caption = frame.caption or button
    if click is not None and not grid.inside(click):
        raise BadInput(f"click {click} is off the grid, which has {grid.height} rows and {grid.width} columns.")
    highlight, paths = set(frame.highlight), [tuple(path) for path in frame.paths]
    marked = [*highlight, *(cell for path in paths for cell in path)]
    margin = min(max((_off(grid, cell) for cell in marked), default=0), MAX_MARGIN)
    seen = {cell for cell in highlight if _off(grid, cell) <= margin}
    marks: dict[Cell, Shapes] = {cell: _heat(value) for cell, value in _values(frame.heat, grid) if value >= 0.005}
    for cell in sorted(seen):
        marks[cell] = (*marks.get(cell, ()), *LOOK)
    if click is not None:
        marks[click] = (*marks.get(click, ()), *CLICK)
    lines = tuple(shape for path in paths for shape in _path([cell for cell in path if _off(grid, cell) <= margin]))
    width, height = 100.0 * grid.width, 100.0 * grid.height
    # Text under a board of two columns would be too small to read without some room at its sides.
    side = max(0.0, 0.32 * height - width / 2 - PAD) if caption or frame.outcome else 0.0
    footer = max(46.0, 0.055 * max(width, height)) if caption or frame.outcome else 0.0
    below = height + 100.0 * margin + PAD / 2
    return Scene(
        grid=grid,
        sprites=drawings(tokens),
        grounds=ground(game),
        margin=margin,
        marks=marks,
        lines=lines,
        frame=(frame.outcome, 9.0) if frame.outcome else ("frame", 4.0),
        side=side,
        footer=footer,
        writing=_writing(caption, frame.outcome, -side, below, width + 2 * side, footer) if footer else (),
    )


def cell_size(scene: Scene, cell: int | None, longest: int = LONGEST_SIDE) -> int:
    """Return the side of a cell in pixels: as given, or so that the picture has a moderate size."""
    if cell is not None and cell < 1:
        raise BadInput(f"cell={cell}: a cell must be at least 1 pixel wide.")
    across = max(scene.box[2:]) / 100
    return max(1, int(min(cell or min(LARGEST_CELL, longest / across), MOST_PIXELS / across)))


LOOK: Shapes = (
    Rect(6, 6, 88, 88, 12, fill="look", opacity=0.16),
    Rect(6, 6, 88, 88, 12, stroke="page", width=10),
    Rect(6, 6, 88, 88, 12, stroke="look", width=6),
)
"""The mark on a cell that a program reads."""

CLICK: Shapes = (
    circle(50, 50, 36, fill="click", opacity=0.1),
    circle(50, 50, 36, stroke="page", width=13),
    circle(50, 50, 36, stroke="click", width=7),
    Path("M56 52L56 91L65 83L71 98L79 94L73 80L85 79Z", fill="white", stroke="ink", width=5),
)
"""The mark on the clicked cell."""


def _heat(value: float) -> Shapes:
    """Return a tint and the percentage in the corner, since shades are hard to compare."""
    percent = round(100 * min(value, 1.0))
    text = str(percent)
    tint = Rect(0, 0, 100, 100, fill="heat", opacity=round(0.72 * (percent / 100) ** 0.5, 2))
    if percent < 5:
        return (tint,)
    width = glyphs.width(text) * 20 / glyphs.CAP_HEIGHT
    plate = Rect(5, 5, width + 14, 32, 8, fill="page", opacity=0.85)
    return tint, plate, *glyphs.letters(text, 12, 31, 20, "text", 3.6)


def _values(heat: Heat | None, grid: Grid) -> list[tuple[Cell, float]]:
    if heat is None:
        return []
    if isinstance(heat, Mapping):
        return [(cell, float(value)) for cell, value in heat.items() if grid.inside(cell)]
    if heat.shape != grid.shape:
        raise BadInput(f"the heat has shape {heat.shape}, but the grid {grid.shape}. They must be the same.")
    return [(cell, float(heat[cell])) for cell in grid.cells()]


def _path(cells: Sequence[Cell]) -> Shapes:
    """Return a line through the centers of cells, from a dot to an arrowhead."""
    if len(cells) < 2:
        return ()
    points = [(100.0 * c + 50, 100.0 * r + 50) for r, c in cells]
    (ax, ay), (bx, by) = points[-2:]
    length = max(abs(bx - ax), abs(by - ay)) or 1.0
    dx, dy = (bx - ax) / length, (by - ay) / length
    head = [
        (bx - 24 * dx - 17 * dy, by - 24 * dy + 17 * dx),
        (bx, by),
        (bx - 24 * dx + 17 * dy, by - 24 * dy - 17 * dx),
    ]
    return (
        *(line(*part, stroke="page", width=14) for part in (points, head)),
        *(line(*part, stroke="look", width=8) for part in (points, head)),
        circle(*points[0], 11, fill="look", stroke="page", width=3),
    )


def _writing(caption: str, outcome: str | None, x: float, y: float, width: float, height: float) -> Shapes:
    """Return the badge of the outcome and the caption, in a strip below the board, shrunk to fit."""
    badge = 0.72 * height if outcome else 0.0
    gap = 0.3 * height if outcome and caption else 0.0
    text = 0.42 * height
    room = width - badge - gap
    wide = glyphs.width(caption) / glyphs.CAP_HEIGHT
    text = min(text, room / wide) if wide else text
    start = x + (width - badge - gap - wide * text) / 2
    middle = y + height / 2
    shapes: Shapes = ()
    if outcome:
        shapes = _badge(outcome, start + badge / 2, middle, badge / 2)
    return (*shapes, *glyphs.letters(caption, start + badge + gap, middle + text / 2, text, "text", text / 7.5))


def _badge(outcome: str, x: float, y: float, r: float) -> Shapes:
    """Return a tick, a cross or three dots on a disc: signs that differ without color."""
    disc = circle(x, y, r, fill=outcome)
    if outcome == "won":
        points = ((x + a * r, y + b * r) for a, b in ((-0.45, 0.05), (-0.1, 0.4), (0.48, -0.35)))
        return disc, line(*points, stroke="page", width=r / 4)
    if outcome == "lost":
        d = 0.38 * r
        return disc, *(line((x - d, y - s * d), (x + d, y + s * d), stroke="page", width=r / 4) for s in (1, -1))
    return disc, *(circle(x + k * 0.42 * r, y, 0.14 * r, fill="page") for k in (-1, 0, 1))


def _off(grid: Grid, cell: Cell) -> int:
    """Return the distance of a cell from the grid; 0 on it."""
    r, c = cell
    return max(-r, r - grid.height + 1, -c, c - grid.width + 1, 0)
