"""The project folder: everything a teacher does, saved as it happens.

    shown-studio/
      project.json             the game last opened, and how each is to be learned
      studio.lock              held while a studio has the folder open
      nim/lesson.json          the demonstrations
      nim/table.jsonl          the game in play, a line a click
      nim/levels.json          painted levels
      nim/remarks.json         what was said of the rule: what stays, what was an accident
      nim/scores.json          how each policy did on the levels that are held out
      nim/policy.json          what was learned from them (as `shown learn` writes it)
      nim/learned.json         how that came about: what from, and how the teacher was understood on the way

Every file is written whole or not at all, before the page hears that it was, and what could not be read again is not
written. A folder may come from somebody else, so no link in it is opened (`folder.py`), and a file that the studio did
not write is never overwritten. Demonstrations that cannot be read are an error with a name and a reason, and leave the
other games alone; a single one, the game in play or a painted level is set aside instead, and hides nothing else.
"""

from __future__ import annotations

import contextlib
import html
import secrets
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shown.errors import BadInput
from shown.files import MAX_BYTES, encode_json, encode_text, parse_json
from shown.games.levels import Level
from shown.studio.folder import Folder, locked
from shown.studio.forms import (
    check_lesson,
    grid_from_json,
    is_id,
    lesson_from_json,
    lesson_to_text,
    table_from_lines,
    table_to_lines,
)
from shown.studio.places import Playable, key_of
from shown.studio.remarks import Remark, remarks_from_json, remarks_to_json
from shown.studio.research import SCORES, Score, scores_from_json, scores_to_json
from shown.studio.saved import Saved, is_about, is_own, with_mark
from shown.studio.teach import Lesson, Recording, Table
from shown.studio.ways import Settings

PROJECT, LESSON, TABLE, LEVELS = "project.json", "lesson.json", "table.jsonl", "levels.json"
REMARKS = "remarks.json"
POLICY, LEARNED = "policy.json", "learned.json"
LEVELS_SCHEMA = "shown/studio-levels/1"
MAX_LEVELS = 200
MAX_TABLE = 2**20


@dataclass(frozen=True, slots=True)
class Painted:
    """A level painted in the studio; perhaps not legal yet."""

    id: int
    level: Level


@dataclass(frozen=True, slots=True)
class Opened:
    """What was found of a game: its recordings and the next id, the game in play, painted levels.

    Attributes:
        notes: a sentence for everything that could not be read and was set aside.
        remarks: what was said of the rule.
    """

    recordings: tuple[Recording, ...]
    next_id: int
    table: Table | None
    painted: tuple[Painted, ...]
    notes: tuple[str, ...]
    remarks: tuple[Remark, ...] = ()


class Project:
    """A folder of lessons, open in one studio at a time. Use as a context manager, or call `close`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Project(folder) as project:
    ...     project.settings().way("nim").programs
    10000
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        # The files that were read or written here, as (game or "", name): those, and new ones, may be written.
        self._own: set[tuple[str, str]] = set()
        if self.folder.is_file():
            raise BadInput(f"{self.folder}: is a file, and a project is a folder. Give another with --project.")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._root = Folder.open(self.folder)
        except OSError as error:
            raise BadInput(
                f"{self.folder}: cannot be made a project folder ({error.strerror}). Give another with --project."
            ) from None
        try:
            self._lock = locked(self._root)
        except BadInput:
            self._root.close()
            raise
        self._root.tidy()

    def close(self) -> None:
        self._lock.close()
        self._root.close()

    def __enter__(self) -> Project:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- the project as a whole --------------------------------------------------------------------------------------

    def settings(self) -> Settings:
        data, path = self._data("", PROJECT), str(self.folder / PROJECT)
        if data is None:
            return Settings()
        settings = Settings.from_json(parse_json(_text(data, path), path), path)
        self._own.add(("", PROJECT))
        return settings

    def save_settings(self, settings: Settings) -> None:
        self._write("", PROJECT, settings.to_json())

    @contextlib.contextmanager
    def link(self, address: str) -> Iterator[Path]:
        """A page, for as long as it is needed, that leads to `address` and that only the user can read."""
        name = f".shown-{secrets.token_hex(8)}.html"
        page = f'<!doctype html><meta http-equiv="refresh" content="0;url={html.escape(address)}"><title>shown</title>'
        self._root.create(name, page.encode(), 0o600)
        try:
            yield (self.folder / name).absolute()
        finally:
            self._root.remove(name)

    def set_aside(self, game: Playable) -> str:
        """Moves a game's folder out of the way, whole, so that a fresh one can begin; returns its new name."""
        self._own = {(folder, name) for folder, name in self._own if folder != game.name}
        return self._root.set_aside(key_of(game.name))

    # --- demonstrations and the game in play -------------------------------------------------------------------------

    def lesson(self, game: Playable) -> Opened:
        """What was shown of a game. What cannot be read of it is set aside and named, and hides nothing else.

        Only if nothing of the demonstrations can be read it is an error, and nothing is touched.
        """
        with self._inner(game.name) as folder:
            if folder is not None:
                folder.tidy()
        notes: list[str] = []
        recordings, next_id = self._recordings(game, notes)
        table, painted, remarks = self._table(game, notes), self._painted(game, notes), self._remarks(game, notes)
        return Opened(recordings, next_id, table, painted, tuple(notes), remarks)

    def _recordings(self, game: Playable, notes: list[str]) -> tuple[tuple[Recording, ...], int]:
        data = self._data(game.name, LESSON)
        if data is None:
            return (), 1
        where = self._path(game.name, LESSON)
        recordings, next_id, bad = lesson_from_json(game, parse_json(_text(data, where), where), where)
        if self._keep_copy(game, LESSON, data, bad, notes) and bad:
            self._save_recordings(game, recordings, next_id)
        return recordings, next_id

    def _save_recordings(self, game: Playable, recordings: tuple[Recording, ...], next_id: int) -> None:
        """Hundreds of demonstrations are written again with each new one, so they are written the quick way."""
        text = lesson_to_text(game, recordings, next_id)
        self._write_bytes(game.name, LESSON, encode_text(text, self._path(game.name, LESSON)))

    def _table(self, game: Playable, notes: list[str]) -> Table | None:
        where = self._path(game.name, TABLE)
        try:
            data = self._data(game.name, TABLE, MAX_TABLE)
            # A click is a line; one without its end was being written when the power went.
            table = None if data is None else table_from_lines(game, _text(data, where).split("\n")[:-1], where)
        except BadInput as error:
            notes.append(f"{error} It is now called {self._move_aside(game, TABLE)}.")
            return None
        if table is not None:
            self._own.add((game.name, TABLE))
        return table

    def _remarks(self, game: Playable, notes: list[str]) -> tuple[Remark, ...]:
        where = self._path(game.name, REMARKS)
        try:
            value = self._read(game.name, REMARKS)
            remarks = () if value is None else remarks_from_json(game, value, where)
        except BadInput as error:
            notes.append(f"{error} It is now called {self._move_aside(game, REMARKS)}.")
            return ()
        if value is not None:
            self._own.add((game.name, REMARKS))
        return remarks

    def save_lesson(self, game: Playable, lesson: Lesson, before: Lesson | None = None) -> None:
        """Saves what differs from `before`. Demonstrations first: a stop in between must not lose one.

        What could not be read again is refused before anything is written.
        """
        check_lesson(game, lesson, before)
        if before is None or lesson.recordings is not before.recordings or lesson.next_id != before.next_id:
            self._save_recordings(game, lesson.recordings, lesson.next_id)
        if before is None or lesson.remarks is not before.remarks:
            self._save_remarks(game, lesson.remarks)
        # A level that was only laid out has no file yet. Once more is shown, another would be laid out in its place.
        if before is None or lesson.table is not before.table or (game.name, TABLE) not in self._own:
            self._save_table(game, lesson.table, before.table if before is not None else None)

    def _save_table(self, game: Playable, table: Table, before: Table | None) -> None:
        """Appends a click, which takes microseconds; any other change writes the file anew."""
        lines = table_to_lines(table)
        if before is not None and (game.name, TABLE) in self._own and lines[:-1] == table_to_lines(before):
            with self._inner(game.name) as folder:
                if folder is not None and folder.append(TABLE, f"{lines[-1]}\n".encode()):
                    return
        self._write_bytes(game.name, TABLE, "".join(f"{line}\n" for line in lines).encode())

    def _save_remarks(self, game: Playable, remarks: tuple[Remark, ...]) -> None:
        """Nothing said, and nothing ever said, needs no file."""
        if remarks or (game.name, REMARKS) in self._own:
            self._write(game.name, REMARKS, remarks_to_json(game, remarks))

    # --- painted levels ----------------------------------------------------------------------------------------------

    def _painted(self, game: Playable, notes: list[str]) -> tuple[Painted, ...]:
        """The levels painted for a game, legal or not."""
        where = self._path(game.name, LEVELS)
        try:
            data = self._data(game.name, LEVELS)
            if data is None:
                return ()
            levels, bad = _painted_from_json(game, parse_json(_text(data, where), where), where)
        except BadInput as error:
            notes.append(f"{error} It is now called {self._move_aside(game, LEVELS)}.")
            return ()
        if self._keep_copy(game, LEVELS, data, bad, notes) and bad:
            self.save_painted(game, levels)
        return levels

    def save_painted(self, game: Playable, levels: tuple[Painted, ...]) -> None:
        items = [{"id": painted.id, "rows": list(painted.level.grid.rows)} for painted in levels]
        self._write(game.name, LEVELS, {"schema": LEVELS_SCHEMA, "game": game.name, "levels": items})

    # --- what was learned --------------------------------------------------------------------------------------------

    def learned(self, game: Playable) -> Saved | None:
        """What was learned last. The policy is as it was found, not yet checked; whoever loads it does that."""
        policy, about = self._read_or_none(game, POLICY), self._read_or_none(game, LEARNED)
        if is_about(about):
            self._own.add((game.name, LEARNED))
        if is_own(policy, about):
            self._own.add((game.name, POLICY))
        if policy is None or about is None:
            return None
        return Saved.from_json(policy, about, self._path(game.name, LEARNED))

    def _read_or_none(self, game: Playable, name: str) -> Any:
        """What was learned can be learned again, so what cannot be read of it is as good as not there."""
        try:
            return self._read(game.name, name)
        except BadInput:
            return None

    def save_learned(self, game: Playable, saved: Saved) -> None:
        """Saves a policy, and how it came about."""
        self._write(game.name, POLICY, with_mark(saved.policy))
        self._write(game.name, LEARNED, saved.about())

    def drop_learned(self, game: Playable) -> None:
        """Removes what was learned; a policy that came from elsewhere stays."""
        with self._inner(game.name) as folder:
            for name in (LEARNED, POLICY):
                if folder is not None and (game.name, name) in self._own:
                    folder.remove(name)

    # --- scores ------------------------------------------------------------------------------------------------------

    def scores(self, game: Playable) -> tuple[Score, ...]:
        """How earlier policies did; what cannot be read of that is left where it is, and is as good as not there."""
        value = self._read_or_none(game, SCORES)
        try:
            found = () if value is None else scores_from_json(game, value)
        except BadInput:
            return ()
        self._own.add((game.name, SCORES))
        return found

    def save_scores(self, game: Playable, scores: tuple[Score, ...]) -> None:
        self._write(game.name, SCORES, scores_to_json(game, scores))

    # --- files -------------------------------------------------------------------------------------------------------

    def _path(self, game: str, name: str) -> str:
        return str(self.folder / key_of(game) / name)

    def _inner(self, game: str, make: bool = False) -> contextlib.AbstractContextManager[Folder | None]:
        """The folder of a game."""
        return self._root.inner(key_of(game), make)

    def _data(self, game: str, name: str, limit: int = MAX_BYTES) -> bytes | None:
        if not game:
            return self._root.read(name, limit)
        with self._inner(game) as folder:
            return None if folder is None else folder.read(name, limit)

    def _read(self, game: str, name: str) -> Any:
        data, where = self._data(game, name), self._path(game, name)
        return None if data is None else parse_json(_text(data, where), where)

    def _write(self, game: str, name: str, value: Any) -> None:
        self._write_bytes(game, name, encode_json(value, self._path(game, name)))

    def _write_bytes(self, game: str, name: str, data: bytes) -> None:
        """Writes a file that the studio has read or written before, or that is not there yet."""
        if not game:
            self._write_into(self._root, game, name, data)
            return
        with self._inner(game, make=True) as folder:
            assert folder is not None
            self._write_into(folder, game, name, data)

    def _write_into(self, folder: Folder, game: str, name: str, data: bytes) -> None:
        if (game, name) not in self._own and stat.S_ISREG(folder.mode(name)):
            raise BadInput(
                f"{folder.path / name}: was not written by the studio, so it is left as it is. Move it away first."
            )
        folder.write(name, data)
        self._own.add((game, name))

    def _keep_copy(self, game: Playable, name: str, data: bytes, bad: list[str], notes: list[str]) -> bool:
        """Keeps a file as it was under another name if it has bad parts; then it may be written without them."""
        kept = ""
        if bad:
            try:
                with self._inner(game.name) as folder:
                    assert folder is not None
                    kept = folder.free_name(name)
                    folder.create(kept, data)
            except BadInput as error:
                notes += [*bad, str(error)]
                return False
        notes += [f"{reason} It is left out; the file as it was is now {kept}." for reason in bad]
        self._own.add((game.name, name))
        return True

    def _move_aside(self, game: Playable, name: str) -> str:
        with self._inner(game.name) as folder:
            assert folder is not None
            return folder.set_aside(name)


def _painted_from_json(game: Playable, value: Any, where: str) -> tuple[tuple[Painted, ...], list[str]]:
    """The levels, and what is wrong with those that are left out."""
    if not isinstance(value, dict) or value.get("schema") != LEVELS_SCHEMA or value.get("game") != game.name:
        raise BadInput(f'{where}: not painted levels of {game.name}: "schema" must be "{LEVELS_SCHEMA}".')
    items = value.get("levels")
    if not isinstance(items, list) or len(items) > MAX_LEVELS:
        raise BadInput(f'{where}: "levels" must be a list of at most {MAX_LEVELS}.')
    levels: dict[int, Painted] = {}
    bad: list[str] = []
    for i, item in enumerate(items):
        try:
            number = item.get("id") if isinstance(item, dict) else None
            if not is_id(number) or number in levels:
                raise BadInput(f'{where}, level {i}: needs an "id" of its own and "rows".')
            grid = grid_from_json(game, item.get("rows"), f"{where}, level {i}")
        except BadInput as error:
            bad.append(str(error))
        else:
            levels[number] = Painted(number, Level(f"painted:{number}", grid))
    return tuple(levels.values()), bad


def _text(data: bytes, where: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise BadInput(f"{where}: not text in UTF-8.") from None
