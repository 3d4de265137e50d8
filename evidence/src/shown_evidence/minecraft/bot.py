"""The server and the bot, in a child process that exchanges lines of JSON (see node/bot.js)."""

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
from shown_evidence.minecraft import node_packages

START_TIMEOUT, ANSWER_TIMEOUT = 90.0, 60.0  # seconds
GRACE = 3.0  # seconds for the child process to end by itself


class BotSession:
    """A Minecraft server with a bot, on this machine only. It starts when first needed.

    It holds one level at a time. The server and the bot end when the session is closed or garbage-collected, and when
    this process ends.

    Attributes:
        port: the port of the server; 0 for any free one.
        built_for: the owner of the present level.
        joined: whether neighboring fences were connected when last read.
    """

    def __init__(self, port: int = 0) -> None:
        self.port, self.joined = port, True
        self.built_for: object = None
        self._process: subprocess.Popen[bytes] | None = None
        self._end: weakref.finalize | None = None

    def build(self, grid: Grid, owner: object = None) -> Grid:
        """Build a level in place of the present one, and return the grid that the bot reads."""
        self.built_for = owner
        return self._ask(build=list(grid.rows))

    def click(self, cell: Cell) -> Grid:
        """Have the bot place a fence on a cell, if the ground is open, and return the grid that it reads."""
        return self._ask(click=list(cell))

    def close(self) -> None:
        """End the server and the bot."""
        if self._end is not None:
            self._end()
        self._process = self._end = self.built_for = None

    def _ask(self, **order: Any) -> Grid:
        try:
            if self._process is None:
                self._process = self._started()
            _write(self._process.stdin, order)
            answer = self._answer(ANSWER_TIMEOUT)
            self.joined = bool(answer["joined"])
            return Grid(answer["rows"])
        except BaseException:
            self.close()  # its next line would answer another request
            raise

    def _started(self) -> subprocess.Popen[bytes]:
        node = node_packages.find_node()
        environment = {**os.environ, "NODE_PATH": str(node_packages.modules(node)), "NODE_NO_WARNINGS": "1"}
        command = [node.node, str(node_packages.SCRIPTS / "bot.js"), str(self.port)]
        self._log = log = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the process)
        pipe, folder = subprocess.PIPE, tempfile.gettempdir()
        process = node_packages.start(command, stdin=pipe, stdout=pipe, stderr=log, env=environment, cwd=folder)
        self._end = weakref.finalize(self, _stop, process, log)
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        threading.Thread(target=_pump, args=(process.stdout, self._lines), daemon=True).start()
        self._answer(START_TIMEOUT)
        return process

    def _answer(self, seconds: float) -> dict[str, Any]:
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            raise ShownError(f"minecraft: no answer in {seconds:.0f} s. It was stopped; try again.") from None
        answer = _parsed(line) or {"error": f"the bot has stopped{self._last_words()}"}
        if answer.get("code") == "EADDRINUSE":
            raise BadInput(f"minecraft: port {self.port} is in use. Give another, or 0 for any free one.")
        if "error" in answer:
            raise ShownError(f"minecraft: {answer['error']}. Nothing is left running; try again.")
        return answer

    def _last_words(self) -> str:
        """Return its last error message."""
        self._log.seek(0)
        complaint = re.search(r"^\w*Error: .*", self._log.read().decode("utf-8", "replace"), re.MULTILINE)
        return f" ({complaint[0]})" if complaint else ""


def _write(stream: IO[bytes] | None, order: dict[str, Any]) -> None:
    assert stream is not None
    with contextlib.suppress(OSError):  # it has ended; its last message is still to be read
        stream.write(json.dumps(order).encode() + b"\n")
        stream.flush()


def _parsed(line: bytes) -> dict[str, Any]:
    """Return an answer; empty if the line is none, as at the end."""
    try:
        answer = json.loads(line)
    except ValueError:
        return {}
    return answer if isinstance(answer, dict) else {}


def _pump(stream: IO[bytes], lines: queue.SimpleQueue[bytes]) -> None:
    """Queue the lines of a stream; an empty one marks the end."""
    for line in stream:
        lines.put(line)
    lines.put(b"")


def _stop(process: subprocess.Popen[bytes], log: IO[bytes]) -> None:
    assert process.stdin is not None
    with contextlib.suppress(OSError):
        process.stdin.close()  # this tells it to end
    node_packages.stop(process, GRACE)
    log.close()
