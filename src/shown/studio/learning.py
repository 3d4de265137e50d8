"""The state of learning one game, and the queue in which games take their turns at being learned."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from shown.demonstrations import Demonstration
from shown.errors import ShownError
from shown.studio.children import ChildDied, ChildProcess

STOP_SECONDS, BEST_SECONDS = 5.0, 15.0  # to cancel learning, and to finish with the best so far; then it is killed
READY_SECONDS = 60.0  # for a process to import and compile


@dataclass
class LearningState:
    """The state of learning one game.

    Attributes:
        state: "idle" (no demonstrations), "waiting", "running", "done", "stopped", "failed" (no rule fits) or "broken"
            (learning itself failed).
        aim: identifies what is learned: the digest of the demonstrations, the preferences and the remarks.
        policy: the best policy so far, as JSON.
        learned_from: what the policy was learned from, like `aim`.
        source: the demonstrations that the policy was learned from.
        used: numbers of those of `source` that made a difference.
        version: number of policies so far, which tells the page when to look again.
        summary: the policy's rules and provenance in words, as the player process describes them.
        tried: hypotheses about the teacher that were tried (see `SavedPolicy`).
        lost: number of practice levels that the previous policy won and this one loses.
        failure: why there is no new policy, in a sentence.
        advice: two clicks that no rule reconciles, and what to do, as JSON.
        outlier: a demonstration that does not go with the others, as JSON.
        contradictions: pinned clauses that contradict a demonstration, as JSON.
        unsaved: why the policy could not be saved, in a sentence.
        next: the levels on which the candidates disagree most.
        score: numbers of held-out levels that the policy wins and of all; None before they are played.
    """

    state: str = "idle"
    aim: str = ""
    policy: Any = None
    learned_from: str = ""
    source: tuple[Demonstration, ...] = ()
    used: list[int] = field(default_factory=list)
    version: int = 0
    summary: dict[str, Any] | None = None
    progress: dict[str, Any] = field(default_factory=dict)
    tried: list[list[Any]] = field(default_factory=list)
    lost: int = 0
    failure: str | None = None
    advice: dict[str, Any] | None = None
    outlier: dict[str, Any] | None = None
    contradictions: list[dict[str, Any]] = field(default_factory=list)
    unsaved: str | None = None
    next: list[dict[str, Any]] = field(default_factory=list)
    score: list[int] | None = None

    @property
    def stale(self) -> bool:
        """Whether the policy was learned from something else than the present lesson."""
        return self.policy is not None and self.learned_from != self.aim

    def renewed(self, aim: str) -> LearningState:
        """Return the state before learning something else, with the policy so far."""
        kept = ("policy", "learned_from", "source", "used", "version", "summary")
        return LearningState("waiting", aim, **{key: getattr(self, key) for key in kept})

    def in_keeping_with(self, shown: tuple[Demonstration, ...]) -> bool:
        """Return whether all that the policy was learned from is among `shown`; a correction may have grown."""
        same = set(map(id, shown))  # most are the same objects, which need not be compared
        left = [old for old in self.source if id(old) not in same and old not in shown]
        return all(any(new.steps[: len(old.steps)] == old.steps for new in shown) for old in left)

    def hear(self, message: dict[str, Any], shown: tuple[Demonstration, ...]) -> None:
        """Take in news of the learner about the demonstrations `shown`: its progress, and perhaps a better policy."""
        self.progress = message.get("progress", self.progress)
        if message.get("policy") is not None:
            self.policy, self.summary = message["policy"], message.get("summary")
            self.learned_from, self.source, self.used = self.aim, shown, message.get("used", [])
            self.version += 1

    def finish(self, result: dict[str, Any] | ShownError, shown: tuple[Demonstration, ...]) -> None:
        """Take in the learner's last word."""
        if isinstance(result, ShownError):
            self.state, self.failure = "broken", f"Learning failed: {result}"
            return
        self.state = "stopped" if result["stopped"] else "done" if result.get("policy") is not None else "failed"
        self.tried, self.lost = result.get("tried", []), result.get("lost", 0)
        self.failure, self.advice = result.get("failure"), result.get("advice")
        self.contradictions, self.outlier = result.get("contradictions", []), result.get("outlier")
        self.hear(result, shown)

    def to_json(self) -> dict[str, Any]:
        """Return what the page shows of it."""
        kept = ("aim", "policy", "learned_from", "source", "used")
        shown = {key: getattr(self, key) for key in self.__dataclass_fields__ if key not in kept}
        return {**shown, "stale": self.stale, "hasPolicy": self.policy is not None}


@dataclass(eq=False)
class Job:
    """A game to learn.

    Attributes:
        title: its title, for those that wait for it.
        news: called with each report of the learner.
        done: called with its answer, or with the error in place of one.
        moved: called whenever the job that it waits for changes.
    """

    game: str
    title: str
    request: dict[str, Any]
    news: Callable[[dict[str, Any]], None]
    done: Callable[[dict[str, Any] | ShownError], None]
    moved: Callable[[], None]


class LearningQueue:
    """The games to learn, first come, first served. There is one job for each game; the first one is being learned."""

    def __init__(self, learner: ChildProcess) -> None:
        self.learner = learner
        self._jobs: list[Job] = []
        self._task: asyncio.Task[None] | None = None
        self._asked: tuple[int, asyncio.Future[dict[str, Any]]] | None = None
        self._ending: set[asyncio.Task[None]] = set()

    def put(self, job: Job) -> None:
        """Add a job. It replaces a waiting job of the same game in its place; one that is running is cancelled."""
        for i, other in enumerate(self._jobs[1:], start=1):
            if other.game == job.game:
                self._jobs[i] = job
                return
        self._drop(job.game)
        self._jobs.append(job)
        self._next()

    def remove(self, game: str) -> None:
        """Forget the job of a game; cancel it if it is running."""
        self._drop(game)
        self._next()

    def stop(self, game: str) -> None:
        """Have the job of a game finish with the best so far. A waiting one has nothing yet."""
        job = next((job for job in self._jobs if job.game == game), None)
        if job is not None and job is self._jobs[0]:
            if self._asked is not None and not self._asked[1].done():
                self._end(*self._asked, BEST_SECONDS)
        elif job is not None:
            self._jobs.remove(job)
            job.done({"stopped": True})

    def waits_for(self, game: str) -> str | None:
        """Return the title of the game that is being learned while `game` waits, or None if it does not wait."""
        return self._jobs[0].title if any(job.game == game for job in self._jobs[1:]) else None

    def close(self) -> None:
        for task in (self._task, *self._ending):
            if task is not None:
                task.cancel()

    def _drop(self, game: str) -> None:
        if self._jobs and self._jobs[0].game == game and self._task is not None:
            self._task.cancel()
            self._task = None
        self._jobs = [job for job in self._jobs if job.game != game]

    def _next(self) -> None:
        """Begin the first job, unless it has begun."""
        if self._task is None and self._jobs:
            self._task = asyncio.create_task(self._run(self._jobs[0]))
            for job in self._jobs:
                job.moved()

    async def _run(self, job: Job) -> None:
        try:
            result: dict[str, Any] | ShownError = await self._ask(job)
        except ShownError as error:
            result = error
        self._jobs.remove(job)
        self._task = None
        try:
            job.done(result)
        finally:  # whatever happens to one game's result, the next game is learned
            self._next()

    async def _ask(self, job: Job) -> dict[str, Any]:
        """Return the learner's answer. If its process dies meanwhile, its successor is asked, once."""
        for last in (False, True):
            number, answer = self._asked = self.learner.begin("learn", job.news, **job.request)
            try:
                return await asyncio.shield(answer)
            except asyncio.CancelledError:
                self._end(number, answer, STOP_SECONDS)
                raise
            except ChildDied:
                if last:
                    raise
        raise AssertionError("the second attempt returns or raises")

    def _end(self, number: int, answer: asyncio.Future[Any], seconds: float) -> None:
        """Stop a request. A process that does not heed this is replaced."""
        self.learner.stop(number)

        async def insist() -> None:
            # A process that is still importing hears of it only then; to replace it would start that anew.
            ready = asyncio.ensure_future(self.learner.ready.wait())
            await asyncio.wait([ready, answer], timeout=READY_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            ready.cancel()
            done, _ = await asyncio.wait([answer], timeout=seconds)
            if not done:
                answer.set_exception(ShownError(f"it did not stop within {seconds:.0f} seconds."))
                answer.exception()  # retrieved, because it is no fault if nobody waits for the answer
                self.learner.replace()

        task = asyncio.create_task(insist())
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)
