"""What `shown` does in a world that is no game: the method called "shown-world"."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from shown.baselines.taught import TaughtPolicy
from shown.demonstrations import Demonstrations
from shown.teaching.teach import teach
from shown.world import World


class TaughtWorld(TaughtPolicy):
    """Learns in the words of one language. Practice is bounded by its rounds alone; without rounds there is none."""

    def __init__(self, world: World, seed: int, language: str, programs: int, rounds: int) -> None:
        self.world, self.seed, self.language, self.programs, self.rounds = world, seed, language, programs, rounds

    def fit(self, demos: Demonstrations) -> TaughtWorld:
        self.taught_ = teach(
            demos,
            self.world,
            language=self.language,
            programs=self.programs,
            practise=math.inf if self.rounds else 0.0,
            rounds=self.rounds,
            seed=self.seed,
            threads=1,
        )
        self.policy_ = self.taught_.policy
        return self


def learner(world: World, seed: int, options: Mapping[str, Any]) -> TaughtWorld:
    """A learner with these options: the name of a `language`, `programs`, and the `rounds` of practice."""
    return TaughtWorld(world, seed, options["language"], options["programs"], options["rounds"])
