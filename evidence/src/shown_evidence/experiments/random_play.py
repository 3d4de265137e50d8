"""Random play: the floor below every method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shown_evidence.analysis.statistics import FLOORS, GENERATED, TEST, mean_success, select
from shown_evidence.analysis.success_tables import LEVELS as LEVEL_NAMES
from shown_evidence.analysis.success_tables import Table
from shown_evidence.experiments.beyond import PLAYED
from shown_evidence.experiments.experiment import Experiment, Presentation, Scale
from shown_evidence.results.row import Row
from shown_evidence.trials.methods import METHODS
from shown_evidence.trials.trial import Trial
from shown_evidence.wording import percent, title

REPETITIONS = 20
LEVELS = "train:0"  # demonstrated, without effect


class RandomPlay(Experiment):
    """Random cells, or random cells whose click changes something, twenty times on the levels of every experiment."""

    name = "floors"
    title = "Random play"
    question = "How many levels does random clicking win?"
    methods = FLOORS

    def trials(self, scale: Scale) -> list[Trial]:
        return [
            Trial(method, game, LEVELS, "perfect", seed, {}, test)
            for method in scale.methods_of(self.methods)
            for game in scale.games_of(self.games)
            for test in dict.fromkeys((scale.test, scale.levels(PLAYED)))
            for seed in range(scale.repeats(REPETITIONS, 3))
        ]

    def belongs(self, settings: Mapping[str, Any]) -> bool:
        return settings["method"] in FLOORS and settings["game"] in self.games and self.includes(settings)

    def plots(self, rows: Sequence[Row]) -> list[Table]:
        cells = [(method, kind) for method in FLOORS for kind in (TEST, GENERATED)]
        lines = [
            [title(game), *(percent(mean_success(select(rows, game=game, method=m), kind)) for m, kind in cells)]
            for game in self.games
        ]
        head = ("Game", *(f"{METHODS[method].label}: {LEVEL_NAMES[kind]}" for method, kind in cells))
        return [Table(head, lines, "Levels won, mean of all repetitions.")]

    def present(self, rows: Sequence[Row]) -> Presentation:
        return Presentation(self.plots(rows) if rows else [], [], [])
