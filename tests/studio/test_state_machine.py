"""A studio in two tabs, asked anything in any order: no fault, and no demonstration is lost."""

import json
import re
import socket
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from hostile_files import lesson_of, levels_of, odd_values, shown_by_expert, spoiled, written
from serving import Server, Tab, check_heard
from shown.studio.commands import COMMANDS
from strategies import damaged, examples

GAMES = ("nim", "chase")
PARTS = ("table", "recordings", "painted", "remarks")
TAKING = ("delete", "undo", "redo")  # commands after which there may be fewer demonstrations
JSON = {"Content-Type": "application/json"}
ASKED = sorted({*COMMANDS} - {"set-aside", "learn", "open"})
"""Commands asked at random; one takes everything away on purpose, and two are asked in their own way."""

CONTENTS = st.sampled_from(
    [content for game in GAMES for content in (lesson_of(game), levels_of(game), shown_by_expert(game).to_json())]
)
FIELDS = {
    "game": st.sampled_from(GAMES),
    "page": st.sampled_from(["1", "2"]),
    "action": st.lists(st.integers(0, 8), min_size=2, max_size=2) | st.none(),
    "level": st.sampled_from(["train:0", "test:0", "random:7", "painted:1", "train:99"]),
    **{name: st.integers(0, 3) for name in ("step", "seed", "count", "first")},
    **{name: st.booleans() for name in ("learn", "toured")},
    "content": CONTENTS,
}
"""What a page may send, but for numbers and positions of the lesson."""
ODD_FIELDS = dict.fromkeys((*FIELDS, "id", "rows"), odd_values)
ODD_FIELDS["content"] = CONTENTS.flatmap(lambda content: damaged(content, odd_values))


class Visits(RuleBasedStateMachine):
    """Two tabs of a studio. `told` is what it has said it has of each game."""

    def __init__(self, server: Server) -> None:
        super().__init__()
        self.server = server
        server.reset()
        self.tabs, self.revisions = [Tab(self.server), Tab(self.server)], dict[str, int]()
        self.told = self.reload()

    def teardown(self) -> None:
        check_heard(self.tabs, self.revisions)
        for tab in self.tabs:
            tab.close()

    def reload(self) -> dict[str, dict[str, Any]]:
        """Return what a page shows that is opened now."""
        views = {game: self.server.post("open", game=game) for game in GAMES}
        return {game: {part: view[part] for part in PARTS} for game, view in views.items()}

    def send(self, command: str, body: Any) -> None:
        """Send a request; a reload shows what the answer says, and if it is refused, what was there before."""
        content = body if isinstance(body, bytes) else written(body)
        status, _, text = self.server.request("POST", f"/api/{command}", content, JSON)
        answer, before, self.told = json.loads(text), self.told, self.reload()
        if status != 200:
            assert status == 400, answer
            assert re.fullmatch(r".{1,10000}", answer["error"])
            assert self.told == before, "a refused request has changed something"
            return
        lesson = answer.get("lesson", answer)
        if "revision" in lesson:
            self.revisions[lesson["game"]] = lesson["revision"]
            assert all(self.told[lesson["game"]][part] == lesson[part] for part in PARTS if part in lesson)
        if command not in TAKING:
            assert all(ids(before[game]) <= ids(self.told[game]) for game in GAMES), "a demonstration is lost"

    def body(self, data: st.DataObject) -> dict[str, Any]:
        """What a page may send about the lesson as it is now."""
        body = data.draw(st.fixed_dictionaries(FIELDS))
        lesson = self.told[body["game"]]
        numbers = sorted(ids(lesson)) or [1]
        return {**body, "id": numbers[body["step"] % len(numbers)], "rows": lesson["table"]["rows"]}

    @rule(game=st.sampled_from(GAMES), page=st.sampled_from(["1", "2"]))
    def play(self, game: str, page: str) -> None:
        hint = self.server.post("hint", game=game)["action"]
        self.send("click", {"game": game, "page": page, "action": hint})

    @rule(game=st.sampled_from(GAMES), page=st.sampled_from(["1", "2"]))
    def demonstrate(self, game: str, page: str) -> None:
        self.send("expert", {"game": game, "page": page})

    @rule(command=st.sampled_from(ASKED), data=st.data())
    def any_command(self, command: str, data: st.DataObject) -> None:
        self.send(command, self.body(data))

    @rule(command=st.sampled_from(ASKED), data=st.data())
    def odd_request(self, command: str, data: st.DataObject) -> None:
        odd = data.draw(st.fixed_dictionaries({}, optional=ODD_FIELDS))
        self.send(command, data.draw(spoiled(written({**self.body(data), **odd}))))

    @rule(game=st.sampled_from(GAMES))
    def undo_and_redo(self, game: str) -> None:
        before = self.told
        if self.server.post("open", game=game)["canUndo"]:
            self.send("undo", {"game": game})
            self.send("redo", {"game": game})
            assert self.told == before

    @rule(game=st.sampled_from(GAMES), programs=st.sampled_from([1, 30, 30, 0, 10**20, "30", None]))
    def learn(self, game: str, programs: Any) -> None:
        self.send("learn", {"game": game, "programs": programs})

    @rule(data=st.data())
    def spoiled_bytes(self, data: st.DataObject) -> None:
        """Whatever is sent on the wire is answered, refused, or the connection ends."""
        port, secret = self.server.port, self.server.secret
        head = f"POST /api/hint HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nShown-Secret: {secret}\r\nConnection: close\r\n"
        sent = data.draw(spoiled(f'{head}Content-Length: 14\r\n\r\n{{"game": "nim"}}'.encode()))
        with socket.create_connection(("127.0.0.1", port), timeout=0.2) as connection:
            try:
                connection.sendall(sent)
                answer = connection.recv(65536)
            except OSError:  # it waits for the rest, or has hung up
                return
        assert not answer or re.match(rb"HTTP/1\.1 [1-4]\d\d ", answer), answer


def ids(lesson: dict[str, Any]) -> set[int]:
    return {card["id"] for card in lesson["recordings"]}


def test_no_request_is_a_fault_and_no_demonstration_is_lost(make_server):
    server = make_server()
    run_state_machine_as_test(
        lambda: Visits(server), settings=settings(max_examples=examples(120), stateful_step_count=25)
    )
    server.post("expert", game="nim")
    before = [server.post("open", game=game)["recordings"] for game in GAMES]
    server.kill()
    server.start()
    assert [server.post("open", game=game)["recordings"] for game in GAMES] == before
