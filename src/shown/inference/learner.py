"""The learner: demonstrations in, policy out. Algorithm 1 of the paper over all prefixes at once."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from shown.demonstrations import Demonstrations
from shown.errors import BadInput
from shown.grid import Action, Grid
from shown.inference.failure import Failure, explain_failure
from shown.inference.features import Evaluator, Features, Memory, combine, row_of
from shown.inference.posterior import (
    PRIORS,
    Candidate,
    Evidence,
    Mixture,
    Shortened,
    drop_literals,
    formula_bits,
    literal_prices,
    log_likelihood,
    log_prior,
)
from shown.inference.trees import Clauses, Forest, Tree, clauses_of
from shown.language.grammar import Block, Grammar, paper_grammar
from shown.language.reach import margin_for
from shown.planes import Planes, frame
from shown.policy import Component, Formula, Literal, Policy, uniform_policy
from shown.version import __version__

CHECKPOINTS = (100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000)
"""After so many programs the trees are grown and progress is told."""


TELL_EVERY = 0.5
"""Seconds after which a long block is not left without a word."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is.

    Attributes:
        programs: seen so far, of `total`.
        distinct: of those, how many look different on the demonstrations.
        best: the best rule so far in English, or None while nothing fits.
        score: its log posterior.
        components: policies in the mixture so far.
        seconds: since the start.
        phase: what is being done.
    """

    programs: int
    total: int
    distinct: int
    best: str | None
    score: float | None
    components: int
    seconds: float
    phase: str


@dataclass
class _Batch:
    """States that came together, the program columns on them, and the steps shown there."""

    world: Planes
    evaluator: Evaluator
    steps: list[tuple[int, Action]]


@dataclass
class Learner:
    """Learns a policy from demonstrations.

    >>> from shown.games import find
    >>> from shown.games.episodes import demonstrate
    >>> from shown.games.levels import load_levels
    >>> nim = find("nim")
    >>> learner = Learner(programs=300).fit(demonstrate(nim, load_levels(nim, "train:0-3")))
    >>> learner.policy_.game
    'nim'

    Attributes:
        programs: how many programs to enumerate (L in the paper).
        ensemble: how many policies to mix (K).
        trees: how many differently seeded trees to grow for each prefix.
        noise: ε: how often the demonstrator acts at random.
        seed: of all random choices.
        threads: how many threads evaluate programs; by default one a core. The result does not depend on it.
        drop_literals: leave out literals that change no bit of the fit.
        finish_level: go on to the end of the last level of equally probable programs.
        uniform_if_empty: where a formula allows nothing, let the likelihood guess, as the acting policy does.
        stop_early: stop when no program to come could be in the mixture (the paper's bound).
        prior: "grammar" (the paper's), "sparsity" (every program costs the same) or "uniform" (nothing costs).
        grammar: another grammar than the paper's.
        memory_limit: bytes that programs' columns and planes may take; by default half of the machine's memory.
    """

    programs: int = 10_000
    ensemble: int = 25
    trees: int = 5
    noise: float = 0.0
    seed: int = 0
    threads: int | None = None
    drop_literals: bool = True
    finish_level: bool = False
    uniform_if_empty: bool = False
    stop_early: bool = True
    prior: str = "grammar"
    grammar: Grammar | None = None
    memory_limit: int | None = None

    demonstrations_: Demonstrations | None = field(default=None, init=False, repr=False)
    policy_: Policy = field(init=False, repr=False)
    features_: Features = field(init=False, repr=False)
    failure_: Failure | None = field(default=None, init=False, repr=False)
    candidates_: list[Candidate] = field(default_factory=list, init=False, repr=False)
    _batches: list[_Batch] = field(default_factory=list, init=False, repr=False)
    _blocks: list[Block] = field(default_factory=list, init=False, repr=False)

    def fit(self, demonstrations: Demonstrations) -> Learner:
        """Learns from these demonstrations alone."""
        for _ in self.iter_fit(demonstrations):
            pass
        return self

    def add(self, demonstrations: Demonstrations) -> Learner:
        """Learns from these demonstrations and all earlier ones, evaluating programs on the new states only."""
        for _ in self.iter_add(demonstrations):
            pass
        return self

    def iter_fit(self, demonstrations: Demonstrations) -> Generator[Progress, None, None]:
        """Like `fit`, telling of its progress; `policy_` is the best so far after each, so one may stop at any."""
        self.demonstrations_ = None
        self._batches, self._blocks = [], []
        return self.iter_add(demonstrations)

    def iter_add(self, demonstrations: Demonstrations) -> Generator[Progress, None, None]:
        """Like `add`, telling of its progress."""
        self._check(demonstrations)
        if self.demonstrations_ is None:
            grammar = self.grammar or paper_grammar(demonstrations.tokens, demonstrations.buttons)
            grammar.check_actions(demonstrations.buttons)
            self._blocks = list(grammar.blocks(self.programs, self.finish_level))
            if not self._blocks:
                raise BadInput("the grammar derives no program at all. Every rule leads on to further rules.")
            together = demonstrations
        else:
            grammar = self.grammar or paper_grammar(demonstrations.tokens, demonstrations.buttons)
            together = self.demonstrations_ + demonstrations
        self._add_batch(demonstrations, grammar)
        self.demonstrations_ = together
        return self._run(time.monotonic())

    # --- the run ------------------------------------------------------------------------------------------------------

    def _run(self, start: float) -> Generator[Progress, None, None]:
        demonstrations = self.demonstrations_
        assert demonstrations is not None
        self.policy_ = uniform_policy(demonstrations.tokens, demonstrations.game, demonstrations.buttons)
        self.failure_, self.candidates_ = None, []
        evidence = self._evidence()
        forest = Forest(evidence.mask, evidence.positive, [self.seed * self.trees + s for s in range(self.trees)])
        search = _Search(self, evidence)
        total = sum(block.count for block in self._blocks)
        done: list[Block] = []
        told = start
        for chunk in _until_checkpoints(self._blocks):
            bound = search.mixture.bound
            if self.stop_early and done and literal_prices(np.array([chunk[0].log_prior]), self.prior)[0] < bound:
                break
            for block in chunk:
                self._evaluate(block, len(done))
                done.append(block)
                if time.monotonic() - told > TELL_EVERY:
                    told = time.monotonic()
                    yield self._progress(search, self._seen(done), total, start, "enumerating programs")
            features = combine([batch.evaluator for batch in self._batches], done, len(done))
            self.features_ = features
            yield self._progress(search, self._seen(done, features), total, start, "growing trees")
            for found in forest.extend(features.columns):
                search.consider([tree for _, tree in found], features)
            self._publish(search, features)
            told = time.monotonic()
            yield self._progress(search, self._seen(done, features), total, start, "enumerating programs")
        if not self.candidates_:
            self.failure_ = explain_failure(demonstrations, self._failure_rows(), self.features_, evidence)

    def _evaluate(self, block: Block, place: int) -> None:
        for batch in self._batches:
            if len(batch.evaluator.of_program) <= place:
                batch.evaluator.evaluate(block)

    def _publish(self, search: _Search, features: Features) -> None:
        """Makes the best so far the learner's policy."""
        demonstrations = self.demonstrations_
        best = search.mixture.best
        if not best or demonstrations is None:
            return
        self.candidates_ = best
        components = tuple(
            Component(
                float(weight), candidate.log_prior, candidate.log_likelihood, to_formula(candidate.clauses, features)
            )
            for candidate, weight in zip(best, search.mixture.weights, strict=True)
        )
        self.policy_ = Policy(
            demonstrations.tokens,
            components,
            demonstrations.game,
            demonstrations.buttons,
            origin=self._origin(demonstrations, features),
            **({"language": self.grammar.language} if self.grammar else {}),
        )

    def _origin(self, demonstrations: Demonstrations, features: Features) -> dict[str, Any]:
        return {
            "version": __version__,
            "demonstrations": {
                "digest": demonstrations.digest,
                "count": len(demonstrations),
                "steps": len(demonstrations.steps),
                "levels": [item.level for item in demonstrations],
            },
            "programs": len(features.of_program),
            "distinct": len(features),
            "settings": {
                name: getattr(self, name)
                for name in (
                    "programs", "ensemble", "trees", "noise", "seed", "drop_literals", "finish_level",
                    "uniform_if_empty", "stop_early", "prior",
                )
            },
        }  # fmt: skip

    def _seen(self, done: Sequence[Block], features: Features | None = None) -> tuple[int, int]:
        """The programs seen so far, and how many of them are distinct (within a batch, until batches are combined)."""
        batches = max(len(batch.evaluator.columns) for batch in self._batches)
        return done[-1].start + done[-1].count, batches if features is None else len(features)

    def _progress(self, search: _Search, seen: tuple[int, int], total: int, start: float, phase: str) -> Progress:
        best = search.mixture.best
        fits = bool(best) and bool(self.candidates_)
        return Progress(
            programs=seen[0],
            total=total,
            distinct=seen[1],
            best=self.policy_.components[0].formula.english(self.policy_.language, self.policy_.subject)
            if fits
            else None,
            score=best[0].score if best else None,
            components=len(best),
            seconds=time.monotonic() - start,
            phase=phase,
        )

    # --- states and rows ----------------------------------------------------------------------------------------------

    def _add_batch(self, demonstrations: Demonstrations, grammar: Grammar) -> None:
        # A state that is shown twice is evaluated once; both its actions are then demonstrated there.
        known = {grid: (b, s) for b, batch in enumerate(self._batches) for s, grid in enumerate(batch.world.grids)}
        grids: dict[Grid, int] = {}
        steps: list[tuple[int, Action]] = []
        for step in demonstrations.steps:
            if step.grid not in known:
                steps.append((grids.setdefault(step.grid, len(grids)), step.action))
        if grids:
            self._batches.append(self._batch(list(grids), steps, demonstrations, grammar))
        for step in demonstrations.steps:
            if step.grid in known:
                b, s = known[step.grid]
                self._batches[b].steps.append((s, step.action))

    def _batch(
        self,
        grids: list[Grid],
        steps: list[tuple[int, Action]],
        demonstrations: Demonstrations,
        grammar: Grammar,
    ) -> _Batch:
        margin = margin_for((block.shape for block in self._blocks), grammar.language, grids)
        held = sum(batch.evaluator.memory.held for batch in self._batches)
        memory = Memory((self.memory_limit or default_memory_limit()) - held)
        planes = len(demonstrations.tokens.values) + 2
        memory.take(8 * math.prod(frame(grids, margin)) * planes, "the demonstrated states")
        world = Planes(grids, demonstrations.tokens, demonstrations.buttons, margin)
        evaluator = Evaluator(world, grammar.language, memory, self.threads or os.cpu_count() or 1)
        evaluator.expect(self._blocks)
        return _Batch(world, evaluator, steps)

    def _evidence(self) -> Evidence:
        worlds = [batch.world for batch in self._batches]
        mask = np.concatenate([world.row_mask for world in worlds])
        positive = np.zeros_like(mask)
        state_of_row = np.full((len(mask), 64), -1, dtype=np.int32)
        actions: list[int] = []
        places: list[tuple[int, int, int]] = []
        start = 0
        for b, batch in enumerate(self._batches):
            world = batch.world
            numbers = np.full(world.shape[2] * 64, -1, dtype=np.int32)
            numbers[world.slot] = np.arange(world.states) + len(actions)
            words = world.row_words % world.shape[2]
            state_of_row[start : start + len(words)] = numbers.reshape(-1, 64)[words]
            for state, action in batch.steps:
                word, bit = row_of(worlds, b, state, action)
                positive[word] |= np.uint64(1) << np.uint64(bit)
                places.append((word, bit, len(actions) + state))
            actions += [len(world.buttons) or g.height * g.width for g in world.grids]
            start += len(words)
        words_of_steps, bits_of_steps, states_of_steps = np.array(places, dtype=np.int64).T
        return Evidence(mask, positive, words_of_steps, bits_of_steps, states_of_steps, state_of_row, np.array(actions))

    def _failure_rows(self) -> list[tuple[Grid, Planes, int, int]]:
        """For every distinct state: its grid, its planes, its number there and the words before its batch's."""
        rows, before = [], 0
        for batch in self._batches:
            rows += [(grid, batch.world, s, before) for s, grid in enumerate(batch.world.grids)]
            before += len(batch.world.row_words)
        return rows

    def _check(self, demonstrations: Demonstrations) -> None:
        for name in ("programs", "ensemble", "trees", "threads", "memory_limit"):
            value = getattr(self, name)
            if value is None and name in ("threads", "memory_limit"):
                continue
            if not isinstance(value, int) or value < 1:
                raise BadInput(f"{name} must be a whole number of at least 1, not {value!r}.")
        if not 0.0 <= self.noise <= 1.0:
            raise BadInput(f"noise must be from 0 to 1, not {self.noise!r}.")
        if not isinstance(self.seed, int) or self.seed < 0:
            raise BadInput(f"seed must be a whole number of at least 0, not {self.seed!r}.")
        if self.prior not in PRIORS:
            raise BadInput(f"prior must be one of {', '.join(PRIORS)}, not {self.prior!r}.")
        if not len(demonstrations):
            raise BadInput("there are no demonstrations to learn from. Record or load at least one.")


class _Search:
    """Scores each distinct formula once."""

    def __init__(self, learner: Learner, evidence: Evidence) -> None:
        self.learner, self.evidence = learner, evidence
        self.mixture = Mixture(learner.ensemble)
        self._seen: set[int] = set()
        self._shortened: Shortened = {}

    def consider(self, trees: Sequence[Tree], features: Features) -> None:
        learner, evidence = self.learner, self.evidence
        prices = literal_prices(features.log_prior, learner.prior)
        for tree in trees:
            if id(tree) in self._seen:
                continue
            self._seen.add(id(tree))
            clauses = clauses_of(tree)
            allowed = formula_bits(clauses, features.columns, evidence.mask)
            likelihood = log_likelihood(allowed, evidence, learner.noise, learner.uniform_if_empty)
            if likelihood == -np.inf:
                continue
            if learner.drop_literals:
                clauses = drop_literals(clauses, features.columns, evidence.mask, prices, self._shortened)
            self.mixture.offer(Candidate(clauses, log_prior(clauses, prices), likelihood))


def to_formula(clauses: Clauses, features: Features) -> Formula:
    """A formula over features as one over programs."""
    return Formula(tuple(tuple(Literal(features.terms[f], positive) for f, positive in clause) for clause in clauses))


def default_memory_limit() -> int:
    """Half of the machine's memory."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2


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
