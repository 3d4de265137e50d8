"""Fits of hypotheses, and games of the policies they lead to, that other processes begin before they are asked for."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from shown.demonstrations import Demonstrations
from shown.engine.forks import Ahead, Forks
from shown.inference.clauses import Effort
from shown.teaching.interpretation.fitter import Fitted, Fitter
from shown.teaching.interpretation.hypotheses import Hypothesis, flattened
from shown.teaching.practice.practice_scoring import Scoring

Results = tuple[Mapping[int, float], Mapping[int, float]]
"""Results of all rules of a fit together, and of the trees' rules, each by the number of the practice level."""

UNKNOWN: Results = ({}, {})


@dataclass(frozen=True)
class FitJob:
    """A fit to make.

    Attributes:
        hypothesis: the hypothesis.
        interpreted: the demonstrations under its interpretation.
        earlier: a fit of the same hypothesis to start from, or None.
    """

    hypothesis: Hypothesis
    interpreted: Demonstrations
    earlier: Fitted | None = None


@dataclass(frozen=True)
class FitDone:
    """A fit that was made.

    Attributes:
        fitted: the fit.
        seconds: time that it took.
        results: results on the practice levels that its policies have played.
    """

    fitted: Fitted
    seconds: float
    results: Results = UNKNOWN


class FittingAhead:
    """Fits that forks of this process make ahead, in the order of the jobs. Without forks there are none.

    Args:
        fitter: fits hypotheses.
        scoring: plays policies.
        forks: processes that fit side by side.
    """

    def __init__(self, fitter: Fitter, scoring: Scoring, forks: Forks) -> None:
        self._fitter, self._scoring, self._forks = fitter, scoring, forks
        self._places: dict[Hypothesis, int] = {}
        self._results: dict[Hypothesis, Results] = {}
        self._fits: Ahead[FitJob, FitDone | None] | None = None

    def begin(self, jobs: Sequence[FitJob], effort: Effort, in_time: Callable[[], bool]) -> None:
        """Begin these fits instead of all others, unless they are begun already.

        Args:
            jobs: the fits to make.
            effort: how thoroughly to search for rules.
            in_time: whether a fit is expected to end in time; otherwise it is not begun.
        """
        if self._forks.count < 2 or len(jobs) < 2 or all(job in self for job in jobs):
            return
        self.close()
        for job in jobs:
            self._fitter.evaluate(job.hypothesis)  # once for all processes

        def fit(job: FitJob) -> FitDone | None:
            begun = time.monotonic()
            if not in_time():
                return None
            found = self._fitter.fit(job.hypothesis, job.interpreted, effort)
            done = FitDone(found, time.monotonic() - begun)
            # This process lets the policies of all fits that it asks for play side by side, which is faster.
            return done if self._forks.here else replace(done, results=self._play(found))

        self._places = {job.hypothesis: place for place, job in enumerate(jobs)}
        with self._fitter.sharing(min(self._forks.count, len(jobs))):
            self._fits = self._forks.ahead(fit, jobs, own=1)

    def __contains__(self, job: FitJob) -> bool:
        return job.earlier is None and job.hypothesis in self._places

    def take(self, job: FitJob) -> FitDone | None:
        """Return a fit that was begun; None if it would not have ended in time."""
        assert self._fits is not None
        done = self._fits.take(self._places.pop(job.hypothesis))
        if done is not None:
            self._results[job.hypothesis] = done.results
        return done

    def results_of(self, fitted: Fitted) -> Results:
        """Return the results that came with a fit, once; none if it was not made ahead."""
        return self._results.pop(fitted.hypothesis, UNKNOWN)

    def _play(self, fitted: Fitted) -> Results:
        """Return the results of the policies that a fit leads to, on as many levels as they are worth."""
        ground = self._scoring.ground
        if ground is None or fitted.policy is None:
            return UNKNOWN
        policies = [flattened(policy) for policy in (fitted.policy, fitted.grown) if policy is not None]
        self._scoring.scores(policies)
        found = [ground.known(policy) for policy in policies]
        return found[0], found[1] if len(found) > 1 else {}

    def close(self) -> None:
        """End all fits that nobody has asked for."""
        if self._fits is not None:
            self._fits.close()
        self._places, self._fits = {}, None
