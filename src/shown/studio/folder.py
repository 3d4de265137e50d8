"""A folder held open: its files are reached by name alone, and never through a link.

A project may come from somebody else. A link in it could lead to any file that its user can read or write, so none is
opened, neither to read nor to write; and since the folder itself is held by its descriptor, nothing that is moved or
swapped meanwhile leads elsewhere either.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from shown.errors import BadInput
from shown.files import is_leftover, replace_file

BY_DESCRIPTOR = os.open in os.supports_dir_fd
"""Some systems cannot; there names are looked at before they are opened, which is nearly as good."""
_NO_LINKS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_NO_WAITING = getattr(os, "O_NONBLOCK", 0)


class Folder:
    """A folder. Names are plain names, never paths. Close it, or use it as a context manager."""

    def __init__(self, path: Path, fd: int | None) -> None:
        self.path = path
        self._fd = fd

    @classmethod
    def open(cls, path: Path) -> Folder:
        """The folder at a path that the user has named; it may well be reached through a link."""
        return cls(path, os.open(path, os.O_RDONLY | os.O_DIRECTORY) if BY_DESCRIPTOR else None)

    def close(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def __enter__(self) -> Folder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- looking -----------------------------------------------------------------------------------------------------

    def mode(self, name: str) -> int:
        """What kind of thing has this name, as `stat` says it; 0 if nothing has."""
        path, at = self._at(name)
        try:
            return os.stat(path, follow_symlinks=False, **at).st_mode
        except FileNotFoundError:
            return 0
        except OSError as error:
            raise BadInput(f"{self.path / name}: cannot be read ({error.strerror}).") from None

    def read(self, name: str, limit: int) -> bytes | None:
        """The content of a plain file of at most `limit` bytes, or None if there is none of that name."""
        mode = self.mode(name)
        if mode == 0:
            return None
        if not stat.S_ISREG(mode):
            raise self._not_plain(name, mode)
        try:
            with os.fdopen(self._open(name, os.O_RDONLY), "rb") as file:
                data = file.read(limit + 1)
        except OSError as error:
            raise self._cannot(name, "read", error) from None
        if len(data) > limit:
            raise BadInput(f"{self.path / name}: larger than a file of the studio can be.")
        return data

    # --- changing ----------------------------------------------------------------------------------------------------

    def write(self, name: str, data: bytes) -> None:
        """Writes a file whole or not at all; what is there and is no plain file is left alone."""
        mode = self.mode(name)
        if mode and not stat.S_ISREG(mode):
            raise self._not_plain(name, mode)
        path, at = self._at(name)
        try:
            replace_file(path, data, at.get("dir_fd"))
        except OSError as error:
            raise self._cannot(name, "written", error) from None

    def append(self, name: str, data: bytes) -> bool:
        """Writes at the end of a plain file; False if it is not there, or also has a name elsewhere."""
        try:
            with os.fdopen(self._open(name, os.O_WRONLY | os.O_APPEND), "ab", buffering=0) as file:
                before = os.fstat(file.fileno())
                if before.st_nlink != 1:
                    return False
                if file.write(data) < len(data):
                    # The disk is full. Half a line would spoil the next one.
                    file.truncate(before.st_size)
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except FileNotFoundError:
            return False
        except OSError as error:
            raise self._cannot(name, "written", error) from None
        return True

    def create(self, name: str, data: bytes = b"", mode: int = 0o666) -> None:
        """Makes a file of a name that nothing has yet."""
        try:
            with os.fdopen(self._open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
                file.write(data)
        except OSError as error:
            raise self._cannot(name, "written", error) from None

    def hold(self, name: str) -> Any:
        """A plain file, made if it is not there, open for as long as the caller holds it."""
        try:
            return os.fdopen(self._open(name, os.O_RDWR | os.O_CREAT, 0o666), "r+b")
        except OSError as error:
            raise self._cannot(name, "written", error) from None

    def remove(self, name: str) -> None:
        """Removes a file, if it is there; of a link, the link."""
        path, at = self._at(name)
        try:
            os.unlink(path, **at)
        except FileNotFoundError:
            return
        except OSError as error:
            raise self._cannot(name, "removed", error) from None

    def set_aside(self, name: str) -> str:
        """Gives something another name, whatever it is; returns that name."""
        new = self.free_name(name)
        (old_path, at), (new_path, _) = self._at(name), self._at(new)
        fd = at.get("dir_fd")
        try:
            os.rename(old_path, new_path, src_dir_fd=fd, dst_dir_fd=fd)
        except OSError as error:
            raise self._cannot(name, "moved", error) from None
        return new

    def free_name(self, name: str) -> str:
        """The first name that nothing has of `lesson.set-aside-1.json`, `lesson.set-aside-2.json`, …"""
        stem, dot, ending = name.partition(".")
        for i in range(1, 1000):
            new = f"{stem}.set-aside-{i}{dot}{ending}"
            if not self.mode(new):
                return new
        raise BadInput(f"{self.path / name}: set aside too often. Tidy up {self.path} first.")

    def tidy(self) -> None:
        """Removes what a killed process has left behind."""
        with contextlib.suppress(OSError):
            for name in os.listdir(self.path if self._fd is None else self._fd):
                if is_leftover(name) and stat.S_ISREG(self.mode(name)):
                    with contextlib.suppress(BadInput):
                        self.remove(name)

    @contextlib.contextmanager
    def inner(self, name: str, make: bool = False) -> Iterator[Folder | None]:
        """The folder of that name in this one, made if `make` says so; None if there is none."""
        path, at = self._at(name)
        if make and not self.mode(name):
            try:
                os.mkdir(path, **at)
            except OSError as error:
                raise self._cannot(name, "made", error) from None
        mode = self.mode(name)
        if mode == 0:
            yield None
            return
        if not stat.S_ISDIR(mode):
            raise self._not_plain(name, mode, "folder")
        try:
            fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | _NO_LINKS, **at) if BY_DESCRIPTOR else None
        except OSError as error:
            raise self._cannot(name, "read", error) from None
        with Folder(self.path / name, fd) as folder:
            yield folder

    # --- inside ------------------------------------------------------------------------------------------------------

    def _at(self, name: str) -> tuple[str, dict[str, Any]]:
        if name in ("", ".", "..") or os.path.basename(name) != name:
            raise BadInput(f"{name[:40]!r} cannot be the name of a file in {self.path}.")
        return (name, {"dir_fd": self._fd}) if self._fd is not None else (str(self.path / name), {})

    def _open(self, name: str, flags: int, mode: int = 0o666) -> int:
        """A descriptor of a plain file; anything else is BadInput, so that no pipe or device is waited for."""
        path, at = self._at(name)
        if not BY_DESCRIPTOR and stat.S_ISLNK(self.mode(name)):
            raise self._not_plain(name, stat.S_IFLNK)
        fd = os.open(path, flags | _NO_LINKS | _NO_WAITING, mode, **at)
        kind = os.fstat(fd).st_mode
        if not stat.S_ISREG(kind):
            os.close(fd)
            raise self._not_plain(name, kind)
        return fd

    def _not_plain(self, name: str, mode: int, wanted: str = "file") -> BadInput:
        if stat.S_ISLNK(mode):
            return BadInput(f"{self.path / name}: is a link, and links in a project are not opened. Take it out.")
        return BadInput(f"{self.path / name}: not a plain {wanted}.")

    def _cannot(self, name: str, what: str, error: OSError) -> BadInput:
        with contextlib.suppress(BadInput):
            if stat.S_ISLNK(mode := self.mode(name)):
                return self._not_plain(name, mode)
        unchanged = "" if what == "read" else " Nothing was changed."
        return BadInput(f"{self.path / name}: cannot be {what} ({error.strerror}).{unchanged}")


def locked(folder: Folder) -> Any:
    """An open file that holds the lock; the system lets go of it whatever way this process ends."""
    file = folder.hold("studio.lock")
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise BadInput(
            f"{folder.path}: already open in another studio. Close that one, or give another folder with --project."
        ) from None
    return file
