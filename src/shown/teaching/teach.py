"""Teaching: from demonstrations to a policy, by all that is known about the game they are of.

Every hypothesis about the teacher (`hypotheses.py`) is fitted. Where the game can be played and makes levels, what they
lead to is tried out, the best are varied, and what wins is chosen (`practice.py`); without practice, the most plausible
hypothesis that fits. `Learner` is what one hypothesis takes; this is what a person who wants to be understood takes.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from shown.demonstrations import Demonstrations, Step
from shown.errors import BadInput
from shown.games.game import Game
from shown.inference.failure import Failure
from shown.policy import Policy, uniform_policy
from shown.symmetry import Transformation
from shown.teaching.hypotheses import Fitted, Fitter, Hypothesis, flattened, hypotheses
from shown.teaching.practice import FIRST, FRESH, LAST, Ground, vary
from shown.teaching.readings import READINGS, Reading, distinct_readings
from shown.teaching.same import Effects
from shown.teaching.suspicion import Suspicion
from shown.version import __version__

TEMPERATURE = 3.0
"""How far the weights of a mixture are drawn together. From 1 (as the posterior has them) to 10 it changes little."""

VARIED = 3
"""So many of the best hypotheses are varied."""

PRACTISE = 20.0
"""Seconds of practice at most, unless somebody says otherwise."""

ROUNDS = 48
"""After so many rounds practice ends; on most machines that is sooner."""


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
    """How the policy is expected to do on levels nobody has seen.

    Attributes:
        won: of `of` levels that played no part in choosing.
        of: how many those were.
    """

    won: int
    of: int

    @property
    def share(self) -> float:
        """The share of new levels it is expected to win: the mean of what is left of a flat prior."""
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
        return f"expected to win about {round(self.share * levels)} of {levels} new levels"


@dataclass(frozen=True, slots=True)
class Taught:
    """What was understood.

    Attributes:
        policy: what was learned; the policy that knows nothing if nothing fits.
        hypothesis: how the teacher was understood; None if nothing fits, or if what was learned before still does.
        tried: all hypotheses that were tried, in order.
        learned: whether anything was learned at all.
        practice: won of how many levels, on which was chosen; None without practice.
        expectation: how it will do on new levels; None without practice.
        failure: if nothing fits, why not under the most plausible hypothesis.
    """

    policy: Policy
    hypothesis: Hypothesis | None
    tried: tuple[Tried, ...]
    learned: bool = False
    practice: tuple[int, int] | None = None
    expectation: Expectation | None = None
    failure: Failure | None = None


@dataclass(frozen=True, slots=True)
class Stage:
    """How far teaching is.

    Attributes:
        phase: "understanding" (fitting a hypothesis), "trying it out" or "done".
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


def teach(demonstrations: Demonstrations, game: Game | None = None, **settings: Any) -> Taught:
    """Learns what a teacher means; see `iter_teach` for the settings.

    >>> from shown.games import demonstrate, find, load_levels, success_rate
    >>> nim = find("nim")
    >>> taught = teach(demonstrate(nim, load_levels(nim, "train:0")), nim, programs=2000)
    >>> success_rate(nim, taught.policy, load_levels(nim, "test"))
    1.0
    """
    stages = iter_teach(demonstrations, game, **settings)
    while True:
        try:
            next(stages)
        except StopIteration as end:
            taught: Taught = end.value
            return taught


def iter_teach(
    demonstrations: Demonstrations,
    game: Game | None = None,
    *,
    programs: int = 10_000,
    practise: float = PRACTISE,
    rounds: int = ROUNDS,
    readings: Sequence[Reading] | None = None,
    symmetries: Sequence[Transformation] | None = None,
    before: Policy | None = None,
    seed: int = 0,
    threads: int | None = None,
    memory_limit: int | None = None,
) -> Generator[Stage, None, Taught]:
    """Learns what a teacher means, telling of its progress; one may stop after any stage and take its `best`.

    Args:
        demonstrations: what was shown, as it was clicked.
        game: the rules. Without, readings are made from the recorded runs alone and there is no practice.
        programs: how many programs to enumerate.
        practise: seconds of practice at most, after the hypotheses are fitted; it ends as soon as all practice levels
            are won. 0 for none at all: then the most plausible hypothesis that fits is taken.
        rounds: how often, at most, the best hypotheses learn from their lost games. As long as that takes less than
            `practise` seconds, the same seed gives the same policy.
        readings: those to try, by default all; one to force it.
        symmetries: those to try; by default the game's, and none beside them; () for none.
        before: what was learned before from some of these demonstrations. If it still explains them all, it is one more
            candidate, so that nothing won before is lost.
        seed: of all random choices.
        threads: how many threads evaluate programs.
        memory_limit: bytes that may be taken; by default half of what the process can have.
    """
    if not len(demonstrations):
        raise BadInput("there are no demonstrations to learn from. Record or load at least one.")
    start = time.monotonic()
    if game is not None:
        demonstrations = without_idle_steps(demonstrations, Effects(game))
    group = tuple(game.symmetries if symmetries is None and game is not None else symmetries or ())
    read = distinct_readings(demonstrations, game, tuple(readings or READINGS))
    fitter = Fitter(demonstrations, programs, seed, threads, memory_limit=memory_limit)
    ground = Ground(game, seed) if game is not None and practise > 0 else None
    run = _Run(demonstrations, ground, start)
    forced = symmetries is not None
    for hypothesis in hypotheses(tuple(read), group, only_symmetric=forced and bool(group)):
        yield run.stage("understanding", f"read as: {hypothesis.name}")
        run.take_in(fitter.fit(hypothesis, read[hypothesis.reading]))
        if run.perfect or (ground is None and run.fitted):
            break
    if ground is not None and before is not None:
        run.offer_before(before)
    if ground is not None and run.fitted:
        yield from run.practise(rounds, time.monotonic() + practise, seed, fitter)
    return run.taught()


def without_idle_steps(demonstrations: Demonstrations, effects: Effects) -> Demonstrations:
    """Without the steps that change nothing: a click into the void, a piece touched in vain. They show nothing, and a
    policy that repeated one would repeat it for ever. A demonstration of nothing else is left out.

    >>> from shown.games import find
    >>> from shown.grid import grid
    >>> nim = find("nim")
    >>> run = [(grid("|.", "||"), (0, 1)), (grid("|.", "||"), (0, 0))]
    >>> len(without_idle_steps(Demonstrations.from_runs(nim.tokens, [run], "nim"), Effects(nim)).steps)
    1
    """

    def counts(step: Step) -> bool:
        if step.refused:
            return True
        outcome = effects.certain(step.grid, step.action)
        return outcome is None or outcome.over or outcome.grid != step.grid

    items = [replace(item, steps=tuple(filter(counts, item.steps))) for item in demonstrations]
    left = tuple(item for item in items if item.steps)
    return replace(demonstrations, items=left) if left else demonstrations


class _Run:
    """What was found so far."""

    def __init__(self, demonstrations: Demonstrations, ground: Ground | None, start: float) -> None:
        self.demonstrations, self.ground, self.start = demonstrations, ground, start
        self.tried: list[Tried] = []
        self.fitted: list[tuple[float, Fitted]] = []
        self.candidates: list[tuple[float, int, Policy, Hypothesis | None]] = []
        self.failure: Failure | None = None

    def take_in(self, found: Fitted) -> None:
        """A hypothesis that was fitted: tried out on a few levels, and on many if it wins them all."""
        if found.policy is None:
            self.tried.append(Tried(found.hypothesis, False))
            self.failure = self.failure or found.failure
            return
        policy = flattened(found.policy, TEMPERATURE)
        score = self._score(policy) if self.ground is not None else None
        literals = len(policy.components[0].formula.literals)
        self.tried.append(Tried(found.hypothesis, True, score, literals))
        self._offer(policy, found.hypothesis, score or 0.0)
        if self.ground is not None and found.grown is not None and score != 1.0:
            grown = flattened(found.grown, TEMPERATURE)
            self._offer(grown, found.hypothesis, self._score(grown))
            score = max(score or 0.0, self.candidates[-1][0])
        self.fitted.append((score or 0.0, found))

    def offer_before(self, policy: Policy) -> None:
        """What was learned before, if it would still do all that was shown."""
        steps = self.demonstrations.steps
        allowed = policy.allows_many([step.grid for step in steps], [step.action for step in steps])
        if all(allows != step.refused for allows, step in zip(allowed, steps, strict=True)):
            self._offer(policy, None, self._score(policy))

    @property
    def perfect(self) -> bool:
        """Whether something wins all practice levels."""
        return any(score >= 1.0 for score, *_ in self.candidates)

    def practise(self, rounds: int, until: float, seed: int, fitter: Fitter) -> Generator[Stage, None, None]:
        """Lets the best hypotheses learn from their lost games until all is won or time is over."""
        assert self.ground is not None
        if self.perfect:
            return
        ranked = sorted(self.fitted, key=lambda item: -item[0])[:VARIED]
        suspicions: list[Suspicion] = []
        for number, (_, found) in enumerate(ranked):
            rng = np.random.default_rng([seed, number])
            suspicions.append(Suspicion(fitter, found, self.ground, rng, TEMPERATURE))
            yield self.stage("trying it out", f"wins {suspicions[-1].best[-1][0]:.0%}: {found.hypothesis.name}")
        for won in vary(suspicions, rounds, until):
            yield self.stage("trying it out", f"the best of several wins {won:.0%}")
        for suspicion in suspicions:
            for policy in suspicion.policies():
                self._offer(policy, suspicion.fitted.hypothesis, self._score(policy))

    def _offer(self, policy: Policy, hypothesis: Hypothesis | None, score: float) -> None:
        self.candidates.append((score, len(self.candidates), policy, hypothesis))

    def _score(self, policy: Policy) -> float:
        """What the policy wins of many levels, or of the first few if it does not win nearly all of those."""
        assert self.ground is not None
        few = self.ground.score(policy, FIRST)
        return self.ground.score(policy, LAST) if few > 0.5 else 0.99 * few

    @property
    def best(self) -> tuple[float, int, Policy, Hypothesis | None] | None:
        """The candidate that wins most; of equals, the one that came first."""
        return max(self.candidates, key=lambda item: (item[0], -item[1])) if self.candidates else None

    def stage(self, phase: str, text: str) -> Stage:
        best = self.best
        won = best[0] if best is not None and self.ground is not None else None
        return Stage(phase, text, best[2] if best else None, won, time.monotonic() - self.start)

    def taught(self) -> Taught:
        shown = self.demonstrations
        best = self.best
        if best is None:
            nothing = uniform_policy(shown.tokens, shown.game, shown.buttons)
            return Taught(nothing, None, tuple(self.tried), failure=self.failure)
        _, _, policy, hypothesis = best
        practice = expectation = None
        if self.ground is not None:
            practice = (sum(self.ground.won(policy, LAST)), LAST)
            fresh = self.ground.play(policy, *FRESH)
            expectation = Expectation(sum(fresh), len(fresh))
        policy = replace(policy, origin=self._origin(hypothesis, practice, expectation))
        return Taught(policy, hypothesis, tuple(self.tried), True, practice, expectation)

    def _origin(
        self,
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
            "grammar": "paper",
        }
        sizes = {found.hypothesis: found.features for _, found in self.fitted}
        if hypothesis in sizes:
            origin |= {"programs": len(sizes[hypothesis].of_program), "distinct": len(sizes[hypothesis])}
        if hypothesis is not None:
            origin["reading"] = hypothesis.reading.to_json()
            origin["symmetry"] = [transformation.to_json() for transformation in hypothesis.symmetries]
            origin["read_as"] = hypothesis.name
        if practice is not None:
            origin["practice"] = {"won": practice[0], "levels": practice[1]}
        if expectation is not None:
            origin["expected"] = {"won": expectation.won, "of": expectation.of}
        return origin
