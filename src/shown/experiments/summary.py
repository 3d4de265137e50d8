"""What was found, in ten lines: the beginning of the report, counted from the store every time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from shown.experiments.ablations import each_method
from shown.experiments.beyond import VARIANTS
from shown.experiments.claims import MISSING, NO, PARTLY, YES, Claim
from shown.experiments.demos import BASELINES, Demos, of_the_ten_sets
from shown.experiments.paper import PERFECT_FROM, STATEMENTS
from shown.experiments.programs import until_perfect
from shown.experiments.rows import Row
from shown.experiments.statistics import (
    CLOSE,
    FLOORS,
    GENERATED,
    TEST,
    alike,
    first_perfect,
    games_among,
    learning_time,
    mean_over_games,
    mean_success,
    of_size,
    programs,
    select,
    size,
    training_sets_of,
)
from shown.experiments.trials import METHODS
from shown.experiments.words import by_game, count, listed, many, percent, title, where_only

OURS = ("lpp", "shown")
FEW = 5
"""So many demonstrations are few: what a method wins from them is told."""

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
        _floors(rows.get("floors", ()), demos),
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
    missing = "; ".join(f"{', '.join(names)} ({group})" for group, names in unmeasured(claims).items())
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


def _floors(rows: Sequence[Row], demos: Sequence[Row]) -> str:
    parts = [
        f"{METHODS[method].label} {percent(mean_over_games(mine, TEST))} / {percent(mean_over_games(mine, GENERATED))}"
        for method in FLOORS
        if (mine := select(rows, method=method))
    ]
    if not parts:
        return "What clicking at random wins was not measured."
    return (
        f"Clicking at random wins, test / generated levels, mean of the games: {', '.join(parts)}."
        f"{_below_the_floor(demos)}"
    )


def _below_the_floor(rows: Sequence[Row]) -> str:
    """Where a method wins fewer levels than one does who clicks at random what changes something."""
    below: dict[str, list[str]] = {}
    for game in games_among(rows, list(PERFECT_FROM)):
        here = select(rows, game=game)
        floor = mean_success(select(here, method=FLOORS[-1]), GENERATED)
        for method in Demos.methods:
            if mean_success(select(here, method=method), GENERATED) < floor - CLOSE:  # never so where one is missing
                below.setdefault(f"{title(game)} ({percent(floor)})", []).append(f"“{METHODS[method].label}”")
    parts = [f"in {game} {listed(labels)}" for game, labels in below.items()]
    begins = f"Over all sizes and sets, fewer generated levels than {METHODS[FLOORS[-1]].label} win"
    return f" {begins}: {'; '.join(parts)}." if parts else ""


# --- where it leads and where it trails ---------------------------------------------------------------------------


Pair = tuple[str, str, str]
"""A method, a game and a kind of levels."""


def _beside(rows: Sequence[Row], methods: Sequence[str]) -> dict[Pair, tuple[float, float]]:
    """LPP's mean over all sizes and sets beside another method's from the same demonstrations."""
    found = {}
    for game in games_among(rows, list(PERFECT_FROM)):
        here = select(rows, game=game)
        for method in methods:
            own, theirs = alike(select(here, method="lpp"), select(here, method=method))
            if own:
                for kind in (TEST, GENERATED):
                    found[method, game, kind] = mean_success(own, kind), mean_success(theirs, kind)
    return found


OTHERS = tuple(method for method in METHODS if method not in (*OURS, *FLOORS))

_KINDS = {TEST: "test levels", GENERATED: "generated levels"}


def _leads(rows: Sequence[Row]) -> str:
    beside = _beside(rows, OTHERS)
    if not beside:
        return "LPP was compared with no other method."
    ahead = {}
    for game in games_among(rows, list(PERFECT_FROM)):
        here = {method: pair for (method, name, kind), pair in beside.items() if (name, kind) == (game, TEST)}
        if here and all(own > theirs + CLOSE for own, theirs in here.values()):
            best = max(here, key=lambda method: here[method][1])
            own, theirs = map(percent, here[best])
            ahead[game] = f"{own} against {theirs} ({_with_sets(best, rows)})"
    which = by_game(ahead) if ahead else "no game"
    return (
        "Over all sizes and sets LPP leads all methods that are not ours on the test levels, here beside the best of "
        f"them from the same demonstrations, in: {which}."
    )


def _with_sets(method: str, rows: Sequence[Row]) -> str:
    """A method's name, with its number of training sets where LPP has more."""
    theirs, own = (training_sets_of(select(rows, method=name)) for name in (method, "lpp"))
    return METHODS[method].label + (f", {many(theirs, 'set')}" if theirs < own else "")


def _trails(rows: Sequence[Row]) -> str:
    beside = _beside(rows, OTHERS)
    if not beside:
        return "Where LPP trails was not measured."
    behind = _behind({pair: (own, theirs) for pair, (own, theirs) in beside.items() if theirs > own + CLOSE})
    parts = [f"{METHODS[method].label} in {where}" for method, where in behind]
    told = [f"LPP trails {listed(parts)}." if parts else "LPP trails no method that is not ours in any game."]
    ours = _beside(rows, ["shown"])
    behind = _behind({pair: (theirs, own) for pair, (own, theirs) in ours.items() if own > theirs + CLOSE})
    told += [f"{METHODS['shown'].label} trails LPP in {listed([where for _, where in behind])}."] * bool(behind)
    missing = [METHODS[name].label for name in BASELINES if not select(rows, method=name)]
    return " ".join(told + [f"But of the paper's baselines {listed(missing)} were not run."] * bool(missing))


def _behind(pairs: Mapping[Pair, tuple[float, float]]) -> list[tuple[str, str]]:
    """Each method with a game in which it is met, and in brackets the less and the more, on each kind of levels."""
    found: dict[tuple[str, str], list[str]] = {}
    for (method, game, kind), (less, more) in pairs.items():
        told = f"{percent(less)} against {percent(more)} of the {_KINDS[kind]}"
        found.setdefault((method, game), []).append(told)
    return [(method, f"{title(game)} ({', '.join(told)})") for (method, game), told in found.items()]


# --- search, parts, few demonstrations ----------------------------------------------------------------------------


def _search(rows: Sequence[Row]) -> str:
    mine = select(rows, method="lpp")
    if not mine:
        return "How many programs LPP needs was not measured."
    times = [learning_time(row) for row in mine if programs(row) == 10_000]
    slow = f"; a learn with 10,000 programs takes {min(times):.2f} to {max(times):.2f} s on one core" if times else ""
    return (
        f"With all 11 demonstrations LPP wins every test level, with every seed, with this many programs: "
        f"{by_game(until_perfect(mine))}{slow}."
    )


def _parts(rows: Sequence[Row]) -> str:
    parts = each_method(of_size(rows, FEW), lambda mine: percent(mean_over_games(mine, GENERATED)))
    if len(parts) < 2:
        return "What each part of LPP adds was not measured."
    return f"With a part taken away, {FEW} demonstrations, generated levels, mean of the games: {', '.join(parts)}."


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
