"""Distillation: one rule that plays as well as the vote of many.

The rules that vote are made of exact clauses: clauses that allow nothing that the demonstrations rule out. Single rules
made of such clauses are compared by how far they agree with the vote in its own games (`imitation.py`), and the best
ones play. Where a rule loses a level that the vote wins, their first disagreement is a counterexample: there the vote's
action has to be allowed, and the rule's own one not. The hypothesis is fitted again with some of those, which gives
further clauses, until a rule wins as much as the vote. Then conditions are dropped as long as the demonstrations stay
explained and the rule wins as much.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from shown.components import Component, RatedRule
from shown.demonstrations import Step
from shown.grid import Action, Grid
from shown.inference.covers import cheapest_cover
from shown.policy import Policy
from shown.provenance import SuccessRate
from shown.rules import Formula, Literal
from shown.rules.bitwise import over_programs
from shown.rules.facts import Facts
from shown.rules.formula import Clause
from shown.symmetry import Folded, closure, unfold
from shown.teaching.interpretation.fitter import AGAIN, FURTHER, Fitted, Fitter
from shown.teaching.interpretation.hypotheses import Hypothesis, with_images
from shown.teaching.practice.imitation import Positions, Table
from shown.teaching.practice.practice_scoring import GridScoring, Scoring

ROUNDS = 8  # searches for rules; all but the first after a fit with counterexamples
STARTS = 100  # random rules made of the clauses of a fit, of which the best are improved
IMPROVED = 3  # rules that are improved clause by clause, and then play
MOST_CLAUSES = 400  # clauses of a fit that rules are made of, the shortest ones, besides those of its best rule
PER_CONDITION = 0.001  # share of games that a further condition has to win
COUNTEREXAMPLES = 6  # lost levels that are examined in a round
CLOSE = 0.02  # a shorter rule that wins this much less than the best one is preferred
LONG = 10  # with more conditions, a rule is sought under other interpretations too
MOST_CONDITIONS = 25  # a longer rule replaces the vote only if no shorter one does; otherwise a part of it is printed
TOO_FAR = 0.03  # a rule that wins this much less than all rules together (also on levels apart) does not replace them

Unit = Folded[Literal]
"""A clause and the images that it stands for."""


@dataclass(frozen=True)
class PlayedRule:
    """A rule with the share of practice levels that it wins alone.

    Attributes:
        units: its clauses.
        rule: the policy that consists of it.
        won: share of the practice levels.
    """

    units: tuple[Unit, ...]
    rule: Policy
    won: float

    @property
    def conditions(self) -> int:
        """The number of conditions; those of a clause count once for all its images."""
        return sum(len(unit.clause) for unit in self.units)

    @cached_property
    def words(self) -> int:
        """The number of words, as printed."""
        return len(self.rule.english().split())

    @property
    def merit(self) -> tuple[float, int]:
        return self.won, -self.conditions


@dataclass
class Distillation:
    """Seeks single rules that play like a vote.

    Attributes:
        vote: the policy to imitate.
        fitted: the hypothesis that it was learned under, fitted to the demonstrations.
        fitter: fits the hypothesis again.
        scoring: the practice levels, and episodes to keep.
        rng: source of all random choices.
        until: time, by the monotonic clock, after which no fit is begun.
        found: the best rule of each number of conditions.
    """

    vote: Policy
    fitted: Fitted
    fitter: Fitter
    scoring: Scoring
    rng: np.random.Generator
    until: float = math.inf
    found: dict[int, PlayedRule] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        (self.wins,) = self.scoring.scores_on_all([self.vote])
        self._symmetries = self.fitted.hypothesis.symmetries
        self._steps = with_images(self.fitted.shown, self._symmetries).steps
        self._counterexamples: dict[tuple[Grid, Action], Step] = {}
        self._positions = Positions(self.vote, self.scoring.as_good)
        pinned = self.fitted.pinned.clauses
        self._pinned: tuple[Unit, ...] = tuple(Folded(clause, closure(())) for clause in pinned)
        self._taken: set[Clause] = set()
        self._units: dict[frozenset[frozenset[Literal]], Unit] = {}
        self._unfolded: dict[Unit, tuple[Clause, ...]] = {}
        self._played: dict[tuple[Unit, ...], PlayedRule] = {}

    @property
    def best(self) -> PlayedRule | None:
        """The rule that wins most; the one with the fewest conditions among equals."""
        return max(self.found.values(), key=lambda item: item.merit, default=None)

    @property
    def front(self) -> tuple[PlayedRule, ...]:
        """The rules that win more than all shorter ones, the shortest first."""
        kept: list[PlayedRule] = []
        for candidate in (self.found[count] for count in sorted(self.found)):
            if not kept or candidate.won > kept[-1].won:
                kept.append(candidate)
        return tuple(kept)

    def run(self) -> Iterator[PlayedRule]:
        """Seek rules, yielding the best so far."""
        self._positions.add(self.scoring.games_won(self.vote))
        fitted = self.fitted
        for _ in range(ROUNDS):
            if fitted.pool is not None:
                self._take_in(fitted)
                latest = self._sought()
                if latest is None:
                    break
                if self.best is not None:
                    yield self.best
                    if self.best.won >= self.wins or self.scoring.out_of_time:
                        break
                if not self._examine(latest) and not (self._positions.tighten() and self._examine(latest)):
                    break
            elif self._counterexamples:  # they contradict each other
                kept = list(self._counterexamples.items())[: len(self._counterexamples) // 2]
                self._counterexamples = dict(kept)
            else:
                return
            if time.monotonic() > self.until:
                break
            fitted = self._fit_again(fitted)
        if self.best is not None:
            self._shorten(self.best)
            if min(self.found) > MOST_CONDITIONS:
                self._shorten(self.best, TOO_FAR)
            yield self.best

    def excerpt(self) -> PlayedRule:
        """Return a part of the best rule that is not long, without the clauses that matter least to the vote.

        It does not explain all demonstrations.
        """
        candidate = self.best
        assert candidate is not None
        own, fixed = list(candidate.units), len(self._pinned)
        table, kept = self._table(own), list(range(len(own)))
        while sum(len(own[k].clause) for k in kept) > MOST_CONDITIONS:
            free = [k for k in kept if own[k] not in self._pinned]
            if len(kept) <= max(1, fixed) or not free:
                break
            values = table.values([[v for v in kept if v != k] for k in free])
            per_condition = [value / len(own[k].clause) for k, value in zip(free, values - values.max(), strict=True)]
            kept.remove(free[int(np.argmax(per_condition))])
        (part,) = self._play([[own[k] for k in kept]], explain=False)
        return part

    # --- rules made of clauses ----------------------------------------------------------------------------------------

    def _take_in(self, fitted: Fitted) -> None:
        """Add the clauses of a fit, each alone and with all its images."""
        assert fitted.pool is not None
        group = closure(self._symmetries)
        short = sorted(fitted.pool.clauses, key=len)[:MOST_CLAUSES]
        short += [clause for candidate in fitted.formulas[:1] for clause in candidate.clauses]
        for clause in over_programs(tuple(short), fitted.features.terms.__getitem__):
            if clause in self._taken:
                continue
            self._taken.add(clause)
            for under in (group[:1], group) if len(group) > 1 else (group,):
                unit: Unit = Folded(clause, tuple(under))
                if not self._has_struck(unit):
                    self._units.setdefault(frozenset(frozenset(image) for image in self._clauses(unit)), unit)

    def _has_struck(self, unit: Unit) -> bool:
        """Return whether a clause or one of its images has a program that the teacher struck."""
        constraints, language = self.fitter.constraints, self.vote.language
        terms = {literal.term for clause in self._clauses(unit) for literal in clause} if constraints.struck else ()
        return any(constraints.strikes(term, language) for term in terms)

    def _sought(self) -> PlayedRule | None:
        """Return the best of the rules that can be made of the clauses so far; None if those do not explain all."""
        units = [*self._pinned, *sorted(self._units.values(), key=lambda unit: len(unit.clause))]
        table = self._table(units)
        right = self._explain(units, table)
        units, table = [units[k] for k in right.tolist()], table.only(right)
        covers, sizes = table.covers, np.array([len(unit.clause) for unit in units], dtype=float)
        fixed = range(len(self._pinned))
        if not covers.any(axis=0).all():
            return None
        rules = sorted({_random_cover(covers, sizes, fixed, self.rng) for _ in range(STARTS)})
        values = table.values(rules)
        ranked = sorted(range(len(rules)), key=lambda i: (-values[i], sizes[list(rules[i])].sum(), rules[i]))
        improved = [_improved(rules[i], table, sizes, fixed) for i in ranked[:IMPROVED]]
        played = self._play([units[u] for u in rule] for rule in dict.fromkeys(improved))
        return max(played, key=lambda item: item.merit)

    def _explain(self, units: Sequence[Unit], table: Table) -> np.ndarray:
        """Return the units that allow nothing which the demonstrations rule out; images may. [n] int64

        A lenient hypothesis tolerates what the clauses of its fit allow.
        """
        tolerated = np.zeros_like(table.wrong[0])
        if self.fitted.hypothesis.lenient:
            plain = [k for k, unit in enumerate(units) if len(unit.under) == 1]
            tolerated = np.bitwise_or.reduce(table.wrong[plain], axis=0)
        wrong = (table.wrong & ~tolerated).any(axis=1)
        wrong[: len(self._pinned)] = False  # those that contradict the demonstrations are left out already
        return np.flatnonzero(~wrong)

    def _clauses(self, unit: Unit) -> tuple[Clause, ...]:
        """Return all clauses that a unit stands for."""
        if unit not in self._unfolded:
            self._unfolded[unit] = unfold([unit], self.vote.language)
        return self._unfolded[unit]

    def _table(self, units: Sequence[Unit]) -> Table:
        return Table([self._clauses(unit) for unit in units], self._steps, self._positions)

    def _play(self, rules: Iterable[Iterable[Unit]], explain: bool = True) -> list[PlayedRule]:
        """Let rules play all levels; of those that explain the demonstrations, keep the best of each length."""
        keys = [
            tuple(sorted(units, key=lambda unit: (len(unit.clause), str(unit.clause), len(unit.under))))
            for units in rules
        ]
        new = [key for key in dict.fromkeys(keys) if key not in self._played]
        formulas = [Formula(unfold(key, self.vote.language)) for key in new]
        components = self.fitter.components(self.fitted, formulas)
        facts = Facts(symmetries=self._symmetries)
        alone = [replace(self.vote, components=(only,), facts=facts) for only in components]
        for key, rule, won in zip(new, alone, self.scoring.scores_on_all(alone), strict=True):
            candidate = self._played[key] = PlayedRule(key, rule, won)
            known = self.found.get(candidate.conditions)
            if explain and self._permitted(candidate) and (known is None or candidate.won > known.won):
                self.found[candidate.conditions] = candidate
        return [self._played[key] for key in keys]

    # --- counterexamples ----------------------------------------------------------------------------------------------

    def _examine(self, candidate: PlayedRule) -> int:
        """Add counterexamples from some levels that a rule loses and the vote wins; return their number."""
        before = len(self._counterexamples)
        by_vote, by_rule = self.scoring.games_lost(candidate.rule, self.vote, COUNTEREXAMPLES, self.rng)
        self._positions.add(by_vote)
        for taken in by_rule:
            game = list(taken)
            for place, right in enumerate(self.vote.act_many(game)):
                grid, action = game[place], taken[game[place]]
                self._positions.add([game[place : place + 1]] if grid not in self._positions.good else [])
                if action not in self._positions.good[grid]:
                    every: tuple[Action, ...] = self.vote.buttons or tuple(grid.cells())
                    others = tuple(other for other in every if other not in (action, right))
                    self._counterexamples[grid, action] = Step(grid, right, open=others)
                    break
        return len(self._counterexamples) - before

    def _fit_again(self, fitted: Fitted) -> Fitted:
        """Fit the hypothesis again with the counterexamples; the first time thoroughly, for more clauses."""
        effort = replace(AGAIN if fitted.generation else FURTHER, until=self.until)
        more = tuple(self._counterexamples.values())
        return self.fitter.fit(fitted.hypothesis, fitted.shown, effort, fitted, more)

    # --- fewer conditions ---------------------------------------------------------------------------------------------

    def _shorten(self, candidate: PlayedRule, loss: float = 0.0) -> None:
        """Drop conditions and clauses while the rule explains the demonstrations and wins at most `loss` less.

        With a loss, none is dropped once time is over.
        """
        lossy = candidate.won - loss
        while not loss or time.monotonic() <= self.until:
            shorter = self._play(self._reduced(candidate))
            least = lossy if loss else min(candidate.won, self.wins)
            good = [other for other in shorter if other.won >= least and self._permitted(other)]
            if not good:
                return
            candidate = min(good, key=lambda other: (other.conditions, -other.won))

    def _permitted(self, candidate: PlayedRule) -> bool:
        constraints = self.fitter.constraints
        against = [item.clause for item in self.fitted.contradictions]
        return not constraints or candidate.rule.keeps_to(constraints.without(against))

    def _reduced(self, candidate: PlayedRule) -> list[list[Unit]]:
        """Return the most promising rules with one condition or clause less that still explain the demonstrations."""
        own = list(candidate.units)
        free = [place for place, unit in enumerate(own) if unit not in self._pinned]
        simpler = [(place, unit) for place in free for unit in _simpler(own[place])]
        units = [*own, *(unit for _, unit in simpler)]
        table = self._table(units)
        # Only a lenient hypothesis allows anything that the demonstrations rule out.
        tolerated = np.bitwise_or.reduce(table.wrong[: len(own)], axis=0)
        rules = [[k for k in range(len(own)) if k != place] for place in free]
        for number, (place, _) in enumerate(simpler, start=len(own)):
            if not (table.wrong[number] & ~tolerated).any():
                rules.append([number if k == place else k for k in range(len(own))])
        rules = [rule for rule in rules if rule and table.covers[rule].any(axis=0).all()]
        values = table.values(rules).tolist() if rules else []
        ranked = sorted(range(len(rules)), key=lambda i: -values[i])
        return [[units[k] for k in rules[i]] for i in ranked[:IMPROVED]]


def _simpler(unit: Unit) -> Iterator[Unit]:
    """Yield a clause without each of its conditions in turn."""
    for place in range(len(unit.clause) if len(unit.clause) > 1 else 0):
        yield replace(unit, clause=unit.clause[:place] + unit.clause[place + 1 :])


def _random_cover(
    covers: np.ndarray, sizes: np.ndarray, fixed: Sequence[int], rng: np.random.Generator
) -> tuple[int, ...]:
    """Return units, the fixed ones among them, that cover all demonstrated steps: short ones, with random changes.

    Args:
        covers: demonstrated steps that each unit allows; each is allowed by one of them. [U, T] bool
        sizes: number of conditions of each unit. [U] float64
        fixed: units that every rule has.
        rng: source of the changes.
    """
    asked = sizes * np.exp(0.5 * rng.standard_normal(len(sizes)))
    left = ~covers[list(fixed)].any(axis=0)
    chosen = cheapest_cover(covers[:, left], sizes, asked)
    assert chosen is not None, "each step is allowed by one of the units"
    return tuple(sorted({*fixed, *chosen}))


def _improved(rule: tuple[int, ...], table: Table, sizes: np.ndarray, fixed: Sequence[int]) -> tuple[int, ...]:
    """Return the rule after adding and removing one unit at a time, as long as it agrees more with the vote."""
    best, score = list(rule), float(table.values([rule])[0] - PER_CONDITION * sizes[list(rule)].sum())
    while True:
        more = [u for u in range(len(sizes)) if u not in best]
        less = [[v for v in best if v != u] for u in best if u not in fixed]
        less = [one for one in less if one and table.covers[one].any(axis=0).all()]
        found = np.concatenate([table.values_of_longer(best)[more], table.values(less)])
        found -= PER_CONDITION * np.concatenate([sizes[best].sum() + sizes[more], [sizes[one].sum() for one in less]])
        if not len(found) or found.max() <= score + 1e-9:
            return tuple(sorted(best))
        place, score = int(np.argmax(found)), float(found.max())
        best = [*best, more[place]] if place < len(more) else less[place - len(more)]


@dataclass(frozen=True)
class OneRule:
    """The result of a distillation.

    Attributes:
        hypothesis: the hypothesis under which the rule explains the demonstrations.
        conditions: number of conditions of the rule.
        won: share of practice levels that it wins alone.
        policy: the rule alone; if it wins clearly less than all rules together, those, with the rule printed.
    """

    hypothesis: Hypothesis
    conditions: int
    won: float
    policy: Policy

    @property
    def acts(self) -> bool:
        """Whether the rule replaces the vote."""
        return len(self.policy.components) == 1

    def better_than(self, other: OneRule) -> bool:
        """Return whether it alone replaces the vote, or is shorter and wins nearly as much."""
        if self.acts != other.acts:
            return self.acts
        return self.conditions < other.conditions and self.won >= other.won - CLOSE


def one_rule(distillation: Distillation) -> OneRule | None:
    """Return the shortest rule that wins nearly as much as the best one; None if no rule was found.

    One that is not long is preferred if it can replace the vote. If none can, the vote acts, and one that is not long
    is printed.
    """
    front = list(distillation.front)
    if not front:
        return None
    short = [rule for rule in front if rule.conditions <= MOST_CONDITIONS]
    long = front[len(short) :]
    chosen, acts = _closest(distillation, short) if short else (None, False)
    if long and not acts:
        longer, acts = _closest(distillation, long)
        chosen = longer if acts else chosen
    if chosen is None:
        chosen = distillation.excerpt()
        front.insert(0, chosen)
    (rule,) = chosen.rule.components
    policy = replace(_printed(rule, distillation.vote, acts), front=_rated(front, chosen, distillation.scoring))
    return OneRule(distillation.fitted.hypothesis, chosen.conditions, chosen.won, policy)


def _printed(rule: Component, vote: Policy, acts: bool) -> Policy:
    """Return the policy that prints a rule, which acts instead of the vote or leaves acting to it."""
    if acts:
        return replace(vote, components=(replace(rule, weight=1.0),), vote=vote.components)
    return replace(vote, components=(replace(rule, weight=0.0), *vote.components))


def _closest(distillation: Distillation, candidates: Sequence[PlayedRule]) -> tuple[PlayedRule, bool]:
    """Return the shortest of the rules that win nearly as much as the best one, and whether it can replace the vote.

    Rules are made to win the practice levels. So levels that had no part in that also decide.
    """
    scoring = distillation.scoring
    scoring.go_on()
    of_vote, *validated = scoring.validated([distillation.vote, *(candidate.rule for candidate in candidates)])
    won = [(2 * one.won + other) / 3 for one, other in zip(candidates, validated, strict=True)]
    least = (2 * distillation.wins + of_vote) / 3 - TOO_FAR
    far = [won[k] < least or validated[k] < of_vote - TOO_FAR for k in range(len(candidates))]
    near = [k for k in range(len(candidates)) if won[k] >= max(won) - CLOSE]
    near = [k for k in near if not far[k]] or near
    k = min(near, key=lambda k: (candidates[k].words, candidates[k].conditions))
    return candidates[k], not far[k]


def rule_on_grids(distillation: Distillation, scoring: GridScoring) -> tuple[OneRule, SuccessRate]:
    """Return a rule that does what the vote does on fresh grids, and on how many of them.

    If the rules found differ from the vote on too many of them, all rules act, and the one of them that agrees with the
    vote on most grids is printed.
    """
    vote, hypothesis = distillation.vote, distillation.fitted.hypothesis
    found = one_rule(distillation)
    if found is not None:
        (rate,) = scoring.expectations([found.policy.map_policy])
        if rate.won >= (1 - TOO_FAR) * rate.of:
            return replace(found, policy=_printed(found.policy.components[0], vote, True)), rate
    alone = [replace(vote, components=(replace(part, weight=1.0),)) for part in vote.components]
    rates, scores = scoring.expectations(alone), scoring.scores_on_all(alone)
    best = max(range(len(alone)), key=lambda i: (scores[i], rates[i].won, -i))
    rule = vote.components[best]
    policy = _printed(rule, vote, False)
    return OneRule(hypothesis, len(rule.formula.literals), scores[best], policy), rates[best]


def _rated(front: Sequence[PlayedRule], chosen: PlayedRule, scoring: Scoring) -> tuple[RatedRule, ...]:
    """Return the front with the success on new levels; rules that win no more there than shorter ones are left out."""
    place = front.index(chosen)
    rates = scoring.expectations([candidate.rule for candidate in front])
    own = rates[place]
    if own is None:
        return ()
    kept = {place: own}
    for around in (range(place - 1, -1, -1), range(place + 1, len(front))):
        last = own.value
        for k in around:
            rate = rates[k]
            if rate is not None and rate.of == own.of and (rate.value < last if k < place else rate.value > last):
                kept[k], last = rate, rate.value
    return tuple(RatedRule(front[k].rule.components[0].formula, front[k].conditions, kept[k]) for k in sorted(kept))
