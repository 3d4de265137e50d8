"""Learning from one's own lost games: some action in each was wrong, and a rule that would not have taken it is sought.

From few demonstrations the cheapest rules are often too general: nothing shown so far needed another literal. Practice
has counterexamples in plenty, only nobody says which action lost the game. So one is suspected: the last, the first, or
any; a few suspected actions are refused, as a teacher would say "not this", and the hypothesis is fitted again. If that
wins more, the suspicion is kept. What the teacher has shown is never suspected, so it stays explained.

Fitting again is dear and leads to a rule that is another in many places. So half of the time no more is suspected, and
more committees are made of the clauses that the best fit so far has found.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from shown.demonstrations import Demonstration, Demonstrations, Step
from shown.policy import Policy
from shown.teaching.hypotheses import Fitted, Fitter, flattened
from shown.teaching.practice import LAST as LAST_LEVEL
from shown.teaching.practice import SOME, Ground, Variation, best_of
from shown.world import play_many

AT_ONCE = 5
"""At most so many actions are suspected at a time."""

LAST, FIRST = 0.45, 0.25
"""How often the last action of a lost game is suspected, and how often the first; otherwise it is any."""

VARY = 0.5
"""How often more committees of the best fit are tried, instead of fitting again."""

LUCK = 0.05
"""So much less may be won of a few levels by what wins more of many."""

FORGET = 0.2
"""How often, when nothing fits any more, half of the suspicions are dropped."""


def fitted_again(fitter: Fitter, fitted: Fitted, more: Iterable[Step]) -> Fitted:
    """A hypothesis fitted to what was shown and to some steps that practice has found out."""
    shown = fitted.shown
    items = tuple(Demonstration((step,)) for step in more)
    return fitter.fit(fitted.hypothesis, shown, Demonstrations(shown.tokens, items, shown.game, shown.buttons))


@dataclass
class Suspicion:
    """The best policy so far of one hypothesis, and the actions that are taken to be wrong.

    Attributes:
        fitter: fits the hypothesis again.
        fitted: the hypothesis.
        ground: where it plays.
        rng: of all random choices.
        temperature: see `flattened`.
        levels: on how many levels policies are compared.
        few: on so many of them is tried first who is worth it.
        refused: the actions suspected so far, to good effect.
        best: the policies that won most, the latest last, with the share they won.
    """

    fitter: Fitter
    fitted: Fitted
    ground: Ground
    rng: np.random.Generator
    temperature: float
    levels: int = LAST_LEVEL
    few: int = SOME
    refused: tuple[Step, ...] = ()
    best: list[tuple[float, Policy]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._shown = {(step.grid, step.action) for step in self.fitted.shown.steps}
        policy, self._variation = self._tried(self.fitted)
        self.best.append((self.ground.score(policy, self.levels), policy))

    def step(self) -> float:
        """Tries more committees, or suspects a few actions and learns again; the share that the best so far wins."""
        score, policy = self.best[-1]
        if self._variation is not None and self.rng.random() < VARY:
            self._variation.step()
            self._take(best_of(self._variation.best((1, 4, 12)), self.ground, self.few)[1])
            return self.best[-1][0]
        lost = [i for i, won in enumerate(self.ground.won(policy, self.levels)) if not won]
        if not lost or self.ground.over:
            return score
        trial = tuple(dict.fromkeys((*self.refused, *self._suspected(policy, lost))))
        found = fitted_again(self.fitter, self.fitted, trial)
        if found.policy is None:
            if self.rng.random() < FORGET:
                self.refused = self.refused[: len(self.refused) // 2]
            return score
        tried, variation = self._tried(found)
        if self._take(tried):
            self.refused, self._variation = trial, variation
        return self.best[-1][0]

    def policies(self) -> Iterator[Policy]:
        """Those that won most."""
        return (policy for _, policy in self.best)

    def _suspected(self, policy: Policy, lost: list[int]) -> Iterator[Step]:
        """Actions of the policy in some of the levels that it has lost."""
        chosen = self.rng.permutation(len(lost))[: int(self.rng.integers(1, AT_ONCE + 1))]
        starts = self.ground.starts(0, self.levels)
        for episode in play_many([starts[lost[i]] for i in chosen.tolist()], policy):
            taken = list(dict.fromkeys((step.grid, step.action) for step in episode.steps))
            chance = self.rng.random()
            place = -1 if chance < LAST else 0 if chance < LAST + FIRST else int(self.rng.integers(len(taken)))
            if taken[place] not in self._shown:
                yield Step(*taken[place], refused=True)

    def _tried(self, found: Fitted) -> tuple[Policy, Variation | None]:
        """The best of what a fit leads to: its mixture, or committees of its clauses."""
        assert found.policy is not None
        policies = [flattened(policy, self.temperature) for policy in (found.policy, found.grown) if policy is not None]
        variation = None
        if found.pool is not None:
            variation = Variation(found, self.ground, self.rng)
            variation.step()
            variation.step()
            policies += variation.best((1, 4))
        return best_of(policies, self.ground, self.few)[1], variation

    def _take(self, policy: Policy) -> bool:
        """Whether a policy is the best from now on: it wins no less than the one that was. One that is clearly behind
        on a few levels is not tried on more; a little is luck."""
        score, before = self.best[-1]
        if self.ground.score(policy, self.few) < self.ground.score(before, self.few) - LUCK:
            return False
        now = self.ground.score(policy, self.levels)
        if now < score:
            return False
        self.best = [*self.best[-2:], (now, policy)]
        return True
