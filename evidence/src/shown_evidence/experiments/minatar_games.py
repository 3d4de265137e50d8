"""Games of MinAtar: the return of a policy learned from one and five demonstrations by a scripted expert."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from shown_evidence.analysis.statistics import measured, of_size, select
from shown_evidence.analysis.success_tables import Table
from shown_evidence.experiments.experiment import Experiment, Scale
from shown_evidence.minatar_worlds import GAMES, STEPS, world_name
from shown_evidence.results.row import Row
from shown_evidence.trials.level_sets import LevelSets
from shown_evidence.trials.trial import Trial
from shown_evidence.wording import MISSING_CELL, percent

SIZES = (1, 5)
SETS = 3

RESERVED = LevelSets(shown=40_000, played=50_000, apart=100, prefix="seeds")
"""Views, experts and practice were chosen on other seeds, from 900,000 on."""

PLAYED = RESERVED.played_levels(60)

GOALS = {"Freeway": 0.8, "Breakout": 0.8, "SpaceInvaders": 0.8, "Asterix": 0.6}
"""The share of the expert's return to reach from five demonstrations."""

PLAYERS = {"what acts": "", "the rule": "rule ", "all rules": "vote ", "random play": "random "}
"""Players, and the names under which results hold their returns."""


class MinAtarGames(Experiment):
    """1 and 5 demonstrations of four games, three sets of each number, played on 60 new seeds."""

    name = "minatar"
    title = "MinAtar"
    question = "What share of the expert's return does a policy learned from a few demonstrations have?"
    games = tuple(map(world_name, GAMES))
    methods = ("shown-timed",)
    scored_on = ()

    def trials(self, scale: Scale) -> list[Trial]:
        return [
            Trial(method, world, RESERVED.shown_levels(number, count), "perfect", 0, scale.options(method), test)
            for method in scale.methods_of(self.methods)
            for world in scale.worlds_of(self.games)
            for count in scale.sizes(SIZES, SIZES[-1:])
            for number in range(scale.repeats(SETS, 1))
            for test in (scale.levels(PLAYED),)
        ]

    def plots(self, rows: Sequence[Row]) -> list[Table]:
        return [
            Table(
                ("Game", "Shown", "Sets", *(words.capitalize() for words in PLAYERS), "The expert"),
                [line for game in GAMES for count in SIZES for line in _lines(rows, game, count)],
                f"Mean return of episodes of {STEPS} steps on 60 seeds on which nothing was chosen.",
            )
        ]

    def text(self, rows: Sequence[Row]) -> list[str]:
        said = []
        for game, goal in GOALS.items():
            mine = of_size(select(rows, game=world_name(game)), SIZES[-1])
            expert = _mean(mine, "expert")
            if mine and expert:
                reached = (_mean(mine, "reward") or 0.0) / expert
                said.append(
                    f"{game}, from {SIZES[-1]}: {percent(reached)} of the expert's return (goal {percent(goal)})."
                )
        return [
            *said,
            "Practice has its default time limit, so these results depend on the machine.",
        ]


def _lines(rows: Sequence[Row], game: str, count: int) -> list[list[str]]:
    """Return the line of a game and a number of demonstrations, if there are results."""
    mine = of_size(select(rows, game=world_name(game)), count)
    if not mine:
        return []
    returns = [*(_mean(mine, "reward", prefix) for prefix in PLAYERS.values()), _mean(mine, "expert")]
    return [[game, str(count), str(len(mine)), *(MISSING_CELL if one is None else f"{one:.1f}" for one in returns)]]


def _mean(rows: Sequence[Row], whose: str, prefix: str = "") -> float | None:
    """Return the mean return over rows and played seeds; None if there is none."""
    found = [
        float(reward)
        for row in rows
        for spec in row.settings["test"]
        for reward in measured(row).get(whose, {}).get(f"{prefix}{spec}", ())
    ]
    return fmean(found) if found else None
