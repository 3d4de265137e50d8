"""The candidate policies found so far, and the best of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from shown.policy import Policy
from shown.teaching.interpretation.hypotheses import Hypothesis


@dataclass(frozen=True, slots=True)
class CandidatePolicy:
    """A policy that may be selected.

    Attributes:
        score: share of levels it wins, or share of left-out positions it explains.
        order: rank among candidates of equal score, the lowest first.
        policy: the policy.
        hypothesis: the hypothesis it was learned under, or None.
    """

    score: float
    order: int
    policy: Policy
    hypothesis: Hypothesis | None

    @property
    def rating(self) -> tuple[float, float]:
        """The score and, among equals, the log prior of the best rule: shorter is better."""
        return self.score, self.policy.components[0].log_prior


@dataclass
class Candidates:
    """All candidates.

    Attributes:
        current: candidates of the current number of programs.
        earlier: the best one of fewer programs, if nothing can be played. A later one must have a better rating.
    """

    current: list[CandidatePolicy] = field(default_factory=list)
    earlier: CandidatePolicy | None = None

    def offer(self, policy: Policy, hypothesis: Hypothesis | None, score: float, order: int | None = None) -> None:
        """Add a candidate, by default as the last among those of equal score."""
        order = len(self.current) if order is None else order
        self.current.append(CandidatePolicy(score, order, policy, hypothesis))

    @property
    def best(self) -> CandidatePolicy | None:
        """The candidate with the best score, the first among equals; None without candidates."""
        found = [candidate for candidate in (self.earlier, self._latest) if candidate is not None]
        return max(found, key=lambda candidate: candidate.rating, default=None)

    @property
    def _latest(self) -> CandidatePolicy | None:
        return max(self.current, key=lambda candidate: (candidate.score, -candidate.order), default=None)

    @property
    def perfect(self) -> bool:
        """Whether a candidate has the highest possible score."""
        return any(candidate.score >= 1.0 for candidate in self.current)

    def settle(self, scores: Callable[[Sequence[Policy]], Sequence[float]]) -> None:
        """Score the best candidate on all levels until its score stays: on few levels it may only have been lucky."""
        while (best := self.best) is not None and (settled := scores([best.policy])[0]) != best.score:
            self.current[self.current.index(best)] = replace(best, score=settled)

    def start_over(self) -> None:
        """Keep only the best candidate, as an earlier one."""
        if self.current:
            self.earlier, self.current = self._latest, []
