"""Reading and writing JSON files with care: nothing half-written, nothing hostile believed."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any

from shown.errors import BadInput

MAX_BYTES = 64 * 2**20
MAX_DEPTH = 64


def read_json(path: str | Path, what: str) -> Any:
    """The JSON value in a file, or BadInput saying why it cannot be read."""
    path = Path(path)
    try:
        if path.stat().st_size > MAX_BYTES:
            raise BadInput(f"{path}: larger than {MAX_BYTES // 2**20} MiB, which no {what} file needs to be.")
        text = path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        raise BadInput(f"{path}: no such file. Give the path of a {what} file.") from None
    except IsADirectoryError:
        raise BadInput(f"{path}: is a folder. Give the path of a {what} file.") from None
    except UnicodeDecodeError:
        raise BadInput(f"{path}: not text in UTF-8, so not a {what} file.") from None
    except OSError as error:
        raise BadInput(f"{path}: cannot be read ({error.strerror}).") from None
    return parse_json(text, str(path))


def parse_json(text: str, where: str) -> Any:
    """The JSON value in `text`. Too deep, too large, repeated keys or not JSON at all: BadInput.

    >>> parse_json('{"a": [1]}', "example")
    {'a': [1]}
    """
    try:
        value = json.loads(text, object_pairs_hook=_unique_keys, parse_constant=_no_constant)
    except RecursionError:
        raise BadInput(f"{where}: nested too deeply to be meant.") from None
    except ValueError as error:
        raise BadInput(f"{where}: not valid JSON ({error}).") from None
    if _depth_exceeds(value, MAX_DEPTH):
        raise BadInput(f"{where}: nested too deeply to be meant.")
    return value


def write_json(path: str | Path, value: Any) -> None:
    """Writes JSON through a temporary file, so that a reader never meets half of it."""
    write_bytes(path, (json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode())


def write_bytes(path: str | Path, data: bytes) -> None:
    """Writes a file whole or not at all."""
    path = Path(path)
    temporary = None
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except OSError as error:
        if temporary is not None:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
        raise BadInput(f"{path}: cannot be written ({error.strerror}). Nothing was changed.") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        raise ValueError("a key is given twice")
    return result


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number here")


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
