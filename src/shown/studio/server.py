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
from typing import TYPE_CHECKING, Any

from shown.errors import BadInput, MissingExtra
from shown.teaching.lessons.lesson_file import LessonFile
from shown.worlds import World

if TYPE_CHECKING:
    import uvicorn
    from starlette.applications import Starlette

    from shown.studio.app import Opened
    from shown.studio.catalog import Catalog
    from shown.studio.folder import OwnFolder

MAX_HEAD = 16 * 1024  # bytes of a request's headers


def serve(
    folder: str | Path,
    host: str,
    port: int,
    browser: bool,
    worlds: Sequence[World],
    lessons: Sequence[LessonFile],
    stages: Sequence[tuple[World, str]],
) -> None:
    """Open the project in `folder`, which is created if need be, and serve its page until interrupted.

    `worlds` are taught besides the games. `stages` are worlds in which games are watched, each with the name it was
    asked for by.
    """
    _check_extra()
    from shown.studio.app import create_app
    from shown.studio.guard import LOOPBACK, hosts_of
    from shown.studio.minecraft_view import MinecraftView
    from shown.studio.project import Project
    from shown.studio.session import Studio

    with contextlib.ExitStack() as stack:
        listener = stack.enter_context(bind(host, port))
        project = stack.enter_context(Project(folder))
        port = listener.getsockname()[1]
        named = (*(world.name for world in worlds), *(name for _, name in stages))
        watched = [MinecraftView(world, name) for world, name in stages]
        studio = Studio(project, _command(folder, host, port, named), worlds, lessons, watched)
        _name_missing(studio.catalog)
        secret = secrets.token_urlsafe(24)
        address = f"{page_origin(host, port)}/#secret={secret}"
        elsewhere = "Other machines can reach the studio. The connection is not encrypted."
        keep = "Keep the link to yourself: anyone who has it can do what you can."
        announce("Studio", project, address, keep, *([] if host in LOOPBACK else [elsewhere]))
        app = create_app(studio, hosts_of(host, port), secret)
        _run(listener, app, studio, project.link(address) if browser else None)


def serve_class(folder: str | Path, host: str, port: int, browser: bool, worlds: Sequence[World], saved: Any) -> None:
    """Open the class in `folder`, which is created if need be, and serve its pages until interrupted.

    `saved` is the content of a class file, whose pupils are added, or None.
    """
    _check_extra()
    from shown.studio.class_app import create_class_app
    from shown.studio.class_session import OpenClass
    from shown.studio.classroom import ClassFolder
    from shown.studio.guard import hosts_of

    with contextlib.ExitStack() as stack:
        listener = stack.enter_context(bind(host, port))
        opened = stack.enter_context(ClassFolder(folder))
        port = listener.getsockname()[1]
        room = OpenClass(opened, worlds, saved)
        _name_missing(room.processes.catalog)
        room.address = page_origin(host, port)
        address = f"{room.address}/teacher#secret={room.record.secret}"
        join = f"Pupils in this network open {room.address} and type the code {room.record.code}."
        keep = "Keep the teacher's link to yourself:"
        announce("Class", opened, address, f"{join} The connection is not encrypted.", keep)
        _run(listener, create_class_app(room, hosts_of(host, port)), room, opened.link(address) if browser else None)


def _check_extra() -> None:
    for package in ("starlette", "uvicorn"):
        if find_spec(package) is None:
            raise MissingExtra(package, "studio")


def _name_missing(here: Catalog) -> None:
    for reason in here.missing.values():
        print(f"shown: {reason}", file=sys.stderr)


def _run(
    listener: socket.socket, app: Starlette, state: Opened, link: contextlib.AbstractContextManager[Path] | None
) -> None:
    """Serve an app until interrupted; with `link`, open that page in the browser.

    Everyone on the machine can see a browser's arguments. So it opens a page that only this user can read, and that
    page leads to the link with the secret.
    """
    server = _server(app, state)
    with link or contextlib.nullcontext() as page:
        if page is not None:
            threading.Thread(target=_open_when_ready, args=(server, page.as_uri()), daemon=True).start()
        # Objects loaded by now are permanent; searching them for garbage would delay a click by 15 ms.
        gc.collect()
        gc.freeze()
        with contextlib.suppress(KeyboardInterrupt):
            server.run(sockets=[listener])


def _server(app: Starlette, state: Opened) -> uvicorn.Server:
    import uvicorn

    from shown.studio.connections import ConnectionPool, max_open, protocol

    class Server(uvicorn.Server):
        """A server that closes its state first, because pages that wait for news would delay it."""

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            await state.close()
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


def announce(what: str, folder: OwnFolder, address: str, *lines: str) -> None:
    """Print what is open and some lines on stderr, and the link alone on stdout, for scripts."""
    opened = f"{what} is open. Everything is saved in {folder.path.absolute()}. Ctrl-C ends it."
    print(opened, *lines, sep="\n", file=sys.stderr)
    print(address, flush=True)


def _open_when_ready(server: uvicorn.Server, page: str) -> None:
    for _ in range(200):
        if server.started:
            webbrowser.open(page)
            return
        time.sleep(0.05)
