"""The results store: one SQLite file, one row a trial.

A row is written when its trial is done and in one transaction, so a run that is killed at any moment loses at most the
trials in flight, and the next run does only what is missing.

A file may be anybody's: its one table must be exactly ours, and every row is checked when it is read. Rows that are
not results are left out and named; `Store.remove_bad` takes them away.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from shown.errors import BadInput
from shown.experiments.rows import Row, checked
from shown.experiments.trials import code_for, settings_key, trial_key
from shown.files import parse_json
from shown.version import __version__

SCHEMA = 3
"""The form of the store that this version writes. Form 1 knew nothing of code, form 2 nothing of the machine; a newer
form is refused."""

APPLICATION_ID = 0x73686F77  # "show", so that another program's database is not taken for a store

MAX_ROWS = 200_000
MAX_CELL = 2**20
"""Characters in one cell of the table."""

MAX_LINE, MAX_LINES, MAX_BAD = 4 * 2**20, 1_000_000, 100
"""Bytes of a JSON line, lines of a file, and bad ones among them before it is no results file at all."""

_FORM_1 = """
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
_FORM_2 = """
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
    source   TEXT NOT NULL
)
"""
_FORM_3 = _FORM_2.replace("source   TEXT NOT NULL", "source   TEXT NOT NULL,\n    machine  TEXT NOT NULL")
_TABLES = {1: _FORM_1, 2: _FORM_2, 3: _FORM_3}
"""`asked` is the digest of the settings: there is one row for them, of whatever code. `key` is of settings and code."""

_UPGRADES = {
    1: "INSERT INTO trials SELECT key, key, settings, method, game, seed, version, finished, seconds, status, error, "
    "result, NULL, '', '' FROM older",
    2: "INSERT INTO trials SELECT *, '' FROM older",
}


@dataclass(frozen=True)
class BadRow:
    """A row or line that is no result: where it is, and what is wrong with it."""

    number: int
    why: str


@dataclass(frozen=True)
class Found:
    """What was read: the results, and what was left out because it is none."""

    rows: list[Row]
    bad: list[BadRow]


class Store:
    """Results on disk. Use it as a context; `writing=False` reads without touching the file or its folder.

    >>> from shown.experiments.trials import Trial
    >>> folder = tempfile.TemporaryDirectory()
    >>> with Store(Path(folder.name) / "results.sqlite") as store:
    ...     store.add(Row(Trial("lpp", "nim", "train:0").settings, "failed", None, "no luck", 0.5))
    ...     [row.error for row in store.rows()]
    ['no luck']
    """

    def __init__(self, path: str | Path, *, writing: bool = True) -> None:
        self.path = Path(path)
        self._writing = writing
        self._lock: IO[bytes] | None = None
        self._copy: tempfile.TemporaryDirectory[str] | None = None
        if os.path.isdir(path):
            raise BadInput(f"{self.path}: is a folder. Give the path of a results file.")
        if not writing and not os.path.exists(path):
            raise BadInput(f"{self.path}: no such results file. Make one: shown reproduce demos --store {self.path}")
        if os.path.exists(path) and not os.path.isfile(path):
            raise BadInput(f"{self.path}: not a file on disk. Give the path of a results file.")
        if writing:
            self._lock = _only_writer(self.path)
        try:
            with self._clear_errors():
                self._database = self._open(writing)
                try:
                    self._form = self._check(writing)
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

    # --- writing --------------------------------------------------------------------------------------------------

    def add(self, row: Row) -> None:
        """Keeps a result, unless the one that is there already is as good: see `add_many`."""
        self.add_many([row])

    def add_many(self, rows: Iterable[Row]) -> int:
        """Keeps results, all or none; the number that were new.

        There is one result for the same settings. One of the present code takes the place of a stale one, a good one
        that of a failed one; a good result of the present code is never replaced.
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
        """Takes away every row that is no result, and says which they were."""
        bad = self.read().bad
        with self._clear_errors(), self._database:
            self._database.executemany("DELETE FROM trials WHERE rowid = ?", [(row.number,) for row in bad])
        if bad and self.read().bad:  # the file itself is damaged, so that rows are not where they seem to be
            raise BadInput(f"{self.path}: {_DAMAGED}")
        return bad

    # --- reading --------------------------------------------------------------------------------------------------

    def read(self) -> Found:
        """Everything in it, checked, in an order that does not depend on when it was run."""
        names = ["asked" if self._form > 1 else "key", "key", "settings", "status", "result", "error", "seconds"]
        names += ["version", "finished", *["code", "source", "machine"][: 0 if self._form == 1 else self._form]]
        # What is too long is not read at all.
        cells = ", ".join(f"CASE WHEN length({name}) <= {MAX_CELL} THEN {name} END" for name in names)
        rows: list[Row] = []
        bad: list[BadRow] = []
        with self._clear_errors():
            query = f"SELECT rowid, {cells} FROM trials LIMIT {MAX_ROWS + 1}"
            for number, *values in self._database.execute(query):
                try:
                    rows.append(_row(dict(zip(["asked", *names[1:]], values, strict=True)), f"row {number}"))
                except BadInput as problem:
                    bad.append(BadRow(number, str(problem)))
        if len(rows) + len(bad) > MAX_ROWS:
            raise BadInput(f"{self.path}: more than {MAX_ROWS:,} results. Choose another file with --store.")
        return Found(sorted(rows, key=_order), bad)

    def rows(self, *, method: str | None = None, game: str | None = None, status: str | None = None) -> list[Row]:
        """The results, all or those of a method, a game or an outcome; what is no result is left out."""
        return [
            row
            for row in self.read().rows
            if method in (None, row.settings["method"])
            and game in (None, row.settings["game"])
            and status in (None, row.status)
        ]

    def done(self) -> set[str]:
        """The keys of all trials that ended well; those of other code have other keys than now."""
        return {row.key for row in self.rows(status="ok")}

    # --- the file -------------------------------------------------------------------------------------------------

    def _open(self, writing: bool) -> sqlite3.Connection:
        database = sqlite3.connect(self.path, timeout=30) if writing else self._open_for_reading()
        database.text_factory = lambda data: data.decode("utf-8", "replace")  # what is no text will be no result either
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
        # A store in a folder that may not be written: SQLite cannot make its side files there.
        journal = path.with_name(f"{path.name}-wal")
        if not journal.exists() or journal.stat().st_size == 0:
            return sqlite3.connect(address + "&immutable=1", uri=True)  # it needs none
        # A run was killed, and its last results are in the journal: read them from a copy.
        self._copy = tempfile.TemporaryDirectory(prefix="shown-")
        copy = Path(self._copy.name) / "results.sqlite"
        try:
            shutil.copyfile(journal, f"{copy}-wal")
            shutil.copyfile(path, copy)
        except OSError as error:
            raise BadInput(f"{self.path}: cannot be read ({error.strerror}).") from None
        return sqlite3.connect(copy)

    def _check(self, writing: bool) -> int:
        """Makes sure that it is a store, makes it one if it is empty and is to be written, and says its form."""
        (application,) = self._database.execute("PRAGMA application_id").fetchone()
        (form,) = self._database.execute("PRAGMA user_version").fetchone()
        objects = self._database.execute("SELECT type, name, sql FROM sqlite_master LIMIT 10").fetchall()
        if not objects and not writing:  # a run has only just begun it: there are no results to read yet
            self._database.close()
            self._database = sqlite3.connect(":memory:")
            self._database.execute(_FORM_3)
            return SCHEMA
        if objects:
            self._refuse_others(application, form, objects)
        if not writing:
            return int(form)
        self._database.execute("PRAGMA journal_mode = WAL")
        # FULL: a row that was reported as done must survive a power cut, not only a kill.
        self._database.execute("PRAGMA synchronous = FULL")
        if not objects or form < SCHEMA:
            self._make(form if objects else None)
        return SCHEMA

    def _refuse_others(self, application: int, form: int, objects: list[tuple[str, str, str | None]]) -> None:
        if application != APPLICATION_ID:
            raise BadInput(f"{self.path}: not a results file of shown. Choose another with --store.")
        if form > SCHEMA:
            raise BadInput(
                f"{self.path}: written by a newer version of shown (form {form}; this one, {__version__}, knows up "
                f"to {SCHEMA}). Upgrade shown, or choose another file with --store."
            )
        # Views, triggers and computed columns would run what somebody else wrote.
        ours = {("table", "trials", _TABLES.get(form, "").strip()), ("index", "sqlite_autoindex_trials_1", None)}
        if set(objects) != ours:
            raise BadInput(f"{self.path}: not a results file of shown, or one with other things in it.")

    def _make(self, older: int | None) -> None:
        """Makes the table, with what one of an older form holds."""
        with self._database:
            self._database.execute("BEGIN IMMEDIATE")
            if older:
                self._database.execute("ALTER TABLE trials RENAME TO older")
            self._database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            self._database.execute(f"PRAGMA user_version = {SCHEMA}")
            self._database.execute(_FORM_3)
            if older:
                self._database.execute(_UPGRADES[older])
                self._database.execute("DROP TABLE older")
        if older:
            with contextlib.suppress(sqlite3.Error):  # without room for it the file stays larger than it need be
                self._database.execute("VACUUM")

    def _release(self) -> None:
        if self._copy is not None:
            self._copy.cleanup()
            self._copy = None
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
        except UnicodeDecodeError:  # SQLite quotes what is damaged in its own message
            raise BadInput(f"{self.path}: {_DAMAGED}") from None


def _outranks(row: Row, key: str, status: str) -> bool:
    """Whether a result takes the place of one with the same settings, of which key and status are given."""
    current = trial_key(row.settings, code_for(row.settings))
    new, old = ((k == current, s == "ok") for k, s in ((row.key, row.status), (key, status)))
    return new > old or (new == old and status == "failed")


def _cells(asked: str, row: Row) -> tuple[Any, ...]:
    """A result as a line of the table."""
    settings = row.settings
    return (
        asked,
        row.key,
        _dump(settings),
        *(settings[name] for name in ("method", "game", "seed")),
        row.version,
        row.finished or datetime.now(UTC).isoformat(timespec="seconds"),
        row.seconds,
        row.status,
        row.error,
        None if row.result is None else _dump(row.result),
        None if row.code is None else _dump(row.code),
        row.commit,
        row.machine,
    )


def _row(cells: dict[str, Any], where: str) -> Row:
    """A result from a line of the table, or BadInput."""
    values = {name: cells[name] for name in ("status", "error", "seconds", "version", "finished")}
    for name in ("settings", "result", "code"):
        text = cells.get(name)
        values[name] = None if text is None else parse_json(_is_text(text, name, where), f"{where}, {name}")
    row = Row.from_json({**values, "commit": cells.get("source", ""), "machine": cells.get("machine", "")}, where)
    if (cells["asked"], cells["key"]) != (settings_key(row.settings), row.key):
        raise BadInput(f"{where}: its key is not that of its settings.")
    return row


def _is_text(value: object, name: str, where: str) -> str:
    if not isinstance(value, str):
        raise BadInput(f'{where}: not a result: "{name}" is not text.')
    return value


def _order(row: Row) -> tuple[str, str, str]:
    return row.settings["method"], row.settings["game"], _dump(row.settings)


def mean_seconds(rows: Iterable[Row]) -> dict[tuple[str, str], float]:
    """How long the trials of each method and game took, for guessing how long others will."""
    times: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        times.setdefault((row.settings["method"], row.settings["game"]), []).append(row.seconds)
    return {kind: sum(taken) / len(taken) for kind, taken in times.items()}


def read_lines(path: str | Path) -> Found:
    """Results from a file of JSON lines, as `python -m shown.experiments.networks` writes them.

    Bad lines are left out and named. A last line cut off in the middle (the writer was killed) is no fault.
    """
    rows: list[Row] = []
    bad: list[BadRow] = []
    for number, line in _lines(Path(path)):
        where = f"{path}, line {number}"
        try:
            rows.append(Row.from_json(parse_json(line.decode("utf-8"), where), where))
        except UnicodeDecodeError:
            bad.append(BadRow(number, f"{where}: not text in UTF-8."))
        except BadInput as problem:
            bad.append(BadRow(number, str(problem)))
        if len(bad) > MAX_BAD:
            raise BadInput(f"{path}: more than {MAX_BAD} lines are no results. The first: {bad[0].why}")
    return Found(rows, bad)


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The whole lines of a file with their numbers; some files, such as /dev/zero, have no end."""
    try:
        with path.open("rb") as file:
            for number in range(1, MAX_LINES + 1):
                line = file.readline(MAX_LINE + 1)
                if len(line) > MAX_LINE:
                    raise BadInput(f"{path}, line {number}: longer than {MAX_LINE // 2**20} MiB, which no result is.")
                if not line.endswith(b"\n"):  # the end, or what a killed writer did not finish
                    return
                if line.strip():
                    yield number, line
    except (OSError, ValueError) as error:
        raise BadInput(f"{path}: cannot be read ({error}).") from None
    raise BadInput(f"{path}: more than {MAX_LINES:,} lines, which is more than any results file has.")


def _dump(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False)


_DAMAGED = "not a results file, or a damaged one. Choose another with --store."


def _say(error: sqlite3.Error) -> str:
    text = str(error)
    if "full" in text:
        return "the disk is full. Make room and run the same command again: what was finished is kept."
    if "readonly" in text or "unable to open" in text:
        return "cannot be written here. Choose a file in a folder you may write to, with --store."
    if "not a database" in text or "malformed" in text:
        return _DAMAGED
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
        except (OSError, ValueError) as error:
            reason = f"{path}: cannot be written ({getattr(error, 'strerror', error)})."
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
