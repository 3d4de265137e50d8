"""What was found so far while a teacher is being understood, and which of it is taken."""

from __future__ import annotations

import sys
import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from shown.demonstrations import Demonstrations
from shown.errors import OutOfMemory
from shown.games.game import Game
from shown.inference.conditioned import Contradiction
from shown.inference.failure import Failure
from shown.policy import Policy, uniform_policy
from shown.teaching.hypotheses import Fitted, Fitter, Hypothesis, flattened
from shown.teaching.leaving import LeftOut, left_out
from shown.teaching.practice import FIRST, FRESH, LAST, SOME, Ground, vary
from shown.teaching.suspicion import Suspicion
from shown.teaching.taught import Expectation, Stage, Taught, Tried
from shown.teaching.turning import Turning
from shown.version import __version__
from shown.world import Start, World, wins

TEMPERATURE = 3.0
"""How far the weights of a mixture are drawn together. From 1 (as the posterior has them) to 10 it changes little."""

VARIED = 3
"""So many of the best hypotheses are varied, and looked at again with more programs."""

IN_THE_END = 0.25
"""What practice has found is tried out once more in this share of its time, and so is what is taken."""

WITHOUT_PRACTICE = 10.0
"""So many seconds, at most, where there is no practice."""

TRIES = ((FIRST, 0.5), (SOME, 0.8), (LAST, 1.0))
"""On how many levels a candidate is tried, and what share it must win to be tried on the next so many."""

Candidate = tuple[float, int, Policy, Hypothesis | None]
"""How it was rated, when it came, what it does, and how the teacher is understood by it."""


def _rated(candidate: Candidate) -> tuple[float, float]:
    """How good a candidate is: what it wins, and then how short its rule is."""
    return candidate[0], candidate[2].components[0].log_prior


class Choice:
    """The candidates so far.

    Attributes:
        demonstrations: what was shown.
        ground: where candidates play; None without practice.
        before: what was learned before, or None.
        kept: further episodes, all of which that wins.
        fitted: the hypotheses that fit, with the share of levels they win.
        at_once: what does what was shown, before anything was tried out, and how the teacher is understood by it.
        stopped: why no more programs are looked at.
        shortage: says that memory ran out.
    """

    def __init__(
        self,
        demonstrations: Demonstrations,
        fitter: Fitter,
        game: Game | World | None,
        ground: Ground | None,
        before: Taught | None = None,
        kept: Sequence[Start] = (),
        seed: int = 0,
    ) -> None:
        self.demonstrations, self.ground, self.before, self.kept = demonstrations, ground, before, kept
        self._fitter, self._game, self._seed, self._start = fitter, game, seed, time.monotonic()
        self.fitted: list[tuple[float, Fitted]] = []
        self.at_once: tuple[Policy, Hypothesis] | None = None
        self.stopped: str | None = None
        self.shortage: str | None = None
        self._tried: list[Tried] = []
        self._candidates: list[Candidate] = []
        self._earlier: list[Candidate] = []
        self._failure: Failure | None = None
        self._failed: Hypothesis | None = None
        self._contradictions: dict[Hypothesis | None, tuple[Contradiction, ...]] = {}
        self._left_out: dict[Hypothesis, LeftOut | None] = {}
        self._sizes: dict[Hypothesis, dict[str, int]] = {}
        self._play_on()

    # --- the candidates -----------------------------------------------------------------------------------------------

    def offer_before(self, policy: Policy, hypothesis: Hypothesis) -> None:
        """What was learned before. Of candidates that win the same, it is taken where they were tried out in practice,
        since it is known; without practice what was learned from all demonstrations alike is the better guess."""
        order = -1 if self.ground is not None else sys.maxsize
        self._candidates.append((self._score(policy), order, policy, hypothesis))

    def understand(self, hypothesis: Hypothesis, read: Demonstrations) -> Iterator[Stage]:
        """Fits a hypothesis and takes in what comes of it."""
        yield self.stage("understanding", f"read as: {hypothesis.name}")
        run = self._fitter.iter_fit(hypothesis, read)
        try:
            while True:
                moment, policy = next(run)
                if moment.phase.startswith("stopped"):
                    self.shortage = moment.phase.removeprefix("stopped: ")
                elif moment.programs < moment.total:
                    how_far = f"{moment.programs:,} of {moment.total:,} programs"
                    self._sizes[hypothesis] = {"programs": moment.programs, "distinct": moment.distinct}
                    so_far = (policy, hypothesis) if policy is not None else None
                    yield self.stage("understanding", f"read as: {hypothesis.name}; {how_far}", so_far)
        except StopIteration as end:
            found: Fitted = end.value
            if self._game is None and found.policy is not None:
                self._left_out[hypothesis] = left_out(self._fitter, hypothesis, read, TEMPERATURE)
            self._take_in(found)
        except OutOfMemory as error:
            if not self._candidates:
                raise
            self.shortage = str(error)

    def _take_in(self, found: Fitted) -> None:
        """A hypothesis that was fitted: tried out on a few levels, and on many if it wins them all."""
        self.contradicted(found.hypothesis, found.contradictions)
        if found.policy is None:
            self._tried.append(Tried(found.hypothesis, False))
            # Of images nobody knows: a failure without them is easier to explain.
            of_images = self._failed is not None and self._failed.symmetries and not found.hypothesis.symmetries
            if self._failure is None or of_images:
                self._failure, self._failed = found.failure, found.hypothesis
            tried = found.hypothesis.language
            if self._failure is not None and tried is not None and tried.name == self._failure.richer:
                self._failure = replace(self._failure, richer=None)
            return
        features = found.features
        self._sizes[found.hypothesis] = {"programs": len(features.of_program), "distinct": len(features)}
        policy = flattened(found.policy, TEMPERATURE)
        left = self._left_out.get(found.hypothesis)
        score = self._score(policy) if left is None else left.explained
        literals = len(policy.components[0].formula.literals)
        self._tried.append(Tried(found.hypothesis, True, score if self.ground is not None else None, literals))
        self._offer(policy, found.hypothesis, score)
        if self.ground is not None and found.grown is not None and score != 1.0:
            grown = flattened(found.grown, TEMPERATURE)
            self._offer(grown, found.hypothesis, self._score(grown))
            score = max(score, self._candidates[-1][0])
        self.fitted.append((score, found))

    def contradicted(self, hypothesis: Hypothesis, by: tuple[Contradiction, ...]) -> None:
        """What is pinned and is left out under a hypothesis; the first stands for what is learned under none."""
        self._contradictions.setdefault(None, by)
        self._contradictions[hypothesis] = by

    @property
    def perfect(self) -> bool:
        """Whether something wins all practice levels."""
        return self.ground is not None and any(score >= 1.0 for score, *_ in self._candidates)

    @property
    def out_of_time(self) -> bool:
        """Whether the game is too slow to try out more than was."""
        return self.ground is not None and self.ground.over

    def fits(self, hypothesis: Hypothesis) -> bool:
        """Whether anything was found under a hypothesis."""
        return any(tried.fits for tried in self._tried if tried.hypothesis == hypothesis)

    def best_fitted(self, number: int = VARIED) -> list[tuple[float, Fitted]]:
        """The hypotheses that win most."""
        return sorted(self.fitted, key=lambda item: -item[0])[:number]

    @property
    def rating(self) -> tuple[float, float] | None:
        """How good the best is: what it wins, and then how short its rule is."""
        return None if self._best is None else _rated(self._best)

    def look_further(self) -> None:
        """Begins again with more programs; what was found so far stays a candidate."""
        self._play_on()
        self.fitted = []
        if self.ground is None and self._candidates:
            self._earlier, self._candidates = [max(self._candidates, key=lambda c: (c[0], -c[1]))], []

    def practise(self, rounds: int, until: float) -> Generator[Stage, None, None]:
        """Lets the best hypotheses learn from their lost games until all is won or time is over; not at all where there
        was not even time to try them all out."""
        if self.perfect or self.out_of_time:
            return
        assert self.ground is not None
        self._play_on()
        learning = Turning if self.demonstrations.buttons else Suspicion
        learners: list[Turning | Suspicion] = []
        for number, (_, found) in enumerate(self.best_fitted()):
            rng = np.random.default_rng([self._seed, number])
            learners.append(learning(self._fitter, found, self.ground, rng, TEMPERATURE))
            yield self.stage("trying it out", f"wins {learners[-1].best[-1][0]:.0%}: {found.hypothesis.name}")
        offered: Policy | None = None
        for won in vary(learners, rounds, until):
            leader = max(learners, key=lambda learner: learner.best[-1][0])
            policy = leader.best[-1][1]
            if policy is not offered:  # whoever stops here gets the best so far
                offered = policy
                self._offer(policy, leader.fitted.hypothesis, self._score(policy))
            yield self.stage("trying it out", f"the best of several wins {won:.0%}")
        self._play_on(IN_THE_END)
        for learner in learners:
            for policy in learner.policies():
                self._offer(policy, learner.fitted.hypothesis, self._score(policy))

    def _play_on(self, share: float = 1.0) -> None:
        if self.ground is not None:
            self.ground.go_on(share)

    def _offer(self, policy: Policy, hypothesis: Hypothesis | None, score: float) -> None:
        self._candidates.append((score, len(self._candidates), policy, hypothesis))

    def _score(self, policy: Policy, tries: Sequence[tuple[int, float]] = TRIES) -> float:
        """What the policy wins of many practice levels, or of fewer if it does not do well on those; and of the levels
        won before."""
        kept = self._keeps(policy)
        if self.ground is None:
            return sum(kept) / len(kept) if kept else 0.0
        score = 0.0
        for levels, promising in tries:
            score = self.ground.score(policy, levels)
            if score <= promising:
                break
        return (score * LAST + sum(kept)) / (LAST + len(kept))

    def _keeps(self, policy: Policy) -> list[bool]:
        """Whether the policy wins each of the levels that were won before."""
        return wins(self.kept, policy) if self.kept else []

    @property
    def _best(self) -> Candidate | None:
        """The candidate that wins most, or explains most of what was left out; of equals, the one that came first.

        Where nothing is played, that of more programs must be better, or have a shorter rule.
        """
        found = [max(part, key=lambda c: (c[0], -c[1])) for part in (self._earlier, self._candidates) if part]
        return max(found, key=_rated, default=None)

    def _settled(self) -> Candidate | None:
        """The best, tried on all practice levels: one that was tried on fewer may only have been lucky."""
        while (best := self._best) is not None and self.ground is not None:
            score = self._score(best[2], [(LAST, 1.0)])
            if score == best[0]:
                break
            self._candidates[self._candidates.index(best)] = (score, *best[1:])
        return best

    # --- what is told -------------------------------------------------------------------------------------------------

    def stage(self, phase: str, text: str, so_far: tuple[Policy, Hypothesis] | None = None) -> Stage:
        """Where it stands; `so_far` is the best where there is no candidate yet."""
        best = self._best
        policy, hypothesis = best[2:] if best is not None else self.at_once or so_far or (None, None)
        if policy is not None:
            policy = replace(policy, origin=self._origin(policy, hypothesis, None, None))
        won = best[0] if best is not None and self.ground is not None else None
        return Stage(phase, text, policy, won, time.monotonic() - self._start)

    def so_far(self) -> Taught | None:
        """The best so far, for whoever does not wait for the end; what was learned before if there is nothing else."""
        best = self._best
        policy, hypothesis = best[2:] if best is not None else self.at_once or (None, None)
        if policy is None:
            return self.before
        policy = self._finished(policy, hypothesis, None, None)
        return Taught(policy, hypothesis, tuple(self._tried), True, lost=self._not_kept(policy))

    def taught(self) -> Taught:
        """What is taken, with what is to be expected of it."""
        shown = self.demonstrations
        best = self._settled()
        if best is None:
            nothing = uniform_policy(shown.tokens, shown.game, shown.buttons, self._fitter.language)
            return Taught(
                nothing, None, tuple(self._tried), failure=self._failure, failed=self._failed, stopped=self.stopped,
                contradictions=self._contradictions.get(None, ()),
            )  # fmt: skip
        _, _, policy, hypothesis = best
        played = self.ground.won(policy, LAST) if self.ground is not None else []
        practice = (sum(played), len(played)) if played else None
        left = self._left_out.get(hypothesis) if hypothesis is not None else None
        expectation = left.expectation if left is not None else None
        if self._game is not None:
            # What had no part in choosing is honest, whether there was practice or not.
            ground = self.ground or Ground(self._game, self._seed, WITHOUT_PRACTICE)
            ground.go_on(IN_THE_END)
            fresh = ground.play(policy, *FRESH)
            expectation = Expectation(sum(fresh), len(fresh)) if fresh else None
        policy = self._finished(policy, hypothesis, practice, expectation)
        lost = self._lost(policy)
        lenient = hypothesis is not None and hypothesis.lenient
        return Taught(
            policy, hypothesis, tuple(self._tried), True, practice, expectation, lost=lost, stopped=self.stopped,
            steps=len(shown.steps), contradictions=self._contradictions.get(hypothesis, ()),
            failure=self._failure if lenient else None, failed=self._failed if lenient else None,
        )  # fmt: skip

    def _not_kept(self, policy: Policy) -> tuple[str, ...]:
        return tuple(_name(start) for start, won in zip(self.kept, self._keeps(policy), strict=True) if not won)

    def _lost(self, policy: Policy) -> tuple[str, ...]:
        """The levels that what was learned before won, and this does not."""
        names = list(self._not_kept(policy))
        if self.ground is not None and self.before is not None:
            both = zip(self.ground.won(self.before.policy, LAST), self.ground.won(policy, LAST), strict=False)
            starts = self.ground.starts(0, LAST)
            names += [_name(starts[i]) for i, (before, now) in enumerate(both) if before and not now]
        return tuple(names)

    def _finished(
        self,
        policy: Policy,
        hypothesis: Hypothesis | None,
        practice: tuple[int, int] | None,
        expectation: Expectation | None,
    ) -> Policy:
        """The policy with where it comes from and what it was taught by."""
        symmetries = policy.facts.symmetries if hypothesis is None else hypothesis.symmetries
        origin = self._origin(policy, hypothesis, practice, expectation)
        return replace(policy, origin=origin).taught_by(self.demonstrations, symmetries)

    def _origin(
        self,
        policy: Policy,
        hypothesis: Hypothesis | None,
        practice: tuple[int, int] | None,
        expectation: Expectation | None,
    ) -> dict[str, Any]:
        shown = self.demonstrations
        origin: dict[str, Any] = {
            "version": __version__,
            "demonstrations": {
                "digest": shown.digest,
                "count": len(shown),
                "steps": len(shown.steps),
                "explained": len(shown.steps),
                "levels": [item.level for item in shown],
            },
            "grammar": policy.language.name or self._fitter.grammar_name,
        }
        if hypothesis is not None:
            origin |= self._sizes.get(hypothesis, {})
            origin["reading"] = hypothesis.reading.to_json()
            origin["symmetry"] = [transformation.to_json() for transformation in hypothesis.symmetries]
            if hypothesis.keys:
                origin["keys"] = list(hypothesis.keys)
            if hypothesis.lenient:
                origin["lenient"] = True
            origin["read_as"] = hypothesis.name
        if self._fitter.conditions:
            origin["conditions"] = self._fitter.conditions.to_json()
        if practice is not None:
            origin["practice"] = {"won": practice[0], "levels": practice[1]}
        if expectation is not None:
            origin["expected"] = {"won": expectation.won, "of": expectation.of, "what": expectation.what}
        return origin


def _name(start: Start) -> str:
    world, seed = start
    return world.level(seed).name
