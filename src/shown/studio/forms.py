"""How lessons look on disk and in requests, and what is accepted from there."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, TypeGuard

from shown.demonstrations import Demonstration, Demonstrations
from shown.errors import BadInput
from shown.files import parse_json
from shown.games.game import Game
from shown.games.levels import Level
from shown.grid import Action, Grid, check_action
from shown.studio.teach import KINDS, MAX_RECORDINGS, Lesson, Recording, Table, lay
from shown.teaching.recording import play_on

SCHEMA = "shown/studio-lesson/1"
TABLE_SCHEMA = "shown/studio-table/1"


def lesson_to_json(game: Game, lesson: Lesson) -> dict[str, Any]:
    """The recordings; the table has a file of its own, since it changes with every click."""
    return {
        "schema": SCHEMA,
        "next": lesson.next_id,
        "notes": [
            {
                "id": r.id,
                "kind": r.kind,
                "learn": r.learn,
                "edited": r.edited,
                "last": list(r.last.rows),
                "clicked": [action_to_json(action) for action in r.clicked],
            }
            for r in lesson.recordings
        ],
        "demonstrations": lesson.demonstrations(game, everything=True).to_json(),
    }


def lesson_from_json(game: Game, value: Any, where: str) -> tuple[tuple[Recording, ...], int]:
    """The recordings and the next id; BadInput if anything is not as it should be."""
    if not isinstance(value, dict) or value.get("schema") != SCHEMA:
        raise BadInput(f'{where}: not a lesson of the studio: "schema" must be "{SCHEMA}".')
    demonstrations = Demonstrations.from_json(value.get("demonstrations"), where)
    check_task(game, demonstrations, where)
    notes = value.get("notes")
    if not isinstance(notes, list) or len(notes) != len(demonstrations):
        raise BadInput(f'{where}: "notes" must have one entry for each of the {len(demonstrations)} demonstrations.')
    recordings = tuple(
        _recording(game, note, demonstration, f"{where}, note {i}")
        for i, (note, demonstration) in enumerate(zip(notes, demonstrations, strict=True))
    )
    ids = [r.id for r in recordings]
    if len(set(ids)) < len(ids):
        raise BadInput(f"{where}: two demonstrations have the same id.")
    next_id = value.get("next")
    if not _whole(next_id) or next_id <= max(ids, default=0):
        raise BadInput(f'{where}: "next" must be a whole number above every id.')
    return recordings, next_id


def table_to_lines(table: Table) -> list[str]:
    """The start and the seed, then a line a click; the positions follow from them. One more click is one more line."""
    attempt = table.attempt
    head = {
        "schema": TABLE_SCHEMA,
        "level": attempt.level.name,
        "start": list(attempt.level.grid.rows),
        "seed": attempt.seed,
        "kind": table.kind,
        "recording": table.recording,
    }
    clicks = (action_to_json(step.action) for step in attempt.steps)
    return [json.dumps(line, ensure_ascii=False) for line in (head, *clicks)]


def table_from_lines(game: Game, lines: list[str], where: str) -> Table:
    """The game in play, played again; BadInput if it cannot have been played."""
    if len(lines) > game.max_steps + 1:
        raise BadInput(f"{where}: more than {game.max_steps} clicks.")
    value, *clicks = [parse_json(line, f"{where}, line {i + 1}") for i, line in enumerate(lines)] or [None]
    if not isinstance(value, dict) or value.get("schema") != TABLE_SCHEMA:
        raise BadInput(f'{where}: not a game in play: "schema" must be "{TABLE_SCHEMA}".')
    level, seed, kind, recording = (value.get(key) for key in ("level", "seed", "kind", "recording"))
    if not isinstance(level, str) or len(level) > 200 or kind not in KINDS or not _whole(seed):
        raise BadInput(f'{where}: "level", "seed" or "kind" is not what the studio writes.')
    if recording is not None and not _whole(recording):
        raise BadInput(f'{where}: "recording" must be a whole number or null.')
    table = lay(Level(level, grid_from_json(game, value.get("start"), f"{where}, start")), seed, kind)
    attempt = table.attempt
    try:
        for click in clicks:
            attempt = play_on(game, attempt, action_from_json(click))
    except BadInput as error:
        raise BadInput(f"{where}: {error}") from None
    return replace(table, attempt=attempt, recording=recording)


def grid_from_json(game: Game, value: Any, where: str, limit: int = 64) -> Grid:
    """A grid of the game's tokens from a list of rows; BadInput otherwise."""
    if not isinstance(value, list) or not all(isinstance(row, str) for row in value):
        raise BadInput(f"{where}: a grid must be a list of rows.")
    if len(value) > limit or any(len(row) > limit for row in value):
        raise BadInput(f"{where}: a grid of the studio has at most {limit} rows and columns.")
    try:
        grid = Grid(tuple(value))
    except BadInput as error:
        raise BadInput(f"{where}: {error}") from None
    game.tokens.check(grid, f"{where}, ")
    return grid


def action_to_json(action: Action) -> str | list[int]:
    return action if isinstance(action, str) else [int(x) for x in action]


def action_from_json(value: Any) -> Action:
    """A cell or a button; whether the grid has it is for `check_action` to say."""
    if isinstance(value, str) and len(value) <= 40:
        return value
    if isinstance(value, list) and len(value) == 2 and all(_whole(x) for x in value):
        return int(value[0]), int(value[1])
    raise BadInput("an action must be a cell, [row, column], or a button's name.")


def check_task(game: Game, demonstrations: Demonstrations, where: str) -> None:
    """BadInput unless the demonstrations are of `game`."""
    if (demonstrations.game, demonstrations.tokens) != (game.name, game.tokens):
        raise BadInput(f"{where}: demonstrations of {demonstrations.game!r}, but this is {game.name!r}.")
    if len(demonstrations) > MAX_RECORDINGS:
        raise BadInput(f"{where}: more than {MAX_RECORDINGS:,} demonstrations.")


def _recording(game: Game, note: Any, demonstration: Demonstration, where: str) -> Recording:
    if not isinstance(note, dict) or not _whole(note.get("id")) or note.get("kind") not in KINDS:
        raise BadInput(f'{where}: needs an "id" and a "kind" of {", ".join(KINDS)}.')
    learn, edited = note.get("learn"), note.get("edited")
    if not isinstance(learn, bool) or not isinstance(edited, bool):
        raise BadInput(f'{where}: "learn" and "edited" must be true or false.')
    last = grid_from_json(game, note.get("last"), where)
    values = note.get("clicked")
    if not isinstance(values, list) or len(values) != len(demonstration.steps):
        raise BadInput(f'{where}: "clicked" must have an action for each of the {len(demonstration.steps)} steps.')
    clicked = tuple(action_from_json(value) for value in values)
    for action, step in zip(clicked, demonstration.steps, strict=True):
        check_action(action, step.grid, game.buttons, f"{where}, ")
    return Recording(note["id"], note["kind"], demonstration, clicked, last, learn, edited)


def _whole(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53
