"""Counting on bit planes: a number per state as binary digits, 64 states per word.

A *count* is an array `[digits, ...]` of uint64: bit n of `count[k]` is the digit of 2^k of the number for state n.
Adding a bit is a carry; comparing with a number visits the digits from the highest to the lowest.

Only cells on the grid are counted. All cells of a row, column or diagonal share its count, so each of these *tracks* is
counted once.

The plain twins of the compiled loops are the meanings of the primitives that count; tests hold them equal.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from shown.engine.compilation import compiled
from shown.engine.planes import ALL, Planes
from shown.grid import AREAS

TRACKS = {"row": (0,), "column": (1,), "diagonals": (2, 3), "lines": (0, 1, 2, 3), "sides": (), "neighbors": ()}
"""Kinds of tracks that make up an area: rows, columns, falling and rising diagonals."""
NEAR = {"sides": 4, "neighbors": 8}
"""Number of the cells in `AROUND` that belong to an area without tracks."""
AROUND = np.array(((-1, 0), (1, 0), (0, -1), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)))
AXES = np.array(((0, 1), (1, 0), (1, 1), (1, -1)))
"""Directions of the tracks."""
LINES = {**TRACKS, "sides": (0, 1), "neighbors": (0, 1, 2, 3)}
"""Axes along which an area can contain a line."""


def reaches(count: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """Return where each count is at least its number. ([digits, n, words], [n]) → [n, words]"""
    greater, equal = np.zeros(count.shape[1:], np.uint64), np.full(count.shape[1:], ALL)
    for k in range(len(count) - 1, -1, -1):
        digit = np.where(np.maximum(numbers, 0) >> k & 1, ALL, np.uint64(0))[:, None]
        greater |= equal & count[k] & ~digit
        equal &= ~(count[k] ^ digit)
    return np.where(numbers[:, None] >> len(count) > 0, np.uint64(0), greater | equal)


def counts_within(
    world: Planes,
    store: np.ndarray,
    areas: np.ndarray,
    conditions: np.ndarray,
    least: np.ndarray,
    below: np.ndarray,
    where: np.ndarray,
) -> np.ndarray:
    """Return where the number of set cells in a cell's area is within bounds, for many pairs (area, plane index).

    There may be several bounds, each for the cells of one plane in `where`: the count there is at least `least` and,
    unless that is negative, below `below`. ([n], [n], [n, bounds], [n, bounds], [bounds, rows, columns, words]) → [n,
    rows, columns, words]
    """
    # Of the largest count: all four tracks of a cell, or its eight neighbors.
    digits = max(4 * max(world.shape[:2]), 8).bit_length()
    out = np.zeros((len(conditions), *world.shape), dtype=np.uint64)
    least, below = np.clip(least, 0, 1 << digits), np.where(below < 0, 1 << digits, below)
    tracks = _tracks(*world.shape[:2])
    _within_loop(
        store, areas, conditions, least, below, where, world.inside, tracks, _ON_TRACK, _NEAR, AROUND, digits, out
    )
    return out


def count_on_grids(world: Planes, store: np.ndarray, conditions: np.ndarray) -> np.ndarray:
    """Return the number of set cells on the grid, for many planes. [digits, n, words]"""
    rows, columns, words = world.shape
    count = np.zeros(((rows * columns).bit_length(), len(conditions), words), dtype=np.uint64)
    _grid_loop(store, conditions, world.inside, count)
    return count


def lines_through(
    world: Planes, store: np.ndarray, numbers: np.ndarray, areas: np.ndarray, conditions: np.ndarray
) -> np.ndarray:
    """Return where a cell, if counted as set, is one of some set cells in a line. [n, rows, columns, words]

    For many triples (number of cells, area number, plane index in `store`).
    """
    out = np.zeros((len(conditions), *world.shape), dtype=np.uint64)
    _line_loop(store, np.maximum(numbers, 1), areas, conditions, world.inside, _ON_LINE, _NEAR, AXES, out)
    return out


@lru_cache(100)
def _tracks(rows: int, columns: int) -> np.ndarray:
    """Return the index of the row, column, falling and rising diagonal of each cell. [4, rows, columns]"""
    r, c = np.indices((rows, columns))
    return np.stack([r, c, r - c + columns - 1, r + c])


_ON_TRACK = np.array([[t in TRACKS[area] for t in range(4)] for area in AREAS])
_ON_LINE = np.array([[t in LINES[area] for t in range(4)] for area in AREAS])
_NEAR = np.array([NEAR.get(area, 0) for area in AREAS])


@compiled
def _within_loop(  # type: ignore[no-untyped-def]  # noqa: C901, PLR0913
    store, areas, conditions, least, below, where, inside, tracks, on_track, near, around, digits, out
):
    n, rows, columns, words = out.shape
    zero, every = np.uint64(0), ~np.uint64(0)
    count = np.empty(digits, dtype=np.uint64)
    tally = np.empty((4, rows + columns, words, digits), dtype=np.uint64)
    within = np.empty((len(where), rows + columns, words), dtype=np.uint64)
    for i in range(n):
        plane, area = store[conditions[i]], areas[i]
        # All cells of a row, or of a column, share one count, which is compared once.
        only = np.flatnonzero(on_track[area])[0] if on_track[area].sum() == 1 else -1
        compared = np.zeros((rows + columns, words), dtype=np.bool_)
        for t in range(4):
            if on_track[area, t]:
                tally[t] = zero
                for r in range(rows):
                    for c in range(columns):
                        for w in range(words):
                            track = tally[t, tracks[t, r, c], w]
                            carry, k = plane[r, c, w] & inside[r, c, w], 0
                            while carry != zero:
                                track[k], carry = track[k] ^ carry, track[k] & carry
                                k += 1
        for r in range(rows):
            for c in range(columns):
                place = tracks[only, r, c] if only >= 0 else 0
                for w in range(words):
                    if not compared[place, w]:
                        count[:] = zero
                        met = 0
                        for t in range(4):
                            if on_track[area, t]:
                                track = tally[t, tracks[t, r, c], w]
                                carry = zero
                                for k in range(digits):
                                    a, b = count[k], track[k]
                                    count[k], carry = a ^ b ^ carry, (a & b) | (carry & (a ^ b))
                                met += 1
                        for _ in range(1, met):  # the cell itself was counted on every track
                            borrow, k = plane[r, c, w] & inside[r, c, w], 0
                            while borrow != zero:
                                count[k], borrow = count[k] ^ borrow, ~count[k] & borrow
                                k += 1
                        for j in range(near[area]):
                            y, x = r + around[j, 0], c + around[j, 1]
                            if 0 <= y < rows and 0 <= x < columns:
                                carry, k = plane[y, x, w] & inside[y, x, w], 0
                                while carry != zero:
                                    count[k], carry = count[k] ^ carry, count[k] & carry
                                    k += 1
                        for j in range(len(where)):
                            within[j, place, w] = every
                            for bound, wanted in ((least[i, j], every), (below[i, j], zero)):
                                # Compare the count with the bound, from the highest digit.
                                if bound >> digits and wanted == zero:
                                    continue  # no count is as large
                                greater, equal = zero, every
                                if bound >> digits:
                                    equal = zero
                                for k in range(digits - 1, -1, -1):
                                    if bound >> k & 1:
                                        equal &= count[k]
                                    else:
                                        greater |= equal & count[k]
                                        equal &= ~count[k]
                                within[j, place, w] &= ~((greater | equal) ^ wanted)
                        compared[place, w] = only >= 0
                    for j in range(len(where)):
                        out[i, r, c, w] |= where[j, r, c, w] & within[j, place, w]


@compiled
def _grid_loop(store, conditions, inside, count):  # type: ignore[no-untyped-def]
    rows, columns, words = inside.shape
    zero = np.uint64(0)
    for i in range(len(conditions)):
        plane = store[conditions[i]]
        for r in range(rows):
            for c in range(columns):
                for w in range(words):
                    carry, k = plane[r, c, w] & inside[r, c, w], 0
                    while carry != zero:
                        digit = count[k, i, w]
                        count[k, i, w] = digit ^ carry
                        carry &= digit
                        k += 1


@compiled
def _line_loop(store, numbers, areas, conditions, inside, on_line, near, axes, out):  # type: ignore[no-untyped-def]  # noqa: PLR0913
    n, rows, columns, words = out.shape
    zero = np.uint64(0)
    for i in range(n):
        plane, number, area = store[conditions[i]], numbers[i], areas[i]
        if number > max(rows, columns):
            continue
        far = min(number - 1, 1) if near[area] else number - 1
        behind = np.zeros(number, dtype=np.uint64)
        for t in range(4):
            if not on_line[area, t]:
                continue
            down, right = axes[t, 0], axes[t, 1]
            for r in range(rows):
                for c in range(columns):
                    for w in range(words):
                        behind[:] = zero
                        behind[0] = run = inside[r, c, w]
                        for k in range(1, far + 1):
                            y, x = r - k * down, c - k * right
                            if run == zero or not (0 <= y < rows and 0 <= x < columns):
                                break
                            run &= plane[y, x, w] & inside[y, x, w]
                            behind[k] = run
                        run = inside[r, c, w]
                        met = run & behind[number - 1]
                        for k in range(1, far + 1):
                            y, x = r + k * down, c + k * right
                            if run == zero or not (0 <= y < rows and 0 <= x < columns):
                                break
                            run &= plane[y, x, w] & inside[y, x, w]
                            met |= run & behind[number - 1 - k]
                        out[i, r, c, w] |= met
