"""The web app of a class: the routes of the studio for each pupil, the door, and the teacher's commands."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from shown.errors import BadInput
from shown.files import encode_json
from shown.studio.app import Endpoints, answered, app_with
from shown.studio.class_session import MAX_PAGES, TEACHER_COMMANDS, OpenClass, Visit
from shown.studio.classroom import Role
from shown.studio.guard import refusal

MAX_PUPIL_UPLOAD = 2**20  # bytes of a file that a pupil imports
DOOR = frozenset({"/class/join"})  # the path that needs no secret


class CountedStream(Response):
    """A stream of news that counts as an open page for as long as it lasts."""

    def __init__(self, stream: Response, visit: Visit) -> None:
        self.stream, self.visit = stream, visit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        seat, own = self.visit.seat, self.visit.role is Role.PUPIL
        seat.streams, seat.pages = seat.streams + 1, seat.pages + own
        try:
            await self.stream(scope, receive, send)
        finally:
            seat.streams, seat.pages = seat.streams - 1, seat.pages - own


class ClassEndpoints(Endpoints):
    """What each route answers for a class. The guard has found out who asks: `scope["visitor"]`, a `Visit`."""

    def __init__(self, room: OpenClass) -> None:
        super().__init__(room.processes.catalog, lambda request: request.scope["visitor"].seat.studio, b" data-class")
        self.room = room

    def at_first(self) -> dict[str, dict[str, Any]]:
        return {"class": asdict(self.room.record.settings)}

    async def do(self, request: Request, name: str, body: Any) -> Any:
        visit = request.scope["visitor"]
        if visit.role is Role.PUPIL and int(request.headers["content-length"]) > MAX_PUPIL_UPLOAD:
            raise BadInput("the file is larger than 1 MB, the limit in a class.")
        return await self.room.command(visit, name, body)

    async def news(self, request: Request) -> Response:
        visit = request.scope["visitor"]
        if visit.seat.streams >= MAX_PAGES:
            return refusal(429, "too many pages of this workspace are open. Close some.")
        return CountedStream(await super().news(request), visit)

    async def download(self, request: Request) -> Response:
        try:
            async with request.scope["visitor"].seat.turn():
                return await super().download(request)
        except BadInput as error:
            return refusal(429, str(error))

    async def join(self, request: Request) -> Response:
        address = request.client.host if request.client else ""

        async def enter(body: Any) -> Any:
            return self.room.join(body.get("name"), body.get("code"), address)

        return await answered(request, enter)

    async def teach(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in TEACHER_COMMANDS:
            return refusal(404, "nothing here.")
        return await answered(request, getattr(self.room, name))

    async def file(self, request: Request) -> Response:
        try:
            content = encode_json(await self.room.file(), "the class")
        except BadInput as error:
            return refusal(400, str(error))
        headers = {"content-disposition": 'attachment; filename="class.json"'}
        return Response(content, media_type="application/json", headers=headers)


def create_class_app(room: OpenClass, hosts: Collection[str]) -> Starlette:
    """Return the web app around an open class."""
    ends = ClassEndpoints(room)
    routes = [
        Route("/class/join", ends.join, methods=["POST"]),
        Route("/class/file", ends.file, methods=["GET"]),
        Route("/class/{name}", ends.teach, methods=["POST"]),
    ]
    return app_with(ends, room, hosts, room.admit, routes, DOOR)
