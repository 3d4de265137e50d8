"""A result: the settings of one trial, what was measured, and the versions that it rests on.

Rows are shared, so one may come from anybody. `row_from` is the one definition of a valid row: whatever passes can be
listed, drawn and reported, and no part of it is too long, too deep or of the wrong type.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from types import MappingProxyType
from typing import Any

from shown.errors import BadInput
from shown_evidence.methods import newer, older, versions_of
from shown_evidence.trials.trial import settings_key

MAX_TEXT = 100_000  # bytes of any text, such as the names of levels
MAX_ENTRIES = 1_000  # entries of an object or a list
MAX_ERROR = 2_000  # characters of an error message
MAX_DEPTH = 8  # nesting of a method's description of its policy
MAX_NUMBER = 2.0**62


@dataclass(frozen=True, slots=True)
class Row:
    """A trial that was run.

    Attributes:
        settings: the trial, its seed included (`Trial.settings`).
        versions: of all that it rests on (`methods.versions_of`).
        result: measurements, or None if it failed.
        error: why it failed, or None.
        work: what it used: seconds of learning and playing, programs enumerated, training steps.
        commit: commit of the package, with a + if files had changed since.
        machine: cores, memory and versions.
        finished: when it ended (UTC, ISO 8601).
    """

    settings: Mapping[str, Any]
    versions: Mapping[str, int | str]
    result: Mapping[str, Any] | None = None
    error: str | None = None
    work: Mapping[str, float] = field(default_factory=dict)
    commit: str = ""
    machine: str = ""
    finished: str = ""

    @property
    def status(self) -> str:
        return "ok" if self.result is not None else "failed"

    @property
    def key(self) -> str:
        """A digest of the settings: rows with one key answer the same question."""
        return settings_key(self.settings)

    @property
    def older(self) -> list[str]:
        """The names of the versions that are older than the declared ones."""
        return older(self.versions, versions_of(self.settings))

    @property
    def stale(self) -> bool:
        return bool(self.older)

    def to_json(self) -> str:
        """Return the row as one line of JSON."""
        return json.dumps(asdict(self), sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def row_from(value: object) -> Row:
    """Return the row in a JSON value; raise BadInput if it is not one, or one of a newer version.

    >>> row_from({"settings": {}})
    Traceback (most recent call last):
    shown.errors.BadInput: not a result: "settings" lacks "demonstrations".
    """
    try:
        _ROW(value, "row")
        row = Row(**value)  # type: ignore[arg-type]
        if (row.result is None) == (row.error is None):
            raise _Invalid('a row has either a "result" or an "error"')
    except _Invalid as problem:
        raise BadInput(f"not a result: {problem}.") from None
    ahead = newer(row.versions, versions_of(row.settings))
    if ahead:
        raise BadInput(
            f"made with {ahead[0]} {row.versions[ahead[0]]}, and this code has {versions_of(row.settings)[ahead[0]]}. "
            "Update shown-evidence."
        )
    return row


# --- what a valid row is ------------------------------------------------------------------------------------------


class _Invalid(Exception):
    """A part of a row is invalid."""


_Check = Callable[[object, str], None]
"""Raises `_Invalid` unless a value, whose place in the row is named, is right."""


def _fields(needed: Mapping[str, _Check], optional: Mapping[str, _Check] = MappingProxyType({})) -> _Check:
    """Check an object with these parts and no others; an optional part may be null."""

    def check(value: object, name: str) -> None:
        if not isinstance(value, Mapping):
            raise _Invalid(f'"{name}" must be an object')
        for key in needed:
            if key not in value:
                raise _Invalid(f'"{name}" lacks "{key}"')
        for key, part in _entries(value, name).items():
            if key not in needed and key not in optional:
                raise _Invalid(f'"{name}" has an unknown part "{key[:40]}"')
            if key in needed or part is not None:
                (needed.get(key) or optional[key])(part, f"{name}, {key}")

    return check


def _each(of: _Check, listed: bool = False) -> _Check:
    """Check every value of an object, or of a list."""

    def check(value: object, name: str) -> None:
        if not isinstance(value, list | tuple if listed else Mapping):
            raise _Invalid(f'"{name}" must be {"a list" if listed else "an object"}')
        for key, part in _entries(value, name).items():
            of(part, f"{name}, {key[:40]}"[:200])

    return check


def _entries(value: object, name: str) -> Mapping[str, Any]:
    """Return the parts of an object or a list by name."""
    if isinstance(value, list | tuple):
        value = {str(i): part for i, part in enumerate(value)}
    if not isinstance(value, Mapping) or len(value) > MAX_ENTRIES:
        raise _Invalid(f'"{name}" must have parts, at most {MAX_ENTRIES:,}')
    for key in value:
        _text(key, f"{name}, a name")
    return value


def _text(value: object, name: str) -> None:
    try:
        if isinstance(value, str) and len(value.encode()) <= MAX_TEXT:
            return
    except UnicodeEncodeError:  # half of a surrogate pair
        pass
    raise _Invalid(f'"{name}" must be text of at most {MAX_TEXT:,} bytes')


def _matching(pattern: str) -> _Check:
    compiled = re.compile(pattern, re.ASCII)

    def check(value: object, name: str) -> None:
        if not isinstance(value, str) or compiled.fullmatch(value) is None:
            raise _Invalid(f'"{name}" has the wrong form')

    return check


def _number(least: float = -MAX_NUMBER, most: float = MAX_NUMBER, whole: bool = False) -> _Check:
    kinds = int if whole else int | float

    def check(value: object, name: str) -> None:
        good = isinstance(value, kinds) and not isinstance(value, bool)
        if not (good and least <= value <= most and math.isfinite(value)):  # type: ignore[operator, arg-type]
            raise _Invalid(f'"{name}" must be a {"whole " * whole}number from {least:g} to {most:g}')

    return check


def _scalar(value: object, name: str) -> None:
    """Check text, a number, true, false or null."""
    if isinstance(value, str):
        _text(value, name)
    elif value is not None and not isinstance(value, bool):
        _number()(value, name)


def _json(value: object, name: str, depth: int = 0) -> None:
    """Check any JSON value within the limits."""
    if depth > MAX_DEPTH:
        raise _Invalid(f'"{name}" is nested too deeply')
    if isinstance(value, Mapping | list | tuple):
        for key, part in _entries(value, name).items():
            _json(part, f"{name}, {key[:40]}"[:200], depth + 1)
    else:
        _scalar(value, name)


def _learned(value: object, name: str) -> None:
    """Check a method's description of its policy: any JSON, but sizes are whole numbers."""
    for key in ("top_level_programs", "method_calls", "depth"):
        _COUNT(_entries(value, name).get(key, 0), f"{name}, {key}")
    _json(value, name)


_COUNT = _number(0, whole=True)
_SHARE = _number(0, 1)
_REWARDS = _each(_number(), listed=True)
_NAME = _matching(r"[A-Za-z0-9.,()+!_ -]{0,300}")
_VERSION = _matching(r"[0-9]{1,9}(\.[0-9]{1,9}){0,5}")

_SETTINGS = _fields(
    {
        **dict.fromkeys(("demonstrations", "game", "levels", "method"), _text),
        **{"options": _each(_scalar), "seed": _COUNT, "test": _each(_text, listed=True)},
    },
)
_RESULT = _fields(
    {
        **{"success": _each(_SHARE), "won": _each(_text), "fit": _SHARE},
        **{"demonstrations": _COUNT, "steps": _COUNT, "learned": _learned},
    },
    {"replaced": _each(_COUNT), "reward": _each(_REWARDS), "expert": _each(_REWARDS)},
)
_ROW = _fields(
    {"settings": _SETTINGS, "versions": _each(lambda value, name: _VERSION(str(value), name))},
    {
        **{"result": _RESULT, "error": _text, "work": _each(_number(0)), "commit": _NAME, "machine": _NAME},
        "finished": _matching(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)?)?"),
    },
)
