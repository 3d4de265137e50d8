"""The queue in which games take their turns at being learned, by one process or by a few.

A class shares one queue. A pupil has one game learned at a time. While others wait, the first turn of a game is brief:
it ends with the first rule that takes everything shown into account, mostly within a second. Then the game goes on in
later turns, each twice as long as the last, which make room for first ones. One turn in a few is a later one even so.
Within one owner, games are learned in the order in which they came.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from shown.errors import ShownError
from shown.studio.children import Background, ChildDied, ChildProcess

STOP_SECONDS, BEST_SECONDS = 5.0, 15.0  # to cancel learning, and to finish with the best so far; then it is killed
READY_SECONDS = 60.0  # for a process to import and compile
TURN_SECONDS = 2.0  # of the first turn, if others wait and there is a rule, perhaps an earlier one
SHORT_SECONDS = 1.0  # of a later turn that makes room for a first one
URGENT_SECONDS = 2.0  # that a first turn waits before this, while another learner will soon be free
MAX_TURN_SECONDS = 20.0  # of any turn, if others wait
NEXT_SECONDS = 3.0  # after the start of a turn, the next one of the same owner counts as queued
AGAIN_SECONDS, CONTINUE_SECONDS = 3.0, 10.0  # that a game with a rule, and a later turn, wait longer than others
FIRST_IN_A_ROW = 3  # first turns before a later one that has waited for so long

Answer = dict[str, Any]


@dataclass(eq=False)
class LearningJob:
    """A game to learn.

    Attributes:
        owner: whose game it is: a pupil of a class, or "".
        title: the game's title, for those that wait for it.
        news: called with each report of the learner; one with "waiting" says that the turn is over.
        done: called with its answer, or with the error in place of one.
        moved: called whenever the job that it waits for changes.
        queued: when it came, by the queue's clock.
        turns: number of turns it has had.
    """

    owner: str
    game: str
    title: str
    request: Answer
    news: Callable[[Answer], None]
    done: Callable[[Answer | ShownError], None]
    moved: Callable[[], None]
    queued: float = 0.0
    turns: int = 0

    @property
    def key(self) -> tuple[str, str]:
        return self.owner, self.game


@dataclass(eq=False)
class _Turn:
    """A job that is being learned; `brief` if it ends with its first rule, `over` once it was asked to make room."""

    job: LearningJob
    learner: ChildProcess
    began: float
    brief: bool = False
    task: asyncio.Task[None] | None = None
    asked: tuple[int, asyncio.Future[Answer]] | None = None
    has_rule: bool = False
    over: bool = False

    def ends(self, first: float) -> float:
        """Return when it ends if others wait; from `first` on, a later turn makes room for a first one."""
        if not self.has_rule and self.job.request["before"] is None:
            return self.began + MAX_TURN_SECONDS
        longest = self.began + min(TURN_SECONDS * 2**self.job.turns, MAX_TURN_SECONDS)
        if not self.has_rule or first == math.inf:
            return longest
        return min(longest, max(self.began + SHORT_SECONDS, first)) if self.job.turns else self.began


@dataclass(eq=False)
class LearningQueue:
    """The games to learn. There is one job for each game of each owner, and each learner learns one at a time."""

    learners: Sequence[ChildProcess]
    clock: Callable[[], float] = time.monotonic
    _waiting: list[LearningJob] = field(default_factory=list)
    _turns: list[_Turn] = field(default_factory=list)
    _row: int = 0  # first turns since the last later one
    _last: dict[str, float] = field(default_factory=dict)  # the start of the last turn of each owner
    _homes: dict[str, ChildProcess] = field(default_factory=dict)
    _ending: Background = field(default_factory=Background)
    _timer: asyncio.TimerHandle | None = None

    def put(self, job: LearningJob) -> None:
        """Add a job. It replaces a waiting job of the same game in its place; one that is running is cancelled."""
        job.queued = self.clock()
        for i, other in enumerate(self._waiting):
            if other.key == job.key and not other.turns:
                job.queued = other.queued
                self._waiting[i] = job
                return
        self._drop(job.key)
        self._waiting.append(job)
        self._next()

    def remove(self, owner: str, game: str) -> None:
        """Forget the job of a game; cancel it if it is running."""
        self._drop((owner, game))
        self._next()

    def stop(self, owner: str, game: str) -> None:
        """Have the job of a game finish with the best so far. A waiting one has nothing more yet."""
        for turn in self._turns:
            if turn.job.key == (owner, game):
                turn.over = turn.brief = False
                self._end(turn, BEST_SECONDS)
        for job in [job for job in self._waiting if job.key == (owner, game)]:
            self._waiting.remove(job)
            job.done({"stopped": True})

    def waits_for(self, owner: str, game: str) -> str | None:
        """Return what is learned first while `game` waits, a title or "others"; None if it does not wait."""
        if not any(job.key == (owner, game) for job in self._waiting):
            return None
        own = (turn.job.title for turn in self._turns if turn.job.owner == owner)
        return next(own, "others" if self._turns else None)

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._ending.cancel()
        for turn in self._turns:
            if turn.task is not None:
                turn.task.cancel()

    def _drop(self, key: tuple[str, str]) -> None:
        for turn in [turn for turn in self._turns if turn.job.key == key]:
            if turn.task is not None:
                turn.task.cancel()
            self._turns.remove(turn)
        self._waiting = [job for job in self._waiting if job.key != key]

    def _next(self) -> None:
        """Begin as many jobs as there are idle learners."""
        begun = False
        idle = [one for one in self.learners if one not in [turn.learner for turn in self._turns]]
        while idle and (job := min(self._candidates(), key=self._due, default=None)) is not None:
            self._waiting.remove(job)
            self._row = 0 if job.turns else self._row + 1
            # The process that learned the owner's games last has kept what it needs to go on.
            learner = next((one for one in idle if one is self._homes.get(job.owner)), idle[0])
            idle.remove(learner)
            self._homes[job.owner] = learner
            turn = _Turn(job, learner, self.clock())
            self._last[job.owner] = turn.began
            self._turns.append(turn)
            turn.brief = not job.turns and any(self._candidates())
            turn.task = asyncio.create_task(self._run(turn))
            begun = True
        if begun:
            for job in (*(turn.job for turn in self._turns), *self._waiting):
                job.moved()
        self._make_room()

    def _candidates(self) -> Iterator[LearningJob]:
        """Yield the first waiting job of each owner who has none running."""
        seen = {turn.job.owner for turn in self._turns}
        for job in self._waiting:
            if job.owner not in seen:
                seen.add(job.owner)
                yield job

    def _due(self, job: LearningJob) -> tuple[bool, float]:
        """Return when a job should begin: those who have no rule at all come first."""
        queued = max(job.queued, self._last.get(job.owner, 0.0) + NEXT_SECONDS)
        wait = CONTINUE_SECONDS if job.turns else AGAIN_SECONDS if job.request["before"] else 0.0
        return job.turns > 0 and self._row < FIRST_IN_A_ROW, queued + wait

    def _make_room(self) -> None:
        """If a job of another owner waits, ask those to finish whose turn is over, and look again when the next is."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        waiting = list(self._candidates())
        if not waiting:
            return
        first = min((job.queued for job in waiting if not job.turns), default=math.inf)
        left = []
        for turn in self._turns:
            soon = any(other.over or not other.job.turns for other in self._turns)
            rest = turn.ends(first + URGENT_SECONDS * soon) - self.clock()
            if rest > 0:
                left.append(rest)
            elif not turn.over:
                turn.over = True
                self._end(turn, BEST_SECONDS, gently=True)
        if left:
            self._timer = asyncio.get_running_loop().call_later(min(left), self._make_room)

    async def _run(self, turn: _Turn) -> None:
        job = turn.job
        try:
            result: Answer | ShownError = await self._ask(turn)
        except ShownError as error:
            result = error
        self._turns.remove(turn)
        try:
            if (turn.over or turn.brief) and isinstance(result, dict) and result.get("stopped"):
                self._put_back(job, result if turn.has_rule else {})
            else:
                job.done(result)
        finally:  # whatever happens to one game's result, the next game is learned
            self._next()

    def _put_back(self, job: LearningJob, result: Answer) -> None:
        """Have a job whose turn is over go on later, from the best policy of this turn, if there is one."""
        if result.get("policy") is not None:
            job.request = {**job.request, "before": result["policy"], "used": result.get("used", [])}
        job.turns += 1
        job.queued = self.clock()
        self._waiting.append(job)
        job.news(
            {key: result[key] for key in ("policy", "summary", "used", "progress") if key in result} | {"waiting": True}
        )

    async def _ask(self, turn: _Turn) -> Answer:
        """Return the learner's answer. If its process dies meanwhile, its successor is asked, once."""

        def hear(message: Answer) -> None:
            if "policy" in message and not turn.has_rule:
                turn.has_rule = True
                self._make_room()
            turn.job.news(message)

        for last in (False, True):
            turn.asked = turn.learner.begin("learn", hear, **turn.job.request, brief=turn.brief)
            try:
                return await asyncio.shield(turn.asked[1])
            except asyncio.CancelledError:
                self._end(turn, STOP_SECONDS)
                raise
            except ChildDied:
                if last:
                    raise
        raise AssertionError("the second attempt returns or raises")

    def _end(self, turn: _Turn, seconds: float, gently: bool = False) -> None:
        """Stop a request; `gently`, between two steps of its work. A process that does not heed this is replaced."""
        if turn.asked is None or turn.asked[1].done():
            return
        learner, (number, answer) = turn.learner, turn.asked
        learner.stop(number, gently)

        async def insist() -> None:
            # A process that is still importing hears of it only then; to replace it would start that anew.
            ready: asyncio.Future[Any] = asyncio.ensure_future(learner.ready.wait())
            await asyncio.wait((ready, answer), timeout=READY_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            ready.cancel()
            done, _ = await asyncio.wait([answer], timeout=seconds)
            if not done:
                answer.set_exception(ShownError(f"it did not stop within {seconds:.0f} seconds."))
                answer.exception()  # retrieved, because it is no fault if nobody waits for the answer
                learner.replace()

        self._ending.run(insist())
