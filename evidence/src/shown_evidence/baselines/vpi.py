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
from functools import reduce
from operator import and_, or_
from typing import Any, TypeVar

import numpy as np

from shown.columns.rows import row_bits
from shown.demonstrations import Demonstrations
from shown.inference.features import Features, LazyTerms
from shown.inference.posterior import Posterior, ScoredFormula, log_likelihood
from shown.rules.bitwise import Clauses, formula_bits
from shown.worlds import Game
from shown_evidence.baselines import check_clicks
from shown_evidence.baselines.lpp import MixturePolicy, mixed
from shown_evidence.baselines.program_values import ProgramValues, of_programs

UNIT = 1e-9
"""Costs (−log p) are integers in this unit, so that sums are exact."""

T = TypeVar("T")


def sets(parts: Iterator[tuple[int, T]], each: int) -> Iterator[tuple[int, tuple[T, ...]]]:
    """Yield all finite non-empty sets of `parts`, cheapest first; a set costs its parts and `each` for every part.

    `parts` come cheapest first, with costs of 0 or more. Every set is yielded once.

    >>> list(itertools.islice(sets(iter([(1, "a"), (2, "b")]), each=0), 5))
    [(1, ('a',)), (2, ('b',)), (3, ('a', 'b'))]
    """
    read: list[tuple[int, T]] = []
    heap: list[tuple[int, tuple[int, ...]]] = []

    def push(cost: int, places: tuple[int, ...]) -> None:
        """Add a set to the heap, if there is such a part; `cost` is without that of its last part."""
        if places[-1] == len(read):
            read.extend(itertools.islice(parts, 1))
        if places[-1] < len(read):
            heapq.heappush(heap, (cost + read[places[-1]][0], places))

    # A set is the rising positions of its parts. It has two successors, neither cheaper: the last part replaced by the
    # next one, or the next one added. So every set has one predecessor, and the heap always holds the cheapest.
    push(each, (0,))
    while heap:
        cost, places = heapq.heappop(heap)
        yield cost, tuple(read[place][1] for place in places)
        last = places[-1]
        push(cost - read[last][0], (*places[:-1], last + 1))
        push(cost + each, (*places, last + 1))


def policies(log_priors: Sequence[float]) -> Iterator[tuple[int, Clauses]]:
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
        programs = np.arange(len(features.of_program))
        shown = of_programs(programs, features, row_bits(features.columns, evidence.word, evidence.bit), True)
        packed = np.packbits(np.vstack([shown, np.ones((1, len(evidence.word)), dtype=bool)]), axis=1)
        *numbers, all_steps = (int.from_bytes(row.tobytes(), "big") for row in packed)
        steps = [(all_steps ^ number, number) for number in numbers]  # where each program fails, and where it holds
        priors = np.concatenate([np.full(block.count, block.log_prior) for block in features.blocks])
        posterior = Posterior(self.ensemble)
        for cost, clauses in itertools.islice(policies(priors.tolist()), self.programs):
            prior = -cost * UNIT
            if prior < posterior.bound:
                break
            allowed_steps = reduce(or_, (reduce(and_, (steps[i][sign] for i, sign in clause)) for clause in clauses))
            if allowed_steps == all_steps:  # most rule out a demonstrated action
                allowed = _allowed_rows(clauses, features, evidence.mask)
                posterior.offer(ScoredFormula(clauses, prior, log_likelihood(allowed, evidence)))
        found = zip(posterior.best, posterior.weights.tolist(), strict=True)
        self.policy_ = mixed(found, LazyTerms(features.blocks, programs), demos, features)
        return self


def learner(game: Game, seed: int, options: Mapping[str, Any]) -> VpiPolicy:
    """Build VPI, which makes no random choices."""
    return VpiPolicy(**options)


def _allowed_rows(clauses: Clauses, features: Features, mask: np.ndarray) -> np.ndarray:
    """Return the rows that a policy allows, as bits. [R] uint64"""
    used = sorted({program for clause in clauses for program, _ in clause})
    columns = of_programs(np.array(used), features, features.columns, features.mask)
    over_columns = tuple(tuple((used.index(program), sign) for program, sign in clause) for clause in clauses)
    return formula_bits(over_columns, columns, mask)
