"""Results and progress of teaching."""

from __future__ import annotations

import html
from dataclasses import dataclass
from enum import Enum

from shown.inference.failure import Failure
from shown.inference.pinning import Contradiction
from shown.policy import Policy
from shown.provenance import Score, SuccessRate
from shown.teaching.dialogue.advice import Advice
from shown.teaching.interpretation.hypotheses import Hypothesis
from shown.teaching.practice.outliers import Outlier


@dataclass(frozen=True, slots=True)
class Tried:
    """A hypothesis that was tried.

    Attributes:
        hypothesis: the hypothesis.
        fits: whether a rule explains the demonstrations under it.
        score: share of practice levels won by its mixture (see `Measure`), or None without practice.
    """

    hypothesis: Hypothesis
    fits: bool
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Taught:
    """The result of teaching.

    Attributes:
        policy: the learned policy; the uniform policy if nothing fits.
        hypothesis: the hypothesis it was learned under; None if nothing fits.
        tried: all hypotheses that were tried, in order.
        learned: whether anything fits.
        practice: numbers of practice levels won and played; None without practice, or if nothing can be won.
        expectation: expected success rate on new levels or, without a world, in new positions; expected return if
            nothing can be won; None after a single demonstration without a world.
        failure: the reason why nothing fits, or only leniently, under the most plausible hypothesis; else None.
        failed: that hypothesis.
        lost: names of the levels that the earlier policy won and this one loses.
        stopped: the reason why no more programs were considered, if the number was left open, or memory was short.
        steps: number of steps it was learned from.
        advice: the teacher's conflicting clicks, if nothing fits; else None.
        contradictions: pinned clauses that were left out because they contradict the demonstrations.
        agreement: given grids in which the printed rule does what all rules together do; None without grids. If there
            are 30 or more, those counted had no part in choosing the rule.
        outliers: without a world, rows that look like slips and were left out.
    """

    policy: Policy
    hypothesis: Hypothesis | None
    tried: tuple[Tried, ...]
    learned: bool = False
    practice: tuple[int, int] | None = None
    expectation: Score | None = None
    failure: Failure | None = None
    lost: tuple[str, ...] = ()
    stopped: str | None = None
    steps: int = 0
    advice: Advice | None = None
    contradictions: tuple[Contradiction, ...] = ()
    failed: Hypothesis | None = None
    agreement: SuccessRate | None = None
    outliers: tuple[Outlier, ...] = ()

    @property
    def memorizes(self) -> bool:
        """Whether the rule hardly generalizes: it is expected to lose most levels or, if that is unknown, has as many
        conditions as there were steps."""
        if not self.learned or self.expectation is not None:
            return self.expectation is not None and self.expectation.share < 0.5
        return self.literals >= self.steps

    @property
    def literals(self) -> int:
        """The number of conditions of the best rule."""
        return len(self.policy.components[0].formula.literals)

    def _repr_html_(self) -> str:
        """Show the rules, and what to expect of them, in a notebook."""
        lines = [self.policy.table() if self.learned else "Nothing fits, so the policy acts at random."]
        lines += [] if self.expectation is None else ["", self.expectation.in_words()]
        lines += [] if self.failure is None else ["", self.failure.text]
        return f"<pre>{html.escape(chr(10).join(lines))}</pre>"


class TeachingPhase(Enum):
    """Step of teaching in progress; each front end has its own words for it."""

    CORRECTED = "corrected"  # the earlier policy was amended and does what was shown now
    FITTING = "fitting"  # rules are sought under a hypothesis
    PRACTICING = "practicing"  # the best hypotheses learn from generated levels
    DISTILLING = "distilling"  # one rule is sought that plays like all rules together


@dataclass(frozen=True, slots=True)
class TeachingProgress:
    """Progress of teaching.

    Attributes:
        phase: the step in progress.
        best: the best policy so far, or None.
        won: share of practice levels won by the best policy so far, or None.
        mean_return: its mean return in practice, if nothing can be won; else None.
        seconds: time since the start.
        hypothesis: the hypothesis being fitted or practiced; None if there are several.
        programs: number of programs evaluated for it so far; 0 if it has just begun.
        total: number of programs to evaluate for it; 0 if it has just begun.
    """

    phase: TeachingPhase
    best: Policy | None
    won: float | None
    seconds: float
    hypothesis: Hypothesis | None = None
    programs: int = 0
    total: int = 0
    mean_return: float | None = None
