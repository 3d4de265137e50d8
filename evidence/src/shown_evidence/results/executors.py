"""Executors of the shape of `concurrent.futures`: processes on this machine, or a Ray cluster.

Anything else of that shape serves as well, such as the executor of a Dask client (`client.get_executor()`).
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from shown.errors import BadInput, ShownError

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
"""Environment of a worker: the jobs are the parallelism."""


class WorkerDied(ShownError):
    """A worker process ended in the middle of a job."""


class Processes(Executor):
    """Worker processes with one thread each. One that dies fails its own job only, and is replaced.

    >>> with Processes(1) as executor:
    ...     executor.submit(divmod, 7, 2).result()
    (3, 1)
    """

    def __init__(self, count: int) -> None:
        # A pool that loses a process fails all of its jobs, so every worker is a pool of its own, with a thread that
        # waits for its answers.
        self._waiting = ThreadPoolExecutor(count)
        self._of_thread = threading.local()
        self._pools: list[ProcessPoolExecutor] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        return self._waiting.submit(self._run, fn, args, kwargs)

    def _run(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if getattr(self._of_thread, "pool", None) is None:
            spawn = multiprocessing.get_context("spawn")  # a forked process with compiled or native threads can hang
            self._of_thread.pool = ProcessPoolExecutor(1, spawn, _begin)
            self._pools.append(self._of_thread.pool)
        try:
            return self._of_thread.pool.submit(function, *args, **kwargs).result()
        except BrokenProcessPool:
            self._of_thread.pool = None
            hint = "It may have run out of memory: try fewer --jobs."
            raise WorkerDied(f"the process that ran it died. {hint}") from None

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the workers: after the jobs submitted, or at once if `cancel_futures`."""
        self._waiting.shutdown(wait=wait and not cancel_futures, cancel_futures=cancel_futures)
        if cancel_futures:
            for process in multiprocessing.active_children():
                process.kill()
        for pool in self._pools:
            pool.shutdown(wait=wait)


def _begin() -> None:
    """Prepare a worker: one thread, deaf to Ctrl-C, which is for its parent, and gone when the parent is gone."""
    os.environ.update(ONE_THREAD)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


class RayCluster(Executor):
    """One-core tasks on a Ray cluster.

    Args:
        address: "local" starts Ray on this machine, "auto" finds the cluster running here; or HOST:PORT of the head.
        count: cores of a local cluster; all by default.
    """

    def __init__(self, address: str, count: int | None = None) -> None:
        try:
            import ray
        except ImportError:
            raise ShownError("--cluster needs Ray. Install it with: pip install 'shown-evidence[ray]'") from None
        where = {"num_cpus": count} if address == "local" else {"address": address}
        quiet: dict[str, Any] = {"log_to_driver": False, "include_dashboard": False, "logging_level": logging.ERROR}
        try:
            ray.init(**where, runtime_env={"env_vars": ONE_THREAD}, **quiet)
        except (ConnectionError, ValueError, RuntimeError) as error:
            reason = str(error).partition("\n")[0]
            raise BadInput(f"--cluster {address}: no cluster answers ({reason}). Start one: ray start --head") from None
        self._ray = ray
        self._task = ray.remote(num_cpus=1, max_retries=0)(_call)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = self._task.remote(fn, args, kwargs).future()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._ray.shutdown()


def _call(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return function(*args, **kwargs)
