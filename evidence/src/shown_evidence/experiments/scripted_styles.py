"""Success after a few demonstrations in a scripted style of play."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from statistics import fmean
from typing import Any

from shown.worlds import GAMES
from shown_evidence.analysis import statistics as stats
from shown_evidence.analysis.figures import STYLES, Axis, Line, Panel, Panels, floors
from shown_evidence.analysis.statistics import FLOORS, GENERATED, games_among, mean_success, of_size, select, success
from shown_evidence.analysis.success_tables import Table, what_each_is_given
from shown_evidence.experiments.beyond import OURS, PLAYED, SIZES
from shown_evidence.experiments.experiment import Experiment, Plot, Scale
from shown_evidence.results.row import Row
from shown_evidence.styles import EXPERT, styles_of
from shown_evidence.trials.demonstrators import STYLE
from shown_evidence.trials.level_sets import JUDGE
from shown_evidence.trials.methods import METHODS
from shown_evidence.trials.trial import Trial
from shown_evidence.wording import MISSING_CELL, many, percent, title

SETS = 3
USUAL = 3  # demonstrations in the tables

LEARNED = 0.9
"""Mean success on new levels from which on a style counts as learned."""

LOWERED = 0.05
"""Loss of success from which on a further demonstration counts as harmful."""

COUNTED = ("learned", "won", "nothing fits")


class ScriptedStyles(Experiment):
    """Every style of every game, 1, 2, 3 and 5 demonstrations on generated levels, three sets of each number."""

    name = "styles"
    title = "Beyond the paper: scripted styles"
    question = "Is a teacher's own style of play learned from a few games?"
    methods = ("lpp", *OURS)
    scored_on = (PLAYED,)

    def trials(self, scale: Scale) -> list[Trial]:
        return style_trials(scale, self.methods, (USUAL,))

    def plots(self, rows: Sequence[Row]) -> list[Plot | Table]:
        games = games_among(rows, self.games)
        others = [row for row in rows if _style(row.settings) not in (None, EXPERT)]
        drawn = [row for row in rows if _style(row.settings) != EXPERT]
        labels = [METHODS[method].label for method in self.methods]
        return [
            Plot(
                _figure(drawn, self.games, "success, mean over styles", _mean_of_styles),
                "New levels won, mean over all styles of a game except the expert's.",
                "won",
            ),
            Plot(
                _figure(drawn, self.games, "share of styles learned", _share_learned),
                f"Share of styles that are learned: {percent(LEARNED)} or more of new levels are won.",
                "learned",
            ),
            Table(
                (
                    *("Game", "Styles"),
                    *(f"{label}: {what}" for label in labels for what in COUNTED),
                    *(METHODS[method].label for method in FLOORS),
                ),
                [_summary(game, select(drawn, game=game)) for game in games_among(others, self.games)],
                f"{many(USUAL, 'demonstration')} each: styles learned ({percent(LEARNED)} of new levels or more), mean "
                "success, and trials in which nothing fits; last, the success of random play. "
                + what_each_is_given(self.methods),
            ),
            Table(
                ("Game", "Style", "How it plays", *labels),
                [line for game in games for line in _lines(game, select(rows, game=game))],
                f"New levels won after {' / '.join(map(str, SIZES))} demonstrations, mean over sets.",
            ),
        ]

    def text(self, rows: Sequence[Row]) -> list[str]:
        others = [row for row in rows if _style(row.settings) != EXPERT]
        parts = [(METHODS[method].label, select(others, method=method)) for method in self.methods]
        return [line for label, mine in parts for line in (*_in_all(label, mine), *_falls(label, mine))]


def style_trials(
    scale: Scale, methods: Sequence[str], quick: Sequence[int], others: Sequence[int] = SIZES
) -> list[Trial]:
    """Return the trials of some methods in every style of every game: 1, 2, 3 and 5 demonstrations by the expert, and
    `others` in other styles. Several experiments ask different questions of the same trials."""
    return [
        Trial(method, game, shown, f"{STYLE}{style.name}", 0, scale.options(method), scale.levels(PLAYED))
        for method in scale.methods_of(methods)
        for game in scale.games_of(tuple(GAMES))
        for style in styles_of(game)
        for count in scale.sizes(SIZES if style.name == EXPERT else others, quick)
        for number in range(scale.repeats(SETS, 1))
        for shown in (scale.shown_levels(JUDGE, number, count),)
    ]


def _style(settings: Mapping[str, Any]) -> str | None:
    """Return the style of a trial's demonstrations, if any."""
    kind: str = settings["demonstrations"]
    return kind.removeprefix(STYLE) if kind.startswith(STYLE) else None


def _by_style(rows: Sequence[Row]) -> dict[tuple[str, str | None], list[Row]]:
    return stats.grouped(rows, lambda row: (row.settings["game"], _style(row.settings)))


def _means(rows: Sequence[Row]) -> list[float]:
    """Return the mean success of each style."""
    return [mean_success(part, GENERATED) for part in _by_style(rows).values()]


def _mean_of_styles(rows: Sequence[Row]) -> float:
    return fmean(_means(rows))


def _share_learned(rows: Sequence[Row]) -> float:
    return fmean(mean >= LEARNED for mean in _means(rows))


def _figure(rows: Sequence[Row], games: Sequence[str], up: str, value: Callable[[Sequence[Row]], float]) -> Panels:
    panels = [_panel(game, select(rows, game=game), value) for game in games_among(rows, games)]
    return Panels(panels, [up], Axis("demonstrations", SIZES, limits=(0.7, 5.3)))


def _panel(game: str, rows: Sequence[Row], value: Callable[[Sequence[Row]], float]) -> Panel:
    lines = []
    for method in ScriptedStyles.methods:
        points = {at: value(part) for at in SIZES if (part := of_size(select(rows, method=method), at))}
        missing = [at for at in SIZES if at not in points] if points else ()
        lines.append(Line(list(points), list(points.values()), METHODS[method].label, STYLES[method], missing=missing))
    return Panel(title(game), lines, floors=floors(rows, GENERATED) if value is _mean_of_styles else ())


def _summary(game: str, rows: Sequence[Row]) -> list[str]:
    cells = [title(game), str(len(_by_style([row for row in rows if row.settings["method"] not in FLOORS])))]
    for method in ScriptedStyles.methods:
        usual = of_size(select(rows, method=method), USUAL)
        cells += _counts(usual) if usual else [MISSING_CELL] * len(COUNTED)
    return [*cells, *(percent(mean_success(select(rows, method=method), GENERATED)) for method in FLOORS)]


def _counts(rows: Sequence[Row]) -> tuple[str, str, str]:
    """Return styles learned, mean success, and trials in which nothing fits."""
    means = _means(rows)
    learned = f"{sum(mean >= LEARNED for mean in means)} of {len(means)}"
    return learned, percent(fmean(means)), f"{sum(not stats.found(row) for row in rows)} of {len(rows)}"


def _lines(game: str, rows: Sequence[Row]) -> Iterator[list[str]]:
    """Yield a line per style, in the order of their definition."""
    parts = _by_style(rows)
    for style in styles_of(game):
        mine = parts.get((game, style.name), [])
        if mine:
            cells = []
            for method in ScriptedStyles.methods:
                found = select(mine, method=method)
                means = [percent(mean_success(of_size(found, count), GENERATED)) for count in SIZES]
                cells.append(" / ".join(means) if found else MISSING_CELL)
            yield [title(game), style.name, style.plays, *cells]


def _in_all(label: str, rows: Sequence[Row]) -> Iterator[str]:
    usual = of_size(rows, USUAL)
    if usual:
        learned, won, nothing = _counts(usual)
        yield (
            f"{label}, {USUAL} demonstrations: {learned} styles are learned, {won} of new levels won, nothing fits in "
            f"{nothing} trials."
        )


def _falls(label: str, rows: Sequence[Row]) -> Iterator[str]:
    """Yield how often a larger set, with the smaller one in it, lowers success."""
    growing = [
        [success(row, GENERATED) for row in sorted(sets, key=stats.size)]
        for part in _by_style(rows).values()
        for sets in stats.grouped(part, lambda row: row.settings["levels"].partition("-")[0]).values()
    ]
    steps = [step for part in growing for step in pairwise(part)]
    if steps:
        lowered = sum(after < before - LOWERED for before, after in steps)
        yield f"{label}: a larger set, with the smaller one in it, lowers success in {lowered} of {len(steps)} cases."
