"""Executors of the shape of `concurrent.futures`: processes on this machine, or a Ray cluster.

Anything else of that shape serves as well, such as the executor of a Dask client (`client.get_executor()`).
"""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from multiprocessing import get_context, parent_process
from typing import Any

from shown.errors import BadInput, ShownError

THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")


class WorkerDied(ShownError):
    """A worker process ended in the middle of a job."""


class Processes(Executor):
    """Worker processes with one thread each. One that dies fails its own job only, and is replaced.

    >>> with Processes(1) as executor:
    ...     executor.submit(divmod, 7, 2).result()
    (3, 1)
    """

    def __init__(self, count: int) -> None:
        self._threads = ThreadPoolExecutor(count)  # one for each worker, which waits for its answers
        self._own = threading.local()
        self._workers: set[_Worker] = set()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        return self._threads.submit(self._run, fn, args, kwargs)

    def _run(self, *job: Any) -> Any:
        worker: _Worker | None = getattr(self._own, "worker", None)
        if worker is None:
            worker = self._own.worker = _Worker()
            self._workers.add(worker)
        try:
            return worker.run(job)
        except WorkerDied:
            self._own.worker = None
            self._workers.discard(worker)
            raise

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the workers: after the jobs submitted, or at once if `cancel_futures`."""
        if cancel_futures:
            self._threads.shutdown(wait=False, cancel_futures=True)
            for worker in list(self._workers):
                worker.kill()
        self._threads.shutdown(wait=wait)
        for worker in list(self._workers):
            worker.kill()


class _Worker:
    """A process that runs one job after the other."""

    def __init__(self) -> None:
        context = get_context("spawn")  # a forked process with compiled or native threads can hang
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_work, args=(theirs,), daemon=True)
        with _single_threaded():
            self._process.start()
        theirs.close()

    def run(self, job: Any) -> Any:
        try:
            self._pipe.send(job)
            done, value = self._pipe.recv()
        except (EOFError, OSError):
            raise WorkerDied(self._death()) from None
        if done:
            return value
        raise value

    def _death(self) -> str:
        self._process.join()
        code = self._process.exitcode or 0
        why = f"by signal {signal.Signals(-code).name}" if code < 0 else f"with exit code {code}"
        hint = " It may have run out of memory: try fewer --jobs." if code == -signal.SIGKILL else ""
        return f"the process that ran it ended {why}.{hint}"

    def kill(self) -> None:
        self._process.kill()
        self._process.join()


def _work(pipe: Any) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends its workers
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with contextlib.suppress(EOFError, OSError):
        while True:
            function, args, kwargs = pipe.recv()
            try:
                answer = (True, function(*args, **kwargs))
            except Exception as error:
                answer = (False, error)
            pipe.send(answer)


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


_starting = threading.Lock()


@contextlib.contextmanager
def _single_threaded() -> Iterator[None]:
    """Give processes started in this context one thread each: the jobs are the parallelism."""
    with _starting:
        before = {name: os.environ.get(name) for name in THREADS}
        os.environ.update(dict.fromkeys(THREADS, "1"))
        try:
            yield
        finally:
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value


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
        alone = {"env_vars": dict.fromkeys(THREADS, "1")}  # the jobs are the parallelism
        try:
            ray.init(
                **where, runtime_env=alone, log_to_driver=False, include_dashboard=False, logging_level=logging.ERROR
            )
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
