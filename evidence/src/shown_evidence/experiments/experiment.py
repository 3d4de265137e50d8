"""What an experiment is: the trials it needs, the results that belong to it, and how they are presented."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any, ClassVar

from shown.worlds import GAMES
from shown_evidence.analysis import exhibits
from shown_evidence.analysis.exhibits import Axis, Exhibit, LevelView, Plot, Series, Table, TableColumn
from shown_evidence.analysis.statements import STATEMENTS, Claim, Finding, judged
from shown_evidence.analysis.statistics import FLOORS, games_among
from shown_evidence.trials.demonstrators import TRAINING_LEVELS, training_sets
from shown_evidence.trials.learners import METHODS
from shown_evidence.trials.row import Row
from shown_evidence.trials.trial import GENERATED_LEVELS, TEST_LEVELS, Trial, find_place, settings_key

# --- trials -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Scale:
    """How much of an experiment to run.

    Attributes:
        full: everything. Otherwise, for a first look, one set of the first and the middle one of all sizes, options and
            kinds of demonstrations.
        games, methods, demos: only these games, methods, numbers of demonstrations.
        sets: maximum number of training sets (or repetitions) per point.
        programs: maximum number of programs per learn.
        test: levels to score instead of an experiment's own.
    """

    full: bool = False
    games: tuple[str, ...] | None = None
    methods: tuple[str, ...] | None = None
    demos: tuple[int, ...] | None = None
    sets: int | None = None
    programs: int | None = None
    test: tuple[str, ...] | None = None

    def some(self, values: Sequence[Any]) -> Sequence[Any]:
        """Return all values or, for a first look, the first and the middle one.

        >>> Scale().some((1, 2, 3, 5)), Scale(full=True).some((1, 2, 3, 5))
        ([1, 3], (1, 2, 3, 5))
        """
        return values if self.full else [values[i] for i in sorted({0, len(values) // 2})]

    def options(self, method: str, own: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options of a trial, with at most the wanted number of programs."""
        chosen, defaults = dict(own), METHODS[method].options
        if self.programs is not None and "programs" in defaults:
            chosen["programs"] = min(self.programs, chosen.get("programs", defaults["programs"]))
        return chosen


def named_among(wanted: Sequence[Any] | None, own: Sequence[Any]) -> list[Any]:
    """Return the own values that are wanted: all if none are named."""
    return [value for value in own if wanted is None or value in wanted]


def check(scale: Scale) -> None:
    """Raise BadInput for unknown games and methods."""
    for game in scale.games or ():
        find_place(game)
    for method in scale.methods or ():
        Trial(method, "nim", "train:0")


def training_set(number: int, size: int) -> str:
    """Return a set of the training levels; there is one of all of them.

    >>> training_set(0, 2), training_set(2, 11)
    ('train:4,train:8', 'train:0-10')
    """
    return f"train:0-{size - 1}" if size == TRAINING_LEVELS else training_sets(size, number + 1)[number]


@dataclass(frozen=True)
class Design:
    """Trials: every combination of methods, games, options, kinds of demonstrations, sizes and sets.

    Attributes:
        sizes: numbers of demonstrations.
        sets: sets of each size, or repetitions.
        shown: maps the number of a set and its size to the demonstrated levels.
        seeded: whether a set's number is the seed of its trials.
        kinds: kinds of demonstrations.
        options: options that differ from the methods' defaults.
        played: levels that are scored.
        long: whether only the full experiment has these trials.
    """

    methods: Sequence[str]
    sizes: Sequence[int]
    sets: int = 1
    shown: Callable[[int, int], str] = training_set
    seeded: bool = False
    games: Sequence[str] = tuple(GAMES)
    kinds: Sequence[str] = ("perfect",)
    options: Sequence[Mapping[str, Any]] = field(default=({},))
    played: tuple[str, ...] = (TEST_LEVELS, GENERATED_LEVELS)
    long: bool = False

    def trials(self, scale: Scale) -> Iterator[Trial]:
        """Yield the trials of a scale."""
        for method, game, own, kind, size, number in product(
            named_among(scale.methods, self.methods),
            named_among(scale.games, self.games),
            scale.some(self.options),
            scale.some(self.kinds),
            scale.some(self.sizes) if scale.demos is None else named_among(scale.demos, self.sizes),
            range(min(scale.sets or (self.sets if scale.full else 1), self.sets)),
        ):
            if scale.full or not self.long:
                seed, options = number if self.seeded else 0, scale.options(method, own)
                yield Trial(method, game, self.shown(number, size), kind, seed, options, scale.test or self.played)


# --- exhibits -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Presentation:
    """An experiment's results for the report: exhibits in order, paragraphs, and the paper's statements judged."""

    experiment: Experiment
    rows: Sequence[Row]
    exhibits: Sequence[Exhibit]
    text: Sequence[str]
    claims: Sequence[Claim]

    @property
    def plots(self) -> list[Plot]:
        return [item for item in self.exhibits if isinstance(item, Plot)]


# --- the experiment -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Experiment:
    """One question: the trials that answer it, and their presentation.

    A new experiment is a class with these settings and an entry in experiments.toml, which has its words.

    Attributes:
        designs: its trials. Random play that is scored on the levels of the first belongs to it, too.
        series: lines of its figures and of its table.
        views: levels of its figures, one figure each, none by default.
        across: their horizontal axis.
        columns: columns of its table.
    """

    name: str
    title: str
    question: str
    about: str
    drawn: str = ""
    captions: Sequence[str] = ("Success on new levels.",)

    designs: ClassVar[Sequence[Design]]
    series: ClassVar[Sequence[Series]] = ()
    views: ClassVar[Sequence[LevelView]] = ()
    across: ClassVar[Axis]
    columns: ClassVar[Sequence[TableColumn]] = ()

    @property
    def methods(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(method for design in self.designs for method in design.methods))

    @property
    def games(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(game for design in self.designs for game in design.games))

    @property
    def given_caption(self) -> str:
        """The first caption, and what each method is given."""
        return f"{self.captions[0]} {exhibits.what_each_is_given(self.methods)}"

    def trials(self, scale: Scale) -> list[Trial]:
        """Return the trials it needs."""
        return [trial for design in self.designs for trial in design.trials(scale)]

    def belongs(self, settings: Mapping[str, Any]) -> bool:
        """Return whether a trial is part of the experiment, or the random play beside it."""
        if settings["game"] not in self.games:
            return False
        beside = settings["method"] in FLOORS and tuple(settings["test"]) == self.designs[0].played
        return beside or (settings["method"] in self.methods and self.includes(settings))

    def includes(self, settings: Mapping[str, Any]) -> bool:
        """Return whether a trial is one of the full experiment, scored on any levels."""
        return _unscored(settings) in self._own_trials

    @cached_property
    def _own_trials(self) -> frozenset[str]:
        return frozenset(_unscored(trial.settings) for trial in self.trials(Scale(full=True)))

    def panels(self, rows: Sequence[Row]) -> Sequence[Series]:
        """Return the panels of each figure."""
        return exhibits.games(games_among(rows, self.games))

    def plots(self, rows: Sequence[Row]) -> list[Plot]:
        """Return a figure per view."""
        panels = self.panels(rows)
        return [exhibits.success_plot(rows, panels, self.series, view, self.across, self.drawn) for view in self.views]

    def exhibits(self, rows: Sequence[Row]) -> Sequence[Exhibit]:
        """Return figures and tables of the results, random play included."""
        table = exhibits.success_table(rows, self.games, self.series, self.columns, self.captions[0])
        return [*self.plots(rows), table]

    def text(self, rows: Sequence[Row]) -> list[str]:
        """Return paragraphs about the results."""
        return []

    def findings(self, rows: Sequence[Row]) -> Mapping[str, Finding | None]:
        """Return findings by name of the paper's statements; None where nothing was measured."""
        return {}

    def present(self, rows: Sequence[Row]) -> Presentation:
        """Present the good results of this experiment, without empty figures and tables."""
        learned = [row for row in rows if row.settings["method"] in self.methods]
        shown = [item for item in self.exhibits(rows) if not _is_empty(item)] if learned else []
        text = self.text(learned) if learned else []
        claims = judged(STATEMENTS.get(self.name, {}), self.findings(learned))
        return Presentation(self, rows, shown, text, claims)


def _unscored(settings: Mapping[str, Any]) -> str:
    """Return a digest of the settings without the scored levels."""
    return settings_key({name: value for name, value in settings.items() if name != "test"})


def _is_empty(item: Exhibit) -> bool:
    return (isinstance(item, Plot) and item.empty) or (isinstance(item, Table) and not item.rows)
