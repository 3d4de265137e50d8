"""Ray clusters: connection, and errors in plain words.

Ray is an extra, imported when a cluster is opened. Users: learning in `evaluation/crew.py`, trials in
`shown_evidence.results.ray_executor`.
"""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from shown.errors import BadInput, ClusterLost, MissingExtra, ShownError
from shown.version import __version__

LOCAL, AUTO = "local", "auto"

ANSWER_TIMEOUT = 5.0
"""Seconds within which a cluster at an address must answer."""

MAX_DEATHS = 3
"""Number of workers that may die on one task; the next death is an error."""

_SOCKETS = 40
"""Maximum length of a temporary folder: the paths of sockets inside it are limited."""


class Cluster:
    """A place to work: cores of this machine, or a running cluster.

    >>> Cluster("somewhere:port")
    Traceback (most recent call last):
    shown.errors.BadInput: cluster 'somewhere:port': give local, auto or the address of the head node, as HOST:PORT.

    Opened on first use or by `with`, and closed by `with` or `close`, which leave nothing running.

    Args:
        where: "local" starts Ray on this machine; "auto" finds the cluster that `ray start` started here (or that
            RAY_ADDRESS names); otherwise the address of a cluster's head node, HOST:PORT.
        workers: cores of a local cluster; all by default.

    Attributes:
        where: as given.
        idle: workers that wait for more work, each holding a core, since starting one loads the engine.
    """

    def __init__(self, where: str = LOCAL, workers: int | None = None) -> None:
        self.where, self._workers = where, workers
        self.idle: list[Any] = []
        self._folder: str | None = None
        self._reaper: subprocess.Popen[bytes] | None = None
        self._dashboard = ""
        self._opened = self._ours = False
        if where not in (LOCAL, AUTO):
            _host_and_port(where)

    def __repr__(self) -> str:
        return f"Cluster({self.where!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Cluster, (self.where, self._workers)

    def __enter__(self) -> Cluster:
        self.open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def cores(self) -> int:
        """Current number of cores. Raises ClusterLost if the cluster does not answer."""
        ray = self.open()
        try:
            return int(ray.cluster_resources().get("CPU", 0))
        except Exception as error:
            raise ClusterLost(f"the cluster {self.where} no longer answers ({first_line(error)}).") from None

    @property
    def summary(self) -> str:
        """One line with the size of the cluster and the address of its dashboard."""
        seen = (
            f"dashboard at http://{self._dashboard}" if self._dashboard else "no dashboard (pip install 'ray[default]')"
        )
        return f"cluster {self.where}: {self.cores} cores; {seen}"

    def open(self) -> Any:
        """Connect, if necessary, and return the module `ray`."""
        ray = import_ray()
        if not self._opened:
            self._connect(ray)
            self._opened = True
        return ray

    def dismiss(self) -> None:
        """End idle workers, which frees their cores."""
        while self.idle:
            self.open().kill(self.idle.pop())

    def close(self) -> None:
        """Disconnect; end a local cluster and remove its folder."""
        if self._opened:
            with contextlib.suppress(Exception):
                self.dismiss()
        self.idle.clear()
        if self._ours:
            with contextlib.suppress(Exception):
                import_ray().shutdown()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
        if self._reaper is not None:
            self._reaper.communicate()
        self._opened, self._ours, self._folder, self._reaper = False, False, None, None

    def _connect(self, ray: Any) -> None:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        # Ray's messages on stderr do not help users; errors are raised.
        quiet = {"logging_level": logging.CRITICAL, "log_to_driver": False}
        try:
            if self.where not in (LOCAL, AUTO):
                _answers(self.where)
            if ray.is_initialized():
                there = ray.get_runtime_context().gcs_address  # the connection is closed by whoever made it
                if self.where not in (AUTO, there):
                    connected = f"this process is connected to the cluster {there}"
                    raise RuntimeError(f"{connected}. Use that (auto), or close it first")
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

    def _local(self) -> dict[str, Any]:
        """Return options to start Ray on this machine, unreachable from others, in a temporary folder."""
        self._folder = tempfile.mkdtemp(prefix="shown-")
        if len(self._folder) > _SOCKETS:
            os.rmdir(self._folder)
            self._folder = tempfile.mkdtemp(prefix="shown-", dir="/tmp")
        self._reaper = _reaper(self._folder)
        return {
            "num_cpus": self._workers or os.cpu_count() or 1,
            "_node_ip_address": "127.0.0.1",
            "_temp_dir": self._folder,
        }


def _reaper(folder: str) -> subprocess.Popen[bytes]:
    """Start a process that ends the cluster in `folder` if this process is killed; see `cluster_reaper.py`."""
    script = Path(__file__).with_name("cluster_reaper.py")
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", str(script)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # so that it outlives signals to the command's group
    )
    assert process.stdin is not None
    process.stdin.write(os.fsencode(folder) + b"\n")
    process.stdin.flush()
    return process


def import_ray() -> Any:
    """Return the module `ray`; raise MissingExtra if it is not installed."""
    try:
        import ray
        import ray.exceptions
    except ImportError:
        raise MissingExtra("Ray", "ray") from None
    return ray


def check_version(theirs: str, node: str) -> None:
    """Raise BadInput if a worker has another version of this package, which might give other results.

    >>> check_version("0.0.1", "10.0.0.2")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    shown.errors.BadInput: the worker on 10.0.0.2 has shown 0.0.1; this machine has ... Install the same version on ...
    """
    if theirs != __version__:
        raise BadInput(
            f"the worker on {node} has shown {theirs}; this machine has {__version__}. "
            "Install the same version on all nodes."
        )


def is_death(ray: Any, error: Exception) -> bool:
    """Return whether an error means that a worker, its node or its results are lost, so that the task is repeated."""
    names = ("RayActorError", "WorkerCrashedError", "NodeDiedError", "ObjectLostError", "OutOfMemoryError")
    return isinstance(error, tuple(getattr(ray.exceptions, name) for name in (*names, "LocalRayletDiedError")))


def as_local_error(error: Any) -> Exception:
    """Return the error of a worker as a local error."""
    cause = error.cause
    if isinstance(cause, ShownError):
        return type(cause)(*cause.args)
    return ClusterLost(
        f"a worker failed: {type(cause).__name__}: {first_line(cause)}. Check that all nodes have the same packages."
    )


def first_line(error: BaseException) -> str:
    """Return the first line of an error; those of Ray have many.

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
    """Raise OSError unless an HTTP/2 server answers at the address: Ray itself would try for minutes."""
    with socket.create_connection(_host_and_port(where), timeout=ANSWER_TIMEOUT) as line:
        line.settimeout(ANSWER_TIMEOUT)
        line.sendall(_PREFACE + _SETTINGS)
        if line.recv(9)[3:4] != _SETTINGS[3:4]:
            raise ConnectionError("the server there is not Ray")


_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_SETTINGS = b"\0\0\0\4\0\0\0\0\0"
"""Empty frame of type 4, with which both sides of an HTTP/2 connection begin."""


def _why_not(where: str, error: Exception) -> str:
    """Return the reason for a failed connection, and a remedy."""
    if isinstance(error, OSError) and where not in (LOCAL, AUTO) and not isinstance(error, ConnectionAbortedError):
        return f"no cluster answers there ({first_line(error)}). Start one with: ray start --head"
    text = str(error)
    if "ersion mismatch" in text:
        return "it has another version of Ray or Python: " + "; ".join(
            line.strip(" .") for line in text.splitlines() if "Ray:" in line or "Python:" in line
        )
    if where == AUTO:
        return f"no cluster runs here ({first_line(error).split('. ')[0]}). Start one with: ray start --head"
    return first_line(error)
