"""Places: one attended cell per state, for programs that look at few cells of a large grid.

A plane (`planes.py`) has a condition's value at every cell. Where actions are buttons, a program starts at the first
cell with some value and moves from there by shifts and scans; on a frame of 210 × 160 pixels most cells are never read.
A *place* is the attended cell in each state, such as "the cell below the first ball". A condition has one bit per state
there, whatever the size of the grid.

Primitives that support places declare it (`Primitive.at_places`). Results equal those of the planes bit by bit; tests
compare both with the reference.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from shown.engine.compilation import compiled
from shown.engine.planes import Planes

FAR = -(2**20)
"""Row and column of attention that is nowhere; every cell reads OFF from there."""


@dataclass(frozen=True)
class Places:
    """Places in the states of one world.

    Attributes:
        world: the states.
        rows, columns: cell of each place in each state, by slot. [S, N] int64 each
        somewhere: 1 for states in which attention is somewhere. [S, words] uint64
    """

    world: Planes
    rows: np.ndarray
    columns: np.ndarray
    somewhere: np.ndarray

    @classmethod
    def first(cls, world: Planes, value: int) -> Places:
        """Return the place of the first cell with a value, given by number; nowhere in states without one."""
        margin, width = world.margin, world.shape[1]
        first = np.empty(world.states, dtype=np.int64)
        first[world.slot] = world.first[value]
        found = first >= 0
        rows, columns = np.divmod(first, width)
        bits = np.zeros((1, 64 * world.shape[2]), dtype=bool)
        bits[0, : len(found)] = found
        return cls(
            world,
            np.where(found, rows - margin, FAR)[None],
            np.where(found, columns - margin, FAR)[None],
            np.packbits(bits, axis=1, bitorder="little").view(np.uint64),
        )

    def __len__(self) -> int:
        return len(self.rows)

    def moved(self, offset: np.ndarray) -> Places:
        """Return the places shifted by `offset`; nowhere stays nowhere."""
        return replace(self, rows=self.rows + offset[0], columns=self.columns + offset[1])

    def ahead(self, offset: np.ndarray) -> Places:
        """Return the places one, two, … strides ahead of each, up to the end of the largest grid. [S × strides]"""
        strides = np.arange(1, self._strides(offset) + 1)[:, None]
        return Places(
            self.world,
            (self.rows[:, None] + strides * offset[0]).reshape(-1, self.rows.shape[1]),
            (self.columns[:, None] + strides * offset[1]).reshape(-1, self.rows.shape[1]),
            np.repeat(self.somewhere, len(strides), axis=0),
        )

    def _strides(self, offset: np.ndarray) -> int:
        """Return the number of strides after which every walk from these places has left the grid.

        A walk that starts off the grid may cross all of it.
        """
        sides = [side - 2 * self.world.margin for side in self.world.shape[:2]]
        longest = np.full(self.rows.shape, max(sides) + 1, dtype=np.int64)
        for at, side, step in zip((self.rows, self.columns), sides, offset.tolist(), strict=True):
            if step:
                longest = np.minimum(longest, ((side - 1 - at) // step if step > 0 else at // -step) + 1)
        return max(1, int(longest[self.rows > FAR // 2].max(initial=1)))

    def holding(self, values: np.ndarray) -> np.ndarray:
        """Return whether each place has each of some values, given by number. [values, S, words] uint64"""
        return self._held[values]

    @cached_property
    def _held(self) -> np.ndarray:
        """`holding` for all values."""
        world = self.world
        bits = np.zeros((len(world.values), len(self), world.shape[2]), dtype=np.uint64)
        _read_loop(world.cells, world.sizes, world.slot, self.rows, self.columns, bits)
        return bits

    def walking(self, ahead: Places, until: np.ndarray, unless: np.ndarray) -> np.ndarray:
        """Return whether `until` holds before `unless` and before the grid ends on the way ahead, for all pairs.

        ([A, S × strides, words], [B, S × strides, words]) → [A × B, S, words]
        """
        inside = ~ahead.holding(np.array([len(self.world.values) - 1]))[0]
        shape = (len(self), len(ahead) // len(self), self.world.shape[2])
        out = np.empty((len(until), len(unless), len(self), shape[2]), dtype=np.uint64)
        _walk_loop(until.reshape(-1, *shape), unless.reshape(-1, *shape), inside.reshape(shape), self.somewhere, out)
        return out.reshape(-1, len(self), shape[2])


@compiled
def _read_loop(cells, sizes, slot, rows, columns, bits):  # type: ignore[no-untyped-def]
    """Set the bit of the value at every place of every state; cells come grid after grid."""
    start, off = 0, len(bits) - 1
    for i in range(len(sizes)):
        n, height, width = slot[i], sizes[i, 0], sizes[i, 1]
        word, bit = n >> 6, np.uint64(1) << np.uint64(n & 63)
        for s in range(rows.shape[0]):
            r, c = rows[s, n], columns[s, n]
            value = cells[start + r * width + c] if 0 <= r < height and 0 <= c < width else off
            bits[value, s, word] |= bit
        start += height * width


@compiled
def _walk_loop(until, unless, inside, somewhere, out):  # type: ignore[no-untyped-def]
    strides, words = inside.shape[1], inside.shape[2]
    walking = np.empty(words, dtype=np.uint64)
    for s in range(inside.shape[0]):
        for a in range(until.shape[0]):
            for b in range(unless.shape[0]):
                for w in range(words):
                    walking[w] = somewhere[s, w]
                    out[a, b, s, w] = np.uint64(0)
                for k in range(strides):
                    anybody = np.uint64(0)
                    for w in range(words):
                        here = until[a, s, k, w]
                        out[a, b, s, w] |= walking[w] & here
                        walking[w] &= ~(here | unless[b, s, k, w]) & inside[s, k, w]
                        anybody |= walking[w]
                    if anybody == np.uint64(0):
                        break
