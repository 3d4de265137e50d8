"""Shards carried to the workers of a cluster (Ray): who does what, and what happens when somebody dies.

Each core of the cluster has one worker, which is given a few shards ahead and works them off in order. No more shards
are out, or found and not merged, than a window of a few a worker: so neither this process nor the cluster holds more
than that, however many programs there are. When a worker is gone, all that it was given and that is not merged yet is
given to others; a worker that gets an earlier shard than it has done forgets first (`Worker.forget`). So the pieces are
the same whoever dies, and whenever.
"""

from __future__ import annotations

import heapq
import time
from collections import Counter
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any

from shown.cluster import DEATHS, Cluster, as_cluster, check_version, first_line, import_ray, is_death, plainly
from shown.errors import ClusterLost, OutOfMemory, ShownError
from shown.inference.shards import InTurn, Job, Piece, Shard, Worker
from shown.version import __version__

AHEAD = 2
"""So many shards a worker is given at a time: one to work on, and the next."""

WINDOW = 4
"""So many shards for each worker may be out, or found and not merged yet."""

NOBODY_FOR = 60.0
"""Seconds without any worker after which the cluster is given up."""

LOOK_EVERY = 2.0
"""Seconds after which it is asked again how large the cluster is: nodes come and go."""


class OnCluster:
    """A crew of workers on a cluster.

    Args:
        cluster: where. One that is given by its name is opened for each piece of work and closed after it.
    """

    def __init__(self, cluster: Cluster | str) -> None:
        self.cluster, self._ours = as_cluster(cluster), isinstance(cluster, str)
        self._busy = False

    @property
    def workers(self) -> int:
        return max(1, self.cluster.cores)

    def pieces(self, job: Job, shards: Sequence[Shard]) -> Generator[Piece, None, None]:
        """What is found in the shards, in their order, whoever finds it.

        Each worker holds a core; so while the crew is at one job, this process does another by itself.
        """
        if self._busy:
            yield from InTurn().pieces(job, shards)
            return
        self._busy = True
        try:
            team = _Team(self.cluster, job, shards)
            try:
                for number in range(len(shards)):
                    yield team.piece(number)
            finally:
                team.end()
        finally:
            self._busy = False
            if self._ours:
                self.cluster.close()


class Hand:
    """A worker as it lives in a process of the cluster."""

    def __init__(self) -> None:
        self._worker: Worker | None = None

    def hello(self, job: Job) -> tuple[str, str]:
        """Prepares for a job; says with which version, and where."""
        self._worker = Worker(job)
        return __version__, str(import_ray().util.get_node_ip_address())

    def rest(self) -> None:
        """Lets go of the last job, and the memory it took."""
        self._worker = None

    def work(self, shard: Shard, afresh: bool) -> tuple[bool, Piece]:
        """Evaluates a shard; `afresh`, without reference to what was found before. That it is done, and the piece."""
        assert self._worker is not None, "a worker is greeted first"
        if afresh:
            self._worker.forget()
        return True, self._worker.work(shard)


@dataclass
class _Member:
    """A worker in the team: its actor, the last shard it was given, and how many of those are not done."""

    actor: Any
    last: int = -1
    busy: int = 0


class _Team:
    def __init__(self, cluster: Cluster, job: Job, shards: Sequence[Shard]) -> None:
        self._ray, self._cluster, self._shards = cluster.open(), cluster, shards
        self._job = self._ray.put(job)
        self._waiting = list(range(len(shards)))  # a heap: the earliest is needed first
        self._recruits: dict[Any, _Member] = {}
        self._members: list[_Member] = []
        self._given: dict[Any, tuple[_Member, int, Any]] = {}
        self._done: dict[int, tuple[_Member, Any]] = {}
        self._deaths: Counter[int] = Counter()
        self._looked, self._seen, self._last_words = 0.0, time.monotonic(), ""

    def piece(self, number: int) -> Piece:
        """What was found in a shard. They are asked for in order.

        Until then it stays where it was found, in memory that its node shares, or on its disk.
        """
        while True:
            while number not in self._done:
                self._recruit()
                self._give(number)
                self._hear()
            member, found = self._done[number]
            piece: Piece | None = self._get(found, member)
            if piece is not None:
                del self._done[number]
                self._give(number + 1)  # there is room for one more, to be worked on while this one is merged
                return piece

    def end(self) -> None:
        """Lets those rest who have nothing to do, until there is another job; sends the others home."""
        for member in [*self._members, *self._recruits.values()]:
            if member.last >= 0 and not member.busy:
                member.actor.rest.remote()
                self._cluster.idle.append(member.actor)
            else:
                self._dismiss(member)

    def _recruit(self) -> None:
        """As many workers as there are cores. Those who have not said hello are given nothing."""
        now = time.monotonic()
        if now - self._looked > LOOK_EVERY:
            self._looked = now
            hand = self._ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0)(Hand)
            for _ in range(self._cluster.cores - len(self._members) - len(self._recruits)):
                actor = self._cluster.idle.pop() if self._cluster.idle else hand.remote()
                self._recruits[actor.hello.remote(self._job)] = _Member(actor)
        if self._members:
            self._seen = now
        elif now - self._seen > NOBODY_FOR:
            raise ClusterLost(
                f"no worker of the cluster {self._cluster.where} has answered for {NOBODY_FOR:.0f} s. "
                f"Are its nodes alive, and their cores free?{self._last_words}"
            )

    def _give(self, first: int) -> None:
        """Gives shards to whoever has the least to do, up to the window's end."""
        end = first + WINDOW * max(1, len(self._members))
        while self._waiting and self._waiting[0] < end:
            member = min(self._members, key=lambda member: member.busy, default=None)
            if member is None or member.busy >= AHEAD:
                return
            number = heapq.heappop(self._waiting)
            work = member.actor.work.options(num_returns=2)
            done, found = work.remote(self._shards[number], number < member.last)
            self._given[done] = member, number, found
            member.last, member.busy = number, member.busy + 1

    def _hear(self) -> None:
        """Waits until somebody has something to say."""
        expected = [*self._recruits, *self._given]
        if not expected:
            time.sleep(0.1)
            return
        for ref in self._ray.wait(expected, num_returns=1, timeout=LOOK_EVERY)[0]:
            if ref in self._recruits:
                member = self._recruits.pop(ref)
                greeting = self._get(ref, member)
                if greeting is not None:
                    check_version(*greeting)
                    self._members.append(member)
            else:
                member, number, found = self._given[ref]
                if self._get(ref, member) is not None:
                    del self._given[ref]
                    member.busy -= 1
                    self._done[number] = member, found

    def _get(self, ref: Any, member: _Member) -> Any:
        """What a worker has said; None if it is gone, and then it is buried."""
        try:
            return self._ray.get(ref)
        except self._ray.exceptions.RayTaskError as error:
            raise plainly(error) from None
        except Exception as error:
            if not is_death(self._ray, error):
                raise
            self._bury(member, error)
            return None

    def _bury(self, member: _Member, error: Exception) -> None:
        """Has others do all that a worker that is gone was given and that is not merged."""
        self._dismiss(member)
        self._members = [other for other in self._members if other is not member]
        lost = [number for whose, number, _ in self._given.values() if whose is member]
        self._given = {ref: given for ref, given in self._given.items() if given[0] is not member}
        self._last_words = f" The last to die said: {first_line(error)}."
        for number in lost[:1]:  # if it died of anything, it was of the first
            self._deaths[number] += 1
            if self._deaths[number] > DEATHS:
                raise _too_many(error)
        lost += [number for number, (whose, _) in self._done.items() if whose is member]
        for number in lost:
            self._done.pop(number, None)
            heapq.heappush(self._waiting, number)

    def _dismiss(self, member: _Member) -> None:
        if self._ray.is_initialized():
            self._ray.kill(member.actor)


def _too_many(error: Exception) -> ShownError:
    if "memory" in str(error).lower():
        return OutOfMemory(
            f"{DEATHS + 1} workers ran out of memory with the same programs. Use fewer workers on a machine, or learn "
            "with fewer programs."
        )
    return ClusterLost(f"{DEATHS + 1} workers died of the same programs, the last since: {first_line(error)}.")
