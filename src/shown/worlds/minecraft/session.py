"""The server and the bot, in processes of their own, talked to in lines of JSON (see node/bot.js)."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import re
import subprocess
import tempfile
import threading
import weakref
from typing import IO, Any

from shown.errors import BadInput, ShownError
from shown.grid import Cell, Grid
from shown.worlds.minecraft import parts
from shown.worlds.minecraft.processes import GRACE, start, stop

TO_START, TO_ANSWER = 90.0, 60.0
"""Seconds after which nothing more is expected."""


class Session:
    """A Minecraft world with a bot in it, on this machine and for nobody else. It starts when it is first needed.

    One level stands in it at a time. When the session is closed, or nobody holds it any more, or this process
    ends in whatever way, the server and the bot end, too.

    Attributes:
        port: where the server listens; 0 for any port that is free.
        built_for: whose level stands there, by whatever mark they gave.
        joined: whether, when last seen, each fence reached for those beside it.
    """

    def __init__(self, port: int = 0, say: parts.Say = parts.say) -> None:
        self.port, self.joined, self._say = port, True, say
        self.built_for: object = None
        self._process: subprocess.Popen[bytes] | None = None
        self._end: weakref.finalize | None = None

    def build(self, grid: Grid, whose: object = None) -> Grid:
        """Builds a level in place of the one that stands there; what the bot sees then."""
        self.built_for = whose
        return self._ask(build=list(grid.rows))

    def click(self, cell: Cell) -> Grid:
        """Has the bot put a fence on a cell, which it can only where the ground is open; what it sees then."""
        return self._ask(click=list(cell))

    def close(self) -> None:
        """Ends the server and the bot."""
        if self._end is not None:
            self._end()
        self._process = self._end = self.built_for = None

    def _ask(self, **order: Any) -> Grid:
        try:
            if self._process is None:
                self._start()
            assert self._process is not None
            _write(self._process.stdin, order)
            answer = self._answer(TO_ANSWER)
            self.joined = bool(answer["joined"])
            return Grid(answer["rows"])
        except BaseException:
            self.close()  # whatever went wrong, what it says next would be the answer to something else
            raise

    def _start(self) -> None:
        node = parts.find_node()
        environment = {**os.environ, "NODE_PATH": str(parts.modules(node, self._say)), "NODE_NO_WARNINGS": "1"}
        self._log = log = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the process)
        pipe = subprocess.PIPE
        command = [node.node, str(parts.SCRIPTS / "bot.js"), str(self.port)]
        self._process = start(command, stdin=pipe, stdout=pipe, stderr=log, env=environment, cwd=tempfile.gettempdir())
        self._end = weakref.finalize(self, _stop, self._process, log)
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        threading.Thread(target=_pump, args=(self._process.stdout, self._lines), daemon=True).start()
        self._answer(TO_START)

    def _answer(self, seconds: float) -> dict[str, Any]:
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            raise ShownError(f"minecraft: no answer in {seconds:.0f} s. It was stopped; try again.") from None
        answer = _parsed(line) or {"error": f"the bot has stopped{self._last_words()}"}
        if answer.get("code") == "EADDRINUSE":
            raise BadInput(f"minecraft: port {self.port} is in use. Give another, minecraft:PORT, or none, minecraft.")
        if "error" in answer:
            raise ShownError(f"minecraft: {answer['error']}. Nothing is left running; try again.")
        return answer

    def _last_words(self) -> str:
        """What it complained of."""
        self._log.seek(0)
        complaint = re.search(r"^\w*Error: .*", self._log.read().decode("utf-8", "replace"), re.MULTILINE)
        return f" ({complaint[0]})" if complaint else ""


def _write(stream: IO[bytes] | None, order: dict[str, Any]) -> None:
    assert stream is not None
    with contextlib.suppress(OSError):  # it has ended, and its last words are still to be read
        stream.write(json.dumps(order).encode() + b"\n")
        stream.flush()


def _parsed(line: bytes) -> dict[str, Any]:
    """An answer; nothing if it is none, as at the end."""
    try:
        answer = json.loads(line)
    except ValueError:
        return {}
    return answer if isinstance(answer, dict) else {}


def _pump(stream: IO[bytes], lines: queue.SimpleQueue[bytes]) -> None:
    """Hands on line by line; an empty one is the end."""
    while True:
        line = stream.readline()
        lines.put(line)
        if not line:
            return


def _stop(process: subprocess.Popen[bytes], log: IO[bytes]) -> None:
    assert process.stdin is not None
    with contextlib.suppress(OSError):
        process.stdin.close()  # which it takes for the end
    stop(process, GRACE)
    log.close()
