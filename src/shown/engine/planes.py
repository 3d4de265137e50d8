"""Bit planes: a condition's value at every cell of every state, 64 states per machine word.

A plane is an array `[rows, columns, words]` of uint64. Bit n of the words at (r, c) is the condition's value at that
cell of state n. All states share one frame: the largest grid and a margin on each side beyond which no program looks
(`language/reach.py`). Two states are not real:

* the *void*, a state without any cell on its grid. Far enough outside any grid a condition has its value in the void,
  so this bit is read beyond the frame. No program's answer depends on it, but it keeps planes reproducible at the edge;
* *nowhere*, the state of attention sent to a value that no cell has.

The compiled functions end in `_many`. Their plain twins are the meanings of the primitives; tests hold them equal.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from itertools import chain

import numpy as np

from shown.engine.compilation import compiled
from shown.grid import Action, Grid, Tokens

ALL = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
ONE = np.uint64(1)


class Planes:
    """States as bit planes, and the rows (state, action) on which programs are evaluated.

    Attributes:
        values: names of the values, OFF last.
        grids: the real states, in the order given. [N]
        slot: bit index of each state. [N]
        shape: (rows, columns, words) of every plane.
        margin: cells around the largest grid.
        of_values: one plane per value. [V, rows, columns, words] uint64
        inside: 1 where a cell is on its state's grid. [rows, columns, words] uint64
        first: flat place (row × columns + column) of the first cell with each value in each state, or -1. [V, N]
        cells: value number of each cell, grid after grid. [cells] uint8, or wider if there are more values
        sizes: heights and widths of the grids. [N, 2]
        row_words: indices of the words of the rows in a flattened plane. [R]
        row_mask: 1 where such a bit is a row. [R] uint64
    """

    def __init__(self, grids: Sequence[Grid], tokens: Tokens, buttons: tuple[str, ...] = (), margin: int = 0) -> None:
        self.grids, self.tokens, self.buttons, self.margin = tuple(grids), tokens, buttons, margin
        self.values = tokens.values
        self.cells, self.sizes = value_codes(self.grids, tokens)
        # States of similar size share words, so that few words cover cells that are on hardly any grid.
        self.slot = np.empty(len(self.grids), dtype=np.int64)
        self.slot[np.lexsort(self.sizes.T[::-1])] = np.arange(len(self.grids))
        self.shape = frame(self.grids, margin)
        self.of_values = np.zeros((len(self.values), *self.shape), dtype=np.uint64)
        self.of_values[-1] = ALL  # outside every grid, and everywhere in states that are not real
        self.first = np.full((len(self.values), len(self.grids)), -1, dtype=np.int64)
        _fill_loop(self.cells, self.sizes, self.slot, margin, self.of_values, self.first)
        self.inside = ~self.of_values[-1]
        self.row_words, self.row_mask = self._rows()

    @cached_property
    def real(self) -> np.ndarray:
        """1 for the real states. [words] uint64"""
        n = self.states
        real = np.where(np.arange(self.shape[2]) < n // 64, ALL, np.uint64(0))
        real[n // 64] = (ONE << np.uint64(n % 64)) - ONE
        return real

    @cached_property
    def somewhere(self) -> np.ndarray:
        """1 for all states but *nowhere*, which is the last bit. [words] uint64"""
        somewhere = np.full(self.shape[2], ALL)
        somewhere[-1] ^= ONE << np.uint64(63)
        return somewhere

    def _rows(self) -> tuple[np.ndarray, np.ndarray]:
        if self.buttons:
            mask = np.tile(self.real, len(self.buttons))
            return np.arange(len(mask)), mask
        flat = self.inside.reshape(-1)
        words = np.flatnonzero(flat)
        return words, flat[words]

    @cached_property
    def first_reads(self) -> tuple[np.ndarray, ...]:
        """Where to read a plane at the first cell with each value, for `at_first_many`.

        The reads of value v are those from starts[v] to starts[v + 1]; each is of a word of the flattened plane, for
        some of the states in it: starts [V + 1], words of the plane [n], words of the result [n], states [n] uint64.
        And the states without the value: [V, words] uint64.
        """
        starts, sources = np.empty(len(self.values) + 1, np.int64), np.empty(self.first.size, np.int64)
        masks, nowhere = np.zeros(len(sources), np.uint64), np.zeros((len(self.values), self.shape[2]), np.uint64)
        _reads_loop(self.first, self.slot, np.full(math.prod(self.shape), -1), starts, sources, masks, nowhere)
        return starts, sources, sources % self.shape[2], masks, nowhere

    @property
    def states(self) -> int:
        return len(self.grids)

    @property
    def actions(self) -> np.ndarray:
        """Number of actions of each state. [N] int64"""
        return np.full(self.states, len(self.buttons)) if self.buttons else self.sizes.prod(axis=1)

    @property
    def bytes_per_plane(self) -> int:
        return 8 * math.prod(self.shape)

    def of_value(self, value: str) -> np.ndarray:
        """Return the plane of `cell_is_value(value)`."""
        return self.of_values[self.values.index(value)]

    def of_button(self, button: str) -> np.ndarray:
        """Return 1 in the rows whose action is this button. [buttons, words]"""
        chosen = np.zeros((len(self.buttons), self.shape[2]), dtype=np.uint64)
        chosen[self.buttons.index(button)] = ALL
        return chosen

    def row(self, state: int, action: Action) -> tuple[int, int]:
        """Return the place of the row (state, action): the index of its word among the row words, and its bit."""
        words, bits = self.rows_of(np.array([state]), [action])
        return int(words[0]), int(bits[0])

    def rows_of(self, states: np.ndarray, actions: Sequence[Action]) -> tuple[np.ndarray, np.ndarray]:
        """Return the places of many rows, as `row` does for one. ([n] int64 each)"""
        words, bits = np.divmod(self.slot[states], 64)
        if self.buttons:
            return np.array([self.buttons.index(str(a)) for a in actions]) * self.shape[2] + words, bits
        cells = np.array(actions, dtype=np.int64).reshape(-1, 2) + self.margin
        flat = (cells[:, 0] * self.shape[1] + cells[:, 1]) * self.shape[2] + words
        return np.searchsorted(self.row_words, flat), bits

    def actions_of_words(self, words: np.ndarray) -> list[Action]:
        """Return the action of the rows in each of some words, given by their indices among the row words."""
        places = self.row_words[words] // self.shape[2]
        if self.buttons:
            return [self.buttons[place] for place in places.tolist()]
        rows, columns = np.divmod(places, self.shape[1])
        return list(zip((rows - self.margin).tolist(), (columns - self.margin).tolist(), strict=True))

    def states_of_rows(self, first: int = 0) -> np.ndarray:
        """Return the state number of each bit of the row words, counted from `first`; -1 for none. [R, 64] int32"""
        numbers = np.full(self.shape[2] * 64, -1, dtype=np.int32)
        numbers[self.slot] = np.arange(first, first + self.states)
        states = numbers.reshape(-1, 64)[self.row_words % self.shape[2]]
        rows = np.unpackbits(self.row_mask.view(np.uint8), bitorder="little").reshape(-1, 64)
        states[rows == 0] = -1
        return states

    def words_of_rows(self, results: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the flattened results of a kernel (see `Primitive.kernel`), and the index of each row's word in them.

        ([n, ...]) → ([n, words of the result], [R])
        """
        flat = results.reshape(len(results), -1)
        if results.ndim == 4:
            return flat, self.row_words
        if results.ndim == 3:
            return flat, np.arange(flat.shape[1])
        return flat, self.row_words % self.shape[2]

    def columns(self, results: np.ndarray) -> np.ndarray:
        """Return the values of programs on the rows, given the results of their kernel. [n, ...] → [n, R]"""
        columns = np.empty((len(results), len(self.row_words)), dtype=np.uint64)
        self.fill_columns(columns, np.arange(len(results)), results)
        return columns

    def fill_columns(
        self, columns: np.ndarray, places: np.ndarray, results: np.ndarray, chosen: np.ndarray | None = None
    ) -> None:
        """Write the values of programs on the rows into the columns at some places.

        Args:
            columns: the columns. [m, R] uint64
            places: place of the column of each program. [n] int64
            results: results of a kernel; see `Primitive.kernel`. [k, ...]
            chosen: number of the result of each program; by default, in order. [n] int64
        """
        chosen = np.arange(len(places)) if chosen is None else chosen
        _take_loop(*self.words_of_rows(results), chosen, self.row_mask, columns, places)


def value_codes(grids: Sequence[Grid], tokens: Tokens) -> tuple[np.ndarray, np.ndarray]:
    """Return the value numbers of all cells, grid after grid, and the sizes of the grids. ([cells], [N, 2])

    Raises BadInput for a grid that has a cell without a known token.
    """
    # The number of the token with each code point; `len(tokens)` means none, as from the last entry on.
    numbers = np.full(max(map(ord, tokens), default=0) + 2, len(tokens), dtype=np.min_scalar_type(len(tokens)))
    numbers[[ord(character) for character in tokens]] = np.arange(len(tokens))
    text = "".join(chain.from_iterable([grid.rows for grid in grids]))
    codes = numbers.take(np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32), mode="clip")
    if codes.max(initial=0) == len(tokens):
        for grid in grids:
            tokens.check(grid)
    sizes = np.empty((len(grids), 2), dtype=np.int64)
    sizes[:, 0], sizes[:, 1] = [len(grid.rows) for grid in grids], [len(grid.rows[0]) for grid in grids]
    return codes, sizes


def frame(grids: Sequence[Grid], margin: int) -> tuple[int, int, int]:
    """Return the shape (rows, columns, words) of planes; two bits are for the states that are not real."""
    height = max([len(g.rows) for g in grids], default=1)
    width = max([len(g.rows[0]) for g in grids], default=1)
    return height + 2 * margin, width + 2 * margin, (len(grids) + 2 + 63) // 64


def shift(world: Planes, offset: tuple[int, int], plane: np.ndarray) -> np.ndarray:
    """Return the plane as seen from each cell at `offset`."""
    dr, dc = offset
    rows, columns, _ = world.shape
    out = np.broadcast_to(beyond(world, plane), world.shape).copy()
    if abs(dr) < rows and abs(dc) < columns:
        r0, r1, c0, c1 = max(0, -dr), min(rows, rows - dr), max(0, -dc), min(columns, columns - dc)
        out[r0:r1, c0:c1] = plane[r0 + dr : r1 + dr, c0 + dc : c1 + dc]
    return out


def shift_many(world: Planes, store: np.ndarray, offsets: np.ndarray, conditions: np.ndarray) -> np.ndarray:
    """`shift` for many pairs (offset, plane index in `store`). [n, rows, columns, words]"""
    out = np.empty((len(conditions), *world.shape), dtype=np.uint64)
    _shift_loop(store, offsets, conditions, out)
    return out


def scan_many(
    world: Planes, store: np.ndarray, offsets: np.ndarray, untils: np.ndarray, unlesses: np.ndarray
) -> np.ndarray:
    """Return one sweep from the far end for many triples (offset, two plane indices). [n, rows, columns, words]

    out[x] = until[x+o] | (~unless[x+o] & inside[x+o] & out[x+o]); 0 nowhere.
    """
    out = np.empty((len(untils), *world.shape), dtype=np.uint64)
    planes = in_lines(store), in_lines(world.inside), in_lines(out)
    _scan_loop(*planes, world.somewhere, offsets, untils, unlesses)
    return out


def at_first_many(world: Planes, store: np.ndarray, values: np.ndarray, conditions: np.ndarray) -> np.ndarray:
    """Return a plane at the first cell with a value, for many pairs (value number, plane index). [n, words]"""
    out = np.empty((len(conditions), world.shape[2]), dtype=np.uint64)
    starts, sources, targets, masks, nowhere = world.first_reads
    flat = store.reshape(len(store), -1)
    _at_first_loop(flat, values, conditions, starts, sources, targets, masks, nowhere, out)
    return out


def beyond(world: Planes, plane: np.ndarray) -> np.ndarray:
    """Return the value beyond the frame: the void's bit for every state, and nowhere's own. [words]"""
    last = plane[0, 0, -1]
    fill = np.full(world.shape[2], ALL if last >> np.uint64(62) & ONE else 0, dtype=np.uint64)
    fill[-1] = (fill[-1] & ~(ONE << np.uint64(63))) | (last & (ONE << np.uint64(63)))
    return fill


def in_lines(planes: np.ndarray) -> np.ndarray:
    """Return planes with each row as a line of words: a step to the side is `words` places. [..., rows, columns ×
    words]
    """
    return planes.reshape(*planes.shape[:-2], planes.shape[-2] * planes.shape[-1])


def pack(bits: np.ndarray) -> np.ndarray:
    """[words × 64, ...] bool → [..., words] uint64, bit n of the words from bits[n]."""
    packed = np.packbits(np.moveaxis(bits, 0, -1), axis=-1, bitorder="little")
    return np.ascontiguousarray(packed).view(np.uint64)


@compiled
def _fill_loop(codes, sizes, slot, margin, of_values, first):  # type: ignore[no-untyped-def]
    """Set every cell of every grid in the plane of its value, and note the first cell of each value."""
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
def _reads_loop(first, slot, latest, starts, sources, masks, nowhere):  # type: ignore[no-untyped-def]
    """List the words to read for each value; `latest` is the latest read of each word, and -1 before."""
    count, words = 0, nowhere.shape[1]
    for v in range(len(first)):
        starts[v] = count
        for i in range(len(slot)):
            word, bit = slot[i] >> 6, np.uint64(1) << np.uint64(slot[i] & 63)
            if first[v, i] < 0:
                nowhere[v, word] |= bit
                continue
            source = first[v, i] * words + word
            if latest[source] < starts[v]:
                latest[source], sources[count] = count, source
                count += 1
            masks[latest[source]] |= bit
    starts[len(first)] = count


@compiled
def _take_loop(flat, words, chosen, mask, columns, places):  # type: ignore[no-untyped-def]
    for i in range(len(places)):
        result, column = flat[chosen[i]], columns[places[i]]
        for r in range(len(mask)):
            column[r] = result[words[r]] & mask[r]


@compiled
def _shift_loop(store, offsets, conditions, out):  # type: ignore[no-untyped-def]
    top = np.uint64(1) << np.uint64(63)
    n, rows, columns, words = out.shape
    for i in range(n):
        dr, dc = offsets[i, 0], offsets[i, 1]
        plane = store[conditions[i]]
        last = plane[0, 0, words - 1]
        far = np.uint64(0) - ((last >> np.uint64(62)) & np.uint64(1))
        farthest = (far & ~top) | (last & top)
        first, end = min(max(0, -dc), columns), max(min(columns, columns - dc), 0)
        for r in range(rows):
            y = r + dr
            met = 0 <= y < rows
            if met:
                line, there = out[i, r, first:end].reshape(-1), plane[y, first + dc : end + dc].reshape(-1)
                for k in range(len(line)):
                    line[k] = there[k]
            for c in range(columns):
                if not met or c < first or c >= end:
                    for w in range(words - 1):
                        out[i, r, c, w] = far
                    out[i, r, c, words - 1] = farthest


@compiled
def _scan_loop(store, inside, out, somewhere, offsets, untils, unlesses):  # type: ignore[no-untyped-def]
    """Sweep over lines of words, so that a line that depends on another one is computed at once."""
    rows, width = inside.shape
    words, some = len(somewhere), np.empty(width, np.uint64)
    for j in range(width):
        some[j] = somewhere[j % words]
    for i in range(len(untils)):
        down, aside = offsets[i, 0], offsets[i, 1] * words
        until, unless, plane = store[untils[i]], store[unlesses[i]], out[i]
        far = np.uint64(0) - ((until[0, words - 1] >> np.uint64(62)) & np.uint64(1))
        for k in range(rows):
            r = k if down < 0 else rows - 1 - k
            y, first, end = r + down, min(max(0, -aside), width), max(min(width, width - aside), 0)
            if not 0 <= y < rows:
                first = end = 0
            for j in range(first):
                plane[r, j] = far & some[j]
            for j in range(end, width):
                plane[r, j] = far & some[j]
            if first == end:
                continue
            line, kept = plane[r, first:end], some[first:end]
            there = slice(first + aside, end + aside)
            stop, stay, onto, ahead = until[y, there], unless[y, there], inside[y, there], plane[y, there]
            if down:
                for j in range(len(line)):
                    line[j] = (stop[j] | (~stay[j] & onto[j] & ahead[j])) & kept[j]
            else:  # along the line itself, each cell after the one ahead of it
                for n in range(len(line)):
                    j = n if aside < 0 else len(line) - 1 - n
                    line[j] = (stop[j] | (~stay[j] & onto[j] & ahead[j])) & kept[j]


@compiled
def _at_first_loop(store, values, conditions, starts, sources, targets, masks, nowhere, out):  # type: ignore[no-untyped-def]  # noqa: PLR0913
    top = np.uint64(63)
    words = out.shape[1]
    for i in range(len(conditions)):
        plane, value, row = store[conditions[i]], values[i], out[i]
        lost = np.uint64(0) - (plane[words - 1] >> top)
        for w in range(words):
            row[w] = nowhere[value, w] & lost
        for k in range(starts[value], starts[value + 1]):
            row[targets[k]] |= plane[sources[k]] & masks[k]
