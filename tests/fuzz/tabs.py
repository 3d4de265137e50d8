"""Tabs of a browser: each listens to the news of a studio and remembers how far a lesson has come."""

from __future__ import annotations

import contextlib
import http.client
import json
import threading

from serving import PATIENCE, Server, until

TABS = 10


class Tab(threading.Thread):
    """One stream of news. `revisions` is the last revision that it has heard of, by game."""

    def __init__(self, studio: Server) -> None:
        super().__init__(daemon=True)
        self.revisions: dict[str, int] = {}
        self._listens = threading.Event()
        self._connection = http.client.HTTPConnection("127.0.0.1", studio.port, timeout=PATIENCE)
        self._connection.request("GET", "/news", headers={"Shown-Secret": studio.secret})
        self._stream = self._connection.getresponse()
        self.start()
        assert self._listens.wait(PATIENCE), "a tab gets no news"

    def run(self) -> None:
        with contextlib.suppress(OSError, http.client.HTTPException, ValueError):  # the studio was killed
            for line in self._stream:
                if line.startswith(b"retry:"):
                    self._listens.set()
                if line.startswith(b"data: ") and "revision" in (news := json.loads(line[6:])):
                    self.revisions[news["game"]] = news["revision"]


def open_tabs(studio: Server) -> list[Tab]:
    return [Tab(studio) for _ in range(TABS)]


def check_heard(tabs: list[Tab], revisions: dict[str, int]) -> None:
    """Wait until all tabs have heard of these revisions, or later ones."""

    def heard(tab: Tab) -> bool:
        return all(tab.revisions.get(game, 0) >= revision for game, revision in revisions.items())

    until(lambda: all(map(heard, tabs)), f"ten tabs hear of {revisions}")
