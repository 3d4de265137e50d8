"""Floods over bit planes: how far it is on foot to a cell where something holds, in all states at once.

A walk takes steps up, down, left and right, over cells of the grid on which one may stand, and ends at the first cell
where its aim holds (which may be off the grid: one can walk to its edge). A flood goes the other way, from all aims at
once: wave k brings the cells from which a walk of k steps gets there. With a bit a state, the waves of 64 states are
one and the same handful of machine instructions, though each state has its own walls.

The waves tell all there is to know, and no distance is ever written down: a step is one nearer if the cell it leads to
is in a wave in which the cell it comes from is not yet.

`nearer`, `reachable`, `enclosed`, `escape` and `nearest` are the NumPy versions of the compiled functions of the same
names with `_many`; tests hold them equal.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from shown.compiled import compiled
from shown.planes import ALL, Planes, shift, shift_many

SIDES = ((-1, 0), (1, 0), (0, -1), (0, 1))


def waves(world: Planes, aim: np.ndarray, walk: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """For k = 0, 1, … until nothing changes: where one may stand (`walk`, or an aim) and be at most k steps from an
    aim, and where one is at most k steps from it wherever one stands. Each [rows, columns, words]
    """
    stand, near = aim | walk, aim
    while True:
        reached = near & stand
        yield reached, near
        wider = near.copy()
        for side in SIDES:
            wider |= shift(world, side, reached)
        if np.array_equal(wider, near):
            return
        near = wider


def nearer(world: Planes, offset: tuple[int, int], aim: np.ndarray, over: np.ndarray) -> np.ndarray:
    """Where the walk to an aim, over cells of the grid in `over`, is shorter from the cell `offset` further on."""
    return _shorter(world, offset, aim, over & world.inside)


def reachable(world: Planes, aim: np.ndarray, over: np.ndarray) -> np.ndarray:
    """Where a walk to an aim begins, over cells of the grid in `over`."""
    *_, (_, near) = waves(world, aim, over & world.inside)
    return near & world.somewhere


def enclosed(world: Planes, by: np.ndarray) -> np.ndarray:
    """From where no walk leads off the grid that keeps clear of the cells in `by`."""
    *_, (_, near) = waves(world, ~world.inside, ~by & world.inside)
    return ~near & world.somewhere


def escape(world: Planes, value: str, over: np.ndarray) -> np.ndarray:
    """Where some step to a cell of the grid in `over` does not lead nearer to a cell with the value, nothing being in
    the way.
    """
    out = np.zeros(world.shape, dtype=np.uint64)
    aim, anywhere = world.of_value(value) & world.inside, np.full(world.shape, ALL)
    for side in SIDES:
        out |= shift(world, side, over & world.inside) & ~_shorter(world, side, aim, anywhere)
    return out & world.somewhere


def nearest(world: Planes, value: str, condition: np.ndarray) -> np.ndarray:
    """Whether the condition holds at a nearest cell with the value; what it says nowhere if no cell has it.

    What is nearest to a cell that wave k brings is nearest to its neighbours of the wave before.
    """
    aim = world.of_value(value) & world.inside
    before, good = aim, aim & condition
    for _, near in waves(world, aim, np.full(world.shape, ALL)):
        brought, found = near & ~before, good.copy()
        for side in SIDES:
            found |= shift(world, side, good) & brought
        before, good = near, found
    return good | (~before & _nowhere(condition))


def _shorter(world: Planes, offset: tuple[int, int], aim: np.ndarray, walk: np.ndarray) -> np.ndarray:
    out = np.zeros(world.shape, dtype=np.uint64)
    for reached, near in waves(world, aim, walk):
        out |= shift(world, offset, reached) & ~near
    return out & world.somewhere


def _nowhere(condition: np.ndarray) -> np.uint64:
    """What a condition says nowhere, for all states."""
    return ALL if condition[0, 0, -1] >> np.uint64(63) else np.uint64(0)


# --- many at once -----------------------------------------------------------------------------------------------------


def nearer_many(
    world: Planes, store: np.ndarray, offsets: np.ndarray, aims: np.ndarray, overs: np.ndarray
) -> np.ndarray:
    """`nearer` for many triples (offset, two numbers of planes in `store`). [n, rows, columns, words]"""
    out = np.zeros((len(aims), *world.shape), dtype=np.uint64)
    for places, (aim, over) in _alike(aims, overs):
        near = store[aim].copy()
        out[places] = _flood(world, near, near | (store[over] & world.inside), offsets[places])
    return out


def reachable_many(world: Planes, store: np.ndarray, aims: np.ndarray, overs: np.ndarray) -> np.ndarray:
    """`reachable` for many pairs of numbers of planes in `store`. [n, rows, columns, words]"""
    out = store[aims]
    for near, over in zip(out, overs, strict=True):
        _flood(world, near, near | (store[over] & world.inside))
    return out & world.somewhere


def enclosed_many(world: Planes, store: np.ndarray, bys: np.ndarray) -> np.ndarray:
    """`enclosed` for many numbers of planes in `store`. [n, rows, columns, words]"""
    out = np.repeat(~world.inside[None], len(bys), axis=0)
    for near, by in zip(out, bys, strict=True):
        _flood(world, near, near | ~store[by])
    return ~out & world.somewhere


def escape_many(world: Planes, store: np.ndarray, values: np.ndarray, overs: np.ndarray) -> np.ndarray:
    """`escape` for many pairs (number of a value, number of a plane in `store`). [n, rows, columns, words]"""
    out = np.zeros((len(values), *world.shape), dtype=np.uint64)
    for places, (value,) in _alike(values):
        near = world.of_values[value] & world.inside
        ways = _flood(world, near, np.full(world.shape, ALL), np.array(SIDES))
        for side, way in zip(SIDES, ways, strict=True):
            onto = shift_many(world, store, np.tile(side, (len(places), 1)), overs[places])
            out[places] |= onto & (shift(world, side, world.inside) & ~way)
    return out & world.somewhere


def nearest_many(world: Planes, store: np.ndarray, values: np.ndarray, conditions: np.ndarray) -> np.ndarray:
    """`nearest` for many pairs (number of a value, number of a plane in `store`). [n, rows, columns, words]"""
    out = np.empty((len(values), *world.shape), dtype=np.uint64)
    for places, (value,) in _alike(values):
        aim = world.of_values[value] & world.inside
        near = aim.copy()
        ways = _flood(world, near, np.full(world.shape, ALL), np.array(SIDES))
        for place in places:
            condition = store[conditions[place]]
            plane = out[place]
            np.bitwise_and(aim, condition, out=plane)
            _sweep_loop(ways, plane)
            plane |= ~near & _nowhere(condition)
    return out


def _alike(*codes: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The places of the tuples that have these codes in common, and the codes: they share a flood."""
    distinct, number = np.unique(np.stack(codes, axis=1), axis=0, return_inverse=True)
    order = np.argsort(number, kind="stable")
    starts = np.searchsorted(number[order], np.arange(len(distinct) + 1))
    for i, code in enumerate(distinct):
        yield order[starts[i] : starts[i + 1]], code


def _flood(world: Planes, near: np.ndarray, stand: np.ndarray, offsets: np.ndarray | None = None) -> np.ndarray:
    """Floods from the aims in `near`, which becomes where there is a walk at all, over the cells in `stand`.

    Gives for each offset where the walk from the cell that much further on is shorter. [n, rows, columns, words]
    """
    offsets = np.empty((0, 2), dtype=np.int64) if offsets is None else offsets
    shorter = np.zeros((len(offsets), *world.shape), dtype=np.uint64)
    rows, columns, words = world.shape
    flat = rows, columns * words
    _flood_loop(near.reshape(flat), stand.reshape(flat), offsets, shorter.reshape(-1, *flat), words)
    return shorter & world.somewhere


@compiled
def _flood_loop(near, stand, offsets, shorter, words):  # type: ignore[no-untyped-def]
    """Waves, each computed only in the rows around those that the one before reached. Rows are flat: a step to the side
    is one of `words` places."""
    rows, width = near.shape
    ways, pad = len(offsets), 1
    for i in range(ways):
        pad = max(pad, abs(offsets[i, 0]), abs(offsets[i, 1]))
    # What is reached, in a frame wide enough for every look: beyond the planes it is what it is in the void.
    beyond = np.uint64(0) - ((near[0, words - 1] >> np.uint64(62)) & np.uint64(1))
    reached = np.full((rows + 2 * pad, width + 2 * pad * words), beyond)
    new = np.zeros((rows, width), dtype=np.uint64)
    begin = pad * words
    for y in range(rows):
        reached[y + pad, begin : begin + width] = near[y] & stand[y]
    top, bottom = 0, rows
    while True:
        first, last = rows, -1
        for y in range(top, bottom):
            v = y + pad
            here, may, fresh = near[y], stand[y], new[y]
            for i in range(ways):
                start = begin + offsets[i, 1] * words
                there, out = reached[v + offsets[i, 0], start : start + width], shorter[i, y]
                for k in range(width):
                    out[k] |= there[k] & ~here[k]
            up, down = reached[v - 1, begin : begin + width], reached[v + 1, begin : begin + width]
            left, right = reached[v, begin - words : begin - words + width], reached[v, begin + words :]
            some = np.uint64(0)
            for k in range(width):
                brought = (up[k] | down[k] | left[k] | right[k]) & ~here[k]
                here[k] |= brought
                fresh[k] = brought & may[k]
                some |= fresh[k]
            if some:
                first, last = min(first, y), y
        if last < 0:
            return
        for y in range(first, last + 1):
            wet, fresh = reached[y + pad, begin : begin + width], new[y]
            for k in range(width):
                wet[k] |= fresh[k]
        top, bottom = max(0, first - pad), min(rows, last + 1 + pad)


@compiled
def _sweep_loop(ways, plane):  # type: ignore[no-untyped-def]
    """Carries each bit from a cell to those that have it nearest: `ways` says which neighbours (above, below, left,
    right) are nearer. Such a way never turns back, so that one sweep down and one up, row by row, follow it.
    """
    rows, columns, words = plane.shape
    for up in range(2):
        for j in range(rows):
            y = rows - 1 - j if up else j
            if j > 0:
                v = y + 1 if up else y - 1
                plane[y] |= ways[up, y] & plane[v]
            for x in range(1, columns):
                for w in range(words):
                    plane[y, x, w] |= ways[2, y, x, w] & plane[y, x - 1, w]
            for x in range(columns - 2, -1, -1):
                for w in range(words):
                    plane[y, x, w] |= ways[3, y, x, w] & plane[y, x + 1, w]
