"""Spoiling what is right: values, texts and bytes that are nearly good."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

TEXTS = (
    *("", " ", "\x00", "\n", "\r\n", "\x1b[31mred\x1b[0m", "\x1b]0;owned\x07", "\u202eright to left", "\u200b", "é"),
    *("\ud800", "\U0010ffff", "😀", "../../etc/passwd", "/dev/zero", "CON", "a" * 300, "%s%n{0}", "<script>x</script>"),
    *("__proto__", "__class__", "'; DROP TABLE trials; --", "$(id)", "-", "--help", "train:0", "random:0", "OFF"),
    *("nim", "chase", "not ", "NaN", "1e999", "0x10", "١٢", "²"),
)
NUMBERS = (0, -1, 1, 2, 63, 64, 65, 4096, 4097, 2**31, 2**53, 2**63 - 1, 2**63, 10**20, 10**400, -(10**20))
FLOATS = (0.0, -0.0, 0.5, 1.0, 1e-308, 1e300, 1e308, -1e308, 0.1 + 0.2, 1 + 1e-7)
OTHERS = (None, True, False, [], {}, [[]], [None], {"": None}, [0, 0], [[0, 0]], [[[[[[[[[[]]]]]]]]]])


def value(rng: random.Random) -> Any:
    """Something that a field was not made for."""
    kind = rng.randrange(10)
    if kind < 3:
        return rng.choice(TEXTS)
    if kind < 5:
        return rng.choice(NUMBERS)
    if kind < 6:
        return rng.choice(FLOATS)
    if kind < 9:
        return copy.deepcopy(rng.choice(OTHERS))
    return _deep(rng.choice((10, 63, 64, 200)))


def damaged(rng: random.Random, sound: Any, times: int | None = None) -> Any:
    """A copy of a JSON value with a few parts of it, however deep inside, changed, gone, doubled or exchanged."""
    box = [copy.deepcopy(sound)]
    for _ in range(rng.choice((1, 1, 1, 2, 3)) if times is None else times):
        _damage(rng, box)
    return box[0]


def text(rng: random.Random, sound: str) -> str:
    """A text with something cut out, put in or said twice."""
    at, end = sorted(rng.randint(0, len(sound)) for _ in range(2))
    kind = rng.randrange(5)
    if kind == 0:
        return sound[:at] + rng.choice(TEXTS) + sound[at:]
    if kind == 1:
        return sound[:at] + sound[end:]
    if kind == 2:
        return sound[:end] + sound[at:end] * rng.choice((1, 2, 50)) + sound[end:]
    if kind == 3 and at < len(sound):
        return sound[:at] + chr(rng.choice((ord(sound[at]) ^ 1, 32, 65, 0x2028, 0x1F600))) + sound[at + 1 :]
    return sound[:at] + str(rng.choice(NUMBERS)) + sound[end:]


def spoilt(rng: random.Random, sound: bytes) -> bytes:
    """Bytes with some flipped, cut off, put in or said twice."""
    data = bytearray(sound)
    for _ in range(rng.choice((1, 1, 2, 8))):
        at = rng.randint(0, max(0, len(data) - 1))
        kind = rng.randrange(5)
        if kind == 0 and data:
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            data[at:at] = rng.randbytes(rng.choice((1, 2, 16)))
        elif kind == 2:
            del data[at : at + rng.choice((1, 2, 100))]
        elif kind == 3:
            data[at:at] = data[at : at + rng.choice((1, 10, 1000))]
        else:
            del data[at:]
    return bytes(data)


def as_file(rng: random.Random, sound: Any) -> bytes:
    """The content of a file: a JSON value as it is, damaged, or written down badly."""
    kind = rng.randrange(10)
    good = sound if kind == 0 else damaged(rng, sound)
    # Half of a pair of surrogates is no text; as an escape it is JSON all the same.
    written = json.dumps(good, ensure_ascii=rng.random() < 0.5).encode("utf-8", "surrogatepass")
    if kind == 1:
        return spoilt(rng, written)
    if kind == 2:
        return rng.choice(
            (
                b"",
                b"\xef\xbb\xbf" + written,
                written * 2,
                b"[" * 100_000,
                b"\xff\xfe",
                written.decode().encode("utf-16"),
            )
            if b"\xed" not in written
            else (b"", written * 2)
        )
    return written


def _damage(rng: random.Random, box: list[Any]) -> None:
    holder: Any = box
    key: Any = 0
    while isinstance(holder[key], list | dict) and holder[key] and rng.random() < 0.85:
        holder = holder[key]
        key = rng.choice(sorted(holder)) if isinstance(holder, dict) else rng.randrange(len(holder))
    kind = rng.randrange(8)
    here = holder[key]
    if kind == 0 and holder is not box:
        del holder[key]
    elif kind == 1 and isinstance(here, str):
        holder[key] = text(rng, here)
    elif kind == 2 and isinstance(here, list):
        holder[key] = here * rng.choice((2, 3, 70))
    elif kind == 3 and isinstance(holder, list):
        holder.insert(key, copy.deepcopy(here))
    elif kind == 4 and isinstance(holder, dict):
        holder[rng.choice(TEXTS)] = holder.pop(key)
    elif kind == 5 and isinstance(holder, dict):
        other = rng.choice(sorted(holder))
        holder[key], holder[other] = holder[other], holder[key]
    elif kind == 6 and isinstance(here, int | float) and not isinstance(here, bool):
        holder[key] = rng.choice((-here, here + 1, here - 1, here * 2, here // 3, here * 10**9))
    else:
        holder[key] = value(rng)


def _deep(depth: int) -> Any:
    inner: Any = 0
    for i in range(depth):
        inner = [inner] if i % 2 else {"a": inner}
    return inner
