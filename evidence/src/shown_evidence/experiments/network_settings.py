"""A search over settings of the networks, on levels reserved for choosing."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from shown.worlds import GAMES
from shown_evidence.analysis.statistics import GENERATED, mean_over_games, never_learned, select
from shown_evidence.analysis.success_tables import Table, what_each_is_given
from shown_evidence.experiments.experiment import Design, Experiment
from shown_evidence.results.row import Row
from shown_evidence.trials.level_sets import CHOOSE
from shown_evidence.trials.methods import METHODS
from shown_evidence.wording import percent

SIZE, SETS = 5, 3  # demonstrations of a set, and sets

SHORT = {"enough": 0.01, "patience": 1000, "steps": 5000}  # as by default
LONG = {"enough": 0.001, "patience": 3000, "steps": 10_000}
SETTINGS: tuple[Mapping[str, Any], ...] = tuple(
    {"loss": loss, "rate": rate, **length}
    for length in (SHORT, LONG)
    for loss in ("cells", "choice")
    for rate in (0.003, 0.001, 0.01)
)

TUNED = {"fcn-tuned": "fcn-mirrored", "cnn-tuned": "cnn-mirrored"}
"""The methods that have the chosen settings, and those that tried them."""


class NetworkSettings(Experiment):
    """Success of the networks with each setting."""

    designs = (
        Design(
            tuple(TUNED.values()),
            (SIZE,),
            SETS,
            CHOOSE.shown_levels,
            options=SETTINGS,
            played=(CHOOSE.played_levels(100),),
        ),
    )

    def exhibits(self, rows: Sequence[Row]) -> list[Table]:
        lines = [[*map(str, own.values()), *(_cell(rows, method, own) for method in self.methods)] for own in SETTINGS]
        caption = f"{self.captions[0]} {what_each_is_given(self.methods)}"
        head = (*map(str.capitalize, SETTINGS[0]), *(METHODS[method].label for method in self.methods))
        return [Table(head, lines, caption)]

    def text(self, rows: Sequence[Row]) -> list[str]:
        return [
            f"{len(SETTINGS)} settings tried. Chosen for {METHODS[name].label}: "
            f"{', '.join(f'{option} {value}' for option, value in choice.items())}."
            for name in TUNED
            if (choice := chosen(rows, name)) is not None
        ]


def chosen(rows: Sequence[Row], tuned: str) -> Mapping[str, Any] | None:
    """Return the setting with the highest mean success for a tuned network, the first of equal ones, or None.

    Only settings with all their results count.
    """
    means = [_mean(rows, TUNED[tuned], own) for own in SETTINGS]
    whole = [i for i, mean in enumerate(means) if not math.isnan(mean)]
    return SETTINGS[max(whole, key=lambda i: means[i])] if whole else None


def _mean(rows: Sequence[Row], method: str, own: Mapping[str, Any]) -> float:
    """Return the mean success of a setting; NaN unless it has results of all games and sets."""
    mine = select(rows, method=method, **own)
    whole = len(mine) == len(GAMES) * SETS
    return mean_over_games(mine, GENERATED) if whole else math.nan


def _cell(rows: Sequence[Row], method: str, own: Mapping[str, Any]) -> str:
    dead = sum(map(never_learned, select(rows, method=method, **own)))
    return percent(_mean(rows, method, own)) + (f" ({dead})" if dead else "")
