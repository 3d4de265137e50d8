"""What can be taken home: the policy, a Python module, the demonstrations, the levels, a GIF of any run."""

from __future__ import annotations

import base64
import json
from typing import Any

from shown.errors import BadInput, did_you_mean
from shown.files import encode_json
from shown.studio.desk import Desk
from shown.studio.lessons import MAX_FILE, Shared
from shown.studio.places import key_of
from shown.studio.session import Studio, as_request

DOWNLOADS = (
    *("lesson.json", "policy.json", "policy.py", "demonstrations.json", "levels.json"),
    *("run.gif", "demonstration.gif"),
)


async def download(studio: Studio, what: str, game: str, level: str, number: str) -> tuple[str, str, bytes]:
    """The file's name, media type and content. `level` or `number` say which run a GIF shows."""
    if what not in DOWNLOADS:
        raise BadInput(f"nothing called {what[:40]!r} to download. {did_you_mean(what[:40], DOWNLOADS)}")
    desk = studio.desk(game)
    name = f"{key_of(desk.game.name)}-{what}"
    if what == "lesson.json":
        return name, "application/json", _lesson(studio, desk)
    if what == "policy.json":
        if desk.learned.policy is None:
            raise BadInput("nothing has been learned yet.")
        return name, "application/json", _json(desk.learned.policy)
    if what == "policy.py":
        answer = await studio.ask_player(desk, "python")
        return name.replace("-", "_"), "text/x-python; charset=utf-8", answer["text"].encode()
    if what == "demonstrations.json":
        return name, "application/json", _json(desk.demonstrations().to_json())
    if what == "levels.json":
        return name, "application/json", _json(_levels(desk))
    if what == "run.gif":
        chosen, _, seed = level.partition("@")
        found = desk.level(chosen)
        answer = await studio.ask_player(desk, "gif", **as_request(found), seed=_whole(seed or "0"))
        return name, "image/gif", base64.b64decode(answer["gif"])
    recording = desk.recording(_whole(number))
    answer = await studio.player.ask("film", game=desk.game.name, recording=recording)
    return name, "image/gif", base64.b64decode(answer["gif"])


def _lesson(studio: Studio, desk: Desk) -> bytes:
    """The lesson as a file to send; a policy that was learned from something else stays here."""
    learned = desk.learned
    policy, tried = (learned.policy, learned.tried) if not learned.stale else (None, [])
    levels = tuple(painted.level.grid for painted in desk.painted)
    recordings, way = desk.lesson.recordings, studio.settings.way(desk.game.name)
    if not recordings and not levels:
        raise BadInput("nothing has been shown yet.")
    shared = Shared(desk.game, recordings, levels, way, policy, desk.lesson.remarks, tried, desk.scores)
    return encode_json(shared.to_json(), "the lesson", MAX_FILE)


def _levels(desk: Desk) -> dict[str, Any]:
    legal = [p.level.grid.text for p in desk.painted if desk.legality(p.level.grid)["legal"]]
    if not legal:
        raise BadInput("no legal level has been painted yet.")
    return {"game": desk.game.name, "levels": legal}


def _json(value: Any) -> bytes:
    return (json.dumps(value, indent=1, ensure_ascii=False) + "\n").encode()


def _whole(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 15):
        raise BadInput("a whole number is needed there.")
    return int(text)
