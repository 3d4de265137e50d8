"""One game in an open project: its lesson with undo, its painted levels, what was learned; and how the page sees it."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count, islice
from typing import Any

import numpy as np

from shown.demonstrations import Demonstration, Demonstrations, Step
from shown.errors import BadInput, BadLevel
from shown.games import find, installed
from shown.games.episodes import play
from shown.games.game import Game
from shown.games.levels import Level, built_in, check_level, generated
from shown.grid import Action, Grid
from shown.render.palette import ground
from shown.studio import teach
from shown.studio.forms import action_to_json, check_recording
from shown.studio.project import MAX_LEVELS, Painted, Project
from shown.studio.remarks import Remark
from shown.studio.research import MAX_SCORES, Score
from shown.studio.teach import Lesson, Recording, Table
from shown.symmetry.transformation import in_words
from shown.teaching.recording import WRONG_FOOTED, History, check_playable, outcome_of, play_on, take_back
from shown.teaching.same import expert_action

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
    """Everything about one game. Every change is saved before the method that makes it returns."""

    def __init__(self, project: Project, name: str) -> None:
        self.project = project
        self.game: Game = find(name)
        self.lessons: tuple[Level, ...] = curriculum(self.game)
        self.tests: tuple[Level, ...] = tuple(built_in(self.game, "test"))
        self._watched = list(self.tests)
        self._shipped = frozenset(level.grid for level in (*self.lessons, *self.tests))
        found = project.lesson(self.game)
        self.painted: tuple[Painted, ...] = found.painted
        self.notes: tuple[str, ...] = found.notes
        table = found.table or self._fresh_table(found.recordings, found.next_id)
        self.history: History[Lesson] = History(Lesson(found.recordings, table, found.next_id, found.remarks))
        self.scores: tuple[Score, ...] = project.scores(self.game)
        self.revision = 0
        self.learned = Learned()

    @property
    def lesson(self) -> Lesson:
        return self.history.present

    def demonstrations(self) -> Demonstrations:
        return self.lesson.demonstrations(self.game)

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
            self._do(replace(self.lesson, table=teach.lay(table.attempt.level, self._seed(), table.kind)))

    def keep(self) -> None:
        """Keeps the game in play as a demonstration although it is not won."""
        if not self.lesson.table.attempt.steps:
            raise BadInput("nothing has been played yet, so there is nothing to keep.")
        kept = teach.keep_table(self.lesson)
        self._do(replace(kept, table=self._fresh_table(kept.recordings, kept.next_id)))

    def take_level(self, name: str) -> None:
        """Lays out the level called `name`."""
        level = self.level(name)
        check_level(self.game, level.grid)
        self._do(replace(self.lesson, table=teach.lay(level, self._seed())))

    def onward(self) -> None:
        """Lays out the next lesson."""
        lesson = self.lesson
        self._do(replace(lesson, table=self._fresh_table(lesson.recordings, lesson.next_id)))

    def another(self) -> None:
        """Lays out a random level that was not shown yet."""
        shown = _starts(self.lesson.recordings) | {self.lesson.table.attempt.level.grid}
        self._do(replace(self.lesson, table=teach.lay(self._random_level(self.lesson.recordings, shown), self._seed())))

    def expert(self) -> dict[str, Any]:
        """Lets the built-in expert play the level on the table, and keeps that."""
        level = self.lesson.table.attempt.level
        try:
            episode = play(self.game, self.game.expert, level, self._seed())
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
        action = None if attempt.over else expert_action(self.game, attempt.grid)
        return None if action is None else action_to_json(action)

    def correct(self, level: str, grid: Grid) -> None:
        """Lays out a position of the computer's play, to be shown what to do there."""
        check_playable(self.game, grid)
        self._do(replace(self.lesson, table=teach.lay(Level(level, grid), self._seed(), "correction")))

    def resume(self, number: int, step: int) -> None:
        """Lays out a position of a recording, to play on from there."""
        recording = self.lesson.recording(number)
        steps = recording.demonstration.steps
        if not 0 <= step < len(steps):
            raise BadInput(f"that demonstration has no click {step + 1}.")
        level = Level(recording.demonstration.level or "position", steps[step].grid)
        check_playable(self.game, level.grid)
        self._do(replace(self.lesson, table=teach.lay(level, self._seed(), "correction")))

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
                lesson = teach.keep(lesson, "imported", item, _after(self.game, item.steps[-1], item.seed))
                check_recording(self.game, lesson.recordings[-1], "it")
            except BadInput as error:
                raise BadInput(f"demonstration {i}: {str(error).removeprefix('it: ')}") from None
        self._do(lesson)

    def _do(self, lesson: Lesson) -> None:
        self._save(lesson)
        self.history.do(lesson)

    def _save(self, lesson: Lesson) -> None:
        """Saves the lesson that is to come. If that fails, the present one stays, here as on disk."""
        self.project.save_lesson(self.game, lesson, self.lesson)
        self.revision += 1

    def keep_score(self, score: Score) -> None:
        """Notes how a policy did; a score that cannot be saved is known until the studio ends."""
        self.scores = (*self.scores, score)[-MAX_SCORES:]
        with contextlib.suppress(BadInput):
            self.project.save_scores(self.game, self.scores)

    # --- levels ------------------------------------------------------------------------------------------------------

    def level(self, name: str) -> Level:
        """The level called `name`: `train:0`, `test:3`, `random:17` or `painted:2`. Never a path."""
        kind, _, number = name.partition(":")
        if not (number.isascii() and number.isdigit() and len(number) <= 10):
            raise BadInput(f"no level called {name[:40]!r}.")
        if kind == "random" and int(number) < MAX_SEED:
            return self._generated(int(number))
        named = {"train": self.lessons, "test": self.tests, "painted": tuple(p.level for p in self.painted)}
        for level in named.get(kind, ()):
            if level.name == name:
                return level
        raise BadInput(f"no level called {name[:40]!r}.")

    def unseen(self, number: int, first: int = 0) -> list[Level]:
        """Levels that were never shown: the test levels, then generated ones.

        A correction does not count as shown here, so that the levels, and what is won of them, stay comparable.
        """
        shown = _starts(tuple(r for r in self.lesson.recordings if r.kind != "correction"))
        levels = (level for level in self._levels_to_watch() if level.grid not in shown)
        return list(islice(levels, first, first + number))

    def _levels_to_watch(self) -> Iterator[Level]:
        """Endless; each is generated once, since that takes a few milliseconds for some games."""
        for i in count():
            if i == len(self._watched):
                self._watched.append(self._generated(WATCH_SEED + i - len(self.tests)))
            yield self._watched[i]

    def candidates(self, number: int) -> list[Level]:
        """Levels that could be shown next: the lessons not shown yet, then generated ones."""
        shown = _starts(self.lesson.recordings)
        random = (self._generated(seed) for seed in range(FRESH_SEED, FRESH_SEED + number))
        return [level for level in (*self.lessons, *random) if level.grid not in shown][:number]

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
            check_level(self.game, grid)
        except BadLevel as error:
            return {"legal": False, **located(str(error))}
        return {"legal": True}

    def _save_painted(self, painted: tuple[Painted, ...]) -> None:
        self.project.save_painted(self.game, painted)
        self.painted = painted
        self.revision += 1

    def _seed(self) -> int:
        # Any fixed rule will do; this one gives every game in play other chances.
        return self.lesson.next_id * 1000 + len(self.history.past) % 1000

    def _fresh_table(self, recordings: tuple[Recording, ...], next_id: int) -> Table:
        """The first lesson that was not shown yet, or a random level when all were."""
        shown = _starts(recordings)
        level = next((x for x in self.lessons if x.grid not in shown), None) or self._random_level(recordings, shown)
        return teach.lay(level, next_id * 1000)

    def _random_level(self, recordings: tuple[Recording, ...], shown: set[Grid]) -> Level:
        """The level after the last random one that was shown; those before it are not drawn again, since that takes
        time."""
        taken = [number for r in recordings if (number := _seed_of(r.demonstration.level)) < WATCH_SEED]
        levels = (self._generated(seed) for seed in range(max(taken, default=FRESH_SEED - 1) + 1, MAX_SEED))
        return next(level for level in levels if level.grid not in shown)

    def _generated(self, seed: int) -> Level:
        return generated(self.game, seed, self._shipped)

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
        shown = _starts(self.lesson.recordings)
        return {
            **play,
            "notes": list(self.notes),
            "recordings": [self._card(r) for r in self.lesson.recordings],
            "shown": [level.name for level in self.lessons if level.grid in shown],
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


def catalogue() -> list[dict[str, Any]]:
    """All games, for the page's picker."""
    return [describe(game) for game in installed()[0]]


def describe(game: Game) -> dict[str, Any]:
    """What the page must know of a game."""
    lines = " ".join((type(game).__doc__ or "").split()).split("Description: ", 1)[-1]
    return {
        "name": game.name,
        "title": game.title,
        "goal": game.goal,
        "rules": lines.split(" Observation: ", 1)[0],
        "tokens": [{"name": name, "character": character} for name, character in game.tokens.characters.items()],
        "buttons": list(game.buttons),
        "lessons": [{"name": level.name, "rows": list(level.grid.rows)} for level in curriculum(game)],
        "ground": list(ground(game.name)),
        "mirrors": in_words(game.symmetries) if game.symmetries else None,
    }


def curriculum(game: Game) -> tuple[Level, ...]:
    """The training levels as lessons, the shortest first: those that take the expert fewest clicks.

    >>> [level.name for level in curriculum(find("nim"))][:3]
    ['train:3', 'train:5', 'train:7']
    """
    return tuple(sorted(built_in(game, "train"), key=lambda level: len(play(game, game.expert, level).steps)))


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


def _starts(recordings: tuple[Recording, ...]) -> set[Grid]:
    return {r.demonstration.steps[0].grid for r in recordings}


def _seed_of(level: str | None) -> int:
    """The seed of a random level; of any other, one below all that are used for teaching."""
    kind, _, number = (level or "").partition(":")
    return int(number) if kind == "random" and number.isascii() and number.isdigit() else FRESH_SEED - 1


def _after(game: Game, step: Step, seed: int | None) -> Grid:
    return outcome_of(game, step.grid, step.action, np.random.default_rng(seed or 0)).grid
