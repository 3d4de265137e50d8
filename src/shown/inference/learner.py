"""The learner: demonstrations in, policy out. The loop itself is in `fitting.py`."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Generator
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from shown.cluster import Cluster
from shown.demonstrations import Demonstrations
from shown.errors import BadInput, Contradicted, NothingFits
from shown.inference.clauses import ClauseSearch
from shown.inference.conditioned import Contradiction, Pinned
from shown.inference.crew import OnCluster
from shown.inference.device import check_device
from shown.inference.failure import Failure, explain_failure
from shown.inference.features import Features
from shown.inference.fitting import MOST, Fitting, Moment, Patience, Programs, Weighing
from shown.inference.formulas import Clauses, formula_bits
from shown.inference.posterior import PRIORS, Candidate, Mixture
from shown.inference.proposals import Search
from shown.inference.rows import Evidence
from shown.inference.trees import TreeSearch
from shown.language.grammar import Grammar
from shown.language.languages import grammar_for
from shown.language.primitives import Language
from shown.memory import Account
from shown.policy import Component, Policy, uniform_policy
from shown.rules import NO_CONDITIONS, Conditions, Formula, Literal
from shown.version import __version__

SEARCHES = ("trees", "clauses")


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
        phase: what is being done; it begins with "stopped" where memory ran out.
        explained: of the steps shown, how many the best rule allows.
    """

    programs: int
    total: int
    distinct: int
    best: str | None
    score: float | None
    components: int
    seconds: float
    phase: str
    explained: int = 0


@dataclass(repr=False)
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
        programs: how many programs to enumerate (L in the paper). "auto": 10,000, and on while nothing fits or the
            best rule still gets better, for a minute or up to a million; `stopped_` says why it went no further.
        ensemble: how many policies to mix (K).
        search: who proposes formulas: "trees" (the paper's), or "clauses", which takes in the trees and finds shorter
            rules. From few demonstrations those are often better, from many they may be too general.
        trees: how many differently seeded trees to grow for each prefix.
        noise: ε: how often the demonstrator acts at random.
        seed: of all random choices.
        threads: how many threads evaluate programs; by default one a core. The result does not depend on it.
        device: where programs are evaluated: "cpu", or "cuda" for a GPU (`docs/scale.md`). Nor does it on this.
        drop_literals: leave out literals that change no bit of the fit.
        finish_level: go on to the end of the last level of equally probable programs.
        uniform_if_empty: where a formula allows nothing, let the likelihood guess, as the acting policy does.
        stop_early: stop when no program to come could be in the mixture (the paper's bound).
        prior: "grammar" (the paper's), "sparsity" (every program costs the same) or "uniform" (nothing costs).
        language: the words of the programs, with the grammar they give: a `Language`, or the name of one ("paper",
            "standard", `module:OBJECT`); the paper's if None.
        grammar: a grammar of your own, instead of a language.
        memory_limit: bytes that programs' columns and planes may take; by default half of what the process can have.
        conditions: what is pinned and what is struck (`shown.Conditions`): every rule keeps to it. Where something is
            struck, formulas are also looked for clause by clause, since trees may come to it in other words.
        cluster: the machines that evaluate programs: "local", "auto", an address, or a `shown.Cluster` that is open
            for longer; this process alone if None, or if there are few programs. The result does not depend on it.

    After `fit` or `add` there are:

    * `policy_`: what was learned. If nothing fits, the policy that knows nothing, and a warning `NothingFits`.
    * `failure_`: if nothing fits, the two actions that no program tells apart; otherwise None.
    * `stopped_`: why not all programs were looked at; None if they were.
    * `explained_`: of the steps shown, how many the best rule allows. Without noise, all.
    * `contradictions_`: what is pinned and was left out, since it allows what was ruled out; there is a warning, too.
    * `demonstrations_`, `features_`, `candidates_`: what it was learned from, the columns, and the formulas over them,
      without what is pinned.
    """

    programs: Programs = 10_000
    ensemble: int = 25
    search: str = "trees"
    trees: int = 5
    noise: float = 0.0
    seed: int = 0
    threads: int | None = None
    device: str = "cpu"
    drop_literals: bool = True
    finish_level: bool = False
    uniform_if_empty: bool = False
    stop_early: bool = True
    prior: str = "grammar"
    language: Language | str | None = None
    grammar: Grammar | None = None
    memory_limit: int | None = None
    conditions: Conditions = NO_CONDITIONS
    cluster: Cluster | str | None = None

    demonstrations_: Demonstrations | None = field(default=None, init=False, repr=False, compare=False)
    policy_: Policy = field(init=False, repr=False, compare=False)
    features_: Features = field(init=False, repr=False, compare=False)
    failure_: Failure | None = field(default=None, init=False, repr=False, compare=False)
    explained_: int = field(default=0, init=False, repr=False, compare=False)
    stopped_: str | None = field(default=None, init=False, repr=False, compare=False)
    contradictions_: tuple[Contradiction, ...] = field(default=(), init=False, repr=False, compare=False)
    candidates_: list[Candidate] = field(default_factory=list, init=False, repr=False, compare=False)
    _fitting: Fitting | None = field(default=None, init=False, repr=False, compare=False)
    _grammar_name: str = field(default="", init=False, repr=False, compare=False)

    @classmethod
    def published(cls) -> Learner:
        """The paper's method, exactly: trees alone, and every literal as it was grown.

        >>> Learner.published()
        Learner(drop_literals=False)
        """
        return cls(search="trees", drop_literals=False)

    def __repr__(self) -> str:
        """Only what is not as usual."""
        own = {f.name: getattr(self, f.name) for f in fields(self) if f.repr}
        usual = {f.name: f.default for f in fields(self)}
        return f"Learner({', '.join(f'{name}={value!r}' for name, value in own.items() if value != usual[name])})"

    def fit(self, demonstrations: Demonstrations) -> Learner:
        """Learns from these demonstrations alone. If nothing fits, warns with `NothingFits`."""
        return self._to_the_end(self.iter_fit(demonstrations))

    def add(self, demonstrations: Demonstrations) -> Learner:
        """Learns from these demonstrations and all earlier ones, evaluating programs on the new states only."""
        return self._to_the_end(self.iter_add(demonstrations))

    def iter_fit(self, demonstrations: Demonstrations) -> Generator[Progress, None, None]:
        """Like `fit`, telling of its progress; `policy_` is the best so far after each, so one may stop at any.

        Nothing is warned of: look at `failure_` at the end.
        """
        self.demonstrations_, self._fitting = None, None
        return self.iter_add(demonstrations)

    def iter_add(self, demonstrations: Demonstrations) -> Generator[Progress, None, None]:
        """Like `add`, telling of its progress."""
        self._check(demonstrations)
        together = demonstrations if self.demonstrations_ is None else self.demonstrations_ + demonstrations
        if self._fitting is None:
            self._fitting = self._begin(demonstrations)
        self._fitting.add(demonstrations)
        self.demonstrations_ = together
        return self._run(self._fitting, together)

    # --- the run ------------------------------------------------------------------------------------------------------

    def _begin(self, demonstrations: Demonstrations) -> Fitting:
        grammar, self._grammar_name = grammar_for(
            demonstrations.tokens, demonstrations.buttons, self.language, self.grammar
        )
        blocks = list(grammar.blocks(MOST if self.programs == "auto" else self.programs, self.finish_level))
        if not blocks:
            raise BadInput("the grammar derives no program at all. Every rule leads on to further rules.")
        threads = self.threads or os.cpu_count() or 1
        account, crew = Account(self.memory_limit), None if self.cluster is None else OnCluster(self.cluster)
        return Fitting(grammar, blocks, account, threads, conditions=self.conditions, device=self.device, crew=crew)

    def _run(self, fitting: Fitting, demonstrations: Demonstrations) -> Generator[Progress, None, None]:
        start = time.monotonic()
        language = fitting.language
        self.policy_ = uniform_policy(demonstrations.tokens, demonstrations.game, demonstrations.buttons, language)
        self.failure_, self.candidates_, self.explained_, self.stopped_ = None, [], 0, None
        rows = fitting.rows
        whole = fitting.evidence(rows)
        self.contradictions_ = fitting.contradictions(whole, demonstrations, len(demonstrations))
        pinned = fitting.pinned(whole, self.contradictions_, self.prior)
        evidence = whole if pinned is None else pinned.rest
        patience = Patience() if self.programs == "auto" else None
        search = self._search(evidence, fitting)
        for moment in fitting.search(evidence, [search], self._weighing, patience=patience, pinned=pinned):
            if moment.phase.startswith("stopped: "):
                self.stopped_ = moment.phase.removeprefix("stopped: ")
            if moment.features is not None:
                self.features_ = moment.features
            if moment.news and moment.mixture.best:
                self._publish(moment, evidence, demonstrations, pinned)
            yield self._progress(moment, time.monotonic() - start)
        if not self.candidates_ and np.array_equal(evidence.positive, evidence.mask):
            # Every action was shown: the policy that knows nothing is right, and nothing can be learned.
            self.explained_ = len(evidence.word)
        elif not self.candidates_:
            self.failure_ = explain_failure(demonstrations, rows, self.features_, evidence, language)

    def _to_the_end(self, run: Generator[Progress, None, None]) -> Learner:
        for _ in run:
            pass
        for item in self.contradictions_:
            warnings.warn(item.text, Contradicted, stacklevel=3)
        if self.failure_ is not None:
            warnings.warn(
                f"{self.failure_.text} The policy knows nothing and acts at random.", NothingFits, stacklevel=3
            )
        return self

    def _search(self, evidence: Evidence, fitting: Fitting) -> Search:
        trees, struck = TreeSearch(evidence, self.trees, self.seed, fitting.threads), fitting.struck()
        if self.search == "trees" and struck is None:
            return trees
        return ClauseSearch(evidence, trees, self.seed, struck=struck)

    @property
    def _weighing(self) -> Weighing:
        return Weighing(
            self.ensemble, self.noise, self.prior, self.drop_literals, self.uniform_if_empty, self.stop_early
        )

    def _publish(
        self, moment: Moment, evidence: Evidence, demonstrations: Demonstrations, pinned: Pinned | None
    ) -> None:
        """Makes the best so far the learner's policy."""
        features, best = moment.features, moment.mixture.best
        assert features is not None
        self.candidates_ = best
        allowed = formula_bits(best[0].clauses, features.columns, evidence.mask)
        shows = evidence.shows(allowed) if pinned is None else pinned.whole.shows(pinned.allowed(allowed))
        self.explained_ = int(shows.sum())
        components = to_components(moment.mixture, features, pinned)
        policy = Policy(
            demonstrations.tokens,
            components,
            demonstrations.game,
            demonstrations.buttons,
            self._origin(demonstrations, features),
            self.policy_.language,
        )
        self.policy_ = policy.taught_by(demonstrations)

    def _origin(self, demonstrations: Demonstrations, features: Features) -> dict[str, Any]:
        return {
            "version": __version__,
            "demonstrations": {
                "digest": demonstrations.digest,
                "count": len(demonstrations),
                "steps": len(demonstrations.steps),
                "explained": self.explained_,
                "levels": [item.level for item in demonstrations],
            },
            "programs": len(features.of_program),
            "distinct": len(features),
            "grammar": self._grammar_name,
            "settings": {
                name: getattr(self, name)
                for name in (
                    "programs", "ensemble", "search", "trees", "noise", "seed", "drop_literals", "finish_level",
                    "uniform_if_empty", "stop_early", "prior",
                )
            },
            **({"conditions": self.conditions.to_json()} if self.conditions else {}),
        }  # fmt: skip

    def _progress(self, moment: Moment, seconds: float) -> Progress:
        best = moment.mixture.best
        return Progress(
            programs=moment.programs,
            total=moment.total,
            distinct=moment.distinct,
            best=self.policy_.english() if self.candidates_ else None,
            score=best[0].score if best else None,
            components=len(best),
            seconds=seconds,
            phase=moment.phase,
            explained=self.explained_,
        )

    def _check(self, demonstrations: Demonstrations) -> None:
        for name in ("programs", "ensemble", "trees", "threads", "memory_limit"):
            value = getattr(self, name)
            if (value is None and name in ("threads", "memory_limit")) or (name, value) == ("programs", "auto"):
                continue
            if not isinstance(value, int) or value < 1:
                raise BadInput(f"{name} must be a whole number of at least 1, not {value!r}.")
        check_device(self.device, self.cluster is not None)
        if not 0.0 <= self.noise <= 1.0:
            raise BadInput(f"noise must be from 0 to 1, not {self.noise!r}.")
        if not isinstance(self.seed, int) or self.seed < 0:
            raise BadInput(f"seed must be a whole number of at least 0, not {self.seed!r}.")
        if self.search not in SEARCHES:
            raise BadInput(f"search must be one of {', '.join(SEARCHES)}, not {self.search!r}.")
        if self.prior not in PRIORS:
            raise BadInput(f"prior must be one of {', '.join(PRIORS)}, not {self.prior!r}.")
        if not len(demonstrations):
            raise BadInput("there are no demonstrations to learn from. Record or load at least one.")


def to_formula(clauses: Clauses, features: Features, pinned: Pinned | None = None) -> Formula:
    """A formula over features as one over programs, with the pinned clauses before it."""
    first = () if pinned is None else pinned.clauses
    own = (tuple(Literal(features.terms[f], positive) for f, positive in clause) for clause in clauses)
    return Formula((*first, *(clause for clause in own if set(clause) not in map(set, first))))


def to_components(mixture: Mixture, features: Features, pinned: Pinned | None = None) -> tuple[Component, ...]:
    """The best candidates as the components of a policy."""
    return tuple(
        Component(float(weight), found.log_prior, found.log_likelihood, to_formula(found.clauses, features, pinned))
        for found, weight in zip(mixture.best, mixture.weights, strict=True)
    )
