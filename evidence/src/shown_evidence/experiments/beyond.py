"""Beyond the paper: success after one to five demonstrations by the expert, with LPP and with shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from shown_evidence.analysis import exhibits
from shown_evidence.analysis.exhibits import HUNDRED, Axis, Exhibit, Series, Table, demonstrated, methods
from shown_evidence.analysis.statistics import FLOORS, GENERATED, TEST, games_among, mean_success, select
from shown_evidence.experiments.experiment import Design, Experiment
from shown_evidence.styles import EXPERT
from shown_evidence.trials.demonstrators import FIRST_CLICK, RANDOM_CLICK, STYLE
from shown_evidence.trials.learners import METHODS
from shown_evidence.trials.level_sets import JUDGE, SETS
from shown_evidence.trials.row import Row
from shown_evidence.trials.trial import GENERATED_LEVELS, TEST_LEVELS
from shown_evidence.wording import percent, title

SIZES = (1, 2, 3, 5)
PLAYED = JUDGE.played_levels(100)
BY_EXPERT = f"{STYLE}{EXPERT}"

OURS = ("shown", "shown-practice")
LEARNERS = ("lpp", *OURS)
COMPARED = (("shown", "lpp"), ("shown-practice", "lpp"), ("shown-practice", "shown"))
"""Pairs of methods whose difference is reported."""

judged_design = partial(Design, shown=JUDGE.shown_levels, played=(PLAYED,))
"""Makes a design on the generated levels that are reserved for judging."""

_expert = partial(judged_design, sizes=SIZES, sets=SETS, kinds=(BY_EXPERT,))


class Beyond(Experiment):
    """LPP, shown, and shown with practice from few demonstrations."""

    designs = (_expert(LEARNERS),)
    series = tuple(methods(LEARNERS))
    views = (HUNDRED,)
    across = Axis("demonstrations", SIZES)
    columns = tuple(demonstrated(count, GENERATED) for count in SIZES)

    def exhibits(self, rows: Sequence[Row]) -> Sequence[Exhibit]:
        columns = {**{f"{count} shown": (count,) for count in SIZES}, "All sizes": SIZES}
        return [*super().exhibits(rows), exhibits.differences(rows, COMPARED, columns, self.captions[1])]


# --- additions ----------------------------------------------------------------------------------------------------


PLAIN = METHODS["lpp-with"].options
ADDED: Mapping[str, Mapping[str, Any]] = {
    "LPP, mirrored too": {"mirrored": True},
    "LPP, clause search": {"clauses": True},
    "LPP, standard vocabulary": {"words": "standard"},
    "LPP, all three": {"mirrored": True, "clauses": True, "words": "standard"},
}


class Additions(Experiment):
    """LPP with one addition at a time, beside the methods of `beyond`."""

    designs = (*Beyond.designs, _expert(("lpp-with",), options=tuple(ADDED.values())))
    series = (
        Beyond.series[0],
        *(Series(label, {"method": "lpp-with", **PLAIN, **own}) for label, own in ADDED.items()),
        *Beyond.series[1:],
    )
    columns = Beyond.columns


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
        return [Table(("Game", METHODS["search"].label, *heads), lines, self.given_caption)]


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
        head = ("Game", *(f"{METHODS[method].label}: {exhibits.LEVELS[kind]}" for method, kind in cells))
        return [Table(head, lines, self.captions[0])]
