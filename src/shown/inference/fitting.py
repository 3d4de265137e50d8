"""The loop of learning: Algorithm 1 of the paper over all prefixes at once.

`Fitting` holds the demonstrated states and the programs evaluated on them. `Fitting.search` evaluates programs, has a
search propose formulas at each checkpoint, and keeps the best.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Literal, Protocol

import numpy as np

from shown.columns.device import evaluator_on
from shown.columns.evaluator import PROGRAM_BYTES, Evaluator
from shown.columns.resources import DEFAULT_RESOURCES, Resources
from shown.columns.rows import Labels, Rows
from shown.demonstrations import Demonstrations
from shown.engine.memory import Memory, refuse_above
from shown.engine.planes import Planes, frame
from shown.engine.threads import ONE_THREAD, Threads
from shown.errors import BadInput, OutOfMemory
from shown.grid import Grid
from shown.inference.features import Features, combine
from shown.inference.pinning import Contradiction, Pinned, Struck, contradictions, pin, pinned_bits
from shown.inference.posterior import Posterior, ScoredFormula, literal_prices, log_likelihood, log_prior
from shown.language.grammar import Block, Grammar
from shown.language.primitives import Language
from shown.language.reach import margin_for
from shown.language.terms import Term
from shown.rules import NO_CONSTRAINTS, Constraints
from shown.rules.bitwise import Clauses, Packed, Shortener, allowed_rows
from shown.rules.formula import Clause

CHECKPOINTS = (100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000)
"""Numbers of programs after which formulas are proposed and progress is reported."""

Programs = int | Literal["auto"]
"""Number of programs to enumerate; "auto": until more programs make nothing better."""

FIRST, MOST = 10_000, 1_000_000
"""Least and greatest number of programs for "auto"."""

MAX_SECONDS = 60  # time limit for "auto"
BATCH = 64  # formulas scored together
TELL_EVERY = 0.5  # seconds between reports while a long block is evaluated

MAX_STEPS = 100_000  # demonstrated steps; interpreting more takes minutes before anything can be reported
MAX_ROWS = 1_000_000  # actions in all demonstrated states together: a grid of 1000 × 1000, or 5,000 of 14 × 14


def check_size(demonstrations: Demonstrations) -> None:
    """Raise BadInput if there is nothing to learn from, or more than can be learned from in minutes."""
    if not len(demonstrations):
        raise BadInput("there are no demonstrations to learn from. Record or load at least one.")
    if len(demonstrations.steps) > MAX_STEPS:
        count = f"{len(demonstrations.steps):,} demonstrated steps; the limit is {MAX_STEPS:,}"
        raise BadInput(f"{count}. Leave some demonstrations out: a few dozen usually say as much.")
    grids = {step.grid for step in demonstrations.steps}
    rows = sum(len(demonstrations.buttons) or grid.height * grid.width for grid in grids)
    if rows > MAX_ROWS:
        count = f"the demonstrated states have {rows:,} actions together; the limit is {MAX_ROWS:,}"
        raise BadInput(f"{count}. Use fewer demonstrations or smaller grids.")


Propose = Callable[[Features, np.ndarray], Iterator[Clauses]]
"""Proposes formulas over features, given the log prior of a literal over each of them. [F] float64"""


class Search(Protocol):
    """A way to propose formulas for the labels it was made with, such as `TreeSearch`. The posterior scores them."""

    def propose(self, features: Features, prices: np.ndarray) -> Iterator[Clauses]:
        """Propose formulas over the features so far; those of the last call come first, unchanged.

        Args:
            features: all features so far.
            prices: log prior of a literal over each of them. [F] float64
        """
        ...

    def finish(self, features: Features, prices: np.ndarray) -> Iterator[Clauses]:
        """Propose formulas that are only worth it when no more features come. Called once, after the last `propose`."""
        ...


class LearningPhase(Enum):
    """Step of learning in progress; each front end has its own words for it."""

    ENUMERATING = "enumerating"  # programs are evaluated on the demonstrated states
    PROPOSING = "proposing"  # formulas over the programs seen so far are proposed and scored


class Patience:
    """Decides when to stop enumerating: when three times as many programs made nothing better, or time is up.

    >>> patience = Patience()
    >>> [patience.ends(programs, score) for programs, score in ((10_000, None), (30_000, (-80,)), (100_000, (-50,)))]
    [None, None, None]
    >>> patience.ends(300_000, (-50,))
    'from 100,000 to 300,000 programs nothing got better'
    """

    def __init__(self) -> None:
        self._until = time.monotonic() + MAX_SECONDS
        self._programs = 0
        self._best: tuple[float, ...] = ()

    @property
    def over(self) -> bool:
        """Whether the time is up."""
        return time.monotonic() > self._until

    def ends(self, programs: int, score: tuple[float, ...] | None) -> str | None:
        """Return why to stop after this many programs and with this best score, or None to go on.

        While nothing fits (a score of None), only time ends the search.
        """
        before, self._programs = self._programs, programs
        if self.over:
            return f"{MAX_SECONDS} seconds are over"
        if programs < FIRST or score is None:
            return None
        if self._best and score <= self._best:
            return f"from {before:,} to {programs:,} programs nothing got better"
        self._best = score
        return None


@dataclass(frozen=True)
class Weighing:
    """Options for scoring formulas; see `Learner`."""

    ensemble: int
    noise: float
    prior: str
    drop_literals: bool
    uniform_if_empty: bool
    stop_early: bool


@dataclass(frozen=True)
class Event:
    """Progress of a search.

    Attributes:
        phase: the step in progress.
        programs: number of programs evaluated so far.
        distinct: number of those that differ on the demonstrations.
        total: number of programs to evaluate.
        features: features of the last checkpoint; None before the first.
        posterior: the best formulas so far.
        news: whether the mixture may have changed since the last event.
        stopped: why the search ended early, in the last event; otherwise None.
    """

    phase: LearningPhase
    programs: int
    distinct: int
    total: int
    features: Features | None
    posterior: Posterior
    news: bool = False
    stopped: str | None = None


@dataclass
class Fitting:
    """The demonstrated states with the programs' columns on them.

    Attributes:
        grammar: grammar of the programs.
        blocks: the programs, in order.
        resources: threads, device and memory for evaluating them.
        constraints: constraints on every formula.
        threads: threads that evaluate programs and search; whoever made them ends them.
        evaluators: one for each batch of states added together.
        memory: the memory of the programs' columns and conditions.
    """

    grammar: Grammar
    blocks: list[Block]
    resources: Resources = DEFAULT_RESOURCES
    constraints: Constraints = NO_CONSTRAINTS
    threads: Threads = ONE_THREAD
    evaluators: list[Evaluator] = field(default_factory=list)
    memory: Memory = field(default_factory=Memory)
    _struck: dict[int, bool] = field(default_factory=dict, repr=False)

    def add(self, demonstrations: Demonstrations) -> None:
        """Add demonstrations. A state that is known already is not evaluated again."""
        known = {grid for evaluator in self.evaluators for grid in evaluator.world.grids}
        grids = list(dict.fromkeys(step.grid for step in demonstrations.steps if step.grid not in known))
        if grids:
            self.evaluators.append(self._evaluator(grids, demonstrations))

    def extended(self, demonstrations: Demonstrations) -> Fitting:
        """Return a fitting with further demonstrations that shares the columns of this one."""
        # What is taken by the copy is counted there alone, since it is dropped with the copy.
        more = replace(self, evaluators=list(self.evaluators), memory=Memory(self.memory.room))
        more.add(demonstrations)
        return more

    def _evaluator(self, grids: list[Grid], demonstrations: Demonstrations) -> Evaluator:
        language = self.grammar.language
        pinned = (literal.term for clause in self.constraints.pinned for literal in clause)
        margin = max(
            margin_for((block.shape for block in self.blocks), language, grids),
            margin_for(pinned, self.language, grids),
        )
        planes = 8 * math.prod(frame(grids, margin)) * (len(demonstrations.tokens.values) + 2)
        # A given limit ends the enumeration where it is reached; otherwise all programs must fit.
        programs = 0 if self.resources.memory_limit else PROGRAM_BYTES * (self.blocks[-1].start + self.blocks[-1].count)
        refuse_above(planes + programs, "the demonstrated states and the list of programs", self.memory.room)
        self.memory.take(planes, "the demonstrated states")
        world = Planes(grids, demonstrations.tokens, demonstrations.buttons, margin)
        evaluator = evaluator_on(self.resources.device, world, language, self.memory, self.threads)
        evaluator.expect(self.blocks)
        return evaluator

    @property
    def language(self) -> Language:
        """The language of formulas: that of the programs and of pinned clauses."""
        return self.constraints.spoken_with(self.grammar.language)

    @property
    def rows(self) -> Rows:
        """The rows of all states."""
        return Rows([evaluator.world for evaluator in self.evaluators])

    def up_to(self, programs: int | None) -> list[Block]:
        """Return the blocks that hold the first `programs` programs; all blocks for None."""
        return [block for block in self.blocks if programs is None or block.start < programs]

    def features(self, labels: Labels, programs: int | None = None) -> Features:
        """Return the features of the first `programs` programs, evaluating those that are new."""
        blocks = self.up_to(programs)
        self.demand(len(blocks))
        for place, block in enumerate(blocks):
            self.evaluate(block, place)
        return self.combined(len(blocks), labels.mask)

    def demand(self, count: int) -> None:
        """Say that the first `count` blocks will be evaluated, so that threads may work on several at a time."""
        for evaluator in self.evaluators:
            evaluator.demand(count)

    def evaluate(self, block: Block, place: int) -> None:
        """Evaluate the block at this place in every evaluator that has not yet."""
        for evaluator in self.evaluators:
            if len(evaluator.of_program) <= place:
                evaluator.evaluate(block)

    def combined(self, count: int, mask: np.ndarray) -> Features:
        """Return the features of the first `count` blocks, without struck programs.

        Only the programs that represent a column are checked. Where one is struck, the next program of its column
        represents it and is checked in turn, so the result is as if every program had been checked.
        """
        while True:
            away = [place for place, struck in self._struck.items() if struck]
            features = combine(self.evaluators, self.blocks, count, mask, away)
            unread = [f for f, place in enumerate(features.first.tolist()) if place not in self._struck]
            if not self.constraints.struck or not unread:
                return features
            for f in unread:
                struck = self.constraints.strikes(features.terms[f], self.grammar.language)
                self._struck[int(features.first[f])] = struck

    def log_prior(self, term: Term) -> float:
        """Return log p of a program; that of the last block if the grammar's blocks do not have it."""
        return next((block for block in self.blocks if block.shape.has(term)), self.blocks[-1]).log_prior

    def contradictions(self, labels: Labels, shown: Demonstrations, own: int) -> tuple[Contradiction, ...]:
        """Return the pinned clauses that allow an action which the demonstrations rule out.

        Args:
            labels: the demonstrations as bits.
            shown: the demonstrations, mirror images last.
            own: number of demonstrations that are no images.
        """
        if not self.constraints.pinned:
            return ()
        bits = self._bits_of(self.constraints.pinned)
        return contradictions(self.constraints, bits, self.rows, labels, shown, own)

    def pinned(self, labels: Labels, apart: Sequence[Contradiction] = (), prior: str = "grammar") -> Pinned:
        """Return the pinned clauses, without those `apart`, on the rows of some labels."""
        clauses = self.constraints.without([item.clause for item in apart]).pinned
        costs = np.array([self.log_prior(literal.term) for clause in clauses for literal in clause])
        paid = math.fsum(literal_prices(costs, prior).tolist()) if clauses else None
        return pin(clauses, self._bits_of(clauses), paid, labels)

    def _bits_of(self, clauses: Sequence[Clause]) -> np.ndarray:
        return pinned_bits(clauses, [evaluator.world for evaluator in self.evaluators], self.language)

    def struck(self) -> Struck | None:
        """Return the test for clauses that amount to a struck program; None if nothing is struck."""
        return Struck(self.constraints, self.evaluators[0].world) if self.constraints.struck else None

    def seen(self, done: int, features: Features | None = None) -> tuple[int, int]:
        """Return the number of programs in the first `done` blocks and of distinct ones among them.

        Without the combined features, distinct programs are counted within a batch.
        """
        last = self.blocks[done - 1]
        distinct = max(len(e.columns) for e in self.evaluators) if features is None else len(features)
        return last.start + last.count, distinct

    def search(
        self,
        pinned: Pinned,
        search: Search,
        weighing: Weighing,
        at_once: bool = False,
        programs: int | None = None,
        patience: Patience | None = None,
    ) -> Iterator[Event]:
        """Evaluate the programs and keep the best formulas that `search` proposes.

        If a given limit on memory, or an open number of programs, ends the enumeration after something was found, the
        search keeps that and says so.

        Args:
            pinned: the demonstrations as bits, with the clauses that every formula has.
            search: proposes formulas for the rest that these leave unexplained.
            weighing: options for scoring them.
            at_once: propose only after all programs, which is faster but reports nothing in between.
            programs: number of programs to use; all if None.
            patience: ends the search when more programs make nothing better.
        """
        scorer = _Scorer(weighing, pinned, self.struck())
        yield from _Run(self, search, scorer, patience, self.up_to(programs)).events(at_once)


class _Run:
    """One pass over the programs: evaluates blocks, has formulas proposed at checkpoints, reports progress."""

    def __init__(
        self, fitting: Fitting, search: Search, scorer: _Scorer, patience: Patience | None, blocks: list[Block]
    ) -> None:
        self.fitting, self.search, self.scorer, self.patience = fitting, search, scorer, patience
        self.blocks, self.total = blocks, sum(block.count for block in blocks)
        self.features: Features | None = None
        self.may_be_fewer = fitting.resources.memory_limit is not None or patience is not None
        self.shortage: str | None = None
        self.done, self.told = 0, time.monotonic()

    def events(self, at_once: bool) -> Iterator[Event]:
        enough: str | None = None
        for chunk in [self.blocks] if at_once else _until_checkpoints(self.blocks):
            if self.done and self._cannot_improve(chunk[0]):
                break
            yield from self._evaluate(chunk)
            self.features = self.fitting.combined(self.done, self.scorer.pinned.rest.mask)
            yield self._event(LearningPhase.PROPOSING)
            self._consider(self.search.propose, self.features)
            if self.shortage is not None:
                break
            self.told = time.monotonic()
            yield self._event(LearningPhase.ENUMERATING, news=True)
            enough = self._ends()
            if enough is not None and self.done < len(self.blocks):
                break
        assert self.features is not None
        self._consider(self.search.finish, self.features)
        if self.shortage is not None:
            if not self.scorer.posterior.best:
                raise OutOfMemory(f"{self.shortage} About {self.fitting.seen(self.done)[0]:,} programs fit.")
            self.fitting.blocks = self.fitting.blocks[: self.done]
        stopped = self.shortage or (f"{enough}." if enough is not None else None)
        yield replace(self._event(LearningPhase.ENUMERATING, news=True), stopped=stopped)

    def _cannot_improve(self, block: Block) -> bool:
        """Whether no formula with a program of this block or a later one can enter the mixture (the paper's bound)."""
        scorer = self.scorer
        given = scorer.pinned.log_prior or 0.0
        price = float(literal_prices(np.array([block.log_prior]), scorer.weighing.prior)[0])
        return scorer.weighing.stop_early and given + price < scorer.posterior.bound

    def _evaluate(self, chunk: Sequence[Block]) -> Iterator[Event]:
        self.fitting.demand(self.done + len(chunk))
        for block in chunk:
            try:
                self.fitting.evaluate(block, self.done)
            except OutOfMemory as error:
                if not (self.done and self.may_be_fewer):
                    raise
                self.shortage = str(error)
                return
            self.done += 1
            if time.monotonic() - self.told > TELL_EVERY:
                self.told = time.monotonic()
                programs, distinct = self.fitting.seen(self.done)
                yield replace(self._event(LearningPhase.ENUMERATING), programs=programs, distinct=distinct)

    def _consider(self, propose: Propose, features: Features) -> None:
        prices = literal_prices(features.log_prior, self.scorer.weighing.prior)
        batch: list[Clauses] = []
        for clauses in propose(features, prices):
            batch.append(clauses)
            if len(batch) == BATCH:
                self.scorer.consider(batch, features, prices)
                batch = []
        self.scorer.consider(batch, features, prices)

    def _ends(self) -> str | None:
        if self.patience is None:
            return None
        best = self.scorer.posterior.best
        return self.patience.ends(self.fitting.seen(self.done)[0], (best[0].score,) if best else None)

    def _event(self, phase: LearningPhase, news: bool = False) -> Event:
        seen = self.fitting.seen(self.done, self.features)
        return Event(phase, *seen, self.total, self.features, self.scorer.posterior, news)


class _Scorer:
    """Scores proposals, together with pinned clauses, and keeps the best; discards those that a struck program rules
    out."""

    def __init__(self, weighing: Weighing, pinned: Pinned, struck: Struck | None) -> None:
        self.weighing, self.pinned, self.struck = weighing, pinned, struck
        self.posterior, self._shortened = Posterior(weighing.ensemble), Shortener()
        self._last: tuple[np.ndarray, float] | None = None

    def consider(self, formulas: Sequence[Clauses], features: Features, prices: np.ndarray) -> None:
        """Score formulas, in order."""
        rows = allowed_rows(Packed.of(formulas), features.columns, self.pinned.rest.mask)
        for clauses, allowed in zip(formulas, rows, strict=True):
            self._consider(clauses, allowed, features, prices)

    def _consider(self, clauses: Clauses, allowed: np.ndarray, features: Features, prices: np.ndarray) -> None:
        weighing, pinned = self.weighing, self.pinned
        together = pinned.allowed(allowed)
        # Formulas that fit mostly allow the same rows: those that were shown.
        if self._last is None or not np.array_equal(together, self._last[0]):
            self._last = together, log_likelihood(together, pinned.whole, weighing.noise, weighing.uniform_if_empty)
        likelihood = self._last[1]
        if likelihood == -math.inf:
            return
        if weighing.drop_literals:
            clauses = self._shortened(clauses, features.columns, pinned.rest.mask, prices, allowed)
        if self.struck is None or not any(self.struck(clause, features) for clause in clauses):
            self.posterior.offer(ScoredFormula(clauses, log_prior(clauses, prices, pinned.log_prior), likelihood))


def _until_checkpoints(blocks: Sequence[Block]) -> Iterator[list[Block]]:
    """Yield the blocks in chunks that end where a checkpoint is passed."""
    chunk: list[Block] = []
    for block in blocks:
        chunk.append(block)
        end = block.start + block.count
        if any(block.start < point <= end for point in CHECKPOINTS):
            yield chunk
            chunk = []
    if chunk:
        yield chunk
