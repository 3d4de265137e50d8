"""DAgger with the paper's CNN: it plays the demonstrated levels, and the expert labels every position it visits.

It therefore learns from more than the other methods: from the demonstrations and from the expert's answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shown.demonstrations import Demonstration, Demonstrations, Step
from shown.worlds import Game, Level, play_many
from shown_evidence.baselines.network_policy import NetworkPolicy, largest_shape

ROUNDS = 5
"""Rounds of playing and learning from all answers so far."""


class Dagger(NetworkPolicy):
    """A network that learns from the expert's answers on its own games, on the demonstrated levels.

    >>> from shown.worlds import find
    >>> from shown_evidence.trials.demonstrators import demonstrations
    >>> nim = find("nim")
    >>> dagger = Dagger(nim, rounds=1, network="cnn", loss="choice", steps=50)
    >>> dagger.fit(demonstrations(nim, "train:0-1")).asked_ > 0
    True

    `options` are those of `NetworkPolicy`; `asked_` is the number of positions that the expert labeled.
    """

    def __init__(self, game: Game, rounds: int = ROUNDS, **options: Any) -> None:
        super().__init__(shape=largest_shape(game), **options)
        self.game, self.rounds = game, rounds

    def fit(self, demos: Demonstrations) -> Dagger:
        levels = [Level(str(item.level), item.steps[0].grid) for item in demos]
        self.asked_, answers = 0, demos
        super().fit(demos)
        for number in range(self.rounds):
            games = play_many(self.game, self, levels, seed=number)
            labeled = [tuple(Step(step.grid, self.game.expert(step.grid)) for step in game.steps) for game in games]
            self.asked_ += sum(map(len, labeled))
            more = [Demonstration(steps, level.name) for steps, level in zip(labeled, levels, strict=True)]
            answers = answers + Demonstrations(demos.tokens, tuple(more), demos.game)
            super().fit(answers)
        return self

    def describe(self) -> dict[str, Any]:
        return {**super().describe(), "asked": self.asked_}


def learner(game: Game, seed: int, options: Mapping[str, Any]) -> Dagger:
    """Build DAgger with these options of its network."""
    return Dagger(game, seed=seed, **options)
