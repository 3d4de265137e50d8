"""Downloads: the lesson, the policy as data and as a Python module, the demonstrations, the levels, GIFs of runs."""

from __future__ import annotations

import base64
from typing import Any

from shown.errors import BadInput, did_you_mean
from shown.files import encode_json
from shown.studio.session import Studio, as_request
from shown.studio.workspace import Workspace
from shown.teaching.lessons.lesson_file import MAX_FILE, LessonFile
from shown.teaching.lessons.starts import key_of

DOWNLOADS = (
    *("lesson.json", "policy.json", "policy.py", "demonstrations.json", "levels.json"),
    *("run.gif", "demonstration.gif"),
)


async def download(studio: Studio, what: str, game: str, level: str, number: str) -> tuple[str, str, bytes]:
    """Return a file's name, media type and content. A GIF shows a run on `level`, or demonstration `number`."""
    if what not in DOWNLOADS:
        raise BadInput(f"no download called {what[:40]!r}. {did_you_mean(what[:40], DOWNLOADS)}")
    workspace = await studio.workspace(game)
    name = f"{key_of(workspace.game.name)}-{what}"
    if what == "policy.py":
        studio.check_current(workspace)
        answer = await studio.ask_player(workspace, "python")
        return name.replace("-", "_"), "text/x-python; charset=utf-8", answer["text"].encode()
    if what == "run.gif":
        chosen, _, seed = level.partition("@")
        start = await studio.run(workspace.game, lambda: as_request(workspace.level(chosen)))
        answer = await studio.ask_player(workspace, "gif", **start, seed=_whole(seed or "0"))
        return name, "image/gif", base64.b64decode(answer["gif"])
    if what == "demonstration.gif":
        recording = workspace.recording(_whole(number))
        answer = await studio.ask("film", workspace, recording=recording)
        return name, "image/gif", base64.b64decode(answer["gif"])
    content = await studio.run(workspace.game, lambda: _json_file(studio, workspace, what))
    return name, "application/json", content


def _json_file(studio: Studio, workspace: Workspace, what: str) -> bytes:
    if what == "lesson.json":
        return encode_json(lesson_file(studio, workspace).to_json(), "the lesson", MAX_FILE)
    if what == "demonstrations.json":
        value: Any = workspace.demonstrations().to_json()
    elif what == "levels.json":
        legal = [grid.text for grid in workspace.painted.values() if workspace.legality(grid)["legal"]]
        if not legal:
            raise BadInput("no legal level has been painted yet.")
        value = {"game": workspace.game.name, "levels": legal}
    else:
        if workspace.learning.policy is None:
            raise BadInput("nothing has been learned yet.")
        studio.check_current(workspace)
        value = workspace.learning.policy
    return encode_json(value, what)


def lesson_file(studio: Studio, workspace: Workspace) -> LessonFile:
    """Return the lesson as a file has it, without a policy that is out of date or not finished."""
    learning, lesson = workspace.learning, workspace.lesson
    if not lesson.recordings and not workspace.painted:
        raise BadInput("nothing has been shown yet.")
    finished = learning.state == "done" and not learning.stale
    return LessonFile(
        workspace.game,
        lesson.recordings,
        tuple(workspace.painted.values()),
        studio.settings.preferences_for(workspace.game.name),
        learning.policy if finished else None,
        lesson.remarks,
        learning.tried if finished else [],
        workspace.scores,
    )


def _whole(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 15):
        raise BadInput("a whole number is needed there.")
    return int(text)
