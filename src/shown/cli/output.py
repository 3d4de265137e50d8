"""Output shared by the commands: data on standard output, messages on standard error, files."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from shown.errors import BadInput, printable

_INVISIBLE_RANGES = ((0x7F, 0x9F), (0x200B, 0x200F), (0x2028, 0x202E), (0x2060, 0x206F), (0xFEFF, 0xFEFF))
_ESCAPES = {code: f"\\u{code:04x}" for first, last in _INVISIBLE_RANGES for code in range(first, last + 1)}
"""JSON escapes of characters that JSON allows but a terminal may obey or hide."""


def say(text: str) -> None:
    """Print a message on standard error, with control characters escaped."""
    print("\n".join(map(printable, text.split("\n"))), file=sys.stderr, flush=True)


def print_json(value: Any) -> None:
    """Print JSON on standard output, in ASCII if the stream cannot encode every character."""
    utf8 = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    print(json.dumps(value, ensure_ascii=not utf8, indent=1).translate(_ESCAPES))


def count(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> count(1, "click"), count(2, "demonstration")
    ('1 click', '2 demonstrations')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def check_writable(path: str | None) -> None:
    """Raise BadInput if a file cannot be written, before a long run rather than after it."""
    if not path:
        return
    folder = Path(path).parent
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        pass  # a new file
    except OSError as error:
        raise BadInput(f"{path}: cannot be written ({error.strerror}). Nothing was changed.") from None
    if os.path.isdir(path):
        raise BadInput(f"{path}: is a folder. Give the name of a file.")
    if not os.path.isdir(folder):
        raise BadInput(f"{path}: there is no folder {folder}. Make it first.")
    if not os.access(folder, os.W_OK) or (os.path.exists(path) and not os.access(path, os.W_OK)):
        raise BadInput(f"{path}: cannot be written (permission denied).")


@contextlib.contextmanager
def sigterm_interrupts() -> Iterator[None]:
    """Treat SIGTERM like Ctrl-C inside the block: stop and keep the best result so far."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
