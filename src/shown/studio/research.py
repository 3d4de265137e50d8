"""For the researcher: how well each policy did on levels that nothing was chosen by."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from shown.errors import BadInput, ShownError
from shown.games.episodes import LevelWorld
from shown.games.game import Game
from shown.studio.places import Playable, place_of
from shown.world import Start

if TYPE_CHECKING:
    from shown.studio.desk import Desk, Learned
    from shown.studio.session import Studio

HELD_OUT, FIRST = 40, 700_000
"""So many generated levels from this seed on are held out: nobody is taught on them, and nothing is chosen by them."""
AT_ONCE = 10
"""So many are played at a time, so that whoever else asks gets through."""
SCORES = "scores.json"
SCHEMA = "shown/studio-scores/1"
MAX_SCORES = 500


@dataclass(frozen=True, slots=True)
class Score:
    """How a policy did on the levels that are held out.

    Attributes:
        aim: what it was learned from and how, and what came of it, in a word.
        demonstrations, corrections: how many it was learned from.
        steps: how many clicks those were.
        remarks: how many things were said of the rule.
        won, of: the levels.
    """

    aim: str
    demonstrations: int
    corrections: int
    steps: int
    remarks: int
    won: int
    of: int

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, value: Any) -> Score:
        """
        >>> Score.from_json({"aim": "x", "won": 3})
        Traceback (most recent call last):
        shown.errors.BadInput: a score has a number for each of demonstrations, corrections, steps, remarks, won, of.
        """
        match value:
            case {
                "aim": str(aim), "demonstrations": int(demonstrations), "corrections": int(corrections),
                "steps": int(steps), "remarks": int(remarks), "won": int(won), "of": int(of),
            } if 0 <= won <= of <= 10_000 and min(demonstrations, corrections, steps, remarks) >= 0:  # fmt: skip
                return cls(aim[:64], demonstrations, corrections, steps, remarks, won, of)
        raise BadInput("a score has a number for each of demonstrations, corrections, steps, remarks, won, of.")


def held_out(game: Playable) -> str:
    """The levels that are held out, as levels are named.

    >>> from shown.games import find
    >>> held_out(find("nim"))
    'random:700000-700039'
    """
    return f"{'random' if isinstance(game, Game) else 'seed'}:{FIRST}-{FIRST + HELD_OUT - 1}"


def held_out_starts(game: Playable, first: int = 0, count: int = HELD_OUT) -> list[Start]:
    """All of them, or some from the `first` on, about to begin."""
    seeds = range(FIRST + first, FIRST + first + count)
    if not isinstance(game, Game):
        return [(game.another(), seed) for seed in seeds]
    place = place_of(game)
    return [(LevelWorld(game, place.generated(seed)), 0) for seed in seeds]


def scores_to_json(game: Playable, scores: tuple[Score, ...]) -> dict[str, Any]:
    return {"schema": SCHEMA, "held_out": held_out(game), "scores": [score.to_json() for score in scores]}


def scores_from_json(game: Playable, value: Any, where: str = "the file") -> tuple[Score, ...]:
    """What was scored before on just these levels; BadInput if it is something else."""
    here = (SCHEMA, held_out(game))
    match value:
        case {"schema": schema, "held_out": levels, "scores": list(items)} if (schema, levels) == here:
            return tuple(map(Score.from_json, items[-MAX_SCORES:]))
    raise BadInput(f"{where}: not scores of the studio on the levels {held_out(game)}.")


async def keep_score(studio: Studio, desk: Desk, learned: Learned) -> None:
    """Lets a policy that was learned play the levels that are held out, and notes how many it wins; once."""
    if learned.policy is None or learned.stale:
        return
    aim = hashlib.sha256(f"{learned.aim} {json.dumps(learned.policy['components'])}".encode()).hexdigest()[:16]
    if desk.scores and desk.scores[-1].aim == aim:
        return
    won = 0
    try:
        for first in range(0, HELD_OUT, AT_ONCE):
            won += (await studio.ask_player(desk, "score", first=first, count=AT_ONCE))["won"]
            if desk.learned is not learned:
                return
    except ShownError:
        return
    if desk.scores and desk.scores[-1].aim == aim:  # somebody else has asked meanwhile
        return
    recordings = [recording for recording in desk.lesson.recordings if recording.learn]
    corrections = sum(recording.kind == "correction" for recording in recordings)
    steps = sum(len(recording.demonstration.steps) for recording in recordings)
    shown, said = len(recordings) - corrections, len(desk.lesson.remarks)
    desk.keep_score(Score(aim, shown, corrections, steps, said, won, HELD_OUT))
    studio.tell_learned(desk)
