"""Start and stop the studio's server."""

from __future__ import annotations

import contextlib
import gc
import secrets
import shlex
import socket
import sys
import threading
import time
import webbrowser
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from shown.errors import BadInput, MissingExtra
from shown.teaching.lessons.lesson_file import LessonFile
from shown.worlds import World

if TYPE_CHECKING:
    import uvicorn
    from starlette.applications import Starlette

    from shown.studio.project import Project
    from shown.studio.session import Studio

MAX_HEAD = 16 * 1024  # bytes of a request's headers


def serve(
    folder: str | Path,
    host: str,
    port: int,
    browser: bool,
    worlds: Sequence[World],
    lessons: Sequence[LessonFile],
) -> None:
    """Open the project in `folder`, which is created if need be, and serve its page until interrupted.

    `worlds` are taught besides the games.
    """
    _check_extra()
    from shown.studio.app import create_app
    from shown.studio.guard import LOOPBACK, hosts_of
    from shown.studio.project import Project
    from shown.studio.session import Studio

    with contextlib.ExitStack() as stack:
        listener = stack.enter_context(bind(host, port))
        project = stack.enter_context(Project(folder))
        port = listener.getsockname()[1]
        studio = Studio(project, _command(folder, host, port, [world.name for world in worlds]), worlds, lessons)
        for reason in studio.catalog.missing.values():
            print(f"shown: {reason}", file=sys.stderr)
        secret = secrets.token_urlsafe(24)
        address = f"{page_origin(host, port)}/#secret={secret}"
        elsewhere = "Other machines can reach the studio. The connection is not encrypted."
        keep = "Keep the link to yourself: anyone who has it can do what you can."
        announce(project, address, keep, *([] if host in LOOPBACK else [elsewhere]))
        app = create_app(studio, hosts_of(host, port), secret)
        _run(listener, app, studio, project.link(address) if browser else None)


def _check_extra() -> None:
    for package in ("starlette", "uvicorn"):
        if find_spec(package) is None:
            raise MissingExtra(package, "studio")


def _run(
    listener: socket.socket, app: Starlette, studio: Studio, link: contextlib.AbstractContextManager[Path] | None
) -> None:
    """Serve an app until interrupted; with `link`, open that page in the browser.

    Everyone on the machine can see a browser's arguments. So it opens a page that only this user can read, and that
    page leads to the link with the secret.
    """
    server = _server(app, studio)
    with link or contextlib.nullcontext() as page:
        if page is not None:
            threading.Thread(target=_open_when_ready, args=(server, page.as_uri()), daemon=True).start()
        # Objects loaded by now are permanent; searching them for garbage would delay a click by 15 ms.
        gc.collect()
        gc.freeze()
        with contextlib.suppress(KeyboardInterrupt):
            server.run(sockets=[listener])


def _server(app: Starlette, studio: Studio) -> uvicorn.Server:
    import uvicorn

    from shown.studio.connections import ConnectionPool, max_open, protocol

    class Server(uvicorn.Server):
        """A server that closes the studio first, because pages that wait for news would delay it."""

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            await studio.close()
            await super().shutdown(sockets)

    pool = ConnectionPool(max_open())
    return Server(
        uvicorn.Config(
            app,
            http=protocol(pool),
            # asyncio accepts this many at a time, before the pool sees the first of them.
            backlog=pool.max_open // 4,
            ws="none",
            lifespan="on",
            access_log=False,
            # Requests of strangers are not logged: a line for each could fill the disk.
            log_level="error",
            h11_max_incomplete_event_size=MAX_HEAD,
            timeout_graceful_shutdown=1,
        )
    )


def _command(folder: str | Path, host: str, port: int, worlds: Sequence[str] = ()) -> str:
    """Return the command that opens the same project at the same address again.

    >>> _command("my lessons", "127.0.0.1", 8000)
    "shown studio --project 'my lessons' --port 8000"
    """
    elsewhere = [] if host == "127.0.0.1" else ["--host", host]
    named = [word for world in worlds for word in ("--world", world)]
    return shlex.join(["shown", "studio", "--project", str(folder), *elsewhere, "--port", str(port), *named])


def bind(host: str, port: int) -> socket.socket:
    """Return a listening socket; BadInput if the address or the port cannot be used."""
    try:
        family, _, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, socket.SOCK_STREAM, protocol)
    except (OSError, UnicodeError, OverflowError):
        raise BadInput(
            f"--host {host!r}: no such address. Leave it out to be reachable from this machine only."
        ) from None
    try:
        # The port of a studio that was killed a moment ago can be used again at once.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        # Answers are written in two parts; otherwise the second waits 40 ms for the first to be acknowledged.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        listener.bind(address)
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise BadInput(
            f"port {port} on {host} cannot be used ({(error.strerror or str(error)).lower()}). If a studio is "
            "already open, use the link it printed; otherwise choose another port with --port (0: any free one)."
        ) from None
    return listener


def page_origin(host: str, port: int) -> str:
    """Return how the link to a page begins. The secret is its fragment, which no log or proxy gets from a browser."""
    name = own_name() if host in ("0.0.0.0", "::") else host
    name = f"[{name}]" if ":" in name else name
    return f"http://{name}:{port}"


def own_name() -> str:
    """Return the address of this machine in its network, or else its name. Nothing is sent to find out."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("10.255.255.255", 1))  # for datagrams, this only chooses the network
        return str(probe.getsockname()[0])
    return socket.gethostname()


def announce(project: Project, address: str, *lines: str) -> None:
    """Print where the project is and some lines on stderr, and the link alone on stdout, for scripts."""
    opened = f"Studio is open. Everything is saved in {project.path.absolute()}. Ctrl-C ends it."
    print(opened, *lines, sep="\n", file=sys.stderr)
    print(address, flush=True)


def _open_when_ready(server: uvicorn.Server, page: str) -> None:
    for _ in range(200):
        if server.started:
            webbrowser.open(page)
            return
        time.sleep(0.05)
