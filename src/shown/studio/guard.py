"""Access checks and limits for every request, as a layer around the app.

A page of any other site open in the same browser can send requests to 127.0.0.1, and so can other users of this
machine. Neither may read anything here or change anything. Four checks, each sufficient against most attacks:

- the Host header must be this server's own, so a foreign name that resolves to 127.0.0.1 (DNS rebinding) gets nothing;
- the Origin header, where the browser sends one, must be this page's, and `Sec-Fetch-Site` must not name another site;
- commands are `POST` with `Content-Type: application/json`, which no form of another site can send;
- everything but the page's own files needs the secret of this run, in a header that the page adds. It is in the
  fragment of the printed link, which browsers do not send, and not in a cookie, which they would send to every port.
"""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Collection

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_BODY = 256 * 1024
MAX_UPLOAD = 8 * 2**20
UPLOAD = "/api/import"  # the command that may be as large as MAX_UPLOAD
BODY_SECONDS = 30.0  # a body that takes longer is cut off
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
SECRET_HEADER = "shown-secret"

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


def hosts_of(host: str, port: int) -> frozenset[str]:
    """Return the values of the Host header that a server bound to `host` answers to; empty for any.

    >>> sorted(hosts_of("127.0.0.1", 7469))
    ['127.0.0.1:7469', '[::1]:7469', 'localhost:7469']
    >>> hosts_of("0.0.0.0", 7469)
    frozenset()
    """
    # Other machines may use any name of this one; the Origin check then compares with Host.
    names = ("127.0.0.1", "localhost", "[::1]") if host in LOOPBACK else ()
    return frozenset(f"{name}:{port}" for name in names)


class Guard:
    """Refuse requests that break the rules, and add security headers to every answer.

    The paths in `public`, those of the page's own files, need no secret.
    """

    def __init__(self, app: ASGIApp, hosts: Collection[str], secret: str, public: Collection[str]) -> None:
        self.app, self.hosts, self.secret, self.public = app, hosts, secret.encode(), public

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

        headers = Headers(scope=scope)
        refused = self._check_source(scope, headers) or self._check_body(scope, headers) or self._check_secret(scope)
        await (refused or self.app)(scope, _limited(scope, receive), send_with_headers)

    def _check_source(self, scope: Scope, headers: Headers) -> Response | None:
        """Refuse what was addressed to another server, or sent by another site."""
        host = headers.get("host", "").lower()
        if self.hosts and host not in self.hosts:
            return refusal(421, "this studio has another address. Use the link it printed.")
        if not host:
            return refusal(400, "the Host header is missing.")
        if len(headers.getlist("host")) > 1 or len(headers.getlist("origin")) > 1:
            return refusal(400, "the Host or Origin header is given twice.")
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        # A link on another site may lead to the page: that shows it, and tells the other site nothing.
        page = scope["method"] == "GET" and scope["path"] == "/"
        navigation = page and headers.get("sec-fetch-mode") == "navigate"
        foreign = origin is not None and origin.lower() not in (f"http://{host}", f"https://{host}")
        if foreign or (site not in (None, "same-origin", "none") and not navigation):
            return refusal(403, "requests from other sites are refused.")
        return None

    def _check_body(self, scope: Scope, headers: Headers) -> Response | None:
        """Refuse methods, kinds of content and sizes that the page never sends."""
        if scope["method"] not in ("GET", "HEAD", "POST"):
            return refusal(405, "only GET and POST are allowed.")
        if scope["method"] != "POST":
            return None
        if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            return refusal(415, "commands are JSON: Content-Type must be application/json.")
        length = headers.get("content-length", "")
        if not length.isascii() or not length.isdigit():
            return refusal(411, "the Content-Length header is missing.")
        if len(length) > 12 or int(length) > _max_body(scope):
            return refusal(413, f"the request is too large: at most {_max_body(scope) // 1024} kB.")
        return None

    def _check_secret(self, scope: Scope) -> Response | None:
        if scope["path"] in self.public:
            return None
        if hmac.compare_digest(dict(scope["headers"]).get(SECRET_HEADER.encode(), b""), self.secret):
            return None
        return refusal(403, "the studio's secret is missing or wrong. Open the link that `shown studio` printed.")


def _max_body(scope: Scope) -> int:
    return MAX_UPLOAD if scope["path"] == UPLOAD else MAX_BODY


def _limited(scope: Scope, receive: Receive) -> Receive:
    """Cut the request's body off, as if the client had gone, where it is too long or takes too long."""
    left, whole = _max_body(scope), False
    end = asyncio.get_running_loop().time() + BODY_SECONDS

    async def receive_limited() -> Message:
        nonlocal left, whole
        if whole:  # only a disconnection can follow the body
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


def refusal(status: int, why: str) -> Response:
    """Return an error as an answer."""
    return JSONResponse({"error": why}, status)
