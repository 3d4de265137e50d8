"""Success against the number of programs enumerated: LPP and VPI (the paper's Figure 5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import fmean
from typing import Any

from shown.language.grammar import paper_grammar
from shown.worlds import GAMES, find_game
from shown_evidence.analysis import statistics as stats
from shown_evidence.analysis.exhibits import BOTH, LEVELS, Axis, Exhibit, Series, TableColumn
from shown_evidence.analysis.statements import NO, PROGRAMS_BELOW, Finding, graded, holding
from shown_evidence.analysis.statistics import GENERATED, TEST, curve, first_perfect, programs, select, success
from shown_evidence.experiments.experiment import Design, Experiment
from shown_evidence.trials.demonstrators import TRAINING_LEVELS
from shown_evidence.trials.learners import METHODS
from shown_evidence.trials.row import Row
from shown_evidence.wording import by_game, listed, percent, title

LPP = (*(i * 10**k for k in range(4) for i in (1, 2, 3, 5, 7, 9)), 10_000)
VPI = (*(i * 10**k for k in range(5) for i in (1, 2, 5)), 100_000)
IN_TABLE = (100, 1_000, 10_000)
SEEDS = 3  # LPP's trees break ties at random; VPI is deterministic

SIX_HOURS = 5_000_000
"""Policies that a plain program tries for Nim in about six hours, at 8.8 µs per program and row: some
4 ms for a policy of one program on the 540 rows of eleven demonstrations."""

NEIGHBORS = 8


def _vpi(ensemble: int, numbers: Sequence[int], **where: Any) -> Design:
    options = [{"programs": number, "ensemble": ensemble} for number in numbers]
    return Design(("vpi",), (TRAINING_LEVELS,), options=options, **where)


def _column(number: int, kind: str) -> TableColumn:
    return TableColumn(f"{number:,} programs, {LEVELS[kind]}", lambda row: programs(row) == number, kind)


class ProgramBudget(Experiment):
    """Success of LPP and VPI by number of programs."""

    designs = (
        Design(("lpp",), (TRAINING_LEVELS,), SEEDS, seeded=True, options=[{"programs": number} for number in LPP]),
        *(_vpi(ensemble, VPI) for ensemble in (25, 1)),
        *(_vpi(ensemble, (SIX_HOURS,), games=("nim",), long=True) for ensemble in (25, 1)),
    )
    series = (
        Series("LPP", {"method": "lpp", "ensemble": 25}),
        Series("VPI", {"method": "vpi", "ensemble": 25}),
        Series(METHODS["vpi-best"].label, {"method": "vpi", "ensemble": 1}),
    )
    views = BOTH
    across = Axis("programs", (1, 100, 10_000), programs, logarithmic=True)
    columns = tuple(_column(number, kind) for number in IN_TABLE for kind in (TEST, GENERATED))

    def exhibits(self, rows: Sequence[Row]) -> Sequence[Exhibit]:
        return super().exhibits([row for row in rows if row.settings["options"].get("programs") != SIX_HOURS])

    def findings(self, rows: Sequence[Row]) -> dict[str, Finding | None]:
        return {
            **{game: _enough(game, rows) for game in PROGRAMS_BELOW},
            "a second": _a_second(rows),
            "vpi in nim": _vpi_in_nim(rows),
            "vpi elsewhere": _vpi_elsewhere(rows),
            "six hours": _six_hours(rows),
            "108 programs": _of_depth_three() if rows else None,
        }


# --- LPP ----------------------------------------------------------------------------------------------------------


def _enough(game: str, rows: Sequence[Row]) -> Finding | None:
    """Judge how many programs are enough for LPP to win every test level of a game."""
    found, bound = select(rows, game=game, method="lpp"), PROGRAMS_BELOW[game]
    if max(map(programs, found), default=0) < bound / 2:
        return None
    first, every_seed = first_perfect(found, programs), first_perfect(found, programs, pool=fmean)
    if first is None:
        return Finding(f"Not with any number tried; at best {percent(max(map(success, found)))}.", NO)
    also = f" ({every_seed:,} with every seed)" if every_seed and every_seed != first else ""
    return Finding(f"{first:,} are enough{also}{_less_again(found)}.", graded(first < bound, False))


def _less_again(rows: Sequence[Row]) -> str:
    """Report the success with the most programs if fewer have won every test level."""
    tried, means = curve(rows, programs)
    return f" (but with {tried[-1]:,} only {percent(means[-1])})" if max(means, default=0.0) >= 1 > means[-1] else ""


def _a_second(rows: Sequence[Row]) -> Finding | None:
    times = list(map(stats.learn_seconds, select(rows, game="nim", method="lpp", programs=10_000)))
    if not times:
        return None
    return Finding(f"{fmean(times):.2f} s on one core, with 10,000 programs.", graded(fmean(times) < 3, False))


# --- VPI ----------------------------------------------------------------------------------------------------------


def _mixed_and_single(rows: Sequence[Row], **where: Any) -> tuple[list[Row], list[Row]]:
    mixed, single = (select(rows, method="vpi", ensemble=number, **where) for number in (25, 1))
    return mixed, single


def _vpi_in_nim(rows: Sequence[Row]) -> Finding | None:
    mixed, single = _mixed_and_single(rows, game="nim")
    kind = stats.widest(mixed)
    numbers, wins = curve(mixed, programs, kind)
    beyond = [y for x, y in zip(numbers, wins, strict=True) if x >= 90]
    if not beyond or not single or numbers[-1] < 100:
        return None
    best, most, worst = max(curve(single, programs, kind)[1], default=0.0), max(wins), min(beyond)
    near = abs(best - 0.45) <= 0.15
    return Finding(
        f"The single best policy wins at most {percent(best)} of the {LEVELS[kind]}; the mixture of 25 "
        f"{percent(most)}, at {int(numbers[wins.index(most)]):,} policies and, at its worst beyond 100, "
        f"{percent(worst)}.",
        graded(near and most < 1, near),
    )


def _vpi_elsewhere(rows: Sequence[Row]) -> Finding | None:
    mixed, single = _mixed_and_single(rows)
    games = [game for game in stats.games_among(mixed, tuple(GAMES)) if game != "nim"]
    if len(games) < stats.LEAST_GAMES - 1:
        return None
    bests = {game: [_best(select(part, game=game)) for part in (mixed, single)] for game in games}
    parts = {game: f"{percent(mixture)} / {percent(alone)}" for game, (mixture, alone) in bests.items()}
    high = [title(game) for game, (mixture, _) in bests.items() if mixture > 0]
    return Finding(
        f"Of the test levels at best, with any number of policies, mixture / single: {by_game(parts)}.",
        holding(mixture == 0 for mixture, _ in bests.values()),
        f"Not zero in {listed(high)}." if high else "",
    )


def _best(rows: Sequence[Row]) -> float:
    return max(curve(rows, programs)[1], default=0.0)


def _six_hours(rows: Sequence[Row]) -> Finding | None:
    """Judge the policies that six hours would have been enough for."""
    mixed, single = _mixed_and_single(rows, game="nim", programs=SIX_HOURS)
    if not mixed or not single:
        return None
    kind = stats.widest(mixed)
    wins = [success(part[0], kind) for part in (mixed, single)]
    return Finding(
        f"After {SIX_HOURS:,} policies, about as many as a plain program tries in six hours (8.8 µs per program and "
        f"row), the mixture wins {percent(wins[0])} of the {LEVELS[kind]}, its best policy {percent(wins[1])}.",
        graded(False, max(wins) < 1 or wins[1] < 1),
        "That is one budget: the mixture wins more or less with others, see the figure.",
    )


def _of_depth_three() -> Finding:
    """Count the programs of depth two and three in Nim, by the grammar of the paper's appendix."""
    of_depth: Counter[int] = Counter()
    for block in paper_grammar(find_game("nim").tokens).blocks(20_000):
        of_depth[block.shape.term(0).depth] += block.count
    near = of_depth[2] * (1 + NEIGHBORS)
    return Finding(
        f"{of_depth[3]:,} of depth three and {of_depth[2]} of depth two, with every step and scan of the grammar of "
        f"the appendix. Those of depth two, in place and seen from the {NEIGHBORS} neighbors, are {near}.",
        graded(of_depth[3] == 108, near == 108),
    )
