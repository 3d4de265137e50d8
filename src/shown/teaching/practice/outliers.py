"""Outliers: demonstrations or single steps without which the rule is much shorter or better.

In a log without a world, a row that only extra conditions explain is a suspected slip. The rows that share their clause
with the fewest others are left out in turn. If the posterior gains much, and far more than by leaving out most others,
the row is left out for good. In a world, practice decides: a demonstration, or a step, is named if without it the rule
wins clearly more levels, or as many with half the conditions.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from shown.components import Component
from shown.demonstrations import Demonstrations
from shown.evaluation.rows import labels_of
from shown.inference.failure import taken
from shown.policy import Policy
from shown.provenance import SuccessRate
from shown.rules import Facts, Formula
from shown.symmetry import closure
from shown.teaching.interpretation.fitter import QUICK, Fitted, Fitter
from shown.teaching.interpretation.hypotheses import Hypothesis, flattened, with_images
from shown.teaching.practice.distillation import LONG
from shown.teaching.practice.ground import ALL_LEVELS
from shown.teaching.practice.practice_scoring import Scoring

MIN_ROWS = 8  # with fewer rows no slip is suspected
ROWS_PER_CONDITION = 5  # nor if the rule has at most one condition for this many rows
MAX_SUSPECTS = 12  # rows that are left out in turn, before each slip
ROWS_PER_SLIP = 10  # at most one row in this many is left out
SLIP_EVIDENCE = 13.0  # gain of the log posterior from which on a row is a suspected slip: about two conditions
STANDS_OUT = 1.5  # its gain is at least this many times that of all other rows but one

MAX_DEMONSTRATIONS, MAX_STEPS = 5, 2  # demonstrations and single steps that are left out in turn, in a world
BETTER = 0.1  # share of practice levels that is clearly more
SHORTER = 0.5  # share of conditions that is much shorter
AS_GOOD = 0.02  # share of practice levels that a shorter rule may lose

Place = tuple[int, int | None]
"""A demonstration and a step of it, from 0; the whole demonstration if the step is None."""


@dataclass(frozen=True, slots=True)
class Outlier:
    """A demonstration, or a step of it, that does not go with the others.

    Attributes:
        demonstration: its index.
        step: index of the step; None for the whole demonstration.
        row: number of the step in the log, from 1, if every demonstration is a single step; else None.
        conditions: number of conditions of the rule with it, and without.
        others: number of the other steps.
        won: practice levels won with it, and without; None without practice, where the policy is learned without it.
    """

    demonstration: int
    step: int | None
    row: int | None
    conditions: tuple[int, int]
    others: int
    won: tuple[SuccessRate, SuccessRate] | None = None

    @property
    def left_out(self) -> bool:
        """Whether the policy was learned without it."""
        return self.won is None

    @property
    def text(self) -> str:
        """The outlier in words.

        >>> Outlier(6, 0, 7, (9, 3), 19).text
        'row 7 looks like a slip: the rule for the other 19 rows has 3 conditions instead of 9. It was left out.'
        >>> rates = SuccessRate(90, 120), SuccessRate(120, 120)
        >>> Outlier(1, None, None, (12, 12), 8, rates).text
        'Since game 2 it wins fewer levels: 9 of 12 instead of 12. Look at it, or leave it out.'
        >>> Outlier(1, 3, None, (12, 5), 8, (rates[1], rates[1])).text
        'Without click 4 of game 2 the rule has 5 conditions instead of 12. Look at it, or leave it out.'
        """
        name = f"game {self.demonstration + 1}" if self.step is None else self._step_name
        long, short = self.conditions
        if self.won is None:
            what = f"the rule for the other {self.others} {'steps' if self.row is None else 'rows'} has {short}"
            return f"{name} looks like a slip: {what} conditions instead of {long}. It was left out."
        with_it, without = (round(12 * rate.won / rate.of) for rate in self.won)
        advice = "Look at it, or leave it out."
        if without > with_it:
            return f"Since {name} it wins fewer levels: {with_it} of 12 instead of {without}. {advice}"
        return f"Without {name} the rule has {short} conditions instead of {long}. {advice}"

    @property
    def _step_name(self) -> str:
        if self.row is not None:
            return f"row {self.row}"
        assert self.step is not None
        return f"click {self.step + 1} of game {self.demonstration + 1}"

    def to_json(self) -> dict[str, Any]:
        """Return the outlier as plain data."""
        found: dict[str, Any] = {name: getattr(self, name) for name in ("demonstration", "step", "row", "left_out")}
        won = None if self.won is None else [[rate.won, rate.of] for rate in self.won]
        return {**found, "conditions": list(self.conditions), "won": won, "text": self.text}


def without(shown: Demonstrations, places: Sequence[Place]) -> Demonstrations:
    """Return the demonstrations without some of them, or without some steps; empty ones are left out."""
    left = set(places)
    items = []
    for d, item in enumerate(shown):
        steps = tuple(step for s, step in enumerate(item.steps) if (d, s) not in left)
        if steps and (d, None) not in left:
            items.append(replace(item, steps=steps))
    return replace(shown, items=tuple(items))


# --- logs -------------------------------------------------------------------------------------------------------------


def suspected_slips(fitter: Fitter, fitted: Fitted) -> tuple[Outlier, ...]:
    """Return the rows of a log that look like slips, the clearest first."""
    shown, found = fitted.shown, fitted
    count, places = len(shown.steps), list[Place](place for place, _ in taken(shown))
    slips: list[Outlier] = []
    while len(places) >= MIN_ROWS and len(slips) < max(1, count // ROWS_PER_SLIP):
        if ROWS_PER_CONDITION * conditions_of(found) <= len(places):
            break
        left_out: list[Place] = [(slip.demonstration, slip.step) for slip in slips]
        suspects = _least_supported(found, shown, left_out)[:MAX_SUSPECTS]

        def fit_without(place: Place, found: Fitted = found, left_out: list[Place] = left_out) -> Fitted:
            return fitter.fit(found.hypothesis, without(shown, [*left_out, place]), QUICK)

        # A fit takes memory, so none is kept; the best one is made again.
        gains = [_gain(found, fit_without(place)) for place in suspects]
        third, best = sorted(gains)[-3:-2], max(range(len(gains)), key=gains.__getitem__, default=None)
        if best is None or not third or gains[best] < max(SLIP_EVIDENCE, STANDS_OUT * third[0]):
            break
        (d, s), part = suspects[best], fit_without(suspects[best])
        row = d + 1 if all(len(item.steps) == 1 for item in shown) else None
        lengths = conditions_of(found), conditions_of(part)
        if lengths[1] >= lengths[0]:
            break
        slips.append(Outlier(d, s, row, lengths, count - len(slips) - 1))
        found = part
        places.remove((d, s))
    return tuple(slips)


def _gain(whole: Fitted, part: Fitted) -> float:
    """Return how much more probable the best rule is without a row; a rule and its images count once."""
    if part.policy is None:
        return -math.inf
    best = [max(candidate.score for candidate in fitted.formulas) for fitted in (whole, part)]
    return (best[1] - best[0]) / len(closure(whole.hypothesis.symmetries))


def _least_supported(fitted: Fitted, shown: Demonstrations, left_out: Sequence[Place]) -> list[Place]:
    """Return the places of the steps, first those whose clause of the best rule allows the fewest other steps."""
    assert fitted.policy is not None
    policy = fitted.policy
    own = [(place, step) for place, step in taken(shown) if place not in left_out]
    mirrored = with_images(fitted.shown, fitted.hypothesis.symmetries)
    steps = [*(step for _, step in own), *(step for step in mirrored.steps if not step.refused)]
    alone = (Component(1.0, 0.0, 0.0, Formula((clause,))) for clause in policy.components[0].formula.clauses)
    by_clause = replace(policy, components=tuple(alone))
    rows, allowed = by_clause.allowed(list(dict.fromkeys(step.grid for step in steps)))
    labels = labels_of(rows, steps)
    covers = np.array([labels.shows(bits) for bits in allowed])
    support = (covers * covers.sum(axis=1)[:, None]).max(axis=0)[: len(own)]
    return [own[k][0] for k in np.argsort(support, kind="stable").tolist()]


def conditions_of(fitted: Fitted) -> int:
    """Return the number of conditions of the best rule."""
    assert fitted.policy is not None
    return _of_policy(fitted.policy, fitted)


def _of_policy(policy: Policy, fitted: Fitted) -> int:
    """Return the number of conditions of the printed rule; those of a clause count once for all its images."""
    facts = Facts(symmetries=fitted.hypothesis.symmetries)
    return sum(len(unit.clause) for unit in facts.folded(policy.components[0].formula.clauses, policy.language))


# --- worlds -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LeavingOut:
    """Fits and plays without some of the demonstrations.

    Attributes:
        fitter: fits hypotheses.
        scoring: plays the practice levels.
        fitted: the hypothesis that practice selected, fitted to all demonstrations.
        plausible: the most plausible hypothesis, with the demonstrations under its interpretation. All demonstrations
            together may have ruled it out.
    """

    fitter: Fitter
    scoring: Scoring
    fitted: Fitted
    plausible: tuple[Hypothesis, Demonstrations]

    def odd_one(self, policy: Policy, until: float) -> Outlier | None:
        """Return the demonstration or step without which practice is clearly better or the rule much shorter, or None.

        Nothing is left out if the rule is short and wins enough levels that no other can be clearly better.

        Args:
            policy: the policy that practice selected.
            until: time, by the monotonic clock, after which no fit is begun.
        """
        shown, before = self.fitted.shown, self._won(policy)
        conditions = min(conditions_of(self.fitted), _of_policy(policy, self.fitted))
        if len(shown) < 2 or before is None or (conditions <= LONG and before.won > (1 - BETTER) * before.of):
            return None
        found: list[tuple[float, Outlier]] = []
        for place, part in self._parts(until):
            assert part.policy is not None
            shorter = conditions_of(part)
            least = -AS_GOOD if shorter <= SHORTER * conditions else BETTER
            possible = before.won + least * before.of <= before.of
            after = self._won(flattened(part.policy)) if possible else None
            if after is not None and after.won - before.won >= least * before.of:
                merit = (after.won - before.won) / before.of + (conditions - shorter) / conditions
                others = len(part.shown.steps)
                found.append((merit, Outlier(*place, None, (conditions, shorter), others, (before, after))))
        return max(found, key=lambda item: item[0])[1] if found else None

    def _parts(self, until: float) -> Iterator[tuple[Place, Fitted]]:
        """Yield fits without one of the last demonstrations, or without a step that few others support."""
        shown = self.fitted.shown
        whole: list[Place] = [(d, None) for d in range(len(shown))]
        for place in whole[-MAX_DEMONSTRATIONS:] + _least_supported(self.fitted, shown, ())[:MAX_STEPS]:
            if time.monotonic() > until or self.scoring.out_of_time:
                return
            hypothesis, interpreted = self.plausible
            part = self.fitter.fit(hypothesis, without(interpreted, [place]), QUICK)
            if part.policy is None and hypothesis != self.fitted.hypothesis:
                part = self.fitter.fit(self.fitted.hypothesis, without(shown, [place]), QUICK)
            if part.policy is not None:
                yield place, part

    def _won(self, policy: Policy) -> SuccessRate | None:
        """Return the practice levels that a policy wins; None if time is over before all are played."""
        played = self.scoring.practice(policy)
        return played if isinstance(played, SuccessRate) and played.of == ALL_LEVELS else None
