"""Practice: candidates play levels that the game makes, without any expert, and those that win are preferred.

This is more than imitation: the game's goal decides between rules that explain the demonstrations equally well. What
was shown stays explained: a variation that would not allow every action shown is never tried.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from shown.games.episodes import play_many
from shown.games.game import Game
from shown.games.levels import Level
from shown.policy import Component, Formula, Literal, Policy

ROUNDS = (12, 40, 120)
"""On so many levels candidates are compared; after each round only the better ones go on."""

GO_ON = 0.34
"""The share of the candidates that go on to the next round, and at least `FEW` of them."""
FEW = 6


class Ground:
    """Levels to practise on, made as they are needed, and what has been won on them.

    They are drawn from seeds that no `random:SEED` has, so that levels named so stay unseen.
    """

    def __init__(self, game: Game, seed: int = 0) -> None:
        self.game, self.seed = game, seed
        self._levels: list[Level] = []
        self._won: dict[tuple[Component, ...], list[bool]] = {}

    def levels(self, count: int) -> list[Level]:
        """The first `count` levels."""
        while len(self._levels) < count:
            i = len(self._levels)
            grid = self.game.generate(np.random.default_rng([self.seed, 0x9AC, i]))
            self._levels.append(Level(f"practice:{self.seed}:{i}", grid))
        return self._levels[:count]

    def won(self, policy: Policy, count: int) -> list[bool]:
        """Whether the policy wins each of the first `count` levels; what was played before is remembered."""
        known = self._won.setdefault(policy.components, [])
        if len(known) < count:
            new = self.levels(count)[len(known) :]
            known += [episode.won for episode in play_many(self.game, policy, new, self.seed)]
        return known[:count]

    def score(self, policy: Policy, count: int) -> float:
        """The share of the first `count` levels that the policy wins."""
        return sum(self.won(policy, count)) / count


@dataclass(frozen=True)
class Candidate:
    """A policy to be tried out, and where it came from.

    Attributes:
        policy: what plays.
        source: the place of the hypothesis it came from, 0 the most plausible; among equals the lower wins.
    """

    policy: Policy
    source: int = 0

    @property
    def size(self) -> int:
        """The number of literals of its best rule."""
        return len(self.policy.components[0].formula.literals)


def select(
    ground: Ground, candidates: Sequence[Candidate], rounds: Sequence[int] = ROUNDS, until: float = np.inf
) -> list[tuple[float, Candidate]]:
    """Candidates in order of what they win, the best first, with the share of levels won in the last round they were in.

    Ties go to the more plausible hypothesis, then to the shorter rule. Played until `until` (by the monotonic clock):
    a round that time does not allow is left out, but the first is always played.
    """
    left = list(candidates)
    ranked: list[tuple[float, Candidate]] = []
    for number, count in enumerate(rounds):
        scored: list[tuple[float, Candidate]] = []
        for candidate in left:
            if number and time.monotonic() > until:
                break
            scored.append((ground.score(candidate.policy, count), candidate))
        if len(scored) < len(left):
            break
        scored.sort(key=lambda item: (-item[0], item[1].source, item[1].size))
        stay = max(FEW, int(len(scored) * GO_ON))
        ranked = scored + [item for item in ranked if all(item[1] is not other for _, other in scored)]
        left = [candidate for _, candidate in scored[:stay]]
    return ranked
