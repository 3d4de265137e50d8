"""One game in an open project: its lesson with undo, its painted levels, what was learned; and how the page sees it."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count, islice
from typing import Any

from shown.demonstrations import Demonstration, Demonstrations
from shown.errors import BadInput, BadLevel
from shown.games.levels import Level
from shown.grid import Action, Grid
from shown.studio import teach
from shown.studio.forms import action_to_json, check_recording, check_table
from shown.studio.places import Playable, find_playable, number_of, place_of
from shown.studio.project import MAX_LEVELS, Painted, Project
from shown.studio.remarks import Remark
from shown.studio.research import MAX_SCORES, Score
from shown.studio.teach import Lesson, Recording, Table
from shown.teaching.recording import WRONG_FOOTED, History, play_on, take_back
from shown.world import World

FRESH_SEED = 1000
"""Random levels for teaching count up from here; those that are watched come from further up, so they never meet."""
WATCH_SEED = 50_000
MAX_SEED = 10**9


@dataclass
class Learned:
    """How learning stands, as the page shows it.

    Attributes:
        state: "idle" (nothing to learn from), "waiting", "running", "done", "stopped", "failed" (nothing fits) or
            "broken" (it could not be finished).
        aim: what is to be learned: the demonstrations' digest, and the way.
        policy: the best policy so far, as JSON.
        source: what the policy was learned from.
        stale: it was learned before the last demonstration was shown, or the last change made; nothing later fits, yet.
        version: counts the policies, so that the page knows when to look again.
        summary: the policy's rules and how the teacher was understood, as the player process read them.
        progress: how far learning is.
        tried: the hypotheses about the teacher that were tried (see `Saved`).
        lost: so many practice levels that the policy before won are lost now.
        failure: why there is no new policy, a sentence; or None.
        advice: two clicks that are at odds, and what to do, as data; or None.
        contradictions: what is to be kept of the rule and was left out, since it allows what was ruled out, as data.
        unsaved: why the policy could not be saved, or None.
        next: the levels that candidates disagree on most, once found.
    """

    state: str = "idle"
    aim: str = ""
    policy: Any = None
    source: tuple[Demonstration, ...] = ()
    stale: bool = False
    version: int = 0
    summary: dict[str, Any] | None = None
    progress: dict[str, Any] = field(default_factory=dict)
    tried: list[list[Any]] = field(default_factory=list)
    lost: int = 0
    failure: str | None = None
    advice: dict[str, Any] | None = None
    contradictions: list[dict[str, Any]] = field(default_factory=list)
    unsaved: str | None = None
    next: list[dict[str, Any]] = field(default_factory=list)


class Desk:
    """Everything about one game or world, given itself or by its name. Every change is saved before the method that
    makes it returns."""

    def __init__(self, project: Project, game: Playable | str) -> None:
        self.project = project
        self.game: Playable = find_playable(game) if isinstance(game, str) else game
        self.place = place_of(self.game)
        self._watched = list(self.place.tests)
        found = project.lesson(self.game)
        self.painted: tuple[Painted, ...] = found.painted
        self.notes: tuple[str, ...] = found.notes
        table = found.table or self._fresh_table(found.recordings, found.next_id)
        self.history: History[Lesson] = History(Lesson(found.recordings, table, found.next_id, found.remarks))
        self.scores: tuple[Score, ...] = project.scores(self.game)
        self._shown: tuple[tuple[Recording, ...], Demonstrations] | None = None
        self.revision = 0
        self.learned = Learned()

    @property
    def lesson(self) -> Lesson:
        return self.history.present

    def demonstrations(self) -> Demonstrations:
        """What the computer is to learn from; put together once for each set of recordings, since many take time."""
        recordings = self.lesson.recordings
        if self._shown is None or self._shown[0] is not recordings:
            self._shown = recordings, self.lesson.demonstrations(self.game)
        return self._shown[1]

    # --- teaching ----------------------------------------------------------------------------------------------------

    def click(self, action: Action) -> dict[str, Any]:
        """Plays one click. A won game is kept as a demonstration and the next level is laid out."""
        table = self.lesson.table
        played = play_on(self.game, table.attempt, action)
        if played is table.attempt:
            return {"happened": "nothing"}
        lesson = replace(self.lesson, table=replace(table, attempt=played))
        if table.kind == "correction":
            self._do(teach.keep_table(lesson))
            return {"happened": "corrected", "shown": self._position(lesson.table)}
        if not played.won:
            self._do(lesson)
            return {"happened": "lost" if played.over else "played"}
        kept = teach.keep_table(lesson)
        self._do(replace(kept, table=self._fresh_table(kept.recordings, kept.next_id)))
        return {"happened": "won", "shown": self._position(lesson.table), "recording": kept.recordings[-1].id}

    def peek(self, action: Action) -> list[str] | None:
        """The position that a click would lead to, or None if it would lead nowhere. Nothing changes."""
        attempt = self.lesson.table.attempt
        try:
            played = play_on(self.game, attempt, action)
        except BadInput:
            return None
        return None if played is attempt else list(played.grid.rows)

    def undo(self) -> None:
        present = self.lesson
        if not self.history.past and present.table.attempt.steps:
            # The past is gone with the last run of the server, but the clicks of the game in play are not.
            before = take_back(self.game, present.table.attempt)
            lesson = replace(present, table=replace(present.table, attempt=before))
            self.history.past.append(teach.keep_table(lesson) if present.table.kind == "correction" else lesson)
        if self.history.past:
            self._save(self.history.past[-1])
            self.history.undo()

    def redo(self) -> None:
        if self.history.future:
            self._save(self.history.future[-1])
            self.history.redo()

    def restart(self) -> None:
        """Lays the same level out again."""
        table = self.lesson.table
        if table.attempt.steps:
            attempt = table.attempt
            self._do(replace(self.lesson, table=self._lay(attempt.level, table.kind, attempt.before)))

    def keep(self) -> None:
        """Keeps the game in play as a demonstration although it is not won."""
        if not self.lesson.table.attempt.steps:
            raise BadInput("nothing has been played yet, so there is nothing to keep.")
        kept = teach.keep_table(self.lesson)
        self._do(replace(kept, table=self._fresh_table(kept.recordings, kept.next_id)))

    def take_level(self, name: str) -> None:
        """Lays out the level called `name`."""
        level = self.level(name)
        self.place.check(level)
        self._do(replace(self.lesson, table=self._lay(level)))

    def onward(self) -> None:
        """Lays out the next lesson."""
        lesson = self.lesson
        self._do(replace(lesson, table=self._fresh_table(lesson.recordings, lesson.next_id)))

    def another(self) -> None:
        """Lays out a random level that was not shown yet."""
        level = self.lesson.table.attempt.level
        shown = self._starts(self.lesson.recordings) | {self.place.mark(level.name, level.grid)}
        self._do(replace(self.lesson, table=self._lay(self._random_level(self.lesson.recordings, shown))))

    def expert(self) -> dict[str, Any]:
        """Lets the built-in expert play the level on the table, and keeps that."""
        level = self.lesson.table.attempt.level
        try:
            episode = self.place.expert(level, self.place.seed(level, self._seed()))
        except WRONG_FOOTED as error:  # an expert may rely on what a painted level does not have
            raise BadInput(f"the expert does not know what to do on this level ({error}).") from None
        if not episode.won:
            raise BadInput("the expert cannot win from this position. Take another level.")
        kept = teach.keep(self.lesson, "expert", episode.demonstration, episode.last)
        self._do(replace(kept, table=self._fresh_table(kept.recordings, kept.next_id)))
        return {"recording": self.recording(kept.recordings[-1].id)}

    def hint(self) -> Any:
        """What the expert would do in the game in play, or None if it does not know."""
        attempt = self.lesson.table.attempt
        action = None if attempt.over else self.place.hint(attempt)
        return None if action is None else action_to_json(action)

    def correct(self, level: str, grid: Grid, before: tuple[Action, ...] = ()) -> None:
        """Lays out a position of the computer's play, to be shown what to do there.

        A world has to be played to it: by what was done `before`.
        """
        self._hand_back(Level(level, grid), before if isinstance(self.game, World) else ())

    def resume(self, number: int, step: int) -> None:
        """Lays out a position of a recording, to play on from there."""
        recording = self.lesson.recording(number)
        steps = recording.demonstration.steps
        if not 0 <= step < len(steps):
            raise BadInput(f"that demonstration has no click {step + 1}.")
        if isinstance(self.game, World) and (recording.edited or recording.demonstration.seed is None):
            raise BadInput("this demonstration is no run of the world as it happened, so it cannot be played on.")
        level = Level(recording.demonstration.level or "position", steps[step].grid)
        done = (*recording.before, *(earlier.action for earlier in steps[:step]))
        self._hand_back(level, done if isinstance(self.game, World) else ())

    def _hand_back(self, level: Level, before: tuple[Action, ...]) -> None:
        check_table(self.game, self._lay(level, "correction", before), "the position")
        position = self.place.position(level, self.place.seed(level, 0), before)
        self._do(replace(self.lesson, table=self._lay(position, "correction", before)))

    def delete(self, number: int) -> None:
        self.lesson.recording(number)
        self._do(teach.drop(self.lesson, number))

    def set_learn(self, number: int, learn: bool) -> None:
        self._do(teach.set_learn(self.lesson, number, learn))

    def change_click(self, number: int, step: int, action: Action | None) -> None:
        self._do(teach.change_click(self.lesson, self.game, number, step, action))

    def say(self, remark: Remark) -> None:
        """Keeps what was said of the rule."""
        self._do(teach.say(self.lesson, remark))

    def unsay(self, number: int) -> None:
        """Takes back what was said of the rule."""
        self._do(teach.unsay(self.lesson, number))

    def add(self, demonstrations: Demonstrations) -> None:
        """Adds demonstrations from elsewhere, all or none."""
        lesson = self.lesson
        for i, item in enumerate(demonstrations):
            try:
                lesson = teach.keep(lesson, "imported", item, self.place.last(item))
                check_recording(self.game, lesson.recordings[-1], "it")
            except BadInput as error:
                raise BadInput(f"demonstration {i}: {str(error).removeprefix('it: ')}") from None
        self._do(lesson)

    def take_in(self, recordings: Sequence[Recording], remarks: tuple[Remark, ...] = ()) -> None:
        """Adds recordings of another project, all or none; they get numbers of their own here. What was said of the
        rule there takes the place of what was said here, if anything was."""
        lesson = self.lesson
        for recording in recordings:
            number = lesson.next_id
            lesson = teach.keep(lesson, recording.kind, recording.demonstration, recording.last, recording.before)
            kept = replace(recording, id=number)
            lesson = replace(lesson, recordings=(*lesson.recordings[:-1], kept))
        if recordings or remarks:
            lesson = replace(lesson, remarks=remarks or lesson.remarks)
            self._do(replace(lesson, table=self._fresh_table(lesson.recordings, lesson.next_id)))

    def _do(self, lesson: Lesson) -> None:
        self._save(lesson)
        self.history.do(lesson)

    def _save(self, lesson: Lesson) -> None:
        """Saves the lesson that is to come. If that fails, the present one stays, here as on disk."""
        self.project.save_lesson(self.game, lesson, self.lesson)
        self.revision += 1

    def keep_score(self, score: Score) -> None:
        """Notes how a policy did; a score that cannot be saved is known until the studio ends."""
        self.take_scores((*self.scores, score)[-MAX_SCORES:])

    def take_scores(self, scores: tuple[Score, ...]) -> None:
        """Keeps these scores instead of those that were here."""
        self.scores = scores
        with contextlib.suppress(BadInput):
            self.project.save_scores(self.game, self.scores)

    # --- levels ------------------------------------------------------------------------------------------------------

    def level(self, name: str) -> Level:
        """The level called `name`: `train:0`, `test:3`, `random:17`, `seed:5` or `painted:2`. Never a path."""
        kind, _, number = name.partition(":")
        found: Level | None = None
        if number.isascii() and number.isdigit() and len(number) <= 10 and int(number) < MAX_SEED:
            painted = (p.level for p in self.painted if p.level.name == name)
            found = next(painted, None) or self.place.named(kind, int(number))
        if found is None:
            raise BadInput(f"no level called {name[:40]!r}.")
        return found

    def unseen(self, number: int, first: int = 0) -> list[Level]:
        """Levels that were never shown: the test levels, then generated ones.

        A correction does not count as shown here, so that the levels, and what is won of them, stay comparable.
        """
        shown = self._starts(tuple(r for r in self.lesson.recordings if r.kind != "correction"))
        levels = (level for level in self._levels_to_watch() if self._mark(level) not in shown)
        return list(islice(levels, first, first + number))

    def _mark(self, level: Level) -> Hashable:
        return self.place.mark(level.name, level.grid)

    def _starts(self, recordings: tuple[Recording, ...]) -> set[Hashable]:
        """What tells the levels that these were shown on."""
        shown = (recording.demonstration for recording in recordings)
        return {self.place.mark(one.level, one.steps[0].grid) for one in shown}

    def _levels_to_watch(self) -> Iterator[Level]:
        """Endless; each is generated once, since that takes a few milliseconds for some games."""
        for i in count():
            if i == len(self._watched):
                self._watched.append(self.place.generated(WATCH_SEED + i - len(self.place.tests)))
            yield self._watched[i]

    def candidates(self, number: int) -> list[Level]:
        """Levels that could be shown next: the lessons not shown yet, then generated ones."""
        shown = self._starts(self.lesson.recordings)
        random = (self.place.generated(seed) for seed in range(FRESH_SEED, FRESH_SEED + number))
        return [level for level in (*self.place.lessons, *random) if self._mark(level) not in shown][:number]

    def paint(self, number: int | None, grid: Grid) -> dict[str, Any]:
        """Saves a painted level, a new one if `number` is None; legal or not, since painting takes time."""
        painted = {p.id: p for p in self.painted}
        if number is None or number not in painted:
            number = self.paint_more((grid,))[0]
        else:
            painted[number] = Painted(number, Level(f"painted:{number}", grid))
            self._save_painted(tuple(painted.values()))
        return {"id": number, "name": f"painted:{number}", **self.legality(grid)}

    def paint_more(self, grids: Sequence[Grid]) -> list[int]:
        """Saves further painted levels, all or none; their numbers."""
        if not self.place.paints:
            raise BadInput(f"{self.game.title} makes its own levels; none can be painted.")
        self.check_room(len(grids))
        first = max((p.id for p in self.painted), default=0) + 1
        numbers = list(range(first, first + len(grids)))
        new = (Painted(i, Level(f"painted:{i}", grid)) for i, grid in zip(numbers, grids, strict=True))
        self._save_painted((*self.painted, *new))
        return numbers

    def check_room(self, number: int) -> None:
        """BadInput unless so many more levels can be painted."""
        if len(self.painted) + number > MAX_LEVELS:
            raise BadInput(
                f"{MAX_LEVELS} painted levels are all that a project keeps, and here would be "
                f"{len(self.painted) + number:,}. Delete some first."
            )

    def unpaint(self, number: int) -> None:
        self._save_painted(tuple(p for p in self.painted if p.id != number))

    def legality(self, grid: Grid) -> dict[str, Any]:
        """Whether a grid is a legal level, and if not, why and where."""
        try:
            self.place.check(Level("painted", grid))
        except BadLevel as error:
            return {"legal": False, **located(str(error))}
        return {"legal": True}

    def _save_painted(self, painted: tuple[Painted, ...]) -> None:
        self.project.save_painted(self.game, painted)
        self.painted = painted
        self.revision += 1

    def _lay(self, level: Level, kind: str = "shown", before: tuple[Action, ...] = ()) -> Table:
        return teach.lay(level, self.place.seed(level, self._seed()), kind, before)

    def _seed(self) -> int:
        # Any fixed rule will do; this one gives every game in play other chances.
        return self.lesson.next_id * 1000 + len(self.history.past) % 1000

    def _fresh_table(self, recordings: tuple[Recording, ...], next_id: int) -> Table:
        """The first lesson that was not shown yet, or a random level when all were."""
        shown = self._starts(recordings)
        level = next((x for x in self.place.lessons if self._mark(x) not in shown), None)
        level = level or self._random_level(recordings, shown)
        return teach.lay(level, self.place.seed(level, next_id * 1000))

    def _random_level(self, recordings: tuple[Recording, ...], shown: set[Hashable]) -> Level:
        """The level after the last random one that was shown; those before it are not drawn again, since that takes
        time."""
        numbers = (number_of(recording.demonstration.level) for recording in recordings)
        last = max((n for n in numbers if n is not None and FRESH_SEED <= n < WATCH_SEED), default=FRESH_SEED - 1)
        levels = (self.place.generated(seed) for seed in range(last + 1, MAX_SEED))
        return next(level for level in levels if self._mark(level) not in shown)

    # --- what the page sees ------------------------------------------------------------------------------------------

    def view(self, brief: bool = False) -> dict[str, Any]:
        """The lesson as the page shows it; if `brief`, only what a click that ends no game can change."""
        play = {
            "game": self.game.name,
            "revision": self.revision,
            "table": self._position(self.lesson.table),
            "canUndo": bool(self.history.past or self.lesson.table.attempt.steps),
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
            "shown": [level.name for level in self.place.lessons if self._mark(level) in shown],
            "painted": [
                {"id": p.id, "name": p.level.name, "rows": list(p.level.grid.rows), **self.legality(p.level.grid)}
                for p in self.painted
            ],
        }

    def recording(self, number: int) -> dict[str, Any]:
        """A recording with all its positions, to be replayed."""
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

    def _position(self, table: Table) -> dict[str, Any]:
        attempt = table.attempt
        lost = attempt.over and not attempt.won
        return {
            "level": attempt.level.name,
            "kind": table.kind,
            "rows": list(attempt.grid.rows),
            "clicks": len(attempt.steps),
            "action": action_to_json(attempt.steps[-1].action) if attempt.steps else None,
            "won": attempt.won,
            "over": attempt.over,
            "why": teach.why_lost(self.game, attempt.grid, len(attempt.steps)) if lost else None,
        }


def located(reason: str) -> dict[str, Any]:
    """A reason as people count (rows and columns from 1), with the cell it is about, if it names one.

    >>> located("row 0, column 2: a second rabbit.")
    {'reason': 'row 1, column 3: a second rabbit.', 'cell': [0, 2]}
    """
    match = re.search(r"row (\d+), column (\d+)", reason)
    if match is None:
        return {"reason": reason}
    row, column = int(match[1]), int(match[2])
    text = f"{reason[: match.start()]}row {row + 1}, column {column + 1}{reason[match.end() :]}"
    return {"reason": text, "cell": [row, column]}
