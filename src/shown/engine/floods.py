"""Floods over bit planes: walking distances to cells where a condition holds, in all states at once.

A walk moves up, down, left and right over walkable cells of the grid and ends at the first cell where its aim holds,
which may be off the grid. A flood starts from all aims at once: wave k adds the cells from which a walk of k steps
reaches an aim. With one bit per state, 64 states with different walls share the same machine instructions.

No distance is stored: a step leads nearer if its target is in a wave that does not contain its start yet.

The plain twins of the compiled loops are the meanings of the primitives about walks; tests hold them equal.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from shown.engine.compilation import compiled
from shown.engine.planes import ALL, Planes, in_lines, shift_many

SIDES = np.array([(-1, 0), (1, 0), (0, -1), (0, 1)])


def nearer_many(
    world: Planes, store: np.ndarray, offsets: np.ndarray, aims: np.ndarray, overs: np.ndarray
) -> np.ndarray:
    """Return where the walk to an aim is shorter from the cell at an offset. [n, rows, columns, words]

    For many triples (offset, plane index of the aims, plane index of the walkable cells).
    """
    out = np.empty((len(aims), *world.shape), dtype=np.uint64)
    for places, (aim, over) in _alike(aims, overs):
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
    out = np.empty((len(values), *world.shape), dtype=np.uint64)
    onto = shift_many(world, world.inside[None], SIDES, np.zeros(len(SIDES), np.int64)) & world.somewhere
    for places, (value,) in _alike(values):
        near = world.of_values[value] & world.inside
        away = onto & ~_flood(world, near, np.full(world.shape, ALL))
        _step_loop(in_lines(store), overs[places], in_lines(away), places, in_lines(out), world.shape[2])
    return out


def nearest_many(world: Planes, store: np.ndarray, values: np.ndarray, conditions: np.ndarray) -> np.ndarray:
    """Return a condition at a nearest cell with a value, for many pairs (value number, plane index).

    Without such a cell it is the condition's value nowhere. [n, rows, columns, words]
    """
    out = np.empty((len(values), *world.shape), dtype=np.uint64)
    for places, (value,) in _alike(values):
        aim = world.of_values[value] & world.inside
        near = aim.copy()
        ways = _flood(world, near, np.full(world.shape, ALL))
        _sweep_loop(in_lines(ways), aim, near, store, conditions[places], places, out)
    return out


def _alike(*codes: np.ndarray) -> Iterator[tuple[np.ndarray, list[int]]]:
    """Yield the indices of tuples with equal codes, and the codes: these tuples share a flood."""
    order = np.lexsort(codes)
    table = np.stack(codes, axis=1)[order]
    changes = np.flatnonzero((table[1:] != table[:-1]).any(axis=1)) + 1
    for start, end in pairwise(sorted({0, *changes.tolist(), len(order)})):
        yield order[start:end], table[start].tolist()


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
def _flood_loop(near, stand, steps, pad, shorter, words):  # type: ignore[no-untyped-def]
    """Compute waves, each only in the rows around those that the previous one reached.

    No step is longer than `pad`: reached cells are framed by as many cells with the value in the void.
    """
    rows, width = near.shape
    edge = pad * words
    beyond = np.uint64(0) - ((near[0, words - 1] >> np.uint64(62)) & np.uint64(1))
    reached = np.empty((rows + 2 * pad, width + 2 * edge), dtype=np.uint64)
    new = np.zeros((rows, width), dtype=np.uint64)
    for y in range(rows + 2 * pad):  # loops, since expressions of whole arrays take seconds to compile
        for k in range(width + 2 * edge):
            inside = pad <= y < rows + pad and edge <= k < edge + width
            reached[y, k] = near[y - pad, k - edge] & stand[y - pad, k - edge] if inside else beyond
    top, bottom = 0, rows
    while True:
        first, last = rows, -1
        for y in range(top, bottom):
            here, may, fresh = near[y], stand[y], new[y]
            above, below = reached[y + pad - 1, edge : edge + width], reached[y + pad + 1, edge : edge + width]
            left, right = reached[y + pad, edge - words :], reached[y + pad, edge + words :]
            for s in range(len(steps)):
                start = edge + steps[s, 1] * words
                there, out = reached[y + pad + steps[s, 0], start : start + width], shorter[s, y]
                for k in range(width):
                    out[k] |= there[k] & ~here[k]
            some = np.uint64(0)
            for k in range(width):
                brought = (above[k] | below[k] | left[k] | right[k]) & ~here[k]
                here[k] |= brought
                fresh[k] = brought & may[k]
                some |= fresh[k]
            if some:
                first, last = min(first, y), y
        if last < 0:
            return
        for y in range(first, last + 1):
            wet, fresh = reached[y + pad, edge : edge + width], new[y]
            for k in range(width):
                wet[k] |= fresh[k]
        top, bottom = max(0, first - pad), min(rows, last + 1 + pad)


@compiled
def _step_loop(store, overs, away, places, out, words):  # type: ignore[no-untyped-def]
    """Set where one of the four steps allowed by `away` leads to a cell of the plane, for many planes."""
    rows, width = out.shape[1:]
    for i in range(len(overs)):
        plane, found = store[overs[i]], out[places[i]]
        for y in range(rows):
            line, here = found[y], plane[y]
            above, below = plane[max(0, y - 1)], plane[min(rows - 1, y + 1)]  # no step crosses the border
            for k in range(width):
                line[k] = (away[0, y, k] & above[k]) | (away[1, y, k] & below[k])
            for k in range(words, width):
                line[k] |= away[2, y, k] & here[k - words]
            for k in range(width - words):
                line[k] |= away[3, y, k] & here[k + words]


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
