"""Success on unseen levels against the number of demonstrations: LPP and its baselines (the paper's Figure 4).

LPP is the paper's method exactly as published. Beside it stands `shown`, which reads the same demonstrations in several
ways, mirrors them, searches clause by clause and drops idle literals; here it does not practise, so that it learns from
what the others learn from. DAgger and boosted trees are what somebody might try who has neither; the CNN and the FCN
are behaviour cloning as they are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from shown.experiments import figures
from shown.experiments.claims import NO, YES, Finding, graded, holding, too_few
from shown.experiments.experiment import Experiment, Plot, Scale, Table
from shown.experiments.figures import Axis, View
from shown.experiments.paper import PERFECT_FROM
from shown.experiments.rows import Row
from shown.experiments.statistics import (
    FLOORS,
    GENERATED,
    TEST,
    TRAIN,
    first_perfect,
    fit,
    games_among,
    has_standard_options,
    mean_success,
    never_learned,
    of_size,
    select,
    size,
    success,
)
from shown.experiments.tables import MEANS, demonstrated, success_table
from shown.experiments.teaching import training_sets
from shown.experiments.trials import METHODS, NETWORKS, Trial
from shown.experiments.words import by_game, listed, percent, title

SETS = 10
SIZES = range(1, 11)
TOLD = (1, 2, 3, 5, 10)
"""How many demonstrations the tables are about."""

BASELINES = ("vpi", "lln", "fcn", "cnn")
"""The paper's."""

OTHERWISE = ("vpi-best", "lln-highest")
"""Other ways to take two of them."""

SLOW = (*NETWORKS, "dagger", "boosted", "shown")
SEEDED = (*NETWORKS, "dagger")
FEW_SETS = {"dagger": 3, "boosted": 3}
"""What others might try instead is looked at with fewer sets."""

OPTIONS: Mapping[str, Mapping[str, Any]] = {"shown": {"practise": False}}

PAPERS = ("lpp", "shown", "vpi", "lln", "fcn", "cnn")
"""The paper's methods and ours, in one figure; what else one might try is in another."""

VIEWS = (
    (
        View("9 test levels, best set", TEST, max),
        "Success on the 9 test levels, with the best of ten training sets of each size (or of as many as the legend "
        "says): as if a teacher had chosen well. This is how the paper shows it.",
        "best",
    ),
    (
        View("9 test levels, mean", TEST, spread=True),
        "The same, mean over the sets: as if the demonstrations had been drawn at random. " + figures.SHADED,
        "mean",
    ),
    (
        View("generated levels, mean", GENERATED, spread=True),
        "The same policies on 100 generated levels of each game, mean over the sets: 9 levels are few. "
        + figures.SHADED,
        "generated",
    ),
)
_SINGLE_LEVELS = re.compile(r"train:\d+(,train:\d+){0,9}")


class Demos(Experiment):
    """1 to 10 of the 11 training demonstrations, 10 different sets of each number."""

    name = "demos"
    title = "Success against demonstrations"
    question = "How many demonstrations does each method need before it wins levels it has not seen?"
    methods = ("lpp", "shown", "vpi", "vpi-best", "lln", "lln-highest", "fcn", "cnn", "dagger", "boosted")

    def trials(self, scale: Scale) -> list[Trial]:
        """Full: 10 sizes, 10 sets each. Quick: three sets, and of the slow methods one. A network begins with every set
        from weights of its own."""
        wanted = []
        for method in scale.methods_of(self.methods):
            slow = method in SLOW
            sizes = scale.sizes(SIZES, (1, 5) if slow else (1, 2, 3, 5, 8))
            sets = scale.sets or (FEW_SETS.get(method, SETS) if scale.full else 1 if slow else 3)
            options = scale.options(method, **OPTIONS.get(method, {}))
            for game in scale.games_of(self.games):
                for count in sizes:
                    for number, levels in enumerate(training_sets(count, sets)):
                        seed = number if method in SEEDED else 0
                        wanted.append(Trial(method, game, levels, "perfect", seed, options, scale.test))
        return wanted

    def includes(self, settings: Mapping[str, Any]) -> bool:
        return (
            settings["demonstrations"] == "perfect"
            and (settings["seed"] == 0 or settings["method"] in SEEDED)
            and settings["options"].get("practise") in (None, False)
            and _SINGLE_LEVELS.fullmatch(settings["levels"]) is not None
            and has_standard_options(settings, "practise")
        )

    def plots(self, rows: Sequence[Row]) -> list[Plot | Table]:
        rows = of_the_ten_sets(rows)
        columns = figures.games(games_among(rows, self.games))
        across = Axis("demonstrations", range(1, 11, 3), limits=(0.6, 10.4))
        others = ("lpp", "shown", *(name for name in self.methods if name not in PAPERS))
        groups = [(PAPERS, "", ""), (others, "-others", "Other ways to take a baseline, and what else one might try. ")]
        return [
            Plot(
                figures.success_panels(rows, size, columns, series, (view,), across),
                f"{about}{caption}",
                f"{name}{suffix}",
            )
            for names, suffix, about in groups
            if set(names) - {"lpp", "shown"}
            for series in (figures.with_sets(figures.methods(names), rows),)
            for view, caption, name in VIEWS
        ] + _tables(rows)

    def text(self, rows: Sequence[Row]) -> list[str]:
        rows = of_the_ten_sets(rows)
        means = [_means(rows, TEST, "the 9 test levels"), _means(rows, GENERATED, "the 100 generated levels")]
        return [line for line in (*means, _trials_a_game(rows)) if line]

    def findings(self, rows: Sequence[Row]) -> dict[str, Finding]:
        """What is said of LPP's need also looks at sets beyond the ten; all else compares like with like."""
        ten = of_the_ten_sets(rows)
        found = {
            "at most 5": _at_most_five(ten, rows),
            **{game: _needed(game, ten, rows) for game in PERFECT_FROM},
            "ahead": _ahead(ten),
            "cnn": _cnn(ten),
            "fcn fits": _fcn_fits(ten),
            "fcn generalises": _fcn_generalises(ten),
            "lln": _cannot_fit(("lln", "lln-highest"), ten),
            "vpi": _cannot_fit(("vpi", "vpi-best"), ten),
        }
        return {name: finding for name, finding in found.items() if finding is not None}


EXPERIMENT = Demos()


def of_the_ten_sets(rows: Sequence[Row]) -> list[Row]:
    """The results from the ten sets of each size that every method learns from, and of what learns nothing."""
    return [
        row
        for row in rows
        if row.settings["method"] in FLOORS or row.settings["levels"] in training_sets(size(row), SETS)
    ]


def _tables(rows: Sequence[Row]) -> list[Plot | Table]:
    series = figures.methods(Demos.methods)
    nine = [demonstrated(count, TEST, pool) for count in TOLD for pool in (max, fmean)]
    hundred = [demonstrated(count, GENERATED) for count in TOLD]
    return [
        success_table(rows, Demos.games, series, nine, f"Success on the 9 test levels. {MEANS}"),
        success_table(rows, Demos.games, series, hundred, f"Success on 100 generated levels. {MEANS}"),
    ]


def _means(rows: Sequence[Row], kind: str, levels: str) -> str:
    """One line on how each method does, on the whole, once it has seen a few demonstrations."""
    large = of_size(rows, 5, max(SIZES))
    parts = [
        f"{METHODS[method].label} {percent(mean_success(found, kind))}"
        for method in Demos.methods
        if (found := select(large, method=method))
    ]
    return f"With 5 demonstrations or more, over all games, on {levels}: {', '.join(parts)}." if parts else ""


def _trials_a_game(rows: Sequence[Row]) -> str:
    parts = []
    for method in Demos.methods:
        counts = [len(select(rows, method=method, game=game)) for game in Demos.games]
        if any(counts):
            parts.append(f"{METHODS[method].label} {min(count for count in counts if count)}")
    return f"Trials a game: {', '.join(parts)} (the paper: 100)."


# --- how few demonstrations LPP needs -----------------------------------------------------------------------------


def _needed(game: str, ten: Sequence[Row], every: Sequence[Row]) -> Finding | None:
    """From how many demonstrations of a game LPP wins: with ten sets of each size, and with all that were tried."""
    found, tried = (select(rows, game=game, method="lpp") for rows in (ten, every))
    if not found:
        return None
    first, chosen = first_perfect(found, size), first_perfect(tried, size)
    if first is None:
        best = max(success(row) for row in found)
        return Finding(f"Never: the best policy wins {percent(best)}.", NO)
    paper = PERFECT_FROM[game]
    measured = f"From {first}, with the best of {SETS} sets; {_on_generated(found)}"
    if chosen is not None and chosen < first:
        measured += f" {_sets_that_do(of_size(tried, chosen), chosen)}"
    return Finding(measured, graded(first <= paper, chosen is not None and chosen <= paper))


def _on_generated(rows: Sequence[Row]) -> str:
    first = first_perfect(rows, size, GENERATED)
    return f"on all 100 generated levels from {first}." if first else "never on all 100 generated levels."


def _sets_that_do(rows: Sequence[Row], count: int) -> str:
    perfect = sum(success(row) >= 1 for row in rows)
    return f"Of {len(rows)} sets of {count} tried, {perfect} give{'s' * (perfect == 1)} such a policy."


def _at_most_five(ten: Sequence[Row], every: Sequence[Row]) -> Finding:
    first, chosen = (_first_by_game(rows) for rows in (ten, every))
    if len(first) < len(PERFECT_FROM):
        return too_few(f"Measured for {len(first)} of 6 games only.")
    late = [game for game, count in first.items() if count is None or count > 5]
    if not late:
        return Finding(f"At most {max(count or 0 for count in first.values())}, in every game.", YES)
    measured = f"With the best of {SETS} sets more than 5, or never, in {listed([title(game) for game in late])}."
    with_more_sets = all((chosen[game] or 99) <= 5 for game in late)
    if with_more_sets:
        measured += " With sets chosen among all that were tried, at most 5 there too."
    return Finding(measured, graded(False, with_more_sets))


def _first_by_game(rows: Sequence[Row]) -> dict[str, int | None]:
    found = {game: select(rows, game=game, method="lpp") for game in PERFECT_FROM}
    return {game: first_perfect(part, size) for game, part in found.items() if part}


# --- the baselines with so few demonstrations ---------------------------------------------------------------------


def _ahead(rows: Sequence[Row]) -> Finding | None:
    games = games_among(rows, Demos.games)
    compared = {game: pair for game in games if (pair := _against_the_best(select(rows, game=game))) is not None}
    if not compared or len(compared) < len(games):
        return None
    parts = {game: f"{percent(own)} / {percent(best)} ({label})" for game, (own, label, best) in compared.items()}
    behind = [title(game) for game, (own, _, best) in compared.items() if own < best]
    otherwise = {game: _taken_otherwise(select(rows, game=game), own) for game, (own, _, _) in compared.items()}
    also = by_game({game: words for game, words in otherwise.items() if words})
    return Finding(
        f"Mean over all sizes and sets, LPP against the best baseline: {by_game(parts)}."
        + (f" Taken otherwise than in the paper, a baseline is ahead in: {also}." if also else ""),
        holding(own >= best for own, _, best in compared.values()),
        f"Not ahead in {listed(behind)}." if behind else "",
    )


def _against_the_best(rows: Sequence[Row]) -> tuple[float, str, float] | None:
    """In one game: LPP's mean success, the best baseline's name, and its mean."""
    means = {method: mean_success(found) for method in ("lpp", *BASELINES) if (found := select(rows, method=method))}
    own = means.pop("lpp", None)
    if own is None or not means:
        return None
    best = max(means, key=lambda method: means[method])
    return own, METHODS[best].label, means[best]


def _taken_otherwise(rows: Sequence[Row], own: float) -> str:
    """In one game: those of the other ways to take a baseline that win more than LPP."""
    means = {method: mean_success(select(rows, method=method)) for method in OTHERWISE}
    return ", ".join(f"{percent(mean)} ({METHODS[method].label})" for method, mean in means.items() if mean > own)


def _cnn(rows: Sequence[Row]) -> Finding | None:
    found = select(rows, method="cnn")
    if not found:
        return None
    train, test = mean_success(found, TRAIN), mean_success(found)
    return Finding(
        f"It wins {percent(train)} of the levels it was shown and {percent(test)} of the test levels.",
        graded(train > 0.95 and test < 0.2, train > 0.8 and test < 0.5),
    )


def _fcn_fits(rows: Sequence[Row]) -> Finding | None:
    found = select(rows, method="fcn")
    if not found:
        return None
    learned = [row for row in found if not never_learned(row)]
    repeats, repeat_then = (fmean(map(fit, part)) if part else 0.0 for part in (found, learned))
    wins, win_then = (percent(mean_success(part, TRAIN)) for part in (found, learned))
    measured = f"It repeats {percent(repeats)} of the demonstrated actions and wins {wins} of the shown levels."
    if 0 < len(learned) < len(found):
        measured += (
            f" {len(found) - len(learned)} of {len(found)} starts never learn: they repeat less than half. The others "
            f"repeat {percent(repeat_then)} and win {win_then}."
        )
    return Finding(measured, graded(repeats > 0.95, repeats > 0.8))


def _fcn_generalises(rows: Sequence[Row]) -> Finding | None:
    means = {}
    for game in ("nim", "checkmate", "reach-for-the-star", "fence-in"):
        fcn, cnn = (select(rows, game=game, method=method) for method in ("fcn", "cnn"))
        if not fcn or not cnn:
            return None
        means[game] = (mean_success(fcn), mean_success(cnn))
    parts = {game: f"{percent(fcn)} / {percent(cnn)}" for game, (fcn, cnn) in means.items()}
    return Finding(f"FCN / CNN on the test levels: {by_game(parts)}.", holding(f > c for f, c in means.values()))


def _cannot_fit(methods: Sequence[str], rows: Sequence[Row]) -> Finding | None:
    """How many of the shown levels a method wins that the paper finds too weak to fit the demonstrations, in the ways
    in which it can be taken."""
    words: list[str] = []
    means: list[float] = []
    for method in methods:
        found = select(rows, method=method)
        others = [game for game in games_among(found, Demos.games) if game != "nim"]
        if len(others) < 5:
            return None
        mine = {game: mean_success(select(found, game=game), TRAIN) for game in others}
        words.append(f"{METHODS[method].label}: {by_game({game: percent(mean) for game, mean in mine.items()})}")
        means += mine.values()
    return Finding(f"Of the shown levels. {'; '.join(words)}.", holding(mean <= 0.1 for mean in means))
