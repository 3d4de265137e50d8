"""Hypotheses about a teacher: how the clicks are to be read, and whether they stand for their mirror images too.

Columns depend on the positions alone, not on what is said of them, so all readings share one evaluation of the
programs (and all readings with images another).
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from shown.cluster import Cluster
from shown.demonstrations import Demonstrations
from shown.errors import BadInput
from shown.inference.amending import amended
from shown.inference.clauses import ClauseSearch, Narrow, Pool
from shown.inference.conditioned import Contradiction, Pinned
from shown.inference.crew import OnCluster
from shown.inference.device import check_device
from shown.inference.failure import Failure, explain_failure, looking_like_shown
from shown.inference.features import Features
from shown.inference.fitting import CHECKPOINTS, FIRST, MOST, Fitting, Moment, Programs, Weighing
from shown.inference.learner import to_components
from shown.inference.posterior import Candidate, Mixture
from shown.inference.rows import Evidence, Rows, evidence_of
from shown.inference.trees import TreeSearch
from shown.language.grammar import Grammar
from shown.language.languages import grammar_for
from shown.language.pressing import pressing_grammar, tells_when_to_press
from shown.language.primitives import LANGUAGE, Language
from shown.memory import Account
from shown.policy import Policy
from shown.rules import NO_CONDITIONS, Conditions
from shown.symmetry import Transformation, images
from shown.symmetry.transformation import in_words
from shown.teaching.readings import AS_CLICKED, Reading

WEIGHING = Weighing(
    ensemble=50, noise=0.0, prior="grammar", drop_literals=True, uniform_if_empty=False, stop_early=False
)
TREES = 5

AT_ONCE = 30_000
"""Up to so many programs are evaluated before anything is proposed; of more, something is told in between."""


@dataclass(frozen=True)
class Hypothesis:
    """One way to understand a teacher.

    Attributes:
        reading: what a click stands for.
        symmetries: under which transformations what was shown holds as well; none, or the game's.
        language: the words of the rules; None for those of the fitter.
        keys: the tokens that are keys to press (`language/pressing.py`): where they lie does not matter.
        lenient: of what looks like a shown action to all programs nothing is said. So something always fits.
    """

    reading: Reading
    symmetries: tuple[Transformation, ...] = ()
    language: Language | None = None
    keys: tuple[str, ...] = ()
    lenient: bool = False

    @property
    def name(self) -> str:
        """In plain words: "in any order, mirrored too"."""
        mirrored = f", {in_words(self.symmetries)} too" if self.symmetries else ""
        keys = ", wherever the keys are" if self.keys else ""
        words = "" if self.language is None else f", in {self.language.name or 'other'} words"
        lenient = ", and what looks the same will do" if self.lenient else ""
        return f"{self.reading.name}{mirrored}{keys}{words}{lenient}"


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
        pinned: the clauses that all of them have beside these, on the rows of the evidence; None if nothing is pinned.
        contradictions: what is pinned and contradicts what was shown under it.
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
    pinned: Pinned | None = None
    contradictions: tuple[Contradiction, ...] = ()


class Fitter:
    """Fits hypotheses to demonstrations, evaluating programs once for all that look at the same positions.

    Attributes:
        demonstrations: what was shown so far.
        programs: how many programs are looked at.
        widest: how many it can come to; more than `programs` where that is left open.
        seed: of all random choices.
        conditions: what is pinned and what is struck.
        language: what the programs are written in, unless a hypothesis says otherwise.
    """

    def __init__(
        self,
        demonstrations: Demonstrations,
        programs: Programs,
        seed: int,
        threads: int | None = None,
        language: Language | str | None = None,
        grammar: Grammar | None = None,
        memory_limit: int | None = None,
        conditions: Conditions = NO_CONDITIONS,
        device: str = "cpu",
        cluster: Cluster | None = None,
    ) -> None:
        check_device(device, cluster is not None)
        self.demonstrations, self.seed, self.conditions = demonstrations, seed, conditions
        self._crew = None if cluster is None else OnCluster(cluster)
        own, self.grammar_name = grammar_for(demonstrations.tokens, demonstrations.buttons, language, grammar)
        self._grammars: dict[tuple[Language, tuple[str, ...]], Grammar] = {(own.language, ()): own}
        self.language = own.language
        self.programs, self.widest = (FIRST, MOST) if programs == "auto" else (programs, programs)
        self._threads, self._memory, self._device = threads or os.cpu_count() or 1, memory_limit, device
        self._fittings: dict[tuple[Language, tuple[str, ...], tuple[Transformation, ...]], Fitting] = {}

    def add(self, more: Demonstrations) -> None:
        """Takes in what else was shown; programs are evaluated on the new positions only."""
        self.demonstrations = self.demonstrations + more
        for (_, _, symmetries), fitting in self._fittings.items():
            fitting.add(_with_images(more, symmetries))

    def widen(self) -> bool:
        """Looks at about three times as many programs from now on; False if there are no more."""
        if self.programs >= self.widest:
            return False
        self.programs = next((point for point in CHECKPOINTS if point > self.programs), self.widest)
        return True

    def fit(self, hypothesis: Hypothesis, read: Demonstrations, more: Demonstrations | None = None) -> Fitted:
        """What can be found under a hypothesis, given the demonstrations as its reading has them.

        Args:
            hypothesis: the hypothesis.
            read: the demonstrations as its reading has them.
            more: what else is to be explained, though it was not shown.
        """
        run = self.iter_fit(hypothesis, read, more)
        while True:
            try:
                next(run)
            except StopIteration as end:
                fitted: Fitted = end.value
                return fitted

    def iter_fit(
        self, hypothesis: Hypothesis, read: Demonstrations, more: Demonstrations | None = None
    ) -> Generator[tuple[Moment, Policy | None], None, Fitted]:
        """`fit`, telling of its progress: where it stands, and the best so far where there is a new one."""
        fitting = self._fitting(hypothesis)
        with_images = _with_images(read if more is None else read + more, hypothesis.symmetries)
        if more is not None:
            fitting = fitting.extended(_with_images(more, hypothesis.symmetries))
        rows = fitting.rows
        evidence = evidence_of(rows, with_images.steps)
        if hypothesis.lenient:
            evidence = self._leniently(evidence, hypothesis, fitting)
        against = self._contradictions(fitting, hypothesis, read)
        pinned = fitting.pinned(evidence, against)
        rest = evidence if pinned is None else pinned.rest
        trees = TreeSearch(rest, TREES, self.seed, self._threads)
        narrow = self._narrow(hypothesis, rest, rows)
        search = ClauseSearch(rest, trees, self.seed, struck=fitting.struck(), narrow=narrow)
        grown: Policy | None = None
        policy: Policy | None = None
        for last in fitting.search(rest, [search], WEIGHING, self.programs <= AT_ONCE, self.programs, pinned=pinned):
            features = last.features
            if last.news and features is not None:
                # The trees' formulas come first, and at the end what is made of clauses.
                grown, policy = policy, self._mixture(last.mixture, features, fitting.language, pinned)
            yield last, policy
        assert features is not None
        if policy is None:
            failure = explain_failure(with_images, rows, features, rest, fitting.grammar.language)
            return Fitted(hypothesis, read, features, rest, (), None, None, None, failure, pinned, against)
        pool = search.pool(features, features.log_prior)
        exact = pool.formula(np.zeros(len(pool.clauses))) is not None
        best = tuple(last.mixture.best)
        usable = pool if exact else None
        return Fitted(hypothesis, read, features, rest, best, usable, policy, grown, None, pinned, against)

    def contradictions(self, hypothesis: Hypothesis, read: Demonstrations) -> tuple[Contradiction, ...]:
        """What is pinned and contradicts the demonstrations as a hypothesis has them."""
        return self._contradictions(self._fitting(hypothesis), hypothesis, read) if self.conditions.pinned else ()

    def _contradictions(
        self, fitting: Fitting, hypothesis: Hypothesis, read: Demonstrations
    ) -> tuple[Contradiction, ...]:
        if not self.conditions.pinned:
            return ()
        shown = _with_images(read, hypothesis.symmetries)
        return fitting.contradictions(evidence_of(fitting.rows, shown.steps), shown, len(read))

    def amend(self, policy: Policy, hypothesis: Hypothesis, read: Demonstrations) -> Policy | None:
        """A policy with as few changes as it takes to explain these demonstrations too; None if that cannot be done.

        Args:
            policy: what was learned before.
            hypothesis: how the teacher was understood then.
            read: the demonstrations as its reading has them; all of them are in `demonstrations`.
        """
        fitting = self._fitting(hypothesis)
        evidence = evidence_of(fitting.rows, _with_images(read, hypothesis.symmetries).steps)
        return amended(policy, fitting, evidence, self.programs)

    def _mixture(
        self, mixture: Mixture, features: Features, language: Language, pinned: Pinned | None
    ) -> Policy | None:
        if not mixture.best:
            return None
        shown = self.demonstrations
        components = to_components(mixture, features, pinned)
        return Policy(shown.tokens, components, shown.game, shown.buttons, {}, language)

    def _leniently(self, evidence: Evidence, hypothesis: Hypothesis, fitting: Fitting) -> Evidence:
        """The evidence without the rows ruled out that no program tells from what was shown."""
        features = fitting.features(evidence, self.programs)
        narrow = self._narrow(hypothesis, evidence, fitting.rows)
        alike = looking_like_shown(features.columns, evidence, np.arange(len(evidence.word)))
        if narrow is not None:
            few = features.columns[narrow.usable(features)]
            alike |= looking_like_shown(few, evidence, np.flatnonzero(evidence.shows(narrow.rows)))
        return replace(evidence, mask=evidence.mask & ~alike)

    def _narrow(self, hypothesis: Hypothesis, evidence: Evidence, rows: Rows) -> Narrow | None:
        """The shown presses of keys, of which only some programs can tell; None if there are no keys."""
        if not hypothesis.keys:
            return None
        characters = {self.demonstrations.tokens[name] for name in hypothesis.keys}
        places = [rows.row(word, bit) for word, bit in zip(evidence.word.tolist(), evidence.bit.tolist(), strict=True)]
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
            account = Account(self._memory)
            fitting = Fitting(
                grammar, blocks, account, self._threads, conditions=self.conditions, device=self._device,
                crew=self._crew,
            )  # fmt: skip
            fitting.add(_with_images(self.demonstrations, hypothesis.symmetries))
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


def _with_images(demonstrations: Demonstrations, symmetries: tuple[Transformation, ...]) -> Demonstrations:
    return images(demonstrations, symmetries) if symmetries else demonstrations


def hypotheses(
    readings: Sequence[Reading],
    symmetries: tuple[Transformation, ...],
    only_symmetric: bool = False,
    keys: tuple[str, ...] = (),
    language: Language | None = None,
) -> Iterator[Hypothesis]:
    """All combinations, the most plausible first: each reading with the symmetries, and (unless ruled out) without."""
    for reading in readings:
        if symmetries:
            yield Hypothesis(reading, symmetries, language, keys)
        if not (symmetries and only_symmetric):
            yield Hypothesis(reading, (), language, keys)


def flattened(policy: Policy, temperature: float) -> Policy:
    """The policy with its components' weights drawn together: their logarithms divided by `temperature`.

    The posterior as written is far too sure of its best formula; its second and third play a part here.
    """
    scores = np.array([c.log_prior + c.log_likelihood for c in policy.components]) / temperature
    weights = np.exp(scores - scores.max())
    weights /= weights.sum()
    components = (replace(c, weight=float(w)) for c, w in zip(policy.components, weights, strict=True))
    return replace(policy, components=tuple(components))


def hypothesis_of(policy: Policy) -> Hypothesis:
    """How the teacher was understood when the policy was learned; as clicked if it does not say.

    >>> from shown.grid import Tokens
    >>> from shown.policy import uniform_policy
    >>> hypothesis_of(uniform_policy(Tokens(empty="."))).name
    'as clicked'
    """
    origin = policy.origin or {}
    symmetries, keys = origin.get("symmetry", []), origin.get("keys", [])
    language = None if policy.language == LANGUAGE else policy.language
    try:
        reading = Reading.from_json(origin["reading"]) if "reading" in origin else AS_CLICKED
        transformations = tuple(map(Transformation.from_json, symmetries if isinstance(symmetries, list) else ()))
    except BadInput:  # a file may claim anything about where it came from
        return Hypothesis(AS_CLICKED, (), language)
    known = tuple(name for name in policy.tokens.names if isinstance(keys, list) and name in keys)
    return Hypothesis(reading, transformations, language, known, origin.get("lenient") is True)
