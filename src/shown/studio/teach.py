"""What a lesson is: the recordings so far and the game in play, and how one lesson leads to the next.

A lesson is immutable, and everything a teacher does is a function from lesson to lesson, so undo and redo are two
stacks of lessons and saving is writing the present one.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeGuard, TypeVar

from shown.demonstrations import Demonstration, Demonstrations, Step
from shown.errors import BadInput
from shown.files import parse_json
from shown.games.episodes import chances
from shown.games.game import Game
from shown.games.levels import Level
from shown.grid import Action, Grid, check_action
from shown.studio.same import as_counted

SCHEMA = "shown/studio-lesson/1"
TABLE_SCHEMA = "shown/studio-table/1"
KINDS = ("shown", "expert", "correction", "imported")
MAX_RECORDINGS = 1000
MAX_UNDO = 500


@dataclass(frozen=True, slots=True)
class Recording:
    """A demonstration that the teacher has kept.

    Attributes:
        id: names it for as long as the project lives.
        kind: "shown" by the teacher, by the "expert", a "correction" of the computer's play, or "imported".
        demonstration: the clicks as they count (see `same.py`).
        clicked: the clicks as they were made.
        last: the position after the last click.
        learn: the computer learns from it.
        edited: clicks have been changed or taken out, so it is no longer a run of the game as it happened.
    """

    id: int
    kind: str
    demonstration: Demonstration
    clicked: tuple[Action, ...]
    last: Grid
    learn: bool = True
    edited: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """The game in play.

    Attributes:
        level: the name of the level.
        start: its first position; for a correction, the position that was handed back.
        seed: of the game's own chances.
        kind: "shown" or "correction".
        steps: the clicks so far.
        grid: the position now.
        won: the goal was reached.
        over: nothing more can happen, or the clicks have run out.
        recording: for a correction, the recording that grows with every click.
    """

    level: str
    start: Grid
    seed: int
    kind: str
    steps: tuple[Step, ...]
    grid: Grid
    won: bool = False
    over: bool = False
    recording: int | None = None

    @property
    def demonstration(self) -> Demonstration:
        outcome = "won" if self.won else "lost" if self.over else "unfinished"
        return Demonstration(self.steps, self.level, self.seed, outcome)


@dataclass(frozen=True, slots=True)
class Lesson:
    """All that was shown of one game, and the game in play. `next_id` is the id of the next recording."""

    recordings: tuple[Recording, ...]
    table: Table
    next_id: int = 1

    def recording(self, number: int) -> Recording:
        for recording in self.recordings:
            if recording.id == number:
                return recording
        raise BadInput("that demonstration is not there any more.")

    def demonstrations(self, game: Game, everything: bool = False) -> Demonstrations:
        """What the computer is to learn from (or everything, for export)."""
        items = tuple(r.demonstration for r in self.recordings if r.learn or everything)
        return Demonstrations(game.tokens, items, game.name, game.buttons)


T = TypeVar("T")


@dataclass
class History(Generic[T]):
    """A lesson with its past and its future.

    >>> history = History(1)
    >>> history.do(2)
    >>> history.undo(), history.present
    (True, 1)
    >>> history.redo(), history.present
    (True, 2)
    """

    present: T
    past: list[T] = field(default_factory=list)
    future: list[T] = field(default_factory=list)

    def do(self, lesson: T) -> None:
        if lesson is not self.present:
            self.past = [*self.past[-MAX_UNDO + 1 :], self.present]
            self.future.clear()
            self.present = lesson

    def undo(self) -> bool:
        if not self.past:
            return False
        self.future.append(self.present)
        self.present = self.past.pop()
        return True

    def redo(self) -> bool:
        if not self.future:
            return False
        self.past.append(self.present)
        self.present = self.future.pop()
        return True


def lay(level: str, start: Grid, seed: int, kind: str = "shown") -> Table:
    """A level laid out to be played."""
    return Table(level, start, seed, kind, (), start)


def play_on(game: Game, table: Table, action: Action) -> Table:
    """The table after one more click; the same table if the click changes nothing, for then nothing was shown."""
    if table.over:
        raise BadInput("this game is over. Undo the last click, or take another level.")
    check_action(action, table.grid, game.buttons)
    # The opponents' chances depend on the seed and the clicks before; running those again costs less than a millisecond
    # or two and keeps the table free of hidden state, so that undo, redo and a restart all lead to the same game.
    rng = chances(Level(table.level, table.start), table.seed)
    for step in table.steps:
        game.step(step.grid, step.action, rng)
    outcome = game.step(table.grid, action, rng)
    if outcome.grid == table.grid and not outcome.over:
        return table
    steps = (*table.steps, Step(table.grid, action))
    over = outcome.over or len(steps) >= game.max_steps
    return replace(table, steps=steps, grid=outcome.grid, won=outcome.won, over=over)


def take_back(game: Game, table: Table) -> Table:
    """The table before its last click."""
    fresh = lay(table.level, table.start, table.seed, table.kind)
    for step in table.steps[:-1]:
        fresh = play_on(game, fresh, step.action)
    return replace(fresh, recording=table.recording)


def keep(
    lesson: Lesson, kind: str, demonstration: Demonstration, last: Grid, clicked: tuple[Action, ...] | None = None
) -> Lesson:
    """The lesson with one more recording."""
    if len(lesson.recordings) >= MAX_RECORDINGS:
        raise BadInput(f"{MAX_RECORDINGS:,} demonstrations are all that a project keeps. Delete some first.")
    clicked = clicked or tuple(step.action for step in demonstration.steps)
    recording = Recording(lesson.next_id, kind, demonstration, clicked, last)
    return replace(lesson, recordings=(*lesson.recordings, recording), next_id=lesson.next_id + 1)


def keep_table(lesson: Lesson, game: Game) -> Lesson:
    """The lesson with the game in play as a recording; a correction's own recording grows instead of a new one."""
    table = lesson.table
    if not table.steps:
        return drop(lesson, table.recording) if table.recording is not None else lesson
    demonstration = replace(table.demonstration, steps=as_counted(game, table.steps))
    clicked = tuple(step.action for step in table.steps)
    if table.recording is not None and any(r.id == table.recording for r in lesson.recordings):
        before = lesson.recording(table.recording)
        return _swap(lesson, replace(before, demonstration=demonstration, clicked=clicked, last=table.grid, learn=True))
    kept = keep(lesson, table.kind, demonstration, table.grid, clicked)
    return replace(kept, table=replace(table, recording=lesson.next_id))


def drop(lesson: Lesson, number: int) -> Lesson:
    """The lesson without one recording."""
    return replace(lesson, recordings=tuple(r for r in lesson.recordings if r.id != number))


def set_learn(lesson: Lesson, number: int, learn: bool) -> Lesson:
    """The lesson with a recording counted or not counted."""
    recording = lesson.recording(number)
    return lesson if recording.learn == learn else _swap(lesson, replace(recording, learn=learn))


def change_click(lesson: Lesson, game: Game, number: int, step: int, action: Action | None) -> Lesson:
    """The lesson with one recorded click changed, or taken out if `action` is None.

    The positions after it stay as they were: what teaches is each click in the position it was made in.
    """
    recording = lesson.recording(number)
    steps, clicked = list(recording.demonstration.steps), list(recording.clicked)
    if not 0 <= step < len(steps):
        raise BadInput(f"that demonstration has no click {step + 1}.")
    if action is None:
        del steps[step], clicked[step]
        if not steps:
            return drop(lesson, number)
    else:
        check_action(action, steps[step].grid, game.buttons)
        if clicked[step] == action:
            return lesson
        clicked[step] = action
        steps[step : step + 1] = as_counted(game, (Step(steps[step].grid, action),))
    demonstration = replace(recording.demonstration, steps=tuple(steps), outcome="unfinished")
    return _swap(lesson, replace(recording, demonstration=demonstration, clicked=tuple(clicked), edited=True))


def _swap(lesson: Lesson, recording: Recording) -> Lesson:
    return replace(lesson, recordings=tuple(recording if r.id == recording.id else r for r in lesson.recordings))


# --- on disk ---------------------------------------------------------------------------------------------------------


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
    head = {
        "schema": TABLE_SCHEMA,
        "level": table.level,
        "start": list(table.start.rows),
        "seed": table.seed,
        "kind": table.kind,
        "recording": table.recording,
    }
    return [json.dumps(line, ensure_ascii=False) for line in (head, *(action_to_json(s.action) for s in table.steps))]


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
    table = lay(level, grid_from_json(game, value.get("start"), f"{where}, start"), seed, kind)
    try:
        for click in clicks:
            table = play_on(game, table, action_from_json(click))
    except BadInput as error:
        raise BadInput(f"{where}: {error}") from None
    return replace(table, recording=recording)


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
