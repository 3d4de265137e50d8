"""What the page shows is saved, restored with its state, marked when out of date, and the same after Undo."""

from __future__ import annotations

import json

import pytest

from serving import Refused, Server, until

GAME = "chase"  # practice takes seconds, so that learning can be seen halfway


def shown(server: Server, game: str = GAME):
    return server.post("open", game=game)["learned"]


def has_rule(server: Server, game: str = GAME):
    learned = shown(server, game)
    return learned if learned["hasPolicy"] and not learned["stale"] and learned["summary"] else None


def begin(server: Server):
    """Return the state of learning halfway: with a rule, but not at its end."""
    server.post("level", game=GAME, level="train:8")
    server.post("expert", game=GAME)
    learned = until(lambda: has_rule(server), "a first rule")
    assert learned["state"] == "running"
    return learned


def test_a_rule_that_was_shown_outlives_a_kill_and_is_not_called_done(make_server):
    server = make_server()
    begin(server)
    server.kill()
    saved = json.loads((server.folder / GAME / "policy.json").read_text())
    assert json.loads((server.folder / GAME / "learned.json").read_text())["state"] == "running"
    server.start()
    learned = shown(server)
    assert learned["state"] in ("waiting", "running")
    assert (learned["hasPolicy"], learned["stale"]) == (True, False)
    assert json.loads(server.get(f"/export/policy.json?game={GAME}"))["components"] == saved["components"]


def test_a_stopped_rule_is_restored_as_stopped_and_learning_can_go_on(make_server):
    server = make_server()
    begin(server)
    server.post("stop", game=GAME)
    stopped = server.learned(GAME)
    assert (stopped["state"], stopped["stale"]) == ("stopped", False)
    server.stop()
    server.start()
    learned = shown(server)
    assert (learned["state"], learned["stale"]) == ("stopped", False)
    won, of = until(lambda: shown(server)["score"], "the rule is scored")
    assert won <= of
    server.post("learn", game=GAME)
    learned = until(lambda: has_rule(server), "the rule stays while learning goes on")
    assert learned["state"] in ("waiting", "running")


def test_a_rule_with_a_struck_condition_is_out_of_date_at_once(studio):
    for _ in range(2):
        studio.post("expert", game="nim")
    learned = studio.learned("nim")
    assert not learned["outdated"]
    studio.post("learn", game=GAME) if shown(studio)["demonstrations"] else begin(studio)  # the learner is busy
    studio.post("strike", game="nim", clause=0, phrase=0, version=learned["version"])
    now = shown(studio, "nim")
    assert (now["hasPolicy"], now["outdated"], now["stale"]) == (True, True, True)
    for file in ("policy.json", "policy.py"):
        with pytest.raises(Refused, match="out of date"):
            studio.get(f"/export/{file}?game=nim")
    assert json.loads(studio.get("/export/lesson.json?game=nim"))["policy"] is None
    studio.post("stop", game=GAME)
    again = studio.learned("nim")
    assert (again["state"], again["outdated"]) == ("done", False)
    assert json.loads(studio.get("/export/policy.json?game=nim"))["components"]


def rule(server: Server) -> list:
    return json.loads(server.get("/export/policy.json?game=nim"))["components"]


def test_undo_brings_back_the_same_rule_at_once(studio):
    """Whether a game was added and taken back in between makes no difference."""
    rules = []
    for _ in range(3):
        studio.post("expert", game="nim")
        assert studio.learned("nim")["state"] == "done"
        rules.append(rule(studio))
    for expected in (rules[1], rules[0]):
        studio.post("undo", game="nim")
        learned = shown(studio, "nim")
        assert (learned["state"], learned["stale"]) == ("done", False)
        assert rule(studio) == expected
    for expected in rules[1:]:
        studio.post("redo", game="nim")
        assert studio.learned("nim")["state"] == "done"
        assert rule(studio) == expected
