"""A real studio for tests: started by its command, used over HTTP, and killed at any moment."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from shown.teaching.lessons.preferences import Preferences

T = TypeVar("T")
PATIENCE = 60.0
DEFAULTS = Preferences().to_json()


class Refused(Exception):
    """The server answered with an error."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(f"{status}: {text}")
        self.status, self.text = status, text


class Server:
    """A studio in another process."""

    def __init__(
        self,
        folder: Path,
        port: int = 0,
        host: str = "127.0.0.1",
        most_files: int | None = None,
        log: Any = None,
        words: Sequence[str] = (),
    ) -> None:
        """`most_files` limits the files it may open; `log` takes its stderr; `words` are added to its command line."""
        self.folder, self.host, self.most_files, self.log, self.words = folder, host, most_files, log, tuple(words)
        self.start(port)

    def start(self, port: int = 0) -> None:
        command = [
            *(sys.executable, "-m", "shown", "studio", "--no-browser"),
            *("--host", self.host, "--port", str(port), "--project", str(self.folder)),
            *self.words,
        ]
        if self.most_files is not None:
            command = ["sh", "-c", f'ulimit -n {self.most_files}; exec "$@"', "sh", *command]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self.log, text=True)
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()
        assert self.address.startswith("http://"), "the studio did not start"
        page, _, self.secret = self.address.partition("#secret=")
        self.origin = page.removesuffix("/")
        self.port = int(self.origin.rpartition(":")[2])
        until(lambda: self._answers(), "the studio answers")

    def _answers(self) -> bool:
        try:
            self.request("GET", "/")
        except OSError:
            return False
        return True

    def kill(self) -> None:
        """Kill the process, as a power failure would."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        """Interrupt the process, as Ctrl-C does."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        return self.process.wait(timeout=PATIENCE)

    def request(
        self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> tuple[int, dict[str, str], bytes]:
        """Send one request with these headers, and with Host and the secret unless given."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            usual = {"Host": f"127.0.0.1:{self.port}", "Shown-Secret": self.secret}
            connection.request(method, path, body, {**usual, **(headers or {})})
            response = connection.getresponse()
            return response.status, {k.lower(): v for k, v in response.getheaders()}, response.read()
        finally:
            connection.close()

    def post(self, command: str, **body: Any) -> Any:
        """Send a command as the page does. Raise Refused if it is refused."""
        headers = {"Content-Type": "application/json", "Origin": f"http://127.0.0.1:{self.port}"}
        status, _, content = self.request("POST", f"/api/{command}", json.dumps(body).encode(), headers)
        answer = json.loads(content)
        if status != 200:
            raise Refused(status, answer["error"])
        return answer

    def get(self, path: str) -> bytes:
        status, _, content = self.request("GET", path)
        if status != 200:
            raise Refused(status, json.loads(content)["error"])
        return content

    def reset(self) -> None:
        """Empty all games, as if the project were new."""
        for about in self.post("hello")["games"]:
            game = {"game": about["name"]}
            view = self.post("open", **game)
            if view["learned"]["preferences"] != DEFAULTS:
                self.post("expert", **game)  # with nothing to learn from, preferences stay
                self.post("learn", **game, **DEFAULTS)
                view = self.post("open", **game)
            for _ in view["remarks"]:
                self.post("unsay", **game, number=0)
            for card in view["recordings"]:
                self.post("delete", **game, id=card["id"])
            for level in view["painted"]:
                self.post("unpaint", **game, id=level["id"])
            first = about["lessons"][0]["name"]
            if view["table"]["clicks"] or view["table"]["level"] != first or view["table"]["kind"] != "shown":
                self.post("level", **game, level=first)
        self.post("toured", toured=False)
        self.post("open", game="nim")

    def learned(self, game: str, patience: float = PATIENCE) -> Any:
        """Return the state of learning once it has ended."""
        return until(lambda: self._settled(game), f"{game} is learned", patience)

    def _settled(self, game: str) -> Any:
        learned = self.post("open", game=game)["learned"]
        return learned if learned["state"] in ("done", "failed", "stopped", "idle") else None

    def children(self) -> dict[int, str]:
        """Return the child processes, each with "learns" or "plays"."""
        found = {}
        for entry in Path("/proc").iterdir():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, ValueError, IndexError):
                continue
            if parent == self.process.pid and b"shown.studio.worker" in words:
                found[int(entry.name)] = "learns" if words[-2] == b"10" else "plays"
        return found


def until(look: Callable[[], T], what: str, patience: float = PATIENCE) -> T:
    """Wait until `look` returns something true, and return it."""
    end = time.monotonic() + patience
    while True:
        found = look()
        if found:
            return found
        assert time.monotonic() < end, f"waited {patience} s in vain: {what}"
        time.sleep(0.02)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False


class Tab(threading.Thread):
    """A stream of a studio's news, as a tab of a browser hears it.

    Attributes:
        revisions: the last revision that it has heard of, by game.
    """

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

    def close(self) -> None:
        """Leave, as when the tab is closed."""
        if self._connection.sock is not None:
            self._connection.sock.shutdown(socket.SHUT_RDWR)


def check_heard(tabs: list[Tab], revisions: dict[str, int]) -> None:
    """Wait until all tabs have heard of these revisions, or later ones."""

    def heard(tab: Tab) -> bool:
        return all(tab.revisions.get(game, 0) >= revision for game, revision in revisions.items())

    until(lambda: all(map(heard, tabs)), f"{len(tabs)} tabs hear of {revisions}")
