"""Remarks of a teacher on the rule: a clause that must stay (pinned), a condition that was an accident (struck).

Remarks are part of the lesson, so they can be undone. Together they are the constraints (`shown.Constraints`) of
learning.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shown.errors import BadInput
from shown.language.phrases import say
from shown.language.standard import STANDARD
from shown.rules import Constraints
from shown.worlds import Playable

PIN, STRIKE = "pin", "strike"
KINDS = (PIN, STRIKE)
SCHEMA = "shown/studio-remarks/1"
MAX_REMARKS = 50
MAX_PROGRAMS = 16  # a clause and its mirror images
MAX_WORDS, MAX_PHRASE = 200, 1000  # phrases of a remark, and characters of a phrase


@dataclass(frozen=True, slots=True)
class Remark:
    """A pinned clause or struck condition.

    Attributes:
        kind: "pin" or "strike".
        programs: the pinned clause and its mirror images, each as "PROGRAM and not PROGRAM …", or the struck programs.
        words: the same in English, one text for each phrase.
    """

    kind: str
    programs: tuple[str, ...]
    words: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "programs": list(self.programs), "words": list(self.words)}

    @classmethod
    def from_json(cls, value: Any, where: str) -> Remark:
        found: dict[str, Any] = value if isinstance(value, dict) else {}
        kind, programs, words = found.get("kind"), found.get("programs"), found.get("words")
        if kind not in KINDS:
            raise BadInput(f'{where}: needs a "kind" of {", ".join(KINDS)}.')
        phrases = _texts(words, MAX_WORDS, f'{where}: "words"')
        if any(len(phrase) > MAX_PHRASE or not phrase.isprintable() for phrase in phrases):
            raise BadInput(f'{where}: "words" must be text on one line, of at most {MAX_PHRASE} characters.')
        return cls(kind, _texts(programs, MAX_PROGRAMS, f'{where}: "programs"'), phrases)


def _texts(value: Any, most: int, what: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not 0 < len(value) <= most or not all(isinstance(x, str) for x in value):
        raise BadInput(f"{what} must be a list of 1 to {most} texts.")
    return tuple(value)


def constraints_of(game: Playable, remarks: tuple[Remark, ...], where: str = "your remarks on the rule") -> Constraints:
    """Return the constraints that remarks stand for; BadInput if one is malformed or two contradict each other."""
    if len(remarks) > MAX_REMARKS:
        raise BadInput(f"{where}: a project keeps at most {MAX_REMARKS} remarks. Take some back first.")
    pinned, struck = ([text for remark in remarks if remark.kind == kind for text in remark.programs] for kind in KINDS)
    return Constraints.parse(pinned, struck, game.tokens, game.buttons, STANDARD, where)


def written(game: Playable, rule: str) -> Remark:
    """Return a remark that pins a clause written as "PROGRAM and not PROGRAM …".

    >>> from shown.worlds import find
    >>> written(find("nim"), "at_action_cell(cell_is_value(matchstick))").words
    ('the clicked cell is a matchstick',)
    """
    constraints = constraints_of(game, (Remark(PIN, (rule,), ()),), "the sentence")
    (clause,) = constraints.pinned
    words = tuple(say(literal.term, constraints.language, literal.positive) for literal in clause)
    return Remark(PIN, (" and ".join(map(str, clause)),), words)


def is_contradiction(value: Any) -> bool:
    """Return whether this is a contradiction between a pinned clause and a demonstration, as the learner writes it."""
    match value:
        case {
            "rule": str(), "place": None | [int(), int()],
            "action": str() | [int(), int()], "other": str() | [int(), int()],
        }:  # fmt: skip
            return True
    return False


def remarks_to_json(game: Playable, remarks: tuple[Remark, ...]) -> dict[str, Any]:
    return {"schema": SCHEMA, "game": game.name, "remarks": [remark.to_json() for remark in remarks]}


def remarks_from_json(game: Playable, value: Any, where: str) -> tuple[Remark, ...]:
    """Return the remarks in a file, checked against the game."""
    if not isinstance(value, dict) or value.get("schema") != SCHEMA or value.get("game") != game.name:
        raise BadInput(f'{where}: not remarks on the rule of {game.name}: "schema" must be "{SCHEMA}".')
    return remarks_from_list(game, value.get("remarks"), where)


def remarks_from_list(game: Playable, items: Any, where: str) -> tuple[Remark, ...]:
    """Return remarks from a list, checked against the game."""
    if not isinstance(items, list):
        raise BadInput(f'{where}: "remarks" must be a list.')
    remarks = tuple(Remark.from_json(item, f"{where}, remark {i}") for i, item in enumerate(items))
    constraints_of(game, remarks, where)
    return remarks
