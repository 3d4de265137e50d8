"""Counterexamples from lost games: some action was wrong, and a rule that does not take it is sought.

From few demonstrations the simplest rules are often too general. Lost practice games are counterexamples, but do not
say which action was wrong. So one is suspected: where another policy wins the level, the first action in which the two
differ; otherwise the last, the first, or any. A few suspected actions are refused, as a teacher would, and the
hypothesis is fitted again, starting from the clauses that are still exact. If that wins more, they stay refused. Shown
actions are never suspected, so they stay explained.

Half of the rounds form more committees of the clauses of the best fit instead. New policies play the levels that the
best so far loses and the hardest ones first; only those that win more of them play all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from shown.demonstrations import Step
from shown.grid import Action, Grid
from shown.policy import Policy
from shown.teaching.interpretation.fitter import AGAIN, Fitted
from shown.teaching.practice.ground import Variation, best_of
from shown.teaching.practice.practice_search import PracticeSearch

MAX_SUSPECTS = 5  # actions suspected in one round
SUSPECT_DIFFERENT = 0.75  # probability to suspect the first action in which a policy that wins the level differs
SUSPECT_LAST, SUSPECT_FIRST = 0.45, 0.25  # probabilities to suspect the last or first action of a game; else any
VARY = 0.5  # probability to try more committees of the best fit instead of fitting again
FOCUS = 24  # levels that a policy plays first: half of them lost by the best so far, where enough were lost
FORGET = 0.2  # probability to drop half of the suspects when nothing fits any more


@dataclass
class CounterexampleSearch(PracticeSearch):
    """Improves a policy by refusing suspected actions.

    Attributes:
        refused: suspected actions that led to improvements.
    """

    refused: tuple[Step, ...] = field(default=(), init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._current = self.fitted
        score, policy = best_of(self._mixtures(self.fitted), self.ground, self.levels)
        self.best.append((score, policy))
        self._variation: Variation | None = None
        self._begun = False

    def step(self) -> float:
        """Try more committees, or refuse a few suspects and fit again; return the share that the best so far wins."""
        score, policy = self.best[-1]
        lost = self._lost(policy)
        if not lost:
            return score
        if not self._begun or (self._variation is not None and self.rng.random() < VARY):
            self._begun = True
            self._vary(self._current, self._variation, lost)
            return self.best[-1][0]
        trial = tuple(dict.fromkeys((*self.refused, *self._suspected(policy, lost))))
        found = self._fit_again(trial, AGAIN, self._current)
        if found.policy is None:
            if self.rng.random() < FORGET:
                self.refused = self.refused[: len(self.refused) // 2]
        elif self._vary(found, None, lost):
            self.refused, self._current = trial, found
        return self.best[-1][0]

    def _vary(self, found: Fitted, variation: Variation | None, lost: list[int]) -> bool:
        """Try the mixtures of a new fit, and a batch of committees; return whether one becomes the best."""
        focus = self._focus(lost)
        policies = self._mixtures(found) if variation is None else []
        if variation is None and found.pool is not None:
            variation = Variation(found, self.ground, self.rng, levels=focus)
        if variation is not None:
            variation.step()
            policies += variation.best()
        better = self._take(best_of(policies, self.ground, focus)[1], focus) if policies else False
        if better or found is self._current:
            self._variation = variation
        return better

    def _focus(self, lost: list[int]) -> list[int]:
        """Return the levels that tell most about a policy: some that the best so far loses, and hard ones."""
        chosen = [lost[i] for i in self.rng.permutation(len(lost))[: FOCUS // 2].tolist()]
        return list(dict.fromkeys([*chosen, *self.ground.hardest(FOCUS, self.levels)]))[:FOCUS]

    def _suspected(self, policy: Policy, lost: list[int]) -> Iterator[Step]:
        """Yield suspected actions from some of the lost levels."""
        chosen = self.rng.permutation(len(lost))[: int(self.rng.integers(1, MAX_SUSPECTS + 1))]
        levels = [lost[i] for i in chosen.tolist()]
        for level, taken in zip(levels, self._taken(levels, policy), strict=True):
            winner = self.ground.winner(level)
            chance = self.rng.random()
            if winner is not None and chance < SUSPECT_DIFFERENT:
                pairs = zip(taken, *self._taken([level], winner), strict=False)
                place = next((k for k, (mine, theirs) in enumerate(pairs) if mine != theirs), -1)
            else:
                place = self._guess(len(taken))
            if taken[place] not in self._shown:
                yield Step(*taken[place], refused=True)

    def _taken(self, levels: list[int], policy: Policy) -> list[list[tuple[Grid, Action]]]:
        """Return the distinct positions and actions of some games, played side by side."""
        episodes = self.ground.episodes(policy, levels)
        return [list(dict.fromkeys((step.grid, step.action) for step in episode.steps)) for episode in episodes]

    def _guess(self, length: int) -> int:
        """Return the index of a suspected action of a game of that length."""
        chance = self.rng.random()
        place = 0 if chance < SUSPECT_LAST + SUSPECT_FIRST else int(self.rng.integers(length))
        return -1 if chance < SUSPECT_LAST else place

    def _take(self, policy: Policy, focus: list[int]) -> bool:
        """Make a policy the best if it wins no less; it plays all levels only if it wins more in focus."""
        score, before = self.best[-1]
        if self.ground.score(policy, focus) <= self.ground.score(before, focus):
            return False
        now = self.ground.score(policy, self.levels)
        if now < score:
            return False
        self.best = [*self.best[-2:], (now, policy)]
        return True
