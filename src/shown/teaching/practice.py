"""Practice: candidates play levels that the game makes, without any expert; those that win are preferred and varied.

This is more than imitation: the game's goal decides between rules that explain the demonstrations equally well. What
was shown stays explained: rules are only ever put together from clauses that allow nothing that is ruled out, until all
that was shown is allowed.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from shown.games.episodes import LevelWorld
from shown.games.game import Game
from shown.games.levels import Level
from shown.inference.clauses import Pool
from shown.inference.formulas import Clauses, formula_bits
from shown.inference.learner import to_formula
from shown.inference.posterior import log_likelihood, log_prior
from shown.policy import Component, Policy
from shown.teaching.elsewhere import here
from shown.teaching.hypotheses import Fitted
from shown.world import Start, World, wins

FIRST, SOME, LAST = 12, 40, 120
"""A candidate that does well on the first few levels is tried on more; one that wins them all is what is wanted."""

FRESH = (200, 300)
"""The levels on which what was chosen is tried in the end. They play no part in choosing, so their score is honest."""


SEEDS = 2**30
"""Worlds are practised on with seeds from here on, so that those a person names stay unseen."""


Players = Callable[[Sequence[Start], Sequence[Policy], float], list[list[bool]]]
"""What each of several policies wins of some starts, in so many seconds."""


class Ground:
    """Levels to practise on, made as they are needed, and what has been won on them.

    They are drawn from seeds that no `random:SEED` has, so that levels named so stay unseen. A world that is no game is
    reset with seeds nobody names. Where a world is slow, time may be over before all is played: what has been counts.

    >>> from shown.games import find
    >>> from shown.policy import uniform_policy
    >>> nim = find("nim")
    >>> ground = Ground(nim)
    >>> ground.score(uniform_policy(nim.tokens), 5) < 1
    True

    Attributes:
        allowance: how many seconds playing may take at a time.
        seconds: how many of them are left.
        players: has several policies play the levels of a game, in so many seconds.
    """

    def __init__(self, game: Game | World, seed: int = 0, allowance: float = math.inf, players: Players = here) -> None:
        self.game, self.seed, self.allowance, self.seconds = game, seed, allowance, allowance
        self.players = players
        self._pace: float | None = None
        self._starts: list[Start] = []
        self._won: dict[tuple[Component, ...], list[bool]] = {}

    def starts(self, first: int, last: int) -> list[Start]:
        """Levels number `first` to `last` (not included), each to be played."""
        while len(self._starts) < last:
            self._starts.append(self._start(len(self._starts)))
        return self._starts[first:last]

    def _start(self, i: int) -> Start:
        if isinstance(self.game, World):
            return self.game.another(), SEEDS + 1000 * self.seed + i
        grid = self.game.generate(np.random.default_rng([self.seed, 0x9AC, i]))
        return LevelWorld(self.game, Level(f"practice:{self.seed}:{i}", grid)), self.seed

    def go_on(self, share: float = 1.0) -> None:
        """Allows playing for a share of the allowance from now on."""
        self.seconds = max(self.seconds, share * self.allowance)

    @property
    def over(self) -> bool:
        """Whether nothing more can be played, until it goes on."""
        return self.seconds <= 0

    def won(self, policy: Policy, count: int) -> list[bool]:
        """Whether the policy wins each of the first `count` levels; what was played before is remembered. Fewer than
        `count` if time is over before."""
        known = self._won.setdefault(policy.components, [])
        if len(known) < count:
            known += self.play(policy, len(known), count)
        return known[:count]

    def play(self, policy: Policy, first: int, last: int) -> list[bool]:
        """Whether the policy wins each of some levels; fewer if time is over before.

        All at once where time allows, since that is faster; else as many at a time as there is time for.
        """
        won: list[bool] = []
        while first < last and not self.over:
            begun = time.monotonic()
            at_once = 1 if self._pace is None else max(1, self.seconds / self._pace)
            starts = self.starts(first, int(min(last, first + at_once)))
            won += wins(starts, policy, until=begun + self.seconds)
            first += len(starts)
            taken = max(time.monotonic() - begun, 1e-9)
            self.seconds -= taken
            self._pace = taken / len(starts)
        return won

    def score(self, policy: Policy, count: int) -> float:
        """The share of the first `count` levels that the policy wins. Where time is over before all are played, it is
        taken to lose one more: to have won the only level played is less than to have won many."""
        won = self.won(policy, count)
        return sum(won) / count if len(won) == count else sum(won) / (len(won) + 1)

    def scores(self, policies: Sequence[Policy], count: int) -> list[float]:
        """`score` of each of some policies of one language. In a game they play side by side, which is faster."""
        if isinstance(self.game, Game):
            by_played: dict[int, list[Policy]] = {}
            for policy in {policy.components: policy for policy in policies}.values():
                by_played.setdefault(len(self._won.setdefault(policy.components, [])), []).append(policy)
            for played, group in by_played.items():
                self._play_together(group, played, count)
        return [self.score(policy, count) for policy in policies]

    def _play_together(self, policies: Sequence[Policy], first: int, last: int) -> None:
        """Has each play some levels, as far as there is time."""
        if len(policies) < 2 or first >= last or self.over:
            return
        begun = time.monotonic()
        won = self.players(self.starts(first, last), policies, self.seconds)
        self.seconds -= time.monotonic() - begun
        for policy, of_one in zip(policies, won, strict=True):
            self._won[policy.components] += of_one


def best_of(policies: Iterable[Policy], ground: Ground, levels: int) -> tuple[float, Policy]:
    """The policy that wins most of the first levels, with the share it wins."""
    tried = list(policies)
    return max(zip(ground.scores(tried, levels), tried, strict=True), key=lambda item: item[0])


Committee = tuple[Clauses, ...]
"""Formulas that act together, each with the same weight."""


@dataclass
class Variation:
    """Puts committees of formulas together from a hypothesis's clauses, and learns which clauses win.

    What a clause is worth is how much better than others the committees with it have done; worthy clauses are made to
    look cheap when the next formulas are put together (the cross-entropy method, with the cover as its constraint).

    Attributes:
        fitted: the hypothesis.
        ground: where they play.
        rng: of all random choices.
        size: formulas in a committee.
        levels: on how many levels a committee is tried.
        batch: how many committees are drawn at a time.
        tried: the share of levels won by each committee so far.
    """

    fitted: Fitted
    ground: Ground
    rng: np.random.Generator
    size: int = 5
    levels: int = 24
    batch: int = 12

    def __post_init__(self) -> None:
        assert self.fitted.pool is not None
        self._pool: Pool = self.fitted.pool
        self._place = {clause: i for i, clause in enumerate(self._pool.clauses)}
        self._total = np.zeros(len(self._place))
        self._times = np.zeros(len(self._place))
        self.tried: dict[Committee, float] = {}

    def step(self) -> float:
        """Tries a few committees; the share of levels that the best so far wins."""
        worth = self._total / np.maximum(self._times, 1)
        drawn = dict.fromkeys(self._drawn(worth) for _ in range(self.batch))
        new = [committee for committee in drawn if committee not in self.tried]
        scores = dict(zip(new, self.ground.scores([self.policy(c) for c in new], self.levels), strict=True))
        self.tried |= scores
        usual = float(np.mean(list(self.tried.values())))
        for committee, score in scores.items():
            for place in {self._place[clause] for formula in committee for clause in formula}:
                self._total[place] += score - usual
                self._times[place] += 1
        return max(self.tried.values())

    def best(self, counts: Sequence[int] = (1, 4, 12)) -> Iterator[Policy]:
        """The policies of the best committee, and of several of the best together."""
        ranked = sorted(self.tried, key=lambda committee: (-self.tried[committee], committee))
        for count in counts:
            yield self.policy(tuple(formula for committee in ranked[:count] for formula in committee))

    def policy(self, committee: Committee) -> Policy:
        """A committee as a policy; a formula that is there twice counts twice."""
        base = self.fitted.policy
        assert base is not None
        share = 1.0 / len(committee)
        components = [
            replace(self._component(formula), weight=share * committee.count(formula))
            for formula in dict.fromkeys(committee)
        ]
        components.sort(key=lambda c: (-c.weight, -c.log_prior, len(c.formula.literals)))
        return replace(base, components=tuple(components))

    def _drawn(self, worth: np.ndarray) -> Committee:
        draws = [self._pool.formula(0.3 * self.rng.standard_normal(len(worth)) - 15 * worth) for _ in range(self.size)]
        return tuple(sorted(formula for formula in draws if formula is not None))

    def _component(self, formula: Clauses) -> Component:
        features, evidence, pinned = self.fitted.features, self.fitted.evidence, self.fitted.pinned
        allowed = formula_bits(formula, features.columns, evidence.mask)
        if pinned is None:
            likelihood, prior = log_likelihood(allowed, evidence), log_prior(formula, features.log_prior)
        else:
            likelihood = log_likelihood(pinned.allowed(allowed), pinned.whole)
            prior = log_prior(formula, features.log_prior, pinned.log_prior)
        return Component(1.0, prior, likelihood, to_formula(formula, features, pinned))


class Varying(Protocol):
    """Something that gets better step by step."""

    def step(self) -> float:
        """Goes on a little; the share of levels that the best so far wins."""
        ...


def vary(variations: Sequence[Varying], rounds: int, until: float = np.inf) -> Iterator[float]:
    """Lets several get better in turn, the better one more often, until all is won.

    Yields, after each step, the share of levels that the best of all wins. It ends after so many `rounds`, and, should
    they take longer than that, at `until` by the monotonic clock; only then does the result depend on the machine.
    """
    if not variations:
        return
    best = [variation.step() for variation in variations]
    turns = [1] * len(variations)
    for _ in range(rounds):
        yield max(best)
        if max(best) >= 1.0 or time.monotonic() > until:
            return
        # Who does well gets more turns, and nobody is forgotten.
        who = max(range(len(best)), key=lambda i: best[i] + 0.3 * np.sqrt(np.log(sum(turns)) / turns[i]))
        best[who] = variations[who].step()
        turns[who] += 1
    yield max(best)
