"""The size of the learned policies (the paper's table of MAP policies in the appendix)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shown_evidence.analysis.statements import POLICY_SIZES, Finding, graded, holding, within
from shown_evidence.analysis.statistics import LEAST_GAMES, measured, select, success
from shown_evidence.analysis.success_tables import Table
from shown_evidence.experiments.experiment import Design, Experiment
from shown_evidence.results.row import Row
from shown_evidence.trials.demonstrators import TRAINING_LEVELS
from shown_evidence.wording import MISSING_CELL, by_game, listed, percent, title

MEASURES = ("top_level_programs", "method_calls", "depth")


class PolicySizes(Experiment):
    """Programs, calls and depth of the most probable policies."""

    designs = (Design(("lpp",), (TRAINING_LEVELS,), options=[{"drop_literals": drop} for drop in (False, True)]),)

    def exhibits(self, rows: Sequence[Row]) -> list[Table]:
        return [
            Table(
                ("Game", "Paper", "Here", "test success", "Here, idle literals dropped", "test success"),
                [_line(game, select(rows, game=game)) for game in POLICY_SIZES],
                self.captions[0],
            )
        ]

    def findings(self, rows: Sequence[Row]) -> dict[str, Finding]:
        sizes = {row.settings["game"]: sizes_of(row) for row in _sized(rows, drop=False)}
        if len(sizes) < LEAST_GAMES:
            return {}
        return {"programs": _programs(sizes), "depth": _depth(sizes)}


def sizes_of(row: Row) -> tuple[int, ...]:
    """Return the measures of the most probable policy; empty if they are not reported."""
    learned = measured(row)["learned"]
    return tuple(int(learned[name]) for name in MEASURES if name in learned)


def _sized(rows: Sequence[Row], drop: bool) -> list[Row]:
    return [row for row in select(rows, drop_literals=drop) if len(sizes_of(row)) == len(MEASURES)]


def _line(game: str, rows: Sequence[Row]) -> list[str]:
    cells = [title(game), " / ".join(map(str, POLICY_SIZES[game]))]
    for drop in (False, True):
        found = _sized(rows, drop)
        cells += [" / ".join(map(str, sizes_of(found[0]))), percent(success(found[0]))] if found else [MISSING_CELL] * 2
    return cells


def _programs(sizes: Mapping[str, tuple[int, ...]]) -> Finding:
    near = [within(own[0], POLICY_SIZES[game][0], 2) for game, own in sizes.items()]
    words = by_game({game: str(own[0]) for game, own in sizes.items()})
    return Finding(f"{words}. (Within a factor of 2 counts as agreeing.)", holding(near, least=3))


def _depth(sizes: Mapping[str, tuple[int, ...]]) -> Finding:
    depths = sorted({depth for _, _, depth in sizes.values()})
    calls = [number for _, number, _ in sizes.values()]
    agrees = set(depths) <= {3, 4} and min(calls) >= 16 and max(calls) <= 488
    words = f"Depth {listed([str(depth) for depth in depths])}; {min(calls)} to {max(calls)} method calls."
    return Finding(words, graded(agrees, True))
