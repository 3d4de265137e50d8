"""A lesson as one file, to send and to open.

The file is data; nothing in it is run. It has the demonstrations, painted levels, preferences, remarks, the policy, the
hypotheses tried, and scores, each as in a project and checked by the same functions. It is opened whole or not at all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shown.demonstrations import Demonstrations, game_from_json
from shown.errors import BadInput
from shown.files import read_json
from shown.grid import Grid
from shown.teaching.lessons.lesson import Recording
from shown.teaching.lessons.lesson_json import MAX_LEVELS, MAX_PAINTED, grid_from_json, lesson_from_json, lesson_to_json
from shown.teaching.lessons.preferences import Preferences
from shown.teaching.lessons.remarks import Remark, constraints_of, remarks_from_list
from shown.teaching.lessons.saved_policy import tried_from_json
from shown.teaching.lessons.scores import Score, scores_from_json, scores_to_json
from shown.worlds import Playable
from shown.worlds.world import WORLDS

if TYPE_CHECKING:
    from shown.policy import Policy
    from shown.rules import Constraints
    from shown.teaching.teach import Pupil

SCHEMA = "shown/lesson/1"
MAX_FILE = 8 * 2**20  # bytes, on the page as well


@dataclass(frozen=True)
class LessonFile:
    """A lesson in a file.

    Attributes:
        levels: painted levels, legal or not.
        policy: the policy as JSON, which `policy_of` checks, or None.
        tried: hypotheses about the teacher that were tried (see `SavedPolicy`).
        scores: scores on held-out levels.
    """

    game: Playable
    recordings: tuple[Recording, ...]
    levels: tuple[Grid, ...] = ()
    preferences: Preferences = field(default_factory=Preferences)
    policy: Any = None
    remarks: tuple[Remark, ...] = ()
    tried: list[list[Any]] = field(default_factory=list)
    scores: tuple[Score, ...] = ()

    @property
    def demonstrations(self) -> Demonstrations:
        """The demonstrations to learn from."""
        items = tuple(recording.demonstration for recording in self.recordings if recording.learn)
        return Demonstrations(self.game.tokens, items, self.game.name, self.game.buttons)

    @property
    def constraints(self) -> Constraints:
        """The constraints that the remarks stand for."""
        return constraints_of(self.game, self.remarks)

    def pupil(self) -> Pupil:
        """Return a pupil with the preferences and constraints of the lesson."""
        return self.preferences.pupil(self.game, self.constraints)

    def to_json(self) -> dict[str, Any]:
        next_id = max((recording.id for recording in self.recordings), default=0) + 1
        return {
            "schema": SCHEMA,
            "game": self.game.name,
            "preferences": self.preferences.to_json(),
            "lesson": lesson_to_json(self.game, self.recordings, next_id),
            "levels": [list(grid.rows) for grid in self.levels],
            "policy": self.policy,
            "remarks": [remark.to_json() for remark in self.remarks],
            "tried": self.tried,
            "scores": scores_to_json(self.game, self.scores),
        }

    @classmethod
    def from_json(cls, value: Any, find: Callable[[str], Playable], where: str) -> LessonFile:
        """Return the lesson in a file; BadInput if any part is malformed, or if `find` has no game of its name."""
        if not is_lesson(value):
            raise BadInput(f'{where}: not a lesson file: "schema" must be "{SCHEMA}".')
        name = game_from_json(value.get("game"), where)
        if name is None:
            raise BadInput(f'{where}: "game" must be the name of a game.')
        try:
            game = find(name)
        except BadInput:
            world = name.startswith(WORLDS)
            offer = f"Start the studio with --world {name}" if world else "Install the package that has it"
            raise BadInput(f"{where}: {name} is not available here. {offer}, if you trust it.") from None
        recordings, _, bad = lesson_from_json(game, value.get("lesson"), where)
        if bad:
            raise BadInput(bad[0])
        return cls(
            game,
            recordings,
            _levels(game, value.get("levels"), where),
            Preferences.from_json(value.get("preferences"), f'{where}: "preferences"'),
            value.get("policy"),
            remarks_from_list(game, value.get("remarks", []), where),
            tried_from_json(value.get("tried", []), where),
            scores_from_json(game, value["scores"], where) if "scores" in value else (),
        )


def is_lesson(value: Any) -> bool:
    """Return whether this claims to be a lesson file."""
    return isinstance(value, dict) and value.get("schema") == SCHEMA


def load_lesson(path: str | Path, find: Callable[[str], Playable]) -> LessonFile:
    """Load a lesson file."""
    return LessonFile.from_json(read_json(path, "lesson", MAX_FILE), find, str(path))


def _levels(game: Playable, value: Any, where: str) -> tuple[Grid, ...]:
    if not isinstance(value, list) or len(value) > MAX_LEVELS:
        raise BadInput(f'{where}: "levels" must be a list of at most {MAX_LEVELS}.')
    if value and not game.has_levels:
        raise BadInput(f"{where}: has painted levels, but {game.title} makes its own.")
    return tuple(grid_from_json(game, rows, f"{where}, level {i}", MAX_PAINTED) for i, rows in enumerate(value))


def policy_of(game: Playable, value: Any, where: str) -> Policy:
    """Return a checked policy; BadInput unless it is one for `game`."""
    from shown.policy import Policy

    policy = Policy.from_json(value, where)
    if (policy.tokens, policy.buttons) != (game.tokens, game.buttons):
        raise BadInput(f"{where}: is not one for {game.name}.")
    return policy
