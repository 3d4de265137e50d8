"""How games are to be learned, where somebody has chosen, and what else is remembered of a project as a whole."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from shown.errors import BadInput
from shown.studio.places import Playable, walks
from shown.teaching.readings import Reading

if TYPE_CHECKING:
    from shown.rules import Conditions
    from shown.teaching.teach import Pupil

SCHEMA = "shown/studio-project/1"
MAX_PROGRAMS = 100_000
DEFAULT_PROGRAMS = 10_000
WORDS = ("paper", "standard", "walking")
"""The languages that rules may be in; walking only where an agent goes about by buttons."""


@dataclass(frozen=True, slots=True)
class Way:
    """How a game is to be learned.

    Attributes:
        programs: how many programs the computer considers.
        reading: what a click stands for; None: it finds out by itself.
        mirrored: whether what was shown holds mirrored, too; None: it finds out by itself.
        language: in which words; None: it finds out by itself.
    """

    programs: int = DEFAULT_PROGRAMS
    reading: Reading | None = None
    mirrored: bool | None = None
    language: str | None = None

    def pupil(self, game: Playable, conditions: Conditions, threads: int | None = None) -> Pupil:
        """Somebody who learns `game` in this way, and keeps to what was said of the rule."""
        from shown.teaching.teach import Pupil

        return Pupil(
            game,
            self.programs,
            readings=None if self.reading is None else [self.reading],
            symmetries=None if self.mirrored is None else game.symmetries if self.mirrored else (),
            language=self.language or ("walking" if walks(game) else None),
            conditions=conditions,
            threads=threads,
        )

    def to_json(self) -> dict[str, Any]:
        reading = self.reading.to_json() if self.reading is not None else None
        return {
            "programs": self.programs, "reading": reading, "mirrored": self.mirrored, "language": self.language,
        }  # fmt: skip

    @classmethod
    def from_json(cls, value: Any, where: str) -> Way:
        if not isinstance(value, dict):
            raise BadInput(f"{where}: must be an object.")
        programs, reading, mirrored, language = map(value.get, ("programs", "reading", "mirrored", "language"))
        if not isinstance(programs, int) or isinstance(programs, bool) or not 1 <= programs <= MAX_PROGRAMS:
            raise BadInput(f'{where}: "programs" must be a whole number from 1 to {MAX_PROGRAMS:,}.')
        if mirrored is not None and not isinstance(mirrored, bool):
            raise BadInput(f'{where}: "mirrored" must be true, false or null.')
        if language is not None and language not in WORDS:
            raise BadInput(f'{where}: "language" must be null or one of {", ".join(WORDS)}.')
        found = None if reading is None else Reading.from_json(reading, f'{where}: "reading"')
        return cls(programs, found, mirrored, language)


@dataclass(frozen=True, slots=True)
class Settings:
    """What is remembered of the project as a whole.

    Attributes:
        game: the game last opened, or None on the very first visit.
        toured: the guided tour was finished or closed.
        ways: how games are to be learned, where somebody has chosen.
    """

    game: str | None = None
    toured: bool = False
    ways: dict[str, Way] = field(default_factory=dict)

    def way(self, game: str) -> Way:
        return self.ways.get(game, Way())

    def to_json(self) -> dict[str, Any]:
        ways = {name: way.to_json() for name, way in self.ways.items()}
        return {"schema": SCHEMA, "game": self.game, "toured": self.toured, "ways": ways}

    @classmethod
    def from_json(cls, value: Any, where: str) -> Settings:
        if not isinstance(value, dict) or value.get("schema") != SCHEMA:
            raise BadInput(f'{where}: not a project of the studio: "schema" must be "{SCHEMA}".')
        game, ways = value.get("game"), value.get("ways", {})
        if game is not None and not isinstance(game, str):
            raise BadInput(f'{where}: "game" must be a name or null.')
        if not isinstance(ways, dict):
            raise BadInput(f'{where}: "ways" must be an object.')
        known = {name: Way.from_json(way, f'{where}: "ways", {name[:40]!r}') for name, way in ways.items()}
        return cls(game, value.get("toured") is True, known)
