"""What an experiment is: which trials it needs, what of a store belongs to it, and how that is read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from shown.errors import BadInput
from shown.experiments.claims import Claim, Finding, judged
from shown.experiments.figures import Panels
from shown.experiments.paper import STATEMENTS
from shown.experiments.rows import Row
from shown.experiments.statistics import FLOORS
from shown.experiments.teaching import TRAINING_LEVELS
from shown.experiments.trials import GENERATED_LEVELS, METHODS, TEST_LEVELS, Trial
from shown.games import GAMES, find
from shown.world import WORLDS
from shown.worlds import find as find_world

ALL_DEMONSTRATIONS = f"train:0-{TRAINING_LEVELS - 1}"


@dataclass(frozen=True)
class Scale:
    """How much of an experiment to run: all that the paper has (`full`), or enough for a first look.

    The other fields narrow it: only these games, methods, numbers of demonstrations; at most so many training sets (or
    repetitions) a point and programs a learn; other levels to be scored on.
    """

    full: bool = False
    games: tuple[str, ...] = tuple(GAMES)
    methods: tuple[str, ...] | None = None
    demos: tuple[int, ...] | None = None
    sets: int | None = None
    programs: int | None = None
    test: tuple[str, ...] = (TEST_LEVELS, GENERATED_LEVELS)

    def methods_of(self, own: Sequence[str]) -> list[str]:
        """Those of an experiment's methods that are wanted."""
        return [method for method in own if self.methods is None or method in self.methods]

    def games_of(self, own: Sequence[str]) -> list[str]:
        return [game for game in own if game in self.games]

    def worlds_of(self, own: Sequence[str]) -> list[str]:
        """Like `games_of`, of worlds that are no games: all of them, unless some are named."""
        return list(own) if self.games == Scale.games else self.games_of(own)

    def sizes(self, full: Iterable[int], quick: Iterable[int]) -> list[int]:
        """The numbers of demonstrations: those asked for, where the experiment has them, or its own."""
        wanted = list(full if self.full or self.demos else quick)
        return wanted if self.demos is None else [size for size in wanted if size in self.demos]

    def repeats(self, full: int, quick: int) -> int:
        own = full if self.full else quick
        return own if self.sets is None else min(self.sets, full)

    def levels(self, own: str) -> tuple[str, ...]:
        """What to be scored on: the levels asked for, or else an experiment's own."""
        return (own,) if self.test == Scale.test else self.test

    def options(self, method: str, **own: Any) -> dict[str, Any]:
        """The options of a trial, with no more programs than wanted."""
        standard = METHODS[method].options
        if self.programs is not None and "programs" in standard:
            own["programs"] = min(self.programs, own.get("programs", standard["programs"]))
        return own


@dataclass(frozen=True)
class Plot:
    """A figure of the report with its caption; `name` tells it from an experiment's others."""

    figure: Panels
    caption: str
    name: str = ""


@dataclass(frozen=True)
class Table:
    """A table of the report."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str


@dataclass(frozen=True)
class Picture:
    """A drawing, as SVG made here, and what it is of."""

    drawing: str
    text: str


@dataclass(frozen=True)
class Pictures:
    """Drawings side by side, with one caption."""

    pictures: Sequence[Picture]
    caption: str


Shown = Plot | Table | Pictures
"""What a report shows."""


@dataclass(frozen=True)
class Reading:
    """What an experiment shows: its pictures, what to see in them, and the paper's claims.

    Attributes:
        plots: figures, tables and pictures, in order.
        text: a few sentences, one a paragraph.
        claims: what the paper says, and whether that was so here.
    """

    plots: Sequence[Shown]
    text: Sequence[str]
    claims: Sequence[Claim]


class Experiment(ABC):
    """One figure or table of the paper: which trials it needs, and what they show.

    A new experiment is a file with one of these and a line in `shown.experiments.EXPERIMENTS`. Its figures are
    described, not drawn (`figures`), and its findings are judged beside what the paper says (`claims`, `paper`).
    """

    name: ClassVar[str]
    title: ClassVar[str]
    question: ClassVar[str]
    games: ClassVar[tuple[str, ...]] = tuple(GAMES)
    methods: ClassVar[tuple[str, ...]]
    scored_on: ClassVar[tuple[str, ...]] = (TEST_LEVELS, GENERATED_LEVELS)
    """The floors that play these belong to it; none where nobody could click at random."""

    @abstractmethod
    def trials(self, scale: Scale) -> list[Trial]:
        """The trials it needs."""

    def belongs(self, settings: Mapping[str, Any]) -> bool:
        """Whether a trial with these settings is part of it. Floors are, wherever they play the same levels."""
        if settings["game"] not in self.games:
            return False
        if settings["method"] in FLOORS:
            return tuple(settings["test"]) == self.scored_on
        return settings["method"] in self.methods and self.includes(settings)

    @abstractmethod
    def includes(self, settings: Mapping[str, Any]) -> bool:
        """Whether a trial of one of its methods and games is part of it."""

    @abstractmethod
    def plots(self, rows: Sequence[Row]) -> Sequence[Shown]:
        """The figures and tables of the results, floors among them."""

    @abstractmethod
    def text(self, rows: Sequence[Row]) -> list[str]:
        """What to see in them."""

    @abstractmethod
    def findings(self, rows: Sequence[Row]) -> Mapping[str, Finding]:
        """What the results say of the paper's statements, by their names in `paper.STATEMENTS`."""

    def read(self, rows: Sequence[Row]) -> Reading:
        """What the results (good ones, all of this experiment) show. What has nothing in it is left out."""
        learned = [row for row in rows if row.settings["method"] not in FLOORS]
        plots = [plot for plot in self.plots(rows) if not _is_empty(plot)]
        claims = judged(STATEMENTS.get(self.name, {}), self.findings(learned))
        return Reading(plots if learned else [], self.text(learned) if learned else [], claims)


def _is_empty(item: Shown) -> bool:
    return (isinstance(item, Plot) and item.figure.empty) or (isinstance(item, Table) and not item.rows)


def check(scale: Scale) -> None:
    """Raises BadInput for unknown games and methods."""
    for game in scale.games:
        (find_world if game.startswith(WORLDS) else find)(game)
    for method in scale.methods or ():
        Trial(method, "nim", "train:0")
    if scale.demos is not None and not all(size >= 1 for size in scale.demos):
        raise BadInput("numbers of demonstrations must be at least 1.")
