"""News for the pages: one stream of server-sent events for each page that listens."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

MAX_QUEUED = 256  # a page that is slower than this loses the oldest event
KEEP_ALIVE_SECONDS = 15


def event_of(name: str, data: dict[str, Any]) -> bytes:
    """Return a server-sent event."""
    return f"event: {name}\ndata: {json.dumps(data)}\n\n".encode()


class NewsFeed:
    """Events for every page that listens."""

    def __init__(self) -> None:
        self._listeners: set[asyncio.Queue[bytes | None]] = set()
        self.closed = False

    def publish(self, event: str, data: dict[str, Any]) -> None:
        self._put(event_of(event, data))

    async def listen(self) -> AsyncIterator[bytes]:
        queue: asyncio.Queue[bytes | None] = asyncio.Queue(MAX_QUEUED)
        self._listeners.add(queue)
        try:
            yield b"retry: 1000\n\n"
            while not self.closed:
                try:
                    message = await asyncio.wait_for(queue.get(), KEEP_ALIVE_SECONDS)
                except TimeoutError:
                    message = b": still here\n\n"
                if message is None:
                    return
                yield message
        finally:
            self._listeners.discard(queue)

    def close(self) -> None:
        self.closed = True
        self._put(None)

    def _put(self, message: bytes | None) -> None:
        for listener in self._listeners:
            if listener.full():
                listener.get_nowait()
            listener.put_nowait(message)
