"""What was found, in ten lines: the beginning of the report, counted from the store every time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import fmean

from shown.experiments.beyond import VARIANTS
from shown.experiments.claims import MISSING, NO, PARTLY, YES, Claim
from shown.experiments.demos import BASELINES, Demos, of_the_ten_sets
from shown.experiments.paper import PERFECT_FROM, STATEMENTS
from shown.experiments.rows import Row
from shown.experiments.statistics import (
    FLOORS,
    GENERATED,
    TEST,
    first_perfect,
    games_among,
    learning_time,
    mean_over_games,
    mean_success,
    of_size,
    programs,
    select,
    size,
)
from shown.experiments.trials import METHODS
from shown.experiments.words import by_game, count, listed, percent, title, where_only

OURS = ("lpp", "shown")
FEW = 5
"""So many demonstrations are few: what a method wins from them is told."""

CLOSE = 0.005
"""Means that differ by less are called equal."""

Rows = Mapping[str, Sequence[Row]]
"""The results of each experiment, by its name."""

DIFFERS = (
    "shown, our default, differs in that it takes a click for any that comes to the same, mirrors what it is shown, "
    "searches clauses too and drops idle literals; here it does not practise"
)


def ten_lines(rows: Rows, claims: Mapping[str, Sequence[Claim]]) -> list[str]:
    """What was found: ten sentences or so, also where the paper's method trails, and what was not measured."""
    demos = of_the_ten_sets(rows.get("demos", ()))
    return [
        _agreement(claims),
        _needed(demos),
        _from_few(demos, "lpp"),
        f"{_from_few(demos, 'shown')} ({DIFFERS}.)",
        _floors(rows.get("floors", ())),
        _leads(demos),
        _trails(demos),
        _search(rows.get("programs", ())),
        _parts(rows.get("ablations", ())),
        _beyond(rows.get("beyond", ())),
    ]


def unmeasured(claims: Mapping[str, Sequence[Claim]]) -> dict[str, list[str]]:
    """The names of the statements that were not measured, by experiment."""
    found = {}
    for group, judged in claims.items():
        names = [name for name, claim in zip(STATEMENTS[group], judged, strict=True) if claim.verdict == MISSING]
        if names:
            found[group] = names
    return found


def _agreement(claims: Mapping[str, Sequence[Claim]]) -> str:
    number = Counter(claim.verdict for judged in claims.values() for claim in judged)
    missing = "; ".join(f"{group}: {', '.join(names)}" for group, names in unmeasured(claims).items())
    return (
        f"Of {sum(number.values())} statements of the paper, {number[YES]} agree with what was measured, "
        f"{number[PARTLY]} in part and {number[NO]} not; {number[MISSING]} not measured"
        f"{f': {missing}' if missing else ''}."
    )


# --- demonstrations -----------------------------------------------------------------------------------------------


def _needed(rows: Sequence[Row]) -> str:
    mine = select(rows, method="lpp")
    if not mine:
        return "How many demonstrations LPP needs was not measured."
    firsts = {game: first_perfect(select(mine, game=game), size) for game in games_among(mine, list(PERFECT_FROM))}
    parts = by_game({game: f"{count(first)} (paper {PERFECT_FROM[game]})" for game, first in firsts.items()})
    return (
        "LPP, exactly as published, wins all 9 test levels, with the best of the training sets, from this many "
        f"demonstrations: {parts}."
    )


def _from_few(rows: Sequence[Row], method: str) -> str:
    """The mean over all sets, which is what a user gets who does not know which demonstrations are good."""
    label, few = METHODS[method].label, of_size(select(rows, method=method), FEW)
    if not few:
        return f"What {label} wins from {FEW} demonstrations was not measured."
    games = {game: mean_success(select(few, game=game), GENERATED) for game in games_among(few, list(PERFECT_FROM))}
    return (
        f"From any {FEW} demonstrations {label} wins {percent(mean_over_games(few, TEST))} of the test levels and "
        f"{percent(mean_over_games(few, GENERATED))} of 100 generated ones, mean of the games; generated levels: "
        f"{by_game({game: percent(mean) for game, mean in games.items()})}."
    )


def _floors(rows: Sequence[Row]) -> str:
    parts = [
        f"{METHODS[method].label} {percent(mean_over_games(mine, TEST))} / {percent(mean_over_games(mine, GENERATED))}"
        for method in FLOORS
        if (mine := select(rows, method=method))
    ]
    told = f"Clicking at random wins, test / generated levels, mean of the games: {', '.join(parts)}."
    return told if parts else "What clicking at random wins was not measured."


# --- where it leads and where it trails ---------------------------------------------------------------------------


def _gaps(rows: Sequence[Row]) -> dict[tuple[str, str], dict[str, tuple[float, float]]]:
    """For each game and kind of levels: LPP's mean over all sizes and sets, and that of each other method but ours."""
    others = [method for method in METHODS if method not in (*OURS, *FLOORS)]
    found = {}
    for game in games_among(rows, list(PERFECT_FROM)):
        here = select(rows, game=game)
        own = select(here, method="lpp")
        for kind in (TEST, GENERATED):
            means = {
                method: (mean_success(own, kind), mean_success(theirs, kind))
                for method in others
                if own and (theirs := select(here, method=method))
            }
            if means:
                found[game, kind] = means
    return found


_KINDS = {TEST: "test levels", GENERATED: "generated levels"}


def _leads(rows: Sequence[Row]) -> str:
    gaps = _gaps(rows)
    if not gaps:
        return "LPP was compared with no other method."
    ahead = {
        game: f"{percent(own)} against {percent(best)} ({METHODS[name].label})"
        for (game, kind), means in gaps.items()
        if kind == TEST
        for name, (own, best) in [max(means.items(), key=lambda item: item[1][1])]
        if own > best + CLOSE
    }
    which = by_game(ahead) if ahead else "no game"
    return f"Over all sizes and sets LPP leads all other methods on the test levels in: {which}."


def _trails(rows: Sequence[Row]) -> str:
    gaps = _gaps(rows)
    if not gaps:
        return "Where LPP trails was not measured."
    behind: dict[tuple[str, str], list[str]] = {}
    for (game, kind), means in gaps.items():
        for name, (own, theirs) in means.items():
            if theirs > own + CLOSE:
                told = f"{percent(own)} against {percent(theirs)} of the {_KINDS[kind]}"
                behind.setdefault((name, game), []).append(told)
    parts = [f"{METHODS[name].label} in {title(game)} ({', '.join(told)})" for (name, game), told in behind.items()]
    told = f"LPP trails {listed(parts)}." if parts else "LPP trails no other method in any game."
    missing = [METHODS[name].label for name in BASELINES if not select(rows, method=name)]
    return f"{told} But of the paper's baselines {listed(missing)} were not run." if missing else told


# --- search, parts, few demonstrations ----------------------------------------------------------------------------


def _search(rows: Sequence[Row]) -> str:
    mine = select(rows, method="lpp")
    if not mine:
        return "How many programs LPP needs was not measured."
    firsts = {
        game: count(first_perfect(select(mine, game=game), programs, pool=fmean))
        for game in games_among(mine, list(PERFECT_FROM))
    }
    times = [learning_time(row) for row in mine if programs(row) == 10_000]
    slow = f"; a learn with 10,000 programs takes {min(times):.2f} to {max(times):.2f} s on one core" if times else ""
    return (
        f"With all 11 demonstrations LPP wins every test level, with every seed, from this many programs on: "
        f"{by_game(firsts)}{slow}."
    )


def _parts(rows: Sequence[Row]) -> str:
    few = of_size([row for row in rows if row.settings["options"].get("ensemble") != 1], FEW)
    names = [method for method in METHODS if method not in FLOORS and select(few, method=method)]
    if "lpp" not in names or len(names) < 2:
        return "What each part of LPP adds was not measured."
    told = []
    for method in names:
        mine = select(few, method=method)
        mean = percent(mean_over_games(mine, GENERATED))
        told.append(f"{METHODS[method].label} {mean}{where_only(mine, Demos.games)}")
    return f"With a part taken away, {FEW} demonstrations, generated levels, mean of the games: {', '.join(told)}."


def _beyond(rows: Sequence[Row]) -> str:
    parts = []
    for variant in VARIANTS:
        mine = select(rows, **variant.where)
        told = " / ".join(percent(mean_over_games(of_size(mine, number), GENERATED)) for number in (1, 3))
        if mine:
            parts.append(f"{variant.label} {told}{where_only(mine, Demos.games)}")
    if not parts:
        return "What one and three demonstrations on fresh generated levels are worth was not measured."
    return f"From 1 / 3 demonstrations on generated levels, mean of the games: {', '.join(parts)} of 100 new levels."
