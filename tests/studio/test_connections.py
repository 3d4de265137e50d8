"""Connections that keep the studio waiting: how long, how many, and that nobody else notices."""

from __future__ import annotations

import asyncio
import socket
import threading
from contextlib import ExitStack
from dataclasses import dataclass

import pytest
import uvicorn

from serving import Server, until
from shown.studio import guard
from shown.studio.connections import MAX_OPEN, Crowd, max_open, protocol
from shown.studio.guard import Guard, Rules


@dataclass(eq=False)
class Visitor:
    peer: str = "stranger"
    dropped: bool = False

    def drop(self) -> None:
        self.dropped = True


def arrive(crowd: Crowd, *peers: str) -> list[Visitor]:
    visitors = [Visitor(peer) for peer in peers]
    for visitor in visitors:
        crowd.enters(visitor)
        crowd.waits(visitor)
    return visitors


def dropped(visitors: list[Visitor]) -> list[int]:
    return [i for i, visitor in enumerate(visitors) if visitor.dropped]


def test_the_longest_waiting_of_a_peer_makes_room():
    crowd = Crowd(max_waiting=3)
    visitors = arrive(crowd, "a", "b", "a", "a", "a", "b")
    assert dropped(visitors) == [0]
    crowd.waits(visitors[2])  # more of the same half request: it is still the longest waiting one
    visitors += arrive(crowd, "a")
    assert dropped(visitors) == [0, 2]


def test_who_is_being_served_does_not_wait():
    crowd = Crowd(max_waiting=2)
    visitors = arrive(crowd, "a", "a")
    crowd.served(visitors[0])
    visitors += arrive(crowd, "a")
    assert dropped(visitors) == []
    crowd.waits(visitors[0])  # between two requests, and now the one that has waited least
    assert dropped(visitors) == [1]


def test_who_has_gone_leaves_room():
    crowd = Crowd(max_waiting=1, max_open=1)
    for _ in range(5):
        visitor = arrive(crowd, "a")[0]
        crowd.leaves(visitor)
        crowd.leaves(visitor)
        assert not visitor.dropped


def test_with_all_places_taken_somebody_waiting_makes_room_or_nobody_gets_in():
    crowd = Crowd(max_waiting=9, max_open=3)
    visitors = arrive(crowd, "a", "b", "c", "d")
    assert dropped(visitors) == [0]
    for visitor in visitors[1:]:
        crowd.served(visitor)
    late = arrive(crowd, "e")
    assert dropped(visitors) == [0]
    assert dropped(late) == [0]


@pytest.mark.parametrize(("allowed", "most"), [(20, 16), (256, 128), (1024, 512), (10**6, MAX_OPEN)])
def test_files_and_children_keep_their_share(monkeypatch, allowed, most):
    monkeypatch.setattr("resource.getrlimit", lambda _: (allowed, allowed))
    assert max_open() == most


async def _answer(scope, receive, send):
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


@pytest.fixture
def impatient():
    """A server that waits for next to nothing; gives its port."""
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(_answer, http=protocol(Crowd(), 0.05), lifespan="off", log_level="critical", ws="none")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listener])), daemon=True)
    thread.start()
    until(lambda: server.started, "the server starts")
    yield listener.getsockname()[1]
    server.should_exit = True
    thread.join()


WHOLE = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


@pytest.mark.parametrize("sent", [b"", b"GE", b"GET / HTTP/1.1\r\nHost: x\r\n", WHOLE + b"GET / HT"])
def test_half_a_request_is_not_waited_for_for_ever(impatient, sent):
    with socket.create_connection(("127.0.0.1", impatient), timeout=60) as line:
        line.sendall(sent)
        answer = b""
        try:
            while data := line.recv(1000):
                answer += data
        except ConnectionResetError:
            pass
        assert (b"200 OK" in answer) == sent.startswith(WHOLE)


def test_a_trickle_is_not_waited_for_either(impatient):
    with socket.create_connection(("127.0.0.1", impatient), timeout=60) as line:
        line.sendall(b"GET / HTTP/1.1\r\nX: ")

        def gone() -> bool:
            try:
                line.sendall(b"x")
            except (BrokenPipeError, ConnectionResetError):
                return True
            return False

        until(gone, "the line is cut")


def test_a_body_that_does_not_come_is_given_up(monkeypatch):
    monkeypatch.setattr(guard, "BODY_PATIENCE", 0.05)
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
    rules = Rules(frozenset(), 1, "secret")
    headers = [(b"host", b"x"), (b"content-type", b"application/json"), (b"content-length", b"9")]
    scope = {"type": "http", "method": "POST", "path": "/api/open", "query_string": b"token=secret", "headers": headers}
    # In a thread of its own, since the browser of other tests has a loop running in this one.
    thread = threading.Thread(target=lambda: asyncio.run(Guard(app, rules)(scope, receive, nobody)))
    thread.start()
    thread.join()
    assert [message["type"] for message in heard] == ["http.request", "http.disconnect"]


def test_strangers_who_never_finish_block_nobody_and_fill_no_log(tmp_path):
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
