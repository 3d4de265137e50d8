"""The studio's child processes, seen from the server: ask one something, hear its news, start it again if it dies."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from shown.errors import ShownError

MAX_LINE = 64 * 2**20
PATIENCE = 5
"""A helper that dies this often within a minute stays dead, rather than spinning."""


class HelperDied(ShownError):
    """The child process ended before it answered."""


@dataclass
class _Pending:
    answer: asyncio.Future[dict[str, Any]]
    news: Callable[[dict[str, Any]], None] | None


class Helper:
    """One child process. `start` it, `ask` it, `close` it."""

    def __init__(self, name: str, niceness: int, on_start: Callable[[Helper], None] | None = None) -> None:
        self.name, self.niceness, self.on_start = name, niceness, on_start
        self._process: asyncio.subprocess.Process | None = None
        self._pending: dict[int, _Pending] = {}
        self._count = 0
        self._deaths: list[float] = []
        self._task: asyncio.Task[None] | None = None
        self._closing = False
        self._ready = asyncio.Event()

    async def start(self) -> None:
        """Starts the process and the task that listens to it."""
        self._task = asyncio.create_task(self._live())
        await self._ready.wait()

    async def close(self) -> None:
        """Ends the process."""
        self._closing = True
        self.kill()
        if self._task is not None:
            await self._task

    def kill(self) -> None:
        """Ends the process at once; a fresh one takes its place."""
        if self._process is not None and self._process.returncode is None:
            # Not Process.kill: that collects the status of a dead child before the event loop does, which complains.
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._process.pid, signal.SIGTERM if os.name == "nt" else signal.SIGKILL)

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process is not None else None

    def begin(
        self, do: str, news: Callable[[dict[str, Any]], None] | None = None, /, **request: Any
    ) -> tuple[int, asyncio.Future[dict[str, Any]]]:
        """Sends a request; gives its number (for `stop`) and the answer to come. `news` hears what comes before it."""
        self._count += 1
        number = self._count
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        if not self._send({"id": number, "do": do, **request}):
            answer.set_exception(HelperDied(f"the process that {self.name} has stopped. Try again in a moment."))
        else:
            self._pending[number] = _Pending(answer, news)
        return number, answer

    async def ask(self, do: str, /, **request: Any) -> dict[str, Any]:
        """Sends a request and waits for its answer; if the process dies over it, asks its successor once."""
        try:
            return await self.begin(do, None, **request)[1]
        except HelperDied:
            await self._ready.wait()
            return await self.begin(do, None, **request)[1]

    def stop(self, number: int) -> None:
        """Asks a long request to finish with what it has."""
        self._send({"id": number, "do": "stop"})

    def _send(self, message: dict[str, Any]) -> bool:
        process = self._process
        if process is None or process.returncode is not None or process.stdin is None or process.stdin.is_closing():
            return False
        process.stdin.write(json.dumps(message).encode() + b"\n")
        return True

    async def _live(self) -> None:
        while not self._closing and len([t for t in self._deaths if t > time.monotonic() - 60]) < PATIENCE:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                *("-m", "shown.studio.worker", str(self.niceness)),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                limit=MAX_LINE,
                # Ctrl-C in the terminal is for the server, which then ends its children itself.
                start_new_session=True,
            )
            if self.on_start is not None:
                self.on_start(self)
            self._ready.set()
            with contextlib.suppress(ValueError, ConnectionError):
                await self._listen(self._process)
            self.kill()
            await self._process.wait()
            self._ready.clear()
            self._deaths.append(time.monotonic())
            pending, self._pending = self._pending, {}
            for item in pending.values():
                if not item.answer.done():
                    item.answer.set_exception(HelperDied(f"the process that {self.name} ended unexpectedly."))
                    item.answer.exception()  # looked at, so that nobody waiting is no reason to complain
        self._ready.set()

    async def _listen(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        while line := await process.stdout.readline():
            message = json.loads(line)
            pending = self._pending.get(message["id"])
            if pending is None:
                continue
            if "news" in message:
                if pending.news is not None:
                    pending.news(message["news"])
                continue
            del self._pending[message["id"]]
            if pending.answer.done():
                continue
            if "error" in message:
                pending.answer.set_exception(ShownError(message["error"]))
                pending.answer.exception()
            else:
                pending.answer.set_result(message["answer"])
