"""Many demonstrations, learned a few at a time: those that the rule explains already add nothing."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable, Iterator
from dataclasses import replace
from itertools import islice

from shown.demonstrations import Demonstration, Demonstrations
from shown.policy import Policy
from shown.provenance import DemonstrationsRecord, Provenance
from shown.teaching.interpretation.equivalence import effects_of
from shown.teaching.interpretation.fitter import Fitter
from shown.teaching.interpretation.hypotheses import Hypothesis
from shown.teaching.interpretation.interpretations import EXACT_CLICKS, interpret
from shown.teaching.result import Taught, TeachingPhase, TeachingProgress
from shown.teaching.teach import Pupil, does

BATCH = 6  # demonstrations learned from at first, and added at a time
FIRST_STEPS = 24  # the first rule is fitted to about this many steps, which takes some tenths of a second


class SelectivePupil:
    """A pupil that learns from as few of many demonstrations as lead to a policy that does them all.

    The first batch has the demonstrations that a remembered policy does not do, and the latest ones. Then those that
    the current policy does not do are added, one batch at a time. Without a remembered policy, a first rule is fitted
    at once to a few steps. Later calls go on from there.

    >>> from shown.worlds import demonstrate, find, load_levels
    >>> nim = find("nim")
    >>> selective = SelectivePupil(Pupil(nim, programs=2000), batch=2)
    >>> for progress in selective.iter_learn(demonstrate(nim, load_levels(nim, "train:0-9"))):
    ...     pass
    >>> sorted(selective.used), selective.pupil.taught.practice
    ([8, 9], (120, 120))

    Args:
        pupil: learns from what is selected; it has no demonstrations yet.
        batch: demonstrations learned from at first, and added at a time.

    Attributes:
        shown: all demonstrations so far; None before the first.
        used: numbers of those that were learned from.
    """

    def __init__(self, pupil: Pupil, batch: int = BATCH) -> None:
        self.pupil, self.batch = pupil, batch
        self.shown: Demonstrations | None = None
        self.used: set[int] = set()

    def remember(self, before: Policy, shown: Demonstrations, used: Iterable[int]) -> None:
        """Start from a policy that another pupil learned from those of the demonstrations that it `used`."""
        self.used = set(used)
        self.shown = shown if self.used else None
        self.pupil.remember(before, shown.select(sorted(self.used)))

    def extended_by(self, demonstrations: Demonstrations) -> bool:
        """Return whether the demonstrations begin with all of those so far."""
        shown = self.shown
        return shown is None or demonstrations.items[: len(shown)] == shown.items

    def iter_learn(self, demonstrations: Demonstrations) -> Generator[TeachingProgress, None, Taught]:
        """Learn, yielding progress. The demonstrations extend those of the last call."""
        known = len(self.shown) if self.shown is not None and self.used else 0
        self.shown = demonstrations
        part = self._first_batch(demonstrations, known)
        if self.pupil.taught is None:
            yield from _first_rule(self.pupil, demonstrations.select(sorted(self.used.union(part))))
        while True:
            self.used.update(part)
            taught = yield from self.pupil.iter_learn(demonstrations.select(part))
            rest = self._not_done(taught, demonstrations) if taught.learned else iter(())
            part = list(islice(rest, self.batch))
            if not part:
                break
        policy, facts = taught.policy, taught.policy.facts
        provenance = replace(policy.provenance, demonstrations=DemonstrationsRecord.of(demonstrations))
        policy = replace(policy, provenance=provenance).taught_by(demonstrations, facts.symmetries, facts.pieces)
        self.pupil.taught = replace(taught, policy=policy)
        return self.pupil.taught

    def _first_batch(self, demonstrations: Demonstrations, known: int) -> list[int]:
        """Return the numbers of the demonstrations to add first; those after the `known` ones are new."""
        waiting = [i for i in range(len(demonstrations)) if i not in self.used]
        if len(waiting) <= self.batch:
            return waiting
        taught = self.pupil.taught
        rest = self._not_done(taught, demonstrations) if taught is not None and taught.learned else iter(())
        part = list(islice(rest, self.batch))
        latest = (i for i in reversed(waiting) if i >= known and i not in part)
        return part + sorted(islice(latest, self.batch - len(part)))

    def _not_done(self, taught: Taught, demonstrations: Demonstrations) -> Iterator[int]:
        """Yield the unused demonstrations that the policy does not do under its interpretation."""
        interpretation = taught.hypothesis.interpretation if taught.hypothesis is not None else EXACT_CLICKS
        effects = effects_of(self.pupil.task.world)
        for i in range(len(demonstrations)):
            alone = demonstrations.select([i])
            # A policy that repeats the exact clicks does them under any interpretation; others are interpreted.
            if i in self.used or does(taught.policy, alone):
                continue
            if not does(taught.policy, interpret(alone, interpretation, effects)):
                yield i


def _first_rule(pupil: Pupil, demonstrations: Demonstrations) -> Iterator[TeachingProgress]:
    """Fit the exact clicks of a few steps, under the same constraints."""
    start, steps = time.monotonic(), 0
    few: list[Demonstration] = []
    for item in reversed(demonstrations.items):
        steps += len(item.steps)
        if few and steps > FIRST_STEPS:
            break
        few.insert(0, replace(item, steps=item.steps[:FIRST_STEPS]))
    shown = replace(demonstrations, items=tuple(few))
    hypothesis = Hypothesis(EXACT_CLICKS)
    found = Fitter(replace(pupil.task, demonstrations=shown), pupil.resources).fit(hypothesis, shown).policy
    if found is not None:
        best = replace(found, provenance=Provenance(demonstrations=DemonstrationsRecord.of(shown)))
        yield TeachingProgress(TeachingPhase.FITTING, best, None, time.monotonic() - start, hypothesis)
