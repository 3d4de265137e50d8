"""The server's end of a child process that answers requests in lines of JSON (`worker.py` is the other end)."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from shown.errors import BadInput, ShownError

MAX_LINE = 64 * 2**20
MAX_DEATHS = 5  # a process that dies this often within a minute rests before it is started again
REST_SECONDS = 10.0

News = Callable[[dict[str, Any]], None]


class ChildDied(ShownError):
    """The child process ended before it answered."""


class Background(set[asyncio.Task[None]]):
    """Tasks that nobody waits for, kept until they are done."""

    def run(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self.add(task)
        task.add_done_callback(self.discard)

    def cancel(self) -> None:
        for task in self:
            task.cancel()


@dataclass
class _Pending:
    message: dict[str, Any]
    answer: asyncio.Future[dict[str, Any]]
    news: News | None
    sent: bool = False


class ChildProcess:
    """A child process that starts with its first request, and again whenever it ends. `ask` it, `close` it.

    Args:
        name: what the process does, for error messages: "the process that NAME ended unexpectedly".
        niceness: added to that of the server.
        on_start: called with this object whenever a process was started, before it gets any other request.
        words: further arguments of the worker.

    Attributes:
        ready: set once the present process has given an answer.
    """

    def __init__(
        self,
        name: str,
        niceness: int,
        on_start: Callable[[ChildProcess], object] | None = None,
        words: tuple[str, ...] = (),
    ) -> None:
        self.name, self.niceness, self.on_start, self.words = name, niceness, on_start, words
        self.ready = asyncio.Event()
        self._process: asyncio.subprocess.Process | None = None
        self._pending: dict[int, _Pending] = {}
        self._count = 0
        self._deaths: list[float] = []
        self._task: asyncio.Task[None] | None = None
        self._closing = False
        self._replacing = False

    def start(self) -> None:
        """Start the process without a request, unless it has started."""
        self._task = self._task or asyncio.create_task(self._live())

    async def close(self) -> None:
        """End the process."""
        self._closing = True
        self._end()
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    def replace(self) -> None:
        """End the process at once. The next one gets every request that somebody still waits for."""
        self._replacing = True
        self._end()

    def _end(self) -> None:
        if self._process is not None and self._process.returncode is None:
            # Not Process.kill: that collects the status of a dead child before the event loop does, which complains.
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._process.pid, signal.SIGKILL)

    @property
    def loaded(self) -> bool:
        """Whether the present process is alive and has given an answer, so that the next one comes at once."""
        return self.ready.is_set() and self._writer() is not None

    def begin(self, do: str, news: News | None = None, /, **request: Any) -> tuple[int, asyncio.Future[dict[str, Any]]]:
        """Send a request, and return its number (for `stop`) and its future answer.

        `news` gets what the process reports before it answers. If no process is running, the next one gets the request.
        """
        self._count += 1
        number = self._count
        pending = _Pending({"id": number, "do": do, **request}, asyncio.get_running_loop().create_future(), news)
        if self._closing:
            self._fail(pending)
            return number, pending.answer
        self.start()
        self._pending[number] = pending
        pending.sent = self._send(pending.message)
        return number, pending.answer

    async def ask(self, do: str, /, **request: Any) -> dict[str, Any]:
        """Send a request and return its answer. If the process dies meanwhile, its successor is asked, once."""
        try:
            return await self.begin(do, None, **request)[1]
        except ChildDied:
            return await self.begin(do, None, **request)[1]

    def stop(self, number: int) -> None:
        """Ask a long request to finish with what it has."""
        self._send({"id": number, "do": "stop"})

    def _send(self, message: dict[str, Any]) -> bool:
        writer = self._writer()
        if writer is None:
            return False
        writer.write(json.dumps(message).encode() + b"\n")
        return True

    def _writer(self) -> asyncio.StreamWriter | None:
        """Return the pipe to the process; None while there is no process, or it has ended."""
        process = self._process
        if process is None or process.returncode is not None or process.stdin is None or process.stdin.is_closing():
            return None
        return process.stdin

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
                if len(self._deaths) >= MAX_DEATHS:
                    await asyncio.sleep(REST_SECONDS)
        finally:
            for number in list(self._pending):
                self._fail(self._pending.pop(number))

    async def _life(self) -> None:
        """Run one process from its start to its end."""
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
            with contextlib.suppress(ValueError, ConnectionError):
                await self._listen(self._process)
        finally:
            self.ready.clear()
            self._end()
            await self._process.wait()

    def _fail(self, pending: _Pending) -> None:
        if not pending.answer.done():
            pending.answer.set_exception(ChildDied(f"the process that {self.name} ended unexpectedly."))
            pending.answer.exception()  # retrieved, because it is no fault if nobody waits for the answer

    async def _listen(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        while line := await process.stdout.readline():
            message = json.loads(line)
            pending = self._pending.get(message["id"])
            if "news" not in message:
                self.ready.set()
                self._pending.pop(message["id"], None)
            if pending is None or pending.answer.done():
                continue
            if "news" in message:
                if pending.news is not None:
                    pending.news(message["news"])
            elif "error" in message:
                kind = BadInput if message.get("bad_input") else ShownError
                pending.answer.set_exception(kind(message["error"]))
                pending.answer.exception()
            else:
                pending.answer.set_result(message["answer"])
