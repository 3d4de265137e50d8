"""The project folder: everything a teacher does, saved as it happens.

    shown-studio/
      project.json             the game last opened, and the preferences for each game
      studio.lock              held while a studio has the folder open
      nim/lesson.json          the demonstrations
      nim/table.jsonl          the game in play, one line for each click
      nim/levels.json          painted levels
      nim/remarks.json         pinned and struck conditions of the rule
      nim/scores.json          scores of policies on held-out levels
      nim/policy.json          the policy, as `shown learn` writes it
      nim/learned.json         what the policy was learned from, and the hypotheses tried

Every file is written whole or not at all, before the page hears of it, and only what can be read again is written.
A folder may come from somebody else, so no link in it is followed (`folder.py`), and a file that the studio did not
write is never overwritten. If the demonstrations of a game cannot be read, opening that game fails with the reason, and
other games are unaffected. One demonstration, the game in play or a painted level that cannot be read is set aside.
"""

from __future__ import annotations

import contextlib
import stat
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from shown.errors import BadInput
from shown.files import MAX_BYTES, encode_json, encode_text, parse_json
from shown.grid import Grid
from shown.studio.folder import Folder, OwnFolder
from shown.teaching.lessons.lesson import GameInPlay, Lesson, Recording
from shown.teaching.lessons.lesson_json import (
    MAX_LEVELS,
    check_lesson,
    grid_from_json,
    in_play_from_lines,
    in_play_to_lines,
    is_id,
    lesson_from_json,
    lesson_to_text,
)
from shown.teaching.lessons.preferences import Preferences
from shown.teaching.lessons.remarks import remarks_from_json, remarks_to_json
from shown.teaching.lessons.saved_policy import SavedPolicy, has_mark, is_about, with_mark
from shown.teaching.lessons.scores import Score, scores_from_json, scores_to_json
from shown.teaching.lessons.starts import key_of
from shown.worlds import Playable

PROJECT, LESSON, IN_PLAY, LEVELS = "project.json", "lesson.json", "table.jsonl", "levels.json"
REMARKS, SCORES, POLICY, LEARNED = "remarks.json", "scores.json", "policy.json", "learned.json"
PROJECT_SCHEMA, LEVELS_SCHEMA = "shown/studio-project/2", "shown/studio-levels/1"
MAX_IN_PLAY = 2**20  # bytes

T = TypeVar("T")
NextInPlay = Callable[[tuple[Recording, ...], int], GameInPlay]
"""Returns the next game in play, after some recordings and before the one with that number."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The game last opened, whether the guided tour was finished or closed, and the preferences chosen, by game."""

    game: str | None = None
    toured: bool = False
    preferences: dict[str, Preferences] = field(default_factory=dict)

    def preferences_for(self, game: str) -> Preferences:
        return self.preferences.get(game, Preferences())

    def to_json(self) -> dict[str, Any]:
        preferences = {name: one.to_json() for name, one in self.preferences.items()}
        return {"schema": PROJECT_SCHEMA, "game": self.game, "toured": self.toured, "preferences": preferences}

    @classmethod
    def from_json(cls, value: Any, where: str) -> Settings:
        if not isinstance(value, dict) or value.get("schema") != PROJECT_SCHEMA:
            raise BadInput(f'{where}: not a project of this studio: "schema" must be "{PROJECT_SCHEMA}".')
        game, preferences = value.get("game"), value.get("preferences", {})
        if game is not None and not isinstance(game, str):
            raise BadInput(f'{where}: "game" must be a name or null.')
        if not isinstance(preferences, dict):
            raise BadInput(f'{where}: "preferences" must be an object.')
        where = f'{where}: "preferences"'
        chosen = {name: Preferences.from_json(one, f"{where}, {name[:40]!r}") for name, one in preferences.items()}
        return cls(game, value.get("toured") is True, chosen)


class Project(OwnFolder):
    """A folder of lessons, open in one studio at a time. Use as a context manager, or call `close`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Project(folder) as project:
    ...     project.settings().preferences_for("nim").programs
    10000
    """

    def __init__(self, folder: str | Path) -> None:
        # Files that the studio wrote or has parsed as its own, as (game or "", name). Only these are overwritten.
        self._own: set[tuple[str, str]] = set()
        if Path(folder).is_file():
            raise BadInput(f"{folder}: is a file, and a project is a folder. Give another with --project.")
        super().__init__(folder)

    # --- the project as a whole --------------------------------------------------------------------------------------

    def settings(self) -> Settings:
        return self._load("", PROJECT, Settings.from_json) or Settings()

    def save_settings(self, settings: Settings) -> None:
        self._write("", PROJECT, settings.to_json())

    def set_game_aside(self, game: Playable) -> str:
        """Rename a game's folder, so that a new one can begin, and return its new name."""
        self._own = {(folder, name) for folder, name in self._own if folder != game.name}
        return self.set_aside(key_of(game.name))

    # --- the lesson --------------------------------------------------------------------------------------------------

    def lesson(self, game: Playable, begin: NextInPlay) -> tuple[Lesson, dict[int, Grid], tuple[str, ...]]:
        """Return what was shown of a game, the painted levels by number, and a note on each part that was set aside.

        `begin` returns the game in play if there is none. BadInput if the demonstrations cannot be read at all; then
        nothing is changed.
        """
        with self._inner(game.name) as folder:
            if folder is not None:
                folder.tidy()
        notes: list[str] = []
        recordings, next_id = self._recordings(game, notes)
        in_play = self._load_or_move(game, IN_PLAY, lambda text, where: in_play_from_lines(game, text, where), notes)
        painted = self._painted(game, notes)
        remarks = self._load_or_move(game, REMARKS, lambda value, where: remarks_from_json(game, value, where), notes)
        lesson = Lesson(recordings, in_play or begin(recordings, next_id), next_id, remarks or ())
        return lesson, painted, tuple(notes)

    def _recordings(self, game: Playable, notes: list[str]) -> tuple[tuple[Recording, ...], int]:
        value = self._read(game.name, LESSON)
        if value is None:
            return (), 1
        recordings, next_id, bad = lesson_from_json(game, value, self._path(game.name, LESSON))
        if self._keep_copy(game, LESSON, bad, notes) and bad:
            self._save_recordings(game, recordings, next_id)
        return recordings, next_id

    def _painted(self, game: Playable, notes: list[str]) -> dict[int, Grid]:
        found = self._load_or_move(game, LEVELS, lambda value, where: _painted_from_json(game, value, where), notes)
        levels, bad = found or ({}, [])
        if bad:
            self._own.discard((game.name, LEVELS))
            if self._keep_copy(game, LEVELS, bad, notes):
                self.save_painted(game, levels)
        return levels

    def save_lesson(self, game: Playable, lesson: Lesson, before: Lesson) -> None:
        """Save what differs from `before`, demonstrations first, so that an interruption loses none.

        BadInput, before anything is written, if it could not be read again.
        """
        check_lesson(game, lesson, before)
        if lesson.recordings is not before.recordings or lesson.next_id != before.next_id:
            self._save_recordings(game, lesson.recordings, lesson.next_id)
        if lesson.remarks is not before.remarks and (lesson.remarks or (game.name, REMARKS) in self._own):
            self._write(game.name, REMARKS, remarks_to_json(game, lesson.remarks))
        # A level that was begun but not played has no file yet. With more demonstrations, another would be begun.
        if lesson.in_play is not before.in_play or (game.name, IN_PLAY) not in self._own:
            self._save_in_play(game, lesson.in_play, before.in_play)

    def _save_recordings(self, game: Playable, recordings: tuple[Recording, ...], next_id: int) -> None:
        text = lesson_to_text(game, recordings, next_id)
        self._write_bytes(game.name, LESSON, encode_text(text, self._path(game.name, LESSON)))

    def _save_in_play(self, game: Playable, in_play: GameInPlay, before: GameInPlay) -> None:
        """Append a click, which takes microseconds; any other change writes the file anew."""
        lines = in_play_to_lines(in_play)
        if (game.name, IN_PLAY) in self._own and lines[:-1] == in_play_to_lines(before):
            with self._inner(game.name) as folder:
                if folder is not None and folder.append(IN_PLAY, f"{lines[-1]}\n".encode()):
                    return
        self._write_bytes(game.name, IN_PLAY, "".join(f"{line}\n" for line in lines).encode())

    def save_painted(self, game: Playable, levels: dict[int, Grid]) -> None:
        items = [{"id": number, "rows": list(grid.rows)} for number, grid in levels.items()]
        self._write(game.name, LEVELS, {"schema": LEVELS_SCHEMA, "game": game.name, "levels": items})

    # --- policies and scores -----------------------------------------------------------------------------------------

    def learned(self, game: Playable) -> SavedPolicy | None:
        """Return what was learned last, with the policy unchecked."""
        policy = about = None
        with contextlib.suppress(BadInput):
            policy = self._read(game.name, POLICY)
        with contextlib.suppress(BadInput):
            about = self._read(game.name, LEARNED)
        if is_about(about):
            self._own.add((game.name, LEARNED))
        if has_mark(policy):
            self._own.add((game.name, POLICY))
        if policy is None or about is None:
            return None
        return SavedPolicy.from_json(policy, about, self._path(game.name, LEARNED))

    def save_learned(self, game: Playable, saved: SavedPolicy) -> None:
        """Save a policy. One that learning may soon replace survives a kill, but need not survive a power failure."""
        durable = saved.state != "running"
        self._write(game.name, POLICY, with_mark(saved.policy), durable)
        self._write(game.name, LEARNED, saved.about(), durable)

    def drop_learned(self, game: Playable) -> None:
        """Remove what was learned; a policy that the studio did not write stays."""
        with self._inner(game.name) as folder:
            for name in (LEARNED, POLICY):
                if folder is not None and (game.name, name) in self._own:
                    folder.remove(name)

    def scores(self, game: Playable) -> tuple[Score, ...]:
        """Return the scores of earlier policies; a file that cannot be read is left alone, and there are none."""
        with contextlib.suppress(BadInput):
            return self._load(game.name, SCORES, lambda value, where: scores_from_json(game, value, where)) or ()
        return ()

    def save_scores(self, game: Playable, scores: tuple[Score, ...]) -> None:
        self._write(game.name, SCORES, scores_to_json(game, scores))

    # --- files -------------------------------------------------------------------------------------------------------

    def _path(self, game: str, name: str) -> str:
        return str(self.path / key_of(game) / name)

    def _inner(self, game: str, make: bool = False) -> contextlib.AbstractContextManager[Folder | None]:
        """The folder of a game, or of the project for ""."""
        return self.inner(key_of(game), make) if game else contextlib.nullcontext(self)

    def _read(self, game: str, name: str) -> Any:
        """Return the content of a file, parsed (the game in play as lines), or None if there is no such file."""
        where = self._path(game, name)
        with self._inner(game) as folder:
            text = None if folder is None else folder.read_text(name, MAX_IN_PLAY if name == IN_PLAY else MAX_BYTES)
        if text is None:
            return None
        # A click is a line; a line without its end was being written when the power went.
        value = text.split("\n")[:-1] if name == IN_PLAY else parse_json(text, where)
        if value is None:
            raise BadInput(f"{where}: has nothing but null in it.")
        return value

    def _load(self, game: str, name: str, parse: Callable[[Any, str], T]) -> T | None:
        """Return a file's content, and own the file if it could be parsed; None if there is no such file."""
        value = self._read(game, name)
        if value is None:
            return None
        found = parse(value, self._path(game, name))
        self._own.add((game, name))
        return found

    def _load_or_move(self, game: Playable, name: str, parse: Callable[[Any, str], T], notes: list[str]) -> T | None:
        """Like `_load`, but a file that cannot be parsed is renamed, and noted."""
        try:
            return self._load(game.name, name, parse)
        except BadInput as error:
            with self._inner(game.name) as folder:
                assert folder is not None
                notes.append(f"{error} It is now called {folder.set_aside(name)}.")
            return None

    def _write(self, game: str, name: str, value: Any, durable: bool = True) -> None:
        self._write_bytes(game, name, encode_json(value, self._path(game, name)), durable)

    def _write_bytes(self, game: str, name: str, data: bytes, durable: bool = True) -> None:
        """Write a file that is the studio's own or does not exist yet; BadInput for any other."""
        with self._inner(game, make=True) as folder:
            assert folder is not None
            if (game, name) not in self._own and stat.S_ISREG(folder.mode(name)):
                raise BadInput(f"{folder.path / name}: was not written by the studio, so it stays. Move it away first.")
            folder.write(name, data, durable)
        self._own.add((game, name))

    def _keep_copy(self, game: Playable, name: str, bad: list[str], notes: list[str]) -> bool:
        """Keep a copy of a file that has bad parts, so that it may be written without them."""
        kept = ""
        if bad:
            try:
                with self._inner(game.name) as folder:
                    assert folder is not None
                    kept = folder.free_name(name)
                    folder.create(kept, folder.read(name, MAX_BYTES) or b"")
            except BadInput as error:
                notes += [*bad, str(error)]
                return False
        notes += [f"{reason} It is left out; the file is kept as {kept}." for reason in bad]
        self._own.add((game.name, name))
        return True


def _painted_from_json(game: Playable, value: Any, where: str) -> tuple[dict[int, Grid], list[str]]:
    """Return the levels, and the reasons why others are left out."""
    if not isinstance(value, dict) or value.get("schema") != LEVELS_SCHEMA or value.get("game") != game.name:
        raise BadInput(f'{where}: not painted levels of {game.name}: "schema" must be "{LEVELS_SCHEMA}".')
    items = value.get("levels")
    if not isinstance(items, list) or len(items) > MAX_LEVELS:
        raise BadInput(f'{where}: "levels" must be a list of at most {MAX_LEVELS}.')
    levels: dict[int, Grid] = {}
    bad: list[str] = []
    for i, item in enumerate(items):
        try:
            number = item.get("id") if isinstance(item, dict) else None
            if not is_id(number) or number in levels:
                raise BadInput(f'{where}, level {i}: needs a unique "id" and "rows".')
            levels[number] = grid_from_json(game, item.get("rows"), f"{where}, level {i}")
        except BadInput as error:
            bad.append(str(error))
    return levels, bad
