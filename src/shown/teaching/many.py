"""Many demonstrations, a few at a time: what a rule does already without having been shown teaches it nothing more."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from shown.demonstrations import Demonstration, Demonstrations
from shown.games.game import Game
from shown.teaching.hypotheses import Fitter, Hypothesis
from shown.teaching.readings import AS_CLICKED, read
from shown.teaching.same import Effects
from shown.teaching.taught import Stage, Taught
from shown.teaching.teach import Pupil, does
from shown.world import World

AT_ONCE = 6
"""So many demonstrations are learned from to begin with, and so many more at a time."""

AT_A_GLANCE = 24
"""So many steps of the latest demonstrations are looked at for a first rule, which then is there in a second."""


def iter_learn_many(
    pupil: Pupil, demonstrations: Demonstrations, at_once: int = AT_ONCE
) -> Generator[Stage, None, Taught]:
    """Has a pupil that was shown nothing yet learn from as few of the demonstrations as tell it all of them.

    It begins with what the pupil remembers not doing so, if it remembers anything, and the latest; of the others those
    are added that what was learned does not do, until it does all. Up to `at_once` demonstrations are taken together.
    Where nothing was learned before, a first rule is told at once, from the latest alone.

    >>> from shown.games import demonstrate, find, load_levels
    >>> nim = find("nim")
    >>> pupil = Pupil(nim, programs=2000)
    >>> stages = iter_learn_many(pupil, demonstrate(nim, load_levels(nim, "train:0-9")), at_once=2)
    >>> for stage in stages:
    ...     pass
    >>> len(pupil.demonstrations), pupil.taught.practice
    (2, (120, 120))
    """
    if len(demonstrations) <= at_once:
        return (yield from pupil.iter_learn(demonstrations))
    waiting = list(demonstrations.items)
    part: list[Demonstration] = []
    if pupil.taught is not None:
        part = list(islice(_not_done(pupil.taught, demonstrations, waiting, pupil.game), at_once))
    latest = (item for item in reversed(waiting) if item not in part)
    part += reversed(list(islice(latest, at_once - len(part))))
    if pupil.taught is None:
        yield from _at_a_glance(pupil, replace(demonstrations, items=tuple(part)))
    while True:
        taught = yield from pupil.iter_learn(replace(demonstrations, items=tuple(part)))
        waiting = [item for item in waiting if item not in part]
        rest = _not_done(taught, demonstrations, waiting, pupil.game) if taught.learned else iter(())
        part = list(islice(rest, at_once))
        if not part:
            break
    origin = {**(taught.policy.origin or {}), "demonstrations": _about(demonstrations)}
    pupil.taught = replace(taught, policy=replace(taught.policy, origin=origin))
    return pupil.taught


def _at_a_glance(pupil: Pupil, demonstrations: Demonstrations) -> Iterator[Stage]:
    """The rule that a few steps lead to, read as they were clicked, if any does; nothing else is tried."""
    start, steps = time.monotonic(), 0
    few: list[Demonstration] = []
    for item in reversed(demonstrations.items):
        steps += len(item.steps)
        if few and steps > AT_A_GLANCE:
            break
        few.insert(0, item)
    shown = replace(demonstrations, items=tuple(few))
    fitter = Fitter(
        shown, pupil.programs, pupil.seed, pupil.threads, pupil.language, memory_limit=pupil.memory_limit,
        device=pupil.device,
    )  # fmt: skip
    found = fitter.fit(Hypothesis(AS_CLICKED), shown).policy
    if found is not None:
        best = replace(found, origin={"demonstrations": _about(shown)})
        yield Stage("understanding", "at a glance", best, None, time.monotonic() - start)


def _not_done(
    taught: Taught, demonstrations: Demonstrations, items: Sequence[Demonstration], game: Game | World | None
) -> Iterator[Demonstration]:
    """Those in which something was shown that the policy does not do, as the teacher was understood."""
    reading = taught.hypothesis.reading if taught.hypothesis is not None else AS_CLICKED
    known = Effects(game) if isinstance(game, Game) else None
    for item in items:
        alone = replace(demonstrations, items=(item,))
        # Whoever clicks just what was clicked does it under any reading; only the others have to be read.
        if not does(taught.policy, alone) and not does(taught.policy, read(alone, reading, known)):
            yield item


def _about(shown: Demonstrations) -> dict[str, object]:
    steps = len(shown.steps)
    levels = [item.level for item in shown]
    return {"digest": shown.digest, "count": len(shown), "steps": steps, "explained": steps, "levels": levels}
