"""Compiled loops that compute rows of words and add them to a table of distinct rows (see `distinct.py`).

All threads call the same loop, and each takes the next rows until none is left. So threads wait neither for Python nor
for memory: a call has one row and one plane of its own. The loops stand in one file with the loop that they call:
compiled code is renewed when its own file changes.

Arguments of every loop are a table, what the rows are computed from, and:

* cursor: the next row that no thread has taken; shared by the threads. [1] int64
* step: rows that a thread takes at a time.
* ids, flips: results; a row is computed where its id is FULL, and FULL remains if there is no room. [n] int32, bool

A table is a tuple: mask [words] uint64, its lowest bit or 0 (see `Distinct`), rows [any, words] uint64, their hashes
[any] uint64, whether each is stored negated [any] bool, slots of the hash table [power of two] int32, the number of
rows and, at LACKS_ROOM, whether one found no room [17] int64, and the number of rows for which there is room.
"""

from __future__ import annotations

import numpy as np

from shown.engine import atomics
from shown.engine.compilation import compiled

CONSTANT = -1
"""Number of a row whose bits are all equal."""

EMPTY, TAKEN = -1, -2
"""Slots of the table without a row, and with one that is being written."""

TOUCH_EVERY = 2**17
"""Words of new rows after which the memory of later rows is touched; half a page."""

AHEAD = 4
"""How far ahead it is touched, in such steps."""

LACKS_ROOM = 16
"""Place in the counter of the flag that a row found no room: in another cache line than the number of rows."""

FULL = -3
"""Number of a row that is not added yet, since there was no room."""


@compiled
def look_up(row, table):  # type: ignore[no-untyped-def]  # noqa: C901
    """Return the number of a row, which is added if it is new; or CONSTANT; or FULL.

    A 64-bit hash is compared first, then all words. A new row takes its slot, is written, and only then gets a number,
    so that other threads wait for it.
    """
    mask, lowest, rows, mixes, turned, slots, counter, room = table
    words, size = len(mask), np.uint64(len(slots) - 1)
    mix, some, key = np.uint64(0), np.uint64(0), np.uint64(0)
    for w in range(words):
        x = row[w]
        some |= x
        # A sum of products, not a chain of them: the processor computes several at a time.
        key += np.uint64(0x9E3779B97F4A7C15)
        mix += (x ^ (x >> np.uint64(32))) * (key | np.uint64(1))
    mix = (mix ^ (mix >> np.uint64(32))) * np.uint64(0xFF51AFD7ED558CCD)
    mix ^= mix >> np.uint64(32)
    if lowest != np.uint64(0) and some == np.uint64(0):
        return CONSTANT
    slot = mix & size
    while True:
        k = atomics.load(slots, slot)
        if k == EMPTY:
            if not atomics.replace(slots, slot, EMPTY, TAKEN):
                continue
            new = atomics.add(counter, 0, 1)
            if new >= room:
                atomics.add(counter, 0, -1)
                atomics.store(slots, slot, EMPTY)
                atomics.store(counter, LACKS_ROOM, 1)
                return FULL
            step = max(1, TOUCH_EVERY // words)
            if new % step == 0 and new + AHEAD * step < room:
                # The system gives a page of 2 MiB to whoever writes there first. One thread has it given in time;
                # otherwise all threads come to it at once, and each clears one.
                atomics.replace(rows[new + AHEAD * step], 0, np.uint64(0), np.uint64(0))
            mixes[new] = mix
            turned[new] = False
            kept = rows[new]
            for w in range(words):
                kept[w] = row[w]
            atomics.store(slots, slot, new)
            return new
        if k == TAKEN:
            continue
        if mixes[k] == mix:
            known = np.uint64(0) - np.uint64(turned[k])
            kept, differ = rows[k], np.uint64(0)
            for w in range(words):
                differ |= ((kept[w] ^ known) & mask[w]) ^ row[w]
            if differ == np.uint64(0):
                return k
        slot = (slot + np.uint64(1)) & size


@compiled
def add_read(table, flat, chosen, shifts, places, cursor, step, ids, flips):  # type: ignore[no-untyped-def]  # noqa: PLR0913
    """Add the rows of `Distinct.add`."""
    mask, lowest, full = table[0], table[1], table[6]
    row = np.empty(len(mask), dtype=np.uint64)
    while True:
        start = atomics.add(cursor, 0, step)
        if start >= len(ids):
            return
        for i in range(start, min(start + step, len(ids))):
            if ids[i] != FULL or atomics.load(full, LACKS_ROOM):
                continue
            line, shift = flat[chosen[i]], shifts[i]
            flip = (line[places[0] + shift] & lowest) != np.uint64(0)
            sign = np.uint64(0) - np.uint64(flip)
            for w in range(len(mask)):
                row[w] = (line[np.uint64(places[w] + shift)] ^ sign) & mask[w]
            ids[i], flips[i] = look_up(row, table), flip


@compiled
def add_firsts(  # type: ignore[no-untyped-def]  # noqa: PLR0913
    table, flat, values, chosen, shifts, starts, sources, targets, masks, nowhere, cursor, step, ids, flips
):
    """Add the rows of `Distinct.add_firsts`.

    The reads of a value are those of `planes.at_first_many`.
    """
    mask, full = table[0], table[6]
    row = np.empty(len(mask), dtype=np.uint64)
    while True:
        start = atomics.add(cursor, 0, step)
        if start >= len(ids):
            return
        for i in range(start, min(start + step, len(ids))):
            if ids[i] != FULL or atomics.load(full, LACKS_ROOM):
                continue
            line, value, shift = flat[chosen[i]], values[i], shifts[i]
            lost = np.uint64(0) - (line[len(row) - 1] >> np.uint64(63))
            for w in range(len(row)):
                row[w] = nowhere[value, w] & lost
            for k in range(starts[value], starts[value + 1]):
                row[targets[k]] |= line[np.uint64(sources[k] + shift)] & masks[k]
            for w in range(len(row)):
                row[w] &= mask[w]
            ids[i], flips[i] = look_up(row, table), False


@compiled
def add_scans(table, flat, offsets, untils, unlesses, shape, inside, line, places, cursor, step, ids, flips):  # type: ignore[no-untyped-def]  # noqa: PLR0913
    """Add the rows of `Distinct.add_scans`: of flattened planes of a shape.

    `line` has a 1 for each state but *nowhere*. [columns × words]
    """
    mask, lowest, full = table[0], table[1], table[6]
    row, out = np.empty(len(mask), dtype=np.uint64), np.empty(len(inside), dtype=np.uint64)
    while True:
        start = atomics.add(cursor, 0, step)
        if start >= len(ids):
            return
        for i in range(start, min(start + step, len(ids))):
            if ids[i] != FULL or atomics.load(full, LACKS_ROOM):
                continue
            _scan(flat[untils[i]], flat[unlesses[i]], offsets[i, 0], offsets[i, 1], shape, inside, line, out)
            flip = (out[places[0]] & lowest) != np.uint64(0)
            sign = np.uint64(0) - np.uint64(flip)
            for w in range(len(mask)):
                row[w] = (out[np.uint64(places[w])] ^ sign) & mask[w]
            ids[i], flips[i] = look_up(row, table), flip


@compiled
def _scan(until, unless, dr, dc, shape, inside, line, out):  # type: ignore[no-untyped-def]  # noqa: PLR0913
    """Write a plane of `planes.scan_many`. [rows × columns × words]"""
    rows, columns, words = shape
    wide = columns * words
    shift = dr * wide + dc * words
    far = np.uint64(0) - ((until[words - 1] >> np.uint64(62)) & np.uint64(1))
    first, end = min(max(0, -dc), columns) * words, max(min(columns, columns - dc), 0) * words
    for k in range(rows):
        r = k if dr < 0 else rows - 1 - k
        here = r * wide
        if not 0 <= r + dr < rows or first >= end:
            for x in range(wide):
                out[here + x] = far & line[x]
            continue
        for x in range(first):
            out[here + x] = far & line[x]
        for x in range(end, wide):
            out[here + x] = far & line[x]
        # Words that need no others of their own line: all of it, or as many as one step has.
        step = end - first if dr != 0 else max(1, abs(dc)) * words
        for done in range(0, end - first, step):
            x = first + done if dr != 0 or dc < 0 else max(first, end - done - step)
            many = min(step, end - first - done)
            ahead = here + x + shift
            target, before, shown = out[here + x : here + x + many], out[ahead : ahead + many], line[x : x + many]
            stop, stay, on = until[ahead : ahead + many], unless[ahead : ahead + many], inside[ahead : ahead + many]
            for j in range(many):
                target[j] = (stop[j] | (~stay[j] & on[j] & before[j])) & shown[j]
