"""Generated levels reserved for one purpose each, so that nothing is reported on levels it was chosen by.

Ideas are chosen on `CHOOSE`; reported results are measured on `JUDGE`, those on single rules on `JUDGE_RULES`. No two
share a level, nor do the demonstrated and the played levels of one. Practice takes its levels elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class LevelSets:
    """Generated levels for one purpose.

    Attributes:
        shown: first seed of the demonstrated levels.
        played: first seed of the levels that learned policies play.
        apart: levels reserved for each set of demonstrations, so that no two sets share one.
        prefix: "random" for levels of a game, "seeds" for those of a world.
    """

    shown: int
    played: int
    apart: int = 10
    prefix: str = "random"

    def shown_levels(self, number: int, size: int) -> str:
        """Return the levels of a set of demonstrations; a smaller set is a prefix of the larger one.

        >>> JUDGE.shown_levels(2, 3), JUDGE.shown_levels(2, 1)
        ('random:400020-400022', 'random:400020')
        """
        if not 1 <= size <= self.apart:
            raise ValueError(f"a set has 1 to {self.apart} levels, not {size}")
        return self._range(self.shown + number * self.apart, size)

    def played_levels(self, count: int) -> str:
        """Return the first `count` levels to play.

        >>> CHOOSE.played_levels(40)
        'random:300000-300039'
        """
        return self._range(self.played, count)

    def _range(self, first: int, count: int) -> str:
        return f"{self.prefix}:{first}" + (f"-{first + count - 1}" if count > 1 else "")


CHOOSE = LevelSets(shown=200_000, played=300_000)
JUDGE = LevelSets(shown=400_000, played=500_000)

JUDGE_RULES = LevelSets(shown=620_000, played=820_000)

ROLES: Mapping[str, LevelSets] = {"choose": CHOOSE, "judge": JUDGE, "judge-rules": JUDGE_RULES}
