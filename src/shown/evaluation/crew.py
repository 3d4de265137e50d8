"""Distribution of shards to the workers of a Ray cluster, and recovery from their deaths.

Each core of the cluster has one worker, which has a few shards queued and evaluates them in order. A window of a few
shards per worker limits those queued, or finished and not merged, and with them the memory used, however many programs
there are. When a worker dies, all its shards that are not merged are given to others. A worker that gets an earlier
shard than its last resets first (`ShardWorker.forget`). So the pieces do not depend on deaths.
"""

from __future__ import annotations

import heapq
import time
from collections import Counter
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any

from shown.errors import ClusterLost, OutOfMemory
from shown.evaluation.cluster import (
    MAX_DEATHS,
    Cluster,
    as_local_error,
    check_version,
    first_line,
    import_ray,
    is_death,
)
from shown.evaluation.shards import InTurn, Piece, Shard, ShardJob, ShardWorker
from shown.version import __version__

QUEUED = 2
"""Shards queued per worker (current + next)."""

WINDOW = 4
"""Maximum shards per worker that are queued, or finished and not merged."""

MAX_SECONDS_WITHOUT_WORKERS = 60.0
"""Seconds without any worker after which the cluster is given up."""

QUERY_EVERY = 2.0
"""Seconds between queries for the size of the cluster, since nodes come and go."""


class OnCluster:
    """A crew of workers on a cluster.

    Args:
        cluster: the cluster. One given by name is opened for each job and closed after it.
    """

    def __init__(self, cluster: Cluster | str) -> None:
        self._ours = isinstance(cluster, str)
        self.cluster = Cluster(cluster) if isinstance(cluster, str) else cluster
        self._busy = False

    @property
    def workers(self) -> int:
        return max(1, self.cluster.cores)

    def pieces(self, job: ShardJob, shards: Sequence[Shard]) -> Generator[Piece, None, None]:
        """Yield the pieces of the shards, in order.

        Each worker holds a core, so a second job during the first one is done by this process alone.
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


class RayWorker:
    """A worker in a process of the cluster."""

    def __init__(self) -> None:
        self._worker: ShardWorker | None = None

    def hello(self, job: ShardJob) -> tuple[str, str]:
        """Prepare for a job; return the version of this package and the address of the node."""
        self._worker = ShardWorker(job)
        return __version__, str(import_ray().util.get_node_ip_address())

    def rest(self) -> None:
        """Release the last job and its memory."""
        self._worker = None

    def work(self, shard: Shard, afresh: bool) -> tuple[bool, Piece]:
        """Evaluate a shard, after a reset if `afresh`; return True and the piece, as two Ray results."""
        assert self._worker is not None, "hello comes first"
        if afresh:
            self._worker.forget()
        return True, self._worker.work(shard)


@dataclass
class _Member:
    """A worker in the team: its actor, the last shard given to it, and the number of unfinished ones."""

    actor: Any
    last: int = -1
    busy: int = 0


class _Team:
    def __init__(self, cluster: Cluster, job: ShardJob, shards: Sequence[Shard]) -> None:
        self._ray, self._cluster, self._shards = cluster.open(), cluster, shards
        self._job = self._ray.put(job)
        self._waiting = list(range(len(shards)))  # a heap: the earliest shard is needed first
        self._recruits: dict[Any, _Member] = {}
        self._members: list[_Member] = []
        self._given: dict[Any, tuple[_Member, int, Any]] = {}
        self._done: dict[int, tuple[_Member, Any]] = {}
        self._deaths: Counter[int] = Counter()
        self._looked, self._seen, self._last_error = 0.0, time.monotonic(), ""

    def piece(self, number: int) -> Piece:
        """Return the piece of a shard. Shards are requested in order.

        Until then a piece stays in shared memory, or on disk, where it was computed.
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
                self._give(number + 1)  # keeps the workers busy while this piece is merged
                return piece

    def end(self) -> None:
        """Keep idle workers for the next job; end the others."""
        for member in [*self._members, *self._recruits.values()]:
            if member.last >= 0 and not member.busy:
                member.actor.rest.remote()
                self._cluster.idle.append(member.actor)
            else:
                self._dismiss(member)

    def _recruit(self) -> None:
        """Start a worker per core. A worker gets shards once it is ready."""
        now = time.monotonic()
        if now - self._looked > QUERY_EVERY:
            self._looked = now
            hand = self._ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0)(RayWorker)
            for _ in range(self._cluster.cores - len(self._members) - len(self._recruits)):
                actor = self._cluster.idle.pop() if self._cluster.idle else hand.remote()
                self._recruits[actor.hello.remote(self._job)] = _Member(actor)
        if self._members:
            self._seen = now
        elif now - self._seen > MAX_SECONDS_WITHOUT_WORKERS:
            raise ClusterLost(
                f"no worker of the cluster {self._cluster.where} has answered for {MAX_SECONDS_WITHOUT_WORKERS:.0f} s. "
                f"Check that its nodes are alive and their cores free.{self._last_error}"
            )

    def _give(self, first: int) -> None:
        """Queue shards with the least busy workers, up to the end of the window."""
        end = first + WINDOW * max(1, len(self._members))
        while self._waiting and self._waiting[0] < end:
            member = min(self._members, key=lambda member: member.busy, default=None)
            if member is None or member.busy >= QUEUED:
                return
            number = heapq.heappop(self._waiting)
            work = member.actor.work.options(num_returns=2)
            done, found = work.remote(self._shards[number], number < member.last)
            self._given[done] = member, number, found
            member.last, member.busy = number, member.busy + 1

    def _hear(self) -> None:
        """Wait for a result."""
        expected = [*self._recruits, *self._given]
        if not expected:
            time.sleep(0.1)
            return
        for ref in self._ray.wait(expected, num_returns=1, timeout=QUERY_EVERY)[0]:
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
        """Return a result of a worker; None if the worker died, after its shards are requeued."""
        try:
            return self._ray.get(ref)
        except self._ray.exceptions.RayTaskError as error:
            raise as_local_error(error) from None
        except Exception as error:
            if not is_death(self._ray, error):
                raise
            self._requeue(member, error)
            return None

    def _requeue(self, member: _Member, error: Exception) -> None:
        """Requeue all shards of a dead worker that are not merged."""
        self._dismiss(member)
        self._members = [other for other in self._members if other is not member]
        lost = [number for whose, number, _ in self._given.values() if whose is member]
        self._given = {ref: given for ref, given in self._given.items() if given[0] is not member}
        self._last_error = f" Last error: {first_line(error)}."
        for number in lost[:1]:  # the first one is the likely cause
            self._deaths[number] += 1
            if self._deaths[number] > MAX_DEATHS:
                if "memory" in str(error).lower():
                    raise OutOfMemory(
                        f"{MAX_DEATHS + 1} workers ran out of memory on the same programs. Use fewer workers per "
                        "machine, or learn with fewer programs."
                    )
                died = f"{MAX_DEATHS + 1} workers died on the same programs"
                raise ClusterLost(f"{died}; last error: {first_line(error)}.")
        lost += [number for number, (whose, _) in self._done.items() if whose is member]
        for number in lost:
            self._done.pop(number, None)
            heapq.heappush(self._waiting, number)

    def _dismiss(self, member: _Member) -> None:
        if self._ray.is_initialized():
            self._ray.kill(member.actor)
