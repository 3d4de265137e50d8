"""The results store: one SQLite file with one row per trial.

A row is written in one transaction when its trial ends, so a killed run loses at most the trials in flight, and the
next run does only what is missing.

A file may come from anybody: its one table must be exactly ours, and every row is checked when it is read. Invalid rows
are skipped and reported; `Store.remove_bad` deletes them.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from shown.errors import BadInput
from shown.files import parse_json
from shown_evidence.results.row import Row, checked
from shown_evidence.trials.trial import code_for, settings_key, trial_key

SCHEMA = 3
APPLICATION_ID = 0x73686F77  # "show": marks the database as ours

MAX_ROWS = 200_000
MAX_CELL = 2**20  # characters in one cell of the table

_TABLE = """
CREATE TABLE trials (
    asked    TEXT PRIMARY KEY,
    key      TEXT NOT NULL,
    settings TEXT NOT NULL,
    method   TEXT NOT NULL,
    game     TEXT NOT NULL,
    seed     INTEGER NOT NULL,
    version  TEXT NOT NULL,
    finished TEXT NOT NULL,
    seconds  REAL NOT NULL,
    status   TEXT NOT NULL CHECK (status IN ('ok', 'failed')),
    error    TEXT,
    result   TEXT,
    code     TEXT,
    source   TEXT NOT NULL,
    machine  TEXT NOT NULL
)
"""
"""`asked` is the digest of the settings, so there is one row for them; `key` is the digest of settings and code."""

_READ = [
    *("asked", "key", "settings", "status", "result", "error", "seconds", "version", "finished", "code", "source"),
    "machine",
]


@dataclass(frozen=True)
class BadRow:
    """A row that is not a valid result."""

    number: int
    why: str


@dataclass(frozen=True)
class StoreContents:
    """Valid rows, and the invalid ones that were skipped."""

    rows: list[Row]
    bad: list[BadRow]


class Store:
    """Results on disk, as a context; `writing=False` touches neither the file nor its folder.

    >>> from shown_evidence.trials.trial import Trial
    >>> folder = tempfile.TemporaryDirectory()
    >>> with Store(Path(folder.name) / "results.sqlite") as store:
    ...     store.add(Row(Trial("lpp", "nim", "train:0").settings, "failed", None, "no luck", 0.5))
    ...     [row.error for row in store.rows()]
    ['no luck']
    """

    def __init__(self, path: str | Path, *, writing: bool = True) -> None:
        self.path = Path(path)
        self._writing = writing
        self._resources = contextlib.ExitStack()
        if os.path.isdir(path):
            raise BadInput(f"{self.path}: is a folder. Give the path of a results file.")
        if not writing and not os.path.exists(path):
            raise BadInput(f"{self.path}: no such results file. Make one: shown reproduce demos --store {self.path}")
        if os.path.exists(path) and not os.path.isfile(path):
            raise BadInput(f"{self.path}: not a file on disk. Give the path of a results file.")
        try:
            if writing:
                self._resources.enter_context(_only_writer(self.path))
            with self._clear_errors():
                self._database = self._open()
                self._resources.callback(lambda: self._database.close())
                self._check()
        except BaseException:
            self._resources.close()
            raise

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the store; unless somebody still reads it, one plain file without side files remains."""
        if self._writing:
            with contextlib.suppress(sqlite3.Error):  # a reader is still there: the next run removes the side files
                self._database.execute("PRAGMA journal_mode = DELETE")
        self._resources.close()

    # --- writing --------------------------------------------------------------------------------------------------

    def add(self, row: Row) -> None:
        """Keep a row unless the present one is as good; see `add_many`."""
        self.add_many([row])

    def add_many(self, rows: Iterable[Row]) -> int:
        """Keep rows, all or none, and return the number of new ones.

        There is one row per settings. A row of the installed code replaces a stale one, a good one replaces a failed
        one; a good row of the installed code is never replaced.
        """
        good = [checked(row, f"{row.settings.get('method')}, {row.settings.get('game')}") for row in rows]
        new = 0
        with self._clear_errors(), self._database:
            for row in good:
                asked = settings_key(row.settings)
                query = "SELECT key, status FROM trials WHERE asked = ?"
                old = self._database.execute(query, [asked]).fetchone()
                if old is None or _outranks(row, *old):
                    places = ", ".join("?" * 15)
                    self._database.execute(f"INSERT OR REPLACE INTO trials VALUES ({places})", _cells(asked, row))
                    new += 1
        return new

    def remove_bad(self) -> list[BadRow]:
        """Delete every invalid row and return them."""
        bad = self.read().bad
        with self._clear_errors(), self._database:
            self._database.executemany("DELETE FROM trials WHERE rowid = ?", [(row.number,) for row in bad])
        if bad and self.read().bad:  # the file itself is damaged
            raise BadInput(f"{self.path}: {_DAMAGED}")
        return bad

    # --- reading --------------------------------------------------------------------------------------------------

    def read(self) -> StoreContents:
        """Return all rows, checked, in an order that does not depend on when they were run."""
        cells = ", ".join(f"CASE WHEN length({name}) <= {MAX_CELL} THEN {name} END" for name in _READ)
        rows: list[Row] = []
        bad: list[BadRow] = []
        with self._clear_errors():
            query = f"SELECT rowid, {cells} FROM trials LIMIT {MAX_ROWS + 1}"
            for number, *values in self._database.execute(query):
                try:
                    rows.append(_row(dict(zip(_READ, values, strict=True)), f"row {number}"))
                except BadInput as problem:
                    bad.append(BadRow(number, str(problem)))
        if len(rows) + len(bad) > MAX_ROWS:
            raise BadInput(f"{self.path}: more than {MAX_ROWS:,} results. Choose another file with --store.")
        rows.sort(key=lambda row: (row.settings["method"], row.settings["game"], _dump(row.settings)))
        return StoreContents(rows, bad)

    def rows(self, *, status: str | None = None) -> list[Row]:
        """Return the valid rows, optionally of one status."""
        return [row for row in self.read().rows if status in (None, row.status)]

    # --- the file -------------------------------------------------------------------------------------------------

    def _open(self) -> sqlite3.Connection:
        database = sqlite3.connect(self.path, timeout=30) if self._writing else self._open_for_reading()
        database.text_factory = lambda data: data.decode("utf-8", "replace")  # such text fails the checks later
        database.execute("PRAGMA trusted_schema = OFF")
        return database

    def _open_for_reading(self) -> sqlite3.Connection:
        path = self.path.resolve()
        address = f"{path.as_uri()}?mode=ro"
        database = sqlite3.connect(address, uri=True, timeout=30)
        try:
            database.execute("SELECT count(*) FROM sqlite_master").fetchone()
            return database
        except sqlite3.OperationalError:
            database.close()
        # In a read-only folder SQLite cannot make its side files.
        journal = path.with_name(f"{path.name}-wal")
        if not journal.exists() or journal.stat().st_size == 0:
            return sqlite3.connect(address + "&immutable=1", uri=True)
        # A killed run left its last results in the journal: read a copy.
        copy = Path(self._resources.enter_context(tempfile.TemporaryDirectory(prefix="shown-"))) / "results.sqlite"
        try:
            shutil.copyfile(journal, f"{copy}-wal")
            shutil.copyfile(path, copy)
        except OSError as error:
            raise BadInput(f"{self.path}: cannot be read ({error.strerror}).") from None
        return sqlite3.connect(copy)

    def _check(self) -> None:
        """Make sure that the file is a store; turn an empty one into a store if it is to be written."""
        self._database.execute("BEGIN")  # a consistent view, also while another process creates the store
        (application,) = self._database.execute("PRAGMA application_id").fetchone()
        (schema,) = self._database.execute("PRAGMA user_version").fetchone()
        objects = self._database.execute("SELECT type, name, sql FROM sqlite_master LIMIT 10").fetchall()
        self._database.execute("ROLLBACK")
        if objects:
            self._refuse_others(application, schema, objects)
        elif not self._writing:  # a run has only just created it
            self._database.close()
            self._database = sqlite3.connect(":memory:")
            self._database.execute(_TABLE)
        if self._writing:
            self._database.execute("PRAGMA journal_mode = WAL")
            self._database.execute("PRAGMA synchronous = FULL")  # a row reported as done survives a power cut
            if not objects:
                with self._database:
                    self._database.execute("BEGIN IMMEDIATE")
                    self._database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                    self._database.execute(f"PRAGMA user_version = {SCHEMA}")
                    self._database.execute(_TABLE)

    def _refuse_others(self, application: int, schema: int, objects: list[tuple[str, str, str | None]]) -> None:
        if application != APPLICATION_ID:
            raise BadInput(f"{self.path}: not a results file of shown. Choose another with --store.")
        if schema != SCHEMA:
            age = "a newer" if schema > SCHEMA else "an older"
            raise BadInput(
                f"{self.path}: written by {age} version of shown (format {schema}; this version has {SCHEMA}). "
                "Choose another file with --store."
            )
        # Views, triggers and computed columns would run foreign code.
        ours = {("table", "trials", _TABLE.strip()), ("index", "sqlite_autoindex_trials_1", None)}
        if set(objects) != ours:
            raise BadInput(f"{self.path}: not a results file of shown, or one with other objects in it.")

    @contextlib.contextmanager
    def _clear_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise BadInput(f"{self.path}: {_explain(error)}") from None
        except UnicodeDecodeError:  # SQLite quotes damaged text in its own message
            raise BadInput(f"{self.path}: {_DAMAGED}") from None


def _outranks(row: Row, key: str, status: str) -> bool:
    """Return whether a row replaces one with equal settings, given that one's key and status."""
    current = trial_key(row.settings, code_for(row.settings))
    new, old = ((k == current, s == "ok") for k, s in ((row.key, row.status), (key, status)))
    return new > old or (new == old and status == "failed")


def _cells(asked: str, row: Row) -> tuple[Any, ...]:
    """Return a row as a line of the table."""
    settings = (row.settings[name] for name in ("method", "game", "seed"))
    finished = row.finished or datetime.now(UTC).isoformat(timespec="seconds")
    result, code = (None if part is None else _dump(part) for part in (row.result, row.code))
    ran = (row.version, finished, row.seconds, row.status, row.error, result, code, row.commit, row.machine)
    return asked, row.key, _dump(row.settings), *settings, *ran


def _row(cells: dict[str, Any], where: str) -> Row:
    """Return a checked row from a line of the table."""
    values = {name: cells[name] for name in ("status", "error", "seconds", "version", "finished", "machine")}
    for name in ("settings", "result", "code"):
        text = cells[name]
        if text is not None and not isinstance(text, str):
            raise BadInput(f'{where}: not a result: "{name}" is not text.')
        values[name] = None if text is None else parse_json(text, f"{where}, {name}")
    row = checked(Row(**values, commit=cells["source"]), where)
    if (cells["asked"], cells["key"]) != (settings_key(row.settings), row.key):
        raise BadInput(f"{where}: its key is not that of its settings.")
    return row


def _dump(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False)


_DAMAGED = "not a results file, or a damaged one. Choose another with --store."


def _explain(error: sqlite3.Error) -> str:
    text = str(error)
    if "full" in text:
        return "the disk is full. Free some space and run the same command again: finished trials are kept."
    if "readonly" in text or "unable to open" in text:
        return "cannot be written here. Choose a file in a writable folder with --store."
    if "not a database" in text or "malformed" in text:
        return _DAMAGED
    if "locked" in text:
        return "another program is writing to it. Try again when it has ended."
    return f"the results file cannot be used ({text})."


@contextlib.contextmanager
def _only_writer(path: Path) -> Iterator[None]:
    """Hold a lock beside the store, so that two runs do not do the same trials twice.

    The system drops the lock when its process ends in any way.
    """
    file = _locked(path, path.with_name(f".{path.name}.lock"))
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            os.unlink(file.name)
        file.close()


def _locked(path: Path, name: Path) -> IO[bytes]:
    while True:
        try:
            file = name.open("ab")
        except (OSError, ValueError) as error:
            reason = f"{path}: cannot be written ({getattr(error, 'strerror', error)})."
            raise BadInput(f"{reason} Choose a file in a writable folder with --store.") from None
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.close()
            raise BadInput(
                f"{path}: another run is writing to it. Wait until it ends, or use another --store."
            ) from None
        with contextlib.suppress(OSError):
            if os.fstat(file.fileno()).st_ino == name.stat().st_ino:
                return file
        file.close()  # another run ended and removed its lock file just as it was opened here
