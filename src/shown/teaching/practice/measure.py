"""The measure of an episode in practice: whether it is won or, where nothing can be won, its return."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from statistics import fmean

from shown.demonstrations import Demonstration, Demonstrations
from shown.provenance import MeanReturn, Score, SuccessRate
from shown.worlds import Playable, World
from shown.worlds.games.floors import random_returns
from shown.worlds.world import seed_of

RANDOM_EPISODES = 12  # episodes of random play, whose mean return is worth 0
MEASURE_SHARE = 0.1  # share of the time after which no further demonstration or random episode is played


@dataclass(frozen=True, slots=True)
class Measure:
    """What an episode is worth: 1 if it is won and 0 if not, or its return on a scale.

    On that scale, random play has 0 and the demonstrations have 1, so that all shares of won levels in practice have a
    meaning for returns as well.

    >>> Measure(random=2.0, demonstrations=12.0).worth(7.0)
    0.5
    >>> Measure().worth(1.0)
    1.0

    Attributes:
        random: mean return of random play.
        demonstrations: mean return of the demonstrations; None if episodes can be won.
        horizon: number of steps after which an episode ends, if it goes on.
        length: mean number of steps of a demonstration, by return.
        seconds: time that the world takes for an episode of random play.
    """

    random: float = 0.0
    demonstrations: float | None = None
    horizon: float = math.inf
    length: float = 1.0
    seconds: float = field(default=0.0, compare=False)

    @property
    def by_return(self) -> bool:
        """Whether returns count."""
        return self.demonstrations is not None

    def worth(self, result: float) -> float:
        """Return what an episode is worth with this return, or with 1 if it is won and 0 if not."""
        return result if self.demonstrations is None else 1 + (result - self.demonstrations) / self._scale

    def mean_return(self, worth: float) -> float | None:
        """Return the return that is worth this much; None if episodes can be won."""
        return None if self.demonstrations is None else self.demonstrations + (worth - 1) * self._scale

    def score(self, results: Sequence[float]) -> Score | None:
        """Return the results of some episodes together; None if there are none."""
        if not results:
            return None
        if self.demonstrations is None:
            return SuccessRate(int(sum(results)), len(results))
        return MeanReturn.of_episodes(results, self.random, self.demonstrations)

    @property
    def _scale(self) -> float:
        assert self.demonstrations is not None
        better = self.demonstrations - self.random
        return better if better > 0 else abs(self.demonstrations) or 1.0


WINNING = Measure()
"""The measure where episodes can be won."""


def measure_of(world: Playable, demonstrations: Demonstrations, seed: int, seconds: float) -> Measure:
    """Return the measure for a world: by return if no demonstration counts as won and they collected rewards.

    The demonstrations are played again for their rewards. If one was stopped before its end, the longest such one is
    the horizon; else episodes end where the world ends them.

    Args:
        world: the world that was demonstrated.
        demonstrations: the demonstrations.
        seed: seed of random play.
        seconds: time to practice; a small share of it is spent here, but at least two episodes are played.
    """
    if world.rules is not None or len(demonstrations.won):
        return WINNING
    until = time.monotonic() + MEASURE_SHARE * seconds / 2
    returns: list[float] = []
    for item in demonstrations:
        found = _return_of(item, world) if not returns or time.monotonic() < until else None
        returns += [] if found is None else [found]
    if not any(returns):
        return WINNING
    stopped = [len(item.steps) for item in demonstrations if item.outcome == "unfinished"]
    horizon = max(stopped) if stopped else None
    begun = time.monotonic()
    starts = [world.practice_start(number, seed) for number in range(RANDOM_EPISODES)]
    playing = random_returns(starts, seed, horizon)
    random = list(islice(playing, 1))
    while time.monotonic() < begun + MEASURE_SHARE * seconds / 2 and (more := list(islice(playing, 1))):
        random += more
    length = fmean(len(item.steps) for item in demonstrations)
    pace = max(time.monotonic() - begun, 1e-9) / len(random)
    return Measure(fmean(random), fmean(returns), horizon or math.inf, length, pace)


def _return_of(shown: Demonstration, world: Playable) -> float | None:
    """Return the sum of the rewards of a demonstration, played again; None if it cannot be repeated."""
    seed = seed_of(shown.level) if shown.seed is None else shown.seed
    if seed is None or any(step.refused for step in shown.steps):
        return None
    place: World = world.world_at(seed)
    grid, total = place.reset(seed), 0.0
    for step in shown.steps:
        if grid != step.grid:
            return None
        outcome = place.step(step.action)
        grid, total = outcome.grid, total + outcome.reward
    return total
