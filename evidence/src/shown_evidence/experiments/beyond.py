"""Beyond the paper: success after one to five demonstrations by the expert, with LPP and with shown."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar

from shown_evidence.analysis import figures
from shown_evidence.analysis import statistics as stats
from shown_evidence.analysis.figures import HUNDRED, Axis, LevelView, Series
from shown_evidence.analysis.statistics import FLOORS, GENERATED, TEST, games_among, mean_success, select, size
from shown_evidence.analysis.success_tables import LEVELS, Table, demonstrated, difference_table, what_each_is_given
from shown_evidence.experiments.experiment import Design, Exhibit, Experiment
from shown_evidence.results.row import Row
from shown_evidence.styles import EXPERT
from shown_evidence.trials.demonstrators import FIRST_CLICK, RANDOM_CLICK, STYLE
from shown_evidence.trials.level_sets import JUDGE, SETS
from shown_evidence.trials.methods import METHODS
from shown_evidence.trials.trial import GENERATED_LEVELS, TEST_LEVELS
from shown_evidence.wording import percent, title

SIZES = (1, 2, 3, 5)
PLAYED = JUDGE.played_levels(100)
BY_EXPERT = f"{STYLE}{EXPERT}"

OURS = ("shown", "shown-practice")
LEARNERS = ("lpp", *OURS)
judged_design = partial(Design, shown=JUDGE.shown_levels, played=(PLAYED,))
"""Makes a design on the generated levels that are reserved for judging."""

_expert = partial(judged_design, sizes=SIZES, sets=SETS, kinds=(BY_EXPERT,))


class Beyond(Experiment):
    """LPP, shown, and shown with practice from few demonstrations."""

    designs: ClassVar[Sequence[Design]] = (_expert(LEARNERS),)
    series = tuple(figures.methods(LEARNERS))
    views: ClassVar[Sequence[LevelView]] = (HUNDRED,)
    across = Axis("demonstrations", SIZES)
    columns = tuple(demonstrated(count, GENERATED) for count in SIZES)
    compared: ClassVar[Sequence[tuple[str, str]]] = (
        ("shown", "lpp"),
        ("shown-practice", "lpp"),
        ("shown-practice", "shown"),
    )

    def exhibits(self, rows: Sequence[Row]) -> Sequence[Exhibit]:
        columns = {**{f"{count} shown": (count,) for count in SIZES}, "All sizes": SIZES}
        return [*super().exhibits(rows), difference_table(rows, self.compared, columns, self.captions[-1])]

    def text(self, rows: Sequence[Row]) -> list[str]:
        lines = []
        for series in self.series:
            mine = stats.grouped(select(rows, **series.where), size)
            parts = [f"{count}: {percent(stats.mean_over_games(mine[count], GENERATED))}" for count in sorted(mine)]
            if parts:
                lines.append(f"{series.label}, mean over games by number of demonstrations: {', '.join(parts)}.")
        return lines


# --- additions ----------------------------------------------------------------------------------------------------


def _with(label: str, **added: Any) -> Series:
    return Series(label, {"method": "lpp-with", "mirrored": False, "clauses": False, "words": "paper", **added})


ADDED = (
    _with("LPP, mirrored too", mirrored=True),
    _with("LPP, clause search", clauses=True),
    _with("LPP, standard vocabulary", words="standard"),
    _with("LPP, all three", mirrored=True, clauses=True, words="standard"),
)


class Additions(Beyond):
    """LPP with one addition at a time, beside the methods of `beyond`."""

    designs = (*Beyond.designs, _expert(("lpp-with",), options=[each.options for each in ADDED]))
    series = (Beyond.series[0], *ADDED, *Beyond.series[1:])
    views = ()
    compared = ()


# --- controls -----------------------------------------------------------------------------------------------------

SHOWN = {RANDOM_CLICK: "a random click", FIRST_CLICK: "the expert's first click", BY_EXPERT: "one whole game"}


class PracticeControls(Experiment):
    """Success of practice with little or nothing demonstrated."""

    designs = (
        judged_design(OURS, (1,), 3, kinds=tuple(SHOWN)),
        judged_design(("search",), (1,), 3, kinds=(RANDOM_CLICK,)),
    )

    def exhibits(self, rows: Sequence[Row]) -> list[Table]:
        columns = [(RANDOM_CLICK, "search"), *((kind, method) for kind in SHOWN for method in OURS)]
        heads = [f"{SHOWN[kind]}, {METHODS[method].label}" for kind, method in columns[1:]]
        lines = []
        for game in games_among(rows, self.games):
            parts = [select(rows, game=game, demonstrations=kind, method=method) for kind, method in columns]
            lines.append([title(game), *(percent(mean_success(part, GENERATED)) for part in parts)])
        caption = f"{self.captions[0]} {what_each_is_given(self.methods)}"
        return [Table(("Game", METHODS["search"].label, *heads), lines, caption)]


# --- random play -------------------------------------------------------------------------------------------------


class RandomPlay(Experiment):
    """Levels won by random clicks."""

    designs = tuple(
        Design(FLOORS, (1,), 20, shown=lambda number, size: "train:0", seeded=True, played=played)
        for played in ((TEST_LEVELS, GENERATED_LEVELS), (PLAYED,))
    )

    def exhibits(self, rows: Sequence[Row]) -> list[Table]:
        cells = [(method, kind) for method in FLOORS for kind in (TEST, GENERATED)]
        lines = [
            [title(game), *(percent(mean_success(select(rows, game=game, method=m), kind)) for m, kind in cells)]
            for game in self.games
        ]
        head = ("Game", *(f"{METHODS[method].label}: {LEVELS[kind]}" for method, kind in cells))
        return [Table(head, lines, self.captions[0])]
