"""Bytes on the wire: whatever is sent to a real studio on loopback, it answers, refuses or hangs up, and goes on."""

from __future__ import annotations

import atexit
import contextlib
import json
import random
import re
import socket
import tempfile
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from fuzz import mutate
from serving import Server

PATIENCE = 2.0
"""Seconds to wait for an answer to what may be only half a request; the studio itself waits longer."""
COMPILING = "shown: compiling the engine for this machine (first run only) …\n"
"""Children of the studio may say so at any time."""
STATUS = re.compile(rb"HTTP/1\.[01] (\d{3}) ")


def make(rng: random.Random) -> Any:
    """One or two requests on one connection, whole or spoilt. The port and the secret are filled in when it is sent."""
    whole = b"".join(_request(rng) for _ in range(rng.choice((1, 1, 2))))
    sent = mutate.spoilt(rng, whole) if rng.random() < 0.8 else whole
    return {
        "bytes": sent.decode("latin-1"),
        "cuts": sorted(rng.randint(0, len(sent)) for _ in range(rng.choice((0, 2)))),
    }


def run(data: Any, folder: Path) -> None:
    studio, log = _studio()
    before = log.stat().st_size
    sent = data["bytes"].replace("PORT", str(studio.port)).replace("SECRET", studio.secret).encode("latin-1")
    places = [0, *data["cuts"], len(sent)]
    answer = b""
    with socket.create_connection(("127.0.0.1", studio.port), timeout=PATIENCE) as connection:
        try:
            for start, end in pairwise(places):
                connection.sendall(sent[start:end])
            connection.shutdown(socket.SHUT_WR)
            while piece := connection.recv(65536):
                answer += piece
        except OSError:
            pass  # it waits for the rest, or has hung up
    if answer:
        match = STATUS.match(answer)
        assert match, f"no HTTP came back: {answer[:100]!r}"
        assert int(match[1]) < 500, f"{match[1].decode()}: {answer[:300]!r}"
    assert studio.process.poll() is None, "the studio has ended"
    assert studio.post("hello")["folder"], "the studio does not answer any more"
    told = log.read_bytes()[before:].decode("utf-8", "replace").replace(COMPILING, "")
    assert not told, f"what strangers send is logged: {told[-2000:]}"


@cache
def _studio() -> tuple[Server, Path]:
    """One studio for all cases of this process."""
    folder = tempfile.TemporaryDirectory(prefix="shown-fuzz-studio-")
    log = Path(folder.name) / "log"
    # Not in the folder of this case, which is removed when the case ends.
    with log.open("wb") as file, contextlib.chdir("/"):
        studio = Server(Path(folder.name) / "project", log=file)

    def end() -> None:
        studio.stop()
        folder.cleanup()

    atexit.register(end)
    return studio, log


def _request(rng: random.Random) -> bytes:
    method, path, body = rng.choice(
        (
            ("GET", "/", b""),
            ("GET", "/js/main.js", b""),
            ("GET", "/export/demonstrations.json?game=nim", b""),
            ("POST", "/api/hello", b"{}"),
            ("POST", "/api/open", json.dumps({"game": "nim"}).encode()),
            ("POST", "/api/peek", json.dumps({"game": "nim", "action": [0, 0]}).encode()),
        )
    )
    headers = ["Host: 127.0.0.1:PORT"]
    headers += ["Shown-Secret: SECRET"] if rng.random() < 0.5 else []
    headers += [f"Content-Length: {len(body)}", "Content-Type: application/json"] if method == "POST" else []
    if rng.random() < 0.5:
        headers.append(
            rng.choice(
                (
                    *("Transfer-Encoding: chunked", "Content-Length: 5", "Expect: 100-continue", "Connection: close"),
                    *(
                        "Upgrade: websocket",
                        "Connection: Upgrade",
                        f"X: {'y' * 20_000}",
                        "X : y",
                        "\tfolded",
                        ": empty",
                    ),
                    *("Sec-WebSocket-Key: x", "Content-Length: 99999999999999999999", "Host: evil.example", "X: \x00"),
                )
            )
        )
    rng.shuffle(headers)
    head = "\r\n".join([f"{method} {path} HTTP/1.1", *headers, "", ""])
    return head.encode("latin-1") + body
