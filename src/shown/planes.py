"""Bit planes: a condition's value at every cell of every state, 64 states to a machine word.

A plane is an array `[rows, columns, words]` of uint64. Bit n of the words at (r, c) is the condition's value at that
cell of state n. All states share one frame: the largest grid, and on each side a margin that no program of the run can
look beyond (`language/reach.py` says how wide that is, and why it is enough). Two states are not real:

* the *void*: a state without a single cell on its grid. Far enough outside any grid a condition of the paper's language
  has the value it has there, so this bit says what to read beyond the frame's edge. No program's answer depends on it,
  but planes are right, or at least always the same, up to the edge;
* *nowhere*: where attention is when it was sent to a value that no cell has.

`shift` and `scan` are the NumPy versions of the compiled loops `shift_many` and `scan_many`; tests hold them equal.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shown.compiled import compiled
from shown.grid import Action, Grid, Tokens

ALL = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
ONE = np.uint64(1)


class Planes:
    """States as bit planes, and the rows (state, action) that programs are asked about.

    Attributes:
        values: the names of the values, OFF last.
        grids: the real states, in the order given. [N]
        slot: the bit at which each state is kept. [N]
        shape: (rows, columns, words) of every plane.
        margin: cells around the largest grid.
        of_values: one plane a value. [V, rows, columns, words] uint64
        inside: 1 where a cell is on its state's grid. [rows, columns, words] uint64
        somewhere: 1 for all states but *nowhere*. [words] uint64
        real: 1 for the real states. [words] uint64
        first: flat place (row × columns + column) of the first cell with a value in each state, -1 if none. [V, N]
        cells, sizes: the number of the value in each cell, grid after grid, and the grids' heights and widths.
            [cells] uint8 (or wider, where there are more values), [N, 2]
        row_words: where the words of the rows (state, action) are found in a flattened plane. [R]
        row_mask: 1 where such a bit is a row indeed. [R] uint64
    """

    def __init__(self, grids: Sequence[Grid], tokens: Tokens, buttons: tuple[str, ...] = (), margin: int = 0) -> None:
        self.grids, self.tokens, self.buttons, self.margin = tuple(grids), tokens, buttons, margin
        self.values = tokens.values
        n = len(self.grids)
        # States of like size share words, so that few words are spent on cells that are on hardly any grid.
        order = sorted(range(n), key=lambda i: (self.grids[i].shape, i))
        self.slot = np.empty(n, dtype=np.int64)
        self.slot[order] = np.arange(n)
        self.shape = frame(self.grids, margin)
        words = self.shape[2]
        self._void, self._nowhere = words * 64 - 2, words * 64 - 1
        self._fill_values()
        self.row_words, self.row_mask = self._rows()

    def _fill_values(self) -> None:
        words, n, off = self.shape[2], len(self.grids), len(self.tokens)
        self.of_values = np.zeros((len(self.values), *self.shape), dtype=np.uint64)
        self.of_values[off] = ALL  # outside every grid, and everywhere in the states that are not real
        self.first = np.full((len(self.values), n), -1, dtype=np.int64)
        self.cells, self.sizes = value_codes(self.grids, self.tokens)
        if n:
            _fill_loop(self.cells, self.sizes, self.slot, self.margin, self.of_values, self.first)
        self.inside = ~self.of_values[off]
        real = np.zeros(words * 64, dtype=bool)
        real[:n] = True
        self.real = pack(real)
        somewhere = np.ones(words * 64, dtype=bool)
        somewhere[self._nowhere] = False
        self.somewhere = pack(somewhere)

    def _rows(self) -> tuple[np.ndarray, np.ndarray]:
        if self.buttons:
            mask = np.tile(self.real, len(self.buttons))
            return np.arange(len(mask)), mask
        flat = self.inside.reshape(-1)
        words = np.flatnonzero(flat)
        return words, flat[words]

    @property
    def states(self) -> int:
        return len(self.grids)

    @property
    def bytes_per_plane(self) -> int:
        return 8 * int(np.prod(self.shape))

    def of_value(self, value: str) -> np.ndarray:
        """The plane of `cell_is_value(value)`."""
        return self.of_values[self.values.index(value)]

    def of_button(self, button: str) -> np.ndarray:
        """1 in the rows where the action is this button. [buttons, words]"""
        chosen = np.zeros((len(self.buttons), self.shape[2]), dtype=np.uint64)
        chosen[self.buttons.index(button)] = ALL
        return chosen

    def row(self, state: int, action: Action) -> tuple[int, int]:
        """Where the row (state, action) is kept: the place of its word among the row words, and its bit."""
        word, bit = divmod(int(self.slot[state]), 64)
        if isinstance(action, str):
            return self.buttons.index(action) * self.shape[2] + word, bit
        r, c = action[0] + self.margin, action[1] + self.margin
        flat = (r * self.shape[1] + c) * self.shape[2] + word
        return int(np.searchsorted(self.row_words, flat)), bit

    def action_of_word(self, word: int) -> Action:
        """The action of the rows in a word, given by its place among the row words."""
        place = int(self.row_words[word]) // self.shape[2]
        if self.buttons:
            return self.buttons[place]
        r, c = divmod(place, self.shape[1])
        return r - self.margin, c - self.margin

    def states_of_rows(self, first: int = 0) -> np.ndarray:
        """The number of the state of each bit of the row words, counted from `first`; -1 for none. [R, 64] int32"""
        numbers = np.full(self.shape[2] * 64, -1, dtype=np.int32)
        numbers[self.slot] = np.arange(first, first + self.states)
        states = numbers.reshape(-1, 64)[self.row_words % self.shape[2]]
        rows = np.unpackbits(self.row_mask.view(np.uint8), bitorder="little").reshape(-1, 64)
        states[rows == 0] = -1
        return states

    def words_of_rows(self, results: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What a program's kernel gave (see `Primitive.kernel`), flat, and where each row's word is in it.

        ([n, ...]) → ([n, words of the result], [R])
        """
        flat = results.reshape(len(results), -1)
        if results.ndim == 4:
            return flat, self.row_words
        if results.ndim == 3:
            return flat, np.arange(flat.shape[1])
        return flat, self.row_words % self.shape[2]

    def columns(self, results: np.ndarray) -> np.ndarray:
        """Programs' values on the rows, from what their kernel gave. [n, ...] → [n, R]"""
        flat, places = self.words_of_rows(results)
        return flat[:, places] & self.row_mask


def value_codes(grids: Sequence[Grid], tokens: Tokens) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of the values in all cells, grid after grid, and the grids' heights and widths. ([cells], [N, 2])"""
    table = np.zeros(max(map(ord, tokens), default=0) + 1, dtype=np.min_scalar_type(len(tokens)))
    for v, character in enumerate(tokens):
        table[ord(character)] = v
    text = "".join(row for grid in grids for row in grid.rows)
    sizes = np.array([grid.shape for grid in grids], dtype=np.int64).reshape(-1, 2)
    return table[np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)], sizes


def frame(grids: Sequence[Grid], margin: int) -> tuple[int, int, int]:
    """The shape (rows, columns, words) of the planes of some states; two bits are for the states that are not real."""
    height = max((g.height for g in grids), default=1)
    width = max((g.width for g in grids), default=1)
    return height + 2 * margin, width + 2 * margin, (len(grids) + 2 + 63) // 64


def shift(world: Planes, offset: tuple[int, int], plane: np.ndarray) -> np.ndarray:
    """The plane as seen from cells that look `offset` further."""
    dr, dc = offset
    rows, columns, _ = world.shape
    out = np.broadcast_to(_beyond(world, plane), world.shape).copy()
    if abs(dr) < rows and abs(dc) < columns:
        r0, r1, c0, c1 = max(0, -dr), min(rows, rows - dr), max(0, -dc), min(columns, columns - dc)
        out[r0:r1, c0:c1] = plane[r0 + dr : r1 + dr, c0 + dc : c1 + dc]
    return out


def scan(world: Planes, offset: tuple[int, int], until: np.ndarray, unless: np.ndarray) -> np.ndarray:
    """One sweep from the far end: out[x] = until[x+o] | (~unless[x+o] & inside[x+o] & out[x+o]); 0 nowhere."""
    dr, dc = offset
    rows, columns, _ = world.shape
    go_on = ~unless & world.inside
    out = np.empty(world.shape, dtype=np.uint64)
    beyond = _beyond(world, until) & world.somewhere
    for r in range(rows) if dr < 0 else range(rows - 1, -1, -1):
        for c in range(columns) if dc < 0 else range(columns - 1, -1, -1):
            y, x = r + dr, c + dc
            if 0 <= y < rows and 0 <= x < columns:
                out[r, c] = (until[y, x] | (go_on[y, x] & out[y, x])) & world.somewhere
            else:
                out[r, c] = beyond
    return out


def at_first(world: Planes, value: str, plane: np.ndarray) -> np.ndarray:
    """The plane's value at the first cell with `value`, one bit a state. [words] uint64"""
    out = np.zeros(world.shape[2], dtype=np.uint64)
    for state, place in enumerate(world.first[world.values.index(value)]):
        word, bit = divmod(int(world.slot[state]), 64)
        source = plane.reshape(-1, world.shape[2])[place, word] >> np.uint64(bit)
        if place < 0:
            source = plane[0, 0, -1] >> np.uint64(63)
        out[word] |= (source & ONE) << np.uint64(bit)
    return out


def shift_many(world: Planes, store: np.ndarray, offsets: np.ndarray, conditions: np.ndarray) -> np.ndarray:
    """`shift` for many pairs (offset, number of a plane in `store`). [n, rows, columns, words]"""
    out = np.empty((len(conditions), *world.shape), dtype=np.uint64)
    _shift_loop(store, offsets, conditions, out)
    return out


def scan_many(
    world: Planes, store: np.ndarray, offsets: np.ndarray, untils: np.ndarray, unlesses: np.ndarray
) -> np.ndarray:
    """`scan` for many triples (offset, two numbers of planes in `store`). [n, rows, columns, words]"""
    out = np.empty((len(untils), *world.shape), dtype=np.uint64)
    _scan_loop(store, offsets, untils, unlesses, world.inside, world.somewhere, out)
    return out


def at_first_many(world: Planes, store: np.ndarray, values: np.ndarray, conditions: np.ndarray) -> np.ndarray:
    """`at_first` for many pairs (number of a value, number of a plane in `store`). [n, words]"""
    out = np.zeros((len(conditions), world.shape[2]), dtype=np.uint64)
    _at_first_loop(store.reshape(len(store), -1, world.shape[2]), values, conditions, world.first, world.slot, out)
    return out


def _beyond(world: Planes, plane: np.ndarray) -> np.ndarray:
    """What is read beyond the frame: the void's bit for every state, and nowhere's own. [words]"""
    last = plane[0, 0, -1]
    fill = np.full(world.shape[2], ALL if last >> np.uint64(62) & ONE else 0, dtype=np.uint64)
    fill[-1] = (fill[-1] & ~(ONE << np.uint64(63))) | (last & (ONE << np.uint64(63)))
    return fill


def pack(bits: np.ndarray) -> np.ndarray:
    """[words × 64, ...] bool → [..., words] uint64, bit n of the words from bits[n]."""
    packed = np.packbits(np.moveaxis(bits, 0, -1), axis=-1, bitorder="little")
    return np.ascontiguousarray(packed).view(np.uint64)


@compiled
def _fill_loop(codes, sizes, slot, margin, of_values, first):  # type: ignore[no-untyped-def]
    """Enters every cell of every grid into the plane of its value, and where each value comes first."""
    at, off, columns = 0, len(of_values) - 1, of_values.shape[2]
    for i in range(len(sizes)):
        word, bit = slot[i] >> 6, np.uint64(1) << np.uint64(slot[i] & 63)
        for r in range(margin, margin + sizes[i, 0]):
            for c in range(margin, margin + sizes[i, 1]):
                v = codes[at]
                at += 1
                of_values[v, r, c, word] |= bit
                of_values[off, r, c, word] &= ~bit
                if first[v, i] < 0:
                    first[v, i] = r * columns + c


@compiled
def _shift_loop(store, offsets, conditions, out):  # type: ignore[no-untyped-def]
    top = np.uint64(1) << np.uint64(63)
    n, rows, columns, words = out.shape
    for i in range(n):
        dr, dc = offsets[i, 0], offsets[i, 1]
        plane = store[conditions[i]]
        last = plane[0, 0, words - 1]
        far = np.uint64(0) - ((last >> np.uint64(62)) & np.uint64(1))
        for r in range(rows):
            for c in range(columns):
                y, x = r + dr, c + dc
                if 0 <= y < rows and 0 <= x < columns:
                    for w in range(words):
                        out[i, r, c, w] = plane[y, x, w]
                else:
                    for w in range(words):
                        out[i, r, c, w] = far
                    out[i, r, c, words - 1] = (far & ~top) | (last & top)


@compiled
def _scan_loop(store, offsets, untils, unlesses, inside, somewhere, out):  # type: ignore[no-untyped-def]
    n, rows, columns, words = out.shape
    for i in range(n):
        dr, dc = offsets[i, 0], offsets[i, 1]
        until, unless = store[untils[i]], store[unlesses[i]]
        plane = out[i]
        far = np.uint64(0) - ((until[0, 0, words - 1] >> np.uint64(62)) & np.uint64(1))
        for k in range(rows):
            r = k if dr < 0 else rows - 1 - k
            y = r + dr
            for j in range(columns):
                c = j if dc < 0 else columns - 1 - j
                x = c + dc
                if 0 <= y < rows and 0 <= x < columns:
                    for w in range(words):
                        plane[r, c, w] = (
                            until[y, x, w] | (~unless[y, x, w] & inside[y, x, w] & plane[y, x, w])
                        ) & somewhere[w]
                else:
                    for w in range(words):
                        plane[r, c, w] = far & somewhere[w]


@compiled
def _at_first_loop(store, values, conditions, first, slot, out):  # type: ignore[no-untyped-def]
    one = np.uint64(1)
    words = out.shape[1]
    states = len(slot)
    for i in range(len(conditions)):
        plane = store[conditions[i]]
        nowhere = plane[0, words - 1] >> np.uint64(63)
        for s in range(states):
            place = first[values[i], s]
            word, bit = slot[s] >> 6, np.uint64(slot[s] & 63)
            source = nowhere if place < 0 else (plane[place, word] >> bit) & one
            out[i, word] |= source << bit
