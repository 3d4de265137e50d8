"""What the page can ask for: one function a command, in one table. Each takes the studio and the request, and answers.

Requests are not trusted: every value is checked here before anything else sees it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from shown.demonstrations import Demonstrations
from shown.errors import BadInput, did_you_mean
from shown.games.game import Game
from shown.games.levels import parse_level
from shown.grid import check_action
from shown.studio.desk import Desk
from shown.studio.forms import (
    MAX_PAINTED,
    action_from_json,
    action_to_json,
    before_from_json,
    check_task,
    grid_from_json,
)
from shown.studio.lessons import is_lesson, lesson_shared
from shown.studio.remarks import Remark, written
from shown.studio.research import keep_score, scores_to_json
from shown.studio.session import Forgotten, Studio, as_request
from shown.studio.teach import Lesson
from shown.studio.ways import Way
from shown.teaching.readings import READINGS

Request = dict[str, Any]
Answer = dict[str, Any]
Command = Callable[[Studio, Request], Answer | Awaitable[Answer]]

MAX_WALL, MAX_FIRST = 24, 500
MAX_RULE = 4000
MAX_DIFFER = 12


def command(studio: Studio, name: str, request: Any) -> Answer | Awaitable[Answer]:
    """Runs the command called `name`."""
    if name not in COMMANDS:
        raise BadInput(f"no command called {name[:40]!r}. {did_you_mean(name[:40], COMMANDS)}")
    if not isinstance(request, dict):
        raise BadInput("a request must be a JSON object.")
    return COMMANDS[name](studio, request)


# --- the project -----------------------------------------------------------------------------------------------------


def hello(studio: Studio, request: Request) -> Answer:
    """What the page needs first: the games, and what the project remembers."""
    settings = studio.settings
    return {
        "games": [entry.about for entry in studio.catalogue.entries.values()],
        "game": studio.first,
        "toured": settings.toured,
        "folder": studio.project.folder.name,
        "readings": [{**reading.to_json(), "name": reading.name} for reading in READINGS],
        "command": studio.command,
        "stages": {name: stage.title for name, stage in studio.stages.items()},
    }


def open_game(studio: Studio, request: Request) -> Answer:
    desk = studio.open(request.get("game"))
    return {**desk.view(), "learned": studio.learned_view(desk)}


def set_aside(studio: Studio, request: Request) -> Answer:
    return {"folder": studio.set_aside(request.get("game"))}


def toured(studio: Studio, request: Request) -> Answer:
    studio.remember(toured=_flag(request, "toured"))
    return {}


# --- teaching --------------------------------------------------------------------------------------------------------


def _teaching(change: Callable[[Desk, Request], Answer | None]) -> Command:
    """A command that changes the lesson: answers with the lesson after it, and learns if that has changed."""

    def run(studio: Studio, request: Request) -> Answer:
        desk = studio.desk(request.get("game"))
        before = desk.lesson
        return _after(studio, desk, before, request, change(desk, request) or {})

    return run


def _after(studio: Studio, desk: Desk, before: Lesson, request: Request, answer: Answer) -> Answer:
    """What is answered after a change of the lesson: the lesson as it is now, which is learned if need be."""
    same = desk.lesson.recordings is before.recordings
    if not same or desk.lesson.remarks is not before.remarks:
        # Once the answer is out: to begin to learn from hundreds of games takes longer than a click may.
        asyncio.get_running_loop().call_soon(studio.consider, desk)
    studio.news.publish(
        "taught", {"game": desk.game.name, "revision": desk.revision, "page": str(request.get("page"))[:40]}
    )
    return {**answer, "lesson": desk.view(brief=same)}


def _correct(desk: Desk, request: Request) -> None:
    grid = grid_from_json(desk.game, request.get("rows"), "position")
    level = desk.level(_text(request, "level"))
    desk.correct(level.name, grid, before_from_json(request.get("before", []), "position"))


def _change_click(desk: Desk, request: Request) -> None:
    action = request.get("action")
    desk.change_click(
        _number(request, "id"), _number(request, "step"), None if action is None else action_from_json(action)
    )


def peek(studio: Studio, request: Request) -> Answer:
    """Where a click would lead; nothing is recorded. The page asks when a cell is pressed, to be ready on release."""
    desk = studio.desk(request.get("game"))
    return {"rows": desk.peek(action_from_json(request.get("action")))}


def hint(studio: Studio, request: Request) -> Answer:
    """What the expert would do now."""
    return {"action": studio.desk(request.get("game")).hint()}


def recording(studio: Studio, request: Request) -> Answer:
    return studio.desk(request.get("game")).recording(_number(request, "id"))


# --- learning --------------------------------------------------------------------------------------------------------


def learn(studio: Studio, request: Request) -> Answer:
    """Learns again, perhaps in another way: what the request does not say of it stays as it was."""
    desk = studio.desk(request.get("game"))
    before = studio.settings.way(desk.game.name).to_json()
    studio.learn(desk, Way.from_json({**before, **{key: request[key] for key in before if key in request}}, "learn"))
    return {"learned": studio.learned_view(desk)}


def stop(studio: Studio, request: Request) -> Answer:
    studio.stop_learning()
    return {}


# --- what is said of the rule ----------------------------------------------------------------------------------------


def _saying(whole: bool) -> Command:
    """A command that keeps a sentence of the rule, or, if not `whole`, strikes one condition of it."""

    async def run(studio: Studio, request: Request) -> Answer:
        desk = studio.desk(request.get("game"))
        clause, phrase = _number(request, "clause"), None if whole else _number(request, "phrase")
        found = await studio.ask_player(desk, "sentence", clause=clause, phrase=phrase)
        if found["version"] != request.get("version"):
            raise Forgotten("the rule is another one by now. Look at it again.")
        before = desk.lesson
        desk.say(Remark.from_json(found["remark"], "the sentence"))
        return _after(studio, desk, before, request, {})

    return run


def phrase(studio: Studio, request: Request) -> Answer:
    """What a sentence that is being written says, in English; nothing is kept."""
    return {"words": list(written(studio.desk(request.get("game")).game, _text(request, "rule", MAX_RULE)).words)}


# --- watching --------------------------------------------------------------------------------------------------------


def unseen(studio: Studio, request: Request) -> Answer:
    """Levels that nobody has shown, to be watched."""
    desk = studio.desk(request.get("game"))
    count, first = _number(request, "count"), _number(request, "first")
    if not 1 <= count <= MAX_WALL or first > MAX_FIRST:
        raise BadInput(f"at most {MAX_WALL} levels at once, and not beyond the first {MAX_FIRST}.")
    return {"levels": [as_request(level) for level in desk.unseen(count, first)]}


async def run(studio: Studio, request: Request) -> Answer:
    """One run of the policy on a level, whole: the page plays it back at its own speed."""
    desk = studio.desk(request.get("game"))
    level = desk.level(_text(request, "level"))
    if level.name.startswith("painted:"):
        desk.place.check(level)
    return await studio.ask_player(desk, "run", **as_request(level), seed=_number(request, "seed"))


async def runs(studio: Studio, request: Request) -> Answer:
    """Runs of the policy on several levels that nobody has shown, played side by side."""
    desk = studio.desk(request.get("game"))
    names = request.get("levels")
    if not isinstance(names, list) or not 1 <= len(names) <= MAX_WALL or not all(isinstance(n, str) for n in names):
        raise BadInput(f'"levels" must be a list of 1 to {MAX_WALL} names.')
    levels = [as_request(desk.level(name)) for name in names]
    return await studio.ask_player(desk, "runs", levels=levels, seed=_number(request, "seed"))


async def live(studio: Studio, request: Request) -> Answer:
    """One run of the policy where the game is watched; what it came to, once it is over."""
    desk = studio.desk(request.get("game"))
    level = desk.level(_text(request, "level"))
    desk.place.check(level)
    return await studio.play_on_stage(desk, level, _number(request, "seed"))


def stop_live(studio: Studio, request: Request) -> Answer:
    for stage in studio.stages.values():
        stage.stop()
    return {}


async def position(studio: Studio, request: Request) -> Answer:
    """What the policy thinks of a position: how likely each action is, and what each candidate would do."""
    desk = studio.desk(request.get("game"))
    grid = grid_from_json(desk.game, request.get("rows"), "position")
    return await studio.ask_player(desk, "position", rows=list(grid.rows))


async def why(studio: Studio, request: Request) -> Answer:
    """Why the policy would, or would not, take an action in a position."""
    desk = studio.desk(request.get("game"))
    grid = grid_from_json(desk.game, request.get("rows"), "position")
    action = action_from_json(request.get("action"))
    check_action(action, grid, desk.game.buttons)
    return await studio.ask_player(desk, "why", rows=list(grid.rows), action=action_to_json(action))


# --- for the researcher ----------------------------------------------------------------------------------------------


async def scores(studio: Studio, request: Request) -> Answer:
    """How each policy did on the levels that are held out; the present one plays them now, if it has not."""
    desk = studio.desk(request.get("game"))
    if desk.learned.state in ("done", "stopped"):
        await keep_score(studio, desk, desk.learned)
    return scores_to_json(desk.game, desk.scores)


async def posterior(studio: Studio, request: Request) -> Answer:
    """The weightiest candidates, and the levels on which they may differ."""
    desk = studio.desk(request.get("game"))
    found = await studio.ask_player(desk, "posterior")
    return {**found, "levels": [level.name for level in desk.candidates(MAX_DIFFER)]}


async def differ(studio: Studio, request: Request) -> Answer:
    """Where on a level each of the weightiest candidates is farthest from the best."""
    desk = studio.desk(request.get("game"))
    return await studio.ask_player(desk, "differ", **as_request(desk.level(_text(request, "level"))))


# --- painting --------------------------------------------------------------------------------------------------------


def paint(studio: Studio, request: Request) -> Answer:
    desk = studio.desk(request.get("game"))
    number = None if request.get("id") is None else _number(request, "id")
    answer = desk.paint(number, grid_from_json(desk.game, request.get("rows"), "level", limit=MAX_PAINTED))
    return {**answer, "painted": desk.view()["painted"]}


def unpaint(studio: Studio, request: Request) -> Answer:
    desk = studio.desk(request.get("game"))
    desk.unpaint(_number(request, "id"))
    return {"painted": desk.view()["painted"]}


# --- export and import -----------------------------------------------------------------------------------------------


async def import_file(studio: Studio, request: Request) -> Answer:
    """Takes in a file of demonstrations or of levels, or a lesson, perhaps of another game, which the page has read."""
    desk = studio.desk(request.get("game"))
    value = request.get("content")
    if is_lesson(value):
        shared = lesson_shared(value, studio.catalogue.find, "the file")
        desk = await studio.open_lesson(shared)
        answer: Answer = {"lessonOf": desk.game.name, "demonstrations": len(shared.recordings)}
    elif isinstance(value, dict) and "levels" in value:
        answer = {"levels": _import_levels(desk, value)}
    else:
        demonstrations = Demonstrations.from_json(value, "the file")
        check_task(desk.game, demonstrations, "the file")
        if not demonstrations.items:
            raise BadInput("the file has no demonstrations in it.")
        desk.add(demonstrations)
        studio.consider(desk)
        answer = {"demonstrations": len(demonstrations)}
    return {**answer, "lesson": desk.view()}


def _import_levels(desk: Desk, value: dict[str, Any]) -> int:
    if not isinstance(desk.game, Game):
        raise BadInput(f"{desk.game.title} makes its own levels; none can be brought in.")
    if value.get("game") != desk.game.name:
        raise BadInput(f"the file has levels of {str(value.get('game'))[:40]!r}, but this is {desk.game.name!r}.")
    texts = value["levels"]
    if not isinstance(texts, list) or not texts or not all(isinstance(text, str) for text in texts):
        raise BadInput('the file: "levels" must be a list of texts, one character a cell, rows as lines.')
    desk.check_room(len(texts))
    grids = [parse_level(desk.game, text, f"the file, level {i}") for i, text in enumerate(texts)]
    for i, grid in enumerate(grids):
        grid_from_json(desk.game, list(grid.rows), f"the file, level {i}", limit=MAX_PAINTED)
    return len(desk.paint_more(grids))


# --- checks ----------------------------------------------------------------------------------------------------------


def _number(request: Request, key: str) -> int:
    value = request.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**53:
        raise BadInput(f'"{key}" must be a whole number.')
    return value


def _text(request: Request, key: str, most: int = 100) -> str:
    value = request.get(key)
    if not isinstance(value, str) or len(value) > most:
        raise BadInput(f'"{key}" must be a short text.')
    return value


def _flag(request: Request, key: str) -> bool:
    value = request.get(key)
    if not isinstance(value, bool):
        raise BadInput(f'"{key}" must be true or false.')
    return value


COMMANDS: dict[str, Command] = {
    "hello": hello,
    "open": open_game,
    "set-aside": set_aside,
    "toured": toured,
    "click": _teaching(lambda desk, request: desk.click(action_from_json(request.get("action")))),
    "peek": peek,
    "hint": hint,
    "undo": _teaching(lambda desk, request: desk.undo()),
    "redo": _teaching(lambda desk, request: desk.redo()),
    "restart": _teaching(lambda desk, request: desk.restart()),
    "keep": _teaching(lambda desk, request: desk.keep()),
    "level": _teaching(lambda desk, request: desk.take_level(_text(request, "level"))),
    "onward": _teaching(lambda desk, request: desk.onward()),
    "another": _teaching(lambda desk, request: desk.another()),
    "expert": _teaching(lambda desk, request: desk.expert()),
    "correct": _teaching(_correct),
    "resume": _teaching(lambda desk, request: desk.resume(_number(request, "id"), _number(request, "step"))),
    "delete": _teaching(lambda desk, request: desk.delete(_number(request, "id"))),
    "count": _teaching(lambda desk, request: desk.set_learn(_number(request, "id"), _flag(request, "learn"))),
    "change-click": _teaching(_change_click),
    "pin": _saying(whole=True),
    "strike": _saying(whole=False),
    "write": _teaching(lambda desk, request: desk.say(written(desk.game, _text(request, "rule", MAX_RULE)))),
    "phrase": phrase,
    "unsay": _teaching(lambda desk, request: desk.unsay(_number(request, "number"))),
    "recording": recording,
    "learn": learn,
    "stop": stop,
    "unseen": unseen,
    "run": run,
    "runs": runs,
    "live": live,
    "stop-live": stop_live,
    "position": position,
    "why": why,
    "scores": scores,
    "posterior": posterior,
    "differ": differ,
    "paint": paint,
    "unpaint": unpaint,
    "import": import_file,
}
