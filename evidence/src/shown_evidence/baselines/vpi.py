"""Vanilla Program Induction: enumerates whole policies, most probable first, without a Boolean learner.

A policy is an *or* of clauses, a clause an *and* of literals, a literal a program or its negation. The numbers of
clauses and of literals are geometric (p = 0.5), a literal is negated with probability 0.5, and its program is drawn
from LPP's grammar. Policies are enumerated in order of probability, each set of sets once, and the best K are mixed as
in LPP.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar

import numpy as np

from shown.demonstrations import Demonstrations
from shown.evaluation.distinct import CONSTANT
from shown.evaluation.rows import Labels, row_bits
from shown.inference.features import LazyTerms
from shown.inference.posterior import Posterior, ScoredFormula, log_likelihood
from shown.rules import Formula, Literal
from shown.rules.bitwise import formula_bits
from shown.worlds import Game
from shown_evidence.baselines import check_clicks
from shown_evidence.baselines.lpp import MixturePolicy, mixed
from shown_evidence.baselines.program_values import ProgramValues

Choice = tuple[int, bool]
"""A program by its number, and whether it must hold."""

UNIT = 1e-9
"""Costs (−log p) are integers in this unit, so that sums are exact."""

T = TypeVar("T")


class _Stream(Generic[T]):
    """An iterator with random access to the items read so far and the next ones."""

    def __init__(self, items: Iterator[tuple[int, T]]) -> None:
        self._items, self._read = items, list[tuple[int, T]]()

    def get(self, place: int) -> tuple[int, T] | None:
        while len(self._read) <= place:
            item = next(self._items, None)
            if item is None:
                return None
            self._read.append(item)
        return self._read[place]


def sets(parts: Iterator[tuple[int, T]], each: int) -> Iterator[tuple[int, tuple[T, ...]]]:
    """Yield all finite non-empty sets of `parts`, cheapest first; a set costs its parts and `each` for every part.

    `parts` come cheapest first, with costs of 0 or more. Every set is yielded once.

    >>> list(itertools.islice(sets(iter([(1, "a"), (2, "b")]), each=0), 5))
    [(1, ('a',)), (2, ('b',)), (3, ('a', 'b'))]
    """
    stream = _Stream(parts)
    # A set is the rising positions of its parts. It has two successors, neither cheaper: the last part replaced by the
    # next one, or the next one added. So every set has one predecessor, and the heap always holds the cheapest.
    first = stream.get(0)
    heap: list[tuple[int, tuple[int, ...]]] = [] if first is None else [(first[0] + each, (0,))]
    while heap:
        cost, places = heapq.heappop(heap)
        yield cost, tuple(stream.get(place)[1] for place in places)  # type: ignore[index]
        following = stream.get(places[-1] + 1)
        if following is not None:
            last = stream.get(places[-1])
            assert last is not None
            heapq.heappush(heap, (cost - last[0] + following[0], (*places[:-1], places[-1] + 1)))
            heapq.heappush(heap, (cost + following[0] + each, (*places, places[-1] + 1)))


def policies(log_priors: Sequence[float]) -> Iterator[tuple[int, tuple[tuple[Choice, ...], ...]]]:
    """Yield all policies over programs with these falling log priors, most probable first, with costs in `UNIT`s.

    >>> found = list(itertools.islice(policies([-1.0, -2.0]), 3))
    >>> [(round(-cost * UNIT, 2), clauses) for cost, clauses in found]
    [(-3.08, (((0, True),),)), (-3.08, (((0, False),),)), (-4.08, (((1, True),),))]
    """
    half = round(math.log(2) / UNIT)
    literals = ((round(-p / UNIT) + half, (i, sign)) for i, p in enumerate(log_priors) for sign in (True, False))
    clauses = sets(literals, each=half)
    return sets(clauses, each=half)


class VpiPolicy(MixturePolicy):
    """Enumerates `programs` policies and mixes the best of them.

    >>> from shown.worlds import find
    >>> from shown_evidence.trials.demonstrators import demonstrations
    >>> demos = demonstrations(find("nim"), "train:0-2")
    >>> print(VpiPolicy(programs=200).fit(demos).policy_.components[0].formula)
    not at_action_cell(cell_is_value(empty))
    """

    def __init__(self, programs: int = 10_000, ensemble: int = 25) -> None:
        self.programs, self.ensemble = programs, ensemble

    def fit(self, demos: Demonstrations) -> VpiPolicy:
        check_clicks(demos)
        # No policy among the first n uses a program beyond the n-th: the n single programs come first.
        values = ProgramValues.of_demonstrated(demos, self.programs)
        features, evidence = values.features, values.evidence(demos)
        priors = np.concatenate([np.full(block.count, block.log_prior) for block in features.blocks])
        terms = LazyTerms(features.blocks, np.arange(len(features.of_program)))
        rows = _ProgramRows(values, evidence)
        posterior = Posterior(self.ensemble)
        for cost, clauses in itertools.islice(policies(priors.tolist()), self.programs):
            prior = -cost * UNIT
            if prior < posterior.bound:
                break
            if rows.repeats_all(clauses):
                posterior.offer(ScoredFormula(clauses, prior, log_likelihood(rows.allowed(clauses), evidence)))
        formulas = (
            Formula(tuple(tuple(Literal(terms[i], sign) for i, sign in clause) for clause in candidate.clauses))
            for candidate in posterior.best
        )
        found = zip(posterior.best, map(float, posterior.weights), formulas, strict=True)
        self.policy_ = mixed(found, demos, self.programs, len(features))
        return self


def learner(game: Game, seed: int, options: Mapping[str, Any]) -> VpiPolicy:
    """Build VPI, which makes no random choices."""
    return VpiPolicy(**options)


class _ProgramRows:
    """Policies on the rows; a few bits show that most rule out a demonstrated action."""

    def __init__(self, values: ProgramValues, evidence: Labels) -> None:
        features = self._features = values.features
        self._evidence = evidence
        steps = row_bits(features.columns, evidence.word, evidence.bit)
        packed = np.packbits(steps, axis=1, bitorder="little")
        self._steps = [int.from_bytes(row.tobytes(), "little") for row in packed]
        self._all_steps = (1 << len(evidence.word)) - 1
        self._of_program, self._negates = features.of_program.tolist(), features.negates.tolist()
        self._always = values.always.tolist()

    def repeats_all(self, clauses: tuple[tuple[Choice, ...], ...]) -> bool:
        """Return whether a policy allows every demonstrated action."""
        allowed = 0
        for clause in clauses:
            bits = self._all_steps
            for program, sign in clause:
                feature = self._of_program[program]
                if feature == CONSTANT:
                    bits = bits if self._always[program] == sign else 0
                else:
                    column = self._steps[feature]
                    bits &= column if sign != self._negates[program] else ~column
            allowed |= bits
        return allowed == self._all_steps

    def allowed(self, clauses: tuple[tuple[Choice, ...], ...]) -> np.ndarray:
        """Return the rows that a policy allows. [R] uint64"""
        over_features = tuple(
            tuple(
                (self._of_program[program], sign != self._negates[program])
                for program, sign in clause
                if self._of_program[program] != CONSTANT
            )
            for clause in clauses
            if all(self._of_program[p] != CONSTANT or self._always[p] == sign for p, sign in clause)
        )
        return formula_bits(over_features, self._features.columns, self._evidence.mask)
