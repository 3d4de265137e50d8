"""The project folder: everything a teacher does, saved as it happens.

    shown-studio/
      project.json             the game last opened, and settings
      studio.lock              held while a studio has the folder open
      nim/lesson.json          the demonstrations
      nim/table.jsonl          the game in play, a line a click
      nim/levels.json          painted levels
      nim/policy.json          what was learned from them (as `shown learn` writes it)
      nim/learned.json         how that came about: the curve, the demonstrations' digest

Every file is written whole or not at all, before the page hears that it was. A file that is not what the studio wrote
is an error with a name and a reason, is never overwritten, and leaves the other games alone.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from shown.errors import BadInput
from shown.files import read_json, write_bytes, write_json
from shown.games import GAMES
from shown.games.game import Game
from shown.games.levels import Level
from shown.studio.forms import grid_from_json, lesson_from_json, lesson_to_json, table_from_lines, table_to_lines
from shown.studio.teach import Lesson, Recording, Table

SCHEMA = "shown/studio-project/1"
LEVELS_SCHEMA = "shown/studio-levels/1"
LEARNED_SCHEMA = "shown/studio-learned/1"
MAX_LEVELS = 200
MAX_PROGRAMS = 1_000_000
DEFAULT_PROGRAMS = 10_000
MAX_TABLE = 2**20


@dataclass(frozen=True, slots=True)
class Settings:
    """What is remembered of the project as a whole.

    Attributes:
        game: the game last opened, or None on the very first visit.
        programs: how many programs the computer considers.
        forgiving: it takes into account that a click may have been a slip.
        toured: the guided tour was finished or closed.
    """

    game: str | None = None
    programs: int = DEFAULT_PROGRAMS
    forgiving: bool = False
    toured: bool = False


@dataclass(frozen=True, slots=True)
class Painted:
    """A level painted in the studio; perhaps not legal yet."""

    id: int
    level: Level


@dataclass(frozen=True, slots=True)
class Saved:
    """A policy and how it came about: the demonstrations' digest, the numbers of the last Progress, the curve."""

    policy: Any
    digest: str
    numbers: dict[str, float]
    curve: list[tuple[int, float]]


class Project:
    """A folder of lessons, open in one studio at a time. Use as a context manager, or call `close`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Project(folder) as project:
    ...     project.settings().programs
    10000
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadInput(
                f"{self.folder}: cannot be made a project folder ({error.strerror}). Give another with --project."
            ) from None
        self._lock = _lock(self.folder / "studio.lock")

    def close(self) -> None:
        self._lock.close()

    def __enter__(self) -> Project:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # The names of files come from the table of games, never from a request.
    def _file(self, game: Game, name: str) -> Path:
        assert game.name in GAMES
        return self.folder / game.name / f"{name}.json"

    def _write(self, game: Game, name: str, value: Any) -> None:
        self._make_folder(game)
        write_json(self._file(game, name), value)

    def _make_folder(self, game: Game) -> None:
        folder = self.folder / game.name
        if not folder.is_dir():
            with contextlib.suppress(OSError):
                folder.mkdir()

    def settings(self) -> Settings:
        path = self.folder / "project.json"
        if not path.exists():
            return Settings()
        value = _read(path, "project")
        if not isinstance(value, dict) or value.get("schema") != SCHEMA:
            raise BadInput(f'{path}: not a project of the studio: "schema" must be "{SCHEMA}".')
        game, programs, toured = value.get("game"), value.get("programs"), value.get("toured")
        if game is not None and game not in GAMES:
            raise BadInput(f'{path}: "game" must be one of {", ".join(GAMES)}.')
        if not isinstance(programs, int) or isinstance(programs, bool) or not 1 <= programs <= MAX_PROGRAMS:
            raise BadInput(f'{path}: "programs" must be a whole number from 1 to {MAX_PROGRAMS:,}.')
        return Settings(game, programs, value.get("forgiving") is True, toured is True)

    def save_settings(self, settings: Settings) -> None:
        write_json(self.folder / "project.json", {"schema": SCHEMA, **asdict(settings)})

    def recordings(self, game: Game) -> tuple[tuple[Recording, ...], int]:
        """The demonstrations of a game and the next id."""
        path = self._file(game, "lesson")
        return lesson_from_json(game, _read(path, "lesson"), str(path)) if path.exists() else ((), 1)

    def table(self, game: Game) -> Table | None:
        """The game in play, if there is one."""
        path = self._table(game)
        if not path.exists():
            return None
        # A click is a line; one without its end was being written when the power went.
        return table_from_lines(game, _read_text(path).split("\n")[:-1], str(path))

    def _table(self, game: Game) -> Path:
        return self._file(game, "table").with_suffix(".jsonl")

    def save_lesson(self, game: Game, lesson: Lesson, before: Lesson | None = None) -> None:
        """Saves what differs from `before`. Demonstrations first: a stop in between must not lose one."""
        if before is None or lesson.recordings is not before.recordings or lesson.next_id != before.next_id:
            self._write(game, "lesson", lesson_to_json(game, lesson))
        if before is None or lesson.table is not before.table:
            self._save_table(game, lesson.table, before.table if before is not None else None)

    def _save_table(self, game: Game, table: Table, before: Table | None) -> None:
        """Appends a click, which takes microseconds; any other change writes the file anew."""
        path, lines = self._table(game), table_to_lines(table)
        if before is not None and path.exists() and lines[:-1] == table_to_lines(before):
            try:
                with open(path, "ab") as file:
                    file.write(f"{lines[-1]}\n".encode())
            except OSError as error:
                raise BadInput(f"{path}: cannot be written ({error.strerror}). Nothing was changed.") from None
            return
        self._make_folder(game)
        write_bytes(path, "".join(f"{line}\n" for line in lines).encode())

    def painted(self, game: Game) -> tuple[Painted, ...]:
        """The levels painted for a game, legal or not."""
        path = self._file(game, "levels")
        if not path.exists():
            return ()
        value = _read(path, "levels")
        if not isinstance(value, dict) or value.get("schema") != LEVELS_SCHEMA or value.get("game") != game.name:
            raise BadInput(f'{path}: not painted levels of {game.name}: "schema" must be "{LEVELS_SCHEMA}".')
        items = value.get("levels")
        if not isinstance(items, list) or len(items) > MAX_LEVELS:
            raise BadInput(f'{path}: "levels" must be a list of at most {MAX_LEVELS}.')
        levels: dict[int, Painted] = {}
        for i, item in enumerate(items):
            number = item.get("id") if isinstance(item, dict) else None
            if not isinstance(number, int) or isinstance(number, bool) or number < 1 or number in levels:
                raise BadInput(f'{path}, level {i}: needs an "id" of its own and "rows".')
            grid = grid_from_json(game, item.get("rows"), f"{path}, level {i}")
            levels[number] = Painted(number, Level(f"painted:{number}", grid))
        return tuple(levels.values())

    def save_painted(self, game: Game, levels: tuple[Painted, ...]) -> None:
        items = [{"id": painted.id, "rows": list(painted.level.grid.rows)} for painted in levels]
        self._write(game, "levels", {"schema": LEVELS_SCHEMA, "game": game.name, "levels": items})

    def learned(self, game: Game) -> Saved | None:
        """What was learned last. The policy is as it was found, not yet checked; whoever loads it does that."""
        policy, about = self._file(game, "policy"), self._file(game, "learned")
        if not policy.exists() or not about.exists():
            return None
        value = _read(about, "learning")
        if not isinstance(value, dict) or value.get("schema") != LEARNED_SCHEMA:
            raise BadInput(f'{about}: not written by the studio: "schema" must be "{LEARNED_SCHEMA}".')
        digest, numbers, curve = (value.get(key) for key in ("digest", "numbers", "curve"))
        if not isinstance(digest, str) or not isinstance(numbers, dict) or not all(map(_is_number, numbers.values())):
            raise BadInput(f'{about}: "digest" must be text and "numbers" numbers.')
        if not isinstance(curve, list) or not all(
            isinstance(point, list) and len(point) == 2 and all(map(_is_number, point)) for point in curve
        ):
            raise BadInput(f'{about}: "curve" must be a list of points.')
        return Saved(_read(policy, "policy"), digest, numbers, [(p[0], p[1]) for p in curve])

    def save_learned(self, game: Game, saved: Saved) -> None:
        """Saves a policy, and how it came about."""
        self._write(game, "policy", saved.policy)
        about = {"digest": saved.digest, "numbers": saved.numbers, "curve": saved.curve}
        self._write(game, "learned", {"schema": LEARNED_SCHEMA, **about})

    def drop_learned(self, game: Game) -> None:
        for name in ("learned", "policy"):
            with contextlib.suppress(FileNotFoundError):
                self._file(game, name).unlink()

    def set_aside(self, game: Game) -> str:
        """Moves a game's folder out of the way, whole, so that a fresh one can begin; returns its new name."""
        folder = self.folder / game.name
        for i in range(1, 1000):
            target = self.folder / f"{game.name}.set-aside-{i}"
            if not target.exists():
                folder.rename(target)
                return target.name
        raise BadInput(f"{folder}: set aside too often. Tidy up {self.folder} first.")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e15


def _read(path: Path, what: str) -> Any:
    # A named pipe or a device would block for ever or never end.
    if not path.is_file():
        raise BadInput(f"{path}: not a plain file.")
    return read_json(path, what)


def _read_text(path: Path) -> str:
    if not path.is_file():
        raise BadInput(f"{path}: not a plain file.")
    if path.stat().st_size > MAX_TABLE:
        raise BadInput(f"{path}: larger than a game in play needs to be.")
    try:
        return path.read_bytes().decode("utf-8")
    except OSError as error:
        raise BadInput(f"{path}: cannot be read ({error.strerror}).") from None
    except UnicodeDecodeError:
        raise BadInput(f"{path}: not text in UTF-8.") from None


def _lock(path: Path) -> Any:
    """An open file that holds the lock; the system lets go of it whatever way this process ends."""
    try:
        file = open(path, "a+b")  # noqa: SIM115 - it stays open as long as the project does
    except OSError as error:
        raise BadInput(f"{path}: cannot be written ({error.strerror}). Give another folder with --project.") from None
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
            f"{path.parent}: already open in another studio. Close that one, or give another folder with --project."
        ) from None
    return file
