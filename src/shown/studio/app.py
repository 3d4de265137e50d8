"""The web app: the page and its assets, commands as `POST /api/NAME`, a stream of news, and downloads.

No part of a request ever becomes part of a path: assets are read into a table once, downloads are built in memory.
"""

from __future__ import annotations

import contextlib
import hashlib
import time
import traceback
from collections.abc import AsyncIterator, Collection
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from shown.errors import BadInput, ShownError
from shown.files import parse_json
from shown.render import stylesheet
from shown.studio.catalog import Catalog
from shown.studio.commands import command
from shown.studio.downloads import download
from shown.studio.guard import Guard, refusal
from shown.studio.news import event_of
from shown.studio.session import Forgotten, Studio

MEDIA_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml; charset=utf-8",
}


@dataclass(frozen=True, slots=True)
class Asset:
    """A file of the page, ready to send."""

    content: bytes
    media_type: str
    tag: str


def load_assets(here: Catalog) -> dict[str, Asset]:
    """Return everything under `static/` by its path. The page includes the sprites of all games."""
    sprites = "".join(entry.sprites for entry in here.entries.values())
    assets = {"/sprites.css": _asset(stylesheet().encode(), ".css")}
    _collect(files("shown.studio").joinpath("static"), "/", assets)
    page = assets.pop("/index.html").content.replace(b"<!-- sprites -->", sprites.encode())
    return {**assets, "/": _asset(page, ".html")}


def _collect(folder: Traversable, path: str, assets: dict[str, Asset]) -> None:
    for item in folder.iterdir():
        if item.is_dir():
            _collect(item, f"{path}{item.name}/", assets)
        elif (ending := f".{item.name.rpartition('.')[2]}") in MEDIA_TYPES:
            assets[f"{path}{item.name}"] = _asset(item.read_bytes(), ending)


def _asset(content: bytes, ending: str) -> Asset:
    return Asset(content, MEDIA_TYPES[ending], f'"{hashlib.sha256(content).hexdigest()[:20]}"')


class Endpoints:
    """What each route answers about an open project."""

    def __init__(self, studio: Studio) -> None:
        self.studio = studio
        self.assets = load_assets(studio.catalog)
        self.run = f"{time.time_ns():x}"  # names this run of the server, so that a page notices a new one

    async def asset(self, request: Request) -> Response:
        found = self.assets.get(request.url.path)
        if found is None:
            return refusal(404, "nothing here.")
        headers = {"etag": found.tag, "cache-control": "no-cache"}
        if request.headers.get("if-none-match") == found.tag:
            return Response(status_code=304, headers=headers)
        return Response(found.content, media_type=found.media_type, headers=headers)

    async def command(self, request: Request) -> Response:
        """Answer with what a command returns for the request's body, a JSON object, or with its error."""
        try:
            body = parse_json((await request.body()).decode("utf-8"), "the request")
            if not isinstance(body, dict):
                raise BadInput("a request must be a JSON object.")
            answer = await command(self.studio, request.path_params["name"], body)
        except ClientDisconnect:
            return refusal(400, "the request ended early.")
        except UnicodeDecodeError:
            return refusal(400, "the request is not text in UTF-8.")
        except Forgotten as error:
            return JSONResponse({"forgotten": _sentence(error)})
        except ShownError as error:
            return refusal(400 if isinstance(error, BadInput) else 503, _sentence(error))
        except Exception as error:
            traceback.print_exc()
            return refusal(500, f"The studio failed ({type(error).__name__}). Its terminal shows the details.")
        return JSONResponse(answer)

    async def news(self, request: Request) -> Response:
        async def stream() -> AsyncIterator[bytes]:
            messages = self.studio.news.listen()
            yield await anext(messages)  # from now on, nothing is missed
            yield event_of("hello", {"run": self.run})
            async for message in messages:
                yield message

        return StreamingResponse(stream(), media_type="text/event-stream")

    async def download(self, request: Request) -> Response:
        query = request.query_params
        try:
            about = (query.get(key, "") for key in ("game", "level", "id"))
            name, media_type, content = await download(self.studio, request.path_params["what"], *about)
        except ShownError as error:
            return refusal(400, _sentence(error))
        # The name consists of a game's name and a fixed word, so it needs no escaping.
        headers = {"content-disposition": f'attachment; filename="{name}"'}
        return Response(content, media_type=media_type, headers=headers)


def create_app(studio: Studio, hosts: Collection[str], secret: str) -> Starlette:
    """Return the web app that opens and closes an open project, for those who have the secret."""
    ends = Endpoints(studio)

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        await studio.start()
        try:
            yield
        finally:
            await studio.close()

    async def not_found(request: Request, error: Exception) -> Response:
        return refusal(getattr(error, "status_code", 500), "nothing here.")

    return Starlette(
        routes=[
            Route("/api/{name}", ends.command, methods=["POST"]),
            Route("/news", ends.news, methods=["GET"]),
            Route("/export/{what}", ends.download, methods=["GET"]),
            Route("/{path:path}", ends.asset, methods=["GET"]),
        ],
        middleware=[Middleware(Guard, hosts, secret, frozenset(ends.assets))],
        lifespan=lifespan,
        exception_handlers={404: not_found, 405: not_found},
    )


def _sentence(error: Exception) -> str:
    text = str(error)
    return text[:1].upper() + text[1:]
