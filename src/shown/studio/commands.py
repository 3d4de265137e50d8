"""The commands of the page: one function each, in one table.

Requests are not trusted: every value is checked here before anything else sees it. Every command about a game names
that game. There are five shapes besides the plain one:

- `_look(f)`: f(workspace, request) returns the answer, and does not change the lesson;
- `_draw(f)`: f(workspace, request) returns the answer, and changes the painted levels;
- `_teach(f)`: f changes the lesson; the answer also has the lesson afterwards, which is learned if it has changed;
- `_play(task, f)`: f returns the request to the player process about the policy;
- `_remark(...)`: the player process turns a sentence of the rule into a remark, which is kept.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from shown.demonstrations import Demonstrations
from shown.errors import BadInput, did_you_mean
from shown.grid import action_from_json, action_to_json, check_action
from shown.studio.session import Forgotten, Studio, as_request, shown_text
from shown.studio.workspace import Workspace
from shown.teaching.interpretation.interpretations import INTERPRETATIONS
from shown.teaching.lessons.lesson_file import LessonFile, is_lesson
from shown.teaching.lessons.lesson_json import MAX_PAINTED, before_from_json, check_task, grid_from_json
from shown.teaching.lessons.preferences import Preferences
from shown.teaching.lessons.remarks import Remark, constraints_of, written
from shown.teaching.lessons.scores import scores_to_json
from shown.worlds.games.levels import parse_level

Request = dict[str, Any]
Answer = dict[str, Any]
Command = Callable[[Studio, Workspace, Request], Awaitable[Answer]]
ProjectCommand = Callable[[Studio, Request], Awaitable[Answer]]

MAX_WALL, MAX_FIRST = 24, 500  # levels in one request, and the first of them
MAX_RULE = 4000  # characters of a written rule
MAX_DIFFER = 12  # levels on which candidates are compared


async def command(studio: Studio, name: str, request: Request) -> Answer:
    """Run the command called `name`."""
    if name not in COMMANDS:
        raise BadInput(f"no command called {name[:40]!r}. {did_you_mean(name[:40], COMMANDS)}")
    if name in PROJECT_COMMANDS:
        return await PROJECT_COMMANDS[name](studio, request)
    return await GAME_COMMANDS[name](studio, await studio.workspace(request.get("game")), request)


# --- shapes ----------------------------------------------------------------------------------------------------------


def _look(look: Callable[[Workspace, Request], Answer]) -> Command:
    async def run(studio: Studio, workspace: Workspace, request: Request) -> Answer:
        return await studio.run(workspace.game, lambda: look(workspace, request))

    return run


def _draw(change: Callable[[Workspace, Request], Answer]) -> Command:
    async def run(studio: Studio, workspace: Workspace, request: Request) -> Answer:
        answer = await studio.run(workspace.game, lambda: change(workspace, request))
        _tell_others(studio, workspace, request)
        return answer

    return run


def _teach(change: Callable[[Workspace, Request], Answer | None]) -> Command:
    async def run(studio: Studio, workspace: Workspace, request: Request) -> Answer:
        return await _change(studio, workspace, change, request)

    return run


def _play(task: str, ask: Callable[[Workspace, Request], Request]) -> Command:
    async def run(studio: Studio, workspace: Workspace, request: Request) -> Answer:
        return await studio.ask_player(
            workspace, task, **await studio.run(workspace.game, lambda: ask(workspace, request))
        )

    return run


def _remark(whole: bool) -> Command:
    """Pin a whole sentence of the rule, or strike one condition of it."""

    async def run(studio: Studio, workspace: Workspace, request: Request) -> Answer:
        clause, phrase = _number(request, "clause"), None if whole else _number(request, "phrase")
        found = await studio.ask_player(workspace, "sentence", clause=clause, phrase=phrase)
        if found["version"] != request.get("version"):
            raise Forgotten("the rule has changed. Look at it again.")
        remark = Remark.from_json(found["remark"], "the sentence")
        return await _change(studio, workspace, lambda workspace, _: workspace.say(remark), request)

    return run


async def _change(
    studio: Studio, workspace: Workspace, change: Callable[[Workspace, Request], Answer | None], request: Request
) -> Answer:
    """Change a lesson, learn it if it differs, and return the lesson afterwards."""

    def work() -> tuple[Answer, bool]:
        before = workspace.lesson
        answer = change(workspace, request) or {}
        same = workspace.lesson.recordings is before.recordings
        changed = not same or workspace.lesson.remarks is not before.remarks
        return {**answer, "lesson": workspace.view(brief=same)}, changed

    answer, changed = await studio.run(workspace.game, work)
    if changed:
        studio.drop_under_other_remarks(workspace)
        # After the answer is sent: preparing hundreds of games for the learner takes longer than a click may.
        asyncio.get_running_loop().call_soon(studio.consider, workspace)
    _tell_others(studio, workspace, request)
    return answer


def _tell_others(studio: Studio, workspace: Workspace, request: Request) -> None:
    """Tell the other pages that this one has changed the lesson or the painted levels."""
    page = str(request.get("page"))[:40]
    studio.news.publish("taught", {"game": workspace.game.name, "revision": workspace.revision, "page": page})


# --- the project -----------------------------------------------------------------------------------------------------


async def hello(studio: Studio, request: Request) -> Answer:
    """Return what the page needs first: the games, and the settings."""
    return {
        "games": [entry.about for entry in studio.catalog.entries.values()],
        "game": studio.first,
        "toured": studio.settings.toured,
        "folder": studio.project.path.name,
        "interpretations": [{**one.to_json(), "name": one.name} for one in INTERPRETATIONS],
        "command": studio.command,
    }


async def open_game(studio: Studio, request: Request) -> Answer:
    """Return the lesson of a game and the state of learning."""
    workspace = await studio.open(request.get("game"))
    view = await studio.run(workspace.game, workspace.view)
    return {**view, "learned": studio.learned_view(workspace)}


async def set_aside(studio: Studio, request: Request) -> Answer:
    return {"folder": studio.set_aside(request.get("game"))}


async def toured(studio: Studio, request: Request) -> Answer:
    studio.remember(toured=_flag(request, "toured"))
    return {}


# --- teaching --------------------------------------------------------------------------------------------------------


def _correct(workspace: Workspace, request: Request) -> None:
    grid = grid_from_json(workspace.game, request.get("rows"), "position")
    level = workspace.level(_text(request, "level"))
    workspace.correct(level.name, grid, before_from_json(request.get("before", []), "position"))


def _change_click(workspace: Workspace, request: Request) -> None:
    action = request.get("action")
    new = None if action is None else action_from_json(action)
    workspace.change_click(_number(request, "id"), _number(request, "step"), new)


# --- learning --------------------------------------------------------------------------------------------------------


async def learn(studio: Studio, workspace: Workspace, request: Request) -> Answer:
    """Learn again, with the preferences that the request names."""
    before = studio.settings.preferences_for(workspace.game.name).to_json()
    changed = {key: request[key] for key in before if key in request}
    studio.learn(workspace, Preferences.from_json({**before, **changed}, "learn"))
    return {"learned": studio.learned_view(workspace)}


async def stop(studio: Studio, workspace: Workspace, request: Request) -> Answer:
    """Have learning of this game finish with the best policy so far."""
    studio.queue.stop(workspace.game.name)
    return {}


async def take_rule(studio: Studio, workspace: Workspace, request: Request) -> Answer:
    """Have another rule of the front act."""
    constraints = constraints_of(workspace.game, workspace.lesson.remarks).to_json()
    dropped = [item["rule"] for item in workspace.learning.contradictions]
    constraints["pinned"] = [clause for clause in constraints["pinned"] if clause not in dropped]
    conditions = _number(request, "conditions")
    found = await studio.ask_player(workspace, "rule", conditions=conditions, constraints=constraints)
    learning = workspace.learning
    if not found["version"] == request.get("version") == learning.version:
        raise Forgotten("the rule has changed. Look at it again.")
    studio.check_current(workspace)
    if learning.stale or learning.state not in ("done", "stopped"):
        raise BadInput("another rule is being learned. Wait for it.")
    studio.recall(workspace, replace(learning, policy=found["policy"], summary=found["summary"], lost=0, score=None))
    return {"learned": studio.learned_view(workspace)}


# --- watching --------------------------------------------------------------------------------------------------------


def _unseen(workspace: Workspace, request: Request) -> Answer:
    """Return levels that were never shown, and have the page's test be about them."""
    count, first = _number(request, "count"), _number(request, "first")
    if not 1 <= count <= MAX_WALL or first > MAX_FIRST:
        raise BadInput(f"at most {MAX_WALL} levels at once, and not beyond the first {MAX_FIRST}.")
    workspace.tested = workspace.unseen(count, first)
    return {"levels": [as_request(level) for level in workspace.tested]}


def _run(workspace: Workspace, request: Request) -> Request:
    level = workspace.level(_text(request, "level"))
    if level.name.startswith("painted:"):
        workspace.starts.check(level)
    return {**as_request(level), "seed": _number(request, "seed")}


def _runs(workspace: Workspace, request: Request) -> Request:
    names = request.get("levels")
    if not isinstance(names, list) or not 1 <= len(names) <= MAX_WALL or not all(isinstance(n, str) for n in names):
        raise BadInput(f'"levels" must be a list of 1 to {MAX_WALL} names.')
    return {"levels": [as_request(workspace.level(name)) for name in names], "seed": _number(request, "seed")}


def _position(workspace: Workspace, request: Request) -> Request:
    return {"rows": list(grid_from_json(workspace.game, request.get("rows"), "position").rows)}


def _why(workspace: Workspace, request: Request) -> Request:
    grid = grid_from_json(workspace.game, request.get("rows"), "position")
    action = action_from_json(request.get("action"))
    check_action(action, grid, workspace.game.buttons)
    return {"rows": list(grid.rows), "action": action_to_json(action)}


# --- for the researcher ----------------------------------------------------------------------------------------------


async def scores(studio: Studio, workspace: Workspace, request: Request) -> Answer:
    """Return the scores on held-out levels; the present policy plays them now, unless it has."""
    if workspace.learning.state in ("done", "stopped"):
        await studio.keep_score(workspace)
    return scores_to_json(workspace.game, workspace.scores)


async def posterior(studio: Studio, workspace: Workspace, request: Request) -> Answer:
    """Return the candidates with the largest weights, and levels to compare them on."""
    found = await studio.ask_player(workspace, "posterior")
    levels = await studio.run(workspace.game, lambda: workspace.candidates(MAX_DIFFER))
    return {**found, "levels": [level.name for level in levels]}


# --- painting and importing ------------------------------------------------------------------------------------------


def _paint(workspace: Workspace, request: Request) -> Answer:
    number = None if request.get("id") is None else _number(request, "id")
    answer = workspace.paint(number, grid_from_json(workspace.game, request.get("rows"), "level", limit=MAX_PAINTED))
    return {**answer, "painted": workspace.view()["painted"]}


def _unpaint(workspace: Workspace, request: Request) -> Answer:
    workspace.unpaint(_number(request, "id"))
    return {"painted": workspace.view()["painted"]}


async def import_file(studio: Studio, workspace: Workspace, request: Request) -> Answer:
    """Add a file of demonstrations or levels, or a lesson, which may be of another game."""
    value = request.get("content")
    if is_lesson(value):
        lesson = LessonFile.from_json(value, studio.catalog.find, "the file")
        workspace = await studio.open_lesson(lesson)
        answer: Answer = {"lessonOf": workspace.game.name, "demonstrations": len(lesson.recordings)}
    elif isinstance(value, dict) and "levels" in value:
        answer = {"levels": await studio.run(workspace.game, lambda: _import_levels(workspace, value))}
    else:
        demonstrations = Demonstrations.from_json(value, "the file")
        check_task(workspace.game, demonstrations, "the file")
        if not demonstrations.items:
            raise BadInput("the file has no demonstrations in it.")
        await studio.run(workspace.game, lambda: workspace.add(demonstrations))
        studio.consider(workspace)
        answer = {"demonstrations": len(demonstrations)}
    _tell_others(studio, workspace, request)
    return {**answer, "lesson": await studio.run(workspace.game, workspace.view)}


def _import_levels(workspace: Workspace, value: dict[str, Any]) -> int:
    game, rules = workspace.game, workspace.game.rules
    if rules is None:
        raise BadInput(f"{game.title} makes its own levels; levels cannot be imported.")
    if value.get("game") != game.name:
        raise BadInput(f"the file has levels of {str(value.get('game'))[:40]!r}, but this is {game.name!r}.")
    texts = value["levels"]
    if not isinstance(texts, list) or not texts or not all(isinstance(text, str) for text in texts):
        raise BadInput('the file: "levels" must be a list of texts, one character a cell, rows as lines.')
    workspace.check_room(len(texts))
    grids = [parse_level(rules, text, f"the file, level {i}") for i, text in enumerate(texts)]
    for i, grid in enumerate(grids):
        grid_from_json(game, list(grid.rows), f"the file, level {i}", limit=MAX_PAINTED)
    return len(workspace.paint_more(grids))


# --- checks ----------------------------------------------------------------------------------------------------------


def _number(request: Request, key: str) -> int:
    value = request.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**53:
        raise BadInput(f'"{key}" must be a whole number.')
    return value


def _text(request: Request, key: str, most: int = 100) -> str:
    value = request.get(key)
    if not isinstance(value, str) or len(value) > most:
        raise BadInput(f'"{key}" must be text of at most {most} characters.')
    return value


def _flag(request: Request, key: str) -> bool:
    value = request.get(key)
    if not isinstance(value, bool):
        raise BadInput(f'"{key}" must be true or false.')
    return value


def _rule(workspace: Workspace, request: Request) -> Remark:
    return written(workspace.game, _text(request, "rule", MAX_RULE))


PROJECT_COMMANDS: dict[str, ProjectCommand] = {
    "hello": hello,
    "open": open_game,
    "set-aside": set_aside,
    "toured": toured,
}
GAME_COMMANDS: dict[str, Command] = {
    "click": _teach(lambda workspace, request: workspace.click(action_from_json(request.get("action")))),
    # Where a click would lead: the page asks when a cell is pressed, to be ready when it is released.
    "peek": _look(lambda workspace, request: {"rows": workspace.peek(action_from_json(request.get("action")))}),
    "hint": _look(lambda workspace, request: {"action": workspace.hint()}),
    "undo": _teach(lambda workspace, request: workspace.undo()),
    "redo": _teach(lambda workspace, request: workspace.redo()),
    "restart": _teach(lambda workspace, request: workspace.restart()),
    "keep": _teach(lambda workspace, request: workspace.keep()),
    "level": _teach(lambda workspace, request: workspace.take_level(_text(request, "level"))),
    "onward": _teach(lambda workspace, request: workspace.onward()),
    "another": _teach(lambda workspace, request: workspace.another()),
    "expert": _teach(lambda workspace, request: workspace.expert()),
    "correct": _teach(_correct),
    "resume": _teach(lambda workspace, request: workspace.resume(_number(request, "id"), _number(request, "step"))),
    "delete": _teach(lambda workspace, request: workspace.delete(_number(request, "id"))),
    "count": _teach(lambda workspace, request: workspace.set_learn(_number(request, "id"), _flag(request, "learn"))),
    "change-click": _teach(_change_click),
    "pin": _remark(whole=True),
    "strike": _remark(whole=False),
    "write": _teach(lambda workspace, request: workspace.say(_rule(workspace, request))),
    "phrase": _look(lambda workspace, request: {"words": list(_rule(workspace, request).words)}),
    "unsay": _teach(lambda workspace, request: workspace.unsay(_number(request, "number"))),
    "recording": _look(lambda workspace, request: workspace.recording(_number(request, "id"))),
    "learn": learn,
    "stop": stop,
    "take-rule": take_rule,
    "clicks": _play("clicks", lambda workspace, _: {"demonstrations": shown_text(workspace)}),
    "unseen": _look(_unseen),
    "run": _play("run", _run),
    "runs": _play("runs", _runs),
    "position": _play("position", _position),
    "why": _play("why", _why),
    "scores": scores,
    "posterior": posterior,
    "differ": _play("differ", lambda workspace, request: as_request(workspace.level(_text(request, "level")))),
    "paint": _draw(_paint),
    "unpaint": _draw(_unpaint),
    "import": import_file,
}
COMMANDS = (*PROJECT_COMMANDS, *GAME_COMMANDS)
