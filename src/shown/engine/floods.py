"""Floods over bit planes: walking distances to cells where a condition holds, in all states at once.

A walk moves up, down, left and right over walkable cells of the grid and ends at the first cell where its aim holds,
which may be off the grid. A flood starts from all aims at once: wave k adds the cells from which a walk of k steps
reaches an aim. With one bit per state, 64 states with different walls share the same machine instructions.

No distance is stored: a step leads nearer if its target is in a wave that does not contain its start yet.

The plain twins of the compiled loops are the meanings of the primitives about walks; tests hold them equal.
"""

from __future__ import annotations

import numpy as np

from shown.engine.compilation import compiled
from shown.engine.planes import ALL, Planes, in_lines

SIDES = np.array([(-1, 0), (1, 0), (0, -1), (0, 1)])
BLOCK = 1024  # words that a loop over rows of a flood takes at a time: they stay in the cache


def nearer_many(
    world: Planes, store: np.ndarray, offsets: np.ndarray, aims: np.ndarray, overs: np.ndarray
) -> np.ndarray:
    """Return where the walk to an aim is shorter from the cell at an offset. [n, rows, columns, words]

    For many triples (offset, plane index of the aims, plane index of the walkable cells).
    """
    out = np.empty((len(aims), *world.shape), dtype=np.uint64)
    for (aim, over), places in _alike(aims, overs).items():
        near = store[aim].copy()
        out[places] = _flood(world, near, near | (store[over] & world.inside), offsets[places])
    out &= world.somewhere
    return out


def reachable_many(world: Planes, store: np.ndarray, aims: np.ndarray, overs: np.ndarray) -> np.ndarray:
    """Return where a walk to an aim starts, for many pairs of planes (aims, walkable). [n, rows, columns, words]"""
    out = store[aims]
    for near, over in zip(out, overs, strict=True):
        _flood(world, near, near | (store[over] & world.inside), SIDES[:0])
    return out & world.somewhere


def enclosed_many(world: Planes, store: np.ndarray, bys: np.ndarray) -> np.ndarray:
    """Return where no walk leads off the grid without crossing a plane, for many planes. [n, rows, columns, words]"""
    out = np.repeat(~world.inside[None], len(bys), axis=0)
    for near, by in zip(out, bys, strict=True):
        _flood(world, near, near | ~store[by], SIDES[:0])
    return ~out & world.somewhere


def escape_many(world: Planes, store: np.ndarray, values: np.ndarray, overs: np.ndarray) -> np.ndarray:
    """Return where some step onto a plane does not lead nearer to a value, for many pairs (value number, plane index).

    Distances ignore obstacles. [n, rows, columns, words]
    """
    out = np.zeros((len(values), *world.shape), dtype=np.uint64)
    planes = in_lines(store), in_lines(world.inside), in_lines(out)
    for (value,), places in _alike(values).items():
        near = world.of_values[value] & world.inside
        ways = _flood(world, near, np.full(world.shape, ALL))
        _step_loop(*planes, in_lines(ways), SIDES, overs[places], np.array(places), world.shape[2])
    return out


def nearest_many(world: Planes, store: np.ndarray, values: np.ndarray, conditions: np.ndarray) -> np.ndarray:
    """Return a condition at a nearest cell with a value, for many pairs (value number, plane index).

    Without such a cell it is the condition's value nowhere. [n, rows, columns, words]
    """
    out = np.empty((len(values), *world.shape), dtype=np.uint64)
    for (value,), places in _alike(values).items():
        aim = world.of_values[value] & world.inside
        near = aim.copy()
        ways = _flood(world, near, np.full(world.shape, ALL))
        _sweep_loop(in_lines(ways), aim, near, store, conditions[places], np.array(places), out)
    return out


def _alike(*codes: np.ndarray) -> dict[tuple[int, ...], list[int]]:
    """Return the indices of the tuples with equal codes, by their codes: these tuples share a flood."""
    groups: dict[tuple[int, ...], list[int]] = {}
    for i, key in enumerate(zip(*(code.tolist() for code in codes), strict=True)):
        groups.setdefault(key, []).append(i)
    return groups


def _flood(world: Planes, near: np.ndarray, stand: np.ndarray, steps: np.ndarray = SIDES) -> np.ndarray:
    """Flood from the aims in `near` over the cells in `stand`; `near` becomes the cells from which an aim is reachable.

    Returns, for each of some steps, where the walk from the cell to which it leads is shorter.
    [steps, rows, columns, words]
    """
    shorter = np.zeros((len(steps), *world.shape), dtype=np.uint64)
    farthest = int(np.abs(steps).max(initial=1))
    _flood_loop(in_lines(near), in_lines(stand), steps, farthest, in_lines(shorter), world.shape[2])
    return shorter


@compiled
def _flood_loop(near, stand, steps, pad, shorter, words):  # type: ignore[no-untyped-def]  # noqa: C901
    """Compute waves, each only in the rows around those that the previous one reached.

    No step is longer than `pad`: reached cells are framed by as many cells with the value in the void. The frame makes
    a step one distance in memory, so that a loop takes many rows, about BLOCK words.
    """
    (rows, width), edge = near.shape, pad * words
    pitch, start = width + 2 * edge, pad * (width + 2 * edge) + 2 * edge
    size = rows * pitch + 2 * start
    beyond = np.uint64(0) - ((near[0, words - 1] >> np.uint64(62)) & np.uint64(1))
    reached, new = np.empty(size, np.uint64), np.zeros(size, np.uint64)
    known, may, out = np.zeros(size, np.uint64), np.zeros(size, np.uint64), np.zeros((len(steps), size), np.uint64)
    for k in range(size):  # loops, since expressions of whole arrays take seconds to compile
        reached[k] = beyond
    for y in range(rows):
        for k in range(width):
            at = start + y * pitch + k
            known[at], may[at], reached[at] = near[y, k], stand[y, k], near[y, k] & stand[y, k]
    top, bottom, block = 0, rows, 1 + BLOCK // pitch
    while True:
        for y in range(top, bottom, block):
            a, b = start + y * pitch, start + min(y + block, bottom) * pitch
            here, allowed, fresh = known[a:b], may[a:b], new[a:b]
            for s in range(len(steps)):
                ahead = steps[s, 0] * pitch + steps[s, 1] * words
                there, nearer = reached[a + ahead : b + ahead], out[s, a:b]
                for k in range(b - a):
                    nearer[k] |= there[k] & ~here[k]
            above, below = reached[a - pitch : b - pitch], reached[a + pitch : b + pitch]
            left, right = reached[a - words : b - words], reached[a + words : b + words]
            for k in range(b - a):  # a loop over more lines would not be vectorized
                fresh[k] = above[k] | below[k]
            for k in range(b - a):
                fresh[k] |= left[k] | right[k]
            for k in range(b - a):
                fresh[k] &= ~here[k]
                here[k] |= fresh[k]
                fresh[k] &= allowed[k]
        first, last = rows, -1
        for y in range(top, bottom):
            a = start + y * pitch
            wet, fresh, some = reached[a : a + width], new[a : a + width], np.uint64(0)
            for k in range(width):
                wet[k] |= fresh[k]
                some |= fresh[k]
            if some:
                first, last = min(first, y), y
        if last < 0:
            break
        top, bottom = max(0, first - pad), min(rows, last + 1 + pad)
    for y in range(rows):
        a = start + y * pitch
        for k in range(width):
            near[y, k] = known[a + k]
            for s in range(len(steps)):
                shorter[s, y, k] = out[s, a + k]


@compiled
def _step_loop(store, inside, out, ways, steps, overs, places, words):  # type: ignore[no-untyped-def]  # noqa: PLR0913
    """Set where some step leads to a cell of the grid and of the plane, and `ways` does not hold, for many planes."""
    rows, width = inside.shape
    for i in range(len(overs)):
        for s in range(len(steps)):
            down, aside = steps[s, 0], steps[s, 1] * words
            first, end = max(0, -aside), min(width, width - aside)
            for y in range(max(0, -down), min(rows, rows - down)):
                line, way = out[places[i], y, first:end], ways[s, y, first:end]
                plane, onto = store[overs[i], y + down, first + aside :], inside[y + down, first + aside :]
                for k in range(len(line)):
                    line[k] |= plane[k] & onto[k] & ~way[k]


@compiled
def _sweep_loop(ways, aim, near, store, conditions, places, out):  # type: ignore[no-untyped-def]  # noqa: C901
    """Carry the value of a condition at each aim to the cells nearest to it, for many conditions.

    `ways` tells which neighbors (above, below, left, right) are nearer. Without obstacles a shortest walk may first go
    along a row and then along a column, so all rows are swept both ways, and then all columns. Cells without any aim
    get the condition's value nowhere.
    """
    rows, columns, words = aim.shape
    width = columns * words
    for i in range(len(conditions)):
        condition, plane = store[conditions[i]], out[places[i]].reshape(rows, width)
        nowhere = np.uint64(0) - (condition[0, 0, words - 1] >> np.uint64(63))
        for y in range(rows):
            line = plane[y]
            for x in range(columns):
                for w in range(words):
                    line[x * words + w] = aim[y, x, w] & condition[y, x, w]
            for k in range(words, width):
                line[k] |= ways[2, y, k] & line[k - words]
            for k in range(width - words - 1, -1, -1):
                line[k] |= ways[3, y, k] & line[k + words]
        for y in range(1, rows):
            line, above = plane[y], plane[y - 1]
            for k in range(width):
                line[k] |= ways[0, y, k] & above[k]
        for y in range(rows - 2, -1, -1):
            line, below = plane[y], plane[y + 1]
            for k in range(width):
                line[k] |= ways[1, y, k] & below[k]
        for y in range(rows):
            for x in range(columns):
                for w in range(words):
                    plane[y, x * words + w] |= ~near[y, x, w] & nowhere
