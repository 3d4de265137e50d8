"""Whether people are learned: everyone plays in a style of their own, and shows it a few times."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from statistics import fmean
from typing import Any

from shown.experiments.beyond import PLAYED, SIZES, shown_sets
from shown.experiments.claims import Finding
from shown.experiments.experiment import Experiment, Plot, Scale, Table
from shown.experiments.figures import STYLES, Axis, Line, Panel, Panels, floors, label
from shown.experiments.reserved import JUDGE
from shown.experiments.rows import Row
from shown.experiments.statistics import (
    FLOORS,
    GENERATED,
    found,
    games_among,
    grouped,
    has_standard_options,
    mean_success,
    of_size,
    select,
    size,
    success,
)
from shown.experiments.styles import EXPERT, find_style, styles_of
from shown.experiments.teaching import STYLE
from shown.experiments.trials import METHODS, Trial
from shown.experiments.words import many, percent, title

SETS = 3
USUAL = 3
"""How many demonstrations the tables are about."""

LEARNED = 0.9
"""A style counts as learned if so many of the new levels are won, on average over the sets shown."""

LOWERED = 0.05
"""A further demonstration may lower success by so much before it counts."""


class People(Experiment):
    """Every style of every game, 1, 2, 3 and 5 demonstrations on generated levels, three random sets of each number."""

    name = "people"
    title = "Beyond the paper: people"
    question = "Is a person's own way to play learned from a few games?"
    methods = ("lpp", "shown")
    scored_on = (PLAYED,)

    def trials(self, scale: Scale) -> list[Trial]:
        return [
            Trial(method, game, JUDGE.shown_levels(number, count), f"{STYLE}{style.name}", 0, options, levels)
            for method in scale.methods_of(self.methods)
            for options in (scale.options(method),)
            for levels in (scale.levels(PLAYED),)
            for game in scale.games_of(self.games)
            for style in styles_of(game)
            for count in scale.sizes(SIZES, (USUAL,))
            for number in range(scale.repeats(SETS, 1))
        ]

    def includes(self, settings: Mapping[str, Any]) -> bool:
        return (
            _style(settings) in {style.name for style in styles_of(settings["game"])}
            and settings["seed"] == 0
            and settings["levels"] in shown_sets(SETS)
            and has_standard_options(settings)
        )

    def plots(self, rows: Sequence[Row]) -> list[Plot | Table]:
        games = games_among(rows, self.games)
        everyone = [row for row in rows if _style(row.settings) not in (None, EXPERT)]
        drawn = [row for row in rows if _style(row.settings) != EXPERT]
        return [
            *(Plot(_figure(drawn, self.games, *view), caption, name) for view, caption, name in _VIEWS),
            Table(
                (
                    "Game",
                    "People",
                    *(f"{METHODS[method].label}: {what}" for method in self.methods for what in _COUNTED),
                    *(METHODS[method].label for method in FLOORS),
                ),
                [_summary(game, select(drawn, game=game)) for game in games_among(everyone, self.games)],
                f"{many(USUAL, 'demonstration')} each: how many styles are learned ({percent(LEARNED)} of new levels "
                "or more), how many levels are won on average, and in how many trials nothing fitted; last, how many "
                "are won by clicking at random.",
            ),
            Table(
                ("Game", "Style", "How it plays", *(METHODS[method].label for method in self.methods)),
                [line for game in games for line in _lines(game, select(rows, game=game))],
                f"New levels won after {' / '.join(map(str, SIZES))} demonstrations, mean over the sets shown.",
            ),
        ]

    def text(self, rows: Sequence[Row]) -> list[str]:
        everyone = [row for row in rows if _style(row.settings) != EXPERT]
        parts = [(METHODS[method].label, select(everyone, method=method)) for method in self.methods]
        return [line for label, mine in parts for line in (*_in_all(label, mine), *_falls(label, mine))]

    def findings(self, rows: Sequence[Row]) -> dict[str, Finding]:
        """The paper says nothing of this."""
        return {}


EXPERIMENT = People()

_COUNTED = ("learned", "won", "nothing fits")


def _style(settings: Mapping[str, Any]) -> str | None:
    """The style of a trial's demonstrations, if people gave them."""
    kind: str = settings["demonstrations"]
    return kind.removeprefix(STYLE) if kind.startswith(STYLE) else None


def _by_style(rows: Sequence[Row]) -> dict[tuple[str, str | None], list[Row]]:
    return grouped(rows, lambda row: (row.settings["game"], _style(row.settings)))


def _means(rows: Sequence[Row]) -> list[float]:
    """The mean success of each style."""
    return [mean_success(part, GENERATED) for part in _by_style(rows).values()]


def _won(rows: Sequence[Row]) -> float:
    """The mean success over styles."""
    return fmean(_means(rows))


def _share(rows: Sequence[Row]) -> float:
    """The share of styles that are learned."""
    return fmean(mean >= LEARNED for mean in _means(rows))


# --- the figure ---------------------------------------------------------------------------------------------------


_VIEWS: Sequence[tuple[tuple[str, Callable[[Sequence[Row]], float]], str, str]] = (
    (
        ("success, mean over styles", _won),
        "New levels won, mean over the styles of a game: everyone but the built-in expert.",
        "won",
    ),
    (
        ("share of styles learned", _share),
        f"The share of styles that are learned: {percent(LEARNED)} of new levels are won or more.",
        "learned",
    ),
)


def _figure(rows: Sequence[Row], games: Sequence[str], up: str, value: Callable[[Sequence[Row]], float]) -> Panels:
    panels = [_panel(game, select(rows, game=game), value) for game in games_among(rows, games)]
    return Panels(panels, [up], Axis("demonstrations", SIZES, limits=(0.7, 5.3)))


def _panel(game: str, rows: Sequence[Row], value: Callable[[Sequence[Row]], float]) -> Panel:
    lines = []
    for method in People.methods:
        points = {at: value(part) for at in SIZES if (part := of_size(select(rows, method=method), at))}
        missing = [at for at in SIZES if at not in points]
        lines.append(
            Line(list(points), list(points.values()), label(method), STYLES[method], missing=missing if points else ())
        )
    return Panel(title(game), lines, floors=floors(rows, GENERATED) if value is _won else ())


# --- the tables ---------------------------------------------------------------------------------------------------


def _summary(game: str, rows: Sequence[Row]) -> list[str]:
    cells = [title(game), str(len(_by_style([row for row in rows if row.settings["method"] not in FLOORS])))]
    for method in People.methods:
        mine = of_size(select(rows, method=method), USUAL)
        if not mine:
            cells += ["–"] * len(_COUNTED)
            continue
        learned = sum(mean >= LEARNED for mean in _means(mine))
        cells += [f"{learned} of {len(_by_style(mine))}", percent(fmean(_means(mine))), _nothing(mine)]
    return [*cells, *(percent(mean_success(select(rows, method=method), GENERATED)) for method in FLOORS)]


def _nothing(rows: Sequence[Row]) -> str:
    return f"{sum(not found(row) for row in rows)} of {len(rows)}"


def _lines(game: str, rows: Sequence[Row]) -> Iterator[list[str]]:
    """A line a style, in the order in which the styles are written down."""
    parts = _by_style(rows)
    for style in styles_of(game):
        mine = parts.get((game, style.name), [])
        if mine:
            cells = (_each_size(select(mine, method=method)) for method in People.methods)
            yield [title(game), style.name, find_style(game, style.name).plays, *cells]


def _each_size(rows: Sequence[Row]) -> str:
    """Success after each number of demonstrations; a dash where there are no trials."""
    return " / ".join(percent(mean_success(of_size(rows, count), GENERATED)) for count in SIZES) if rows else "–"


# --- the text -----------------------------------------------------------------------------------------------------


def _in_all(label: str, rows: Sequence[Row]) -> Iterator[str]:
    usual = of_size(rows, USUAL)
    if usual:
        learned = sum(mean >= LEARNED for mean in _means(usual))
        yield (
            f"{label}, {USUAL} demonstrations: {learned} of {len(_by_style(usual))} styles are learned, "
            f"{percent(fmean(_means(usual)))} of new levels won, nothing fits in {_nothing(usual)} trials."
        )


def _falls(label: str, rows: Sequence[Row]) -> Iterator[str]:
    """How often more demonstrations, the same ones among them, did worse."""
    steps = [step for part in _growing(rows) for step in pairwise(part)]
    if steps:
        lowered = sum(after < before - LOWERED for before, after in steps)
        yield f"{label}: a larger set, with the smaller one in it, lowers success in {lowered} of {len(steps)} cases."


def _growing(rows: Sequence[Row]) -> Iterator[list[float]]:
    """For each style and set, the success after one demonstration, then more."""
    for part in _by_style(rows).values():
        for sets in grouped(part, lambda row: row.settings["levels"].partition("-")[0]).values():
            yield [success(row, GENERATED) for row in sorted(sets, key=size)]
