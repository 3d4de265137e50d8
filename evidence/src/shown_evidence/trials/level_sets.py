"""Generated levels reserved for one purpose each, so that nothing is reported on levels it was chosen by.

Ideas are chosen on `CHOOSE`; reported results are measured on `JUDGE`, as `evidence/protocol.md` lays down. No two
share a seed, nor do the demonstrated and the played levels of one. A game may have few levels (Nim has 2,660), so that
levels with different seeds can be equal; the levels that judge are apart from others by content, too (`UNSEEN`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count, islice

from shown.grid import Grid
from shown.worlds import Game, Level, find_game, load_levels

SETS = 10
"""Most sets of demonstrations of one game, style and size."""

UNSEEN = "/unseen"
"""Ends the name of a range of generated levels from which levels practiced on or demonstrated are left out. As many
levels after the range take their place."""


@dataclass(frozen=True)
class LevelSets:
    """Generated levels for one purpose.

    Attributes:
        shown: first seed of the demonstrated levels.
        played: first seed of the levels that learned policies play.
        apart: levels reserved for each set of demonstrations, so that no two sets share one.
        prefix: "random" for levels of a game, "seeds" for those of a world.
        suffix: `UNSEEN`, or nothing.
    """

    shown: int
    played: int
    apart: int = 10
    prefix: str = "random"
    suffix: str = ""

    def shown_levels(self, number: int, size: int) -> str:
        """Return the levels of a set of demonstrations; a smaller set is a prefix of the larger one.

        >>> JUDGE.shown_levels(2, 3), JUDGE.shown_levels(2, 1)
        ('random:2100020-2100022', 'random:2100020')
        """
        if not 1 <= size <= self.apart:
            raise ValueError(f"a set has 1 to {self.apart} levels, not {size}")
        return self._range(self.shown + number * self.apart, size)

    def played_levels(self, count: int) -> str:
        """Return the first `count` levels to play.

        >>> CHOOSE.played_levels(40), JUDGE.played_levels(100)
        ('random:300000-300039', 'random:2500000-2500099/unseen')
        """
        return self._range(self.played, count) + self.suffix

    def _range(self, first: int, count: int) -> str:
        return f"{self.prefix}:{first}" + (f"-{first + count - 1}" if count > 1 else "")


CHOOSE = LevelSets(shown=200_000, played=300_000)
JUDGE = LevelSets(shown=2_100_000, played=2_500_000, suffix=UNSEEN)


def scored_levels(game: Game, spec: str) -> list[Level]:
    """Return the levels of a name; those of one that ends with `UNSEEN` are apart from all that are practiced on or
    demonstrated to be judged.

    >>> [level.name for level in scored_levels(find_game("nim"), "random:2500000-2500003/unseen")]
    ['random:2500000', 'random:2500001', 'random:2500002', 'random:2500003']
    """
    named = load_levels(game, spec.removesuffix(UNSEEN))
    if not spec.endswith(UNSEEN):
        return named
    known, first = seen(game.name), int(named[0].name.partition(":")[2])
    unseen = (level for level in map(game.level, count(first)) if level.grid not in known)
    return list(islice(unseen, len(named)))


def replaced(spec: str, levels: Sequence[Level]) -> int:
    """Return how many levels of a range are not among the levels that `scored_levels` returned for it.

    >>> from shown.grid import grid
    >>> replaced("random:5-7/unseen", [Level("random:6", grid("..")), Level("random:9", grid(".."))])
    1
    """
    if not spec.endswith(UNSEEN):
        return 0
    first, _, last = spec.removesuffix(UNSEEN).partition(":")[2].partition("-")
    return sum(not int(first) <= int(level.name.partition(":")[2]) <= int(last or first) for level in levels)


@cache
def seen(game: str) -> frozenset[Grid]:
    """Return the levels that practice plays, and those that are demonstrated to be judged."""
    from shown.teaching.practice.ground import FRESH_LEVELS, Ground

    rules = find_game(game)
    practiced = {world.level(seed).grid for world, seed in Ground(rules).starts(0, FRESH_LEVELS[1])}
    last = JUDGE.shown + SETS * JUDGE.apart - 1
    return frozenset(practiced | {level.grid for level in load_levels(rules, f"random:{JUDGE.shown}-{last}")})
