"""Trials as tasks of a cluster (Ray): an executor for `runner.run`, which writes what comes."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shown.cluster import DEATHS, Cluster, first_line, is_death
from shown.errors import ClusterLost
from shown.experiments.rows import Row
from shown.experiments.runner import THREADS, attempt, failure
from shown.experiments.trials import code_for

AHEAD = 2
"""So many trials for each core are out at a time; the others wait here."""

LOOK_EVERY = 2.0
"""Seconds after which it is asked whether the cluster is still there, and how large it is."""


@dataclass(frozen=True)
class TrialsOnCluster:
    """An executor that runs each trial as a task of a cluster, on one core.

    A worker that dies has its trial run again elsewhere, a few times; then that trial has failed, and no other.
    """

    cluster: Cluster

    def __call__(self, trials: Sequence[Mapping[str, Any]]) -> Iterator[Row]:
        ray = self.cluster.open()
        self.cluster.dismiss()
        alone = {"env_vars": dict.fromkeys(THREADS, "1")}  # the trials are the parallelism
        task = ray.remote(num_cpus=1, max_retries=DEATHS, runtime_env=alone)(attempt)
        waiting = list(reversed(trials))
        given: dict[Any, tuple[Mapping[str, Any], float]] = {}
        try:
            while waiting or given:
                while waiting and len(given) < AHEAD * max(1, self.cluster.cores):
                    settings = waiting.pop()
                    given[task.remote(settings)] = settings, time.perf_counter()
                for ref in ray.wait(list(given), num_returns=1, timeout=LOOK_EVERY)[0]:
                    yield _row(ray, ref, *given.pop(ref))
        finally:
            if ray.is_initialized():
                for ref in given:
                    ray.cancel(ref, force=True)


def _row(ray: Any, ref: Any, settings: Mapping[str, Any], begun: float) -> Row:
    """What became of a trial."""
    try:
        row: Row = ray.get(ref)
    except ray.exceptions.RayTaskError as error:
        cause = error.cause
        return failure(settings, f"a worker failed: {type(cause).__name__}: {first_line(cause)}", _since(begun))
    except Exception as error:
        if not is_death(ray, error):
            raise
        if isinstance(error, ray.exceptions.LocalRayletDiedError):
            raise ClusterLost(f"the cluster is gone ({first_line(error)}).") from None
        return failure(settings, f"{DEATHS + 1} workers died of it, the last since: {first_line(error)}", _since(begun))
    if row.code != code_for(settings):
        return failure(settings, "the worker has other code than there is here. Install the same on all nodes.", 0.0)
    return row


def _since(begun: float) -> float:
    return time.perf_counter() - begun
