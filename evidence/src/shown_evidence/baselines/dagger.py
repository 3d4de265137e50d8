"""DAgger with the paper's CNN: it plays the demonstrated levels, and the expert labels every position it visits.

It therefore learns from more than the other methods: from the demonstrations and from the expert's answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shown.demonstrations import Demonstration, Demonstrations, Step
from shown.grid import Action, Grid
from shown.worlds import Game, Level, play_many
from shown_evidence.baselines import Imitator
from shown_evidence.baselines.network_policy import NetworkPolicy, largest_shape

ROUNDS = 5
"""Rounds of playing and learning from all answers so far."""


class Dagger(Imitator):
    """A network that learns from the expert's answers on its own games, on the demonstrated levels.

    >>> from shown.worlds import find
    >>> from shown_evidence.trials.demonstrators import demonstrations
    >>> nim = find("nim")
    >>> demos = demonstrations(nim, "train:0-1")
    >>> dagger = Dagger(nim, seed=0, options={"network": "cnn", "loss": "choice", "steps": 50}, rounds=1).fit(demos)
    >>> dagger.asked_ > 0
    True

    `options` are those of `NetworkPolicy`; `asked_` is the number of positions that the expert labeled.
    """

    def __init__(self, game: Game, seed: int, options: Mapping[str, Any], rounds: int = ROUNDS) -> None:
        self.game, self.seed, self.options, self.rounds = game, seed, options, rounds

    def fit(self, demos: Demonstrations) -> Dagger:
        levels = [Level(str(item.level), item.steps[0].grid) for item in demos]
        self.asked_, answers = 0, demos
        self.policy_ = self._fitted(demos)
        for number in range(self.rounds):
            games = play_many(self.game, self.policy_, levels, seed=number)
            labeled = [tuple(Step(step.grid, self.game.expert(step.grid)) for step in game.steps) for game in games]
            self.asked_ += sum(map(len, labeled))
            more = [Demonstration(steps, level.name) for steps, level in zip(labeled, levels, strict=True)]
            answers = answers + Demonstrations(demos.tokens, tuple(more), demos.game)
            self.policy_ = self._fitted(answers)
        return self

    def act_many(self, grids: Sequence[Grid]) -> Sequence[Action]:
        return self.policy_.act_many(grids)

    def describe(self) -> dict[str, Any]:
        return {**self.policy_.describe(), "asked": self.asked_}

    def _fitted(self, demos: Demonstrations) -> NetworkPolicy:
        return NetworkPolicy(shape=largest_shape(self.game), seed=self.seed, **self.options).fit(demos)


def learner(game: Game, seed: int, options: Mapping[str, Any]) -> Dagger:
    """Build DAgger with these options of its network."""
    return Dagger(game, seed, options)
