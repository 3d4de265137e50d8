"""The stored results: a folder with one file `EXPERIMENT.jsonl.gz` each, sorted, one row a line.

While an experiment runs, each finished row is appended to a plain journal beside its file
(`EXPERIMENT.journal.jsonl`), so a killed run loses at most the trials in flight. `pack` moves the journal into the
file, at the end of a run and at the beginning of the next one. Several runs may use one folder: a lock beside the files
orders them.

A file may come from anybody. Every line is checked when it is read; a bad one is reported by file and line, kept in the
journal, and the others still count.
"""

from __future__ import annotations

import contextlib
import fcntl
import gzip
import io
import os
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from shown.errors import BadInput, did_you_mean
from shown.files import parse_json, write_bytes
from shown_evidence.experiments import EXPERIMENTS
from shown_evidence.trials.row import Row, row_from

PACKED, JOURNAL = ".jsonl.gz", ".journal.jsonl"
LOCK = ".lock"
MAX_LINE = 2**20  # bytes of one row
MAX_ROWS = 200_000  # of all files


@dataclass
class Contents:
    """Rows by their settings, best first where there are several; and one message per bad line, with file and line.

    Attributes:
        broken: the bad lines as they are, so that packing keeps them.
    """

    rows: dict[str, Row] = field(default_factory=dict)
    bad: list[str] = field(default_factory=list)
    broken: list[bytes] = field(default_factory=list)

    def add(self, row: Row) -> bool:
        """Keep a row unless the present one with equal settings is as good; return whether it was kept."""
        present = self.rows.get(row.key)
        if present is not None and _rank(row) <= _rank(present):
            return False
        self.rows[row.key] = row
        return True


def _rank(row: Row) -> tuple[bool, bool]:
    """Order rows with equal settings: a current one counts more than a stale one, a good one more than a failed one."""
    return not row.stale, row.status == "ok"


def read(folder: str | Path) -> Contents:
    """Return all rows of a folder, in an order that does not depend on when they were run.

    Raises BadInput if there is no such folder.
    """
    place = Path(folder)
    if not os.path.isdir(place):  # also False for names that no folder can have
        raise BadInput(f"{place}: no such folder of results. Name one with --results, or make it with shown reproduce.")
    found = Contents()
    with _locked(place, writing=False):
        for name in _experiments(place, found):
            _read_experiment(place, name, found)
    order = sorted(found.rows.items(), key=lambda item: (item[1].settings["method"], item[1].settings["game"], item[0]))
    return Contents(dict(order), found.bad, found.broken)


def append(folder: str | Path, experiment: str, row: Row) -> None:
    """Add a row to the journal of an experiment; it survives whatever happens to this process afterwards."""
    place = Path(folder)
    line = row.to_json().encode() + b"\n"
    try:
        with _locked(place, writing=True), _journal(place, experiment).open("a+b") as file:
            if file.tell():
                file.seek(-1, os.SEEK_END)
                line = b"\n" * (file.read(1) != b"\n") + line  # a killed run may have left half a line
            file.write(line)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise BadInput(
            f"{_journal(place, experiment)}: cannot be written ({error.strerror}). Finished trials are kept; free some "
            "space or choose another folder with --results, and run the same command again."
        ) from None


def pack(folder: str | Path) -> None:
    """Move the rows of all journals into the packed files. Equal rows give equal bytes."""
    place = Path(folder)
    with _locked(place, writing=True):
        for name in EXPERIMENTS:
            journal = _journal(place, name)
            if journal.exists():
                found = Contents()
                _read_experiment(place, name, found)
                write_bytes(place / f"{name}{PACKED}", packed(found.rows.values()))
                if found.broken:
                    write_bytes(journal, b"".join(found.broken))
                else:
                    journal.unlink()


def packed(rows: Iterable[Row]) -> bytes:
    """Return rows as the content of a packed file: sorted, without a time stamp."""
    buffer = io.BytesIO()
    with gzip.GzipFile("", "wb", 9, buffer, mtime=0) as file:
        for line in sorted(row.to_json() for row in rows):
            file.write(line.encode() + b"\n")
    return buffer.getvalue()


def read_file(path: Path, found: Contents) -> None:
    """Add the rows of one file, packed or plain, and its bad lines."""
    if not path.is_file():
        raise BadInput(f"{path}: not a file on disk.")
    try:
        with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
            for number, line in enumerate(iter(lambda: file.readline(MAX_LINE + 1), b""), 1):
                if len(line) > MAX_LINE:
                    raise BadInput(f"{path}:{number}: longer than {MAX_LINE:,} bytes, so not a row. Remove the line.")
                try:
                    found.add(row_from(parse_json(line.decode(), f"{path}:{number}")))
                except UnicodeDecodeError:
                    _note(found, f"{path}:{number}: not text in UTF-8.", line)
                except BadInput as problem:
                    _note(found, f"{path}:{number}: {str(problem).removeprefix(f'{path}:{number}: ')}", line)
                if len(found.rows) + len(found.bad) > MAX_ROWS:
                    raise BadInput(f"{path.parent}: more than {MAX_ROWS:,} results.")
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise BadInput(
            f"{path}: damaged, so its rows cannot be told. Restore the file: git checkout {path.name}"
        ) from None
    except OSError as error:
        raise BadInput(f"{path}: cannot be read ({error.strerror}).") from None


def _note(found: Contents, message: str, line: bytes) -> None:
    found.bad.append(message)
    found.broken.append(line if line.endswith(b"\n") else line + b"\n")


def _read_experiment(place: Path, name: str, found: Contents) -> None:
    for path in (place / f"{name}{PACKED}", _journal(place, name)):
        if path.exists():
            read_file(path, found)


def _journal(place: Path, experiment: str) -> Path:
    return place / f"{experiment}{JOURNAL}"


def _experiments(place: Path, found: Contents) -> list[str]:
    """Return the experiments that have files, and report files of unknown ones."""
    names = {path.name.removesuffix(end): path for end in (PACKED, JOURNAL) for path in sorted(place.glob(f"*{end}"))}
    for name, path in names.items():
        if name not in EXPERIMENTS:
            found.bad.append(f"{path}: no experiment called {name!r}. {did_you_mean(name, EXPERIMENTS)}")
    return [name for name in EXPERIMENTS if name in names]


@contextlib.contextmanager
def _locked(place: Path, writing: bool) -> Iterator[None]:
    """Hold the folder's lock, alone to write; reading makes no lock where nobody has written."""
    try:
        if writing:
            place.mkdir(parents=True, exist_ok=True)
        lock = (place / LOCK).open("ab" if writing else "rb")
    except OSError as error:
        if writing:
            raise BadInput(
                f"{place}: cannot be written ({error.strerror}). Choose another folder with --results."
            ) from None
        yield
        return
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX if writing else fcntl.LOCK_SH)
        yield
