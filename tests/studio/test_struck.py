"""A struck condition is never saved: eight demonstrations, a strike, and Stop, over HTTP."""

from __future__ import annotations

import contextlib
import json
import time

import pytest

from shown.policy import Policy
from shown.teaching.lessons.remarks import Remark, constraints_of
from shown.worlds import find_game

GAME = "stop-the-fall"


def saved(server) -> Policy | None:
    """The policy on disk."""
    with contextlib.suppress(FileNotFoundError):
        return Policy.from_json(json.loads((server.folder / GAME / "policy.json").read_text()))
    return None


@pytest.mark.parametrize("seconds", [0.0, pytest.param(2.0, marks=pytest.mark.slow)])
def test_a_struck_condition_is_never_saved(make_server, seconds):
    server = make_server()
    for _ in range(8):
        server.post("expert", game=GAME)
    server.post("learn", game=GAME, programs=2000)
    learned = server.learned(GAME)
    assert learned["state"] == "done"
    lesson = server.post("strike", game=GAME, clause=0, phrase=0, version=learned["version"])["lesson"]
    struck = constraints_of(find_game(GAME), tuple(Remark.from_json(each, "x") for each in lesson["remarks"]))
    assert struck.struck

    def kept() -> bool:
        policy = saved(server)
        return policy is None or policy.keeps_to(struck)

    end = time.monotonic() + seconds
    while time.monotonic() <= end:
        assert kept()
    server.post("stop", game=GAME)
    while not server._settled(GAME):
        assert kept()
    assert kept()

    server.kill()
    server.start()
    again = server.post("open", game=GAME)
    assert again["remarks"] == lesson["remarks"]
    assert kept()
    learned = server.learned(GAME)
    assert kept()
    if learned["state"] == "done":
        exported = Policy.from_json(json.loads(server.get(f"/export/policy.json?game={GAME}")))
        assert exported.keeps_to(struck)
        assert saved(server).components == exported.components
