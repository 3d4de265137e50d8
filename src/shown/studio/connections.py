"""Limits on idle connections.

A connection is idle while the server is not answering a complete request on it: before the first request, between two,
or with half of one sent. Idle connections cost a client nothing, so a stranger could hold every one the system allows.
Therefore an idle connection is closed after a while, and sooner if its place is needed. uvicorn has neither limit: its
`timeout_keep_alive` starts after the first answer, and its `limit_concurrency` refuses newcomers, not idlers.
"""

from __future__ import annotations

import asyncio
import resource
from collections import Counter
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

IDLE_SECONDS = 10.0
MAX_OPEN = 1024  # or half of the files this process may open, if that is less


class ConnectionPool:
    """The open connections of a server. When it is full, the peer with the most idle connections loses its oldest.

    Connections have a `peer` and can `abort`.
    """

    def __init__(self, max_open: int = MAX_OPEN) -> None:
        self.max_open = max_open
        self._open: set[Any] = set()
        self._idle: dict[Any, None] = {}  # in the order in which they became idle

    def open(self, connection: Any) -> None:
        """Add an idle connection. If every other one is busy and there is no room, it is aborted."""
        self._open.add(connection)
        self._idle[connection] = None
        if len(self._open) > self.max_open:
            (peer, _), *_ = Counter(idle.peer for idle in self._idle).most_common(1)
            oldest = next(idle for idle in self._idle if idle.peer == peer)
            self.close(oldest)
            oldest.abort()

    def set_idle(self, connection: Any) -> None:
        """Mark a connection as idle. More of the same half request makes it no younger."""
        if connection in self._open:
            self._idle.setdefault(connection)

    def set_busy(self, connection: Any) -> None:
        self._idle.pop(connection, None)

    def close(self, connection: Any) -> None:
        self._idle.pop(connection, None)
        self._open.discard(connection)


def max_open() -> int:
    """Return how many connections may be open, so that files and child processes can still be."""
    allowed = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return MAX_OPEN if allowed == resource.RLIM_INFINITY else max(16, min(MAX_OPEN, allowed // 2))


class LimitedProtocol(H11Protocol):
    """uvicorn's HTTP protocol with its connections in a pool, each idle for a limited time."""

    pool: ConnectionPool
    idle_seconds: float
    peer = ""
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.peer = self.client[0] if self.client else ""
        self.pool.open(self)
        self._update()

    def data_received(self, data: bytes) -> None:
        if not self.transport.is_closing():
            super().data_received(data)
            self._update()

    def handle_events(self) -> None:
        super().handle_events()
        if self.transport.is_closing() and self.cycle is not None:
            # The rest of the request was not HTTP, so the connection is closed: nobody is left to answer.
            self.cycle.disconnected = True

    def send_400_response(self, msg: str) -> None:
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            super().send_400_response(msg)
        else:  # the answer was sent before the rest of the request came, which is not HTTP
            self.transport.close()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._update()

    def connection_lost(self, exc: Exception | None) -> None:
        self.pool.close(self)
        self._stop_timer()
        super().connection_lost(exc)

    def abort(self) -> None:
        self._stop_timer()
        self.transport.abort()

    def _update(self) -> None:
        if self.cycle is not None and not self.cycle.response_complete:
            self.pool.set_busy(self)
            self._stop_timer()
        elif not self.transport.is_closing():
            self.pool.set_idle(self)
            self._timer = self._timer or self.loop.call_later(self.idle_seconds, self.abort)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def protocol(pool: ConnectionPool, idle_seconds: float = IDLE_SECONDS) -> type[asyncio.Protocol]:
    """Return uvicorn's HTTP protocol with its connections in `pool`, each idle for at most `idle_seconds`."""
    return type("PooledProtocol", (LimitedProtocol,), {"pool": pool, "idle_seconds": idle_seconds})
