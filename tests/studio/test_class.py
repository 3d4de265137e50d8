"""A class over HTTP: joining, what each secret opens, what the teacher can do, and kills."""

from __future__ import annotations

import contextlib
import http.client
import json

import pytest

from serving import Refused, Server, until
from shown.cli import main
from shown.studio.class_session import MAX_PAGES, TEACHER_COMMANDS
from shown.studio.classroom import MAX_GUESSES
from shown.studio.commands import COMMANDS, VIEWING
from shown.studio.downloads import DOWNLOADS
from shown.worlds import find

WORLD = "gym:MiniGrid-Empty-Random-6x6-v0"
NOT_VIEWING = sorted(set(COMMANDS) - VIEWING)


class Class:
    """A class with Anna and Ben."""

    def __init__(self, folder, *words: str) -> None:
        self.server = Server(folder, words=("--class", *words))
        self.code = self.teach("wall")["code"]
        self.anna, self.ben = (self.join(name) for name in ("Anna", "Ben"))

    def teach(self, name: str, **body):
        return self.server.post_to(f"/class/{name}", **body)

    def join(self, name: str, code: str | None = None) -> Server:
        stranger = self.server.as_holder_of("")
        return self.server.as_holder_of(stranger.post_to("/class/join", name=name, code=code or self.code)["secret"])

    def tile(self, name: str = "Anna"):
        return next(tile for tile in self.teach("wall")["pupils"] if tile["name"] == name)

    def settle(self, **settings) -> None:
        self.teach("settle", **settings)


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    room = Class(tmp_path_factory.mktemp("class") / "class")
    yield room
    room.server.stop()


@pytest.fixture
def room(opened):
    yield opened
    opened.settle(paused=False, joining=True, hints=True, locked=[])
    for client in (opened.anna, opened.ben):
        for card in client.post("open", game="nim")["recordings"]:
            client.post("delete", game="nim", id=card["id"])


def refusal(work, *words, **body) -> tuple[int, str]:
    with pytest.raises(Refused) as caught:
        work(*words, **body)
    return caught.value.status, caught.value.text


def strangers(room) -> list[str]:
    anna = room.anna.secret
    return ["", room.code, f"p1.{room.code}", f"p2.{anna.partition('.')[2]}", anna[1:], anna.upper(), "v1.", "h1."]


# --- doors -----------------------------------------------------------------------------------------------------------


def test_a_pupil_joins_with_a_name_and_the_code(room):
    hello = room.anna.post("hello")
    assert hello["class"]["name"] == "Anna"
    assert hello["class"]["role"] == "pupil"
    assert (room.server.folder / "pupil-1").is_dir()
    assert str(room.server.folder) not in json.dumps(hello)


@pytest.mark.parametrize(("name", "why"), [("anna", "own link"), ("<b>", "1 to 24"), ("", "1 to 24")])
def test_a_name_that_cannot_be_given(room, name, why):
    assert why in refusal(room.join, name)[1]


def test_the_code_is_needed_and_joining_can_be_closed(room):
    assert refusal(room.join, "Carla", "AAAAAA")[0] == 400
    room.settle(joining=False)
    assert "nobody can join" in refusal(room.join, "Carla")[1].lower()
    assert len(room.teach("wall")["pupils"]) == 2


def test_whoever_has_no_secret_or_another_one_gets_nothing(room):
    for secret in strangers(room):
        client = room.server.as_holder_of(secret)
        for name in COMMANDS:
            assert refusal(client.post, name, game="nim")[0] == 403, (name, secret)
        for path in ("/news", "/class/file", *(f"/export/{what}?game=nim" for what in DOWNLOADS)):
            assert client.request("GET", path)[0] == 403, (path, secret)
        for name in TEACHER_COMMANDS:
            assert refusal(client.post_to, f"/class/{name}")[0] == 403, (name, secret)


def test_a_pupil_s_secret_opens_no_command_of_the_teacher_and_the_teacher_s_no_workspace(room):
    for secret in (room.anna.secret, room.tile()["view"], room.tile()["help"]):
        client = room.server.as_holder_of(secret)
        for name in TEACHER_COMMANDS:
            assert refusal(client.post_to, f"/class/{name}")[0] == 403
        assert client.request("GET", "/class/file")[0] == 403
    for name in COMMANDS:
        assert refusal(room.server.post, name, game="nim")[0] == 403
    assert room.server.request("GET", "/news")[0] == 403


def test_nothing_that_a_pupil_sends_reaches_another_one(room):
    room.ben.post("expert", game="nim")
    before = room.ben.post("open", game="nim")
    for extra in (
        {"owner": "pupil-2"},
        {"pupil": 2},
        {"class": 2},
        {"folder": "pupil-2"},
        {"id": 1},
        {"key": ["pupil-2"]},
    ):
        for name in sorted(set(COMMANDS) - {"learn", "live"}):
            with contextlib.suppress(Refused):
                room.anna.post(name, game="nim", **extra)
        for what in DOWNLOADS:
            status, _, content = room.anna.request("GET", f"/export/{what}?game=nim&pupil=2&id=1&level=train:0")
            assert status in (200, 400), what
            assert b"pupil-2" not in content
    after = room.ben.post("open", game="nim")
    for part in ("recordings", "table", "painted", "remarks", "revision"):
        assert after[part] == before[part]


def test_news_are_about_the_own_workspace(room):
    line = http.client.HTTPConnection("127.0.0.1", room.server.port, timeout=20)
    line.request("GET", "/news", headers={"Host": f"127.0.0.1:{room.server.port}", "Shown-Secret": room.anna.secret})
    stream = line.getresponse()
    until(lambda: room.tile()["here"], "Anna's page is open")
    assert not room.tile("Ben")["here"]
    room.ben.post("expert", game="nim")
    room.ben.learned("nim")
    room.anna.post("click", game="nim", action=[0, 0])
    room.settle(paused=True)
    heard = []
    while not heard or not heard[-1][1].get("paused"):
        kind = stream.readline().decode()
        if kind.startswith("event: "):
            heard.append((kind[7:].strip(), json.loads(stream.readline().decode()[6:])))
    line.close()
    # The settings come first: they may have changed since the page asked for them.
    assert [event for event, _ in heard] == ["hello", "class", "taught", "class"]
    until(lambda: not room.tile()["here"], "Anna's page is closed")


def test_guessing_the_code_is_limited(tmp_path):
    room = Class(tmp_path / "class")
    try:
        for _ in range(MAX_GUESSES):
            assert "not the code" in refusal(room.join, "Carla", "AAAAAA")[1]
        assert "Too many wrong codes" in refusal(room.join, "Carla")[1]
        assert room.anna.post("hello")["class"]["name"] == "Anna"  # those inside are not affected
    finally:
        room.server.stop()


def test_one_pupil_cannot_take_all_connections(room):
    lines = []
    headers = {"Host": f"127.0.0.1:{room.server.port}", "Shown-Secret": room.ben.secret}
    for _ in range(MAX_PAGES + 1):
        lines.append(http.client.HTTPConnection("127.0.0.1", room.server.port, timeout=20))
        lines[-1].request("GET", "/news", headers=headers)
    streams = [line.getresponse() for line in lines]
    assert sorted(stream.status for stream in streams) == [200] * MAX_PAGES + [429]
    for line, stream in zip(lines, streams, strict=True):
        stream.close()
        line.close()
    until(lambda: not room.tile("Ben")["here"], "Ben's pages are closed")


# --- the teacher -----------------------------------------------------------------------------------------------------


def test_a_view_shows_everything_and_changes_nothing(room):
    room.anna.post("expert", game="nim")
    room.anna.learned("nim")
    viewer = room.server.as_holder_of(room.tile()["view"])
    assert viewer.post("hello")["class"]["role"] == "viewer"
    own = room.anna.post("open", game="nim")
    assert viewer.post("open", game="nim") == own
    for name in NOT_VIEWING:
        assert "only shows" in refusal(viewer.post, name, game="nim")[1]
    viewer.post("open", game="chase")
    levels = viewer.post("unseen", game="nim", count=2, first=0)["levels"]
    assert viewer.post("runs", game="nim", levels=[level["name"] for level in levels], seed=0)["runs"]
    assert room.tile()["game"] == "nim"
    assert room.anna.post("open", game="nim")["revision"] == own["revision"]


def test_a_paused_pupil_looks_and_a_helper_works(room):
    room.settle(paused=True)
    assert "paused" in refusal(room.anna.post, "click", game="nim", action=[0, 0])[1]
    assert room.anna.post("open", game="nim")["table"]["clicks"] == 0
    helper = room.server.as_holder_of(room.tile()["help"])
    assert helper.post("click", game="nim", action=[0, 0])["happened"]
    assert room.anna.post("open", game="nim")["table"] == helper.post("open", game="nim")["table"]
    helper.post("level", game="nim", level="train:0")


def test_locked_games_are_closed_to_pupils_only(room):
    room.anna.post("expert", game="nim")
    lesson = json.loads(room.anna.get("/export/lesson.json?game=nim"))
    room.settle(locked=["nim", "no such game"])
    assert "nim" not in {game["name"] for game in room.anna.post("hello")["games"]}
    assert room.anna.post("hello")["game"] != "nim"
    assert "locked Nim" in refusal(room.anna.post, "open", game="nim")[1]
    assert "locked Nim" in refusal(room.anna.post, "import", game="chase", content=lesson)[1]
    assert room.server.as_holder_of(room.tile()["help"]).post("open", game="nim")
    every = [game["name"] for game in room.teach("wall")["games"]]
    assert "at least one" in refusal(room.settle, locked=every)[1]
    room.settle(locked=[])


def test_hint_and_expert_can_be_turned_off(room):
    room.settle(hints=False)
    assert not any(game["knows"] for game in room.anna.post("hello")["games"])
    for name in ("hint", "expert"):
        assert "turned this off" in refusal(room.anna.post, name, game="nim")[1]
    room.settle(hints=True)
    assert room.anna.post("hint", game="nim")["action"]


def test_reset_can_be_undone_by_the_pupil(room):
    room.anna.post("expert", game="nim")
    room.anna.learned("nim")
    room.teach("reset", pupil=1, game="nim")
    view = room.anna.post("open", game="nim")
    assert view["recordings"] == []
    assert view["learned"]["state"] == "idle"
    assert len(room.anna.post("undo", game="nim")["lesson"]["recordings"]) == 1


def test_a_lesson_is_given_to_all(room):
    room.anna.post("expert", game="nim")
    room.anna.learned("nim")
    lesson = json.loads(room.anna.get("/export/lesson.json?game=nim"))
    room.anna.post("undo", game="nim")
    assert room.teach("give", content=lesson) == {"title": "Nim", "given": 2, "failed": []}
    for client in (room.anna, room.ben):
        assert len(client.post("open", game="nim")["recordings"]) == 1
        assert client.learned("nim")["hasPolicy"]
    assert "not a lesson" in refusal(room.teach, "give", content={})[1]


def test_the_wall_shows_boards_scores_and_games(room):
    for _ in range(3):
        room.anna.post("expert", game="nim")
    room.anna.learned("nim")
    tile = until(lambda: room.tile() if room.tile()["expected"] else None, "there is a score")
    assert tile["rows"] == room.anna.post("open", game="nim")["table"]["rows"]
    assert (tile["expected"]["won"], tile["games"], tile["stuck"]) == (12, 3, None)


def test_two_rules_are_compared_on_a_level_where_they_differ(room):
    assert "no rule" in refusal(room.teach, "compare", one=1, other=2, game="nim")[1]
    room.anna.post("expert", game="nim")
    for level in ("train:5", "train:6", "train:7"):
        room.ben.post("level", game="nim", level=level)
        room.ben.post("click", game="nim", action=_first_match(room.ben))
        room.ben.post("keep", game="nim")
    for client in (room.anna, room.ben):
        client.learned("nim")
    found = room.teach("compare", one=1, other=2, game="nim")
    assert [one["name"] for one in found["pupils"]] == ["Anna", "Ben"]
    assert all(one["clauses"] for one in found["pupils"])
    assert found["level"]
    one, other = found["runs"]
    assert one["steps"][: found["step"]] == other["steps"][: found["step"]]
    assert one["steps"][found["step"]] != other["steps"][found["step"]]
    same = room.teach("compare", one=1, other=1, game="nim")
    assert same["level"] is None


def _first_match(client: Server) -> list[int]:
    rows = client.post("open", game="nim")["table"]["rows"]
    stick = find("nim").tokens["matchstick"]
    return next([r, row.index(stick)] for r, row in enumerate(rows) if stick in row)


def test_the_sheet_has_every_rule_and_the_file_opens_again(room, tmp_path):
    room.anna.post("expert", game="nim")
    room.anna.learned("nim")
    (row,) = room.teach("sheet", game="nim")["pupils"]
    assert (row["name"], row["games"]) == ("Anna", 1)
    assert row["clauses"]
    assert find("nim").tokens["matchstick"] in "".join(row["rows"])  # not the empty board at the end
    content = room.server.get("/class/file")
    assert room.anna.secret.encode() not in content
    assert room.server.secret.encode() not in content
    path = tmp_path / "class.json"
    path.write_bytes(content)
    again = Server(tmp_path / "again", words=("--class", str(path)))
    try:
        pupils = until(lambda: again.post_to("/class/wall")["pupils"], "the class is there")
        assert [(tile["name"], tile.get("games")) for tile in pupils] == [("Anna", 1), ("Ben", None)]
        again.stop()
        again.start()  # those who are here already are not added twice
        assert len(again.post_to("/class/wall")["pupils"]) == 2
    finally:
        again.stop()


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ({"schema": "shown/lesson/1"}, "not a class file"),
        ({"schema": "shown/class/1", "pupils": 3}, '"pupils" a list'),
        (
            {"schema": "shown/class/1", "pupils": [{"name": "A", "lessons": [{}]}]},
            "pupil 0: a lesson: not a lesson file",
        ),
        ({"schema": "shown/class/1", "pupils": [{"name": "A/B", "lessons": []}]}, "pupil 0: a name has"),
        ({"schema": "shown/class/1", "pupils": [{"name": [], "lessons": []}]}, "pupil 0: a name has"),
    ],
)
def test_a_bad_class_file_is_one_line(tmp_path, capsys, content, why):
    (tmp_path / "class.json").write_text(json.dumps(content))
    words = ["studio", "--class", str(tmp_path / "class.json"), "--no-browser", "--port", "0"]
    assert main([*words, "--host", "127.0.0.1", "--project", str(tmp_path / "class")]) == 2
    error = capsys.readouterr().err
    assert why in error
    assert "Traceback" not in error


def test_a_pupil_who_is_removed_has_no_access_and_keeps_the_files(room):
    carla = room.join("Carla")
    carla.post("expert", game="nim")
    assert room.teach("remove", pupil=room.tile("Carla")["id"])["folder"].endswith("set-aside-1")
    assert refusal(carla.post, "hello")[0] == 403
    assert {tile["name"] for tile in room.teach("wall")["pupils"]} == {"Anna", "Ben"}
    assert "No such pupil" in refusal(room.teach, "remove", pupil=99)[1]


# --- restarts --------------------------------------------------------------------------------------------------------


def test_a_class_goes_on_after_a_kill_with_the_same_code_and_links(room):
    room.anna.post("expert", game="nim")
    room.ben.post("click", game="nim", action=_first_match(room.ben))
    room.settle(hints=False)
    before = [client.post("open", game="nim") for client in (room.anna, room.ben)]
    server = room.server
    server.kill()
    port, secret = server.port, server.secret
    server.start(port)
    assert (server.secret, room.teach("wall")["code"]) == (secret, room.code)
    for client, old in zip((room.anna, room.ben), before, strict=True):
        new = client.post("open", game="nim")
        assert new["recordings"] == old["recordings"]
        assert new["table"] == old["table"]
    assert not room.teach("wall")["settings"]["hints"]
    assert room.anna.learned("nim")["hasPolicy"]
    until(lambda: room.tile()["expected"], "the wall has the score")
    room.ben.post("restart", game="nim")


# --- worlds ----------------------------------------------------------------------------------------------------------


def test_a_class_is_taught_a_world_which_can_be_locked(tmp_path):
    room, world = Class(tmp_path / "class", "--world", WORLD), {"game": WORLD}
    try:
        assert room.anna.post("hello")["game"] == WORLD
        for pupil in (room.anna, room.ben):
            for _ in range(2):
                pupil.post("expert", **world)
        for pupil, name in ((room.anna, "Anna"), (room.ben, "Ben")):
            assert pupil.learned(WORLD)["state"] == "done"
            assert (room.tile(name)["game"], room.tile(name)["expected"]["of"]) == (WORLD, 12)
        compared = room.teach("compare", one=1, other=2, **world)
        assert [one["name"] for one in compared["pupils"]] == ["Anna", "Ben"]
        assert len(room.teach("sheet", **world)["pupils"]) == 2
        room.settle(locked=[WORLD])
        assert "locked" in refusal(room.anna.post, "expert", **world)[1]
    finally:
        room.server.stop()


def test_a_class_cannot_watch_a_game_in_another_world(tmp_path, capsys):
    assert main(["studio", "--class", "--world", "minecraft", "--project", str(tmp_path / "class")]) == 2
    assert "no world to watch" in capsys.readouterr().err
