"""A folder held open by its descriptor, whose files are reached by name and never through a link.

A project may come from somebody else. A link in it could lead to any file of the user, so links are neither read nor
written; and because the folder itself is held open, nothing that is swapped meanwhile leads elsewhere.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import html
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Self

from shown.errors import BadInput
from shown.files import is_leftover, replace_file

LOCK = "studio.lock"  # held while a studio has the folder open


class Folder:
    """An open folder. Names are plain names, never paths. Close it, or use it as a context manager."""

    def __init__(self, path: Path, fd: int) -> None:
        self.path, self._fd = path, fd

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def mode(self, name: str) -> int:
        """Return the mode of a file or folder, as `stat` does; 0 if there is none of that name."""
        with self._errors(name, "read"), contextlib.suppress(FileNotFoundError):
            return os.stat(name, dir_fd=self._fd, follow_symlinks=False).st_mode
        return 0

    def read_text(self, name: str, limit: int) -> str | None:
        """Return the text of a plain file of at most `limit` bytes, or None if there is none of that name."""
        data = self.read(name, limit)
        try:
            return None if data is None else data.decode("utf-8")
        except UnicodeDecodeError:
            raise BadInput(f"{self.path / name}: not text in UTF-8.") from None

    def read(self, name: str, limit: int) -> bytes | None:
        """Return the content of a plain file of at most `limit` bytes, or None if there is none of that name."""
        if not self._plain_mode(name):
            return None
        with self._errors(name, "read"), os.fdopen(self._open(name, os.O_RDONLY), "rb") as file:
            data = file.read(limit + 1)
        if len(data) > limit:
            raise BadInput(f"{self.path / name}: larger than {limit // 2**20} MiB.")
        return data

    def write(self, name: str, data: bytes, durable: bool = True) -> None:
        """Write a plain file, whole or not at all; see `replace_file`."""
        self._plain_mode(name)
        with self._errors(name, "written"):
            replace_file(name, data, self._fd, durable)

    def append(self, name: str, data: bytes) -> bool:
        """Write at the end of a plain file; return False if there is none, or if it also has a name elsewhere."""
        with self._errors(name, "written"), contextlib.suppress(FileNotFoundError):
            with os.fdopen(self._open(name, os.O_WRONLY | os.O_APPEND), "ab", buffering=0) as file:
                before = os.fstat(file.fileno())
                if before.st_nlink != 1:
                    return False
                if file.write(data) < len(data):
                    # The disk is full. Half a line would spoil the next one.
                    file.truncate(before.st_size)
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return True
        return False

    def create(self, name: str, data: bytes, mode: int = 0o666) -> None:
        """Create a file."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        with self._errors(name, "written"), os.fdopen(self._open(name, flags, mode), "wb") as file:
            file.write(data)

    def remove(self, name: str) -> None:
        """Remove a file or a link, if there is one."""
        with self._errors(name, "removed"), contextlib.suppress(FileNotFoundError):
            os.unlink(name, dir_fd=self._fd)

    def set_aside(self, name: str) -> str:
        """Rename anything to a free name, and return that."""
        new = self.free_name(name)
        with self._errors(name, "moved"):
            os.rename(name, new, src_dir_fd=self._fd, dst_dir_fd=self._fd)
        return new

    def free_name(self, name: str) -> str:
        """Return the first free name of `lesson.set-aside-1.json`, `lesson.set-aside-2.json`, …"""
        stem, dot, ending = name.partition(".")
        for i in range(1, 1000):
            new = f"{stem}.set-aside-{i}{dot}{ending}"
            if not self.mode(new):
                return new
        raise BadInput(f"{self.path / name}: set aside too often. Tidy up {self.path} first.")

    def tidy(self) -> None:
        """Remove the temporary files of a killed process."""
        with contextlib.suppress(OSError):
            for name in os.listdir(self._fd):
                if is_leftover(name) and stat.S_ISREG(self.mode(name)):
                    with contextlib.suppress(BadInput):
                        self.remove(name)

    @contextlib.contextmanager
    def inner(self, name: str, make: bool = False) -> Iterator[Folder | None]:
        """Open a folder in this one, made if need be with `make`; None if there is none."""
        if make and not self.mode(name):
            with self._errors(name, "made"):
                os.mkdir(name, dir_fd=self._fd)
        mode = self.mode(name)
        if not mode:
            yield None
            return
        if not stat.S_ISDIR(mode):
            raise self._not_plain(name, mode, "folder")
        with self._errors(name, "read"):
            fd = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=self._fd)
        with Folder(self.path / name, fd) as folder:
            yield folder

    def _plain_mode(self, name: str) -> int:
        """Return the mode of a plain file, 0 if there is none; BadInput for anything else."""
        mode = self.mode(name)
        if mode and not stat.S_ISREG(mode):
            raise self._not_plain(name, mode)
        return mode

    def _open(self, name: str, flags: int, mode: int = 0o666) -> int:
        """Return a descriptor of a plain file. A pipe or device is refused, not waited for."""
        fd = os.open(name, flags | os.O_NOFOLLOW | os.O_NONBLOCK, mode, dir_fd=self._fd)
        kind = os.fstat(fd).st_mode
        if not stat.S_ISREG(kind):
            os.close(fd)
            raise self._not_plain(name, kind)
        return fd

    def _not_plain(self, name: str, mode: int, wanted: str = "file") -> BadInput:
        if stat.S_ISLNK(mode):
            return BadInput(f"{self.path / name}: is a link, and links in a project are not followed. Remove it.")
        return BadInput(f"{self.path / name}: not a plain {wanted}.")

    @contextlib.contextmanager
    def _errors(self, name: str, done: str) -> Iterator[None]:
        """Check a name, and turn errors of the system into BadInput."""
        if name in ("", ".", "..") or os.path.basename(name) != name:
            raise BadInput(f"{name[:40]!r} cannot be the name of a file in {self.path}.")
        try:
            yield
        except OSError as error:
            if error.errno == errno.ELOOP:
                raise self._not_plain(name, stat.S_IFLNK) from None
            unchanged = "" if done == "read" else " Nothing was changed."
            raise BadInput(f"{self.path / name}: cannot be {done} ({error.strerror}).{unchanged}") from None


class OwnFolder(Folder):
    """A folder that this process alone has open. It is made if need be, and tidied; its path may be a link."""

    def __init__(self, path: str | Path) -> None:
        path = Path(path)
        try:
            path.mkdir(parents=True, exist_ok=True)
            super().__init__(path, os.open(path, os.O_RDONLY | os.O_DIRECTORY))
        except OSError as error:
            raise BadInput(
                f"{path}: cannot be made a project folder ({error.strerror}). Give another with --project."
            ) from None
        try:
            self._lock()
        except BadInput:
            super().close()
            raise
        self.tidy()

    def _lock(self) -> None:
        """Hold a lock, which the system releases however this process ends."""
        with self._errors(LOCK, "written"):
            self._held = os.fdopen(self._open(LOCK, os.O_RDWR | os.O_CREAT), "r+b")
        try:
            fcntl.flock(self._held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._held.close()
            raise BadInput(
                f"{self.path}: already open in another studio. Close that one, or give another folder with --project."
            ) from None

    def close(self) -> None:
        self._held.close()
        super().close()

    @contextlib.contextmanager
    def link(self, address: str) -> Iterator[Path]:
        """Make a page that leads to `address` and that only the user can read, for as long as the context lasts."""
        name = f".shown-{secrets.token_hex(8)}.html"
        page = f'<!doctype html><meta http-equiv="refresh" content="0;url={html.escape(address)}"><title>shown</title>'
        self.create(name, page.encode(), 0o600)
        try:
            yield (self.path / name).absolute()
        finally:
            self.remove(name)
