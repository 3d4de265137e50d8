"""Requests to the studio's app, with its secret and without: an answer, or a refusal in a sentence; never a fault.

The app runs in this process on a project of its own, and its child processes are functions here, so that a case is
quick and happens the same way each time. What goes over the wire is in `wire.py`.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import random
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import GeneratorType
from typing import Any, cast
from urllib.parse import quote

from fuzz import mutate, sound
from shown.errors import ShownError
from shown.studio.app import create_app, load_assets
from shown.studio.children import ChildProcess
from shown.studio.commands import COMMANDS
from shown.studio.downloads import DOWNLOADS
from shown.studio.guard import HEADERS
from shown.studio.project import PROJECT_SCHEMA, Project
from shown.studio.session import Studio
from shown.studio.tasks import Tasks
from shown.worlds.games import GAMES, find

HOST, SECRET = "127.0.0.1:7469", "the-secret-of-this-run"
REFUSALS = (400, 403, 404, 405, 411, 413, 415, 421)
PATHS = (
    "/",
    "/news",
    "/sprites.css",
    "/js/main.js",
    "/../etc/passwd",
    "/%2e%2e/x",
    "//x",
    "/api",
    "/api/",
    "/\x00",
    "/é",
)
PROGRAMS = 40
MISPLACED = (
    *(("Shown-Secret", value) for value in ("", SECRET[:-1], SECRET.upper(), f"{SECRET}x", f"{SECRET}, x", "\xff")),
    *(("Cookie", value) for value in (SECRET, f"shown-secret={SECRET}", f"secret={SECRET}; Shown-Secret={SECRET}")),
    *((name, SECRET) for name in ("Secret", "X-Shown-Secret", "Shown_Secret", "ETag", "If-None-Match")),
    *(("Authorization", f"{kind} {SECRET}") for kind in ("Bearer", "Basic")),
    ("Referer", f"http://{HOST}/#secret={SECRET}"),
)
"""The secret spoilt, or where it does not count."""


def make(rng: random.Random) -> Any:
    game = rng.choice(list(GAMES))
    return {"game": game, "requests": [_request(rng, game) for _ in range(rng.randint(2, 12))]}


def run(data: Any, folder: Path) -> None:
    project = folder / "project"
    project.mkdir()
    settings = {
        "schema": PROJECT_SCHEMA,
        "game": None,
        "toured": True,
        "preferences": {name: {"programs": PROGRAMS} for name in GAMES},
    }
    (project / "project.json").write_text(json.dumps(settings))
    log = io.StringIO()
    with contextlib.redirect_stderr(log):
        wanted = _in_a_thread(_session(project, data, log))
        found = _in_a_thread(_session(project, {**data, "requests": []}, log))
    assert "Traceback" not in log.getvalue(), log.getvalue()
    for part in ("table", "recordings", "painted"):
        assert found[part] == wanted[part], f"{part}: {found[part]} was found, {wanted[part]} was acknowledged"


def _in_a_thread(session: Coroutine[Any, Any, dict[str, Any]]) -> dict[str, Any]:
    """Runs a session in a thread of its own: in this one others may have an event loop running, as browsers do."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, session).result()


async def _session(project: Path, data: Any, log: io.StringIO) -> dict[str, Any]:
    """Sends all requests; what the project then holds of the game."""
    with Project(project) as opened:
        studio = Studio(opened)
        here = Here()
        studio.processes.player = studio.processes.queue.learner = cast(ChildProcess, here)
        studio.processes.learner = studio.processes.queue.learner
        app = create_app(studio, frozenset({HOST}), SECRET)
        public = set(load_assets(studio.catalog))
        await studio.start()
        try:
            for request in data["requests"]:
                before = (await studio.workspace(data["game"])).view()
                status, headers, body = await _send(app, request)
                _check(request, status, headers, body, log)
                if not request["secret"]:
                    refused = status in REFUSALS or request["path"] in public
                    assert refused, f"{status} to a stranger: {request}"
                    assert (await studio.workspace(data["game"])).view() == before, (
                        f"a stranger changed something: {request}"
                    )
            return (await studio.workspace(data["game"])).view()
        finally:
            await studio.close()
            assert not here.faults, here.faults[0]


def _check(request: Any, status: int, headers: dict[str, str], body: bytes, log: io.StringIO) -> None:
    assert status < 500 or status == 503, f"{status} to {request}: {body[:300]!r}\n{log.getvalue()}"
    for name, value in HEADERS.items():
        assert headers.get(name) == value, f"{name} is missing from the answer to {request}"
    if status >= 400 and headers.get("content-type") == "application/json":
        text = json.loads(body)["error"]
        assert "\n" not in text, f"a refusal of several lines: {text!r}"
        assert len(text) < 10_000, f"a refusal of {len(text)} characters"


async def _send(app: Any, request: Any) -> tuple[int, dict[str, str], bytes]:
    body = request["body"].encode("latin-1")
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": request["method"],
        "scheme": "http",
        "path": request["path"],
        "raw_path": quote(request["path"], errors="replace").encode(),
        "query_string": request["query"].encode("latin-1", "replace"),
        "root_path": "",
        "headers": [(name.lower().encode("latin-1"), text.encode("latin-1")) for name, text in request["headers"]],
        "server": ("127.0.0.1", 7469),
        "client": ("127.0.0.1", 1),
    }
    pieces = [body[:10], body[10:]] if request["halves"] else [body]
    to_come = [{"type": "http.request", "body": piece, "more_body": True} for piece in pieces]
    to_come[-1]["more_body"] = False
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        if to_come:
            return to_come.pop(0)
        await asyncio.sleep(0.01)
        return {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await app(scope, receive, send)
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in sent[0]["headers"]}
    return sent[0]["status"], headers, b"".join(message.get("body", b"") for message in sent[1:])


class Here:
    """A child process that is none: what it is asked it does at once."""

    def __init__(self) -> None:
        self.tasks = Tasks().table()
        self.faults: list[Exception] = []
        self.ready = asyncio.Event()
        self.ready.set()

    def start(self) -> None: ...

    async def close(self) -> None: ...

    def kill(self) -> None: ...

    def stop(self, number: int) -> None: ...

    def begin(
        self, do: str, news: Callable[[dict[str, Any]], None] | None = None, /, **request: Any
    ) -> tuple[int, asyncio.Future[dict[str, Any]]]:
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        try:
            answer.set_result(self._do(do, json.loads(json.dumps(request)), news))
        except ShownError as error:
            answer.set_exception(ShownError(str(error)))
            answer.exception()
        except Exception as error:
            self.faults.append(error)
            raise
        return 1, answer

    async def ask(self, do: str, /, **request: Any) -> dict[str, Any]:
        return await self.begin(do, None, **request)[1]

    def _do(self, do: str, request: Any, news: Callable[[dict[str, Any]], None] | None) -> Any:
        result = self.tasks[do](request)
        while isinstance(result, GeneratorType):
            try:
                message = next(result)
            except StopIteration as end:
                result = end.value
            else:
                if news is not None:
                    news(json.loads(json.dumps(message)))
        return json.loads(json.dumps(result))


# --- what is asked ----------------------------------------------------------------------------------------------------


def _request(rng: random.Random, game: str) -> dict[str, Any]:
    kind = rng.randrange(10)
    body, query = "", ""
    if kind < 7:
        method, path = "POST", f"/api/{rng.choice(list(COMMANDS))}"
        value = _asked(rng, path.removeprefix("/api/"), game)
        if rng.random() < 0.4:
            value = mutate.damaged(rng, value)
        content = mutate.as_file(rng, value) if rng.random() < 0.1 else json.dumps(value).encode()
        body = content.decode("latin-1")
    elif kind < 9:
        method, path = "GET", f"/export/{rng.choice(DOWNLOADS)}"
        fields = {"game": game, "level": rng.choice(("test:0", "test:0@3", "random:5", "x")), "id": rng.choice("0123x")}
        query = "&".join(f"{name}={quote(text)}" for name, text in fields.items())
    else:
        method, path = rng.choice(("GET", "GET", "HEAD", "POST", "PUT", "OPTIONS")), rng.choice(PATHS)
    if rng.random() < 0.05:
        path = mutate.text(rng, path).replace("\ud800", "")
    headers = [["Host", HOST], ["Shown-Secret", SECRET]]
    if method == "POST":
        headers += [["Content-Type", "application/json"], ["Content-Length", str(len(body))]]
        headers += [["Origin", f"http://{HOST}"]] if rng.random() < 0.5 else []
    secret = rng.random() < 0.85
    if not secret:
        headers[1] = list(rng.choice(MISPLACED))
        query = rng.choice((query, "secret=", f"secret={SECRET}", f"Shown-Secret={SECRET}", "secret=%00"))
    if rng.random() < 0.1:
        place = rng.randrange(len(headers))
        headers[place][1] = rng.choice(
            ("", "evil.example", "http://evil.example", "-1", "9" * 30, "text/plain", "²", "\xff")
        )
        secret = False  # whatever it was, nothing more than a refusal or a page is owed
        headers = [header for header in headers if header[1] != SECRET]
        query = ""
    request = {"method": method, "path": path, "query": query, "headers": headers, "body": body}
    return {**request, "secret": secret, "halves": rng.random() < 0.1}


def _asked(rng: random.Random, name: str, game: str) -> dict[str, Any]:
    """What the page would send with a command, or could."""
    value: dict[str, Any] = {"game": game, "page": "1"}
    level = rng.choice(("train:0", "test:0", "random:7", "painted:1", "train:99", "random:9999999999"))
    board = (
        rng.choice(sound.shown_by_expert(game).steps).grid if rng.random() < 0.7 else sound.grid(rng, find(game).tokens)
    )
    cell = [rng.randint(0, 8), rng.randint(0, 8)]
    if name == "import":
        content = sound.shown_by_expert(game).to_json() if rng.random() < 0.6 else sound.levels(rng, game)
        return {**value, "content": mutate.damaged(rng, content) if rng.random() < 0.5 else content}
    fields: dict[str, Any] = {
        "action": rng.choice((cell, cell, None, "left")),
        "level": level,
        "rows": list(board.rows),
        "id": rng.randint(0, 4),
        "step": rng.randint(0, 3),
        "seed": rng.choice((0, 1, 2**53)),
        "learn": rng.random() < 0.5,
        "toured": True,
        "count": rng.choice((1, 3, 25)),
        "first": rng.choice((0, 5, 501)),
        "interpretation": rng.choice((None, {"clicks": "equivalent", "order": "any"}, {"clicks": "spell"}, "open")),
        "mirrored": rng.choice((None, True, False, "yes")),
        "programs": rng.choice((0, 1, 30, 10**7)),
    }
    return {**value, **fields}
