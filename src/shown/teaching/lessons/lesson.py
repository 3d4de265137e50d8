"""A lesson: the recordings so far, the game in play, and remarks on the rule.

A lesson is immutable. Everything a teacher does is a function from lesson to lesson, so undo and redo are two stacks of
lessons, and saving is writing the present one (`lesson_json.py`).
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from shown.demonstrations import Demonstration, Demonstrations, Step
from shown.errors import BadInput
from shown.grid import Action, Grid, check_action
from shown.teaching.dialogue.recording import Attempt, begin
from shown.teaching.lessons.remarks import Remark
from shown.worlds import Level, Playable
from shown.worlds.games.rule_errors import RULE_ERRORS, outcome_of

KINDS = ("shown", "expert", "correction", "imported")
MAX_RECORDINGS = 1000


@dataclass(frozen=True)
class Recording:
    """A demonstration that the teacher has kept.

    Attributes:
        id: number, unique in the project.
        kind: "shown" by the teacher, by the "expert", a "correction" of the policy's play, or "imported".
        last: the grid after the last click.
        learn: whether it is learned from.
        edited: whether clicks were changed or removed, so that it is no longer a run of the game.
        before: in a world, the actions that lead to the first step of a correction.
    """

    id: int
    kind: str
    demonstration: Demonstration
    last: Grid
    learn: bool = True
    edited: bool = False
    before: tuple[Action, ...] = ()

    def note(self) -> dict[str, Any]:
        """Return everything but the demonstration as JSON."""
        note = {"id": self.id, "kind": self.kind, "learn": self.learn, "edited": self.edited}
        return {**note, "last": list(self.last.rows), **({"before": list(self.before)} if self.before else {})}

    @cached_property
    def texts(self) -> tuple[str, str]:
        """The note and the demonstration as JSON text, made once, because all are written again with each new one."""
        note, demonstration = (
            json.dumps(value, ensure_ascii=False, allow_nan=False)
            for value in (self.note(), self.demonstration.to_json())
        )
        return note, demonstration


@dataclass(frozen=True, slots=True)
class GameInPlay:
    """The game in play.

    `kind` is "shown" or "correction"; the `recording` of a correction grows with every click.
    """

    attempt: Attempt
    kind: str = "shown"
    recording: int | None = None


@dataclass(frozen=True, slots=True)
class Lesson:
    """Everything a teacher has shown and said of one game; `next_id` is the number of the next recording."""

    recordings: tuple[Recording, ...]
    in_play: GameInPlay
    next_id: int = 1
    remarks: tuple[Remark, ...] = ()

    def recording(self, number: int) -> Recording:
        for recording in self.recordings:
            if recording.id == number:
                return recording
        raise BadInput("that demonstration no longer exists.")

    def demonstrations(self, game: Playable) -> Demonstrations:
        """Return the demonstrations to learn from."""
        items = tuple(r.demonstration for r in self.recordings if r.learn)
        return Demonstrations(game.tokens, items, game.name, game.buttons)


def begin_level(level: Level, seed: int, kind: str = "shown", before: tuple[Action, ...] = ()) -> GameInPlay:
    """Return a level in play, with nothing done yet."""
    return GameInPlay(begin(level, seed, before), kind)


def keep(
    lesson: Lesson, kind: str, demonstration: Demonstration, last: Grid, before: tuple[Action, ...] = ()
) -> Lesson:
    """Return the lesson with one more recording."""
    if len(lesson.recordings) >= MAX_RECORDINGS:
        raise BadInput(f"a project keeps at most {MAX_RECORDINGS:,} demonstrations. Delete some first.")
    recording = Recording(lesson.next_id, kind, demonstration, last, before=before)
    return replace(lesson, recordings=(*lesson.recordings, recording), next_id=lesson.next_id + 1)


def keep_in_play(lesson: Lesson) -> Lesson:
    """Return the lesson with the game in play as a recording; that of a correction grows with every click."""
    in_play, attempt = lesson.in_play, lesson.in_play.attempt
    if not attempt.steps:
        return drop(lesson, in_play.recording) if in_play.recording is not None else lesson
    if in_play.recording is not None and any(r.id == in_play.recording for r in lesson.recordings):
        before = lesson.recording(in_play.recording)
        return _swap(lesson, replace(before, demonstration=attempt.demonstration, last=attempt.grid, learn=True))
    kept = keep(lesson, in_play.kind, attempt.demonstration, attempt.grid, attempt.before)
    return replace(kept, in_play=replace(in_play, recording=lesson.next_id))


def drop(lesson: Lesson, number: int) -> Lesson:
    """Return the lesson without one recording."""
    return replace(lesson, recordings=tuple(r for r in lesson.recordings if r.id != number))


def set_learn(lesson: Lesson, number: int, learn: bool) -> Lesson:
    """Return the lesson with a recording counted or not counted."""
    recording = lesson.recording(number)
    return lesson if recording.learn == learn else _swap(lesson, replace(recording, learn=learn))


def change_click(lesson: Lesson, game: Playable, number: int, step: int, action: Action | None) -> Lesson:
    """Return the lesson with one click changed, or removed if `action` is None. Later positions stay as they were."""
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
        if game.rules is not None:  # raises BadInput if the rules do not allow it
            outcome_of(game.rules, steps[step].grid, action, np.random.default_rng(0))
        steps[step] = Step(steps[step].grid, action)
    demonstration = replace(recording.demonstration, steps=tuple(steps), outcome="unfinished")
    return _swap(lesson, replace(recording, demonstration=demonstration, edited=True))


def why_lost(game: Playable, last: Grid, steps: int) -> str:
    """Say in a sentence why a game that ended like this is lost."""
    try:
        reason = game.why_lost(last)
    except RULE_ERRORS:  # rules may rely on pieces that a painted level lacks
        reason = ""
    if reason or steps < game.max_steps:
        return reason or "The game is over."
    return f"A game may take at most {steps} {'steps' if game.buttons else 'clicks'}."


def say(lesson: Lesson, remark: Remark) -> Lesson:
    """Return the lesson with one more remark, unless it has the same one."""
    if any((before.kind, before.programs) == (remark.kind, remark.programs) for before in lesson.remarks):
        return lesson
    return replace(lesson, remarks=(*lesson.remarks, remark))


def unsay(lesson: Lesson, number: int) -> Lesson:
    """Return the lesson without one remark, given by its index."""
    if not 0 <= number < len(lesson.remarks):
        raise BadInput("that remark was taken back already.")
    return replace(lesson, remarks=lesson.remarks[:number] + lesson.remarks[number + 1 :])


def _swap(lesson: Lesson, recording: Recording) -> Lesson:
    return replace(lesson, recordings=tuple(recording if r.id == recording.id else r for r in lesson.recordings))
