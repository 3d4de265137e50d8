"""The studio without a browser: the whole story over HTTP, and what happens when parts of it are killed."""

from __future__ import annotations

import io
import json
import os
import signal
import socket
import subprocess
import sys
import threading

import pytest
from PIL import Image

from serving import Refused, Server, alive, until
from shown.demonstrations import Demonstrations
from shown.grid import Grid
from shown.policy import Policy
from shown.teaching.interpretation.interpretations import EXACT_CLICKS
from shown.worlds import GAMES, Level, find, load_levels, play


def click_as_expert(server: Server, game: str) -> dict:
    """One click of someone who knows how to play."""
    table = server.post("open", game=game)["table"]
    action = find(game).expert(Grid(tuple(table["rows"])))
    return server.post("click", game=game, action=list(action))


def win(server: Server, game: str) -> dict:
    while True:
        answer = click_as_expert(server, game)
        if answer["happened"] == "won":
            return answer


def numbers(server: Server, game: str) -> list[int]:
    """The ids of a game's recordings; a studio gives none out twice."""
    return [card["id"] for card in server.post("open", game=game)["recordings"]]


@pytest.fixture(scope="module")
def taught(tmp_path_factory):
    """A studio that was shown three games of Nim, and has learned from them."""
    studio = Server(tmp_path_factory.mktemp("taught") / "project")
    for _ in range(3):
        win(studio, "nim")
    assert studio.learned("nim")["state"] == "done"
    yield studio
    studio.stop()


def test_learning_starts_by_itself_and_says_how_it_stands(taught):
    learned = taught.learned("nim")
    assert learned["hasPolicy"]
    summary = learned["summary"]
    assert 0 < summary["distinct"] < summary["programs"] == 10_000
    assert summary["expected"] == {"won": 12, "of": 12, "more_or_less": 0}
    assert (summary["interpretation"], summary["mirrored"]) == ("exact clicks", True)
    assert learned["tried"] == [["exact clicks, plus mirror images", True, 1.0]]
    assert any("the clicked cell" in phrase for clause in learned["summary"]["clauses"] for phrase in clause)


def test_the_policy_plays_levels_nobody_has_shown_it(taught):
    levels = taught.post("unseen", game="nim", count=6, first=0)["levels"]
    shown = [card["rows"] for card in taught.post("open", game="nim")["recordings"]]
    for level in levels:
        assert level["rows"] not in shown
        run = taught.post("run", game="nim", level=level["name"], seed=0)
        assert run["won"]
        assert run["steps"][0]["rows"] == level["rows"]
    names = [level["name"] for level in levels]
    together = taught.post("runs", game="nim", levels=names, seed=0)["runs"]
    alone = [taught.post("run", game="nim", level=name, seed=0) for name in names]
    assert together == [{key: value for key, value in run.items() if key != "version"} for run in alone]


def test_clauses_say_which_clicks_they_stand_for(taught):
    answer, rule = taught.post("clicks", game="nim"), taught.learned("nim")["summary"]
    assert len(answer["clauses"]) == len(rule["clauses"]) == len(rule["images"])
    assert answer["left"] == ""
    assert sum(clause["count"] for clause in answer["clauses"]) >= answer["of"]
    example = answer["clauses"][0]["example"]
    assert example["place"][0] == 0
    r, c = example["action"]
    assert example["rows"][r][c] == "|"


def test_a_position_is_explained(taught):
    rows = ["|.", "|.", "||"]
    position = taught.post("position", game="nim", rows=rows)
    assert sum(p for _, _, p in position["probabilities"]) == pytest.approx(1, abs=0.02)
    assert position["chosen"] == [1, 0]
    why = taught.post("why", game="nim", rows=rows, action=[1, 0])
    assert why["allowing"] > 0
    holding = [clause for clause in why["clauses"] if clause["holds"]]
    assert holding
    assert all(literal["holds"] and literal["phrase"] and literal["cells"] for literal in holding[0]["literals"])
    against = taught.post("why", game="nim", rows=rows, action=[0, 1])
    assert not any(clause["holds"] for clause in against["clauses"])


def test_the_most_useful_level_is_offered(taught):
    learned = until(lambda: (now := taught.learned("nim"))["next"] and now, "a level is offered")
    assert 0 <= learned["next"]["doubt"] <= 1
    shown = [card["rows"] for card in taught.post("open", game="nim")["recordings"]]
    assert learned["next"]["rows"] not in shown


def test_everything_can_be_taken_home_and_works_there(taught, tmp_path):
    policy = Policy.from_json(json.loads(taught.get("/export/policy.json?game=nim")))
    level = load_levels(find("nim"), "test:0")[0]
    run = taught.post("run", game="nim", level="test:0", seed=0)
    assert list(policy.act(level.grid)) == run["steps"][0]["action"]
    demonstrations = Demonstrations.from_json(json.loads(taught.get("/export/demonstrations.json?game=nim")))
    assert len(demonstrations) == len([c for c in taught.post("open", game="nim")["recordings"] if c["learn"]])
    module = tmp_path / "nim_policy.py"
    module.write_bytes(taught.get("/export/policy.py?game=nim"))
    grid = json.dumps(list(level.grid.rows))
    # The module stands alone: it runs in a Python that sees nothing that is installed.
    out = subprocess.run(
        [
            sys.executable,
            "-I",
            "-S",
            "-c",
            f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import nim_policy; print(nim_policy.act({grid}))",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert list(eval(out.stdout, {"__builtins__": {}})) == run["steps"][0]["action"]
    for path in ("/export/run.gif?game=nim&level=test:0@0", "/export/demonstration.gif?game=nim&id=1"):
        picture = Image.open(io.BytesIO(taught.get(path)))
        assert picture.format == "GIF"
        assert picture.n_frames > 2
    with pytest.raises(Refused, match="painted"):
        taught.get("/export/levels.json?game=nim")
    taught.post("paint", game="nim", rows=["|.", "||"])
    levels = json.loads(taught.get("/export/levels.json?game=nim"))
    assert levels == {"game": "nim", "levels": ["|.\n||"]}


def test_what_was_taken_home_can_be_brought_back(taught, studio):
    content = json.loads(taught.get("/export/demonstrations.json?game=nim"))
    answer = studio.post("import", game="nim", content=content)
    assert answer["demonstrations"] == len(content["demonstrations"])
    assert studio.learned("nim")["hasPolicy"]
    assert studio.post("import", game="nim", content={"game": "nim", "levels": ["|.\n||"]})["levels"] == 1
    with pytest.raises(Refused, match=r"level 0.*float"):
        studio.post("import", game="nim", content={"game": "nim", "levels": ["|.\n.|"]})


def test_correcting_one_click_is_a_demonstration_and_is_learned_from_at_once(studio):
    win(studio, "nim")
    before = studio.learned("nim")
    rows = ["|.", "|.", "|.", "||"]
    studio.post("correct", game="nim", level="test:0", rows=rows)
    answer = studio.post("click", game="nim", action=[2, 0])
    assert answer["happened"] == "corrected"
    card = answer["lesson"]["recordings"][-1]
    assert (card["kind"], card["clicks"], card["rows"]) == ("correction", 1, rows)
    after = studio.learned("nim")
    assert after["version"] > before["version"]
    assert after["clicks"] == before["clicks"] + 1


def test_recordings_are_edited_and_every_edit_can_be_undone(studio):
    for _ in range(2):
        win(studio, "nim")
    first, second = numbers(studio, "nim")
    whole = studio.post("recording", game="nim", id=first)
    changed = studio.post("change-click", game="nim", id=first, step=0, action=[0, 0])["lesson"]
    assert changed["recordings"][0]["edited"]
    assert (
        studio.post("change-click", game="nim", id=first, step=0, action=None)["lesson"]["recordings"][0]["clicks"]
        == len(whole["steps"]) - 1
    )
    assert not studio.post("count", game="nim", id=second, learn=False)["lesson"]["recordings"][1]["learn"]
    assert len(studio.post("delete", game="nim", id=first)["lesson"]["recordings"]) == 1
    for _ in range(4):
        studio.post("undo", game="nim")
    assert studio.post("recording", game="nim", id=first) == whole
    assert studio.post("open", game="nim")["canRedo"]


def test_with_no_demonstration_left_nothing_is_believed(studio):
    win(studio, "nim")
    assert studio.learned("nim")["hasPolicy"]
    studio.post("delete", game="nim", id=numbers(studio, "nim")[0])
    learned = studio.learned("nim")
    assert (learned["state"], learned["hasPolicy"], learned["summary"]) == ("idle", False, None)
    late = studio.post("run", game="nim", level="test:0", seed=0)
    assert late == {"forgotten": "Nothing has been learned yet. Show the computer a game first."}


def test_a_refused_learn_changes_no_preference(studio):
    before = studio.post("open", game="chase")["learned"]["preferences"]
    with pytest.raises(Refused):
        studio.post("learn", game="chase", programs=77)
    assert studio.post("open", game="chase")["learned"]["preferences"] == before


def test_clicks_that_nothing_explains_are_reported_and_can_be_learned_with_more_programs(studio):
    studio.post("correct", game="nim", level="test:0", rows=["|.", "|.", "|.", "||"])
    studio.post("click", game="nim", action=[2, 0])
    studio.post("learn", game="nim", programs=2, interpretation=EXACT_CLICKS.to_json())
    learned = studio.learned("nim")
    assert learned["state"] == "failed"
    assert not learned["hasPolicy"]
    assert learned["advice"]["here"]["action"] == [2, 0]
    assert learned["advice"]["places"] == [[0, 0], [0, 0]]
    studio.post("learn", game="nim", programs=1000)
    assert studio.learned("nim")["hasPolicy"]
    # How one game is to be learned is no matter of the others.
    ways = [studio.post("open", game=game)["learned"]["preferences"]["programs"] for game in ("nim", "chase")]
    assert ways == [1000, 10_000]


def test_of_many_games_advice_is_about_two_clicks_by_their_numbers_on_the_page(studio):
    for _ in range(9):  # of which the latest six are learned from
        studio.post("expert", game="nim")
    studio.post("learn", game="nim", programs=2, interpretation=EXACT_CLICKS.to_json())
    learned = studio.learned("nim")
    assert learned["state"] == "failed"
    advice = learned["advice"]
    for click, (game, step) in zip((advice["here"], advice["there"]), advice["places"], strict=True):
        assert game >= 3
        shown = studio.post("recording", game="nim", id=numbers(studio, "nim")[game])["steps"][step]
        assert (shown["rows"], shown["action"]) == (click["grid"], click["action"])
    assert f"In game {advice['places'][0][0] + 1}, click {advice['places'][0][1] + 1} was on" in advice["text"]


HARD = ("chase", "train:8")
"""A game and a level from which alone nobody learns it: practice goes on for as long as it may."""


def show_hard(studio: Server) -> None:
    studio.post("level", game=HARD[0], level=HARD[1])
    studio.post("expert", game=HARD[0])
    until(lambda: studio.post("open", game=HARD[0])["learned"]["hasPolicy"], "there is a first rule")


def test_practice_can_be_stopped_and_the_best_so_far_plays_meanwhile_and_after(studio):
    show_hard(studio)
    assert studio.post("open", game=HARD[0])["learned"]["state"] == "running"
    assert studio.post("run", game=HARD[0], level="test:0", seed=0)["steps"]
    studio.post("stop", game=HARD[0])
    learned = studio.learned(HARD[0])
    assert (learned["state"], learned["hasPolicy"], learned["stale"]) == ("stopped", True, False)
    assert json.loads((studio.folder / HARD[0] / "policy.json").read_text())["components"]


def test_a_new_demonstration_takes_the_place_of_what_was_being_learned(studio):
    show_hard(studio)
    before = studio.post("open", game=HARD[0])["learned"]
    learner = [pid for pid, what in studio.children().items() if what == "learns"]
    studio.post("delete", game=HARD[0], id=numbers(studio, HARD[0])[0])
    studio.post("expert", game="nim")
    assert studio.learned("nim")["state"] == "done"
    after = studio.post("open", game=HARD[0])["learned"]
    assert (before["state"], after["state"], after["hasPolicy"]) == ("running", "idle", False)
    assert [pid for pid, what in studio.children().items() if what == "learns"] == learner, "nobody had to be killed"


def test_games_are_learned_in_turn_and_stop_is_about_its_own_game(studio):
    def state(game):
        learned = studio.post("open", game=game)["learned"]
        return learned["state"], learned["waits_for"]

    show_hard(studio)
    studio.post("expert", game="nim")
    assert until(lambda: state("nim") != ("idle", None) and state("nim"), "it waits") == ("waiting", "Chase")
    studio.post("stop", game="nim")
    assert (state("nim"), state("chase")) == (("stopped", None), ("running", None))
    studio.post("learn", game="nim")
    studio.post("stop", game="checkmate")
    assert (state("nim"), state("chase")) == (("waiting", "Chase"), ("running", None))
    studio.post("stop", game="chase")
    assert studio.learned("nim")["state"] == "done"
    assert state("chase") == ("stopped", None)
    for command in ("stop", "undo", "learn"):
        with pytest.raises(Refused, match='"game" must be the name of a game'):
            studio.post(command)


def test_what_was_learned_stays_when_a_later_run_fails(make_server):
    studio = make_server()
    studio.post("expert", game="nim")
    before = studio.learned("nim")
    saved = (studio.folder / "nim" / "policy.json").read_bytes()
    # The same position, shown in two ways that cannot both be a rule's: one click refused by every program.
    studio.post("learn", game="nim", programs=1, interpretation=EXACT_CLICKS.to_json())
    learned = studio.learned("nim")
    assert (learned["state"], learned["hasPolicy"], learned["stale"]) == ("failed", True, True)
    assert learned["summary"] == before["summary"]
    assert studio.post("run", game="nim", level="test:0", seed=0)["steps"]
    assert (studio.folder / "nim" / "policy.json").read_bytes() == saved
    studio.kill()
    studio.start(studio.port)
    assert studio.learned("nim")["state"] == "failed"
    assert studio.post("run", game="nim", level="test:0", seed=0)["steps"], "it still plays after a restart"


@pytest.mark.slow
def test_a_learner_that_dies_again_and_again_is_not_the_end(make_server):
    studio = make_server()
    studio.post("expert", game="nim")
    studio.learned("nim")
    for _ in range(2):
        show_hard(studio)
        for _ in range(2):  # the second time, nobody tries again
            learner = next(pid for pid, what in studio.children().items() if what == "learns")
            os.kill(learner, signal.SIGKILL)
            until(lambda: learner not in studio.children(), "it is gone")  # noqa: B023
            until(lambda: "learns" in studio.children().values(), "it is replaced")
        learned = until(lambda: broken(studio), "it says so")
        assert learned["hasPolicy"]
        assert "Learning failed" in learned["failure"]
    studio.post("learn", game="nim")
    assert studio.learned("nim")["state"] == "done"


def broken(studio: Server) -> dict | None:
    learned = studio.post("open", game=HARD[0])["learned"]
    return learned if learned["state"] == "broken" else None


def test_a_reading_can_be_forced_and_left_to_itself_again(studio):
    studio.post("expert", game="nim")
    studio.learned("nim")
    studio.post("learn", game="nim", mirrored=False, interpretation={"clicks": "exact", "order": "any"})
    learned = studio.learned("nim")
    assert learned["tried"][0][0] == "exact clicks, in any order"
    assert not learned["summary"]["mirrored"]
    assert learned["preferences"]["interpretation"] == {"clicks": "exact", "order": "any"}
    studio.post("learn", game="nim", mirrored=None, interpretation=None)
    assert studio.learned("nim")["summary"]["mirrored"]
    with pytest.raises(Refused, match="interpretation"):
        studio.post("learn", game="nim", interpretation={"clicks": "spell"})


def test_the_words_can_be_chosen(studio):
    studio.post("expert", game="nim")
    assert studio.learned("nim")["summary"]["language"] == "paper"
    studio.post("learn", game="nim", language="standard")
    assert studio.learned("nim")["summary"]["language"] == "standard"
    with pytest.raises(Refused, match="language"):
        studio.post("learn", game="nim", language="os:path")


def test_corrections_leave_the_test_levels_as_they_are(studio):
    win(studio, "nim")
    studio.learned("nim")
    before = studio.post("unseen", game="nim", count=12, first=0)["levels"]
    studio.post("correct", game="nim", level=before[0]["name"], rows=before[0]["rows"])
    click_as_expert(studio, "nim")
    assert studio.post("unseen", game="nim", count=12, first=0)["levels"] == before
    others = studio.post("unseen", game="nim", count=12, first=12)["levels"]
    assert not {level["name"] for level in before} & {level["name"] for level in others}


def test_lessons_begin_with_the_shortest(server):
    for game in server.post("hello")["games"]:
        rules = find(game["name"])
        clicks = [
            len(play(rules, rules.expert, Level(x["name"], Grid(tuple(x["rows"])))).steps) for x in game["lessons"]
        ]
        assert clicks == sorted(clicks)


@pytest.mark.slow
def test_killed_and_started_again_nothing_is_lost(make_server):
    studio = make_server()
    for _ in range(2):
        win(studio, "nim")
    studio.learned("nim")
    studio.post("paint", game="nim", rows=["|.", "||"])
    studio.post("toured", toured=True)
    answer = click_as_expert(studio, "nim")
    assert answer["happened"] == "played"
    before = studio.post("open", game="nim")
    run = studio.post("run", game="nim", level="test:3", seed=0)
    children = studio.children()
    studio.kill()
    until(lambda: not any(map(alive, children)), "the children of a killed server end by themselves")
    studio.start(studio.port)
    hello = studio.post("hello")
    assert (hello["game"], hello["toured"]) == ("nim", True)
    after = studio.post("open", game="nim")
    for key in ("table", "recordings", "painted", "shown"):
        assert after[key] == before[key]
    assert after["learned"]["state"] == "done"
    for key in ("tried", "preferences", "stale"):
        assert after["learned"][key] == before["learned"][key]
    again = studio.post("run", game="nim", level="test:3", seed=0)
    assert {k: v for k, v in again.items() if k != "version"} == {k: v for k, v in run.items() if k != "version"}
    assert studio.post("undo", game="nim")["lesson"]["table"]["clicks"] == 0


def test_killed_at_any_moment_the_files_are_whole(make_server):
    """Clicks and restarts without pause; every time the lesson comes back, with every click that was answered."""
    studio = make_server()
    port = studio.port
    for _ in range(3):
        answered: list[int] = []

        def play() -> None:
            try:
                while True:
                    answer = studio.post("expert", game="nim")
                    answered.append(len(answer["lesson"]["recordings"]))  # noqa: B023
            except (OSError, Refused, json.JSONDecodeError):
                return

        player = threading.Thread(target=play)
        player.start()
        until(lambda: len(answered) > 3, "some games are shown")  # noqa: B023
        studio.kill()
        player.join()
        studio.start(port)
        assert len(studio.post("open", game="nim")["recordings"]) >= answered[-1]


def test_a_child_that_dies_is_replaced(make_server):
    studio = make_server()
    for _ in range(3):
        win(studio, "nim")
    studio.learned("nim")
    before = studio.children()
    assert sorted(before.values()) == ["learns", "plays"]
    for pid in before:
        os.kill(pid, signal.SIGKILL)
    until(lambda: len(set(studio.children()) - set(before)) == 2, "both children are replaced")
    assert studio.post("run", game="nim", level="test:0", seed=0)["won"]
    win(studio, "nim")
    assert studio.learned("nim")["state"] == "done"


def test_hostile_project_files_give_an_error_and_the_other_games_go_on(tmp_path, make_server):
    folder = tmp_path / "hostile"
    (folder / "nim").mkdir(parents=True)
    (folder / "nim" / "lesson.json").write_text("[" * 100_000)
    studio = make_server(folder)
    with pytest.raises(Refused, match=r"lesson\.json.*nested too deeply"):
        studio.post("open", game="nim")
    assert studio.post("open", game="chase")["table"]
    aside = studio.post("set-aside", game="nim")["folder"]
    assert (folder / aside / "lesson.json").read_text() == "[" * 100_000
    assert studio.post("open", game="nim")["recordings"] == []
    with pytest.raises(Refused, match="nothing to set aside"):
        studio.post("set-aside", game="nim")


def test_a_hostile_policy_is_not_believed_but_learned_again(make_server):
    studio = make_server()
    for _ in range(2):
        win(studio, "nim")
    studio.learned("nim")
    studio.stop()
    path = studio.folder / "nim" / "policy.json"
    policy = json.loads(path.read_text())
    policy["components"][0]["clauses"] = [["__import__('os').system('true')"]]
    path.write_text(json.dumps(policy))
    studio.start(studio.port)
    studio.post("open", game="nim")
    with pytest.raises(Refused, match="program"):
        studio.post("run", game="nim", level="test:0", seed=0)
    assert studio.learned("nim")["state"] == "done"
    assert studio.post("run", game="nim", level="test:0", seed=0)["steps"]
    assert "__import__" not in path.read_text()


def test_a_port_in_use_gives_a_clear_message(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        result = start_and_fail("--port", str(port), "--project", str(tmp_path / "project"))
    assert result.returncode == 2
    assert result.stderr.startswith(f"shown: port {port}")
    assert "--port" in result.stderr
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "project").exists()


def test_a_project_that_is_open_does_not_open_twice(server):
    result = start_and_fail("--port", "0", "--project", str(server.folder))
    assert result.returncode == 2
    assert "already open" in result.stderr


@pytest.mark.parametrize("options", [("--port", "x"), ("--port", "70000"), ("--host", "no such host")])
def test_wrong_options_are_one_line(tmp_path, options):
    result = start_and_fail(*options, "--project", str(tmp_path / "project"))
    assert result.returncode == 2
    assert result.stderr.count("\n") == 1


def start_and_fail(*options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "shown", "studio", "--no-browser", *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def test_interrupted_it_ends_at_once_with_its_children(make_server):
    studio = make_server()
    children = studio.children()
    assert studio.stop() == 0
    until(lambda: not any(map(alive, children)), "the children end")


def test_the_page_is_small(server):
    """Everything the first visit loads, in bytes."""
    page = server.get("/").decode()
    paths = [
        "/sprites.css",
        "/icon.svg",
        *(f"/css/{name}.css" for name in ("base", "layout", "board", "teach", "mind")),
    ]
    assert all(path in page for path in paths)
    names = [line.split('"./')[1].split('"')[0] for line in _modules(server)]
    total = len(page) + sum(
        len(server.get(path)) for path in paths + [f"/js/{name}" for name in {*names, "main.js", "theme.js"}]
    )
    total += len(json.dumps(server.post("hello"))) + len(json.dumps(server.post("open", game="chase")))
    assert total < 300_000


def _modules(server: Server) -> list[str]:
    found, queue = [], ["main.js"]
    seen = set(queue)
    while queue:
        text = server.get(f"/js/{queue.pop()}").decode()
        for line in text.splitlines():
            if ' from "./' in line:
                found.append(line)
                name = line.split('"./')[1].split('"')[0]
                if name not in seen:
                    seen.add(name)
                    queue.append(name)
    return found


def test_games_of_other_packages_are_taught_too(make_server, elsewhere, tmp_path):
    elsewhere("aimless = elsewhere:Aimless", "twin = elsewhere:Twin", "lost = nowhere:Lost")
    said = tmp_path / "said"
    with said.open("w") as log:
        studio = make_server(log=log)
        reasons = [line for line in said.read_text().splitlines() if line.startswith("shown: game")]
        assert reasons[0].startswith("shown: game 'aimless' failed (RuntimeError: no idea")
        assert reasons[1].startswith("shown: game 'lost', declared by elsewhere as 'nowhere:Lost', ")
        assert [game["name"] for game in studio.post("hello")["games"]] == [*GAMES, "twin"]
        assert b'id="twin-matchstick"' in studio.request("GET", "/")[2]
        win(studio, "twin")
        assert studio.learned("twin")["state"] == "done"
        with pytest.raises(Refused, match="Game 'lost', declared by elsewhere"):
            studio.post("open", game="lost")
        with pytest.raises(Refused, match="Game 'aimless' failed"):
            studio.post("open", game="aimless")
        studio.stop()
        studio.start()
        assert studio.post("hello")["game"] == "twin"
        assert len(studio.post("open", game="twin")["recordings"]) == 1
