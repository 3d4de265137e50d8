"""The results store: one SQLite file, one row a trial, keyed by a digest of the trial's settings.

A row is written when its trial is done and in one transaction, so a run that is killed at any moment loses at most the
trials in flight, and the next run does only what is missing.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from shown.errors import BadInput
from shown.experiments.trials import settings_key
from shown.files import parse_json
from shown.version import __version__

SCHEMA = 1
"""The form of the store that this version writes. A store of a newer form is refused, not guessed at."""

APPLICATION_ID = 0x73686F77  # "show", so that another program's database is not taken for a store

_TABLE = """
CREATE TABLE trials (
    key      TEXT PRIMARY KEY,
    settings TEXT NOT NULL,
    method   TEXT NOT NULL,
    game     TEXT NOT NULL,
    seed     INTEGER NOT NULL,
    version  TEXT NOT NULL,
    finished TEXT NOT NULL,
    seconds  REAL NOT NULL,
    status   TEXT NOT NULL CHECK (status IN ('ok', 'failed')),
    error    TEXT,
    result   TEXT
)
"""


@dataclass(frozen=True, slots=True)
class Row:
    """A trial that was run.

    Attributes:
        settings: what was asked, complete.
        status: "ok" or "failed".
        result: what was measured, or None if it failed.
        error: why it failed, or None.
        seconds: how long it took.
        version: of this package, when it was run.
        finished: when (UTC, ISO 8601).
    """

    settings: Mapping[str, Any]
    status: str
    result: Mapping[str, Any] | None
    error: str | None
    seconds: float
    version: str = __version__
    finished: str = ""

    @property
    def key(self) -> str:
        return settings_key(self.settings)

    def to_json(self) -> dict[str, Any]:
        names = ("settings", "status", "result", "error", "seconds", "version", "finished")
        return {name: getattr(self, name) for name in names}

    @classmethod
    def from_json(cls, value: Any, where: str) -> Row:
        """A row from its JSON, or BadInput naming what is missing."""
        if not isinstance(value, dict) or not isinstance(value.get("settings"), dict):
            raise BadInput(f'{where}: not a result: it must be an object with "settings".')
        for name, kind in (("status", str), ("seconds", int | float), ("version", str), ("finished", str)):
            if not isinstance(value.get(name), kind):
                raise BadInput(f'{where}: not a result: "{name}" is missing or of the wrong kind.')
        if value["status"] not in ("ok", "failed") or not isinstance(value.get("result"), dict | None):
            raise BadInput(f'{where}: not a result: "status" must be "ok" or "failed", "result" an object or null.')
        for name, kind in (("method", str), ("game", str), ("seed", int)):
            if not isinstance(value["settings"].get(name), kind):
                raise BadInput(f'{where}: not a result: "settings" lack "{name}".')
        fields: dict[str, Any] = {name: value.get(name) for name in cls.__slots__}
        return cls(**fields)


class Store:
    """Results on disk. Use it as a context; `writing=False` reads without touching the file or its folder.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> with Store(Path(folder.name) / "results.sqlite") as store:
    ...     store.add(Row({"method": "lpp", "game": "nim", "seed": 0}, "ok", {"success": 1.0}, None, 0.5))
    ...     [row.result["success"] for row in store.rows()]
    [1.0]
    """

    def __init__(self, path: str | Path, *, writing: bool = True) -> None:
        self.path = Path(path)
        self._writing = writing
        self._lock: IO[bytes] | None = None
        if self.path.is_dir():
            raise BadInput(f"{self.path}: is a folder. Give the path of a results file.")
        if not writing and not self.path.exists():
            raise BadInput(f"{self.path}: no such results file. Make one: shown reproduce demos --store {self.path}")
        if writing:
            self._lock = _only_writer(self.path)
        try:
            with self._clear_errors():
                self._database = self._open(writing)
                try:
                    self._check(writing)
                except BaseException:
                    self._database.close()
                    raise
        except BaseException:
            self._release()
            raise

    def __enter__(self) -> Store:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Ends the use of the store. Nobody writing, it is one plain file again, with no side files."""
        if self._writing:
            with contextlib.suppress(sqlite3.Error):  # a reader is still there: the side files stay until the next run
                self._database.execute("PRAGMA journal_mode = DELETE")
        self._database.close()
        self._release()

    def add(self, row: Row) -> None:
        """Keeps a result. A good result is never replaced; a failed one is, when its trial is run again."""
        self.add_many([row])

    def add_many(self, rows: Iterable[Row]) -> int:
        """Keeps results, all or none; the number that were new."""
        values = [
            (
                row.key,
                _dump(row.settings),
                row.settings["method"],
                row.settings["game"],
                row.settings["seed"],
                row.version,
                row.finished or datetime.now(UTC).isoformat(timespec="seconds"),
                row.seconds,
                row.status,
                row.error,
                None if row.result is None else _dump(row.result),
            )
            for row in rows
        ]
        with self._clear_errors(), self._database:
            before = self._database.total_changes
            self._database.executemany(
                "INSERT INTO trials VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
                " ON CONFLICT (key) DO UPDATE SET version = excluded.version, finished = excluded.finished,"
                " seconds = excluded.seconds, status = excluded.status, error = excluded.error,"
                " result = excluded.result WHERE status = 'failed'",
                values,
            )
            return self._database.total_changes - before

    def done(self) -> set[str]:
        """The keys of all trials that ended well."""
        with self._clear_errors():
            return {key for (key,) in self._database.execute("SELECT key FROM trials WHERE status = 'ok'")}

    def rows(self, *, method: str | None = None, game: str | None = None, status: str | None = None) -> Iterator[Row]:
        """The results, in an order that does not depend on when they were run."""
        where = [(name, value) for name, value in (("method", method), ("game", game), ("status", status)) if value]
        query = "SELECT settings, status, result, error, seconds, version, finished FROM trials"
        if where:
            query += " WHERE " + " AND ".join(f"{name} = ?" for name, _ in where)
        with self._clear_errors():
            found = self._database.execute(
                query + " ORDER BY method, game, settings", [value for _, value in where]
            ).fetchall()
        for settings, state, result, *rest in found:
            yield Row(json.loads(settings), state, None if result is None else json.loads(result), *rest)

    def mean_seconds(self) -> dict[tuple[str, str], float]:
        """How long the trials of each method and game took, for guessing how long others will."""
        with self._clear_errors():
            found = self._database.execute(
                "SELECT method, game, avg(seconds) FROM trials WHERE status = 'ok' GROUP BY method, game"
            )
            return {(method, game): seconds for method, game, seconds in found}

    def _open(self, writing: bool) -> sqlite3.Connection:
        if writing:
            return sqlite3.connect(self.path, timeout=30)
        address = f"{self.path.resolve().as_uri()}?mode=ro"
        database = sqlite3.connect(address, uri=True, timeout=30)
        try:
            database.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except sqlite3.OperationalError:
            # A store in a folder that may not be written: SQLite cannot make its side files there, and needs none.
            database.close()
            database = sqlite3.connect(address + "&immutable=1", uri=True)
        return database

    def _check(self, writing: bool) -> None:
        (application,) = self._database.execute("PRAGMA application_id").fetchone()
        (schema,) = self._database.execute("PRAGMA user_version").fetchone()
        (tables,) = self._database.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if tables == 0 and writing:
            self._database.execute("PRAGMA journal_mode = WAL")
            with self._database:
                self._database.execute("BEGIN IMMEDIATE")
                self._database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                self._database.execute(f"PRAGMA user_version = {SCHEMA}")
                self._database.execute(_TABLE)
        elif tables == 0:  # a run has only just begun it: there are no results to read yet
            self._database.close()
            self._database = sqlite3.connect(":memory:")
            self._database.execute(_TABLE)
        elif application != APPLICATION_ID:
            raise BadInput(f"{self.path}: not a results file of shown. Choose another with --store.")
        elif schema > SCHEMA:
            raise BadInput(
                f"{self.path}: written by a newer version of shown (form {schema}; this one, {__version__}, knows up "
                f"to {SCHEMA}). Upgrade shown, or choose another file with --store."
            )
        elif writing:
            self._database.execute("PRAGMA journal_mode = WAL")
        if writing:
            # FULL: a row that was reported as done must survive a power cut, not only a kill.
            self._database.execute("PRAGMA synchronous = FULL")

    def _release(self) -> None:
        if self._lock is not None:
            with contextlib.suppress(OSError):
                os.unlink(self._lock.name)
            self._lock.close()
            self._lock = None

    @contextlib.contextmanager
    def _clear_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise BadInput(f"{self.path}: {_say(error)}") from None


def read_lines(path: str | Path) -> list[Row]:
    """Results from a file of JSON lines, as `python -m shown.experiments.networks` writes them.

    A last line cut off in the middle (the writer was killed) is left out; any other bad line is an error.
    """
    path = Path(path)
    try:
        lines = path.read_text("utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: cannot be read ({error}).") from None
    rows = []
    for number, line in enumerate(lines, 1):
        if not line.strip() or number == len(lines):  # what follows the last newline was not finished
            continue
        rows.append(Row.from_json(parse_json(line, f"{path}, line {number}"), f"{path}, line {number}"))
    return rows


def _dump(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False)


def _say(error: sqlite3.Error) -> str:
    text = str(error)
    if "full" in text:
        return "the disk is full. Make room and run the same command again: what was finished is kept."
    if "readonly" in text or "unable to open" in text:
        return "cannot be written here. Choose a file in a folder you may write to, with --store."
    if "not a database" in text or "malformed" in text:
        return "not a results file, or a damaged one. Choose another with --store."
    if "locked" in text:
        return "another program is writing to it. Try again when that has ended."
    return f"the results file cannot be used ({text})."


def _only_writer(path: Path) -> IO[bytes] | None:
    """Holds a lock beside the store while it is written, so that two runs cannot do the same trials twice.

    The system drops the lock when its process ends in any way, so a killed run leaves nothing in the way.
    """
    try:
        import fcntl
    except ImportError:  # no such locks on this system; SQLite's own still keep the file whole
        return None
    name = path.with_name(f".{path.name}.lock")
    while True:
        try:
            file = name.open("ab")
        except OSError as error:
            reason = f"{path}: cannot be written ({error.strerror})."
            raise BadInput(f"{reason} Choose a file in a folder you may write to, with --store.") from None
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.close()
            raise BadInput(f"{path}: another run is writing to it. Wait for its end, or use another --store.") from None
        with contextlib.suppress(OSError):
            if os.fstat(file.fileno()).st_ino == name.stat().st_ino:
                return file
        file.close()  # the run that held it ended, and took its lock file away, just as it was opened here
