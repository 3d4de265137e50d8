"""A control: how much of what `shown + practice` wins is due to practice alone?"""

from __future__ import annotations

from collections.abc import Sequence

from shown_evidence.analysis.statistics import GENERATED, games_among, mean_success, select
from shown_evidence.analysis.success_tables import Table, what_each_is_given
from shown_evidence.experiments.beyond import OURS, PLAYED
from shown_evidence.experiments.experiment import Experiment, Scale
from shown_evidence.results.row import Row
from shown_evidence.styles import EXPERT
from shown_evidence.trials.demonstrators import FIRST_CLICK, RANDOM_CLICK, STYLE
from shown_evidence.trials.level_sets import JUDGE
from shown_evidence.trials.methods import METHODS
from shown_evidence.trials.trial import Trial
from shown_evidence.wording import percent, title

SETS = 3
SHOWN = {RANDOM_CLICK: "a random click", FIRST_CLICK: "the expert's first click", f"{STYLE}{EXPERT}": "one whole game"}


class PracticeControls(Experiment):
    """A random click (nothing demonstrated), the expert's first click, or one whole game; three sets.

    Practice generates levels and uses who won. What it wins from a single click owes little to the demonstration. A
    search over linear policies plays as many games without any.
    """

    name = "controls"
    title = "Beyond the paper: what practice wins without a demonstration"
    question = "Does practice learn the game by itself?"
    methods = (*OURS, "search")
    scored_on = (PLAYED,)

    def trials(self, scale: Scale) -> list[Trial]:
        return [
            Trial(method, game, shown, kind, 0, scale.options(method), scale.levels(PLAYED))
            for method in scale.methods_of(self.methods)
            for game in scale.games_of(self.games)
            for kind in (SHOWN if method in OURS else (RANDOM_CLICK,))
            for number in range(scale.repeats(SETS, 1))
            for shown in (scale.shown_levels(JUDGE, number, 1),)
        ]

    def plots(self, rows: Sequence[Row]) -> list[Table]:
        columns = [(RANDOM_CLICK, "search"), *((kind, method) for kind in SHOWN for method in OURS)]
        heads = [f"{SHOWN[kind]}, {METHODS[method].label}" for kind, method in columns[1:]]
        lines = []
        for game in games_among(rows, self.games):
            parts = [select(rows, game=game, demonstrations=kind, method=method) for kind, method in columns]
            lines.append([title(game), *(percent(mean_success(part, GENERATED)) for part in parts)])
        caption = f"Generated levels won, mean over sets of one level. {what_each_is_given(self.methods)}"
        return [Table(("Game", METHODS["search"].label, *heads), lines, caption)]
