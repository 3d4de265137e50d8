"""Shapes of sprites, as SVG and as polygons.

Coordinates are in a box of 100 × 100, x to the right and y down. Colors are names in a palette, so that one drawing
serves light and dark.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

Point = tuple[float, float]
Outline = tuple[tuple[Point, ...], bool]
"""The points of a line, and whether it is closed."""

_COMMANDS = re.compile(r"([MLCQZ])|(-?\d+(?:\.\d+)?)")
_CURVE_STEPS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorShape:
    """A filled or outlined shape. `opacity` applies to the filling."""

    fill: str | None = None
    stroke: str | None = None
    width: float = 0
    opacity: float = 1


@dataclass(frozen=True, slots=True)
class Path(VectorShape):
    """Lines and curves in SVG's notation: absolute M, L, C, Q and Z only."""

    d: str


@dataclass(frozen=True, slots=True)
class Ellipse(VectorShape):
    """Center and radii."""

    x: float
    y: float
    rx: float
    ry: float


@dataclass(frozen=True, slots=True)
class Rect(VectorShape):
    """Top left corner, size, and the radius of its rounded corners."""

    x: float
    y: float
    w: float
    h: float
    radius: float = 0


Shapes = tuple[VectorShape, ...]
Color = Callable[[str], str]
"""A function from the name of a color to its notation in SVG or Pillow."""


def polygon(points: Sequence[Point], **style: object) -> Path:
    """Return a closed polygon.

    >>> polygon([(0, 0), (9, 0), (0, 9)]).d
    'M0 0L9 0L0 9Z'
    """
    return Path(_lines(points) + "Z", **style)  # type: ignore[arg-type]


def line(*points: Point, stroke: str, width: float) -> Path:
    """Return an open line through some points, with round ends."""
    return Path(_lines(points), stroke=stroke, width=width)


def circle(x: float, y: float, r: float, **style: object) -> Ellipse:
    return Ellipse(x, y, r, r, **style)  # type: ignore[arg-type]


def moved(paths: Sequence[Path], dx: float, dy: float, scale: float = 1) -> tuple[Path, ...]:
    """Return the paths scaled about the origin, with their pens, then moved."""
    return tuple(
        replace(_mapped(path, lambda x, y: (x * scale + dx, y * scale + dy)), width=path.width * scale)
        for path in paths
    )


def turned(paths: Sequence[Path], quarters: int, center: Point = (50, 50)) -> tuple[Path, ...]:
    """Return the paths turned clockwise about a point, by quarters."""
    x0, y0 = center
    for _ in range(quarters % 4):
        paths = [_mapped(path, lambda x, y: (x0 - (y - y0), y0 + (x - x0))) for path in paths]
    return tuple(paths)


@lru_cache(maxsize=4096)
def outlines(shape: VectorShape) -> tuple[Outline, ...]:
    """Return the shape as lines of points, with curves flattened."""
    if isinstance(shape, Path):
        return tuple(_flatten(shape.d))
    if isinstance(shape, Ellipse):
        return ((_arc(shape.x, shape.y, shape.rx, shape.ry, 0, 360), True),)
    assert isinstance(shape, Rect)
    x, y, w, h, r = shape.x, shape.y, shape.w, shape.h, min(shape.radius, shape.w / 2, shape.h / 2)
    if r == 0:
        return ((((x, y), (x + w, y), (x + w, y + h), (x, y + h)), True),)
    corners = (x + r, y + r, 180), (x + w - r, y + r, 270), (x + w - r, y + h - r, 0), (x + r, y + h - r, 90)
    return ((tuple(p for cx, cy, start in corners for p in _arc(cx, cy, r, r, start, start + 90)), True),)


def element(shape: VectorShape, color: Color) -> str:
    """Return the shape as one SVG element.

    >>> element(circle(50, 50, 8, fill="ink"), str)
    '<circle cx="50" cy="50" r="8" fill="ink"/>'
    """
    style = f' fill="{color(shape.fill) if shape.fill else "none"}"'
    if shape.opacity < 1:
        style += f' fill-opacity="{number(shape.opacity)}"'
    if shape.stroke:
        style += f' stroke="{color(shape.stroke)}" stroke-width="{number(shape.width)}"'
    if isinstance(shape, Path):
        return f'<path d="{shape.d}"{style}/>'
    if isinstance(shape, Ellipse):
        x, y, rx, ry = (number(v) for v in (shape.x, shape.y, shape.rx, shape.ry))
        if rx == ry:
            return f'<circle cx="{x}" cy="{y}" r="{rx}"{style}/>'
        return f'<ellipse cx="{x}" cy="{y}" rx="{rx}" ry="{ry}"{style}/>'
    assert isinstance(shape, Rect)
    x, y, w, h = (number(v) for v in (shape.x, shape.y, shape.w, shape.h))
    corner = f' rx="{number(shape.radius)}"' if shape.radius else ""
    return f'<rect x="{x}" y="{y}" width="{w}" height="{h}"{corner}{style}/>'


def number(value: float) -> str:
    """Return a number in the shortest notation with at most two decimals."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if value % 1 else f"{value:.0f}"


def _lines(points: Sequence[Point]) -> str:
    return "M" + "L".join(f"{number(x)} {number(y)}" for x, y in points)


def _arc(x: float, y: float, rx: float, ry: float, start: float, stop: float) -> tuple[Point, ...]:
    steps = max(4, round((stop - start) / 7.5))
    angles = (math.radians(start + (stop - start) * i / steps) for i in range(steps + 1))
    return tuple((x + rx * math.cos(a), y + ry * math.sin(a)) for a in angles)


def _segments(d: str) -> list[tuple[str, list[Point]]]:
    segments: list[tuple[str, list[float]]] = []
    for command, value in _COMMANDS.findall(d):
        if command:
            segments.append((command, []))
        else:
            segments[-1][1].append(float(value))
    return [(command, list(zip(v[::2], v[1::2], strict=True))) for command, v in segments]


def _flatten(d: str) -> list[Outline]:
    result: list[Outline] = []
    points: list[Point] = []
    for command, given in _segments(d):
        if command == "M":
            if points:
                result.append((tuple(points), False))
            points = list(given)
        elif command == "Z":
            result.append((tuple(points), True))
            points = []
        elif command == "L":
            points += given
        else:
            order = 2 if command == "Q" else 3
            for i in range(0, len(given), order):
                points += _curve([points[-1], *given[i : i + order]])
    if points:
        result.append((tuple(points), False))
    return result


def _curve(control: list[Point]) -> list[Point]:
    """Return points on a Bézier curve after its start, by de Casteljau's construction."""
    result = []
    for i in range(1, _CURVE_STEPS + 1):
        t, layer = i / _CURVE_STEPS, control
        while len(layer) > 1:
            layer = [(ax + (bx - ax) * t, ay + (by - ay) * t) for (ax, ay), (bx, by) in pairwise(layer)]
        result.append(layer[0])
    return result


def _mapped(path: Path, place: Callable[[float, float], Point]) -> Path:
    parts = []
    for command, points in _segments(path.d):
        image = (place(x, y) for x, y in points)
        parts.append(command + " ".join(f"{number(x)} {number(y)}" for x, y in image))
    return replace(path, d="".join(parts))
