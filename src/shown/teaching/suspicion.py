"""Learning from one's own lost games: some action in each was wrong, and a rule that would not have taken it is sought.

From few demonstrations the cheapest rules are often too general: nothing shown so far needed another literal. Practice
has counterexamples in plenty, only nobody says which action lost the game. So one is suspected: the last, the first, or
any; a few suspected actions are refused, as a teacher would say "not this", and the hypothesis is fitted again. If that
wins more, the suspicion is kept. What the teacher has shown is never suspected, so it stays explained.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from shown.demonstrations import Demonstration, Demonstrations, Step
from shown.policy import Policy
from shown.teaching.hypotheses import Fitted, Fitter, flattened
from shown.teaching.practice import Ground, Variation
from shown.world import Episode, play_many

AT_ONCE = 5
"""At most so many actions are suspected at a time."""

LAST, FIRST = 0.45, 0.25
"""How often the last action of a lost game is suspected, and how often the first; otherwise it is any."""

FORGET = 0.2
"""How often, when nothing fits any more, half of the suspicions are dropped."""


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
        refused: the actions suspected so far, to good effect.
        best: the policies that won most, the latest last, with the share they won.
    """

    fitter: Fitter
    fitted: Fitted
    ground: Ground
    rng: np.random.Generator
    temperature: float
    levels: int = 40
    refused: tuple[Step, ...] = ()
    best: list[tuple[float, Policy]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._shown = {(step.grid, step.action) for step in self.fitted.shown.steps}
        self.best.append(self._tried(self.fitted))

    def step(self) -> float:
        """Suspects a few actions and learns again; the share of levels that the best so far wins."""
        score, policy = self.best[-1]
        episodes = play_many(self.ground.starts(0, self.levels), policy)
        lost = [episode for episode in episodes if not episode.won]
        if not lost:
            return score
        trial = tuple(dict.fromkeys((*self.refused, *self._suspected(lost))))
        found = self._fit(trial)
        if found.policy is None:
            if self.rng.random() < FORGET:
                self.refused = self.refused[: len(self.refused) // 2]
            return score
        tried = self._tried(found)
        if tried[0] >= score:
            self.refused = trial
            self.best = [*self.best[-2:], tried]
        return self.best[-1][0]

    def policies(self) -> Iterator[Policy]:
        """Those that won most."""
        return (policy for _, policy in self.best)

    def _suspected(self, lost: list[Episode]) -> Iterator[Step]:
        chosen = self.rng.permutation(len(lost))[: int(self.rng.integers(1, AT_ONCE + 1))]
        for episode in (lost[i] for i in chosen.tolist()):
            taken = list(dict.fromkeys((step.grid, step.action) for step in episode.steps))
            chance = self.rng.random()
            place = -1 if chance < LAST else 0 if chance < LAST + FIRST else int(self.rng.integers(len(taken)))
            if taken[place] not in self._shown:
                yield Step(*taken[place], refused=True)

    def _fit(self, refused: tuple[Step, ...]) -> Fitted:
        shown = self.fitted.shown
        more = Demonstrations(
            shown.tokens, tuple(Demonstration((step,)) for step in refused), shown.game, shown.buttons
        )
        return self.fitter.fit(self.fitted.hypothesis, shown, more)

    def _tried(self, found: Fitted) -> tuple[float, Policy]:
        """The best of what a fit leads to: its mixture, or committees of its clauses."""
        assert found.policy is not None
        policies = [flattened(policy, self.temperature) for policy in (found.policy, found.grown) if policy is not None]
        if found.pool is not None:
            variation = Variation(found, self.ground, self.rng)
            variation.step()
            variation.step()
            policies += variation.best((1, 4))
        scores = [self.ground.score(policy, self.levels) for policy in policies]
        best = int(np.argmax(scores))
        return scores[best], policies[best]
