"""DAgger with the paper's CNN: it plays what it was shown, and the expert says at every position what to do there.

The expert is asked again and again, so this learns from more than the other methods do: from what they are shown, and
from the expert's answers wherever its own play leads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shown.baselines.networks import NetworkPolicy, largest_shape
from shown.demonstrations import Demonstration, Demonstrations, Step
from shown.games.episodes import play_many
from shown.games.game import Game
from shown.games.levels import Level
from shown.grid import Cell, Grid

ROUNDS = 5
"""So often it plays and learns anew from all that the expert has said."""


class Dagger:
    """A network that learns from the expert's answers on its own games, on the levels that were shown.

    >>> from shown.experiments.teaching import demonstrations
    >>> from shown.games import find
    >>> nim = find("nim")
    >>> demos = demonstrations(nim, "train:0-1")
    >>> dagger = Dagger(nim, seed=0, options={"network": "cnn", "loss": "choice", "steps": 50}, rounds=1).fit(demos)
    >>> dagger.asked_ > 0
    True

    Attributes:
        options: of its network (see `NetworkPolicy`).
        rounds: how often it plays.
        asked_: of how many positions the expert was asked.
    """

    def __init__(
        self, game: Game, seed: int, options: Mapping[str, Any], rounds: int = ROUNDS, device: str = "cpu"
    ) -> None:
        self.game, self.seed, self.options, self.rounds, self.device = game, seed, options, rounds, device

    def fit(self, demos: Demonstrations) -> Dagger:
        levels = [Level(str(item.level), item.steps[0].grid) for item in demos]
        self.asked_, answers = 0, demos
        self.policy_ = self._fitted(demos)
        for round_ in range(self.rounds):
            games = play_many(self.game, self.policy_, levels, seed=round_)
            said = [tuple(Step(step.grid, self.game.expert(step.grid)) for step in game.steps) for game in games]
            self.asked_ += sum(map(len, said))
            more = [Demonstration(steps, level.name) for steps, level in zip(said, levels, strict=True)]
            answers = answers + Demonstrations(demos.tokens, tuple(more), demos.game)
            self.policy_ = self._fitted(answers)
        return self

    def act(self, grid: Grid) -> Cell:
        return self.policy_.act(grid)

    def act_many(self, grids: Sequence[Grid]) -> list[Cell]:
        return self.policy_.act_many(grids)

    def describe(self) -> dict[str, Any]:
        return {**self.policy_.describe(), "asked": self.asked_}

    def _fitted(self, demos: Demonstrations) -> NetworkPolicy:
        shape = largest_shape(self.game)
        return NetworkPolicy(shape=shape, seed=self.seed, device=self.device, **self.options).fit(demos)


def learner(game: Game, seed: int, options: Mapping[str, Any]) -> Dagger:
    """DAgger with these options of its network."""
    return Dagger(game, seed, options)
