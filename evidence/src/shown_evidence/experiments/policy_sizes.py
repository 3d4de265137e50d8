"""The size of the learned policies (the paper's table of MAP policies in the appendix)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shown_evidence.analysis.claims import Finding, graded, holding, within
from shown_evidence.analysis.statements import POLICY_SIZES
from shown_evidence.analysis.statistics import LEAST_GAMES, measured, select, success
from shown_evidence.analysis.success_tables import Table
from shown_evidence.experiments.experiment import ALL_DEMONSTRATIONS, Experiment, Scale
from shown_evidence.results.row import Row
from shown_evidence.trials.trial import Trial
from shown_evidence.wording import MISSING_CELL, by_game, listed, percent, title

MEASURES = ("top_level_programs", "method_calls", "depth")


class PolicySizes(Experiment):
    """All 11 demonstrations and 10,000 programs, with and without dropping literals that change nothing."""

    name = "policies"
    title = "The size of the learned policies"
    question = "How complex are the learned policies?"
    methods = ("lpp",)

    def trials(self, scale: Scale) -> list[Trial]:
        return [
            Trial(method, game, ALL_DEMONSTRATIONS, "perfect", 0, scale.options(method, drop_literals=drop), scale.test)
            for method in scale.methods_of(self.methods)
            for game in scale.games_of(self.games)
            for drop in (False, True)
        ]

    def plots(self, rows: Sequence[Row]) -> list[Table]:
        return [
            Table(
                ("Game", "Paper", "Here", "test success", "Here, idle literals dropped", "test success"),
                [_line(game, select(rows, game=game)) for game in POLICY_SIZES],
                "Top-level programs / method calls / greatest depth of the most probable policy, from all 11 "
                "demonstrations and 10,000 programs. A literal is idle if dropping it changes no bit of the fit.",
            )
        ]

    def findings(self, rows: Sequence[Row]) -> dict[str, Finding]:
        sizes = {row.settings["game"]: _sizes(row) for row in select(_sized(rows), drop_literals=False)}
        if len(sizes) < LEAST_GAMES:
            return {}
        return {"programs": _programs(sizes), "depth": _depth(sizes)}


def _line(game: str, rows: Sequence[Row]) -> list[str]:
    cells = [title(game), " / ".join(map(str, POLICY_SIZES[game]))]
    for drop in (False, True):
        found = select(_sized(rows), drop_literals=drop)
        cells += [" / ".join(map(str, _sizes(found[0]))), percent(success(found[0]))] if found else [MISSING_CELL] * 2
    return cells


def _sized(rows: Sequence[Row]) -> list[Row]:
    """Return the results that report the size of the policy."""
    return [row for row in rows if all(name in measured(row)["learned"] for name in MEASURES)]


def _sizes(row: Row) -> tuple[int, int, int]:
    top_level, calls, depth = (int(measured(row)["learned"][name]) for name in MEASURES)
    return top_level, calls, depth


def _programs(sizes: Mapping[str, tuple[int, int, int]]) -> Finding:
    near = [within(own[0], POLICY_SIZES[game][0], 2) for game, own in sizes.items()]
    words = by_game({game: str(own[0]) for game, own in sizes.items()})
    return Finding(f"{words}. (Within a factor of 2 counts as agreeing.)", holding(near, least=3))


def _depth(sizes: Mapping[str, tuple[int, int, int]]) -> Finding:
    depths = sorted({depth for _, _, depth in sizes.values()})
    calls = [number for _, number, _ in sizes.values()]
    agrees = set(depths) <= {3, 4} and min(calls) >= 16 and max(calls) <= 488
    measured = f"Depth {listed([str(depth) for depth in depths])}; {min(calls)} to {max(calls)} method calls."
    return Finding(measured, graded(agrees, True))
