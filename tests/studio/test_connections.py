"""Idle connections: how long, how many, and that nobody else notices."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from types import SimpleNamespace

import h11
import pytest
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from serving import Server, until
from shown.studio import guard
from shown.studio.connections import MAX_OPEN, ConnectionPool, LimitedProtocol, max_open, protocol
from shown.studio.guard import Guard


@dataclass(eq=False)
class Client:
    peer: str
    aborted: bool = False

    def abort(self) -> None:
        self.aborted = True


def connect(pool: ConnectionPool, peers: str) -> list[Client]:
    clients = [Client(peer) for peer in peers]
    for client in clients:
        pool.open(client)
    return clients


def aborted(clients: list[Client]) -> list[int]:
    return [i for i, client in enumerate(clients) if client.aborted]


def test_the_peer_with_the_most_idle_connections_loses_its_oldest():
    pool = ConnectionPool(max_open=4)
    clients = connect(pool, "abaa")
    pool.set_idle(clients[0])  # more of the same half request: it is still the oldest
    clients += connect(pool, "bb")
    assert aborted(clients) == [0, 1]


def test_busy_connections_are_not_aborted():
    pool = ConnectionPool(max_open=2)
    clients = connect(pool, "aa")
    pool.set_busy(clients[0])
    clients += connect(pool, "a")
    assert aborted(clients) == [1]
    pool.set_busy(clients[2])
    assert aborted(connect(pool, "b")) == [0]  # with all others busy, the new one goes
    pool.set_idle(clients[0])
    assert aborted(connect(pool, "b")) == []
    assert aborted(clients) == [0, 1]


def test_closed_connections_leave_room():
    pool = ConnectionPool(max_open=1)
    for _ in range(5):
        client = connect(pool, "a")[0]
        pool.close(client)
        pool.close(client)
        assert not client.aborted


@pytest.mark.parametrize(("allowed", "most"), [(20, 16), (256, 128), (1024, 512), (10**6, MAX_OPEN)])
def test_half_of_the_files_are_left_for_other_uses(monkeypatch, allowed, most):
    monkeypatch.setattr("resource.getrlimit", lambda _: (allowed, allowed))
    assert max_open() == most


async def _answer(scope, receive, send):
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


@pytest.fixture
def impatient():
    """The port of a server that closes idle connections at once."""
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(
        _answer, http=protocol(ConnectionPool(), 0.05), lifespan="off", log_level="critical", ws="none"
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listener])), daemon=True)
    thread.start()
    until(lambda: server.started, "the server starts")
    yield listener.getsockname()[1]
    server.should_exit = True
    thread.join()


WHOLE = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


@pytest.mark.parametrize("sent", [b"", b"GE", b"GET / HTTP/1.1\r\nHost: x\r\n", WHOLE + b"GET / HT"])
def test_half_a_request_times_out(impatient, sent):
    with socket.create_connection(("127.0.0.1", impatient), timeout=60) as line:
        line.sendall(sent)
        answer = b""
        try:
            while data := line.recv(1000):
                answer += data
        except ConnectionResetError:
            pass
        assert (b"200 OK" in answer) == sent.startswith(WHOLE)


def test_a_trickle_times_out(impatient):
    with socket.create_connection(("127.0.0.1", impatient), timeout=60) as line:
        line.sendall(b"GET / HTTP/1.1\r\nX: ")

        def gone() -> bool:
            try:
                line.sendall(b"x")
            except (BrokenPipeError, ConnectionResetError):
                return True
            return False

        until(gone, "the line is cut")


def test_a_body_that_does_not_come_times_out(monkeypatch):
    monkeypatch.setattr(guard, "BODY_SECONDS", 0.05)
    heard = []

    async def app(scope, receive, send):
        heard.extend([await receive(), await receive()])

    async def receive():
        if heard or sent:
            await asyncio.Event().wait()
        sent.append(True)
        return {"type": "http.request", "body": b"{", "more_body": True}

    async def nobody(message):
        pass

    sent: list[bool] = []
    headers = [(b"host", b"x"), (b"content-type", b"application/json"), (b"content-length", b"9")]
    headers.append((b"shown-secret", b"secret"))
    scope = {"type": "http", "method": "POST", "path": "/api/open", "query_string": b"", "headers": headers}
    # In another thread, because the browser of other tests has a loop running in this one.
    thread = threading.Thread(target=lambda: asyncio.run(Guard(app, (), "secret", ())(scope, receive, nobody)))
    thread.start()
    thread.join()
    assert [message["type"] for message in heard] == ["http.request", "http.disconnect"]


@pytest.mark.slow
def test_unfinished_requests_block_nobody_and_fill_no_log(tmp_path):
    """More unfinished requests than the server may have files, without the secret, over and over."""
    with open(tmp_path / "log", "w+") as log:
        server = Server(tmp_path / "project", host="0.0.0.0", most_files=128, log=log)
        try:
            for part in (b"", b"GET / HTTP/1.1\r\nHost: x\r\n", b"nonsense\r\n\r\n"):
                with ExitStack() as stack:
                    for _ in range(200):
                        line = stack.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=60))
                        line.sendall(part)
                    assert server.post("open", game="nim")["table"]
            server.post("expert", game="nim")
            assert server.learned("nim")["hasPolicy"]
        finally:
            server.stop()
        log.seek(0)
        text = log.read()
    assert "Traceback" not in text
    assert len(text) < 1000


def test_every_request_of_a_crowd_is_answered(server):
    """500 connections at a time, as a load test opens them."""
    body = b'{"game": "nim"}'
    head = (
        f"POST /api/peek HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nShown-Secret: {server.secret}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )

    async def ask(gate: asyncio.Semaphore) -> bytes:
        async with gate:
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            writer.write(head.encode() + body)
            try:
                return (await reader.read())[:12]
            except ConnectionResetError:
                return b""
            finally:
                writer.close()

    async def crowd() -> list[bytes]:
        gate = asyncio.Semaphore(500)
        return await asyncio.gather(*(ask(gate) for _ in range(2000)))

    with ThreadPoolExecutor(1) as pool:  # the browser of other tests has a loop running in this thread
        answers = Counter(pool.submit(asyncio.run, crowd()).result())
    assert answers == {b"HTTP/1.1 400": 2000}  # a peek needs an action


@pytest.mark.parametrize(("state", "answered"), [(h11.IDLE, True), (h11.SEND_RESPONSE, True), (h11.MUST_CLOSE, False)])
def test_a_request_that_turns_out_bad_after_its_answer_only_ends_the_connection(monkeypatch, state, answered):
    sent: list[str] = []
    monkeypatch.setattr(H11Protocol, "send_400_response", lambda self, msg: sent.append(msg))
    half = SimpleNamespace(our_state=state)
    transport = SimpleNamespace(close=lambda: sent.append("closed"))
    bound = LimitedProtocol.__new__(LimitedProtocol)
    bound.conn, bound.transport = half, transport
    bound.send_400_response("Invalid HTTP request received.")
    assert sent == (["Invalid HTTP request received."] if answered else ["closed"])


@pytest.mark.parametrize("first", ["", "GET / HTTP/1.1\r\nHost: x\r\n\r\n"], ids=["alone", "after another"])
def test_what_is_no_http_in_the_middle_of_a_request_is_not_logged(first, tmp_path):
    """Strangers could fill a disk with tracebacks, 5 kB a request."""
    with open(tmp_path / "log", "w+") as log:
        server = Server(tmp_path / "project", log=log)
        try:
            head = f"POST /api/hello HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nTransfer-Encoding: chunked\r\n\r\n"
            with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
                connection.sendall(f"{first}{head}{{}}no chunk\r\n\r\n".encode())
                while answer := connection.recv(65536):
                    assert b"HTTP/1.1 5" not in answer
            assert server.post("hello")["games"]
        finally:
            server.stop()
        log.seek(0)
        assert "Traceback" not in log.read()
