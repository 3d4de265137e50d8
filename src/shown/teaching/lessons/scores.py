"""Scores of policies on held-out levels, which play no part in learning."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from shown.errors import BadInput
from shown.worlds import Playable, Start

HELD_OUT, FIRST = 40, 700_000  # number of held-out levels, and the seed of the first
SCHEMA = "shown/studio-scores/1"
MAX_SCORES = 500


@dataclass(frozen=True, slots=True)
class Score:
    """Score of a policy on the held-out levels.

    Attributes:
        aim: digest of the policy and what it was learned from.
        demonstrations, corrections, steps, remarks: numbers of those that it was learned from.
        won, of: numbers of levels won and played.
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


def held_out(game: Playable, first: int = 0, count: int = HELD_OUT) -> str:
    """Return the name of `count` held-out levels, from the `first` on.

    >>> from shown.worlds import find
    >>> held_out(find("nim"))
    'random:700000-700039'
    """
    return f"{'random' if game.has_levels else 'seed'}:{FIRST + first}-{FIRST + first + count - 1}"


def held_out_starts(game: Playable, first: int = 0, count: int = HELD_OUT) -> list[Start]:
    """Return `count` starts on held-out levels, from the `first` on."""
    return game.starts(held_out(game, first, count))


def scores_to_json(game: Playable, scores: tuple[Score, ...]) -> dict[str, Any]:
    return {"schema": SCHEMA, "held_out": held_out(game), "scores": [score.to_json() for score in scores]}


def scores_from_json(game: Playable, value: Any, where: str = "the file") -> tuple[Score, ...]:
    """Return scores on the same held-out levels."""
    here = (SCHEMA, held_out(game))
    match value:
        case {"schema": schema, "held_out": levels, "scores": list(items)} if (schema, levels) == here:
            return tuple(map(Score.from_json, items[-MAX_SCORES:]))
    raise BadInput(f"{where}: not scores on the levels {held_out(game)}.")
