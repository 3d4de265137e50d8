"""An executor that runs trials as tasks of a Ray cluster."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import Any

from shown.errors import ClusterLost
from shown.evaluation.cluster import MAX_DEATHS, Cluster, first_line, is_death
from shown_evidence.results.row import Row
from shown_evidence.results.runner import THREADS, Trials, attempt, failure
from shown_evidence.trials.trial import code_for

TASKS_PER_CORE = 2  # tasks queued in the cluster
CHECK_EVERY = 2.0  # seconds between checks of the cluster's size


def on_ray(cluster: Cluster, trials: Trials) -> Iterator[Row]:
    """Execute each trial as a one-core task.

    Ray repeats the trial of a worker that dies a few times; then this trial fails, and no other.
    """
    ray = cluster.open()
    cluster.dismiss()
    single_threaded = {"env_vars": dict.fromkeys(THREADS, "1")}  # the trials are the parallelism
    task = ray.remote(num_cpus=1, max_retries=MAX_DEATHS, runtime_env=single_threaded)(attempt)
    waiting = list(reversed(trials))
    running: dict[Any, tuple[Mapping[str, Any], float]] = {}
    try:
        while waiting or running:
            while waiting and len(running) < TASKS_PER_CORE * max(1, cluster.cores):
                settings = waiting.pop()
                running[task.remote(settings)] = settings, time.perf_counter()
            for ref in ray.wait(list(running), num_returns=1, timeout=CHECK_EVERY)[0]:
                yield _row(ray, ref, *running.pop(ref))
    finally:
        if ray.is_initialized():
            for ref in running:
                ray.cancel(ref, force=True)


def _row(ray: Any, ref: Any, settings: Mapping[str, Any], started: float) -> Row:
    """Return the row of a task that has ended."""
    try:
        row: Row = ray.get(ref)
    except ray.exceptions.RayTaskError as error:
        cause = error.cause
        text = f"a worker failed: {type(cause).__name__}: {first_line(cause)}"
        return failure(settings, text, time.perf_counter() - started)
    except Exception as error:
        if not is_death(ray, error):
            raise
        if isinstance(error, ray.exceptions.LocalRayletDiedError):
            raise ClusterLost(f"the cluster is gone ({first_line(error)}).") from None
        text = f"{MAX_DEATHS + 1} workers died of it, the last because: {first_line(error)}"
        return failure(settings, text, time.perf_counter() - started)
    if row.code != code_for(settings):
        return failure(settings, "the worker has different code. Install the same version on all nodes.", 0.0)
    return row
