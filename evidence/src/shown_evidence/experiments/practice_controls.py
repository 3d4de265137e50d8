"""A control: how much of what `shown + practice` wins is due to practice alone?"""

from __future__ import annotations

from collections.abc import Sequence

from shown_evidence.analysis.statistics import GENERATED, games_among, mean_success, select
from shown_evidence.analysis.success_tables import Table
from shown_evidence.experiments.beyond import PLAYED, PRACTICE
from shown_evidence.experiments.experiment import Experiment, Scale
from shown_evidence.results.row import Row
from shown_evidence.trials.demonstrators import FIRST_CLICK
from shown_evidence.trials.level_sets import JUDGE
from shown_evidence.trials.trial import Trial
from shown_evidence.wording import percent, title

SETS = 3
SHOWN = {FIRST_CLICK: "its first click", "perfect": "one whole game"}


class PracticeControls(Experiment):
    """The expert's first click alone, or one whole game, with and without practice; three sets.

    Practice generates levels and uses who won. What it wins from a single click owes little to the demonstration.
    """

    name = "controls"
    title = "Beyond the paper: what practice wins without a demonstration"
    question = "Does practice learn the game by itself?"
    methods = ("shown",)
    scored_on = (PLAYED,)

    def trials(self, scale: Scale) -> list[Trial]:
        return [
            Trial(method, game, scale.shown_levels(JUDGE, number, 1), kind, 0, options, scale.levels(PLAYED))
            for method in scale.methods_of(self.methods)
            for game in scale.games_of(self.games)
            for kind in SHOWN
            for practice in PRACTICE
            for options in (scale.options(method, practise=practice),)
            for number in range(scale.repeats(SETS, 1))
        ]

    def plots(self, rows: Sequence[Row]) -> list[Table]:
        columns = [(kind, practice) for kind in SHOWN for practice in PRACTICE]
        return [
            Table(
                ("Game", *(f"{SHOWN[kind]}, {PRACTICE[practice]}" for kind, practice in columns)),
                [
                    [title(game), *self._cells(select(rows, game=game), columns)]
                    for game in games_among(rows, self.games)
                ],
                "Generated levels won, mean over sets of one level.",
            )
        ]

    def _cells(self, rows: Sequence[Row], columns: Sequence[tuple[str, bool]]) -> list[str]:
        parts = (select(rows, demonstrations=kind, practise=practice) for kind, practice in columns)
        return [percent(mean_success(part, GENERATED)) for part in parts]
