"""An open class: a session for each pupil, all of which share the child processes; what the teacher sees and does.

The pages of pupils get one more event than those of `session.py`: "class", the settings of the class.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from shown.errors import BadInput, ShownError, at
from shown.studio.catalog import catalog
from shown.studio.children import Background
from shown.studio.classroom import ClassFolder, ClassMember, ClassSettings, Door, Role, check_name
from shown.studio.commands import command
from shown.studio.downloads import lesson_file
from shown.studio.processes import Processes
from shown.studio.project import Project
from shown.studio.session import Studio, as_request
from shown.studio.workspace import Workspace
from shown.teaching.lessons.lesson_file import LessonFile
from shown.worlds import World

Answer = dict[str, Any]

MAX_LEARNERS = 3  # processes that learn, and no more than there are processors
MAX_AT_ONCE, MAX_WAITING = 4, 32  # requests of one pupil that are worked on, and that wait; more are refused
MAX_PAGES = 16  # of one workspace that listen to the news
STUCK_SECONDS = 180.0  # without a change, with the page open
STUCK_GAMES = 3  # games after which a rule that loses more than half of its levels is a reason to help
COMPARED = 24  # levels on which two rules are compared
CLASS_SCHEMA = "shown/class/1"
PAUSED = "your teacher has paused the class. You can look, but not change anything."
VIEWED = "this page only shows the pupil's workspace. To change something, choose Help on the class page."


@dataclass
class Seat:
    """A pupil's place in an open class.

    Attributes:
        changed: when the pupil last changed something, by the monotonic clock.
        pages: number of the pupil's pages that are open; `streams` also counts those of the teacher.
        asked: number of requests that are worked on or wait.
    """

    member: ClassMember
    studio: Studio
    changed: float = field(default_factory=time.monotonic)
    pages: int = 0
    streams: int = 0
    asked: int = 0
    _turn: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(MAX_AT_ONCE))

    async def close(self) -> None:
        await self.studio.close()
        self.studio.project.close()

    @contextlib.asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait until a request may be worked on, so that nobody takes the processes from others."""
        if self.asked >= MAX_AT_ONCE + MAX_WAITING:
            raise BadInput("too many requests at once. Wait for their answers.")
        self.asked += 1
        try:
            async with self._turn:
                yield
        finally:
            self.asked -= 1


@dataclass(frozen=True)
class Visit:
    """Who sends a request, and about which place."""

    role: Role
    seat: Seat


class OpenClass:
    """The state behind the pages of a class. `start` it inside a running event loop, `close` it at the end."""

    def __init__(self, folder: ClassFolder, worlds: Sequence[World] = (), saved: Any = None) -> None:
        """`saved` is the content of a class file, whose pupils are added with their lessons if they are not here."""
        self.folder, self.worlds = folder, worlds
        self.address = ""  # that pupils type
        self.record = folder.load()
        learners = max(1, min(MAX_LEARNERS, os.cpu_count() or 1))
        self.processes = Processes(catalog(worlds), learners)
        self.door = Door()
        self.seats: dict[int, Seat] = {}
        self._tasks = Background()
        self._to_add = [] if saved is None else self._read_file(saved)

    async def start(self) -> None:
        self.processes.start()
        for member in self.record.pupils:
            seat = self._seat(member, self.folder.project(member))
            with contextlib.suppress(BadInput):  # its page says what is wrong with it
                if seat.studio.first is not None:  # learning that was cut off goes on
                    await seat.studio.open(seat.studio.first)
        for name, lessons in self._to_add:
            seat = self.seats[self._add(name).id]
            for lesson in lessons:
                seat.studio.remember(game=(await seat.studio.open_lesson(lesson)).game.name)
        self._tasks.run(self._describe())

    async def _describe(self) -> None:
        """Have the policies described that the wall shows; the pages need not wait for that."""
        for seat in list(self.seats.values()):
            for workspace in seat.studio.opened:
                await seat.studio.describe(workspace)

    async def close(self) -> None:
        self._tasks.cancel()
        for seat in self.seats.values():
            await seat.close()
        self.seats = {}
        await self.processes.close()

    def _seat(self, member: ClassMember, project: Project) -> Seat:
        # The command with its paths is not for pupils.
        studio = Studio(project, "shown studio --class", self.worlds, shared=self.processes, owner=member.folder)
        self.seats[member.id] = Seat(member, studio)
        return self.seats[member.id]

    # --- who may do what ---------------------------------------------------------------------------------------------

    def admit(self, token: str, path: str) -> Visit | bool | None:
        """Return who sends a token to a path, True for the teacher; None if nobody may, with that token."""
        found = self.record.visitor(token)
        if found is None or (found[0] is Role.TEACHER) != path.startswith("/class/"):
            return None
        role, member = found
        if member is None:
            return True
        return Visit(role, self.seats[member.id]) if member.id in self.seats else None

    def join(self, name: Any, code: Any, address: str) -> Answer:
        """Add a pupil who knows the code, and return the pupil's secret."""
        self.door.check(code, self.record.code, address, time.monotonic())
        if not self.record.settings.joining:
            raise BadInput("nobody can join now. Ask your teacher.")
        member = self._add(name)
        return {"name": member.name, "secret": member.token}

    def _add(self, name: Any) -> ClassMember:
        record = self.record.with_pupil(name)
        member = record.pupils[-1]
        project = self.folder.project(member)
        try:
            self.folder.save(record)
        except BadInput:
            project.close()
            raise
        self.record = record
        self._seat(member, project)
        return member

    async def command(self, visit: Visit, name: str, request: Answer) -> Answer:
        """Run a command of a pupil's page, as far as the holder of its secret may."""
        seat, settings = visit.seat, self.record.settings
        viewing = VIEWED if visit.role is Role.VIEWER else ""
        if visit.role is Role.PUPIL:
            viewing = PAUSED if settings.paused else ""
            self._check_locked(request)
            if not settings.hints and name in ("hint", "expert"):
                raise BadInput("your teacher has turned this off.")
        async with seat.turn():
            revision = self._revision(seat)
            answer = await command(seat.studio, name, request, viewing)
        if self._revision(seat) != revision:
            seat.changed = time.monotonic()
        return {**answer, **self._about(visit, answer)} if name == "hello" else answer

    def _check_locked(self, request: Answer) -> None:
        """Refuse a command about a locked game, or one that brings a lesson of it."""
        content = request.get("content")
        named = (request.get("game"), content.get("game") if isinstance(content, dict) else None)
        for name in self.record.settings.locked:
            if name in named and name in self.processes.catalog.entries:
                raise BadInput(f"your teacher has locked {self.processes.catalog.find(name).title}.")

    def _revision(self, seat: Seat) -> int:
        return sum(workspace.revision for workspace in seat.studio.opened)

    def _about(self, visit: Visit, hello: Answer) -> Answer:
        """Return what the page of a pupil needs in addition: the class, and the games that are not locked."""
        settings, games, first = self.record.settings, hello["games"], hello["game"]
        if visit.role is Role.PUPIL:
            games = [
                {**game, "knows": game["knows"] and settings.hints}
                for game in games
                if game["name"] not in settings.locked
            ]
        names = [game["name"] for game in games]
        return {
            "games": games,
            "game": first if first in names else names[0],
            "toured": hello["toured"] or visit.role is not Role.PUPIL,
            "class": {"name": visit.seat.member.name, "role": visit.role.name.lower(), **asdict(settings)},
        }

    # --- the teacher -------------------------------------------------------------------------------------------------

    async def wall(self, request: Answer) -> Answer:
        """Return the class and the state of every pupil."""
        tiles = [self._tile(seat) for seat in self.seats.values()]
        entries = self.processes.catalog.entries.values()
        return {
            "address": self.address,
            "code": self.record.code,
            "settings": asdict(self.record.settings),
            "games": [{key: value for key, value in entry.about.items() if key != "lessons"} for entry in entries],
            "pupils": sorted(tiles, key=lambda tile: str(tile["name"]).casefold()),
        }

    def _tile(self, seat: Seat) -> Answer:
        member, record = seat.member, self.record
        tile: Answer = {
            "id": member.id,
            "name": member.name,
            "here": seat.pages > 0,
            "own": member.token,
            "view": record.teacher_token(Role.VIEWER, member),
            "help": record.teacher_token(Role.HELPER, member),
        }
        workspace = next((one for one in seat.studio.opened if one.game.name == seat.studio.first), None)
        if workspace is None:
            return {**tile, "game": None, "stuck": None}
        scored = _scored(workspace)
        idle = time.monotonic() - seat.changed
        return {
            **tile,
            "game": workspace.game.name,
            "rows": list(workspace.lesson.in_play.attempt.grid.rows),
            "state": workspace.learning.state,
            **scored,
            "stuck": stuck(scored["games"], scored["expected"], idle if seat.pages else 0.0),
        }

    async def settle(self, request: Answer) -> Answer:
        """Change settings, and tell all pages of pupils."""
        value = {**asdict(self.record.settings), **{key: request[key] for key in request if key != "page"}}
        value["locked"] = list(value["locked"]) if isinstance(value["locked"], (list, tuple)) else value["locked"]
        settings = ClassSettings.from_json(value, "settings")
        games = set(self.processes.catalog.entries)
        if games <= set(settings.locked):
            raise BadInput("leave at least one game unlocked.")
        record = replace(self.record, settings=replace(settings, locked=tuple(sorted(games & set(settings.locked)))))
        self.folder.save(record)
        self.record = record
        for seat in self.seats.values():
            seat.studio.news.publish("class", asdict(record.settings))
        return {"settings": asdict(record.settings)}

    async def remove(self, request: Answer) -> Answer:
        """Take a pupil out of the class; the folder is renamed."""
        member = self.record.pupil(request.get("pupil"))
        record = self.record.without(member)
        self.folder.save(record)
        self.record = record
        seat = self.seats.pop(member.id)
        for game in self.processes.catalog.entries:
            self.processes.queue.remove(member.folder, game)
        await seat.close()
        return {"folder": self.folder.set_aside(member.folder) if self.folder.mode(member.folder) else ""}

    async def reset(self, request: Answer) -> Answer:
        """Start a pupil's game over; the pupil's Undo brings it back."""
        seat = self._seat_of(request.get("pupil"))
        workspace = await seat.studio.workspace(request.get("game"))
        await seat.studio.run(workspace.game, workspace.clear)
        self._tell(seat, workspace)
        seat.studio.consider(workspace)
        return {}

    async def give(self, request: Answer) -> Answer:
        """Add a lesson file to the workspaces of all pupils."""
        lesson = LessonFile.from_json(request.get("content"), self.processes.catalog.find, "the file")
        failed = []
        for seat in list(self.seats.values()):
            try:
                self._tell(seat, await seat.studio.open_lesson(lesson))
            except ShownError as error:
                failed.append(f"{seat.member.name}: {error}")
        return {"title": lesson.game.title, "given": len(self.seats) - len(failed), "failed": failed}

    def _tell(self, seat: Seat, workspace: Workspace) -> None:
        """Have the pages of a pupil load a game again."""
        seat.studio.news.publish("taught", {"game": workspace.game.name, "revision": workspace.revision, "page": ""})

    def _seat_of(self, number: Any) -> Seat:
        return self.seats[self.record.pupil(number).id]

    # --- rules of the class ------------------------------------------------------------------------------------------

    async def compare(self, request: Answer) -> Answer:
        """Return the rules of two pupils, and both their runs on a level where they differ; None if they do not."""
        seats = [self._seat_of(request.get(key)) for key in ("one", "other")]
        spaces = [await seat.studio.workspace(request.get("game")) for seat in seats]
        for seat, workspace in zip(seats, spaces, strict=True):
            if workspace.learning.policy is None:
                raise BadInput(f"{seat.member.name} has no rule of {workspace.game.title} yet.")
        game = spaces[0].game
        watched = await seats[0].studio.run(spaces[0].game, lambda: spaces[0].unseen(COMPARED))
        found = await seats[0].studio.ask(
            "compare",
            spaces[0],
            policies=[workspace.learning.policy for workspace in spaces],
            levels=[as_request(level) for level in watched],
        )
        pairs = zip(seats, spaces, found.pop("rules"), strict=True)
        both = [{"name": seat.member.name, **_scored(workspace), **rule} for seat, workspace, rule in pairs]
        return {"game": game.name, "pupils": both, **found}

    async def sheet(self, request: Answer) -> Answer:
        """Return every pupil's rule of a game, with a picture and the score."""
        rows = []
        for seat in self.seats.values():
            workspace = await seat.studio.workspace(request.get("game"))
            recordings = workspace.lesson.recordings
            if not recordings:
                continue
            learning = workspace.learning
            await seat.studio.describe(workspace)
            summary = learning.summary or {}
            rows.append(
                {
                    "name": seat.member.name,
                    "rows": list(recordings[-1].demonstration.steps[-1].grid.rows),
                    **_scored(workspace),
                    "clauses": summary.get("clauses", []),
                    "subject": summary.get("subject", ""),
                    "voting": summary.get("voting", False),
                }
            )
        return {"pupils": sorted(rows, key=lambda row: str(row["name"]).casefold())}

    async def file(self) -> Answer:
        """Return the whole class as the content of one file: all lessons of all pupils, and no secret."""
        pupils = []
        for seat in self.seats.values():
            lessons = []
            for entry in self.processes.catalog.entries.values():
                if seat.studio.project.has(entry.game):
                    with contextlib.suppress(BadInput):  # nothing was shown of it, or its files cannot be read
                        workspace = await seat.studio.workspace(entry.game.name)
                        lessons.append(lesson_file(seat.studio, workspace).to_json())
            pupils.append({"name": seat.member.name, "lessons": lessons})
        return {"schema": CLASS_SCHEMA, "pupils": pupils}

    def _read_file(self, value: Any) -> list[tuple[str, list[LessonFile]]]:
        """Return the pupils of a class file who are not here, and their lessons; BadInput if anything in it is bad."""
        pupils = value.get("pupils") if is_class_file(value) else None
        if not isinstance(pupils, list) or not all(isinstance(one, dict) for one in pupils):
            raise BadInput(f'the class file: "schema" must be "{CLASS_SCHEMA}", and "pupils" a list.')
        found = []
        record = self.record
        here = {member.name for member in record.pupils}
        for i, one in enumerate(pupils):
            where, lessons = f"the class file, pupil {i}", one.get("lessons")
            if not isinstance(lessons, list):
                raise BadInput(f'{where}: "lessons" must be a list.')
            with at(f"{where}: "):
                name = check_name(one.get("name"))
                if name not in here:
                    record = record.with_pupil(name)
                    files = [LessonFile.from_json(x, self.processes.catalog.find, "a lesson") for x in lessons]
                    found.append((name, files))
        return found


TEACHER_COMMANDS = ("wall", "settle", "remove", "reset", "give", "compare", "sheet")


def is_class_file(value: Any) -> bool:
    """Return whether this claims to be the file of a class."""
    return isinstance(value, dict) and value.get("schema") == CLASS_SCHEMA


def stuck(games: int, expected: Answer | None, idle: float) -> str | None:
    """Return why a pupil may need help, or None.

    >>> stuck(3, {"won": 2, "of": 12}, 0.0)
    'The rule loses after 3 games.'
    >>> stuck(1, {"won": 2, "of": 12}, 240.0)
    'Nothing new for 4 minutes.'
    """
    if expected is not None and expected["won"] == expected["of"]:
        return None
    if games >= STUCK_GAMES and expected is not None and 2 * expected["won"] < expected["of"]:
        return f"The rule loses after {games} games."
    return f"Nothing new for {idle / 60:.0f} minutes." if idle >= STUCK_SECONDS else None


def _scored(workspace: Workspace) -> Answer:
    """Return how many games were shown, and how many of a dozen levels the present rule is expected to win."""
    learning = workspace.learning
    kinds = [recording.kind for recording in workspace.lesson.recordings if recording.learn]
    corrections = kinds.count("correction")
    expected = (learning.summary or {}).get("expected")
    return {"games": len(kinds) - corrections, "corrections": corrections, "expected": expected}
