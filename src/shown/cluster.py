"""Many machines: a Ray cluster, found or started, and what can go wrong with one in words.

Ray is an extra; nothing is imported before a cluster is opened. What is done on one is elsewhere: learning in
`inference/crew.py`, practice in `teaching/elsewhere.py`, trials in `experiments/on_cluster.py`.
"""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import socket
import tempfile
from typing import Any

from shown.errors import BadInput, ClusterLost, MissingExtra, ShownError
from shown.version import __version__

LOCAL, AUTO = "local", "auto"

ANSWERS_WITHIN = 5.0
"""Seconds in which a cluster at an address must answer."""

DEATHS = 3
"""So many workers may die of one piece of work; another who would is not given it."""

_SOCKETS = 40
"""Ray's sockets lie deep in its folder, and the path of a socket is short: a longer folder is not used."""


class Cluster:
    """Where to work: on cores of this machine, or on a cluster that runs already.

    >>> Cluster("somewhere:port")
    Traceback (most recent call last):
    shown.errors.BadInput: cluster 'somewhere:port': give local, auto or the address of the head node, as HOST:PORT.

    Args:
        where: "local" starts Ray on this machine; "auto" finds what `ray start` started here (or what RAY_ADDRESS
            names); otherwise the address of a cluster's head node, HOST:PORT.
        workers: of a local one: how many cores to use; by default all.
        object_store: of a local one: bytes of shared memory in which results wait; what does not fit goes to disk.

    A cluster is opened when it is first needed, or by `with`, and closed by `with` or `close`: then nothing that it
    started is left.

    Attributes:
        where: as given.
        idle: workers that have done what they were asked and wait for more, each on its core: a new one would have to
            load the engine first.
    """

    def __init__(self, where: str = LOCAL, workers: int | None = None, object_store: int | None = None) -> None:
        self.where, self._workers, self._object_store = where, workers, object_store
        self.idle: list[Any] = []
        self._folder: str | None = None
        self._dashboard = ""
        self._opened = self._ours = False
        if where not in (LOCAL, AUTO):
            _host_and_port(where)

    def __repr__(self) -> str:
        return f"Cluster({self.where!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Cluster, (self.where, self._workers, self._object_store)

    def __enter__(self) -> Cluster:
        self.open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def cores(self) -> int:
        """How many cores it has now. ClusterLost if it does not answer any more."""
        ray = self.open()
        try:
            return int(ray.cluster_resources().get("CPU", 0))
        except Exception as error:
            raise ClusterLost(f"the cluster {self.where} does not answer any more ({first_line(error)}).") from None

    @property
    def told(self) -> str:
        """One line about it: how large it is, and where its dashboard is."""
        seen = (
            f"dashboard at http://{self._dashboard}" if self._dashboard else "no dashboard (pip install 'ray[default]')"
        )
        return f"cluster {self.where}: {self.cores} cores; {seen}"

    def open(self) -> Any:
        """Connects, unless that is done; the module `ray`, which now talks to this cluster."""
        ray = import_ray()
        if not self._opened:
            self._connect(ray)
            self._opened = True
        return ray

    def dismiss(self) -> None:
        """Sends those home who are idle, so that their cores are free for others."""
        while self.idle:
            self.open().kill(self.idle.pop())

    def close(self) -> None:
        """Leaves the cluster; a local one is ended, and its folder removed."""
        if self._opened:
            with contextlib.suppress(Exception):
                self.dismiss()
        self.idle.clear()
        if self._ours:
            with contextlib.suppress(Exception):
                import_ray().shutdown()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
        self._opened, self._ours, self._folder = False, False, None

    def _connect(self, ray: Any) -> None:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nobody is told that this was run
        # Ray talks on stderr of what only its authors can mend; what a user can is raised.
        quiet = {"logging_level": logging.CRITICAL, "log_to_driver": False}
        try:
            if self.where not in (LOCAL, AUTO):
                _answers(self.where)
            if ray.is_initialized():
                self._join(ray)
                return
            self._ours = True
            options = self._local() if self.where == LOCAL else {}
            self._dashboard = ray.init(address=self.where, **options, **quiet).dashboard_url or ""
        except KeyboardInterrupt:
            self.close()
            raise
        except Exception as error:
            self.close()
            raise BadInput(f"cluster {self.where}: {_why_not(self.where, error)}") from None

    def _join(self, ray: Any) -> None:
        """Uses what this process is connected to already; whoever did that also ends it."""
        there = ray.get_runtime_context().gcs_address
        if self.where not in (AUTO, there):
            raise RuntimeError(f"this process is at work on the cluster {there}. Use that (auto), or end it first")

    def _local(self) -> dict[str, Any]:
        """How to start Ray on this machine: seen from nowhere else, in a folder that goes when it does."""
        folder = tempfile.mkdtemp(prefix="shown-")
        if len(folder) <= _SOCKETS:
            self._folder = folder
        else:
            os.rmdir(folder)
        return {
            "num_cpus": self._workers or os.cpu_count() or 1,
            "object_store_memory": self._object_store,
            "_node_ip_address": "127.0.0.1",
            "_temp_dir": self._folder,
        }


def as_cluster(given: Cluster | str) -> Cluster:
    """A cluster from what a user says.

    >>> as_cluster("local")
    Cluster('local')
    """
    return given if isinstance(given, Cluster) else Cluster(given)


def import_ray() -> Any:
    """The module `ray`; MissingExtra if there is none."""
    try:
        import ray
        import ray.exceptions
    except ImportError:
        raise MissingExtra("Ray", "ray") from None
    return ray


def check_version(theirs: str, node: str) -> None:
    """BadInput if a worker has another version of this package: it might find something else.

    >>> check_version("0.0.1", "10.0.0.2")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    shown.errors.BadInput: the worker on 10.0.0.2 has shown 0.0.1, and here is ... Install the same on all nodes.
    """
    if theirs != __version__:
        raise BadInput(
            f"the worker on {node} has shown {theirs}, and here is {__version__}. Install the same on all nodes."
        )


def is_death(ray: Any, error: Exception) -> bool:
    """Whether an error says that a worker, its node or what it had found is gone: then it is done again elsewhere."""
    known = ray.exceptions
    return isinstance(
        error,
        (
            known.RayActorError,
            known.WorkerCrashedError,
            known.NodeDiedError,
            known.ObjectLostError,
            known.OutOfMemoryError,
            known.LocalRayletDiedError,
        ),
    )


def plainly(error: Any) -> Exception:
    """What went wrong in a worker, as if it had gone wrong here."""
    cause = error.cause
    if isinstance(cause, ShownError):
        return type(cause)(*cause.args)
    return ClusterLost(
        f"a worker failed: {type(cause).__name__}: {first_line(cause)}. Is the same installed on all nodes?"
    )


def first_line(error: BaseException) -> str:
    """The line of an error that says most: Ray's go on over many.

    >>> first_line(ValueError("no such thing\\n\\n  at some place"))
    'no such thing'
    """
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0].rstrip(".") if lines else type(error).__name__


def _host_and_port(where: str) -> tuple[str, int]:
    host, _, port = where.rpartition(":")
    if not host or "/" in host or not port.isdigit() or not 0 < int(port) < 2**16:
        raise BadInput(f"cluster {where!r}: give local, auto or the address of the head node, as HOST:PORT.")
    return host.strip("[]"), int(port)


def _answers(where: str) -> None:
    """OSError if nobody at an address speaks as Ray does (HTTP/2): Ray itself would try for minutes."""
    with socket.create_connection(_host_and_port(where), timeout=ANSWERS_WITHIN) as line:
        line.settimeout(ANSWERS_WITHIN)
        line.sendall(_PREFACE + _SETTINGS)
        if line.recv(9)[3:4] != _SETTINGS[3:4]:
            raise ConnectionError("what is there is not Ray")


_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_SETTINGS = b"\0\0\0\4\0\0\0\0\0"
"""How a connection begins: both sides say by an empty frame of type 4 how they would like to talk."""


def _why_not(where: str, error: Exception) -> str:
    """Why there is no connection, and what to do."""
    if isinstance(error, OSError) and where not in (LOCAL, AUTO) and not isinstance(error, ConnectionAbortedError):
        return f"nobody answers there ({first_line(error)}). Start one with: ray start --head"
    text = str(error)
    if "ersion mismatch" in text:
        return "it has another version of Ray or Python: " + "; ".join(
            line.strip(" .") for line in text.splitlines() if "Ray:" in line or "Python:" in line
        )
    if where == AUTO:
        return f"there is none here ({first_line(error).split('. ')[0]}). Start one with: ray start --head"
    return first_line(error)
