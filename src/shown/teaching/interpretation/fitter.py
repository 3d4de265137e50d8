"""Fitting of hypotheses, with columns shared between them.

Columns depend on the positions alone, so all interpretations share one evaluation of the programs, and all
interpretations with images another.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

import numpy as np

from shown.columns.resources import DEFAULT_RESOURCES, Resources
from shown.columns.rows import Labels, Rows, labels_of
from shown.components import Component
from shown.demonstrations import Demonstration, Demonstrations, Step
from shown.engine.memory import Memory
from shown.inference.amending import amended
from shown.inference.clauses import THOROUGH, ClauseSearch, Effort, Narrow, Pool
from shown.inference.failure import Failure, explain_failure, looking_like_shown
from shown.inference.features import Features
from shown.inference.fitting import CHECKPOINTS, FIRST, MOST, Event, Fitting, Weighing
from shown.inference.learner import to_components
from shown.inference.pinning import Contradiction, Pinned
from shown.inference.posterior import ScoredFormula, log_likelihood
from shown.inference.trees import TreeSearch
from shown.language.grammar import Grammar
from shown.language.key_presses import pressing_grammar, tells_when_to_press
from shown.language.languages import grammar_for
from shown.language.primitives import Language
from shown.policy import Policy
from shown.rules import Facts, Formula
from shown.symmetry import Transformation
from shown.teaching.interpretation.hypotheses import Hypothesis, with_images
from shown.teaching.task import Task

_T = TypeVar("_T")

WEIGHING = Weighing(
    ensemble=50, noise=0.0, prior="grammar", drop_literals=True, uniform_if_empty=False, stop_early=False
)
AT_ONCE = 30_000  # up to this many programs are evaluated before rules are proposed, without progress in between

GENERATION_SEEDS = 7919  # distance between the seeds of a fit and of the next that starts from it

QUICK = Effort(trees=1, tries=4, covers=40)  # to compare many hypotheses by playing
FURTHER = Effort(trees=0, tries=16, covers=40)  # for the best of them, after a quick fit
AGAIN = Effort(trees=0, tries=4, covers=20)  # in practice, where most clauses of the earlier fit are still exact


@dataclass(frozen=True)
class Fitted:
    """The result of fitting a hypothesis.

    Attributes:
        hypothesis: the hypothesis.
        shown: the demonstrations under its interpretation.
        features: columns of the programs.
        pinned: the demonstrations as bits over the same rows, with the pinned clauses that all formulas have.
        formulas: the best formulas, best first; none if nothing fits.
        pool: the exact clauses that these and other formulas are made of; None if they do not explain all steps.
        policy: the mixture of the formulas, or None.
        grown: the mixture of the trees' formulas alone, or None. Its rules are longer and sometimes safer.
        failure: the reason why nothing fits, or None.
        contradictions: pinned clauses that contradict the demonstrations.
        generation: number of earlier fits whose clauses were used again.
    """

    hypothesis: Hypothesis
    shown: Demonstrations
    features: Features
    pinned: Pinned
    formulas: tuple[ScoredFormula, ...] = ()
    pool: Pool | None = None
    policy: Policy | None = None
    grown: Policy | None = None
    failure: Failure | None = None
    contradictions: tuple[Contradiction, ...] = ()
    generation: int = 0

    @property
    def score(self) -> float:
        """The log posterior of the best formula; -inf if nothing fits."""
        return max((formula.score for formula in self.formulas), default=-math.inf)

    @property
    def conditions(self) -> int:
        """Number of conditions of the best rule; those of a clause count once for all its images."""
        assert self.policy is not None
        facts = Facts(symmetries=self.hypothesis.symmetries)
        clauses = facts.folded(self.policy.components[0].formula.clauses, self.policy.language)
        return sum(len(unit.clause) for unit in clauses)


class Fitter:
    """Fits hypotheses to demonstrations, and evaluates each program once on each position.

    Args:
        task: demonstrations, number of programs, vocabulary and constraints.
        resources: threads, device, memory limit and seed.
        grammar: grammar of the programs, instead of the vocabulary's.

    Attributes:
        demonstrations: the demonstrations so far.
        programs: number of programs considered now.
        widest: largest number of programs that may be considered.
        constraints: what is pinned and struck.
        language: vocabulary of the programs, unless a hypothesis has its own.
    """

    def __init__(self, task: Task, resources: Resources = DEFAULT_RESOURCES, grammar: Grammar | None = None) -> None:
        shown = task.shown
        self.demonstrations, self.resources, self.constraints = shown, resources, task.constraints
        self._threads = resources.team()
        own, self.grammar_name = grammar_for(shown.tokens, shown.buttons, task.language, grammar)
        self._grammars: dict[tuple[Language, tuple[str, ...]], Grammar] = {(own.language, ()): own}
        self.language = own.language
        self.programs, self.widest = (FIRST, MOST) if task.programs == "auto" else (task.programs, task.programs)
        self._memory = Memory(resources.memory_limit)
        self._fittings: dict[tuple[Language, tuple[str, ...], tuple[Transformation, ...]], Fitting] = {}

    def add(self, more: Demonstrations) -> None:
        """Add demonstrations; programs are evaluated on new positions only."""
        self.demonstrations = self.demonstrations + more
        for (_, _, symmetries), fitting in self._fittings.items():
            fitting.add(with_images(more, symmetries))

    def close(self) -> None:
        """End the threads; they start again on demand."""
        self._threads.close()

    def widen(self) -> bool:
        """Consider about three times as many programs from now on; return False if there are no more."""
        if self.programs >= self.widest:
            return False
        self.programs = next((point for point in CHECKPOINTS if point > self.programs), self.widest)
        return True

    def fit(
        self,
        hypothesis: Hypothesis,
        interpreted: Demonstrations,
        effort: Effort = THOROUGH,
        earlier: Fitted | None = None,
        more: Sequence[Step] = (),
    ) -> Fitted:
        """Fit a hypothesis.

        Args:
            hypothesis: the hypothesis.
            interpreted: the demonstrations under its interpretation.
            effort: how thoroughly to search for rules.
            earlier: a fit of the same hypothesis. Its clauses that are still exact are used again.
            more: further steps to explain that were not demonstrated.
        """
        return end_of(self.iter_fit(hypothesis, interpreted, effort, earlier, more))

    def iter_fit(
        self,
        hypothesis: Hypothesis,
        interpreted: Demonstrations,
        effort: Effort = THOROUGH,
        earlier: Fitted | None = None,
        more: Sequence[Step] = (),
    ) -> Generator[tuple[Event, Policy | None], None, Fitted]:
        """Fit a hypothesis, yielding the progress and the best policy so far."""
        fitting = self._fitting(hypothesis)
        further = replace(interpreted, items=tuple(Demonstration((step,)) for step in more))
        shown = with_images(interpreted + further, hypothesis.symmetries)
        if more:
            fitting = fitting.extended(with_images(further, hypothesis.symmetries))
        rows = fitting.rows
        labels = labels_of(rows, shown.steps)
        if hypothesis.lenient:
            labels = self._leniently(labels, hypothesis, fitting)
        against = self.contradictions(hypothesis, interpreted)
        pinned = fitting.pinned(labels, against)
        rest, generation = pinned.rest, 0 if earlier is None else earlier.generation + 1
        search = self._search(fitting, rest, self._narrow(hypothesis, rest, rows), effort, earlier)
        grown: Policy | None = None
        policy: Policy | None = None
        for last in fitting.search(pinned, search, WEIGHING, self.programs <= AT_ONCE, self.programs):
            features = last.features
            if last.news and features is not None:
                # The trees' formulas come first; the last mixture also has those made of clauses.
                components = to_components(last.posterior, features, pinned.clauses)
                grown, policy = policy, self._policy(components, fitting.language) if components else None
            yield last, policy
        assert features is not None
        fitted = Fitted(hypothesis, interpreted, features, pinned, contradictions=against, generation=generation)
        if policy is None:
            failure = explain_failure(shown, rows, features, rest, fitting.grammar.language)
            return replace(fitted, failure=failure)
        pool, best = search.pool, tuple(last.posterior.best)
        exact = pool.formula(np.zeros(len(pool.clauses))) is not None
        return replace(fitted, formulas=best, pool=pool if exact else None, policy=policy, grown=grown)

    def _search(
        self, fitting: Fitting, labels: Labels, narrow: Narrow | None, effort: Effort, earlier: Fitted | None
    ) -> ClauseSearch:
        generation = 0 if earlier is None else earlier.generation + 1
        seed = self.resources.seed + GENERATION_SEEDS * generation  # the same starts would find the same clauses
        effort = effort.on(len(labels.shown_rows))
        trees = TreeSearch(labels, effort.trees, seed, self._threads)
        known = None if earlier is None or earlier.pool is None else (earlier.features, earlier.pool.clauses)
        return ClauseSearch(labels, trees, seed, effort, fitting.struck(), narrow, known)

    def contradictions(self, hypothesis: Hypothesis, interpreted: Demonstrations) -> tuple[Contradiction, ...]:
        """Return the pinned clauses that contradict the demonstrations under a hypothesis."""
        if not self.constraints.pinned:
            return ()
        fitting, shown = self._fitting(hypothesis), with_images(interpreted, hypothesis.symmetries)
        return fitting.contradictions(labels_of(fitting.rows, shown.steps), shown, len(interpreted))

    def amend(self, policy: Policy, hypothesis: Hypothesis, interpreted: Demonstrations) -> Policy | None:
        """Change a policy as little as possible so that it explains these demonstrations; None if that is impossible.

        Args:
            policy: the policy learned before.
            hypothesis: the hypothesis it was learned under.
            interpreted: the demonstrations under its interpretation; all of them are in `demonstrations`.
        """
        fitting = self._fitting(hypothesis)
        labels = labels_of(fitting.rows, with_images(interpreted, hypothesis.symmetries).steps)
        return amended(policy, fitting, labels, self.programs)

    def components(self, fitted: Fitted, formulas: Sequence[Formula]) -> list[Component]:
        """Return rules, each as the only component of a policy, with prior and likelihood under a hypothesis."""
        if not formulas:
            return []
        fitting = self._fitting(fitted.hypothesis)
        steps = with_images(fitted.shown, fitted.hypothesis.symmetries).steps
        priors = [math.fsum(fitting.log_prior(x.term) for x in formula.literals) for formula in formulas]
        alone = tuple(Component(1.0, prior, 0.0, formula) for prior, formula in zip(priors, formulas, strict=True))
        rows, allowed = self._policy(alone, fitting.language).allowed(list(dict.fromkeys(step.grid for step in steps)))
        labels = labels_of(rows, steps)
        likelihoods = [log_likelihood(bits & labels.mask, labels) for bits in allowed]
        return [replace(part, log_likelihood=found) for part, found in zip(alone, likelihoods, strict=True)]

    def _policy(self, components: tuple[Component, ...], language: Language) -> Policy:
        shown = self.demonstrations
        return Policy(shown.tokens, components, shown.game, shown.buttons, language=language)

    def _leniently(self, labels: Labels, hypothesis: Hypothesis, fitting: Fitting) -> Labels:
        """Return the labels without the ruled-out rows that no program distinguishes from shown ones."""
        features = fitting.features(labels, self.programs)
        narrow = self._narrow(hypothesis, labels, fitting.rows)
        alike = looking_like_shown(features.columns, labels, np.arange(len(labels.word)))
        if narrow is not None:
            few = features.columns[narrow.usable(features)]
            alike |= looking_like_shown(few, labels, np.flatnonzero(labels.shows(narrow.rows)))
        return replace(labels, mask=labels.mask & ~alike)

    def _narrow(self, hypothesis: Hypothesis, labels: Labels, rows: Rows) -> Narrow | None:
        """Return the shown presses of keys, which only some programs may explain; None without keys."""
        if not hypothesis.keys:
            return None
        characters = {self.demonstrations.tokens[name] for name in hypothesis.keys}
        places = [rows.row(word, bit) for word, bit in zip(labels.word.tolist(), labels.bit.tolist(), strict=True)]
        pressed = [
            (state, action)
            for state, action in places
            if not isinstance(action, str) and rows.grids[state][action] in characters
        ]
        language = hypothesis.language or self.language
        return Narrow(rows.bits(pressed), partial(tells_when_to_press, language=language))

    def _fitting(self, hypothesis: Hypothesis) -> Fitting:
        grammar = self._grammar(hypothesis.language or self.language, hypothesis.keys)
        key = (grammar.language, hypothesis.keys, hypothesis.symmetries)
        if key not in self._fittings:
            blocks = list(grammar.blocks(self.widest))
            shared = self.resources, self.constraints, self._threads
            fitting = Fitting(grammar, blocks, *shared, memory=self._memory)
            fitting.add(with_images(self.demonstrations, hypothesis.symmetries))
            self._fittings[key] = fitting
        return self._fittings[key]

    def _grammar(self, language: Language, keys: tuple[str, ...]) -> Grammar:
        if (language, keys) not in self._grammars:
            shown = self.demonstrations
            self._grammars[language, keys] = (
                pressing_grammar(language, shown.tokens, keys)
                if keys
                else grammar_for(shown.tokens, shown.buttons, language)[0]
            )
        return self._grammars[language, keys]


def end_of(run: Generator[Any, None, _T]) -> _T:
    """Run a generator to its end; return its value."""
    while True:
        try:
            next(run)
        except StopIteration as end:
            value: _T = end.value
            return value
