"""Selection: hypotheses are fitted and practiced, and the best policy is selected."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from shown.demonstrations import Demonstrations
from shown.errors import OutOfMemory
from shown.grid import Grid
from shown.inference.clauses import Effort
from shown.inference.failure import Failure
from shown.inference.pinning import Contradiction
from shown.policy import Policy, uniform_policy
from shown.provenance import ConstraintsRecord, DemonstrationsRecord, Provenance, Score, SuccessRate
from shown.teaching.interpretation.fitter import FURTHER, Fitted, Fitter
from shown.teaching.interpretation.hypotheses import Hypothesis, flattened
from shown.teaching.interpretation.interpretations import Interpretation
from shown.teaching.practice.candidates import Candidates
from shown.teaching.practice.counterexamples import CounterexampleSearch
from shown.teaching.practice.credit import TurningPointSearch
from shown.teaching.practice.cross_validation import CrossValidation, cross_validate
from shown.teaching.practice.distillation import LONG, Distillation, OneRule, one_rule, rule_on_grids
from shown.teaching.practice.ground import Ground
from shown.teaching.practice.outliers import Outlier, suspected_slips, without
from shown.teaching.practice.practice_scoring import GridScoring, Scoring
from shown.teaching.practice.practice_search import PracticeSearch, vary
from shown.teaching.result import Taught, TeachingPhase, TeachingProgress, Tried
from shown.teaching.task import FINAL_SHARE
from shown.version import __version__

MAX_FITTED = 8  # number of fits kept; each has columns of its own, which take much memory
PRACTICED = 3  # number of top hypotheses refined in practice, and fitted again with more programs


class Selection:
    """The hypotheses tried so far, and the policies they led to.

    Attributes:
        fitter: fits hypotheses.
        scoring: plays policies.
        before: the result learned before, or None.
        candidates: the policies to select from.
        fitted: the best hypotheses that fit, each with the share of levels it wins.
        at_once: the earlier policy, amended to do what was shown, with its hypothesis; available before any practice.
        outliers: rows of a log that look like slips and were left out.
        stopped: the reason why no more programs are considered, or why learning ended early; or None.
        shortage: the reason why a fit ended early, or None.
    """

    def __init__(self, fitter: Fitter, scoring: Scoring, before: Taught | None = None) -> None:
        self.fitter, self.scoring, self.before = fitter, scoring, before
        self.candidates = Candidates()
        self.fitted: dict[Hypothesis, tuple[float, Fitted]] = {}
        self.at_once: tuple[Policy, Hypothesis] | None = None
        self.outliers: tuple[Outlier, ...] = ()
        self.stopped: str | None = None
        self.shortage: str | None = None
        self._start = time.monotonic()
        self._tried: dict[Hypothesis, Tried] = {}
        self._failure: Failure | None = None
        self._failed: Hypothesis | None = None
        self._contradictions: dict[Hypothesis | None, tuple[Contradiction, ...]] = {}
        self._validated: dict[Hypothesis, CrossValidation | None] = {}
        self._sizes: dict[Hypothesis, tuple[int, int]] = {}
        self._seconds: dict[Hypothesis, float] = {}
        self._one_rule: OneRule | None = None
        self._agreement: SuccessRate | None = None
        self._searches: dict[Hypothesis, PracticeSearch] = {}
        self._rounds = 0
        scoring.go_on()

    @property
    def demonstrations(self) -> Demonstrations:
        """The demonstrations so far."""
        return self.fitter.demonstrations

    @property
    def perfect(self) -> bool:
        """Whether a candidate wins all practice levels; a return could always be higher."""
        return self.scoring.ground is not None and not self.scoring.measure.by_return and self.candidates.perfect

    @property
    def rating(self) -> tuple[float, float] | None:
        """The rating of the best candidate, or None."""
        best = self.candidates.best
        return None if best is None else best.rating

    def fits(self, hypothesis: Hypothesis) -> bool:
        """Return whether a rule was found under a hypothesis."""
        return hypothesis in self._tried and self._tried[hypothesis].fits

    def best_fitted(self, number: int = PRACTICED, least: float = -math.inf) -> list[Fitted]:
        """Return the hypotheses that win most, and at least a share of `least`."""
        ranked = sorted(self.fitted.values(), key=lambda item: -item[0])
        return [found for score, found in ranked[:number] if score >= least]

    def contradicted(self, hypothesis: Hypothesis, by: tuple[Contradiction, ...]) -> None:
        """Record the pinned clauses left out under a hypothesis; the first also counts if nothing fits."""
        self._contradictions.setdefault(None, by)
        self._contradictions[hypothesis] = by

    def offer_before(self, policy: Policy, hypothesis: Hypothesis) -> None:
        """Add the policy learned before, perhaps amended, to the candidates.

        Among equal scores it comes first if practice decides, because it is known already. Without practice it comes
        last: a fit to all demonstrations is the better guess.
        """
        order = sys.maxsize if self.scoring.ground is None else -1
        self.candidates.offer(policy, hypothesis, self.scoring.score(policy), order)

    def compare(
        self,
        wave: Sequence[Hypothesis],
        interpreted: Mapping[Interpretation, Demonstrations],
        effort: Effort,
        until: float = math.inf,
    ) -> Iterator[TeachingProgress]:
        """Fit some hypotheses and add the policies they lead to, which play side by side.

        Once something fits, a fit is not begun if it is not expected to end before `until` by the monotonic clock.
        """
        jobs = [(hypothesis, interpreted[hypothesis.interpretation], None) for hypothesis in wave]
        self._add_fitted((yield from self._fit_all(jobs, effort, until, bool(self.fitted))))

    def _fit_all(
        self,
        jobs: Sequence[tuple[Hypothesis, Demonstrations, Fitted | None]],
        effort: Effort,
        until: float,
        bounded: bool,
    ) -> Generator[TeachingProgress, None, list[Fitted]]:
        """Fit hypotheses, each to demonstrations under its interpretation and from an earlier fit; return the fits.

        Once something fits, or if `bounded`, a fit is not begun if it is not expected to end before `until`.
        """
        found: list[Fitted] = []
        for hypothesis, interpreted, earlier in jobs:
            if (found or bounded) and not self._has_time(until):
                break
            yield self.progress(TeachingPhase.FITTING, hypothesis)
            fitted = yield from self._fit(hypothesis, interpreted, effort, earlier)
            found += [] if fitted is None else [fitted]
        return found

    def _fit(
        self, hypothesis: Hypothesis, interpreted: Demonstrations, effort: Effort, earlier: Fitted | None
    ) -> Generator[TeachingProgress, None, Fitted | None]:
        """Fit a hypothesis; return None if nothing fits."""
        run, begun = self.fitter.iter_fit(hypothesis, interpreted, effort, earlier), time.monotonic()
        try:
            while True:
                moment, policy = next(run)
                if moment.stopped is not None:
                    self.shortage = moment.stopped
                elif moment.programs < moment.total:
                    self._sizes[hypothesis] = moment.programs, moment.distinct
                    so_far = (policy, hypothesis) if policy is not None else None
                    reached = self.progress(TeachingPhase.FITTING, hypothesis, so_far)
                    yield replace(reached, programs=moment.programs, total=moment.total)
        except StopIteration as end:
            found: Fitted = end.value
            self._seconds[hypothesis] = time.monotonic() - begun
            self.contradicted(hypothesis, found.contradictions)
            if found.policy is not None:
                return found
            self._add_failed(found)
        except OutOfMemory as error:
            if not self.candidates.current:
                raise
            self.shortage = str(error)
        return None

    def _add_failed(self, found: Fitted) -> None:
        self._tried[found.hypothesis] = Tried(found.hypothesis, False)
        # The teacher has never seen the images: a failure without them is easier to explain.
        of_images = self._failed is not None and self._failed.symmetries and not found.hypothesis.symmetries
        if self._failure is None or of_images:
            self._failure, self._failed = found.failure, found.hypothesis
        tried = found.hypothesis.language
        if self._failure is not None and tried is not None and tried.name == self._failure.richer:
            self._failure = replace(self._failure, richer=None)

    def _add_fitted(self, wave: Sequence[Fitted]) -> None:
        practiced = self.scoring.ground is not None
        mixtures = [flattened(found.policy) for found in wave if found.policy is not None]
        grown = {i: flattened(found.grown) for i, found in enumerate(wave) if practiced and found.grown is not None}
        unplayed = self.scoring.world is None
        validated = [cross_validate(self.fitter, fit.hypothesis, fit.shown) if unplayed else None for fit in wave]
        scores = self.scoring.scores([*mixtures, *grown.values()])
        grown_scores = dict(zip(grown, scores[len(wave) :], strict=True))
        for i, (found, policy, valid) in enumerate(zip(wave, mixtures, validated, strict=True)):
            hypothesis, score = found.hypothesis, scores[i] if valid is None else valid.explained
            self._sizes[hypothesis] = len(found.features.of_program), len(found.features)
            self._validated[hypothesis] = valid
            self._tried[hypothesis] = Tried(hypothesis, True, max(score, 0.0) if practiced else None)
            self.candidates.offer(policy, hypothesis, score)
            if i in grown and score < 1.0:
                self.candidates.offer(grown[i], hypothesis, grown_scores[i])
                score = max(score, grown_scores[i])
            self.fitted[hypothesis] = score, found
        best = [found.hypothesis for found in self.best_fitted(MAX_FITTED)]
        self.fitted = {hypothesis: item for hypothesis, item in self.fitted.items() if hypothesis in best}

    def _has_time(self, until: float) -> bool:
        """Return whether a further fit is expected to end in time."""
        return time.monotonic() + max(self._seconds.values(), default=0.0) <= until

    def refine(self, number: int, effort: Effort, until: float, least: float) -> Iterator[TeachingProgress]:
        """Fit the best hypotheses again, more thoroughly, as far as that is expected to end before `until`.

        Each is refined once, and only if it wins a share of at least `least` of the levels.
        """
        best = [found for found in self.best_fitted(number, least) if not found.generation]
        jobs = [(found.hypothesis, found.shown, found) for found in best]
        self._add_fitted((yield from self._fit_all(jobs, effort, until, True)))

    def look_further(self) -> None:
        """Start over with more programs; the candidates so far still count."""
        self.scoring.go_on()
        self.fitted, self._rounds = {}, 0
        if self.scoring.ground is None:
            self.candidates.start_over()

    def practice_early(self, rounds: int, until: float, least: float) -> Iterator[TeachingProgress]:
        """Let the best hypothesis practice for some rounds if it wins a share of at least `least`, once."""
        best = self.best_fitted(1, least)
        if best and best[0].hypothesis not in self._searches:
            yield from self._practice(best, rounds, until)

    def practice(self, rounds: int, until: float) -> Iterator[TeachingProgress]:
        """Let the best hypotheses learn from their lost games until all levels are won or time is over.

        Practice ends by `until`, by the monotonic clock. There is none if the world is too slow to compare hypotheses.

        Args:
            rounds: maximum number of rounds; those of early practice count as well.
            until: time by the monotonic clock.
        """
        return self._practice(self.best_fitted(), rounds - self._rounds, until)

    def _practice(self, best: Sequence[Fitted], rounds: int, until: float) -> Iterator[TeachingProgress]:
        ground = self.scoring.ground
        if ground is None or self.perfect or self.scoring.out_of_time:
            return
        ground.go_on()
        ground.stop_at(until)
        searches: list[PracticeSearch] = []
        for found in best:
            if time.monotonic() > until:
                break
            searches.append(self._search(found, ground))
            yield self.progress(TeachingPhase.PRACTICING, found.hypothesis)
        offered: Policy | None = None
        for _ in vary(searches, rounds, until):
            self._rounds += 1
            leader = max(searches, key=lambda search: search.best[-1][0])
            policy = leader.best[-1][1]
            if policy is not offered:  # a caller that stops here gets the best so far
                offered = policy
                self.candidates.offer(policy, leader.fitted.hypothesis, self.scoring.score(policy))
            yield self.progress(TeachingPhase.PRACTICING)
        ground.go_on(FINAL_SHARE)
        for search in searches:
            for _, policy in search.best:
                self.candidates.offer(policy, search.fitted.hypothesis, self.scoring.score(policy))

    def _search(self, found: Fitted, ground: Ground) -> PracticeSearch:
        """Return the search that improves a fit: the one that began in early practice, or a new one."""
        known = self._searches.get(found.hypothesis)
        if known is None or known.fitted is not found:
            method: type[PracticeSearch] = TurningPointSearch if self.demonstrations.buttons else CounterexampleSearch
            rng = np.random.default_rng([self.fitter.resources.seed, len(self._searches)])
            seconds = self._seconds[found.hypothesis]
            known = method(self.fitter, found, ground, rng, seconds=seconds)
            self._searches[found.hypothesis] = known
        return known

    def distill(self, interpreted: Mapping[Interpretation, Demonstrations], until: float) -> Iterator[TeachingProgress]:
        """Seek one rule that plays as well as the best candidate; no fit is begun after `until`.

        If the rule is long, a shorter one is sought under other hypotheses.
        """
        if self.scoring.ground is None or self.scoring.too_slow:
            return
        self.scoring.go_on()
        self.candidates.settle(self.scoring.scores_on_all)
        best, fitted = self.candidates.best, self._fitted_best()
        if best is None or fitted is None or len(best.policy.components) == 1 or self.scoring.out_of_time:
            return
        yield from self._distill(best.policy, fitted, until)
        others = self._others(fitted, interpreted, until)
        # The next one is fitted only if it is needed.
        while self._one_rule is not None and self._one_rule.conditions > LONG and self._has_time(until):
            other = next(others, None)
            if other is None:
                return
            if other.conditions < self._one_rule.conditions:
                yield from self._distill(best.policy, other, until)

    def _others(
        self, fitted: Fitted, interpreted: Mapping[Interpretation, Demonstrations], until: float
    ) -> Iterator[Fitted]:
        """Yield the hypothesis with the shortest rule; if no other one was fitted, all other interpretations."""
        assert fitted.policy is not None
        language = fitted.policy.language
        known = [found for _, found in self.fitted.values() if found is not fitted and found.pool is not None]
        known = [found for found in known if found.policy is not None and found.policy.language == language]
        if known:
            yield min(known, key=lambda found: found.conditions)
            return
        for interpretation, shown in interpreted.items():
            other = replace(fitted.hypothesis, interpretation=interpretation)
            if other != fitted.hypothesis:
                found = self.fitter.fit(other, shown, replace(FURTHER, until=until))
                if found.policy is not None:
                    yield found

    def _distill(self, vote: Policy, fitted: Fitted, until: float) -> Iterator[TeachingProgress]:
        """Seek one rule under a hypothesis; keep it if it is the first, or better."""
        yield self.progress(TeachingPhase.DISTILLING, fitted.hypothesis)
        found = one_rule((yield from self._distillation(vote, fitted, self.scoring, until)))
        if found is not None and (self._one_rule is None or found.better_than(self._one_rule)):
            self._one_rule = found
            self._sizes[fitted.hypothesis] = len(fitted.features.of_program), len(fitted.features)

    def distill_on(self, grids: Sequence[Grid]) -> Iterator[TeachingProgress]:
        """Seek one rule that does what the best candidate does on some grids, where nothing can be played."""
        best, fitted = self.candidates.best, self._fitted_best()
        if best is None or fitted is None or len(best.policy.components) == 1:
            return
        scoring = GridScoring(None, None, grids=grids, vote=best.policy)
        distillation = yield from self._distillation(best.policy, fitted, scoring, math.inf)
        self._one_rule, self._agreement = rule_on_grids(distillation, scoring)

    def _distillation(
        self, vote: Policy, fitted: Fitted, scoring: Scoring, until: float
    ) -> Generator[TeachingProgress, None, Distillation]:
        """Seek rules that play like a vote; return the distillation that has them."""
        rng = np.random.default_rng([self.fitter.resources.seed, 0xD15])
        distillation = Distillation(vote, fitted, self.fitter, scoring, rng, until)
        for _ in distillation.run():
            yield self.progress(TeachingPhase.DISTILLING, fitted.hypothesis)
        return distillation

    def _fitted_best(self) -> Fitted | None:
        """Return the fit of the best candidate's hypothesis; None if there is none."""
        best = self.candidates.best
        known = None if best is None or best.hypothesis is None else self.fitted.get(best.hypothesis)
        return None if known is None else known[1]

    def leave_out_slips(self) -> None:
        """Learn without the rows that look like slips; not under a memory limit, which leaves no room for more fits."""
        fitted = self._fitted_best() if self.fitter.resources.memory_limit is None else None
        slips = () if fitted is None else suspected_slips(self.fitter, fitted)
        if fitted is not None and slips:
            rest = without(fitted.shown, [slip.place for slip in slips])
            found = self.fitter.fit(fitted.hypothesis, rest)
            if found.policy is not None:
                self.outliers, self.candidates = slips, Candidates()
                self._add_fitted([found])

    # --- results ------------------------------------------------------------------------------------------------------

    def progress(
        self, phase: TeachingPhase, fitted: Hypothesis | None = None, so_far: tuple[Policy, Hypothesis] | None = None
    ) -> TeachingProgress:
        """Return the progress; `so_far` is the best policy while there is no candidate."""
        best = self.candidates.best
        policy, hypothesis = self._best_so_far() or so_far or (None, None)
        if policy is not None:
            policy = replace(policy, provenance=self._provenance(policy, hypothesis))
        won = max(best.score, 0.0) if best is not None and self.scoring.ground is not None else None
        reward = None if best is None or won is None else self.scoring.measure.mean_return(best.score)
        won = won if reward is None else None
        return TeachingProgress(phase, policy, won, time.monotonic() - self._start, fitted, mean_return=reward)

    def stopped_result(self) -> Taught | None:
        """Return the best result so far.

        If there is none yet, it is the one learned before, unless that breaks the constraints.
        """
        found = self._best_so_far()
        if found is None:
            kept = self.before is not None and self.before.policy.keeps_to(self.fitter.constraints)
            return self.before if kept else None
        policy, hypothesis = self._recorded(*found), found[1]
        against = self._contradictions.get(hypothesis, ())
        lost = self.scoring.not_kept(policy)
        return Taught(policy, hypothesis, tuple(self._tried.values()), True, lost=lost, contradictions=against)

    def _best_so_far(self) -> tuple[Policy, Hypothesis | None] | None:
        best = self.candidates.best
        return self.at_once if best is None else (best.policy, best.hypothesis)

    def result(self) -> Taught:
        """Return the best candidate, with the success rate or return to expect of it."""
        if self.scoring.ground is not None:
            self.scoring.ground.stop_at(self.scoring.until)
            self.candidates.settle(self.scoring.scores_on_all)
        self.scoring.until = math.inf
        best = self.candidates.best
        if best is None:
            shown = self.demonstrations
            nothing = uniform_policy(shown.tokens, shown.game, shown.buttons, self.fitter.language)
            return Taught(
                nothing, None, tuple(self._tried.values()), failure=self._failure, failed=self._failed,
                stopped=self.stopped, contradictions=self._contradictions.get(None, ()),
            )  # fmt: skip
        found = self._one_rule or best
        hypothesis, chosen = found.hypothesis, found.policy
        # Without a rule that is only printed, results of the vote are known already.
        player = chosen if len(chosen.components) == 1 else chosen.mixture
        practice, (expectation, alone) = self.scoring.practice(player), self._expectations(chosen, player)
        validated = self._validated.get(hypothesis) if hypothesis is not None else None
        if validated is not None:
            expectation, alone = validated.expectation, None if self._one_rule is not None else validated.alone
        policy = self._recorded(chosen, hypothesis, practice=practice, expectation=expectation, alone=alone)
        lenient = hypothesis is not None and hypothesis.lenient
        return Taught(
            policy, hypothesis, tuple(self._tried.values()), True,
            practice=(practice.won, practice.of) if isinstance(practice, SuccessRate) else None,
            expectation=expectation,
            lost=self.scoring.lost(player, None if self.before is None else self.before.policy),
            stopped=self.stopped,
            steps=len(self.demonstrations.steps),
            contradictions=self._contradictions.get(hypothesis, ()),
            failure=self._failure if lenient else None,
            failed=self._failed if lenient else None,
            agreement=self._agreement,
            outliers=self.outliers,
        )  # fmt: skip

    def _expectations(self, chosen: Policy, player: Policy) -> Sequence[Score | None]:
        """Return what to expect of a policy, as it plays, and, if all its rules act, of the printed one alone."""
        if len(chosen.components) == 1:
            return *self.scoring.expectations([player]), None
        printed = chosen.map_policy
        rated = [rule.rate for rule in chosen.front if rule.formula == printed.components[0].formula]
        return [*self.scoring.expectations([player] if rated else [player, printed]), *rated]

    def _recorded(self, policy: Policy, hypothesis: Hypothesis | None, **scores: Any) -> Policy:
        """Return the policy with its provenance, scores among it, and the facts about its demonstrations."""
        symmetries = policy.facts.symmetries if hypothesis is None else hypothesis.symmetries
        provenance = replace(self._provenance(policy, hypothesis), **scores)
        pieces = self.scoring.world.pieces if self.scoring.world is not None else ()
        return replace(policy, provenance=provenance).taught_by(self.demonstrations, symmetries, pieces)

    def _provenance(self, policy: Policy, hypothesis: Hypothesis | None) -> Provenance:
        found = Provenance(
            version=__version__,
            demonstrations=DemonstrationsRecord.of(self.demonstrations),
            vocabulary=policy.language.name or self.fitter.grammar_name,
            constraints=ConstraintsRecord.of(self.fitter.constraints),
        )
        if hypothesis is None:
            return found
        programs, distinct = self._sizes.get(hypothesis, (None, None))
        return replace(
            found,
            programs=programs,
            distinct=distinct,
            interpretation=hypothesis.interpretation.to_json(),
            symmetries=hypothesis.symmetries,
            keys=hypothesis.keys,
            lenient=hypothesis.lenient,
        )
