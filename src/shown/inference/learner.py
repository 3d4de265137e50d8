"""The learner: demonstrations in, policy out. Its loop is in `fitting.py`."""

from __future__ import annotations

import time
import warnings
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, fields

import numpy as np

from shown.columns.resources import DEFAULT_RESOURCES, Resources
from shown.columns.rows import Labels, labels_of
from shown.demonstrations import Demonstrations
from shown.engine.memory import Memory
from shown.errors import BadInput, Contradicted, NothingFits
from shown.inference.clauses import ClauseSearch
from shown.inference.failure import Failure, explain_failure
from shown.inference.features import Features
from shown.inference.fitting import (
    MOST,
    Event,
    Fitting,
    LearningPhase,
    Patience,
    Programs,
    Search,
    Weighing,
    check_size,
)
from shown.inference.pinning import Contradiction, Pinned
from shown.inference.posterior import PRIORS, Posterior, ScoredFormula
from shown.inference.trees import TreeSearch
from shown.language.grammar import Grammar
from shown.language.languages import grammar_for
from shown.language.primitives import Language
from shown.policy import Component, Policy, uniform_policy
from shown.provenance import ConstraintsRecord, DemonstrationsRecord, Provenance
from shown.rules import NO_CONSTRAINTS, Constraints, Formula
from shown.rules.bitwise import Clauses, formula_bits, over_programs
from shown.rules.formula import Clause
from shown.version import __version__

SEARCHES = ("trees", "clauses")
UNRECORDED = ("language", "grammar", "constraints", "resources")  # provenance has fields of their own for these


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of a learner.

    Attributes:
        programs: number of programs evaluated so far, of `total`.
        distinct: number of those that differ on the demonstrations.
        best: the best rule so far in English; None while nothing fits.
        score: its log posterior.
        components: number of policies in the mixture so far.
        seconds: time since the start.
        phase: the step in progress.
        explained: number of demonstrated steps that the best rule allows.
        stopped: why learning ended early, in the last report; otherwise None.
    """

    programs: int
    total: int
    distinct: int
    best: str | None
    score: float | None
    components: int
    seconds: float
    phase: LearningPhase
    explained: int = 0
    stopped: str | None = None


@dataclass(repr=False)
class Learner:
    """Learns a policy from demonstrations.

    >>> from shown.worlds import find, demonstrate, load_levels
    >>> nim = find("nim")
    >>> learner = Learner(programs=300).fit(demonstrate(nim, load_levels(nim, "train:0-3")))
    >>> learner.policy_.game
    'nim'

    Attributes:
        programs: number of programs to enumerate (L in the paper). "auto": 10,000, then more while nothing fits or the
            best rule gets better, for a minute or up to a million.
        ensemble: number of policies to mix (K).
        search: "trees" (the paper's), or "clauses", which also combines clauses into shorter rules. From few
            demonstrations those are often better, from many they may be too general.
        trees: number of differently seeded trees for each prefix.
        noise: ε, the probability that the demonstrator acts at random.
        drop_literals: drop literals that change no bit of the fit.
        finish_level: continue to the end of the last level of equally probable programs.
        uniform_if_empty: let the likelihood guess where a formula allows nothing, as the acting policy does.
        stop_early: stop when no further program can enter the mixture (the paper's bound).
        prior: "grammar" (the paper's), "sparsity" (every program costs the same) or "uniform" (nothing costs).
        language: vocabulary of the programs: a `Language` or its name ("paper", "standard", `module:OBJECT`); the
            paper's if None.
        grammar: a custom grammar, instead of a language.
        constraints: pinned clauses and struck programs (`shown.Constraints`) that every rule keeps to. If a program is
            struck, clauses are searched as well: trees may amount to it in other words.
        resources: threads, device, memory limit and seed (`shown.Resources`).

    Set by `fit` and `add`:

    * `policy_`: the learned policy. If nothing fits, the uniform policy, with a warning `NothingFits`.
    * `failure_`: two actions that no program distinguishes, if nothing fits; otherwise None.
    * `stopped_`: why enumeration ended early; None if it did not.
    * `explained_`: number of demonstrated steps that the best rule allows; without noise, all.
    * `contradictions_`: pinned clauses that were left out because they allow an action that was ruled out.
    * `demonstrations_`, `features_`, `formulas_`: the demonstrations, the distinct columns, and the best formulas
      over them without pinned clauses.
    """

    programs: Programs = 10_000
    ensemble: int = 25
    search: str = "trees"
    trees: int = 5
    noise: float = 0.0
    drop_literals: bool = True
    finish_level: bool = False
    uniform_if_empty: bool = False
    stop_early: bool = True
    prior: str = "grammar"
    language: Language | str | None = None
    grammar: Grammar | None = None
    constraints: Constraints = NO_CONSTRAINTS
    resources: Resources = DEFAULT_RESOURCES

    demonstrations_: Demonstrations | None = field(default=None, init=False, repr=False, compare=False)
    policy_: Policy = field(init=False, repr=False, compare=False)
    features_: Features = field(init=False, repr=False, compare=False)
    failure_: Failure | None = field(default=None, init=False, repr=False, compare=False)
    explained_: int = field(default=0, init=False, repr=False, compare=False)
    stopped_: str | None = field(default=None, init=False, repr=False, compare=False)
    contradictions_: tuple[Contradiction, ...] = field(default=(), init=False, repr=False, compare=False)
    formulas_: list[ScoredFormula] = field(default_factory=list, init=False, repr=False, compare=False)
    _fitting: Fitting | None = field(default=None, init=False, repr=False, compare=False)
    _grammar_name: str = field(default="", init=False, repr=False, compare=False)

    @classmethod
    def published(cls) -> Learner:
        """Return the paper's method, exactly: trees alone, and every literal as grown.

        >>> Learner.published()
        Learner(drop_literals=False)
        """
        return cls(search="trees", drop_literals=False)

    def __repr__(self) -> str:
        """Show the options that differ from the defaults."""
        own = {f.name: getattr(self, f.name) for f in fields(self) if f.repr}
        usual = {f.name: f.default for f in fields(self)}
        return f"Learner({', '.join(f'{name}={value!r}' for name, value in own.items() if value != usual[name])})"

    def fit(self, demonstrations: Demonstrations) -> Learner:
        """Learn from these demonstrations alone. Warn with `NothingFits` if nothing fits."""
        self.demonstrations_, self._fitting = None, None
        return self._to_the_end(demonstrations)

    def add(self, demonstrations: Demonstrations) -> Learner:
        """Learn from these demonstrations and all earlier ones, evaluating programs on the new states only."""
        return self._to_the_end(demonstrations)

    def iter_fit(self, demonstrations: Demonstrations) -> Generator[Progress, None, None]:
        """Fit, yielding progress. `policy_` is the best so far after each report, so you can stop at any.

        There are no warnings: check `failure_` at the end.
        """
        self.demonstrations_, self._fitting = None, None
        return self.iter_add(demonstrations)

    def iter_add(self, demonstrations: Demonstrations) -> Generator[Progress, None, None]:
        """Add, yielding progress."""
        return self._reports(self._run(*self._with(demonstrations)))

    # --- the run ------------------------------------------------------------------------------------------------------

    def _with(self, demonstrations: Demonstrations) -> tuple[Fitting, Demonstrations]:
        """Return the states and all demonstrations, with these added."""
        self._check(demonstrations)
        together = demonstrations if self.demonstrations_ is None else self.demonstrations_ + demonstrations
        if self._fitting is None:
            self._fitting = self._begin(demonstrations)
        self._fitting.add(demonstrations)
        self.demonstrations_ = together
        return self._fitting, together

    def _begin(self, demonstrations: Demonstrations) -> Fitting:
        grammar, self._grammar_name = grammar_for(
            demonstrations.tokens, demonstrations.buttons, self.language, self.grammar
        )
        blocks = list(grammar.blocks(MOST if self.programs == "auto" else self.programs, self.finish_level))
        if not blocks:
            raise BadInput("the grammar derives no program: every rule leads to further rules.")
        memory, threads = Memory(self.resources.memory_limit), self.resources.team()
        return Fitting(grammar, blocks, self.resources, self.constraints, threads, memory=memory)

    def _run(
        self, fitting: Fitting, demonstrations: Demonstrations, at_the_end: bool = False
    ) -> Generator[Event, None, None]:
        """Search, and publish the best policy whenever there may be a better one, or only `at_the_end`."""
        language = fitting.language
        self.policy_ = uniform_policy(demonstrations.tokens, demonstrations.game, demonstrations.buttons, language)
        self.failure_, self.formulas_, self.explained_, self.stopped_ = None, [], 0, None
        rows = fitting.rows
        whole = labels_of(rows, demonstrations.steps)
        self.contradictions_ = fitting.contradictions(whole, demonstrations, len(demonstrations))
        pinned = fitting.pinned(whole, self.contradictions_, self.prior)
        labels = pinned.rest
        patience = Patience() if self.programs == "auto" else None
        search = self._search(labels, fitting)
        posterior: Posterior | None = None
        try:
            for event in fitting.search(pinned, search, self._weighing, patience=patience):
                self.stopped_, posterior = event.stopped, event.posterior
                if event.features is not None:
                    self.features_ = event.features
                if event.news and not at_the_end:
                    self._publish(posterior, demonstrations, pinned)
                yield event
        finally:
            fitting.threads.close()
            if at_the_end and posterior is not None:  # an interrupted search keeps what it has found
                self._publish(posterior, demonstrations, pinned)
        if not self.formulas_ and np.array_equal(labels.positive, labels.mask):
            # Every action was demonstrated: the uniform policy is right, and nothing can be learned.
            self.explained_ = len(labels.word)
        elif not self.formulas_:
            self.failure_ = explain_failure(demonstrations, rows, self.features_, labels, language)

    def _reports(self, events: Generator[Event, None, None]) -> Generator[Progress, None, None]:
        start, best = time.monotonic(), None
        with closing(events):
            for event in events:
                if event.news and self.formulas_:
                    best = self.policy_.english()
                yield self._progress(event, best, time.monotonic() - start)

    def _to_the_end(self, demonstrations: Demonstrations) -> Learner:
        for _ in self._run(*self._with(demonstrations), at_the_end=True):
            pass
        for item in self.contradictions_:
            warnings.warn(item.text, Contradicted, stacklevel=3)
        if self.failure_ is not None:
            warnings.warn(f"{self.failure_.text} The policy acts at random.", NothingFits, stacklevel=3)
        return self

    def _search(self, labels: Labels, fitting: Fitting) -> Search:
        seed, struck = self.resources.seed, fitting.struck()
        trees = TreeSearch(labels, self.trees, seed, fitting.threads)
        if self.search == "trees" and struck is None:
            return trees
        return ClauseSearch(labels, trees, seed, struck=struck)

    @property
    def _weighing(self) -> Weighing:
        return Weighing(
            self.ensemble, self.noise, self.prior, self.drop_literals, self.uniform_if_empty, self.stop_early
        )

    def _publish(self, posterior: Posterior, demonstrations: Demonstrations, pinned: Pinned) -> None:
        """Make the best mixture so far, if there is any, the learner's policy."""
        best = posterior.best
        if not best:
            return
        features, self.formulas_ = self.features_, best
        allowed = formula_bits(best[0].clauses, features.columns, pinned.rest.mask)
        self.explained_ = int(pinned.whole.shows(pinned.allowed(allowed)).sum())
        components = to_components(posterior, features, pinned.clauses)
        policy = Policy(
            demonstrations.tokens,
            components,
            demonstrations.game,
            demonstrations.buttons,
            self._provenance(demonstrations, features),
            self.policy_.language,
        )
        self.policy_ = policy.taught_by(demonstrations)

    def _provenance(self, demonstrations: Demonstrations, features: Features) -> Provenance:
        options = (item.name for item in fields(self) if item.init and item.name not in UNRECORDED)
        settings = {name: getattr(self, name) for name in options}
        return Provenance(
            version=__version__,
            demonstrations=DemonstrationsRecord.of(demonstrations),
            programs=len(features.of_program),
            distinct=len(features),
            vocabulary=self._grammar_name,
            settings={**settings, "seed": self.resources.seed},
            constraints=ConstraintsRecord.of(self.constraints),
        )

    def _progress(self, event: Event, rule: str | None, seconds: float) -> Progress:
        best = event.posterior.best
        return Progress(
            programs=event.programs,
            total=event.total,
            distinct=event.distinct,
            best=rule,
            score=best[0].score if best else None,
            components=len(best),
            seconds=seconds,
            phase=event.phase,
            explained=self.explained_,
            stopped=event.stopped,
        )

    def _check(self, demonstrations: Demonstrations) -> None:
        for name in ("programs", "ensemble", "trees"):
            value = getattr(self, name)
            if (name, value) != ("programs", "auto") and (not isinstance(value, int) or value < 1):
                raise BadInput(f"{name} must be a whole number of at least 1, not {value!r}.")
        if not 0.0 <= self.noise <= 1.0:
            raise BadInput(f"noise must be from 0 to 1, not {self.noise!r}.")
        if self.search not in SEARCHES:
            raise BadInput(f"search must be one of {', '.join(SEARCHES)}, not {self.search!r}.")
        if self.prior not in PRIORS:
            raise BadInput(f"prior must be one of {', '.join(PRIORS)}, not {self.prior!r}.")
        check_size(demonstrations)


def to_formula(clauses: Clauses, features: Features, pinned: Sequence[Clause] = ()) -> Formula:
    """Return a formula over features as one over programs, after the pinned clauses."""
    return _after(pinned, over_programs(clauses, features.terms.__getitem__))


def to_components(posterior: Posterior, features: Features, pinned: Sequence[Clause] = ()) -> tuple[Component, ...]:
    """Return the best formulas as components of a policy; they share the clauses that they have in common."""
    best = posterior.best
    distinct = tuple({clause: None for found in best for clause in found.clauses})
    shared = dict(zip(distinct, over_programs(distinct, features.terms.__getitem__), strict=True))
    formulas = (_after(pinned, [shared[clause] for clause in found.clauses]) for found in best)
    return tuple(
        Component(float(weight), found.log_prior, found.log_likelihood, formula)
        for found, weight, formula in zip(best, posterior.weights, formulas, strict=True)
    )


def _after(pinned: Sequence[Clause], clauses: Sequence[Clause]) -> Formula:
    """Return the formula of pinned clauses and of others that are not among them."""
    return Formula((*pinned, *(clause for clause in clauses if set(clause) not in map(set, pinned))))
