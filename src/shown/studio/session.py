"""An open project: the desks of its games, the process that learns, the process that plays, and the news for pages."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from dataclasses import replace
from typing import Any

from shown.demonstrations import Demonstration, Demonstrations
from shown.errors import BadInput, ShownError
from shown.games.levels import Level
from shown.studio.catalogue import catalogue
from shown.studio.desk import Desk, Learned
from shown.studio.forms import demonstrations_to_text
from shown.studio.helpers import Helper, HelperDied
from shown.studio.lessons import Shared
from shown.studio.project import Project
from shown.studio.remarks import conditions_of
from shown.studio.research import keep_score
from shown.studio.saved import Saved
from shown.studio.stage import Stage
from shown.studio.ways import Way
from shown.world import World

LEARN_NICENESS, PLAY_NICENESS = 10, 5
STOP_PATIENCE, BEST_PATIENCE = 3.0, 15.0
"""Seconds a learner may take to stop, and to finish with the best so far; then its process is replaced."""
READY_PATIENCE = 60.0
ASK_PATIENCE = 30.0
NEXT_LEVELS = 24


class Broadcast:
    """News for every page that listens, newest state only: a slow page skips what is out of date."""

    def __init__(self) -> None:
        self._listeners: set[asyncio.Queue[bytes | None]] = set()
        self.closed = False

    def publish(self, event: str, data: dict[str, Any]) -> None:
        message = f"event: {event}\ndata: {json.dumps(data)}\n\n".encode()
        for listener in self._listeners:
            if listener.full():
                listener.get_nowait()
            listener.put_nowait(message)

    async def listen(self) -> AsyncIterator[bytes]:
        queue: asyncio.Queue[bytes | None] = asyncio.Queue(maxsize=256)
        self._listeners.add(queue)
        try:
            yield b"retry: 1000\n\n"
            while not self.closed:
                try:
                    message = await asyncio.wait_for(queue.get(), 15)
                except TimeoutError:
                    message = b": still here\n\n"
                if message is None:
                    return
                yield message
        finally:
            self._listeners.discard(queue)

    def close(self) -> None:
        self.closed = True
        for listener in self._listeners:
            if listener.full():
                listener.get_nowait()
            listener.put_nowait(None)


class Forgotten(ShownError):
    """A question about a policy that is no longer there, or not yet. A page may ask it in good faith, a moment late."""


class Studio:
    """The state behind the page. `start` it inside a running event loop, `close` it at the end.

    `command` is what starts it again, should it end while a page is open. `worlds` can be taught beside the games.
    `lessons` are opened when it starts. On `stages` games are watched.
    """

    def __init__(
        self,
        project: Project,
        command: str = "shown studio",
        worlds: Sequence[World] = (),
        lessons: Sequence[Shared] = (),
        stages: Sequence[Stage] = (),
    ) -> None:
        self.project, self.command, self._to_open = project, command, lessons
        self.stages = {stage.game: stage for stage in stages}
        self.worlds, self.catalogue = [world.name for world in worlds], catalogue(worlds)
        self.settings = project.settings()
        self.news = Broadcast()
        self.learner = Helper("learns", LEARN_NICENESS, self._warm)
        self.player = Helper("plays", PLAY_NICENESS, self._warm_player)
        self._desks: dict[str, Desk] = {}
        self._learning: asyncio.Task[None] | None = None
        self._searching: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._compiled: asyncio.Future[Any]
        self._asked: tuple[int, asyncio.Future[Any]] | None = None
        self._known: set[tuple[str, int]] = set()

    async def start(self) -> None:
        await self.learner.start()
        await self.player.start()
        for shared in self._to_open:
            await self.open_lesson(shared)
            self.remember(game=shared.game.name)

    async def close(self) -> None:
        self.news.close()
        for task in (self._learning, self._searching, *self._tasks):
            if task is not None:
                task.cancel()
        stages = (stage.close() for stage in self.stages.values())
        await asyncio.gather(self.learner.close(), self.player.close(), *stages)

    def _warm(self, helper: Helper) -> None:
        # Importing and compiling takes seconds, so it is done before anyone waits for it.
        _, self._compiled = helper.begin("warm")

    def _warm_player(self, helper: Helper) -> None:
        """After the learner, so that what has to be compiled is compiled once."""
        self._known.clear()

        async def later() -> None:
            await asyncio.wait([self._compiled])
            helper.begin("warm")

        self._background(later())

    def _background(self, work: Coroutine[Any, Any, None]) -> None:
        """Runs something nobody waits for, and holds on to it until it is done."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # --- games -------------------------------------------------------------------------------------------------------

    def desk(self, name: Any) -> Desk:
        """The desk of a game, opened when first asked for; BadInput if its files are not right."""
        if not isinstance(name, str):
            raise BadInput("no game of that name.")
        if name not in self._desks:
            desk = Desk(self.project, self.catalogue.find(name))
            self._restore_policy(desk)
            self._desks[name] = desk
        return self._desks[name]

    @property
    def first(self) -> str | None:
        """What a page opens on: a world that was just asked for, or else what was open last."""
        name = next(iter(self.worlds), None) if self.settings.game not in self.worlds else self.settings.game
        return name or (self.settings.game if self.settings.game in self.catalogue.entries else None)

    def open(self, name: Any) -> Desk:
        """Opens a game: remembers it for the next visit, and learns if there is something new to learn from."""
        desk = self.desk(name)
        if self.settings.game != desk.game.name:
            with contextlib.suppress(BadInput):  # then the next visit begins elsewhere; what matters says so itself
                self.remember(game=desk.game.name)
        self.consider(desk)
        return desk

    def remember(self, **changes: Any) -> None:
        """Changes settings, here only once they are changed on disk."""
        settings = replace(self.settings, **changes)
        self.project.save_settings(settings)
        self.settings = settings

    def set_aside(self, name: Any) -> str:
        """Moves a game's unreadable files out of the way."""
        if not isinstance(name, str):
            raise BadInput("no game of that name.")
        if name in self._desks:
            raise BadInput("this game's files are in order; there is nothing to set aside.")
        return self.project.set_aside(self.catalogue.find(name))

    async def open_lesson(self, shared: Shared) -> Desk:
        """Adds a lesson that somebody has sent to what is here, all of it or nothing.

        Where nothing was shown before, it is also learned as it was there, and what was learned plays at once.
        """
        desk = self.desk(shared.game.name)
        if shared.policy is not None:
            await self._ask("check", game=desk.game.name, policy=shared.policy)
        first = not desk.lesson.recordings
        painted = desk.paint_more(shared.levels) if shared.levels else []
        try:
            desk.take_in(shared.recordings, shared.remarks if first else ())
        except BadInput:
            for number in painted:
                desk.unpaint(number)
            raise
        if first:
            with contextlib.suppress(BadInput):  # then it is learned as if nothing had been chosen
                self.remember(ways={**self.settings.ways, desk.game.name: shared.way})
        shown = desk.demonstrations()
        if first and shared.policy is not None and shown.items:
            version = desk.learned.version + 1
            desk.learned = Learned(policy=shared.policy, source=shown.items, stale=True, version=version)
            if _digest_of(shared.policy) == shown.digest:
                desk.learned = Learned("done", self._aim(desk, shown), shared.policy, shown.items, version=version)
                desk.learned.tried = shared.tried
                desk.take_scores(shared.scores)
                self._save(desk, desk.learned)
            self.tell_learned(desk)
        self.consider(desk)
        return desk

    def _restore_policy(self, desk: Desk) -> None:
        """Takes up what was learned before. If it was not learned from just this, it plays until something else is."""
        shown = desk.demonstrations()
        if not shown.items:
            return
        with contextlib.suppress(BadInput):
            saved = self.project.learned(desk.game)
            if saved is None:
                return
            desk.learned = Learned(policy=saved.policy, stale=True, version=1)
            if saved.digest == (aim := self._aim(desk, shown)):
                desk.learned = Learned("done", aim, saved.policy, shown.items, version=1, tried=saved.tried)
                desk.learned.contradictions = saved.contradictions

    # --- learning ----------------------------------------------------------------------------------------------------

    def _aim(self, desk: Desk, shown: Demonstrations) -> str:
        """What is to be learned, in a word: another demonstration, or another way to learn, is another aim."""
        if not shown.items:
            return ""
        said = [remark.to_json() for remark in desk.lesson.remarks]
        way = json.dumps(self.settings.way(desk.game.name).to_json()) + (f" {json.dumps(said)}" if said else "")
        return f"{shown.digest} {way}"

    def consider(self, desk: Desk) -> None:
        """Starts learning if what is to be learned has changed."""
        shown = desk.demonstrations()
        if self._aim(desk, shown) == desk.learned.aim:
            return
        if shown.items:
            self.learn(desk)
        else:
            self._cancel()
            desk.learned = Learned(version=desk.learned.version + 1)
            with contextlib.suppress(BadInput):  # what cannot be removed is not believed without demonstrations, either
                self.project.drop_learned(desk.game)
            self.tell_learned(desk)

    def learn(self, desk: Desk, way: Way | None = None) -> None:
        """Starts learning from all demonstrations that count, whatever was being learned before."""
        shown, name = desk.demonstrations(), desk.game.name
        if way is not None and way != self.settings.way(name):
            self.remember(ways={**self.settings.ways, name: way})
        if not shown.items:
            raise BadInput("there is nothing to learn from yet. Play a level first.")
        self._cancel()
        last, aim = desk.learned, self._aim(desk, shown)
        desk.learned = Learned(
            "waiting", aim, last.policy, last.source, last.policy is not None, last.version, last.summary
        )
        self.tell_learned(desk)
        # What was won stays won: the last policy is a candidate, if nothing was taken back since, nor the way changed.
        same_way = last.aim.partition(" ")[2] == aim.partition(" ")[2]
        before = last.policy if same_way and _goes_on(last.source, shown.items) else None
        text = demonstrations_to_text(desk.game, [r for r in desk.lesson.recordings if r.learn])
        self._learning = asyncio.create_task(self._learn(desk, shown, text, before))

    def stop_learning(self) -> None:
        """Has learning finish with the best so far."""
        if self._asked is not None and not self._asked[1].done():
            self._end(*self._asked, BEST_PATIENCE)

    def _cancel(self) -> None:
        for task in (self._learning, self._searching):
            if task is not None and not task.done():
                task.cancel()

    async def _learn(self, desk: Desk, shown: Demonstrations, text: str, before: Any) -> None:
        learned = desk.learned

        def news(message: dict[str, Any]) -> None:
            if desk.learned is learned:
                learned.state = "running"
                self._hear(desk, learned, shown, message)

        request = {"game": desk.game.name, "demonstrations": text, "before": before}
        request |= self.settings.way(desk.game.name).to_json()
        request["conditions"] = conditions_of(desk.game, desk.lesson.remarks).to_json()
        try:
            result = await self._ask_learner(news, request)
        except asyncio.CancelledError:
            learned.aim = ""  # not learned: to be taken up again when the game is opened again
            raise
        except ShownError as error:
            learned.state, learned.failure = "broken", f"Learning did not come to its end: {error}"
            self.tell_learned(desk)
            return
        learned.state = "stopped" if result["stopped"] else "done" if result.get("policy") is not None else "failed"
        learned.tried, learned.lost = result.get("tried", []), result.get("lost", 0)
        learned.failure, learned.advice = result.get("failure"), result.get("advice")
        learned.contradictions = result.get("contradictions", [])
        self._hear(desk, learned, shown, result)
        if learned.policy is not None and not learned.stale:
            self._save(desk, learned)
        if learned.policy is not None:
            self._searching = asyncio.create_task(self._search_next(desk, learned))

    async def _ask_learner(self, news: Callable[[dict[str, Any]], None], request: dict[str, Any]) -> dict[str, Any]:
        """Has it learned; if the process dies over it, by its successor once."""
        for again in (True, False):
            number, answer = self._asked = self.learner.begin("learn", news, **request)
            try:
                return await asyncio.shield(answer)
            except asyncio.CancelledError:
                self._end(number, answer, STOP_PATIENCE)
                raise
            except HelperDied:
                if not again:
                    raise
        raise AssertionError("the second answer is returned or raised")

    def _save(self, desk: Desk, learned: Learned) -> None:
        try:
            saved = Saved(learned.policy, learned.aim, learned.tried, learned.contradictions)
            self.project.save_learned(desk.game, saved)
        except BadInput as error:
            # It is learned all the same, and works until the studio ends.
            learned.unsaved = f"What was learned could not be saved. {error}"
            self.tell_learned(desk)

    def _end(self, number: int, answer: asyncio.Future[Any], patience: float) -> None:
        """Stops learning. A process that does not heed that is replaced, and whoever still waits for it is told."""
        self.learner.stop(number)

        ready = self._compiled

        async def insist() -> None:
            # A process that is still getting ready hears of it then; to replace it would only begin that again.
            await asyncio.wait([ready, answer], timeout=READY_PATIENCE, return_when=asyncio.FIRST_COMPLETED)
            done, _ = await asyncio.wait([answer], timeout=patience)
            if not done:
                answer.set_exception(ShownError(f"it did not stop within {patience:.0f} seconds."))
                answer.exception()  # looked at, in case nobody waits
                self.learner.replace()

        self._background(insist())

    def _hear(self, desk: Desk, learned: Learned, shown: Demonstrations, message: dict[str, Any]) -> None:
        learned.progress = message.get("progress", learned.progress)
        if message.get("policy") is not None:
            learned.policy, learned.summary = message["policy"], message.get("summary")
            learned.source, learned.stale = shown.items, False
            learned.version += 1
        self.tell_learned(desk)

    def tell_learned(self, desk: Desk) -> None:
        self.news.publish("learned", self.learned_view(desk))

    def learned_view(self, desk: Desk) -> dict[str, Any]:
        learned = desk.learned
        demonstrations = [r for r in desk.lesson.recordings if r.learn]
        return {
            "game": desk.game.name,
            "state": learned.state,
            "version": learned.version,
            "hasPolicy": learned.policy is not None,
            "stale": learned.stale,
            "progress": learned.progress,
            "tried": learned.tried,
            "lost": learned.lost,
            "summary": learned.summary,
            "failure": learned.failure,
            "advice": learned.advice,
            "contradictions": learned.contradictions,
            "unsaved": learned.unsaved,
            "next": learned.next,
            "scored": len(desk.scores),
            "way": self.settings.way(desk.game.name).to_json(),
            "demonstrations": len(demonstrations),
            "clicks": sum(len(r.demonstration.steps) for r in demonstrations),
        }

    # --- playing -----------------------------------------------------------------------------------------------------

    async def ask_player(self, desk: Desk, do: str, **request: Any) -> dict[str, Any]:
        """Asks the process that plays something about the game's policy."""
        learned = desk.learned
        if learned.policy is None:
            raise Forgotten("nothing has been learned yet. Show the computer a game first.")
        key = (desk.game.name, learned.version)
        for _ in range(2):
            if key not in self._known:
                await self._hand_over(desk, key)
            result = await self._ask(do, key=list(key), game=desk.game.name, **request)
            if not result.get("missing"):
                return {**result, "version": key[1]}
            self._known.discard(key)
        raise Forgotten("the process that plays has lost the policy. Try again.")

    async def _hand_over(self, desk: Desk, key: tuple[str, int]) -> None:
        """Gives the player the policy. One that it does not accept was not written here; learn a new one."""
        learned = desk.learned
        try:
            answer = await self._ask("policy", key=list(key), policy=learned.policy)
        except HelperDied:
            raise
        except ShownError:
            learned.policy, learned.aim = None, ""
            self.consider(desk)
            raise
        self._known.add(key)
        if learned.summary is None and learned.version == key[1]:
            learned.summary = answer["summary"]
            self.tell_learned(desk)

    async def _ask(self, do: str, **request: Any) -> dict[str, Any]:
        try:
            return await asyncio.wait_for(self.player.ask(do, **request), ASK_PATIENCE)
        except TimeoutError:
            self.player.replace()
            raise BadInput("that took too long, so it was given up.") from None

    async def play_on_stage(self, desk: Desk, level: Level, seed: int) -> dict[str, Any]:
        """Has the game's policy play where it is watched; pages hear of each position as it is read there."""
        name, learned = desk.game.name, desk.learned
        if name not in self.stages:
            raise BadInput(f"{desk.game.title} is played nowhere else here. Start the studio with --world minecraft.")
        if learned.policy is None:
            raise Forgotten("nothing has been learned yet. Show the computer a game first.")

        def news(message: dict[str, Any]) -> None:
            self.news.publish("live", {"game": name, "level": level.name, **message})

        return await self.stages[name].play(news, learned.policy, level, seed)

    async def _search_next(self, desk: Desk, learned: Learned) -> None:
        """Finds the level on which the candidates disagree most; one level a request, so that others get through."""
        levels = desk.candidates(NEXT_LEVELS)
        found: list[dict[str, Any]] = []
        for level in levels:
            try:
                result = await self.ask_player(desk, "doubt", **as_request(level))
            except ShownError:
                return
            found.append({"level": level.name, "rows": list(level.grid.rows), "doubt": result["doubt"]})
        if desk.learned is learned:
            found.sort(key=lambda item: -item["doubt"])
            learned.next = found[:3]
            self.tell_learned(desk)
            await keep_score(self, desk, learned)


def _goes_on(source: tuple[Demonstration, ...], shown: tuple[Demonstration, ...]) -> bool:
    """Whether everything that was learned from is still shown; a correction may have grown."""
    same = set(map(id, shown))  # most are the very same ones, which need not be compared
    left = [old for old in source if id(old) not in same and old not in shown]
    return all(any(new.steps[: len(old.steps)] == old.steps for new in shown) for old in left)


def _digest_of(policy: Any) -> str | None:
    """What the demonstrations were, by their digest, that a policy says it was learned from."""
    match policy:
        case {"origin": {"demonstrations": {"digest": str(digest)}}}:
            return digest
    return None


def as_request(level: Level) -> dict[str, Any]:
    return {"name": level.name, "rows": list(level.grid.rows)}


def stamp() -> str:
    """Names this run of the server, so that a page notices a new one."""
    return f"{time.time_ns():x}"
