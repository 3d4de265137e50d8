"""Reading and writing JSON files with care: nothing half-written, nothing hostile believed."""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
import re
import secrets
import stat
import time
from pathlib import Path
from typing import Any

from shown.errors import BadInput

MAX_BYTES = 64 * 2**20
MAX_DEPTH = 64
LEFTOVER_AFTER = 3600.0
"""Seconds after which nobody is still writing a temporary file."""
_LEFTOVER = re.compile(r"\.shown-[A-Za-z0-9_]{4,32}\.(tmp|html)")
_HALF_PAIR = re.compile(r"\\u[dD][89a-fA-F]")


def read_json(path: str | Path, what: str, limit: int | None = None) -> Any:
    """The JSON value in a file of at most `limit` bytes, or BadInput saying why it cannot be read."""
    return parse_json(read_text(path, what, limit), str(path))


def read_text(path: str | Path, what: str, limit: int | None = None) -> str:
    """The text in a file of at most `limit` bytes, or BadInput saying why it cannot be read."""
    path, limit = Path(path), limit or MAX_BYTES
    try:
        # Some files, such as /dev/zero, are longer than they say.
        with path.open("rb") as file:
            data = file.read(limit + 1)
        if len(data) > limit:
            raise BadInput(f"{path}: larger than {limit // 2**20} MiB, which no {what} file needs to be.")
        return data.decode("utf-8")
    except FileNotFoundError:
        raise BadInput(f"{path}: no such file. Give the path of a {what} file.") from None
    except IsADirectoryError:
        raise BadInput(f"{path}: is a folder. Give the path of a {what} file.") from None
    except UnicodeDecodeError:
        raise BadInput(f"{path}: not text in UTF-8, so not a {what} file.") from None
    except OSError as error:
        raise BadInput(f"{path}: cannot be read ({error.strerror}).") from None
    except ValueError:
        raise BadInput(f"{str(path)!r}: cannot be the name of a file.") from None


def parse_json(text: str, where: str) -> Any:
    """The JSON value in `text`. Too deep, numbers too large, repeated keys or not JSON at all: BadInput.

    >>> parse_json('{"a": [1]}', "example")
    {'a': [1]}
    """
    try:
        value = json.loads(text, object_pairs_hook=_unique_keys, parse_constant=_no_constant, parse_float=_finite)
    except RecursionError:
        raise BadInput(f"{where}: nested too deeply to be meant.") from None
    except ValueError as error:
        raise BadInput(f"{where}: not valid JSON ({error}).") from None
    if _depth_exceeds(value, MAX_DEPTH):
        raise BadInput(f"{where}: nested too deeply to be meant.")
    if _HALF_PAIR.search(text) and not _is_text(value):
        raise BadInput(f"{where}: half of a surrogate pair is not a character.")
    return value


def write_json(path: str | Path, value: Any, limit: int | None = None) -> None:
    """Writes JSON through a temporary file, so that a reader never meets half of it."""
    write_bytes(path, encode_json(value, str(path), limit))


def encode_json(value: Any, where: str, limit: int | None = None) -> bytes:
    """A JSON value as the content of a file; BadInput if `read_json` would refuse that file for its size."""
    return encode_text(json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False), where, limit)


def encode_text(text: str, where: str, limit: int | None = None) -> bytes:
    """Text as the content of a file, with the end of its last line; BadInput if that would be too large to be read."""
    data, limit = f"{text}\n".encode(), limit or MAX_BYTES
    if len(data) > limit:
        raise BadInput(
            f"{where}: would be larger than {limit // 2**20} MiB, so it could not be read again. "
            "Nothing was changed; keep less in one file."
        )
    return data


def write_bytes(path: str | Path, data: bytes) -> None:
    """Writes a file whole or not at all. Links stay links; pipes and devices, such as /dev/stdout, are written to."""
    path = Path(path)
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            path.write_bytes(data)
            return
        target = os.path.realpath(path)
        replace_file(target, data)
        _remove_leftovers(target)
    except OSError as error:
        raise BadInput(f"{path}: cannot be written ({error.strerror}). Nothing was changed.") from None
    except ValueError:
        raise BadInput(f"{str(path)!r}: cannot be the name of a file.") from None


def replace_file(name: str, data: bytes, dir_fd: int | None = None) -> None:
    """Puts a new file in the place of `name`, or of nothing, with the mode of the old one. No link is followed.

    `name` is in the folder whose descriptor is `dir_fd`, if one is given. A process that is killed meanwhile leaves a
    file that `is_leftover` knows.
    """
    temporary = os.path.join(os.path.dirname(name), f"{_leftover_prefix(name)}{secrets.token_hex(8)}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    handle = os.open(temporary, flags, 0o666, dir_fd=dir_fd)
    try:
        with os.fdopen(handle, "wb") as file:
            with contextlib.suppress(FileNotFoundError):
                mode = os.stat(name, dir_fd=dir_fd, follow_symlinks=False).st_mode
                if stat.S_ISREG(mode) and hasattr(os, "fchmod"):
                    os.fchmod(file.fileno(), mode & 0o777)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, name, src_dir_fd=dir_fd, dst_dir_fd=dir_fd)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=dir_fd)
        raise


def is_leftover(name: str) -> bool:
    """Whether a file of this name can only be what a killed process left behind.

    >>> is_leftover(".shown-4a0c1f5e7d2b9386.tmp"), is_leftover("policy.json")
    (True, False)
    """
    return _LEFTOVER.fullmatch(name) is not None


def _leftover_prefix(name: str) -> str:
    """How the temporary files begin through which `name` is written."""
    return f".shown-{hashlib.sha256(os.fsencode(os.path.basename(name))).hexdigest()[:8]}"


def _remove_leftovers(name: str) -> None:
    """Removes what was left behind where this same file was being written by a process that was killed.

    Another one may be writing it right now, so what is fresh stays.
    """
    with contextlib.suppress(OSError), os.scandir(os.path.dirname(name)) as entries:
        for entry in entries:
            if entry.name.startswith(_leftover_prefix(name)) and is_leftover(entry.name):
                with contextlib.suppress(OSError):
                    if time.time() - entry.stat(follow_symlinks=False).st_mtime > LEFTOVER_AFTER:
                        os.unlink(entry.path)


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        raise ValueError("a key is given twice")
    return result


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number here")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{text[:20]} is too large a number")
    return number


def _is_text(value: Any) -> bool:
    """Whether all text in a JSON value can be written again."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _depth_exceeds(value: Any, limit: int) -> bool:
    layer = [value]
    for _ in range(limit):
        layer = [
            child
            for item in layer
            if isinstance(item, list | dict)
            for child in (item.values() if isinstance(item, dict) else item)
        ]
        if not layer:
            return False
    return True
