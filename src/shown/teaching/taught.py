"""What teaching comes to: what was understood, what is expected of it, and how far it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from shown.inference.conditioned import Contradiction
from shown.inference.failure import Failure
from shown.policy import Policy
from shown.teaching.advice import Advice
from shown.teaching.hypotheses import Hypothesis


@dataclass(frozen=True, slots=True)
class Tried:
    """How a hypothesis did.

    Attributes:
        hypothesis: the hypothesis.
        fits: whether any rule explains all that was shown under it.
        score: the share of practice levels that its mixture won, or None if it was not tried.
        literals: of its best rule.
    """

    hypothesis: Hypothesis
    fits: bool
    score: float | None = None
    literals: int | None = None


@dataclass(frozen=True, slots=True)
class Expectation:
    """How the policy is expected to do where nobody has seen it.

    Attributes:
        won: of `of` levels that played no part in choosing. Where nothing can be played: in so many positions of
            demonstrations that were left out it does what was shown there.
        of: how many those were.
        what: "levels" that are won, or "positions" in which it does as the teacher would.
    """

    won: int
    of: int
    what: Literal["levels", "positions"] = "levels"

    @property
    def share(self) -> float:
        """The share that is expected: the mean of what is left of a flat prior."""
        return (self.won + 1) / (self.of + 2)

    @property
    def spread(self) -> float:
        """The standard deviation of that."""
        a, b = self.won + 1, self.of - self.won + 1
        return float(np.sqrt(a * b / ((a + b) ** 2 * (a + b + 1))))

    def told(self, levels: int = 12) -> str:
        """
        >>> Expectation(59, 100).told()
        'expected to win about 7 of 12 new levels'
        """
        about = f"about {round(self.share * levels)} of {levels} new {self.what}"
        return f"expected to win {about}" if self.what == "levels" else f"expected to do as you would in {about}"


@dataclass(frozen=True, slots=True)
class Taught:
    """What was understood.

    Attributes:
        policy: what was learned; the policy that knows nothing if nothing fits.
        hypothesis: how the teacher was understood; None if nothing fits, or if what was learned before still does.
        tried: all hypotheses that were tried, in order.
        learned: whether anything was learned at all.
        practice: won of how many levels, on which was chosen; None without practice.
        expectation: how it will do on new levels; without rules to play by, in new positions, and None after a single
            demonstration.
        failure: if nothing fits, or only leniently, why not under the most plausible hypothesis.
        failed: that hypothesis.
        lost: the levels that what was learned before won, and this does not.
        stopped: why no more programs were looked at, where that was left open.
        steps: how many steps it was learned from.
        advice: if nothing fits, or the rule memorises, which of the teacher's own clicks are at odds.
        contradictions: what is pinned and was left out, since it allows what was ruled out.
    """

    policy: Policy
    hypothesis: Hypothesis | None
    tried: tuple[Tried, ...]
    learned: bool = False
    practice: tuple[int, int] | None = None
    expectation: Expectation | None = None
    failure: Failure | None = None
    lost: tuple[str, ...] = ()
    stopped: str | None = None
    steps: int = 0
    advice: Advice | None = None
    contradictions: tuple[Contradiction, ...] = ()
    failed: Hypothesis | None = None

    @property
    def memorises(self) -> bool:
        """Whether the rule hardly does more than repeat what was shown: it is expected to lose most levels, or, where
        that is not known, has as many conditions as there were steps."""
        if not self.learned or self.expectation is not None:
            return self.expectation is not None and self.expectation.share < 0.5
        return self.literals >= self.steps

    @property
    def literals(self) -> int:
        """How many conditions the best rule has."""
        return len(self.policy.components[0].formula.literals)


@dataclass(frozen=True, slots=True)
class Stage:
    """How far teaching is.

    Attributes:
        phase: "corrected" (what was learned before, amended, does what was shown now), "understanding" (fitting a
            hypothesis) or "trying it out".
        text: one line for a person.
        best: the policy so far, or None.
        won: the share of practice levels that the best so far wins, or None.
        seconds: since the start.
    """

    phase: str
    text: str
    best: Policy | None
    won: float | None
    seconds: float
