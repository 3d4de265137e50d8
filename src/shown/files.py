"""JSON files, written atomically and validated on reading."""

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
"""Age in seconds at which a temporary file counts as abandoned."""
_LEFTOVER = re.compile(r"\.shown-[A-Za-z0-9_]{4,32}\.(tmp|html)")
_HALF_PAIR = re.compile(r"\\u[dD][89a-fA-F]")


def read_json(path: str | Path, what: str, limit: int | None = None) -> Any:
    """Return the JSON value in a file of at most `limit` bytes; raise BadInput if it cannot be read."""
    return parse_json(read_text(path, what, limit), str(path))


def read_text(path: str | Path, what: str, limit: int | None = None) -> str:
    """Return the text in a file of at most `limit` bytes; raise BadInput if it cannot be read."""
    path, limit = Path(path), limit or MAX_BYTES
    try:
        # Some files, such as /dev/zero, are longer than the size they report.
        with path.open("rb") as file:
            data = file.read(limit + 1)
        if len(data) > limit:
            raise BadInput(f"{path}: larger than {limit // 2**20} MiB, the limit for a {what} file.")
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
        raise BadInput(f"{str(path)!r}: not a valid file name.") from None


def parse_json(text: str, where: str) -> Any:
    """Return the JSON value in `text`; raise BadInput for invalid JSON, repeated keys, huge numbers or deep nesting.

    >>> parse_json('{"a": [1]}', "example")
    {'a': [1]}
    """
    try:
        value = json.loads(text, object_pairs_hook=_unique_keys, parse_constant=_no_constant, parse_float=_finite)
    except RecursionError:
        raise BadInput(f"{where}: nested too deeply.") from None
    except ValueError as error:
        raise BadInput(f"{where}: not valid JSON ({error}).") from None
    if _depth_exceeds(value, MAX_DEPTH):
        raise BadInput(f"{where}: nested too deeply.")
    if _HALF_PAIR.search(text) and not _is_text(value):
        raise BadInput(f"{where}: half of a surrogate pair is not a character.")
    return value


def write_json(path: str | Path, value: Any, limit: int | None = None) -> None:
    """Write a JSON file atomically."""
    write_bytes(path, encode_json(value, str(path), limit))


def encode_json(value: Any, where: str, limit: int | None = None) -> bytes:
    """Return a JSON value as file content; raise BadInput if it exceeds the size that `read_json` accepts."""
    return encode_text(json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False), where, limit)


def encode_text(text: str, where: str, limit: int | None = None) -> bytes:
    """Return text as file content, newline included; raise BadInput if it exceeds the size that `read_text` accepts."""
    data, limit = f"{text}\n".encode(), limit or MAX_BYTES
    if len(data) > limit:
        raise BadInput(
            f"{where}: would be larger than {limit // 2**20} MiB, the limit for reading it again. "
            "Nothing was changed; store less in one file."
        )
    return data


def write_bytes(path: str | Path, data: bytes) -> None:
    """Write a file atomically. A link keeps pointing to its target; pipes and devices are written directly."""
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
        raise BadInput(f"{str(path)!r}: not a valid file name.") from None


def replace_file(name: str, data: bytes, dir_fd: int | None = None, durable: bool = True) -> None:
    """Create or replace the file `name` atomically, keeping the mode of the old file. Follows no link.

    A process that is killed meanwhile leaves a temporary file that `is_leftover` recognizes.

    Args:
        name: path of the file, relative to `dir_fd` if given.
        data: new content.
        dir_fd: descriptor of the folder that contains the file.
        durable: wait until it would survive a power failure, which takes tens of milliseconds.
    """
    temporary = os.path.join(os.path.dirname(name), f"{_leftover_prefix(name)}{secrets.token_hex(8)}.tmp")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666, dir_fd=dir_fd)
    try:
        with os.fdopen(handle, "wb") as file:
            with contextlib.suppress(FileNotFoundError):
                mode = os.stat(name, dir_fd=dir_fd, follow_symlinks=False).st_mode
                if stat.S_ISREG(mode):
                    os.fchmod(file.fileno(), mode & 0o777)
            file.write(data)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        os.replace(temporary, name, src_dir_fd=dir_fd, dst_dir_fd=dir_fd)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=dir_fd)
        raise
    if durable:
        _sync_folder(os.path.dirname(name) or ".", dir_fd)


def _sync_folder(folder: str, dir_fd: int | None) -> None:
    """Flush a folder's entries to disk, so that a rename survives a crash; some file systems cannot."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY, dir_fd=dir_fd)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def is_leftover(name: str) -> bool:
    """Return whether a file of this name is a temporary file that a killed process left behind.

    >>> is_leftover(".shown-4a0c1f5e7d2b9386.tmp"), is_leftover("policy.json")
    (True, False)
    """
    return _LEFTOVER.fullmatch(name) is not None


def _leftover_prefix(name: str) -> str:
    """Return the prefix of the temporary files for `name`."""
    return f".shown-{hashlib.sha256(os.fsencode(os.path.basename(name))).hexdigest()[:8]}"


def _remove_leftovers(name: str) -> None:
    """Remove old temporary files for `name`. Fresh ones stay: another process may be writing them."""
    with contextlib.suppress(OSError), os.scandir(os.path.dirname(name)) as entries:
        for entry in entries:
            if entry.name.startswith(_leftover_prefix(name)) and is_leftover(entry.name):
                with contextlib.suppress(OSError):
                    if time.time() - entry.stat(follow_symlinks=False).st_mtime > LEFTOVER_AFTER:
                        os.unlink(entry.path)


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        raise ValueError("duplicate key")
    return result


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"number {text[:20]} is too large")
    return number


def _is_text(value: Any) -> bool:
    """Return whether all text in a JSON value can be encoded as UTF-8."""
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
