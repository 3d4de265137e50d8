"""Scores of policies on practice levels, on episodes to keep, and on fresh levels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shown.policy import Policy
from shown.provenance import SuccessRate
from shown.teaching.practice.ground import ALL_LEVELS, FEW_LEVELS, FRESH_LEVELS, SOME_LEVELS, Ground
from shown.teaching.task import FINAL_SHARE
from shown.worlds import Playable, Start, wins

ROUNDS_OF_LEVELS = ((FEW_LEVELS, 0.5), (SOME_LEVELS, 0.8), (ALL_LEVELS, 1.0))
"""Number of levels of each round, and the share to win in order to play the next."""

SECONDS_WITHOUT_PRACTICE = 10.0  # time to play fresh levels if there is no practice


@dataclass
class Scoring:
    """Plays policies and compares them.

    Attributes:
        world: the game or world, or None.
        ground: practice levels; None without practice.
        kept: episodes won by the earlier policy that should stay won.
        seed: seed of the fresh levels if there is no practice.
    """

    world: Playable | None
    ground: Ground | None
    kept: Sequence[Start] = ()
    seed: int = 0

    @property
    def out_of_time(self) -> bool:
        """Whether the world is too slow to play more levels."""
        return self.ground is not None and self.ground.over

    def go_on(self, share: float = 1.0) -> None:
        """Allow playing for a share of the practice time from now on."""
        if self.ground is not None:
            self.ground.go_on(share)

    def score(self, policy: Policy) -> float:
        """Return the share of practice levels and kept episodes that a policy wins; a poor one plays fewer levels."""
        return self.scores([policy])[0]

    def scores(self, policies: Sequence[Policy]) -> list[float]:
        """Return the `score` of each of some policies, which play side by side."""
        if self.ground is None:
            return [self._with_kept(0.0, 0, policy) for policy in policies]
        found, going = [0.0] * len(policies), list(range(len(policies)))
        for levels, promising in ROUNDS_OF_LEVELS:
            for i, score in zip(going, self.ground.scores([policies[i] for i in going], levels), strict=True):
                found[i] = score
            going = [i for i in going if found[i] > promising]
        return [self._with_kept(score, ALL_LEVELS, policy) for score, policy in zip(found, policies, strict=True)]

    def score_on_all(self, policy: Policy) -> float:
        """Return the share of all practice levels and kept episodes that a policy wins."""
        assert self.ground is not None
        return self._with_kept(self.ground.score(policy, ALL_LEVELS), ALL_LEVELS, policy)

    def _with_kept(self, score: float, levels: int, policy: Policy) -> float:
        """Return the share won of the practice levels and the kept episodes together."""
        kept = self._keeps(policy)
        return (score * levels + sum(kept)) / (levels + len(kept)) if levels or kept else 0.0

    def practice(self, policy: Policy) -> tuple[int, int] | None:
        """Return the numbers of practice levels won and played; None without practice."""
        played = self.ground.won(policy, ALL_LEVELS) if self.ground is not None else []
        return (sum(played), len(played)) if played else None

    def expectation(self, policy: Policy) -> SuccessRate | None:
        """Return the result on fresh levels, which had no part in the selection; None if nothing can be played."""
        if self.world is None:
            return None
        ground = self.ground or Ground(self.world, self.seed, SECONDS_WITHOUT_PRACTICE)
        ground.go_on(FINAL_SHARE)
        fresh = ground.play(policy, range(*FRESH_LEVELS))
        return SuccessRate(sum(fresh), len(fresh)) if fresh else None

    def not_kept(self, policy: Policy) -> tuple[str, ...]:
        """Return the names of the kept episodes that a policy loses."""
        return tuple(_name(start) for start, won in zip(self.kept, self._keeps(policy), strict=True) if not won)

    def lost(self, policy: Policy, before: Policy | None) -> tuple[str, ...]:
        """Return the names of the kept episodes and practice levels that an earlier policy wins and this one loses."""
        names = self.not_kept(policy)
        if self.ground is None or before is None:
            return names
        both = zip(self.ground.won(before, ALL_LEVELS), self.ground.won(policy, ALL_LEVELS), strict=False)
        starts = self.ground.starts(0, ALL_LEVELS)
        return names + tuple(_name(starts[i]) for i, (earlier, now) in enumerate(both) if earlier and not now)

    def _keeps(self, policy: Policy) -> list[bool]:
        return wins(self.kept, policy) if self.kept else []


def _name(start: Start) -> str:
    world, seed = start
    return world.level(seed).name
