"""Outliers: rows of a log without a world that only extra conditions explain, and that look like slips.

The rows that share their clause with the fewest others are left out in turn. If the posterior gains much, and far more
than by leaving out most others, the row is left out for good.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from shown.columns.rows import labels_of
from shown.components import Component
from shown.demonstrations import Demonstrations
from shown.inference.failure import taken
from shown.rules import Formula
from shown.symmetry import closure
from shown.teaching.interpretation.fitter import QUICK, Fitted, Fitter

MIN_ROWS = 8  # with fewer rows no slip is suspected
ROWS_PER_CONDITION = 5  # nor if the rule has at most one condition for this many rows
MAX_SUSPECTS = 12  # rows that are left out in turn, before each slip
ROWS_PER_SLIP = 10  # at most one row in this many is left out
SLIP_EVIDENCE = 13.0  # gain of the log posterior from which on a row is a suspected slip: about two conditions
STANDS_OUT = 1.5  # its gain is at least this many times that of all other rows but one


@dataclass(frozen=True, slots=True)
class Outlier:
    """A row that looks like a slip and was left out.

    Attributes:
        place: indices of its demonstration and of its step in it.
        row: its number in the log, from 1.
        conditions: number of conditions of the rule with it, and without.
        others: number of the other rows.
    """

    place: tuple[int, int]
    row: int
    conditions: tuple[int, int]
    others: int

    @property
    def text(self) -> str:
        """The outlier in words.

        >>> Outlier((6, 0), 7, (9, 3), 19).text
        'row 7 looks like a slip: the rule for the other 19 rows has 3 conditions instead of 9. It was left out.'
        """
        (long, short), rest = self.conditions, f"the rule for the other {self.others} rows"
        return f"row {self.row} looks like a slip: {rest} has {short} conditions instead of {long}. It was left out."


def without(shown: Demonstrations, places: Collection[tuple[int, int]]) -> Demonstrations:
    """Return the demonstrations without some of their steps; empty ones are left out."""
    kept = [tuple(x for s, x in enumerate(item.steps) if (d, s) not in places) for d, item in enumerate(shown)]
    items = (replace(item, steps=steps) for item, steps in zip(shown, kept, strict=True) if steps)
    return replace(shown, items=tuple(items))


def suspected_slips(fitter: Fitter, fitted: Fitted) -> tuple[Outlier, ...]:
    """Return the rows of a log that look like slips, the clearest first."""
    shown, slips = fitted.shown, list[Outlier]()
    places = [place for place, _ in taken(shown)]
    while len(slips) < max(1, len(places) // ROWS_PER_SLIP):
        rows, left_out = len(places) - len(slips), [slip.place for slip in slips]
        if rows < MIN_ROWS or rows >= ROWS_PER_CONDITION * fitted.conditions:
            break
        # A fit takes memory, so none is kept; the best one is made again.
        suspects = [place for place in _least_supported(fitted, shown) if place not in left_out][:MAX_SUSPECTS]
        parts = (fitter.fit(fitted.hypothesis, without(shown, [*left_out, place]), QUICK) for place in suspects)
        images = len(closure(fitted.hypothesis.symmetries))  # a rule and its images count once
        gains = [(part.score - fitted.score) / images for part in parts]
        if max(gains) < max(SLIP_EVIDENCE, STANDS_OUT * sorted(gains)[-3]):
            break
        clearest = suspects[int(np.argmax(gains))]
        part = fitter.fit(fitted.hypothesis, without(shown, [*left_out, clearest]), QUICK)
        if part.conditions >= fitted.conditions:
            break
        lengths = fitted.conditions, part.conditions
        slips.append(Outlier(clearest, places.index(clearest) + 1, lengths, rows - 1))
        fitted = part
    return tuple(slips)


def _least_supported(fitted: Fitted, shown: Demonstrations) -> list[tuple[int, int]]:
    """Return the places of the rows, first those whose clause of the best rule allows the fewest other rows."""
    assert fitted.policy is not None
    clauses = fitted.policy.components[0].formula.clauses
    alone = tuple(Component(1.0, 0.0, 0.0, Formula((clause,))) for clause in clauses)
    places, steps = zip(*taken(shown), strict=True)
    rows, allowed = replace(fitted.policy, components=alone).allowed(list(dict.fromkeys(step.grid for step in steps)))
    labels = labels_of(rows, steps)
    covers = np.array([labels.shows(bits) for bits in allowed])
    support = (covers * covers.sum(axis=1)[:, None]).max(axis=0)
    return [places[k] for k in np.argsort(support, kind="stable").tolist()]
