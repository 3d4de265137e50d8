"""Lessons to share: all that was shown of one game, as one file to send and to open.

The file is data and nothing in it is run: demonstrations with what the studio notes of them, painted levels, the way to
learn, what was said of the rule, the policy with what was tried on the way to it, and how policies did on levels that
are held out; each in the form it has in a project and checked by the same functions. It is opened whole or not at all.
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
from shown.studio.forms import MAX_PAINTED, grid_from_json, lesson_from_json, lesson_to_json
from shown.studio.places import Playable, place_of
from shown.studio.project import MAX_LEVELS
from shown.studio.remarks import Remark, conditions_of, remarks_from_list
from shown.studio.research import Score, scores_from_json, scores_to_json
from shown.studio.saved import tried_from_json
from shown.studio.teach import Recording
from shown.studio.ways import Way
from shown.world import WORLDS

if TYPE_CHECKING:
    from shown.policy import Policy
    from shown.rules import Conditions
    from shown.teaching.teach import Pupil

SCHEMA = "shown/lesson/1"
MAX_FILE = 8 * 2**20
"""Bytes of a file, as it is accepted by the page too."""


@dataclass(frozen=True)
class Shared:
    """A lesson as it is sent.

    Attributes:
        game: what it is about.
        recordings: what was shown.
        levels: those that were painted, legal or not.
        way: how it is to be learned.
        policy: what was learned, as JSON that `policy_of` checks, or None.
        remarks: what was said of the rule.
        tried: the hypotheses that were tried on the way to the policy (see `Saved`).
        scores: how policies did on the levels that are held out.
    """

    game: Playable
    recordings: tuple[Recording, ...]
    levels: tuple[Grid, ...] = ()
    way: Way = field(default_factory=Way)
    policy: Any = None
    remarks: tuple[Remark, ...] = ()
    tried: list[list[Any]] = field(default_factory=list)
    scores: tuple[Score, ...] = ()

    @property
    def demonstrations(self) -> Demonstrations:
        """What is learned from."""
        items = tuple(recording.demonstration for recording in self.recordings if recording.learn)
        return Demonstrations(self.game.tokens, items, self.game.name, self.game.buttons)

    @property
    def conditions(self) -> Conditions:
        """What remarks come to."""
        return conditions_of(self.game, self.remarks)

    def pupil(self) -> Pupil:
        """Somebody who learns as the lesson says."""
        return self.way.pupil(self.game, self.conditions)

    def to_json(self) -> dict[str, Any]:
        next_id = max((recording.id for recording in self.recordings), default=0) + 1
        return {
            "schema": SCHEMA,
            "game": self.game.name,
            "way": self.way.to_json(),
            "lesson": lesson_to_json(self.game, self.recordings, next_id),
            "levels": [list(grid.rows) for grid in self.levels],
            "policy": self.policy,
            "remarks": [remark.to_json() for remark in self.remarks],
            "tried": self.tried,
            "scores": scores_to_json(self.game, self.scores),
        }


def is_lesson(value: Any) -> bool:
    """Whether this claims to be a lesson to share."""
    return isinstance(value, dict) and value.get("schema") == SCHEMA


def lesson_shared(value: Any, find: Callable[[str], Playable], where: str) -> Shared:
    """The lesson that somebody has sent; BadInput with the reason if any part of it is not as it should be.

    Args:
        value: the content of the file.
        find: the game or world of a name; BadInput if it is not here.
        where: what to call the file.
    """
    if not is_lesson(value):
        raise BadInput(f'{where}: not a lesson to open: "schema" must be "{SCHEMA}".')
    name = game_from_json(value.get("game"), where)
    if name is None:
        raise BadInput(f'{where}: "game" must say what it is about.')
    try:
        game = find(name)
    except BadInput:
        offer = (
            f"Start the studio with --world {name}" if name.startswith(WORLDS) else "Install the package that has it"
        )
        raise BadInput(f"{where}: is about {name}, which is not here. {offer}, if you trust it.") from None
    recordings, _, bad = lesson_from_json(game, value.get("lesson"), where)
    if bad:
        raise BadInput(bad[0])
    return Shared(
        game,
        recordings,
        _levels(game, value.get("levels"), where),
        Way.from_json(value.get("way"), f'{where}: "way"'),
        value.get("policy"),
        remarks_from_list(game, value.get("remarks", []), where),
        tried_from_json(value.get("tried", []), where),
        scores_from_json(game, value["scores"], where) if "scores" in value else (),
    )


def load_lesson(path: str | Path, find: Callable[[str], Playable]) -> Shared:
    """The lesson in a file."""
    return lesson_shared(read_json(path, "lesson", MAX_FILE), find, str(path))


def _levels(game: Playable, value: Any, where: str) -> tuple[Grid, ...]:
    if not isinstance(value, list) or len(value) > MAX_LEVELS:
        raise BadInput(f'{where}: "levels" must be a list of at most {MAX_LEVELS}.')
    if value and not place_of(game).paints:
        raise BadInput(f"{where}: has painted levels, but {game.title} makes its own.")
    return tuple(grid_from_json(game, rows, f"{where}, level {i}", MAX_PAINTED) for i, rows in enumerate(value))


def policy_of(game: Playable, value: Any, where: str) -> Policy:
    """A policy that somebody has sent, checked whole; BadInput unless it is one for `game`."""
    from shown.policy import Policy

    policy = Policy.from_json(value, where)
    if (policy.tokens, policy.buttons) != (game.tokens, game.buttons):
        raise BadInput(f"{where}: is not one for {game.name}.")
    return policy
