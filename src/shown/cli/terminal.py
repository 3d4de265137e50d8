"""A full-screen terminal: keys and mouse presses as events, lines as output, modes restored on exit."""

from __future__ import annotations

import contextlib
import os
import re
import select
import signal
import sys
import termios
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType
from typing import Any

from shown.errors import ShownError

ENTER = "\x1b[?1049h\x1b[?25l\x1b[?1000h\x1b[?1006h"  # alternate screen, hidden cursor, mouse (SGR)
LEAVE = "\x1b[?1006l\x1b[?1000l\x1b[?25h\x1b[?1049l"

_ARROWS = ("up", "down", "right", "left")
_KEYS = {
    **{f"\x1b{mode}{key}": name for mode in "[O" for key, name in zip("ABCD", _ARROWS, strict=True)},
    "\r": "enter",
    "\n": "enter",
    " ": "space",
    "\x03": "interrupt",
    "\x04": "interrupt",
    "\x1a": "u",
    "\x12": "r",
    "\x19": "r",
}
_SEQUENCE = re.compile(r"\x1b\[<(\d+);(\d+);(\d+)([Mm])|\x1b\[[0-9;?]*[@-~]|\x1bO.|[^\x1b]", re.DOTALL)
_UNFINISHED = re.compile(r"\x1b(\[[<0-9;?]*|O)?")


@dataclass(frozen=True, slots=True)
class Press:
    """A press of the left mouse button on a line and column of the screen, from 0."""

    line: int
    column: int


Event = str | Press
"""A key's name ("up", "enter", "space", "interrupt", …), a typed character, or a mouse press."""


def decode(data: str) -> tuple[list[Event], str]:
    """Return the events in what a terminal sent, and the rest of an incomplete sequence.

    >>> decode("q\\x1b[A\\x1b[<0;5;3M\\x1b[")
    (['q', 'up', Press(line=2, column=4)], '\\x1b[')
    """
    events: list[Event] = []
    while data:
        match = _SEQUENCE.match(data)
        if match is None:
            if _UNFINISHED.fullmatch(data):
                break
            # An escape that starts no known sequence, such as the Escape key pressed before another key.
            events.append("escape")
            data = data[1:]
            continue
        data = data[match.end() :]
        if match[1] is not None:
            if match[1] == "0" and match[4] == "M":
                events.append(Press(int(match[3]) - 1, int(match[2]) - 1))
        elif match[0] in _KEYS:
            events.append(_KEYS[match[0]])
        elif not match[0].startswith("\x1b") and match[0].isprintable():
            events.append(match[0])
    return events, data


class Screen:
    """The whole terminal for the duration of a `with` block."""

    def __init__(self) -> None:
        self._undo = contextlib.ExitStack()
        self._rest = ""

    def __enter__(self) -> Screen:
        for stream, name in ((sys.stdin, "stdin"), (sys.stdout, "stdout")):
            if not stream.isatty():
                raise ShownError(f"playing needs a terminal, but {name} is not one. In the browser: shown studio.")
        with contextlib.ExitStack() as undo:
            fd = sys.stdin.fileno()
            before = termios.tcgetattr(fd)
            undo.callback(termios.tcsetattr, fd, termios.TCSADRAIN, before)
            undo.callback(_write, LEAVE)
            for number in (signal.SIGTERM, signal.SIGHUP):
                undo.callback(signal.signal, number, signal.signal(number, _leave))
            quiet: list[Any] = termios.tcgetattr(fd)
            # Read keys one by one without echo, Ctrl-C and Ctrl-Z included, so that neither leaves the modes set.
            quiet[0] &= ~(termios.ICRNL | termios.IXON)
            quiet[3] &= ~(termios.ICANON | termios.ECHO | termios.ISIG | termios.IEXTEN)
            quiet[6][termios.VMIN], quiet[6][termios.VTIME] = 1, 0
            termios.tcsetattr(fd, termios.TCSADRAIN, quiet)
            _write(ENTER)
            self._undo = undo.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._undo.close()

    @property
    def size(self) -> tuple[int, int]:
        """Number of lines and columns."""
        columns, lines = os.get_terminal_size(sys.stdout.fileno())
        return lines or 24, columns or 80

    def draw(self, lines: list[str]) -> None:
        """Replace the contents of the screen."""
        _write("\x1b[H" + "\x1b[K\n".join(lines) + "\x1b[K\x1b[J")

    def wait(self, redraw: Callable[[], None]) -> list[Event]:
        """Wait for the next events, and call `redraw` whenever the window changes its size."""
        fd, size = sys.stdin.fileno(), self.size
        while True:
            ready, _, _ = select.select([fd], [], [], 0.05 if self._rest else 0.25)
            if ready:
                data = os.read(fd, 4096)
                if not data:
                    return ["interrupt"]
                events, self._rest = decode(self._rest + data.decode("utf-8", "replace"))
                if events:
                    return events
            elif self._rest:
                # Nothing follows, so this was the Escape key.
                self._rest = ""
                return ["escape"]
            elif self.size != size:
                size = self.size
                redraw()


def wants_color() -> bool:
    """Whether standard output is a terminal with colors, and NO_COLOR is not set."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def _leave(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)
