"""Generated levels reserved for one purpose each, so that nothing is reported on levels it was chosen by.

Ideas are chosen on `CHOOSE`; reported results are measured on `JUDGE`, those on single rules on `JUDGE_RULES`. No two
share a level, nor do the demonstrated and the played levels of one. Practice takes its levels elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

MAX_SET_SIZE = 10
"""Levels reserved for each set of demonstrations: no two sets share a level."""


@dataclass(frozen=True)
class LevelSets:
    """Generated levels for one purpose.

    Attributes:
        shown: first seed of the demonstrated levels.
        played: first seed of the levels that learned policies play.
    """

    shown: int
    played: int

    def shown_levels(self, number: int, size: int) -> str:
        """Return the levels of a set of demonstrations; a smaller set is a prefix of the larger one.

        >>> JUDGE.shown_levels(2, 3), JUDGE.shown_levels(2, 1)
        ('random:400020-400022', 'random:400020')
        """
        if not 1 <= size <= MAX_SET_SIZE:
            raise ValueError(f"a set has 1 to {MAX_SET_SIZE} levels, not {size}")
        return seed_range("random", self.shown + number * MAX_SET_SIZE, size)

    def played_levels(self, count: int) -> str:
        """Return the first `count` levels to play.

        >>> CHOOSE.played_levels(40)
        'random:300000-300039'
        """
        return seed_range("random", self.played, count)


def seed_range(prefix: str, first: int, count: int) -> str:
    """Return the name of `count` consecutive levels or seeds.

    >>> seed_range("seeds", 5, 1), seed_range("seeds", 5, 3)
    ('seeds:5', 'seeds:5-7')
    """
    return f"{prefix}:{first}" + (f"-{first + count - 1}" if count > 1 else "")


CHOOSE = LevelSets(shown=200_000, played=300_000)
JUDGE = LevelSets(shown=400_000, played=500_000)

JUDGE_RULES = LevelSets(shown=620_000, played=820_000)

ROLES: Mapping[str, LevelSets] = {"choose": CHOOSE, "judge": JUDGE, "judge-rules": JUDGE_RULES}
