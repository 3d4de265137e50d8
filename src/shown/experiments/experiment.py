"""What an experiment is: which trials it needs, what of a store belongs to it, and how that is read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from shown.errors import BadInput
from shown.experiments.store import Row
from shown.experiments.teaching import TRAINING_LEVELS
from shown.experiments.trials import GENERATED_LEVELS, METHODS, TEST_LEVELS, Trial
from shown.games import GAMES, find

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ALL_DEMONSTRATIONS = f"train:0-{TRAINING_LEVELS - 1}"

YES, NO, PARTLY, MISSING = "yes", "no", "partly", "not measured"


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

    def sizes(self, full: Iterable[int], quick: Iterable[int]) -> list[int]:
        """The numbers of demonstrations: those asked for, where the experiment has them, or its own."""
        wanted = list(full if self.full or self.demos else quick)
        return wanted if self.demos is None else [size for size in wanted if size in self.demos]

    def repeats(self, full: int, quick: int) -> int:
        own = full if self.full else quick
        return own if self.sets is None else min(self.sets, full)

    def options(self, method: str, **own: Any) -> dict[str, Any]:
        """The options of a trial, with no more programs than wanted."""
        usual = METHODS[method].options
        if self.programs is not None and "programs" in usual:
            own["programs"] = min(self.programs, own.get("programs", usual["programs"]))
        return own


@dataclass(frozen=True)
class Claim:
    """A statement of the paper beside what was measured.

    Attributes:
        paper: what the paper says.
        measured: what the store says, or which trials are missing.
        verdict: YES, NO, PARTLY or MISSING.
        why: a reason, where it does not agree.
    """

    paper: str
    measured: str
    verdict: str
    why: str = ""


@dataclass(frozen=True)
class Plot:
    """A figure of the report with its caption."""

    figure: Callable[[], Figure]
    caption: str


@dataclass(frozen=True)
class Table:
    """A table of the report."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str


@dataclass(frozen=True)
class Reading:
    """What an experiment shows: its pictures, what to see in them, and the paper's claims.

    Attributes:
        plots: figures and tables, in order.
        text: a few sentences, one a paragraph.
        claims: what the paper says, and whether that was so here.
    """

    plots: Sequence[Plot | Table] = ()
    text: Sequence[str] = ()
    claims: Sequence[Claim] = field(default_factory=tuple)


class Experiment(ABC):
    """One figure or table of the paper."""

    name: ClassVar[str]
    title: ClassVar[str]
    question: ClassVar[str]
    games: ClassVar[tuple[str, ...]] = tuple(GAMES)
    methods: ClassVar[tuple[str, ...]]

    @abstractmethod
    def trials(self, scale: Scale) -> list[Trial]:
        """The trials it needs."""

    @abstractmethod
    def belongs(self, settings: Mapping[str, Any]) -> bool:
        """Whether a trial with these settings is part of it."""

    @abstractmethod
    def read(self, rows: Sequence[Row]) -> Reading:
        """What the results (good ones, all of this experiment) show."""


def check(scale: Scale) -> None:
    """Raises BadInput for unknown games and methods."""
    for game in scale.games:
        find(game)
    for method in scale.methods or ():
        Trial(method, "nim", "train:0")
    if scale.demos is not None and not all(size >= 1 for size in scale.demos):
        raise BadInput("numbers of demonstrations must be at least 1.")


# --- looking at rows ----------------------------------------------------------------------------------------------

K = TypeVar("K", bound=Hashable)


def success(row: Row, kind: str = "test") -> float:
    """The fraction of levels won: kind "test", "random" (generated) or "train" (the demonstrated ones)."""
    assert row.result is not None
    found = [value for spec, value in row.result["success"].items() if spec.partition(":")[0] == kind]
    return fmean(found) if found else float("nan")


def size(row: Row) -> int:
    """The number of demonstrations learned from."""
    assert row.result is not None
    return int(row.result["demonstrations"])


def grouped(rows: Iterable[Row], key: Callable[[Row], K]) -> dict[K, list[Row]]:
    """Rows by a key, in the order of first appearance."""
    groups: dict[K, list[Row]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


def curve(
    rows: Iterable[Row], x: Callable[[Row], float], kind: str = "test", pool: Callable[[Iterable[float]], float] = fmean
) -> tuple[list[float], list[float]]:
    """A curve: for each x, in order, the pooled success."""
    points = grouped(rows, x)
    xs = sorted(points)
    return xs, [pool([success(row, kind) for row in points[at]]) for at in xs]


def of(rows: Iterable[Row], **settings: Any) -> list[Row]:
    """The rows with these settings; names that are not a trial's own are looked up among its method's options."""
    return [
        row
        for row in rows
        if all(
            (row.settings[name] if name in row.settings else row.settings["options"].get(name)) == value
            for name, value in settings.items()
        )
    ]


def usual(settings: Mapping[str, Any], *but: str) -> bool:
    """Whether a trial's options are its method's usual ones, leaving aside those named."""
    own = METHODS[settings["method"]].options if settings["method"] in METHODS else {}
    return all(settings["options"].get(name) == value for name, value in own.items() if name not in but)


def first_perfect(
    rows: Iterable[Row], x: Callable[[Row], float], kind: str = "test", pool: Callable[[Iterable[float]], float] = max
) -> int | None:
    """The smallest x at which the pooled success is 1."""
    return next((int(at) for at, y in zip(*curve(rows, x, kind, pool), strict=True) if y >= 1), None)


def percent(value: float) -> str:
    """
    >>> percent(0.456), percent(0.998), percent(1.0)
    ('46 %', '99.8 %', '100 %')
    """
    return f"{100 * value:.1f} %" if 0.99 < value < 1 else f"{100 * value:.0f} %"


def title(game: str) -> str:
    return find(game).title


def listed(words: Sequence[str]) -> str:
    """
    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
