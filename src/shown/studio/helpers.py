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
"""A helper that dies this often within a minute is given a rest before it is started again, rather than spinning."""
REST = 10.0


class HelperDied(ShownError):
    """The child process ended before it answered."""


@dataclass
class _Pending:
    message: dict[str, Any]
    answer: asyncio.Future[dict[str, Any]]
    news: Callable[[dict[str, Any]], None] | None
    sent: bool = False


class Helper:
    """One child process. `start` it, `ask` it, `close` it."""

    def __init__(
        self,
        name: str,
        niceness: int,
        on_start: Callable[[Helper], None] | None = None,
        words: tuple[str, ...] = (),
    ) -> None:
        self.name, self.niceness, self.on_start, self.words = name, niceness, on_start, words
        self._process: asyncio.subprocess.Process | None = None
        self._pending: dict[int, _Pending] = {}
        self._count = 0
        self._deaths: list[float] = []
        self._task: asyncio.Task[None] | None = None
        self._closing = False
        self._replacing = False
        self._started = asyncio.Event()

    async def start(self) -> None:
        """Starts the process and the task that listens to it."""
        self._task = asyncio.create_task(self._live())
        await self._started.wait()

    async def close(self) -> None:
        """Ends the process."""
        self._closing = True
        self._end()
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    def replace(self) -> None:
        """Ends the process at once. A fresh one takes its place, and is asked all that somebody still waits for."""
        self._replacing = True
        self._end()

    def _end(self) -> None:
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
        """Sends a request; gives its number (for `stop`) and the answer to come. `news` hears what comes before it.

        Where there is no process just now, the next one gets it.
        """
        self._count += 1
        number = self._count
        pending = _Pending({"id": number, "do": do, **request}, asyncio.get_running_loop().create_future(), news)
        if self._closing:
            self._fail(pending)
            return number, pending.answer
        self._pending[number] = pending
        pending.sent = self._send(pending.message)
        return number, pending.answer

    async def ask(self, do: str, /, **request: Any) -> dict[str, Any]:
        """Sends a request and waits for its answer; if the process dies over it, asks its successor once."""
        try:
            return await self.begin(do, None, **request)[1]
        except HelperDied:
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
        try:
            while not self._closing:
                await self._life()
                if self._replacing:
                    self._pending = {n: pending for n, pending in self._pending.items() if not pending.answer.done()}
                    for pending in self._pending.values():
                        pending.sent = False
                    continue
                for number in [number for number, pending in self._pending.items() if pending.sent]:
                    self._fail(self._pending.pop(number))
                self._deaths = [*(t for t in self._deaths if t > time.monotonic() - 60), time.monotonic()]
                if len(self._deaths) >= PATIENCE:
                    await asyncio.sleep(REST)
        finally:
            for number in list(self._pending):
                self._fail(self._pending.pop(number))

    async def _life(self) -> None:
        """One process, from its start to its end."""
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", "shown.studio.worker", str(self.niceness), *self.words),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=MAX_LINE,
            # Ctrl-C in the terminal is for the server, which then ends its children itself.
            start_new_session=True,
        )
        try:
            self._replacing = False
            waiting = list(self._pending.values())
            if self.on_start is not None:
                self.on_start(self)
            for pending in waiting:
                pending.sent = self._send(pending.message)
            self._started.set()
            with contextlib.suppress(ValueError, ConnectionError):
                await self._listen(self._process)
        finally:
            self._end()
            await self._process.wait()

    def _fail(self, pending: _Pending) -> None:
        if not pending.answer.done():
            pending.answer.set_exception(HelperDied(f"the process that {self.name} ended unexpectedly."))
            pending.answer.exception()  # looked at, so that nobody waiting is no reason to complain

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
