"""The kernels of `kernels.cu` on NumPy arrays, for tests without a GPU.

Each loop is the body of a kernel. Threads run one after another, the last first, so that rows reach the table in
another order than that of their places, as on a GPU.
"""

from __future__ import annotations

import numpy as np

from shown.columns.device import HashTable, LookupRows
from shown.engine.compilation import compiled


class Twin:
    """`Cuda` without a device."""

    arrays = np
    faults: tuple[type[Exception], ...] = ()

    def __init__(self, bytes: int = 2**26) -> None:
        self._bytes = bytes

    def memory(self) -> int:
        return self._bytes

    def put(self, array: np.ndarray) -> np.ndarray:
        return array

    def fetch(self, array: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        if out is None:
            return array
        out[:] = array
        return out

    def tidy(self) -> None:
        pass

    def shift(self, store: np.ndarray, offsets: np.ndarray, conditions: np.ndarray) -> np.ndarray:
        out = np.empty((len(conditions), *store.shape[1:]), dtype=np.uint64)
        rows, columns, words = store.shape[1:]
        _shift(store.reshape(len(store), -1), offsets, conditions, rows, columns, words, out.reshape(len(out), -1))
        return out

    def scan(
        self,
        store: np.ndarray,
        offsets: np.ndarray,
        untils: np.ndarray,
        unlesses: np.ndarray,
        inside: np.ndarray,
        somewhere: np.ndarray,
    ) -> np.ndarray:
        out = np.empty((len(untils), *store.shape[1:]), dtype=np.uint64)
        rows, columns, words = store.shape[1:]
        _scan(
            store.reshape(len(store), -1), offsets, untils, unlesses, inside.reshape(-1), somewhere, rows, columns,
            words, out.reshape(len(out), -1),
        )  # fmt: skip
        return out

    def at_first(self, store: np.ndarray, values: np.ndarray, conditions: np.ndarray, first: np.ndarray) -> np.ndarray:
        out = np.zeros((len(conditions), store.shape[3]), dtype=np.uint64)
        _at_first(store.reshape(len(store), -1, store.shape[3]), values, conditions, first, out)
        return out

    def fingerprint(self, flat: np.ndarray, places: np.ndarray, mask: np.ndarray, lowest: np.uint64) -> LookupRows:
        mixes = np.empty(len(flat), dtype=np.uint64)
        flips, zeros = np.empty(len(flat), dtype=bool), np.empty(len(flat), dtype=bool)
        _fingerprint(flat, places, mask, lowest, mixes, flips, zeros)
        return LookupRows(flat, places, mask, lowest, mixes, flips, zeros)

    def meet(self, rows: LookupRows, table: HashTable) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        n = len(rows.flat)
        met, lead, slots = np.empty(n, dtype=np.int32), np.arange(n, dtype=np.int32), np.empty(n, dtype=np.uint64)
        _meet(
            rows.flat, rows.places, rows.mask, rows.lowest, rows.mixes, rows.flips, rows.zeros, table.rows, table.mixes,
            table.slots, met, lead, slots,
        )  # fmt: skip
        return met, lead, slots

    def keep(self, rows: LookupRows, slots: np.ndarray, leaders: np.ndarray, start: int, table: HashTable) -> None:
        new = slice(start, start + len(leaders))
        signs = np.where(rows.flips[leaders], ~np.uint64(0), np.uint64(0))
        table.rows[new] = (rows.flat[leaders][:, rows.places] ^ signs[:, None]) & rows.mask
        table.mixes[new] = rows.mixes[leaders]
        table.slots[slots[leaders]] = np.arange(start, new.stop)

    def enter(self, table: HashTable, count: int) -> None:
        _enter(table.mixes, count, table.slots)

    def first_place(self, ids: np.ndarray, start: int, first: np.ndarray) -> None:
        places = np.flatnonzero(ids >= start)
        np.minimum.at(first, ids[places] - start, places.astype(np.int32))

    def signed_rows(self, rows: np.ndarray, numbers: np.ndarray, turned: np.ndarray, mask: np.ndarray) -> np.ndarray:
        return rows[numbers] ^ np.where(turned[:, None], mask, np.uint64(0))


@compiled
def _shift(store, offsets, conditions, rows, columns, words, out):  # type: ignore[no-untyped-def]
    top = np.uint64(1) << np.uint64(63)
    for i in range(len(out)):
        dr, dc = offsets[i, 0], offsets[i, 1]
        plane = store[conditions[i]]
        last = plane[words - 1]
        beyond = np.uint64(0) - ((last >> np.uint64(62)) & np.uint64(1))
        stride = (dr * columns + dc) * words
        for t in range(rows * columns * words):
            cell = t // words
            y, x = cell // columns + dr, cell % columns + dc
            if 0 <= y < rows and 0 <= x < columns:
                out[i, t] = plane[t + stride]
            else:
                out[i, t] = (beyond & ~top) | (last & top) if t % words == words - 1 else beyond


@compiled
def _scan(store, offsets, untils, unlesses, inside, somewhere, rows, columns, words, out):  # type: ignore[no-untyped-def]
    for i in range(len(out)):
        dr, dc = offsets[i, 0], offsets[i, 1]
        until, unless = store[untils[i]], store[unlesses[i]]
        beyond = np.uint64(0) - ((until[words - 1] >> np.uint64(62)) & np.uint64(1))
        high, wide = min(abs(dr), rows), min(abs(dc), columns)
        stride = (dr * columns + dc) * words
        for t in range((high * columns + (rows - high) * wide) * words):
            end, w = t // words, t % words
            if end < high * columns:
                r, c = end // columns, end % columns
                if dr > 0:
                    r += rows - high
            else:
                end -= high * columns
                r, c = end // wide, end % wide
                if dr < 0:
                    r += high
                if dc > 0:
                    c += columns - wide
            value = beyond & somewhere[w]
            at = (r * columns + c) * words + w
            out[i, at] = value
            r, c = r - dr, c - dc
            while 0 <= r < rows and 0 <= c < columns:
                value = (until[at] | (~unless[at] & inside[at] & value)) & somewhere[w]
                at -= stride
                out[i, at] = value
                r, c = r - dr, c - dc


@compiled
def _at_first(store, values, conditions, first, out):  # type: ignore[no-untyped-def]
    words = out.shape[1]
    for i in range(len(out)):
        plane = store[conditions[i]]
        nowhere = plane[0, words - 1] >> np.uint64(63)
        for slot in range(64 * words):
            place = first[values[i], slot]
            at = np.uint64(slot & 63)
            bit = np.uint64(0)
            if place >= 0:
                bit = (plane[place, slot >> 6] >> at) & np.uint64(1)
            elif place == -1:
                bit = nowhere
            out[i, slot >> 6] |= bit << at


@compiled
def _fingerprint(flat, places, mask, lowest, mixes, flips, zeros):  # type: ignore[no-untyped-def]
    for i in range(len(flat)):
        flip = (flat[i, places[0]] & lowest) != np.uint64(0)
        sign = np.uint64(0) - np.uint64(flip)
        mix, some = np.uint64(0), np.uint64(0)
        for w in range(len(mask)):
            x = (flat[i, places[w]] ^ sign) & mask[w]
            some |= x
            x += np.uint64(w + 1) * np.uint64(0x9E3779B97F4A7C15)
            x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            mix += x ^ (x >> np.uint64(31))
        mixes[i], flips[i], zeros[i] = mix, flip, some == np.uint64(0)


@compiled
def _meet(  # type: ignore[no-untyped-def]
    flat, places, mask, lowest, mixes, flips, zeros, known, known_mixes, table, met, lead, slot_of
):
    last = np.uint64(len(table) - 1)
    for back in range(len(flat)):
        i = len(flat) - 1 - back
        if lowest != np.uint64(0) and zeros[i]:
            met[i] = -1
            continue
        sign = np.uint64(0) - np.uint64(flips[i])
        slot = mixes[i] & last
        while True:
            k = table[slot]
            if k == -1:
                table[slot] = met[i] = -2 - i
                slot_of[i] = slot
                break
            j = -2 - k
            if (known_mixes[k] if k >= 0 else mixes[j]) == mixes[i]:
                turned = np.uint64(0) - np.uint64(k < 0 and flips[j])
                differ = False
                for w in range(len(mask)):
                    other = known[k, w] if k >= 0 else (flat[j, places[w]] ^ turned) & mask[w]
                    differ |= ((flat[i, places[w]] ^ sign) & mask[w]) != other
                if not differ:
                    met[i] = k
                    if k < 0:
                        lead[j] = min(lead[j], i)
                    break
            slot = (slot + np.uint64(1)) & last


@compiled
def _enter(known_mixes, count, table):  # type: ignore[no-untyped-def]
    last = np.uint64(len(table) - 1)
    for k in range(count):
        slot = known_mixes[k] & last
        while table[slot] != -1:
            slot = (slot + np.uint64(1)) & last
        table[slot] = k
