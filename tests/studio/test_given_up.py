"""What the studio gives up in a sentence: pictures that take too long, and policies on disk that are none."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from shown.errors import BadInput
from shown.studio import session
from shown.studio.downloads import download
from shown.studio.project import Project
from shown.studio.session import Studio


class NeverAnswers:
    """A player process that is asked in vain."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.replaced = 0

    async def ask(self, do: str, **request: Any) -> dict[str, Any]:
        self.asked.append(do)
        await asyncio.Event().wait()
        return {}

    def replace(self) -> None:
        self.replaced += 1


def test_the_film_of_a_demonstration_has_a_time_limit(tmp_path, monkeypatch):
    assert session.ASK_SECONDS == 30
    monkeypatch.setattr(session, "ASK_SECONDS", 0.2)

    async def film() -> NeverAnswers:
        with Project(tmp_path / "project") as project:
            studio = Studio(project)
            player = studio.processes.player = NeverAnswers()
            (await studio.workspace("nim")).expert()
            with pytest.raises(BadInput, match=r"took more than .* seconds and was given up"):
                await download(studio, "demonstration.gif", "nim", "", "1")
            return player

    # In a thread of its own: where a browser is driven, the main one has an event loop already.
    with ThreadPoolExecutor(1) as thread:
        player = thread.submit(lambda: asyncio.run(film())).result()
    assert (player.asked, player.replaced) == (["film"], 1)


@pytest.mark.slow
def test_scores_are_answered_whatever_is_in_place_of_the_policy(make_server):
    server = make_server()
    server.post("expert", game="nim")
    assert server.learned("nim")["state"] == "done"
    path = server.folder / "nim" / "policy.json"
    whole = json.loads(path.read_text())
    for wrong in (3, {**whole, "components": [{}]}):
        server.kill()
        path.write_text(json.dumps(wrong))
        server.start()
        assert "scores" in server.post("scores", game="nim"), wrong
    assert server.learned("nim")["state"] == "done"
