"""Features by row: word after word, the bits of 64 rows in all features, as splits and literals are counted.

The rows are sorted by what the first features say about them. Then the rows of a node of a tree, or those that a clause
still allows, are neighbors and take few words.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from shown.columns.distinct import ROW_BY_ROW
from shown.engine.compilation import compiled
from shown.engine.threads import Threads

SMALL_TILE = 2**23  # bytes of features up to which they are turned anew when more come, so that there is one tile
SORTED_BY = 32  # features by which the rows are sorted
LANES = 8  # words turned together
TURNING = 2**25  # bytes that threads take while they turn features: 64 words for every word of a column each


class FeaturesByRow:
    """Columns of features, and the same by row.

    If there are too many for memory, they are turned some at a time, whenever they are read.

    Args:
        mask: 1 where a bit is a row; other bits are left out. [R] uint64

    Attributes:
        columns: the features. [F, R] uint64
    """

    def __init__(self, mask: np.ndarray) -> None:
        self._mask, self._rows = mask, np.empty(0, dtype=np.int64)
        self.columns = np.empty((0, len(mask)), dtype=np.uint64)
        self._tiles: list[tuple[int, np.ndarray]] = []

    def __len__(self) -> int:
        return len(self.columns)

    def replace(self, columns: np.ndarray) -> None:
        """Set the features; the known ones come first. [F, R] uint64"""
        if columns is not self.columns and not SMALL_TILE < columns.nbytes <= ROW_BY_ROW:
            self._tiles.clear()
        self.columns = columns

    @property
    def rows(self) -> np.ndarray:
        """The rows, each by 64 times its word in a column, plus its bit; sorted at the first use. [n] int64"""
        if not len(self._rows):
            self._rows = sorted_rows(self._mask, self.columns[:SORTED_BY])
        return self._rows

    def packed(self, bits: np.ndarray) -> np.ndarray:
        """Return bits of rows in the order of the rows. [R] uint64 → [W] uint64"""
        ones = np.zeros(-(-len(self.rows) // 64) * 64, dtype=np.uint8)
        ones[: len(self.rows)] = np.unpackbits(bits.view(np.uint8), bitorder="little")[self.rows]
        return np.packbits(ones, bitorder="little").view(np.uint64)

    def tiles(self, seen: int, threads: Threads) -> Iterator[tuple[int, np.ndarray]]:
        """Yield features by row, those from `seen` on at least, with the number of the first. [W, n] each"""
        if self.columns.nbytes > ROW_BY_ROW:
            step = max(1, ROW_BY_ROW // (4 * 8 * self.columns.shape[1]))
            for start in range(seen, len(self), step):
                yield start, self._turned(self.columns[start : start + step], threads)
            return
        turned = sum(tile.shape[1] for _, tile in self._tiles)
        if turned < len(self):
            self._tiles.append((turned, self._turned(self.columns[turned:], threads)))
        yield from ((first, tile) for first, tile in self._tiles if first + tile.shape[1] > seen)

    def some(self, numbers: np.ndarray, threads: Threads) -> tuple[np.ndarray, np.ndarray]:
        """Return features by row, some among them, and the places of these. [n] → [W, any], [n]"""
        tiles = [] if self.columns.nbytes > ROW_BY_ROW else list(self.tiles(0, threads))
        if len(tiles) == 1:
            return tiles[0][1], numbers
        return self._turned(self.columns[numbers], threads), np.arange(len(numbers))

    def whole(self, threads: Threads) -> np.ndarray:
        """Return all features by row, in one array. [W, F]"""
        if [tile.shape[1] for _, tile in self._tiles] != [len(self)]:
            self._tiles.clear()
            self._tiles.append((0, self._turned(self.columns, threads)))
        return self._tiles[0][1]

    def _turned(self, columns: np.ndarray, threads: Threads) -> np.ndarray:
        rows, count = self.rows, len(columns)
        by_row = np.empty((-(-len(rows) // 64), count), dtype=np.uint64)
        at_once = min(threads.count, max(1, TURNING // (8 * 64 * columns.shape[1])))
        each = max(64, -(-count // at_once))
        cuts = list(pairwise([*range(0, count, each), count]))
        threads.map(lambda cut: _turn_loop(columns, *cut, rows, by_row), cuts)
        return by_row


def sorted_rows(mask: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return the rows in a mask, sorted by their values in columns: the first counts most, and 0 comes before 1. [n]

    >>> sorted_rows(np.array([0b1111], dtype=np.uint64), np.array([[0b0101], [0b0011]], dtype=np.uint64)).tolist()
    [3, 1, 2, 0]
    """
    rows = np.flatnonzero(np.unpackbits(mask.view(np.uint8), bitorder="little"))
    if not len(columns):
        return rows
    keys = []
    for first in range(0, len(columns), 8):
        values = np.unpackbits(columns[first : first + 8].view(np.uint8), axis=1, bitorder="little")
        keys.append(np.packbits(values.take(rows, axis=1), axis=0)[0])
    return rows[np.lexsort(keys[::-1])]


@compiled
def _turn_loop(columns, start, stop, rows, by_row):  # type: ignore[no-untyped-def]
    """Write the features start … stop - 1 by row: 64 of them become a word of each row, and 64 rows a word of each.

    Both times squares of 64 × 64 bits are turned about their diagonal, by exchanging parts of ever smaller squares;
    LANES of them together, since the processor can do that. Bits after the last row repeat it.
    """
    of_row = np.empty(64 * columns.shape[1], dtype=np.uint64)
    flat = np.empty(64 * LANES, dtype=np.uint64)
    squares = flat.reshape(64, LANES)
    for first in range(start, stop, 64):
        for back in range(2):
            words = len(by_row) if back else columns.shape[1]
            for word in range(0, words, LANES):
                lanes = min(LANES, words - word)
                for k in range(64):
                    feature = min(first + k, stop - 1)
                    for i in range(lanes):
                        row = min(64 * (word + i) + k, len(rows) - 1)
                        squares[k, i] = of_row[rows[row]] if back else columns[feature, word + i]
                half, low = 32, np.uint64(0xFFFFFFFF)
                while half:
                    size, shift = LANES * half, np.uint64(half)
                    for corner in range(0, len(flat), 2 * size):
                        one, other = flat[corner : corner + size], flat[corner + size : corner + 2 * size]
                        for k in range(size):
                            differ = ((one[k] >> shift) ^ other[k]) & low
                            one[k] ^= differ << shift
                            other[k] ^= differ
                    half >>= 1
                    low ^= low << np.uint64(half)
                for i in range(lanes):
                    for k in range(min(64, stop - first) if back else 64):
                        if back:
                            by_row[word + i, first + k] = squares[k, i]
                        else:
                            of_row[64 * (word + i) + k] = squares[k, i]
