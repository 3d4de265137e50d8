"""Hypotheses about a teacher: how the clicks are to be read, and whether they stand for their mirror images too.

Columns depend on the positions alone, not on what is said of them, so all readings share one evaluation of the
programs (and all readings with images another).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from shown.demonstrations import Demonstrations
from shown.inference.clauses import ClauseSearch, Pool
from shown.inference.failure import Failure, explain_failure
from shown.inference.features import Features
from shown.inference.fitting import Fitting, Weighing
from shown.inference.learner import to_components
from shown.inference.posterior import Candidate
from shown.inference.rows import Evidence, evidence_of
from shown.inference.trees import TreeSearch
from shown.language.grammar import Grammar
from shown.language.languages import grammar_for
from shown.language.primitives import Language
from shown.memory import Account
from shown.policy import Component, Policy
from shown.symmetry import Transformation, images
from shown.symmetry.transformation import in_words
from shown.teaching.readings import Reading

WEIGHING = Weighing(
    ensemble=50, noise=0.0, prior="grammar", drop_literals=True, uniform_if_empty=False, stop_early=False
)
TREES = 5


@dataclass(frozen=True)
class Hypothesis:
    """One way to understand a teacher.

    Attributes:
        reading: what a click stands for.
        symmetries: under which transformations what was shown holds as well; none, or the game's.
    """

    reading: Reading
    symmetries: tuple[Transformation, ...] = ()

    @property
    def name(self) -> str:
        """In plain words: "in any order, mirrored too"."""
        return f"{self.reading.name}, {in_words(self.symmetries)} too" if self.symmetries else self.reading.name


@dataclass(frozen=True)
class Fitted:
    """What was found under a hypothesis.

    Attributes:
        hypothesis: the hypothesis.
        shown: the demonstrations as it reads them.
        features: what the programs see.
        evidence: what the demonstrations say of it.
        candidates: the best formulas, best first; none if nothing fits.
        pool: the exact clauses they, and others, can be made of; None if those do not explain all that was shown.
        policy: their mixture, or None.
        grown: the mixture of the trees' formulas alone, or None; longer rules, and sometimes safer ones.
        failure: why nothing fits, or None.
    """

    hypothesis: Hypothesis
    shown: Demonstrations
    features: Features
    evidence: Evidence
    candidates: tuple[Candidate, ...]
    pool: Pool | None
    policy: Policy | None
    grown: Policy | None
    failure: Failure | None


class Fitter:
    """Fits hypotheses to demonstrations, evaluating programs once for all that look at the same positions."""

    def __init__(
        self,
        demonstrations: Demonstrations,
        programs: int,
        seed: int,
        threads: int | None = None,
        language: Language | str | None = None,
        grammar: Grammar | None = None,
        memory_limit: int | None = None,
    ) -> None:
        self.demonstrations, self.seed = demonstrations, seed
        self._grammar, self.grammar_name = grammar_for(demonstrations.tokens, demonstrations.buttons, language, grammar)
        self._programs, self._threads, self._memory = programs, threads or os.cpu_count() or 1, memory_limit
        self._fittings: dict[tuple[Transformation, ...], Fitting] = {}

    @property
    def language(self) -> Language:
        """What the programs are written in."""
        return self._grammar.language

    def fit(self, hypothesis: Hypothesis, read: Demonstrations, more: Demonstrations | None = None) -> Fitted:
        """What can be found under a hypothesis, given the demonstrations as its reading has them.

        Args:
            hypothesis: the hypothesis.
            read: the demonstrations as its reading has them.
            more: what else is to be explained, though it was not shown.
        """
        fitting = self._fitting(hypothesis.symmetries)
        with_images = _with_images(read if more is None else read + more, hypothesis.symmetries)
        if more is not None:
            fitting = fitting.extended(_with_images(more, hypothesis.symmetries))
        rows = fitting.rows
        evidence = evidence_of(rows, with_images.steps)
        search = ClauseSearch(evidence, TreeSearch(evidence, TREES, self.seed), self.seed)
        grown: tuple[Component, ...] = ()
        for last in fitting.search(evidence, [search], WEIGHING, at_once=True):
            features = last.features
            # The trees' formulas come first, and what is made of clauses at the end.
            if last.news and not grown and features is not None and last.mixture.best:
                grown = to_components(last.mixture, features)
        assert features is not None
        best = tuple(last.mixture.best)
        if not best:
            failure = explain_failure(with_images, rows, features, evidence)
            return Fitted(hypothesis, read, features, evidence, (), None, None, None, failure)
        shown = self.demonstrations
        components = to_components(last.mixture, features)
        policy = Policy(shown.tokens, components, shown.game, shown.buttons, {}, self.language)
        of_trees = replace(policy, components=grown) if grown else None
        pool = search.pool(features, features.log_prior)
        exact = pool.formula(np.zeros(len(pool.clauses))) is not None
        return Fitted(hypothesis, read, features, evidence, best, pool if exact else None, policy, of_trees, None)

    def _fitting(self, symmetries: tuple[Transformation, ...]) -> Fitting:
        if symmetries not in self._fittings:
            blocks = list(self._grammar.blocks(self._programs))
            fitting = Fitting(self._grammar, blocks, Account(self._memory), self._threads)
            fitting.add(_with_images(self.demonstrations, symmetries))
            self._fittings[symmetries] = fitting
        return self._fittings[symmetries]


def _with_images(demonstrations: Demonstrations, symmetries: tuple[Transformation, ...]) -> Demonstrations:
    return images(demonstrations, symmetries) if symmetries else demonstrations


def hypotheses(
    readings: Sequence[Reading], symmetries: tuple[Transformation, ...], only_symmetric: bool = False
) -> Iterator[Hypothesis]:
    """All combinations, the most plausible first: each reading with the symmetries, and (unless ruled out) without."""
    for reading in readings:
        if symmetries:
            yield Hypothesis(reading, symmetries)
        if not (symmetries and only_symmetric):
            yield Hypothesis(reading)


def flattened(policy: Policy, temperature: float) -> Policy:
    """The policy with its components' weights drawn together: their logarithms divided by `temperature`.

    The posterior as written is far too sure of its best formula; its second and third play a part here.
    """
    scores = np.array([c.log_prior + c.log_likelihood for c in policy.components]) / temperature
    weights = np.exp(scores - scores.max())
    weights /= weights.sum()
    components = (replace(c, weight=float(w)) for c, w in zip(policy.components, weights, strict=True))
    return replace(policy, components=tuple(components))
