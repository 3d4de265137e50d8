"""Disks that fill up when they are told to, and have room again."""

from __future__ import annotations

import contextlib
import os
import random
import resource
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from serving import Server

SIZE = 8 * 2**20


class Disk(Protocol):
    """What a studio's folder is on."""

    def fill(self, studio: Server, rng: random.Random) -> None:
        """From now on there is next to no room."""

    def free(self, studio: Server) -> None:
        """There is room again."""


class Quota:
    """A limit on the size of the files that the studio's process may write. Needs no rights, and ends with it."""

    def fill(self, studio: Server, rng: random.Random) -> None:
        self._limit(studio, rng.choice((0, 1, 50, 300)))

    def free(self, studio: Server) -> None:
        self._limit(studio, resource.RLIM_INFINITY)

    @staticmethod
    def _limit(studio: Server, most: int) -> None:
        pid = studio.process.pid
        hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)[1]
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (hard if most == resource.RLIM_INFINITY else most, hard))


class Ballast:
    """A small disk in memory, and a file that takes what room there is."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "ballast"

    def fill(self, studio: Server, rng: random.Random) -> None:
        with contextlib.suppress(OSError), self.file.open("wb", buffering=0) as file:
            while file.write(bytes(4096)):
                pass
        left = rng.choice((0, 0, 4096))
        os.truncate(self.file, max(0, self.file.stat().st_size - left))

    def free(self, studio: Server) -> None:
        self.file.unlink(missing_ok=True)


@contextlib.contextmanager
def small_disk(folder: Path, kind: str) -> Iterator[tuple[Disk, Path]]:
    """A disk, and the folder on it: mounted if `kind` is "tmpfs", or "auto" and that may be done here."""
    mounted = False
    if kind != "quota":
        options = ["-t", "tmpfs", "-o", f"size={SIZE}", "shown-soak", str(folder)]
        with contextlib.suppress(OSError):
            mounted = subprocess.run(["mount", *options], capture_output=True).returncode == 0
        if kind == "tmpfs" and not mounted:
            raise SystemExit("a disk in memory cannot be mounted here. Use --disk quota.")
    try:
        yield Ballast(folder) if mounted else Quota(), folder
    finally:
        if mounted:
            subprocess.run(["umount", str(folder)], check=True)
