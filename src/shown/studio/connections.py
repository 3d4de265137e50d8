"""Connections: how long one may keep the studio waiting, and how many may wait at once.

A connection waits while it has no complete request that is being answered: before its first, between two, or with half
of one sent. That costs a client nothing, so a stranger could hold as many as the system has, and nobody else would get
in. So waiting ends after a while; and when one too many wait, the one that has waited longest makes room. Whoever sends
a request at once is never among those, and a browser whose idle connection was closed opens another.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any, Protocol

from uvicorn.protocols.http.h11_impl import H11Protocol

PATIENCE = 10.0
"""Seconds that a connection may wait."""
MAX_WAITING = 128
"""Connections of one peer that may wait."""
MAX_OPEN = 512
"""Connections in all, or half of what the system allows this process if that is less."""


class Connection(Protocol):
    """What the crowd must know of a connection."""

    @property
    def peer(self) -> str: ...
    def drop(self) -> None: ...


class Crowd:
    """The connections of a server: who waits, since when, and whether there is room.

    >>> from dataclasses import dataclass
    >>> @dataclass(eq=False)
    ... class Visitor:
    ...     peer: str
    ...     dropped: bool = False
    ...     def drop(self):
    ...         self.dropped = True
    >>> crowd, visitors = Crowd(max_waiting=1), [Visitor("a"), Visitor("b"), Visitor("a")]
    >>> for visitor in visitors:
    ...     crowd.enters(visitor)
    ...     crowd.waits(visitor)
    >>> [visitor.dropped for visitor in visitors]
    [True, False, False]
    """

    def __init__(self, max_waiting: int = MAX_WAITING, max_open: int = MAX_OPEN) -> None:
        self.max_waiting, self.max_open = max_waiting, max_open
        self._open: set[Connection] = set()
        self._waiting: dict[Connection, None] = {}  # in the order in which they began to wait
        self._of_peer: Counter[str] = Counter()

    def enters(self, connection: Connection) -> None:
        """A connection is made. If there is no room for it, the longest waiting one goes, or else it goes itself."""
        self._open.add(connection)
        if len(self._open) > self.max_open:
            self._drop(next(iter(self._waiting), connection))

    def waits(self, connection: Connection) -> None:
        """A connection begins to wait. If too many of its peer do, the longest waiting of those goes."""
        if connection not in self._open or connection in self._waiting:
            return
        self._waiting[connection] = None
        self._of_peer[connection.peer] += 1
        if self._of_peer[connection.peer] > self.max_waiting:
            self._drop(next(other for other in self._waiting if other.peer == connection.peer))

    def served(self, connection: Connection) -> None:
        """A connection has sent a request that is being answered."""
        if connection in self._waiting:
            del self._waiting[connection]
            self._of_peer[connection.peer] -= 1
            if not self._of_peer[connection.peer]:
                del self._of_peer[connection.peer]

    def leaves(self, connection: Connection) -> None:
        """A connection is gone."""
        self.served(connection)
        self._open.discard(connection)

    def _drop(self, connection: Connection) -> None:
        self.leaves(connection)
        connection.drop()


def max_open() -> int:
    """How many connections may be open, so that files and child processes can still be."""
    try:
        import resource
    except ModuleNotFoundError:
        return MAX_OPEN
    allowed = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return MAX_OPEN if allowed == resource.RLIM_INFINITY else max(16, min(MAX_OPEN, allowed // 2))


def protocol(crowd: Crowd, patience: float = PATIENCE) -> type[asyncio.Protocol]:
    """The protocol of a server whose connections are `crowd`, for uvicorn."""

    class Patient(H11Protocol):
        """HTTP with an end to waiting."""

        peer = ""
        _timer: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self.peer = self.client[0] if self.client else ""
            crowd.enters(self)
            self._look()

        def data_received(self, data: bytes) -> None:
            if not self.transport.is_closing():
                super().data_received(data)
                self._look()

        def handle_events(self) -> None:
            super().handle_events()
            if self.transport.is_closing() and self.cycle is not None:
                # Half of a request was no HTTP, so it was hung up on: nobody is left to answer.
                self.cycle.disconnected = True

        def on_response_complete(self) -> None:
            super().on_response_complete()
            self._look()

        def connection_lost(self, exc: Exception | None) -> None:
            crowd.leaves(self)
            self._stop_timer()
            super().connection_lost(exc)

        def drop(self) -> None:
            """Ends the connection without a word."""
            self._stop_timer()
            self.transport.abort()

        def _look(self) -> None:
            """Takes notice of whether this connection waits now. More of the same half request changes nothing."""
            if self.cycle is not None and not self.cycle.response_complete:
                crowd.served(self)
                self._stop_timer()
            elif not self.transport.is_closing():
                crowd.waits(self)
                if self._timer is None and not self.transport.is_closing():
                    self._timer = self.loop.call_later(patience, self.drop)

        def _stop_timer(self) -> None:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None

    return Patient
