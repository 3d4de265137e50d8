"""Who may ask, and how much: a layer around the whole app.

A page of any other site that the same browser has open can send requests to 127.0.0.1 too. It must not be able to read
anything here, nor to make anything happen. Four things see to that, each enough alone for most attacks:

- the Host header must be this server's own, so that a foreign name that was made to point to 127.0.0.1 (DNS rebinding)
  gets nothing;
- the Origin header, where the browser sends one, must be this page's, and `Sec-Fetch-Site` must not name another site;
- commands are `POST` with `Content-Type: application/json`, which no foreign form can send;
- every request needs the secret of this run, from the link that was printed: once in the URL, and from then on as a
  cookie that scripts cannot read. Other users of this machine can reach 127.0.0.1 too; they do not have it.
"""

from __future__ import annotations

import asyncio
import hmac
import secrets
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_BODY = 256 * 1024
MAX_UPLOAD = 8 * 2**20
BODY_PATIENCE = 30.0
"""Seconds that the body of a request may take to come."""
UPLOADS = frozenset({"/api/import"})
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
        "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}


@dataclass(frozen=True, slots=True)
class Rules:
    """What counts as this server.

    Attributes:
        hosts: the values the Host header may have; none, if it may have any.
        port: of the server; part of the cookie's name, since cookies do not know ports.
        token: the secret that requests must carry.
    """

    hosts: frozenset[str]
    port: int
    token: str

    @classmethod
    def for_address(cls, host: str, port: int) -> Rules:
        """The rules for a server bound to `host`.

        >>> sorted(Rules.for_address("127.0.0.1", 7469).hosts)
        ['127.0.0.1:7469', '[::1]:7469', 'localhost:7469']
        >>> Rules.for_address("0.0.0.0", 7469).hosts
        frozenset()
        """
        names = ("127.0.0.1", "localhost", "[::1]") if host in LOOPBACK else ()
        # From elsewhere one may come under any of the machine's names; the Origin check then compares with Host.
        return cls(frozenset(f"{name}:{port}" for name in names), port, secrets.token_urlsafe(24))

    @property
    def cookie(self) -> str:
        return f"shown-studio-{self.port}"


class Guard:
    """The layer: refuses what breaks the rules, and adds the headers to every answer."""

    def __init__(self, app: ASGIApp, rules: Rules) -> None:
        self.app = app
        self.rules = rules

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                headers.setdefault("cache-control", "no-store")
            await send(message)

        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, send_with_headers)
            return
        await self.app(scope, _limited(scope, receive), send_with_headers)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "").lower()
        if self.rules.hosts and host not in self.rules.hosts:
            return _refuse(421, "this studio does not answer under that name. Use the address it printed.")
        if not host:
            return _refuse(400, "a Host header is needed.")
        if len(headers.getlist("host")) > 1 or len(headers.getlist("origin")) > 1:
            return _refuse(400, "a header is given twice.")
        origin = headers.get("origin")
        if origin is not None and origin.lower() not in (f"http://{host}", f"https://{host}"):
            return _refuse(403, "another site may not talk to this studio.")
        site = headers.get("sec-fetch-site")
        navigation = scope["method"] == "GET" and scope["path"] == "/" and headers.get("sec-fetch-mode") == "navigate"
        if site not in (None, "same-origin", "none") and not navigation:
            return _refuse(403, "another site may not talk to this studio.")
        if scope["method"] not in ("GET", "HEAD", "POST"):
            return _refuse(405, "GET and POST only.")
        if scope["method"] == "POST":
            kind = headers.get("content-type", "").partition(";")[0].strip().lower()
            if kind != "application/json":
                return _refuse(415, "commands are JSON: Content-Type must be application/json.")
            length = headers.get("content-length")
            if length is None or not length.isascii() or not length.isdigit():
                return _refuse(411, "a Content-Length is needed.")
            if int(length[:12]) > _limit(scope) or len(length) > 12:
                return _refuse(413, f"too large: at most {_limit(scope) // 1024} kB here.")
        return self._token_refusal(scope, headers)

    def _token_refusal(self, scope: Scope, headers: Headers) -> Response | None:
        given = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [""])[-1]
        if given and hmac.compare_digest(given.encode(), self.rules.token.encode()):
            if scope["method"] == "GET" and scope["path"] == "/":
                # The secret moves out of the address bar and the history, into a cookie.
                answer = RedirectResponse("/", status_code=303)
                answer.set_cookie(self.rules.cookie, self.rules.token, httponly=True, samesite="lax", path="/")
                return answer
            return None
        try:
            morsel = SimpleCookie(headers.get("cookie", "")).get(self.rules.cookie)
        except CookieError:
            morsel = None
        if morsel is not None and hmac.compare_digest(morsel.value.encode(), self.rules.token.encode()):
            return None
        if scope["path"] == "/":
            return PlainTextResponse(
                "This studio asks for the link with its secret, the one that was printed when it started.", 403
            )
        return _refuse(403, "the secret from the studio's link is missing or wrong.")


def _limit(scope: Scope) -> int:
    return MAX_UPLOAD if scope["path"] in UPLOADS else MAX_BODY


def _limited(scope: Scope, receive: Receive) -> Receive:
    """The request's body, cut off (as if the client had gone) where it is too long or takes too long."""
    left, whole = _limit(scope), False
    end = asyncio.get_running_loop().time() + BODY_PATIENCE

    async def receive_limited() -> Message:
        nonlocal left, whole
        if whole:  # what comes after the body is only that the client has gone
            return await receive()
        try:
            async with asyncio.timeout_at(end):
                message = await receive()
        except TimeoutError:
            return {"type": "http.disconnect"}
        if message["type"] == "http.request":
            left -= len(message.get("body", b""))
            whole = not message.get("more_body", False)
            if left < 0:
                return {"type": "http.disconnect"}
        return message

    return receive_limited


def _refuse(status: int, why: str) -> Response:
    return JSONResponse({"error": why}, status)
