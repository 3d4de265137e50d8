"""Counting on bit planes: a number per state as binary digits, 64 states per word.

A *count* is an array `[digits, ...]` of uint64: bit n of `count[k]` is the digit of 2^k of the number for state n.
Adding a bit is a carry; comparing with a number visits the digits from the highest to the lowest.

Only cells on the grid are counted. All cells of a row, column or diagonal share its count, so each of these *tracks* is
counted once.

The plain twins of the compiled loops are the meanings of the primitives that count; tests hold them equal.
"""

from __future__ import annotations

import numpy as np

from shown.engine.compilation import compiled
from shown.engine.planes import ALL, Planes, in_lines
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
    largest = max(4 * max(world.shape[:2]), 8)  # all four tracks of a cell, or its eight neighbors
    bounds = np.minimum(np.stack([least, below], axis=2), largest + 1)
    out = np.zeros((len(conditions), *world.shape), dtype=np.uint64)
    planes = in_lines(store), in_lines(where), in_lines(world.inside), in_lines(out)
    if bounds.size:
        _within_loop(*planes, world.shape[2], areas, conditions, bounds, _ON_TRACK, _NEAR, AROUND)
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
    planes = in_lines(store), in_lines(world.inside), in_lines(out)
    _line_loop(*planes, world.shape[2], np.maximum(numbers, 1), areas, conditions, _ON_LINE, _NEAR, AXES)
    return out


_ON_TRACK = np.array([[t in TRACKS[area] for t in range(4)] for area in AREAS])
_ON_LINE = np.array([[t in LINES[area] for t in range(4)] for area in AREAS])
_NEAR = np.array([NEAR.get(area, 0) for area in AREAS])


@compiled
def _within_loop(store, where, inside, out, words, areas, conditions, bounds, on_track, near, around):  # type: ignore[no-untyped-def]  # noqa: C901, PLR0913
    """Count whole lines of words at a time, in loops, since expressions of whole arrays take seconds to compile.

    The highest digit stays 1 once it is, so that few digits suffice for low bounds. It stands for at least three more
    than a bound, since a cell that lies on four tracks is subtracted three times.
    """
    rows, width = inside.shape
    zero, every, most = np.uint64(0), ~np.uint64(0), 2
    while 1 << (most - 1) < bounds.max() + 3:
        most += 1
    held, tally = np.empty((rows, width), np.uint64), np.empty((4, most, width + rows * words), np.uint64)
    count, carry, line = np.empty((most, width), np.uint64), np.empty(width, np.uint64), np.empty(width, np.uint64)
    greater, equal = np.empty(width, np.uint64), np.empty(width, np.uint64)
    for i in range(len(conditions)):
        plane, area, digits = store[conditions[i]], areas[i], 2
        while 1 << (digits - 1) < bounds[i].max() + 3:
            digits += 1
        for r in range(rows):
            for j in range(width):
                held[r, j] = plane[r, j] & inside[r, j]
        # The count of a row is at place r, that of another track at the column where it meets the last row or row 0.
        for t in range(4):
            if on_track[area, t]:
                tally[t] = zero
                for r in range(rows):
                    start = (r, 0, rows - 1 - r, r)[t] * words
                    if t == 0:
                        for j in range(0, width, words):
                            for w in range(words):
                                more, k = held[r, j + w], 0
                                while more and k < digits:
                                    digit = tally[t, k, start + w]
                                    tally[t, k, start + w], more = digit ^ more, digit & more
                                    k += 1
                                tally[t, digits - 1, start + w] |= more
                    else:
                        for j in range(width):
                            carry[j] = held[r, j]
                        for k in range(digits):
                            here = tally[t, k, start : start + width]
                            for j in range(width):
                                here[j], carry[j] = here[j] ^ carry[j], here[j] & carry[j]
                        for j in range(width):
                            here[j] |= carry[j]
        for r in range(rows):
            count[:] = zero
            met = 0
            for t in range(4):
                if on_track[area, t]:
                    start = (r, 0, rows - 1 - r, r)[t] * words
                    for j in range(width):
                        carry[j] = zero
                    for k in range(digits):
                        here, track = count[k], tally[t, k, start : start + width]
                        if t == 0:
                            for j in range(0, width, words):
                                for w in range(words):
                                    line[j + w] = track[w]
                            track = line
                        for j in range(width):
                            a, b, more = here[j], track[j], carry[j]
                            here[j], carry[j] = a ^ b ^ more, (a & b) | (more & (a ^ b))
                    for j in range(width):
                        here[j] |= carry[j]
                    met += 1
            for _ in range(1, met):  # the cell itself was counted on every track
                for j in range(width):
                    carry[j] = held[r, j]
                for k in range(digits):
                    here = count[k]
                    for j in range(width):
                        here[j], carry[j] = here[j] ^ carry[j], ~here[j] & carry[j]
            for n in range(near[area]):
                y, aside = r + around[n, 0], around[n, 1] * words
                if 0 <= y < rows:
                    first, end = max(0, -aside), min(width, width - aside)
                    there = held[y, first + aside : end + aside]
                    for j in range(len(there)):
                        carry[j] = there[j]
                    for k in range(digits):
                        here = count[k, first:end]
                        for j in range(len(there)):
                            here[j], carry[j] = here[j] ^ carry[j], here[j] & carry[j]
                    for j in range(len(there)):
                        here[j] |= carry[j]
            for n in range(len(where)):
                for j in range(width):
                    line[j] = where[n, r, j]
                for b in range(2):
                    bound = bounds[i, n, b]
                    if bound < 0:
                        continue
                    for j in range(width):
                        greater[j], equal[j] = zero, every
                    for k in range(digits - 1, -1, -1):  # compare from the highest digit
                        here = count[k]
                        if bound >> k & 1:
                            for j in range(width):
                                equal[j] &= here[j]
                        else:
                            for j in range(width):
                                greater[j] |= equal[j] & here[j]
                                equal[j] &= ~here[j]
                    for j in range(width):
                        reached = greater[j] | equal[j]
                        line[j] &= ~reached if b else reached
                for j in range(width):
                    out[i, r, j] |= line[j]


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
def _line_loop(store, inside, out, words, numbers, areas, conditions, on_line, near, axes):  # type: ignore[no-untyped-def]  # noqa: C901, PLR0913
    """Join the set cells behind each cell of a line of words with those ahead of it: `number` - 1 together."""
    rows, width = inside.shape
    longest = max(rows, width // words)
    held, run = np.empty((rows, width), np.uint64), np.empty(width, np.uint64)
    behind = np.empty((longest, width), np.uint64)
    for i in range(len(conditions)):
        plane, number, area = store[conditions[i]], numbers[i], areas[i]
        if number > longest:
            continue
        for r in range(rows):
            for j in range(width):
                held[r, j] = plane[r, j] & inside[r, j]
        far = 1 if near[area] else number
        for t in range(4):
            if not on_line[area, t]:
                continue
            for r in range(rows):
                made = out[i, r]
                for way in (-1, 1):
                    for j in range(width):
                        run[j] = inside[r, j]
                    for k in range(number):  # behind: at least k set cells; ahead: as many as are missing to `number`
                        y, aside = r + way * k * axes[t, 0], way * k * axes[t, 1] * words
                        first, end = max(0, -aside), min(width, width - aside)
                        if k > far or not 0 <= y < rows or first >= end:
                            run[:] = 0
                        elif k > 0:
                            run[:first] = 0
                            run[end:] = 0
                            here, there = run[first:end], held[y, first + aside : end + aside]
                            for j in range(len(here)):
                                here[j] &= there[j]
                        if way < 0:
                            behind[k] = run
                        else:
                            missing = behind[number - 1 - k]
                            for j in range(width):
                                made[j] |= run[j] & missing[j]
