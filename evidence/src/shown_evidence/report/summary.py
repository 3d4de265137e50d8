"""The findings in ten lines: the beginning of the report, computed from the store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from shown_evidence.analysis import statistics as stats
from shown_evidence.analysis.claims import MISSING, NO, PARTLY, YES, Claim
from shown_evidence.analysis.statements import PERFECT_FROM, STATEMENTS
from shown_evidence.analysis.statistics import FLOORS, GENERATED, TEST, games_among, mean_success, of_size, select
from shown_evidence.analysis.success_tables import LEVELS
from shown_evidence.experiments.ablations import each_method
from shown_evidence.experiments.beyond import VARIANTS
from shown_evidence.experiments.demos import BASELINES, Demos, of_the_ten_sets
from shown_evidence.experiments.program_budget import until_perfect
from shown_evidence.results.row import Row
from shown_evidence.trials.methods import METHODS
from shown_evidence.wording import by_game, count, listed, many, percent, title

OURS = ("lpp", "shown")
OTHERS = tuple(method for method in METHODS if method not in (*OURS, *FLOORS))
GAMES = tuple(PERFECT_FROM)
FEW = 5  # demonstrations of the lines on few demonstrations

ByExperiment = Mapping[str, Sequence[Row]]
"""Results by name of the experiment."""

Means = dict[tuple[str, str, str], tuple[float, float]]
"""Means of LPP and another method by method, game and kind of levels."""

DIFFERS = (
    "shown, our default, accepts equivalent clicks, mirrors demonstrations, searches clauses too and drops idle "
    "literals; here it does not practice"
)


def ten_lines(rows: ByExperiment, claims: Mapping[str, Sequence[Claim]]) -> list[str]:
    """Return the findings, including where LPP trails and what was not measured."""
    demos = of_the_ten_sets(rows.get("demos", ()))
    few = _from_few(demos, "lpp"), f"{_from_few(demos, 'shown')} ({DIFFERS}.)"
    floors, programs, ablations, beyond = (rows.get(name, ()) for name in ("floors", "programs", "ablations", "beyond"))
    compared = _random_play(floors, demos), _leads(demos), _trails(demos)
    return [_agreement(claims), _needed(demos), *few, *compared, _search(programs), _parts(ablations), _beyond(beyond)]


def unmeasured(claims: Mapping[str, Sequence[Claim]]) -> dict[str, list[str]]:
    """Return the names of statements that were not measured, by experiment."""
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
        f"Of {sum(number.values())} statements of the paper, {number[YES]} agree with our measurements, "
        f"{number[PARTLY]} in part and {number[NO]} not; {number[MISSING]} not measured"
        f"{f': {missing}' if missing else ''}."
    )


# --- demonstrations -----------------------------------------------------------------------------------------------


def _needed(rows: Sequence[Row]) -> str:
    mine = select(rows, method="lpp")
    if not mine:
        return "How many demonstrations LPP needs was not measured."
    firsts = {game: stats.first_perfect(select(mine, game=game), stats.size) for game in games_among(mine, GAMES)}
    parts = by_game({game: f"{count(first)} (paper {PERFECT_FROM[game]})" for game, first in firsts.items()})
    return (
        "LPP, as published, wins all 9 test levels, with the best of the training sets, from this many "
        f"demonstrations: {parts}."
    )


def _from_few(rows: Sequence[Row], method: str) -> str:
    """Report the mean over all sets: the success of a user who does not know which demonstrations are good."""
    label, few = METHODS[method].label, of_size(select(rows, method=method), FEW)
    if not few:
        return f"The success of {label} from {FEW} demonstrations was not measured."
    test, generated = (percent(stats.mean_over_games(few, kind)) for kind in (TEST, GENERATED))
    games = {game: percent(mean_success(select(few, game=game), GENERATED)) for game in games_among(few, GAMES)}
    return (
        f"From any {FEW} demonstrations {label} wins {test} of the test levels and {generated} of 100 generated ones, "
        f"mean over games; generated levels: {by_game(games)}."
    )


def _random_play(rows: Sequence[Row], demos: Sequence[Row]) -> str:
    means = {
        METHODS[method].label: [percent(stats.mean_over_games(mine, kind)) for kind in (TEST, GENERATED)]
        for method in FLOORS
        if (mine := select(rows, method=method))
    }
    if not means:
        return "The success of random clicks was not measured."
    parts = [f"{label} {' / '.join(both)}" for label, both in means.items()]
    return f"Random clicks win, test / generated levels, mean over games: {', '.join(parts)}.{_below_random(demos)}"


def _below_random(rows: Sequence[Row]) -> str:
    """Report the methods that win fewer levels than random sensible clicks."""
    below: dict[str, list[str]] = {}
    for game in games_among(rows, GAMES):
        here = select(rows, game=game)
        floor = mean_success(select(here, method=FLOORS[-1]), GENERATED)
        for method in Demos.methods:
            if mean_success(select(here, method=method), GENERATED) < floor - stats.CLOSE:  # false for NaN
                below.setdefault(f"{title(game)} ({percent(floor)})", []).append(f"“{METHODS[method].label}”")
    parts = [f"in {game} {listed(labels)}" for game, labels in below.items()]
    begins = f"Over all sizes and sets, these win fewer generated levels than {METHODS[FLOORS[-1]].label}"
    return f" {begins}: {'; '.join(parts)}." if parts else ""


# --- where LPP leads and trails -----------------------------------------------------------------------------------


def _compared(rows: Sequence[Row], methods: Sequence[str]) -> Means:
    """Return the means of LPP and another method over all sizes and sets, from the same demonstrations."""
    found = {}
    for game in games_among(rows, GAMES):
        here = select(rows, game=game)
        for method in methods:
            own, theirs = stats.matched(select(here, method="lpp"), select(here, method=method))
            if own:
                for kind in (TEST, GENERATED):
                    found[method, game, kind] = mean_success(own, kind), mean_success(theirs, kind)
    return found


def _leads(rows: Sequence[Row]) -> str:
    compared = _compared(rows, OTHERS)
    if not compared:
        return "LPP was compared with no other method."
    ahead = {}
    for game in games_among(rows, GAMES):
        here = {method: pair for (method, name, kind), pair in compared.items() if (name, kind) == (game, TEST)}
        if here and all(own > theirs + stats.CLOSE for own, theirs in here.values()):
            best = max(here, key=lambda method: here[method][1])
            own, theirs = map(percent, here[best])
            ahead[game] = f"{own} against {theirs} ({_with_sets(best, rows)})"
    which = by_game(ahead) if ahead else "no game"
    return (
        "Over all sizes and sets LPP leads all methods that are not ours on the test levels, here beside the best of "
        f"them from the same demonstrations, in: {which}."
    )


def _with_sets(method: str, rows: Sequence[Row]) -> str:
    """Return a method's label, with its number of training sets if LPP has more."""
    theirs, own = (stats.training_sets_of(select(rows, method=name)) for name in (method, "lpp"))
    return METHODS[method].label + (f", {many(theirs, 'set')}" if theirs < own else "")


def _trails(rows: Sequence[Row]) -> str:
    compared = _compared(rows, OTHERS)
    if not compared:
        return "Where LPP trails was not measured."
    behind = _behind({key: (own, theirs) for key, (own, theirs) in compared.items() if theirs > own + stats.CLOSE})
    parts = [f"{METHODS[method].label} in {where}" for method, where in behind]
    texts = [f"LPP trails {listed(parts)}." if parts else "LPP trails no method that is not ours in any game."]
    ours = _compared(rows, ["shown"])
    behind = _behind({key: (theirs, own) for key, (own, theirs) in ours.items() if own > theirs + stats.CLOSE})
    texts += [f"{METHODS['shown'].label} trails LPP in {listed([where for _, where in behind])}."] * bool(behind)
    missing = [METHODS[name].label for name in BASELINES if not select(rows, method=name)]
    return " ".join(texts + [f"But of the paper's baselines {listed(missing)} were not run."] * bool(missing))


def _behind(means: Means) -> list[tuple[str, str]]:
    """Return methods with games, and in brackets the smaller and the larger mean on each kind of levels."""
    found: dict[tuple[str, str], list[str]] = {}
    for (method, game, kind), (less, more) in means.items():
        text = f"{percent(less)} against {percent(more)} of the {LEVELS[kind]}"
        found.setdefault((method, game), []).append(text)
    return [(method, f"{title(game)} ({', '.join(texts)})") for (method, game), texts in found.items()]


# --- search, parts, few demonstrations ----------------------------------------------------------------------------


def _search(rows: Sequence[Row]) -> str:
    mine = select(rows, method="lpp")
    if not mine:
        return "How many programs LPP needs was not measured."
    times = [stats.learning_time(row) for row in mine if stats.programs(row) == 10_000]
    took = f"; a learn with 10,000 programs takes {min(times):.2f} to {max(times):.2f} s on one core" if times else ""
    return (
        "With all 11 demonstrations LPP wins every test level, with every seed, with this many programs: "
        f"{by_game(until_perfect(mine))}{took}."
    )


def _parts(rows: Sequence[Row]) -> str:
    parts = each_method(of_size(rows, FEW), lambda mine: percent(stats.mean_over_games(mine, GENERATED)))
    if len(parts) < 2:
        return "What each part of LPP contributes was not measured."
    return f"Without one part, {FEW} demonstrations, generated levels, mean over games: {', '.join(parts)}."


def _beyond(rows: Sequence[Row]) -> str:
    parts = []
    for variant in VARIANTS:
        mine = select(rows, **variant.where)
        means = " / ".join(percent(stats.mean_over_games(of_size(mine, number), GENERATED)) for number in (1, 3))
        if mine:
            parts.append(f"{variant.label} {means}{stats.only_some_games(mine, Demos.games)}")
    if not parts:
        return "Success from one and three demonstrations on new generated levels was not measured."
    return f"From 1 / 3 demonstrations on generated levels, mean over games: {', '.join(parts)} of 100 new levels."
