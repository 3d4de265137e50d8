"""What an experiment is: the trials it needs, the results that belong to it, and how they are presented."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

from shown.errors import BadInput
from shown.worlds import GAMES
from shown_evidence.analysis.claims import Claim, Finding, judged
from shown_evidence.analysis.figures import Panels
from shown_evidence.analysis.statements import STATEMENTS
from shown_evidence.analysis.statistics import FLOORS
from shown_evidence.analysis.success_tables import Table
from shown_evidence.results.row import Row
from shown_evidence.trials.demonstrators import TRAINING_LEVELS
from shown_evidence.trials.level_sets import LevelSets
from shown_evidence.trials.methods import METHODS
from shown_evidence.trials.trial import GENERATED_LEVELS, TEST_LEVELS, Trial, find_place, settings_key

ALL_DEMONSTRATIONS = f"train:0-{TRAINING_LEVELS - 1}"


@dataclass(frozen=True)
class Scale:
    """How much of an experiment to run.

    Attributes:
        full: the paper's sizes, or enough for a first look.
        games, methods, demos: only these games, methods, numbers of demonstrations.
        sets: maximum number of training sets (or repetitions) per point.
        programs: maximum number of programs per learn.
        first_seed: seed of the first demonstrated level, in experiments with generated ones; by default their own.
    """

    full: bool = False
    games: tuple[str, ...] = tuple(GAMES)
    methods: tuple[str, ...] | None = None
    demos: tuple[int, ...] | None = None
    sets: int | None = None
    programs: int | None = None
    test: tuple[str, ...] = (TEST_LEVELS, GENERATED_LEVELS)
    first_seed: int | None = None

    def methods_of(self, own: Sequence[str]) -> list[str]:
        """Return the wanted methods of an experiment."""
        return [method for method in own if self.methods is None or method in self.methods]

    def games_of(self, own: Sequence[str]) -> list[str]:
        """Return the wanted games of an experiment."""
        return [game for game in own if game in self.games]

    def worlds_of(self, own: Sequence[str]) -> list[str]:
        """Return the wanted worlds of an experiment: all of them unless some are named."""
        return list(own) if self.games == Scale.games else self.games_of(own)

    def sizes(self, full: Iterable[int], quick: Iterable[int]) -> list[int]:
        """Return the wanted numbers of demonstrations."""
        wanted = list(full if self.full or self.demos else quick)
        return wanted if self.demos is None else [size for size in wanted if size in self.demos]

    def repeats(self, full: int, quick: int) -> int:
        own = full if self.full else quick
        return own if self.sets is None else min(self.sets, full)

    def levels(self, own: str) -> tuple[str, ...]:
        """Return the scored levels: an experiment's own unless others are named."""
        return (own,) if self.test == Scale.test else self.test

    def shown_levels(self, own: LevelSets, number: int, size: int) -> str:
        """Return the levels of a set of demonstrations."""
        reserved = own if self.first_seed is None else replace(own, shown=self.first_seed)
        return reserved.shown_levels(number, size)

    def options(self, method: str, **own: Any) -> dict[str, Any]:
        """Return the options of a trial, with at most the wanted number of programs."""
        defaults = METHODS[method].options
        if self.programs is not None and "programs" in defaults:
            own["programs"] = min(self.programs, own.get("programs", defaults["programs"]))
        return own


@dataclass(frozen=True)
class Plot:
    """A figure with its caption; `name` is unique within the experiment."""

    figure: Panels
    caption: str
    name: str = ""


@dataclass(frozen=True)
class Picture:
    """A drawing as trusted SVG, and its text."""

    drawing: str
    text: str


@dataclass(frozen=True)
class Pictures:
    """Drawings side by side with one caption."""

    pictures: Sequence[Picture]
    caption: str


Exhibit = Plot | Table | Pictures


@dataclass(frozen=True)
class Presentation:
    """An experiment's results for the report: exhibits in order, paragraphs, and the paper's statements judged."""

    plots: Sequence[Exhibit]
    text: Sequence[str]
    claims: Sequence[Claim]


class Experiment(ABC):
    """One figure or table: the trials it needs, and their presentation.

    A new experiment is a file with one of these and a line in `shown_evidence.experiments.EXPERIMENTS`.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    question: ClassVar[str]
    games: ClassVar[tuple[str, ...]] = tuple(GAMES)
    methods: ClassVar[tuple[str, ...]]
    scored_on: ClassVar[tuple[str, ...]] = (TEST_LEVELS, GENERATED_LEVELS)
    """Trials of random play on these levels belong to the experiment; none in worlds with buttons."""

    @abstractmethod
    def trials(self, scale: Scale) -> list[Trial]:
        """Return the trials it needs."""

    def belongs(self, settings: Mapping[str, Any]) -> bool:
        """Return whether a trial is part of the experiment."""
        if settings["game"] not in self.games:
            return False
        if settings["method"] in FLOORS:
            return tuple(settings["test"]) == self.scored_on
        return settings["method"] in self.methods and self.includes(settings)

    def includes(self, settings: Mapping[str, Any]) -> bool:
        """Return whether a trial is one of the full or quick experiment, scored on any levels."""
        return _unscored(settings) in self._own_trials

    @cached_property
    def _own_trials(self) -> frozenset[str]:
        trials = [trial for full in (True, False) for trial in self.trials(Scale(full=full))]
        return frozenset(_unscored(trial.settings) for trial in trials)

    @abstractmethod
    def plots(self, rows: Sequence[Row]) -> Sequence[Exhibit]:
        """Return figures and tables of the results, random play included."""

    def text(self, rows: Sequence[Row]) -> list[str]:
        """Return paragraphs about the results."""
        return []

    def findings(self, rows: Sequence[Row]) -> Mapping[str, Finding | None]:
        """Return findings by name of the paper's statements; None where nothing was measured."""
        return {}

    def present(self, rows: Sequence[Row]) -> Presentation:
        """Present the good results of this experiment, without empty figures and tables."""
        learned = [row for row in rows if row.settings["method"] not in FLOORS]
        plots = [plot for plot in self.plots(rows) if not _is_empty(plot)]
        found = {name: finding for name, finding in self.findings(learned).items() if finding is not None}
        claims = judged(STATEMENTS.get(self.name, {}), found)
        return Presentation(plots if learned else [], self.text(learned) if learned else [], claims)


def _unscored(settings: Mapping[str, Any]) -> str:
    """Return a digest of the settings without the scored levels."""
    return settings_key({name: value for name, value in settings.items() if name != "test"})


def _is_empty(item: Exhibit) -> bool:
    return (isinstance(item, Plot) and item.figure.empty) or (isinstance(item, Table) and not item.rows)


def check(scale: Scale) -> None:
    """Raise BadInput for unknown games and methods."""
    for game in scale.games:
        find_place(game)
    for method in scale.methods or ():
        Trial(method, "nim", "train:0")
    if scale.demos is not None and not all(size >= 1 for size in scale.demos):
        raise BadInput("numbers of demonstrations must be at least 1.")
