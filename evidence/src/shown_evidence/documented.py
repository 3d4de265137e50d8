"""What the documentation says of the stored results: tables, and paragraphs in which every number is computed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean, median
from textwrap import fill
from typing import Any

from shown_evidence.analysis import statistics as stats
from shown_evidence.analysis.statements import PERFECT_FROM
from shown_evidence.analysis.statistics import GENERATED, mean_over_games, mean_success, of_size, select, success
from shown_evidence.analysis.success_tables import Table
from shown_evidence.experiments import find
from shown_evidence.experiments.confidence import calibration_error, cases
from shown_evidence.paper_table import (
    GAMES,
    Results,
    Rows,
    counts,
    needed,
    paper_table,
    reasons,
    shares,
    table,
    ten_sets,
)
from shown_evidence.results.row import Row
from shown_evidence.trials.methods import METHODS
from shown_evidence.wording import MISSING_CELL, by_game, listed, percent, title

# --- rows ---------------------------------------------------------------------------------------------------------

SIZES = (1, 2, 3, 5)
LEARNERS = {"lpp": "LPP, as published", "shown": "`shown`", "shown-practice": "`shown` + practice"}
OURS = list(LEARNERS)[1:]
LEARNED = 0.9  # success from which on a style counts as learned, and a rule as good
REACHED = 0.95  # success from which on a world counts as solved
EXPERT = "style:expert"
MINATAR = ("Freeway", "Breakout", "SpaceInvaders", "Asterix")


def _styles(results: Results, method: str, count: int) -> dict[tuple[str, str], list[Row]]:
    """Return the results of a method in each style but the expert's, by game and style."""
    own = of_size(select(results["styles"], method=method), count)
    found = stats.grouped(
        own, lambda row: (row.settings["game"], row.settings["demonstrations"].removeprefix("style:"))
    )
    return {key: rows for key, rows in found.items() if key[1] != "expert"}


def _all(styles: Mapping[tuple[str, str], Rows]) -> list[Row]:
    return [row for rows in styles.values() for row in rows]


def _mean_of_styles(styles: Mapping[tuple[str, str], Rows]) -> float:
    return fmean(mean_success(rows, GENERATED) for rows in styles.values())


def _learned(styles: Mapping[tuple[str, str], Rows], kind: str = GENERATED) -> int:
    return sum(mean_success(rows, kind) >= LEARNED for rows in styles.values())


def _expert(results: Results, method: str, count: int, **where: Any) -> list[Row]:
    return of_size(select(results["beyond"], method=method, demonstrations=EXPERT, **where), count)


def _worlds(rows: Rows) -> list[float]:
    """Return the mean success in each world."""
    return [mean_success(part, "seeds") for part in stats.grouped(rows, lambda row: row.settings["game"]).values()]


def _return(rows: Rows, whose: str) -> float:
    """Return the mean reward of a player over all results and played seeds."""
    return fmean(reward for row in rows for spec in row.settings["test"] for reward in stats.measured(row)[whose][spec])


# --- tables and texts of the report -------------------------------------------------------------------------------


def _report_table(experiment: str, number: int = 0) -> Callable[[Results], str]:
    def shown(results: Results) -> str:
        exhibits = find(experiment).present(results[experiment]).plots
        tables = [item for item in exhibits if isinstance(item, Table)]
        return table(tables[number].head, tables[number].rows)

    return shown


def _report_text(experiment: str, lines: slice) -> Callable[[Results], str]:
    return lambda results: fill(" ".join(find(experiment).present(results[experiment]).text[lines]), 120)


# --- beyond the paper ---------------------------------------------------------------------------------------------


def beyond(results: Results) -> str:
    """Return success from the expert's demonstrations and in other styles, and the error of the expected success."""

    def line(label: str, value: Callable[[str, int], float], text: Callable[..., str] = shares) -> list[str]:
        return [label, *(text(value(method, count) for count in SIZES) for method in LEARNERS)]

    def success_in(game: str) -> Callable[[str, int], float]:
        return lambda method, count: mean_success(_expert(results, method, count, game=game), GENERATED)

    def nothing_fits(method: str, count: int) -> int:
        return sum(not stats.found(row) for row in _all(_styles(results, method, count)))

    lines = [
        *(line(title(game), success_in(game)) for game in GAMES),
        line("mean of the six", lambda method, count: mean_over_games(_expert(results, method, count), GENERATED)),
        line("54 other styles", lambda method, count: _mean_of_styles(_styles(results, method, count))),
        line("styles learned, of 54", lambda method, count: _learned(_styles(results, method, count)), counts),
        line("nothing fits, of 162", nothing_fits, counts),
        ["calibration error", MISSING_CELL, *(f"{_calibration(results, method):.3f}" for method in OURS)],
        _in_worlds(results, "16 worlds of Minigrid, from 1 / 3 / 5", fmean),
        _in_worlds(results, "the worst of these", min),
        ["MinAtar, of the expert's return, from 5", *[MISSING_CELL] * 2, shares(_of_expert(results))],
    ]
    return table(("from 1 / 2 / 3 / 5", *LEARNERS.values()), lines)


ADDED: Mapping[str, Mapping[str, Any]] = {
    "LPP, as published": {"method": "lpp"},
    "and mirrored": {"method": "lpp-with", "mirrored": True, "clauses": False},
    "and clause search": {"method": "lpp-with", "mirrored": False, "clauses": True},
    "and standard vocabulary": {"method": "lpp-with", "mirrored": False, "clauses": False, "words": "standard"},
    "and all three": {"method": "lpp-with", "mirrored": True, "clauses": True},
}


def additions(results: Results) -> str:
    """Return the mean success over games with one addition at a time."""
    parts = [select(results["additions"], **where) for where in ADDED.values()]
    won = [shares(mean_over_games(of_size(rows, count), GENERATED) for count in SIZES) for rows in parts]
    return table(ADDED, [won])


def styles_missed(results: Results) -> str:
    """Return the styles that are not learned from three demonstrations."""
    found = {key: mean_success(rows, GENERATED) for key, rows in _styles(results, "shown-practice", 3).items()}
    missed = [f"`{style}` in {title(game)} ({percent(won)})" for (game, style), won in found.items() if won < LEARNED]
    return fill(
        f"With practice from three, {len(found) - len(missed)} of {len(found)} are learned; not {listed(missed)}.", 120
    )


def one_rule(results: Results) -> str:
    """Return what the printed rule, all rules and the policy win."""
    lines = []
    for label, parts in (
        ("the expert", [_expert(results, "shown-practice", count) for count in SIZES]),
        ("54 other styles", [_all(_styles(results, "shown-practice", count)) for count in SIZES]),
    ):
        players = [shares(mean_success(part, f"{who}{GENERATED}") for part in parts) for who in ("rule ", "vote ", "")]
        about = [[stats.measured(row)["learned"] for row in part] for part in parts]
        acts = counts(sum(one["acts"] == "rule" for one in part) for part in about)
        words = " / ".join(f"{median(one['conditions'] for one in part):g}" for part in about)
        lines.append([label, str(len(parts[0])), *players, acts, words])
    return table(
        ("from 1 / 2 / 3 / 5", "cases", "rule alone", "all rules", "what acts", "rule acts", "conditions"), lines
    )


CONTROLS = {
    "a random click, `shown` + practice": ("shown-practice", "random-click"),
    "the expert's first click, `shown` + practice": ("shown-practice", "first-click"),
    "one whole game, `shown` + practice": ("shown-practice", EXPERT),
    "a search without demonstrations": ("search", "random-click"),
}


def controls(results: Results) -> str:
    """Return what practice and a search win without demonstrations."""
    lines = []
    for label, (method, kind) in CONTROLS.items():
        own = select(results["controls"], method=method, demonstrations=kind)
        lines.append([label, *(percent(mean_success(select(own, game=game), GENERATED)) for game in GAMES)])
    return table(("", *map(title, GAMES)), lines)


PLAYERS: Mapping[str, Mapping[str, Any]] = {
    "`shown` + practice": {"method": "shown-world", "rounds": 30},
    "LPP, as published": {"method": "lpp"},
    "boosted trees around the agent": {"method": "boosted-buttons"},
    "decision tree around the agent": {"method": "tree-buttons"},
    "CNN": {"method": "cnn"},
    "CNN, mirrored data": {"method": "cnn-mirrored"},
    "random actions": {"method": "random"},
}


def minigrid(results: Results) -> str:
    """Return mean and worst success over the worlds of Minigrid, and the number of solved ones."""
    lines = []
    for label, where in PLAYERS.items():
        parts = [_worlds(of_size(select(results["minigrid"], **where), count)) for count in (1, 3, 5)]
        cells = [f"{percent(fmean(won))}, {percent(min(won))}, {sum(one >= REACHED for one in won)}" for won in parts]
        lines.append([label, *cells])
    return table(("mean, worst, solved of 16", "from 1", "from 3", "from 5"), lines)


VOCABULARIES = {"paper": 0, "standard": 0, "walking": 0, "standard, practiced": 30}


def vocabularies(results: Results) -> str:
    """Return the success in six worlds of Minigrid by vocabulary, and with practice."""
    ours = select(results["minigrid"], method="shown-world")
    lines = []
    for game in dict.fromkeys(row.settings["game"] for row in select(ours, language="walking")):
        lines.append([game.partition("-")[2].removesuffix("-v0")])
        for name, rounds in VOCABULARIES.items():
            own = select(ours, game=game, language=name.partition(",")[0], rounds=rounds)
            lines[-1].append(shares(mean_success(of_size(own, count), "seeds") for count in (1, 3, 5)))
    return table(("from 1 / 3 / 5", *VOCABULARIES), lines)


def _in_worlds(results: Results, label: str, value: Callable[[Sequence[float]], float]) -> list[str]:
    parts = [select(results["minigrid"], **PLAYERS[player]) for player in ("LPP, as published", "`shown` + practice")]
    lpp, ours = (shares(value(_worlds(of_size(part, count))) for count in (1, 3, 5)) for part in parts)
    return [label, lpp, MISSING_CELL, ours]


def _calibration(results: Results, method: str) -> float:
    return calibration_error(cases(select(results["confidence"], method=method)))


def _of_expert(results: Results) -> list[float]:
    """Return the share of the expert's return in each game of MinAtar from five demonstrations."""
    five = of_size(results["minatar"], 5)
    games = [[row for row in five if f":MinAtar{game}-" in row.settings["game"]] for game in MINATAR]
    return [_return(rows, "reward") / _return(rows, "expert") for rows in games]


# --- the paper's questions ----------------------------------------------------------------------------------------


COMPARED = find("demos").methods
"""Methods that learn from the paper's numbers of demonstrations."""

LEAST = 30  # trials of a mean


def _means(results: Results, game: str) -> dict[str, float]:
    """Return the mean success on the test levels of each method with enough trials, over 1 to 10 demonstrations."""
    own = ten_sets(select(results["demos"], game=game))
    parts = {method: select(own, method=method) for method in COMPARED}
    return {method: mean_success(part) for method, part in parts.items() if len(part) >= LEAST}


def games(results: Results) -> str:
    """Return the success of LPP and `shown` in each game beside the two best other methods."""
    return table(
        ("game", "LPP", "`shown`", "best alternatives"), [_beside(game, _means(results, game)) for game in GAMES]
    )


def _beside(game: str, means: dict[str, float]) -> list[str]:
    best = max(means.values())
    own = [means.pop("lpp"), means.pop("shown")]
    others = sorted(means, key=lambda method: -means[method])[:2]
    cells = [f"{METHODS[method].label} {_bold(means[method], best)}" for method in others if means[method] >= 0.005]
    return [
        title(game),
        *(_bold(value, best) for value in own),
        "; ".join(cells) or f"all others at most {percent(means[others[0]])}",
    ]


def _bold(value: float, best: float) -> str:
    return f"**{percent(value)}**" if value == best else percent(value)


def networks(results: Results) -> str:
    """Return what networks win from few demonstrations and from many."""
    own = ten_sets(results["demos"])
    played = "".join(stats.measured(row)["won"]["test:0-8"] for row in select(own, method="cnn"))
    dagger, tuned = (percent(mean_over_games(select(own, method=method))) for method in ("dagger", "fcn-tuned"))
    fcn, cnn = (
        of_size(select(results["data-efficiency"], method=method, game=game), 500)
        for method, game in (("fcn", "checkmate"), ("cnn", "nim"))
    )
    return fill(
        f"From one to ten demonstrations a cloned CNN wins {played.count('1')} of {len(played):,} test levels, with "
        f"DAgger {dagger}; an FCN with mirrored data and tuned settings wins {tuned}. With 500 demonstrations, "
        f"{_perfect(fcn)} FCNs win every test level of {title('checkmate')}, and {_perfect(cnn)} CNNs "
        f"those of {title('nim')}.",
        120,
    )


def _perfect(rows: Rows) -> str:
    return f"{sum(success(row) == 1 for row in rows)} of {len(rows)}"


def judged(results: Results) -> str:
    """Return where `shown` leads and where it is weak, in a paragraph."""
    one, two = (
        [mean_success(_expert(results, "shown-practice", count, game=game), GENERATED) for game in GAMES]
        for count in (1, 2)
    )
    from_three = {method: _learned(_styles(results, method, 3)) for method in LEARNERS}
    rules = _learned(_styles(results, "shown-practice", 3), f"rule {GENERATED}")
    weak = {game: percent(won) for game, won in zip(GAMES, one, strict=True) if won < LEARNED}
    ours, *clones = (
        _worlds(of_size(select(results["minigrid"], **PLAYERS[label]), count))
        for label, count in (("`shown` + practice", 1), *((label, 5) for label in list(PLAYERS)[2:6]))
    )
    return fill(
        "With practice, judged once on levels on which nothing was chosen, `shown` wins "
        f"{percent(min(two))} or more from two demonstrations in every game. Of 54 scripted styles of play it learns "
        f"{from_three['shown-practice']} from three (LPP {from_three['lpp']}); the printed rule alone learns {rules}. "
        f"From one demonstration it is weaker: {by_game(weak)}. In {len(ours)} worlds of Minigrid and BabyAI it wins "
        f"{percent(min(ours))} or more from one demonstration; clones win {percent(min(map(fmean, clones)))} to "
        f"{percent(max(map(fmean, clones)))} in the mean from five.",
        120,
    )


def trails(results: Results) -> str:
    """Return where LPP needs more demonstrations than in the paper, and what it wins from any five."""
    pairs = [(game, count, PERFECT_FROM[game]) for game, count in zip(GAMES, needed(results["demos"]), strict=True)]
    late = [
        f"{title(game)} ({count or 'never'} instead of {paper})"
        for game, count, paper in pairs
        if (count or 99) > paper
    ]
    own = of_size(ten_sets(results["demos"]), 5)
    every, chase = (
        [percent(value(select(rows, method=method), GENERATED)) for method in ("lpp", "shown")]
        for value, rows in ((mean_over_games, own), (mean_success, select(own, game="chase")))
    )
    return fill(
        f"LPP needs more demonstrations than in the paper in {listed(late)}, with the best of ten sets. From any five "
        f"it wins {every[0]} of 100 generated levels, mean of the games, and {chase[0]} in {title('chase')}; `shown` "
        f"wins {every[1]} and {chase[1]} from the same.",
        120,
    )


VALUES: Mapping[str, Callable[[Results], str]] = {
    "paper": paper_table,
    "not-reached": reasons,
    "trails": trails,
    "games": games,
    "networks": networks,
    "released": _report_table("released"),
    "released-tally": _report_text("released", slice(1)),
    "breakout": _report_table("breakout"),
    "breakout-blocks": _report_table("breakout", 1),
    "judged": judged,
    "beyond": beyond,
    "additions": additions,
    "styles-missed": styles_missed,
    "one-rule": one_rule,
    "confidence": _report_text("confidence", slice(None)),
    "controls": controls,
    "minigrid": minigrid,
    "vocabularies": vocabularies,
    "minatar": _report_table("minatar"),
}
"""What may stand between markers, by name."""
