"""Which generated levels are for what, so that nothing is reported on levels it was chosen by.

Ideas are chosen by `CHOOSE` alone, and what is reported of them is measured on `JUDGE`. The two share no level, nor do
those that are shown and those that are played in either. What practises by itself takes its levels elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

APART = 10
"""So many levels are set aside for each set of demonstrations: no set shares a level with another."""


@dataclass(frozen=True)
class Reserved:
    """Generated levels for one purpose.

    Attributes:
        shown: the seed from which on levels are demonstrated.
        played: the seed from which on levels are played by what was learned.
    """

    shown: int
    played: int

    def shown_levels(self, number: int, size: int) -> str:
        """The levels of a set of demonstrations; a smaller set is the beginning of the larger one.

        >>> JUDGE.shown_levels(2, 3), JUDGE.shown_levels(2, 1)
        ('random:400020-400022', 'random:400020')
        """
        if not 1 <= size <= APART:
            raise ValueError(f"a set has 1 to {APART} levels, not {size}")
        first = self.shown + number * APART
        return f"random:{first}" if size == 1 else f"random:{first}-{first + size - 1}"

    def played_levels(self, count: int) -> str:
        """So many levels to play.

        >>> CHOOSE.played_levels(40)
        'random:300000-300039'
        """
        return f"random:{self.played}-{self.played + count - 1}"


CHOOSE = Reserved(shown=200_000, played=300_000)
JUDGE = Reserved(shown=400_000, played=500_000)

ROLES: Mapping[str, Reserved] = {"choose": CHOOSE, "judge": JUDGE}
