"""Many demonstrations, a few at a time: what a rule does already without having been shown teaches it nothing more."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace
from itertools import islice

from shown.demonstrations import Demonstration, Demonstrations
from shown.games.game import Game
from shown.teaching.readings import AS_CLICKED, read
from shown.teaching.same import Effects
from shown.teaching.taught import Stage, Taught
from shown.teaching.teach import Pupil, does
from shown.world import World

AT_ONCE = 6
"""So many demonstrations are learned from to begin with, and so many more at a time."""


def iter_learn_many(
    pupil: Pupil, demonstrations: Demonstrations, at_once: int = AT_ONCE
) -> Generator[Stage, None, Taught]:
    """Has a pupil that was shown nothing yet learn from as few of the demonstrations as tell it all of them.

    It begins with what the pupil remembers not doing so, if it remembers anything, and the latest; of the others those
    are added that what was learned does not do, until it does all. Up to `at_once` demonstrations are taken together.

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
    part = _not_done(pupil.taught, demonstrations, waiting, pupil.game)[:at_once] if pupil.taught is not None else []
    latest = (item for item in reversed(waiting) if item not in part)
    part += reversed(list(islice(latest, at_once - len(part))))
    while True:
        taught = yield from pupil.iter_learn(replace(demonstrations, items=tuple(part)))
        waiting = [item for item in waiting if item not in part]
        part = _not_done(taught, demonstrations, waiting, pupil.game)[:at_once] if taught.learned else []
        if not part:
            break
    origin = {**(taught.policy.origin or {}), "demonstrations": _about(demonstrations)}
    pupil.taught = replace(taught, policy=replace(taught.policy, origin=origin))
    return pupil.taught


def _not_done(
    taught: Taught, demonstrations: Demonstrations, items: Sequence[Demonstration], game: Game | World | None
) -> list[Demonstration]:
    """Those in which something was shown that the policy does not do, as the teacher was understood."""
    reading = taught.hypothesis.reading if taught.hypothesis is not None else AS_CLICKED
    known = Effects(game) if isinstance(game, Game) else None
    alone = {item: replace(demonstrations, items=(item,)) for item in items}
    # Whoever clicks just what was clicked does it under any reading; only the others have to be read.
    suspects = [item for item in items if not does(taught.policy, alone[item])]
    return [item for item in suspects if not does(taught.policy, read(alone[item], reading, known))]


def _about(shown: Demonstrations) -> dict[str, object]:
    steps = len(shown.steps)
    levels = [item.level for item in shown]
    return {"digest": shown.digest, "count": len(shown), "steps": steps, "explained": steps, "levels": levels}
