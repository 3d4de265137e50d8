"""What a teacher says of the rule: this sentence stays, that condition was an accident.

Remarks are part of the lesson, so undo goes through them as through everything else. Together they are the conditions
(`shown.Conditions`) under which the computer learns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shown.errors import BadInput
from shown.studio.places import Playable

if TYPE_CHECKING:
    from shown.rules import Conditions

PIN, STRIKE = "pin", "strike"
KINDS = (PIN, STRIKE)
SCHEMA = "shown/studio-remarks/1"
MAX_REMARKS = 50
MAX_PROGRAMS = 16
"""A sentence and its mirror images, or conditions said in one breath."""
MAX_WORDS = 200
MAX_PHRASE = 1000


@dataclass(frozen=True, slots=True)
class Remark:
    """One thing said of the rule.

    Attributes:
        kind: "pin" or "strike".
        programs: of a pin, the clauses that stay (one, and its images), "PROGRAM and not PROGRAM …" each; of a strike,
            the programs that were an accident.
        words: the same in English, phrase by phrase, as it stood on the page.
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


def conditions_of(game: Playable, remarks: tuple[Remark, ...], where: str = "what you said of the rule") -> Conditions:
    """What remarks come to; BadInput if one of them makes no sense, or two are at odds."""
    from shown.language.standard import STANDARD
    from shown.rules import Conditions

    if len(remarks) > MAX_REMARKS:
        raise BadInput(f"{where}: {MAX_REMARKS} remarks are all that a project keeps. Take some back first.")
    told: dict[str, list[str]] = {
        kind: [text for remark in remarks if remark.kind == kind for text in remark.programs] for kind in KINDS
    }
    return Conditions.parse(told[PIN], told[STRIKE], game.tokens, game.buttons, STANDARD, where)


def written(game: Playable, rule: str) -> Remark:
    """A sentence that somebody has put together, "PROGRAM and not PROGRAM …", to be kept.

    >>> from shown.games import find
    >>> written(find("nim"), "at_action_cell(cell_is_value(matchstick))").words
    ('the clicked cell is a matchstick',)
    """
    from shown.language.phrases import say

    conditions = conditions_of(game, (Remark(PIN, (rule,), ()),), "the sentence")
    (clause,) = conditions.pinned
    words = tuple(say(literal.term, conditions.language, literal.positive) for literal in clause)
    return Remark(PIN, (" and ".join(map(str, clause)),), words)


def is_contradiction(value: Any) -> bool:
    """Whether this says of a sentence where it is at odds with what was shown, as the learner writes it."""
    match value:
        case {"rule": str(), "place": None | [int(), int()], "action": action, "other": other}:
            return all(map(_is_action, (action, other)))
    return False


def _is_action(value: Any) -> bool:
    match value:
        case str() | [int(), int()]:
            return True
    return False


def remarks_to_json(game: Playable, remarks: tuple[Remark, ...]) -> dict[str, Any]:
    return {"schema": SCHEMA, "game": game.name, "remarks": [remark.to_json() for remark in remarks]}


def remarks_from_json(game: Playable, value: Any, where: str) -> tuple[Remark, ...]:
    """Checks everything; what is pinned and what is struck must make sense in this game."""
    if not isinstance(value, dict) or value.get("schema") != SCHEMA or value.get("game") != game.name:
        raise BadInput(f'{where}: not what was said of the rule of {game.name}: "schema" must be "{SCHEMA}".')
    return remarks_from_list(game, value.get("remarks"), where)


def remarks_from_list(game: Playable, items: Any, where: str) -> tuple[Remark, ...]:
    """Remarks from a list of them, wherever it stands."""
    if not isinstance(items, list):
        raise BadInput(f'{where}: "remarks" must be a list.')
    remarks = tuple(Remark.from_json(item, f"{where}, remark {i}") for i, item in enumerate(items))
    conditions_of(game, remarks, where)
    return remarks
