"""The loop of learning: Algorithm 1 of the paper over all prefixes at once.

`Fitting` holds the states that were shown and the programs evaluated on them, and grows by further states; `search`
goes through the programs, lets the searches propose formulas at each checkpoint, and keeps the best.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from shown.demonstrations import Demonstrations, Step
from shown.errors import ClusterLost, OutOfMemory
from shown.grid import Grid
from shown.inference.columns import Evaluator
from shown.inference.conditioned import Contradiction, Pinned, Struck, contradictions, pin, pinned_bits
from shown.inference.device import evaluator_on
from shown.inference.features import Features, combine
from shown.inference.formulas import Clauses, Shortener, formula_bits
from shown.inference.posterior import Candidate, Mixture, literal_prices, log_likelihood, log_prior
from shown.inference.proposals import Search
from shown.inference.rows import Evidence, Rows, evidence_of
from shown.inference.shards import Crew, Sharded
from shown.language.grammar import Block, Grammar
from shown.language.primitives import Language
from shown.language.reach import margin_for
from shown.language.terms import Term
from shown.memory import Account
from shown.planes import Planes, frame
from shown.rules import NO_CONDITIONS, Conditions
from shown.rules.formula import Clause

CHECKPOINTS = (100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000)
"""After so many programs formulas are proposed and progress is told."""

Programs = int | Literal["auto"]
"""How many programs to look at; "auto": as many as make it better."""

FIRST, MOST = 10_000, 1_000_000
"""How far to look, where that is left open: at least, and at most so many programs."""

WORTH_SHARING = 50_000
"""Fewer programs are evaluated before others have been told of them."""

TELL_EVERY = 0.5
"""Seconds after which a long block is not left without a word."""


@dataclass
class Patience:
    """Says when it is not worth looking further: when three times as many programs have not made anything better.

    >>> patience = Patience()
    >>> [patience.ends(programs, score) for programs, score in ((10_000, None), (30_000, (-80,)), (100_000, (-50,)))]
    [None, None, None]
    >>> patience.ends(300_000, (-50,))
    'from 100,000 to 300,000 programs nothing got better'

    Attributes:
        seconds: so long it lasts in any case.
        first: nothing is decided before so many programs.
    """

    seconds: float = 60.0
    first: int = FIRST

    def __post_init__(self) -> None:
        self._until = time.monotonic() + self.seconds
        self._programs = 0
        self._best: tuple[float, ...] = ()

    @property
    def over(self) -> bool:
        """Whether the seconds are over."""
        return time.monotonic() > self._until

    def ends(self, programs: int, score: tuple[float, ...] | None) -> str | None:
        """Why to stop after so many programs, with the best rated so; None to go on. While nothing fits it goes on."""
        before, self._programs = self._programs, programs
        if self.over:
            return f"{self.seconds:.0f} seconds are over"
        if programs < self.first or score is None:
            return None
        if self._best and score <= self._best:
            return f"from {before:,} to {programs:,} programs nothing got better"
        self._best = score
        return None


@dataclass(frozen=True)
class Weighing:
    """How candidates are weighed; see `Learner` for what each means."""

    ensemble: int
    noise: float
    prior: str
    drop_literals: bool
    uniform_if_empty: bool
    stop_early: bool


@dataclass(frozen=True)
class Moment:
    """Where a search stands.

    Attributes:
        phase: what is being done; it begins with "stopped" where the search ends before all programs are seen.
        programs: seen so far.
        distinct: of those, how many look different on the demonstrations.
        total: how many programs there are.
        features: those of the last checkpoint, or None before the first.
        mixture: the best candidates so far.
        news: whether the mixture may have changed since the last moment.
    """

    phase: str
    programs: int
    distinct: int
    total: int
    features: Features | None
    mixture: Mixture
    news: bool = False


@dataclass
class Fitting:
    """The states shown so far with the programs' columns on them.

    Attributes:
        grammar: where the programs come from.
        blocks: the programs, in order.
        account: of the memory that all of it takes.
        threads: how many threads evaluate programs.
        evaluators: one for each batch of states that came together.
        steps: all that was shown, in order.
        conditions: what every formula must keep to.
        device: where programs are evaluated: "cpu", or "cuda". What comes of it is the same.
        crew: others who evaluate programs, where there are many; None where this process always does.
    """

    grammar: Grammar
    blocks: list[Block]
    account: Account
    threads: int
    evaluators: list[Evaluator] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    conditions: Conditions = NO_CONDITIONS
    device: str = "cpu"
    crew: Crew | None = None
    _struck: dict[int, bool] = field(default_factory=dict, init=False, repr=False)

    def add(self, demonstrations: Demonstrations) -> None:
        """Takes in what was shown. A state that was there before is not evaluated again."""
        known = {grid for evaluator in self.evaluators for grid in evaluator.world.grids}
        grids = list(dict.fromkeys(step.grid for step in demonstrations.steps if step.grid not in known))
        if grids:
            self.evaluators.append(self._evaluator(grids, demonstrations))
        self.steps += demonstrations.steps

    def extended(self, demonstrations: Demonstrations) -> Fitting:
        """Another fitting that has these too, and shares what is evaluated already. This one stays as it is."""
        account = Account(self.account.limit)
        account.held = self.account.held
        more = replace(self, account=account, evaluators=list(self.evaluators), steps=list(self.steps))
        more._struck = self._struck
        more.add(demonstrations)
        return more

    def _evaluator(self, grids: list[Grid], demonstrations: Demonstrations) -> Evaluator:
        margin = max(
            margin_for((block.shape for block in self.blocks), self.grammar.language, grids),
            margin_for((x.term for clause in self.conditions.pinned for x in clause), self.language, grids),
        )
        planes = len(demonstrations.tokens.values) + 2
        self.account.take(
            8 * math.prod(frame(grids, margin)) * planes,
            "the demonstrated states",
            "Use fewer or smaller demonstrations",
        )
        world = Planes(grids, demonstrations.tokens, demonstrations.buttons, margin)
        language = self.grammar.language
        evaluator = (
            evaluator_on(self.device, world, language, self.account, self.threads)
            if self.crew is None or self.blocks[-1].start < WORTH_SHARING
            else Sharded(world, language, self.account, self.crew)
        )
        evaluator.expect(self.blocks)
        return evaluator

    def close(self) -> None:
        """Ends what a crew was doing ahead; it begins again if more is asked for."""
        for evaluator in self.evaluators:
            if isinstance(evaluator, Sharded):
                evaluator.close()

    @property
    def language(self) -> Language:
        """What formulas are in: the words of the programs, and of what is pinned."""
        return self.conditions.spoken_with(self.grammar.language)

    @property
    def rows(self) -> Rows:
        """Where the rows of all states are."""
        return Rows([evaluator.world for evaluator in self.evaluators])

    def evidence(self, rows: Rows) -> Evidence:
        """What was shown, as bits over these rows."""
        return evidence_of(rows, self.steps)

    def up_to(self, programs: int | None) -> list[Block]:
        """The blocks that hold the first so many programs; all for None."""
        return [block for block in self.blocks if programs is None or block.start < programs]

    def features(self, evidence: Evidence, programs: int | None = None) -> Features:
        """What the first so many programs see; those that were evaluated before are not evaluated again."""
        blocks = self.up_to(programs)
        with closing(self):
            for place, block in enumerate(blocks):
                self._evaluate(block, place)
        return self._combined(len(blocks), evidence.mask)

    def _combined(self, count: int, mask: np.ndarray) -> Features:
        """The features of the first `count` blocks, without the programs that are struck.

        Only the programs that stand for a column are read. Where one is struck, the next of its column stands for it,
        and is read in turn; so the result is as if all programs had been read.
        """
        while True:
            away = [place for place, struck in self._struck.items() if struck]
            features = combine(self.evaluators, self.blocks, count, mask, away)
            unread = [f for f, place in enumerate(features.first.tolist()) if place not in self._struck]
            if not self.conditions.struck or not unread:
                return features
            for f in unread:
                struck = self.conditions.strikes(features.terms[f], self.grammar.language)
                self._struck[int(features.first[f])] = struck

    def log_prior(self, term: Term) -> float:
        """What a program costs; as much as the last of all if it is not among them."""
        return next((block for block in self.blocks if block.shape.has(term)), self.blocks[-1]).log_prior

    def contradictions(self, evidence: Evidence, shown: Demonstrations, own: int) -> tuple[Contradiction, ...]:
        """What is pinned and allows what is ruled out by what was shown (`shown`, and the same as `evidence`); all but
        the first `own` of that are images."""
        if not self.conditions.pinned:
            return ()
        bits = self._bits_of(self.conditions.pinned)
        return contradictions(self.conditions, bits, self.rows, evidence, shown, own)

    def pinned(self, evidence: Evidence, apart: Sequence[Contradiction] = (), prior: str = "grammar") -> Pinned | None:
        """What every formula for some evidence has, apart from what contradicts it; None if there is nothing."""
        clauses = self.conditions.without([item.clause for item in apart]).pinned
        if not clauses:
            return None
        costs = np.array([self.log_prior(literal.term) for clause in clauses for literal in clause])
        paid = math.fsum(literal_prices(costs, prior).tolist())
        return pin(clauses, self._bits_of(clauses), paid, evidence)

    def _bits_of(self, clauses: Sequence[Clause]) -> np.ndarray:
        worlds = [evaluator.world for evaluator in self.evaluators]
        return pinned_bits(clauses, worlds, self.language, np.concatenate([world.row_mask for world in worlds]))

    def struck(self) -> Struck | None:
        """Says which clauses come to something struck; None if nothing is."""
        return Struck(self.conditions, self.evaluators[0].world) if self.conditions.struck else None

    def search(
        self,
        evidence: Evidence,
        searches: Sequence[Search],
        weighing: Weighing,
        at_once: bool = False,
        programs: int | None = None,
        patience: Patience | None = None,
        pinned: Pinned | None = None,
    ) -> Iterator[Moment]:
        """Goes through the programs and keeps the best formulas that `searches` propose.

        With `at_once`, they are asked only when all programs are there, which is quicker when nobody looks on. If
        memory runs out, or a crew is lost, after something was found, the search ends there with what there is; with
        `patience`, also when that says so. With `programs`, it goes no further than those. With something `pinned`,
        the evidence is the rest that it leaves, and formulas are weighed together with it.
        """
        with closing(self):
            yield from self._search(evidence, searches, weighing, at_once, programs, patience, pinned)

    def _search(
        self,
        evidence: Evidence,
        searches: Sequence[Search],
        weighing: Weighing,
        at_once: bool,
        programs: int | None,
        patience: Patience | None,
        pinned: Pinned | None,
    ) -> Iterator[Moment]:
        scorer = _Scorer(evidence, weighing, pinned, self.struck())
        given = 0.0 if pinned is None else pinned.log_prior
        blocks = self.up_to(programs)
        total = sum(block.count for block in blocks)
        features: Features | None = None
        shortage: OutOfMemory | ClusterLost | None = None
        enough: str | None = None
        done, told = 0, time.monotonic()
        for chunk in [blocks] if at_once else _until_checkpoints(blocks):
            if weighing.stop_early and done and given + _price(chunk[0], weighing.prior) < scorer.mixture.bound:
                break
            for block in chunk:
                try:
                    self._evaluate(block, done)
                except (OutOfMemory, ClusterLost) as error:
                    shortage = error
                    break
                done += 1
                if time.monotonic() - told > TELL_EVERY:
                    told = time.monotonic()
                    yield Moment("enumerating programs", *self._seen(done), total, features, scorer.mixture)
            if shortage is not None and not done:
                raise shortage
            features = self._combined(done, evidence.mask)
            seen = self._seen(done, features)
            yield Moment("proposing rules", *seen, total, features, scorer.mixture)
            prices = literal_prices(features.log_prior, weighing.prior)
            for search in searches:
                for clauses in search.propose(features, prices):
                    scorer.consider(clauses, features, prices)
            if shortage is not None:
                break
            told = time.monotonic()
            yield Moment("enumerating programs", *seen, total, features, scorer.mixture, news=True)
            best = scorer.mixture.best
            enough = patience.ends(seen[0], (best[0].score,) if best else None) if patience is not None else None
            if enough is not None and done < len(blocks):
                break
        assert features is not None
        prices = literal_prices(features.log_prior, weighing.prior)
        for search in searches:
            for clauses in search.finish(features, prices):
                scorer.consider(clauses, features, prices)
        if shortage is not None and not scorer.mixture.best:
            raise shortage
        phase = "enumerating programs"
        if shortage is not None:
            self.blocks, phase = self.blocks[:done], f"stopped: {shortage}"
        elif enough is not None:
            phase = f"stopped: {enough}."
        yield Moment(phase, *self._seen(done, features), total, features, scorer.mixture, news=True)

    def _evaluate(self, block: Block, place: int) -> None:
        for evaluator in self.evaluators:
            if len(evaluator.of_program) <= place:
                evaluator.evaluate(block)

    def _seen(self, done: int, features: Features | None = None) -> tuple[int, int]:
        """The programs seen so far, and how many of them are distinct (within a batch, until batches are combined)."""
        last = self.blocks[done - 1]
        distinct = max(len(e.columns) for e in self.evaluators) if features is None else len(features)
        return last.start + last.count, distinct


class _Scorer:
    """Weighs proposals, together with what is pinned, and keeps the best; none that comes to something struck."""

    def __init__(self, evidence: Evidence, weighing: Weighing, pinned: Pinned | None, struck: Struck | None) -> None:
        self.evidence, self.weighing, self.pinned, self.struck = evidence, weighing, pinned, struck
        self.mixture = Mixture(weighing.ensemble)
        self._shortened = Shortener()

    def consider(self, clauses: Clauses, features: Features, prices: np.ndarray) -> None:
        evidence, weighing, pinned = self.evidence, self.weighing, self.pinned
        allowed = formula_bits(clauses, features.columns, evidence.mask)
        whole, given = (evidence, None) if pinned is None else (pinned.whole, pinned.log_prior)
        together = allowed if pinned is None else pinned.allowed(allowed)
        likelihood = log_likelihood(together, whole, weighing.noise, weighing.uniform_if_empty)
        if likelihood == -math.inf:
            return
        if weighing.drop_literals:
            clauses = self._shortened(clauses, features.columns, evidence.mask, prices)
        if self.struck is None or not self.struck.any_of(clauses, features):
            self.mixture.offer(Candidate(clauses, log_prior(clauses, prices, given), likelihood))


def _price(block: Block, prior: str) -> float:
    """What a literal over a program of this block adds to the log prior."""
    return float(literal_prices(np.array([block.log_prior]), prior)[0])


def _until_checkpoints(blocks: Sequence[Block]) -> Iterator[list[Block]]:
    """The blocks in chunks that end where a checkpoint is passed."""
    chunk: list[Block] = []
    for block in blocks:
        chunk.append(block)
        end = block.start + block.count
        if any(block.start < point <= end for point in CHECKPOINTS):
            yield chunk
            chunk = []
    if chunk:
        yield chunk
