"""Preferences for learning a game."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from shown.columns.resources import DEFAULT_RESOURCES, Resources
from shown.errors import BadInput
from shown.teaching.interpretation.interpretations import Interpretation
from shown.teaching.lessons.starts import walks
from shown.worlds import Playable

if TYPE_CHECKING:
    from shown.rules import Constraints
    from shown.teaching.teach import Pupil

DEFAULT_PROGRAMS, MAX_PROGRAMS = 10_000, 100_000
WORDS = ("paper", "standard", "walking")  # the vocabularies to choose from; walking only where buttons move an agent


@dataclass(frozen=True, slots=True)
class Preferences:
    """Preferences for learning a game. None lets the learner find out.

    `mirrored` tells whether demonstrations hold for mirror images as well; `language` names the vocabulary.
    """

    programs: int = DEFAULT_PROGRAMS
    interpretation: Interpretation | None = None
    mirrored: bool | None = None
    language: str | None = None

    def pupil(self, game: Playable, constraints: Constraints, resources: Resources = DEFAULT_RESOURCES) -> Pupil:
        """Return a pupil that learns `game` with these preferences, under the constraints."""
        from shown.teaching.teach import Pupil

        return Pupil(
            game,
            programs=self.programs,
            interpretations=None if self.interpretation is None else [self.interpretation],
            symmetries=None if self.mirrored is None else game.symmetries if self.mirrored else (),
            language=self.language or ("walking" if walks(game) else None),
            constraints=constraints,
            resources=resources,
        )

    def to_json(self) -> dict[str, Any]:
        interpretation = self.interpretation.to_json() if self.interpretation is not None else None
        return {**asdict(self), "interpretation": interpretation}

    @classmethod
    def from_json(cls, value: Any, where: str) -> Preferences:
        if not isinstance(value, dict):
            raise BadInput(f"{where}: must be an object.")
        programs, interpretation, mirrored, language = map(
            value.get, ("programs", "interpretation", "mirrored", "language")
        )
        if not isinstance(programs, int) or isinstance(programs, bool) or not 1 <= programs <= MAX_PROGRAMS:
            raise BadInput(f'{where}: "programs" must be a whole number from 1 to {MAX_PROGRAMS:,}.')
        if mirrored is not None and not isinstance(mirrored, bool):
            raise BadInput(f'{where}: "mirrored" must be true, false or null.')
        if language is not None and language not in WORDS:
            raise BadInput(f'{where}: "language" must be null or one of {", ".join(WORDS)}.')
        found = (
            None if interpretation is None else Interpretation.from_json(interpretation, f'{where}: "interpretation"')
        )
        return cls(programs, found, mirrored, language)
