"""Tables of distinct rows of words, in which equal columns and equal planes are merged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from shown.columns import loops
from shown.engine.compilation import compiled
from shown.engine.memory import COPIED, Memory, default_limit, empty, reserve
from shown.engine.planes import Planes
from shown.engine.threads import ONE_THREAD, Gate, Threads

ROW_BY_ROW = 2**30
"""Bytes of columns stored row by row, as trees and covers read them, at a time."""

STEP_WORDS = 2**15
"""Words of rows that a thread takes at a time."""

LITTLE = 2**27
"""Bytes up to which a table grows quickly."""

ALONE = 512
"""Rows that one thread adds before others help: a small table grows often, and then all wait."""

CONSTANT = loops.CONSTANT
"""Number of a row whose bits are all equal."""


class Distinct:
    """An open hash table of distinct rows of words; with `up_to_negation`, of a row and its negation only one is kept.

    Several threads may add rows at once. Their order decides the numbers, until the rows are settled.

    Attributes:
        turned: whether each row is kept with a 1 in the first place of the mask. [count] bool
    """

    def __init__(self, mask: np.ndarray, memory: Memory, what: str, up_to_negation: bool = False) -> None:
        self._mask, self._memory, self._what = mask, memory, what
        # The lowest bit of the mask: a row with a 1 there is looked up as its negation.
        self._lowest = mask[0] & (~mask[0] + np.uint64(1)) if up_to_negation else np.uint64(0)
        self._rows = np.empty((0, len(mask)), dtype=np.uint64)
        self._mixes = np.empty(0, dtype=np.uint64)
        self._turned = np.empty(0, dtype=bool)
        self._table = np.full(1, loops.EMPTY, dtype=np.int32)
        # Rows, and whether one found no room: then all threads pause.
        self._counter = np.zeros(loops.LACKS_ROOM + 1, dtype=np.int64)
        self._room = 0  # rows counted in the memory
        self._gate = Gate()

    def __len__(self) -> int:
        return self._count

    @property
    def _count(self) -> int:
        return int(self._counter[0])

    @property
    def array(self) -> np.ndarray:
        """[count, words] uint64"""
        return self._rows[: self._count]

    @property
    def turned(self) -> np.ndarray:
        return self._turned[: self._count]

    def add(
        self,
        flat: np.ndarray,
        places: np.ndarray,
        chosen: np.ndarray | None = None,
        shifts: np.ndarray | None = None,
        threads: Threads = ONE_THREAD,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the number of each row, new or known, or CONSTANT; and whether it was looked up as its negation.

        Args:
            flat: words that contain those of the rows. [any, any]
            places: indices of the words of a row. [words]
            chosen: line of `flat` that contains each row; by default the lines in order. [n]
            shifts: number added to the places for each row; by default none. [n]
            threads: threads that share the rows.
        """
        chosen = np.arange(len(flat)) if chosen is None else chosen
        shifts = np.zeros(len(chosen), dtype=np.int64) if shifts is None else shifts
        return self._add(loops.add_read, (flat, chosen, shifts, places), len(chosen), len(places), threads)

    def add_firsts(
        self,
        world: Planes,
        planes: np.ndarray,
        values: np.ndarray,
        conditions: np.ndarray,
        shifts: np.ndarray,
        threads: Threads = ONE_THREAD,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Add what planes have at the cells a shift away from the first cell with a value: one bit per state.

        Args:
            world: the states.
            planes: planes. [any, rows, columns, words]
            values, conditions, shifts: number of the value, index of the plane, and shift of each row. [n]
            threads: as for `add`.
        """
        read = (planes.reshape(len(planes), -1), values, conditions, shifts, *world.first_reads)
        return self._add(loops.add_firsts, read, len(values), world.states, threads)

    def add_scans(
        self,
        world: Planes,
        planes: np.ndarray,
        arguments: Sequence[np.ndarray],
        places: np.ndarray,
        threads: Threads = ONE_THREAD,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the same as `add(scan_many(world, planes, *arguments), places)`."""
        flat, inside = planes.reshape(len(planes), -1), world.inside.reshape(-1)
        read = (flat, *arguments, world.shape, inside, np.tile(world.somewhere, world.shape[1]), places)
        return self._add(loops.add_scans, read, len(arguments[0]), len(inside), threads)

    def _add(
        self, loop: Callable[..., None], read: Sequence[Any], count: int, words: int, threads: Threads
    ) -> tuple[np.ndarray, np.ndarray]:
        """Add `count` rows by a loop of all threads; `words` are read for each."""
        ids, flips = np.full(count, loops.FULL, dtype=np.int32), np.empty(count, dtype=np.bool_)
        step = max(1, STEP_WORDS // words)
        for end, helpers in ((ALONE, 1), (count, min(threads.count, -(-count // step)))):
            while (ids[:end] == loops.FULL).any():
                room, cursor = self._room, np.zeros(1, dtype=np.int64)
                arguments = *read, cursor, step, ids[:end], flips[:end]
                threads.map(partial(self._go_through, loop, arguments), range(helpers))
                if self._counter[loops.LACKS_ROOM]:
                    with self._gate.alone():
                        if self._room == room:  # no other thread has made room meanwhile
                            self._make_room()
        return ids, flips

    def _go_through(self, loop: Callable[..., None], arguments: Sequence[Any], _: int) -> None:
        """Call a loop while nobody makes room."""
        self._gate.enter()
        try:
            table = (
                self._mask, self._lowest, self._rows, self._mixes, self._turned, self._table, self._counter, self._room,
            )  # fmt: skip
            loop(table, *arguments)
        finally:
            self._gate.leave()

    def settle(self, start: int, ids: np.ndarray, flips: np.ndarray, threads: Threads = ONE_THREAD) -> np.ndarray:
        """Renumber the rows from `start` on in the order in which `ids` names them, each with the sign met first.

        Returns:
            The new number of each row from `start` on. [count - start] int32
        """
        new = self._count - start
        numbers, signs = np.full(new, -1, dtype=np.int32), np.zeros(new, dtype=np.bool_)
        if not new:
            return numbers
        named = _first_met(ids, flips, start, numbers, signs)
        # Rows of no program (where a budget cuts a block) come last.
        numbers[numbers < 0] = np.arange(start + named, self._count)
        order = np.argsort(numbers)
        negated = signs[order]
        reorder(self._rows[start : self._count], order, negated, self._mask, threads)
        self._mixes[start : self._count] = self._mixes[start : self._count][order]
        self._turned[start : self._count] = negated
        _renumber_table(self._table, self._mixes, start, self._count, order)
        return numbers

    def forget(self) -> None:
        """Drop all rows and release their memory."""
        self._memory.give(self._bytes(self._room))
        self._counter[:] = self._room = 0
        self._rows, self._mixes, self._turned = self._rows[:0].copy(), self._mixes[:0].copy(), self._turned[:0].copy()
        self._table = np.full(1, loops.EMPTY, dtype=np.int32)

    def _make_room(self) -> None:
        """Make room for half as many rows again, and for more while they take little: threads wait meanwhile.

        How much is made depends on the number of rows alone, not on how they came.
        """
        little = min(LITTLE, self._memory.limit // 64) // self._bytes(1)
        room = max(64, min(16 * self._room, little), self._room + self._room // 2)
        self._memory.take(self._bytes(room) - self._bytes(self._room), self._what)
        count = self._count
        self._mixes, self._turned = (roomy(array, count, room - count) for array in (self._mixes, self._turned))
        self._table = np.full(1 << (2 * room - 1).bit_length(), loops.EMPTY, dtype=np.int32)
        fill_table(self._table, self._mixes, count)
        if room > len(self._rows):
            rows = reserve(self._memory.limit // self._bytes(1), len(self._mask), room)
            rows[:count] = self.array
            self._rows = rows
        self._room, self._counter[loops.LACKS_ROOM] = room, 0

    def _bytes(self, room: int) -> int:
        return bytes_of_rows(room, len(self._mask), bool(self._lowest))

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_rows": self.array.copy()}


def bytes_of_rows(count: int, words: int, columns: bool) -> int:
    """Return the size of `count` rows.

    Columns are stored a second time, row by row, for trees and covers; at most ROW_BY_ROW bytes of them at a time.
    """
    taken = 8 * count * words
    return taken + (min(taken, ROW_BY_ROW) if columns else 0) + 40 * count


def roomy(array: np.ndarray, used: int, more: int) -> np.ndarray:
    """Return the array if it has room for `more` elements after the `used` ones; otherwise a longer copy.

    >>> len(roomy(np.arange(10), 10, 1)), len(roomy(np.arange(10), 6, 4))
    (15, 10)
    """
    if used + more <= len(array):
        return array
    longer = empty((max(used + more, len(array) + len(array) // 2), *array.shape[1:]), array.dtype)
    longer[:used] = array[:used]
    return longer


def spacious(array: np.ndarray, used: int, more: int) -> np.ndarray:
    """Return the array, or a longer copy, as `roomy` does; but from COPIED bytes on with much room.

    Such an array takes memory only where it is written, and is rarely copied again.
    """
    least = (max(used + more, len(array) + len(array) // 2) * array.itemsize + 7) // 8
    if used + more <= len(array) or 8 * least <= COPIED:
        return roomy(array, used, more)
    reserved = reserve(max(default_limit() // 16, least), 1, least).reshape(-1).view(array.dtype)
    reserved[:used] = array[:used]
    return reserved


def sparse_table(table: np.ndarray, mixes: np.ndarray, used: int, more: int) -> np.ndarray:
    """Return the hash table, or a longer one, so that it is at most half full with `more` elements."""
    if 2 * (used + more) <= len(table):
        return table
    new = empty((1 << (4 * (used + more)).bit_length(),), np.int32)
    new.fill(-1)
    fill_table(new, mixes, used)
    return new


@compiled
def _first_met(ids, flips, start, numbers, signs):  # type: ignore[no-untyped-def]
    """Number the rows from `start` on in the order in which they are met, and note the sign met first."""
    named = 0
    for i in range(len(ids)):
        k = ids[i] - start
        if k >= 0 and numbers[k] < 0:
            numbers[k] = start + named
            signs[k] = flips[i]
            named += 1
    return named


def reorder(rows: np.ndarray, order: np.ndarray, negated: np.ndarray, mask: np.ndarray, threads: Threads) -> None:
    """Move row order[i] to row i, negated within the mask or not, in place.

    The order is a set of cycles. Threads follow parts of them, after the rows that one takes from another are copied.
    """
    path, first = _cycles(order)
    cuts = np.linspace(0, len(path), min(threads.count, len(path)) + 1).astype(np.int64)
    begun, next_rows = rows[path[first[cuts[:-1]]]], rows[path[np.minimum(cuts[1:], len(path) - 1)]]

    def work(k: int) -> None:
        _move(rows, path, first, cuts[k], cuts[k + 1], begun[k], next_rows[k], negated, mask)

    threads.map(work, range(len(cuts) - 1))


@compiled
def _cycles(order):  # type: ignore[no-untyped-def]
    """Return all places, cycle after cycle, and for each the index there of the first one of its cycle. ([n], [n])"""
    path, first = np.empty(len(order), dtype=np.int64), np.empty(len(order), dtype=np.int64)
    used, seen = 0, np.zeros(len(order), dtype=np.bool_)
    for start in range(len(order)):
        place, begin = start, used
        while not seen[place]:
            seen[place] = True
            path[used], first[used] = place, begin
            used += 1
            place = order[place]
    return path, first


@compiled
def _move(rows, path, first, start, end, begun, next_row, negated, mask):  # type: ignore[no-untyped-def]  # noqa: PLR0913
    """Move each row of a part of the path to the place before it in its cycle, and the first one to the last place.

    `begun` is the first row of the cycle that the part begins in, and `next_row` that after the part.
    """
    kept = np.empty(len(mask), dtype=np.uint64)
    for w in range(len(mask)):
        kept[w] = begun[w]
    for i in range(start, end):
        place, last = path[i], i + 1 == len(path) or first[i + 1] == i + 1
        if first[i] == i:
            if last and not negated[place]:
                continue
            for w in range(len(mask)):
                kept[w] = rows[place, w]
        taken = kept if last else next_row if i + 1 == end else rows[path[i + 1]]
        sign, row = np.uint64(0) - np.uint64(negated[place]), rows[place]
        for w in range(len(mask)):
            row[w] = taken[w] ^ (sign & mask[w])


@compiled
def fill_table(table, mixes, count):  # type: ignore[no-untyped-def]
    """Enter rows by their hashes into an empty table."""
    size = np.uint64(len(table) - 1)
    for k in range(count):
        slot = mixes[k] & size
        while table[slot] >= 0:
            slot = (slot + np.uint64(1)) & size
        table[slot] = k


@compiled
def _renumber_table(table, mixes, start, count, order):  # type: ignore[no-untyped-def]
    """Replace the old numbers by the new ones; `mixes` are in the new order already."""
    size = np.uint64(len(table) - 1)
    slots = np.empty(count - start, dtype=np.int64)
    for new in range(start, count):
        slot = mixes[new] & size
        while table[slot] != start + order[new - start]:
            slot = (slot + np.uint64(1)) & size
        slots[new - start] = slot
    for new in range(start, count):
        table[slots[new - start]] = new
