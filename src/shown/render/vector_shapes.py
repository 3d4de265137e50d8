"""Shapes of sprites, as SVG and as polygons.

Coordinates are in a box of 100 × 100, x to the right and y down. Colors are names in a palette, so that one drawing
serves light and dark.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Any

Point = tuple[float, float]
Outline = tuple[tuple[Point, ...], bool]
"""The points of a line, and whether it is closed."""

_VARIABLE = re.compile(r"var\(--shown-(\w+)")
_COMMANDS = re.compile(r"([MLCZ])|(-?\d+(?:\.\d+)?)")
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
    """Lines and curves in SVG's notation: absolute M, L, C and Z only."""

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


def line(*points: Point, stroke: str, width: float) -> Path:
    """Return an open line through some points, with round ends."""
    return Path("M" + "L".join(f"{number(x)} {number(y)}" for x, y in points), stroke=stroke, width=width)


def circle(x: float, y: float, r: float, **style: object) -> Ellipse:
    return Ellipse(x, y, r, r, **style)  # type: ignore[arg-type]


def moved(path: Path, dx: float, dy: float, scale: float = 1) -> Path:
    """Return the path scaled about the origin, with its pen, then moved."""
    d = "".join(
        command + " ".join(f"{number(x * scale + dx)} {number(y * scale + dy)}" for x, y in points)
        for command, points in _segments(path.d)
    )
    return replace(path, d=d, width=path.width * scale)


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


def shape(given: Mapping[str, str]) -> VectorShape:
    """Return the shape with the attributes of an SVG element; the inverse of `element` with the colors of a page.

    >>> shape({"cx": "50", "cy": "50", "r": "8", "fill": "var(--shown-ink,#2b2e36)"}) == circle(50, 50, 8, fill="ink")
    True
    """

    def value(*names: str, default: str = "0") -> float:
        return float(next((given[name] for name in names if name in given), default))

    fill, stroke = (_VARIABLE.match(given.get(name, "")) for name in ("fill", "stroke"))
    style: dict[str, Any] = {"fill": fill and fill[1], "stroke": stroke and stroke[1]}
    style |= {"width": value("stroke-width"), "opacity": value("fill-opacity", default="1")}
    if "d" in given:
        return Path(given["d"], **style)
    if "cx" in given:
        return Ellipse(value("cx"), value("cy"), value("rx", "r"), value("ry", "r"), **style)
    return Rect(value("x"), value("y"), value("width"), value("height"), value("rx"), **style)


def number(value: float) -> str:
    """Return a number in the shortest notation with at most two decimals."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if value % 1 else f"{value:.0f}"


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
            for i in range(0, len(given), 3):
                points += _curve([points[-1], *given[i : i + 3]])
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
