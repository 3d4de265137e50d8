"""Lessons as JSON, on disk and in requests.

A lesson is checked when it is saved by the same functions that check it when it is read, so whatever was saved can be
read again.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeGuard

from shown.demonstrations import Demonstration, Demonstrations, demonstrations_to_json
from shown.errors import BadInput, at
from shown.files import parse_json
from shown.grid import Action, Grid, action_from_json, action_to_json, check_action
from shown.teaching.dialogue.recording import play_on
from shown.teaching.lessons.lesson import KINDS, MAX_RECORDINGS, GameInPlay, Lesson, Recording, begin_level, why_lost
from shown.teaching.lessons.remarks import constraints_of
from shown.worlds import Episode, Level, Playable

SCHEMA = "shown/studio-lesson/2"
IN_PLAY_SCHEMA = "shown/studio-table/1"
MAX_SIDE = 64  # rows and columns of a grid
MAX_PAINTED = 32  # rows and columns of a painted level
MAX_LEVELS = 200  # painted levels in a project
MAX_LEVEL_NAME = 200  # characters
MAX_ID = 2**40  # a seed is an id and three digits, and must be an integer in JavaScript


# --- what is accepted ------------------------------------------------------------------------------------------------


def check_lesson(game: Playable, lesson: Lesson, before: Lesson | None = None) -> None:
    """Raise BadInput unless the lesson can be read again; recordings that `before` has are not checked again."""
    known = {id(recording) for recording in before.recordings} if before is not None else set()
    for recording in lesson.recordings:
        if id(recording) not in known:
            check_recording(game, recording, f"demonstration {recording.id}")
    if not is_id(lesson.next_id):
        raise BadInput("this project has used all numbers for demonstrations. Begin another with --project.")
    if before is None or lesson.remarks is not before.remarks:
        constraints_of(game, lesson.remarks)
    if before is None or lesson.in_play is not before.in_play:
        check_in_play(game, lesson.in_play, "the game in play")


def check_recording(game: Playable, recording: Recording, where: str) -> None:
    """Raise BadInput unless a project can keep this recording."""
    demonstration = recording.demonstration
    if not is_id(recording.id) or recording.kind not in KINDS:
        raise BadInput(f'{where}: needs an "id" and a "kind" of {", ".join(KINDS)}.')
    if not demonstration.steps:
        raise BadInput(f"{where}: has no clicks.")
    _check_level_name(demonstration.level, where)
    for grid in (*(step.grid for step in demonstration.steps), recording.last):
        _check_grid(game, grid, where)
    for step in demonstration.steps:
        check_action(step.action, step.grid, game.buttons, f"{where}, ")
    _check_before(game, recording.before, where)


def check_in_play(game: Playable, in_play: GameInPlay, where: str) -> None:
    """Raise BadInput unless a project can keep this game in play."""
    attempt = in_play.attempt
    if in_play.kind not in KINDS or not _whole(attempt.seed):
        raise BadInput(f'{where}: "seed" or "kind" is not what the studio writes.')
    if in_play.recording is not None and not is_id(in_play.recording):
        raise BadInput(f'{where}: "recording" must be a whole number or null.')
    _check_level_name(attempt.level.name, where)
    _check_grid(game, attempt.level.grid, where)
    _check_before(game, attempt.before, where)


def check_task(game: Playable, demonstrations: Demonstrations, where: str) -> None:
    """Raise BadInput unless the demonstrations are of `game`."""
    task = (demonstrations.game, demonstrations.tokens, demonstrations.buttons)
    if task != (game.name, game.tokens, game.buttons):
        raise BadInput(f"{where}: demonstrations of {demonstrations.game!r}, but this is {game.name!r}.")
    if len(demonstrations) > MAX_RECORDINGS:
        raise BadInput(f"{where}: more than {MAX_RECORDINGS:,} demonstrations.")


def is_id(value: Any) -> TypeGuard[int]:
    """Return whether this can be the number of a demonstration or a level."""
    return _whole(value) and 0 < value < MAX_ID


def _check_level_name(name: str | None, where: str) -> None:
    if name is not None and (len(name) > MAX_LEVEL_NAME or not name.isprintable()):
        raise BadInput(f"{where}: a level's name must be text on one line, of at most {MAX_LEVEL_NAME} characters.")


def _check_before(game: Playable, before: tuple[Action, ...], where: str) -> None:
    if not all(isinstance(action, str) and action in game.buttons for action in before):
        raise BadInput(f"{where}: the actions before it must be buttons.")
    if len(before) >= game.max_steps:
        raise BadInput(f"{where}: more than {game.max_steps} actions before it.")


def _check_grid(game: Playable, grid: Grid, where: str, limit: int = MAX_SIDE) -> None:
    if grid.height > limit or grid.width > limit:
        raise BadInput(f"{where}: a grid of the studio has at most {limit} rows and columns.")
    game.tokens.check(grid, f"{where}, ")


def _whole(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53


# --- a lesson --------------------------------------------------------------------------------------------------------


def lesson_to_json(game: Playable, recordings: tuple[Recording, ...], next_id: int) -> dict[str, Any]:
    """Return the recordings as JSON; the game in play has its own file, because it changes with every click."""
    items = tuple(recording.demonstration for recording in recordings)
    return {
        "schema": SCHEMA,
        "next": next_id,
        "notes": [recording.note() for recording in recordings],
        "demonstrations": demonstrations_to_json(items, game.tokens, game.name, game.buttons),
    }


def lesson_to_text(game: Playable, recordings: tuple[Recording, ...], next_id: int) -> str:
    """Return `lesson_to_json` as text, from the texts that the recordings keep: ten times as fast."""
    head = json.dumps({"schema": SCHEMA, "next": next_id})[:-1]
    notes = ", ".join(recording.texts[0] for recording in recordings)
    return f'{head}, "notes": [{notes}], "demonstrations": {demonstrations_to_text(game, recordings)}}}'


def demonstrations_to_text(game: Playable, recordings: Sequence[Recording]) -> str:
    """Return the demonstrations of recordings as JSON text, as fast."""
    shown = (recording.demonstration for recording in recordings)
    marked = next((one for one in shown if any(step.marks for step in one.steps)), None)  # these have another schema
    head = demonstrations_to_json((marked,) if marked else (), game.tokens, game.name, game.buttons)
    items = ", ".join(recording.texts[1] for recording in recordings)
    return f"{json.dumps({**head, 'demonstrations': []}, ensure_ascii=False)[:-2]}{items}]}}"


def lesson_from_json(game: Playable, value: Any, where: str) -> tuple[tuple[Recording, ...], int, list[str]]:
    """Return the recordings, the next id, and the reasons why other recordings are left out.

    BadInput if it is not a lesson of this game at all.
    """
    if not isinstance(value, dict) or value.get("schema") != SCHEMA:
        raise BadInput(f'{where}: not a lesson of the studio: "schema" must be "{SCHEMA}".')
    shown, notes = value.get("demonstrations"), value.get("notes")
    if not isinstance(shown, dict):
        raise BadInput(f'{where}: "demonstrations" must be an object.')
    items = shown.get("demonstrations")
    if not isinstance(items, list) or not isinstance(notes, list) or len(notes) != len(items):
        raise BadInput(f'{where}: "notes" must have one entry for each of the "demonstrations".')
    if len(items) > MAX_RECORDINGS:
        raise BadInput(f"{where}: more than {MAX_RECORDINGS:,} demonstrations.")
    check_task(game, Demonstrations.from_json({**shown, "demonstrations": []}, where), where)
    recordings: dict[int, Recording] = {}
    bad: list[str] = []
    for i, (note, item) in enumerate(zip(notes, items, strict=True)):
        try:
            demonstration = Demonstrations.from_json({**shown, "demonstrations": [item]}, where).items[0]
            recording = _recording(note, demonstration, f"{where}, demonstration {i}")
            check_recording(game, recording, f"{where}, demonstration {i}")
            if recording.id in recordings:
                raise BadInput(f"{where}, demonstration {i}: another has the same id.")
        except BadInput as error:
            bad.append(str(error).replace(f"{where}, demonstration 0", f"{where}, demonstration {i}", 1))
        else:
            recordings[recording.id] = recording
    least = max(recordings, default=0) + 1
    next_id = value.get("next")
    return tuple(recordings.values()), max(next_id, least) if is_id(next_id) else least, bad


def _recording(note: Any, demonstration: Demonstration, where: str) -> Recording:
    if not isinstance(note, dict):
        raise BadInput(f"{where}: its note must be an object.")
    learn, edited = note.get("learn"), note.get("edited")
    if not isinstance(learn, bool) or not isinstance(edited, bool):
        raise BadInput(f'{where}: "learn" and "edited" must be true or false.')
    number, kind, last = note.get("id"), note.get("kind"), _grid(note.get("last"), where)
    if not is_id(number) or not isinstance(kind, str):
        raise BadInput(f'{where}: needs an "id" and a "kind" of {", ".join(KINDS)}.')
    return Recording(number, kind, demonstration, last, learn, edited, before_from_json(note.get("before", []), where))


# --- the game in play ------------------------------------------------------------------------------------------------


def in_play_to_lines(in_play: GameInPlay) -> list[str]:
    """Return a line with the start, then one for each click; positions follow from these."""
    attempt = in_play.attempt
    head = {
        "schema": IN_PLAY_SCHEMA,
        "level": attempt.level.name,
        "start": list(attempt.level.grid.rows),
        "seed": attempt.seed,
        "kind": in_play.kind,
        "recording": in_play.recording,
        **({"before": list(attempt.before)} if attempt.before else {}),
    }
    clicks = (action_to_json(step.action) for step in attempt.steps)
    return [json.dumps(line, ensure_ascii=False) for line in (head, *clicks)]


def in_play_from_lines(game: Playable, lines: list[str], where: str) -> GameInPlay:
    """Return the game in play, replayed; BadInput if it cannot have been played."""
    if len(lines) > game.max_steps + 1:
        raise BadInput(f"{where}: more than {game.max_steps} clicks.")
    value, *clicks = [parse_json(line, f"{where}, line {i + 1}") for i, line in enumerate(lines)] or [None]
    if not isinstance(value, dict) or value.get("schema") != IN_PLAY_SCHEMA:
        raise BadInput(f'{where}: not a game in play: "schema" must be "{IN_PLAY_SCHEMA}".')
    level, seed, kind, recording = (value.get(key) for key in ("level", "seed", "kind", "recording"))
    if not isinstance(level, str) or not isinstance(kind, str) or not _whole(seed):
        raise BadInput(f'{where}: "level", "seed" or "kind" is not what the studio writes.')
    start = Level(level, grid_from_json(game, value.get("start"), f"{where}, start"))
    before = before_from_json(value.get("before", []), where)
    in_play = replace(begin_level(start, seed, kind, before), recording=recording)
    check_in_play(game, in_play, where)
    with at(f"{where}: "):
        return replace(in_play, attempt=play_on(game, in_play.attempt, *map(action_from_json, clicks)))


# --- grids and actions -----------------------------------------------------------------------------------------------


def grid_from_json(game: Playable, value: Any, where: str, limit: int = MAX_SIDE) -> Grid:
    """Return a grid of the game's tokens from a list of rows."""
    grid = _grid(value, where)
    _check_grid(game, grid, where, limit)
    return grid


def _grid(value: Any, where: str) -> Grid:
    if not isinstance(value, list) or not all(isinstance(row, str) for row in value):
        raise BadInput(f"{where}: a grid must be a list of rows.")
    with at(f"{where}: "):
        return Grid(tuple(value))


def before_from_json(value: Any, where: str) -> tuple[Action, ...]:
    """Return a list of actions; `check_recording` tells whether the world has them."""
    if not isinstance(value, list):
        raise BadInput(f'{where}: "before" must be a list of actions.')
    return tuple(map(action_from_json, value))


def run_to_json(game: Playable, episode: Episode) -> dict[str, Any]:
    """Return an episode as the page replays it."""
    lost = episode.over and not episode.won
    return {
        "level": episode.level.name,
        "seed": episode.seed,
        "steps": [{"rows": list(s.grid.rows), "action": action_to_json(s.action)} for s in episode.steps],
        "last": list(episode.last.rows),
        "won": episode.won,
        "over": episode.over,
        "why": why_lost(game, episode.last, len(episode.steps)) if lost else None,
    }
