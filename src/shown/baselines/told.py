"""LPP that also tells what it has learned and shows how it plays, for the pictures of the report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from shown.baselines.lpp import LppPolicy
from shown.games.episodes import play, play_many
from shown.games.game import Game
from shown.games.levels import load_levels
from shown.inference.learner import Learner

LEVELS = "test:0-8"
"""Where it plays; the first game is told move by move."""


class Told(LppPolicy):
    """LPP as published, whose account of itself has its rule in words, a game, and how many moves its games take.

    >>> from shown.experiments.teaching import demonstrations
    >>> from shown.games import find
    >>> nim = find("nim")
    >>> told = Told(nim, Learner(programs=300)).fit(demonstrations(nim, "train:0-3")).describe()
    >>> len(told["moves"]) == len(told["expert_moves"]) == 9, told["game"][0].keys()
    (True, dict_keys(['grid', 'action']))
    """

    def __init__(self, game: Game, learner: Learner) -> None:
        super().__init__(learner)
        self.game = game

    def describe(self) -> dict[str, Any]:
        levels = load_levels(self.game, LEVELS)
        games = play_many(self.game, self, levels)
        experts = [play(self.game, self.game.expert, level) for level in levels]
        return {
            **super().describe(),
            "rule": self.policy_.english(),
            "game": [{"grid": step.grid.text, "action": list(step.action)} for step in games[0].steps],
            "moves": [len(game.steps) if game.won else None for game in games],
            "expert_moves": [len(game.steps) for game in experts],
        }


def learner(game: Game, seed: int, options: Mapping[str, Any]) -> Told:
    """LPP as published, with these options."""
    return Told(game, replace(Learner.published(), seed=seed, threads=1, **options))
