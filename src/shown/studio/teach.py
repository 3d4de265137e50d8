"""What a lesson is: the recordings so far and the game in play, and how one lesson leads to the next.

A lesson is immutable, and everything a teacher does is a function from lesson to lesson, so undo and redo are two
stacks of lessons and saving is writing the present one. How it looks on disk is in `forms.py`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from shown.demonstrations import Demonstration, Demonstrations, Step
from shown.errors import BadInput
from shown.games.game import Game
from shown.games.levels import Level
from shown.grid import Action, Grid, check_action
from shown.studio.places import Playable
from shown.studio.remarks import Remark
from shown.teaching.recording import WRONG_FOOTED, Attempt, begin, outcome_of

KINDS = ("shown", "expert", "correction", "imported")
MAX_RECORDINGS = 1000


@dataclass(frozen=True)
class Recording:
    """A demonstration that the teacher has kept.

    Attributes:
        id: names it for as long as the project lives.
        kind: "shown" by the teacher, by the "expert", a "correction" of the computer's play, or "imported".
        demonstration: the clicks as they were made.
        last: the position after the last click.
        learn: the computer learns from it.
        edited: clicks have been changed or taken out, so it is no longer a run of the game as it happened.
        before: what was done before its first step, in a world that can only be played to where that was.
    """

    id: int
    kind: str
    demonstration: Demonstration
    last: Grid
    learn: bool = True
    edited: bool = False
    before: tuple[Action, ...] = ()

    def note(self) -> dict[str, Any]:
        """What a file says of it beside the demonstration."""
        note = {"id": self.id, "kind": self.kind, "learn": self.learn, "edited": self.edited}
        return {**note, "last": list(self.last.rows), **({"before": list(self.before)} if self.before else {})}

    @cached_property
    def texts(self) -> tuple[str, str]:
        """Its note and its demonstration as JSON. Hundreds are written again with each new one; each is put into words
        once."""
        note, demonstration = (
            json.dumps(value, ensure_ascii=False, allow_nan=False)
            for value in (self.note(), self.demonstration.to_json())
        )
        return note, demonstration


@dataclass(frozen=True, slots=True)
class Table:
    """The game in play.

    Attributes:
        attempt: what is being played; for a correction, from the position that was handed back.
        kind: "shown" or "correction".
        recording: for a correction, the recording that grows with every click.
    """

    attempt: Attempt
    kind: str = "shown"
    recording: int | None = None


@dataclass(frozen=True, slots=True)
class Lesson:
    """All that was shown of one game, the game in play, and what was said of the rule. `next_id` is the id of the next
    recording."""

    recordings: tuple[Recording, ...]
    table: Table
    next_id: int = 1
    remarks: tuple[Remark, ...] = ()

    def recording(self, number: int) -> Recording:
        for recording in self.recordings:
            if recording.id == number:
                return recording
        raise BadInput("that demonstration is not there any more.")

    def demonstrations(self, game: Playable) -> Demonstrations:
        """What the computer is to learn from."""
        items = tuple(r.demonstration for r in self.recordings if r.learn)
        return Demonstrations(game.tokens, items, game.name, game.buttons)


def lay(level: Level, seed: int, kind: str = "shown", before: tuple[Action, ...] = ()) -> Table:
    """A level laid out to be played."""
    return Table(begin(level, seed, before), kind)


def keep(
    lesson: Lesson, kind: str, demonstration: Demonstration, last: Grid, before: tuple[Action, ...] = ()
) -> Lesson:
    """The lesson with one more recording."""
    if len(lesson.recordings) >= MAX_RECORDINGS:
        raise BadInput(f"{MAX_RECORDINGS:,} demonstrations are all that a project keeps. Delete some first.")
    recording = Recording(lesson.next_id, kind, demonstration, last, before=before)
    return replace(lesson, recordings=(*lesson.recordings, recording), next_id=lesson.next_id + 1)


def keep_table(lesson: Lesson) -> Lesson:
    """The lesson with the game in play as a recording; a correction's own recording grows instead of a new one."""
    table, attempt = lesson.table, lesson.table.attempt
    if not attempt.steps:
        return drop(lesson, table.recording) if table.recording is not None else lesson
    if table.recording is not None and any(r.id == table.recording for r in lesson.recordings):
        before = lesson.recording(table.recording)
        return _swap(lesson, replace(before, demonstration=attempt.demonstration, last=attempt.grid, learn=True))
    kept = keep(lesson, table.kind, attempt.demonstration, attempt.grid, attempt.before)
    return replace(kept, table=replace(table, recording=lesson.next_id))


def drop(lesson: Lesson, number: int) -> Lesson:
    """The lesson without one recording."""
    return replace(lesson, recordings=tuple(r for r in lesson.recordings if r.id != number))


def set_learn(lesson: Lesson, number: int, learn: bool) -> Lesson:
    """The lesson with a recording counted or not counted."""
    recording = lesson.recording(number)
    return lesson if recording.learn == learn else _swap(lesson, replace(recording, learn=learn))


def change_click(lesson: Lesson, game: Playable, number: int, step: int, action: Action | None) -> Lesson:
    """The lesson with one recorded click changed, or taken out if `action` is None.

    The positions after it stay as they were: what teaches is each click in the position it was made in.
    """
    recording = lesson.recording(number)
    steps = list(recording.demonstration.steps)
    if not 0 <= step < len(steps):
        raise BadInput(f"that demonstration has no click {step + 1}.")
    if action is None:
        del steps[step]
        if not steps:
            return drop(lesson, number)
    else:
        check_action(action, steps[step].grid, game.buttons)
        if steps[step].action == action:
            return lesson
        if isinstance(game, Game):  # BadInput where the rules cannot go on
            outcome_of(game, steps[step].grid, action, np.random.default_rng(0))
        steps[step] = Step(steps[step].grid, action)
    demonstration = replace(recording.demonstration, steps=tuple(steps), outcome="unfinished")
    return _swap(lesson, replace(recording, demonstration=demonstration, edited=True))


def why_lost(game: Playable, last: Grid, steps: int) -> str:
    """Why a game that ended like this is lost, in a sentence."""
    try:
        reason = game.why_lost(last) if isinstance(game, Game) else ""
    except WRONG_FOOTED:  # rules may rely on what a painted level does not have
        reason = ""
    if reason or steps < game.max_steps:
        return reason or "It is over."
    return f"{steps} {'steps' if game.buttons else 'clicks'} are all a game may take."


def say(lesson: Lesson, remark: Remark) -> Lesson:
    """The lesson with one more thing said of the rule; the lesson as it is if that was said before."""
    if any((before.kind, before.programs) == (remark.kind, remark.programs) for before in lesson.remarks):
        return lesson
    return replace(lesson, remarks=(*lesson.remarks, remark))


def unsay(lesson: Lesson, number: int) -> Lesson:
    """The lesson without one thing said of the rule, by its place."""
    if not 0 <= number < len(lesson.remarks):
        raise BadInput("that was taken back already.")
    return replace(lesson, remarks=lesson.remarks[:number] + lesson.remarks[number + 1 :])


def _swap(lesson: Lesson, recording: Recording) -> Lesson:
    return replace(lesson, recordings=tuple(recording if r.id == recording.id else r for r in lesson.recordings))
