"""The queue in which games are learned, one after the other, by one process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from shown.errors import ShownError
from shown.studio.children import Background, ChildDied, ChildProcess

STOP_SECONDS, BEST_SECONDS = 5.0, 15.0  # to cancel learning, and to finish with the best so far; then it is killed
READY_SECONDS = 60.0  # for a process to import and compile

Answer = dict[str, Any]


@dataclass(eq=False)
class LearningJob:
    """A game to learn.

    Attributes:
        title: the game's title, for those that wait for it.
        news: called with each report of the learner.
        done: called with its answer, or with the error in place of one.
        moved: called whenever the job that it waits for changes.
    """

    game: str
    title: str
    request: Answer
    news: Callable[[Answer], None]
    done: Callable[[Answer | ShownError], None]
    moved: Callable[[], None]


@dataclass(eq=False)
class LearningQueue:
    """The games to learn, in the order in which they came. There is one job for each game."""

    learner: ChildProcess
    _waiting: list[LearningJob] = field(default_factory=list)
    _running: LearningJob | None = None
    _task: asyncio.Task[None] | None = None
    _asked: tuple[int, asyncio.Future[Answer]] | None = None
    _ending: Background = field(default_factory=Background)

    def put(self, job: LearningJob) -> None:
        """Add a job. It replaces a waiting job of the same game in its place; one that is running is cancelled."""
        for i, other in enumerate(self._waiting):
            if other.game == job.game:
                self._waiting[i] = job
                return
        self._cancel(job.game)
        self._waiting.append(job)
        self._next()

    def remove(self, game: str) -> None:
        """Forget the job of a game; cancel it if it is running."""
        self._cancel(game)
        self._waiting = [job for job in self._waiting if job.game != game]
        self._next()

    def stop(self, game: str) -> None:
        """Have the job of a game finish with the best so far. A waiting one has nothing more yet."""
        if self._running is not None and self._running.game == game and self._asked is not None:
            self._end(self._asked, BEST_SECONDS)
        for job in [job for job in self._waiting if job.game == game]:
            self._waiting.remove(job)
            job.done({"stopped": True})

    def waits_for(self, game: str) -> str | None:
        """Return the title of the game that is learned first while `game` waits; None if it does not wait."""
        waits = any(job.game == game for job in self._waiting)
        return self._running.title if waits and self._running is not None else None

    def close(self) -> None:
        self._ending.cancel()
        if self._task is not None:
            self._task.cancel()

    def _cancel(self, game: str) -> None:
        if self._running is not None and self._running.game == game:
            assert self._task is not None
            self._task.cancel()
            self._running = None

    def _next(self) -> None:
        """Begin the first job that waits, unless one is running."""
        if self._running is not None or not self._waiting:
            return
        job = self._running = self._waiting.pop(0)
        self._task = asyncio.create_task(self._run(job))
        for one in (job, *self._waiting):
            one.moved()

    async def _run(self, job: LearningJob) -> None:
        try:
            result: Answer | ShownError = await self._ask(job)
        except ShownError as error:
            result = error
        self._running = None
        try:
            job.done(result)
        finally:  # whatever happens to one game's result, the next game is learned
            self._next()

    async def _ask(self, job: LearningJob) -> Answer:
        """Return the learner's answer. If its process dies meanwhile, its successor is asked, once."""
        for last in (False, True):
            asked = self._asked = self.learner.begin("learn", job.news, **job.request)
            try:
                return await asyncio.shield(asked[1])
            except asyncio.CancelledError:
                self._end(asked, STOP_SECONDS)
                raise
            except ChildDied:
                if last:
                    raise
        raise AssertionError("the second attempt returns or raises")

    def _end(self, asked: tuple[int, asyncio.Future[Answer]], seconds: float) -> None:
        """Stop a request. A process that does not heed this is replaced."""
        number, answer = asked
        if answer.done():
            return
        self.learner.stop(number)

        async def insist() -> None:
            # A process that is still importing hears of it only then; to replace it would start that anew.
            ready: asyncio.Future[Any] = asyncio.ensure_future(self.learner.ready.wait())
            await asyncio.wait((ready, answer), timeout=READY_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            ready.cancel()
            done, _ = await asyncio.wait([answer], timeout=seconds)
            if not done:
                answer.set_exception(ShownError(f"it did not stop within {seconds:.0f} seconds."))
                answer.exception()  # retrieved, because it is no fault if nobody waits for the answer
                self.learner.replace()

        self._ending.run(insist())
