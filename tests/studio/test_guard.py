"""Access: every way in which another site's page, or a stranger, could try to read or command the studio."""

from __future__ import annotations

import contextlib
import json
import socket

import pytest

from serving import Refused, Server

OPEN = json.dumps({"game": "nim"}).encode()
JSON = {"Content-Type": "application/json"}


def status(server: Server, method: str, path: str, headers: dict[str, str], body: bytes | None = None) -> int:
    return server.request(method, path, body, headers)[0]


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example:{port}", ""]
)
def test_another_host_name_gets_nothing(server, host):
    for path in ("/", "/news", "/js/main.js", "/export/policy.json?game=nim"):
        assert status(server, "GET", path, {"Host": host.format(port=server.port)}) in (400, 421)


@pytest.mark.parametrize("host", ["127.0.0.1:{port}", "localhost:{port}", "LOCALHOST:{port}", "[::1]:{port}"])
def test_this_machine_s_names_are_answered(server, host):
    assert status(server, "GET", "/", {"Host": host.format(port=server.port)}) == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://127.0.0.1.evil.example", "http://127.0.0.1:1", "file://"]
)
def test_another_origin_can_neither_command_nor_read(server, origin):
    assert status(server, "POST", "/api/open", {**JSON, "Origin": origin}, OPEN) == 403
    assert status(server, "GET", "/news", {"Origin": origin}) == 403
    assert status(server, "GET", "/export/demonstrations.json?game=nim", {"Origin": origin}) == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_requests_that_the_browser_attributes_to_another_site_are_refused(server, site):
    for path in ("/js/main.js", "/news", "/export/demonstrations.json?game=nim"):
        assert status(server, "GET", path, {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "no-cors"}) == 403
    assert status(server, "POST", "/api/open", {**JSON, "Sec-Fetch-Site": site}, OPEN) == 403
    # A link on another site may lead to the page.
    assert status(server, "GET", "/", {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate"}) == 200


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_content_that_a_form_can_send_is_no_command(server, kind):
    assert status(server, "POST", "/api/open", {"Content-Type": kind}, OPEN) == 415


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"])
def test_only_get_and_post(server, method):
    assert status(server, method, "/api/open", JSON, OPEN) == 405


def test_no_answer_allows_another_site_anything(server):
    for method, path, body in (("GET", "/", None), ("POST", "/api/open", OPEN), ("GET", "/nothing", None)):
        _, headers, _ = server.request(method, path, body, JSON if body else {})
        assert not [name for name in headers if name.startswith("access-control-")]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert "http" not in policy


def test_large_requests_are_refused_before_they_are_read(server):
    assert status(server, "POST", "/api/open", {**JSON, "Content-Length": str(10**9)}, b"{}") == 413
    with contextlib.suppress(ConnectionResetError):  # a length that is not one may also close the connection
        assert status(server, "POST", "/api/open", {**JSON, "Content-Length": "9" * 30}, b"{}") in (400, 413)
    assert status(server, "POST", "/api/open", JSON, b" " * 300_000 + OPEN) == 413


def test_a_body_without_a_length_is_refused(server):
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as line:
        head = f"POST /api/open HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nContent-Type: application/json\r\n"
        line.sendall(head.encode() + b"Transfer-Encoding: chunked\r\n\r\n")
        assert b" 411 " in line.recv(1000).split(b"\r\n")[0]


@pytest.mark.parametrize(
    "body", [b"", b"nonsense", b"\xff\xfe", b"[" * 100_000, b"[1]", b'"text"', b'{"a":NaN}', b"null"]
)
def test_bodies_that_make_no_sense_are_an_error(server, body):
    code, _, content = server.request("POST", "/api/open", body, JSON)
    assert code == 400
    assert json.loads(content)["error"]


@pytest.mark.parametrize(
    "path",
    [
        "/../../etc/passwd",
        "/..%2f..%2fetc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/js/../../session.py",
        "//etc/passwd",
        "/js/",
        "/js/main.js/",
        "/index.html",
        "/js/main.js%00.css",
        "/session.py",
    ],
)
def test_no_path_reaches_the_file_system(server, path):
    assert status(server, "GET", path, {}) == 404


@pytest.mark.parametrize("game", ["../nim", "/etc", "nim/../chase", "", None, 3, ["nim"], {"nim": 1}, "x" * 1000])
def test_only_games_of_the_table_are_games(server, game):
    with pytest.raises(Refused, match=r"No game|name of a game"):
        server.post("open", game=game)


@pytest.mark.parametrize(
    ("command", "body"),
    [
        ("click", {"action": "not a cell"}),
        ("click", {"action": [99, 99]}),
        ("click", {}),
        ("level", {"level": "/etc/passwd"}),
        ("level", {"level": "../x.json"}),
        ("level", {"level": 5}),
        ("change-click", {"id": 99, "step": 0, "action": None}),
        ("count", {"id": 1, "learn": "yes"}),
        ("correct", {"level": "test:0", "rows": ["xx"]}),
        ("correct", {"level": "test:0", "rows": ["." * 100]}),
        ("paint", {"rows": [1, 2]}),
        ("paint", {"rows": ["." * 33]}),
        ("learn", {"programs": 10**9}),
        ("learn", {"programs": "many"}),
        ("run", {"level": "test:0", "seed": -1}),
        ("runs", {"levels": [], "seed": 0}),
        ("runs", {"levels": ["test:0"] * 100, "seed": 0}),
        ("runs", {"levels": [3], "seed": 0}),
        ("runs", {"levels": "test:0", "seed": 0}),
        ("why", {"rows": ["|.", "||"], "action": [9, 9]}),
        ("unseen", {"count": 10**6, "first": 0}),
        ("import", {"content": {"schema": "shown/demonstrations/1"}}),
        ("import", {"content": {"game": "chase", "levels": ["."]}}),
        ("nothing-of-that-name", {}),
        ("__init__", {}),
    ],
)
def test_requests_that_make_no_sense_are_an_error_in_one_sentence(server, command, body):
    with pytest.raises(Refused) as refused:
        server.post(command, game="nim", **body)
    assert refused.value.status == 400
    assert "\n" not in refused.value.text
    assert "Traceback" not in refused.value.text


@pytest.fixture(scope="module")
def open_server(tmp_path_factory):
    studio = Server(tmp_path_factory.mktemp("open") / "project", host="0.0.0.0")
    yield studio
    studio.stop()


@pytest.fixture(params=["server", "open_server"], ids=["this machine", "any machine"])
def any_server(request):
    return request.getfixturevalue(request.param)


STRANGERS = [{"Shown-Secret": ""}, {"Shown-Secret": "wrong"}, {"Shown-Secret": "\xff"}]


@pytest.mark.parametrize("stranger", STRANGERS, ids=["none", "wrong", "not ASCII"])
def test_all_but_the_page_s_files_needs_the_secret(any_server, stranger):
    """Also on this machine: it may have other users."""
    for path in ("/news", "/export/policy.json?game=nim", f"/news?secret={any_server.secret}", "/nothing"):
        assert status(any_server, "GET", path, stranger) == 403
    for command in ("open", f"open?secret={any_server.secret}", "hello", "nothing-of-that-name"):
        assert status(any_server, "POST", f"/api/{command}", {**stranger, **JSON}, OPEN) == 403
    for path in ("/", "/js/main.js", "/css/base.css", "/icon.svg"):
        assert status(any_server, "GET", path, stranger) == 200


def test_no_cookie_is_set_or_accepted(any_server):
    """Browsers send cookies to every port of a host, and so to servers of other users."""
    code, headers, _ = any_server.request("GET", "/", None, {})
    assert code == 200
    assert "set-cookie" not in headers
    cookies = {"Cookie": f"shown-studio-{any_server.port}={any_server.secret}", "Shown-Secret": ""}
    assert status(any_server, "POST", "/api/open", {**cookies, **JSON}, OPEN) == 403


def test_the_secret_alone_does_not_let_another_site_in(any_server):
    assert status(any_server, "POST", "/api/open", {**JSON, "Origin": "http://evil.example"}, OPEN) == 403


def test_from_elsewhere_it_is_reached_under_any_name(open_server):
    anywhere = {"Host": f"some-name:{open_server.port}", **JSON}
    assert status(open_server, "POST", "/api/open", anywhere, OPEN) == 200
    assert status(open_server, "POST", "/api/open", {**anywhere, "Shown-Secret": ""}, OPEN) == 403


def test_every_run_has_another_secret_in_the_fragment_of_its_link(server, open_server):
    assert server.address == f"http://127.0.0.1:{server.port}/#secret={server.secret}"
    assert len(server.secret) == len(open_server.secret) == 32
    assert server.secret != open_server.secret
