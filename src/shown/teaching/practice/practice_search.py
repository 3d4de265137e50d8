"""Searches that improve the policy of a hypothesis in practice, and their schedule."""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from shown.demonstrations import Step
from shown.inference.clauses import Effort
from shown.policy import Policy
from shown.teaching.interpretation.fitter import Fitted, Fitter
from shown.teaching.interpretation.hypotheses import flattened
from shown.teaching.practice.ground import ALL_LEVELS, Ground


@dataclass
class PracticeSearch(ABC):
    """Improves the policy of one hypothesis step by step.

    Attributes:
        fitter: fits the hypothesis again.
        fitted: the fitted hypothesis.
        ground: the practice levels.
        rng: source of all random choices.
        levels: number of levels on which policies are compared.
        seconds: expected duration of a step: at first that of the fit, then a running average.
        until: time by the monotonic clock by which a step should end; a fit then makes do with what it has found.
        best: the best policies with the shares they won, the latest last.
    """

    fitter: Fitter
    fitted: Fitted
    ground: Ground
    rng: np.random.Generator
    levels: int = ALL_LEVELS
    seconds: float = 0.0
    until: float = math.inf
    best: list[tuple[float, Policy]] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        self._shown = {(step.grid, step.action) for step in self.fitted.shown.steps}

    @abstractmethod
    def step(self) -> float:
        """Do one step; return the share of levels that the best policy so far wins."""

    def _lost(self, policy: Policy) -> list[int]:
        """Return the levels that a policy loses, by return those below its best one; none if time is over."""
        worths = self.ground.worths(policy, self.levels)
        best = max(worths, default=1.0) if self.ground.measure.by_return else 1.0
        lost = [i for i, worth in enumerate(worths) if worth < best]
        return [] if self.ground.over else lost

    def _fit_again(self, more: Sequence[Step], effort: Effort, earlier: Fitted | None = None) -> Fitted:
        """Fit the hypothesis to the demonstrations and to further steps found in practice."""
        effort = replace(effort, until=self.until)
        return self.fitter.fit(self.fitted.hypothesis, self.fitted.shown, effort, earlier, more)

    def _mixtures(self, found: Fitted) -> list[Policy]:
        return [flattened(policy) for policy in (found.policy, found.grown) if policy is not None]


def vary(searches: Sequence[PracticeSearch], rounds: int, until: float = np.inf) -> Iterator[float]:
    """Improve several searches in turn, the better ones more often, until all levels are won.

    Yield the share of levels that the best of all wins after each step. Stop after `rounds` steps, or when the next one
    is not expected to end before `until` by the monotonic clock; only then does the result depend on the machine.
    """
    if not searches:
        return
    best = [search.best[-1][0] for search in searches]
    turns = [0] * len(searches)
    for turn in range(rounds):
        # Each search has its turn first. Then, by an upper confidence bound, the better ones get more turns.
        chosen = turns.index(0) if 0 in turns else max(range(len(best)), key=lambda i: _bound(best[i], turn, turns[i]))
        search, begun = searches[chosen], time.monotonic()
        won = max(best) >= 1.0 and not search.ground.measure.by_return
        if won or begun + search.seconds > until:
            return
        search.ground.stop_at(until)
        search.until = until
        best[chosen] = search.step()
        search.seconds += (time.monotonic() - begun - search.seconds) / 2
        turns[chosen] += 1
        yield max(best)


def _bound(score: float, turns: int, own: int) -> float:
    return score + 0.3 * math.sqrt(math.log(turns) / own)
