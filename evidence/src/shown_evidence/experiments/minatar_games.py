"""Games of MinAtar: the return of a policy learned from one and five demonstrations by a scripted expert."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean

from shown_evidence.analysis.statistics import measured, of_size, select
from shown_evidence.analysis.success_tables import Table
from shown_evidence.experiments.experiment import Design, Experiment
from shown_evidence.minatar_worlds import GAMES, world_name
from shown_evidence.results.row import Row
from shown_evidence.trials.level_sets import LevelSets
from shown_evidence.wording import MISSING_CELL

SIZES = (1, 5)

RESERVED = LevelSets(shown=40_000, played=50_000, apart=100, prefix="seeds")
"""Views, experts and practice were chosen on other seeds, from 900,000 on."""

PLAYED = RESERVED.played_levels(60)

PLAYERS = {"what acts": "", "the rule": "rule ", "all rules": "vote ", "random play": "random "}
"""Players, and the names under which results hold their returns."""


class MinAtarGames(Experiment):
    """Returns in games of MinAtar."""

    designs = (
        Design(
            ("shown-timed",), SIZES, 3, RESERVED.shown_levels, games=tuple(map(world_name, GAMES)), played=(PLAYED,)
        ),
    )

    def exhibits(self, rows: Sequence[Row]) -> list[Table]:
        head = ("Game", "Shown", "Sets", *(words.capitalize() for words in PLAYERS), "The expert")
        return [Table(head, [line for game in GAMES for line in _lines(game, rows)], self.captions[0])]


def _lines(game: str, rows: Sequence[Row]) -> Iterator[list[str]]:
    """Yield the line of each number of demonstrations that has results."""
    for count in SIZES:
        mine = of_size(select(rows, game=world_name(game)), count)
        if mine:
            returns = [*(_mean(mine, "reward", prefix) for prefix in PLAYERS.values()), _mean(mine, "expert")]
            cells = [MISSING_CELL if one is None else f"{one:.1f}" for one in returns]
            yield [game, str(count), str(len(mine)), *cells]


def _mean(rows: Sequence[Row], whose: str, prefix: str = "") -> float | None:
    """Return the mean return over rows and played seeds; None if there is none."""
    found = [
        float(reward)
        for row in rows
        for spec in row.settings["test"]
        for reward in measured(row).get(whose, {}).get(f"{prefix}{spec}", ())
    ]
    return fmean(found) if found else None
