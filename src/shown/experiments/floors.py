"""What those win who know nothing: the floors under every figure. Who wins no more has learned nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shown.experiments.beyond import PLAYED
from shown.experiments.claims import Finding
from shown.experiments.experiment import Experiment, Reading, Scale, Table
from shown.experiments.rows import Row
from shown.experiments.statistics import FLOORS, GENERATED, TEST, has_standard_options, mean_success, select
from shown.experiments.trials import METHODS, Trial
from shown.experiments.words import percent, title

TIMES = 20
LEVELS = "train:0"
"""What is shown to them does not matter."""


class Floors(Experiment):
    """Any cell at random, or any whose click changes something, twenty times over on the levels of every experiment."""

    name = "floors"
    title = "What is won by knowing nothing"
    question = "How many levels does one win who clicks at random?"
    methods = FLOORS

    def trials(self, scale: Scale) -> list[Trial]:
        played = dict.fromkeys((scale.test, scale.levels(PLAYED)))
        return [
            Trial(method, game, LEVELS, "perfect", seed, {}, test)
            for method in scale.methods_of(self.methods)
            for game in scale.games_of(self.games)
            for test in played
            for seed in range(scale.repeats(TIMES, 3))
        ]

    def belongs(self, settings: Mapping[str, Any]) -> bool:
        return settings["method"] in FLOORS and settings["game"] in self.games and self.includes(settings)

    def includes(self, settings: Mapping[str, Any]) -> bool:
        return bool(settings["levels"] == LEVELS and has_standard_options(settings))

    def plots(self, rows: Sequence[Row]) -> list[Table]:
        return [
            Table(
                ("Game", *(f"{METHODS[method].label}: {levels}" for method in FLOORS for levels in _LEVELS)),
                [_line(game, select(rows, game=game)) for game in self.games],
                "Levels won, mean of all times played.",
            )
        ]

    def text(self, rows: Sequence[Row]) -> list[str]:
        return []

    def findings(self, rows: Sequence[Row]) -> dict[str, Finding]:
        """The paper says nothing of this."""
        return {}

    def read(self, rows: Sequence[Row]) -> Reading:
        return Reading(self.plots(rows) if rows else [], [], [])


EXPERIMENT = Floors()

_LEVELS = {"test levels": TEST, "generated levels": GENERATED}


def _line(game: str, rows: Sequence[Row]) -> list[str]:
    of_both = (select(rows, method=method) for method in FLOORS)
    return [title(game), *(percent(mean_success(mine, kind)) for mine in of_both for kind in _LEVELS.values())]
