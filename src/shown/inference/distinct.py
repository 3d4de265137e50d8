"""Rows of words, each kept once: the hash table in which equal columns and equal planes meet."""

from __future__ import annotations

from typing import Any

import numpy as np

from shown.compiled import compiled
from shown.memory import Account, reserve

ROW_BY_ROW = 2**30
"""Bytes of columns that may lie row by row, as trees read them, at a time."""

CONSTANT = -1
"""Stands for the number of a row whose bits are all alike."""


class Distinct:
    """Rows of words, each kept once (and, `up_to_negation`, either it or its negation), in an open hash table.

    Attributes:
        turned: whether each row is kept with a 1 in the first place of the mask. [count] bool
    """

    def __init__(self, mask: np.ndarray, account: Account, what: str, up_to_negation: bool = False) -> None:
        self._mask, self._account, self._what = mask, account, what
        # The lowest row: a row of words that has a 1 there is looked up as its negation.
        self._lowest = mask[0] & (~mask[0] + np.uint64(1)) if up_to_negation else np.uint64(0)
        self._rows = np.empty((0, len(mask)), dtype=np.uint64)
        self._mixes = np.empty(0, dtype=np.uint64)
        self._turned = np.empty(0, dtype=bool)
        self._table = np.full(1, -1, dtype=np.int32)
        self._count = 0
        self._room = 0  # how many rows the account knows of

    def __len__(self) -> int:
        return self._count

    @property
    def array(self) -> np.ndarray:
        """[count, words] uint64"""
        return self._rows[: self._count]

    @property
    def turned(self) -> np.ndarray:
        return self._turned[: self._count]

    def add(self, flat: np.ndarray, places: np.ndarray, advice: str) -> tuple[np.ndarray, np.ndarray]:
        """The number of each row, new or known, or CONSTANT; and whether it was looked up as its negation.

        Args:
            flat: words among which the rows' are. [n, any]
            places: where the words of a row are. [words]
            advice: what to do if there is no room.
        """
        self._make_room(len(flat), advice)
        ids = np.empty(len(flat), dtype=np.int32)
        flips = np.empty(len(flat), dtype=np.bool_)
        self._count = _insert(
            flat, places, self._mask, self._lowest, self._rows, self._mixes, self._turned, self._table, self._count,
            ids, flips,
        )  # fmt: skip
        return ids, flips

    def settle(self, start: int, ids: np.ndarray, flips: np.ndarray) -> np.ndarray:
        """Numbers the rows from `start` on in the order in which `ids` names them, each with the sign met first.

        Returns:
            The new number of each row from `start` on. [count - start] int32
        """
        new = self._count - start
        numbers = np.full(new, -1, dtype=np.int32)
        if not new:
            return numbers
        signs = np.zeros(new, dtype=np.bool_)
        named = _first_met(ids, flips, start, numbers, signs)
        # Rows that no program has (where a budget cuts a block) come last.
        numbers[numbers < 0] = np.arange(start + named, self._count)
        order = np.argsort(numbers)
        _reorder(self._rows[start : self._count], order.copy(), signs[order], self._mask)
        self._mixes[start : self._count] = self._mixes[start : self._count][order]
        self._turned[start : self._count] = signs[order]
        _renumber_table(self._table, self._mixes, start, self._count, order)
        return numbers

    def forget(self) -> None:
        """Lets all rows go, and the memory they took."""
        self._account.held -= self._bytes(self._room)
        self._count = self._room = 0
        self._rows, self._mixes, self._turned = self._rows[:0].copy(), self._mixes[:0].copy(), self._turned[:0].copy()
        self._table = np.full(1, -1, dtype=np.int32)

    def _make_room(self, more: int, advice: str) -> None:
        needed = self._count + more
        if needed > self._room:
            room = max(64, needed, self._room + self._room // 2)
            self._account.take(self._bytes(room) - self._bytes(self._room), self._what, advice)
            self._room = room
            self._mixes = _grown(self._mixes, self._count, room)
            self._turned = _grown(self._turned, self._count, room)
            self._table = np.full(1 << (2 * room - 1).bit_length(), -1, dtype=np.int32)
            _fill_table(self._table, self._mixes, self._count)
        if needed > len(self._rows):
            rows = reserve(self._account.limit // self._bytes(1), len(self._mask), self._room)
            rows[: self._count] = self.array
            self._rows = rows

    def _bytes(self, room: int) -> int:
        return bytes_of_rows(room, len(self._mask), bool(self._lowest))

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_rows": self.array.copy()}


def bytes_of_rows(count: int, words: int, columns: bool) -> int:
    """What so many rows take. Those that are columns lie a second time in the trees' memory, row by row: so many of
    them as may at a time."""
    taken = 8 * count * words
    return taken + (min(taken, ROW_BY_ROW) if columns else 0) + 40 * count


def _grown(array: np.ndarray, used: int, length: int) -> np.ndarray:
    """A longer array with the same beginning."""
    grown = np.empty((length, *array.shape[1:]), dtype=array.dtype)
    grown[:used] = array[:used]
    return grown


@compiled
def _insert(flat, places, mask, lowest, rows, mixes, turned, table, count, ids, flips):  # type: ignore[no-untyped-def]
    """Looks rows up and adds the new ones; a 64-bit mix is a first sieve, then words are compared."""
    words, size = len(mask), np.uint64(len(table) - 1)
    row = np.empty(words, dtype=np.uint64)
    for i in range(len(flat)):
        flip = (flat[i, places[0]] & lowest) != np.uint64(0)
        sign = np.uint64(0) - np.uint64(flip)
        mix, some = np.uint64(0x9E3779B97F4A7C15), np.uint64(0)
        for w in range(words):
            x = (flat[i, places[w]] ^ sign) & mask[w]
            row[w] = x
            some |= x
            mix = (mix ^ x) * np.uint64(0xFF51AFD7ED558CCD)
            mix ^= mix >> np.uint64(32)
        flips[i] = flip
        if lowest != np.uint64(0) and some == np.uint64(0):
            ids[i] = -1
            continue
        slot = mix & size
        while True:
            k = table[slot]
            if k < 0:
                table[slot] = count
                mixes[count] = mix
                turned[count] = False
                rows[count] = row
                ids[i] = count
                count += 1
                break
            if mixes[k] == mix:
                known = np.uint64(0) - np.uint64(turned[k])
                same = True
                for w in range(words):
                    if ((rows[k, w] ^ known) & mask[w]) != row[w]:
                        same = False
                        break
                if same:
                    ids[i] = k
                    break
            slot = (slot + np.uint64(1)) & size
    return count


@compiled
def _first_met(ids, flips, start, numbers, signs):  # type: ignore[no-untyped-def]
    """Numbers the rows from `start` on in the order in which they are met, and notes the sign met first."""
    named = 0
    for i in range(len(ids)):
        k = ids[i] - start
        if k >= 0 and numbers[k] < 0:
            numbers[k] = start + named
            signs[k] = flips[i]
            named += 1
    return named


@compiled
def _reorder(rows, order, negated, mask):  # type: ignore[no-untyped-def]
    """Puts at place i the row from order[i], negated or not, without a second copy of them all; uses up `order`."""
    kept = np.empty_like(mask)
    for start in range(len(order)):
        if order[start] < 0:
            continue
        kept[:] = rows[start]
        place = start
        while True:
            source = order[place]
            order[place] = -1
            sign = np.uint64(0) - np.uint64(negated[place])
            taken = kept if source == start else rows[source]
            for w in range(len(mask)):
                rows[place, w] = taken[w] ^ (sign & mask[w])
            if source == start:
                break
            place = source


@compiled
def _fill_table(table, mixes, count):  # type: ignore[no-untyped-def]
    size = np.uint64(len(table) - 1)
    for k in range(count):
        slot = mixes[k] & size
        while table[slot] >= 0:
            slot = (slot + np.uint64(1)) & size
        table[slot] = k


@compiled
def _renumber_table(table, mixes, start, count, order):  # type: ignore[no-untyped-def]
    """Puts the rows' new numbers where the old ones stood; `mixes` are in the new order already."""
    size = np.uint64(len(table) - 1)
    slots = np.empty(count - start, dtype=np.int64)
    for new in range(start, count):
        slot = mixes[new] & size
        while table[slot] != start + order[new - start]:
            slot = (slot + np.uint64(1)) & size
        slots[new - start] = slot
    for new in range(start, count):
        table[slots[new - start]] = new
