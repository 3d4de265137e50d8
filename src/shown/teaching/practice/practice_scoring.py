"""Scores of policies on practice levels, on episodes to keep, on fresh levels, and on grids of no known world."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from shown.demonstrations import Demonstrations
from shown.grid import Action, Grid
from shown.policy import Policy
from shown.provenance import Score, SuccessRate
from shown.teaching.practice.ground import (
    ALL_LEVELS,
    FEW_LEVELS,
    FRESH_LEVELS,
    SOME_LEVELS,
    VALIDATION_LEVELS,
    Ground,
)
from shown.teaching.practice.imitation import AS_GOOD, Positions
from shown.teaching.practice.measure import WINNING, Measure, measure_of
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
        as_good: share of the probability of a vote's own action from which on another one counts as good.
        measure: what an episode is worth.
        until: time by the monotonic clock after which nothing is played, whatever `go_on` allows.
    """

    world: Playable | None
    ground: Ground | None
    kept: Sequence[Start] = ()
    seed: int = 0
    as_good: float = AS_GOOD
    measure: Measure = WINNING
    until: float = math.inf

    def measure_by(self, demonstrations: Demonstrations) -> None:
        """Find out how episodes are measured; that counts as playing."""
        if self.world is None:
            return
        ground = self.ground or Ground(self.world, self.seed, SECONDS_WITHOUT_PRACTICE)
        with ground.playing():
            self.measure = measure_of(self.world, demonstrations, self.seed, ground.allowance)
        ground.adopt(self.measure)

    @property
    def out_of_time(self) -> bool:
        """Whether the world is too slow to play more levels."""
        return self.ground is not None and self.ground.over

    @property
    def too_slow(self) -> bool:
        """Whether time was over before any policy had played all practice levels."""
        return self.ground is not None and self.ground.over and not self.ground.known_on(ALL_LEVELS)

    def go_on(self, share: float = 1.0) -> None:
        """Allow playing for a share of the practice time from now on."""
        if self.ground is not None:
            self.ground.go_on(share)
            self.ground.stop_at(self.until)

    def score(self, policy: Policy) -> float:
        """Return the share of practice levels and kept episodes that a policy wins; a poor one plays fewer levels."""
        return self.scores([policy])[0]

    def scores(self, policies: Sequence[Policy]) -> list[float]:
        """Return the `score` of each of some policies, which play side by side."""
        if self.ground is None:
            return [self._with_kept(0.0, 0, policy) for policy in policies]
        found, going = [0.0] * len(policies), list(range(len(policies)))
        # By return there are few levels, and playing all of them side by side takes hardly longer than playing some.
        for levels, promising in ROUNDS_OF_LEVELS[-1:] if self.measure.by_return else ROUNDS_OF_LEVELS:
            for i, score in zip(going, self.ground.scores([policies[i] for i in going], levels), strict=True):
                found[i] = score
            going = [i for i in going if found[i] > promising]
        return [self._with_kept(score, ALL_LEVELS, policy) for score, policy in zip(found, policies, strict=True)]

    def scores_on_all(self, policies: Sequence[Policy]) -> Sequence[float]:
        """Return the share of all practice levels and kept episodes that each of some policies wins."""
        assert self.ground is not None
        scores = zip(self.ground.scores(policies, ALL_LEVELS), policies, strict=True)
        return [self._with_kept(score, ALL_LEVELS, policy) for score, policy in scores]

    def validated(self, policies: Sequence[Policy]) -> Sequence[float]:
        """Return the share that each of some policies wins of levels that it did not practice on."""
        assert self.ground is not None
        return self.ground.compared(policies, range(*VALIDATION_LEVELS))

    def _with_kept(self, score: float, levels: int, policy: Policy) -> float:
        """Return the share won of the practice levels and the kept episodes together, less 1 for each of these lost.

        So a policy that keeps them is preferred to any that does not, and the fewest lost come first.
        """
        kept = self._keeps(policy)
        share = (score * levels + sum(kept)) / (levels + len(kept)) if levels or kept else 0.0
        return share - kept.count(False)

    def practice(self, policy: Policy) -> Score | None:
        """Return the result on the practice levels; None without practice."""
        return None if self.ground is None else self.measure.score(self.ground.results(policy, ALL_LEVELS))

    def expectations(self, policies: Sequence[Policy]) -> Sequence[Score | None]:
        """Return the results on fresh levels, which had no part in the selection; None if nothing can be played."""
        if self.world is None:
            return [None] * len(policies)
        ground = self.ground or Ground(self.world, self.seed, SECONDS_WITHOUT_PRACTICE)
        ground.adopt(self.measure)
        ground.go_on(FINAL_SHARE)
        ground.stop_at(self.until)
        ground.scores(policies, range(*FRESH_LEVELS))
        return [self.measure.score(ground.results(policy, range(*FRESH_LEVELS))) for policy in policies]

    def not_kept(self, policy: Policy) -> tuple[str, ...]:
        """Return the names of the kept episodes that a policy loses."""
        return tuple(_name(start) for start, won in zip(self.kept, self._keeps(policy), strict=True) if not won)

    def lost(self, policy: Policy, before: Policy | None) -> tuple[str, ...]:
        """Return the names of the kept episodes and practice levels that an earlier policy wins and this one loses."""
        names = self.not_kept(policy)
        if self.ground is None or before is None or self.measure.by_return:
            return names
        both = zip(self.ground.results(before, ALL_LEVELS), self.ground.results(policy, ALL_LEVELS), strict=False)
        starts = self.ground.starts(0, ALL_LEVELS)
        return names + tuple(_name(starts[i]) for i, (earlier, now) in enumerate(both) if earlier and not now)

    def _keeps(self, policy: Policy) -> list[bool]:
        return wins(self.kept, policy) if self.kept else []

    def games_won(self, vote: Policy) -> list[list[Grid]]:
        """Return the positions of some games that a policy wins, or of a few of its games if it cannot win."""
        assert self.ground is not None
        levels = FEW_LEVELS if self.measure.by_return else SOME_LEVELS
        won = [i for i, result in enumerate(self.ground.results(vote, levels)) if result or self.measure.by_return]
        return [[step.grid for step in episode.steps] for episode in self.ground.episodes(vote, won)]

    def games_lost(
        self, rule: Policy, vote: Policy, most: int, rng: np.random.Generator
    ) -> tuple[list[list[Grid]], list[dict[Grid, Action]]]:
        """Return some games that a rule plays worse than a vote: the vote's positions; the rule's, with its actions."""
        assert self.ground is not None
        both = zip(self.ground.results(rule, ALL_LEVELS), self.ground.results(vote, ALL_LEVELS), strict=False)
        lost = [i for i, (own, votes) in enumerate(both) if votes > own]
        chosen = [lost[i] for i in rng.permutation(len(lost))[:most].tolist()]
        by_vote, by_rule = (self.ground.episodes(player, chosen) for player in (vote, rule))
        positions = [[step.grid for step in episode.steps] for episode in by_vote]
        return positions, [{step.grid: step.action for step in episode.steps} for episode in by_rule]


FEW_GRIDS = 30  # with fewer, rules are chosen and rated on the same grids


@dataclass
class GridScoring(Scoring):
    """Compares policies with a vote on grids, where no world can be played. Each grid is a game of one step.

    Attributes:
        grids: the grids. A third of them rate the chosen rule, and have no part in choosing it.
        vote: the policy to agree with.
    """

    grids: Sequence[Grid] = ()
    vote: Policy | None = None
    as_good: float = 0.8  # no game says whether another action is as good
    _good: Positions = field(init=False)

    def __post_init__(self) -> None:
        assert self.vote is not None
        self._fresh = self._chosen_by = distinct = list(dict.fromkeys(self.grids))
        if len(distinct) >= FEW_GRIDS:
            self._fresh, self._chosen_by = distinct[::3], [grid for i, grid in enumerate(distinct) if i % 3]
        self._good = Positions(self.vote, self.as_good)
        self._good.add([[grid] for grid in distinct])

    def scores_on_all(self, policies: Sequence[Policy]) -> list[float]:
        """Return the share of grids in which each policy does what the vote does."""
        return [sum(self._agrees(policy, self._chosen_by)) / len(self._chosen_by) for policy in policies]

    validated = scores_on_all

    def expectations(self, policies: Sequence[Policy]) -> list[SuccessRate]:
        """Return the number of fresh grids in which each policy does what the vote does."""
        count = len(self._fresh)
        return [SuccessRate(sum(self._agrees(policy, self._fresh)), count, "positions") for policy in policies]

    def games_won(self, vote: Policy) -> list[list[Grid]]:
        return [[grid] for grid in self._chosen_by]

    def games_lost(
        self, rule: Policy, vote: Policy, most: int, rng: np.random.Generator
    ) -> tuple[list[list[Grid]], list[dict[Grid, Action]]]:
        agrees = self._agrees(rule, self._chosen_by)
        lost = [grid for grid, good in zip(self._chosen_by, agrees, strict=True) if not good]
        chosen = [lost[i] for i in rng.permutation(len(lost))[:most].tolist()]
        return [], [{grid: action} for grid, action in zip(chosen, rule.act_many(chosen), strict=True)]

    def _agrees(self, policy: Policy, grids: Sequence[Grid]) -> list[bool]:
        return [action in self._good.good[grid] for grid, action in zip(grids, policy.act_many(grids), strict=True)]


def _name(start: Start) -> str:
    world, seed = start
    return world.level(seed).name
