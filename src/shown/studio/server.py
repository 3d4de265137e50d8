"""Starting and stopping the server."""

from __future__ import annotations

import contextlib
import gc
import shlex
import socket
import sys
import threading
import time
import webbrowser
from collections.abc import Sequence
from pathlib import Path

from shown.errors import BadInput, MissingExtra
from shown.studio.lessons import Shared
from shown.world import World

DEFAULT_PORT = 7469
"""S-H-O-W on a telephone."""
MAX_HEAD = 16 * 1024


def serve(
    folder: str | Path,
    host: str = "127.0.0.1",
    port: int = DEFAULT_PORT,
    browser: bool = True,
    worlds: Sequence[World] = (),
    lessons: Sequence[Shared] = (),
    stages: Sequence[tuple[World, str]] = (),
) -> None:
    """Opens the project in `folder` and serves its page until interrupted.

    `worlds` stand beside the games; `lessons` that somebody has sent are added to what is in the project. `stages` are
    worlds, with the names they were asked for by, in which games are watched.
    """
    try:
        import uvicorn

        from shown.studio.app import create_app
        from shown.studio.connections import Crowd, max_open, protocol
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] in ("starlette", "uvicorn", "anyio"):
            raise MissingExtra(str(error.name), "studio") from None
        raise
    from shown.studio.guard import LOOPBACK, Rules
    from shown.studio.project import Project
    from shown.studio.session import Studio
    from shown.studio.stage import Stage

    with contextlib.ExitStack() as stack:
        listener = stack.enter_context(bind(host, port))
        project = stack.enter_context(Project(folder))
        port = listener.getsockname()[1]
        rules = Rules.for_address(host, port)
        crowd = Crowd(max_open=max_open())
        named = (*(world.name for world in worlds), *(name for _, name in stages))
        watched = [Stage(world, name) for world, name in stages]
        studio = Studio(project, _command(folder, host, port, named), worlds, lessons, watched)
        for reason in studio.catalogue.missing.values():
            print(f"shown: {reason}", file=sys.stderr)

        class Server(uvicorn.Server):
            """Ends the studio first: a page that listens, or waits for an answer, would hold it up, and it complain."""

            async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
                await studio.close()
                await super().shutdown(sockets)

        server = Server(
            uvicorn.Config(
                create_app(studio, rules),
                http=protocol(crowd),
                # So many are let in before the crowd hears of the first; a few such waves must fit in what is left.
                backlog=crowd.max_open // 8,
                ws="none",
                lifespan="on",
                access_log=False,
                # What strangers send is not worth a line: a line each is how a disk fills up.
                log_level="error",
                h11_max_incomplete_event_size=MAX_HEAD,
                timeout_graceful_shutdown=1,
            )
        )
        address = page_address(host, port, rules.token)
        announce(address, project.folder, host not in LOOPBACK)
        if browser:
            # The arguments of a browser can be seen by everyone on the machine, so it is given a page that leads to the
            # address with the secret in it, and that only the user can read.
            page = stack.enter_context(project.link(address)).as_uri()
            threading.Thread(target=_open_when_ready, args=(server, page), daemon=True).start()
        # What is loaded by now stays: looking through it for garbage again and again would hold up a click, for 15 ms.
        gc.collect()
        gc.freeze()
        with contextlib.suppress(KeyboardInterrupt):
            server.run(sockets=[listener])


def _command(folder: str | Path, host: str, port: int, worlds: Sequence[str] = ()) -> str:
    """What to type to open the same project at the same address again.

    >>> _command("my lessons", "127.0.0.1", 8000)
    "shown studio --project 'my lessons' --port 8000"
    """
    elsewhere = [] if host == "127.0.0.1" else ["--host", host]
    named = [word for world in worlds for word in ("--world", world)]
    return shlex.join(["shown", "studio", "--project", str(folder), *elsewhere, "--port", str(port), *named])


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
            "open already, use the link it printed; otherwise choose another with --port (0: any free one)."
        ) from None
    return listener


def page_address(host: str, port: int, token: str) -> str:
    name = {"0.0.0.0": socket.gethostname(), "::": socket.gethostname()}.get(host, host)
    name = f"[{name}]" if ":" in name else name
    return f"http://{name}:{port}/?token={token}"


def announce(address: str, folder: Path, elsewhere: bool) -> None:
    """Where to go, on stderr; the address alone on stdout, for scripts."""
    print(f"Studio is open. Everything is saved in {folder.absolute()}. Ctrl-C ends it.", file=sys.stderr)
    print("The link has the secret of this run in it: whoever has the link can do what you can.", file=sys.stderr)
    if elsewhere:
        print("Other machines can reach it, and what they send can be read on the way.", file=sys.stderr)
    print(address, flush=True)


def _open_when_ready(server: object, page: str) -> None:
    for _ in range(200):
        if getattr(server, "started", False):
            webbrowser.open(page)
            return
        time.sleep(0.05)
