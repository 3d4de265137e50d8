"""Starting and stopping the server."""

from __future__ import annotations

import contextlib
import socket
import sys
import threading
import time
import webbrowser
from pathlib import Path

from shown.errors import BadInput, MissingExtra

DEFAULT_PORT = 7469
"""S-H-O-W on a telephone."""


def serve(folder: str | Path, host: str = "127.0.0.1", port: int = DEFAULT_PORT, browser: bool = True) -> None:
    """Opens the project in `folder` and serves its page until interrupted."""
    try:
        import uvicorn

        from shown.studio.app import create_app
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] in ("starlette", "uvicorn", "anyio"):
            raise MissingExtra(str(error.name), "studio") from None
        raise
    from shown.studio.guard import Rules
    from shown.studio.project import Project
    from shown.studio.session import Studio

    with bind(host, port) as listener, Project(folder) as project:
        port = listener.getsockname()[1]
        rules = Rules.for_address(host, port)
        app = create_app(Studio(project), rules)
        server = uvicorn.Server(
            uvicorn.Config(app, log_level="warning", access_log=False, timeout_graceful_shutdown=1, lifespan="on")
        )
        address = page_address(host, port, rules.token)
        announce(address, project.folder, rules.token is not None)
        if browser:
            threading.Thread(target=_open_when_ready, args=(server, address), daemon=True).start()
        with contextlib.suppress(KeyboardInterrupt):
            server.run(sockets=[listener])


def bind(host: str, port: int) -> socket.socket:
    """A listening socket, or BadInput that says what to do when the port is taken."""
    try:
        family, _, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, socket.SOCK_STREAM, protocol)
    except (OSError, UnicodeError, OverflowError):
        raise BadInput(
            f"--host {host!r}: no such address. Leave it out to be reachable from this machine only."
        ) from None
    try:
        # A port that was just in use by a studio that was killed can be taken again at once.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        # An answer is written in two parts; without this, the second waits 40 ms for the first to be acknowledged.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        listener.bind(address)
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise BadInput(
            f"port {port} on {host} cannot be used ({(error.strerror or str(error)).lower()}). If a studio is "
            f"open already, go to http://127.0.0.1:{port}; otherwise choose another with --port (0: any free one)."
        ) from None
    return listener


def page_address(host: str, port: int, token: str | None) -> str:
    name = {"0.0.0.0": socket.gethostname(), "::": socket.gethostname()}.get(host, host)
    name = f"[{name}]" if ":" in name else name
    return f"http://{name}:{port}/" + (f"?token={token}" if token else "")


def announce(address: str, folder: Path, secret: bool) -> None:
    """Where to go, on stderr; the address alone on stdout, for scripts."""
    print(f"Studio is open. Everything is saved in {folder}. Ctrl-C ends it.", file=sys.stderr)
    if secret:
        print(
            "It can be reached from other machines; the link has a secret in it, so share it with care.",
            file=sys.stderr,
        )
    print(address, flush=True)


def _open_when_ready(server: object, address: str) -> None:
    for _ in range(200):
        if getattr(server, "started", False):
            webbrowser.open(address)
            return
        time.sleep(0.05)
