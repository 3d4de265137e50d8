"""Practice: candidates play generated levels, and the game's goal decides between rules that fit equally well.

The demonstrations stay explained: rules are only made of clauses that allow nothing that is ruled out, until they allow
everything that was shown.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import takewhile

import numpy as np

from shown.grid import Grid
from shown.inference.clauses import Pool
from shown.inference.learner import to_formula
from shown.inference.posterior import log_likelihood, log_prior
from shown.language.primitives import Language
from shown.policy import Component, Policy
from shown.rules.bitwise import Clauses, formula_bits
from shown.teaching.interpretation.fitter import Fitted
from shown.teaching.practice.game_tree import GameTree
from shown.teaching.practice.measure import WINNING, Measure
from shown.worlds import Episode, Playable, Start, play_starts, wins
from shown.worlds.episodes import tallies

FEW_LEVELS, SOME_LEVELS, ALL_LEVELS = 12, 40, 120  # a candidate that does well on few levels plays more
VALIDATION_LEVELS = (120, 200)  # played by single rules and by the vote that they may replace
FRESH_LEVELS = (200, 300)  # played by the selected policy only, so that its score on them is unbiased
AFTER_ALL = 1000  # distance between the numbers of levels drawn instead of known ones, above all others
MAX_DRAWS = 20  # levels drawn to find one that is not known; a game may have few
STEPS_PER_SECOND = 1000  # by return, a policy plays at most this many steps for each second of the allowance

Which = int | Sequence[int]
"""Practice levels: a number of the first ones, or their numbers."""


class Ground:
    """Practice levels, generated as they are needed, and the results on them.

    No level named `random:SEED` is among them. In a slow world time may be over before all levels are played.

    >>> from shown.worlds import find
    >>> from shown.policy import uniform_policy
    >>> nim = find("nim")
    >>> ground = Ground(nim)
    >>> ground.score(uniform_policy(nim.tokens), 5) < 1
    True

    Attributes:
        measure: what an episode is worth.
        allowance: seconds of playing granted at a time.
        seconds: seconds left.
    """

    def __init__(self, game: Playable, seed: int = 0, allowance: float = math.inf) -> None:
        self.game, self.seed, self.allowance, self.seconds = game, seed, allowance, allowance
        self.measure = WINNING
        self._tree = None if game.rules is None else GameTree(game.rules)
        self._pace: float | None = None
        self._starts: dict[int, Start] = {}
        self._grids: dict[int, Grid] = {}  # the first ones of the levels of a game
        self._results: dict[tuple[Component, ...], dict[int, float]] = {}
        self._policies: dict[tuple[Component, ...], Policy] = {}

    def adopt(self, measure: Measure) -> None:
        """Measure episodes so from now on; results by another horizon, or of another kind, are forgotten."""
        if (measure.by_return, measure.horizon) != (self.measure.by_return, self.measure.horizon):
            self._results.clear()
        self.measure = measure
        if measure.by_return:
            self._pace = measure.seconds

    def starts(self, first: int, last: int) -> list[Start]:
        """Return the levels from `first` up to, but without, `last`."""
        return self._some(range(first, last))

    def episodes(self, policy: Policy, numbers: Sequence[int]) -> list[Episode]:
        """Play some levels and keep the steps; episodes end early if time is over."""
        horizon = None if math.isinf(self.measure.horizon) else int(self.measure.horizon)
        with self.playing() as deadline:
            return play_starts(self._some(numbers), policy, horizon, deadline)

    @contextmanager
    def playing(self) -> Iterator[float]:
        """Count the time of the block as playing; give its deadline by the monotonic clock."""
        begun = time.monotonic()
        yield begun + self.seconds
        self.seconds -= time.monotonic() - begun

    def go_on(self, share: float = 1.0) -> None:
        """Allow playing for a share of the allowance from now on."""
        self.seconds = max(self.seconds, share * self.allowance)

    def stop_at(self, until: float) -> None:
        """Allow no playing after `until` by the monotonic clock."""
        self.seconds = min(self.seconds, until - time.monotonic())

    @property
    def over(self) -> bool:
        """Whether there is no time left to play."""
        return self.seconds <= 0

    def results(self, policy: Policy, levels: Which) -> list[float]:
        """Return 1 or 0 for each of some levels, as the policy wins it or not, or its return; fewer if time is over.

        Results are kept.
        """
        numbers, known = self._numbers(levels), self._known(policy)
        missing = [number for number in numbers if number not in known]
        if missing:
            known.update(zip(missing, self.play(policy, missing), strict=False))
        return [known[number] for number in takewhile(known.__contains__, numbers)]

    def worths(self, policy: Policy, levels: Which) -> list[float]:
        """Return what each of some levels is worth, 1 if the policy wins it; fewer if time is over."""
        return [self.measure.worth(result) for result in self.results(policy, levels)]

    def play(self, policy: Policy, levels: Which) -> list[float]:
        """Return the result of each of some levels; fewer if time is over.

        Many levels are played side by side, because that is faster: as many as half of the time allows, because none
        of them may have ended when time is over.
        """
        found: list[float] = []
        left = list(self._numbers(levels))
        while left and not self.over:
            before = self.seconds
            at_once = int(min(len(left), 1 if self._pace is None else max(1, self.seconds / self._pace / 2)))
            with self.playing() as deadline:
                starts = self._some(left[:at_once])
                found += (played := self._played(starts, policy, deadline))
            left = left[at_once:]
            if len(played) == at_once and not self.measure.by_return:  # or else the pace is unknown, or known
                self._pace = max(before - self.seconds, 1e-9) / at_once
        return found

    def _played(self, starts: Sequence[Start], policy: Policy, deadline: float) -> Sequence[float]:
        if self._tree is not None:
            return self._tree.wins(starts, [policy], deadline)[0]
        if not self.measure.by_return:
            return wins(starts, policy, deadline=deadline)
        return [tally.reward for tally in tallies(starts, policy, deadline=deadline, horizon=self.measure.horizon)]

    def score(self, policy: Policy, levels: Which) -> float:
        """Return the share of some levels that the policy wins, or what they are worth on average.

        If time is over before, one more level counts as lost: winning the only level played is worth less than many.
        """
        worths, count = self.worths(policy, levels), len(self._numbers(levels))
        return sum(worths) / count if len(worths) == count else sum(worths) / (len(worths) + 1)

    def scores(self, policies: Sequence[Policy], levels: Which) -> list[float]:
        """Return the `score` of each of some policies; in a game, those of one language play side by side."""
        if self._tree is not None:
            alike: dict[tuple[Language, tuple[int, ...]], list[Policy]] = {}
            for policy in {policy.components: policy for policy in policies}.values():
                known = self._known(policy)
                missing = tuple(number for number in self._numbers(levels) if number not in known)
                alike.setdefault((policy.language, missing), []).append(policy)
            for (_, missing), group in alike.items():
                self._play_together(group, missing)
        return [self.score(policy, levels) for policy in policies]

    def compared(self, policies: Sequence[Policy], levels: Which) -> list[float]:
        """Return what each of some policies wins of the levels that all of them play; they share the time."""
        if self.game.rules is not None or math.isinf(self.seconds):
            self.scores(policies, levels)
        for left, policy in zip(range(len(policies), 0, -1), policies, strict=True):
            later = 0.0 if math.isinf(self.seconds) else self.seconds * (1 - 1 / left)
            self.seconds -= later
            self.results(policy, levels)
            self.seconds += later
        worths = [self.worths(policy, levels) for policy in policies]
        played = min(map(len, worths))
        return [sum(own[:played]) / max(played, 1) for own in worths]

    def known_on(self, levels: Which) -> bool:
        """Return whether some policy has played all of some levels."""
        wanted = set(self._numbers(levels))
        return any(known.keys() >= wanted for known in self._results.values())

    def winner(self, number: int) -> Policy | None:
        """Return the policy that wins most levels among those that win the level with this number, or None."""
        practiced = range(ALL_LEVELS)
        count = {
            parts: sum(known.get(level, 0.0) for level in practiced)
            for parts, known in self._results.items()
            if number in known and self.measure.worth(known[number]) >= 1
        }
        return self._policies[max(count, key=lambda parts: count[parts])] if count else None

    def hardest(self, count: int, among: int) -> list[int]:
        """Return the numbers of some of the first `among` levels: those that the fewest policies win, hardest first."""
        everything = set(range(among))
        played = [known for known in self._results.values() if known.keys() >= everything]
        times = [sum(known[number] for known in played) for number in range(among)]
        return sorted(range(among), key=lambda number: (times[number], number))[:count]

    def _numbers(self, levels: Which) -> Sequence[int]:
        """Return the numbers of some levels; by return only the first ones, if episodes are long."""
        numbers = range(levels) if isinstance(levels, int) else levels
        if not self.measure.by_return:
            return numbers
        return numbers[: int(max(FEW_LEVELS, min(STEPS_PER_SECOND * self.allowance / self.measure.length, ALL_LEVELS)))]

    def _known(self, policy: Policy) -> dict[int, float]:
        """Return the results of a policy so far, by the number of the level."""
        self._policies.setdefault(policy.components, policy)
        return self._results.setdefault(policy.components, {})

    def _some(self, numbers: Sequence[int]) -> list[Start]:
        for number in numbers:
            if number not in self._starts:
                self._starts[number] = self._new_start(number)
        return [self._starts[number] for number in numbers]

    def _new_start(self, number: int) -> Start:
        """Return the level with a number; in a game, those that judge are none of those that chose, if possible."""
        start = self.game.practice_start(number, self.seed)
        if self.game.rules is None:
            return start
        first = max((first for first, _ in (VALIDATION_LEVELS, FRESH_LEVELS) if first <= number), default=0)
        chose = {grid for earlier, grid in self._grids.items() if earlier < first}
        for draw in range(1, MAX_DRAWS):
            if self._first_grid(start) not in chose:
                break
            start = self.game.practice_start(number + AFTER_ALL * draw, self.seed)
        self._grids[number] = self._first_grid(start)
        return start

    def _first_grid(self, start: Start) -> Grid:
        return start[0].level(self.seed).grid

    def _play_together(self, policies: Sequence[Policy], numbers: Sequence[int]) -> None:
        """Play some levels with all policies, as far as time allows."""
        if self._tree is None or len(policies) < 2 or not numbers or self.over:
            return
        with self.playing() as deadline:
            won = self._tree.wins(self._some(numbers), policies, deadline)
        for policy, of_one in zip(policies, won, strict=True):
            self._results[policy.components].update(zip(numbers, of_one, strict=False))


def best_of(policies: Iterable[Policy], ground: Ground, levels: Which) -> tuple[float, Policy]:
    """Return the policy that wins most of some levels, after the share it wins."""
    tried = list(policies)
    return max(zip(ground.scores(tried, levels), tried, strict=True), key=lambda item: item[0])


Committee = tuple[Clauses, ...]
"""Formulas that act together with equal weights."""

COMMITTEE_SIZE = 5  # number of formulas in a committee
COMMITTEES = 12  # committees drawn at a time
BEST_COMMITTEES = (12, 4, 1)  # numbers of the best ones that are tried together; among equals the largest is taken


@dataclass
class Variation:
    """Forms committees of formulas from a hypothesis's clauses, and learns which clauses win.

    The worth of a clause is the mean advantage of the committees that have it. Worthy clauses get cheaper when the next
    formulas are covered: the cross-entropy method, constrained by the cover.

    Attributes:
        fitted: the fitted hypothesis.
        ground: the practice levels.
        rng: source of all random choices.
        levels: levels that a committee plays.
        tried: share of levels won by each committee so far.
    """

    fitted: Fitted
    ground: Ground
    rng: np.random.Generator
    levels: Which = 24

    def __post_init__(self) -> None:
        assert self.fitted.pool is not None
        self._pool: Pool = self.fitted.pool
        self._place = {clause: i for i, clause in enumerate(self._pool.clauses)}
        self._total = np.zeros(len(self._place))
        self._times = np.zeros(len(self._place))
        self._components: dict[Clauses, Component] = {}
        self.tried: dict[Committee, float] = {}

    def step(self) -> float:
        """Play a batch of committees; return the share of levels that the best so far wins."""
        worth = self._total / np.maximum(self._times, 1)
        drawn = dict.fromkeys(self._drawn(worth) for _ in range(COMMITTEES))
        new = [committee for committee in drawn if committee not in self.tried]
        scores = dict(zip(new, self.ground.scores([self.policy(c) for c in new], self.levels), strict=True))
        self.tried |= scores
        usual = float(np.mean(list(self.tried.values())))
        for committee, score in scores.items():
            for place in {self._place[clause] for formula in committee for clause in formula}:
                self._total[place] += score - usual
                self._times[place] += 1
        return max(self.tried.values())

    def best(self) -> Iterator[Policy]:
        """Yield the policies of several of the best committees together, and of the best one."""
        ranked = sorted(self.tried, key=lambda committee: (-self.tried[committee], committee))
        for count in BEST_COMMITTEES:
            yield self.policy(tuple(formula for committee in ranked[:count] for formula in committee))

    def policy(self, committee: Committee) -> Policy:
        """Return a committee as a policy; a formula that it has twice counts twice."""
        base = self.fitted.policy
        assert base is not None
        share = 1.0 / len(committee)
        components = []
        for formula in dict.fromkeys(committee):
            if formula not in self._components:
                self._components[formula] = self._component(formula)
            components.append(replace(self._components[formula], weight=share * committee.count(formula)))
        components.sort(key=lambda c: (-c.weight, -c.log_prior, len(c.formula.literals)))
        return replace(base, components=tuple(components))

    def _drawn(self, worth: np.ndarray) -> Committee:
        draws = [
            self._pool.formula(0.3 * self.rng.standard_normal(len(worth)) - 15 * worth) for _ in range(COMMITTEE_SIZE)
        ]
        return tuple(sorted(formula for formula in draws if formula is not None))

    def _component(self, formula: Clauses) -> Component:
        features, pinned = self.fitted.features, self.fitted.pinned
        allowed = pinned.allowed(formula_bits(formula, features.columns, pinned.rest.mask))
        prior = log_prior(formula, features.log_prior, pinned.log_prior)
        likelihood = log_likelihood(allowed, pinned.whole)
        return Component(1.0, prior, likelihood, to_formula(formula, features, pinned.clauses))
