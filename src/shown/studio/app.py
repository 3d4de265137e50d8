"""The routes: one page, its assets, commands as `POST /api/NAME`, one stream of news, and downloads.

No part of a request ever becomes part of a path: assets are read into a table once, downloads are built in memory.
"""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import traceback
from collections.abc import AsyncIterator
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from shown.errors import BadInput, ShownError
from shown.files import parse_json
from shown.render import stylesheet
from shown.studio.catalogue import Catalogue, catalogue
from shown.studio.commands import command
from shown.studio.downloads import download
from shown.studio.guard import Guard, Rules
from shown.studio.session import Forgotten, Studio, stamp

TYPES = {
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


def load_assets(here: Catalogue | None = None) -> dict[str, Asset]:
    """Everything under `static/`, by the path it is asked for with; the page with the sprites of all games in it."""
    sprites = "".join(entry.sprites for entry in (here or catalogue()).entries.values())
    assets = {"/sprites.css": _asset(stylesheet().encode(), ".css")}
    _collect(files("shown.studio").joinpath("static"), "/", assets)
    page = assets.pop("/index.html").content.replace(b"<!-- sprites -->", sprites.encode())
    assets["/"] = _asset(page, ".html")
    return assets


def _collect(folder: Traversable, path: str, assets: dict[str, Asset]) -> None:
    for item in folder.iterdir():
        if item.is_dir():
            _collect(item, f"{path}{item.name}/", assets)
        elif (ending := f".{item.name.rpartition('.')[2]}") in TYPES:
            assets[f"{path}{item.name}"] = _asset(item.read_bytes(), ending)


def _asset(content: bytes, ending: str) -> Asset:
    return Asset(content, TYPES[ending], f'"{hashlib.sha256(content).hexdigest()[:20]}"')


def create_app(studio: Studio, rules: Rules) -> Starlette:
    """The web app around an open project."""
    assets = load_assets(studio.catalogue)
    run = stamp()

    async def asset(request: Request) -> Response:
        found = assets.get(request.url.path)
        if found is None:
            return JSONResponse({"error": "nothing here."}, 404)
        headers = {"etag": found.tag, "cache-control": "no-cache"}
        if request.headers.get("if-none-match") == found.tag:
            return Response(status_code=304, headers=headers)
        return Response(found.content, media_type=found.media_type, headers=headers)

    async def api(request: Request) -> Response:
        try:
            body = (await request.body()).decode("utf-8")
            answer = command(studio, request.path_params["name"], parse_json(body, "the request"))
            if inspect.isawaitable(answer):
                answer = await answer
        except ClientDisconnect:
            return JSONResponse({"error": "the request ended early."}, 400)
        except UnicodeDecodeError:
            return JSONResponse({"error": "the request is not text in UTF-8."}, 400)
        except Forgotten as error:
            return JSONResponse({"forgotten": _sentence(error)})
        except ShownError as error:
            return JSONResponse({"error": _sentence(error)}, 400 if isinstance(error, BadInput) else 503)
        except Exception as error:
            traceback.print_exc()
            return JSONResponse({"error": f"Something went wrong inside ({type(error).__name__})."}, 500)
        return JSONResponse(answer)

    async def news(request: Request) -> Response:
        async def stream() -> AsyncIterator[bytes]:
            yield f'event: hello\ndata: {{"run": "{run}"}}\n\n'.encode()
            async for message in studio.news.listen():
                yield message

        return StreamingResponse(stream(), media_type="text/event-stream")

    async def file(request: Request) -> Response:
        query = request.query_params
        try:
            name, media_type, content = await download(
                studio, request.path_params["what"], query.get("game", ""), query.get("level", ""), query.get("id", "")
            )
        except ShownError as error:
            return JSONResponse({"error": _sentence(error)}, 400)
        # The name is made from a game's name and a fixed word, so it needs no escaping.
        return Response(
            content, media_type=media_type, headers={"content-disposition": f'attachment; filename="{name}"'}
        )

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        await studio.start()
        try:
            yield
        finally:
            await studio.close()

    async def wrong(request: Request, error: Any) -> Response:
        return JSONResponse({"error": "nothing here."}, getattr(error, "status_code", 500))

    return Starlette(
        routes=[
            Route("/api/{name}", api, methods=["POST"]),
            Route("/news", news, methods=["GET"]),
            Route("/export/{what}", file, methods=["GET"]),
            Route("/{path:path}", asset, methods=["GET"]),
        ],
        middleware=[Middleware(Guard, rules=rules)],
        lifespan=lifespan,
        exception_handlers={404: wrong, 405: wrong},
    )


def _sentence(error: Exception) -> str:
    text = str(error)
    return text[:1].upper() + text[1:]
