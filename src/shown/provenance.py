"""The provenance of a policy: what it was learned from, how, and how well it is expected to do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, replace
from math import sqrt
from statistics import fmean, stdev
from typing import Any

from shown.demonstrations import Demonstrations
from shown.errors import BadInput, at
from shown.grid import Grid
from shown.rules import Constraints
from shown.symmetry import Transformation

MAX_TEXT = 2**16  # characters of one text
MAX_ITEMS = 1000  # entries of a list or an object; levels are not limited
KINDS_OF_TRIAL = ("levels", "positions")


@dataclass(frozen=True, slots=True)
class DemonstrationsRecord:
    """The demonstrations that a policy was learned from.

    Attributes:
        digest: SHA-256 of the demonstrations.
        count: number of demonstrations.
        steps: number of steps.
        explained: number of steps that the printed rule allows as they were shown; None if unknown.
        levels: level name of each demonstration, or None.
    """

    digest: str
    count: int
    steps: int
    explained: int | None = None
    levels: tuple[str | None, ...] = ()

    @classmethod
    def of(cls, demonstrations: Demonstrations) -> DemonstrationsRecord:
        """Record these demonstrations; how many steps the rule explains is recorded by `Policy.taught_by`."""
        levels = tuple(item.level for item in demonstrations)
        return cls(demonstrations.digest, len(demonstrations), len(demonstrations.steps), None, levels)


@dataclass(frozen=True, slots=True)
class ConstraintsRecord:
    """The clauses that a teacher pinned and the programs that a teacher struck, as text."""

    pinned: tuple[str, ...] = ()
    struck: tuple[str, ...] = ()

    @classmethod
    def of(cls, constraints: Constraints) -> ConstraintsRecord | None:
        """Record these constraints; None if there are none."""
        value = constraints.to_json()
        return cls(tuple(value["pinned"]), tuple(value["struck"])) if constraints else None


@dataclass(frozen=True, slots=True)
class SuccessRate:
    """Successes in a number of trials.

    >>> SuccessRate(59, 100).in_words()
    'expected to win about 7 of 12 new levels'

    Attributes:
        won: number of successes.
        of: number of trials.
        what: kind of trial: "levels" won, or "positions" in which the policy does what the teacher did.
    """

    won: int
    of: int
    what: str = "levels"

    def __post_init__(self) -> None:
        if self.won > self.of or self.what not in KINDS_OF_TRIAL:
            raise BadInput(f"count {' or '.join(KINDS_OF_TRIAL)}, with no more won than tried.")

    @property
    def share(self) -> float:
        """The expected share of successes: the posterior mean under a flat prior."""
        return (self.won + 1) / (self.of + 2)

    @property
    def spread(self) -> float:
        """The posterior standard deviation of the share."""
        a, b = self.won + 1, self.of - self.won + 1
        return float(sqrt(a * b / ((a + b) ** 2 * (a + b + 1))))

    @property
    def value(self) -> float:
        """The number by which results of equally many trials are compared."""
        return self.won

    def in_words(self, trials: int = 12) -> str:
        """Return the success rate to expect in some new trials, as a sentence fragment."""
        about = f"about {round(self.share * trials)} of {trials} new {self.what}"
        return f"expected to win {about}" if self.what == "levels" else f"expected to do as you would in {about}"


@dataclass(frozen=True, slots=True)
class MeanReturn:
    """The mean return of some episodes, where nothing can be won: it takes the place of a success rate.

    >>> MeanReturn.of_episodes([11.0, 12.0, 13.0], 0.5, 12.3).in_words()
    'expected return 12.0 ± 1.1; the demonstrations had 12.3'

    Attributes:
        mean: mean return: the sum of the rewards of an episode.
        of: number of episodes.
        error: half the width of the 95 % confidence interval of the mean; None for a single episode.
        random: mean return of random play; None if it is unknown.
        demonstrations: mean return of the demonstrations; None if it is unknown.
    """

    mean: float
    of: int
    error: float | None = None
    random: float | None = None
    demonstrations: float | None = None

    @classmethod
    def of_episodes(
        cls, returns: Sequence[float], random: float | None = None, demonstrations: float | None = None
    ) -> MeanReturn:
        """Return the mean of these returns."""
        error = 1.96 * stdev(returns) / sqrt(len(returns)) if len(returns) > 1 else None
        return cls(fmean(returns), len(returns), error, random, demonstrations)

    @property
    def value(self) -> float:
        """The number by which results are compared."""
        return self.mean

    @property
    def share(self) -> float:
        """The mean return on a scale from random play (0) to the demonstrations (1); at least 0 and at most 1."""
        best, least = self.demonstrations, self.random or 0.0
        if best is None or best <= least:
            return 1.0 if self.mean >= (best or 0.0) else 0.0
        return min(max((self.mean - least) / (best - least), 0.0), 1.0)

    @property
    def text(self) -> str:
        """The mean with its interval."""
        return f"{self.mean:.1f}" + ("" if self.error is None else f" ± {self.error:.1f}")

    def in_words(self) -> str:
        """Return the return to expect, as a sentence fragment."""
        shown = "" if self.demonstrations is None else f"; the demonstrations had {self.demonstrations:.1f}"
        return f"expected return {self.text}{shown}"


Score = SuccessRate | MeanReturn
"""How well a policy does: its successes or, where nothing can be won, its mean return."""


@dataclass(frozen=True)
class Provenance:
    """What a policy records about its origin. A field is None or empty where it does not apply.

    >>> record = Provenance(programs=300, distinct=77)
    >>> record.to_json()
    {'programs': 300, 'distinct': 77}
    >>> Provenance.from_json(record.to_json()) == record
    True

    Attributes:
        version: version of `shown` that learned the policy.
        demonstrations: the demonstrations it was learned from.
        programs: number of programs enumerated.
        distinct: number of programs that differ on the demonstrations.
        vocabulary: name of the vocabulary, or digest of a custom grammar.
        settings: options of the `Learner`.
        interpretation: interpretation of the teacher's clicks, as plain data.
        symmetries: transformations under which the demonstrations were taken to hold as well.
        keys: tokens interpreted as keys.
        lenient: whether actions that no program distinguishes from a demonstrated one were left open.
        constraints: what the teacher pinned and struck.
        practice: levels won, or the mean return, among those on which the policy was selected.
        expectation: successes, or the mean return, in trials that played no part in the selection.
        alone: the same of the printed rule alone, if all rules act.
        saved_by: program that wrote the file.
    """

    version: str | None = None
    demonstrations: DemonstrationsRecord | None = None
    programs: int | None = None
    distinct: int | None = None
    vocabulary: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict, hash=False)
    interpretation: Mapping[str, str] | None = field(default=None, hash=False)
    symmetries: tuple[Transformation, ...] = ()
    keys: tuple[str, ...] = ()
    lenient: bool = False
    constraints: ConstraintsRecord | None = None
    practice: Score | None = None
    expectation: Score | None = None
    alone: Score | None = None
    saved_by: str | None = None

    def explaining(self, steps: int | None) -> Provenance:
        """Return the provenance of a policy whose printed rule explains this number of steps; None if unknown."""
        shown = self.demonstrations
        return self if shown is None else replace(self, demonstrations=replace(shown, explained=steps))

    def to_json(self) -> dict[str, Any]:
        """Return the fields that apply, as plain data."""
        applies = {name: value for name, value in plain(self).items() if value is not None and value is not False}
        return {name: value for name, value in applies.items() if value not in ([], {})}

    @classmethod
    def from_json(cls, value: Any, where: str = "provenance") -> Provenance:
        """Check every field; raise BadInput for an unknown or malformed one."""
        found: Provenance = _record(cls)(value, where)
        return found


NO_PROVENANCE = Provenance()
"""The provenance of a policy that was not learned."""


def plain(value: Any) -> Any:
    """Return a record as plain data, field by field."""
    if isinstance(value, Transformation):
        return value.to_json()
    if isinstance(value, Grid):
        return list(value.rows)
    if is_dataclass(value):
        return {item.name: plain(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    return dict(value) if isinstance(value, Mapping) else value


# Each check takes a value from JSON and its place in the file, and returns the value of the field.

Check = Callable[[Any, str], Any]


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str) or len(value) > MAX_TEXT or not value.isprintable():
        raise BadInput(f"{where} must be text on one line.")
    return value


def read_count(value: Any, where: str) -> int:
    """Check a whole number from JSON."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**63:
        raise BadInput(f"{where} must be a whole number from 0 to 2^63.")
    return value


def read_number(value: Any, where: str) -> float:
    """Check a number from JSON."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        given = f", not {value[:40]!r}" if isinstance(value, str) else ""
        raise BadInput(f"{where} must be a number{given}.")
    if not abs(value) < 1e300:
        raise BadInput(f"{where} is too large.")
    return float(value)


def _flag(value: Any, where: str) -> bool:
    if not isinstance(value, bool):
        raise BadInput(f"{where} must be true or false.")
    return value


def _scalar(value: Any, where: str) -> Any:
    if isinstance(value, str):
        return _text(value, where)
    if value is not None and not isinstance(value, bool | int | float):
        raise BadInput(f"{where} must be a number, a text, true, false or null.")
    return value


def _optional(check: Check) -> Check:
    return lambda value, where: None if value is None else check(value, where)


def _each(check: Check, most: int = MAX_ITEMS) -> Check:
    def checked(value: Any, where: str) -> tuple[Any, ...]:
        if not isinstance(value, list) or len(value) > most:
            raise BadInput(f"{where} must be a list of at most {most:,}.")
        return tuple(check(item, where) for item in value)

    return checked


def _mapping(check: Check) -> Check:
    def checked(value: Any, where: str) -> dict[str, Any]:
        if not isinstance(value, dict) or len(value) > MAX_ITEMS:
            raise BadInput(f"{where} must be an object.")
        return {_text(key, where): check(item, f'{where}: "{key}"') for key, item in value.items()}

    return checked


def _record(cls: type) -> Check:
    """Return a check of objects with the fields of a dataclass, each checked by its annotation."""
    known = {item.name: item for item in fields(cls)}
    required = [name for name, item in known.items() if item.default is item.default_factory is MISSING]

    def checked(value: Any, where: str) -> Any:
        if not isinstance(value, dict):
            raise BadInput(f"{where} must be an object.")
        for key in value:
            if key not in known:
                raise BadInput(f"{where} has an unknown field {key[:40]!r}.")
        for key in required:
            if key not in value:
                raise BadInput(f'{where} must have a field "{key}".')
        read = {key: _CHECKS[str(known[key].type)](item, f'{where}: "{key}"') for key, item in value.items()}
        with at(f"{where}: "):
            return cls(**read)

    return checked


def read_score(value: Any, where: str) -> Score:
    """Check a success rate or a mean return from JSON."""
    found: Score = _record(MeanReturn if isinstance(value, dict) and "mean" in value else SuccessRate)(value, where)
    return found


_CHECKS: dict[str, Check] = {
    "str": _text,
    "int": read_count,
    "bool": _flag,
    "str | None": _optional(_text),
    "int | None": _optional(read_count),
    "tuple[str, ...]": _each(_text),
    "tuple[str | None, ...]": _each(_optional(_text), most=2**24),
    "tuple[Transformation, ...]": _each(Transformation.from_json),
    "Mapping[str, Any]": _mapping(_scalar),
    "Mapping[str, str] | None": _optional(_mapping(_text)),
    "DemonstrationsRecord | None": _optional(_record(DemonstrationsRecord)),
    "ConstraintsRecord | None": _optional(_record(ConstraintsRecord)),
    "Score | None": _optional(read_score),
    "float": read_number,
    "float | None": _optional(read_number),
}
