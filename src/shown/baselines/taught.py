"""What `shown` itself does by default, behind the experiments' interface: the method called "shown"."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from shown.baselines.lpp import MixturePolicy
from shown.demonstrations import Demonstrations
from shown.games.game import Game
from shown.teaching.teach import Taught, teach

ROUNDS = 60
"""So many rounds of practice at most. A user's twenty seconds are enough for about 20 in Chase and 100 in Stop the
Fall."""


class TaughtPolicy(MixturePolicy):
    """Learns by all that is known about the game: readings, symmetries and, if wanted, practice.

    Practice is bounded by its rounds alone, not by time, so that a trial gives the same on every machine.
    """

    def __init__(self, game: Game, seed: int, programs: int, practise: bool) -> None:
        self.game, self.seed, self.programs, self.practise = game, seed, programs, practise

    def fit(self, demos: Demonstrations) -> TaughtPolicy:
        self.taught_: Taught = teach(
            demos,
            self.game,
            programs=self.programs,
            practise=math.inf if self.practise else 0.0,
            rounds=ROUNDS,
            seed=self.seed,
            threads=1,
        )
        self.policy_ = self.taught_.policy
        return self

    def describe(self) -> dict[str, Any]:
        taught = self.taught_
        told: dict[str, Any] = {"read_as": taught.hypothesis.name if taught.hypothesis else None}
        if taught.expectation is not None:
            told["expected"] = round(taught.expectation.share, 4)
        return {**super().describe(), **told}


def learner(game: Game, seed: int, options: Mapping[str, Any]) -> TaughtPolicy:
    """A learner with these options: `programs`, and whether to `practise` on levels the game generates."""
    return TaughtPolicy(game, seed, options["programs"], options["practise"])
