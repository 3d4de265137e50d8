"""The workspace of one game: its lesson with undo, its painted levels, its scores, and their views for the page."""

from __future__ import annotations

import contextlib
import re
from collections import OrderedDict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from itertools import count, islice
from typing import Any

from shown.demonstrations import Demonstrations
from shown.errors import BadInput, BadLevel
from shown.grid import Action, Grid, action_to_json
from shown.studio.learning import LearningState
from shown.studio.project import Project
from shown.teaching.dialogue.recording import History, play_on, take_back
from shown.teaching.lessons import lesson as teach
from shown.teaching.lessons.lesson import GameInPlay, Lesson, Recording
from shown.teaching.lessons.lesson_file import LessonFile
from shown.teaching.lessons.lesson_json import MAX_LEVELS, check_in_play, check_recording
from shown.teaching.lessons.remarks import Remark
from shown.teaching.lessons.scores import Score
from shown.teaching.lessons.starts import Starts
from shown.worlds import Level, Playable
from shown.worlds.episodes import play_expert
from shown.worlds.games.rule_errors import RULE_ERRORS
from shown.worlds.world import seed_of

MAX_REMEMBERED = 8  # policies of earlier states of a lesson, kept for Undo
FRESH_SEED, WATCH_SEED, MAX_SEED = 1000, 50_000, 10**9
"""Random levels to teach on have seeds from FRESH_SEED on, those to watch from WATCH_SEED on, so they never meet."""


class Workspace:
    """One game or world in an open project. Every change is saved before the method that makes it returns."""

    def __init__(self, project: Project, game: Playable) -> None:
        self.project, self.game = project, game
        self.starts = Starts(self.game)
        self._watched = list(self.starts.tests)
        lesson, self.painted, self.notes = project.lesson(self.game, self._next_in_play)
        self.history: History[Lesson] = History(lesson)
        self.scores: tuple[Score, ...] = project.scores(self.game)
        self._shown: tuple[tuple[Recording, ...], Demonstrations] | None = None
        self.revision = 0
        self.learning = LearningState()
        self.tested: list[Level] = []  # the levels that the page tests the rule on
        self.remembered: OrderedDict[str, LearningState] = OrderedDict()

    @property
    def lesson(self) -> Lesson:
        return self.history.present

    def demonstrations(self) -> Demonstrations:
        """Return the demonstrations that count, put together once for each set of recordings."""
        recordings = self.lesson.recordings
        if self._shown is None or self._shown[0] is not recordings:
            self._shown = recordings, self.lesson.demonstrations(self.game)
        return self._shown[1]

    # --- teaching ----------------------------------------------------------------------------------------------------

    def click(self, action: Action) -> dict[str, Any]:
        """Play one click. A won game is kept as a demonstration, and the next level begins."""
        in_play = self.lesson.in_play
        played = play_on(self.game, in_play.attempt, action)
        if played is in_play.attempt:
            return {"happened": "nothing"}
        lesson = replace(self.lesson, in_play=replace(in_play, attempt=played))
        own = self._own_move(in_play.attempt.grid, action)
        if in_play.kind == "correction":
            self._do(teach.keep_in_play(lesson))
            return {"happened": "corrected", "shown": self._position(lesson.in_play), "own": own}
        if not played.won:
            self._do(lesson)
            return {"happened": "lost" if played.over else "played", "own": own}
        kept = teach.keep_in_play(lesson)
        self._do(replace(kept, in_play=self._next_in_play(kept.recordings, kept.next_id)))
        return {"happened": "won", "shown": self._position(lesson.in_play), "recording": kept.recordings[-1].id}

    def peek(self, action: Action) -> list[str] | None:
        """Return the position after a click, before others reply, but do not play it; None if it changes nothing."""
        attempt = self.lesson.in_play.attempt
        try:
            played = play_on(self.game, attempt, action)
        except BadInput:
            return None
        return None if played is attempt else self._own_move(attempt.grid, action) or list(played.grid.rows)

    def _own_move(self, grid: Grid, action: Action) -> list[str] | None:
        """Return the position after the player's own move, before others reply; None if nobody does."""
        own = None if self.game.rules is None else self.game.rules.own_move(grid, action)
        return None if own is None else list(own.rows)

    def undo(self) -> None:
        present = self.lesson
        if not self.history.past and present.in_play.attempt.steps:
            # The history ended with the last run of the server, but the clicks of the game in play are saved.
            before = take_back(self.game, present.in_play.attempt)
            lesson = replace(present, in_play=replace(present.in_play, attempt=before))
            self.history.past.append(teach.keep_in_play(lesson) if present.in_play.kind == "correction" else lesson)
        if self.history.past:
            self._save(self.history.past[-1])
            self.history.undo()

    def redo(self) -> None:
        if self.history.future:
            self._save(self.history.future[-1])
            self.history.redo()

    def restart(self) -> None:
        """Begin the same level again."""
        in_play = self.lesson.in_play
        if attempt := in_play.attempt if in_play.attempt.steps else None:
            self._do(replace(self.lesson, in_play=self._begin(attempt.level, in_play.kind, attempt.before)))

    def keep(self) -> None:
        """Keep the game in play as a demonstration although it is not won."""
        if not self.lesson.in_play.attempt.steps:
            raise BadInput("nothing has been played yet.")
        kept = teach.keep_in_play(self.lesson)
        self._do(replace(kept, in_play=self._next_in_play(kept.recordings, kept.next_id)))

    def take_level(self, name: str) -> None:
        """Begin the level called `name`."""
        level = self.level(name)
        self.starts.check(level)
        self._do(replace(self.lesson, in_play=self._begin(level)))

    def onward(self) -> None:
        """Begin the next lesson."""
        lesson = self.lesson
        self._do(replace(lesson, in_play=self._next_in_play(lesson.recordings, lesson.next_id)))

    def another(self) -> None:
        """Begin a random level that was not shown yet."""
        level = self.lesson.in_play.attempt.level
        shown = self._starts(self.lesson.recordings) | {self._mark(level)}
        self._do(replace(self.lesson, in_play=self._begin(self._random_level(self.lesson.recordings, shown))))

    def expert(self) -> dict[str, Any]:
        """Have the built-in expert play the level in play, and keep that."""
        level = self.lesson.in_play.attempt.level
        try:
            episode = play_expert(self.game, level, self.starts.seed(level, self._seed()))
        except RULE_ERRORS as error:  # an expert may rely on pieces that a painted level lacks
            raise BadInput(f"the expert does not know what to do on this level ({error}).") from None
        if not episode.won:
            raise BadInput("the expert cannot win from this position. Choose another level.")
        kept = teach.keep(self.lesson, "expert", episode.demonstration, episode.last)
        self._do(replace(kept, in_play=self._next_in_play(kept.recordings, kept.next_id)))
        return {"recording": self.recording(kept.recordings[-1].id)}

    def hint(self) -> Any:
        """Return the expert's action in the game in play, or None if it has none."""
        attempt = self.lesson.in_play.attempt
        action = None if attempt.over else self.starts.hint(attempt)
        return None if action is None else action_to_json(action)

    def correct(self, level: str, grid: Grid, before: tuple[Action, ...] = ()) -> None:
        """Begin a correction at a position of the policy's play. A world is played to it by the actions `before`."""
        self._begin_correction(Level(level, grid), () if self.game.has_levels else before)

    def resume(self, number: int, step: int) -> None:
        """Begin a correction at a position of a recording."""
        recording = self.lesson.recording(number)
        steps = recording.demonstration.steps
        if not 0 <= step < len(steps):
            raise BadInput(f"that demonstration has no click {step + 1}.")
        if not self.game.has_levels and (recording.edited or recording.demonstration.seed is None):
            raise BadInput("this demonstration was edited or has no seed, so its positions cannot be reached.")
        level = Level(recording.demonstration.level or "position", steps[step].grid)
        done = (*recording.before, *(earlier.action for earlier in steps[:step]))
        self._begin_correction(level, () if self.game.has_levels else done)

    def _begin_correction(self, level: Level, before: tuple[Action, ...]) -> None:
        check_in_play(self.game, self._begin(level, "correction", before), "the position")
        position = self.starts.position(level, self.starts.seed(level, 0), before)
        self._do(replace(self.lesson, in_play=self._begin(position, "correction", before)))

    def delete(self, number: int) -> None:
        self.lesson.recording(number)
        self._do(teach.drop(self.lesson, number))

    def set_learn(self, number: int, learn: bool) -> None:
        self._do(teach.set_learn(self.lesson, number, learn))

    def change_click(self, number: int, step: int, action: Action | None) -> None:
        self._do(teach.change_click(self.lesson, self.game, number, step, action))

    def say(self, remark: Remark) -> None:
        """Keep a remark on the rule."""
        self._do(teach.say(self.lesson, remark))

    def unsay(self, number: int) -> None:
        """Take back a remark on the rule."""
        self._do(teach.unsay(self.lesson, number))

    def add(self, demonstrations: Demonstrations) -> None:
        """Add imported demonstrations, all or none."""
        lesson = self.lesson
        for i, item in enumerate(demonstrations):
            try:
                lesson = teach.keep(lesson, "imported", item, self.starts.last(item))
                check_recording(self.game, lesson.recordings[-1], "it")
            except BadInput as error:
                raise BadInput(f"demonstration {i}: {str(error).removeprefix('it: ')}") from None
        self._do(lesson)

    def add_lesson(self, file: LessonFile, with_remarks: bool) -> None:
        """Add the recordings and painted levels of a lesson file, all or none; they get new numbers here.

        With `with_remarks`, its remarks replace those here, if it has any.
        """
        painted = self.paint_more(file.levels) if file.levels else []
        lesson = self.lesson
        try:
            for recording in file.recordings:
                added = teach.keep(lesson, recording.kind, recording.demonstration, recording.last, recording.before)
                kept = replace(recording, id=lesson.next_id)
                lesson = replace(added, recordings=(*lesson.recordings, kept))
            remarks = file.remarks if with_remarks else ()
            if file.recordings or remarks:
                lesson = replace(lesson, remarks=remarks or lesson.remarks)
                self._do(replace(lesson, in_play=self._next_in_play(lesson.recordings, lesson.next_id)))
        except BadInput:
            for number in painted:
                self.unpaint(number)
            raise

    def _do(self, lesson: Lesson) -> None:
        self._save(lesson)
        self.history.do(lesson)

    def _save(self, lesson: Lesson) -> None:
        """Save the next lesson. If that fails, the present one stays, here and on disk."""
        self.project.save_lesson(self.game, lesson, self.lesson)
        self.revision += 1

    def remember(self, learned: LearningState) -> None:
        """Keep what was learned from the present lesson, so that Undo brings it back instead of something similar."""
        self.remembered[learned.aim] = learned
        self.remembered.move_to_end(learned.aim)
        while len(self.remembered) > MAX_REMEMBERED:
            self.remembered.popitem(last=False)

    def take_scores(self, scores: tuple[Score, ...]) -> None:
        """Replace all scores; those that cannot be saved are kept until the studio ends."""
        self.scores = scores
        with contextlib.suppress(BadInput):
            self.project.save_scores(self.game, self.scores)

    # --- levels ------------------------------------------------------------------------------------------------------

    def level(self, name: str) -> Level:
        """Return the level called `name`: `train:0`, `test:3`, `random:17`, `seed:5` or `painted:2`. Never a path."""
        kind, _, number = name.partition(":")
        found: Level | None = None
        if number.isascii() and number.isdigit() and len(number) <= 10 and int(number) < MAX_SEED:
            painted = {f"painted:{i}": grid for i, grid in self.painted.items()}
            found = Level(name, painted[name]) if name in painted else self.starts.named(kind, int(number))
        if found is None:
            raise BadInput(f"no level called {name[:40]!r}.")
        return found

    def unseen(self, number: int, first: int = 0) -> list[Level]:
        """Return levels that were never shown: the test levels, then generated ones.

        Corrections do not count as shown, so that the levels and their results stay comparable.
        """
        shown = self._starts(tuple(r for r in self.lesson.recordings if r.kind != "correction"))
        levels = (level for level in self._levels_to_watch() if self._mark(level) not in shown)
        return list(islice(levels, first, first + number))

    def _mark(self, level: Level) -> Hashable:
        return self.starts.mark(level.name, level.grid)

    def _starts(self, recordings: tuple[Recording, ...]) -> set[Hashable]:
        """Return the marks of the levels that these were shown on."""
        shown = (recording.demonstration for recording in recordings)
        return {self.starts.mark(one.level, one.steps[0].grid) for one in shown}

    def _levels_to_watch(self) -> Iterator[Level]:
        """Yield levels without end; each is generated once, because that takes milliseconds in some games."""
        for i in count():
            if i == len(self._watched):
                self._watched.append(self.game.level(WATCH_SEED + i - len(self.starts.tests)))
            yield self._watched[i]

    def candidates(self, number: int) -> list[Level]:
        """Return levels that could be shown next: the lessons not shown yet, then generated ones."""
        shown = self._starts(self.lesson.recordings)
        random = (self.game.level(seed) for seed in range(FRESH_SEED, FRESH_SEED + number))
        return [level for level in (*self.starts.lessons, *random) if self._mark(level) not in shown][:number]

    def paint(self, number: int | None, grid: Grid) -> dict[str, Any]:
        """Save a painted level, legal or not; a new one if `number` is None."""
        if number is None or number not in self.painted:
            number = self.paint_more((grid,))[0]
        else:
            self._save_painted({**self.painted, number: grid})
        return {"id": number, "name": f"painted:{number}", **self.legality(grid)}

    def paint_more(self, grids: Sequence[Grid]) -> list[int]:
        """Save new painted levels, all or none, and return their numbers."""
        if not self.game.has_levels:
            raise BadInput(f"{self.game.title} makes its own levels; none can be painted.")
        self.check_room(len(grids))
        new = dict(enumerate(grids, max(self.painted, default=0) + 1))
        self._save_painted({**self.painted, **new})
        return list(new)

    def check_room(self, number: int) -> None:
        """Raise BadInput unless `number` more levels can be painted."""
        if len(self.painted) + number > MAX_LEVELS:
            raise BadInput(
                f"a project keeps at most {MAX_LEVELS} painted levels; this would make "
                f"{len(self.painted) + number:,}. Delete some first."
            )

    def unpaint(self, number: int) -> None:
        self._save_painted({i: grid for i, grid in self.painted.items() if i != number})

    def legality(self, grid: Grid) -> dict[str, Any]:
        """Return whether a grid is a legal level, and if not, why and where."""
        try:
            self.starts.check(Level("painted", grid))
        except BadLevel as error:
            return {"legal": False, **located(str(error))}
        return {"legal": True}

    def _save_painted(self, painted: dict[int, Grid]) -> None:
        self.project.save_painted(self.game, painted)
        self.painted = painted
        self.revision += 1

    def _begin(self, level: Level, kind: str = "shown", before: tuple[Action, ...] = ()) -> GameInPlay:
        return teach.begin_level(level, self.starts.seed(level, self._seed()), kind, before)

    def _seed(self) -> int:
        # Any fixed rule will do; this one gives every game another seed.
        return self.lesson.next_id * 1000 + len(self.history.past) % 1000

    def _next_in_play(self, recordings: tuple[Recording, ...], next_id: int) -> GameInPlay:
        """Return the first lesson that was not shown yet, begun; or a random level when all were."""
        shown = self._starts(recordings)
        level = next((x for x in self.starts.lessons if self._mark(x) not in shown), None)
        level = level or self._random_level(recordings, shown)
        return teach.begin_level(level, self.starts.seed(level, next_id * 1000))

    def _random_level(self, recordings: tuple[Recording, ...], shown: set[Hashable]) -> Level:
        """Return a random level after the last one shown, so that earlier ones need not be generated again."""
        numbers = (seed_of(recording.demonstration.level) for recording in recordings)
        last = max((n for n in numbers if n is not None and FRESH_SEED <= n < WATCH_SEED), default=FRESH_SEED - 1)
        levels = (self.game.level(seed) for seed in range(last + 1, MAX_SEED))
        return next(level for level in levels if self._mark(level) not in shown)

    # --- views -----------------------------------------------------------------------------------------------------

    def view(self, brief: bool = False) -> dict[str, Any]:
        """Return the lesson as the page shows it; if `brief`, only what a click that ends no game can change."""
        play = {
            "game": self.game.name,
            "revision": self.revision,
            "table": self._position(self.lesson.in_play),
            "canUndo": bool(self.history.past or self.lesson.in_play.attempt.steps),
            "canRedo": bool(self.history.future),
            "remarks": [remark.to_json() for remark in self.lesson.remarks],
        }
        if brief:
            return play
        shown = self._starts(self.lesson.recordings)
        return {
            **play,
            "notes": list(self.notes),
            "recordings": [self._card(r) for r in self.lesson.recordings],
            "shown": [level.name for level in self.starts.lessons if self._mark(level) in shown],
            "painted": [
                {"id": number, "name": f"painted:{number}", "rows": list(grid.rows), **self.legality(grid)}
                for number, grid in self.painted.items()
            ],
        }

    def recording(self, number: int) -> dict[str, Any]:
        """Return a recording with all its positions."""
        recording = self.lesson.recording(number)
        return {
            **self._card(recording),
            "steps": [
                {"rows": list(step.grid.rows), "action": action_to_json(step.action)}
                for step in recording.demonstration.steps
            ],
            "last": list(recording.last.rows),
        }

    def _card(self, recording: Recording) -> dict[str, Any]:
        demonstration = recording.demonstration
        return {
            "id": recording.id,
            "kind": recording.kind,
            "level": demonstration.level,
            "outcome": demonstration.outcome,
            "clicks": len(demonstration.steps),
            "learn": recording.learn,
            "edited": recording.edited,
            "rows": list(demonstration.steps[0].grid.rows),
        }

    def _position(self, in_play: GameInPlay) -> dict[str, Any]:
        attempt = in_play.attempt
        lost = attempt.over and not attempt.won
        return {
            "level": attempt.level.name,
            "kind": in_play.kind,
            "rows": list(attempt.grid.rows),
            "clicks": len(attempt.steps),
            "action": action_to_json(attempt.steps[-1].action) if attempt.steps else None,
            "won": attempt.won,
            "over": attempt.over,
            "why": teach.why_lost(self.game, attempt.grid, len(attempt.steps)) if lost else None,
        }


def located(reason: str) -> dict[str, Any]:
    """Return a reason with rows and columns counted from 1, and the cell that it names, if any.

    >>> located("row 0, column 2: a second rabbit.")
    {'reason': 'row 1, column 3: a second rabbit.', 'cell': [0, 2]}
    """
    match = re.search(r"row (\d+), column (\d+)", reason)
    if match is None:
        return {"reason": reason}
    row, column = int(match[1]), int(match[2])
    text = f"{reason[: match.start()]}row {row + 1}, column {column + 1}{reason[match.end() :]}"
    return {"reason": text, "cell": [row, column]}
