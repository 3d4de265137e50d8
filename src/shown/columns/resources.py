"""The resources that learning may use, passed whole from the front ends down to the evaluators."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from shown.columns.device import check_device
from shown.engine.precompilation import compile_ahead
from shown.engine.threads import Threads
from shown.errors import BadInput


@dataclass(frozen=True, slots=True)
class Resources:
    """Threads, device, memory and seed. Only the seed changes what is learned.

    >>> Resources(threads=2).thread_count
    2
    >>> Resources(seed=-1)
    Traceback (most recent call last):
    shown.errors.BadInput: seed must be a whole number of at least 0, not -1.

    Attributes:
        threads: number of threads that evaluate programs and search for rules; one per core if None.
        device: "cpu", or "cuda" for a GPU (`docs/guides/scale.md`).
        memory_limit: bytes that the columns of the programs may take; then fewer programs are used, and the result
            says so. If None, what needs more than half of the machine's memory is refused.
        seed: seed of all random choices.
    """

    threads: int | None = None
    device: str = "cpu"
    memory_limit: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        check_device(self.device)
        for name, least in (("threads", 1), ("memory_limit", 1), ("seed", 0)):
            value: Any = getattr(self, name)
            optional = value is None and name != "seed"
            if not optional and (isinstance(value, bool) or not isinstance(value, int) or value < least):
                raise BadInput(f"{name} must be a whole number of at least {least}, not {value!r}.")

    @property
    def thread_count(self) -> int:
        """The number of threads to use."""
        return self.threads or os.cpu_count() or 1

    def team(self) -> Threads:
        """Return these threads; where compiled code is missing, as many processes compile it."""
        compile_ahead(self.thread_count)
        return Threads(self.thread_count)


DEFAULT_RESOURCES = Resources()
"""All cores of this machine, half of its memory, seed 0."""
