"""Success against the number of programs enumerated: LPP and plain program induction (the paper's Figure 5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from shown.experiments import figures
from shown.experiments.claims import NO, Finding, graded, holding
from shown.experiments.experiment import ALL_DEMONSTRATIONS, Experiment, Plot, Scale, Table
from shown.experiments.figures import HUNDRED, NINE, STYLES, Axis, Series
from shown.experiments.paper import PROGRAMS_BELOW
from shown.experiments.rows import Row
from shown.experiments.statistics import (
    GENERATED,
    TEST,
    curve,
    first_perfect,
    games_among,
    has_standard_options,
    learning_time,
    programs,
    select,
    success,
)
from shown.experiments.tables import LEVELS, MEANS, Part, success_table
from shown.experiments.trials import METHODS, Trial
from shown.experiments.words import by_game, count, listed, percent, title
from shown.games import find
from shown.language.grammar import paper_grammar

FULL = {
    "lpp": (*(i * 10**k for k in range(4) for i in (1, 2, 3, 5, 7, 9)), 10_000),
    "vpi": (*(i * 10**k for k in range(5) for i in (1, 2, 5)), 100_000),
}
NEIGHBOURS = [(row, column) for row in (-1, 0, 1) for column in (-1, 0, 1) if (row, column) != (0, 0)]

SIX_HOURS = 5_000_000
"""About so many policies a plain program would try for Nim in six hours: it takes 8.8 µs for a program and a row
(docs/results.md), so some 4 ms for a policy of one program on the 540 rows of eleven demonstrations."""

QUICK = (10, 30, 90, 300, 900, 3_000, 9_000)
SEEDS = {"lpp": 3, "vpi": 1}
"""LPP's trees break ties at random; plain induction leaves nothing to chance."""

ENSEMBLES = {"lpp": (25,), "vpi": (25, 1)}
"""Plain induction is also run with its single best policy, for what the mixing adds to it."""

TOLD = (100, 1_000, 10_000)
"""How many programs the table is about."""

SERIES = (
    Series("LPP", {"method": "lpp", "ensemble": 25}, STYLES["lpp"]),
    Series("VPI", {"method": "vpi", "ensemble": 25}, STYLES["vpi"]),
    Series(METHODS["vpi-best"].label, {"method": "vpi", "ensemble": 1}, STYLES["vpi-best"]),
)


class Programs(Experiment):
    """All 11 demonstrations, from 1 program to 10,000 (and 100,000 policies for plain induction)."""

    name = "programs"
    title = "Success against programs enumerated"
    question = "How long must one search before the policy wins?"
    methods = ("lpp", "vpi")

    def trials(self, scale: Scale) -> list[Trial]:
        wanted = []
        for method in scale.methods_of(self.methods):
            for game in scale.games_of(self.games):
                for number in FULL[method] if scale.full else QUICK:
                    for ensemble in ENSEMBLES[method]:
                        options = scale.options(method, programs=number, ensemble=ensemble)
                        for seed in range(scale.repeats(SEEDS[method], 1)):
                            wanted.append(Trial(method, game, ALL_DEMONSTRATIONS, "perfect", seed, options, scale.test))
        if scale.full and "vpi" in scale.methods_of(self.methods) and "nim" in scale.games:
            for ensemble in ENSEMBLES["vpi"]:
                options = scale.options("vpi", programs=SIX_HOURS, ensemble=ensemble)
                wanted.append(Trial("vpi", "nim", ALL_DEMONSTRATIONS, "perfect", 0, options, scale.test))
        return wanted

    def includes(self, settings: Mapping[str, Any]) -> bool:
        return (
            settings["levels"] == ALL_DEMONSTRATIONS
            and settings["demonstrations"] == "perfect"
            and has_standard_options(settings, "programs", "ensemble")
            and isinstance(settings["options"].get("programs"), int)
            and settings["options"].get("ensemble") in ENSEMBLES[settings["method"]]
        )

    def plots(self, rows: Sequence[Row]) -> list[Plot | Table]:
        rows = [row for row in rows if row.settings["options"].get("programs") != SIX_HOURS]  # of Nim alone
        columns = figures.games(games_among(rows, self.games))
        across = Axis("programs", [1, 100, 10_000], ["1", "100", "10⁴"], logarithmic=True)
        return [
            Plot(
                figures.success_panels(rows, programs, columns, SERIES, (view,), across),
                f"Success on {view.label} against the number of programs (LPP) or whole policies (VPI) enumerated, "
                "with all 11 demonstrations.",
                name,
            )
            for view, name in ((NINE, "nine"), (HUNDRED, "generated"))
        ] + [
            success_table(
                rows,
                self.games,
                SERIES,
                [_part(number, kind) for number in TOLD for kind in (TEST, GENERATED)],
                f"The same as numbers; LPP breaks its ties with {SEEDS['lpp']} seeds. {MEANS}",
            )
        ]

    def text(self, rows: Sequence[Row]) -> list[str]:
        lines = (_until_perfect(rows), _first_policy_of_fence_in(rows), _seconds(rows))
        return [line for line in lines if line]

    def findings(self, rows: Sequence[Row]) -> dict[str, Finding]:
        found = {
            **{game: _enough(game, rows) for game in PROGRAMS_BELOW},
            "a second": _a_second(rows),
            "vpi in nim": _induction_in_nim(rows),
            "vpi elsewhere": _induction_elsewhere(rows),
            "six hours": _six_hours(rows),
            "108 programs": _of_depth_three() if rows else None,
        }
        return {name: finding for name, finding in found.items() if finding is not None}


EXPERIMENT = Programs()


def _part(number: int, kind: str) -> Part:
    return Part(f"{number:,} programs, {LEVELS[kind]}", lambda row: programs(row) == number, kind)


def _until_perfect(rows: Sequence[Row]) -> str:
    firsts = until_perfect(rows)
    return f"Programs until LPP wins every test level with every seed: {by_game(firsts)}." if firsts else ""


def until_perfect(rows: Sequence[Row]) -> dict[str, str]:
    """For each game, how many programs LPP needs to win every test level with every seed."""
    found = select(rows, method="lpp")
    parts = {game: select(found, game=game) for game in games_among(found, Programs.games)}
    return {game: count(first_perfect(part, programs, pool=fmean)) + _less_again(part) for game, part in parts.items()}


def _less_again(rows: Sequence[Row]) -> str:
    """What is won with the most programs, where fewer have won every test level."""
    tried, means = curve(rows, programs)
    return f" (but with {tried[-1]:,} only {percent(means[-1])})" if max(means) >= 1 > means[-1] else ""


def _first_policy_of_fence_in(rows: Sequence[Row]) -> str:
    first = select(rows, game="fence-in", method="vpi", ensemble=1, programs=1)
    if not first or not success(first[0], GENERATED) > 0:
        return ""
    return (
        f"In Fence In the very first policy of VPI, which rules out next to nothing, wins "
        f"{percent(success(first[0], GENERATED))} of the generated levels: clicking cell after cell in reading "
        "order often shuts the sheep in within 60 steps."
    )


def _seconds(rows: Sequence[Row]) -> str:
    times = [learning_time(row) for row in select(rows, method="lpp", programs=10_000)]
    if not times:
        return ""
    return (
        f"A learn with 10,000 programs and 11 demonstrations took {min(times):.2f} to {max(times):.2f} s on one core."
    )


# --- LPP ----------------------------------------------------------------------------------------------------------


def _enough(game: str, rows: Sequence[Row]) -> Finding | None:
    """How many programs are enough for LPP to win every test level of a game."""
    found, bound = select(rows, game=game, method="lpp"), PROGRAMS_BELOW[game]
    if not found or max(map(programs, found)) < bound / 2:
        return None
    first, every_seed = first_perfect(found, programs), first_perfect(found, programs, pool=fmean)
    if first is None:
        best = max(success(row) for row in found)
        return Finding(f"Not with any number tried; at best {percent(best)}.", NO)
    also = f" ({every_seed:,} with every seed)" if every_seed and every_seed != first else ""
    return Finding(f"{first:,} are enough{also}{_less_again(found)}.", graded(first < bound, False))


def _a_second(rows: Sequence[Row]) -> Finding | None:
    times = [learning_time(row) for row in select(rows, game="nim", method="lpp", programs=10_000)]
    if not times:
        return None
    return Finding(f"{fmean(times):.2f} s on one core, with 10,000 programs.", graded(fmean(times) < 3, False))


# --- plain program induction --------------------------------------------------------------------------------------


def _induction_in_nim(rows: Sequence[Row]) -> Finding | None:
    mixed, single = (select(rows, game="nim", method="vpi", ensemble=number) for number in (25, 1))
    if not mixed or not single or max(map(programs, mixed)) < 100:
        return None
    best = max(curve(single, programs, GENERATED)[1], default=0.0)
    numbers, wins = curve(mixed, programs, GENERATED)
    if not wins:
        return None
    most = max(wins)
    worst = min(y for x, y in zip(numbers, wins, strict=True) if x >= 90)
    near = abs(best - 0.45) <= 0.15
    return Finding(
        f"The single best policy wins at most {percent(best)} of the generated levels; the mixture of 25 "
        f"{percent(most)}, at {int(numbers[wins.index(most)]):,} policies and, at its worst beyond 100, "
        f"{percent(worst)}.",
        graded(near and most < 1, near),
    )


def _induction_elsewhere(rows: Sequence[Row]) -> Finding | None:
    mixed, single = (select(rows, method="vpi", ensemble=number) for number in (25, 1))
    games = [game for game in games_among(mixed, Programs.games) if game != "nim"]
    if len(games) < 5:
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
    """What as many policies come to as six hours would have been enough for."""
    mixed, single = (select(rows, game="nim", method="vpi", programs=SIX_HOURS, ensemble=number) for number in (25, 1))
    if not mixed or not single:
        return None
    wins = [success(part[0], GENERATED) for part in (mixed, single)]
    return Finding(
        f"After {SIX_HOURS:,} policies, about as many as a plain program tries in six hours (8.8 µs for a program and "
        f"a row), the mixture wins {percent(wins[0])} of the generated levels, its best policy {percent(wins[1])}.",
        graded(max(wins) < 1, wins[1] < 1),
    )


def _of_depth_three() -> Finding:
    """How many programs of depth two and three there are in Nim, by the grammar of the paper's appendix."""
    blocks = paper_grammar(find("nim").tokens).blocks(20_000)
    of_depth: Counter[int] = Counter()
    for block in blocks:
        of_depth[block.shape.term(0).depth] += block.count
    near = of_depth[2] * (1 + len(NEIGHBOURS))
    return Finding(
        f"{of_depth[3]:,} of depth three and {of_depth[2]} of depth two, with every step and scan of the grammar of "
        f"the appendix. Those of depth two, where they are and seen from the {len(NEIGHBOURS)} neighbours, are {near}.",
        graded(of_depth[3] == 108, near == 108),
    )
